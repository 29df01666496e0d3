/* Columns of counts, one after the other: what seurat-v3, deviance and dispersion share. */
#ifndef PITH_METHODS_COUNT_COLUMNS_H
#define PITH_METHODS_COUNT_COLUMNS_H

#include "methods/method.h"

/* Column j: its entries that are not 0, in the order of the samples. */
typedef struct pith_i_count_column {
    int64_t j, count;
    const int32_t *row;
    const double *value;
} pith_i_count_column;

/* Calls visit for every column, several at a time: it may write what belongs to its own column only. */
pith_status pith_i_count_columns(pith_ctx *ctx, const pith_i_input *in,
                                 void (*visit)(const pith_i_count_column *c, void *user), void *user);
/* The sum of every row, in the order of its columns: the same bits from dense and from sparse data. */
void pith_i_count_totals(pith_ctx *ctx, const pith_i_data *X, double *total);

#endif
