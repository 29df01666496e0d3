#include "help.h"

#include "commands.h"
#include "print.h"

#include <pith.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 90, HELP_COLUMN = 30 };

const exit_status exit_statuses[] = {
    {"0", "done"},
    {"1", "the work failed: out of memory, no usable answer, output that cannot be written"},
    {"2", "the command line is wrong"},
    {"3", "the data cannot be read or is unfit"},
    {"130", "stopped by Ctrl-C (another signal: 128 + its number); no half-written file is left behind"},
    {NULL, NULL},
};

static void option_value(const option *o, char *text, size_t size)
{
    text[0] = '\0';
    if (o->kind != VALUE_CHOICE) {
        (void)snprintf(text, size, "%s", o->value != NULL ? o->value : "");
        return;
    }
    for (size_t i = 0; o->choices[i] != NULL; i++)
        (void)snprintf(text + strlen(text), size - strlen(text), "%s%s", i > 0 ? "|" : "", o->choices[i]);
}

void option_head(const option *o, char *text, size_t size)
{
    char value[128], letter[8] = "    ";
    option_value(o, value, sizeof value);
    if (o->letter != 0)
        (void)snprintf(letter, sizeof letter, "-%c, ", o->letter);
    (void)snprintf(text, size, "%s--%s%s%s", letter, o->name, value[0] != '\0' ? " " : "", value);
}

void option_help_text(const option *o, char *text, size_t size)
{
    if (o->standard != NULL)
        (void)snprintf(text, size, "%s (default: %s)", o->help, o->standard);
    else
        (void)snprintf(text, size, "%s", o->help);
}

static void put_entry(FILE *out, const char *head, const char *text)
{
    const int length = (int)strlen(head);
    (void)fprintf(out, "  %s", head);
    if (2 + length + 2 > HELP_COLUMN)
        (void)fprintf(out, "\n%*s", HELP_COLUMN, "");
    else
        (void)fprintf(out, "%*s", HELP_COLUMN - 2 - length, "");
    put_wrapped(out, text, HELP_COLUMN, HELP_COLUMN, WIDTH);
}

/* The first method that has the parameter stands for all: names and meanings are shared. */
static const pith_param *find_shared(size_t *method, size_t *param)
{
    const pith_method *m;
    const pith_param *p;
    for (; (m = pith_method_at(*method)) != NULL; (*method)++, *param = 0)
        while ((p = pith_method_param(m, *param)) != NULL) {
            (*param)++;
            bool seen = !is_shared_parameter(p->name);
            for (size_t i = 0; !seen && i < *method; i++) {
                const pith_param *old;
                for (size_t k = 0; !seen && (old = pith_method_param(pith_method_at(i), k)) != NULL; k++)
                    seen = strcmp(old->name, p->name) == 0;
            }
            if (!seen)
                return p;
        }
    return NULL;
}

const char *auto_word(const pith_param *p)
{
    return p->auto_word != NULL ? p->auto_word : "auto";
}

/* Does the list of words fit into the head of an entry? */
static bool is_short_list(const pith_param *p)
{
    size_t length = 0;
    for (size_t i = 0; p->choices[i] != NULL; i++)
        length += strlen(p->choices[i]) + 1;
    return length < 80;
}

static void add_values(const pith_param *p, char *text, size_t size)
{
    if (p->type == PITH_CHOICE && !is_short_list(p))
        (void)snprintf(text + strlen(text), size - strlen(text), "WORD");
    else if (p->type == PITH_CHOICE)
        for (size_t i = 0; p->choices[i] != NULL; i++)
            (void)snprintf(text + strlen(text), size - strlen(text), "%s%s", i > 0 ? "|" : "", p->choices[i]);
    else
        (void)snprintf(text + strlen(text), size - strlen(text), "%s%s%s",
                       p->type == PITH_INT    ? "N"
                       : p->type == PITH_FILE ? "FILE"
                       : p->type == PITH_NAME ? "NAME"
                       : p->type == PITH_BOOL ? "yes|no"
                                              : "X",
                       p->can_be_auto ? "|" : "", p->can_be_auto ? auto_word(p) : "");
}

void parameter_head(const pith_param *p, char *text, size_t size)
{
    char *name = swapped(p->name, '_', '-');
    (void)snprintf(text, size, "    --%s ", name);
    free(name);
    add_values(p, text, size);
}

void setting_head(const pith_param *p, char *text, size_t size)
{
    char *name = swapped(p->name, '_', '-');
    (void)snprintf(text, size, "    %s ", name);
    free(name);
    add_values(p, text, size);
}

void setting_help(const pith_param *p, char *text, size_t size)
{
    char number[NUMBER_TEXT];
    const char *standard = p->type == PITH_CHOICE ? p->choices[(int)p->def]
                           : p->type == PITH_BOOL ? p->def != 0 ? "yes" : "no"
                           : isnan(p->def)        ? auto_word(p)
                                                  : number_text(p->def, number);
    if (p->type == PITH_FILE || p->type == PITH_NAME)
        standard = "auto";
    (void)snprintf(text, size, "%s", p->help);
    for (size_t i = 0; p->type == PITH_CHOICE && !is_short_list(p) && p->choices[i] != NULL; i++)
        (void)snprintf(text + strlen(text), size - strlen(text), "%s%s", i > 0 ? ", " : ": ", p->choices[i]);
    (void)snprintf(text + strlen(text), size - strlen(text), " (default: %s)", standard);
}

static void put_shared_parameters(FILE *out)
{
    const pith_param *p;
    size_t method = 0, param = 0;
    char head[128];
    (void)fprintf(
        out, "\nparameters shared by many methods ('pith methods NAME' shows all parameters of a method):\n");
    while ((p = find_shared(&method, &param)) != NULL) {
        parameter_head(p, head, sizeof head);
        put_entry(out, head, p->help);
    }
}

static void put_paragraphs(FILE *out, const char *text)
{
    while (*text != '\0') {
        const size_t length = strcspn(text, "\n");
        char *paragraph = take_copy(text);
        paragraph[length] = '\0';
        (void)fputc('\n', out);
        put_wrapped(out, paragraph, 0, 0, WIDTH);
        free(paragraph);
        text += length + (text[length] == '\n');
    }
}

static void put_steps(FILE *out)
{
    const pith_step *step;
    const pith_param *p;
    char head[256], text[1024];
    const char *name, *list, *title;
    (void)fprintf(out, "\nsteps and their parameters, given as in 'drop-noisy:remove=0.2'; '=VALUE' right "
                       "after a name\nsets the first parameter, as in 'top-variance=500':\n");
    for (size_t i = 0; (step = pith_step_at(i)) != NULL; i++) {
        put_entry(out, pith_step_name(step), pith_step_title(step));
        for (size_t k = 0; (p = pith_step_param(step, k)) != NULL; k++) {
            setting_head(p, head, sizeof head);
            setting_help(p, text, sizeof text);
            put_entry(out, head, text);
        }
    }
    (void)fprintf(out, "\nrecipes, which are short for several steps:\n");
    for (size_t i = 0; (name = pith_recipe_at(i, &list, &title)) != NULL; i++) {
        (void)snprintf(head, sizeof head, "%s (%s)", title, list);
        put_entry(out, name, head);
    }
}

void put_command_help(FILE *out, const command *c)
{
    char head[192], text[512];
    (void)fprintf(out, "pith %s: %s\n\nusage: pith %s%s%s [options]\n", c->name, c->purpose, c->name,
                  c->arguments[0] != '\0' ? " " : "", c->arguments);
    put_paragraphs(out, c->about);
    (void)fprintf(out, "\noptions:\n");
    for (size_t i = 0; c->options[i] != NULL; i++) {
        option_head(c->options[i], head, sizeof head);
        option_help_text(c->options[i], text, sizeof text);
        put_entry(out, head, text);
    }
    if (c->takes_steps)
        put_steps(out);
    if (c->takes_parameters)
        put_shared_parameters(out);
    (void)fprintf(out, "\nexamples:\n");
    for (const example *e = c->examples; e->line != NULL; e++)
        (void)fprintf(out, "  %s\n      %s\n", e->line, e->does);
    (void)fprintf(out, "\nexit status:\n");
    for (const exit_status *e = exit_statuses; e->number != NULL; e++)
        (void)fprintf(out, "  %-4s %s\n", e->number, e->meaning);
}

void put_help(FILE *out)
{
    const command *c;
    const pith_method *m;
    const char *endings, *name;
    (void)fprintf(out, "pith: unsupervised feature selection\n\nusage: pith COMMAND [DATA] [options]\n\n"
                       "commands:\n");
    for (size_t i = 0; (c = command_at(i)) != NULL; i++)
        (void)fprintf(out, "  %-9s %s\n", c->name, c->purpose);
    (void)fprintf(out, "\nfirst steps:\n  pith demo\n  pith info data.csv\n"
                       "  pith rank data.csv -o ranking.csv\n  pith select data.csv -n 50 -o reduced.csv\n");
    (void)fprintf(out, "\nmethods:\n  ");
    for (size_t i = 0; (m = pith_method_at(i)) != NULL; i++)
        (void)fprintf(out, "%s%s", i > 0 ? " " : "", pith_method_name(m));
    (void)fprintf(out, "\n\nfiles, recognized by their ending:\n");
    for (size_t i = 0; (endings = pith_format_endings(i, &name)) != NULL; i++)
        (void)fprintf(out, "  %-15s %s\n", name, endings);
    (void)fprintf(
        out, "\nalso read: the .h5 files and folders of 10x Genomics, and with --prep text documents in a\n"
             "folder, .txt, .csv, .tsv or .jsonl\n");
    (void)fprintf(out, "\n'pith COMMAND --help' says more about a command, 'pith methods NAME' about a "
                       "method,\n'man pith' about everything. 'pith --version' shows the version.\n");
}

/* ---- Lists for shell completion ------------------------------------------------------------------------ */

static void list_steps(char *text, size_t size)
{
    const pith_step *step;
    const char *name;
    text[0] = '\0';
    for (size_t i = 0; (step = pith_step_at(i)) != NULL; i++)
        (void)snprintf(text + strlen(text), size - strlen(text), "%s%s", i > 0 ? " " : "",
                       pith_step_name(step));
    for (size_t i = 0; (name = pith_recipe_at(i, NULL, NULL)) != NULL; i++)
        (void)snprintf(text + strlen(text), size - strlen(text), " %s", name);
}

/* Option, what it takes (words, FILE, METHOD, VALUE or nothing), help; one per line, separated by tabs. */
static void list_option(const option *o)
{
    char value[1024];
    option_value(o, value, sizeof value);
    for (char *c = value; *c != '\0'; c++)
        *c = *c == '|' ? ' ' : *c;
    const char *takes = value;
    if (strcmp(o->name, "steps") == 0 || strcmp(o->name, "prep") == 0)
        list_steps(value, sizeof value);
    else if (strcmp(o->name, "method") == 0)
        takes = "METHOD";
    else if (strstr(value, "FILE") != NULL || strcmp(value, "DIR") == 0)
        takes = "FILE";
    else if (o->kind != VALUE_NONE && o->kind != VALUE_CHOICE)
        takes = "VALUE";
    if (o->letter != 0)
        (void)printf("-%c\t%s\t%s\n", o->letter, takes, o->help);
    (void)printf("--%s\t%s\t%s\n", o->name, takes, o->help);
}

static void list_parameter(const pith_param *p)
{
    char *name = swapped(p->name, '_', '-');
    (void)printf("--%s\t", name);
    if (p->type == PITH_CHOICE)
        for (size_t i = 0; p->choices[i] != NULL; i++)
            (void)printf("%s%s", i > 0 ? " " : "", p->choices[i]);
    else
        (void)printf("%s", p->type == PITH_BOOL   ? "yes no"
                           : p->type == PITH_FILE ? "FILE"
                           : p->type == PITH_NAME ? "NAME"
                           : p->can_be_auto       ? auto_word(p)
                                                  : "VALUE");
    (void)printf("\t%s\n", p->help);
    free(name);
}

static int list_words(const settings *s)
{
    const command *c;
    const pith_param *p;
    size_t method = 0, param = 0;
    if (s->n_arguments == 0) {
        for (size_t i = 0; (c = command_at(i)) != NULL; i++)
            (void)printf("%s\t%s\n", c->name, c->purpose);
        return DONE;
    }
    c = command_find(s->arguments[0]);
    if (c == NULL)
        return unknown_command(s->arguments[0]);
    for (size_t i = 0; c->options[i] != NULL; i++)
        list_option(c->options[i]);
    const pith_method *m = s->n_arguments > 1 ? pith_method_find(s->arguments[1]) : NULL;
    for (size_t k = 0; c->takes_parameters && m != NULL && (p = pith_method_param(m, k)) != NULL; k++)
        list_parameter(p);
    while (c->takes_parameters && m == NULL && (p = find_shared(&method, &param)) != NULL)
        list_parameter(p);
    return DONE;
}

/* ---- The command --------------------------------------------------------------------------------------- */

static int help(const settings *s)
{
    if (s->list)
        return list_words(s);
    if (s->man) {
        put_man_page(stdout);
        return DONE;
    }
    if (s->n_arguments == 0) {
        put_help(stdout);
        return DONE;
    }
    const command *c = command_find(s->arguments[0]);
    if (c == NULL)
        return unknown_command(s->arguments[0]);
    put_command_help(stdout, c);
    return DONE;
}

static const option option_list = {
    "list", NULL, 0,    VALUE_NONE, offsetof(settings, list),
    0,      0,    NULL, NULL,       "commands, or the options of COMMAND (and METHOD), for shell completion"};
static const option option_man = {"man", NULL, 0,    VALUE_NONE, offsetof(settings, man),
                                  0,     0,    NULL, NULL,       "the source of the man page"};

static const option *const options[] = {&option_list, &option_man, &option_help, NULL};

static const example examples[] = {
    {"pith help rank", "help on one command"},
    {"pith help --list rank laplacian", "what completion offers after 'pith rank -m laplacian'"},
    {NULL, NULL},
};

const command command_help = {
    .name = "help",
    .arguments = "[COMMAND [METHOD]]",
    .purpose = "shows this help, or that of a command",
    .about = "The same as 'pith COMMAND --help'.\n",
    .options = options,
    .examples = examples,
    .fewest = 0,
    .most = 2,
    .run = help,
};
