/*
 * One step of a preparation: it changes the values of a table, or chooses which samples or features to keep.
 * Everything about a step is in its descriptor, beside its code; the command line, the help, the man page and
 * the docs are generated from it.
 */
#ifndef PITH_PREP_STEP_H
#define PITH_PREP_STEP_H

#include "matrix/data.h"
#include "matrix/stats.h"

enum { PITH_I_STEP_PARAMS = 7 }; /* at most */

/* What is kept: numbers of rows or columns, ascending. */
typedef struct pith_i_kept {
    bool rows; /* else columns */
    int64_t count;
    int64_t *index; /* scratch of the caller */
} pith_i_kept;

typedef struct pith_i_step {
    const char *name, *title;
    pith_param params[PITH_I_STEP_PARAMS]; /* ends at the first without a name */
    /* A step has either change or choose. Values are in range, in the order of params. */
    /* change works in place. X is finite and owned: dense row-major without gaps, or CSR. A step that cannot
     * keep data sparse calls pith_i_make_dense. */
    bool spreads; /* works if each process has only a part of the rows */
    pith_status (*change)(pith_ctx *ctx, pith_i_data *X, const double *values);
    pith_status (*choose)(pith_ctx *ctx, const pith_i_data *X, const double *values, pith_i_kept *kept);
} pith_i_step;

extern const pith_i_step pith_i_step_tfidf, pith_i_step_binormalize, pith_i_step_l1, pith_i_step_l2,
    pith_i_step_max, pith_i_step_counts_per_10k, pith_i_step_size_factors, pith_i_step_log1p,
    pith_i_step_log10, pith_i_step_binary, pith_i_step_center, pith_i_step_zscore, pith_i_step_minmax,
    pith_i_step_double_center, pith_i_step_quantile, pith_i_step_drop_constant, pith_i_step_drop_duplicates,
    pith_i_step_min_df, pith_i_step_max_df, pith_i_step_top_variance;

/* Limits on the document frequency, in samples, from the user's value: a share of n, or a number. */
static inline double pith_i_min_df(double asked, int64_t n)
{
    return asked < 1 ? asked * (double)n : asked;
}
static inline double pith_i_max_df(double asked, int64_t n)
{
    return asked <= 1 ? asked * (double)n : asked;
}

/* The columns that are nonzero in at least `least` and at most `most` samples. */
pith_status pith_i_by_frequency(pith_ctx *ctx, const pith_i_data *X, double least, double most,
                                pith_i_kept *kept);

/* ---- For steps that change values ------------------------------------------------------------------- */

/* Makes sparse data dense, in place, with a note on the memory this takes; dense data is unchanged. */
pith_status pith_i_make_dense(pith_ctx *ctx, const char *step, pith_i_data *X);
/* PITH_E_DATA if a value is negative; the message names the step and the first such value. */
pith_status pith_i_refuse_negative(pith_ctx *ctx, const char *step, const pith_i_data *X);

/* The stored values of row i are numbers from .. to-1 of the array pith_i_cells. */
static inline int64_t pith_i_cells_from(const pith_i_data *X, int64_t i)
{
    return X->sparse ? X->indptr[i] : i * X->p;
}
static inline int64_t pith_i_cells_to(const pith_i_data *X, int64_t i)
{
    return X->sparse ? X->indptr[i + 1] : (i + 1) * X->p;
}
static inline int64_t pith_i_cell_column(const pith_i_data *X, int64_t i, int64_t e)
{
    return X->sparse ? X->indices[e] : e - i * X->p;
}
static inline void *pith_i_cells(pith_i_data *X)
{
    return X->sparse ? pith_i_data_values(X) : pith_i_data_x(X);
}

/* The new value for the stored value v of row i and column j. */
typedef double pith_i_cell_fn(const void *self, int64_t i, int64_t j, double v);

/* Applies f to every stored value. Inline, so that f is inlined into the loop. */
static inline void pith_i_each_cell(pith_ctx *ctx, pith_i_data *X, pith_i_cell_fn *f, const void *self)
{
    void *cells = pith_i_cells(X);
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(static)
    for (int64_t i = 0; i < X->n; i++)
        for (int64_t e = pith_i_cells_from(X, i); e < pith_i_cells_to(X, i); e++)
            pith_i_set_value(cells, X->dtype, e,
                             f(self, i, pith_i_cell_column(X, i, e), pith_i_value(cells, X->dtype, e)));
}

#endif
