#include "graph/graph.h"
#include "graph/graph_inside.h"
#include "graph/knn_subsets.h"
#include "graph/knn_tiles.h"
#include "matrix/matrix.h"
#include "unit/graph_data.h"

#include <math.h>

enum { CLASSES = 12 };

/* Data, the columns by class, and by bits the subsets that have each class. */
typedef struct subsets {
    int64_t n, p, count;
    double *x;
    uint8_t *class_of;
    int64_t *column, first[CLASSES + 1];
    uint32_t mask[CLASSES];
} subsets;

static subsets new_parts(int64_t n, int64_t p, int64_t count, double share, uint64_t seed)
{
    subsets s = {.n = n, .p = p, .count = count, .x = new_values(n * p)};
    pith_i_stream random = pith_i_stream_at(seed, PITH_I_RANDOM_BENCH, 2);
    int64_t at = 0;
    s.class_of = calloc((size_t)p, 1);
    s.column = calloc((size_t)p, sizeof *s.column);
    assert_non_null(s.class_of);
    assert_non_null(s.column);
    fill_normal(s.x, n * p, seed);
    for (int64_t j = 0; j < p; j++)
        s.class_of[j] = (uint8_t)pith_i_random_below(&random, CLASSES);
    for (int c = 0; c < CLASSES; c++) {
        for (int64_t b = 0; b < count; b++)
            s.mask[c] |= (uint32_t)(pith_i_random_uniform(&random) < share) << b;
        s.first[c] = at;
        for (int64_t j = 0; j < p; j++)
            if (s.class_of[j] == c)
                s.column[at++] = j;
    }
    s.first[CLASSES] = at;
    return s;
}

static void free_parts(subsets *s)
{
    free(s->x);
    free(s->class_of);
    free(s->column);
}

/* The given columns as floats. */
static pith_i_data taken(pith_ctx *ctx, const subsets *s, int64_t count, const int64_t *column)
{
    pith_i_data X = {0};
    assert_ok(ctx, pith_i_data_new_dense(ctx, s->n, count, PITH_F32, &X));
    for (int64_t e = 0; e < s->n * count; e++)
        ((float *)pith_i_data_x(&X))[e] = (float)s->x[e / count * s->p + column[e % count]];
    return X;
}

static pith_i_data of_part(pith_ctx *ctx, const subsets *s, int64_t subset)
{
    int64_t *column = malloc((size_t)s->p * sizeof *column), count = 0;
    assert_non_null(column);
    for (int64_t j = 0; j < s->p; j++)
        if (s->mask[s->class_of[j]] >> subset & 1)
            column[count++] = j;
    pith_i_data X = taken(ctx, s, count, column);
    free(column);
    return X;
}

static void find(pith_ctx *ctx, const subsets *s, int64_t k, pith_i_lists *lists)
{
    pith_i_data Y = taken(ctx, s, s->first[CLASSES], s->column);
    assert_ok(ctx, pith_i_subset_lists(ctx, &Y, s->count, CLASSES, s->first, s->mask, k, lists));
    pith_i_data_free(&Y);
}

/* What a list calls a lower bound is one, and only rounding below the distance. */
static void assert_bounds(const pith_i_lists *L, const pith_i_data *X)
{
    const float *x = X->x;
    assert_int_equal(L->n, X->n);
    for (int64_t i = 0; i < L->n; i++)
        for (int64_t c = 0; c < L->count[i]; c++) {
            const pith_i_near a = L->near[i * L->m + c];
            double square = 0, both = 0;
            for (int64_t j = 0; j < X->p; j++) {
                const double u = (double)x[i * X->p + j], v = (double)x[a.id * X->p + j];
                square += (u - v) * (u - v);
                both += u * u + v * v;
            }
            const double bound = a.value + (double)L->norm[i];
            assert_true(a.id != i && bound <= square && bound >= square - 2e-4 * both - 1e-30);
        }
}

/* The graph from the lists is, to the bit, the one that is searched for in the subset alone. */
static void assert_same_graph(pith_ctx *ctx, const pith_i_data *X, int64_t k, pith_i_metric metric,
                              pith_i_lists *lists)
{
    pith_i_graph *G[2] = {NULL};
    pith_i_graph_options o = {.neighbors = k, .metric = metric, .weight = PITH_I_HEAT, .width_factor = 1};
    assert_ok(ctx, pith_i_graph_build(ctx, X, &o, &G[0]));
    o.candidates = lists;
    assert_ok(ctx, pith_i_graph_build(ctx, X, &o, &G[1]));
    assert_memory_equal(G[0]->row, G[1]->row, (size_t)(X->n + 1) * sizeof *G[0]->row);
    assert_memory_equal(G[0]->col, G[1]->col, (size_t)G[0]->row[X->n] * sizeof *G[0]->col);
    assert_memory_equal(G[0]->weight, G[1]->weight, (size_t)G[0]->row[X->n] * sizeof *G[0]->weight);
    for (int t = 0; t < 2; t++)
        pith_i_graph_free(G[t]);
}

static void parts_have_the_neighbours_that_each_has_alone(void **state)
{
    pith_ctx *ctx = *state;
    static const struct {
        int64_t n, p, count;
        double share;
    } shape[] = {{300, 40, 4, 0.5}, {257, 90, 22, 0.5}, {130, 64, 3, 0.9},  {60, 200, 5, 0.2},
                 {20, 30, 1, 0.7},  {70, 50, 4, 1},     {40, 2600, 2, 0.8}, {3, 20, 2, 0.6}};
    for (size_t t = 0; t < COUNT(shape); t++) {
        subsets s = new_parts(shape[t].n, shape[t].p, shape[t].count, shape[t].share, 40 + t);
        pith_i_lists lists[PITH_I_MOST_PARTS] = {0};
        for (int64_t j = 0; j < s.p && s.n > 10; j++) /* twins, and a third further on */
            s.x[5 * s.p + j] = s.x[7 * s.p + j] = s.x[(s.n - 1) * s.p + j];
        find(ctx, &s, 5, lists);
        for (int64_t b = 0; b < s.count; b++) {
            pith_i_data X = of_part(ctx, &s, b);
            assert_bounds(&lists[b], &X);
            assert_same_graph(ctx, &X, 5, PITH_I_EUCLIDEAN, &lists[b]);
            pith_i_data_free(&X);
        }
        free_parts(&s);
    }
}

/* Closes both. */
static void assert_same_lists(int64_t count, pith_i_lists *one, pith_i_lists *other)
{
    for (int64_t b = 0; b < count; b++) {
        const int64_t m = one[b].m;
        for (int64_t i = 0; i < one[b].n; i++) {
            pith_i_near *x = one[b].near + i * m, *y = other[b].near + i * m;
            assert_int_equal(one[b].count[i], other[b].count[i]);
            pith_i_top_sort(x, one[b].count[i]);
            pith_i_top_sort(y, one[b].count[i]);
            for (int64_t c = 0; c < one[b].count[i]; c++)
                assert_true(x[c].id == y[c].id && x[c].value == y[c].value);
        }
        pith_i_lists_close(&one[b]);
        pith_i_lists_close(&other[b]);
    }
}

static void threads_do_not_matter(void **state)
{
    pith_ctx *ctx = *state;
    subsets s = new_parts(600, 30, 3, 0.5, 61);
    pith_i_lists lists[2][PITH_I_MOST_PARTS] = {0};
    for (int t = 0; t < 2; t++) {
        assert_ok(ctx, pith_ctx_set_threads(ctx, 1 + 3 * t));
        find(ctx, &s, 4, lists[t]);
    }
    assert_same_lists(s.count, lists[0], lists[1]);
    free_parts(&s);
}

/* ---- Sparse rows -------------------------------------------------------------------------------------- */

typedef struct masked {
    pith_i_data X;
    int64_t subsets;
    uint32_t *mask;
} masked;

/* Counts with few nonzeros; rows 3 and 9 are nothing, row 4 is next to nothing but in its last column, rows 5
 * and 7 are alike. */
static masked new_masked(pith_ctx *ctx, int64_t n, int64_t p, int64_t count, uint64_t seed)
{
    masked s = {.subsets = count, .mask = calloc((size_t)p, sizeof *s.mask)};
    double *x = new_values(n * p);
    pith_i_stream random = pith_i_stream_at(seed, PITH_I_RANDOM_BENCH, 3);
    assert_non_null(s.mask);
    for (int64_t e = 0; e < n * p; e++) {
        const double u = pith_i_random_uniform(&random);
        x[e] = e / p == 3 || e / p == 9 || u > 0.2 ? 0 : floor(1 + 20 * u);
        if (e / p == 4)
            x[e] = e % p == p - 1 ? 1 : x[e] * 1e-42;
    }
    memcpy(x + 7 * p, x + 5 * p, (size_t)p * sizeof *x);
    for (int64_t j = 0; j < p; j++)
        s.mask[j] = pith_i_random_u32(&random) >> 8 & ((UINT32_C(1) << count) - 1);
    s.X = laid_out(ctx, x, n, p, CSR_F64);
    free(x);
    return s;
}

static void free_masked(masked *s)
{
    pith_i_data_free(&s->X);
    free(s->mask);
}

static pith_i_data of_mask(pith_ctx *ctx, const masked *s, int64_t subset)
{
    int64_t *column = malloc((size_t)s->X.p * sizeof *column), count = 0;
    pith_i_data X = {0};
    assert_non_null(column);
    for (int64_t j = 0; j < s->X.p; j++)
        if (s->mask[j] >> subset & 1)
            column[count++] = j;
    assert_ok(ctx, pith_i_take_columns(ctx, &s->X, count, column, &X));
    free(column);
    return X;
}

static void sparse_parts_have_the_neighbours_that_each_has_alone(void **state)
{
    pith_ctx *ctx = *state;
    static const struct {
        int64_t n, p, subsets, k;
    } shape[] = {{40, 30, 3, 5},  {520, 40, 3, 5}, {60, 200, 24, 2},
                 {90, 40, 9, 20}, {12, 10, 1, 5},  {1100, 12, 2, 3}};
    for (size_t t = 0; t < 2 * COUNT(shape); t++) {
        const int64_t k = shape[t / 2].k;
        const pith_i_metric metric = t % 2 == 0 ? PITH_I_COSINE : PITH_I_EUCLIDEAN;
        masked s = new_masked(ctx, shape[t / 2].n, shape[t / 2].p, shape[t / 2].subsets, 80 + t);
        pith_i_lists lists[PITH_I_MOST_PARTS] = {0};
        assert_ok(ctx, pith_i_sparse_subset_lists(ctx, &s.X, metric, s.subsets, s.mask, k, lists));
        for (int64_t b = 0; b < s.subsets; b++) {
            pith_i_data X = of_mask(ctx, &s, b);
            assert_same_graph(ctx, &X, k, metric, &lists[b]);
            pith_i_data_free(&X);
        }
        free_masked(&s);
    }
}

/* What a list calls a lower bound is one, by rounding below the distance; and the lists settle almost all. */
static void bounds_of_sparse_parts_are_tight(void **state)
{
    pith_ctx *ctx = *state;
    masked s = new_masked(ctx, 200, 60, 17, 70);
    pith_i_lists lists[PITH_I_MOST_PARTS] = {0};
    assert_ok(ctx, pith_i_sparse_subset_lists(ctx, &s.X, PITH_I_COSINE, s.subsets, s.mask, 5, lists));
    for (int64_t b = 0; b < s.subsets; b++) {
        pith_i_data X = of_mask(ctx, &s, b);
        pith_i_rows R = {0};
        int64_t loose = 0;
        const pith_i_lists *L = &lists[b];
        assert_ok(ctx, pith_i_rows_open(ctx, &X, PITH_I_COSINE, &R));
        for (int64_t i = 0; i < L->n; i++) {
            assert_int_equal(L->count[i], pith_i_row_is_zero(&R, i) ? 0 : L->m);
            for (int64_t c = 0; c < L->count[i]; c++) {
                const pith_i_near a = L->near[i * L->m + c];
                const double square = pith_i_rows_distance2(&R, i, a.id) * L->scale * L->scale;
                const double bound = a.value + (double)L->norm[i];
                assert_true(a.id != i && bound <= square);
                loose += bound < square - 1e-5;
            }
        }
        assert_in_range(loose, 0, 2 * L->n); /* row 4 and what meets it */
        pith_i_rows_close(&R);
        pith_i_data_free(&X);
        pith_i_lists_close(&lists[b]);
    }
    free_masked(&s);
}

static void threads_do_not_matter_to_sparse_parts(void **state)
{
    pith_ctx *ctx = *state;
    masked s = new_masked(ctx, 600, 50, 10, 71);
    pith_i_lists lists[2][PITH_I_MOST_PARTS] = {0};
    for (int t = 0; t < 2; t++) {
        assert_ok(ctx, pith_ctx_set_threads(ctx, 1 + 3 * t));
        assert_ok(ctx, pith_i_sparse_subset_lists(ctx, &s.X, PITH_I_COSINE, s.subsets, s.mask, 4, lists[t]));
    }
    assert_same_lists(s.subsets, lists[0], lists[1]);
    free_masked(&s);
}

static pith_status act_sparse(pith_ctx *ctx, void *arg)
{
    const masked *s = arg;
    pith_i_lists lists[PITH_I_MOST_PARTS] = {0};
    const pith_status st =
        pith_i_sparse_subset_lists(ctx, &s->X, PITH_I_COSINE, s->subsets, s->mask, 3, lists);
    for (int64_t b = 0; b < s->subsets; b++)
        pith_i_lists_close(&lists[b]);
    return st;
}

static pith_status act(pith_ctx *ctx, void *arg)
{
    const subsets *s = arg;
    pith_i_lists lists[PITH_I_MOST_PARTS] = {0};
    const int64_t count = s->first[CLASSES];
    pith_i_data Y = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_data_new_dense(ctx, s->n, count, PITH_F32, &Y));
    memset(pith_i_data_x(&Y), 0, (size_t)(s->n * count) * sizeof(float));
    TRY(pith_i_subset_lists(ctx, &Y, s->count, CLASSES, s->first, s->mask, 3, lists));
done:
    for (int64_t b = 0; b < s->count; b++)
        pith_i_lists_close(&lists[b]);
    pith_i_data_free(&Y);
    return st;
}

static void it_gives_up_cleanly_without_memory(void **state)
{
    subsets s = new_parts(40, 12, 3, 0.5, 67);
    masked sparse = new_masked(*state, 20, 12, 3, 72);
    assert_survives_failing_allocations(*state, act, &s, 10);
    assert_survives_failing_allocations(*state, act_sparse, &sparse, 10);
    free_parts(&s);
    free_masked(&sparse);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(parts_have_the_neighbours_that_each_has_alone),
        TEST(threads_do_not_matter),
        TEST(sparse_parts_have_the_neighbours_that_each_has_alone),
        TEST(bounds_of_sparse_parts_are_tight),
        TEST(threads_do_not_matter_to_sparse_parts),
        TEST(it_gives_up_cleanly_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
