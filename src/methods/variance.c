#include "methods/method.h"

struct variance {
    pith_i_shared shared;
};

static const pith_i_param variance_table[] = {
    STANDARDIZE_PARAM(struct variance),
};

/* score(f) = 1/n sum_i (f_i - mean)^2. O(stored). */
static pith_status variance_score(pith_ctx *ctx, const pith_i_input *in, const void *params, double *score)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_column_stats stats;
    pith_status st = PITH_OK;
    (void)params;
    TRY(pith_i_column_statistics(ctx, in->X, NULL, &stats)); /* the variance does not depend on the shift */
    for (int64_t j = 0; j < in->p; j++)
        score[j] = stats.variance[j];
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

const pith_method pith_i_method_variance = {
    .name = "variance",
    .family = "one feature at a time",
    .reference = "the oldest filter; no paper of its own",
    .title = "Ranks features by their variance across the samples.",
    .notes = "The rank depends on the unit a feature is measured in. On standardized data all features tie.",
    .by_rows = true,
    .better = HIGHER,
    .spreads = true,
    .dense_view = VIEW_NONE,
    .counts_view = VIEW_NONE,
    .wants = WANTS_LOGS,
    .table = variance_table,
    .n_table = COUNT(variance_table),
    .params_size = sizeof(struct variance),
    .score = variance_score,
};
