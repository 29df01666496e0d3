#include "cluster/group_sums.h"
#include "unit/support.h"
#include "unit/tables.h"

#include "core/random.h"
#include "matrix/stats.h"

enum { N = 150, P = 75 };

static void make_values(double *x)
{
    for (int64_t e = 0; e < N * P; e++) {
        pith_i_stream s = pith_i_stream_at(5, PITH_I_RANDOM_BENCH, (uint64_t)e);
        const double v = pith_i_random_normal(&s);
        x[e] = v > 0.3 ? v + (double)(e % P) : 0;
    }
}

static double slowly(const double *x, int64_t j, int64_t groups, const int32_t *label)
{
    double mean = 0, energy = 0;
    for (int64_t i = 0; i < N; i++)
        mean += x[i * P + j] / N;
    for (int64_t k = 0; k < groups; k++) {
        double sum = 0, size = 0;
        for (int64_t i = 0; i < N; i++) {
            sum += label[i] == k ? x[i * P + j] : 0;
            size += label[i] == k;
        }
        energy += size > 0 ? size * (sum / size - mean) * (sum / size - mean) : 0;
    }
    return energy;
}

static void energies_are_those_of_the_definition(void **state)
{
    pith_ctx *ctx = *state;
    double x[N * P], between[3 * P], sparse_between[3 * P];
    int32_t label[3][N];
    static const int64_t groups[] = {2, 7, 5}; /* of the last, one is empty */
    pith_i_grouping of[3];
    pith_i_column_stats stats;
    make_values(x);
    for (int g = 0; g < 3; g++) {
        for (int32_t i = 0; i < N; i++)
            label[g][i] = g == 2 ? i % 4 : (i * (g + 3) + i * i) % (int32_t)groups[g];
        of[g] = (pith_i_grouping){groups[g], label[g]};
    }
    const pith_i_data X = {.n = N, .p = P, .dtype = PITH_F64, .x = x, .row_stride = P, .col_stride = 1};
    pith_i_data C = as_csr(ctx, x, N, P, PITH_F64, 0), T = {0};
    assert_ok(ctx, pith_i_transpose(ctx, &C, &T));
    assert_ok(ctx, pith_i_column_statistics(ctx, &X, NULL, &stats));
    for (int threads = 1; threads <= 3; threads += 2) {
        assert_ok(ctx, pith_ctx_set_threads(ctx, threads));
        assert_ok(ctx, pith_i_between(ctx, &X, NULL, stats.mean, 3, of, between));
        assert_ok(ctx, pith_i_between(ctx, &C, &T, stats.mean, 3, of, sparse_between));
        for (int g = 0; g < 3; g++)
            for (int64_t j = 0; j < P; j++) {
                const double want = slowly(x, j, groups[g], label[g]);
                assert_near(between[g * P + j], want, 1e-10 * (1 + want));
                assert_near(sparse_between[g * P + j], want, 1e-10 * (1 + want));
            }
    }
    pith_i_data_free(&T);
    pith_i_scratch_release(ctx, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(energies_are_those_of_the_definition)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
