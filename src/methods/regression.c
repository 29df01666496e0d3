#include "methods/regression.h"

static bool is_centred(int view)
{
    return view == VIEW_CENTER || view == VIEW_ZSCORE || view == VIEW_TFIDF_CENTER ||
           view == VIEW_CENTER_UNIT || view == VIEW_TFIDF_UNIT;
}

pith_status pith_i_input_design(pith_ctx *ctx, const pith_i_input *in, pith_i_design *out)
{
    pith_i_column_stats stats;
    pith_status st = PITH_OK;
    *out = (pith_i_design){.X = in->X, .T = in->T, .shift = in->shift, .left_out = in->constant};
    if (!is_centred(in->options->standardize)) {
        TRY(pith_i_column_statistics(ctx, in->X, in->T, &stats));
        out->shift = stats.mean;
    }
done:
    return st;
}

pith_status pith_i_penalty_bound(pith_ctx *ctx, const pith_i_design *X, double *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    double *norm = NULL, largest = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, norm, X->X->p));
    TRY(pith_i_design_norms(ctx, X, norm));
    for (int64_t j = 0; j < X->X->p; j++)
        largest = fmax(largest, norm[j]);
    if (!(largest > 0) || !isfinite(largest))
        FAIL(ctx, PITH_E_DATA, "no feature varies in a way that can be measured under this --standardize");
    *out = 2 * largest;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
