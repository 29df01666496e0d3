#include "methods/count_columns.h"
#include "methods/seurat_v3/loess.h"

struct seurat_v3 {
    pith_i_shared shared;
    double span;
};

static const pith_i_param seurat_v3_table[] = {
    PARAM(struct seurat_v3, span, 0.3, 0.01, 1,
          "span of the loess fit: share of the features used in each local fit"),
};

typedef struct setting {
    double n;    /* samples of all processes */
    double held; /* those held here */
    double *sum, *squares;
    double *mean, *variance;
    double *sd;    /* what the fit expects at that mean */
    double *score; /* before the last step, sums */
} setting;

static void find_sum(const pith_i_count_column *c, void *user)
{
    const setting *s = user;
    double sum = 0;
    for (int64_t e = 0; e < c->count; e++)
        sum += c->value[e];
    s->sum[c->j] = sum;
}

static void find_squares(const pith_i_count_column *c, void *user)
{
    const setting *s = user;
    const double mean = s->sum[c->j] / s->n;
    double squares = 0;
    for (int64_t e = 0; e < c->count; e++)
        squares += (c->value[e] - mean) * (c->value[e] - mean);
    s->squares[c->j] = squares;
}

/* The mean must be sum / n exactly: features of equal sums must tie, since the knots of the loess depend on
 * ties. */
static pith_status find_moments(pith_ctx *ctx, const pith_i_input *in, setting *s)
{
    pith_status st = PITH_OK;
    TRY(pith_i_count_columns(ctx, in, 2,
                             (pith_i_count_pass[]){{find_sum, s->sum}, {find_squares, s->squares}}, s));
    for (int64_t j = 0; j < in->p; j++) {
        const double mean = s->sum[j] / s->n, zeros = s->n - (double)in->cache->stats.nonzeros[j];
        s->mean[j] = mean;
        s->variance[j] = (s->squares[j] + zeros * mean * mean) / (s->n - 1);
    }
done:
    return st;
}

/* sum_i (min(x_i, mean + sd sqrt(n)) - mean)^2 */
static void find_clipped(const pith_i_count_column *c, void *user)
{
    const setting *s = user;
    const double mean = s->mean[c->j], sd = s->sd[c->j], limit = mean + sd * sqrt(s->n);
    double sum = (s->held - (double)c->count) * mean * mean;
    for (int64_t e = 0; e < c->count; e++) {
        const double dev = fmin(c->value[e], limit) - mean;
        sum += dev * dev;
    }
    s->score[c->j] = sum;
}

/* The standard deviation expected of every feature, by the loess of log10 variance on log10 mean. Constant
 * features are left out. */
static pith_status expected(pith_ctx *ctx, const pith_i_input *in, double span, const setting *s)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    double *x = NULL, *y = NULL, *fit = NULL;
    int64_t count = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, x, in->p));
    TRY(SCRATCH(ctx, y, in->p));
    TRY(SCRATCH(ctx, fit, in->p));
    for (int64_t j = 0; j < in->p; j++)
        if (!in->constant[j]) {
            x[count] = log10(s->mean[j]);
            y[count++] = log10(s->variance[j]);
        }
    TRY(pith_i_loess(ctx, count, x, y, span, fit));
    for (int64_t j = 0, t = 0; j < in->p; j++)
        s->sd[j] = in->constant[j] ? 1 : sqrt(pow(10, fit[t++]));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status seurat_v3_score(pith_ctx *ctx, const pith_i_input *in, const void *params, double *score)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const struct seurat_v3 *o = params;
    setting s = {.n = (double)in->all, .held = (double)in->n, .score = score};
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, s.sum, in->p));
    TRY(SCRATCH(ctx, s.squares, in->p));
    TRY(SCRATCH(ctx, s.mean, in->p));
    TRY(SCRATCH(ctx, s.variance, in->p));
    TRY(SCRATCH(ctx, s.sd, in->p));
    TRY(find_moments(ctx, in, &s));
    TRY(expected(ctx, in, o->span, &s));
    TRY(pith_i_count_columns(ctx, in, 1, &(pith_i_count_pass){find_clipped, score}, &s));
    for (int64_t j = 0; j < in->p; j++)
        score[j] /= (s.n - 1) * s.sd[j] * s.sd[j];
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

const pith_method pith_i_method_seurat_v3 = {
    .name = "seurat-v3",
    .family = "counts, one feature at a time",
    .reference = "Stuart et al., Comprehensive integration of single-cell data, Cell 2019",
    .title = "Finds highly variable genes: ranks features by their variance relative to the variance "
             "expected at their mean.",
    .notes = "For raw counts. Scores equal those of scanpy's highly_variable_genes(flavor='seurat_v3').",
    .better = HIGHER,
    .counts_only = true,
    .wants = WANTS_COUNTS,
    .spreads = true,
    .dense_view = VIEW_NONE,
    .counts_view = VIEW_NONE,
    .table = seurat_v3_table,
    .n_table = COUNT(seurat_v3_table),
    .params_size = sizeof(struct seurat_v3),
    .score = seurat_v3_score,
};
