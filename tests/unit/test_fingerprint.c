#include "matrix/fingerprint.h"
#include "unit/support.h"

#include <stdlib.h>

enum { N = 5, P = 4 };

static const double numbers[N * P] = {1, 0, -2,   0.5, 0, 0, 0, 0, 3,     1e-300,
                                      0, 7, 0.1f, 0,   0, 2, 0, 0, -0.25, 1e9f};

static uint64_t values_of(pith_ctx *ctx, pith_matrix *m)
{
    pith_i_fingerprint f;
    pith_i_fingerprint_make(ctx, m, &f);
    pith_matrix_free(m);
    return f.of[TRAIT_VALUES];
}

static uint64_t of_dense(pith_ctx *ctx, const double *x)
{
    pith_matrix *m = NULL;
    assert_ok(ctx, pith_matrix_dense(ctx, N, P, PITH_F64, x, P, 1, &m));
    return values_of(ctx, m);
}

/* zeros: stored, too. */
static uint64_t of_csr(pith_ctx *ctx, const double *x, bool zeros)
{
    int64_t indptr[N + 1] = {0};
    int32_t indices[N * P];
    double values[N * P];
    pith_matrix *m = NULL;
    for (int i = 0, e = 0; i < N; i++) {
        for (int j = 0; j < P; j++)
            if (zeros || x[i * P + j] != 0) {
                indices[e] = j;
                values[e++] = x[i * P + j];
            }
        indptr[i + 1] = e;
    }
    assert_ok(ctx, pith_matrix_csr(ctx, N, P, PITH_F64, indptr, indices, values, &m));
    return values_of(ctx, m);
}

static void how_values_are_kept_does_not_matter(void **state)
{
    pith_ctx *ctx = *state;
    const uint64_t want = of_dense(ctx, numbers);
    double turned[P * N], negative[N * P];
    float narrow[N * P];
    pith_matrix *m = NULL;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < P; j++) {
            turned[j * N + i] = numbers[i * P + j];
            narrow[i * P + j] = (float)numbers[i * P + j];
            negative[i * P + j] = numbers[i * P + j] != 0 ? numbers[i * P + j] : -0.0;
        }
    assert_true(of_csr(ctx, numbers, false) == want && of_csr(ctx, numbers, true) == want);
    assert_true(of_dense(ctx, negative) == want && of_csr(ctx, negative, true) == want);
    assert_ok(ctx, pith_matrix_dense(ctx, N, P, PITH_F64, turned, 1, N, &m));
    assert_true(values_of(ctx, m) == want);
    for (int j = 0; j < N * P; j++) /* those that a float holds */
        turned[j] = (double)narrow[j];
    assert_ok(ctx, pith_matrix_dense(ctx, N, P, PITH_F32, narrow, P, 1, &m));
    assert_true(values_of(ctx, m) == of_dense(ctx, turned));
}

static void any_change_of_a_value_or_its_place_is_seen(void **state)
{
    pith_ctx *ctx = *state;
    const uint64_t want = of_dense(ctx, numbers);
    for (int a = 0; a < N * P; a++) {
        double x[N * P];
        memcpy(x, numbers, sizeof x);
        x[a] = nextafter(x[a], 1e300);
        assert_true(of_dense(ctx, x) != want);
        for (int b = 0; b < a; b++) {
            memcpy(x, numbers, sizeof x);
            x[a] = numbers[b];
            x[b] = numbers[a];
            assert_true((of_dense(ctx, x) != want) == (numbers[a] != numbers[b]));
        }
    }
}

static void threads_do_not_matter(void **state)
{
    pith_ctx *ctx = *state;
    const pith_blobs shape = {
        .n = 999, .p = 37, .clusters = 3, .informative = 0.5, .separation = 2, .density = 1};
    uint64_t found[3];
    for (int t = 0; t < 3; t++) {
        pith_matrix *m = NULL;
        assert_ok(ctx, pith_ctx_set_threads(ctx, 1 + 3 * t));
        assert_ok(ctx, pith_synth_blobs(ctx, &shape, &m));
        found[t] = values_of(ctx, m);
    }
    assert_true(found[0] == found[1] && found[1] == found[2]);
}

/* Names run together, change places or get a byte: another number each. */
static void texts_are_told_apart(void **state)
{
    static const char *const names[][P] = {
        {"a", "b", "c", "d"}, {"b", "a", "c", "d"},        {"ab", "", "c", "d"},
        {"a", "b", "cd", ""}, {"a", "b", "c", "da"},       {"", "", "", ""},
        {"a", "b", "c", "e"}, {"12345678", "b", "c", "d"}, {"123456789", "b", "c", "d"},
    };
    pith_ctx *ctx = *state;
    pith_i_fingerprint found[COUNT(names)], none;
    pith_matrix *m = NULL;
    assert_ok(ctx, pith_matrix_dense(ctx, N, P, PITH_F64, numbers, P, 1, &m));
    pith_i_fingerprint_make(ctx, m, &none);
    assert_true(none.has[TRAIT_VALUES] && !none.has[TRAIT_FEATURES] && !none.has[TRAIT_SAMPLES] &&
                !none.has[TRAIT_LABELS]);
    for (size_t k = 0; k < COUNT(names); k++) {
        assert_ok(ctx, pith_matrix_set_feature_names(ctx, m, names[k]));
        pith_i_fingerprint_make(ctx, m, &found[k]);
        assert_true(found[k].has[TRAIT_FEATURES] && found[k].of[TRAIT_VALUES] == none.of[TRAIT_VALUES]);
        for (size_t other = 0; other < k; other++)
            assert_true(found[k].of[TRAIT_FEATURES] != found[other].of[TRAIT_FEATURES]);
    }
    pith_matrix_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(how_values_are_kept_does_not_matter),
        TEST(any_change_of_a_value_or_its_place_is_seen),
        TEST(threads_do_not_matter),
        TEST(texts_are_told_apart),
    };
    return cmocka_run_group_tests_name("fingerprint", tests, NULL, NULL);
}
