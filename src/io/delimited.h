/* How a delimited file is laid out: its dialect, header, row names and label column. */
#ifndef PITH_IO_DELIMITED_H
#define PITH_IO_DELIMITED_H

#include "io/fields.h"

typedef struct pith_i_layout {
    pith_i_dialect dialect;
    const char *first;  /* the first row of data */
    int64_t first_line; /* its line, counted from 1 */
    int64_t cols;       /* fields of a row, row names, labels and batches included */
    bool header, row_names;
    int64_t label;       /* column of the labels, -1: none */
    int64_t batch;       /* of the batches, likewise */
    pith_i_field *names; /* scratch: the header's cell over every column; NULL: no header */
    bool *text;          /* scratch: no number was seen in the column, but text, in the rows looked at */
    int64_t unlabelled;  /* column by a name for labels whose values are all different; -1: none. A feature,
                          * or,  where it holds text, the column `label` all the same, but for nothing */
} pith_i_layout;

/* Is it a column of numbers, neither labels nor batches? Row names are not asked for. */
static inline bool pith_i_layout_is_feature(const pith_i_layout *l, int64_t col)
{
    return col != l->label && col != l->batch;
}
/* Columns of numbers: what is left beside row names, labels and batches. */
static inline int64_t pith_i_layout_features(const pith_i_layout *l)
{
    return l->cols - l->row_names - (l->label >= 0) - (l->batch >= 0);
}
/* "column 'b'" or "column 3", which is column `col` (from 0) of the file, for messages. */
const char *pith_i_layout_column(const pith_i_layout *l, int64_t col, char text[PITH_I_SHOWN + 16]);
pith_status pith_i_layout_find(pith_ctx *ctx, const char *path, const pith_i_bytes *bytes,
                               const pith_read_options *options, pith_i_layout *out);

/* What separates columns and how decimals are written in the text that begins at `at`, line `line` of path,
 * as far as the options leave it open. What stays doubtful is PITH_E_DATA, with the readings that there are.
 */
pith_status pith_i_dialect_find(pith_ctx *ctx, const char *path, const char *at, const char *end,
                                int64_t line, const pith_read_options *options, pith_i_dialect *out);
/* The next row that is not blank, at or after *at: its end, or NULL. *line moves along. */
const char *pith_i_next_row(const pith_i_dialect *d, const char **at, const char *end, int64_t *line);

/* Are there two words or more in the field, and all of them numbers? Then it was cut in the wrong places. */
bool pith_i_holds_numbers(const pith_i_dialect *d, const pith_i_field *f);

/* FOREIGN: a number in a notation that is not the dialect's. */
typedef enum pith_i_kind {
    PITH_I_EMPTY,
    PITH_I_MISSING,
    PITH_I_NUMBER,
    PITH_I_FOREIGN,
    PITH_I_TEXT
} pith_i_kind;
pith_i_kind pith_i_kind_of(const pith_i_dialect *d, const pith_i_field *f);
/* Neither empty nor a number nor a word for a missing one. */
bool pith_i_is_text(const char *text);
/* Is it a name that labels have when the user gives none: Y, gnd, label, in any case? */
bool pith_i_is_label_name(const char *at, int64_t length);

#endif
