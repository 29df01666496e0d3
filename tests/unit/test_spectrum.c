#include "graph/spectrum.h"
#include "unit/graphs.h"

/* To fewer digits: the same values, the same null vectors. */
static void assert_rough(pith_ctx *ctx, const pith_i_graph *g, const pith_i_spectrum *exact)
{
    const pith_i_operator Ln = pith_i_laplacian(g);
    const int64_t m = exact->m, nulls = g->components < m ? g->components : m;
    pith_i_spectrum s = {0};
    assert_ok(ctx, pith_i_spectrum_rough(ctx, g, m, &s));
    assert_eigenpairs(ctx, &Ln, m, s.value, s.vector, 1e-4, 1e-6);
    for (int64_t v = 0; v < m; v++)
        assert_near(s.value[v], exact->value[v], 1e-4); /* Weyl: no farther than the residual */
    for (int64_t v = nulls; v < m; v++)
        assert_sign(g->n, s.vector + v * g->n);
    assert_memory_equal(s.vector, exact->vector, (size_t)(nulls * g->n) * sizeof *s.vector);
    pith_i_spectrum_free(&s);
}

static pith_i_spectrum find(pith_ctx *ctx, const pith_i_graph *g, int64_t m)
{
    pith_i_spectrum s = {0};
    assert_ok(ctx, pith_i_spectrum_find(ctx, g, m, &s));
    assert_int_equal(s.n, g->n);
    assert_int_equal(s.m, m);
    assert_rough(ctx, g, &s);
    const pith_i_operator Ln = pith_i_laplacian(g);
    assert_eigenpairs(ctx, &Ln, m, s.value, s.vector, 2e-8, 1e-12);
    for (int64_t v = 1; v < m; v++)
        assert_true(s.value[v] >= s.value[v - 1]);
    for (int64_t v = g->components; v < m; v++)
        assert_sign(g->n, s.vector + v * g->n);
    return s;
}

/* Sizes on both sides of where LAPACK gives way to ARPACK. */
static const int64_t sizes[] = {12, 100, 101, 400};

static void a_path_has_its_known_spectrum(void **state)
{
    pith_ctx *ctx = *state;
    for (size_t t = 0; t < COUNT(sizes); t++) {
        pith_i_graph *g = path_graph(ctx, sizes[t]);
        pith_i_spectrum s = find(ctx, g, 10);
        assert_true(s.value[0] == 0);
        for (int k = 0; k < 10; k++)
            assert_near(s.value[k], 1 - cos(M_PI * k / (double)(g->n - 1)), 1e-12);
        pith_i_spectrum_free(&s);
        pith_i_graph_free(g);
    }
}

/* 1 - cos(2 pi k / n), each twice: exact multiplicity in a connected graph. */
static void a_cycle_has_its_known_spectrum_with_every_pair(void **state)
{
    pith_ctx *ctx = *state;
    for (size_t t = 0; t < COUNT(sizes); t++) {
        pith_i_graph *g = cycle_graph(ctx, sizes[t]);
        pith_i_spectrum s = find(ctx, g, 10);
        for (int k = 0; k < 10; k++)
            assert_near(s.value[k], 1 - cos(2 * M_PI * ((k + 1) / 2) / (double)g->n), 1e-12);
        pith_i_spectrum_free(&s);
        pith_i_graph_free(g);
    }
}

/* 0 once, then n/(n-1): A has two eigenvalues only, and every Krylov space ends at once. */
static void a_complete_graph_has_one_value_besides_zero(void **state)
{
    pith_ctx *ctx = *state;
    for (size_t t = 0; t < COUNT(sizes); t++) {
        sketch k = new_sketch(sizes[t]);
        for (int64_t i = 0; i < k.n; i++)
            for (int64_t j = 0; j < i; j++)
                link_rows(&k, i, j, 0.5);
        pith_i_graph *g = new_graph(ctx, k);
        pith_i_spectrum s = find(ctx, g, 10);
        for (int v = 1; v < 10; v++)
            assert_near(s.value[v], (double)g->n / (double)(g->n - 1), 1e-12);
        pith_i_spectrum_free(&s);
        pith_i_graph_free(g);
    }
}

/* 0, then 1 n-2 times, then 2. All of A but v_0 is rounding there, and none of it may be waited for. */
static void a_star_has_its_known_spectrum(void **state)
{
    pith_ctx *ctx = *state;
    for (size_t t = 0; t < COUNT(sizes); t++) {
        sketch k = new_sketch(sizes[t]);
        for (int64_t i = 0; i < k.n; i++)
            if (i != 3)
                link_rows(&k, i, 3, 0.7);
        pith_i_graph *g = new_graph(ctx, k);
        pith_i_spectrum s = find(ctx, g, 11);
        for (int v = 1; v < 11; v++)
            assert_near(s.value[v], v < g->n - 1 ? 1 : 2, 1e-12);
        pith_i_spectrum_free(&s);
        pith_i_graph_free(g);
    }
}

/* Equal parts joined to one hub: in the complement of v_0 each eigenvalue comes once less than parts. */
static void equal_parts_at_a_hub_give_every_copy(void **state)
{
    pith_ctx *ctx = *state;
    enum { PARTS = 24, SIZE = 60 };
    sketch parts = equal_parts(PARTS, SIZE, 3), whole = new_sketch(PARTS * SIZE + 1);
    for (int64_t i = 0; i < parts.n; i++)
        for (int64_t j = 0; j < i; j++)
            if (parts.weight[i * parts.n + j] != 0)
                link_rows(&whole, i, j, parts.weight[i * parts.n + j]);
    for (int64_t c = 0; c < PARTS; c++)
        link_rows(&whole, c * SIZE, whole.n - 1, 0.01);
    free(parts.weight);
    pith_i_graph *g = new_graph(ctx, whole);
    assert_int_equal(g->components, 1);
    for (uint64_t seed = 1; seed <= 5; seed++) {
        pith_ctx_set_seed(ctx, seed);
        pith_i_spectrum s = find(ctx, g, 10);
        assert_true(s.value[1] > 1e-6 && s.value[1] < 1e-2);
        for (int v = 2; v < 10; v++)
            assert_near(s.value[v], s.value[1], 1e-12);
        pith_i_spectrum_free(&s);
    }
    pith_i_graph_free(g);
}

/* Two-coloured, all degrees 1, so the last vector is +-1/sqrt(6) by colour, all entries of one modulus. */
static void the_sign_goes_by_the_rows_own_order(void **state)
{
    pith_ctx *ctx = *state;
    sketch k = new_sketch(6); /* colours: 0, 2, 4 against 1, 3, 5; row 0 has three neighbours, row 1 two */
    link_rows(&k, 0, 1, 0.25);
    link_rows(&k, 0, 3, 0.25);
    link_rows(&k, 0, 5, 0.5);
    link_rows(&k, 2, 1, 0.75);
    link_rows(&k, 2, 3, 0.25);
    link_rows(&k, 4, 3, 0.5);
    link_rows(&k, 4, 5, 0.5);
    pith_i_graph *g = new_graph(ctx, k);
    pith_i_spectrum s = find(ctx, g, 6);
    assert_near(s.value[5], 2, 1e-14);
    for (int i = 0; i < 6; i++)
        assert_near(s.vector[5 * 6 + i], (i % 2 == 0 ? 1 : -1) / sqrt(6), 1e-14);
    pith_i_spectrum_free(&s);
    pith_i_graph_free(g);
}

/* v_0 is sqrt(d); v_t lives on parts t-1 and later, positive on part t-1, constant there up to sqrt(d). */
static void assert_null_vectors(const pith_i_graph *g, const pith_i_spectrum *s, int64_t count)
{
    for (int64_t v = 0; v < count; v++)
        for (int64_t i = 0; i < g->n; i++) {
            const double x = s->vector[v * g->n + i];
            assert_true(s->value[v] == 0);
            if (g->component[i] < v - 1)
                assert_true(x == 0);
            else if (v == 0 || g->component[i] == v - 1)
                assert_true(x > 0);
            else
                assert_true(x < 0);
        }
}

static void twelve_components_give_twelve_zeros(void **state)
{
    pith_ctx *ctx = *state;
    static const int64_t part_sizes[] = {8, 40};
    for (size_t t = 0; t < COUNT(part_sizes); t++) {
        pith_i_graph *g = new_graph(ctx, equal_parts(12, part_sizes[t], 3));
        assert_int_equal(g->components, 12);
        for (int64_t m = 10; m <= 14; m++) {
            pith_i_spectrum s = find(ctx, g, m);
            assert_null_vectors(g, &s, m < 12 ? m : 12);
            for (int64_t v = 12; v < m; v++)
                assert_true(s.value[v] > 1e-4);
            pith_i_spectrum_free(&s);
        }
        pith_i_graph_free(g);
    }
}

/* Degrees of the parts differ by 1e-14: Gram and Schmidt on sqrt(d) would keep no digit of v_1. */
static void null_vectors_survive_unequal_parts(void **state)
{
    pith_ctx *ctx = *state;
    sketch k = new_sketch(7);
    for (int64_t i = 0; i < 4; i++)
        for (int64_t j = 0; j < i; j++)
            link_rows(&k, i, j, 1);
    link_rows(&k, 4, 5, 1e-14);
    link_rows(&k, 5, 6, 2e-14);
    pith_i_graph *g = new_graph(ctx, k);
    pith_i_spectrum s = find(ctx, g, 3);
    assert_null_vectors(g, &s, 2);
    /* w_0 = 12, T = 6e-14: on part 0 sqrt(T/W) / 2, on part 1 -sqrt(d / T). */
    assert_near(s.vector[7 + 0] * sqrt(12 / 6e-14), 0.5, 1e-14);
    assert_near(s.vector[7 + 4], -sqrt(1 / 6.0), 1e-14);
    assert_near(s.vector[7 + 5], -sqrt(3 / 6.0), 1e-14);
    pith_i_spectrum_free(&s);
    pith_i_graph_free(g);
}

/* Two triangles, three rows alone: Ln has 0 twice, 1.5 four times and 1 for each row alone. */
static void isolated_rows_add_no_zero(void **state)
{
    pith_ctx *ctx = *state;
    sketch k = new_sketch(9);
    for (int64_t c = 1; c < 8; c += 4) {
        link_rows(&k, c, c + 1, 1);
        link_rows(&k, c, c + 2, 1);
        link_rows(&k, c + 1, c + 2, 1);
    }
    pith_i_graph *g = new_graph(ctx, k);
    assert_int_equal(g->isolated, 3);
    static const double want[9] = {0, 0, 1, 1, 1, 1.5, 1.5, 1.5, 1.5};
    pith_i_spectrum s = find(ctx, g, 9);
    for (int v = 0; v < 9; v++)
        assert_near(s.value[v], want[v], 1e-14);
    for (int v = 0; v < 2; v++)
        for (int i = 0; i < 9; i += 4)
            assert_true(s.vector[v * 9 + i] == 0);
    pith_i_spectrum_free(&s);
    pith_i_graph_free(g);
}

static void threads_do_not_change_a_byte(void **state)
{
    pith_ctx *ctx = *state;
    pith_i_graph *g = ring_graph(ctx, 9000); /* several blocks of a sum, and enough entries to go parallel */
    assert_int_equal(g->components, 1);
    pith_i_spectrum one = {0}, eight = {0};
    assert_ok(ctx, pith_ctx_set_threads(ctx, 1));
    assert_ok(ctx, pith_i_spectrum_find(ctx, g, 6, &one));
    assert_ok(ctx, pith_ctx_set_threads(ctx, 8));
    assert_ok(ctx, pith_i_spectrum_find(ctx, g, 6, &eight));
    assert_memory_equal(one.value, eight.value, 6 * sizeof *one.value);
    assert_memory_equal(one.vector, eight.vector, (size_t)(6 * g->n) * sizeof *one.vector);
    pith_i_spectrum_free(&one);
    pith_i_spectrum_free(&eight);
    pith_i_graph_free(g);
}

static void the_first_vectors_do_not_depend_on_how_many_are_asked(void **state)
{
    pith_ctx *ctx = *state;
    pith_i_graph *g = new_graph(ctx, equal_parts(1, 300, 3));
    pith_i_spectrum few = find(ctx, g, 4), all = find(ctx, g, 300);
    for (int v = 0; v < 4; v++)
        assert_near(few.value[v], all.value[v], 1e-13);
    for (int e = 0; e < 4 * 300; e++)
        assert_near(few.vector[e], all.vector[e], 1e-5);
    pith_i_spectrum_free(&few);
    pith_i_spectrum_free(&all);
    pith_i_graph_free(g);
}

static void what_cannot_be_asked_is_refused(void **state)
{
    pith_ctx *ctx = *state;
    pith_i_graph *path = path_graph(ctx, 5), *bare = new_graph(ctx, new_sketch(4));
    pith_i_spectrum s = {0};
    assert_int_equal(pith_i_spectrum_find(ctx, path, 0, &s), PITH_E_ARGUMENT);
    assert_int_equal(pith_i_spectrum_find(ctx, path, 6, &s), PITH_E_ARGUMENT);
    assert_non_null(strstr(pith_ctx_message(ctx), "5 rows"));
    assert_int_equal(pith_i_spectrum_find(ctx, bare, 1, &s), PITH_E_DATA);
    assert_non_null(strstr(pith_ctx_message(ctx), "no edge"));
    assert_null(s.vector);
    pith_i_graph_free(path);
    pith_i_graph_free(bare);
}

static pith_status find_and_free(pith_ctx *ctx, void *arg)
{
    pith_i_spectrum s = {0};
    const pith_status st = pith_i_spectrum_find(ctx, arg, 4, &s);
    pith_i_spectrum_free(&s);
    return st;
}

static void failing_allocations_are_reported(void **state)
{
    pith_ctx *ctx = *state;
    sketch k = new_sketch(140); /* ARPACK's side, and converged in a few steps */
    for (int64_t i = 0; i < k.n; i++)
        for (int64_t j = 0; j < i; j++)
            link_rows(&k, i, j, i % 2 == j % 2 ? 1 : 0.1);
    pith_i_graph *g = new_graph(ctx, k);
    assert_survives_failing_allocations(ctx, find_and_free, g, 20);
    pith_i_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_path_has_its_known_spectrum),
        TEST(a_cycle_has_its_known_spectrum_with_every_pair),
        TEST(a_complete_graph_has_one_value_besides_zero),
        TEST(a_star_has_its_known_spectrum),
        TEST(equal_parts_at_a_hub_give_every_copy),
        TEST(the_sign_goes_by_the_rows_own_order),
        TEST(twelve_components_give_twelve_zeros),
        TEST(null_vectors_survive_unequal_parts),
        TEST(isolated_rows_add_no_zero),
        TEST(threads_do_not_change_a_byte),
        TEST(the_first_vectors_do_not_depend_on_how_many_are_asked),
        TEST(what_cannot_be_asked_is_refused),
        TEST(failing_allocations_are_reported),
    };
    return cmocka_run_group_tests_name("spectrum", tests, NULL, NULL);
}
