#include "core/random.h"
#include "methods/fsasl/elastic_net.h"
#include "unit/support.h"

enum { P = 30, MOST = 60 };

/* G = F F' + mu I and c = F y for p features of m values, the first `twins` of them pairwise equal. */
static void make(uint64_t place, int64_t p, int64_t m, int64_t twins, double mu, double *G, double *c)
{
    double F[P * MOST], y[MOST];
    pith_i_stream s = pith_i_stream_at(2, PITH_I_RANDOM_BENCH, place);
    for (int64_t e = 0; e < p * m; e++)
        F[e] = pith_i_random_normal(&s);
    for (int64_t j = 1; j < twins; j += 2)
        memcpy(F + j * m, F + (j - 1) * m, (size_t)m * sizeof *F);
    for (int64_t i = 0; i < m; i++)
        y[i] = pith_i_random_normal(&s);
    for (int64_t a = 0; a < p; a++) {
        c[a] = 0;
        for (int64_t i = 0; i < m; i++)
            c[a] += F[a * m + i] * y[i];
        for (int64_t b = 0; b < p; b++) {
            G[a * p + b] = a == b ? mu : 0;
            for (int64_t i = 0; i < m; i++)
                G[a * p + b] += F[a * m + i] * F[b * m + i];
        }
    }
}

static double largest(int64_t p, const double *c)
{
    double most = 0;
    for (int64_t j = 0; j < p; j++)
        most = fmax(most, fabs(c[j]));
    return most;
}

/* The subgradient holds 0, to 1e-11 of the largest correlation, and what was returned says how nearly. */
static void assert_optimal(int64_t p, const double *G, const double *c, double lambda, const double *s,
                           double returned)
{
    const double top = largest(p, c);
    double worst = 0;
    for (int64_t j = 0; j < p; j++) {
        double left = c[j];
        for (int64_t k = 0; k < p; k++)
            left -= G[j * p + k] * s[k];
        worst = fmax(worst, s[j] == 0 ? fabs(left) - lambda : fabs(left - copysign(lambda, s[j])));
    }
    assert_true(worst <= 1e-11 * top);
    assert_near(returned, worst / top, 1e-13);
}

static void solutions_are_optimal(void **state)
{
    double G[P * P], c[P], s[P];
    void *room = pith_i_scratch(*state, (int64_t)pith_i_elastic_net_room(P), 1);
    for (int t = 0; t < trials(400); t++) {
        const int64_t p = 1 + t % P, m = t % 3 == 0   ? MOST
                                         : t % 3 == 1 ? 5
                                                      : 12; /* also fewer than features */
        const double share[] = {0.5, 0.1, 0.01, 1e-4};
        make((uint64_t)t, p, m, 0, 1e-6 * (double)m, G, c);
        const double lambda = share[t % 4] * largest(p, c);
        const double worst = pith_i_elastic_net(p, G, c, lambda, s, room);
        assert_optimal(p, G, c, lambda, s, worst);
    }
    pith_i_scratch_release(*state, 0);
}

/* Equal features share: mu makes the answer unique, and symmetric in them. */
static void equal_features_get_equal_shares(void **state)
{
    double G[P * P], c[P], s[P];
    void *room = pith_i_scratch(*state, (int64_t)pith_i_elastic_net_room(P), 1);
    for (int t = 0; t < trials(100); t++) {
        make((uint64_t)t, P, 8, P, 1e-6 * 8, G, c);
        const double lambda = 0.01 * largest(P, c);
        const double worst = pith_i_elastic_net(P, G, c, lambda, s, room);
        assert_optimal(P, G, c, lambda, s, worst);
        for (int64_t j = 1; j < P; j += 2)
            assert_near(s[j], s[j - 1], 1e-6 * (1 + fabs(s[j])));
    }
    pith_i_scratch_release(*state, 0);
}

static void above_the_largest_correlation_nothing_is_left(void **state)
{
    double G[P * P], c[P], s[P];
    void *room = pith_i_scratch(*state, (int64_t)pith_i_elastic_net_room(P), 1);
    make(1, P, MOST, 0, 1e-6, G, c);
    for (int64_t j = 0; j < P; j++)
        s[j] = 7;
    assert_true(pith_i_elastic_net(P, G, c, largest(P, c), s, room) == 0);
    for (int64_t j = 0; j < P; j++)
        assert_true(s[j] == 0);
    pith_i_scratch_release(*state, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(solutions_are_optimal),
        TEST(equal_features_get_equal_shares),
        TEST(above_the_largest_correlation_nothing_is_left),
    };
    return cmocka_run_group_tests_name("elastic_net", tests, NULL, NULL);
}
