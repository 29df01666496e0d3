/*
 * Neighbourhoods of rows that are spread, and what udfs and lgdfs make of them, where tables as small as
 * those of test_spread.c do not lead to it: rows that are fetched piece by piece, fewer samples than
 * features, steps.
 */
#include "engines/lockstep.h"
#include "graph/local_fit.h"
#include "graph/local_pieces.h"
#include "methods/lgdfs/models.h"
#include "methods/udfs/shares.h"
#include "methods/udfs/sparse_subspace.h"
#include "unit/support.h"

#include "core/random.h"

enum { BLOCKS = 4, MOST_N = 400, MOST_P = 90, MOST_CELLS = 6000 };

/* A table; cuts of its rows: none, one row, and more. */
typedef struct table {
    int64_t n, p, cuts[BLOCKS + 1];
    bool sparse, blocks;
    double x[MOST_CELLS];
    int64_t indptr[MOST_N + 1];
    int32_t indices[MOST_CELLS];
    double values[MOST_CELLS];
} table;

static void fill(int64_t n, int64_t p, bool sparse, table *t)
{
    pith_i_stream s = pith_i_stream_at(7, PITH_I_RANDOM_BENCH, 0);
    int64_t at = 0;
    assert_true(n <= MOST_N && p <= MOST_P && n * p <= MOST_CELLS);
    *t = (table){.n = n, .p = p, .cuts = {0, 0, 1, n / 2, n}, .sparse = sparse};
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < p; j++) {
            const double v = pith_i_random_normal(&s) + (j % 3 == 0 ? (double)(4 * (i % 3)) : 0);
            t->x[i * p + j] = i == n - 2 ? t->x[j] : sparse && v < 0.5 ? 0 : v; /* one row twice */
            t->indices[at] = (int32_t)j;
            t->values[at] = t->x[i * p + j];
            at += t->x[i * p + j] != 0;
        }
        t->indptr[i + 1] = at;
    }
}

static pith_i_data rows_of(const table *t, int64_t first, int64_t count)
{
    pith_i_data X = {.n = count, .p = t->p, .offset = first, .all = t->blocks ? t->n : 0, .dtype = PITH_F64};
    X.sparse = t->sparse;
    if (t->sparse) {
        X.indptr = t->indptr + first;
        X.indices = t->indices;
        X.values = t->values;
    } else {
        X.x = t->x + first * t->p;
        X.row_stride = t->p;
        X.col_stride = 1;
    }
    return X;
}

/* ---- Pieces -------------------------------------------------------------------------------------------- */

enum { LONG = 40 };

typedef struct visit {
    const table *t;
    const int64_t *id;
    int64_t first, pieces, next;
} visit;

/* Pieces come in order, and their places lead to the rows that the lists name. */
static pith_status look_at_piece(pith_ctx *ctx, void *self, const pith_i_piece *piece)
{
    visit *v = self;
    (void)ctx;
    must(piece->lo == v->next && piece->hi >= piece->lo);
    must(piece->X.n <= (piece->hi - piece->lo) * LONG && (piece->hi - piece->lo) * LONG <= 1024);
    v->next = piece->hi;
    v->pieces++;
    for (int64_t e = piece->lo * LONG; e < piece->hi * LONG; e++)
        for (int64_t j = 0; j < v->t->p; j++) {
            const int64_t at = piece->place[e - piece->lo * LONG];
            double x = 0;
            pith_i_block(&piece->X, at, 1, j, 1, &x, 1);
            must(x == v->t->x[v->id[e] * v->t->p + j]);
        }
    return PITH_OK;
}

static void visit_block(pith_ctx *ctx, int rank, void *arg)
{
    const table *t = arg;
    const int64_t first = t->cuts[rank], n = t->cuts[rank + 1] - first;
    const pith_i_data X = rows_of(t, first, n);
    int64_t start[MOST_N + 1], id[MOST_N * LONG];
    visit v = {.t = t, .id = id};
    for (int64_t i = 0; i <= n; i++)
        start[i] = i * LONG;
    for (int64_t e = 0; e < n * LONG; e++)
        id[e] = (first * 7 + e * e * 13) % t->n;
    must(pith_i_in_pieces(ctx, &X, &(pith_i_row_lists){n, start, id}, look_at_piece, &v) == PITH_OK);
    must(v.next == n && v.pieces == (t->n / 2 + 24) / 25); /* as many as the longest block has */
}

static void pieces_have_the_rows_that_lists_name(void **state)
{
    table *t = calloc(1, sizeof *t);
    (void)state;
    assert_non_null(t);
    for (int sparse = 0; sparse < 2; sparse++) {
        fill(300, 5, sparse, t);
        t->blocks = true;
        in_lockstep(BLOCKS, visit_block, t);
    }
    free(t);
}

/* ---- Row-sparse subspaces ------------------------------------------------------------------------------ */

enum { C = 3 };

typedef struct subspace {
    const table *t;
    pith_i_way way;
    double start[MOST_P], norm[MOST_P], objective;
} subspace;

/* Of more features than samples, the start by shares is the one that M gives. */
static void must_start_alike(pith_ctx *ctx, const pith_i_sparse_subspace *s, const pith_i_operator *B)
{
    double share[MOST_P];
    int64_t rank = 0;
    must(pith_i_range_shares(ctx, s->X, B, share, &rank) == PITH_OK);
    must(rank == s->rank);
    for (int64_t r = 0; r < s->X->X->p; r++) {
        const double square = s->X->left_out[r] ? 0 : (double)C / (double)(s->kept - rank) * (1 - share[r]);
        must(fabs(s->norm[r] * s->norm[r] - square) <= 1e-12);
    }
}

static void find_subspace(pith_ctx *ctx, const subspace *q, int64_t first, int64_t count, subspace *out)
{
    enum { SWEEPS = 5 };
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_data X = rows_of(q->t, first, count);
    const bool left_out[MOST_P] = {[4] = true};
    double shift[MOST_P];
    pith_i_data T = {0};
    pith_i_local_sum B = {0};
    pith_i_sparse_subspace s;
    for (int64_t j = 0; j < X.p; j++)
        shift[j] = j % 3 == 0 ? 4 : 0.5;
    must(!X.sparse || pith_i_transpose(ctx, &X, &T) == PITH_OK);
    const pith_i_design D = {.X = &X, .T = X.sparse ? &T : NULL, .shift = shift, .left_out = left_out};
    must(pith_i_local_scatter(ctx, &X, 5, 1, &B) == PITH_OK);
    const pith_i_operator scatter = pith_i_local_sum_operator(&B);
    must(pith_i_sparse_subspace_open(ctx, &D, &scatter, 0.1, C, q->way, &s) == PITH_OK);
    s.near = C; /* or the block would be all there is */
    memcpy(out->start, s.norm, (size_t)X.p * sizeof *s.norm);
    if (q->t->blocks && s.wide)
        must_start_alike(ctx, &s, &scatter);
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        must(pith_i_sparse_subspace_sweep(ctx, &s) == PITH_OK);
    memcpy(out->norm, s.norm, (size_t)X.p * sizeof *s.norm);
    out->objective = s.objective;
    pith_i_local_sum_free(&B);
    pith_i_data_free(&T);
    pith_i_scratch_release(ctx, mark);
}

static void find_block(pith_ctx *ctx, int rank, void *arg)
{
    const subspace *whole = arg;
    const int64_t first = whole->t->cuts[rank];
    subspace own = *whole;
    find_subspace(ctx, whole, first, whole->t->cuts[rank + 1] - first, &own);
    for (int64_t r = 0; r < whole->t->p; r++)
        must(fabs(own.start[r] - whole->start[r]) <= 1e-9 && fabs(own.norm[r] - whole->norm[r]) <= 1e-9);
    must(fabs(own.objective - whole->objective) <= 1e-10 * whole->objective);
}

static void blocks_have_the_subspace_of_one_table(void **state)
{
    static const int64_t shapes[][2] = {{60, 90}, {200, 20}}; /* by samples in one table, by features */
    table *t = calloc(1, sizeof *t);
    assert_non_null(t);
    for (int a = 0; a < 8; a++) {
        fill(shapes[a / 4][0], shapes[a / 4][1], a % 2 == 1, t);
        subspace q = {.t = t, .way = a / 2 % 2 == 0 ? PITH_I_DIRECT : PITH_I_ITERATIVE};
        find_subspace(*state, &q, 0, t->n, &q);
        t->blocks = true;
        in_lockstep(BLOCKS, find_block, &q);
    }
    free(t);
}

/* ---- Models of regions --------------------------------------------------------------------------------- */

enum { TARGETS = 2, FITS = 3 };

typedef struct modelling {
    const table *t;
    double value[FITS * TARGETS], energy[FITS * MOST_P];
} modelling;

/* Weights of fit `fit`, above 0. */
static void weigh(int64_t p, int fit, double *z)
{
    for (int64_t j = 0; j < p; j++)
        z[j] = (double)(1 + (j * (fit + 2)) % 5) / (double)(3 * p);
}

static void find_models(pith_ctx *ctx, const modelling *q, int64_t first, int64_t count, modelling *out)
{
    const pith_i_models_options options = {
        .k = 6, .targets = TARGETS, .alpha = 0.7, .global = 2, .local = 0.5, .way = PITH_I_DIRECT};
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_data X = rows_of(q->t, first, count);
    const bool left_out[MOST_P] = {[4] = true};
    double shift[MOST_P], z[MOST_P], Y[MOST_N * TARGETS];
    pith_i_data T = {0};
    pith_i_models models;
    for (int64_t j = 0; j < X.p; j++)
        shift[j] = j % 3 == 0 ? 4 : 0.5;
    must(!X.sparse || pith_i_transpose(ctx, &X, &T) == PITH_OK);
    const pith_i_design D = {.X = &X, .T = X.sparse ? &T : NULL, .shift = shift, .left_out = left_out};
    must(pith_i_models_open(ctx, &D, &options, &models) == PITH_OK);
    must(models.iterative == q->t->blocks);
    for (int fit = 0; fit < FITS; fit++) {
        double *value = out->value + fit * TARGETS;
        weigh(X.p, fit, z);
        must(pith_i_models_fit(ctx, &models, z, fit != 1) == PITH_OK);
        must(pith_i_models_targets(ctx, &models, TARGETS, value, Y) == PITH_OK);
        must(pith_i_models_energy(ctx, &models, TARGETS, value, Y, out->energy + fit * X.p) == PITH_OK);
    }
    pith_i_models_close(&models);
    pith_i_data_free(&T);
    pith_i_scratch_release(ctx, mark);
}

static void find_models_of_block(pith_ctx *ctx, int rank, void *arg)
{
    const modelling *whole = arg;
    const int64_t first = whole->t->cuts[rank], p = whole->t->p;
    modelling own = *whole;
    find_models(ctx, whole, first, whole->t->cuts[rank + 1] - first, &own);
    for (int64_t v = 0; v < FITS * TARGETS; v++)
        must(fabs(own.value[v] - whole->value[v]) <= 1e-11);
    for (int64_t j = 0; j < FITS * p; j++)
        must(fabs(own.energy[j] - whole->energy[j]) <= 1e-9 * whole->energy[j]);
}

static void blocks_have_the_models_of_one_table(void **state)
{
    table *t = calloc(1, sizeof *t);
    assert_non_null(t);
    for (int sparse = 0; sparse < 2; sparse++) {
        fill(400, 12, sparse, t);
        modelling q = {.t = t};
        find_models(*state, &q, 0, t->n, &q);
        assert_true(q.energy[0] > 0 && q.energy[4] == 0);
        t->blocks = true;
        in_lockstep(BLOCKS, find_models_of_block, &q);
    }
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(pieces_have_the_rows_that_lists_name),
        TEST(blocks_have_the_subspace_of_one_table),
        TEST(blocks_have_the_models_of_one_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
