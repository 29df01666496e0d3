/*
 * The command line: one declaration per option, shared by parser, help, man page and completion. Options
 * of a method come from the library's registry and are only collected here.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DONE = 0, FAILED = 1, USAGE = 2, UNFIT = 3 }; /* exit status */

enum { MOST_ARGUMENTS = 2, ANY_NUMBER = 1 << 30 };

/* --max-iter 30 of some method: name "max_iter", value "30". */
typedef struct assignment {
    char *name;
    const char *value;
} assignment;

/* What the user asked for; what was not given has its option's default, or NULL. */
typedef struct settings {
    const char **arguments; /* positional arguments: DATA, IN OUT, NAME; MOST_ARGUMENTS or more, NULL where
                               not given */
    int n_arguments;
    char *const *words; /* as typed, after the command's name */
    int n_words;
    const char *method, *features, *output, *format, *engine, *var, *labels, *missing, *progress, *sep,
        *decimal, *header, *row_names, *batch;
    bool batch_graph, no_labels, transpose, quiet, verbose, help, json, quick, man, list, force, control,
        single;
    int64_t threads, samples, clusters, memory;
    uint64_t seed;
    double half_width, informative, separation, density, fdr;
    assignment *parameters; /* in the order given */
    size_t n_parameters;
    const char **grids; /* of compare, in the order given, NULL-ended */
    size_t n_grids;
    const char *protocol, *clusterer, *cluster_metric, *cluster_on, *start, *cluster_count, *report,
        *image_shape, *image_order, *resume, *steps, *prep, *scratch;
    const char *size, *order, *channels, *leaf, *depth, *branch, *linkage, *stemmed, *top,
        *dict; /* of tree */
    bool absolute;
    int64_t restarts, stability;
} settings;

typedef enum value_kind {
    VALUE_NONE, /* a flag */
    VALUE_TEXT,
    VALUE_GRID, /* a text that may be given several times */
    VALUE_CHOICE,
    VALUE_INTEGER,
    VALUE_REAL,
    VALUE_SIZE, /* bytes: 16GB, 500MB, 1GiB = 2^30 */
    VALUE_SEED
} value_kind;

typedef struct option {
    const char *name, *value; /* "features", "COUNT" */
    char letter;              /* 0: none */
    value_kind kind;
    size_t at;                  /* of its field in settings */
    double lo, hi;              /* of numbers */
    const char *const *choices; /* VALUE_CHOICE: NULL-ended */
    const char *standard;       /* the default, as a user would type it; NULL: none */
    const char *help;
} option;

typedef struct example {
    const char *line, *does;
} example;

typedef struct command {
    const char *name, *arguments, *purpose; /* "rank", "DATA", "scores and ranks every feature" */
    const char *about;                      /* paragraphs, each ended by a newline */
    const option *const *options;           /* NULL-ended */
    const example *examples;                /* ended by an empty one */
    int fewest, most;      /* number of arguments; most is at most MOST_ARGUMENTS, or ANY_NUMBER */
    bool takes_parameters; /* of methods */
    bool takes_steps;      /* of a preparation */
    int (*run)(const settings *s);
} command;

extern const option option_method, option_output, option_format, option_table_format, option_text_format,
    option_methods_format, option_json, option_seed, option_threads, option_engine, option_image_shape,
    option_image_order, option_var, option_labels, option_no_labels, option_missing, option_sep,
    option_decimal, option_header, option_row_names, option_transpose, option_batch, option_batch_graph,
    option_quiet, option_verbose, option_progress, option_report, option_prep, option_force, option_memory,
    option_scratch, option_help;

#define TEXT_OPTIONS &option_sep, &option_decimal, &option_header, &option_row_names, &option_transpose
#define DATA_OPTIONS &option_var, &option_labels, &option_no_labels, &option_missing, TEXT_OPTIONS
#define SIZE_OPTIONS &option_memory, &option_scratch
#define TALK_OPTIONS &option_quiet, &option_verbose, &option_progress, &option_help

/* Fills s from the words after the command's name. Not DONE: the exit status, after a message. */
int settings_parse(const command *c, int count, char *const *words, settings *s);
void settings_free(settings *s);

/* The text as a whole number in lo..hi; else prints a message that names the option and returns USAGE. */
int parse_count(const char *option_name, const char *text, int64_t lo, int64_t hi, int64_t *out);

/* Prints that the word is not one of words, with the nearest one. Returns USAGE. */
int unknown_word(const char *what, const char *word, const char *const *words);

/* Parameters that mean the same in every method that has them. */
bool is_shared_parameter(const char *name);
/* A shared option that is ignored, with a note, by methods that do not use it. A graph is not such an option:
 * ignoring one would be a surprise. */
bool may_be_unused(const char *name);
/* "max-iter" <-> "max_iter"; the caller frees. */
char *swapped(const char *name, char from, char to);

#endif
