#include "options.h"

#include "commands.h"
#include "print.h"

#include <pith.h>

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT(field) offsetof(settings, field)

static const char *const table_formats[] = {"csv", "tsv", NULL},
                         *const formats[] = {"csv", "tsv", "json", NULL},
                         *const text_formats[] = {"text", "json", NULL},
                         *const methods_formats[] = {"text", "tsv", "json", "markdown", NULL},
                         *const missing_rules[] = {"error", "drop-rows", "mean", "zero", NULL},
                         *const decimal_marks[] = {".", ",", NULL}, *const answers[] = {"yes", "no", NULL},
                         *const progress_rules[] = {"auto", "always", "never", NULL};

const option option_method = {
    "method",   "NAME",
    'm',        VALUE_TEXT,
    AT(method), 0,
    0,          NULL,
    "auto",     "the method; 'auto' picks one for the kind of data, and says which and why"};
const option option_output = {
    "output",   "FILE",
    'o',        VALUE_TEXT,
    AT(output), 0,
    0,          NULL,
    NULL,       "where to write; the ending selects the format (default: standard output)"};
const option option_format = {
    "format", NULL, 0,       VALUE_CHOICE, AT(format),
    0,        0,    formats, NULL,         "format of standard output (default: csv)"};
const option option_table_format = {"format",   NULL,
                                    0,          VALUE_CHOICE,
                                    AT(format), 0,
                                    0,          table_formats,
                                    NULL,       "format of standard output (default: csv)"};
const option option_text_format = {"format",   NULL,
                                   0,          VALUE_CHOICE,
                                   AT(format), 0,
                                   0,          text_formats,
                                   "text",     "text for people or JSON for programs"};
const option option_methods_format = {
    "format",   NULL,
    0,          VALUE_CHOICE,
    AT(format), 0,
    0,          methods_formats,
    "text",     "text for people, JSON or TSV for programs, Markdown for documents"};
const option option_json = {"json", NULL, 0,    VALUE_NONE, AT(json),
                            0,      0,    NULL, NULL,       "the same as --format json"};
const option option_seed = {"seed", "S", 0,    VALUE_SEED, AT(seed),
                            0,      0,   NULL, "1",        "seed of all random numbers"};
static const char *const pixel_orders[] = {"row", "column", NULL};
const option option_image_shape = {
    .name = "image-shape",
    .value = "HxW",
    .kind = VALUE_TEXT,
    .at = AT(image_shape),
    .help = "the features are the pixels of an image of this size: hufs uses a grid of them as its tree, and "
            "the report of compare shows the selected ones"};
const option option_image_order = {
    .name = "image-order",
    .kind = VALUE_CHOICE,
    .at = AT(image_order),
    .choices = pixel_orders,
    .help = "order of the pixels (default: column by column for .mat, else row by row)"};
const option option_threads = {
    "threads",   "T",
    0,           VALUE_INTEGER,
    AT(threads), 0,
    4096,        NULL,
    NULL,        "number of threads; it does not change results (default: all cores)"};
const option option_memory = {
    .name = "memory",
    .value = "SIZE",
    .kind = VALUE_SIZE,
    .at = AT(memory),
    .help = "most memory to use, such as 16GB; arrays as large as the data that do not fit go to --scratch "
            "(default: three quarters of the machine's memory)"};
const option option_scratch = {
    .name = "scratch",
    .value = "DIR",
    .kind = VALUE_TEXT,
    .at = AT(scratch),
    .help = "folder for temporary files of data that does not fit into memory (default: TMPDIR, or /tmp)"};
const option option_engine = {
    .name = "engine",
    .value = "NAME",
    .kind = VALUE_TEXT,
    .at = AT(engine),
    .standard = "local",
    .help =
        "what computes neighbours and eigenpairs: 'local' is pith itself; 'auto' is 'cuda' where a GPU "
        "can be used, else 'local'; any other NAME loads libpith-NAME.so from the folder of libpith or from "
        "PITH_ENGINE_PATH"};
const option option_var = {
    "var",   "NAME",
    0,       VALUE_TEXT,
    AT(var), 0,
    0,       NULL,
    NULL,    "the matrix variable of a .mat, .npz or .h5ad (default: X, fea or the only matrix)"};
const option option_labels = {
    "labels",
    "NAME|FILE",
    0,
    VALUE_TEXT,
    AT(labels),
    0,
    0,
    NULL,
    NULL,
    "label variable or column, or a file with one label per line (default: Y, gnd or label, if present)"};
const option option_no_labels = {
    "no-labels", NULL, 0,    VALUE_NONE, AT(no_labels),
    0,           0,    NULL, NULL,       "ignore labels even if the file has them"};
const option option_missing = {
    "missing",   NULL,
    0,           VALUE_CHOICE,
    AT(missing), 0,
    0,           missing_rules,
    NULL,        "what to do with values that are missing or not numbers (default: error)"};
const option option_sep = {
    .name = "sep",
    .value = "CHAR",
    .kind = VALUE_TEXT,
    .at = AT(sep),
    .help = "column separator of delimited text: one character, 'tab' or 'blank' (default: detected)"};
const option option_decimal = {.name = "decimal",
                               .kind = VALUE_CHOICE,
                               .at = AT(decimal),
                               .choices = decimal_marks,
                               .help = "decimal mark of delimited text: 1.5 or 1,5 (default: detected)"};
const option option_header = {
    .name = "header",
    .kind = VALUE_CHOICE,
    .at = AT(header),
    .choices = answers,
    .help = "does the first row of delimited text name the columns? (default: detected)"};
const option option_row_names = {
    .name = "row-names",
    .kind = VALUE_CHOICE,
    .at = AT(row_names),
    .choices = answers,
    .help = "does the first column of delimited text name the samples? (default: detected)"};
const option option_transpose = {.name = "transpose",
                                 .kind = VALUE_NONE,
                                 .at = AT(transpose),
                                 .help = "the rows of the file are features and its columns are samples"};
const option option_batch = {
    .name = "batch",
    .value = "COLUMN|FILE",
    .kind = VALUE_TEXT,
    .at = AT(batch),
    .help = "batch of each sample (donor, plate, run): a column, or a file with one batch per line; each "
            "batch is ranked separately and the rankings are merged"};
const option option_batch_graph = {
    .name = "batch-graph",
    .kind = VALUE_NONE,
    .at = AT(batch_graph),
    .help = "with --batch: use one graph with neighbours balanced across the batches instead"};
const option option_quiet = {"quiet", NULL, 'q',  VALUE_NONE, AT(quiet),
                             0,       0,    NULL, NULL,       "print errors only"};
const option option_verbose = {
    "verbose", NULL, 'v',  VALUE_NONE, AT(verbose),
    0,         0,    NULL, NULL,       "say what was done, with which settings, and how long it took"};
const option option_progress = {
    "progress",
    NULL,
    0,
    VALUE_CHOICE,
    AT(progress),
    0,
    0,
    progress_rules,
    "auto",
    "progress bar on standard error; auto: on a terminal, if the work takes more than a second"};
const option option_prep = {
    .name = "prep",
    .value = "A,B,C",
    .kind = VALUE_TEXT,
    .at = AT(prep),
    .help = "prepare the data first: steps, a recipe or 'auto'; 'pith prep --help' lists them"};
const option option_report = {.name = "report",
                              .value = "FILE.html",
                              .kind = VALUE_TEXT,
                              .at = AT(report),
                              .help = "an HTML report with curves, tables and pictures"};
const option option_force = {
    .name = "force",
    .kind = VALUE_NONE,
    .at = AT(force),
    .help =
        "overwrite a file even if it is also an input, or lies beside a .mtx and is not an earlier output"};
const option option_help = {"help", NULL, 'h', VALUE_NONE, AT(help), 0, 0, NULL, NULL, "show this help"};

char *swapped(const char *name, char from, char to)
{
    char *copy = take_copy(name);
    for (char *c = copy; *c != '\0'; c++)
        *c = *c == from ? to : *c;
    return copy;
}

bool is_shared_parameter(const char *name)
{
    static const char *const shared[] = {"neighbors", "metric",      "weight", "clusters",  "standardize",
                                         "diversity", "init_labels", "graph",  "graph_rows"};
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        if (strcmp(shared[i], name) == 0)
            return true;
    return false;
}

bool may_be_unused(const char *name)
{
    return is_shared_parameter(name) && strncmp(name, "graph", 5) != 0;
}

int unknown_word(const char *what, const char *word, const char *const *words)
{
    const char *near = pith_nearest(word, words);
    if (near != NULL)
        complain("unknown %s '%s'; did you mean '%s'?", what, word, near);
    else
        complain("unknown %s '%s'", what, word);
    return USAGE;
}

/* Does any method have this parameter? If not, an option of that name is a mistake at once. */
static bool some_method_has(const char *name)
{
    const pith_method *m;
    const pith_param *p;
    for (size_t i = 0; (m = pith_method_at(i)) != NULL; i++)
        for (size_t k = 0; (p = pith_method_param(m, k)) != NULL; k++)
            if (strcmp(p->name, name) == 0)
                return true;
    return false;
}

static char *option_text(const char *name)
{
    char *text = take(strlen(name) + 3);
    (void)sprintf(text, "--%s", name);
    for (char *c = text; *c != '\0'; c++)
        *c = *c == '_' ? '-' : *c;
    return text;
}

static size_t count_words(const command *c)
{
    const pith_method *m;
    size_t count = 0;
    while (c->options[count] != NULL)
        count++;
    for (size_t i = 0; c->takes_parameters && (m = pith_method_at(i)) != NULL; i++)
        for (size_t k = 0; pith_method_param(m, k) != NULL; k++)
            count++;
    return count;
}

static bool has_option(const command *c, const char *name)
{
    for (size_t i = 0; c->options[i] != NULL; i++)
        if (strcmp(c->options[i]->name, name) == 0)
            return true;
    return false;
}

/* An option of other commands: which they are. False: no command has it. */
static bool tell_owners(const command *c, const char *word)
{
    const char *const name = word + (strncmp(word, "--", 2) == 0 ? 2 : 0);
    const command *other;
    char owners[256] = "";
    if (has_option(c, "steps") && strcmp(name, "prep") == 0) {
        complain("pith %s has no option '%s'; the steps are given with '--steps'", c->name, word);
        return true;
    }
    if (has_option(c, "prep") && strcmp(name, "steps") == 0) {
        complain("pith %s has no option '%s'; the steps are given with '--prep'", c->name, word);
        return true;
    }
    for (size_t i = 0; (other = command_at(i)) != NULL; i++)
        if (has_option(other, name))
            (void)snprintf(owners + strlen(owners), sizeof owners - strlen(owners), " %s", other->name);
    if (owners[0] != '\0')
        complain("pith %s has no option '%s'; commands with it:%s", c->name, word, owners);
    return owners[0] != '\0';
}

static int unknown_option(const command *c, const char *word)
{
    if (tell_owners(c, word))
        return USAGE;
    const size_t count = count_words(c);
    char **words = take((count + 1) * sizeof *words);
    const pith_method *m;
    const pith_param *p;
    size_t used = 0;
    for (size_t i = 0; c->options[i] != NULL; i++)
        words[used++] = option_text(c->options[i]->name);
    for (size_t i = 0; c->takes_parameters && (m = pith_method_at(i)) != NULL; i++)
        for (size_t k = 0; (p = pith_method_param(m, k)) != NULL; k++)
            words[used++] = option_text(p->name);
    words[used] = NULL;
    const char *near = pith_nearest(word, (const char *const *)words);
    if (near != NULL)
        complain("unknown option '%s'; did you mean '%s'?", word, near);
    else
        complain("unknown option '%s'; 'pith %s --help' lists them", word, c->name);
    for (size_t i = 0; i < used; i++)
        free(words[i]);
    free(words);
    return USAGE;
}

static bool parse_double(const char *text, double *out)
{
    char *end = NULL;
    *out = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*out);
}

int parse_count(const char *option_name, const char *text, int64_t lo, int64_t hi, int64_t *out)
{
    double v = 0;
    if (!parse_double(text, &v) || v != floor(v) || v < (double)lo || v > (double)hi) {
        complain("--%s: a whole number in %lld..%lld expected, not '%s'", option_name, (long long)lo,
                 (long long)hi, text);
        return USAGE;
    }
    *out = (int64_t)v;
    return DONE;
}

static int set_choice(const option *o, const char **field, const char *word)
{
    char list[256] = "";
    for (size_t i = 0; o->choices[i] != NULL; i++) {
        if (strcmp(o->choices[i], word) == 0) {
            *field = o->choices[i];
            return DONE;
        }
        (void)snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i > 0 ? ", " : "",
                       o->choices[i]);
    }
    const char *near = pith_nearest(word, o->choices);
    complain("--%s: '%s' is not one of %s%s%s%s", o->name, word, list, near != NULL ? "; did you mean '" : "",
             near != NULL ? near : "", near != NULL ? "'?" : "");
    return USAGE;
}

static int set_real(const option *o, double *field, const char *text)
{
    char lo[NUMBER_TEXT], hi[NUMBER_TEXT];
    double v = 0;
    if (!parse_double(text, &v) || !(v >= o->lo && v <= o->hi)) {
        complain("--%s: a number in %s..%s expected, not '%s'", o->name, number_text(o->lo, lo),
                 number_text(o->hi, hi), text);
        return USAGE;
    }
    *field = v;
    return DONE;
}

/* 16GB, 1.5g, 512MiB: powers of 1000, or of 1024 with an i. */
static int set_size(const option *o, void *field, const char *text)
{
    static const char units[] = "kmgt";
    char *end = NULL;
    double bytes = strtod(text, &end);
    const bool number = end != text && isdigit((unsigned char)text[0]);
    const char *unit = *end != '\0' ? strchr(units, tolower((unsigned char)*end)) : NULL;
    const bool binary = unit != NULL && end[1] == 'i';
    for (const char *u = units; unit != NULL && u <= unit; u++)
        bytes *= binary ? 1024 : 1000;
    end += (unit != NULL) + binary;
    end += *end == 'B' || *end == 'b';
    if (!number || *end != '\0' || !(bytes >= 1 << 20 && bytes < 1e18)) {
        complain("--%s: a size of at least 1MiB expected, such as 16GB, not '%s'", o->name, text);
        return USAGE;
    }
    *(int64_t *)field = (int64_t)bytes;
    return DONE;
}

static int set_seed(const option *o, uint64_t *field, const char *text)
{
    char *end = NULL;
    errno = 0;
    const unsigned long long v = strtoull(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || strchr(text, '-') != NULL) {
        complain("--%s: a whole number in 0..18446744073709551615 expected, not '%s'", o->name, text);
        return USAGE;
    }
    *field = v;
    return DONE;
}

static int set_option(const option *o, settings *s, const char *value)
{
    void *field = (char *)s + o->at;
    switch (o->kind) {
    case VALUE_NONE: *(bool *)field = true; return DONE;
    case VALUE_TEXT: *(const char **)field = value; return DONE;
    case VALUE_GRID:
        s->grids[s->n_grids++] = value;
        s->grids[s->n_grids] = NULL;
        return DONE;
    case VALUE_CHOICE: return set_choice(o, field, value);
    case VALUE_INTEGER: return parse_count(o->name, value, (int64_t)o->lo, (int64_t)o->hi, field);
    case VALUE_REAL: return set_real(o, field, value);
    case VALUE_SIZE: return set_size(o, field, value);
    case VALUE_SEED: return set_seed(o, field, value);
    }
    return USAGE;
}

/* The words being read. */
typedef struct reader {
    const command *c;
    char *const *words;
    int count, next;
} reader;

/* The value of an option: what follows its name in the same word, else the next word, whatever it is. */
static const char *value_of(reader *r, const char *name, const char *attached)
{
    if (attached != NULL)
        return attached;
    if (r->next < r->count)
        return r->words[r->next++];
    complain("%s needs a value", name);
    return NULL;
}

/* --thrifty is --thrifty yes, unless the next word answers it. */
static bool stands_alone(const reader *r, const char *name)
{
    static const char *const replies[] = {"yes", "no", "true", "false", "1", "0"};
    const pith_method *m;
    const pith_param *p;
    bool is_flag = false;
    for (size_t i = 0; (m = pith_method_at(i)) != NULL; i++)
        for (size_t k = 0; (p = pith_method_param(m, k)) != NULL; k++)
            is_flag = is_flag || (strcmp(p->name, name) == 0 && p->type == PITH_BOOL);
    for (size_t i = 0; i < sizeof replies / sizeof *replies && r->next < r->count; i++)
        if (strcmp(replies[i], r->words[r->next]) == 0)
            return false;
    return is_flag;
}

static int read_parameter(reader *r, settings *s, const char *word, char *name, const char *attached)
{
    char *parameter = swapped(name, '-', '_');
    if (!r->c->takes_parameters || !some_method_has(parameter)) {
        char *shown = option_text(name);
        const int status = unknown_option(r->c, shown);
        free(shown);
        free(parameter);
        return status;
    }
    const bool alone = attached == NULL && stands_alone(r, parameter);
    const char *value = alone ? "yes" : value_of(r, word, attached);
    if (value == NULL) {
        free(parameter);
        return USAGE;
    }
    s->parameters[s->n_parameters++] = (assignment){parameter, value};
    return DONE;
}

/* snfs has a parameter of this name, a small number; a size has a unit, or is large. */
static bool is_number_of_method(const reader *r, const option *o, const char *attached)
{
    const char *value = attached != NULL ? attached : r->next < r->count ? r->words[r->next] : "";
    return o == &option_memory && r->c->takes_parameters && value[0] != '\0' && strlen(value) < 7 &&
           strspn(value, "0123456789") == strlen(value);
}

static int read_long(reader *r, settings *s, const char *word)
{
    const size_t length = strcspn(word + 2, "=");
    const char *attached = word[2 + length] == '=' ? word + 2 + length + 1 : NULL;
    char *name = take_copy(word + 2);
    int status = USAGE;
    name[length] = '\0';
    const option *o = NULL;
    for (size_t i = 0; o == NULL && r->c->options[i] != NULL; i++)
        if (strcmp(r->c->options[i]->name, name) == 0)
            o = r->c->options[i];
    if (o == NULL || is_number_of_method(r, o, attached)) {
        status = read_parameter(r, s, word, name, attached);
    } else if (o->kind == VALUE_NONE && attached != NULL) {
        complain("--%s takes no value", name);
    } else {
        const char *value = o->kind == VALUE_NONE ? "" : value_of(r, word, attached);
        status = value != NULL ? set_option(o, s, value) : USAGE;
    }
    free(name);
    return status;
}

/* -qn10: flags may share a word; a value is the rest of the word or the next one. */
static int read_letters(reader *r, settings *s, const char *word)
{
    for (const char *letter = word + 1; *letter != '\0'; letter++) {
        const option *o = NULL;
        for (size_t i = 0; o == NULL && r->c->options[i] != NULL; i++)
            if (r->c->options[i]->letter == *letter)
                o = r->c->options[i];
        if (o == NULL)
            return unknown_option(r->c, word);
        if (o->kind != VALUE_NONE) {
            const char name[] = {'-', *letter, '\0'};
            const char *value = value_of(r, name, letter[1] != '\0' ? letter + 1 : NULL);
            return value != NULL ? set_option(o, s, value) : USAGE;
        }
        (void)set_option(o, s, "");
    }
    return DONE;
}

static int read_argument(const command *c, settings *s, const char *word)
{
    if (s->n_arguments < c->most) {
        s->arguments[s->n_arguments++] = word;
        return DONE;
    }
    if (c->most == 0)
        complain("%s takes no argument, but '%s' was given", c->name, word);
    else
        complain("unexpected argument '%s': usage is pith %s %s", word, c->name, c->arguments);
    return USAGE;
}

int settings_parse(const command *c, int count, char *const *words, settings *s)
{
    reader r = {c, words, count, 0};
    bool ended = false;
    int status = DONE;
    *s = (settings){0};
    s->parameters = take((size_t)count * sizeof *s->parameters);
    s->grids = take(((size_t)count + 1) * sizeof *s->grids);
    s->arguments = take(((size_t)count + MOST_ARGUMENTS) * sizeof *s->arguments);
    for (int i = 0; i < count + MOST_ARGUMENTS; i++)
        s->arguments[i] = NULL;
    s->words = words;
    s->n_words = count;
    for (size_t i = 0; c->options[i] != NULL; i++)
        if (c->options[i]->standard != NULL)
            (void)set_option(c->options[i], s, c->options[i]->standard);
    while (status == DONE && r.next < r.count) {
        const char *word = r.words[r.next++];
        if (!ended && strcmp(word, "--") == 0)
            ended = true;
        else if (!ended && strncmp(word, "--", 2) == 0)
            status = read_long(&r, s, word);
        else if (!ended && word[0] == '-' && word[1] != '\0')
            status = read_letters(&r, s, word);
        else
            status = read_argument(c, s, word);
    }
    if (status != DONE || s->help)
        return status;
    if (s->n_arguments < c->fewest) {
        complain("%s needs %s: see 'pith %s --help'", c->name, c->arguments, c->name);
        return USAGE;
    }
    if (s->labels != NULL && s->no_labels) {
        complain("--labels and --no-labels cannot be used together");
        return USAGE;
    }
    if (s->batch_graph && s->batch == NULL) {
        complain("--batch-graph needs --batch, which gives the batch of each sample");
        return USAGE;
    }
    return DONE;
}

void settings_free(settings *s)
{
    for (size_t i = 0; i < s->n_parameters; i++)
        free(s->parameters[i].name);
    free(s->parameters);
    free(s->grids);
    free(s->arguments);
    *s = (settings){0};
}
