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

/* What is made of every column: visit adds the column's entries up to sum[j] of its own column. Several
 * columns are visited at a time. */
typedef struct pith_i_count_pass {
    void (*visit)(const pith_i_count_column *c, void *user);
    double *sum; /* p: over the samples held here, afterwards over those of all processes */
} pith_i_count_pass;

/* The passes one after the other; each may use the sums of the last. A column is loaded once for all of them
 * where one process has all samples. */
pith_status pith_i_count_columns(pith_ctx *ctx, const pith_i_input *in, int64_t passes,
                                 const pith_i_count_pass *pass, void *user);
/* The sum of every row, in the order of its columns: the same bits from dense and from sparse data. */
void pith_i_count_totals(pith_ctx *ctx, const pith_i_data *X, double *total);

#endif
