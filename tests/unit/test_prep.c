/* Preparation as a caller of the library meets it; what the steps choose is checked by test_sampling. */
#include <stdio.h>

#include "core/random.h"
#include "unit/support.h"

enum { N = 40, P = 5 };

/* Two clouds; rows 7 and 23 far from both. Sample i is named "s<i>", its label tells its cloud. */
static pith_matrix *make(pith_ctx *ctx, double *x)
{
    pith_i_stream s = pith_i_stream_at(9, PITH_I_RANDOM_BENCH, 0);
    char text[N][8];
    const char *names[N], *labels[N], *features[P] = {"a", "b", "c", "d", "e"};
    pith_matrix *m = NULL;
    for (int64_t i = 0; i < N; i++) {
        for (int64_t j = 0; j < P; j++)
            x[i * P + j] = pith_i_random_normal(&s) + (i % 2 == 0 ? 3 : 0);
        (void)snprintf(text[i], sizeof text[i], "s%d", (int)i);
        names[i] = text[i];
        labels[i] = i % 2 == 0 ? "even" : "odd";
    }
    x[7 * P] += 15;
    x[23 * P + 2] -= 15;
    assert_ok(ctx, pith_matrix_dense(ctx, N, P, PITH_F64, x, P, 1, &m));
    assert_ok(ctx, pith_matrix_set_feature_names(ctx, m, features));
    assert_ok(ctx, pith_matrix_set_sample_names(ctx, m, names));
    assert_ok(ctx, pith_matrix_set_labels(ctx, m, labels));
    return m;
}

static pith_matrix *prep(pith_ctx *ctx, const pith_matrix *m, const char *steps)
{
    pith_matrix *out = NULL;
    assert_ok(ctx, pith_prep(ctx, m, steps, &out));
    return out;
}

/* Every row of the result is one of the data, by its name, with all that belongs to it, in the old order. */
static void assert_rows_of(pith_ctx *ctx, const pith_matrix *out, const double *x)
{
    int64_t last = -1;
    for (int64_t r = 0; r < pith_matrix_rows(out); r++) {
        const int64_t i = atoi(pith_matrix_sample_name(out, r) + 1);
        double row[P];
        assert_true(i > last);
        last = i;
        assert_ok(ctx, pith_matrix_get_rows(ctx, out, r, 1, row));
        assert_memory_equal(row, x + i * P, sizeof row);
        assert_string_equal(pith_matrix_class_name(out, pith_matrix_label(out, r)),
                            i % 2 == 0 ? "even" : "odd");
    }
    assert_string_equal(pith_matrix_feature_name(out, 4), "e");
}

static void noisy_samples_go_and_a_quarter_of_the_others_stays(void **state)
{
    pith_ctx *ctx = *state;
    double x[N * P];
    pith_matrix *m = make(ctx, x), *clean = prep(ctx, m, "drop-noisy:remove=0.05:clusters=2"),
                *few = prep(ctx, m, "drop-noisy:clusters=2,representatives");
    assert_int_equal(pith_matrix_rows(clean), N - 2);
    assert_rows_of(ctx, clean, x);
    for (int64_t r = 0; r < N - 2; r++) {
        assert_string_not_equal(pith_matrix_sample_name(clean, r), "s7");
        assert_string_not_equal(pith_matrix_sample_name(clean, r), "s23");
    }
    assert_int_equal(pith_matrix_rows(few), 9); /* of 36 */
    assert_rows_of(ctx, few, x);
    pith_matrix_free(few);
    pith_matrix_free(clean);
    pith_matrix_free(m);
}

/* Four clouds of 1,024 samples, and four samples far from all of them and from each other. */
static void many_samples_need_no_table_of_all_pairs(void **state)
{
    enum { MANY = 4100, FAR = 4 };
    pith_ctx *ctx = *state;
    pith_matrix *m = NULL;
    double row[P];
    skip_when_short();
    double *x = malloc((size_t)MANY * P * sizeof *x);
    assert_non_null(x);
    pith_i_stream s = pith_i_stream_at(5, PITH_I_RANDOM_BENCH, 0);
    for (int64_t e = 0; e < (int64_t)MANY * P; e++)
        x[e] = pith_i_random_normal(&s) + 6 * (double)(e / P % 4 == e % P);
    for (int64_t f = 0; f < FAR; f++)
        x[1025 * f * P + f] += 40;
    assert_ok(ctx, pith_matrix_dense(ctx, MANY, P, PITH_F64, x, P, 1, &m));
    const int64_t before = pith_i_peak_begin(ctx);
    pith_matrix *clean = prep(ctx, m, "drop-noisy:remove=0.001:clusters=4:k-prime=100"),
                *few = prep(ctx, m, "representatives");
    assert_true(pith_ctx_peak_bytes(ctx) < (int64_t)MANY * MANY * 8 / 3);
    pith_i_peak_end(ctx, before);
    assert_int_equal(pith_matrix_rows(clean), MANY - FAR);
    for (int64_t r = 0; r < MANY - FAR; r++) {
        assert_ok(ctx, pith_matrix_get_rows(ctx, clean, r, 1, row));
        for (int64_t j = 0; j < P; j++)
            assert_true(row[j] < 30);
    }
    assert_int_equal(pith_matrix_rows(few), MANY / 4);
    pith_matrix_free(few);
    pith_matrix_free(clean);
    pith_matrix_free(m);
    free(x);
}

static void steps_are_taken_in_their_order(void **state)
{
    pith_ctx *ctx = *state;
    double x[N * P];
    pith_matrix *m = make(ctx, x), *twice = prep(ctx, m, "representatives:levels=1,representatives:levels=1"),
                *first = prep(ctx, m, "representatives:levels=1:fold=1,drop-noisy:k-prime=3");
    assert_int_equal(pith_matrix_rows(twice), 10);
    assert_rows_of(ctx, twice, x);
    assert_int_equal(pith_matrix_rows(first), 18); /* half of 40, without a tenth of that */
    pith_matrix_free(twice);
    pith_matrix_free(first);
    pith_matrix_free(m);
}

static void sparse_data_stays_sparse_and_gives_the_same_rows(void **state)
{
    pith_ctx *ctx = *state;
    double x[N * P];
    int64_t indptr[N + 1];
    int32_t indices[N * P];
    pith_matrix *m = make(ctx, x), *sparse = NULL;
    for (int64_t i = 0; i <= N; i++)
        indptr[i] = i * P;
    for (int64_t e = 0; e < N * P; e++)
        indices[e] = (int32_t)(e % P);
    assert_ok(ctx, pith_matrix_csr(ctx, N, P, PITH_F64, indptr, indices, x, &sparse));
    pith_matrix *a = prep(ctx, m, "drop-noisy:clusters=2,representatives"),
                *b = prep(ctx, sparse, "drop-noisy:clusters=2,representatives");
    assert_true(pith_matrix_is_sparse(b));
    assert_int_equal(pith_matrix_rows(a), pith_matrix_rows(b));
    for (int64_t r = 0; r < pith_matrix_rows(a); r++) {
        double one[P], other[P];
        assert_ok(ctx, pith_matrix_get_rows(ctx, a, r, 1, one));
        assert_ok(ctx, pith_matrix_get_rows(ctx, b, r, 1, other));
        assert_memory_equal(one, other, sizeof one);
    }
    pith_matrix_free(a);
    pith_matrix_free(b);
    pith_matrix_free(sparse);
    pith_matrix_free(m);
}

static void mistakes_in_the_list_are_named(void **state)
{
    static const char *const wrong[][2] = {
        {"", "a step without a name"},
        {"drop-nosy", "did you mean 'drop-noisy'?"},
        {"drop-noisy,", "a step without a name"},
        {"drop-noisy:remove", "'parameter=value' expected, not 'remove'"},
        {"drop-noisy:remvoe=0.1", "did you mean 'remove'?"},
        {"drop-noisy:remove=2", "remove: a number in 0..0.9 expected, not '2'"},
        {"representatives:levels=1:fold=2", "fold: 1 levels make 2 parts, there is no part 2"},
        {"representatives:levels=9:fold=511", "holds no sample"},
    };
    pith_ctx *ctx = *state;
    double x[N * P];
    char longest[400];
    pith_matrix *m = make(ctx, x), *out = NULL;
    for (size_t t = 0; t < COUNT(wrong); t++) {
        assert_int_not_equal(pith_prep(ctx, m, wrong[t][0], &out), PITH_OK);
        if (strstr(pith_ctx_message(ctx), wrong[t][1]) == NULL)
            fail_msg("'%s': %s", wrong[t][0], pith_ctx_message(ctx));
    }
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_int_equal(pith_prep(ctx, m, longest, &out), PITH_E_PARAMETER);
    assert_int_equal(pith_prep(ctx, m, NULL, &out), PITH_E_ARGUMENT);
    assert_null(out);
    pith_matrix_free(m);
}

static void equal_samples_and_values_that_are_not_finite_are_refused(void **state)
{
    pith_ctx *ctx = *state;
    double x[N * P];
    pith_matrix *m = make(ctx, x), *out = NULL;
    for (int64_t e = 0; e < N * P; e++)
        x[e] = 1;
    assert_int_equal(pith_prep(ctx, m, "drop-noisy", &out), PITH_E_DATA);
    x[3] = NAN;
    assert_int_equal(pith_prep(ctx, m, "drop-noisy", &out), PITH_E_DATA);
    pith_matrix_free(m);
}

static pith_status act(pith_ctx *ctx, void *m)
{
    pith_matrix *out = NULL;
    const pith_status st = pith_prep(ctx, m, "drop-noisy,representatives", &out);
    pith_matrix_free(out);
    return st;
}

static void every_failing_allocation_is_survived(void **state)
{
    double x[N * P];
    pith_matrix *m = make(*state, x);
    assert_survives_failing_allocations(*state, act, m, 20);
    pith_matrix_free(m);
}

static void every_step_says_what_it_does(void **state)
{
    const pith_step *step = NULL;
    size_t i = 0;
    (void)state;
    for (; (step = pith_step_at(i)) != NULL; i++) {
        assert_true(strlen(pith_step_name(step)) >= 2);
        assert_true(strlen(pith_step_title(step)) > 10);
        for (size_t k = 0; pith_step_param(step, k) != NULL; k++)
            assert_true(strlen(pith_step_param(step, k)->help) > 5);
    }
    assert_true(i >= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(noisy_samples_go_and_a_quarter_of_the_others_stays),
        TEST(many_samples_need_no_table_of_all_pairs),
        TEST(steps_are_taken_in_their_order),
        TEST(sparse_data_stays_sparse_and_gives_the_same_rows),
        TEST(mistakes_in_the_list_are_named),
        TEST(equal_samples_and_values_that_are_not_finite_are_refused),
        TEST(every_failing_allocation_is_survived),
        cmocka_unit_test(every_step_says_what_it_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
