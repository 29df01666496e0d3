#include "graph/knn_screen.h"

#include "matrix/simd.h"

static float z_of(const pith_i_rows *R, int64_t i, int64_t e)
{
    return (float)(pith_i_at(&R->X, i, e) * R->factor[i] * R->scale);
}

pith_status pith_i_screen_make(pith_ctx *ctx, const pith_i_rows *R, pith_i_screen *out)
{
    pith_i_screen s = {.R = R};
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, s.norm, R->X.n));
    for (int64_t i = 0; i < R->X.n; i++)
        s.norm[i] = (float)pith_i_shrunk(R, R->square[i], R->X.indptr[i + 1] - R->X.indptr[i], false);
    *out = s;
done:
    return st;
}

void pith_i_screen_start(const pith_i_screen *s, int64_t i, float *spread)
{
    for (int64_t e = s->R->X.indptr[i]; e < s->R->X.indptr[i + 1]; e++)
        spread[s->R->X.indices[e]] = z_of(s->R, i, e);
}

void pith_i_screen_end(const pith_i_screen *s, int64_t i, float *spread)
{
    for (int64_t e = s->R->X.indptr[i]; e < s->R->X.indptr[i + 1]; e++)
        spread[s->R->X.indices[e]] = 0;
}

/* z_i'z_l in four sums, so that no addition waits for the one before. */
PITH_I_INLINE static inline float product(const pith_i_screen *s, pith_dtype dtype, const float *spread,
                                          int64_t l)
{
    const pith_i_data *X = &s->R->X;
    const double factor = s->R->factor[l] * s->R->scale;
    const int64_t end = X->indptr[l + 1];
    float sum[4] = {0};
    int64_t e = X->indptr[l];
    for (; e + 4 <= end; e += 4)
        for (int c = 0; c < 4; c++)
            sum[c] += (float)(pith_i_value(X->values, dtype, e + c) * factor) * spread[X->indices[e + c]];
    for (; e < end; e++)
        sum[0] += (float)(pith_i_value(X->values, dtype, e) * factor) * spread[X->indices[e]];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* The same for a view. */
static float product_of_view(const pith_i_screen *s, const float *spread, int64_t l)
{
    float sum = 0;
    for (int64_t e = s->R->X.indptr[l]; e < s->R->X.indptr[l + 1]; e++)
        sum += z_of(s->R, l, e) * spread[s->R->X.indices[e]];
    return sum;
}

float pith_i_screen_value(const pith_i_screen *s, const float *spread, int64_t l)
{
    const bool wide = s->R->X.dtype == PITH_F64;
    if (s->R->X.of.map != NULL)
        return s->norm[l] - 2 * product_of_view(s, spread, l);
    return s->norm[l] - 2 * (wide ? product(s, PITH_F64, spread, l) : product(s, PITH_F32, spread, l));
}
