/* How a delimited file is laid out: its dialect, header, row names and label column. */
#ifndef PITH_IO_DELIMITED_H
#define PITH_IO_DELIMITED_H

#include "io/fields.h"

typedef struct pith_i_layout {
    pith_i_dialect dialect;
    const char *first;  /* the first row of data */
    int64_t first_line; /* its line, counted from 1 */
    int64_t cols;       /* fields of a row, row names and labels included */
    bool header, row_names;
    int64_t label;       /* column of the labels, -1: none */
    pith_i_field *names; /* scratch: the header's cell over every column; NULL: no header */
    bool *text;          /* scratch: no number was seen in the column, but text, in the rows looked at */
} pith_i_layout;

/* Columns of numbers: what is left beside row names and labels. */
static inline int64_t pith_i_layout_features(const pith_i_layout *l)
{
    return l->cols - l->row_names - (l->label >= 0);
}
/* "column 'b'" or "column 3", which is column `col` (from 0) of the file, for messages. */
const char *pith_i_layout_column(const pith_i_layout *l, int64_t col, char text[PITH_I_SHOWN + 16]);
pith_status pith_i_layout_find(pith_ctx *ctx, const char *path, const pith_i_bytes *bytes,
                               const pith_read_options *options, pith_i_layout *out);

/* Neither empty nor a number nor a word for a missing one. */
bool pith_i_is_text(const char *text);
/* Is it a name that labels have when the user gives none: Y, gnd, label, in any case? */
bool pith_i_is_label_name(const char *at, int64_t length);

#endif
