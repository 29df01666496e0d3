#include "cluster/tested.h"
#include "matrix/scale.h"
#include "unit/support.h"

#include "core/random.h"

#include <math.h>

enum { N = 40, P = 15, GROUPINGS = 3 };

static int32_t labels[GROUPINGS][N];
static pith_i_grouping groupings[GROUPINGS];

static void make_groupings(void)
{
    static const int64_t groups[GROUPINGS] = {2, 3, 7};
    for (int g = 0; g < GROUPINGS; g++) {
        for (int i = 0; i < N; i++)
            labels[g][i] = (int32_t)((i * (2 * g + 3) + i / 5) % groups[g]);
        groupings[g] = (pith_i_grouping){groups[g], labels[g]};
    }
}

/* Few counts in samples of very different length; row 7 has none, column 2 is large and varies by itself. */
static void make_counts(double *x)
{
    for (int i = 0; i < N; i++) {
        pith_i_stream s = pith_i_stream_at(4, PITH_I_RANDOM_BENCH, (uint64_t)i);
        for (int j = 0; j < P; j++) {
            const double most = j == 2 ? 40 * pith_i_random_uniform(&s) : 1 + (i % 4) * (j % 3 + 1);
            const double v = floor(most * pith_i_random_uniform(&s) - 0.6);
            x[i * P + j] = i == 7 || v < 0 ? 0 : v;
        }
    }
}

static void assert_same_tests(const double *y, int j, const double *between, const pith_i_powers *powers)
{
    double mean = 0, factor = 0, p[7] = {0};
    for (int i = 0; i < N; i++)
        mean += y[i * P + j] / N;
    for (int i = 0; i < N; i++)
        for (int q = 2; q < 7; q++)
            p[q] += pow(y[i * P + j] - mean, q);
    factor = sqrt(powers[j].s2 / p[2]); /* the column's own */
    assert_near(powers[j].s3 / pow(factor, 3) / pow(p[2], 1.5), p[3] / pow(p[2], 1.5), 1e-10);
    assert_near(powers[j].s4 / pow(factor, 4) / (p[2] * p[2]), p[4] / (p[2] * p[2]), 1e-10);
    assert_near(powers[j].s6 / pow(factor, 6) / pow(p[2], 3), p[6] / pow(p[2], 3), 1e-10);
    for (int g = 0; g < GROUPINGS; g++) {
        double sum[7] = {0}, size[7] = {0}, want = 0;
        for (int i = 0; i < N; i++) {
            sum[labels[g][i]] += y[i * P + j] - mean;
            size[labels[g][i]]++;
        }
        for (int64_t k = 0; k < groupings[g].groups; k++)
            want += sum[k] * sum[k] / size[k];
        assert_near(between[g * P + j] / powers[j].s2, want / p[2], 1e-10);
    }
}

/* The same data sparse, by its stored values. */
static pith_i_data sparse_of(pith_ctx *ctx, const pith_i_data *X)
{
    pith_i_data S = {0};
    int64_t at = 0, stored = 0;
    const double *x = X->x;
    for (int64_t e = 0; e < X->n * X->p; e++)
        stored += x[e] != 0;
    assert_ok(ctx, pith_i_data_new_csr(ctx, X->n, X->p, stored, PITH_F64, &S));
    for (int64_t i = 0; i < X->n; i++) {
        pith_i_data_indptr(&S)[i] = at;
        for (int64_t j = 0; j < X->p; j++)
            if (x[i * X->p + j] != 0) {
                pith_i_data_indices(&S)[at] = (int32_t)j;
                ((double *)pith_i_data_values(&S))[at++] = x[i * X->p + j];
            }
    }
    pith_i_data_indptr(&S)[X->n] = at;
    return S;
}

static void values_are_tested_as_they_are(void **state)
{
    pith_ctx *ctx = *state;
    const size_t mark = pith_i_scratch_mark(ctx);
    static double x[N * P], between[GROUPINGS * P];
    pith_i_powers powers[P];
    pith_i_column_stats stats;
    make_groupings();
    make_counts(x);
    const pith_i_data X = {.n = N, .p = P, .dtype = PITH_F64, .x = x, .row_stride = P, .col_stride = 1};
    pith_i_data S = sparse_of(ctx, &X), T = {0};
    assert_ok(ctx, pith_i_transpose(ctx, &S, &T));
    assert_ok(ctx, pith_i_column_statistics(ctx, &X, NULL, &stats));
    for (int sparse = 0; sparse < 2; sparse++) {
        assert_ok(ctx, pith_i_test_values(ctx, sparse ? &S : &X, sparse ? &T : NULL, &stats, GROUPINGS,
                                          groupings, between, powers));
        for (int j = 0; j < P; j++)
            assert_same_tests(x, j, between, powers);
    }
    pith_i_data_free(&T);
    pith_i_data_free(&S);
    pith_i_scratch_release(ctx, mark);
}

/* The definition, slowly: noise about the mean, lengths, noise given these, lengths, residuals. */
static void residuals_of(const double *x, double *y)
{
    double noise[P], length[N], share[P];
    for (int step = 0; step < 2; step++) {
        double total = 0;
        for (int j = 0; j < P; j++) {
            double sum = 0, rest = 0;
            for (int i = 0; i < N; i++)
                sum += x[i * P + j];
            for (int i = 0; i < N; i++)
                rest += pow(x[i * P + j] - (step == 0 ? sum / N : length[i] * share[j]), 2);
            noise[j] = fmax(1, rest / sum);
        }
        for (int i = 0; i < N; i++) {
            length[i] = 0;
            for (int j = 0; j < P; j++)
                length[i] += x[i * P + j] / noise[j];
            total += length[i];
        }
        for (int j = 0; j < P; j++) {
            share[j] = 0;
            for (int i = 0; i < N; i++)
                share[j] += x[i * P + j] / total;
        }
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < P; j++)
            y[i * P + j] =
                length[i] > 0 ? (x[i * P + j] - length[i] * share[j]) / sqrt(length[i] * share[j]) : 0;
}

static void counts_are_tested_by_their_residuals(void **state)
{
    pith_ctx *ctx = *state;
    static double x[N * P], y[N * P], rows[N * 2], between[GROUPINGS * P], energy[P];
    pith_i_powers powers[P];
    uint32_t wanted[P];
    bool all[P];
    make_groupings();
    make_counts(x);
    residuals_of(x, y);
    for (int j = 0; j < P; j++) {
        wanted[j] = 7;
        all[j] = true;
    }
    for (int i = 0; i < N; i++) {
        rows[2 * i] = i < N / 2 ? 1 : -1;
        rows[2 * i + 1] = i - (N - 1) / 2.0;
    }
    const pith_i_data X = {.n = N, .p = P, .dtype = PITH_F64, .x = x, .row_stride = P, .col_stride = 1};
    for (int sparse = 0; sparse < 2; sparse++) {
        pith_i_data S = sparse_of(ctx, &X), T = {0};
        assert_ok(ctx, pith_i_transpose(ctx, sparse ? &S : &X, &T));
        assert_ok(ctx, pith_i_test_residuals(ctx, sparse ? &S : &X, &T, GROUPINGS, groupings, wanted, between,
                                             powers));
        assert_ok(ctx, pith_i_test_residual_rows(ctx, sparse ? &S : &X, &T, all, 2, rows, energy));
        for (int j = 0; j < P; j++) {
            double a = 0, b = 0, mean = 0, square = 0;
            assert_same_tests(y, j, between, powers);
            for (int i = 0; i < N; i++) {
                a += y[i * P + j] * rows[2 * i];
                b += y[i * P + j] * rows[2 * i + 1];
                mean += y[i * P + j] / N;
            }
            for (int i = 0; i < N; i++)
                square += pow(y[i * P + j] - mean, 2);
            assert_near(energy[j] / powers[j].s2, (a * a + b * b) / square, 1e-9 * (a * a + b * b) / square);
        }
        pith_i_data_free(&T);
        pith_i_data_free(&S);
    }
}

/* ln(1 + counts per 10,000), square roots and counts per 10,000 of the same counts give them back. */
static void counts_come_back_from_what_was_made_of_them(void **state)
{
    pith_ctx *ctx = *state;
    static double x[N * P], made[N * P];
    make_counts(x);
    for (int i = 0; i < N; i++)
        x[i * P] = i == 7 ? 0 : 1; /* a count of 1 in every sample that has any */
    for (int kind = 0; kind < 4; kind++) {
        double most = 0;
        for (int i = 0; i < N; i++) {
            double sum = 0;
            for (int j = 0; j < P; j++)
                sum += x[i * P + j];
            for (int j = 0; j < P; j++) {
                const double v = x[i * P + j], part = sum > 0 ? 1e4 * v / sum : 0;
                made[i * P + j] = kind == 0 ? v : kind == 1 ? sqrt(v) : kind == 2 ? part : log1p(part);
                most = fmax(most, made[i * P + j]);
            }
        }
        const pith_i_data X = {
            .n = N, .p = P, .dtype = PITH_F64, .x = made, .row_stride = P, .col_stride = 1};
        pith_i_data again = {0};
        assert_ok(ctx, pith_i_counts_again(ctx, &X, most, &again));
        for (int e = 0; e < N * P; e++)
            assert_near(((double *)pith_i_data_x(&again))[e], x[e], 1e-8);
        pith_i_data_free(&again);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(values_are_tested_as_they_are),
        TEST(counts_are_tested_by_their_residuals),
        TEST(counts_come_back_from_what_was_made_of_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
