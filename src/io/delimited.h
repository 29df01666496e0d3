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
    bool *text;          /* scratch: the rows looked at have text and no number in the column */
    int64_t unlabelled; /* a column named like labels whose values cannot be classes; -1: none. Numbers stay a
                           feature; a column of text is also `label`, so that it is skipped */
    const char *why;    /* they cannot; NULL: no such column */
} pith_i_layout;

/* Neither labels nor batches? Row names count as a feature here: callers must check for them. */
static inline bool pith_i_layout_is_feature(const pith_i_layout *l, int64_t col)
{
    return col != l->label && col != l->batch;
}
/* The number of feature columns: all but row names, labels and batches. */
static inline int64_t pith_i_layout_features(const pith_i_layout *l)
{
    return l->cols - l->row_names - (l->label >= 0) - (l->batch >= 0);
}
/* Column `col` (from 0) of the file, for messages: "column 'b'", or "column 3" (from 1) if it has no name. */
const char *pith_i_layout_column(const pith_i_layout *l, int64_t col, char text[PITH_I_SHOWN + 16]);
pith_status pith_i_layout_find(pith_ctx *ctx, const char *path, const pith_i_bytes *bytes,
                               const pith_read_options *options, pith_i_layout *out);

/* What separates columns and how decimals are written in the text that begins at `at`, line `line` of path,
 * as far as the options leave it open. If it stays ambiguous: PITH_E_DATA, with the possible readings.
 */
pith_status pith_i_dialect_find(pith_ctx *ctx, const char *path, const char *at, const char *end,
                                int64_t line, const pith_read_options *options, pith_i_dialect *out);
/* Moves *at to the next row that is not blank, and *line along; returns its end, NULL: there is none. */
const char *pith_i_next_row(const pith_i_dialect *d, const char **at, const char *end, int64_t *line);

/* Does the field hold two or more words, all of them numbers? Then the row was split at the wrong places. */
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
/* Neither empty, nor a number, nor a word for a missing value. */
bool pith_i_is_text(const char *text);
/* Is it a default name of the label column: Y, gnd or label, in any case? */
bool pith_i_is_label_name(const char *at, int64_t length);

#endif
