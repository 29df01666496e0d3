/* pith methods: the list of methods, or all about one. */
#include "commands.h"
#include "help.h"
#include "print.h"
#include "session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *type_name(const pith_param *p)
{
    switch (p->type) {
    case PITH_INT: return "integer";
    case PITH_REAL: return "real";
    case PITH_BOOL: return "yes or no";
    case PITH_CHOICE: return "choice";
    case PITH_FILE: return "file";
    case PITH_NAME: return "name";
    }
    return "";
}

static const char *default_text(const pith_param *p, char text[NUMBER_TEXT])
{
    if (p->type == PITH_BOOL)
        return p->def != 0 ? "yes" : "no";
    if (p->type == PITH_CHOICE)
        return p->choices[(int)p->def];
    if (p->type == PITH_FILE && !p->can_be_auto)
        return "none";
    return isnan(p->def) ? auto_word(p) : number_text(p->def, text);
}

static void range_text(const pith_param *p, char *text, size_t size)
{
    char lo[NUMBER_TEXT], hi[NUMBER_TEXT];
    text[0] = '\0';
    if (p->type == PITH_BOOL)
        (void)snprintf(text, size, "yes, no");
    else if (p->type == PITH_FILE)
        (void)snprintf(text, size, "a path%s%s", p->can_be_auto ? ", " : "",
                       p->can_be_auto ? auto_word(p) : "");
    else if (p->type == PITH_CHOICE)
        for (size_t i = 0; p->choices[i] != NULL; i++)
            (void)snprintf(text + strlen(text), size - strlen(text), "%s%s", i > 0 ? ", " : "",
                           p->choices[i]);
    else
        (void)snprintf(text, size, "%s to %s%s%s", number_text(p->lo, lo), number_text(p->hi, hi),
                       p->can_be_auto ? ", " : "", p->can_be_auto ? auto_word(p) : "");
}

/* "integer, 1 to 1e+09, default 5" */
static void put_parameter_text(const pith_param *p)
{
    enum { WIDTH = 90, INDENT = 18 };
    char made[NUMBER_TEXT], range[256];
    char *name = swapped(p->name, '_', '-');
    const int used = printf("  --%s", name);
    free(name);
    if (used + 2 > INDENT)
        (void)printf("\n%*s", INDENT, "");
    else
        (void)printf("%*s", INDENT - used, "");
    put_wrapped(stdout, p->help, INDENT, INDENT, WIDTH);
    range_text(p, range, sizeof range);
    (void)printf("%*s%s: %s; default %s\n", INDENT, "", type_name(p), range, default_text(p, made));
}

static void parameter_table(const pith_method *m, table *t)
{
    static const char *const heads[] = {"parameter", "type", "default", "values", "meaning"};
    const pith_param *p;
    table_start(t, 5);
    table_add(t, heads);
    for (size_t k = 0; (p = pith_method_param(m, k)) != NULL; k++) {
        char made[NUMBER_TEXT], range[256], shown[64];
        char *name = swapped(p->name, '_', '-');
        (void)snprintf(shown, sizeof shown, "`--%s`", name);
        range_text(p, range, sizeof range);
        const char *const row[] = {shown, type_name(p), default_text(p, made), range, p->help};
        table_add(t, row);
        free(name);
    }
}

static void put_method_text(const pith_method *m)
{
    enum { WIDTH = 90, INDENT = 8 };
    const pith_param *p;
    (void)printf("%s\n\n", pith_method_name(m));
    (void)printf("%-*s", INDENT, "does");
    put_wrapped(stdout, pith_method_title(m), INDENT, INDENT, WIDTH);
    (void)printf("%-*s%s\n", INDENT, "family", pith_method_family(m));
    (void)printf("%-*s", INDENT, "paper");
    put_wrapped(stdout, pith_method_reference(m), INDENT, INDENT, WIDTH);
    if (pith_method_notes(m)[0] != '\0') {
        (void)printf("%-*s", INDENT, "notes");
        put_wrapped(stdout, pith_method_notes(m), INDENT, INDENT, WIDTH);
    }
    if (pith_method_needs_labels(m))
        (void)printf("%-*s%s\n", INDENT, "labels", "required: this is a supervised reference");
    if (pith_method_keeps(m))
        (void)printf("%-*s%s\n", INDENT, "count", "chosen by the method with pith select -n auto");
    (void)printf("%-*s%s\n", INDENT, "rows",
                 pith_method_spreads(m) ? "may be spread over processes (docs/engines.md)"
                                        : "must be in one process");
    if (pith_method_param(m, 0) == NULL) {
        (void)puts("\nIt has no parameters.");
        return;
    }
    (void)printf("\nparameters:\n");
    for (size_t k = 0; (p = pith_method_param(m, k)) != NULL; k++)
        put_parameter_text(p);
}

static void put_method_markdown(const pith_method *m)
{
    table t;
    if (pith_method_param(m, 0) == NULL) {
        (void)puts("It has no parameters.");
        return;
    }
    parameter_table(m, &t);
    table_put_markdown(stdout, &t);
    table_free(&t);
}

static void put_parameter_json(const pith_param *p)
{
    char *name = swapped(p->name, '_', '-'), made[NUMBER_TEXT];
    (void)printf("{\"name\":");
    put_json_text(stdout, p->name);
    (void)printf(",\"option\":\"--%s\",\"type\":\"%s\",\"default\":", name,
                 p->type == PITH_BOOL ? "boolean" : type_name(p));
    if (p->type == PITH_BOOL)
        (void)printf("%s", p->def != 0 ? "true" : "false");
    else if (p->type == PITH_FILE && !p->can_be_auto)
        (void)printf("null");
    else if (p->type == PITH_CHOICE || isnan(p->def))
        put_json_text(stdout, default_text(p, made));
    else
        put_json_number(stdout, p->def);
    if (p->type == PITH_INT || p->type == PITH_REAL) {
        (void)printf(",\"low\":");
        put_json_number(stdout, p->lo);
        (void)printf(",\"high\":");
        put_json_number(stdout, p->hi);
    }
    (void)printf(",\"can_be_auto\":%s,\"auto_word\":\"%s\"", p->can_be_auto ? "true" : "false", auto_word(p));
    for (size_t i = 0; p->type == PITH_CHOICE && p->choices[i] != NULL; i++) {
        (void)printf("%s", i == 0 ? ",\"choices\":[" : ",");
        put_json_text(stdout, p->choices[i]);
    }
    (void)printf("%s,\"help\":", p->type == PITH_CHOICE ? "]" : "");
    put_json_text(stdout, p->help);
    (void)putchar('}');
    free(name);
}

static void put_method_json(const pith_method *m)
{
    static const struct {
        const char *key;
        const char *(*text)(const pith_method *);
    } texts[] = {{"name", pith_method_name},
                 {"family", pith_method_family},
                 {"title", pith_method_title},
                 {"reference", pith_method_reference},
                 {"notes", pith_method_notes}};
    static const struct {
        const char *key;
        bool (*is)(const pith_method *);
    } answers[] = {{"needs_labels", pith_method_needs_labels},
                   {"needs_tree", pith_method_needs_tree},
                   {"needs_counts", pith_method_needs_counts},
                   {"auto_features", pith_method_keeps},
                   {"spreads", pith_method_spreads}};
    const pith_param *p;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        (void)printf("%s\"%s\":", i == 0 ? "{" : ",", texts[i].key);
        put_json_text(stdout, texts[i].text(m));
    }
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        (void)printf(",\"%s\":%s", answers[i].key, answers[i].is(m) ? "true" : "false");
    (void)printf(",\"parameters\":[");
    for (size_t k = 0; (p = pith_method_param(m, k)) != NULL; k++) {
        (void)printf("%s", k > 0 ? "," : "");
        put_parameter_json(p);
    }
    (void)printf("]}");
}

static void put_list(const char *format)
{
    static const char *const heads[] = {"method", "family", "what it does"};
    const bool tsv = strcmp(format, "tsv") == 0;
    const pith_method *m;
    table t;
    table_start(&t, 3);
    table_add(&t, heads);
    for (size_t i = 0; (m = pith_method_at(i)) != NULL; i++) {
        const char *const row[] = {pith_method_name(m), pith_method_family(m), pith_method_title(m)};
        if (tsv)
            (void)printf("%s\t%s\t%s\n", row[0], row[1], row[2]);
        table_add(&t, row);
    }
    if (strcmp(format, "markdown") == 0)
        table_put_markdown(stdout, &t);
    else if (!tsv)
        table_put(stdout, &t, 100);
    if (strcmp(format, "text") == 0)
        (void)puts("\n'pith methods NAME' shows everything about one of them.");
    table_free(&t);
}

static void put_list_json(void)
{
    const pith_method *m;
    (void)putchar('[');
    for (size_t i = 0; (m = pith_method_at(i)) != NULL; i++) {
        (void)printf("%s", i > 0 ? ",\n" : "");
        put_method_json(m);
    }
    (void)puts("]");
}

/* One parameter per line: option, type, default, values, help; for scripts and completion. */
static void put_method_tsv(const pith_method *m)
{
    const pith_param *p;
    for (size_t k = 0; (p = pith_method_param(m, k)) != NULL; k++) {
        char made[NUMBER_TEXT], range[256];
        char *name = swapped(p->name, '_', '-');
        range_text(p, range, sizeof range);
        (void)printf("--%s\t%s\t%s\t%s\t%s\n", name, type_name(p), default_text(p, made), range, p->help);
        free(name);
    }
}

static int methods(const settings *s)
{
    const char *format = s->json ? "json" : s->format;
    if (s->n_arguments == 0) {
        if (strcmp(format, "json") == 0)
            put_list_json();
        else
            put_list(format);
        return DONE;
    }
    const pith_method *m = pith_method_find(s->arguments[0]);
    if (m == NULL)
        return unknown_method(s->arguments[0]);
    if (strcmp(format, "json") == 0) {
        put_method_json(m);
        (void)putchar('\n');
    } else if (strcmp(format, "markdown") == 0) {
        put_method_markdown(m);
    } else if (strcmp(format, "tsv") == 0) {
        put_method_tsv(m);
    } else {
        put_method_text(m);
    }
    return DONE;
}

static const option *const options[] = {&option_methods_format, &option_json, &option_help, NULL};

static const example examples[] = {
    {"pith methods", "the list"},
    {"pith methods laplacian", "what it does, its paper, and every parameter with default and range"},
    {NULL, NULL},
};

const command command_methods = {
    .name = "methods",
    .arguments = "[NAME]",
    .purpose = "lists the methods, or shows everything about one",
    .about = "Every parameter of a method is an option of 'pith rank' and 'pith select'.\n",
    .options = options,
    .examples = examples,
    .fewest = 0,
    .most = 1,
    .run = methods,
};
