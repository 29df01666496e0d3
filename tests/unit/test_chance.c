/* What chance makes of a feature: exact moments over all orders, the tail, q-values. */
#include "cluster/chance.h"
#include "core/random.h"
#include "oracle/evidence/numbers.h"
#include "unit/support.h"

static pith_i_powers powers_of(int64_t n, const double *x)
{
    pith_i_powers s = {0};
    double mean = 0;
    for (int64_t i = 0; i < n; i++)
        mean += x[i] / (double)n;
    for (int64_t i = 0; i < n; i++) {
        const double d = x[i] - mean, d2 = d * d;
        s.s2 += d2;
        s.s3 += d * d2;
        s.s4 += d2 * d2;
        s.s6 += d2 * d2 * d2;
    }
    return s;
}

typedef double statistic_fn(const void *of, int64_t n, const double *x);

typedef struct partitions {
    int64_t count;
    const pith_i_grouping *at;
} partitions;

/* T from its definition. */
static double of_partitions(const void *of, int64_t n, const double *x)
{
    const int64_t count = ((const partitions *)of)->count;
    const pith_i_grouping *at = ((const partitions *)of)->at;
    double mean = 0, total = 0, t = 0;
    for (int64_t i = 0; i < n; i++)
        mean += x[i] / (double)n;
    for (int64_t i = 0; i < n; i++)
        total += (x[i] - mean) * (x[i] - mean);
    for (int64_t r = 0; r < count; r++) {
        double between = 0;
        for (int32_t k = 0; k < at[r].groups; k++) {
            double sum = 0, size = 0;
            for (int64_t i = 0; i < n; i++)
                if (at[r].label[i] == k) {
                    sum += x[i] - mean;
                    size++;
                }
            between += sum * sum / size;
        }
        t += at[r].groups > 1 ? between / (double)(at[r].groups - 1) / total : 0;
    }
    return t;
}

/* The vector that the method was specified with. */
static void the_known_case(void **state)
{
    static const int32_t a[] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2},
                         b[] = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1},
                         c[] = {0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 3};
    static const double x[] = {1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 400};
    static const double invariant[] = {0.000246913580247, 0.572711968167, 0.000718294051627, 0.046028211407,
                                       0.0118817807707};
    const pith_i_grouping at[] = {{3, a}, {2, b}, {4, c}};
    const pith_i_powers s = powers_of(12, x);
    pith_i_null null;
    double sd = 0, skew = 0;
    assert_ok(*state, pith_i_null_make(*state, 12, 0, 3, at, &null));
    assert_near(null.tau, 0.272727272727, 1e-12);
    assert_near(null.a, 0.0222222222222, 1e-12);
    assert_near(null.b, 1.57811447811, 1e-11);
    for (int i = 0; i < 5; i++)
        assert_near(null.invariant[i], invariant[i], 1e-12);
    pith_i_null_moments(&null, &s, &sd, &skew);
    const double t = of_partitions(&(partitions){3, at}, 12, x);
    assert_near(t, 0.540849511755, 1e-12);
    assert_near(sd, 0.091330828374, 1e-12);
    assert_near(skew, 0.291898156589, 1e-11);
    assert_near((t - null.tau) / sd, 2.935725469729, 1e-11);
    assert_near(pith_i_tail((t - null.tau) / sd, skew), 0.00417330972947, 1e-13);
}

/* Every order of x in turn (Heap): sums of powers of T - tau. */
static void enumerate(int64_t n, statistic_fn *statistic, const void *of, double *x, double tau,
                      double sums[4])
{
    int64_t c[8] = {0}, i = 1;
    for (bool first = true; first || i < n;) {
        if (!first && c[i] >= i) {
            c[i++] = 0;
            continue;
        }
        if (!first) {
            const int64_t other = i % 2 == 0 ? 0 : c[i];
            const double swap = x[other];
            x[other] = x[i];
            x[i] = swap;
            c[i]++;
            i = 1;
        }
        first = false;
        const double d = statistic(of, n, x) - tau;
        sums[0]++;
        sums[1] += d;
        sums[2] += d * d;
        sums[3] += d * d * d;
    }
}

static void moments_are_those_of_all_orders(void **state)
{
    static const int32_t labels[4][8] = {{0, 0, 0, 1, 1, 2, 2, 2},
                                         {0, 1, 0, 1, 0, 1, 1, 0},
                                         {0, 0, 1, 1, 2, 2, 3, 0},
                                         {0, 0, 0, 0, 0, 0, 0, 0}};
    for (int64_t n = 7; n <= (short_run() ? 7 : 8); n++) {
        double x[] = {1, 3, 2, 7, 0, 11, 5, 40}, sums[4] = {0}, sd = 0, skew = 0;
        const pith_i_grouping at[] = {{3, labels[0]}, {2, labels[1]}, {4, labels[2]}, {1, labels[3]}};
        const pith_i_powers s = powers_of(n, x);
        pith_i_null null;
        assert_ok(*state, pith_i_null_make(*state, n, 0, 4, at, &null));
        pith_i_null_moments(&null, &s, &sd, &skew);
        enumerate(n, of_partitions, &(partitions){4, at}, x, null.tau, sums);
        assert_true(sums[0] == (n == 7 ? 5040 : 40320));
        assert_near(sums[1] / sums[0], 0, 1e-13);
        assert_near(sqrt(sums[2] / sums[0]), sd, 1e-12);
        assert_near(sums[3] / sums[0] / (sd * sd * sd), skew, 1e-11);
    }
}

enum { MOST = 6000, PARTITIONS = 11 };

/* Some of one make, so that partitions agree in part; groups of unequal sizes. */
static void make_partitions(int64_t n, int64_t groups, pith_i_grouping *at)
{
    static int32_t label[PARTITIONS][MOST];
    for (int64_t r = 0; r < PARTITIONS; r++) {
        pith_i_stream s = pith_i_stream_at(1, PITH_I_RANDOM_BENCH, (uint64_t)r);
        at[r] = (pith_i_grouping){r == 3 ? 1 : r % 2 == 0 ? groups : groups / 2, label[r]};
        for (int64_t i = 0; i < n; i++) {
            const double u = pith_i_random_uniform(&s),
                         where = i % 4 == 0 || r > 6 ? u * u : (double)i / (double)n;
            label[r][i] = (int32_t)(i < at[r].groups ? i : (int64_t)(where * (double)at[r].groups));
        }
    }
}

/* M' of partitions, n x n; in long double, which valgrind makes double. */
static long double *make_dense(int64_t n, int64_t count, const pith_i_grouping *at)
{
    long double *M = calloc((size_t)(n * n), sizeof *M), trace = 0;
    assert_non_null(M);
    for (int64_t r = 0; r < count; r++) {
        int64_t size[MOST] = {0};
        const long double w = at[r].groups > 1 ? 1 / (long double)(at[r].groups - 1) : 0;
        trace += at[r].groups > 1;
        for (int64_t i = 0; i < n; i++)
            size[at[r].label[i]]++;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++)
                M[i * n + j] +=
                    w * ((at[r].label[i] == at[r].label[j] ? 1 / (long double)size[at[r].label[i]] : 0) -
                         1 / (long double)n);
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            M[i * n + j] -= trace / (long double)(n - 1) * ((i == j ? 1 : 0) - 1 / (long double)n);
    return M;
}

/* The invariants that need no product of M', and U above all: it is found without looking at pairs. */
static void cubes_are_those_of_all_pairs(void **state)
{
    static const int64_t shapes[][2] = {{24, 4}, {200, 8}, {200, 100}, {2000, 16}};
    for (int k = 0; k < (short_run() ? 3 : 4); k++) {
        const int64_t n = shapes[k][0];
        pith_i_grouping at[PARTITIONS];
        pith_i_null null;
        make_partitions(n, shapes[k][1], at);
        long double *M = make_dense(n, PARTITIONS, at), cubes = 0, squares = 0, a = 0, own = 0;
        for (int64_t i = 0; i < n; i++) {
            for (int64_t j = 0; j < n; j++) {
                cubes += M[i * n + j] * M[i * n + j] * M[i * n + j];
                squares += M[i * n + j] * M[i * n + j];
                own += M[i * n + i] * M[i * n + j] * M[j * n + j];
            }
            a += M[i * n + i] * M[i * n + i];
        }
        free(M);
        assert_ok(*state, pith_i_null_make(*state, n, 0, PARTITIONS, at, &null));
        assert_near((double)(null.invariant[3] / cubes), 1, 1e-11);
        assert_near((double)(null.invariant[4] / own), 1, 1e-11);
        assert_near((double)(null.b / squares), 1, 1e-11);
        assert_near((double)(null.a / a), 1, 1e-11);
    }
}

enum { RANK = 3 };

static double of_rows(const void *of, int64_t n, const double *x)
{
    const double *Y = of;
    double mean = 0, total = 0, t = 0;
    for (int64_t i = 0; i < n; i++)
        mean += x[i] / (double)n;
    for (int64_t k = 0; k < RANK; k++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++)
            sum += Y[i * RANK + k] * (x[i] - mean);
        t += sum * sum;
    }
    for (int64_t i = 0; i < n; i++)
        total += (x[i] - mean) * (x[i] - mean);
    return t / total;
}

static void moments_of_rows_are_those_of_all_orders(void **state)
{
    double Y[7 * RANK], x[] = {1, 3, 2, 7, 0, 11, 40}, sums[4] = {0}, sd = 0, skew = 0;
    const pith_i_powers s = powers_of(7, x);
    pith_i_null null;
    for (int64_t k = 0; k < RANK; k++) {
        double mean = 0;
        for (int64_t i = 0; i < 7; i++)
            mean += (Y[i * RANK + k] = sin((double)(i * i + 5 * k)) + (double)(i == 2 * k)) / 7;
        for (int64_t i = 0; i < 7; i++)
            Y[i * RANK + k] -= mean;
    }
    assert_ok(*state, pith_i_null_of_rows(*state, 7, RANK, Y, RANK, &null));
    pith_i_null_moments(&null, &s, &sd, &skew);
    enumerate(7, of_rows, Y, x, null.tau, sums);
    assert_near(sums[1] / sums[0], 0, 1e-13);
    assert_near(sqrt(sums[2] / sums[0]), sd, 1e-12);
    assert_near(sums[3] / sums[0] / (sd * sd * sd), skew, 1e-11);
}

/* The vectors of groups: Y with Y Y' = M of the partitions. Rows are `ld` apart. */
static double *make_rows(int64_t n, const pith_i_grouping *at, int64_t *r, int64_t *ld)
{
    *r = 0;
    for (int64_t q = 0; q < PARTITIONS; q++)
        *r += at[q].groups;
    *ld = *r + 3;
    double *Y = malloc((size_t)(n * *ld) * sizeof *Y);
    assert_non_null(Y);
    for (int64_t e = 0; e < n * *ld; e++)
        Y[e] = NAN;
    for (int64_t q = 0, k = 0; q < PARTITIONS; q++)
        for (int32_t l = 0; l < at[q].groups; l++, k++) {
            double size = 0;
            for (int64_t i = 0; i < n; i++)
                size += at[q].label[i] == l;
            for (int64_t i = 0; i < n; i++)
                Y[i * *ld + k] = at[q].groups > 1 ? ((at[q].label[i] == l ? 1 : 0) - size / (double)n) /
                                                        sqrt(size * (double)(at[q].groups - 1))
                                                  : 0;
        }
    return Y;
}

static void assert_alike(const pith_i_null *a, const pith_i_null *b, double cubes)
{
    assert_int_equal(a->n, b->n);
    assert_near(a->tau / b->tau, 1, 1e-12);
    assert_near(a->a / b->a, 1, 1e-10);
    assert_near(a->b / b->b, 1, 1e-10);
    for (int k = 0; k < 5; k++)
        assert_near(a->invariant[k] / b->invariant[k], 1, k == 3 ? cubes : 1e-10);
}

/* With more rows and columns than a tile has; then with more rows than all of whose pairs are looked at. */
static void rows_of_groups_are_like_the_groups(void **state)
{
    static const int64_t shapes[][2] = {{30, 6}, {600, 50}, {MOST, 4}};
    for (int k = 0; k < (short_run() ? 2 : 3); k++) {
        const int64_t n = shapes[k][0];
        int64_t r = 0, ld = 0;
        pith_i_grouping at[PARTITIONS];
        pith_i_null groups, rows, again;
        make_partitions(n, shapes[k][1], at);
        double *Y = make_rows(n, at, &r, &ld);
        assert_ok(*state, pith_i_null_make(*state, n, 0, PARTITIONS, at, &groups));
        assert_ok(*state, pith_ctx_set_threads(*state, 1));
        assert_ok(*state, pith_i_null_of_rows(*state, n, r, Y, ld, &rows));
        assert_ok(*state, pith_ctx_set_threads(*state, 5));
        assert_ok(*state, pith_i_null_of_rows(*state, n, r, Y, ld, &again));
        assert_memory_equal(&rows, &again, sizeof rows);
        assert_alike(&rows, &groups, n > 5000 ? 0.1 : 1e-10);
        assert_true(n <= 5000 || rows.invariant[3] != groups.invariant[3]);
        free(Y);
    }
}

/* One row in a thousand lies far out, and has nearly all of the cubes: an even draw of rows would miss them.
 */
static void draws_do_not_miss_outlying_rows(void **state)
{
    enum { FAR = MOST / 1000 };
    static double Y[MOST];
    double sum = 0, cubes = 0, tau = 0;
    pith_i_null null;
    skip_when_short();
    for (int64_t i = 0; i < MOST; i++)
        sum += Y[i] = sin((double)(i * i)) + (i < FAR ? (double)(1000 + i) : 0);
    for (int64_t i = 0; i < MOST; i++) {
        Y[i] -= sum / MOST;
        tau += Y[i] * Y[i] / (MOST - 1);
    }
    for (int64_t i = 0; i < MOST; i++)
        for (int64_t j = 0; j < MOST; j++) {
            const double entry = Y[i] * Y[j] - tau * ((i == j ? 1 : 0) - 1.0 / MOST);
            cubes += entry * entry * entry;
        }
    assert_ok(*state, pith_i_null_of_rows(*state, MOST, 1, Y, 1, &null));
    assert_near((null.invariant[3] - null.invariant[0]) / (cubes - null.invariant[0]), 1, 0.1);
}

static void threads_change_nothing(void **state)
{
    pith_i_grouping at[PARTITIONS];
    pith_i_null one, many;
    make_partitions(500, 16, at);
    assert_ok(*state, pith_ctx_set_threads(*state, 1));
    assert_ok(*state, pith_i_null_make(*state, 500, 0, PARTITIONS, at, &one));
    assert_ok(*state, pith_ctx_set_threads(*state, 5));
    assert_ok(*state, pith_i_null_make(*state, 500, 0, PARTITIONS, at, &many));
    assert_memory_equal(&one, &many, sizeof one);
}

static pith_status make_groups(pith_ctx *ctx, void *arg)
{
    pith_i_null null;
    return pith_i_null_make(ctx, 40, 0, PARTITIONS, arg, &null);
}

/* Sampled, so that all of the code asks for memory. */
static pith_status make_of_rows(pith_ctx *ctx, void *arg)
{
    pith_i_null null;
    return pith_i_null_of_rows(ctx, MOST, 1, arg, 1, &null);
}

static void failing_allocations_are_survived(void **state)
{
    static double Y[MOST];
    pith_i_grouping at[PARTITIONS];
    make_partitions(40, 8, at);
    assert_survives_failing_allocations(*state, make_groups, at, 3);
    for (int64_t i = 0; i < MOST; i++)
        Y[i] = i % 2 == 0 ? 1 : -1;
    assert_survives_failing_allocations(*state, make_of_rows, Y, 3);
}

static void tails_meet_and_fall(void **state)
{
    (void)state;
    assert_near(pith_i_tail(1.6448536269514722, 0), 0.05, 1e-12);
    for (double g = -3; g <= 3; g += 0.25) {
        double before = 1;
        for (double z = -5; z <= 12; z += 0.125) {
            const double p = pith_i_tail(z, g);
            assert_true(p >= 0 && p <= before);
            assert_near(p + pith_i_tail(-z, -g), 1, 1e-12);
            before = p;
        }
    }
    /* Where the normal takes over it leaves out skew (z^2 - 1) phi(z) / 6, which is 2.7e-4 here. */
    assert_near(pith_i_tail(2, 0.0099999), pith_i_tail(2, 0.0100001), 3e-4);
    assert_true(pith_i_tail(30, 1) > 0); /* far out it is small, not 0 */
}

static void q_values_are_those_of_benjamini_and_hochberg(void **state)
{
    static const double p[] = {0.01, NAN, 0.04, 0.03, 0.005, 0.9, 0.03};
    static const double want[] = {0.03, NAN, 0.048, 0.045, 0.03, 0.9, 0.045};
    double q[7];
    assert_ok(*state, pith_i_q_values(*state, 7, p, q));
    for (int j = 0; j < 7; j++)
        if (isnan(want[j]))
            assert_true(isnan(q[j]));
        else
            assert_near(q[j], want[j], 1e-15);
}

/* ---- Beside numbers of another make, tests/oracle/evidence ----------------------------------------------
 */

/* One invariant at a time, at n where each of the six tables counts. */
static void the_tables_of_the_third_moment_are_right(void **state)
{
    (void)state;
    for (int64_t n = 6; n < 12; n++)
        for (int m = 0; m < 5; m++)
            for (int k = 0; k < 4; k++) {
                pith_i_null null = {.n = n, .a = 0.5, .b = 2};
                const pith_i_powers x = {1, k == 0 ? 0.5 : 0.1, k == 1 ? 0.9 : 0.3, k == 2 ? 0.8 : 0.2};
                const double of_x[4] = {x.s6, x.s4, x.s3 * x.s3, 1};
                double want = 0, falling = 1, size = 0, sd = 0, skew = 0;
                null.invariant[m] = 1;
                for (int b = 0; b < 6; b++) {
                    falling *= (double)(n - b);
                    for (int q = 0; q < 4; q++) {
                        want += oracle_third_moment[b][m][q] * of_x[q] / falling;
                        size += fabs(oracle_third_moment[b][m][q] * of_x[q] / falling);
                    }
                }
                pith_i_null_moments(&null, &x, &sd, &skew);
                assert_true(sd > 0);
                assert_near(skew * sd * sd * sd, want, 1e-14 * size);
            }
}

static void assert_agrees(const pith_i_null *null, const pith_i_powers *x, double T, const double want[5])
{
    double sd = 0, skew = 0;
    pith_i_null_moments(null, x, &sd, &skew);
    assert_near(null->tau / want[0], 1, 1e-12);
    assert_near(T / want[1], 1, 1e-12);
    assert_near(sd / want[2], 1, 1e-11);
    assert_near(skew, want[3], 1e-10);
    assert_near(pith_i_tail((T - null->tau) / sd, skew) / want[4], 1, 1e-8);
}

/* The oracle adds up 203 terms that cancel in part, so it has some 11 digits itself. */
static void moments_and_tails_are_those_of_the_oracle(void **state)
{
    for (size_t c = 0; c < sizeof oracle_evidence / sizeof *oracle_evidence; c++) {
        const struct oracle_evidence *o = &oracle_evidence[c];
        const double want[] = {o->tau, o->T, o->sd, o->skew, o->p};
        const pith_i_powers s = powers_of(o->n, o->x);
        pith_i_grouping at[6];
        pith_i_null null;
        for (int64_t r = 0; r < o->count; r++) {
            at[r] = (pith_i_grouping){0, o->label[r]};
            for (int64_t i = 0; i < o->n; i++)
                at[r].groups = o->label[r][i] >= at[r].groups ? o->label[r][i] + 1 : at[r].groups;
        }
        print_message("%s\n", o->name);
        assert_ok(*state, pith_i_null_make(*state, o->n, 0, o->count, at, &null));
        assert_agrees(&null, &s, of_partitions(&(partitions){o->count, at}, o->n, o->x), want);
    }
}

static void moments_of_rows_are_those_of_the_oracle(void **state)
{
    const int64_t n = sizeof oracle_rows / sizeof *oracle_rows,
                  r = sizeof *oracle_rows / sizeof **oracle_rows;
    const pith_i_powers s = powers_of(n, oracle_rows_x);
    double mean = 0, T = 0;
    pith_i_null null;
    for (int64_t i = 0; i < n; i++)
        mean += oracle_rows_x[i] / (double)n;
    for (int64_t k = 0; k < r; k++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++)
            sum += oracle_rows[i][k] * (oracle_rows_x[i] - mean);
        T += sum * sum / s.s2;
    }
    assert_ok(*state, pith_i_null_of_rows(*state, n, r, oracle_rows[0], r, &null));
    assert_agrees(&null, &s, T, oracle_rows_null);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_known_case),
        TEST(moments_are_those_of_all_orders),
        TEST(cubes_are_those_of_all_pairs),
        TEST(moments_of_rows_are_those_of_all_orders),
        TEST(rows_of_groups_are_like_the_groups),
        TEST(draws_do_not_miss_outlying_rows),
        TEST(threads_change_nothing),
        TEST(failing_allocations_are_survived),
        TEST(tails_meet_and_fall),
        TEST(q_values_are_those_of_benjamini_and_hochberg),
        TEST(the_tables_of_the_third_moment_are_right),
        TEST(moments_and_tails_are_those_of_the_oracle),
        TEST(moments_of_rows_are_those_of_the_oracle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
