#include "graph/knn_project.h"

#include "core/random.h"
#include "unit/graph_data.h"

enum { N = 1500, P = 250 };

static pith_i_directions directions(pith_ctx *ctx, const double *x, layout how, int64_t most, pith_i_data *X,
                                    pith_i_rows *R)
{
    pith_i_directions V = {0};
    *X = laid_out(ctx, x, N, P, how);
    assert_ok(ctx, pith_i_rows_open(ctx, X, PITH_I_EUCLIDEAN, R));
    assert_ok(ctx, pith_i_directions_find(ctx, R, most, &V));
    assert_int_equal(V.p, P);
    return V;
}

static double length2(const pith_i_rows *R, const pith_i_directions *V, int32_t row)
{
    float room[P], y[P] = {0};
    double sum = 0;
    pith_i_project(R, V, 1, &row, R->X.sparse ? NULL : room, y, V->d);
    for (int64_t j = 0; j < V->d; j++)
        sum += (double)y[j] * (double)y[j];
    return sum;
}

/* 70 directions: one block of 64 and some more. */
static void directions_are_orthonormal_and_hold_what_the_rows_have(void **state)
{
    static const layout how[] = {ROWS_F64, CSR_F64, CSR_F32};
    static const int64_t most[] = {12, 70};
    double *x = structured(N, P, 8, 5);
    for (size_t c = 0; c < COUNT(how) * COUNT(most); c++) {
        const size_t mark = pith_i_scratch_mark(*state);
        pith_i_data X = {0};
        pith_i_rows R = {0};
        const pith_i_directions V = directions(*state, x, how[c / 2], most[c % 2], &X, &R);
        double kept = 0, all = 0;
        for (int64_t a = 0; a < V.d; a++)
            for (int64_t b = 0; b <= a; b++) {
                double sum = 0;
                for (int64_t j = 0; j < P; j++)
                    sum += (double)V.v[j * V.d + a] * (double)V.v[j * V.d + b];
                assert_near(sum, a == b ? 1 : 0, 1e-5);
            }
        for (int32_t i = 0; i < N; i++) {
            const double own = length2(&R, &V, i);
            assert_true(own <= R.square[i] * (1 + 1e-5));
            kept += own;
            all += R.square[i];
        }
        assert_true(kept > 0.99 * all); /* the noise has .05^2 of a hidden dimension's variance */
        pith_i_rows_close(&R);
        pith_i_scratch_release(*state, mark);
        pith_i_data_free(&X);
    }
    free(x);
}

static void rows_of_few_dimensions_have_few_directions(void **state)
{
    const size_t mark = pith_i_scratch_mark(*state);
    double *x = new_values(N * P);
    pith_i_data X = {0};
    pith_i_rows R = {0};
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < 3; j++)
            x[i * P + 80 * j] = (double)((i * (j + 3)) % 17);
    const pith_i_directions V = directions(*state, x, CSR_F64, 20, &X, &R);
    int64_t held = 0;
    for (int64_t a = 0; a < V.d; a++) {
        double sum = 0;
        for (int64_t j = 0; j < P; j++)
            sum += (double)V.v[j * V.d + a] * (double)V.v[j * V.d + a];
        held += sum > 0.5;
    }
    assert_int_equal(held, 3);
    pith_i_rows_close(&R);
    pith_i_scratch_release(*state, mark);
    pith_i_data_free(&X);
    free(x);
}

/* Many sparse rows of two clusters: one 1 in each band of columns, in its first half with probability .67 or
 * .33. */
enum { MANY = 1 << 18, BANDS = 16, BAND = 512 };

static pith_i_data weak_clusters(void)
{
    int64_t *start = malloc((MANY + 1) * sizeof *start);
    int32_t *column = malloc((size_t)MANY * BANDS * sizeof *column);
    double *one = malloc((size_t)MANY * BANDS * sizeof *one);
    pith_i_stream random = pith_i_stream_at(1, 2, 3);
    for (int64_t i = 0; i <= MANY; i++)
        start[i] = i * BANDS;
    for (int64_t e = 0; e < (int64_t)MANY * BANDS; e++) {
        const double first = e / BANDS % 2 == 0 ? 0.67 : 0.33;
        const bool second = pith_i_random_uniform(&random) >= first;
        const int64_t within = (int64_t)(pith_i_random_uniform(&random) * BAND / 2);
        column[e] = (int32_t)(e % BANDS * BAND + (second ? BAND / 2 : 0) + within);
        one[e] = 1;
    }
    return (pith_i_data){.n = MANY,
                         .p = BANDS * BAND,
                         .dtype = PITH_F64,
                         .sparse = true,
                         .indptr = start,
                         .indices = column,
                         .values = one};
}

/* The direction between them is in a sample of as many rows as columns, and not in a quarter of it. */
static void a_large_sample_shows_weak_clusters(void **state)
{
    const size_t mark = pith_i_scratch_mark(*state);
    pith_i_data X = weak_clusters();
    pith_i_rows R = {0};
    pith_i_directions V = {0};
    double held = 0;
    assert_ok(*state, pith_i_rows_open(*state, &X, PITH_I_EUCLIDEAN, &R));
    assert_ok(*state, pith_i_directions_find(*state, &R, 64, &V));
    for (int64_t a = 0; a < V.d; a++) {
        double sum = 0;
        for (int64_t j = 0; j < V.p; j++)
            sum += (double)V.v[j * V.d + a] * (j % BAND < BAND / 2 ? 1 : -1) / sqrt((double)V.p);
        held += sum * sum;
    }
    assert_true(held > 0.3);
    pith_i_rows_close(&R);
    pith_i_scratch_release(*state, mark);
    free((void *)X.indptr);
    free((void *)X.indices);
    free((void *)X.values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(directions_are_orthonormal_and_hold_what_the_rows_have),
        TEST(rows_of_few_dimensions_have_few_directions),
        TEST(a_large_sample_shows_weak_clusters),
    };
    return cmocka_run_group_tests_name("knn_project", tests, NULL, NULL);
}
