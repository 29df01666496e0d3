#include "linalg/filtered.h"

#include "core/engine.h"
#include "core/parallel.h"
#include "core/random.h"
#include "linalg/cholesky.h"
#include "linalg/eigen.h"
#include "matrix/blas.h"
#include "matrix/simd.h"

#include <math.h>
#include <string.h>

enum { PANEL = PITH_I_PANEL, CHUNK = 128 /* rows that are rotated at a time */ };

typedef struct block {
    pith_ctx *ctx;
    const pith_i_panel_operator *A;
    int64_t n, m, panels, width; /* width = panels * PANEL vectors, of which m are wanted */
    int64_t n_known;
    const double *known;
    float *V, *W;             /* panels x n x PANEL: the vectors, and A V or scratch */
    double *G, *H;            /* width x width: V'V, V'A V */
    double *T, *M, *C;        /* likewise: T G T' = 1; M and what C, the rotation, needs */
    double *value, *residual; /* width; by decreasing value */
    int64_t chunks;           /* of the rows */
    double *square,
        *room; /* chunks x width: their parts in the squares of residuals; 4 CHUNK rows a thread */
} block;

/* ---- Panels ------------------------------------------------------------------------------------------- */

#define DOUBLES(x) __builtin_convertvector(*(const pith_i_float8 *)(x), pith_i_double8)

/* out (PANEL x PANEL, row stride ld) = X'Y */
PITH_I_CLONES static void panel_product(int64_t n, const float *x, const float *y, double *out, int64_t ld)
{
    pith_i_double8 sum[PANEL] = {0};
    for (int64_t i = 0; i < n; i++) {
        const pith_i_double8 v = DOUBLES(y + i * PANEL);
        for (int a = 0; a < PANEL; a++)
            sum[a] += (double)x[i * PANEL + a] * v;
    }
    for (int a = 0; a < PANEL; a++)
        *(pith_i_double8 *)(out + a * ld) = sum[a];
}

/* u'x of a panel. */
PITH_I_CLONES static void find_part(int64_t n, const double *u, const float *x, double part[PANEL])
{
    pith_i_double8 sum = {0};
    for (int64_t i = 0; i < n; i++)
        sum += u[i] * DOUBLES(x + i * PANEL);
    *(pith_i_double8 *)part = sum;
}

/* x - u part' */
PITH_I_CLONES static void take_off(int64_t n, const double *u, const double part[PANEL], float *x)
{
    const pith_i_double8 sum = *(const pith_i_double8 *)part;
    for (int64_t i = 0; i < n; i++)
        *(pith_i_float8 *)(x + i * PANEL) =
            __builtin_convertvector(DOUBLES(x + i * PANEL) - u[i] * sum, pith_i_float8);
}

/* Adds up, over processes, sums of the rows held here. */
static pith_status sum_all(const block *b, int64_t count, double *sums)
{
    return b->A->all > 0 ? pith_i_sum(b->ctx, count, sums) : PITH_OK;
}

/* x without its part in the unit vector u. */
static pith_status remove_part(const block *b, const double *u, float *x)
{
    double part[PANEL];
    find_part(b->n, u, x, part);
    const pith_status st = sum_all(b, PANEL, part);
    if (st == PITH_OK)
        take_off(b->n, u, part, x);
    return st;
}

static pith_status apply(const block *b, float a, const float *x, float c, float d, float *y)
{
    if (b->A->all > 0)
        return b->A->apply_all(b->ctx, b->A->self, a, x, c, d, y);
    b->A->apply(b->A->self, a, x, c, d, y);
    return PITH_OK;
}

/* ---- The filter --------------------------------------------------------------------------------------- */

/*
 * x <- T_d((A - c) / e) x / T_d((1 - c) / e), where c and e map [-1, cut] to [-1, 1]: the factor is at most
 * 1 / T_d((1 - c) / e) on eigenvalues in [-1, cut] and grows to 1 at 1. By the three-term recurrence; y is
 * scratch.
 */
static pith_status filter_panel(const block *b, int64_t degree, double cut, float *x, float *y)
{
    const double c = (cut - 1) / 2, e = (cut + 1) / 2, first = e / (1 - c);
    float *from = x, *to = y;
    double sigma = first;
    pith_status st = PITH_OK;
    TRY(apply(b, (float)(first / e), x, (float)(-first / e * c), 0, y));
    for (int64_t d = 2; d <= degree; d++) {
        float *old = from;
        const double next = 1 / (2 / first - sigma), a = 2 * next / e;
        TRY(apply(b, (float)a, to, (float)(-a * c), (float)(-sigma * next), old));
        from = to;
        to = old;
        sigma = next;
    }
    if (to != x)
        memcpy(x, y, (size_t)(b->n * PANEL) * sizeof *x);
done:
    return st;
}

/* Filters one panel and removes the parts in the known vectors that rounding brought in; w = A v. */
static pith_status renew(const block *b, int64_t degree, double cut, float *v, float *w)
{
    pith_status st = PITH_OK;
    TRY(filter_panel(b, degree, cut, v, w));
    for (int64_t k = 0; k < b->n_known; k++)
        TRY(remove_part(b, b->known + k * b->n, v));
    TRY(apply(b, 1, v, 0, 0, w));
done:
    return st;
}

/* All panels; one after the other where rows are spread. */
static pith_status filter(const block *b, int64_t degree, double cut, int pass, int passes)
{
    const int64_t size = b->n * PANEL;
    const bool spread = b->A->all > 0;
    pith_status st = PITH_OK;
    for (int64_t p = 0; spread && p < b->panels; p++) {
        TRY(pith_i_progress(b->ctx, pass, passes));
        TRY(renew(b, degree, cut, b->V + p * size, b->W + p * size));
    }
#pragma omp parallel for num_threads(pith_ctx_threads(b->ctx)) schedule(dynamic) if (!spread)
    for (int64_t p = spread ? b->panels : 0; p < b->panels; p++)
        if (!pith_i_progress_stop(b->ctx, pass, passes))
            (void)renew(b, degree, cut, b->V + p * size, b->W + p * size); /* nothing can fail here */
    TRY(pith_i_stop_status(b->ctx));
done:
    return st;
}

/* ---- Rayleigh-Ritz ------------------------------------------------------------------------------------ */

/* G and H, which are symmetric: their upper triangles, by panels, then the lower ones. */
static pith_status multiply(const block *b)
{
    const int64_t n = b->n, size = n * PANEL, w = b->width, pairs = b->panels * b->panels;
    pith_status st = PITH_OK;
#pragma omp parallel for num_threads(pith_ctx_threads(b->ctx)) schedule(dynamic)
    for (int64_t t = 0; t < pairs; t++) {
        const int64_t p = t / b->panels, q = t % b->panels, at = p * PANEL * w + q * PANEL;
        if (p > q)
            continue;
        panel_product(n, b->V + p * size, b->V + q * size, b->G + at, w);
        panel_product(n, b->V + p * size, b->W + q * size, b->H + at, w);
    }
    for (int64_t i = 0; i < w; i++)
        for (int64_t j = i + 1; j < w; j++) {
            b->G[j * w + i] = b->G[i * w + j];
            b->H[j * w + i] = b->H[i * w + j];
        }
    TRY(sum_all(b, w * w, b->G));
    TRY(sum_all(b, w * w, b->H));
done:
    return st;
}

/* T with T G T' = I. False: V has lost a dimension. Vectors are scaled first: the filter leaves those near
 * the cut much shorter than the others. */
static bool orthonormalize(const block *b)
{
    const int64_t w = b->width;
    double *scale = b->value;
    for (int64_t i = 0; i < w; i++)
        scale[i] = 1 / sqrt(b->G[i * w + i]);
    for (int64_t i = 0; i < w; i++)
        for (int64_t j = 0; j < w; j++) {
            b->G[i * w + j] *= scale[i] * scale[j];
            b->T[i * w + j] = i == j;
        }
    if (!pith_i_cholesky_try(w, b->G))
        return false;
    pith_i_cholesky_forward(w, b->G, w, b->T);
    for (int64_t i = 0; i < w; i++)
        for (int64_t j = 0; j < w; j++)
            b->T[i * w + j] *= scale[j];
    return true;
}

/* out = factor A B, all width x width, A or B transposed on demand. */
static void product(const block *b, double factor, CBLAS_TRANSPOSE turn_a, const double *a,
                    CBLAS_TRANSPOSE turn_b, const double *c, double *out)
{
    const int w = (int)b->width;
    cblas_dgemm(CblasRowMajor, turn_a, turn_b, w, w, w, factor, a, w, c, w, 0, out, w);
}

/*
 * The eigenvectors of A within the span of V are the columns of V C: with M the rows of eigenvectors of
 * T H T', C = T'M'.
 */
static pith_status ritz(const block *b)
{
    const int64_t w = b->width;
    pith_status st = PITH_OK;
    product(b, -1, CblasNoTrans, b->T, CblasNoTrans, b->H, b->G);
    product(b, 1, CblasNoTrans, b->G, CblasTrans, b->T, b->M);
    TRY(pith_i_eigen_dense_in_place(b->ctx, w, b->M, b->value)); /* of -A: the largest come first */
    for (int64_t v = 0; v < w; v++)
        b->value[v] = -b->value[v];
    product(b, 1, CblasTrans, b->T, CblasTrans, b->M, b->C);
done:
    return st;
}

/* Rows lo to before hi of V or W as doubles, one row after the other. */
static void unpack(const block *b, const float *panels, int64_t lo, int64_t hi, double *to)
{
    for (int64_t i = lo; i < hi; i++)
        for (int64_t p = 0; p < b->panels; p++)
            *(pith_i_double8 *)(to + (i - lo) * b->width + p * PANEL) =
                DOUBLES(panels + (p * b->n + i) * PANEL);
}

/*
 * V <- V C in rows lo to before hi, and their part in |A x - value x|^2, from differences: that of x'A^2 x
 * and value^2 would be rounding. from, to: 2 (hi - lo) rows.
 */
static void rotate_rows(const block *b, int64_t lo, int64_t hi, double *from, double *to, double *square)
{
    const int64_t w = b->width, rows = hi - lo;
    unpack(b, b->V, lo, hi, from);
    unpack(b, b->W, lo, hi, from + rows * w);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)(2 * rows), (int)w, (int)w, 1, from, (int)w,
                b->C, (int)w, 0, to, (int)w);
    memset(square, 0, (size_t)w * sizeof *square);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t v = 0; v < w; v++) {
            const double x = to[i * w + v], miss = to[(rows + i) * w + v] - b->value[v] * x;
            square[v] += miss * miss;
            b->V[(v / PANEL * b->n + lo + i) * PANEL + v % PANEL] = (float)x;
        }
}

/* V <- V C, and the residuals. */
static pith_status rotate(const block *b)
{
    const int64_t w = b->width, each = 2 * CHUNK * w;
    pith_status st = PITH_OK;
#pragma omp parallel for num_threads(pith_ctx_threads(b->ctx)) schedule(dynamic)
    for (int64_t t = 0; t < b->chunks; t++) {
        double *room = b->room + 2 * each * pith_i_thread();
        const int64_t lo = t * CHUNK, hi = b->n - lo < CHUNK ? b->n : lo + CHUNK;
        rotate_rows(b, lo, hi, room, room + each, b->square + t * w);
    }
    for (int64_t v = 0; v < w; v++) {
        double sum = 0;
        for (int64_t t = 0; t < b->chunks; t++)
            sum += b->square[t * w + v];
        b->residual[v] = sum;
    }
    TRY(sum_all(b, w, b->residual));
    for (int64_t v = 0; v < w; v++)
        b->residual[v] = sqrt(b->residual[v]);
done:
    return st;
}

/* ---- Passes ------------------------------------------------------------------------------------------- */

static void randomize(const block *b)
{
#pragma omp parallel for num_threads(pith_ctx_threads(b->ctx)) if (b->n > 10000)
    for (int64_t i = 0; i < b->n; i++) {
        pith_i_stream s = pith_i_stream_at(pith_ctx_seed(b->ctx), PITH_I_RANDOM_START_BLOCK,
                                           (uint64_t)(b->A->number != NULL ? b->A->number[i] : i));
        for (int64_t v = 0; v < b->width; v++)
            b->V[(v / PANEL * b->n + i) * PANEL + v % PANEL] =
                (float)((double)pith_i_random_u32(&s) * 0x1p-31 - 1);
    }
}

/* The degree at which the filter is `times` as large at x as it is at most in [-1, cut]. */
static double degree_for(double times, double x, double cut)
{
    const double c = (cut - 1) / 2, e = (cut + 1) / 2;
    return ceil(acosh(fmax(times, 2)) / acosh(fmax((x - c) / e, 1 + 1e-12)));
}

static double worst_residual(const block *b)
{
    double worst = 0;
    for (int64_t v = 0; v < b->m; v++)
        worst = fmax(worst, b->residual[v]);
    return worst;
}

/*
 * The next filter cuts at the smallest Ritz value of the block; its degree depends on how far the residuals
 * are from the tolerance. The degree is bounded so that vectors near the cut keep their digits beside those
 * near 1, which grow by up to 1e8 times as much: rounding to floats mixes in 6e-8 of the latter, which makes
 * the result a few times as long and hardly less exact. The bound is lower at first, when every vector still
 * has parts in all eigenvectors.
 */
static pith_status pass_all(block *b, double tolerance, bool *found)
{
    enum { PASSES = 12, LONGEST = 2000 };
    double cut = 0.3, degree = degree_for(1e4, 1, cut);
    pith_status st = PITH_OK;
    *found = false;
    for (int pass = 0; pass < PASSES && degree <= LONGEST && !*found; pass++) {
        TRY(filter(b, (int64_t)degree, cut, pass, PASSES));
        TRY(multiply(b));
        if (!orthonormalize(b))
            break;
        TRY(ritz(b));
        TRY(rotate(b));
        const double worst = worst_residual(b);
        *found = worst <= tolerance;
        cut = fmax(-0.5, b->value[b->width - 1]);
        degree = fmin(degree_for(pass == 0 ? 1e6 : 1e8, 1, cut),
                      degree_for(2 * worst / tolerance, b->value[b->m - 1], cut));
    }
done:
    return st;
}

static pith_status take_memory(block *b)
{
    pith_ctx *ctx = b->ctx;
    const int64_t w = b->width;
    double **square[] = {&b->G, &b->H, &b->T, &b->M, &b->C};
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, b->V, w * b->n));
    TRY(SCRATCH_ZERO(ctx, b->W, w * b->n));
    for (size_t t = 0; t < COUNT(square); t++)
        TRY(SCRATCH(ctx, *square[t], w * w));
    TRY(SCRATCH(ctx, b->value, w));
    TRY(SCRATCH(ctx, b->residual, w));
    b->chunks = (b->n + CHUNK - 1) / CHUNK;
    TRY(SCRATCH(ctx, b->square, b->chunks * w));
    TRY(SCRATCH(ctx, b->room, pith_ctx_threads(ctx) * 4 * CHUNK * w));
done:
    return st;
}

pith_status pith_i_eigen_filtered(pith_ctx *ctx, const pith_i_panel_operator *A, int64_t m, int64_t n_known,
                                  const double *known, double tolerance, bool *found, double *values,
                                  double *vectors)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    /* A quarter more than wanted: the farther away the first eigenvalue outside the block, the faster. */
    const int64_t n = A->n, all = A->all > 0 ? A->all : n, panels = (m + m / 4 + 4 + PANEL - 1) / PANEL;
    block b = {ctx, A, n, m, panels, panels * PANEL, n_known, known, .V = NULL};
    pith_status st = PITH_OK;
    if (m < 1 || n_known < 0 || n_known + b.width > all)
        FAIL(ctx, PITH_E_ARGUMENT, "%lld eigenvectors of %lld rows beside %lld known ones", (long long)m,
             (long long)all, (long long)n_known);
    TRY(take_memory(&b));
    randomize(&b);
    pith_i_blas_enter();
    st = pass_all(&b, tolerance, found);
    pith_i_blas_leave();
    for (int64_t v = 0; v < m && st == PITH_OK && *found; v++) {
        values[v] = b.value[v];
        for (int64_t i = 0; i < n; i++)
            vectors[v * n + i] = (double)b.V[(v / PANEL * n + i) * PANEL + v % PANEL];
        if (A->all == 0)
            pith_i_fix_sign(n, vectors + v * n);
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
