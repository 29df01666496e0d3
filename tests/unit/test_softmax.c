#include "methods/snfs/softmax.h"

#include "core/random.h"
#include "unit/support.h"

enum { MOST = 67 };

static void fill(double *x, int64_t n, double width, uint64_t seed)
{
    pith_i_stream s = pith_i_stream_at(seed, PITH_I_RANDOM_BENCH, (uint64_t)n);
    for (int64_t j = 0; j < n; j++)
        x[j] = width * (pith_i_random_uniform(&s) - 0.5);
}

static void rows_of_every_length_agree_with_the_definition(void **state)
{
    static const double widths[] = {0.1, 5, 100, 3000};
    (void)state;
    for (int64_t n = 1; n <= MOST; n++)
        for (size_t k = 0; k < COUNT(widths); k++) {
            double x[MOST], y[MOST], total = 0, top = -INFINITY;
            const double b = 0.7;
            fill(x, n, widths[k], 1);
            if (n > 3)
                x[n / 2] = x[n - 1] = -(double)INFINITY;
            memcpy(y, x, sizeof y);
            for (int64_t j = 0; j < n; j++)
                top = fmax(top, b * x[j]);
            for (int64_t j = 0; j < n; j++)
                total += exp(b * x[j] - top);
            assert_near(pith_i_softmax(n, b, y), top + log(total), 1e-13 * (1 + fabs(top)));
            for (int64_t j = 0; j < n; j++) {
                const double want = b * exp(b * x[j] - top) / total;
                assert_near(y[j], want, 1e-13 * (1 + fabs(top)) * want + 1e-300);
            }
        }
}

/* Without a sum in the way: two values, of which the other is 1. */
static void an_exponential_is_right_to_the_last_bits(void **state)
{
    (void)state;
    pith_i_stream s = pith_i_stream_at(2, PITH_I_RANDOM_BENCH, 0);
    for (int k = 0; k < 20000; k++) {
        const double v = -708 * pow(pith_i_random_uniform(&s), 3);
        double m[3];
        pith_i_exp_moments(1, 1, &v, m);
        assert_near(m[0] / exp(v), 1, 5e-16);
        assert_near(m[1] / (v * exp(v)), 1, 1e-15);
        assert_near(m[2] / (v * v * exp(v)), 1, 1e-15);
    }
    const double far[] = {0, -708.5, -1e6, -1e308};
    double m[3];
    pith_i_exp_moments(4, 1, far, m);
    assert_true(m[0] == 1 && m[1] == 0 && m[2] == 0);
}

static void moments_agree_with_the_definition(void **state)
{
    (void)state;
    for (int64_t n = 1; n <= MOST; n++) {
        double a[MOST], m[3], want[3] = {0}, size[3] = {0};
        fill(a, n, 20, 3);
        for (int64_t j = 0; j < n; j++) {
            a[j] -= 10;
            for (int k = 0; k < 3; k++) {
                const double term = pow(a[j], k) * exp(0.3 * a[j]);
                want[k] += term;
                size[k] += fabs(term);
            }
        }
        pith_i_exp_moments(n, 0.3, a, m);
        for (int k = 0; k < 3; k++)
            assert_near(m[k], want[k], 1e-14 * size[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_every_length_agree_with_the_definition),
        cmocka_unit_test(an_exponential_is_right_to_the_last_bits),
        cmocka_unit_test(moments_agree_with_the_definition),
    };
    return cmocka_run_group_tests_name("softmax", tests, NULL, NULL);
}
