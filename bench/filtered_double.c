#include "filtered_double.h"

#include "core/random.h"
#include "matrix/blas.h"

#include <math.h>
#include <string.h>

extern void dsygvd_(const int *itype, const char *jobz, const char *uplo, const int *n, double *a,
                    const int *lda, double *b, const int *ldb, double *w, double *work, const int *lwork,
                    int *iwork, const int *liwork, int *info, size_t jobz_length, size_t uplo_length);

enum { PANEL = PITH_I_PANEL };

typedef struct block {
    const double_panels *A;
    const pith_i_eigen_options *want;
    int64_t n, width;      /* vectors of the block, a multiple of PANEL */
    double *V, *W, *room;  /* width / PANEL panels each; W = A V */
    double *G, *H, *value; /* V'V, and V'A V or, after ritz, the rotation; values, descending */
    double *scale, *work;
    int *iwork;
} block;

/* x <- T_d((A - c) / e) x / T_d((1 - c) / e), as in filtered.c; the result is in *x, *y is room. */
static void filter_panel(const double_panels *A, int64_t degree, double cut, double **x, double **y)
{
    const double c = (cut - 1) / 2, e = (cut + 1) / 2, first = e / (1 - c);
    double sigma = first;
    A->apply(A->self, first / e, *x, -first / e * c, 0, *y);
    for (int64_t d = 2; d <= degree; d++) {
        double *old = *x;
        const double next = 1 / (2 / first - sigma), a = 2 * next / e;
        A->apply(A->self, a, *y, -a * c, -sigma * next, old);
        *x = *y;
        *y = old;
        sigma = next;
    }
    double *result = *y;
    *y = *x;
    *x = result;
}

static void filter(const block *b, int64_t degree, double cut)
{
    const int64_t size = b->n * PANEL;
    double sum[PANEL];
    for (int64_t p = 0; p < b->width / PANEL; p++) {
        double *v = b->V + p * size, *x = v, *y = b->W + p * size;
        filter_panel(b->A, degree, cut, &x, &y);
        if (x != v)
            memcpy(v, x, (size_t)size * sizeof *v);
        for (int64_t k = 0; k < b->want->n_known; k++) {
            const double *u = b->want->known + k * b->n;
            cblas_dgemv(CblasRowMajor, CblasTrans, (int)b->n, PANEL, 1, v, PANEL, u, 1, 0, sum, 1);
            cblas_dger(CblasRowMajor, (int)b->n, PANEL, -1, u, 1, sum, 1, v, PANEL);
        }
        b->A->apply(b->A->self, 1, v, 0, 0, b->W + p * size);
    }
}

/* X <- X C, C in H; the old X becomes room. */
static void rotate(block *b, double **X)
{
    const int64_t size = b->n * PANEL, w = b->width;
    double *turned = b->room;
    for (int64_t q = 0; q < w / PANEL; q++)
        for (int64_t p = 0; p < w / PANEL; p++)
            cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)b->n, PANEL, PANEL, 1, *X + p * size,
                        PANEL, b->H + q * PANEL * w + p * PANEL, (int)w, p > 0, turned + q * size, PANEL);
    b->room = *X;
    *X = turned;
}

/* Ritz pairs of A in the span of V: H c = value G c. False: V has lost rank. */
static bool ritz(block *b)
{
    const int64_t size = b->n * PANEL, w = b->width;
    const int order = (int)w, one = 1, lwork = (int)(1 + 6 * w + 2 * w * w), liwork = (int)(3 + 5 * w);
    double *scale = b->scale;
    int info = 0;
    for (int64_t p = 0; p < w / PANEL; p++)
        for (int64_t q = 0; q < w / PANEL; q++) {
            cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, PANEL, PANEL, (int)b->n, 1, b->V + p * size,
                        PANEL, b->V + q * size, PANEL, 0, b->G + p * PANEL * w + q * PANEL, (int)w);
            cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, PANEL, PANEL, (int)b->n, -1, b->V + p * size,
                        PANEL, b->W + q * size, PANEL, 0, b->H + p * PANEL * w + q * PANEL, (int)w);
        }
    for (int64_t i = 0; i < w; i++)
        scale[i] = 1 / sqrt(b->G[i * w + i]);
    for (int64_t e = 0; e < w * w; e++) {
        b->G[e] *= scale[e / w] * scale[e % w];
        b->H[e] *= scale[e / w] * scale[e % w];
    }
    dsygvd_(&one, "V", "U", &order, b->H, &order, b->G, &order, b->value, b->work, &lwork, b->iwork, &liwork,
            &info, 1, 1);
    for (int64_t e = 0; e < w * w; e++)
        b->H[e] *= scale[e % w];
    for (int64_t v = 0; v < w; v++)
        b->value[v] = -b->value[v];
    return info == 0;
}

static double worst_residual(const block *b)
{
    double worst = 0;
    for (int64_t v = 0; v < b->want->m; v++) {
        const int64_t at = v / PANEL * b->n * PANEL + v % PANEL;
        double square = 0;
        for (int64_t i = 0; i < b->n; i++) {
            const double miss = b->W[at + i * PANEL] - b->value[v] * b->V[at + i * PANEL];
            square += miss * miss;
        }
        worst = fmax(worst, sqrt(square));
    }
    return worst;
}

static double degree_for(double times, double x, double cut)
{
    const double c = (cut - 1) / 2, e = (cut + 1) / 2;
    return ceil(acosh(fmax(times, 2)) / acosh(fmax((x - c) / e, 1 + 1e-12)));
}

/* The filter may grow to 1e12 at eigenvalue 1 in doubles; floats allow 1e8. */
static bool pass_all(block *b)
{
    enum { PASSES = 40, LONGEST = 1500 };
    double cut = 0.3, degree = degree_for(1e4, 1, cut);
    for (int pass = 0; pass < PASSES; pass++) {
        filter(b, (int64_t)degree, cut);
        if (!ritz(b))
            return false;
        rotate(b, &b->V);
        rotate(b, &b->W);
        const double worst = worst_residual(b), tolerance = b->want->tolerance;
        if (worst <= tolerance)
            return true;
        cut = fmax(-0.5, b->value[b->width - 1]);
        degree = degree_for(2 * worst / tolerance, b->value[b->want->m - 1], cut);
        if (!(pass == 0 || degree <= LONGEST))
            return false;
        degree = fmin(degree, degree_for(pass == 0 ? 1e6 : 1e12, 1, cut));
    }
    return false;
}

static pith_status start(pith_ctx *ctx, block *b)
{
    const int64_t w = b->width, count = w * b->n;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, b->V, count));
    TRY(SCRATCH_ZERO(ctx, b->W, count));
    TRY(SCRATCH_ZERO(ctx, b->room, count));
    TRY(SCRATCH(ctx, b->G, w * w));
    TRY(SCRATCH(ctx, b->H, w * w));
    TRY(SCRATCH(ctx, b->value, w));
    TRY(SCRATCH(ctx, b->scale, w));
    TRY(SCRATCH(ctx, b->work, 1 + 6 * w + 2 * w * w));
    TRY(SCRATCH(ctx, b->iwork, 3 + 5 * w));
    pith_i_stream s = pith_i_stream_at(pith_ctx_seed(ctx), PITH_I_RANDOM_START_BLOCK, 0);
    for (int64_t e = 0; e < count; e++)
        b->V[e] = 2 * pith_i_random_uniform(&s) - 1;
done:
    return st;
}

pith_status filtered_double(pith_ctx *ctx, const double_panels *A, const pith_i_eigen_options *want,
                            bool *found, double *values, double *vectors)
{
    const int64_t n = A->n;
    pith_status st = PITH_OK;
    *found = false;
    for (int64_t times = 1; times <= 8 && !*found; times *= 2) {
        const size_t mark = pith_i_scratch_mark(ctx);
        block b = {.A = A, .want = want, .n = n};
        b.width = (times * (want->m + want->m / 4 + 4) + PANEL - 1) / PANEL * PANEL;
        TRY(start(ctx, &b));
        *found = pass_all(&b);
        for (int64_t v = 0; v < want->m && *found; v++) {
            values[v] = b.value[v];
            for (int64_t i = 0; i < n; i++)
                vectors[v * n + i] = b.V[(v / PANEL * n + i) * PANEL + v % PANEL];
        }
        pith_i_scratch_release(ctx, mark);
    }
done:
    return st;
}
