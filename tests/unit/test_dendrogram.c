/* Chains of nearest neighbours beside the greedy algorithm that they stand for. */
#include "support.h"

#include "core/random.h"
#include "tree/dendrogram.h"

enum { N = 60, DIMS = 5 };

static void points(uint64_t trial, float *x)
{
    for (int i = 0; i < N; i++) {
        pith_i_stream s = pith_i_stream_at(trial, PITH_I_RANDOM_BENCH, (uint64_t)i);
        for (int k = 0; k < DIMS; k++)
            x[i * DIMS + k] = (float)pith_i_random_normal(&s);
    }
}

static double square(const float *x, int i, int j)
{
    double sum = 0;
    for (int k = 0; k < DIMS; k++)
        sum += pow((double)x[i * DIMS + k] - (double)x[j * DIMS + k], 2);
    return sum;
}

/* Heights of the greedy merges by definition, in O(N^3): the mean distance of all pairs, or the growth of the
 * squared deviations from the means, times 2 as for two points. */
static void greedy(const float *x, bool ward, double *height)
{
    int label[N];
    for (int i = 0; i < N; i++)
        label[i] = i;
    for (int step = 0; step < N - 1; step++) {
        double least = INFINITY;
        int a = -1, b = -1;
        static double sum[N][N];
        int size[N] = {0};
        memset(sum, 0, sizeof sum);
        for (int i = 0; i < N; i++) {
            size[label[i]]++;
            for (int j = 0; j < N; j++)
                sum[label[i]][label[j]] += ward ? square(x, i, j) : sqrt(square(x, i, j));
        }
        for (int p = 0; p < N; p++)
            for (int q = p + 1; q < N; q++)
                if (size[p] > 0 && size[q] > 0) {
                    const double np = size[p], nq = size[q];
                    /* |mean_p - mean_q|^2 from sums over pairs */
                    const double between =
                        sum[p][q] / np / nq - sum[p][p] / 2 / np / np - sum[q][q] / 2 / nq / nq;
                    const double d = ward ? 2 * np * nq / (np + nq) * between : sum[p][q] / np / nq;
                    if (d < least) {
                        least = d;
                        a = p;
                        b = q;
                    }
                }
        height[step] = least;
        for (int i = 0; i < N; i++)
            label[i] = label[i] == b ? a : label[i];
    }
}

static void chains_find_the_greedy_heights(void **state)
{
    pith_ctx *ctx = *state;
    for (uint64_t trial = 0; trial < 2; trial++)
        for (int ward = 0; ward < 2; ward++) {
            float x[N * DIMS], distance[N * (N - 1) / 2];
            double want[N];
            pith_i_merge merges[N];
            points(trial, x);
            greedy(x, ward, want);
            for (int i = 0; i < N; i++)
                for (int j = i + 1; j < N; j++)
                    distance[pith_i_pair(N, i, j)] = (float)(ward ? square(x, i, j) : sqrt(square(x, i, j)));
            assert_ok(ctx, pith_i_dendrogram(ctx, N, ward, distance, merges));
            for (int k = 0; k < N - 1; k++)
                assert_near(merges[k].height, want[k], 1e-6 * want[N - 2]);
            if (!ward)
                continue;
            assert_ok(ctx, pith_i_dendrogram_ward(ctx, N, DIMS, x, merges));
            for (int k = 0; k < N - 1; k++)
                assert_near(merges[k].height, want[k], 1e-6 * want[N - 2]);
        }
}

static void cuts_are_nested_and_have_as_many_clusters_as_asked(void **state)
{
    pith_ctx *ctx = *state;
    float x[N * DIMS];
    pith_i_merge merges[N];
    int32_t label[N], finer[N];
    points(9, x);
    assert_ok(ctx, pith_i_dendrogram_ward(ctx, N, DIMS, x, merges));
    for (int clusters = 1; clusters < N; clusters++) {
        int32_t above[N], most = -1;
        assert_ok(ctx, pith_i_dendrogram_cut(ctx, N, merges, clusters, label));
        assert_ok(ctx, pith_i_dendrogram_cut(ctx, N, merges, clusters + 1, finer));
        for (int i = 0; i < N; i++)
            above[i] = -1;
        for (int i = 0; i < N; i++) {
            assert_true(label[i] <= most + 1); /* numbered as they come */
            most = label[i] > most ? label[i] : most;
            assert_true(above[finer[i]] < 0 || above[finer[i]] == label[i]);
            above[finer[i]] = label[i];
        }
        assert_int_equal(most + 1, clusters);
    }
}

static void equal_points_and_single_ones_work(void **state)
{
    pith_ctx *ctx = *state;
    float distance[N * (N - 1) / 2] = {0};
    pith_i_merge merges[N];
    int32_t label[N];
    assert_ok(ctx, pith_i_dendrogram(ctx, N, false, distance, merges));
    assert_ok(ctx, pith_i_dendrogram_cut(ctx, N, merges, 1, label));
    assert_int_equal(label[N - 1], 0);
    assert_ok(ctx, pith_i_dendrogram(ctx, 1, false, distance, merges));
    assert_ok(ctx, pith_i_dendrogram_cut(ctx, 1, merges, 1, label));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(chains_find_the_greedy_heights),
        TEST(cuts_are_nested_and_have_as_many_clusters_as_asked),
        TEST(equal_points_and_single_ones_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
