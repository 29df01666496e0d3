#include "graph/knn_cloud.h"

#include "unit/graph_data.h"

enum { N = 1500 };

typedef struct seen {
    pith_i_data X;
    pith_i_rows R;
    pith_i_cloud P;
    size_t mark;
    double *x;
} seen;

static seen see(pith_ctx *ctx, int64_t p, int64_t hidden, layout how, pith_i_metric metric)
{
    seen s = {.mark = pith_i_scratch_mark(ctx), .x = structured(N, p, hidden, 3)};
    for (int64_t j = 0; j < p; j++)
        s.x[7 * p + j] = 0;
    s.X = laid_out(ctx, s.x, N, p, how);
    assert_ok(ctx, pith_i_rows_open(ctx, &s.X, metric, &s.R));
    assert_ok(ctx, pith_i_cloud_make(ctx, &s.R, &s.P));
    return s;
}

static void forget(pith_ctx *ctx, seen *s)
{
    pith_i_rows_close(&s->R);
    pith_i_scratch_release(ctx, s->mark);
    pith_i_data_free(&s->X);
    free(s->x);
}

static void points_are_the_rows_in_another_order(void **state)
{
    seen s = see(*state, 20, 4, ROWS_F64, PITH_I_EUCLIDEAN);
    float z[20];
    int64_t moved = 0;
    assert_int_equal(s.P.wide, s.P.d);
    for (int64_t t = 0; t < N; t++) {
        assert_int_equal(s.P.point[s.P.row[t]], t);
        moved += s.P.row[t] != t;
        pith_i_rows_floats(&s.R, s.P.row[t], z);
        assert_memory_equal(z, s.P.y + t * s.P.ld, sizeof z);
    }
    assert_true(moved > N / 2);
    forget(*state, &s);
}

/* |y|^2 and what was lost make the length of the row, which the norm tells. */
static void a_projection_keeps_account_of_what_it_loses(void **state)
{
    static const layout how[] = {ROWS_F32, CSR_F64};
    for (size_t c = 0; c < COUNT(how); c++) {
        seen s = see(*state, 300, 8, how[c], PITH_I_EUCLIDEAN);
        assert_true(s.P.d < 300);
        assert_int_equal(s.P.wide, s.P.d + 1);
        for (int64_t t = 0; t < N; t++) {
            double sum = 0;
            for (int64_t j = 0; j < s.P.wide; j++)
                sum += (double)s.P.y[t * s.P.ld + j] * (double)s.P.y[t * s.P.ld + j];
            assert_near(sum, s.R.square[s.P.row[t]], 1e-5);
            assert_near((double)s.P.norm[t], s.R.square[s.P.row[t]], 1e-6);
        }
        forget(*state, &s);
    }
}

static void a_row_without_a_direction_is_nobodys_neighbour(void **state)
{
    seen s = see(*state, 20, 4, ROWS_F64, PITH_I_COSINE);
    for (int64_t t = 0; t < N; t++)
        assert_int_equal(isinf(s.P.norm[t]), s.P.row[t] == 7);
    forget(*state, &s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(points_are_the_rows_in_another_order),
        TEST(a_projection_keeps_account_of_what_it_loses),
        TEST(a_row_without_a_direction_is_nobodys_neighbour),
    };
    return cmocka_run_group_tests_name("knn_cloud", tests, NULL, NULL);
}
