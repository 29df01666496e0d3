#include "graph/graph_inside.h"
#include "graph/sample_distances.h"

#include "graph/distances.h"
#include "unit/graph_data.h"

enum { N = 60, P = 4 };

static double *plane(int64_t n, uint64_t seed)
{
    double *x = new_values(n * P);
    fill_normal(x, n * P, seed);
    return x;
}

static double *distances_of(pith_ctx *ctx, const double *x, int64_t n)
{
    double *D = new_values(n * n);
    pith_i_data X = laid_out(ctx, x, n, P, ROWS_F64);
    assert_ok(ctx, pith_i_distances(ctx, &X, PITH_I_EUCLIDEAN, D));
    pith_i_data_free(&X);
    return D;
}

static int64_t sample(pith_ctx *ctx, int64_t n, const double *D, int64_t levels, int64_t part, int64_t *rows)
{
    int64_t count = n;
    for (int64_t i = 0; i < n; i++)
        rows[i] = i;
    assert_ok(ctx, pith_i_density_sample(ctx, n, D, levels, part, rows, &count));
    return count;
}

static void parts_share_the_rows_evenly_and_completely(void **state)
{
    pith_ctx *ctx = *state;
    for (int64_t n = 17; n <= N; n += 43)
        for (int64_t levels = 0; levels <= 4; levels++) {
            double *x = plane(n, 2), *D = distances_of(ctx, x, n);
            int seen[N] = {0};
            for (int64_t part = 0; part < 1 << levels; part++) {
                int64_t rows[N];
                const int64_t count = sample(ctx, n, D, levels, part, rows);
                assert_in_range(count, n >> levels, (n >> levels) + 1);
                for (int64_t r = 0; r < count; r++) {
                    seen[rows[r]]++;
                    assert_true(r == 0 || rows[r] > rows[r - 1]);
                }
            }
            for (int64_t i = 0; i < n; i++)
                assert_int_equal(seen[i], 1);
            free(x);
            free(D);
        }
}

typedef struct pair {
    double d;
    int64_t i, j;
} pair;

static int by_distance(const void *a, const void *b)
{
    const pair *x = a, *y = b;
    if (x->d != y->d)
        return x->d < y->d ? -1 : 1;
    return x->i != y->i ? (x->i < y->i ? -1 : 1) : (x->j > y->j) - (x->j < y->j);
}

/* One split by the definition: all pairs sorted once, scanned with a used flag, sums running. half[i] is 1
 * or 2. */
static void slow_split(int64_t n, const double *D, int *half)
{
    pair *pairs = calloc((size_t)(n * n), sizeof *pairs);
    double sum[2][N] = {{0}};
    int64_t count = 0;
    assert_non_null(pairs);
    memset(half, 0, (size_t)n * sizeof *half);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i + 1; j < n; j++)
            pairs[count++] = (pair){D[i * n + j], i, j};
    qsort(pairs, (size_t)count, sizeof *pairs, by_distance);
    for (int64_t e = 0; e < count; e++) {
        const int64_t i = pairs[e].i, j = pairs[e].j;
        if (half[i] != 0 || half[j] != 0)
            continue;
        half[i] = sum[0][i] + sum[1][j] >= sum[1][i] + sum[0][j] ? 1 : 2;
        half[j] = 3 - half[i];
        for (int64_t a = 0; a < n; a++) {
            sum[half[i] - 1][a] += D[i * n + a];
            sum[half[j] - 1][a] += D[j * n + a];
        }
    }
    for (int64_t i = 0; i < n; i++)
        if (half[i] == 0)
            half[i] = sum[0][i] >= sum[1][i] ? 1 : 2;
    free(pairs);
}

static void a_split_is_the_greedy_matching_of_all_pairs(void **state)
{
    pith_ctx *ctx = *state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        const int64_t n = N - (int64_t)seed % 2;
        double *x = plane(n, seed), *D = NULL;
        int64_t rows[N];
        int half[N];
        if (seed % 3 == 0)
            for (int64_t e = 0; e < n * P; e++)
                x[e] = round(x[e]); /* ties */
        D = distances_of(ctx, x, n);
        slow_split(n, D, half);
        for (int part = 0; part < 2; part++) {
            const int64_t count = sample(ctx, n, D, 1, part, rows);
            for (int64_t r = 0; r < count; r++)
                assert_int_equal(half[rows[r]], part + 1);
        }
        free(x);
        free(D);
    }
}

static void a_part_without_rows_is_refused(void **state)
{
    pith_ctx *ctx = *state;
    double *x = plane(3, 1), *D = distances_of(ctx, x, 3);
    int64_t rows[3] = {0, 1, 2}, count = 3;
    assert_int_equal(pith_i_density_sample(ctx, 3, D, 3, 7, rows, &count), PITH_E_DATA);
    free(x);
    free(D);
}

static pith_i_spectrum all_pairs_of(pith_ctx *ctx, const double *x, int64_t n, int64_t k, int64_t *used)
{
    double *D = distances_of(ctx, x, n), sigma = 0;
    pith_i_data X = laid_out(ctx, x, n, P, ROWS_F64);
    pith_i_graph *g = NULL;
    pith_i_spectrum s = {0};
    assert_ok(ctx, pith_i_width(ctx, n, D, n / 3, &sigma));
    assert_ok(ctx, pith_i_connected_graph(ctx, &X, PITH_I_EUCLIDEAN, k, n, sigma, &g, used));
    assert_int_equal(g->components, 1);
    assert_near(g->heat_width, 2 * sigma * sigma, 1e-14 * sigma * sigma);
    assert_ok(ctx, pith_i_spectrum_find(ctx, g, n, &s));
    pith_i_graph_free(g);
    pith_i_data_free(&X);
    free(D);
    return s;
}

/* Six rows far out of a cloud of 54, each alone: they are the least dense. */
static void strays_have_the_least_density(void **state)
{
    pith_ctx *ctx = *state;
    double *x = plane(N, 4), rho[N];
    int64_t kept[N], used = 0;
    for (int64_t i = 0; i < N; i += 10)
        x[i * P + i / 10 % P] += i < 40 ? 7 : -7;
    pith_i_spectrum s = all_pairs_of(ctx, x, N, 10, &used);
    const double level = pith_i_fermi_density(&s, 0.25, 0.1, rho);
    assert_near(level, 0.125 * (s.value[N / 2 - 1] + s.value[N / 2]), 1e-15);
    assert_ok(ctx, pith_i_drop_noisy(ctx, N, rho, pith_i_noisy_count(N, 0.1), kept));
    for (int64_t r = 0; r < N - 6; r++) {
        assert_true(kept[r] % 10 != 0);
        assert_true(r == 0 || kept[r] > kept[r - 1]);
    }
    pith_i_spectrum_free(&s);
    free(x);
}

/* Densities add up to the number of fermions, sum_k f(e_k); far below the level all are 1. */
static void density_adds_up_to_the_occupation(void **state)
{
    pith_ctx *ctx = *state;
    double *x = plane(N, 5), rho[N], sum = 0, want = 0;
    int64_t used = 0;
    pith_i_spectrum s = all_pairs_of(ctx, x, N, 10, &used);
    const double level = pith_i_fermi_density(&s, 0.5, 0.2, rho);
    for (int64_t i = 0; i < N; i++) {
        sum += rho[i];
        want += 1 / (1 + exp((s.value[i] - level) / (0.2 * level)));
    }
    assert_near(sum, want, 1e-12);
    (void)pith_i_fermi_density(&s, 10, 0.001, rho);
    for (int64_t i = 0; i < N; i++)
        assert_near(rho[i], 1, 1e-12);
    pith_i_spectrum_free(&s);
    free(x);
}

static void neighbours_are_doubled_until_the_graph_is_one(void **state)
{
    pith_ctx *ctx = *state;
    double *x = plane(N, 6);
    int64_t used = 0;
    for (int64_t i = 0; i < N / 2; i++)
        x[i * P] += 9; /* two clouds of 30: 29 neighbours stay inside, 32 do not */
    pith_i_spectrum s = all_pairs_of(ctx, x, N, 4, &used);
    assert_int_equal(used, 32);
    pith_i_spectrum_free(&s);
    free(x);
}

static void neighbours_of_many_rows_are_doubled_three_times_at_most(void **state)
{
    pith_ctx *ctx = *state;
    double *x = plane(N, 6);
    for (int64_t i = 0; i < N / 2; i++)
        x[i * P] += 9; /* as above */
    pith_i_data X = laid_out(ctx, x, N, P, ROWS_F64), few = {.n = 4000}, many = {.n = 4001};
    const pith_i_sample_distances direct = {.X = &few, .table = x}, streamed = {.X = &many};
    pith_i_graph *g = NULL;
    int64_t used = 0;
    assert_int_equal(pith_i_sample_neighbors(&direct, 10), 3999);
    assert_int_equal(pith_i_sample_neighbors(&streamed, 10), 80);
    assert_int_equal(pith_i_sample_neighbors(&streamed, 501), 4000);
    assert_ok(ctx, pith_i_connected_graph(ctx, &X, PITH_I_EUCLIDEAN, 3, 24, 1, &g, &used));
    assert_int_equal(used, 24);
    assert_int_equal(g->components, 2);
    pith_i_graph_free(g);
    pith_i_data_free(&X);
    free(x);
}

enum { MANY = 1500 }; /* rows: more than lists hold, tiles are cut and blocks follow each other */

static double *many(int64_t n, bool ties, uint64_t seed)
{
    double *x = plane(n, seed);
    for (int64_t e = 0; ties && e < n * P; e++)
        x[e] = round(2 * x[e]);
    return x;
}

static pith_i_distance_stream streamed(pith_ctx *ctx, const pith_i_data *X, pith_i_metric metric)
{
    pith_i_distance_stream S = {0};
    assert_ok(ctx, pith_i_distance_stream_open(ctx, X, metric, &S));
    return S;
}

/* All levels and folds, both metrics, dense and sparse. Zeros among the rounded values make rows without a
 * direction, and equal rows. */
static void streamed_halves_are_those_of_the_table(void **state)
{
    static const layout layouts[] = {ROWS_F64, CSR_F64};
    pith_ctx *ctx = *state;
    double *D = new_values((int64_t)MANY * MANY);
    for (int kind = 0; kind < 8; kind += cases_step(3)) {
        const pith_i_metric metric = kind % 2 == 0 ? PITH_I_EUCLIDEAN : PITH_I_COSINE;
        const int64_t n = MANY - kind / 4, levels = 1 + kind / 2 % 3;
        double *x = many(n, kind >= 4, (uint64_t)kind);
        pith_i_data X = laid_out(ctx, x, n, P, layouts[kind / 2 % 2]);
        pith_i_distance_stream S = streamed(ctx, &X, metric);
        assert_ok(ctx, pith_i_distances(ctx, &X, metric, D));
        for (int64_t part = 0; part < 1 << levels; part += 3) {
            int64_t rows[2][MANY], count[2] = {0};
            for (int64_t i = 0; i < n; i++)
                if (i % 10 != 3)
                    rows[0][count[0]++] = rows[1][count[1]++] = i;
            assert_ok(ctx, pith_i_density_sample(ctx, n, D, levels, part, rows[0], &count[0]));
            assert_ok(ctx, pith_i_density_sample_streamed(ctx, &X, &S, levels, part, rows[1], &count[1]));
            if (kind >=
                4) { /* of equal rows either may be in a half, by rounding, and an odd one in either */
                assert_in_range(count[1], count[0] - 1, count[0] + 1);
                continue;
            }
            assert_int_equal(count[0], count[1]);
            assert_memory_equal(rows[0], rows[1], (size_t)count[0] * sizeof rows[0][0]);
        }
        pith_i_distance_stream_close(&S);
        pith_i_data_free(&X);
        free(x);
    }
    free(D);
}

static void streamed_widths_are_those_of_the_table(void **state)
{
    pith_ctx *ctx = *state;
    double *D = new_values((int64_t)MANY * MANY);
    for (int kind = 0; kind < 8; kind += cases_step(3)) {
        const pith_i_metric metric = kind % 2 == 0 ? PITH_I_EUCLIDEAN : PITH_I_COSINE;
        double *x = many(MANY, kind >= 4, (uint64_t)kind), want = 0, got = 0;
        pith_i_data X = laid_out(ctx, x, MANY, P, kind / 2 % 2 == 0 ? ROWS_F64 : CSR_F64);
        pith_i_distance_stream S = streamed(ctx, &X, metric);
        assert_ok(ctx, pith_i_distances(ctx, &X, metric, D));
        for (int64_t k = 1; k < MANY; k += 231) {
            assert_ok(ctx, pith_i_width(ctx, MANY, D, k, &want));
            assert_ok(ctx, pith_i_width_streamed(ctx, &S, k, MANY, &got));
            assert_near(got, want, 1e-7 * want);
        }
        pith_i_distance_stream_close(&S);
        pith_i_data_free(&X);
        free(x);
    }
    free(D);
}

/* Rows of two groups in turns, one of them twice as wide: a sample that saw one of them alone would be a
 * third off. 200 of MANY rows leave the mean of the k-th distances uncertain by 3 %. */
static void widths_of_a_sample_are_near_those_of_all(void **state)
{
    pith_ctx *ctx = *state;
    double *x = many(MANY, false, 3), all = 0, some = 0;
    for (int64_t i = 0; i < MANY; i++)
        for (int64_t j = 0; j < P; j++)
            x[i * P + j] = (i % 2 == 0 ? 2 : 1) * x[i * P + j] + (i % 2 == 0 ? 100 : 0);
    pith_i_data X = laid_out(ctx, x, MANY, P, ROWS_F64);
    pith_i_distance_stream S = streamed(ctx, &X, PITH_I_EUCLIDEAN);
    assert_ok(ctx, pith_i_width_streamed(ctx, &S, 50, MANY, &all));
    assert_ok(ctx, pith_i_width_streamed(ctx, &S, 50, 200, &some));
    assert_near(some, all, 0.1 * all);
    assert_true(some != all);
    pith_i_distance_stream_close(&S);
    pith_i_data_free(&X);
    free(x);
}

/* The level within 2 %, and the density at that level by all eigenvectors. */
static void streamed_densities_are_those_of_the_eigenvectors(void **state)
{
    pith_ctx *ctx = *state;
    for (int kind = 0; kind < 2; kind += cases_step(2)) {
        double *x = many(MANY, false, 9), rho[MANY], got[MANY], level = 0;
        pith_i_data X = laid_out(ctx, x, MANY, P, ROWS_F64);
        pith_i_graph *g = NULL;
        pith_i_spectrum s = {0};
        int64_t used = 0;
        const double heat = kind == 0 ? 0.1 : 0.03;
        assert_ok(ctx, pith_i_connected_graph(ctx, &X, PITH_I_EUCLIDEAN, 10, MANY, 1, &g, &used));
        assert_ok(ctx, pith_i_spectrum_find(ctx, g, MANY, &s));
        const double exact = pith_i_fermi_density(&s, 0.25, heat, rho);
        assert_ok(ctx, pith_i_fermi_density_streamed(ctx, g, 0.25, heat, got, &level));
        assert_near(level, exact, 0.02 * exact);
        (void)pith_i_fermi_density(&s, 0.25 * level / exact, heat, rho);
        for (int64_t i = 0; i < MANY; i++)
            assert_near(got[i], rho[i], 1e-5);
        pith_i_spectrum_free(&s);
        pith_i_graph_free(g);
        pith_i_data_free(&X);
        free(x);
    }
}

static void counts_of_noisy_rows_are_rounded(void **state)
{
    (void)state;
    assert_int_equal(pith_i_noisy_count(14, 0.1), 1);
    assert_int_equal(pith_i_noisy_count(15, 0.1), 2);
    assert_int_equal(pith_i_noisy_count(1280, 0.1), 128);
    assert_int_equal(pith_i_noisy_count(10, 0), 0);
    assert_int_equal(pith_i_noisy_count(3, 0.9), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(parts_share_the_rows_evenly_and_completely),
        TEST(a_split_is_the_greedy_matching_of_all_pairs),
        TEST(a_part_without_rows_is_refused),
        TEST(strays_have_the_least_density),
        TEST(density_adds_up_to_the_occupation),
        TEST(neighbours_are_doubled_until_the_graph_is_one),
        TEST(neighbours_of_many_rows_are_doubled_three_times_at_most),
        TEST(streamed_halves_are_those_of_the_table),
        TEST(streamed_widths_are_those_of_the_table),
        TEST(widths_of_a_sample_are_near_those_of_all),
        TEST(streamed_densities_are_those_of_the_eigenvectors),
        TEST(counts_of_noisy_rows_are_rounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
