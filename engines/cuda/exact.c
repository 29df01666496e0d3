#include "exact.h"

#include <math.h>
#include <string.h>

static const double NEAR = 0.999, PARALLEL = 1e-30, DIRECTION = 1e-290;

static double number(const void *values, pith_dtype dtype, int64_t at)
{
    return dtype == PITH_F64 ? ((const double *)values)[at] : (double)((const float *)values)[at];
}

static double fold(double lane[PITH_CUDA_LANES])
{
    for (int half = PITH_CUDA_LANES / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++)
            lane[l] += lane[l + half];
    return lane[0];
}

static double term(double u, double v, bool product)
{
    return product ? u * v : (u - v) * (u - v);
}

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) &&                 \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define CLONES
#endif

/* All columns of contiguous rows, 16 at a time: the compiler turns the lanes into vectors. */
#define WHOLE(NAME, NUMBER, TERM)                                                                            \
    CLONES static void NAME(const NUMBER *a, double fa, const NUMBER *b, double fb, int64_t p,               \
                            double *restrict lane)                                                           \
    {                                                                                                        \
        int64_t j = 0;                                                                                       \
        for (; j + PITH_CUDA_LANES <= p; j += PITH_CUDA_LANES)                                               \
            for (int l = 0; l < PITH_CUDA_LANES; l++) {                                                      \
                const double u = (double)a[j + l] * fa, v = (double)b[j + l] * fb;                           \
                lane[l] += TERM;                                                                             \
            }                                                                                                \
        for (; j < p; j++) {                                                                                 \
            const double u = (double)a[j] * fa, v = (double)b[j] * fb;                                       \
            lane[j % PITH_CUDA_LANES] += TERM;                                                               \
        }                                                                                                    \
    }
WHOLE(difference_f32, float, (u - v) * (u - v))
WHOLE(difference_f64, double, (u - v) * (u - v))
WHOLE(product_f32, float, u *v)
WHOLE(product_f64, double, u *v)

static void dense_lanes(const pith_cuda_exact *e, int64_t i, double fi, int64_t l, double fl, bool product,
                        double lane[PITH_CUDA_LANES])
{
    const pith_engine_rows *R = e->rows;
    const int64_t a = i * R->stride, b = l * R->stride;
    if (e->column == NULL && R->dtype == PITH_F32)
        (product ? product_f32 : difference_f32)((const float *)R->x + a, fi, (const float *)R->x + b, fl,
                                                 e->count, lane);
    else if (e->column == NULL)
        (product ? product_f64 : difference_f64)((const double *)R->x + a, fi, (const double *)R->x + b, fl,
                                                 e->count, lane);
    else
        for (int64_t j = 0; j < e->count; j++)
            lane[j % PITH_CUDA_LANES] += term(number(R->x, R->dtype, a + e->column[j]) * fi,
                                              number(R->x, R->dtype, b + e->column[j]) * fl, product);
}

/* The union of two rows, columns ascending. */
static void sparse_lanes(const pith_cuda_exact *e, int64_t i, double fi, int64_t l, double fl, bool product,
                         double lane[PITH_CUDA_LANES])
{
    const pith_engine_rows *R = e->rows;
    int64_t a = R->indptr[i], b = R->indptr[l];
    const int64_t a_end = R->indptr[i + 1], b_end = R->indptr[l + 1];
    while (a < a_end || b < b_end) {
        const int32_t ca = a < a_end ? R->indices[a] : INT32_MAX, cb = b < b_end ? R->indices[b] : INT32_MAX;
        const int32_t c = ca < cb ? ca : cb, place = e->place != NULL ? e->place[c] : c;
        const double u = ca == c ? number(R->values, R->dtype, a++) * fi : 0;
        const double v = cb == c ? number(R->values, R->dtype, b++) * fl : 0;
        if (place >= 0)
            lane[place % PITH_CUDA_LANES] += term(u, v, product);
    }
}

static double sum(const pith_cuda_exact *e, int64_t i, double fi, int64_t l, double fl, bool product)
{
    double lane[PITH_CUDA_LANES] = {0};
    if (e->rows->x != NULL)
        dense_lanes(e, i, fi, l, fl, product, lane);
    else
        sparse_lanes(e, i, fi, l, fl, product, lane);
    return fold(lane);
}

static double largest(const pith_cuda_exact *e, int64_t i)
{
    const pith_engine_rows *R = e->rows;
    double top = 0;
    for (int64_t j = 0; R->x != NULL && j < e->count; j++)
        top = fmax(top, fabs(number(R->x, R->dtype, i * R->stride + (e->column != NULL ? e->column[j] : j))));
    for (int64_t a = R->x == NULL ? R->indptr[i] : 0; R->x == NULL && a < R->indptr[i + 1]; a++)
        if (e->place == NULL || e->place[R->indices[a]] >= 0)
            top = fmax(top, fabs(number(R->values, R->dtype, a)));
    return top;
}

void pith_cuda_exact_row(pith_cuda_exact *e, int64_t i)
{
    const double top = largest(e, i);
    int exponent = 0;
    e->power[i] = 1;
    e->factor[i] = e->length2[i] = 0;
    if (!(top >= DIRECTION))
        return;
    (void)frexp(top, &exponent);
    e->power[i] = ldexp(1, -exponent);
    e->length2[i] = sum(e, i, e->power[i], i, e->power[i], true);
    e->factor[i] = e->power[i] / sqrt(e->length2[i]);
}

double pith_cuda_exact_distance2(const pith_cuda_exact *e, int64_t i, int64_t l)
{
    if (!e->cosine)
        return sum(e, i, 1, l, 1, false);
    const double dot = sum(e, i, e->power[i], l, e->power[l], true), both = e->length2[i] * e->length2[l];
    const double cosine = both > 0 ? copysign(sqrt(dot * dot / both), dot) : 0;
    if (cosine <= NEAR)
        return 2 - 2 * cosine;
    const double square = sum(e, i, e->factor[i], l, e->factor[l], false);
    return square < PARALLEL ? 0 : square;
}
