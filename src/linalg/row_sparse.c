#include "linalg/row_sparse.h"

#include "linalg/cholesky.h"
#include "matrix/blas.h"
#include "matrix/gather.h"

#include <math.h>
#include <string.h>

pith_status pith_i_row_sparse_open(pith_ctx *ctx, const pith_i_design *X, int64_t columns,
                                   pith_i_row_sparse *out)
{
    const int64_t n = X->X->n, p = X->X->p;
    const bool spread = pith_i_is_spread(X->X);
    pith_i_row_sparse s = {.X = X,
                           .by_samples = n < p && !spread,
                           .columns = columns,
                           .tolerance = 1e-10,
                           .rows = (double)pith_i_all(X->X),
                           .stored = (double)pith_i_stored(X->X)};
    pith_status st = PITH_OK;
    TRY(pith_i_sum_over(ctx, X->X, 1, &s.stored));
    TRY(SCRATCH(ctx, s.inverse_q, p));
    for (int64_t j = 0; j < p; j++)
        s.inverse_q[j] = X->left_out != NULL && X->left_out[j] ? 0 : 1;
    *out = s;
done:
    return st;
}

/* ---- By Cholesky --------------------------------------------------------------------------------------- */

static pith_status factor_by_samples(pith_ctx *ctx, pith_i_row_sparse *s)
{
    const int64_t n = s->X->X->n;
    pith_status st = PITH_OK;
    TRY(pith_i_design_rows_gram(ctx, s->X, s->inverse_q, s->factor));
    for (int64_t i = 0; i < n; i++)
        s->factor[i * n + i] += s->b / (s->u != NULL ? s->u[i] : 1);
    TRY(pith_i_cholesky(ctx, n, s->factor));
done:
    return st;
}

/* X'UX over all samples. */
static pith_status multiply_features(pith_ctx *ctx, pith_i_row_sparse *s)
{
    const int64_t p = s->X->X->p;
    pith_status st = PITH_OK;
    if (s->X->X->n > 0)
        TRY(pith_i_design_columns_gram(ctx, s->X, s->u, s->gram));
    else
        memset(s->gram, 0, (size_t)(p * p) * sizeof *s->gram);
    TRY(pith_i_sum_over(ctx, s->X->X, p * p, s->gram));
done:
    return st;
}

static pith_status factor_by_features(pith_ctx *ctx, pith_i_row_sparse *s)
{
    const int64_t p = s->X->X->p;
    pith_status st = PITH_OK;
    if (!s->has_gram || s->u != NULL)
        TRY(multiply_features(ctx, s));
    s->has_gram = s->u == NULL;
    for (int64_t i = 0; i < p; i++) {
        for (int64_t l = 0; l <= i; l++)
            s->factor[i * p + l] = s->gram[i * p + l] * sqrt(s->inverse_q[i]) * sqrt(s->inverse_q[l]);
        s->factor[i * p + i] += s->b;
    }
    TRY(pith_i_cholesky(ctx, p, s->factor));
done:
    return st;
}

static pith_status factor_directly(pith_ctx *ctx, pith_i_row_sparse *s)
{
    const int64_t size = s->by_samples ? s->X->X->n : s->X->X->p;
    pith_status st = PITH_OK;
    if (s->factor == NULL)
        TRY(SCRATCH(ctx, s->factor, size * size));
    if (!s->by_samples && s->gram == NULL)
        TRY(SCRATCH_ZERO(ctx, s->gram, size * size)); /* of which one triangle is used */
    TRY(s->by_samples ? factor_by_samples(ctx, s) : factor_by_features(ctx, s));
done:
    return st;
}

/* Row r of W times square_r, or times its root. */
static void scale_rows(int64_t p, int64_t m, const double *square, bool root, double *W)
{
    for (int64_t r = 0; r < p; r++) {
        const double factor = root ? sqrt(square[r]) : square[r];
        for (int64_t t = 0; t < m; t++)
            W[r * m + t] *= factor;
    }
}

static pith_status solve_by_samples(pith_ctx *ctx, const pith_i_row_sparse *s, int64_t m, const double *F,
                                    double *W, double *R)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = s->X->X->n, p = s->X->X->p;
    double *T = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, T, n * m));
    memcpy(T, F, (size_t)(n * m) * sizeof *T);
    pith_i_cholesky_solve(n, s->factor, m, T);
    if (W != NULL) {
        TRY(pith_i_design_multiply_t(ctx, s->X, m, T, W));
        scale_rows(p, m, s->inverse_q, false, W);
    }
    for (int64_t i = 0; R != NULL && i < n; i++)
        for (int64_t t = 0; t < m; t++)
            R[i * m + t] = s->b * T[i * m + t] / (s->u != NULL ? s->u[i] : 1);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status solve_by_features(pith_ctx *ctx, const pith_i_row_sparse *s, int64_t m, const double *F,
                                     double *W, double *R)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = s->X->X->n, p = s->X->X->p;
    double *weighted = NULL;
    pith_status st = PITH_OK;
    if (s->u != NULL) {
        TRY(SCRATCH(ctx, weighted, n * m));
        for (int64_t i = 0; i < n; i++)
            for (int64_t t = 0; t < m; t++)
                weighted[i * m + t] = s->u[i] * F[i * m + t];
    }
    if (W == NULL)
        TRY(SCRATCH(ctx, W, p * m));
    TRY(pith_i_design_multiply_t(ctx, s->X, m, weighted != NULL ? weighted : F, W));
    scale_rows(p, m, s->inverse_q, true, W);
    pith_i_cholesky_solve(p, s->factor, m, W);
    scale_rows(p, m, s->inverse_q, true, W);
    if (R != NULL) {
        TRY(pith_i_design_multiply(ctx, s->X, m, W, R));
        for (int64_t e = 0; e < n * m; e++)
            R[e] = F[e] - R[e];
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- By conjugate gradients ---------------------------------------------------------------------------- */

enum { WIDTH = 256, MOST_STEPS = 5000 };

typedef struct step_system {
    const pith_i_row_sparse *s;
    double ridge; /* 0, or b */
} step_system;

/* Y = E X Q^-1 X' E V + ridge V */
static pith_status multiply(pith_ctx *ctx, const void *self, int64_t m, const double *V, double *Y)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const step_system *a = self;
    const pith_i_row_sparse *s = a->s;
    const int64_t n = s->X->X->n, p = s->X->X->p;
    double *scaled = NULL, *features = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, scaled, n * m));
    TRY(SCRATCH(ctx, features, p * m));
    for (int64_t i = 0; i < n; i++)
        for (int64_t t = 0; t < m; t++)
            scaled[i * m + t] = s->root[i] * V[i * m + t];
    TRY(pith_i_design_multiply_t(ctx, s->X, m, scaled, features));
    scale_rows(p, m, s->inverse_q, false, features);
    TRY(pith_i_design_multiply(ctx, s->X, m, features, Y));
    for (int64_t i = 0; i < n; i++)
        for (int64_t t = 0; t < m; t++)
            Y[i * m + t] = s->root[i] * Y[i * m + t] + a->ridge * V[i * m + t];
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* The system as a map, over all processes. */
static pith_i_rows_map map_of(const step_system *a)
{
    const pith_i_data *X = a->s->X->X;
    return (pith_i_rows_map){.n = X->n, .self = a, .apply = multiply, .offset = X->offset, .all = X->all};
}

static pith_status take_sketch(pith_ctx *ctx, pith_i_row_sparse *s)
{
    const int64_t n = s->X->X->n, all = pith_i_all(s->X->X);
    const step_system weighted = {s, 0};
    const pith_i_rows_map map = map_of(&weighted);
    pith_status st = PITH_OK;
    if (s->sketch.U == NULL) {
        TRY(SCRATCH(ctx, s->root, n));
        TRY(SCRATCH_ZERO(ctx, s->solution, n * s->columns));
        TRY(pith_i_nystrom_open(ctx, n, all < WIDTH ? all : WIDTH, &s->sketch));
    }
    for (int64_t i = 0; i < n; i++)
        s->root[i] = s->u != NULL ? sqrt(s->u[i]) : 1;
    TRY(pith_i_nystrom_update(ctx, &map, s->b, &s->sketch));
done:
    return st;
}

static pith_status solve_by_steps(pith_ctx *ctx, const pith_i_row_sparse *s, int64_t m, const double *F,
                                  double *W, double *R)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = s->X->X->n, p = s->X->X->p;
    const step_system whole = {s, s->b};
    const pith_i_rows_map map = map_of(&whole), near = pith_i_nystrom_preconditioner(&s->sketch);
    double *right = NULL, *S = s->solution;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, right, n * m));
    if (m != s->columns) /* the last solution is for other targets */
        TRY(SCRATCH_ZERO(ctx, S, n * m));
    for (int64_t i = 0; i < n; i++)
        for (int64_t t = 0; t < m; t++)
            right[i * m + t] = s->root[i] * F[i * m + t];
    TRY(pith_i_cg(ctx, &map, &near, m, right, s->tolerance, MOST_STEPS, S, NULL));
    for (int64_t i = 0; i < n; i++)
        for (int64_t t = 0; t < m; t++) {
            right[i * m + t] = s->root[i] * S[i * m + t];
            if (R != NULL)
                R[i * m + t] = s->b * S[i * m + t] / s->root[i];
        }
    if (W != NULL) {
        TRY(pith_i_design_multiply_t(ctx, s->X, m, right, W));
        scale_rows(p, m, s->inverse_q, false, W);
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_row_sparse_image(pith_ctx *ctx, const pith_i_row_sparse *s, int64_t m, const double *S,
                                    double *V)
{
    const step_system whole = {s, s->b};
    return multiply(ctx, &whole, m, S, V);
}

pith_status pith_i_row_sparse_near(pith_ctx *ctx, const pith_i_row_sparse *s, int64_t m, double tolerance,
                                   const double *V, double *S)
{
    const step_system whole = {s, s->b};
    const pith_i_rows_map map = map_of(&whole), near = pith_i_nystrom_preconditioner(&s->sketch);
    memset(S, 0, (size_t)(map.n * m) * sizeof *S);
    return pith_i_cg_near(ctx, &map, &near, m, V, tolerance, MOST_STEPS, S);
}

void pith_i_row_sparse_begin(pith_i_row_sparse *s, int64_t step, const double *S)
{
    for (int64_t i = 0; i < s->X->X->n; i++)
        memcpy(s->solution + i * s->columns, S + i * step, (size_t)s->columns * sizeof *S);
}

/* ---- The choice ---------------------------------------------------------------------------------------- */

/*
 * Costs, in multiplications of BLAS on large blocks. One with a sparse entry costs about eight of these, and
 * one with a dense matrix of few columns two. LITTLE takes a fraction of a second: not worth a choice.
 */
static const double LITTLE = 5e9, SPARSE = 8, THIN = 2;

static double direct_cost(const pith_i_row_sparse *s)
{
    const pith_i_design *D = s->X;
    const double n = s->rows, p = (double)D->X->p, size = s->by_samples ? n : p;
    double gram = s->by_samples ? n * n * p / 2 : s->u != NULL || !s->has_gram ? n * p * p / 2 : 0;
    if (s->by_samples && D->X->sparse) {
        gram = 0;
        for (int64_t j = 0; j < D->X->p; j++) {
            const double length = (double)(D->T->indptr[j + 1] - D->T->indptr[j]);
            gram += length > n / 4 ? n * n / 2 : SPARSE * length * length / 2;
        }
    }
    return gram + size * size * size / 6 + size * size * (double)s->columns;
}

/* For one target and one step. */
static double product_cost(const pith_i_row_sparse *s)
{
    return 2 * (s->X->X->sparse ? SPARSE : THIN) * s->stored;
}

static double cost_by_steps(const pith_i_row_sparse *s, double steps)
{
    return (WIDTH + steps * (double)s->columns) * product_cost(s);
}

/* The largest eigenvalue that the sketch does not cover. If all its columns are in use and the spectrum
 * hardly falls, its own least value is far too small an estimate. On TDT2 fsasl's ridge takes 676 steps where
 * 286 were expected, as many as for six times that value. It is twelve here, since the choice was between
 * steps that took 40 to 90 s and a factor that took 10 s. */
static double largest_left(const pith_i_row_sparse *s)
{
    const double last = pith_i_nystrom_last(&s->sketch);
    return s->sketch.rank == s->sketch.room && last > s->b ? 12 * last : last;
}

/* Of conjugate gradients whose matrix has eigenvalues within b .. left + b: at each step the error falls by
 * the factor (sqrt(k) - 1) / (sqrt(k) + 1), k = 1 + left / b, which is taken to be at least 1e-3. */
static double expected_steps(const pith_i_row_sparse *s)
{
    const double k = sqrt(1 + largest_left(s) / s->b), rate = fmax((k - 1) / (k + 1), 1e-3);
    return 2 + log(2 / s->tolerance) / -log(rate);
}

bool pith_i_row_sparse_is_large(const pith_i_row_sparse *s)
{
    return direct_cost(s) > LITTLE;
}

static pith_status choose(pith_ctx *ctx, pith_i_row_sparse *s)
{
    enum { FEWEST = 4 };
    const double direct = direct_cost(s);
    const bool large = s->way == PITH_I_BY_COST && pith_i_row_sparse_is_large(s),
               wide = pith_i_is_spread(s->X->X) && s->rows < (double)s->X->X->p, /* p x p is too large */
        only = s->way == PITH_I_ITERATIVE || (large && wide);
    pith_status st = PITH_OK;
    s->iterative = only || (large && cost_by_steps(s, FEWEST) < direct);
    if (!s->iterative)
        goto done;
    TRY(take_sketch(ctx, s));
    s->iterative = only || cost_by_steps(s, expected_steps(s)) < direct;
done:
    return st;
}

pith_status pith_i_row_sparse_factor(pith_ctx *ctx, pith_i_row_sparse *s, double b, const double *u)
{
    pith_status st = PITH_OK;
    s->b = b;
    s->u = u;
    TRY(choose(ctx, s));
    if (!s->iterative)
        TRY(factor_directly(ctx, s));
done:
    return st;
}

pith_status pith_i_row_sparse_solve(pith_ctx *ctx, const pith_i_row_sparse *s, int64_t m, const double *F,
                                    double *W, double *R)
{
    if (s->iterative)
        return solve_by_steps(ctx, s, m, F, W, R);
    return s->by_samples ? solve_by_samples(ctx, s, m, F, W, R) : solve_by_features(ctx, s, m, F, W, R);
}

double pith_i_row_norms(int64_t p, int64_t m, const double *W, double *norm)
{
    double largest = 0;
    for (int64_t r = 0; r < p; r++) {
        norm[r] = cblas_dnrm2((int)m, W + r * m, 1); /* scaled: no square under- or overflows */
        largest = fmax(largest, norm[r]);
    }
    return largest;
}

static void leave_out(pith_i_row_sparse *s)
{
    for (int64_t r = 0; s->X->left_out != NULL && r < s->X->X->p; r++)
        if (s->X->left_out[r])
            s->inverse_q[r] = 0;
}

void pith_i_row_sparse_reweight(pith_i_row_sparse *s, int64_t m, const double *W)
{
    const int64_t p = s->X->X->p;
    const double largest = pith_i_row_norms(p, m, W, s->inverse_q);
    for (int64_t r = 0; r < p; r++)
        s->inverse_q[r] = 2 * fmax(s->inverse_q[r], 1e-12 * largest);
    leave_out(s);
}

void pith_i_row_sparse_reweight_smooth(pith_i_row_sparse *s, int64_t m, const double *W, double e)
{
    pith_i_row_norms(s->X->X->p, m, W, s->inverse_q);
    for (int64_t r = 0; r < s->X->X->p; r++)
        s->inverse_q[r] = 2 * hypot(s->inverse_q[r], e);
    leave_out(s);
}
