/* Checks arguments for synthetic data, which the files of synth/ make. */
#include "synth/synth.h"
#include "core/engine.h"
#include "core/options.h"

#include "synth/null_data.h"

static pith_status finish(pith_status st, pith_matrix *m, pith_matrix **out)
{
    if (st == PITH_OK)
        *out = m;
    else
        pith_matrix_free(m);
    return st;
}

pith_status pith_synth_nrfs(pith_ctx *ctx, double half_width, pith_matrix **out)
{
    pith_matrix *m = NULL;
    if (!(half_width > 0 && half_width <= 1e100))
        return pith_i_error(ctx, PITH_E_ARGUMENT, "half-width must be positive, not %g", half_width);
    const pith_status st = pith_i_matrix_new(ctx, &m);
    return st != PITH_OK ? st : finish(pith_i_synth_nrfs(ctx, half_width, m), m, out);
}

static pith_status check_blobs(pith_ctx *ctx, const pith_blobs *b)
{
    if (b->n < 2)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "blobs need at least 2 samples, not %lld", (long long)b->n);
    if (b->p < 1 || b->p > INT32_MAX)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "blobs need 1..%d features, not %lld", INT32_MAX,
                            (long long)b->p);
    if (b->clusters < 2 || b->clusters > b->n)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "%lld samples can have 2..%lld clusters, not %lld",
                            (long long)b->n, (long long)b->n, (long long)b->clusters);
    if (!(b->informative >= 0 && b->informative <= 1))
        return pith_i_error(ctx, PITH_E_ARGUMENT, "the informative share must lie in 0..1, not %g",
                            b->informative);
    if (!(b->separation >= 0 && b->separation <= 1e100))
        return pith_i_error(ctx, PITH_E_ARGUMENT, "the separation must not be negative: %g", b->separation);
    if (!(b->density > 0 && b->density <= 1))
        return pith_i_error(ctx, PITH_E_ARGUMENT, "the density must be above 0 and at most 1, not %g",
                            b->density);
    return PITH_OK;
}

pith_status pith_synth_blobs(pith_ctx *ctx, const pith_blobs *blobs, pith_matrix **out)
{
    pith_matrix *m = NULL;
    pith_blobs b;
    pith_status st = TAKE_OPTIONS(ctx, pith_blobs, blobs, &b);
    if (st == PITH_OK)
        st = check_blobs(ctx, &b);
    if (st == PITH_OK)
        st = pith_i_matrix_new(ctx, &m);
    return st != PITH_OK ? st : finish(pith_i_synth_blobs(ctx, &b, m), m, out);
}

pith_status pith_synth_null(pith_ctx *ctx, const pith_matrix *m, pith_matrix **out)
{
    pith_matrix *made = NULL;
    bool counts = false;
    pith_status st = PITH_OK;
    if (ctx == NULL || m == NULL || out == NULL)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "no context, matrix or place for the result was given");
    TRY(pith_i_one_process(ctx, "a control"));
    pith_i_progress_begin(ctx);
    TRY(pith_i_progress_stage(ctx, "making data", 0, 1));
    if (!m->known_finite)
        TRY(pith_i_data_check_finite(ctx, &m->data));
    TRY(pith_i_matrix_new(ctx, &made));
    TRY(pith_i_null_data(ctx, &m->data, &made->data, &counts));
    made->known_finite = true;
    TRY(pith_i_names_take(ctx, &m->features, m->data.p, NULL, &made->features));
    *out = made;
    made = NULL;
done:
    pith_matrix_free(made);
    return st;
}
