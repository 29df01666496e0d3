#include "methods/evidence.h"
#include "select/keep.h"
#include "unit/support.h"

#include "core/random.h"
#include "matrix/matrix.h"

#include <math.h>

typedef struct fixture {
    pith_ctx *ctx;
    pith_i_data X;
    double *x;
    pith_i_cache cache;
    const pith_i_ensemble *e;
    size_t mark;
} fixture;

static const pith_i_ensemble_options tested = {
    .draws = PITH_I_HALVES, .neighbors = 5, .share = 0.5, .tests = true};

/* Four groups of samples that lie `apart` in the first `informative` columns; all else is noise. Counts: the
 * rounded absolute values, most of which are 0. */
static void fill(double *x, int64_t n, int64_t p, int64_t informative, double apart, bool counts,
                 uint64_t seed)
{
    for (int64_t i = 0; i < n; i++) {
        pith_i_stream s = pith_i_stream_at(seed, PITH_I_RANDOM_BENCH, (uint64_t)i);
        for (int64_t j = 0; j < p; j++) {
            const double high = j < informative && ((j + 1) >> (i % 4) & 1) != 0 ? apart : 0;
            const double v = high + pith_i_random_normal(&s);
            x[i * p + j] = counts ? fmax(0, floor(v)) : v;
        }
    }
}

static fixture begin(void **state, int64_t n, int64_t p, int64_t informative, double apart, bool counts,
                     uint64_t seed)
{
    fixture f = {.ctx = *state, .mark = pith_i_scratch_mark(*state)};
    f.x = calloc((size_t)(n * p), sizeof *f.x);
    assert_non_null(f.x);
    fill(f.x, n, p, informative, apart, counts, seed);
    f.X = (pith_i_data){.n = n, .p = p, .dtype = PITH_F64, .x = f.x, .row_stride = p, .col_stride = 1};
    return f;
}

static void draw(fixture *f)
{
    pith_i_reuse reuse = {0};
    assert_ok(f->ctx, pith_i_cache_new(f->ctx, &f->X, &f->cache));
    assert_ok(f->ctx, pith_i_ensemble_get(f->ctx, &f->cache, &tested, &reuse, &f->e));
}

static pith_i_evidence evidence(fixture *f)
{
    pith_i_evidence ev = {0};
    draw(f);
    assert_ok(f->ctx, pith_i_evidence_groups(f->ctx, &f->cache, f->e, &ev));
    return ev;
}

static pith_i_evidence linear_evidence(fixture *f)
{
    pith_i_evidence ev = {0};
    assert_ok(f->ctx, pith_i_cache_new(f->ctx, &f->X, &f->cache));
    assert_ok(f->ctx, pith_i_evidence_linear(f->ctx, &f->cache, &ev));
    return ev;
}

static void end(fixture *f)
{
    pith_i_cache_free(&f->cache);
    free(f->x);
    pith_i_scratch_release(f->ctx, f->mark);
}

/* ---- The design ---------------------------------------------------------------------------------------- */

static void every_half_has_six_blocks_and_every_block_is_missing_in_eleven(void **state)
{
    (void)state;
    for (int64_t b = 0; b < PITH_I_HALVES; b++) {
        int has = 0;
        for (int g = 0; g < PITH_I_BLOCKS; g++) {
            has += pith_i_half_has(b, g);
            assert_true(pith_i_half_has(b, g) != pith_i_half_has(b ^ 1, g)); /* the other half has it */
        }
        assert_int_equal(has, 6);
    }
    for (int g = 0; g < PITH_I_BLOCKS; g++)
        for (int h = 0; h < g; h++) {
            int apart = 0;
            for (int64_t b = 0; b < PITH_I_HALVES; b += 2)
                apart += pith_i_half_has(b, g) != pith_i_half_has(b, h);
            assert_int_equal(apart, 6);
        }
}

static void blocks_are_as_large_as_each_other(void **state)
{
    fixture f = begin(state, 30, 100, 0, 0, false, 3);
    int64_t size[PITH_I_BLOCKS] = {0};
    draw(&f);
    for (int64_t j = 0; j < 100; j++)
        size[f.e->block[j]]++;
    for (int g = 0; g < PITH_I_BLOCKS; g++)
        assert_in_range(size[g], 8, 9);
    end(&f);
}

/* Other numbers in a block, and one column of it constant. */
static void rewrite_block(fixture *f, const uint8_t *block, int g, bool counts)
{
    bool first = true;
    for (int64_t j = 0; j < f->X.p; j++) {
        pith_i_stream s = pith_i_stream_at(77, PITH_I_RANDOM_BENCH, (uint64_t)j);
        for (int64_t i = 0; block[j] == g && i < f->X.n; i++) {
            const double v = first ? 1 : 3 * pith_i_random_normal(&s);
            f->x[i * f->X.p + j] = counts && !first ? fmax(0, floor(v)) : v;
        }
        first = first && block[j] != g;
    }
}

static void no_byte_of_a_draw_hangs_on_a_block_that_it_does_not_see(void **state)
{
    enum { N = 60, P = 96 };
    for (int counts = 0; counts < 2; counts++)
        for (int g = 0; g < PITH_I_BLOCKS; g += 5) {
            fixture before = begin(state, N, P, 40, 3, counts, 5),
                    after = begin(state, N, P, 40, 3, counts, 5);
            draw(&before);
            rewrite_block(&after, before.e->block, g, counts);
            draw(&after);
            assert_true(before.cache.counts == counts && after.cache.counts == counts);
            for (int64_t b = 0; b < PITH_I_HALVES; b++) {
                const bool same = memcmp(before.e->test_label + b * N, after.e->test_label + b * N,
                                         N * sizeof(int32_t)) == 0;
                assert_true(same || pith_i_half_has(b, g));
            }
            end(&after);
            end(&before);
        }
}

/* ---- What is called ------------------------------------------------------------------------------------ */

static void planted_features_are_called_and_hardly_any_other(void **state)
{
    enum { N = 120, P = 240, INFORMATIVE = 40 };
    for (int t = 0; t < 4; t++) {
        const bool counts = t % 2, linear = t / 2;
        fixture f = begin(state, N, P, INFORMATIVE, 3, counts, 11);
        pith_i_evidence ev = linear ? linear_evidence(&f) : evidence(&f);
        int64_t found = 0;
        for (int64_t j = 0; j < INFORMATIVE; j++)
            found += (j + 1) % 16 != 0 && ev.q[j] <= 0.05; /* a multiple of 16 is high nowhere */
        assert_true(found >= 36);
        assert_int_equal(ev.shown.tested, P);
        assert_true(ev.shown.called - found <= 6);
        assert_true(linear ? isnan(ev.shown.halves) : ev.shown.halves > (counts ? 0 : 0.2));
        for (int64_t j = 0; j < P; j++)
            assert_true(ev.p[j] > 0 && ev.p[j] <= ev.q[j] && ev.q[j] <= 1 &&
                        (ev.p[j] > 0.3 || ev.lift[j] > 1));
        pith_i_evidence_free(&ev);
        end(&f);
    }
}

static void noise_is_seldom_called_and_its_halves_do_not_agree(void **state)
{
    enum { SETS = 40 };
    int called = 0, linear = 0;
    double halves = 0;
    skip_when_short();
    for (int t = 0; t < SETS; t++) {
        fixture f = begin(state, 60, 120, 0, 0, t % 2, 100 + (uint64_t)t);
        pith_i_evidence ev = evidence(&f), other = {0};
        assert_ok(f.ctx, pith_i_evidence_linear(f.ctx, &f.cache, &other));
        called += ev.shown.called > 0;
        linear += other.shown.called > 0;
        halves += ev.shown.halves / SETS;
        pith_i_evidence_free(&ev);
        pith_i_evidence_free(&other);
        end(&f);
    }
    assert_true(called <= 5 && linear <= 5); /* 2 are to be expected; 6 or more once in 70 */
    assert_true(fabs(halves) < 0.03);
}

/* Reads of tissues: dense whole numbers, all of which grow with the sample's length, and nothing else in
 * common. Of pixels the same would be brightness, which is structure. */
static void the_length_of_dense_counts_is_no_structure(void **state)
{
    enum { N = 80, P = 120 };
    for (int pixels = 0; pixels < 2; pixels++) {
        fixture f = begin(state, N, P, 0, 0, false, 25);
        for (int64_t i = 0; i < N; i++) {
            const double length = exp(f.x[i * P] / 2);
            for (int64_t j = 0; j < P; j++) {
                const double mean = (pixels ? 20 : 400) * length * (double)(1 + j % 7);
                f.x[i * P + j] = fmin(fmax(0, round(mean + sqrt(mean) * f.x[i * P + j])), pixels ? 255 : 1e6);
            }
        }
        pith_i_evidence ev = evidence(&f);
        assert_true(!f.cache.counts);
        assert_true(pixels ? ev.shown.called > 100 : ev.shown.called <= 3);
        pith_i_evidence_free(&ev);
        end(&f);
    }
}

static void scale_and_shift_of_a_column_change_nothing(void **state)
{
    enum { N = 80, P = 60 };
    fixture f = begin(state, N, P, 10, 2, false, 21), g = begin(state, N, P, 10, 2, false, 21);
    for (int64_t i = 0; i < N; i++)
        g.x[i * P + 3] = 1e4 - 50 * g.x[i * P + 3];
    pith_i_evidence one = evidence(&f), other = evidence(&g);
    for (int64_t j = 0; j < P; j++)
        assert_true(fabs(one.p[j] - other.p[j]) <= 1e-9 * one.p[j]);
    pith_i_evidence_free(&one);
    pith_i_evidence_free(&other);
    end(&f);
    end(&g);
}

/* Sixth powers of such numbers are beyond what a double holds. */
static void numbers_of_any_size_are_tested_alike(void **state)
{
    enum { N = 60, P = 40 };
    static const double size[] = {1, 1e60, 1e-60, 1e100};
    for (int linear = 0; linear < 2; linear++) {
        double p[P];
        for (size_t t = 0; t < COUNT(size); t++) {
            fixture f = begin(state, N, P, 10, 2, false, 27);
            for (int64_t e = 0; e < N * P; e++)
                f.x[e] *= size[t];
            pith_i_evidence ev = linear ? linear_evidence(&f) : evidence(&f);
            assert_int_equal(ev.shown.tested, P);
            if (t == 0)
                memcpy(p, ev.p, sizeof p);
            for (int64_t j = 0; j < P; j++)
                assert_near(ev.p[j], p[j], 1e-6 * p[j]);
            pith_i_evidence_free(&ev);
            end(&f);
        }
    }
}

/* What is left of them given the length is rounding, and rounding hangs together. */
static void counts_that_are_the_length_alone_are_not_tested(void **state)
{
    enum { N = 100, P = 30 };
    for (int linear = 0; linear < 2; linear++) {
        fixture f = begin(state, N, P, 0, 0, true, 29);
        for (int64_t i = 0; i < N; i++)
            for (int64_t j = P; j-- > 0;)
                f.x[i * P + j] = f.x[i * P] * (double)(1 + j);
        pith_i_evidence ev = linear ? linear_evidence(&f) : evidence(&f);
        assert_true(f.cache.counts);
        assert_int_equal(ev.shown.tested, 0);
        for (int64_t j = 0; j < P; j++)
            assert_int_equal(ev.why[j], PITH_I_UNTESTED_LENGTH);
        pith_i_evidence_free(&ev);
        end(&f);
    }
}

/* Starts of eigenvectors and k-means go by the number of a row, so that groups may differ a little. */
static void another_order_of_the_samples_calls_the_same(void **state)
{
    enum { N = 120, P = 120 };
    fixture f = begin(state, N, P, 30, 3, false, 23), g = begin(state, N, P, 30, 3, false, 23);
    int differ = 0;
    for (int64_t i = 0; i < N; i++)
        memcpy(g.x + i * P, f.x + i * 7 % N * P, P * sizeof *g.x);
    pith_i_evidence one = evidence(&f), other = evidence(&g), linear = {0}, turned = {0};
    assert_ok(f.ctx, pith_i_evidence_linear(f.ctx, &f.cache, &linear));
    assert_ok(g.ctx, pith_i_evidence_linear(g.ctx, &g.cache, &turned));
    for (int64_t j = 0; j < P; j++) {
        differ += (one.q[j] <= 0.05) != (other.q[j] <= 0.05);
        assert_true(fabs(linear.p[j] - turned.p[j]) <= 1e-6 * linear.p[j]);
    }
    assert_true(one.shown.called >= 25 && differ <= 3);
    pith_i_evidence_free(&one);
    pith_i_evidence_free(&other);
    pith_i_evidence_free(&linear);
    pith_i_evidence_free(&turned);
    end(&f);
    end(&g);
}

static void what_cannot_be_tested_says_why(void **state)
{
    enum { N = 120, P = 30 };
    fixture f = begin(state, N, P, 0, 0, true, 31);
    for (int64_t i = 0; i < N; i++) {
        f.x[i * P + 4] = 0;
        f.x[i * P + 9] = i < 4;
        f.x[i * P + 10] = i < 5;
    }
    pith_i_evidence ev = evidence(&f);
    assert_int_equal(ev.why[4], PITH_I_UNTESTED_CONSTANT);
    assert_int_equal(ev.why[9], PITH_I_UNTESTED_RARE);
    assert_int_equal(ev.why[10], PITH_I_TESTED);
    assert_true(isnan(ev.p[4]) && isnan(ev.q[9]) && isnan(ev.lift[9]) && !isnan(ev.q[10]));
    assert_int_equal(ev.shown.tested, P - 2);
    pith_i_evidence_free(&ev);
    end(&f);
}

static void a_feature_alone_has_nothing_to_be_held_against(void **state)
{
    fixture f = begin(state, 40, 1, 0, 0, false, 41);
    pith_i_evidence ev = evidence(&f);
    assert_int_equal(ev.why[0], PITH_I_UNTESTED_ALONE);
    assert_int_equal(ev.shown.tested, 0);
    assert_true(isnan(ev.shown.smallest_q));
    pith_i_evidence_free(&ev);
    end(&f);
}

static void threads_do_not_matter(void **state)
{
    fixture f = begin(state, 90, 70, 20, 2, false, 51), g = begin(state, 90, 70, 20, 2, false, 51);
    pith_i_evidence one = evidence(&f);
    assert_ok(f.ctx, pith_ctx_set_threads(f.ctx, 3));
    pith_i_evidence other = evidence(&g);
    assert_memory_equal(one.p, other.p, 70 * sizeof *one.p);
    assert_memory_equal(one.lift, other.lift, 70 * sizeof *one.lift);
    pith_i_evidence_free(&one);
    pith_i_evidence_free(&other);
    end(&f);
    end(&g);
}

/* ---- How many to keep ---------------------------------------------------------------------------------- */

static void the_best_three_points_of_a_curve_choose(void **state)
{
    (void)state;
    const pith_i_curve curve = {
        .count = 6, .features = {5, 10, 20, 30, 50, 60}, .agreement = {0.2, 0.6, 0.3, 0.5, 0.55, 0.5}};
    assert_int_equal(pith_i_curve_choose(&curve, false), 50); /* .5 + .55 + .5, not the lone .6 */
    assert_int_equal(pith_i_curve_choose(&curve, true), 10);  /* nothing else is above .57 */
    const pith_i_curve flat = {.count = 3, .features = {5, 10, 12}, .agreement = {0.4, 0.4, 0.4}};
    assert_int_equal(pith_i_curve_choose(&flat, false), 5);
    const pith_i_curve poor = {.count = 2, .features = {5, 7}, .agreement = {0.14, 0.1}};
    assert_int_equal(pith_i_curve_choose(&poor, false), -1);
    assert_int_equal(pith_i_curve_choose(&poor, true), -1);
}

static void a_curve_goes_through_its_grid_to_the_last_feature(void **state)
{
    static const int64_t want[] = {5, 10, 20, 30, 50, 75, 100, 150, 170};
    fixture f = begin(state, 40, 170, 30, 3, false, 61);
    int64_t ranking[170];
    pith_i_curve curve = {0};
    for (int64_t j = 0; j < 170; j++)
        ranking[j] = j;
    draw(&f);
    assert_ok(f.ctx, pith_i_curve_make(f.ctx, &f.cache, f.e, 170, ranking, &curve));
    assert_int_equal(curve.count, COUNT(want));
    for (size_t i = 0; i < COUNT(want); i++) {
        assert_int_equal(curve.features[i], want[i]);
        assert_true(curve.agreement[i] > 0 && curve.agreement[i] <= 1);
    }
    assert_true(curve.agreement[2] > 0.5);
    end(&f);
}

/* Few samples: products of rows. Many of both: random sums of features. As many are called as share
 * structure, and hardly any other. */
static void many_features_serve_as_well_as_few(void **state)
{
    static const struct {
        int64_t n, p;
        double apart;
    } shape[] = {{60, 1500, 4}, {1010, 1010, 1.5}};
    skip_when_short();
    for (size_t t = 0; t < COUNT(shape); t++) {
        enum { INFORMATIVE = 60 };
        fixture f = begin(state, shape[t].n, shape[t].p, INFORMATIVE, shape[t].apart, false, 81);
        pith_i_evidence ev = linear_evidence(&f);
        int64_t found = 0;
        for (int64_t j = 0; j < INFORMATIVE; j++)
            found += (j + 1) % 16 != 0 && ev.q[j] <= 0.05;
        assert_true(found >= 50 && ev.shown.called - found <= 8);
        pith_i_evidence_free(&ev);
        end(&f);
    }
}

/* T by its definition: the squared correlations with all columns of other blocks, over their mean by chance.
 */
static void linear_lift_is_the_sum_of_squared_correlations(void **state)
{
    enum { P = 24 };
    for (int64_t N = 20; N <= 30; N += 10) { /* fewer samples than features, and more */
        fixture f = begin(state, N, P, 6, 2, false, 91);
        pith_i_evidence ev = linear_evidence(&f);
        uint8_t block[P];
        assert_ok(f.ctx, pith_i_deal_out(f.ctx, P, 0, block));
        for (int64_t j = 0; j < P; j++) {
            double sum = 0, count = 0;
            for (int64_t l = 0; l < P; l++) {
                const double *mean = f.cache.stats.mean, *variance = f.cache.stats.variance;
                double product = 0;
                for (int64_t i = 0; i < N; i++)
                    product += (f.x[i * P + j] - mean[j]) * (f.x[i * P + l] - mean[l]) / (double)N;
                sum += block[l] != block[j] ? product * product / (variance[j] * variance[l]) : 0;
                count += block[l] != block[j];
            }
            assert_near(ev.lift[j], sum / count * (double)(N - 1), 1e-9);
        }
        pith_i_evidence_free(&ev);
        end(&f);
    }
}

enum { MOST_GROUPS = 64 };

/* A table of two labellings: how many of the groups of each there are, and their chi^2 / n. */
static double slow_chi(int64_t n, const int32_t *a, const int32_t *b, double *groups_a, double *groups_b)
{
    double both[MOST_GROUPS][MOST_GROUPS] = {{0}}, of_a[MOST_GROUPS] = {0}, of_b[MOST_GROUPS] = {0}, chi = 0;
    for (int64_t i = 0; i < n; i++) {
        both[a[i]][b[i]]++;
        of_a[a[i]]++;
        of_b[b[i]]++;
    }
    *groups_a = *groups_b = 0;
    for (int k = 0; k < MOST_GROUPS; k++) {
        *groups_a += of_a[k] > 0;
        *groups_b += of_b[k] > 0;
        for (int l = 0; l < MOST_GROUPS; l++) {
            const double by_chance = of_a[k] * of_b[l] / (double)n, off = both[k][l] - by_chance;
            chi += by_chance > 0 ? off * off / by_chance : 0;
        }
    }
    return chi / (double)n;
}

/* Of column j and one labelling: the variation between groups over all of it, over its mean by chance. */
static double slow_lift(const fixture *f, int64_t j, const int32_t *label)
{
    double sum[MOST_GROUPS] = {0}, size[MOST_GROUPS] = {0}, between = 0, groups = 0;
    const double n = (double)f->X.n;
    for (int64_t i = 0; i < f->X.n; i++) {
        sum[label[i]] += f->x[i * f->X.p + j] - f->cache.stats.mean[j];
        size[label[i]]++;
    }
    for (int k = 0; k < MOST_GROUPS; k++) {
        between += size[k] > 0 ? sum[k] * sum[k] / size[k] : 0;
        groups += size[k] > 0;
    }
    return between / (n * f->cache.stats.variance[j]) * (n - 1) / (groups - 1);
}

/* Every draw is weighed by its own degrees of freedom, so that chance makes the same of each: the lift is
 * the mean over the draws that did not see the feature. */
static void lift_and_halves_are_what_they_are_said_to_be(void **state)
{
    enum { N = 90, P = 48 };
    fixture f = begin(state, N, P, 16, 2, false, 95);
    pith_i_evidence ev = evidence(&f);
    double agree = 0;
    for (int64_t j = 0; j < P; j++) {
        double sum = 0, count = 0;
        for (int64_t b = 0; b < PITH_I_HALVES; b++)
            if (!pith_i_half_has(b, f.e->block[j])) {
                sum += slow_lift(&f, j, f.e->test_label + b * N);
                count++;
            }
        assert_near(count, 11, 0);
        assert_near(ev.lift[j], sum / count, 1e-10 * ev.lift[j]);
    }
    for (int64_t b = 0; b < PITH_I_HALVES; b += 2) {
        double ka = 0, kb = 0;
        const double chi = slow_chi(N, f.e->test_label + b * N, f.e->test_label + (b + 1) * N, &ka, &kb);
        const double by_chance = (ka - 1) * (kb - 1) / (N - 1), most = fmin(ka, kb) - 1;
        agree += (chi - by_chance) / (most - by_chance) / PITH_I_SPLITS;
    }
    assert_near(ev.shown.halves, agree, 1e-10);
    pith_i_evidence_free(&ev);
    end(&f);
}

static pith_status act(pith_ctx *ctx, void *arg)
{
    fixture *f = arg;
    pith_i_evidence ev = {0};
    pith_status st = pith_i_evidence_groups(ctx, &f->cache, f->e, &ev);
    pith_i_evidence_free(&ev);
    if (st == PITH_OK)
        st = pith_i_evidence_linear(ctx, &f->cache, &ev);
    pith_i_evidence_free(&ev);
    return st;
}

static void it_gives_up_cleanly_without_memory(void **state)
{
    for (int counts = 0; counts < 2; counts++) {
        fixture f = begin(state, 30, 40, 10, 3, counts, 71);
        draw(&f);
        assert_survives_failing_allocations(f.ctx, act, &f, 10);
        end(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_half_has_six_blocks_and_every_block_is_missing_in_eleven),
        TEST(blocks_are_as_large_as_each_other),
        TEST(no_byte_of_a_draw_hangs_on_a_block_that_it_does_not_see),
        TEST(planted_features_are_called_and_hardly_any_other),
        TEST(noise_is_seldom_called_and_its_halves_do_not_agree),
        TEST(the_length_of_dense_counts_is_no_structure),
        TEST(scale_and_shift_of_a_column_change_nothing),
        TEST(numbers_of_any_size_are_tested_alike),
        TEST(counts_that_are_the_length_alone_are_not_tested),
        TEST(lift_and_halves_are_what_they_are_said_to_be),
        TEST(another_order_of_the_samples_calls_the_same),
        TEST(what_cannot_be_tested_says_why),
        TEST(a_feature_alone_has_nothing_to_be_held_against),
        TEST(threads_do_not_matter),
        TEST(many_features_serve_as_well_as_few),
        TEST(linear_lift_is_the_sum_of_squared_correlations),
        TEST(the_best_three_points_of_a_curve_choose),
        TEST(a_curve_goes_through_its_grid_to_the_last_feature),
        TEST(it_gives_up_cleanly_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
