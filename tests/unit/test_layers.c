#include "methods/nrfs/layers.h"

#include "graph/distances.h"
#include "unit/graph_data.h"

enum { N = 21, P = 7, DEAD = 3, LIVE = P - 1 };

static const bool constant[P] = {[DEAD] = true};

static void make(double *x)
{
    fill_counts(x, N * P, 6, 0.4, 8);
    for (int64_t i = 0; i < N; i++)
        x[i * P + DEAD] = 0;
}

static pith_i_layers open_layers(pith_ctx *ctx, const double *x, layout how, bool cosine, int64_t q)
{
    pith_i_layers L = {0};
    pith_i_data X = laid_out(ctx, x, N, P, how);
    assert_ok(ctx, pith_i_layers_open(ctx, &X, NULL, constant, cosine, q, &L));
    pith_i_data_free(&X);
    return L;
}

/* Layer i in full, N x LIVE by columns, those left out as zeros. */
static void full_layer(const pith_i_layers *L, int64_t i, double *out)
{
    double B[N * LIVE], space[N + LIVE];
    int32_t active[LIVE];
    assert_int_equal(pith_i_layer_space(L), N + LIVE);
    const int64_t count = pith_i_layer(L, i, space, active, B);
    memset(out, 0, N * LIVE * sizeof *out);
    for (int64_t c = 0; c < count; c++) {
        assert_true(c == 0 || active[c] > active[c - 1]);
        memcpy(out + active[c] * N, B + c * N, N * sizeof *out);
    }
}

static void assert_centred(const double *got, const double *want, int64_t j)
{
    double mean = 0;
    for (int64_t a = 0; a < N; a++)
        mean += want[a] / N;
    for (int64_t a = 0; a < N; a++)
        assert_near(got[j * N + a], want[a] - mean, 1e-14);
}

/* The feature's nearest other live features, by columns. */
static void subspaces_are_the_nearest_features(void **state)
{
    pith_ctx *ctx = *state;
    const size_t mark = pith_i_scratch_mark(ctx);
    double x[N * P], columns[LIVE * N];
    make(x);
    pith_i_layers L = open_layers(ctx, x, CSR_F64, true, 4);
    assert_int_equal(L.m, LIVE);
    for (int64_t j = 0; j < LIVE; j++) {
        assert_int_equal(L.feature[j], j + (j >= DEAD));
        for (int64_t a = 0; a < N; a++)
            columns[j * N + a] = x[a * P + L.feature[j]];
    }
    for (int64_t j = 0; j < LIVE; j++) {
        slow_near near[LIVE];
        slow_neighbours(columns, LIVE, N, PITH_I_EUCLIDEAN, j, near);
        assert_int_equal(L.subspace[j * 4], j);
        for (int64_t e = 0; e < 3; e++)
            assert_int_equal(L.subspace[j * 4 + 1 + e], near[e].id);
    }
    pith_i_layers_close(&L);
    pith_i_scratch_release(ctx, mark);
}

static void gaussian_layers_are_those_of_the_definition(void **state)
{
    pith_ctx *ctx = *state;
    double x[N * P], got[N * LIVE], want[N];
    make(x);
    for (int how = 0; how < LAYOUTS; how++)
        for (int64_t q = 1; q <= 3; q += 2) {
            const size_t mark = pith_i_scratch_mark(ctx);
            const int64_t rows[2] = {2, 5};
            pith_i_layers L = open_layers(ctx, x, (layout)how, false, q);
            assert_ok(ctx, pith_i_layers_widths(ctx, &L, 4, 2, rows));
            full_layer(&L, 5, got);
            for (int64_t j = 0; j < LIVE; j++) {
                for (int64_t a = 0; a < N; a++) {
                    double d2 = 0;
                    for (int64_t e = 0; e < q; e++) {
                        const int64_t f = L.feature[q == 1 ? j : L.subspace[j * q + e]];
                        d2 += (x[a * P + f] - x[5 * P + f]) * (x[a * P + f] - x[5 * P + f]);
                    }
                    want[a] = exp(-d2 * L.factor[j]);
                }
                assert_centred(got, want, j);
            }
            pith_i_layers_close(&L);
            pith_i_scratch_release(ctx, mark);
        }
}

static void cosine_layers_are_those_of_the_definition(void **state)
{
    pith_ctx *ctx = *state;
    double x[N * P], got[N * LIVE], want[N];
    make(x);
    for (int64_t i = 0; i < N; i += 2)
        for (int64_t j = 0; j < P; j++)
            x[i * P + j] *= -1;
    for (int how = 0; how < LAYOUTS; how++)
        for (int64_t q = 1; q <= 3; q += 2) {
            const size_t mark = pith_i_scratch_mark(ctx);
            pith_i_layers L = open_layers(ctx, x, (layout)how, true, q);
            full_layer(&L, 4, got);
            for (int64_t j = 0; j < LIVE; j++) {
                for (int64_t a = 0; a < N; a++) {
                    double ab = 0, aa = 0, bb = 0;
                    for (int64_t e = 0; e < q; e++) {
                        const int64_t f = L.feature[q == 1 ? j : L.subspace[j * q + e]];
                        ab += x[a * P + f] * x[4 * P + f];
                        aa += x[a * P + f] * x[a * P + f];
                        bb += x[4 * P + f] * x[4 * P + f];
                    }
                    want[a] = aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0;
                }
                assert_centred(got, want, j);
            }
            pith_i_layers_close(&L);
            pith_i_scratch_release(ctx, mark);
        }
}

/* Sorted columns with a sliding window, and the distances of every row. */
static void widths_of_single_features_agree_with_those_of_distances(void **state)
{
    pith_ctx *ctx = *state;
    const size_t mark = pith_i_scratch_mark(ctx);
    double x[N * P], quick[LIVE];
    int64_t all[N];
    for (int64_t i = 0; i < N; i++)
        all[i] = i;
    make(x);
    for (int64_t k = 1; k < N; k++) {
        pith_i_layers L = open_layers(ctx, x, k % 2 == 0 ? ROWS_F64 : CSR_F64, false, 1);
        assert_ok(ctx, pith_i_layers_widths(ctx, &L, k, 0, NULL));
        memcpy(quick, L.factor, sizeof quick);
        assert_ok(ctx, pith_i_layers_widths(ctx, &L, k, N, all));
        for (int64_t j = 0; j < LIVE; j++)
            assert_near(quick[j], L.factor[j], 1e-13 * quick[j]);
        pith_i_layers_close(&L);
    }
    pith_i_scratch_release(ctx, mark);
}

/* A shifted sparse matrix is the dense matrix that it stands for. */
static void a_shift_is_taken_off(void **state)
{
    pith_ctx *ctx = *state;
    const size_t mark = pith_i_scratch_mark(ctx);
    const double shift[P] = {1, -2, 0.5, 0, 3, 0, 7};
    double x[N * P], moved[N * P], a[N * LIVE], b[N * LIVE];
    pith_i_layers L = {0}, M = {0};
    make(x);
    for (int64_t e = 0; e < N * P; e++)
        moved[e] = x[e] - shift[e % P];
    pith_i_data X = laid_out(ctx, x, N, P, CSR_F64), Y = laid_out(ctx, moved, N, P, COLUMNS_F64);
    assert_ok(ctx, pith_i_layers_open(ctx, &X, shift, constant, false, 3, &L));
    assert_ok(ctx, pith_i_layers_open(ctx, &Y, NULL, constant, false, 3, &M));
    assert_ok(ctx, pith_i_layers_widths(ctx, &L, 4, 0, NULL));
    assert_ok(ctx, pith_i_layers_widths(ctx, &M, 4, 0, NULL));
    full_layer(&L, 1, a);
    full_layer(&M, 1, b);
    assert_memory_equal(a, b, sizeof a);
    pith_i_layers_close(&L);
    pith_i_layers_close(&M);
    pith_i_data_free(&X);
    pith_i_data_free(&Y);
    pith_i_scratch_release(ctx, mark);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(subspaces_are_the_nearest_features),
        TEST(gaussian_layers_are_those_of_the_definition),
        TEST(cosine_layers_are_those_of_the_definition),
        TEST(widths_of_single_features_agree_with_those_of_distances),
        TEST(a_shift_is_taken_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
