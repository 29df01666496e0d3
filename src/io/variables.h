/* Which of a file's variables is the matrix, which the labels: one rule and one wording for all formats. */
#ifndef PITH_IO_VARIABLES_H
#define PITH_IO_VARIABLES_H

#include "matrix/matrix.h"

typedef struct pith_i_variable {
    const char *name;
    const char *type; /* "double", "cell": for messages */
    int64_t rows, cols;
    int rank;       /* dimensions; rows and cols are the first two of them */
    bool is_number; /* real numbers, dense or sparse */
    bool is_text;   /* a list of texts */
} pith_i_variable;

/* At least one row and one column, and no more columns than an int32 can number. */
pith_status pith_i_check_shape(pith_ctx *ctx, const char *where, int64_t n, int64_t p);

/* options->var, else the first of the NULL-terminated `usual` that is a matrix, else the only matrix. */
pith_status pith_i_choose_matrix(pith_ctx *ctx, const char *path, const pith_i_variable *vars, int64_t count,
                                 const pith_read_options *options, const char *const *usual, int64_t *chosen);
/*
 * options->labels, else Y, gnd or label if there is one; -1: there are none, or options->no_labels.
 * A vector of n numbers or texts; anything else under such a name is an error.
 */
pith_status pith_i_choose_labels(pith_ctx *ctx, const char *path, const pith_i_variable *vars, int64_t count,
                                 const pith_read_options *options, int64_t matrix, int64_t n,
                                 int64_t *chosen);
/* A vector of n texts by this name: -1 if there is none; of another length it is an error. */
pith_status pith_i_find_names(pith_ctx *ctx, const char *path, const pith_i_variable *vars, int64_t count,
                              const char *name, int64_t n, int64_t *chosen);
/* The error for a name that is not among the variables, with the most similar name and a list of all. */
pith_status pith_i_no_variable(pith_ctx *ctx, const char *path, const pith_i_variable *vars, int64_t count,
                               const char *name, const char *what);

/* A file of variables: how its format reads each kind. `self` belongs to the format. */
typedef struct pith_i_container {
    pith_ctx *ctx;
    const char *path;
    int64_t count;
    pith_i_variable *vars;
    void *self;
    pith_status (*matrix)(struct pith_i_container *c, int64_t v, pith_i_data *out);
    pith_status (*numbers)(struct pith_i_container *c, int64_t v, double *out); /* rows * cols of them */
    pith_status (*texts)(struct pith_i_container *c, int64_t v, pith_i_names *out);
} pith_i_container;
/* Labels, batches and names of out, which already has its rows and columns. matrix: the variable that they
 * came from, or -1. */
pith_status pith_i_read_labels_and_names(pith_i_container *c, const pith_read_options *options,
                                         int64_t matrix, pith_matrix *out);
/* The matrix, chosen as above, and then its labels, batches and names. */
pith_status pith_i_read_variables(pith_i_container *c, const pith_read_options *options,
                                  const char *const *usual, pith_matrix *out);
/* The text "path: name" for errors, in scratch. */
pith_status pith_i_where(pith_ctx *ctx, const char *path, const char *name, const char **out);

/* Numbers as labels: whole ones as "3", others with the fewest digits that read back the same. */
pith_status pith_i_label_numbers(pith_ctx *ctx, pith_matrix *m, const double *values);
/* Are all class names numbers that would read back as the same text? If so, values has them, by class. */
bool pith_i_classes_are_numbers(const pith_matrix *m, double *values);
/* A name from a file, fit for a message: control characters, also line ends, become '?'; cut at size. */
const char *pith_i_printable(const char *name, char *text, size_t size);

extern const char *const pith_i_usual_labels[]; /* Y, gnd, label; NULL-terminated */

#endif
