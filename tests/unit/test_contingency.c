#include "cluster/contingency.h"
#include "oracle/measures/numbers.h"
#include "unit/support.h"

static void cells_count_the_meetings_of_labels(void **state)
{
    pith_ctx *ctx = *state;
    const int32_t a[] = {7, 2, 2, 7, 2, 9, 7}, b[] = {0, 5, 3, 5, 5, 0, 0};
    const int64_t row_sum[] = {3, 3, 1}, col_sum[] = {3, 1, 3}, start[] = {0, 2, 4, 5},
                  count[] = {1, 2, 2, 1, 1};
    const int32_t col[] = {1, 2, 0, 2, 0};
    pith_i_contingency t = {0};
    assert_ok(ctx, pith_i_contingency_make(ctx, 7, a, b, &t));
    assert_int_equal(t.n, 7);
    assert_int_equal(t.rows, 3);
    assert_int_equal(t.cols, 3);
    assert_memory_equal(t.row_sum, row_sum, sizeof row_sum);
    assert_memory_equal(t.col_sum, col_sum, sizeof col_sum);
    assert_memory_equal(t.start, start, sizeof start);
    assert_memory_equal(t.col, col, sizeof col);
    assert_memory_equal(t.count, count, sizeof count);
    pith_i_contingency_free(&t);
}

static void nmi_does_not_ask_which_labelling_is_which(void **state)
{
    pith_ctx *ctx = *state;
    for (size_t k = 0; k < COUNT(agreement_cases); k++) {
        const struct agreement_case *c = &agreement_cases[k];
        pith_i_contingency t = {0}, u = {0};
        assert_ok(ctx, pith_i_contingency_make(ctx, c->n, c->classes, c->clusters, &t));
        assert_ok(ctx, pith_i_contingency_make(ctx, c->n, c->clusters, c->classes, &u));
        for (int mean = PITH_I_NMI_MAX; mean <= PITH_I_NMI_GEOMETRIC; mean++)
            assert_near(pith_i_nmi(&t, (pith_i_nmi_mean)mean), pith_i_nmi(&u, (pith_i_nmi_mean)mean), 1e-14);
        pith_i_contingency_free(&t);
        pith_i_contingency_free(&u);
    }
}

static void a_negative_label_is_refused(void **state)
{
    pith_ctx *ctx = *state;
    const int32_t a[] = {0, -1}, b[] = {0, 1};
    pith_i_contingency t = {0};
    assert_int_equal(pith_i_contingency_make(ctx, 2, a, b, &t), PITH_E_ARGUMENT);
    assert_int_equal(pith_i_contingency_make(ctx, 2, b, a, &t), PITH_E_ARGUMENT);
    assert_string_equal(pith_ctx_message(ctx), "labels must be 0 or more");
}

static pith_status make(pith_ctx *ctx, void *arg)
{
    const struct agreement_case *c = arg;
    pith_i_contingency t = {0};
    const pith_status st = pith_i_contingency_make(ctx, c->n, c->classes, c->clusters, &t);
    pith_i_contingency_free(&t);
    return st;
}

static void it_survives_failing_allocations(void **state)
{
    assert_survives_failing_allocations(*state, make, (void *)(uintptr_t)&agreement_cases[1], 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(cells_count_the_meetings_of_labels),
        TEST(nmi_does_not_ask_which_labelling_is_which),
        TEST(a_negative_label_is_refused),
        TEST(it_survives_failing_allocations),
    };
    return cmocka_run_group_tests_name("contingency", tests, NULL, NULL);
}
