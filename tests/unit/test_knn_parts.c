#include "graph/graph.h"
#include "graph/knn_parts.h"
#include "graph/knn_tiles.h"
#include "unit/graph_data.h"

/* Data, who has which of its columns, and the columns by class. */
typedef struct parts {
    int64_t n, p, count;
    double *x;
    uint8_t *class_of;
    int64_t *column, first[(1 << PITH_I_MOST_PARTS) + 1];
} parts;

static parts new_parts(int64_t n, int64_t p, int64_t count, double share, uint64_t seed)
{
    parts s = {n, p, count, new_values(n * p), calloc((size_t)p, 1), calloc((size_t)p, sizeof(int64_t)), {0}};
    pith_i_stream random = pith_i_stream_at(seed, PITH_I_RANDOM_BENCH, 2);
    assert_non_null(s.class_of);
    assert_non_null(s.column);
    fill_normal(s.x, n * p, seed);
    for (int64_t j = 0; j < p; j++)
        for (int64_t b = 0; b < count; b++)
            s.class_of[j] |= (uint8_t)((pith_i_random_uniform(&random) < share) << b);
    int64_t at = 0;
    for (int64_t c = 1; c < INT64_C(1) << count; c++) {
        s.first[c] = at;
        for (int64_t j = 0; j < p; j++)
            if (s.class_of[j] == c)
                s.column[at++] = j;
    }
    s.first[INT64_C(1) << count] = at;
    return s;
}

static void free_parts(parts *s)
{
    free(s->x);
    free(s->class_of);
    free(s->column);
}

/* The given columns as floats. */
static pith_i_data taken(pith_ctx *ctx, const parts *s, int64_t count, const int64_t *column)
{
    pith_i_data X = {0};
    assert_ok(ctx, pith_i_data_new_dense(ctx, s->n, count, PITH_F32, &X));
    for (int64_t e = 0; e < s->n * count; e++)
        ((float *)pith_i_data_x(&X))[e] = (float)s->x[e / count * s->p + column[e % count]];
    return X;
}

static pith_i_data of_part(pith_ctx *ctx, const parts *s, int64_t part)
{
    int64_t *column = malloc((size_t)s->p * sizeof *column), count = 0;
    assert_non_null(column);
    for (int64_t j = 0; j < s->p; j++)
        if (s->class_of[j] >> part & 1)
            column[count++] = j;
    pith_i_data X = taken(ctx, s, count, column);
    free(column);
    return X;
}

static void find(pith_ctx *ctx, const parts *s, int64_t k, pith_i_lists *lists)
{
    pith_i_data Y = taken(ctx, s, s->first[INT64_C(1) << s->count], s->column);
    assert_ok(ctx, pith_i_part_lists(ctx, &Y, s->count, s->first, k, lists));
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

/* The graph from the lists is, to the bit, the one that is searched for in the part alone. */
static void assert_same_graph(pith_ctx *ctx, const pith_i_data *X, int64_t k, pith_i_lists *lists)
{
    pith_i_graph G[2] = {{0}};
    pith_i_graph_options o = {.neighbors = k, .weight = PITH_I_HEAT, .width_factor = 1};
    assert_ok(ctx, pith_i_graph_build(ctx, X, &o, &G[0]));
    o.candidates = lists;
    assert_ok(ctx, pith_i_graph_build(ctx, X, &o, &G[1]));
    assert_memory_equal(G[0].row, G[1].row, (size_t)(X->n + 1) * sizeof *G[0].row);
    assert_memory_equal(G[0].col, G[1].col, (size_t)G[0].row[X->n] * sizeof *G[0].col);
    assert_memory_equal(G[0].weight, G[1].weight, (size_t)G[0].row[X->n] * sizeof *G[0].weight);
    for (int t = 0; t < 2; t++)
        pith_i_graph_free(&G[t]);
}

static void parts_have_the_neighbours_that_each_has_alone(void **state)
{
    pith_ctx *ctx = *state;
    static const struct {
        int64_t n, p, count;
        double share;
    } shape[] = {{300, 40, 4, 0.5}, {257, 90, 5, 0.5}, {130, 64, 3, 0.9},  {60, 200, 5, 0.2},
                 {20, 30, 1, 0.7},  {70, 50, 4, 1},    {40, 2600, 2, 0.8}, {3, 20, 2, 0.6}};
    for (size_t t = 0; t < COUNT(shape); t++) {
        parts s = new_parts(shape[t].n, shape[t].p, shape[t].count, shape[t].share, 40 + t);
        pith_i_lists lists[PITH_I_MOST_PARTS] = {0};
        for (int64_t j = 0; j < s.p && s.n > 10; j++) /* twins, and a third further on */
            s.x[5 * s.p + j] = s.x[7 * s.p + j] = s.x[(s.n - 1) * s.p + j];
        find(ctx, &s, 5, lists);
        for (int64_t b = 0; b < s.count; b++) {
            pith_i_data X = of_part(ctx, &s, b);
            assert_bounds(&lists[b], &X);
            assert_same_graph(ctx, &X, 5, &lists[b]);
            pith_i_data_free(&X);
        }
        free_parts(&s);
    }
}

static void threads_do_not_matter(void **state)
{
    pith_ctx *ctx = *state;
    parts s = new_parts(600, 30, 3, 0.5, 61);
    pith_i_lists lists[2][PITH_I_MOST_PARTS] = {0};
    for (int t = 0; t < 2; t++) {
        assert_ok(ctx, pith_ctx_set_threads(ctx, 1 + 3 * t));
        find(ctx, &s, 4, lists[t]);
    }
    for (int64_t b = 0; b < s.count; b++) {
        const int64_t m = lists[0][b].m;
        for (int64_t i = 0; i < s.n; i++) {
            pith_i_near *one = lists[0][b].near + i * m, *other = lists[1][b].near + i * m;
            pith_i_top_sort(one, m);
            pith_i_top_sort(other, m);
            for (int64_t c = 0; c < m; c++)
                assert_true(one[c].id == other[c].id && one[c].value == other[c].value);
        }
        for (int t = 0; t < 2; t++)
            pith_i_lists_close(&lists[t][b]);
    }
    free_parts(&s);
}

static pith_status act(pith_ctx *ctx, void *arg)
{
    const parts *s = arg;
    pith_i_lists lists[PITH_I_MOST_PARTS] = {0};
    const int64_t count = s->first[INT64_C(1) << s->count];
    pith_i_data Y = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_data_new_dense(ctx, s->n, count, PITH_F32, &Y));
    memset(pith_i_data_x(&Y), 0, (size_t)(s->n * count) * sizeof(float));
    TRY(pith_i_part_lists(ctx, &Y, s->count, s->first, 3, lists));
done:
    for (int64_t b = 0; b < s->count; b++)
        pith_i_lists_close(&lists[b]);
    pith_i_data_free(&Y);
    return st;
}

static void it_gives_up_cleanly_without_memory(void **state)
{
    parts s = new_parts(40, 12, 3, 0.5, 67);
    assert_survives_failing_allocations(*state, act, &s, 10);
    free_parts(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(parts_have_the_neighbours_that_each_has_alone),
        TEST(threads_do_not_matter),
        TEST(it_gives_up_cleanly_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
