#include "core/random.h"
#include "evaluate/agreement.h"
#include "oracle/measures/numbers.h"
#include "unit/support.h"

static void measures_are_those_of_scikit_learn(void **state)
{
    pith_ctx *ctx = *state;
    for (size_t k = 0; k < COUNT(agreement_cases); k++) {
        const struct agreement_case *c = &agreement_cases[k];
        pith_i_agreement got;
        assert_ok(ctx, pith_i_agreement_measure(ctx, c->n, c->classes, c->clusters, &got));
        assert_near(got.acc, c->acc, 1e-12);
        assert_near(got.nmi, c->nmi, 1e-12);
        assert_near(got.nmi_mean, c->nmi_mean, 1e-12);
        assert_near(got.nmi_geometric, c->nmi_geometric, 1e-12);
        assert_near(got.ari, c->ari, 1e-12);
        assert_near(got.purity, c->purity, 1e-12);
    }
}

/* ---- The matching against all there are ------------------------------------------------------------------
 */

static int64_t cell(const pith_i_contingency *t, int64_t a, int64_t b)
{
    for (int64_t e = t->start[a]; e < t->start[a + 1]; e++)
        if (t->col[e] == b)
            return t->count[e];
    return 0;
}

/* The best sum of rows a.. with the columns not used yet; a row may stay alone. */
static int64_t best_of_all(const pith_i_contingency *t, int64_t a, unsigned used)
{
    if (a == t->rows)
        return 0;
    int64_t best = best_of_all(t, a + 1, used);
    for (int64_t b = 0; b < t->cols; b++)
        if ((used & 1u << b) == 0) {
            const int64_t sum = cell(t, a, b) + best_of_all(t, a + 1, used | 1u << b);
            best = sum > best ? sum : best;
        }
    return best;
}

static void assert_match_has_total(const pith_i_contingency *t, const int32_t *match, int64_t total)
{
    int64_t sum = 0, matched = 0;
    for (int64_t a = 0; a < t->rows; a++) {
        if (match[a] < 0)
            continue;
        matched++;
        sum += cell(t, a, match[a]);
        for (int64_t b = 0; b < a; b++)
            assert_true(match[b] != match[a]);
    }
    assert_int_equal(matched, t->rows < t->cols ? t->rows : t->cols);
    assert_int_equal(sum, total);
}

static void no_other_matching_is_better(void **state)
{
    pith_ctx *ctx = *state;
    pith_i_stream s = pith_i_stream_at(3, PITH_I_RANDOM_BENCH, 0);
    for (int t = 0; t < 300; t++) {
        enum { N = 40 };
        int32_t a[N], b[N], match[6];
        const int64_t n = 1 + pith_i_random_below(&s, N), rows = 1 + pith_i_random_below(&s, 6);
        const int64_t cols = 1 + pith_i_random_below(&s, 6), bias = pith_i_random_below(&s, 3);
        for (int64_t i = 0; i < n; i++) {
            a[i] = (int32_t)pith_i_random_below(&s, rows);
            b[i] = (int32_t)(bias > 0 && pith_i_random_below(&s, 3) < bias ? a[i] % cols
                                                                           : pith_i_random_below(&s, cols));
        }
        pith_i_contingency table = {0};
        int64_t total = -1;
        assert_ok(ctx, pith_i_contingency_make(ctx, n, a, b, &table));
        assert_ok(ctx, pith_i_best_matching(ctx, &table, &total, match));
        assert_int_equal(total, best_of_all(&table, 0, 0));
        assert_match_has_total(&table, match, total);
        pith_i_contingency_free(&table);
    }
}

/* Greedy choice fails here: 5 is the largest count, but goes with 0; 4 + 4 is best. */
static void the_largest_cell_is_not_always_matched(void **state)
{
    pith_ctx *ctx = *state;
    const int32_t a[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1},
                  b[] = {0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0};
    pith_i_contingency t = {0};
    int64_t total = 0;
    int32_t match[2];
    assert_ok(ctx, pith_i_contingency_make(ctx, 13, a, b, &t));
    assert_ok(ctx, pith_i_best_matching(ctx, &t, &total, match));
    assert_int_equal(total, 8);
    assert_int_equal(match[0], 1);
    assert_int_equal(match[1], 0);
    pith_i_contingency_free(&t);
}

static void a_thousand_singletons_match_themselves(void **state)
{
    pith_ctx *ctx = *state;
    enum { N = 1000 };
    int32_t a[N], b[N];
    for (int i = 0; i < N; i++) {
        a[i] = i;
        b[i] = (i * 7 + 3) % N;
    }
    pith_i_agreement got;
    assert_ok(ctx, pith_i_agreement_measure(ctx, N, a, b, &got));
    assert_true(got.acc == 1 && got.ari == 1 && got.purity == 1);
    assert_near(got.nmi, 1, 1e-12);
}

static pith_status measure(pith_ctx *ctx, void *arg)
{
    const struct agreement_case *c = arg;
    pith_i_agreement got;
    return pith_i_agreement_measure(ctx, c->n, c->classes, c->clusters, &got);
}

static void it_survives_failing_allocations(void **state)
{
    assert_survives_failing_allocations(*state, measure, (void *)(uintptr_t)&agreement_cases[1], 18);
    assert_survives_failing_allocations(*state, measure, (void *)(uintptr_t)&agreement_cases[2], 18);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(measures_are_those_of_scikit_learn),     TEST(no_other_matching_is_better),
        TEST(the_largest_cell_is_not_always_matched), TEST(a_thousand_singletons_match_themselves),
        TEST(it_survives_failing_allocations),
    };
    return cmocka_run_group_tests_name("agreement", tests, NULL, NULL);
}
