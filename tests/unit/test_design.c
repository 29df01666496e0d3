#include "linalg/design.h"
#include "unit/tables.h"

enum { FORMS_TRIED = 3 };
static const form tried[FORMS_TRIED] = {ROW_MAJOR, COLUMN_MAJOR, CSR};

/* A design over x in one of the forms, its shift and what is left out written out in `plain`. */
typedef struct subject {
    pith_i_data X, T;
    pith_i_design D;
    double *shift, *plain;
    bool *left_out;
} subject;

/* Columns are of every density, so that some are heavy and some are not; every fifth is left out. Shifts are
 * multiples of 1/64, as the values are: all products are exact. */
static subject make(pith_ctx *ctx, int64_t n, int64_t p, form f, bool bare)
{
    subject s = {.plain = pith_i_scratch(ctx, n * p, sizeof(double))};
    double *x = random_table(ctx, n, p, 1, 1), *keep = random_table(ctx, n, p, 1, 2);
    s.shift = random_table(ctx, 1, p, 1, 3);
    s.left_out = pith_i_scratch_zero(ctx, p, sizeof *s.left_out);
    for (int64_t j = 0; j < p; j++) {
        s.left_out[j] = !bare && j % 5 == 4;
        for (int64_t i = 0; i < n; i++) {
            if (fabs(keep[i * p + j]) > 64.0 * (double)(1 + j % 7) / 7)
                x[i * p + j] = 0;
            s.plain[i * p + j] = s.left_out[j] ? 0 : x[i * p + j] - (bare ? 0 : s.shift[j]);
        }
    }
    s.X = as_form(ctx, x, n, p, f, PITH_F64);
    if (s.X.sparse)
        assert_ok(ctx, pith_i_transpose(ctx, &s.X, &s.T));
    return s;
}

static pith_i_design design(subject *s, bool bare)
{
    return (pith_i_design){&s->X, s->X.sparse ? &s->T : NULL, bare ? NULL : s->shift,
                           bare ? NULL : s->left_out};
}

static void products_are_those_of_the_matrix_it_stands_for(void **state)
{
    pith_ctx *ctx = *state;
    enum { N = 37, P = 23, M = 3 };
    for (int f = 0; f < FORMS_TRIED; f++)
        for (int bare = 0; bare < 2; bare++) {
            subject s = make(ctx, N, P, tried[f], bare);
            const pith_i_design D = design(&s, bare);
            const double *B = random_table(ctx, P, M, 1, 4), *C = random_table(ctx, N, M, 1, 5);
            double Y[N * M], Z[P * M], alike[N * M];
            assert_ok(ctx, pith_i_design_multiply(ctx, &D, M, B, Y));
            assert_ok(ctx, pith_i_design_multiply_alike(ctx, &D, M, B, alike));
            assert_memory_equal(alike, Y, sizeof Y); /* all sums are exact */
            assert_ok(ctx, pith_i_design_multiply_t(ctx, &D, M, C, Z));
            for (int64_t t = 0; t < M; t++) {
                for (int64_t i = 0; i < N; i++) {
                    double sum = 0;
                    for (int64_t j = 0; j < P; j++)
                        sum += s.plain[i * P + j] * B[j * M + t];
                    assert_near(Y[i * M + t], sum, 0);
                }
                for (int64_t j = 0; j < P; j++) {
                    double sum = 0;
                    for (int64_t i = 0; i < N; i++)
                        sum += s.plain[i * P + j] * C[i * M + t];
                    assert_near(Z[j * M + t], sum, 0);
                }
            }
            pith_i_data_free(&s.T);
            pith_i_scratch_release(ctx, 0);
        }
}

static void single_columns_and_products_are_those_of_the_matrix(void **state)
{
    pith_ctx *ctx = *state;
    enum { N = 140, P = 70 };
    for (int f = 0; f < FORMS_TRIED; f++)
        for (int bare = 0; bare < 2; bare++) {
            subject s = make(ctx, N, P, tried[f], bare);
            const pith_i_design D = design(&s, bare);
            const double *u = random_table(ctx, N, 1, 1, 4);
            double column[N], out[P];
            pith_i_design_correlate(&D, u, out);
            for (int64_t j = 0; j < P; j++) {
                double sum = 0;
                pith_i_design_column(&D, j, column);
                for (int64_t i = 0; i < N; i++) {
                    assert_near(column[i], s.plain[i * P + j], 0);
                    sum += column[i] * u[i];
                }
                assert_near(out[j], sum, 0);
            }
            pith_i_data_free(&s.T);
            pith_i_scratch_release(ctx, 0);
        }
}

/* Where no sum is exact: all rows are the first one, all columns of the second table its first one. */
static void equal_rows_and_columns_have_equal_products(void **state)
{
    pith_ctx *ctx = *state;
    enum { N = 139, P = 77, M = 3 };
    for (int f = 0; f < FORMS_TRIED; f++) {
        double *x = random_table(ctx, N, P, 1, 7), *y = random_table(ctx, N, P, 1, 8), Y[N * M], c[P];
        for (int64_t i = 0; i < N; i++)
            for (int64_t j = 0; j < P; j++) {
                x[i * P + j] = i == 0 ? x[j] / 3 : x[j];
                y[i * P + j] = j == 0 ? y[i * P] / 3 : y[i * P];
            }
        const pith_i_data A = as_form(ctx, x, N, P, tried[f], PITH_F64);
        const pith_i_data B = as_form(ctx, y, N, P, tried[f], PITH_F64);
        const pith_i_design rows = {.X = &A}, columns = {.X = &B};
        assert_ok(ctx, pith_i_design_multiply_alike(ctx, &rows, M, random_table(ctx, P, M, 1, 9), Y));
        for (int64_t i = 1; i < N; i++)
            assert_memory_equal(Y + i * M, Y, M * sizeof *Y);
        pith_i_design_correlate(&columns, x, c);
        for (int64_t j = 1; j < P; j++)
            assert_memory_equal(c + j, c, sizeof *c);
        pith_i_scratch_release(ctx, 0);
    }
}

static void norms_are_those_of_the_shifted_columns(void **state)
{
    pith_ctx *ctx = *state;
    enum { N = 31, P = 20 };
    for (int f = 0; f < FORMS_TRIED; f++) {
        subject s = make(ctx, N, P, tried[f], false);
        const pith_i_design D = design(&s, false);
        double norm[P];
        assert_ok(ctx, pith_i_design_norms(ctx, &D, norm));
        for (int64_t j = 0; j < P; j++) {
            double square = 0;
            for (int64_t i = 0; i < N; i++)
                square += s.plain[i * P + j] * s.plain[i * P + j];
            assert_near(norm[j], sqrt(square), 1e-12 * sqrt(square));
        }
        pith_i_data_free(&s.T);
        pith_i_scratch_release(ctx, 0);
    }
}

/* Weights are squares of small whole numbers, so that their roots and all sums are exact. */
static double *square_weights(pith_ctx *ctx, int64_t count)
{
    double *w = pith_i_scratch(ctx, count, sizeof *w);
    for (int64_t t = 0; t < count; t++)
        w[t] = (double)((t % 4) * (t % 4));
    return w;
}

static void row_squares_are_those_of_the_matrix_it_stands_for(void **state)
{
    pith_ctx *ctx = *state;
    enum { N = 150, P = 39 };
    for (int f = 0; f < FORMS_TRIED; f++)
        for (int bare = 0; bare < 2; bare++) {
            subject s = make(ctx, N, P, tried[f], bare);
            const pith_i_design D = design(&s, bare);
            double square[N];
            pith_i_design_row_squares(ctx, &D, square);
            for (int64_t i = 0; i < N; i++) {
                double sum = 0;
                for (int64_t j = 0; j < P; j++)
                    sum += s.plain[i * P + j] * s.plain[i * P + j];
                assert_near(square[i], sum, 0);
            }
            pith_i_data_free(&s.T);
            pith_i_scratch_release(ctx, 0);
        }
}

static void grams_are_exact_across_tiles_slices_and_forms(void **state)
{
    pith_ctx *ctx = *state;
    static const int64_t shapes[][2] = {{1, 1}, {7, 30}, {30, 7}, {257, 70}, {70, 257}, {520, 9}, {9, 530}};
    for (size_t a = 0; a < COUNT(shapes); a++)
        for (int f = 0; f < FORMS_TRIED; f++)
            for (int bare = 0; bare < 2; bare++) {
                const int64_t n = shapes[a][0], p = shapes[a][1];
                subject s = make(ctx, n, p, tried[f], bare);
                const pith_i_design D = design(&s, bare);
                const double *w = square_weights(ctx, p), *u = square_weights(ctx, n);
                double *K = pith_i_scratch(ctx, n * n, sizeof *K), *C = pith_i_scratch(ctx, p * p, sizeof *C);
                assert_ok(ctx, pith_i_design_rows_gram(ctx, &D, bare ? NULL : w, K));
                assert_ok(ctx, pith_i_design_columns_gram(ctx, &D, bare ? NULL : u, C));
                for (int64_t i = 0; i < n; i++)
                    for (int64_t l = 0; l <= i; l++) {
                        double sum = 0;
                        for (int64_t j = 0; j < p; j++)
                            sum += (bare ? 1 : w[j]) * s.plain[i * p + j] * s.plain[l * p + j];
                        assert_near(K[i * n + l], sum, 0);
                    }
                for (int64_t j = 0; j < p; j++)
                    for (int64_t q = 0; q <= j; q++) {
                        double sum = 0;
                        for (int64_t i = 0; i < n; i++)
                            sum += (bare ? 1 : u[i]) * s.plain[i * p + j] * s.plain[i * p + q];
                        assert_near(C[j * p + q], sum, 0);
                    }
                pith_i_data_free(&s.T);
                pith_i_scratch_release(ctx, 0);
            }
}

/* Values that do not sum exactly: another order would show. */
static void threads_do_not_change_a_bit_of_a_gram(void **state)
{
    pith_ctx *ctx = *state;
    enum { N = 300, P = 600 };
    for (int f = 0; f < FORMS_TRIED; f++) {
        subject s = make(ctx, N, P, tried[f], false);
        const pith_i_design D = design(&s, false);
        double *w = pith_i_scratch(ctx, P, sizeof *w), *K[2] = {NULL}, *C[2] = {NULL};
        for (int64_t j = 0; j < P; j++)
            w[j] = 1 / (double)(j + 3);
        for (int t = 0; t < 2; t++) {
            K[t] = pith_i_scratch_zero(ctx, N * N, sizeof **K);
            C[t] = pith_i_scratch_zero(ctx, P * P, sizeof **C);
            assert_ok(ctx, pith_ctx_set_threads(ctx, t == 0 ? 1 : 8));
            assert_ok(ctx, pith_i_design_rows_gram(ctx, &D, w, K[t]));
            assert_ok(ctx, pith_i_design_columns_gram(ctx, &D, w, C[t]));
        }
        assert_memory_equal(K[0], K[1], sizeof **K * N * N);
        assert_memory_equal(C[0], C[1], sizeof **C * P * P);
        pith_i_data_free(&s.T);
        pith_i_scratch_release(ctx, 0);
    }
}

/* A column with a mean a million times its spread: the expanded product would lose 12 of 16 digits. */
static void a_large_mean_of_a_full_sparse_column_cancels_nothing(void **state)
{
    pith_ctx *ctx = *state;
    enum { N = 12, P = 13 };
    double *x = random_table(ctx, N, P, 1, 7), *spread = random_table(ctx, N, P, 1, 7), *shift = NULL;
    double K[N * N];
    shift = pith_i_scratch(ctx, P, sizeof *shift);
    for (int64_t j = 0; j < P; j++) {
        shift[j] = 64e6;
        for (int64_t i = 0; i < N; i++)
            x[i * P + j] += shift[j];
    }
    pith_i_data X = as_form(ctx, x, N, P, CSR, PITH_F64), T = {0};
    assert_ok(ctx, pith_i_transpose(ctx, &X, &T));
    const pith_i_design D = {&X, &T, shift, NULL};
    assert_ok(ctx, pith_i_design_rows_gram(ctx, &D, NULL, K));
    for (int64_t i = 0; i < N; i++)
        for (int64_t l = 0; l <= i; l++) {
            double sum = 0;
            for (int64_t j = 0; j < P; j++)
                sum += spread[i * P + j] * spread[l * P + j];
            assert_near(K[i * N + l], sum, 0);
        }
    pith_i_data_free(&T);
    pith_i_scratch_release(ctx, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(products_are_those_of_the_matrix_it_stands_for),
        TEST(single_columns_and_products_are_those_of_the_matrix),
        TEST(equal_rows_and_columns_have_equal_products),
        TEST(norms_are_those_of_the_shifted_columns),
        TEST(row_squares_are_those_of_the_matrix_it_stands_for),
        TEST(grams_are_exact_across_tiles_slices_and_forms),
        TEST(threads_do_not_change_a_bit_of_a_gram),
        TEST(a_large_mean_of_a_full_sparse_column_cancels_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
