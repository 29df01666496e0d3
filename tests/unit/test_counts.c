/* Counts, from the data to the ranking that a user gets by default: what must not matter does not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "unit/support.h"

enum { N = 90, P = 400, MARKERS = 40, TOP = 40, MORE = 1000 };

/* As many uniform numbers as have a product above exp(-rate). */
static double poisson(pith_i_stream *s, double rate)
{
    double count = 0;
    for (double product = pith_i_random_uniform(s); product > exp(-rate); count++)
        product *= pith_i_random_uniform(s);
    return count;
}

/*
 * Cells of three kinds and of differing depth. Genes get rarer to the right; marker j, the first MARKERS, is
 * six times as frequent in kind j mod 3. About a tenth of all entries is not 0.
 */
static void make_cells(double *x)
{
    for (int64_t i = 0; i < N; i++) {
        pith_i_stream s = pith_i_stream_at(21, PITH_I_RANDOM_BENCH, (uint64_t)i);
        const double depth = 0.5 + pith_i_random_uniform(&s);
        for (int64_t j = 0; j < P; j++) {
            const bool marks = j < MARKERS && j % 3 == i % 3;
            const double rate = depth * (marks ? 1.2 : j < MARKERS ? 0.2 : 0.02 + 2.0 / (double)(j - 30));
            x[i * P + j] = poisson(&s, rate);
        }
    }
}

/* What `pith rank` does without a method named. Returns the name of the method. */
static const char *rank_by_default(pith_ctx *ctx, int64_t n, int64_t p, const double *x, pith_result **out)
{
    const pith_method *method = NULL;
    const char *why = NULL;
    pith_params *params = NULL;
    pith_matrix *m = NULL;
    assert_ok(ctx, pith_matrix_dense(ctx, n, p, PITH_F64, x, p, 1, &m));
    assert_ok(ctx, pith_method_auto(ctx, m, &method, &why));
    assert_ok(ctx, pith_params_new(ctx, method, &params));
    assert_ok(ctx, pith_run(ctx, m, params, out));
    pith_params_free(params);
    pith_matrix_free(m);
    return pith_method_name(method);
}

/* How many of the first TOP features of a are among those of b; feature j of a is feature at[j] of b. */
static int64_t shared(const pith_result *a, const pith_result *b, const int64_t *at)
{
    int64_t count = 0;
    for (int64_t r = 0; r < TOP; r++)
        for (int64_t q = 0; q < TOP; q++)
            count += at[pith_result_ranking(a)[r]] == pith_result_ranking(b)[q];
    return count;
}

static void identity(int64_t *at)
{
    for (int64_t j = 0; j < P; j++)
        at[j] = j;
}

static void markers_come_first(void **state)
{
    static double x[N * P];
    pith_ctx *ctx = *state;
    pith_result *r = NULL;
    int64_t found = 0;
    make_cells(x);
    assert_string_equal(rank_by_default(ctx, N, P, x, &r), "energy");
    for (int64_t t = 0; t < TOP; t++)
        found += pith_result_ranking(r)[t] < MARKERS;
    assert_true(found >= 30); /* of 40, by chance 4: rare noise is weighed up with what is rare and telling */
    pith_result_free(r);
}

static void columns_of_zeros_change_no_score(void **state)
{
    static double x[N * P], y[N * (P + MORE)];
    pith_ctx *ctx = *state;
    pith_result *a = NULL, *b = NULL;
    make_cells(x);
    for (int64_t i = 0; i < N; i++)
        memcpy(y + i * (P + MORE), x + i * P, P * sizeof *x);
    assert_string_equal(rank_by_default(ctx, N, P, x, &a), "energy");
    assert_string_equal(rank_by_default(ctx, N, P + MORE, y, &b), "energy");
    for (int64_t j = 0; j < P; j++)
        if (!isnan(pith_result_scores(a)[j]))
            assert_near(pith_result_scores(a)[j], pith_result_scores(b)[j],
                        1e-12 * pith_result_scores(a)[pith_result_ranking(a)[0]]);
    pith_result_free(a);
    pith_result_free(b);
}

/* Dropping rare features raises the density past a tenth and leaves the choice as it was. */
static void dropping_rare_features_changes_little(void **state)
{
    static double x[N * P], y[N * P];
    pith_ctx *ctx = *state;
    pith_result *a = NULL, *b = NULL;
    int64_t at[P], kept = 0, left[P], nonzeros = 0, held = 0;
    make_cells(x);
    for (int64_t j = 0; j < P; j++) {
        int64_t has = 0;
        for (int64_t i = 0; i < N; i++)
            has += x[i * P + j] != 0;
        nonzeros += has;
        at[j] = -1;
        if (has >= 5) {
            held += has;
            left[kept] = j;
            at[j] = kept++;
        }
    }
    assert_true(nonzeros < N * P / 10 && held > N * kept / 10);
    for (int64_t e = 0; e < N * kept; e++)
        y[e] = x[e / kept * P + left[e % kept]];
    assert_string_equal(rank_by_default(ctx, N, P, x, &a), "energy");
    assert_string_equal(rank_by_default(ctx, N, kept, y, &b), "energy");
    assert_true(shared(a, b, at) >= 34);
    pith_result_free(a);
    pith_result_free(b);
}

static void order_of_samples_changes_nothing(void **state)
{
    static double x[N * P], y[N * P];
    pith_ctx *ctx = *state;
    pith_result *a = NULL, *b = NULL;
    int64_t at[P];
    make_cells(x);
    identity(at);
    for (int64_t i = 0; i < N; i++)
        memcpy(y + i * P, x + i * 37 % N * P, P * sizeof *x); /* 37 and 90 share no factor */
    (void)rank_by_default(ctx, N, P, x, &a);
    (void)rank_by_default(ctx, N, P, y, &b);
    assert_int_equal(shared(a, b, at), TOP);
    for (int64_t j = 0; j < P; j++)
        if (!isnan(pith_result_scores(a)[j]))
            assert_near(pith_result_scores(a)[j], pith_result_scores(b)[j],
                        1e-9 * pith_result_scores(a)[pith_result_ranking(a)[0]]);
    pith_result_free(a);
    pith_result_free(b);
}

/* Scaling samples, as counts per 10,000 do, changes nothing either: rows come to unit length. */
static void normalising_samples_changes_nothing(void **state)
{
    static double x[N * P], y[N * P];
    pith_ctx *ctx = *state;
    pith_result *a = NULL, *b = NULL;
    int64_t at[P];
    make_cells(x);
    identity(at);
    for (int64_t i = 0; i < N; i++) {
        double total = 0;
        for (int64_t j = 0; j < P; j++)
            total += x[i * P + j];
        for (int64_t j = 0; j < P; j++)
            y[i * P + j] = x[i * P + j] * 1e4 / total;
    }
    (void)rank_by_default(ctx, N, P, x, &a);
    (void)rank_by_default(ctx, N, P, y, &b);
    assert_int_equal(shared(a, b, at), TOP);
    pith_result_free(a);
    pith_result_free(b);
}

/* What tools hand on instead of counts. */
static double changed(int how, double count, double total, int64_t sample)
{
    const double factor = 1 + 0.5 * sin((double)sample); /* of a sample, and not its total */
    switch (how) {
    case 0: return log1p(count * 1e4 / total);
    case 1: return log2(1 + count * 1e6 / total);
    case 2: return log2(1 + count / factor);
    case 3: return count / factor;
    case 4: return (float)log1p(count * 1e4 / total);
    default: return sqrt(count);
    }
}

static void logarithms_and_roots_change_nothing(void **state)
{
    static double x[N * P], y[N * P];
    pith_ctx *ctx = *state;
    int64_t at[P];
    pith_result *a = NULL, *b = NULL;
    make_cells(x);
    identity(at);
    (void)rank_by_default(ctx, N, P, x, &a);
    for (int how = 0; how < 6; how++) {
        for (int64_t i = 0; i < N; i++) {
            double total = 0;
            for (int64_t j = 0; j < P; j++)
                total += x[i * P + j];
            for (int64_t j = 0; j < P; j++)
                y[i * P + j] = changed(how, x[i * P + j], total, i);
        }
        (void)rank_by_default(ctx, N, P, y, &b);
        assert_int_equal(shared(a, b, at), TOP);
        pith_result_free(b);
    }
    pith_result_free(a);
}

static void a_stray_negative_value_is_named(void **state)
{
    static double x[N * P];
    pith_ctx *ctx = *state;
    pith_result *r = NULL;
    make_cells(x);
    x[5 * P + 16] = -1;
    (void)rank_by_default(ctx, N, P, x, &r);
    assert_non_null(pith_result_warning(r));
    assert_non_null(strstr(pith_result_warning(r), "column 17 (counted from 1) has negative values"));
    pith_result_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(markers_come_first),
        TEST(columns_of_zeros_change_no_score),
        TEST(dropping_rare_features_changes_little),
        TEST(order_of_samples_changes_nothing),
        TEST(normalising_samples_changes_nothing),
        TEST(logarithms_and_roots_change_nothing),
        TEST(a_stray_negative_value_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
