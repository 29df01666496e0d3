#include "core/random.h"
#include "methods/fsasl/simplex.h"
#include "unit/support.h"

enum { MOST = 12 };

static int falling(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* x >= 0, sum x = 1, and one theta with y_i - x_i = theta where x_i > 0, y_i <= theta elsewhere. */
static void assert_optimal(int64_t k, const double *y, const double *x, double rounding)
{
    double sum = 0, theta = (double)NAN;
    for (int64_t i = 0; i < k; i++) {
        assert_true(x[i] >= 0);
        sum += x[i];
        if (x[i] > 0 && isnan(theta))
            theta = y[i] - x[i];
    }
    assert_near(sum, 1, 1e-14);
    for (int64_t i = 0; i < k; i++)
        if (x[i] > 0)
            assert_near(y[i] - x[i], theta, rounding);
        else
            assert_true(y[i] <= theta + rounding);
}

static void random_points_satisfy_the_optimality_conditions(void **state)
{
    pith_i_stream s = pith_i_stream_at(1, PITH_I_RANDOM_BENCH, 0);
    (void)state;
    for (int t = 0; t < trials(5000); t++) {
        const int64_t k = 1 + t % MOST;
        const double scale = pow(10, t % 7 - 3), offset = t % 3 == 0 ? 1e6 : 0;
        double y[MOST], x[MOST];
        for (int64_t i = 0; i < k; i++)
            y[i] = offset + scale * pith_i_random_normal(&s);
        qsort(y, (size_t)k, sizeof *y, falling);
        memcpy(x, y, sizeof x);
        pith_i_simplex_project(k, x);
        assert_optimal(k, y, x, 1e-15 * (fabs(offset) + 10 * scale + 1));
    }
}

static void ties_share_and_a_point_of_the_simplex_stays(void **state)
{
    double equal[4] = {-3e8, -3e8, -3e8, -3e8}, on[3] = {0.5, 0.375, 0.125}, far[3] = {9, 7, 7}, alone = -2;
    (void)state;
    pith_i_simplex_project(4, equal);
    for (int i = 0; i < 4; i++)
        assert_true(equal[i] == 0.25);
    pith_i_simplex_project(3, on);
    assert_true(on[0] == 0.5 && on[1] == 0.375 && on[2] == 0.125);
    pith_i_simplex_project(3, far);
    assert_true(far[0] == 1 && far[1] == 0 && far[2] == 0);
    pith_i_simplex_project(1, &alone);
    assert_true(alone == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(random_points_satisfy_the_optimality_conditions),
        TEST(ties_share_and_a_point_of_the_simplex_stays),
    };
    return cmocka_run_group_tests_name("simplex", tests, NULL, NULL);
}
