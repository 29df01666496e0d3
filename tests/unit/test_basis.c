#include "core/random.h"
#include "linalg/basis.h"
#include "unit/support.h"

#include <stdlib.h>

enum { N = 10000 };

/* Two known vectors and one found, orthonormal: alternating signs of different periods. */
static pith_i_basis new_basis(double *known, double *found)
{
    for (int64_t i = 0; i < N; i++) {
        known[i] = 1 / sqrt((double)N);
        known[N + i] = (i % 2 == 0 ? 1 : -1) / sqrt((double)N);
        found[i] = (i / 2 % 2 == 0 ? 1 : -1) / sqrt((double)N);
    }
    return (pith_i_basis){N, {2, 1}, {known, found}};
}

static void subtracting_removes_the_part_in_both_pieces(void **state)
{
    pith_ctx *ctx = *state;
    double *known = malloc(2 * N * sizeof *known), *found = malloc(N * sizeof *found);
    double *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y);
    const pith_i_basis V = new_basis(known, found);
    for (int64_t i = 0; i < N; i++) {
        x[i] = 3 * known[i] - 2 * known[N + i] + 5 * found[i] + (i == 7);
        y[i] = (double)i;
    }
    /* V'e_7 is known too: 1, -1, -1, over sqrt(N). */
    assert_ok(ctx, pith_i_basis_subtract(ctx, &V, 0.5, 2, x, y));
    for (int64_t i = 0; i < N; i++) {
        const double part = (3 + 0.01) * known[i] + (-2 - 0.01) * known[N + i] + (5 - 0.01) * found[i];
        assert_near(y[i], (double)i + 0.5 * x[i] - 2 * part, 1e-11);
    }
    free(known);
    free(found);
    free(x);
    free(y);
}

static void orthonormalizing_gives_the_unit_rest_and_its_length(void **state)
{
    pith_ctx *ctx = *state;
    double *known = malloc(2 * N * sizeof *known), *found = malloc(N * sizeof *found);
    double *x = malloc(N * sizeof *x), norm = 0, dot = 0;
    const pith_i_basis V = new_basis(known, found);
    for (int64_t i = 0; i < N; i++) /* the rest has period 8, so it is orthogonal to the others */
        x[i] = 1e6 * known[i] + 100 * found[i] + (i / 4 % 2 == 0 ? 0.04 : -0.04);
    assert_ok(ctx, pith_i_basis_orthonormalize(ctx, &V, x, &norm));
    assert_near(norm, 4, 1e-9);
    for (int64_t i = 0; i < N; i++)
        assert_near(x[i], i / 4 % 2 == 0 ? 0.01 : -0.01, 1e-12);
    for (int64_t i = 0; i < N; i++)
        dot += x[i] * known[i];
    assert_near(dot, 0, 1e-15);
    free(known);
    free(found);
    free(x);
}

static void an_empty_basis_leaves_the_vector(void **state)
{
    pith_ctx *ctx = *state;
    const pith_i_basis V = {3, {0, 0}, {NULL, NULL}};
    double x[3] = {0, 3, 4}, norm = 0;
    assert_ok(ctx, pith_i_basis_orthonormalize(ctx, &V, x, &norm));
    assert_near(norm, 5, 1e-15);
    assert_near(x[2], 0.8, 1e-15);
    const double zero[3] = {0};
    memcpy(x, zero, sizeof x);
    assert_ok(ctx, pith_i_basis_orthonormalize(ctx, &V, x, &norm));
    assert_true(norm == 0);
    assert_memory_equal(x, zero, sizeof x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(subtracting_removes_the_part_in_both_pieces),
        TEST(orthonormalizing_gives_the_unit_rest_and_its_length),
        TEST(an_empty_basis_leaves_the_vector),
    };
    return cmocka_run_group_tests_name("basis", tests, NULL, NULL);
}
