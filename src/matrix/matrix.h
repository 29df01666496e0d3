/* The table as users hold it: numbers with names and labels. */
#ifndef PITH_MATRIX_MATRIX_H
#define PITH_MATRIX_MATRIX_H

#include "matrix/data.h"

/* Texts in one block: text i begins at bytes + start[i]. Empty when start is NULL. */
typedef struct pith_i_names {
    char *bytes;
    int64_t *start;
    int64_t count;
} pith_i_names;

/* The part of a file's matrix that a table is. */
typedef struct pith_i_place {
    char *matrix;          /* its name in the file, "layers/counts" */
    int64_t rows, columns; /* of it */
    int64_t *row, *column; /* which ones these are; NULL: all */
    bool changed;          /* the values are no longer those of the file */
    bool labelled;         /* the labels are from another file */
} pith_i_place;

struct pith_matrix {
    pith_i_data data;
    bool known_finite; /* the reader has looked */
    bool by_columns;   /* images in it are counted down their columns, as MATLAB does */
    pith_i_names features, samples, classes;
    int32_t *label; /* class of every row, -1: it has none; or NULL. One row at least has a class */
    pith_i_names batches;
    int32_t *batch;  /* of every row, or NULL; each of the batches has a row */
    char *reading;   /* what the reader took for header, row names and labels, for people, or NULL */
    char *steps;     /* of the preparation that it went through, or NULL */
    int64_t *origin; /* the column that each was before any was dropped, ascending, or NULL */
    int64_t origins; /* how many columns there were then; 0 without origin */
    /* Where processes share the rows, in process 0: labels and names of all samples, without values. Owned;
     * or NULL */
    struct pith_matrix *samples_of_all;
    pith_i_place *place; /* where it was read, if that file may hold more of its kind; or NULL */
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
/* Texts which[0..count-1] of names, or the first count of them where which is NULL; none of none. */
pith_status pith_i_names_take(pith_ctx *ctx, const pith_i_names *names, int64_t count, const int64_t *which,
                              pith_i_names *out);
/* Copies the labels and batches, where there are any, to a matrix with as many rows. */
pith_status pith_i_labels_copy(pith_ctx *ctx, const pith_matrix *from, pith_matrix *to);
/* Those of the given rows; classes and batches without a row are no more. `to` may be `from`. */
pith_status pith_i_labels_take(pith_ctx *ctx, const pith_matrix *from, int64_t count, const int64_t *rows,
                               pith_matrix *to);
/* The same for labels and names of all samples of processes, where they are known. */
pith_status pith_i_samples_copy(pith_ctx *ctx, const pith_matrix *from, pith_matrix *to);
/* Is it what stands for a label that is not known: nothing, NA, <NA>, or nan in any case? */
bool pith_i_label_is_missing(const char *at, int64_t length);
/* The class of row i, which has labels, as text; "": it has none. */
const char *pith_i_label_text(const pith_matrix *m, int64_t i);
int64_t pith_i_labelled(const pith_matrix *m); /* rows that have a class */
/* The rows that have a class as a matrix of their own; *out stays NULL where all have one, or none. */
pith_status pith_i_take_labelled(pith_ctx *ctx, const pith_matrix *m, pith_matrix **out);
/* Labels given as n names, taken over as classes in order (numbers by value, else bytewise). Where all are
 * missing there are none. */
pith_status pith_i_matrix_label(pith_ctx *ctx, pith_matrix *m, const pith_i_names *labels);
/* The same for batches; where, for messages, is a file, or NULL. A missing one is PITH_E_DATA. */
pith_status pith_i_matrix_batch(pith_ctx *ctx, pith_matrix *m, const char *where,
                                const pith_i_names *batches);
/* The classes of `labelled`, a table that nothing else is wanted of, become the batches of m. */
pith_status pith_i_matrix_batch_by(pith_ctx *ctx, pith_matrix *m, const char *where,
                                   const pith_matrix *labelled);
/* The given rows, in the given order, with their labels and batches, as a new matrix; names stay behind. */
pith_status pith_i_matrix_take_rows(pith_ctx *ctx, const pith_matrix *m, int64_t count, const int64_t *rows,
                                    pith_matrix **out);
/* The column that was column `origin` before any was dropped; -1: it was dropped, or never was. */
int64_t pith_i_matrix_column(const pith_matrix *m, int64_t origin);
/* Only the rows kept[0..count-1], ascending, names and labels with them. After
 * a failure it can only be freed. */
pith_status pith_i_matrix_keep_rows(pith_ctx *ctx, pith_matrix *m, int64_t count, const int64_t *kept);

/* ---- Its place in a file (place.c) --------------------------------------------------------------- */

pith_status pith_i_place_new(pith_ctx *ctx, const char *matrix, int64_t rows, int64_t columns,
                             pith_i_place **out);
/* That of some rows and columns of what was there; NULL: all. None of none. */
pith_status pith_i_place_take(pith_ctx *ctx, const pith_i_place *from, int64_t rows, const int64_t *row,
                              int64_t columns, const int64_t *column, pith_i_place **out);
void pith_i_place_free(pith_i_place *place); /* NULL is fine */

#endif
