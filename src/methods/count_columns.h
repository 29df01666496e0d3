/* Passes over columns of counts, shared by seurat-v3, deviance and dispersion. */
#ifndef PITH_METHODS_COUNT_COLUMNS_H
#define PITH_METHODS_COUNT_COLUMNS_H

#include "methods/method.h"

/* Column j: its entries that are not 0, in the order of the samples. */
typedef struct pith_i_count_column {
    int64_t j, count;
    const int32_t *row;
    const double *value;
} pith_i_count_column;

/* A pass over the columns: visit sums the entries of column c into sum[c->j]. It is called from several
 * threads, for different columns. */
typedef struct pith_i_count_pass {
    void (*visit)(const pith_i_count_column *c, void *user);
    double *sum; /* p: over the samples held here, afterwards over those of all processes */
} pith_i_count_pass;

/* Runs the passes in order; each may use the sums of those before. A column is loaded once for all of them
 * where one process has all samples. */
pith_status pith_i_count_columns(pith_ctx *ctx, const pith_i_input *in, int64_t passes,
                                 const pith_i_count_pass *pass, void *user);
/* The sum of every row, in the order of its columns: the same bits from dense and from sparse data. */
void pith_i_count_totals(pith_ctx *ctx, const pith_i_data *X, double *total);

#endif
