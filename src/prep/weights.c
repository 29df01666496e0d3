/* Weights for counts: by the rarity of a feature, or by row and column totals. Sparse data stays sparse. */
#include "prep/step.h"

#include <math.h>

/* ---- tf-idf ------------------------------------------------------------------------------------------- */

enum { IDF_PLAIN, IDF_SMOOTH, IDF_SHIFTED };
enum { TF_RAW, TF_LOG };
static const char *const idf_words[] = {"plain", "smooth", "shifted", NULL}, *const tf_words[] = {
                                                                                 "raw", "log", NULL};

/* A feature that is 0 everywhere stays 0, whatever its weight. */
static double idf_of(int kind, int64_t n, int64_t df)
{
    if (df == 0)
        return 0;
    switch (kind) {
    case IDF_SMOOTH: return log(((double)n + 1) / ((double)df + 1)) + 1;
    case IDF_SHIFTED: return log((double)n / (double)df) + 1;
    default: return log((double)n / (double)df);
    }
}

typedef struct weights {
    const double *idf;
    int tf;
} weights;

static double tfidf_cell(const void *self, int64_t i, int64_t j, double v)
{
    const weights *w = self;
    (void)i;
    return (w->tf == TF_LOG && v > 0 ? 1 + log(v) : v) * w->idf[j];
}

static pith_status tfidf(pith_ctx *ctx, pith_i_data *X, const double *values)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_column_stats s;
    double *idf = NULL;
    pith_status st = PITH_OK;
    TRY(pith_i_refuse_negative(ctx, "tfidf", X));
    TRY(pith_i_column_statistics(ctx, X, NULL, &s));
    TRY(SCRATCH(ctx, idf, X->p));
    for (int64_t j = 0; j < X->p; j++)
        idf[j] = idf_of((int)values[0], X->n, s.nonzeros[j]);
    pith_i_each_cell(ctx, X, tfidf_cell, &(weights){idf, (int)values[1]});
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

const pith_i_step pith_i_step_tfidf = {
    .name = "tfidf",
    .title = "tf-idf: weights counts by how rare their feature is; follow it with l2 for rows of unit norm",
    .params = {{.name = "idf",
                .help = "plain: ln(n / df); smooth: ln((n + 1) / (df + 1)) + 1; shifted: ln(n / df) + 1",
                .type = PITH_CHOICE,
                .def = IDF_PLAIN,
                .choices = idf_words},
               {.name = "tf",
                .help = "raw: the count; log: 1 + ln of the count",
                .type = PITH_CHOICE,
                .def = TF_RAW,
                .choices = tf_words}},
    .change = tfidf,
};

/* ---- D1^-1/2 X D2^-1/2 (Dhillon, KDD 2001) ------------------------------------------------------------ */

typedef struct roots {
    const double *row, *column; /* square roots of row and column sums */
} roots;

static double binormalize_cell(const void *self, int64_t i, int64_t j, double v)
{
    const roots *r = self;
    return v > 0 ? v / r->row[i] / r->column[j] : 0;
}

static pith_status binormalize(pith_ctx *ctx, pith_i_data *X, const double *values)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    double *row = NULL, *column = NULL;
    const void *cells = pith_i_cells(X);
    pith_status st = PITH_OK;
    (void)values;
    TRY(pith_i_refuse_negative(ctx, "binormalize", X));
    TRY(SCRATCH_ZERO(ctx, row, X->n));
    TRY(SCRATCH_ZERO(ctx, column, X->p));
    for (int64_t i = 0; i < X->n; i++)
        for (int64_t e = pith_i_cells_from(X, i); e < pith_i_cells_to(X, i); e++) {
            const double v = pith_i_value(cells, X->dtype, e);
            row[i] += v;
            column[pith_i_cell_column(X, i, e)] += v;
        }
    for (int64_t i = 0; i < X->n; i++)
        row[i] = sqrt(row[i]);
    for (int64_t j = 0; j < X->p; j++)
        column[j] = sqrt(column[j]);
    pith_i_each_cell(ctx, X, binormalize_cell, &(roots){row, column});
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

const pith_i_step pith_i_step_binormalize = {
    .name = "binormalize",
    .title = "divides every count by the square roots of its sample's and its feature's totals",
    .change = binormalize,
};
