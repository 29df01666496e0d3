/* Products of thin matrices beside loops, and rows shrunk by what makes them optimal. */
#include "support.h"

#include "core/random.h"
#include "methods/factor/thin.h"

static double *filled(int64_t count, uint64_t place)
{
    double *x = malloc((size_t)(count + 1) * sizeof *x);
    assert_non_null(x);
    pith_i_stream s = pith_i_stream_at(22, PITH_I_RANDOM_BENCH, place);
    for (int64_t e = 0; e < count; e++)
        x[e] = pith_i_random_normal(&s);
    return x;
}

/* Rows over several blocks of the sums; more columns than the rooms have place for rows. */
static const int64_t shapes[][2] = {{1, 1}, {7, 3}, {5000, 4}, {600, 70}, {3, 90}};

static void products_are_those_of_loops_at_any_number_of_threads(void **state)
{
    pith_ctx *ctx = *state;
    for (size_t s = 0; s < COUNT(shapes); s++) {
        const int64_t n = shapes[s][0], k = shapes[s][1];
        double *A = filled(n * k, 1), *B = filled(n * k, 2), *w = filled(n, 3), *M = filled(k * k, 4);
        double *G[2] = {filled(k * k, 5), filled(k * k, 5)}, *C[2] = {filled(n * k, 6), filled(n * k, 6)},
               *V[2] = {filled(n * k, 1), filled(n * k, 1)};
        for (int t = 0; t < 2; t++) {
            assert_ok(ctx, pith_ctx_set_threads(ctx, t == 0 ? 1 : 8));
            assert_ok(ctx, pith_i_thin_gram(ctx, n, k, A, w, B, G[t]));
            pith_i_thin_times(ctx, n, k, 2, A, M, 3, C[t]);
            assert_ok(ctx, pith_i_thin_step(ctx, n, k, M, 0.5, B, V[t]));
        }
        assert_memory_equal(G[0], G[1], (size_t)(k * k) * sizeof(double));
        assert_memory_equal(C[0], C[1], (size_t)(n * k) * sizeof(double));
        assert_memory_equal(V[0], V[1], (size_t)(n * k) * sizeof(double));
        double *old = filled(n * k, 6);
        for (int64_t a = 0; a < k; a += 1 + k / 5)
            for (int64_t b = 0; b < k; b++) {
                double sum = 0;
                for (int64_t i = 0; i < n; i++)
                    sum += w[i] * A[i * k + a] * B[i * k + b];
                assert_near(G[0][a * k + b], sum, 1e-11 * (double)n);
            }
        for (int64_t i = 0; i < n; i += 1 + n / 7)
            for (int64_t c = 0; c < k; c++) {
                double sum = 0;
                for (int64_t d = 0; d < k; d++)
                    sum += A[i * k + d] * M[d * k + c];
                assert_near(C[0][i * k + c], 2 * sum + 3 * old[i * k + c], 1e-11 * (double)k);
                assert_near(V[0][i * k + c], sum + 0.5 * B[i * k + c], 1e-11 * (double)k);
            }
        free(A), free(B), free(w), free(M), free(old);
        for (int t = 0; t < 2; t++)
            free(G[t]), free(C[t]), free(V[t]);
    }
}

/* v - w = t w / |w| where w is not 0, else |v| <= t. */
static void shrunk_rows_satisfy_their_optimality_conditions(void **state)
{
    pith_ctx *ctx = *state;
    enum { p = 200, k = 3 };
    double *V = filled(p * k, 7), *W = filled(p * k, 7), norm[p], sum = 0, largest = 0, plain = 0;
    const double t = 1.5;
    memset(V, 0, k * sizeof *V); /* a row of zeros stays one */
    memset(W, 0, k * sizeof *W);
    pith_i_row_shrink(ctx, p, k, t, W, norm);
    int64_t gone = 0;
    for (int64_t i = 0; i < p; i++) {
        double length = 0;
        for (int c = 0; c < k; c++)
            length += W[i * k + c] * W[i * k + c];
        length = sqrt(length);
        plain += length;
        for (int c = 0; c < k && length > 0; c++)
            assert_near(V[i * k + c] - W[i * k + c], t * W[i * k + c] / length, 1e-12);
        if (length == 0)
            assert_true(norm[i] <= t);
        gone += length == 0;
        assert_near(norm[i], length > 0 ? length + t : norm[i], 1e-12);
    }
    assert_in_range(gone, 1, p - 1);
    assert_ok(ctx, pith_i_row_norm_sum(ctx, p, k, W, &sum, &largest));
    assert_near(sum, plain, 1e-11);
    assert_true(largest > 0 && largest < sum);
    free(V);
    free(W);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(products_are_those_of_loops_at_any_number_of_threads),
        TEST(shrunk_rows_satisfy_their_optimality_conditions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
