/* Rows as a metric sees them, and the distance between two of them. */
#include "graph/knn_rows.h"

#include "core/engine.h"
#include "core/parallel.h"
#include "matrix/simd.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { LANES = 16, STRIP = 256 };
static const double NEAR = 0.999;     /* larger cosines lose digits in 2 - 2 cos */
static const double PARALLEL = 1e-30; /* smaller squared distances are rounding of u: the rows are parallel */

/* ---- Sums in lanes --------------------------------------------------------------------------------- */

static double fold(double lane[LANES])
{
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++)
            lane[l] += lane[l + half];
    return lane[0];
}

/* v = factor times the 8 values from x_at on */
PITH_I_INLINE static inline void load(const void *x, pith_dtype dtype, int64_t at, double factor,
                                      pith_i_double8 *v)
{
    if (dtype == PITH_F64)
        *v = *(const pith_i_double8 *)((const double *)x + at) * factor;
    else
        *v =
            __builtin_convertvector(*(const pith_i_float8 *)((const float *)x + at), pith_i_double8) * factor;
}

/* lane += (fa a_j - fb b_j)^2, or fa a_j fb b_j, lane by lane. All strips but the last have a multiple of
 * LANES columns. */
PITH_I_INLINE static inline void dense_lanes(const void *a, double fa, const void *b, double fb, int64_t p,
                                             pith_dtype dtype, bool product, double lane[LANES])
{
    pith_i_double8 s0, s1, a0, a1, b0, b1;
    int64_t j = 0;
    memcpy(&s0, lane, sizeof s0);
    memcpy(&s1, lane + 8, sizeof s1);
    for (; j + LANES <= p; j += LANES) {
        load(a, dtype, j, fa, &a0);
        load(a, dtype, j + 8, fa, &a1);
        load(b, dtype, j, fb, &b0);
        load(b, dtype, j + 8, fb, &b1);
        s0 += product ? a0 * b0 : (a0 - b0) * (a0 - b0);
        s1 += product ? a1 * b1 : (a1 - b1) * (a1 - b1);
    }
    memcpy(lane, &s0, sizeof s0);
    memcpy(lane + 8, &s1, sizeof s1);
    for (; j < p; j++) {
        const double u = pith_i_value(a, dtype, j) * fa, v = pith_i_value(b, dtype, j) * fb;
        lane[j % LANES] += product ? u * v : (u - v) * (u - v);
    }
}

PITH_I_CLONES static void difference_f64(const void *a, double fa, const void *b, double fb, int64_t p,
                                         double lane[LANES])
{
    dense_lanes(a, fa, b, fb, p, PITH_F64, false, lane);
}

PITH_I_CLONES static void difference_f32(const void *a, double fa, const void *b, double fb, int64_t p,
                                         double lane[LANES])
{
    dense_lanes(a, fa, b, fb, p, PITH_F32, false, lane);
}

PITH_I_CLONES static void product_f64(const void *a, double fa, const void *b, double fb, int64_t p,
                                      double lane[LANES])
{
    dense_lanes(a, fa, b, fb, p, PITH_F64, true, lane);
}

PITH_I_CLONES static void product_f32(const void *a, double fa, const void *b, double fb, int64_t p,
                                      double lane[LANES])
{
    dense_lanes(a, fa, b, fb, p, PITH_F32, true, lane);
}

/* The same over the union of two sparse rows, columns ascending: zeros add nothing to a lane. */
static void sparse_lanes(const pith_i_data *X, int64_t i, double fi, int64_t l, double fl, bool product,
                         double lane[LANES])
{
    int64_t a = X->indptr[i], b = X->indptr[l];
    const int64_t a_end = X->indptr[i + 1], b_end = X->indptr[l + 1];
    while (a < a_end || b < b_end) {
        const int32_t ca = a < a_end ? X->indices[a] : INT32_MAX, cb = b < b_end ? X->indices[b] : INT32_MAX;
        const int32_t c = ca < cb ? ca : cb;
        const double u = ca == c ? pith_i_at(X, i, a++) * fi : 0;
        const double v = cb == c ? pith_i_at(X, l, b++) * fl : 0;
        lane[c % LANES] += product ? u * v : (u - v) * (u - v);
    }
}

/* ---- The distance of two rows ------------------------------------------------------------------------- */

/* Columns col.. of row i of dense data, as X's dtype: where they are, or at most STRIP of a view in room. */
static const void *dense_strip(const pith_i_data *X, int64_t i, int64_t col, int64_t cols, double room[STRIP])
{
    if (X->of.map == NULL)
        return (const char *)X->x + (size_t)(i * X->row_stride + col) * pith_i_dtype_size(X->dtype);
    pith_i_block(X, i, 1, col, cols, room, STRIP);
    return room;
}

/* Columns handled at a time: those of a view are computed in strips. */
static int64_t strip_of(const pith_i_data *X)
{
    return X->of.map == NULL && X->p > 0 ? X->p : STRIP;
}

static double difference(const pith_i_rows *R, int64_t i, int64_t l)
{
    const pith_i_data *X = &R->X;
    const double fi = R->factor[i], fl = R->factor[l];
    double lane[LANES] = {0}, one[STRIP], two[STRIP];
    if (X->sparse)
        sparse_lanes(X, i, fi, l, fl, false, lane);
    for (int64_t col = 0, strip = strip_of(X); !X->sparse && col < X->p; col += strip) {
        const int64_t cols = X->p - col < strip ? X->p - col : strip;
        const void *a = dense_strip(X, i, col, cols, one), *b = dense_strip(X, l, col, cols, two);
        if (X->dtype == PITH_F64)
            difference_f64(a, fi, b, fl, cols, lane);
        else
            difference_f32(a, fi, b, fl, cols, lane);
    }
    return fold(lane);
}

/* sum_j x_ij x_lj 2^(e_i + e_l): not of the u, whose rounding would blur ties of counts. */
static double product(const pith_i_rows *R, int64_t i, int64_t l)
{
    const pith_i_data *X = &R->X;
    const double fi = R->power[i], fl = R->power[l];
    double lane[LANES] = {0}, one[STRIP], two[STRIP];
    if (X->sparse)
        sparse_lanes(X, i, fi, l, fl, true, lane);
    for (int64_t col = 0, strip = strip_of(X); !X->sparse && col < X->p; col += strip) {
        const int64_t cols = X->p - col < strip ? X->p - col : strip;
        const void *a = dense_strip(X, i, col, cols, one), *b = dense_strip(X, l, col, cols, two);
        if (X->dtype == PITH_F64)
            product_f64(a, fi, b, fl, cols, lane);
        else
            product_f32(a, fi, b, fl, cols, lane);
    }
    return fold(lane);
}

/* The squared cosine is one rounded quotient: equal cosines of small counts are equal numbers. */
static double cosine_distance2(const pith_i_rows *R, int64_t i, int64_t l, double dot)
{
    const double both = R->length2[i] * R->length2[l];
    const double cosine = both > 0 ? copysign(sqrt(dot * dot / both), dot) : 0;
    if (cosine <= NEAR)
        return 2 - 2 * cosine;
    const double square = difference(R, i, l);
    return square < PARALLEL ? 0 : square;
}

double pith_i_rows_distance2(const pith_i_rows *R, int64_t i, int64_t l)
{
    if (R->metric == PITH_I_EUCLIDEAN)
        return difference(R, i, l);
    return cosine_distance2(R, i, l, product(R, i, l));
}

/* Only the columns of row l are visited: the zeros of row i are in the spread row. */
static double spread_product(const pith_i_probe *probe, int64_t l)
{
    const pith_i_data *X = &probe->R->X;
    const double fl = probe->R->power[l];
    double lane[LANES] = {0};
    for (int64_t e = X->indptr[l]; e < X->indptr[l + 1]; e++)
        lane[X->indices[e] % LANES] += probe->spread[X->indices[e]] * (pith_i_at(X, l, e) * fl);
    return fold(lane);
}

void pith_i_probe_start(pith_i_probe *probe, const pith_i_rows *R, int64_t i, double *spread)
{
    const pith_i_data *X = &R->X;
    *probe = (pith_i_probe){R, i, R->metric == PITH_I_COSINE ? spread : NULL};
    if (probe->spread != NULL)
        for (int64_t e = X->indptr[i]; e < X->indptr[i + 1]; e++)
            spread[X->indices[e]] = pith_i_at(X, i, e) * R->power[i];
}

void pith_i_probe_end(pith_i_probe *probe)
{
    const pith_i_data *X = &probe->R->X;
    if (probe->spread != NULL)
        for (int64_t e = X->indptr[probe->i]; e < X->indptr[probe->i + 1]; e++)
            probe->spread[X->indices[e]] = 0;
}

double pith_i_probe_distance2(const pith_i_probe *probe, int64_t l)
{
    if (probe->spread == NULL)
        return pith_i_rows_distance2(probe->R, probe->i, l);
    return cosine_distance2(probe->R, probe->i, l, spread_product(probe, l));
}

/* ---- Opening ---------------------------------------------------------------------------------------- */

static double largest(const pith_i_data *X, int64_t i)
{
    const int64_t from = X->sparse ? X->indptr[i] : 0, to = X->sparse ? X->indptr[i + 1] : X->p;
    double top = 0;
    for (int64_t e = from; e < to; e++)
        top = fmax(top, fabs(X->sparse ? pith_i_at(X, i, e) : pith_i_cell(X, i, e)));
    return top;
}

/* Cosine: power_i from the largest modulus, then sums of squares that cannot overflow. */
static void set_direction(pith_i_rows *R, int64_t i)
{
    const double top = largest(&R->X, i);
    int exponent = 0;
    R->power[i] = 1;
    R->factor[i] = R->length2[i] = 0;
    if (!pith_i_has_direction(top))
        return;
    (void)frexp(top, &exponent);
    R->power[i] = ldexp(1, -exponent);
    R->length2[i] = product(R, i, i);
    R->factor[i] = R->power[i] / sqrt(R->length2[i]);
}

static pith_status set_factors(pith_ctx *ctx, pith_i_rows *R)
{
    pith_status st = PITH_OK;
#pragma omp parallel for num_threads(pith_ctx_threads(ctx))
    for (int64_t i = 0; i < R->X.n; i++)
        if (R->metric != PITH_I_COSINE)
            R->factor[i] = 1;
        else if (!pith_i_stop_asked(ctx))
            set_direction(R, i);
    TRY(pith_i_stop_status(ctx));
    for (int64_t i = 0; i < R->X.n; i++)
        R->zeros += R->factor[i] == 0;
done:
    return st;
}

/* sum_j += factor x_j */
PITH_I_CLONES static void add_row(const void *x, pith_dtype dtype, int64_t cols, double factor, double *sum)
{
    if (dtype == PITH_F64)
#pragma omp simd
        for (int64_t j = 0; j < cols; j++)
            sum[j] += ((const double *)x)[j] * factor;
    else
#pragma omp simd
        for (int64_t j = 0; j < cols; j++)
            sum[j] += (double)((const float *)x)[j] * factor;
}

/* z_j = (factor x_j - centre_j) scale */
PITH_I_CLONES static void pack_row(const void *x, pith_dtype dtype, int64_t cols, double factor,
                                   const double *centre, double scale, double *z)
{
    if (dtype == PITH_F64)
#pragma omp simd
        for (int64_t j = 0; j < cols; j++)
            z[j] = (((const double *)x)[j] * factor - centre[j]) * scale;
    else
#pragma omp simd
        for (int64_t j = 0; j < cols; j++)
            z[j] = ((double)((const float *)x)[j] * factor - centre[j]) * scale;
}

void pith_i_rows_pack(const pith_i_rows *R, const int64_t *ids, int64_t first, int64_t count, int64_t col,
                      int64_t cols, double *out, int64_t ld)
{
    const int64_t strip = pith_i_min(cols, strip_of(&R->X));
    double room[STRIP];
    for (int64_t r = 0; r < count; r++) {
        const int64_t i = ids != NULL ? ids[first + r] : first + r;
        for (int64_t c = 0; c < cols; c += strip) {
            const int64_t width = pith_i_min(strip, cols - c);
            pack_row(dense_strip(&R->X, i, col + c, width, room), R->X.dtype, width, R->factor[i],
                     R->centre + col + c, R->scale, out + r * ld + c);
        }
    }
}

void pith_i_rows_floats(const pith_i_rows *R, int64_t i, float *out)
{
    double z[STRIP];
    for (int64_t col = 0; col < R->X.p; col += STRIP) {
        const int64_t cols = R->X.p - col < STRIP ? R->X.p - col : STRIP;
        pith_i_rows_pack(R, NULL, i, 1, col, cols, z, STRIP);
        for (int64_t j = 0; j < cols; j++)
            out[col + j] = (float)z[j];
    }
}

/* Adds u to the sums of the columns, a strip of them at a time, rows in order. */
static void add_rows(pith_ctx *ctx, const pith_i_rows *R, double *sum)
{
    const int64_t n = R->X.n, p = R->X.p;
#pragma omp parallel for num_threads(pith_ctx_threads(ctx))
    for (int64_t col = 0; col < p; col += STRIP) {
        const int64_t cols = p - col < STRIP ? p - col : STRIP;
        double room[STRIP];
        for (int64_t i = 0; i < n; i++)
            add_row(dense_strip(&R->X, i, col, cols, room), R->X.dtype, cols, R->factor[i], sum + col);
    }
}

/* The sums over n rows become means. */
static void set_centre(const pith_i_rows *R, int64_t n)
{
    for (int64_t j = 0; j < R->X.p; j++)
        R->centre[j] /= (double)n;
}

static double row_square(const pith_i_rows *R, int64_t i)
{
    double z[STRIP], lane[LANES] = {0};
    if (R->X.sparse) {
        for (int64_t e = R->X.indptr[i]; e < R->X.indptr[i + 1]; e++) {
            const double v = pith_i_at(&R->X, i, e) * R->factor[i] * R->scale;
            lane[R->X.indices[e] % LANES] += v * v;
        }
        return fold(lane);
    }
    for (int64_t col = 0; col < R->X.p; col += STRIP) {
        const int64_t cols = R->X.p - col < STRIP ? R->X.p - col : STRIP;
        pith_i_rows_pack(R, NULL, i, 1, col, cols, z, STRIP);
        for (int64_t j = 0; j < cols; j++)
            lane[j % LANES] += z[j] * z[j];
    }
    return fold(lane);
}

/* square, for scale 1. top: the largest; infinite where sums overflow. */
static pith_status set_squares(pith_ctx *ctx, pith_i_rows *R, double *top)
{
    pith_status st = PITH_OK;
    *top = 0;
    R->scale = 1;
#pragma omp parallel for num_threads(pith_ctx_threads(ctx))
    for (int64_t i = 0; i < R->X.n; i++)
        if (!pith_i_stop_asked(ctx))
            R->square[i] = row_square(R, i);
    TRY(pith_i_stop_status(ctx));
    for (int64_t i = 0; i < R->X.n; i++)
        *top = R->square[i] <= *top ? *top : isnan(R->square[i]) ? (double)INFINITY : R->square[i];
done:
    return st;
}

static void scale_squares(pith_ctx *ctx, pith_i_rows *R, double scale)
{
    R->scale = scale;
#pragma omp parallel for num_threads(pith_ctx_threads(ctx))
    for (int64_t i = 0; i < R->X.n; i++)
        R->square[i] = R->square[i] * scale * scale;
}

/* top: the largest square of all rows. */
static pith_status set_scale(pith_ctx *ctx, pith_i_rows *R, double top)
{
    int exponent = 0;
    if (!(top <= DBL_MAX / 8))
        return pith_i_error(ctx, PITH_E_DATA,
                            "the values are so large that squared distances overflow; scale the data");
    if (!(top > 0))
        return PITH_OK;
    (void)frexp(sqrt(top), &exponent);
    scale_squares(ctx, R, ldexp(1, exponent < -500 ? 500 : -exponent));
    return PITH_OK;
}

/* A row-major copy of what is stored: the transpose of the transposed data, which goes by square tiles. */
static pith_status make_contiguous(pith_ctx *ctx, const pith_i_data *X, pith_i_data *out)
{
    pith_i_data transposed = pith_i_data_stored(X);
    transposed.n = X->p;
    transposed.p = X->n;
    transposed.row_stride = X->col_stride;
    transposed.col_stride = X->row_stride;
    return pith_i_transpose(ctx, &transposed, out);
}

pith_status pith_i_rows_open(pith_ctx *ctx, const pith_i_data *X, pith_i_metric metric, pith_i_rows *out)
{
    pith_i_rows R = {.X = *X, .metric = metric, .scale = 1};
    double top = 0;
    pith_status st = PITH_OK;
    memset(R.X.owned, 0, sizeof R.X.owned);
    R.X.mapped = NULL;
    if (!X->sparse && X->col_stride != 1 && X->p > 1) {
        TRY(make_contiguous(ctx, X, &R.copy));
        if (X->of.map == NULL)
            R.X.x = R.copy.x;
        else
            R.X.of.values = R.copy.x;
        R.X.row_stride = R.copy.row_stride;
        R.X.col_stride = 1;
    }
    TRY(NEW(ctx, R.factor, X->n));
    TRY(NEW(ctx, R.power, metric == PITH_I_COSINE ? X->n : 0));
    TRY(NEW(ctx, R.length2, metric == PITH_I_COSINE ? X->n : 0));
    TRY(NEW(ctx, R.square, X->n));
    TRY(set_factors(ctx, &R));
    if (!X->sparse) {
        TRY(NEW_ZERO(ctx, R.centre, X->p));
        add_rows(ctx, &R, R.centre);
        set_centre(&R, X->n);
    }
    TRY(set_squares(ctx, &R, &top));
    TRY(set_scale(ctx, &R, top));
    *out = R;
    return PITH_OK;
done:
    pith_i_rows_close(&R);
    return st;
}

pith_status pith_i_rows_open_like(pith_ctx *ctx, const pith_i_data *X, const pith_i_rows *like,
                                  pith_i_rows *out)
{
    double top = 0;
    pith_status st = PITH_OK;
    TRY(pith_i_rows_open(ctx, X, like->metric, out));
    if (!X->sparse)
        memcpy(out->centre, like->centre, (size_t)X->p * sizeof *out->centre);
    TRY(set_squares(ctx, out, &top));
    scale_squares(ctx, out, like->scale);
done:
    return st;
}

/* The sums go from process to process, so that rows are added in the same order as in one process. */
static pith_status add_all_rows(pith_ctx *ctx, const pith_i_rows *R, double *sum)
{
    const int processes = pith_i_processes(ctx), own = pith_i_process(ctx);
    pith_status st = PITH_OK;
    for (int r = 0; r < processes; r++) {
        if (r == own)
            add_rows(ctx, R, sum);
        else
            memset(sum, 0, (size_t)R->X.p * sizeof *sum);
        TRY(pith_i_sum(ctx, R->X.p, sum));
    }
done:
    return st;
}

pith_status pith_i_rows_share(pith_ctx *ctx, const pith_i_rows *R, pith_i_rows *out)
{
    pith_i_rows shared = *R;
    double top = 0;
    pith_status st = PITH_OK;
    shared.copy = (pith_i_data){0};
    TRY(SCRATCH(ctx, shared.square, R->X.n));
    TRY(pith_i_sum_counts(ctx, 1, &shared.zeros));
    if (!R->X.sparse) {
        TRY(SCRATCH_ZERO(ctx, shared.centre, R->X.p));
        TRY(add_all_rows(ctx, &shared, shared.centre));
        set_centre(&shared, pith_i_all(&R->X));
    }
    TRY(set_squares(ctx, &shared, &top));
    TRY(pith_i_sum_by(ctx, PITH_ENGINE_MOST, 1, &top));
    TRY(set_scale(ctx, &shared, top));
    *out = shared;
done:
    return st;
}

void pith_i_rows_close(pith_i_rows *R)
{
    pith_i_data_free(&R->copy);
    pith_i_free(R->factor);
    pith_i_free(R->power);
    pith_i_free(R->length2);
    pith_i_free(R->centre);
    pith_i_free(R->square);
    *R = (pith_i_rows){0};
}

double pith_i_shrunk(const pith_i_rows *R, double square, int64_t terms, bool in_double)
{
    const bool cosine = R->metric == PITH_I_COSINE;
    const double u = in_double ? DBL_EPSILON / 2 : (double)FLT_EPSILON / 2;
    const int64_t m = !in_double ? terms + 16 : cosine ? 2000 * (terms + 40) : 6 * terms + 400;
    const double mu = u * (double)m;
    const double underflow = (double)(R->X.p + 4) * 16 * (in_double ? DBL_MIN : (double)FLT_MIN);
    const double parallel = cosine ? PARALLEL * R->scale * R->scale : 0;
    return mu < 0.5 ? square * (1 - mu / (1 - mu)) - underflow - parallel : (double)-INFINITY;
}
