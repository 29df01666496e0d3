#include "matrix/exponential.h"
#include "unit/support.h"

static double off(double got, double want)
{
    return fabs(got - want) / want;
}

static void decay_is_exp_to_the_last_bits(void **state)
{
    enum { N = 20001 };
    double *x = malloc(N * sizeof *x), worst = 0;
    (void)state;
    assert_non_null(x);
    for (int i = 0; i < N; i++)
        x[i] = 707.9 * (double)i / (N - 1) * (double)i / (N - 1);
    (void)pith_i_decay(N, 1, x);
    for (int i = 0; i < N; i++) {
        const double e = off(x[i], exp(-707.9 * (double)i / (N - 1) * (double)i / (N - 1)));
        worst = e > worst ? e : worst;
    }
    free(x);
    assert_true(worst < 1e-15);
}

static void decay_knows_its_ends(void **state)
{
    double x[] = {0, 1, 709, 1e6, 1e300, 0x1p-1074, 708, 0, 2};
    (void)state;
    const double sum = pith_i_decay(9, 1, x);
    assert_true(x[0] == 1 && x[7] == 1 && x[5] == 1);
    assert_true(x[2] == 0 && x[3] == 0 && x[4] == 0);
    assert_true(off(x[1], exp(-1)) < 1e-15);
    assert_true(off(x[6], exp(-708)) < 1e-15);
    assert_true(off(sum, 3 + exp(-1) + exp(-2)) < 1e-15);
}

static void decay_of_any_length_and_factor(void **state)
{
    (void)state;
    for (int n = 0; n < 20; n++) {
        double x[20], sum = 0;
        for (int i = 0; i < 20; i++)
            x[i] = 0.37 * i;
        const double got = pith_i_decay(n, 2.5, x);
        for (int i = 0; i < n; i++) {
            assert_true(off(x[i], exp(-(2.5 * (0.37 * i)))) < 1e-15);
            sum += x[i];
        }
        for (int i = n; i < 20; i++)
            assert_true(x[i] == 0.37 * i);
        assert_near(got, sum, 1e-14);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decay_is_exp_to_the_last_bits),
        cmocka_unit_test(decay_knows_its_ends),
        cmocka_unit_test(decay_of_any_length_and_factor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
