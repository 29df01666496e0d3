/* The table that users have a handle of: numbers with names and labels. */
#ifndef PITH_MATRIX_MATRIX_H
#define PITH_MATRIX_MATRIX_H

#include "matrix/data.h"

/* Texts in one block: text i begins at bytes + start[i]. Empty when start is NULL. */
typedef struct pith_i_names {
    char *bytes;
    int64_t *start;
    int64_t count;
} pith_i_names;

/* The part of a file's matrix that a table holds. */
typedef struct pith_i_place {
    char *matrix;          /* name of the matrix in the file, "layers/counts" */
    int64_t rows, columns; /* of that matrix */
    int64_t *row, *column; /* those that the table holds; NULL: all */
    bool changed;          /* the values are no longer those of the file */
    bool labelled;         /* the labels are from another file */
} pith_i_place;

struct pith_matrix {
    pith_i_data data;
    bool known_finite; /* the reader has checked */
    bool by_columns;   /* images in it are counted down their columns, as MATLAB does */
    pith_i_names features, samples, classes;
    int32_t *label; /* class of every row, -1: it has none; or NULL. At least one row has a class */
    pith_i_names batches;
    int32_t *batch;  /* of every row, or NULL; each of the batches has a row */
    char *reading;   /* what the reader took for header, row names and labels, for the user, or NULL */
    char *steps;     /* preparation steps that it went through, or NULL */
    int64_t *origin; /* number of each column before any was dropped, ascending, or NULL */
    int64_t origins; /* how many columns there were then; 0 without origin */
    /* If the rows are spread over processes, in process 0: labels and names of all samples, without values.
     * Owned; or NULL */
    struct pith_matrix *samples_of_all;
    pith_i_place *place; /* where it was read, if that file may hold more matrices; or NULL */
};

pith_status pith_i_matrix_new(pith_ctx *ctx, pith_matrix **out); /* empty: 0 x 0 */

const char *pith_i_name(const pith_i_names *names, int64_t i); /* NULL: none */
/* The feature's name, or "f412" written into made. */
const char *pith_i_feature_label(const pith_matrix *m, int64_t j, char made[24]);
void pith_i_names_free(pith_i_names *names);
pith_status pith_i_names_copy(pith_ctx *ctx, int64_t count, const char *const *texts, pith_i_names *out);
/* The same from pieces of a buffer that are not NUL-ended: text i is at[i], length[i] bytes. */
pith_status pith_i_names_slices(pith_ctx *ctx, int64_t count, const char *const *at, const int64_t *length,
                                pith_i_names *out);
/* Texts which[0..count-1] of names, or the first count of them if which is NULL; empty if names is. */
pith_status pith_i_names_take(pith_ctx *ctx, const pith_i_names *names, int64_t count, const int64_t *which,
                              pith_i_names *out);
/* Copies the labels and batches, where there are any, to a matrix with as many rows. */
pith_status pith_i_labels_copy(pith_ctx *ctx, const pith_matrix *from, pith_matrix *to);
/* Those of the given rows; classes and batches that have no row left are dropped. `to` may be `from`. */
pith_status pith_i_labels_take(pith_ctx *ctx, const pith_matrix *from, int64_t count, const int64_t *rows,
                               pith_matrix *to);
/* Copies samples_of_all, if there is any. */
pith_status pith_i_samples_copy(pith_ctx *ctx, const pith_matrix *from, pith_matrix *to);
/* Does the text stand for a missing label: nothing, NA, <NA>, or nan in any case? */
bool pith_i_label_is_missing(const char *at, int64_t length);
/* The class of row i, which has labels, as text; "": it has none. */
const char *pith_i_label_text(const pith_matrix *m, int64_t i);
int64_t pith_i_labelled(const pith_matrix *m); /* rows that have a class */
/* The rows that have a class as a matrix of their own; *out stays NULL where all have one, or none. */
pith_status pith_i_take_labelled(pith_ctx *ctx, const pith_matrix *m, pith_matrix **out);
/* Sets the labels from n names; classes are numbered in order (by value if all are numbers, else bytewise).
 * If all are missing, there are none. */
pith_status pith_i_matrix_label(pith_ctx *ctx, pith_matrix *m, const pith_i_names *labels);
/* The same for batches; `where` is the file that messages name, or NULL. A missing one is PITH_E_DATA. */
pith_status pith_i_matrix_batch(pith_ctx *ctx, pith_matrix *m, const char *where,
                                const pith_i_names *batches);
/* The classes of `labelled`, a table of as many rows, become the batches of m. */
pith_status pith_i_matrix_batch_by(pith_ctx *ctx, pith_matrix *m, const char *where,
                                   const pith_matrix *labelled);
/* The given rows, in the given order, with their labels and batches, but without names, as a new matrix. */
pith_status pith_i_matrix_take_rows(pith_ctx *ctx, const pith_matrix *m, int64_t count, const int64_t *rows,
                                    pith_matrix **out);
/* The column that was column `origin` before any was dropped; -1: it was dropped, or never existed. */
int64_t pith_i_matrix_column(const pith_matrix *m, int64_t origin);
/* Keeps only the rows kept[0..count-1], ascending, with their names and labels. After a failure the matrix
 * can only be freed. */
pith_status pith_i_matrix_keep_rows(pith_ctx *ctx, pith_matrix *m, int64_t count, const int64_t *kept);

/* ---- Its place in a file (place.c) --------------------------------------------------------------- */

pith_status pith_i_place_new(pith_ctx *ctx, const char *matrix, int64_t rows, int64_t columns,
                             pith_i_place **out);
/* The place of some rows and columns of the table at `from`; NULL: all. Leaves *out if from is NULL. */
pith_status pith_i_place_take(pith_ctx *ctx, const pith_i_place *from, int64_t rows, const int64_t *row,
                              int64_t columns, const int64_t *column, pith_i_place **out);
void pith_i_place_free(pith_i_place *place); /* NULL is fine */

#endif
