#include "core/engine.h"
#include "methods/count_columns.h"

struct deviance {
    pith_i_shared shared;
};

typedef struct setting {
    const double *total; /* of every sample held here */
    double all;          /* the sum of all totals */
    double *sum, *stored;
} setting;

/*
 * Binomial deviance of a feature from a constant share of every sample's total (Townes et al., 2019):
 *
 *     2 sum_i [ x_i ln(x_i / (n_i q)) + (n_i - x_i) ln((n_i - x_i) / (n_i (1 - q))) ],   q = sum x / sum n
 *
 * Samples without the feature add -2 n_i ln(1 - q) each. They are not visited: only the sum of n_i - x_i over
 * all samples is needed.
 */
static void find_sum(const pith_i_count_column *c, void *user)
{
    const setting *s = user;
    double sum = 0;
    for (int64_t e = 0; e < c->count; e++)
        sum += c->value[e];
    s->sum[c->j] = sum;
}

static void find_stored(const pith_i_count_column *c, void *user)
{
    const setting *s = user;
    const double q = s->sum[c->j] / s->all;
    double stored = 0;
    for (int64_t e = 0; e < c->count; e++) {
        const double x = c->value[e], n = s->total[c->row[e]];
        stored += x * log(x / (n * q)) + (n > x ? (n - x) * log1p(-x / n) : 0);
    }
    s->stored[c->j] = stored;
}

static pith_status deviance_score(pith_ctx *ctx, const pith_i_input *in, const void *params, double *score)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    double *total = NULL;
    setting s = {0};
    pith_status st = PITH_OK;
    (void)params;
    TRY(SCRATCH(ctx, total, in->n));
    TRY(SCRATCH(ctx, s.sum, in->p));
    TRY(SCRATCH(ctx, s.stored, in->p));
    pith_i_count_totals(ctx, in->X, total);
    for (int64_t i = 0; i < in->n; i++)
        s.all += total[i];
    TRY(pith_i_sum(ctx, 1, &s.all));
    s.total = total;
    TRY(pith_i_count_columns(ctx, in, 2, (pith_i_count_pass[]){{find_sum, s.sum}, {find_stored, s.stored}},
                             &s));
    for (int64_t j = 0; j < in->p; j++) {
        const double q = s.sum[j] / s.all;
        score[j] = q < 1 ? 2 * (s.stored[j] - (s.all - s.sum[j]) * log1p(-q))
                         : pith_i_unscored(in, j, PITH_I_ROUNDING);
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

const pith_method pith_i_method_deviance = {
    .name = "deviance",
    .family = "counts, one feature at a time",
    .reference = "Townes, Hicks, Aryee & Irizarry, Feature selection and dimension reduction for single-cell "
                 "RNA-Seq based on a multinomial model, Genome Biology 2019",
    .title = "Ranks features by their binomial deviance from a model in which they make up the same share of "
             "every sample's total count.",
    .notes = "For raw counts. Frequent features have more room to deviate, so they tend to rank first.",
    .better = HIGHER,
    .counts_only = true,
    .wants = WANTS_COUNTS,
    .spreads = true,
    .dense_view = VIEW_NONE,
    .counts_view = VIEW_NONE,
    .params_size = sizeof(struct deviance),
    .score = deviance_score,
};
