/*
 * Puts entries that come in any order into the rows of CSR data whose lengths are known. In memory every
 * entry goes to its place at once. In a scratch file that would touch a page for each of them; there the rows
 * are cut into ranges of some 260,000 entries: an entry is first appended to its range, together with its row
 * number, and at the end each range is sorted in memory. Entries of a row stay in the order in which they
 * came.
 */
#ifndef PITH_MATRIX_SCATTER_H
#define PITH_MATRIX_SCATTER_H

#include "matrix/data.h"

typedef struct pith_i_scatter {
    int64_t *start; /* the data's row pointers: in memory each moves from the start of its row to the end */
    int32_t *column;
    void *value;
    pith_dtype dtype;
    int64_t range; /* entries of a range: that of row i is start[i] / range. 0: everything is in memory */
    int64_t *next; /* by range: where its next entry goes */
    int32_t *row;  /* row of each entry, before the ranges are sorted */
} pith_i_scatter;

/* X is owned, and its row pointers are complete; they are complete again after pith_i_scatter_end. Free on
 * every way out. range: 0; tests give the entries of a range, so that ranges are used in memory, too. */
pith_status pith_i_scatter_begin(pith_ctx *ctx, pith_i_data *X, int64_t range, pith_i_scatter *out);
pith_status pith_i_scatter_end(pith_ctx *ctx, pith_i_scatter *s, pith_i_data *X);
void pith_i_scatter_free(pith_i_scatter *s);

static inline void pith_i_scatter_put(pith_i_scatter *s, int64_t i, int64_t j, double v)
{
    const int64_t at = s->range == 0 ? s->start[i]++ : s->next[s->start[i] / s->range]++;
    s->column[at] = (int32_t)j;
    pith_i_set_value(s->value, s->dtype, at, v);
    if (s->range > 0)
        s->row[at] = (int32_t)i;
}

#endif
