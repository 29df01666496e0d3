#include "methods/mcfs/feature_gram.h"
#include "unit/tables.h"

enum { N = 70, P = 45 };

/* Columns 3, 20 and 44 are equal, 7 and 8 differ in one entry, 30 is left out. */
static void every_product_is_there_and_equal_columns_have_equal_rows(void **state)
{
    pith_ctx *ctx = *state;
    for (form f = ROW_MAJOR; f < FORMS; f++) {
        double *x = random_table(ctx, N, P, f == CSR || f == CSR_PART ? 0.2 : 1, 1), shift[P] = {0};
        double *G = pith_i_scratch(ctx, P * P, sizeof *G);
        bool left_out[P] = {[30] = true};
        for (int64_t i = 0; i < N; i++) {
            x[i * P + 20] = x[i * P + 44] = x[i * P + 3];
            x[i * P + 8] = x[i * P + 7] + (i == 50);
        }
        for (int64_t j = 0; j < P; j++)
            shift[j] = (double)(j % 3);
        shift[20] = shift[44] = shift[3];
        const pith_i_data X = as_form(ctx, x, N, P, f, PITH_F64);
        pith_i_data T = {0};
        if (X.sparse)
            assert_ok(ctx, pith_i_transpose(ctx, &X, &T));
        const pith_i_design D = {&X, X.sparse ? &T : NULL, shift, left_out};
        assert_ok(ctx, pith_i_feature_gram(ctx, &D, G));
        for (int64_t j = 0; j < P; j++)
            for (int64_t k = 0; k < P; k++) {
                double sum = 0;
                for (int64_t i = 0; i < N; i++)
                    sum += (x[i * P + j] - shift[j]) * (x[i * P + k] - shift[k]);
                assert_near(G[j * P + k], left_out[j] || left_out[k] ? 0 : sum, 1e-7);
                assert_true(G[j * P + k] == G[k * P + j]);
            }
        for (int64_t k = 0; k < P; k++) {
            assert_true(G[3 * P + k] == G[20 * P + k]);
            assert_true(G[3 * P + k] == G[44 * P + k]);
        }
        assert_true(G[3 * P + 3] == G[20 * P + 44]);
        pith_i_data_free(&T);
        pith_i_scratch_release(ctx, 0);
    }
}

static pith_status whole(pith_ctx *ctx, void *arg)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    double *G = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, G, P * P));
    TRY(pith_i_feature_gram(ctx, arg, G));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static void failing_allocations_are_survived(void **state)
{
    pith_ctx *ctx = *state;
    const pith_i_data X = as_form(ctx, random_table(ctx, N, P, 1, 1), N, P, ROW_MAJOR, PITH_F64);
    pith_i_design D = {.X = &X};
    assert_survives_failing_allocations(ctx, whole, &D, 5);
    pith_i_scratch_release(ctx, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_product_is_there_and_equal_columns_have_equal_rows),
        TEST(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
