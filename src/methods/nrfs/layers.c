#include "methods/nrfs/layers.h"

#include "core/parallel.h"
#include "graph/distances.h"
#include "matrix/exponential.h"
#include "matrix/simd.h"
#include "matrix/stats.h"

#include <math.h>
#include <string.h>

/* ---- Columns ------------------------------------------------------------------------------------------ */

static pith_status find_live(pith_ctx *ctx, const bool *constant, int64_t p, pith_i_layers *L)
{
    int64_t *feature = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, feature, p));
    for (int64_t j = 0; j < p; j++)
        if (!constant[j])
            feature[L->m++] = j;
    L->feature = feature;
done:
    return st;
}

/* Dense columns one after the other, each contiguous. Sparse data with a shift becomes dense. */
static pith_status copy_columns(pith_ctx *ctx, const pith_i_data *X, const double *shift, pith_i_layers *L)
{
    enum { ROWS = 32 };
    double *columns = NULL, *block = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, columns, L->m * L->n));
    const size_t mark = pith_i_scratch_mark(ctx);
    TRY(SCRATCH(ctx, block, ROWS * X->p));
    for (int64_t i = 0; i < L->n; i += ROWS) {
        const int64_t rows = L->n - i < ROWS ? L->n - i : ROWS;
        pith_i_block(X, i, rows, 0, X->p, block, X->p);
        for (int64_t j = 0; j < L->m; j++) {
            const int64_t f = L->feature[j];
            for (int64_t r = 0; r < rows; r++)
                columns[j * L->n + i + r] = block[r * X->p + f] - (shift != NULL ? shift[f] : 0);
        }
    }
    pith_i_scratch_release(ctx, mark);
    L->columns = columns;
done:
    return st;
}

/* Column j as n numbers: where they are stored, or else written to room. */
static const double *column(const pith_i_layers *L, int64_t j, double *room)
{
    if (L->columns != NULL)
        return L->columns + j * L->n;
    memset(room, 0, (size_t)L->n * sizeof *room);
    for (int64_t e = L->T.indptr[j]; e < L->T.indptr[j + 1]; e++)
        room[L->T.indices[e]] = pith_i_at(&L->T, j, e);
    return room;
}

static pith_status find_subspaces(pith_ctx *ctx, pith_i_layers *L)
{
    const pith_i_data dense = {
        .n = L->m, .p = L->n, .dtype = PITH_F64, .x = L->columns, .row_stride = L->n, .col_stride = 1};
    pith_i_knn knn = {0};
    int32_t *subspace = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, subspace, L->m * L->q));
    TRY(pith_i_knn_find(ctx, L->columns != NULL ? &dense : &L->T, L->q - 1, PITH_I_EUCLIDEAN, &knn));
    for (int64_t j = 0; j < L->m; j++) {
        subspace[j * L->q] = (int32_t)j;
        for (int64_t e = 0; e < knn.k; e++)
            subspace[j * L->q + 1 + e] = (int32_t)knn.index[j * knn.k + e];
    }
    L->subspace = subspace;
done:
    pith_i_knn_free(&knn);
    return st;
}

pith_status pith_i_layers_open(pith_ctx *ctx, const pith_i_data *X, const double *shift, const bool *constant,
                               bool cosine, int64_t q, pith_i_layers *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_layers L = {.n = X->n, .cosine = cosine};
    pith_status st = PITH_OK;
    TRY(find_live(ctx, constant, X->p, &L));
    L.q = q < L.m ? q : L.m;
    if (!X->sparse || shift != NULL) {
        TRY(copy_columns(ctx, X, shift, &L));
    } else {
        TRY(pith_i_take_columns(ctx, X, L.m, L.feature, &L.X));
        TRY(pith_i_transpose(ctx, &L.X, &L.T));
    }
    if (L.q > 1)
        TRY(find_subspaces(ctx, &L));
    if (!cosine)
        TRY(SCRATCH_ZERO(ctx, L.factor, L.m));
    *out = L;
    return PITH_OK;
done:
    pith_i_layers_close(&L);
    pith_i_scratch_release(ctx, mark);
    return st;
}

void pith_i_layers_close(pith_i_layers *L)
{
    pith_i_data_free(&L->X);
    pith_i_data_free(&L->T);
}

/* ---- Distances and cosines in a subspace -------------------------------------------------------------- */

PITH_I_CLONES static void add_squares(int64_t n, const double *x, double from, double *sum)
{
    for (int64_t a = 0; a < n; a++)
        sum[a] += (x[a] - from) * (x[a] - from);
}

static const int32_t *subspace_of(const pith_i_layers *L, int64_t j, int32_t *itself)
{
    *itself = (int32_t)j;
    return L->subspace != NULL ? L->subspace + j * L->q : itself;
}

/* d_a = sum_f (x_af - x_if)^2. */
static void squares(const pith_i_layers *L, int64_t i, int64_t j, double *room, double *d)
{
    int32_t itself = 0;
    const int32_t *f = subspace_of(L, j, &itself);
    memset(d, 0, (size_t)L->n * sizeof *d);
    for (int64_t e = 0; e < L->q; e++) {
        const double *x = column(L, f[e], room);
        add_squares(L->n, x, x[i], d);
    }
}

/* d_a = sum_f x_af x_if and norm_a = sum_f x_af^2, row i held in xi. */
static void products(const pith_i_layers *L, int64_t j, const double *xi, double *norm, double *d)
{
    int32_t itself = 0;
    const int32_t *f = subspace_of(L, j, &itself);
    memset(d, 0, (size_t)L->n * sizeof *d);
    memset(norm, 0, (size_t)L->n * sizeof *norm);
    for (int64_t e = 0; e < L->q; e++) {
        const int64_t l = f[e];
        if (L->columns != NULL) {
            const double *x = L->columns + l * L->n;
            for (int64_t a = 0; a < L->n; a++) {
                d[a] += x[a] * xi[l];
                norm[a] += x[a] * x[a];
            }
            continue;
        }
        for (int64_t t = L->T.indptr[l]; t < L->T.indptr[l + 1]; t++) {
            const double v = pith_i_at(&L->T, l, t);
            d[L->T.indices[t]] += v * xi[l];
            norm[L->T.indices[t]] += v * v;
        }
    }
}

static void row(const pith_i_layers *L, int64_t i, double *xi)
{
    if (L->columns != NULL) {
        for (int64_t j = 0; j < L->m; j++)
            xi[j] = L->columns[j * L->n + i];
        return;
    }
    memset(xi, 0, (size_t)L->m * sizeof *xi);
    for (int64_t e = L->X.indptr[i]; e < L->X.indptr[i + 1]; e++)
        xi[L->X.indices[e]] = pith_i_at(&L->X, i, e);
}

/* ---- Widths ------------------------------------------------------------------------------------------- */

static void set_width(pith_i_layers *L, int64_t j, double width)
{
    L->factor[j] = width > 0 ? 1 / (2 * width * width) : 0;
}

static pith_status widths_of_columns(pith_ctx *ctx, pith_i_layers *L, int64_t k)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    double *rooms = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, rooms, 2 * L->n * pith_ctx_threads(ctx)));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic, 16)
    for (int64_t j = 0; j < L->m; j++) {
        double *sorted = rooms + 2 * L->n * pith_i_thread();
        if (pith_i_progress_stop(ctx, j, L->m))
            continue;
        memcpy(sorted, column(L, j, sorted + L->n), (size_t)L->n * sizeof *sorted);
        set_width(L, j, pith_i_width_of_column(L->n, sorted, k));
    }
    TRY(pith_i_stop_status(ctx));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* One thread computes all distances in a feature, row by row: sums do not depend on the number of threads. */
pith_status pith_i_layers_widths(pith_ctx *ctx, pith_i_layers *L, int64_t k, int64_t count,
                                 const int64_t *rows)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t taken = rows != NULL ? count : L->n;
    double *rooms = NULL;
    pith_status st = PITH_OK;
    if (L->q == 1 && rows == NULL)
        return widths_of_columns(ctx, L, k);
    TRY(SCRATCH(ctx, rooms, 2 * L->n * pith_ctx_threads(ctx)));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic)
    for (int64_t j = 0; j < L->m; j++) {
        double *d = rooms + 2 * L->n * pith_i_thread(), kth = 0, sum = 0;
        if (pith_i_progress_stop(ctx, j, L->m))
            continue;
        for (int64_t r = 0; r < taken; r++) {
            squares(L, rows != NULL ? rows[r] : r, j, d + L->n, d);
            for (int64_t a = 0; a < L->n; a++)
                sum += sqrt(d[a]);
            kth += sqrt(pith_i_kth_smallest(L->n, d, k)); /* the row itself is number 0 */
        }
        set_width(L, j, pith_i_width_rule(L->n, taken, kth, sum));
    }
    TRY(pith_i_stop_status(ctx));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

int64_t pith_i_layers_widest(const pith_i_layers *L, int64_t count, const int64_t *rows)
{
    int64_t most = 1;
    if (!L->cosine || L->columns != NULL || L->q > 1)
        return L->m;
    for (int64_t r = 0; r < count; r++) {
        const int64_t stored = L->X.indptr[rows[r] + 1] - L->X.indptr[rows[r]];
        most = stored > most ? stored : most;
    }
    return most;
}

/* ---- A layer ------------------------------------------------------------------------------------------ */

/* Subtracts the mean. False: the column is constant. */
PITH_I_CLONES static bool centre(int64_t n, double sum, double *x)
{
    const double mean = sum / (double)n, first = x[0];
    bool varies = false;
    for (int64_t a = 0; a < n; a++)
        varies |= x[a] != first;
    for (int64_t a = 0; a < n; a++)
        x[a] -= mean;
    return varies;
}

static bool gaussian_column(const pith_i_layers *L, int64_t i, int64_t j, double *room, double *b)
{
    if (L->factor[j] == 0)
        return false;
    squares(L, i, j, room, b);
    return centre(L->n, pith_i_decay(L->n, L->factor[j], b), b);
}

static bool cosine_column(const pith_i_layers *L, int64_t i, int64_t j, const double *xi, double *norm,
                          double *b)
{
    int32_t itself = 0;
    const int32_t *f = subspace_of(L, j, &itself);
    double sum = 0;
    bool any = false;
    for (int64_t e = 0; e < L->q; e++)
        any |= xi[f[e]] != 0;
    if (!any)
        return false;
    products(L, j, xi, norm, b);
    const double own = sqrt(norm[i]);
    for (int64_t a = 0; a < L->n; a++) {
        if (L->q == 1) /* exactly, so that rounding does not look like variation */
            b[a] = (double)((b[a] > 0) - (b[a] < 0));
        else
            b[a] = norm[a] > 0 ? b[a] / (sqrt(norm[a]) * own) : 0;
        sum += b[a];
    }
    return centre(L->n, sum, b);
}

int64_t pith_i_layer(const pith_i_layers *L, int64_t i, double *space, int32_t *active, double *B)
{
    double *room = space, *xi = space + L->n;
    int64_t count = 0;
    if (L->cosine)
        row(L, i, xi);
    for (int64_t j = 0; j < L->m; j++) {
        double *b = B + count * L->n;
        const bool varies =
            L->cosine ? cosine_column(L, i, j, xi, room, b) : gaussian_column(L, i, j, room, b);
        if (varies)
            active[count++] = (int32_t)j;
    }
    return count;
}
