#include "methods/fsasl/adaptive.h"
#include "unit/tables.h"

enum { N = 20, K = 4, MORE = 7 };

typedef struct lists {
    int64_t index[N * MORE];
    double distance2[N * MORE];
    pith_i_knn knn;
} lists;

/* Row i's neighbours are those behind it; distances grow unevenly, some are equal. */
static void make(double scale, lists *l)
{
    *l = (lists){.knn = {.n = N, .k = MORE}};
    l->knn.index = l->index;
    l->knn.distance2 = l->distance2;
    for (int64_t i = 0; i < N; i++)
        for (int64_t t = 0; t < MORE; t++) {
            l->index[i * MORE + t] = (i + t + 1) % N;
            l->distance2[i * MORE + t] = scale * (double)(1 + i % 5 + (t / 2) * (1 + i % 3));
        }
}

static pith_status find(pith_ctx *ctx, const lists *l, pith_i_local_sum *A)
{
    return pith_i_adaptive_laplacian(ctx, &(pith_i_data){.n = N}, &l->knn, K, A);
}

/* The Laplacian from the header's words; theta of the projection by bisection. */
static void naive(const lists *l, double *L)
{
    double m = 0;
    memset(L, 0, N * N * sizeof *L);
    for (int64_t i = 0; i < N; i++) {
        const double *d = l->distance2 + i * MORE;
        m += (K * d[K] - (d[0] + d[1] + d[2] + d[3])) / 2 / N;
    }
    for (int64_t i = 0; i < N; i++) {
        const double *d = l->distance2 + i * MORE;
        double lo = -1e3, hi = 1e3;
        for (int times = 0; times < 300; times++) {
            double sum = 0;
            const double theta = (lo + hi) / 2;
            for (int64_t t = 0; t < K; t++)
                sum += fmax((m > 0 ? -d[t] / (2 * m) : 0) - theta, 0);
            *(sum > 1 ? &lo : &hi) = theta;
        }
        for (int64_t t = 0; t < K; t++) {
            const double P = fmax((m > 0 ? -d[t] / (2 * m) : 0) - lo, 0);
            const int64_t j = l->index[i * MORE + t];
            L[i * N + i] += P / 2;
            L[j * N + j] += P / 2;
            L[i * N + j] -= P / 2;
            L[j * N + i] -= P / 2;
        }
    }
}

static void check(pith_ctx *ctx, double scale)
{
    pith_i_local_sum A = {0};
    double want[N * N], got[N * N] = {0};
    lists l;
    make(scale, &l);
    naive(&l, want);
    assert_ok(ctx, find(ctx, &l, &A));
    for (int64_t i = 0; i < N; i++)
        for (int64_t e = A.row[i]; e < A.row[i + 1]; e++)
            got[i * N + A.col[e]] = A.value[e];
    for (int64_t e = 0; e < N * N; e++)
        assert_near(got[e], want[e], 1e-12);
    for (int64_t i = 0; i < N; i++) {
        double sum = 0;
        for (int64_t j = 0; j < N; j++)
            sum += got[i * N + j];
        assert_near(sum, 0, 1e-15);
    }
    pith_i_local_sum_free(&A);
}

static void it_is_the_laplacian_of_the_adaptive_weights(void **state)
{
    check(*state, 1);
}

static void the_unit_of_distances_does_not_matter(void **state)
{
    check(*state, 1e-12);
    check(*state, 1e12);
}

static void without_distances_all_weights_are_equal(void **state)
{
    check(*state, 0);
}

static pith_status act(pith_ctx *ctx, void *arg)
{
    pith_i_local_sum A = {0};
    const pith_status st = find(ctx, arg, &A);
    pith_i_local_sum_free(&A);
    return st;
}

static void failing_allocations_are_survived(void **state)
{
    lists l;
    make(1, &l);
    assert_survives_failing_allocations(*state, act, &l, 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(it_is_the_laplacian_of_the_adaptive_weights),
        TEST(the_unit_of_distances_does_not_matter),
        TEST(without_distances_all_weights_are_equal),
        TEST(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests_name("adaptive", tests, NULL, NULL);
}
