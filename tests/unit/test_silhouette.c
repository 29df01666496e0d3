#include "core/random.h"
#include "evaluate/silhouette.h"
#include "oracle/measures/numbers.h"
#include "unit/tables.h"

#include <stdlib.h>

static pith_i_data borrow(int64_t n, int64_t p, const double *x)
{
    return (pith_i_data){.n = n, .p = p, .dtype = PITH_F64, .x = x, .row_stride = p, .col_stride = 1};
}

static double silhouette(pith_ctx *ctx, const pith_i_data *X, const int32_t *label, bool cosine, int64_t rows)
{
    double out = -7;
    assert_ok(ctx, pith_i_silhouette(ctx, X, label, cosine, rows, &out));
    return out;
}

static void values_are_those_of_scikit_learn_dense_and_sparse(void **state)
{
    pith_ctx *ctx = *state;
    const pith_i_data D = borrow(48, 14, dense_x), C = borrow(40, 30, counts_x);
    pith_i_data sparse_D = {0}, sparse_C = {0};
    sparse_D = as_csr(ctx, D.x, D.n, D.p, PITH_F64, 0);
    sparse_C = as_csr(ctx, C.x, C.n, C.p, PITH_F64, 0);
    assert_near(silhouette(ctx, &D, dense_labels, false, 0), dense_silhouette, 1e-12);
    assert_near(silhouette(ctx, &D, dense_labels, true, 0), dense_silhouette_cosine, 1e-12);
    assert_near(silhouette(ctx, &C, counts_labels, false, 0), counts_silhouette, 1e-12);
    assert_near(silhouette(ctx, &C, counts_labels, true, 0), counts_silhouette_cosine, 1e-12);
    assert_near(silhouette(ctx, &sparse_D, dense_labels, false, 0), dense_silhouette, 1e-12);
    assert_near(silhouette(ctx, &sparse_C, counts_labels, false, 0), counts_silhouette, 1e-12);
    assert_near(silhouette(ctx, &sparse_C, counts_labels, true, 0), counts_silhouette_cosine, 1e-12);
    pith_i_scratch_release(ctx, 0);
}

static void the_form_of_the_data_does_not_matter(void **state)
{
    pith_ctx *ctx = *state;
    for (each_form(f, dtype)) {
        const pith_i_data Y = as_form(ctx, counts_x, 40, 30, (form)f, (pith_dtype)dtype);
        assert_near(silhouette(ctx, &Y, counts_labels, false, 0), counts_silhouette, 1e-12);
        assert_near(silhouette(ctx, &Y, counts_labels, true, 0), counts_silhouette_cosine, 1e-12);
        pith_i_scratch_release(ctx, 0);
    }
}

enum { N = 700, P = 1100 };

/* More rows and columns than are treated at a time. */
static void make_groups(pith_ctx *ctx, double spread, pith_i_data *X, int32_t *label)
{
    assert_ok(ctx, pith_i_data_new_dense(ctx, N, P, PITH_F64, X));
    for (int64_t i = 0; i < N; i++) {
        label[i] = (int32_t)(i % 3);
        for (int64_t j = 0; j < P; j++) {
            pith_i_stream s = pith_i_stream_at(9, PITH_I_RANDOM_BENCH, (uint64_t)(i * P + j));
            ((double *)pith_i_data_x(X))[i * P + j] =
                (double)(i % 3 == j % 3) + spread * (pith_i_random_uniform(&s) - 0.5);
        }
    }
}

/* From the definition, by direct differences. */
static double slowly(const pith_i_data *X, const int32_t *label)
{
    const double *x = X->x;
    double total = 0;
    for (int64_t i = 0; i < X->n; i++) {
        double sum[3] = {0}, size[3] = {0};
        for (int64_t j = 0; j < X->n; j++) {
            double d = 0;
            for (int64_t f = 0; f < X->p; f++)
                d += (x[i * X->p + f] - x[j * X->p + f]) * (x[i * X->p + f] - x[j * X->p + f]);
            sum[label[j]] += sqrt(d);
            size[label[j]] += j != i;
        }
        const double a = sum[label[i]] / size[label[i]];
        double b = INFINITY;
        for (int k = 0; k < 3; k++)
            if (k != label[i])
                b = fmin(b, sum[k] / size[k]);
        total += (b - a) / fmax(a, b);
    }
    return total / (double)X->n;
}

static void many_rows_agree_with_the_definition(void **state)
{
    skip_when_short();
    pith_ctx *ctx = *state;
    const double spread[] = {3, 1e-6}; /* the second: products lose all digits within a cluster */
    for (size_t t = 0; t < COUNT(spread); t++) {
        pith_i_data X = {0};
        int32_t label[N];
        make_groups(ctx, spread[t], &X, label);
        const double want = slowly(&X, label);
        for (int threads = 1; threads <= 4; threads += 3) {
            assert_ok(ctx, pith_ctx_set_threads(ctx, threads));
            assert_near(silhouette(ctx, &X, label, false, 0), want, 1e-12);
        }
        pith_i_data_free(&X);
    }
}

static void a_sample_is_near_the_whole_and_fixed_by_the_seed(void **state)
{
    skip_when_short();
    pith_ctx *ctx = *state;
    pith_i_data X = {0};
    int32_t label[N];
    make_groups(ctx, 3, &X, label);
    for (int i = 0; i < N; i += 5)
        label[i] = (label[i] + 1) % 3; /* so that rows differ */
    const double all = silhouette(ctx, &X, label, false, N), some = silhouette(ctx, &X, label, false, 300);
    assert_true(all == silhouette(ctx, &X, label, false, 0));
    assert_true(some != all);
    assert_near(some, all, 0.01);
    assert_ok(ctx, pith_ctx_set_threads(ctx, 3));
    assert_true(some == silhouette(ctx, &X, label, false, 300));
    pith_ctx_set_seed(ctx, 2);
    assert_true(some != silhouette(ctx, &X, label, false, 300));
    pith_i_data_free(&X);
}

static void it_is_undefined_for_one_cluster_and_for_singletons(void **state)
{
    pith_ctx *ctx = *state;
    const pith_i_data X = borrow(48, 14, dense_x), one = borrow(1, 14, dense_x);
    int32_t same[48], each[48], bad[48] = {0};
    for (int i = 0; i < 48; i++) {
        same[i] = 4;
        each[i] = i;
    }
    assert_true(isnan(silhouette(ctx, &X, same, false, 0)));
    assert_true(isnan(silhouette(ctx, &X, each, false, 0)));
    assert_true(isnan(silhouette(ctx, &one, same, true, 0)));
    double out = 0;
    bad[3] = -1;
    assert_int_equal(pith_i_silhouette(ctx, &X, bad, false, 0, &out), PITH_E_ARGUMENT);
}

static void equal_rows_are_neither_near_nor_far(void **state)
{
    pith_ctx *ctx = *state;
    const double x[12] = {0};
    const int32_t label[] = {0, 0, 1, 1};
    const pith_i_data X = borrow(4, 3, x);
    assert_true(silhouette(ctx, &X, label, false, 0) == 0);
}

typedef struct job {
    const pith_i_data *X;
    const int32_t *label;
    bool cosine;
} job;

static pith_status run(pith_ctx *ctx, void *arg)
{
    const job *j = arg;
    double out;
    return pith_i_silhouette(ctx, j->X, j->label, j->cosine, 20, &out);
}

static void it_survives_failing_allocations(void **state)
{
    pith_ctx *ctx = *state;
    const pith_i_data C = borrow(40, 30, counts_x);
    pith_i_data S = {0};
    S = as_csr(ctx, C.x, C.n, C.p, PITH_F64, 0);
    for (int t = 0; t < 4; t++) {
        job j = {t < 2 ? &C : &S, counts_labels, t % 2 == 1};
        assert_survives_failing_allocations(ctx, run, &j, 10);
    }
    pith_i_scratch_release(ctx, 0);
}

static void it_can_be_stopped(void **state)
{
    pith_ctx *ctx = *state;
    const pith_i_data X = borrow(48, 14, dense_x);
    double out = 0;
    pith_ctx_set_progress(ctx, stop_progress, NULL);
    assert_int_equal(pith_i_silhouette(ctx, &X, dense_labels, false, 0, &out), PITH_E_STOPPED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(values_are_those_of_scikit_learn_dense_and_sparse),
        TEST(the_form_of_the_data_does_not_matter),
        TEST(many_rows_agree_with_the_definition),
        TEST(a_sample_is_near_the_whole_and_fixed_by_the_seed),
        TEST(it_is_undefined_for_one_cluster_and_for_singletons),
        TEST(equal_rows_are_neither_near_nor_far),
        TEST(it_survives_failing_allocations),
        TEST(it_can_be_stopped),
    };
    return cmocka_run_group_tests_name("silhouette", tests, NULL, NULL);
}
