#include "methods/udfs/by_steps.h"

#include "core/random.h"
#include "linalg/eigen.h"
#include "matrix/blas.h"
#include "matrix/gather.h"
#include "methods/udfs/lowest.h"

#include <math.h>
#include <string.h>

enum { SOME = 32 }; /* columns at a time */

static bool is_left_out(const pith_i_sparse_subspace *s, int64_t r)
{
    return s->X->left_out != NULL && s->X->left_out[r];
}

static pith_status multiply(pith_ctx *ctx, const void *self, int64_t m, const double *W, double *Y)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_sparse_subspace *s = self;
    const int64_t n = s->X->X->n;
    double *rows = NULL, *vectors = NULL, *moved = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, rows, n * m));
    TRY(SCRATCH(ctx, vectors, n * m));
    TRY(SCRATCH(ctx, moved, n * m));
    TRY(pith_i_design_multiply(ctx, s->X, m, W, rows));
    pith_i_transpose_panel(n, m, rows, vectors);
    TRY(s->B.apply(ctx, s->B.self, m, vectors, moved));
    pith_i_transpose_panel(m, n, moved, rows);
    TRY(pith_i_design_multiply_t(ctx, s->X, m, rows, Y));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_i_rows_map pith_i_subspace_product(const pith_i_sparse_subspace *s)
{
    return (pith_i_rows_map){.n = s->X->X->p, .self = s, .apply = multiply};
}

/* M's diagonal: x_r'B x_r of every feature, over all samples. */
static pith_status find_diagonal(pith_ctx *ctx, pith_i_sparse_subspace *s)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = s->X->X->n, p = s->X->X->p;
    double *column = NULL, *moved = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, column, n * SOME));
    TRY(SCRATCH(ctx, moved, n * SOME));
    for (int64_t j = 0; j < p; j += SOME) {
        const int64_t m = pith_i_min(SOME, p - j);
        TRY(pith_i_stop_status(ctx));
        for (int64_t t = 0; t < m; t++)
            pith_i_design_column(s->X, j + t, column + t * n);
        TRY(s->B.apply(ctx, s->B.self, m, column, moved));
        for (int64_t t = 0; t < m; t++)
            s->diagonal[j + t] = cblas_ddot((int)n, column + t * n, 1, moved + t * n, 1);
    }
    TRY(pith_i_sum_over(ctx, s->X->X, p, s->diagonal));
    for (int64_t r = 0; r < p; r++)
        s->diagonal[r] = fmax(s->diagonal[r], 0);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_subspace_steps_open(pith_ctx *ctx, pith_i_sparse_subspace *s)
{
    const int64_t p = s->X->X->p;
    pith_status st = PITH_OK;
    s->width = pith_i_min(s->kept, s->c + pith_i_max(s->c, 10));
    TRY(SCRATCH(ctx, s->diagonal, p));
    TRY(SCRATCH(ctx, s->d, p));
    TRY(SCRATCH(ctx, s->W, p * s->width));
    TRY(SCRATCH(ctx, s->values, s->width));
    TRY(find_diagonal(ctx, s));
done:
    return st;
}

/* The lowest pairs of M + diag(d) into W and values. */
static pith_status find_lowest(pith_ctx *ctx, pith_i_sparse_subspace *s, bool warm)
{
    enum { MOST_STEPS = 400, PATIENT = 10 }; /* where the direct way is to be matched */
    const pith_i_rows_map M = pith_i_subspace_product(s);
    pith_i_lowest L = {.A = &M,
                       .diagonal = s->diagonal,
                       .d = s->d,
                       .wanted = s->c,
                       .width = s->width,
                       .near = s->near,
                       .tolerance = s->exact ? 1e-12 : 1e-9,
                       .most = MOST_STEPS * (s->exact ? PATIENT : 1),
                       .warm = warm,
                       .W = s->W,
                       .value = s->values};
    const pith_status st = pith_i_lowest_pairs(ctx, &L);
    s->residual = fmax(s->residual, L.residual);
    return st;
}

/* ---- The start ----------------------------------------------------------------------------------------- */

/* Columns of standard normal numbers, with 0 for features that are left out. */
static void draw(pith_ctx *ctx, const pith_i_sparse_subspace *s, int64_t first, int64_t m, double *Z)
{
    const int64_t p = s->X->X->p;
    for (int64_t t = 0; t < m; t++) {
        pith_i_stream stream =
            pith_i_stream_at(pith_ctx_seed(ctx), PITH_I_RANDOM_NULL_SPACE, (uint64_t)(first + t));
        for (int64_t r = 0; r < p; r++) {
            const double z = pith_i_random_normal(&stream);
            Z[r * m + t] = is_left_out(s, r) ? 0 : z;
        }
    }
}

/*
 * The share of every feature in M's null space: 1 - h_r, h_r = sum_j e_jr^2. It is estimated from random
 * vectors z and their projections y onto M's range, which conjugate gradients on M y = M z find. The mean of
 * y_r^2 is h_r and that of (z_r - y_r)^2 is 1 - h_r, each with a relative error of about sqrt(2 / PROBES). So
 * the smaller one is more accurate, and is used. It is h_r for features that will matter and for features
 * that are equal to others; the latter stay equal.
 */
static pith_status estimate_shares(pith_ctx *ctx, pith_i_sparse_subspace *s, double *share)
{
    enum { PROBES = 128, MOST_STEPS = 5000 };
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t p = s->X->X->p;
    const pith_i_rows_map M = pith_i_subspace_product(s);
    double *Z = NULL, *Y = NULL, *MZ = NULL, *range = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, Z, p * SOME));
    TRY(SCRATCH(ctx, Y, p * SOME));
    TRY(SCRATCH(ctx, MZ, p * SOME));
    TRY(SCRATCH_ZERO(ctx, range, p));
    memset(share, 0, (size_t)p * sizeof *share);
    for (int64_t first = 0; first < PROBES; first += SOME) {
        draw(ctx, s, first, SOME, Z);
        TRY(M.apply(ctx, M.self, SOME, Z, MZ));
        memset(Y, 0, (size_t)(p * SOME) * sizeof *Y);
        TRY(pith_i_cg(ctx, &M, NULL, SOME, MZ, 1e-4, MOST_STEPS, Y, NULL));
        for (int64_t r = 0; r < p; r++)
            for (int64_t t = 0; t < SOME; t++) {
                const double y = Y[r * SOME + t], rest = Z[r * SOME + t] - y;
                range[r] += y * y / PROBES;
                share[r] += rest * rest / PROBES;
            }
    }
    for (int64_t r = 0; r < p; r++)
        share[r] = is_left_out(s, r) ? 0 : range[r] < 0.6 ? 1 - range[r] : share[r];
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ||w_r||^2 is proportional to the feature's share of the null space. */
static pith_status start_by_shares(pith_ctx *ctx, pith_i_sparse_subspace *s)
{
    double sum = 0;
    pith_status st = PITH_OK;
    TRY(estimate_shares(ctx, s, s->norm));
    for (int64_t r = 0; r < s->X->X->p; r++)
        sum += s->norm[r];
    for (int64_t r = 0; r < s->X->X->p; r++)
        s->norm[r] = sqrt((double)s->c / sum * s->norm[r]);
done:
    return st;
}

/* Starts from the c lowest eigenvectors of M. *found: the last of them is not in the null space. A ridge of
 * 1e-12 lets the steps reach M's null space, too. */
static pith_status start_by_lowest(pith_ctx *ctx, pith_i_sparse_subspace *s, bool *found)
{
    const int64_t p = s->X->X->p;
    double trace = 0;
    pith_status st = PITH_OK;
    for (int64_t r = 0; r < p; r++)
        trace += s->diagonal[r];
    for (int64_t r = 0; r < p; r++)
        s->d[r] = is_left_out(s, r) ? (double)INFINITY : 1e-12 * trace;
    TRY(find_lowest(ctx, s, false));
    *found = s->values[s->c - 1] > 1e-10 * trace;
    for (int64_t r = 0; *found && r < p; r++)
        s->norm[r] = cblas_dnrm2((int)s->c, s->W + r * s->width, 1);
done:
    return st;
}

pith_status pith_i_subspace_steps_start(pith_ctx *ctx, pith_i_sparse_subspace *s)
{
    bool found = false;
    pith_status st = PITH_OK;
    if (s->kept - s->c < pith_i_all(s->X->X)) /* M may have fewer than c null vectors */
        TRY(start_by_lowest(ctx, s, &found));
    if (!found)
        TRY(start_by_shares(ctx, s));
done:
    return st;
}

/* ---- Sweeps -------------------------------------------------------------------------------------------- */

pith_status pith_i_subspace_steps_sweep(pith_ctx *ctx, pith_i_sparse_subspace *s)
{
    const int64_t p = s->X->X->p;
    pith_status st = PITH_OK;
    for (int64_t r = 0; r < p; r++)
        s->d[r] = s->inverse_q[r] > 0 ? s->g / s->inverse_q[r] : (double)INFINITY;
    TRY(find_lowest(ctx, s, s->warm));
    s->warm = true;
    for (int64_t v = 0; v < s->c; v++) {
        s->value[v] = 1 / s->values[v];
        for (int64_t r = 0; r < p; r++)
            s->V[v * p + r] = s->W[r * s->width + v];
        pith_i_fix_sign(p, s->V + v * p);
    }
done:
    return st;
}
