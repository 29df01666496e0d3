#include "graph/local_fit.h"
#include "unit/tables.h"

enum { N = 40, P = 6, K = 4 };

static double entry(const pith_i_local_sum *B, int64_t i, int64_t l)
{
    for (int64_t e = B->row[i]; e < B->row[i + 1]; e++)
        if (B->col[e] == l)
            return B->value[e];
    return 0;
}

static double quadratic(const pith_i_local_sum *B, const double *f)
{
    double sum = 0;
    for (int64_t i = 0; i < B->n; i++)
        for (int64_t l = 0; l < B->n; l++)
            sum += f[i] * f[l] * entry(B, i, l);
    return sum;
}

static pith_i_data table(pith_ctx *ctx, form f)
{
    return as_form(ctx, random_table(ctx, N, P, 0.7, 1), N, P, f, PITH_F64);
}

static void assert_symmetric_with_ones_in_the_null_space(const pith_i_local_sum *B)
{
    double size = 0;
    for (int64_t i = 0; i < N; i++)
        size = fmax(size, entry(B, i, i));
    for (int64_t i = 0; i < N; i++) {
        double sum = 0;
        for (int64_t l = 0; l < N; l++) {
            sum += entry(B, i, l);
            assert_near(entry(B, i, l), entry(B, l, i), 1e-14 * size);
        }
        assert_near(sum, 0, 1e-13 * size);
    }
}

/* f'Lf = sum_i (f_i - sum_j A_ij f_j)^2, where A_i minimises |x_i - sum_j A_ij x_j|^2 + 1e-3 tr(G) |A_i|^2
 * with sum 1: at the minimum G w + r w has equal entries. */
static void linear_weights_are_the_best_reconstruction(void **state)
{
    pith_ctx *ctx = *state;
    for (int sparse = 0; sparse < 2; sparse++) {
        const pith_i_data X = table(ctx, sparse ? CSR : COLUMN_MAJOR);
        pith_i_local_sum L;
        pith_i_knn knn;
        double f[N], want = 0;
        assert_ok(ctx, pith_i_local_linear(ctx, &X, K, &L));
        assert_ok(ctx, pith_i_knn_find(ctx, &X, K, PITH_I_EUCLIDEAN, &knn));
        assert_symmetric_with_ones_in_the_null_space(&L);
        for (int64_t i = 0; i < N; i++)
            f[i] = sin((double)(3 * i));
        for (int64_t i = 0; i < N; i++) {
            double G[K][K], w[K], trace = 0, sum = 0, off = f[i];
            for (int a = 0; a < K; a++)
                for (int b = 0; b < K; b++) {
                    G[a][b] = 0;
                    for (int64_t j = 0; j < P; j++)
                        G[a][b] += (value_at(&X, knn.index[i * K + a], j) - value_at(&X, i, j)) *
                                   (value_at(&X, knn.index[i * K + b], j) - value_at(&X, i, j));
                    trace += a == b ? G[a][b] : 0;
                }
            for (int a = 0; a < K; a++)
                w[a] = 1;
            for (int round = 0; round < 3000; round++) /* Gauss-Seidel for (G + r I) w = 1 */
                for (int a = 0; a < K; a++) {
                    double rest = 1;
                    for (int b = 0; b < K; b++)
                        rest -= a == b ? 0 : G[a][b] * w[b];
                    w[a] = rest / (G[a][a] + 1e-3 * trace);
                }
            for (int a = 0; a < K; a++)
                sum += w[a];
            for (int a = 0; a < K; a++)
                off -= w[a] / sum * f[knn.index[i * K + a]];
            want += off * off;
        }
        assert_near(quadratic(&L, f), want, 1e-8 * want);
        pith_i_local_sum_free(&L);
        pith_i_knn_free(&knn);
        pith_i_scratch_release(ctx, 0);
    }
}

static void equal_neighbours_share_equally(void **state)
{
    pith_ctx *ctx = *state;
    enum { ROWS = 12 };
    double x[ROWS];
    for (int i = 0; i < ROWS; i++)
        x[i] = i < 6 ? 1 : 5;
    const pith_i_data X = {.n = ROWS, .p = 1, .dtype = PITH_F64, .x = x, .row_stride = 1, .col_stride = 1};
    pith_i_local_sum L;
    assert_ok(ctx, pith_i_local_linear(ctx, &X, 2, &L));
    /* Row 5's neighbours are 0 and 1; nobody chose 5. */
    assert_near(entry(&L, 5, 5), 1, 1e-15);
    assert_near(entry(&L, 5, 0), -0.5, 1e-15);
    assert_near(entry(&L, 5, 1), -0.5, 1e-15);
    pith_i_local_sum_free(&L);
    assert_int_equal(pith_i_local_scatter(ctx, &X, 2, 1, &L), PITH_E_DATA);
}

/*
 * f'Bf = sum_i min_{w,b} (|f_N - X_i w - b|^2 + r |w|^2) / r: ridge regression on each neighbourhood. With
 * one column and centred values, the minimum is |f|^2 - (x'f)^2 / (x'x + r).
 */
static void scatter_is_what_ridge_regressions_leave(void **state)
{
    pith_ctx *ctx = *state;
    const double *x = random_table(ctx, N, 1, 1, 2);
    const pith_i_data X = {.n = N, .p = 1, .dtype = PITH_F64, .x = x, .row_stride = 1, .col_stride = 1};
    const double factor = 0.3;
    pith_i_local_sum B;
    pith_i_knn knn;
    double f[N], want = 0, r = 0;
    assert_ok(ctx, pith_i_local_scatter(ctx, &X, K, factor, &B));
    assert_ok(ctx, pith_i_knn_find(ctx, &X, K, PITH_I_EUCLIDEAN, &knn));
    assert_symmetric_with_ones_in_the_null_space(&B);
    for (int64_t i = 0; i < N; i++)
        f[i] = cos((double)(2 * i));
    for (int pass = 0; pass < 2; pass++) /* the first finds r */
        for (int64_t i = 0; i < N; i++) {
            double mx = 0, mf = 0, xx = 0, xf = 0, ff = 0;
            for (int a = 0; a <= K; a++) {
                const int64_t l = a == 0 ? i : knn.index[i * K + a - 1];
                mx += x[l] / (K + 1);
                mf += f[l] / (K + 1);
            }
            for (int a = 0; a <= K; a++) {
                const int64_t l = a == 0 ? i : knn.index[i * K + a - 1];
                xx += (x[l] - mx) * (x[l] - mx);
                xf += (x[l] - mx) * (f[l] - mf);
                ff += (f[l] - mf) * (f[l] - mf);
            }
            if (pass == 0)
                r += factor * xx / K / N;
            else
                want += (ff - xf * xf / (xx + r)) / r;
        }
    assert_near(quadratic(&B, f), want, 1e-11 * want);
    pith_i_local_sum_free(&B);
    pith_i_knn_free(&knn);
    pith_i_scratch_release(ctx, 0);
}

static pith_status both(pith_ctx *ctx, void *arg)
{
    const pith_i_data *X = arg;
    pith_i_local_sum L = {0}, B = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_local_linear(ctx, X, K, &L));
    TRY(pith_i_local_scatter(ctx, X, K, 1, &B));
done:
    pith_i_local_sum_free(&L);
    pith_i_local_sum_free(&B);
    return st;
}

static void failing_allocations_are_survived(void **state)
{
    pith_ctx *ctx = *state;
    pith_i_data X = table(ctx, ROW_MAJOR);
    assert_survives_failing_allocations(ctx, both, &X, 20);
    pith_i_scratch_release(ctx, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(linear_weights_are_the_best_reconstruction),
        TEST(equal_neighbours_share_equally),
        TEST(scatter_is_what_ridge_regressions_leave),
        TEST(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
