#include "methods/count_columns.h"

struct dispersion {
    pith_i_shared shared;
    int64_t bins;
};

static const pith_i_param dispersion_table[] = {
    PARAM(struct dispersion, bins, 20, 1, 10000, "number of bins, of equal width in ln(1 + mean)"),
};

typedef struct setting {
    double n;            /* samples of all processes */
    const double *total; /* of those held here */
    double *sum, *squares;
} setting;

/* Of counts per 10,000: x_i 10^4 / n_i. */
static void find_sum(const pith_i_count_column *c, void *user)
{
    const setting *s = user;
    double sum = 0;
    for (int64_t e = 0; e < c->count; e++)
        sum += c->value[e] * 1e4 / s->total[c->row[e]];
    s->sum[c->j] = sum;
}

static void find_squares(const pith_i_count_column *c, void *user)
{
    const setting *s = user;
    const double mean = s->sum[c->j] / s->n;
    double squares = 0;
    for (int64_t e = 0; e < c->count; e++) {
        const double dev = c->value[e] * 1e4 / s->total[c->row[e]] - mean;
        squares += dev * dev;
    }
    s->squares[c->j] = squares;
}

/* mean_of: ln(1 + mean); score: ln(variance / mean), NaN: none. */
static void find_dispersion(const pith_i_input *in, const setting *s, double *mean_of, double *score)
{
    for (int64_t j = 0; j < in->p; j++) {
        const double mean = s->sum[j] / s->n, zeros = s->n - (double)in->cache->stats.nonzeros[j];
        const double variance = (s->squares[j] + zeros * mean * mean) / (s->n - 1);
        mean_of[j] = log1p(mean);
        /* A share that is the same in every sample varies by rounding only. */
        score[j] =
            variance > 1e-24 * mean * mean ? log(variance / mean) : pith_i_unscored(in, j, PITH_I_ROUNDING);
    }
}

/* Bins are closed on the right; the lowest value is in the first. */
static int64_t bin_of(double x, double lo, double hi, int64_t bins)
{
    const double step = (hi - lo) / (double)bins;
    int64_t bin = step > 0 ? (int64_t)ceil((x - lo) / step) - 1 : 0;
    bin = bin < 0 ? 0 : bin < bins ? bin : bins - 1;
    while (bin > 0 && x <= lo + (double)bin * step) /* rounding of the quotient */
        bin--;
    while (bin < bins - 1 && x > lo + (double)(bin + 1) * step)
        bin++;
    return bin;
}

/* score := (score - mean of its bin) / sd of its bin (n - 1); 1 if alone in its bin; 0 if all scores in the
 * bin are equal. Features without a score are left out. */
static pith_status compare_in_bins(pith_ctx *ctx, int64_t p, int64_t bins, const double *mean, double *score)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    double lo = INFINITY, hi = -INFINITY, *size = NULL, *centre = NULL, *spread = NULL;
    int64_t *bin = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, bin, p));
    TRY(SCRATCH_ZERO(ctx, size, bins));
    TRY(SCRATCH_ZERO(ctx, centre, bins));
    TRY(SCRATCH_ZERO(ctx, spread, bins));
    for (int64_t j = 0; j < p; j++)
        if (!isnan(score[j])) {
            lo = fmin(lo, mean[j]);
            hi = fmax(hi, mean[j]);
        }
    for (int64_t j = 0; j < p; j++)
        if (!isnan(score[j])) {
            bin[j] = bin_of(mean[j], lo, hi, bins);
            size[bin[j]]++;
            centre[bin[j]] += score[j];
        }
    for (int64_t j = 0; j < p; j++)
        if (!isnan(score[j])) {
            const double dev = score[j] - centre[bin[j]] / size[bin[j]];
            spread[bin[j]] += dev * dev;
        }
    for (int64_t j = 0; j < p; j++)
        if (!isnan(score[j])) {
            const int64_t b = bin[j];
            const double sd = sqrt(spread[b] / (size[b] - 1)), dev = score[j] - centre[b] / size[b];
            score[j] = size[b] < 2 ? 1 : sd > 0 ? dev / sd : 0;
        }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status dispersion_score(pith_ctx *ctx, const pith_i_input *in, const void *params, double *score)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const struct dispersion *o = params;
    double *total = NULL, *mean = NULL;
    setting s = {.n = (double)in->all};
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, total, in->n));
    TRY(SCRATCH(ctx, mean, in->p));
    TRY(SCRATCH(ctx, s.sum, in->p));
    TRY(SCRATCH(ctx, s.squares, in->p));
    pith_i_count_totals(ctx, in->X, total);
    s.total = total;
    TRY(pith_i_count_columns(ctx, in, 2, (pith_i_count_pass[]){{find_sum, s.sum}, {find_squares, s.squares}},
                             &s));
    find_dispersion(in, &s, mean, score);
    for (int64_t j = 0; j < in->p; j++)
        if (in->constant[j])
            score[j] = (double)NAN;
    TRY(compare_in_bins(ctx, in->p, o->bins, mean, score));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

const pith_method pith_i_method_dispersion = {
    .name = "dispersion",
    .family = "counts, one feature at a time",
    .reference = "Satija, Farrell, Gennert, Schier & Regev, Spatial reconstruction of single-cell gene "
                 "expression data, Nature Biotechnology 2015",
    .title = "Finds highly variable genes: ranks features by their dispersion (variance over mean of counts "
             "per 10,000), relative to features with a similar mean.",
    .notes = "For raw counts. Scores equal those of scanpy's highly_variable_genes(flavor='seurat') on log1p "
             "of counts per 10,000.",
    .better = HIGHER,
    .counts_only = true,
    .wants = WANTS_COUNTS,
    .spreads = true,
    .dense_view = VIEW_NONE,
    .counts_view = VIEW_NONE,
    .table = dispersion_table,
    .n_table = COUNT(dispersion_table),
    .params_size = sizeof(struct dispersion),
    .score = dispersion_score,
};
