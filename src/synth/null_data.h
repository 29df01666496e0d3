/* A null control: data whose columns are like those of a given table, but share no structure. */
#ifndef PITH_SYNTH_NULL_DATA_H
#define PITH_SYNTH_NULL_DATA_H

#include "matrix/data.h"

/* Every column in a random order of its own. Sparse data stays sparse. */
pith_status pith_i_null_shuffle(pith_ctx *ctx, const pith_i_data *X, pith_i_data *out);

/* Poisson counts with the means L_i c_j / total, L the sums of rows and c of columns: samples of these
 * lengths that have no topic. X has no negative value. Stored as X is. O(n p). */
pith_status pith_i_null_counts(pith_ctx *ctx, const pith_i_data *X, pith_i_data *out);

/* The one that suits: Poisson counts for raw counts (*counts is then true), else shuffled columns. */
pith_status pith_i_null_data(pith_ctx *ctx, const pith_i_data *X, pith_i_data *out, bool *counts);

#endif
