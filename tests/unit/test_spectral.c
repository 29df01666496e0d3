#include "cluster/spectral.h"
#include "unit/support.h"

/* Two vectors whose rows point three ways, at any length: only the direction counts. The last row is 0. */
static void rows_are_clustered_by_direction(void **state)
{
    pith_ctx *ctx = *state;
    enum { N = 31 };
    double vector[2 * N] = {0};
    int32_t want[N] = {0};
    for (int i = 0; i < N - 1; i++) {
        const double length = 0.001 * (1 + i * i), angle = 2 * (i % 3) + 0.01 * i / N;
        vector[i] = length * cos(angle);
        vector[N + i] = length * sin(angle);
        want[i] = i % 3;
    }
    const pith_i_kmeans_options o = {.clusters = 3, .restarts = 5};
    pith_i_kmeans k = {0};
    assert_ok(ctx, pith_i_spectral_cluster(ctx, &(pith_i_data){.n = N}, 2, vector, &o, &k));
    const int32_t *got = pith_i_kmeans_best(&k);
    for (int i = 0; i < N - 1; i++)
        for (int j = 0; j < i; j++)
            assert_int_equal(got[i] == got[j], want[i] == want[j]);
    assert_true(k.inertia[k.best] < 1.01); /* the row of zeros alone is one away from its centre */
    pith_i_kmeans_free(&k);
}

static pith_status run(pith_ctx *ctx, void *arg)
{
    const double vector[] = {1, 1, -1, -1, 0.1, -0.1, 0.1, -0.1};
    const pith_i_kmeans_options o = {.clusters = 2};
    pith_i_kmeans k = {0};
    (void)arg;
    const pith_status st = pith_i_spectral_cluster(ctx, &(pith_i_data){.n = 4}, 2, vector, &o, &k);
    pith_i_kmeans_free(&k);
    return st;
}

static void it_survives_failing_allocations(void **state)
{
    assert_survives_failing_allocations(*state, run, NULL, 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(rows_are_clustered_by_direction),
        TEST(it_survives_failing_allocations),
    };
    return cmocka_run_group_tests_name("spectral", tests, NULL, NULL);
}
