#include "methods/lgdfs/regions.h"

#include "core/engine.h"
#include "core/parallel.h"
#include "graph/knn_top.h"
#include "graph/local_fit.h"
#include "graph/local_pieces.h"
#include "linalg/eigen.h"
#include "matrix/gather.h"

#include <string.h>

pith_status pith_i_regions_open(pith_ctx *ctx, const pith_i_data *X, int64_t k, double ridge,
                                pith_i_regions *out)
{
    const int64_t n = X->n;
    pith_i_regions r = {.n = n, .k = k, .ridge = ridge, .near = {.n = n, .k = k - 1}};
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, r.near.index, n * (k - 1)));
    r.place = r.near.index;
    if (pith_i_is_spread(X))
        TRY(SCRATCH(ctx, r.place, n * (k - 1)));
    TRY(SCRATCH(ctx, r.J, n * k * k));
    TRY(SCRATCH(ctx, r.room, n * k * k));
    *out = r;
done:
    return st;
}

void pith_i_regions_close(pith_i_regions *r)
{
    pith_i_local_sum_free(&r->sum);
}

/* Where sample t of region i is. */
static int64_t member(const pith_i_regions *r, int64_t i, int64_t t)
{
    return t == 0 ? i : r->place[i * (r->k - 1) + t - 1];
}

/* ---- Neighbours ---------------------------------------------------------------------------------------- */

/* The k - 1 rows nearest to every row by |x_a - x_b|^2 = G_aa + G_bb - 2 G_ab. */
static pith_status find_by_products(pith_ctx *ctx, pith_i_regions *r, const double *G)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = r->n, others = r->k - 1;
    pith_i_near *heaps = NULL;
    double *square = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, heaps, others * pith_ctx_threads(ctx)));
    TRY(SCRATCH(ctx, square, n));
    for (int64_t b = 0; b < n; b++)
        square[b] = G[b * n + b];
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic, 16)
    for (int64_t a = 0; a < n; a++) {
        pith_i_near *near = heaps + others * pith_i_thread();
        const double *row = G + a * n;
        int64_t count = 0;
        for (int64_t b = 0; b < n; b++)
            if (b != a)
                pith_i_top_push(near, &count, others, (pith_i_near){square[b] - 2 * row[b], b});
        pith_i_top_sort(near, count);
        for (int64_t e = 0; e < others; e++)
            r->near.index[a * others + e] = near[e].id;
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status find_by_rows(pith_ctx *ctx, pith_i_regions *r, const pith_i_data *V)
{
    pith_i_knn found = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_knn_find(ctx, V, r->k - 1, PITH_I_EUCLIDEAN, &found));
    memcpy(r->near.index, found.index, (size_t)(r->n * (r->k - 1)) * sizeof *found.index);
done:
    pith_i_knn_free(&found);
    return st;
}

/* ---- Regressions --------------------------------------------------------------------------------------- */

/* Subtracts the means of rows and columns from a symmetric k x k block. */
static void centre(int64_t k, double *A)
{
    for (int side = 0; side < 2; side++)
        for (int64_t a = 0; a < k; a++) {
            double *line = side == 0 ? A + a * k : A + a, mean = 0;
            const int64_t step = side == 0 ? 1 : k;
            for (int64_t b = 0; b < k; b++)
                mean += line[b * step] / (double)k;
            for (int64_t b = 0; b < k; b++)
                line[b * step] -= mean;
        }
}

/* A <- A^-1 for a positive definite k x k block, by Gauss-Jordan sweeps: no pivot is smaller than the lowest
 * eigenvalue. */
static void invert(int64_t k, double *A)
{
    for (int64_t p = 0; p < k; p++) {
        const double d = 1 / A[p * k + p];
        for (int64_t a = 0; a < k; a++)
            for (int64_t b = 0; a != p && b < k; b++)
                if (b != p)
                    A[a * k + b] -= A[a * k + p] * A[p * k + b] * d;
        for (int64_t a = 0; a < k; a++) {
            A[a * k + p] *= a == p ? 0 : d;
            A[p * k + a] *= a == p ? 0 : d;
        }
        A[p * k + p] = -d;
    }
    for (int64_t e = 0; e < k * k; e++)
        A[e] = -A[e];
}

/* J holds G_i, or -D_i / 2 with squared distances D_i, which is the same once it is centred. It becomes J_i.
 */
static void fit_region(const pith_i_regions *r, double *J)
{
    const int64_t k = r->k;
    centre(k, J);
    for (int64_t a = 0; a < k; a++)
        J[a * k + a] += r->ridge;
    invert(k, J);
    centre(k, J);
}

/* The bound is the largest number of regions that a sample is in, since J_i <= I / ridge. */
static pith_status count_regions(pith_ctx *ctx, pith_i_regions *r)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = r->n;
    int64_t *met = NULL, most = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, met, n));
    for (int64_t i = 0; i < n; i++)
        for (int64_t t = 0; t < r->k; t++)
            met[member(r, i, t)]++;
    for (int64_t i = 0; i < n; i++)
        most = pith_i_max(most, met[i]);
    r->bound = (double)most;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* The bound for regions that are spread is the largest sum of moduli in a row. */
static pith_status find_bound(pith_ctx *ctx, pith_i_regions *r)
{
    r->bound = r->ridge * pith_i_row_sum_bound(r->n, r->sum.row, r->sum.value, 0);
    return pith_i_sum_by(ctx, PITH_ENGINE_MOST, 1, &r->bound);
}

/* X: the samples. */
static pith_status add_up(pith_ctx *ctx, const pith_i_data *X, pith_i_regions *r)
{
    const int64_t n = r->n, k = r->k;
    pith_status st = PITH_OK;
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(static, 16)
    for (int64_t i = 0; i < n; i++)
        fit_region(r, r->J + i * k * k);
    pith_i_local_sum_free(&r->sum);
    TRY(pith_i_local_sum_of(ctx, X, &r->near, r->J, &r->sum));
    for (int64_t e = 0; pith_i_is_spread(X) && e < n * (k - 1); e++) /* the sum's halo has all of them */
        r->place[e] = pith_i_halo_place(&r->sum.halo, r->near.index[e]);
    TRY((pith_i_is_spread(X) ? find_bound : count_regions)(ctx, r));
done:
    return st;
}

pith_status pith_i_regions_by_products(pith_ctx *ctx, pith_i_regions *r, const double *G, bool move)
{
    const int64_t n = r->n, k = r->k;
    const pith_i_data samples = {.n = n};
    pith_status st = PITH_OK;
    if (move)
        TRY(find_by_products(ctx, r, G));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(static, 16)
    for (int64_t i = 0; i < n; i++)
        for (int64_t a = 0; a < k; a++)
            for (int64_t b = 0; b < k; b++)
                r->J[(i * k + a) * k + b] = G[member(r, i, a) * n + member(r, i, b)];
    TRY(add_up(ctx, &samples, r));
done:
    return st;
}

pith_status pith_i_regions_by_rows(pith_ctx *ctx, pith_i_regions *r, const pith_i_data *V, bool move)
{
    pith_status st = PITH_OK;
    if (move)
        TRY(find_by_rows(ctx, r, V));
    TRY(pith_i_local_distances(ctx, V, &r->near, r->J));
    for (int64_t e = 0; e < r->n * r->k * r->k; e++)
        r->J[e] /= -2;
    TRY(add_up(ctx, V, r));
done:
    return st;
}

/* ---- Energies of the features -------------------------------------------------------------------------- */

/* Y with the entries of the halo behind it: vector v is Y + v * *step. In scratch; Y itself where nothing is
 * spread. */
static pith_status with_halo(pith_ctx *ctx, const pith_i_regions *r, int64_t vectors, const double **Y,
                             int64_t *step)
{
    const int64_t n = r->n, all = n + r->sum.halo.count;
    double *rows = NULL, *with = NULL;
    pith_status st = PITH_OK;
    *step = n;
    if (r->sum.all == 0)
        return PITH_OK;
    TRY(SCRATCH(ctx, rows, all * vectors));
    TRY(SCRATCH(ctx, with, all * vectors));
    pith_i_transpose_panel(vectors, n, *Y, rows);
    TRY(pith_i_halo_numbers(ctx, &r->sum.halo, vectors, rows, rows + n * vectors));
    pith_i_transpose_panel(all, vectors, rows, with);
    *Y = with;
    *step = all;
done:
    return st;
}

/* M_i M_i' of every region, M_i = J_i Y_i (k x vectors), into room. */
static pith_status square_regions(pith_ctx *ctx, const pith_i_regions *r, int64_t vectors, const double *Y)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = r->n, k = r->k;
    int64_t step = 0;
    double *rooms = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, rooms, k * vectors * pith_ctx_threads(ctx)));
    TRY(with_halo(ctx, r, vectors, &Y, &step));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(static, 16)
    for (int64_t i = 0; i < n; i++) {
        const double *J = r->J + i * k * k;
        double *M = rooms + k * vectors * pith_i_thread(), *out = r->room + i * k * k;
        memset(M, 0, (size_t)(k * vectors) * sizeof *M);
        for (int64_t a = 0; a < k; a++)
            for (int64_t v = 0; v < vectors; v++)
                for (int64_t b = 0; b < k; b++)
                    M[a * vectors + v] += J[a * k + b] * Y[v * step + member(r, i, b)];
        for (int64_t a = 0; a < k; a++)
            for (int64_t b = 0; b < k; b++) {
                out[a * k + b] = 0;
                for (int64_t v = 0; v < vectors; v++)
                    out[a * k + b] += M[a * vectors + v] * M[b * vectors + v];
            }
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

enum { WIDE = 32 };

/* Rows of Q. Row i is that of sample own + i of X, and columns are places in X. */
typedef struct form {
    const pith_i_design *X;
    const pith_i_local_sum *Q;
    int64_t own;
} form;

/* s_j = sum_i x_ij (Q x_j)_i for the columns first.. of dense data. tile: n x WIDE. */
static void quadratic_tile(const form *f, int64_t first, double *tile, double *s)
{
    const pith_i_design *D = f->X;
    const pith_i_local_sum *Q = f->Q;
    const pith_i_data *X = D->X;
    const int64_t count = X->p - first < WIDE ? X->p - first : WIDE;
    pith_i_block(X, 0, X->n, first, count, tile, WIDE);
    for (int64_t i = 0; D->shift != NULL && i < X->n; i++)
        for (int64_t c = 0; c < count; c++)
            tile[i * WIDE + c] -= D->shift[first + c];
    memset(s + first, 0, (size_t)count * sizeof *s);
    for (int64_t i = 0; i < Q->n; i++) {
        double row[WIDE] = {0};
        for (int64_t e = Q->row[i]; e < Q->row[i + 1]; e++) {
            const double q = Q->value[e], *x = tile + (int64_t)Q->col[e] * WIDE;
            for (int64_t c = 0; c < WIDE; c++)
                row[c] += q * x[c];
        }
        for (int64_t c = 0; c < count; c++)
            s[first + c] += tile[(f->own + i) * WIDE + c] * row[c];
    }
}

/* The same for one sparse column. Its shift adds nothing, since the rows of Q add up to 0. x: n zeros. */
static double quadratic_column(const form *f, int64_t j, double *x)
{
    const pith_i_data *T = f->X->T;
    const pith_i_local_sum *Q = f->Q;
    double s = 0;
    for (int64_t t = T->indptr[j]; t < T->indptr[j + 1]; t++)
        x[T->indices[t]] = pith_i_at(T, j, t);
    for (int64_t t = T->indptr[j]; t < T->indptr[j + 1]; t++) {
        const int64_t i = T->indices[t] - f->own;
        double sum = 0;
        if (i < 0 || i >= Q->n)
            continue;
        for (int64_t e = Q->row[i]; e < Q->row[i + 1]; e++)
            sum += Q->value[e] * x[Q->col[e]];
        s += x[f->own + i] * sum;
    }
    for (int64_t t = T->indptr[j]; t < T->indptr[j + 1]; t++)
        x[T->indices[t]] = 0;
    return s;
}

static pith_status quadratic(pith_ctx *ctx, const form *f, double *s)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_design *D = f->X;
    const bool sparse = D->X->sparse;
    const int64_t width = sparse ? 1 : WIDE, p = D->X->p;
    double *rooms = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, rooms, D->X->n * width * pith_ctx_threads(ctx)));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic)
    for (int64_t first = 0; first < p; first += WIDE) {
        double *room = rooms + D->X->n * width * pith_i_thread();
        const int64_t end = first + WIDE < p ? first + WIDE : p;
        if (!sparse)
            quadratic_tile(f, first, room, s);
        for (int64_t j = first; sparse && j < end; j++)
            s[j] = quadratic_column(f, j, room);
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

typedef struct spread_form {
    const pith_i_design *X;
    const pith_i_local_sum *Q;
    double *s;
} spread_form;

/* What the rows of a piece add to s. A piece has its own rows side by side: rows come by their numbers. */
static pith_status add_piece(pith_ctx *ctx, void *self, const pith_i_piece *piece)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const spread_form *all = self;
    const int64_t n = piece->hi - piece->lo, p = piece->X.p, *start = all->Q->row + piece->lo;
    pith_i_local_sum Q = {.n = n, .value = all->Q->value + start[0]};
    pith_i_data T = {0};
    const pith_i_design X = {.X = &piece->X, .T = &T, .shift = all->X->shift};
    form f = {&X, &Q, 0};
    double *s = NULL;
    pith_status st = PITH_OK;
    if (n == 0)
        goto done;
    TRY(SCRATCH(ctx, s, p));
    TRY(SCRATCH(ctx, Q.row, n + 1));
    TRY(SCRATCH(ctx, Q.col, start[n] - start[0]));
    for (int64_t i = 0; i <= n; i++)
        Q.row[i] = start[i] - start[0];
    for (int64_t e = 0; e < Q.row[n]; e++) {
        Q.col[e] = (int32_t)piece->place[e];
        if (all->Q->col[start[0] + e] == piece->lo)
            f.own = piece->place[e];
    }
    if (piece->X.sparse)
        TRY(pith_i_transpose(ctx, &piece->X, &T));
    TRY(quadratic(ctx, &f, s));
    for (int64_t j = 0; j < p; j++)
        all->s[j] += s[j];
done:
    pith_i_data_free(&T);
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status quadratic_spread(pith_ctx *ctx, const pith_i_design *X, const pith_i_local_sum *Q,
                                    double *s)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t entries = Q->row[Q->n];
    spread_form all = {X, Q, s};
    int64_t *id = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, id, entries));
    for (int64_t e = 0; e < entries; e++)
        id[e] = Q->col[e] < Q->n ? Q->offset + Q->col[e] : Q->halo.id[Q->col[e] - Q->n];
    memset(s, 0, (size_t)X->X->p * sizeof *s);
    TRY(pith_i_in_pieces(ctx, X->X, &(pith_i_row_lists){Q->n, Q->row, id}, add_piece, &all));
    TRY(pith_i_sum(ctx, X->X->p, s));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_regions_energy(pith_ctx *ctx, pith_i_regions *r, const pith_i_design *X, int64_t vectors,
                                  const double *Y, double *s)
{
    pith_i_local_sum Q = {0};
    pith_status st = PITH_OK;
    TRY(square_regions(ctx, r, vectors, Y));
    TRY(pith_i_local_sum_of(ctx, X->X, &r->near, r->room, &Q));
    TRY(pith_i_is_spread(X->X) ? quadratic_spread(ctx, X, &Q, s) : quadratic(ctx, &(form){X, &Q, 0}, s));
done:
    pith_i_local_sum_free(&Q);
    return st;
}
