#include "cluster/eigengap.h"
#include "graph/spectrum.h"
#include "matrix/matrix.h"
#include "unit/support.h"

static void the_largest_gap_is_taken(void **state)
{
    (void)state;
    const double three[] = {0, 0.01, 0.02, 0.4, 0.5, 0.6, 0.7};
    const double last[] = {0, 0.1, 0.2, 0.3, 0.7};
    assert_int_equal(pith_i_eigengap(7, three), 3);
    assert_int_equal(pith_i_eigengap(5, last), 4);
}

/* The gap behind the first eigenvalue is the largest of any connected graph: one cluster is no answer. */
static void one_cluster_is_never_chosen(void **state)
{
    (void)state;
    const double connected[] = {0, 0.8, 0.85, 0.88, 0.9};
    assert_int_equal(pith_i_eigengap(5, connected), 2);
    assert_int_equal(pith_i_eigengap(3, connected), 2);
}

static void equal_gaps_take_the_smaller_number(void **state)
{
    (void)state;
    const double even[] = {0, 0.25, 0.5, 0.75, 1};
    assert_int_equal(pith_i_eigengap(5, even), 2);
}

/* The complete graph's spectrum, as rounding leaves it. */
static void gaps_of_rounding_are_equal(void **state)
{
    (void)state;
    const double noise[] = {0, 1.01, 1.01 + 1e-15, 1.01 + 1e-14, 1.01 + 5e-13, 1.01 + 6e-13};
    assert_int_equal(pith_i_eigengap(6, noise), 2);
}

static void zeros_of_components_count(void **state)
{
    (void)state;
    const double four[] = {0, 0, 0, 0, 0.2, 0.25, 0.3};
    assert_int_equal(pith_i_eigengap(7, four), 4);
}

static void planted_blobs_are_counted(void **state)
{
    pith_ctx *ctx = *state;
    static const int64_t planted[] = {2, 3, 5, 8, 20};
    const pith_i_graph_options options = {
        .neighbors = 5, .metric = PITH_I_EUCLIDEAN, .weight = PITH_I_HEAT, .width_factor = 1};
    for (size_t t = 0; t < COUNT(planted); t++) {
        const pith_blobs blobs = {
            .n = 500, .p = 12, .clusters = planted[t], .informative = 1, .separation = 2.5, .density = 1};
        pith_matrix *m = NULL;
        pith_i_graph *g = NULL;
        pith_i_spectrum s = {0};
        assert_ok(ctx, pith_synth_blobs(ctx, &blobs, &m));
        assert_ok(ctx, pith_i_graph_build(ctx, &m->data, &options, &g));
        assert_ok(ctx, pith_i_spectrum_find(ctx, g, 21, &s));
        assert_int_equal(pith_i_eigengap(21, s.value), planted[t]);
        pith_i_spectrum_free(&s);
        pith_i_graph_free(g);
        pith_matrix_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_largest_gap_is_taken),           TEST(one_cluster_is_never_chosen),
        TEST(equal_gaps_take_the_smaller_number), TEST(gaps_of_rounding_are_equal),
        TEST(zeros_of_components_count),          TEST(planted_blobs_are_counted),
    };
    return cmocka_run_group_tests_name("eigengap", tests, NULL, NULL);
}
