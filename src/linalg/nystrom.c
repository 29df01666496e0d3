#include "linalg/nystrom.h"

#include "core/engine.h"
#include "core/parallel.h"
#include "core/random.h"
#include "linalg/cholesky.h"
#include "linalg/eigen.h"
#include "linalg/panel.h"
#include "matrix/blas.h"

#include <math.h>
#include <string.h>

enum { ROWS = 512, SPARE = 16 }; /* rows of one product; random columns, to find new directions */

pith_status pith_i_nystrom_open(pith_ctx *ctx, int64_t n, int64_t room, pith_i_nystrom *out)
{
    pith_i_nystrom s = {.n = n, .room = room, .width = room};
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, s.U, n * room));
    TRY(SCRATCH_ZERO(ctx, s.value, room));
    *out = s;
done:
    return st;
}

double pith_i_nystrom_last(const pith_i_nystrom *s)
{
    return s->rank > 0 ? s->value[s->rank - 1] : 0;
}

/* ---- Products of n rows ------------------------------------------------------------------------------- */

static pith_status sum_all(pith_ctx *ctx, const pith_i_nystrom *s, int64_t count, double *sums)
{
    return s->all > 0 ? pith_i_sum(ctx, count, sums) : PITH_OK;
}

/* G = A'B of two n x width panels, over all processes. */
static pith_status inner_all(pith_ctx *ctx, const pith_i_nystrom *s, const double *A, const double *B,
                             double *G)
{
    const int64_t width = s->width;
    pith_status st = PITH_OK;
    TRY(pith_i_panel_inner(ctx, s->n, (pith_i_panel){width, width, A}, (pith_i_panel){width, width, B}, G));
    TRY(sum_all(ctx, s, width * width, G));
done:
    return st;
}

/* Y <- Y L^-T, L lower triangular. */
static void divide(pith_ctx *ctx, const pith_i_nystrom *s, const double *L, double *Y)
{
    const int64_t n = s->n, width = s->width;
    pith_i_blas_enter();
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(static)
    for (int64_t i = 0; i < n; i += ROWS)
        cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit,
                    (int)(n - i < ROWS ? n - i : ROWS), (int)width, 1, L, (int)width, Y + i * width,
                    (int)width);
    pith_i_blas_leave();
}

/* ---- The sketch --------------------------------------------------------------------------------------- */

/* Changes the width of U and keeps its first columns. */
static void resize(pith_i_nystrom *s, int64_t width)
{
    const int64_t n = s->n, old = s->width, kept = s->rank < width ? s->rank : width;
    for (int64_t k = 0; width != old && k < n; k++) {
        const int64_t i = width < old ? k : n - 1 - k; /* no row is overwritten before it has moved */
        memmove(s->U + i * width, s->U + i * old, (size_t)kept * sizeof *s->U);
    }
    s->width = width;
    s->rank = kept;
}

/* The number of values that matter beside the ridge, and SPARE more. */
static int64_t useful_width(const pith_i_nystrom *s)
{
    int64_t width = SPARE;
    for (int64_t v = 0; v < s->rank; v++)
        width += s->value[v] > s->ridge / 100;
    return s->rank > 0 && width < s->room ? width : s->room;
}

/* O: the columns of the last sketch and random ones, made orthonormal by Cholesky QR, twice: columns that are
 * nearly dependent lose digits in the first pass. */
static pith_status begin(pith_ctx *ctx, pith_i_nystrom *s, double *G)
{
    pith_status st = PITH_OK;
    const int64_t first = s->looks++ * (s->all > 0 ? s->all : s->n) + s->offset;
    for (int64_t i = 0; i < s->n; i++) {
        pith_i_stream numbers =
            pith_i_stream_at(pith_ctx_seed(ctx), PITH_I_RANDOM_SKETCH, (uint64_t)(first + i));
        for (int64_t t = s->rank; t < s->width; t++)
            s->U[i * s->width + t] = pith_i_random_normal(&numbers);
    }
    for (int times = 0; times < 2; times++) {
        TRY(inner_all(ctx, s, s->U, s->U, G));
        TRY(pith_i_cholesky(ctx, s->width, G));
        divide(ctx, s, G, s->U);
    }
done:
    return st;
}

/* Y += nu O, with nu far below the values that matter and far above rounding: O'Y is then positive definite.
 */
static pith_status lift(pith_ctx *ctx, const pith_i_nystrom *s, double *Y, double *nu)
{
    double square = 0;
    pith_status st = PITH_OK;
    for (int64_t e = 0; e < s->n * s->width; e++)
        square += Y[e] * Y[e];
    TRY(sum_all(ctx, s, 1, &square));
    *nu = 1e-13 * sqrt(square);
    for (int64_t e = 0; e < s->n * s->width; e++)
        Y[e] += *nu * s->U[e];
done:
    return st;
}

/* U and the values, eigenpairs of B B', from those of B'B: u = B v / sigma. Vector v is V + v * width. */
static void take_pairs(pith_ctx *ctx, pith_i_nystrom *s, double nu, const double *square, const double *V,
                       const double *B, double *M)
{
    const int64_t width = s->width;
    s->rank = 0;
    for (int64_t t = 0; t < width; t++) {
        const double at = square[width - 1 - t]; /* ascending */
        if (!(at > 1e-10 * square[width - 1]) || !(at > nu))
            break;
        s->value[t] = at - nu;
        s->rank++;
        for (int64_t r = 0; r < width; r++)
            M[r * width + t] = V[(width - 1 - t) * width + r] / sqrt(at);
    }
    for (int64_t t = s->rank; t < width; t++)
        for (int64_t r = 0; r < width; r++)
            M[r * width + t] = 0;
    pith_i_panel_times(ctx, s->n, 1, (pith_i_panel){width, width, B}, (pith_i_panel){width, width, M}, 0,
                       s->U, width);
}

static pith_status look(pith_ctx *ctx, const pith_i_rows_map *A, pith_i_nystrom *s)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t width = s->width;
    double *Y = NULL, *G = NULL, *V = NULL, *square = NULL, nu = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, Y, s->n * width));
    TRY(SCRATCH(ctx, G, width * width));
    TRY(SCRATCH(ctx, V, width * width));
    TRY(SCRATCH(ctx, square, width));
    TRY(begin(ctx, s, G));
    TRY(A->apply(ctx, A->self, width, s->U, Y));
    TRY(lift(ctx, s, Y, &nu));
    if (!(nu > 0)) {
        s->rank = 0;
        goto done;
    }
    TRY(inner_all(ctx, s, s->U, Y, G));
    TRY(pith_i_cholesky(ctx, width, G));
    divide(ctx, s, G, Y);
    TRY(inner_all(ctx, s, Y, Y, G));
    TRY(pith_i_eigen_dense(ctx, width, G, square, V));
    take_pairs(ctx, s, nu, square, V, Y, G);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_nystrom_update(pith_ctx *ctx, const pith_i_rows_map *A, double ridge, pith_i_nystrom *s)
{
    pith_status st = PITH_OK;
    s->ridge = ridge;
    s->offset = A->offset;
    s->all = A->all;
    resize(s, useful_width(s));
    TRY(look(ctx, A, s));
    if (s->rank == s->width && s->width < s->room && pith_i_nystrom_last(s) > ridge / 100) {
        resize(s, s->room);
        TRY(look(ctx, A, s));
    }
done:
    return st;
}

static pith_status precondition(pith_ctx *ctx, const void *self, int64_t m, const double *X, double *Y)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_nystrom *s = self;
    const pith_i_panel U = {s->rank, s->width, s->U};
    const double last = pith_i_nystrom_last(s);
    double *C = NULL;
    pith_status st = PITH_OK;
    memcpy(Y, X, (size_t)(s->n * m) * sizeof *Y);
    if (s->rank == 0)
        goto done;
    TRY(SCRATCH(ctx, C, s->rank * m));
    TRY(pith_i_panel_inner(ctx, s->n, U, (pith_i_panel){m, m, X}, C));
    TRY(sum_all(ctx, s, s->rank * m, C));
    for (int64_t v = 0; v < s->rank; v++)
        for (int64_t t = 0; t < m; t++)
            C[v * m + t] *= (last + s->ridge) / (s->value[v] + s->ridge) - 1;
    pith_i_panel_times(ctx, s->n, 1, U, (pith_i_panel){m, m, C}, 1, Y, m);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_i_rows_map pith_i_nystrom_preconditioner(const pith_i_nystrom *s)
{
    return (pith_i_rows_map){.n = s->n, .self = s, .apply = precondition, .offset = s->offset, .all = s->all};
}
