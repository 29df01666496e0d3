#include "graph/local_learning.h"
#include "unit/tables.h"

enum { N = 26, P = 9, K = 4 };

static double distance2(const double *x, int64_t i, int64_t j)
{
    double sum = 0;
    for (int64_t t = 0; t < P; t++)
        sum += (x[i * P + t] - x[j * P + t]) * (x[i * P + t] - x[j * P + t]);
    return sum;
}

static double width(const double *x)
{
    double sum = 0;
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < i; j++)
            sum += sqrt(distance2(x, i, j));
    const double mean = sum / (0.5 * N * (N - 1));
    return mean * mean;
}

/*
 * What the header says, checked by its normal equations: with N the nearest others of i and K their kernel,
 * (K_NN + r I) a = K_Ni; then (I - A)'(I - A) densely.
 */
static void naive(const double *x, double r, double *L)
{
    const double t = width(x);
    double I_A[N * N] = {0};
    for (int64_t i = 0; i < N; i++) {
        int64_t near[K];
        double A[K * K], a[K];
        for (int64_t k = 0; k < K; k++) {
            near[k] = -1;
            for (int64_t j = 0; j < N; j++) {
                bool taken = j == i;
                for (int64_t b = 0; b < k; b++)
                    taken = taken || near[b] == j;
                if (!taken && (near[k] < 0 || distance2(x, i, j) < distance2(x, i, near[k])))
                    near[k] = j;
            }
        }
        for (int64_t k = 0; k < K; k++) {
            a[k] = exp(-distance2(x, i, near[k]) / t);
            for (int64_t b = 0; b < K; b++)
                A[k * K + b] = exp(-distance2(x, near[k], near[b]) / t) + (k == b ? r : 0);
        }
        for (int64_t k = 0; k < K; k++) /* Gauss: positive definite needs no pivots */
            for (int64_t b = 0; b < K; b++) {
                const double f = A[b * K + k] / A[k * K + k];
                for (int64_t q = 0; q < K && b != k; q++)
                    A[b * K + q] -= f * A[k * K + q];
                a[b] -= b != k ? f * a[k] : 0;
            }
        I_A[i * N + i] = 1;
        for (int64_t k = 0; k < K; k++)
            I_A[i * N + near[k]] = -a[k] / A[k * K + k];
    }
    for (int64_t a = 0; a < N; a++)
        for (int64_t b = 0; b < N; b++) {
            L[a * N + b] = 0;
            for (int64_t i = 0; i < N; i++)
                L[a * N + b] += I_A[i * N + a] * I_A[i * N + b];
        }
}

static void it_is_its_formula_in_every_form_of_the_data(void **state)
{
    pith_ctx *ctx = *state;
    const double *x = random_table(ctx, N, P, 0.5, 3);
    double want[N * N];
    for (int low = 0; low < 2; low++) {
        const double r = low ? 1e-3 : 0.1;
        naive(x, r, want);
        for (each_form(f, dtype)) {
            const size_t mark = pith_i_scratch_mark(ctx);
            const pith_i_data X = as_form(ctx, x, N, P, (form)f, (pith_dtype)dtype);
            pith_i_local_sum L = {0};
            double got[N * N] = {0};
            assert_ok(ctx, pith_i_local_learning(ctx, &X, K, r, &L));
            for (int64_t i = 0; i < N; i++)
                for (int64_t e = L.row[i]; e < L.row[i + 1]; e++)
                    got[i * N + L.col[e]] = L.value[e];
            for (int64_t e = 0; e < N * N; e++)
                assert_near(got[e], want[e], 1e-12);
            for (int64_t i = 0; i < N; i++)
                for (int64_t j = 0; j < i; j++)
                    assert_true(got[i * N + j] == got[j * N + i]);
            pith_i_local_sum_free(&L);
            pith_i_scratch_release(ctx, mark);
        }
    }
    pith_i_scratch_release(ctx, 0);
}

static void more_neighbours_than_others_are_all_of_them(void **state)
{
    pith_ctx *ctx = *state;
    const double *x = random_table(ctx, N, P, 1, 4);
    const pith_i_data X = as_form(ctx, x, N, P, ROW_MAJOR, PITH_F64);
    pith_i_local_sum L = {0};
    assert_ok(ctx, pith_i_local_learning(ctx, &X, 1000, 0.1, &L));
    assert_int_equal(L.row[N], N * N);
    pith_i_local_sum_free(&L);
    pith_i_scratch_release(ctx, 0);
}

static void equal_samples_are_refused(void **state)
{
    pith_ctx *ctx = *state;
    double x[6] = {2, 5, 2, 5, 2, 5};
    const pith_i_data X = as_form(ctx, x, 3, 2, ROW_MAJOR, PITH_F64);
    pith_i_local_sum L = {0};
    assert_int_equal(pith_i_local_learning(ctx, &X, 2, 0.1, &L), PITH_E_DATA);
    assert_non_null(strstr(pith_ctx_message(ctx), "identical"));
    pith_i_scratch_release(ctx, 0);
}

static pith_status make(pith_ctx *ctx, void *arg)
{
    pith_i_local_sum L = {0};
    const pith_status st = pith_i_local_learning(ctx, arg, K, 0.1, &L);
    pith_i_local_sum_free(&L);
    return st;
}

static void failing_allocations_are_survived(void **state)
{
    pith_ctx *ctx = *state;
    const double *x = random_table(ctx, N, P, 1, 4);
    pith_i_data X = as_form(ctx, x, N, P, ROW_MAJOR, PITH_F64);
    assert_survives_failing_allocations(ctx, make, &X, 12);
    pith_i_scratch_release(ctx, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(it_is_its_formula_in_every_form_of_the_data),
        TEST(more_neighbours_than_others_are_all_of_them),
        TEST(equal_samples_are_refused),
        TEST(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests_name("local_learning", tests, NULL, NULL);
}
