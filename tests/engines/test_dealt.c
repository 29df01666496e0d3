/*
 * An approximate search whose rows are spread over processes: on any number of them the neighbours, their
 * distances and the recall are those of one process, to the last bit.
 */
#include "engines/lockstep.h"
#include "graph/knn.h"
#include "unit/support.h"

#include "core/random.h"
#include "core/search.h"

enum { MOST = 2100, WIDE = 210 };

typedef enum kind {
    NOISE,
    GROUPS, /* clusters with copies and rows of zeros */
    SAME,   /* few different rows: lists that leaves do not fill */
    FEW     /* one column a row, three rows a column: lists shorter than k */
} kind;

typedef struct shape {
    int64_t n, p, k;
    pith_dtype dtype;
    bool sparse;
    pith_i_metric metric;
} shape;

typedef struct table {
    shape of;
    pith_i_data X;
    double x[MOST * WIDE];
    float narrow[MOST * WIDE];
    int64_t indptr[MOST + 1];
    int32_t indices[MOST * WIDE];
    pith_i_knn whole;
    int64_t cuts[MOST_MEMBERS + 1];
} table;

/* sparse: the chance that a value is 0 */
static double value_of(kind what, int64_t i, int64_t j, double zeros, pith_i_stream *s)
{
    const double v = pith_i_random_normal(s);
    const bool none = pith_i_random_uniform(s) < zeros;
    if (none || (what == GROUPS && i % 97 == 5))
        return 0;
    if (what == FEW)
        return i % 700 == j ? 1 + (double)(i % 5) : 0;
    if (what == SAME)
        return (double)((i % 3 + j) % 4);
    return what == GROUPS ? v + (double)(i % 5 * (j % 3)) : v;
}

static void fill(table *t, kind what, double zeros)
{
    int64_t at = 0;
    for (int64_t i = 0; i < t->of.n; i++) {
        const int64_t like = what == GROUPS && i % 31 == 30 ? i - 30 : i; /* a copy */
        pith_i_stream s = pith_i_stream_at(3, PITH_I_RANDOM_BENCH, (uint64_t)like);
        for (int64_t j = 0; j < t->of.p; j++) {
            const float v = (float)value_of(what, like, j, zeros, &s);
            if (t->of.sparse && v == 0)
                continue;
            t->indices[at] = (int32_t)j;
            t->x[at] = (double)v;
            t->narrow[at++] = v;
        }
        t->indptr[i + 1] = at;
    }
    const void *values = t->of.dtype == PITH_F64 ? (const void *)t->x : t->narrow;
    t->X = (pith_i_data){.n = t->of.n,
                         .p = t->of.p,
                         .dtype = t->of.dtype,
                         .sparse = t->of.sparse,
                         .x = t->of.sparse ? NULL : values,
                         .row_stride = t->of.p,
                         .col_stride = 1,
                         .indptr = t->indptr,
                         .indices = t->indices,
                         .values = t->of.sparse ? values : NULL};
}

static void search_block(pith_ctx *ctx, int rank, void *arg)
{
    const table *t = arg;
    const int64_t from = t->cuts[rank], n = t->cuts[rank + 1] - from;
    pith_i_data X = pith_i_data_rows(&t->X, from, n);
    pith_i_knn found = {0};
    X.all = t->of.n;
    X.offset = from;
    (void)pith_i_searching_begin(ctx, PITH_I_SEARCH_APPROXIMATE, PITH_I_RECALL);
    must(pith_i_knn_find(ctx, &X, t->of.k, t->of.metric, &found) == PITH_OK);
    must(found.k == t->whole.k && found.n == n);
    must(found.recall == t->whole.recall);
    must(found.excess == t->whole.excess);
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
        t->cuts[r] = how == 1 && r < members ? r
                     : how == 2 && r == 1    ? 0
                     : how == 2 && r == 3    ? t->cuts[2]
                                             : t->of.n * r / members;
    t->cuts[members] = t->of.n;
}

static void compare(pith_ctx *ctx, table *t, int members, int how)
{
    const pith_i_searching before = pith_i_searching_begin(ctx, PITH_I_SEARCH_APPROXIMATE, PITH_I_RECALL);
    assert_int_equal(pith_i_knn_find(ctx, &t->X, t->of.k, t->of.metric, &t->whole), PITH_OK);
    assert_true(t->whole.recall > 0 && t->whole.recall <= 1);
    cut(t, members, how);
    in_ring(members, search_block, t);
    pith_i_knn_free(&t->whole);
    (void)pith_i_searching_end(ctx, before);
}

static void try_table(pith_ctx *ctx, shape of, kind what, double zeros, int members, int how)
{
    table *t = calloc(1, sizeof *t);
    assert_non_null(t);
    t->of = of;
    fill(t, what, zeros);
    compare(ctx, t, members, how);
    free(t);
}

static void rows_of_few_columns(void **state)
{
    for (int variant = 0; variant < 6; variant++) {
        const shape of = {.n = variant == 0 ? MOST : 1100,
                          .p = 9,
                          .k = 7,
                          .dtype = variant % 2 != 0 ? PITH_F32 : PITH_F64,
                          .metric = variant >= 3 ? PITH_I_COSINE : PITH_I_EUCLIDEAN};
        try_table(*state, of, (kind)(variant % 3), 0, 2 + variant % 3, variant % 3);
    }
}

static void projected_rows(void **state)
{
    try_table(*state, (shape){.n = 1500, .p = WIDE, .k = 6, .dtype = PITH_F32}, GROUPS, 0, 3, 0);
}

static void projected_sparse_rows(void **state)
{
    shape of = {.n = 1100, .p = WIDE, .k = 6, .sparse = true, .dtype = PITH_F64, .metric = PITH_I_COSINE};
    try_table(*state, of, GROUPS, 0.6, 4, 2);
    of.metric = PITH_I_EUCLIDEAN;
    of.dtype = PITH_F32;
    try_table(*state, of, GROUPS, 0.6, 3, 1);
}

/* Few entries a row: inverted lists, of which some are cut. */
static void light_sparse_rows(void **state)
{
    shape of = {.n = 1800, .p = 20, .k = 6, .sparse = true, .dtype = PITH_F32, .metric = PITH_I_COSINE};
    try_table(*state, of, GROUPS, 0.2, 3, 0);
    of.n = 1200;
    of.p = 60;
    of.metric = PITH_I_EUCLIDEAN;
    try_table(*state, of, NOISE, 0.8, 4, 2);
    of.dtype = PITH_F64;
    try_table(*state, of, SAME, 0.8, 2, 1);
}

/* More rows than are searched exactly at a time have fewer candidates than neighbours. */
static void rows_that_share_little(void **state)
{
    shape of = {.n = MOST, .p = 700, .k = 6, .sparse = true, .dtype = PITH_F32, .metric = PITH_I_EUCLIDEAN};
    try_table(*state, of, FEW, 0, 2, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(rows_of_few_columns), TEST(projected_rows),         TEST(projected_sparse_rows),
        TEST(light_sparse_rows),   TEST(rows_that_share_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
