/* What rufs and rsfs share; their numbers are those of tests/oracle. */
#include "methods/label_regression.h"
#include "unit/tables.h"

enum { N = 30, P = 12, C = 3 };

static const pith_i_label_options settings = {.a = 2, .rho = 0.3};

/* Labels, an intercept and memory, as after the start of a method; the columns of X are centred. */
static pith_i_label_regression make(pith_ctx *ctx, pith_i_data *X)
{
    pith_i_label_regression w = {.o = &settings, .n = N, .p = P, .c = C};
    double **by_label[] = {&w.fitted, &w.target, &w.left};
    double *x = random_table(ctx, N, P, 1, 1);
    for (int64_t j = 0; j < P; j++) {
        double mean = 0;
        for (int64_t i = 0; i < N; i++)
            mean += x[i * P + j] / N;
        for (int64_t i = 0; i < N; i++)
            x[i * P + j] = (x[i * P + j] - mean) / 32;
    }
    *X = as_form(ctx, x, N, P, ROW_MAJOR, PITH_F64);
    w.X = (pith_i_design){.X = X};
    w.G = random_table(ctx, N, C, 1, 2);
    w.h = random_table(ctx, 1, C, 1, 3);
    w.W = pith_i_scratch(ctx, P * C, sizeof *w.W);
    w.norm = pith_i_scratch(ctx, P, sizeof *w.norm);
    for (size_t k = 0; k < COUNT(by_label); k++)
        *by_label[k] = pith_i_scratch_zero(ctx, N * C, sizeof **by_label[k]);
    return w;
}

/* For u = 1 and no noise, W = 0 is best as soon as b / a reaches 2 max_r ||f_r'C||, C = G - 1h'. */
static void the_penalty_is_a_share_of_the_one_that_removes_every_feature(void **state)
{
    pith_ctx *ctx = *state;
    pith_i_data X;
    pith_i_label_regression w = make(ctx, &X);
    double largest = 0;
    for (int64_t e = 0; e < N * C; e++)
        w.target[e] = w.G[e] - w.h[e % C];
    for (int64_t r = 0; r < P; r++) {
        double square = 0;
        for (int64_t t = 0; t < C; t++) {
            double sum = 0;
            for (int64_t i = 0; i < N; i++)
                sum += ((const double *)X.x)[i * P + r] * w.target[i * C + t];
            square += sum * sum;
        }
        largest = fmax(largest, sqrt(square));
    }
    assert_ok(ctx, pith_i_label_penalty(ctx, &w, "rufs", 2));
    assert_near(w.b, 2 * 0.3 * 2 * largest, 1e-12 * largest);
    memset(w.target, 0, N * C * sizeof *w.target);
    assert_int_equal(pith_i_label_penalty(ctx, &w, "rufs", 2), PITH_E_DATA);
    assert_string_equal(pith_ctx_message(ctx), "rufs: no feature is related to the initial labels");
    pith_i_scratch_release(ctx, 0);
}

/* The gradient over W of a sum_i u_i ||g_i - z_i - h - x_i W||^2 + b ||W||^2 is 0, and fitted is XW + 1h'. */
static void weights_are_fitted_to_what_noise_and_intercept_leave(void **state)
{
    pith_ctx *ctx = *state;
    pith_i_data X;
    pith_i_label_regression w = make(ctx, &X);
    double *noise = random_table(ctx, N, C, 0.2, 4), u[N];
    const double *x = X.x;
    w.b = 0.8;
    for (int64_t i = 0; i < N; i++)
        u[i] = 0.5 + (double)(i % 3);
    assert_ok(ctx, pith_i_row_sparse_open(ctx, &w.X, C, &w.solver));
    for (int with = 0; with < 2; with++) {
        const double *z = with ? noise : NULL;
        assert_ok(ctx, pith_i_label_weights(ctx, &w, z, with ? u : NULL));
        for (int64_t e = 0; e < N * C; e++) {
            double fit = w.h[e % C];
            for (int64_t r = 0; r < P; r++)
                fit += x[e / C * P + r] * w.W[r * C + e % C];
            assert_near(w.fitted[e], fit, 1e-11);
        }
        for (int64_t e = 0; e < P * C; e++) {
            double gradient = w.b * w.W[e];
            for (int64_t i = 0; i < N; i++) {
                const int64_t at = i * C + e % C;
                const double left = w.G[at] - (with ? z[at] : 0) - w.fitted[at];
                gradient -= settings.a * (with ? u[i] : 1) * x[i * P + e / C] * left;
            }
            assert_near(gradient, 0, 1e-10);
        }
    }
    pith_i_scratch_release(ctx, 0);
}

static void the_intercept_leaves_residuals_whose_weighted_mean_is_zero(void **state)
{
    pith_ctx *ctx = *state;
    pith_i_data X;
    pith_i_label_regression w = make(ctx, &X);
    double u[N];
    for (int64_t i = 0; i < N; i++)
        u[i] = 0.5 + (double)(i % 3);
    for (int with = 0; with < 2; with++) {
        for (int64_t e = 0; e < N * C; e++)
            w.left[e] = w.G[e] - w.fitted[e];
        assert_ok(ctx, pith_i_label_intercept(ctx, &w, with ? u : NULL));
        for (int64_t t = 0; t < C; t++) {
            double sum = 0;
            for (int64_t i = 0; i < N; i++)
                sum += (with ? u[i] : 1) * (w.G[i * C + t] - w.fitted[i * C + t]);
            assert_near(sum, 0, 1e-11);
        }
    }
    pith_i_scratch_release(ctx, 0);
}

static void norms_of_weights_are_smoothed(void **state)
{
    pith_ctx *ctx = *state;
    pith_i_data X;
    pith_i_label_regression w = make(ctx, &X);
    memset(w.W, 0, P * C * sizeof *w.W);
    w.W[0] = 3;
    w.e_weight = 4;
    assert_near(pith_i_label_weight_norm(&w), 5 + 4 * (P - 1), 1e-14);
    pith_i_scratch_release(ctx, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_penalty_is_a_share_of_the_one_that_removes_every_feature),
        TEST(weights_are_fitted_to_what_noise_and_intercept_leave),
        TEST(the_intercept_leaves_residuals_whose_weighted_mean_is_zero),
        TEST(norms_of_weights_are_smoothed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
