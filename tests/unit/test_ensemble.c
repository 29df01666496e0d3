#include "methods/ensemble.h"
#include "unit/support.h"

#include "core/random.h"
#include "matrix/matrix.h"

/* Parts of blobs with `separation` between four clusters. */
typedef struct fixture {
    pith_ctx *ctx;
    pith_matrix *m;
    pith_i_cache cache;
    size_t mark;
} fixture;

static fixture begin(void **state, int64_t n, int64_t p, double separation, double density)
{
    const pith_blobs shape = {
        .n = n, .p = p, .clusters = 4, .informative = 1, .separation = separation, .density = density};
    fixture f = {.ctx = *state, .mark = pith_i_scratch_mark(*state)};
    assert_ok(f.ctx, pith_synth_blobs(f.ctx, &shape, &f.m));
    assert_ok(f.ctx, pith_i_cache_new(f.ctx, &f.m->data, &f.cache));
    return f;
}

static void end(fixture *f)
{
    pith_i_cache_free(&f->cache);
    pith_matrix_free(f->m);
    pith_i_scratch_release(f->ctx, f->mark);
}

static const pith_i_ensemble_options four = {.draws = 6, .neighbors = 5, .share = 0.5, .clusters = 4};

static void groups_are_c_and_twice_c_in_turn_within_a_third_of_the_samples(void **state)
{
    static const struct {
        int64_t n, clusters, want[4];
    } cases[] = {{60, 4, {4, 8, 4, 8}}, {60, 0, {4, 8, 16, 4}}, {30, 0, {4, 8, 10, 4}}, {5, 4, {2, 2, 2, 2}}};
    enum { DRAWS = 8 };
    for (size_t t = 0; t < COUNT(cases); t++) {
        fixture f = begin(state, cases[t].n, 12, 4, 1);
        const pith_i_ensemble_options o = {
            .draws = DRAWS, .neighbors = 4, .share = 0.5, .clusters = cases[t].clusters};
        const pith_i_ensemble *e = NULL;
        pith_i_reuse reuse = {0};
        assert_ok(f.ctx, pith_i_ensemble_get(f.ctx, &f.cache, &o, &reuse, &e));
        for (int64_t b = 0; b < DRAWS; b++) { /* both halves of a split the same */
            assert_int_equal(e->groups[b], cases[t].want[b / 2]);
            for (int64_t i = 0; i < e->n; i++)
                assert_in_range(e->label[b * e->n + i], 0, e->groups[b] - 1);
        }
        end(&f);
    }
}

/* Sample i is of class i mod 4: the draws of four groups find the classes, and all agree. */
static void assert_agreed(pith_ctx *ctx, pith_i_cache *cache, bool counts)
{
    const pith_i_ensemble *e = NULL;
    pith_i_reuse reuse = {0};
    double agreement = 0;
    int64_t all[400];
    for (int64_t j = 0; j < cache->X->p; j++)
        all[j] = j;
    assert_ok(ctx, pith_i_ensemble_get(ctx, cache, &four, &reuse, &e));
    assert_true(e->counts == counts);
    for (int64_t b = 0; b < 6; b += b == 1 ? 3 : 1) /* splits of 4 groups */
        for (int64_t i = 4; i < e->n; i++)
            assert_int_equal(e->label[b * e->n + i], e->label[b * e->n + i % 4]);
    assert_ok(ctx, pith_i_ensemble_agreement(ctx, e, 4, e->label, &agreement));
    assert_near(agreement, 1, 1e-12);
    assert_ok(ctx, pith_i_ensemble_judge(ctx, cache, e, 5, false, cache->X->p, all, &agreement));
    assert_near(agreement, 1, 1e-12);
}

static void separated_groups_are_found_in_every_part_and_agreed_on(void **state)
{
    fixture f = begin(state, 80, 40, 12, 1);
    assert_agreed(f.ctx, &f.cache, false);
    end(&f);
}

/* Documents of four topics without a word in common: 30 words each of the topic's 90. */
static void topics_are_found_in_every_part_and_agreed_on(void **state)
{
    enum { N = 48, P = 360, WORDS = 30 };
    static double x[N * P];
    pith_ctx *ctx = *state;
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_cache cache = {0};
    for (int64_t i = 0; i < N; i++) {
        pith_i_stream s = pith_i_stream_at(8, PITH_I_RANDOM_BENCH, (uint64_t)i);
        for (int w = 0; w < WORDS; w++)
            x[i * P + i % 4 * 90 + pith_i_random_below(&s, 90)] = 1;
    }
    const pith_i_data X = {.n = N, .p = P, .dtype = PITH_F64, .x = x, .row_stride = P, .col_stride = 1};
    assert_ok(ctx, pith_i_cache_new(ctx, &X, &cache));
    assert_agreed(ctx, &cache, true);
    pith_i_cache_free(&cache);
    pith_i_scratch_release(ctx, mark);
}

static void noise_is_not_agreed_on(void **state)
{
    fixture f = begin(state, 100, 60, 0, 1);
    const pith_i_ensemble *e = NULL;
    pith_i_reuse reuse = {0};
    double agreement = 1;
    assert_ok(f.ctx, pith_i_ensemble_get(f.ctx, &f.cache, &four, &reuse, &e));
    assert_ok(f.ctx,
              pith_i_ensemble_judge(f.ctx, &f.cache, e, 5, false, 2, (const int64_t[]){0, 1}, &agreement));
    assert_true(agreement < 0.15);
    end(&f);
}

/* Of many samples some are judged: with the labels of their own rows. Three classes on one column, and a
 * column of noise. */
static void many_samples_are_judged_by_some_of_them(void **state)
{
    enum { N = PITH_I_JUDGED + 1234, P = 2 };
    pith_ctx *ctx = *state;
    const size_t mark = pith_i_scratch_mark(ctx);
    double *x = pith_i_scratch(ctx, N * P, sizeof *x), agreement = 0;
    int32_t *label = pith_i_scratch(ctx, N, sizeof *label);
    int64_t groups = 3;
    pith_i_cache cache = {0};
    for (int64_t i = 0; i < N; i++) {
        pith_i_stream s = pith_i_stream_at(8, PITH_I_RANDOM_BENCH, (uint64_t)i);
        label[i] = (int32_t)pith_i_random_below(&s, 3);
        x[i * P] = 100 * label[i] + pith_i_random_normal(&s);
        x[i * P + 1] = pith_i_random_normal(&s);
    }
    const pith_i_data X = {.n = N, .p = P, .dtype = PITH_F64, .x = x, .row_stride = P, .col_stride = 1};
    const pith_i_ensemble e = {.options = {.draws = 1, .clusters = 3},
                               .samples = &X,
                               .n = N,
                               .all = N,
                               .groups = &groups,
                               .label = label};
    assert_ok(ctx, pith_i_cache_new(ctx, &X, &cache));
    assert_ok(ctx, pith_i_ensemble_judge(ctx, &cache, &e, 5, false, 1, (const int64_t[]){0}, &agreement));
    assert_near(agreement, 1, 1e-12);
    assert_ok(ctx, pith_i_ensemble_judge(ctx, &cache, &e, 5, true, 1, (const int64_t[]){1}, &agreement));
    assert_true(agreement < 0.01);
    pith_i_cache_free(&cache);
    pith_i_scratch_release(ctx, mark);
}

static void who_asks_again_gets_the_same_at_any_number_of_threads(void **state)
{
    fixture f = begin(state, 60, 30, 2, 1);
    const pith_i_ensemble *first = NULL, *again = NULL, *other = NULL;
    pith_i_reuse reuse = {0};
    assert_ok(f.ctx, pith_i_ensemble_get(f.ctx, &f.cache, &four, &reuse, &first));
    assert_true(reuse.seconds == 0);
    assert_ok(f.ctx, pith_i_ensemble_get(f.ctx, &f.cache, &four, &reuse, &again));
    assert_ptr_equal(first, again);
    assert_true(reuse.seconds > 0); /* what it would have cost alone */
    pith_i_cache cache = {0};
    assert_ok(f.ctx, pith_ctx_set_threads(f.ctx, 3));
    assert_ok(f.ctx, pith_i_cache_new(f.ctx, &f.m->data, &cache));
    assert_ok(f.ctx, pith_i_ensemble_get(f.ctx, &cache, &four, &reuse, &other));
    assert_memory_equal(first->label, other->label, (size_t)(6 * 60) * sizeof *first->label);
    pith_i_cache_free(&cache);
    end(&f);
}

static void different_draws_see_different_features(void **state)
{
    fixture f = begin(state, 60, 30, 0.5, 1);
    const pith_i_ensemble *e = NULL;
    pith_i_reuse reuse = {0};
    assert_ok(f.ctx, pith_i_ensemble_get(f.ctx, &f.cache, &four, &reuse, &e));
    assert_true(memcmp(e->label, e->label + 2 * 60, 60 * sizeof *e->label) != 0);
    end(&f);
}

/* Four clusters, 20 informative columns among 500, each of them five times over. */
static void make_planted(double *x)
{
    enum { N = 120, P = 500, INFORMATIVE = 20, COPIES = 5 };
    for (int64_t i = 0; i < N; i++) {
        pith_i_stream s = pith_i_stream_at(7, PITH_I_RANDOM_BENCH, (uint64_t)i);
        for (int64_t j = 0; j < INFORMATIVE; j++) {
            /* Which clusters are high differs between columns, and so does the noise. */
            const double v = (double)((j + 1) >> (i % 4) & 1 ? 2 : 0) + pith_i_random_normal(&s);
            for (int64_t c = 0; c < COPIES; c++)
                x[i * P + j * COPIES + c] = v;
        }
        for (int64_t j = INFORMATIVE * COPIES; j < P; j++)
            x[i * P + j] = pith_i_random_normal(&s);
    }
}

/* How many different informative columns are among the first 25 of consensus. */
static int distinct(pith_ctx *ctx, const pith_matrix *m, const char *diversity)
{
    bool seen[20] = {false};
    int count = 0;
    pith_params *params = NULL;
    pith_result *r = NULL;
    assert_ok(ctx, pith_params_new(ctx, pith_method_find("consensus"), &params));
    assert_ok(ctx, pith_params_set(ctx, params, "clusters", "4"));
    assert_ok(ctx, pith_params_set(ctx, params, "diversity", diversity));
    assert_ok(ctx, pith_run(ctx, m, params, &r));
    for (int64_t k = 0; k < 25; k++) {
        const int64_t j = pith_result_ranking(r)[k];
        if (j < 100 && !seen[j / 5])
            count++;
        if (j < 100)
            seen[j / 5] = true;
    }
    pith_result_free(r);
    pith_params_free(params);
    return count;
}

static void diversity_keeps_copies_from_crowding_out_what_differs(void **state)
{
    pith_ctx *ctx = *state;
    static double x[120 * 500];
    pith_matrix *m = NULL;
    skip_when_short();
    make_planted(x);
    assert_ok(ctx, pith_matrix_dense(ctx, 120, 500, PITH_F64, x, 500, 1, &m));
    assert_true(distinct(ctx, m, "0.5") >= 18);
    assert_true(distinct(ctx, m, "0") <= 10);
    pith_matrix_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(groups_are_c_and_twice_c_in_turn_within_a_third_of_the_samples),
        TEST(separated_groups_are_found_in_every_part_and_agreed_on),
        TEST(topics_are_found_in_every_part_and_agreed_on),
        TEST(noise_is_not_agreed_on),
        TEST(many_samples_are_judged_by_some_of_them),
        TEST(who_asks_again_gets_the_same_at_any_number_of_threads),
        TEST(different_draws_see_different_features),
        TEST(diversity_keeps_copies_from_crowding_out_what_differs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
