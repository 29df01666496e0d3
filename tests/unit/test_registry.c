#include "methods/method.h"
#include "unit/support.h"

static void every_method_is_found_by_its_name(void **state)
{
    (void)state;
    size_t count = 0;
    for (const pith_method *m = NULL; (m = pith_method_at(count)) != NULL; count++)
        assert_ptr_equal(pith_method_find(pith_method_name(m)), m); /* so names differ, too */
    assert_true(count >= 3);
    assert_null(pith_method_at(count));
    assert_null(pith_method_at(SIZE_MAX));
    assert_null(pith_method_find("no such method"));
    assert_null(pith_method_find(""));
    assert_null(pith_method_find(NULL));
}

static void every_method_says_what_it_is(void **state)
{
    (void)state;
    for (size_t i = 0; pith_method_at(i) != NULL; i++) {
        const pith_method *m = pith_method_at(i);
        assert_true(strlen(pith_method_title(m)) > 20);
        assert_true(strlen(pith_method_family(m)) > 3);
        assert_true(strlen(pith_method_reference(m)) > 10);
        assert_non_null(pith_method_notes(m));
        assert_false(pith_method_needs_labels(m) && strcmp(pith_method_name(m), "mutual-info") != 0);
    }
}

static bool in_range(const pith_param *p)
{
    if (p->can_be_auto && isnan(p->def))
        return p->lo <= p->hi;
    return p->def >= p->lo && p->def <= p->hi && (p->type != PITH_INT || p->def == floor(p->def));
}

static void every_default_lies_in_its_range_and_every_parameter_has_help(void **state)
{
    (void)state;
    for (size_t i = 0; pith_method_at(i) != NULL; i++) {
        const pith_method *m = pith_method_at(i);
        size_t count = 0;
        for (const pith_param *p = NULL; (p = pith_method_param(m, count)) != NULL; count++) {
            assert_true(strlen(p->help) > 5);
            assert_null(strpbrk(p->name, "-. ABCDEFGHIJKLMNOPQRSTUVWXYZ")); /* a hyphen is for the command */
            for (size_t other = 0; other < count; other++)
                assert_string_not_equal(p->name, pith_method_param(m, other)->name);
            if (p->type == PITH_CHOICE) {
                size_t words = 0;
                while (p->choices[words] != NULL)
                    words++;
                assert_true(p->def >= 0 && p->def < (double)words);
            } else if (p->type == PITH_FILE) {
                assert_true(p->can_be_auto ? isnan(p->def) : p->def == 0);
            } else {
                assert_true(in_range(p));
            }
        }
        assert_null(pith_method_param(m, count));
    }
}

static void facts_beyond_the_last_place_are_left_out(void **state)
{
    (void)state;
    pith_i_facts facts = {0};
    for (int i = 0; i < 2 * PITH_I_FACTS; i++)
        pith_i_fact(&facts, "fact", i);
    assert_int_equal(facts.count, PITH_I_FACTS);
    assert_true(facts.value[PITH_I_FACTS - 1] == PITH_I_FACTS - 1);
}

static void auto_goes_by_the_kind_of_data(void **state)
{
    pith_ctx *ctx = *state;
    const double counts[20] = {0, 3, 0, 0, 1}, /* three columns are empty and do not count */
        cells[20] = {0, 3, 0, 0, 1, 0, 2, 5, 0, 1, 1, 0, 0, 2, 0},
                 half[20] = {0, 3, 0, 0, 1, 0, 2, 5, 0, 1, 1, 0, 0, 2, 0, 1, 1, 1},
                 negative[20] = {0, -3, 0, 0, 1};
    const struct {
        const double *x;
        const char *name;
    } known[] = {{counts, "energy"}, {cells, "energy"}, {half, "consensus"}, {negative, "consensus"}};
    for (size_t t = 0; t < COUNT(known); t++) {
        pith_matrix *m = NULL;
        const pith_method *method = NULL;
        const char *why = NULL;
        assert_ok(ctx, pith_matrix_dense(ctx, 4, 5, PITH_F64, known[t].x, 5, 1, &m));
        assert_ok(ctx, pith_method_auto(ctx, m, &method, &why));
        assert_string_equal(pith_method_name(method), known[t].name);
        assert_true(strlen(why) > 10);
        assert_int_equal(pith_method_auto(ctx, m, NULL, &why), PITH_E_ARGUMENT);
        assert_int_equal(pith_method_auto(ctx, NULL, &method, &why), PITH_E_ARGUMENT);
        pith_matrix_free(m);
    }
}

static pith_status choose(pith_ctx *ctx, void *arg)
{
    const pith_method *method = NULL;
    const char *why = NULL;
    return pith_method_auto(ctx, arg, &method, &why);
}

static void failing_allocations_are_survived(void **state)
{
    pith_ctx *ctx = *state;
    const int64_t indptr[] = {0, 1, 2};
    const int32_t indices[] = {0, 1};
    const float values[] = {1, 2};
    pith_matrix *m = NULL;
    assert_ok(ctx, pith_matrix_csr(ctx, 2, 3, PITH_F32, indptr, indices, values, &m));
    assert_survives_failing_allocations(ctx, choose, m, 8);
    pith_matrix_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_is_found_by_its_name),
        cmocka_unit_test(every_method_says_what_it_is),
        cmocka_unit_test(every_default_lies_in_its_range_and_every_parameter_has_help),
        cmocka_unit_test(facts_beyond_the_last_place_are_left_out),
        TEST(auto_goes_by_the_kind_of_data),
        TEST(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests_name("registry", tests, NULL, NULL);
}
