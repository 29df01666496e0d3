/* The man page, as roff, from the same tables as the help. */
#include "commands.h"
#include "help.h"
#include "print.h"

#include <pith.h>

#include <ctype.h>
#include <string.h>

static void put_roff(FILE *out, const char *text)
{
    if (*text == '.' || *text == '\'')
        (void)fputs("\\&", out);
    for (; *text != '\0'; text++) {
        if (*text == '-')
            (void)fputs("\\-", out);
        else if (*text == '\\')
            (void)fputs("\\e", out);
        else if (*text == '\n')
            (void)fputs(text[1] != '\0' ? "\n.PP\n" : "", out);
        else
            (void)fputc(*text, out);
    }
    (void)fputc('\n', out);
}

static void man_entry(FILE *out, const char *head, const char *text)
{
    while (*head == ' ')
        head++;
    (void)fputs(".TP\n.B ", out);
    put_roff(out, head);
    put_roff(out, text);
}

static bool command_takes(const command *c, const option *o)
{
    for (size_t i = 0; c->options[i] != NULL; i++)
        if (c->options[i] == o)
            return true;
    return false;
}

/* Options of several commands are explained once, in a section of their own. */
static bool is_common(const option *o)
{
    const command *c;
    int takers = 0;
    for (size_t i = 0; (c = command_at(i)) != NULL; i++)
        takers += command_takes(c, o);
    return takers > 1 && strcmp(o->name, "format") != 0; /* its words differ */
}

static void man_option(FILE *out, const option *o)
{
    char head[192], text[512];
    option_head(o, head, sizeof head);
    option_help_text(o, text, sizeof text);
    man_entry(out, head, text);
}

static void man_command(FILE *out, const command *c)
{
    char text[512];
    (void)snprintf(text, sizeof text, "pith %s %s", c->name, c->arguments);
    (void)fputs(".SS ", out);
    put_roff(out, text);
    (void)snprintf(text, sizeof text, "%c%s.", toupper((unsigned char)c->purpose[0]), c->purpose + 1);
    put_roff(out, text);
    (void)fputs(".PP\n", out);
    put_roff(out, c->about);
    for (size_t i = 0; c->options[i] != NULL; i++)
        if (!is_common(c->options[i]))
            man_option(out, c->options[i]);
    (void)snprintf(text, sizeof text, "Common options:");
    for (size_t i = 0; c->options[i] != NULL; i++)
        if (is_common(c->options[i]))
            (void)snprintf(text + strlen(text), sizeof text - strlen(text), " --%s", c->options[i]->name);
    (void)fputs(".PP\n", out);
    put_roff(out, text);
    for (const example *e = c->examples; e->line != NULL; e++) {
        (void)fputs(".PP\nExample, ", out);
        put_roff(out, e->does);
        (void)fputs(".PP\n.in +4\n.nf\n", out);
        put_roff(out, e->line);
        (void)fputs(".fi\n.in\n", out);
    }
}

static void man_common(FILE *out)
{
    const command *c;
    (void)fputs(".SH COMMON OPTIONS\n", out);
    put_roff(out, "They mean the same in every command that has them.");
    for (size_t i = 0; (c = command_at(i)) != NULL; i++)
        for (size_t k = 0; c->options[k] != NULL; k++) {
            bool seen = !is_common(c->options[k]);
            for (size_t before = 0; !seen && before < i; before++)
                seen = command_takes(command_at(before), c->options[k]);
            if (!seen)
                man_option(out, c->options[k]);
        }
}

static void man_methods(FILE *out)
{
    const pith_method *m;
    const pith_param *p;
    char head[128];
    (void)fputs(".SH METHODS\n", out);
    put_roff(out,
             "-m takes one of these methods. Its parameters are options of rank and select; 'pith methods "
             "NAME' shows them with defaults and ranges. A yes-or-no parameter takes 'yes' or 'no'.");
    for (size_t i = 0; (m = pith_method_at(i)) != NULL; i++) {
        (void)fputs(".SS ", out);
        put_roff(out, pith_method_name(m));
        put_roff(out, pith_method_title(m));
        (void)fputs(".PP\n", out);
        put_roff(out, pith_method_reference(m));
        if (pith_method_notes(m)[0] != '\0') {
            (void)fputs(".PP\n", out);
            put_roff(out, pith_method_notes(m));
        }
        for (size_t k = 0; (p = pith_method_param(m, k)) != NULL; k++) {
            parameter_head(p, head, sizeof head);
            man_entry(out, head, p->help);
        }
    }
}

static void man_steps(FILE *out)
{
    const pith_step *step;
    const pith_param *p;
    const char *name, *list, *title;
    char head[128], text[1024];
    (void)fputs(".SH STEPS\n", out);
    put_roff(out, "The steps of prep. Parameters follow the name of a step: 'drop-noisy:remove=0.2'. "
                  "'=VALUE' right after the name sets the first parameter: 'top-variance=500'.");
    for (size_t i = 0; (step = pith_step_at(i)) != NULL; i++) {
        (void)fputs(".SS ", out);
        put_roff(out, pith_step_name(step));
        put_roff(out, pith_step_title(step));
        for (size_t k = 0; (p = pith_step_param(step, k)) != NULL; k++) {
            setting_head(p, head, sizeof head);
            setting_help(p, text, sizeof text);
            man_entry(out, head, text);
        }
    }
    (void)fputs(".PP\n", out);
    put_roff(out, "Recipes stand for steps:");
    for (size_t i = 0; (name = pith_recipe_at(i, &list, &title)) != NULL; i++) {
        (void)fputs(".SS ", out);
        put_roff(out, name);
        put_roff(out, title);
        (void)fputs(".PP\n", out);
        put_roff(out, list);
    }
}

static void man_rest(FILE *out)
{
    const char *endings, *name;
    (void)fputs(".SH FILES\n", out);
    put_roff(out, "The ending of a file selects its format:");
    for (size_t i = 0; (endings = pith_format_endings(i, &name)) != NULL; i++)
        man_entry(out, name, endings);
    man_entry(out, "10x Genomics", ".h5, or a folder; read only");
    man_entry(out, "documents", ".txt .csv .tsv .jsonl, or a folder; read by --prep text");
    (void)fputs(".PP\n", out);
    put_roff(out, "An output file is written under a temporary name and renamed at the end: a run that fails "
                  "or is stopped leaves no half-written file and does not touch an existing one.");
    (void)fputs(".SH EXIT STATUS\n", out);
    for (const exit_status *e = exit_statuses; e->number != NULL; e++)
        man_entry(out, e->number, e->meaning);
    (void)fputs(".PP\n", out);
    put_roff(out, "An error is one line on standard error that begins with 'pith:'. The first Ctrl-C asks "
                  "pith to stop, a second one kills it.");
}

void put_man_page(FILE *out)
{
    const command *c;
    (void)fprintf(out,
                  ".\\\" Made by 'pith help --man' from the command's own tables.\n"
                  ".TH PITH 1 \"\" \"pith %s\" \"User Commands\"\n.SH NAME\n"
                  "pith \\- unsupervised feature selection\n.SH SYNOPSIS\n"
                  ".B pith\n.I command\n.RI [ data ]\n.RI [ options ]\n.br\n"
                  ".B pith \\-\\-help\n.br\n.B pith \\-\\-version\n.SH DESCRIPTION\n",
                  pith_version());
    put_roff(out, "pith ranks the features (columns) of a table without using labels, and keeps the best "
                  "ones. Rows are samples. Every method gives each feature a score; higher is better.");
    (void)fputs(".SH COMMANDS\n", out);
    for (size_t i = 0; (c = command_at(i)) != NULL; i++)
        man_command(out, c);
    man_common(out);
    man_methods(out);
    man_steps(out);
    man_rest(out);
}
