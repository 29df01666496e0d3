/*
 * Blocks of rows that are passed around a ring: on any number of processes the neighbours, their order and
 * their distances are those of one table, to the last bit.
 */
#include "engines/lockstep.h"
#include "graph/knn.h"
#include "unit/support.h"

#include "core/random.h"

enum { MOST = 1400, P = 9 };

typedef struct table {
    int64_t n, k;
    pith_dtype dtype;
    bool sparse;
    pith_i_metric metric;
    double x[MOST * P], values[MOST * P];
    float narrow[MOST * P], narrow_values[MOST * P];
    int64_t indptr[MOST + 1];
    int32_t indices[MOST * P];
    pith_i_knn whole;
    int64_t cuts[MOST_MEMBERS + 1];
} table;

/* kind 0: noise; 1: whole numbers of a few values, full of ties and copies; 2: the same with rows of zeros */
static void fill(table *t, int kind)
{
    int64_t at = 0;
    for (int64_t i = 0; i < t->n; i++) {
        pith_i_stream s = pith_i_stream_at(3, PITH_I_RANDOM_BENCH, (uint64_t)i);
        for (int64_t j = 0; j < P; j++) {
            double v = pith_i_random_normal(&s);
            v = kind > 0 ? fmax(0, floor(1.3 * v)) : t->sparse && v < 0 ? 0 : v;
            v = kind == 2 && i % 7 < 3 ? 0 : v;
            t->x[i * P + j] = (double)(float)v;
            t->narrow[i * P + j] = (float)v;
            if (v != 0) {
                t->indices[at] = (int32_t)j;
                t->values[at] = (double)(float)v;
                t->narrow_values[at++] = (float)v;
            }
        }
        t->indptr[i + 1] = at;
    }
}

static pith_i_data rows_of(const table *t, int64_t first, int64_t count)
{
    const bool wide = t->dtype == PITH_F64;
    const pith_i_data X = {.n = t->n,
                           .p = P,
                           .dtype = t->dtype,
                           .sparse = t->sparse,
                           .x = t->sparse ? NULL
                                : wide    ? (const void *)t->x
                                          : t->narrow,
                           .row_stride = P,
                           .col_stride = 1,
                           .indptr = t->indptr,
                           .indices = t->indices,
                           .values = wide ? (const void *)t->values : t->narrow_values};
    return pith_i_data_rows(&X, first, count);
}

static void search_block(pith_ctx *ctx, int rank, void *arg)
{
    const table *t = arg;
    const int64_t from = t->cuts[rank], n = t->cuts[rank + 1] - from;
    pith_i_data X = rows_of(t, from, n);
    pith_i_knn found = {0};
    X.all = t->n;
    X.offset = from;
    must(pith_i_knn_find(ctx, &X, t->k, t->metric, &found) == PITH_OK);
    must(found.k == t->whole.k && found.n == n);
    for (int64_t e = 0; e < n * found.k; e++) {
        must(found.index[e] == t->whole.index[from * found.k + e]);
        must(found.distance2[e] == t->whole.distance2[from * found.k + e]);
    }
    pith_i_knn_free(&found);
}

/* Blocks of about the same size, for one row a block, or with the first and a later one empty. */
static void cut(table *t, int members, int how)
{
    for (int r = 0; r <= members; r++)
        t->cuts[r] = how == 1 && r < members ? pith_i_min(r, t->n)
                     : how == 2 && r == 1    ? 0
                     : how == 2 && r == 3    ? t->cuts[2]
                                             : t->n * r / members;
    t->cuts[members] = t->n;
}

static void compare(pith_ctx *ctx, table *t, int most)
{
    const pith_i_data X = rows_of(t, 0, t->n);
    assert_int_equal(pith_i_knn_find(ctx, &X, t->k, t->metric, &t->whole), PITH_OK);
    for (int members = 2; members <= most; members++)
        for (int how = 0; how < 3; how++) {
            cut(t, members, how);
            in_ring(members, search_block, t);
        }
    pith_i_knn_free(&t->whole);
}

static void neighbours_are_those_of_one_table(void **state)
{
    table *t = calloc(1, sizeof *t);
    assert_non_null(t);
    for (int variant = 0; variant < 24; variant++) {
        *t = (table){.n = 90,
                     .k = 6,
                     .dtype = variant % 2 != 0 ? PITH_F32 : PITH_F64,
                     .sparse = variant / 2 % 2 != 0,
                     .metric = variant / 4 % 2 != 0 ? PITH_I_COSINE : PITH_I_EUCLIDEAN};
        fill(t, variant / 8);
        compare(*state, t, MOST_MEMBERS);
    }
    free(t);
}

static void blocks_of_many_tiles_too(void **state)
{
    table *t = calloc(1, sizeof *t);
    assert_non_null(t);
    for (int variant = 0; variant < 4; variant++) {
        *t = (table){.n = MOST, .k = 10, .sparse = variant % 2 != 0, .dtype = PITH_F64};
        fill(t, variant / 2);
        compare(*state, t, 3);
    }
    free(t);
}

/* More processes than rows, and lists as long as there are rows. */
static void few_rows_and_long_lists(void **state)
{
    table *t = calloc(1, sizeof *t);
    assert_non_null(t);
    for (int64_t n = 2; n <= 7; n++) {
        *t = (table){.n = n, .k = 20, .sparse = n % 2 != 0, .dtype = PITH_F64};
        fill(t, 1);
        compare(*state, t, MOST_MEMBERS);
    }
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(neighbours_are_those_of_one_table),
        TEST(blocks_of_many_tiles_too),
        TEST(few_rows_and_long_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
