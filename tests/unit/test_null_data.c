/* pith_synth_null: the columns of the data, and nothing that they share. */
#include "core/random.h"
#include "unit/support.h"

enum { N = 70, P = 30 };

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void column_of(pith_ctx *ctx, const pith_matrix *m, int64_t j, double *out)
{
    double row[P];
    for (int64_t i = 0; i < N; i++) {
        assert_ok(ctx, pith_matrix_get_rows(ctx, m, i, 1, row));
        out[i] = row[j];
    }
}

/* A borrowed table of x, dense or CSR. */
static pith_matrix *table_of(pith_ctx *ctx, const double *x, bool sparse, pith_dtype dtype)
{
    static double values[N * P];
    static float single[N * P];
    static int64_t first[N + 1];
    static int32_t columns[N * P];
    pith_matrix *m = NULL;
    int64_t count = 0;
    for (int64_t e = 0; e < N * P; e++) {
        first[e / P] = e % P == 0 ? count : first[e / P];
        if (x[e] == 0)
            continue;
        values[count] = x[e];
        single[count] = (float)x[e];
        columns[count++] = (int32_t)(e % P);
    }
    first[N] = count;
    if (sparse)
        assert_ok(ctx, pith_matrix_csr(ctx, N, P, dtype, first, columns,
                                       dtype == PITH_F64 ? (void *)values : (void *)single, &m));
    else
        assert_ok(ctx, pith_matrix_dense(ctx, N, P, PITH_F64, x, P, 1, &m));
    return m;
}

/* Real numbers, negative ones among them; of sparse data two in five. */
static pith_matrix *make_reals(pith_ctx *ctx, bool sparse, pith_dtype dtype)
{
    static double x[N * P];
    for (int64_t e = 0; e < N * P; e++)
        x[e] = sparse && (e / P * 7 + e % P * 3) % 5 > 1 ? 0 : (double)(float)(sin((double)e) + 0.01);
    return table_of(ctx, x, sparse, dtype);
}

static void every_column_keeps_its_values_in_another_order(void **state)
{
    pith_ctx *ctx = *state;
    for (int kind = 0; kind < 3; kind++) {
        pith_matrix *m = make_reals(ctx, kind > 0, kind == 2 ? PITH_F32 : PITH_F64), *null = NULL;
        int64_t moved = 0;
        assert_ok(ctx, pith_synth_null(ctx, m, &null));
        assert_int_equal(pith_matrix_is_sparse(null), kind > 0);
        assert_int_equal(pith_matrix_stored(null), pith_matrix_stored(m));
        for (int64_t j = 0; j < P; j++) {
            double a[N], b[N];
            column_of(ctx, m, j, a);
            column_of(ctx, null, j, b);
            for (int64_t i = 0; i < N; i++)
                moved += a[i] != b[i];
            qsort(a, N, sizeof *a, ascending);
            qsort(b, N, sizeof *b, ascending);
            assert_memory_equal(a, b, sizeof a);
        }
        assert_true(moved > N * P / 3);
        pith_matrix_free(null);
        pith_matrix_free(m);
    }
}

/* Words of three kinds of documents, the i-th of i + 40 words. */
static pith_matrix *make_counts(pith_ctx *ctx, bool sparse)
{
    static double x[N * P];
    memset(x, 0, sizeof x);
    for (int64_t i = 0; i < N; i++) {
        pith_i_stream s = pith_i_stream_at(3, PITH_I_RANDOM_BENCH, (uint64_t)i);
        for (int64_t word = 0; word < i + 40; word++)
            x[i * P + 3 * pith_i_random_below(&s, 1 + pith_i_random_below(&s, P / 3)) + i % 3]++;
    }
    return table_of(ctx, x, sparse, PITH_F64);
}

static void counts_keep_lengths_and_shares_and_lose_their_topics(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = make_counts(ctx, false), *null = NULL;
    double before[N][P], after[N][P], apart[2] = {0};
    assert_ok(ctx, pith_synth_null(ctx, m, &null));
    assert_ok(ctx, pith_matrix_get_rows(ctx, m, 0, N, before[0]));
    assert_ok(ctx, pith_matrix_get_rows(ctx, null, 0, N, after[0]));
    double total[2] = {0}, worst = 0;
    for (int64_t i = 0; i < N; i++) {
        double length[2] = {0};
        for (int64_t j = 0; j < P; j++) {
            assert_true(after[i][j] == floor(after[i][j]));
            length[0] += before[i][j];
            length[1] += after[i][j];
            apart[0] += j % 3 == i % 3 ? before[i][j] : 0;
            apart[1] += j % 3 == i % 3 ? after[i][j] : 0;
        }
        worst = fmax(worst, fabs(length[1] - length[0]) / sqrt(length[0]));
        total[0] += length[0];
        total[1] += length[1];
    }
    assert_true(worst < 4.5); /* sd of a Poisson count: of 70 rows the largest is some 2.5 off */
    assert_near(total[1] / total[0], 1, 4 / sqrt(total[0]));
    assert_true(apart[0] == total[0]);               /* all words of a document are of its kind; */
    assert_near(apart[1] / total[1], 1.0 / 3, 0.05); /* of the null one in three */
    for (int64_t j = 0; j < P; j++) {
        double sum[2] = {0};
        for (int64_t i = 0; i < N; i++) {
            sum[0] += before[i][j];
            sum[1] += after[i][j];
        }
        assert_true(fabs(sum[1] - sum[0]) <= 4.5 * sqrt(sum[0]));
    }
    pith_matrix_free(null);
    pith_matrix_free(m);
}

static void counts_are_the_same_however_stored(void **state)
{
    pith_ctx *ctx = *state;
    static double a[N * P], b[N * P];
    for (int sparse = 0; sparse < 2; sparse++) {
        pith_matrix *m = make_counts(ctx, sparse == 1), *null = NULL;
        assert_ok(ctx, pith_ctx_set_threads(ctx, 1 + 3 * sparse));
        assert_ok(ctx, pith_synth_null(ctx, m, &null));
        assert_int_equal(pith_matrix_is_sparse(null), sparse);
        assert_ok(ctx, pith_matrix_get_rows(ctx, null, 0, N, sparse == 1 ? b : a));
        pith_matrix_free(null);
        pith_matrix_free(m);
    }
    assert_memory_equal(a, b, sizeof a);
}

static pith_status make_null(pith_ctx *ctx, void *arg)
{
    pith_matrix *null = NULL;
    const pith_status st = pith_synth_null(ctx, arg, &null);
    pith_matrix_free(null);
    return st;
}

static void failing_allocations_are_survived(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *kinds[] = {make_reals(ctx, false, PITH_F64), NULL, NULL};
    for (int k = 0; k < 3; k++) {
        if (k == 1)
            kinds[k] = make_reals(ctx, true, PITH_F64);
        if (k == 2)
            kinds[k] = make_counts(ctx, true);
        assert_survives_failing_allocations(ctx, make_null, kinds[k], 3);
        pith_matrix_free(kinds[k]);
    }
}

static void features_keep_their_names_and_samples_lose_theirs(void **state)
{
    pith_ctx *ctx = *state;
    const char *labels[N], *names[P];
    pith_matrix *m = make_reals(ctx, false, PITH_F64), *null = NULL;
    for (int64_t i = 0; i < N; i++)
        labels[i] = i % 2 == 0 ? "a" : "b";
    for (int64_t j = 0; j < P; j++)
        names[j] = j == 4 ? "gene" : "other";
    assert_ok(ctx, pith_matrix_set_labels(ctx, m, labels));
    assert_ok(ctx, pith_matrix_set_sample_names(ctx, m, labels));
    assert_ok(ctx, pith_matrix_set_feature_names(ctx, m, names));
    assert_ok(ctx, pith_synth_null(ctx, m, &null));
    assert_int_equal(pith_matrix_classes(null), 0);
    assert_null(pith_matrix_sample_name(null, 0));
    assert_string_equal(pith_matrix_feature_name(null, 4), "gene");
    pith_matrix_free(null);
    pith_matrix_free(m);
}

/* Reads of cells run into millions: their means are large, and counts are no longer drawn word by word. Of a
 * Poisson count variance and mean are the same. */
static void large_counts_are_poisson_too(void **state)
{
    pith_ctx *ctx = *state;
    static double x[N * P], after[N * P];
    memset(x, 0, sizeof x);
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = i % 3; j < P; j += 3)
            x[i * P + j] = (double)(1 + j * j * (1 + i)); /* means from 1/3 to 2e4 */
    pith_matrix *m = table_of(ctx, x, true, PITH_F64), *null = NULL;
    double sum[2][3] = {{0}}, total = 0, row[N] = {0}, column[P] = {0};
    for (int64_t e = 0; e < N * P; e++) {
        row[e / P] += x[e];
        column[e % P] += x[e];
        total += x[e];
    }
    for (uint64_t seed = 0; seed < (short_run() ? 3 : 30); seed++) {
        pith_ctx_set_seed(ctx, seed);
        assert_ok(ctx, pith_synth_null(ctx, m, &null));
        assert_ok(ctx, pith_matrix_get_rows(ctx, null, 0, N, after));
        pith_matrix_free(null);
        for (int64_t e = 0; e < N * P; e++) {
            const double mean = row[e / P] * column[e % P] / total, z = (after[e] - mean) / sqrt(mean);
            assert_true(after[e] == floor(after[e]) && fabs(z) < 8);
            sum[mean > 10][0] += z;
            sum[mean > 10][1] += z * z - 1;
            sum[mean > 10][2] += 2 + 1 / mean; /* the variance of z^2 */
        }
    }
    for (int large = 0; large < 2; large++) {
        assert_true(sum[large][2] > 2 * 100);
        assert_true(fabs(sum[large][0]) < 3.5 * sqrt(sum[large][2] / 2));
        assert_true(fabs(sum[large][1]) < 3.5 * sqrt(sum[large][2]));
    }
    pith_matrix_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_column_keeps_its_values_in_another_order),
        TEST(counts_keep_lengths_and_shares_and_lose_their_topics),
        TEST(counts_are_the_same_however_stored),
        TEST(failing_allocations_are_survived),
        TEST(features_keep_their_names_and_samples_lose_theirs),
        TEST(large_counts_are_poisson_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
