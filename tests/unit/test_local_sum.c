#include "graph/local_sum.h"
#include "unit/tables.h"

enum { N = 23, K = 4, SIZE = K + 1, M = 3 };

typedef struct locals {
    int64_t index[N * K];
    double blocks[N * SIZE * SIZE];
    pith_i_knn knn;
    double B[N * N]; /* the sum, the slow way */
} locals;

/* Sample 0 is nobody's neighbour, sample 1 everybody's; values of either sign. */
static void make_locals(locals *l)
{
    pith_i_stream s = pith_i_stream_at(3, PITH_I_RANDOM_BENCH, 0);
    *l = (locals){.knn = {.n = N, .k = K}};
    l->knn.index = l->index;
    for (int64_t i = 0; i < N; i++) {
        for (int64_t t = 0; t < K; t++)
            l->index[i * K + t] = t == 0 && i != 1 ? 1 : 2 + (i * 3 + t * 5) % (N - 2);
        for (int64_t t = 0; t < K; t++)
            if (l->index[i * K + t] == i)
                l->index[i * K + t] = 2 + (i * 3 + K * 5) % (N - 2) == i ? 2 : 2 + (i * 3 + K * 5) % (N - 2);
        for (int64_t a = 0; a < SIZE; a++)
            for (int64_t b = 0; b <= a; b++)
                l->blocks[(i * SIZE + a) * SIZE + b] = l->blocks[(i * SIZE + b) * SIZE + a] =
                    (double)(pith_i_random_below(&s, 65) - 32) / 8; /* sums are exact in any order */
    }
    for (int64_t i = 0; i < N; i++)
        for (int64_t a = 0; a < SIZE; a++)
            for (int64_t b = 0; b < SIZE; b++) {
                const int64_t r = a == 0 ? i : l->index[i * K + a - 1];
                const int64_t c = b == 0 ? i : l->index[i * K + b - 1];
                l->B[r * N + c] += l->blocks[(i * SIZE + a) * SIZE + b];
            }
}

static void every_entry_is_the_sum_of_its_blocks(void **state)
{
    pith_ctx *ctx = *state;
    pith_i_local_sum B = {0};
    double dense[N * N] = {0};
    locals l;
    make_locals(&l);
    assert_ok(ctx, pith_i_local_sum_make(ctx, &l.knn, l.blocks, &B));
    for (int64_t i = 0; i < N; i++)
        for (int64_t e = B.row[i]; e < B.row[i + 1]; e++) {
            assert_true(e == B.row[i] || B.col[e - 1] < B.col[e]);
            dense[i * N + B.col[e]] = B.value[e];
        }
    assert_memory_equal(dense, l.B, sizeof dense);
    pith_i_local_sum_free(&B);
}

static void operator_and_split_multiply_by_it(void **state)
{
    pith_ctx *ctx = *state;
    pith_i_local_sum B = {0};
    double by_rows[N * M], by_columns[N * M], plus[N * M], minus[N * M], y[N * M];
    locals l;
    make_locals(&l);
    for (int64_t i = 0; i < N; i++)
        for (int64_t t = 0; t < M; t++)
            by_rows[i * M + t] = by_columns[t * N + i] = (double)((i * 7 + t * 11) % 13);
    assert_ok(ctx, pith_i_local_sum_make(ctx, &l.knn, l.blocks, &B));
    const pith_i_operator A = pith_i_local_sum_operator(&B);
    assert_ok(ctx, A.apply(ctx, A.self, M, by_columns, y));
    assert_ok(ctx, pith_i_local_sum_split(ctx, &B, M, by_rows, plus, minus));
    for (int64_t i = 0; i < N; i++)
        for (int64_t t = 0; t < M; t++) {
            double positive = 0, negative = 0;
            for (int64_t j = 0; j < N; j++) {
                positive += fmax(l.B[i * N + j], 0) * by_rows[j * M + t];
                negative += fmax(-l.B[i * N + j], 0) * by_rows[j * M + t];
            }
            assert_true(plus[i * M + t] == positive && minus[i * M + t] == negative);
            assert_true(y[t * N + i] == positive - negative);
        }
    pith_i_local_sum_free(&B);
}

static pith_status make(pith_ctx *ctx, void *arg)
{
    const locals *l = arg;
    pith_i_local_sum B = {0};
    const pith_status st = pith_i_local_sum_make(ctx, &l->knn, l->blocks, &B);
    pith_i_local_sum_free(&B);
    return st;
}

static void failing_allocations_are_survived(void **state)
{
    locals l;
    make_locals(&l);
    assert_survives_failing_allocations(*state, make, &l, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_entry_is_the_sum_of_its_blocks),
        TEST(operator_and_split_multiply_by_it),
        TEST(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests_name("local_sum", tests, NULL, NULL);
}
