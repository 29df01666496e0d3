#include "methods/snfs/stochastic.h"

#include "unit/graph_data.h"

enum { N = 45, P = 18 };

/* Columns of every length: the first ones are in all rows, the last in few, one in none. */
static double *text_like(uint64_t seed)
{
    double *x = new_values((int64_t)N * P);
    for (int64_t i = 0; i < N; i++) {
        pith_i_stream s = pith_i_stream_at(seed, PITH_I_RANDOM_BENCH, (uint64_t)i);
        for (int64_t t = 0; t < P; t++) {
            const double often = t == P - 1 ? 0 : 1.1 - 1.1 * (double)t / P;
            x[i * P + t] = pith_i_random_uniform(&s) < often ? (1 + pith_i_random_uniform(&s)) / 2 : 0;
        }
    }
    return x;
}

typedef struct fixture {
    pith_ctx *ctx;
    size_t mark;
    double *x, w[P];
    pith_i_data X, T;
    pith_i_stochastic S;
} fixture;

static fixture begin(pith_ctx *ctx, layout how, bool euclidean, uint64_t seed)
{
    fixture f = {.ctx = ctx, .mark = pith_i_scratch_mark(ctx), .x = text_like(seed)};
    const pith_i_scaling none = {0};
    pith_i_stream s = pith_i_stream_at(seed, PITH_I_RANDOM_BENCH, 1000);
    f.X = laid_out(ctx, f.x, N, P, how);
    if (f.X.sparse)
        assert_ok(ctx, pith_i_transpose(ctx, &f.X, &f.T));
    assert_ok(ctx, pith_i_stochastic_make(ctx, &f.X, &f.T, &none, euclidean, &f.S));
    for (int64_t i = 0; i < N; i++)
        f.S.b[i] = 1 + 2 * pith_i_random_uniform(&s);
    for (int64_t t = 0; t < P; t++)
        f.w[t] = t % 4 == 1 ? 0 : pith_i_random_uniform(&s);
    return f;
}

static void end(fixture *f)
{
    pith_i_scratch_release(f->ctx, f->mark);
    pith_i_data_free(&f->X);
    pith_i_data_free(&f->T);
    free(f->x);
}

/* ds_ij/dw_t */
static double share(const fixture *f, int64_t i, int64_t j, int64_t t)
{
    const double a = f->x[i * P + t], b = f->x[j * P + t];
    return f->S.euclidean ? -(a - b) * (a - b) : a * b;
}

/* By definition. bound: the curvature with the mean square for its variance. */
static void slow_value(const fixture *f, const double *w, double *value, double *moment, double *curvature,
                       double *bound)
{
    *value = 0;
    for (int64_t t = 0; t < P; t++)
        moment[t] = curvature[t] = bound[t] = 0;
    for (int64_t i = 0; i < N; i++) {
        double q[N], total = 0;
        for (int64_t j = 0; j < N; j++) {
            double s = 0;
            for (int64_t t = 0; t < P; t++)
                s += w[t] * share(f, i, j, t);
            q[j] = j == i ? 0 : exp(f->S.b[i] * s);
            total += q[j];
        }
        *value += log(total);
        for (int64_t t = 0; t < P; t++) {
            double mean = 0, square = 0;
            for (int64_t j = 0; j < N; j++) {
                const double d = f->S.b[i] * share(f, i, j, t);
                mean += q[j] / total * d;
                square += q[j] / total * d * d;
            }
            moment[t] += mean;
            curvature[t] += square - mean * mean;
            bound[t] += square;
        }
    }
}

static void values_gradients_and_curvatures_agree_with_the_definition(void **state)
{
    for (int kind = 0; kind < 2 * LAYOUTS; kind++) {
        const layout how = (layout)(kind / 2);
        if (how == ROWS_F32 || how == COLUMNS_F32 || how == CSR_F32)
            continue; /* other numbers */
        fixture f = begin(*state, how, kind % 2 == 1, 1);
        double value = 0, moment[P], curvature[P], want = 0, want_m[P], want_c[P], bound[P];
        assert_ok(*state, pith_i_stochastic_value(*state, &f.S, f.w, &value, moment, curvature));
        slow_value(&f, f.w, &want, want_m, want_c, bound);
        assert_near(value, want, 1e-12 * fabs(want));
        assert_true(f.X.sparse ? f.S.m > 3 && f.S.row[N] > 20 : f.S.m == P && f.S.row[N] == 0);
        for (int64_t t = 0; t < P; t++) {
            const bool second = f.S.col[t + 1] > f.S.col[t];
            assert_near(moment[t], want_m[t], 1e-12 * N);
            if (f.S.euclidean && second)
                assert_true(curvature[t] >= want_c[t] - 1e-12 * N && curvature[t] <= bound[t] + 1e-12 * N);
            else
                assert_near(curvature[t], want_c[t], 1e-12 * N);
        }
        end(&f);
    }
}

/* What is summed in floats is rounded to 6e-8 of what varies in a column. */
static void moments_in_floats_agree_with_the_definition(void **state)
{
    for (int kind = 0; kind < 4; kind++) {
        fixture f = begin(*state, kind < 2 ? ROWS_F64 : CSR_F64, kind % 2 == 1, 4);
        double value = 0, moment[P], curvature[P], want = 0, want_m[P], want_c[P], bound[P];
        assert_ok(*state, pith_i_stochastic_single(*state, &f.S));
        assert_ok(*state, pith_i_stochastic_value(*state, &f.S, f.w, &value, moment, curvature));
        slow_value(&f, f.w, &want, want_m, want_c, bound);
        assert_near(value, want, 1e-12 * fabs(want));
        for (int64_t t = 0; t < P; t++) {
            assert_near(moment[t], want_m[t], 1e-6 * N);
            if (!f.S.euclidean || f.S.col[t + 1] == f.S.col[t])
                assert_near(curvature[t], want_c[t], 1e-5 * N);
        }
        end(&f);
    }
}

static void moments_without_weights_need_no_pairs(void **state)
{
    for (int kind = 0; kind < 4; kind++) {
        fixture f = begin(*state, kind < 2 ? ROWS_F64 : CSR_F64, kind % 2 == 1, 3);
        double value = 0, moment[P], want[P], curvature[P], bound[P];
        memset(f.w, 0, sizeof f.w);
        slow_value(&f, f.w, &value, want, curvature, bound);
        assert_ok(*state, pith_i_stochastic_unweighted(*state, &f.S, moment));
        for (int64_t t = 0; t < P; t++)
            assert_near(moment[t], want[t], 1e-12 * N);
        end(&f);
    }
}

static void derivatives_are_those_that_differences_show(void **state)
{
    const double h = 1e-5;
    for (int kind = 0; kind < 4; kind++) {
        fixture f = begin(*state, kind < 2 ? ROWS_F64 : CSR_F64, kind % 2 == 1, 2);
        double value = 0, moment[P], curvature[P], up = 0, down = 0, m_up[P], m_down[P], largest = 0;
        for (int64_t t = 0; t < P; t++)
            f.w[t] += 0.1; /* room to both sides */
        assert_ok(*state, pith_i_stochastic_value(*state, &f.S, f.w, &value, moment, curvature));
        for (int64_t t = 0; t < P; t++)
            largest = fmax(largest, fabs(moment[t]));
        for (int64_t t = 0; t < P; t++) {
            const double w = f.w[t];
            f.w[t] = w + h;
            assert_ok(*state, pith_i_stochastic_value(*state, &f.S, f.w, &up, m_up, NULL));
            f.w[t] = w - h;
            assert_ok(*state, pith_i_stochastic_value(*state, &f.S, f.w, &down, m_down, NULL));
            f.w[t] = w;
            assert_near((up - down) / (2 * h), moment[t], 1e-7 * largest);
            if (!f.S.euclidean || f.S.col[t + 1] == f.S.col[t])
                assert_near((m_up[t] - m_down[t]) / (2 * h), curvature[t], 1e-7 * largest);
        }
        end(&f);
    }
}

/* The perplexity of row i's neighbours, w = 1, by definition. */
static double perplexity_of(const fixture *f, int64_t i)
{
    double total = 0, entropy = 0, top = -INFINITY, s[N] = {0};
    for (int64_t j = 0; j < N; j++) {
        for (int64_t t = 0; t < P; t++)
            s[j] += f->S.b[i] * share(f, i, j, t);
        if (j != i)
            top = fmax(top, s[j]);
    }
    for (int64_t j = 0; j < N; j++)
        total += j == i ? 0 : exp(s[j] - top);
    for (int64_t j = 0; j < N; j++)
        entropy -= j == i ? 0 : exp(s[j] - top) / total * (s[j] - top - log(total));
    return exp(entropy);
}

static void widths_give_the_wanted_perplexity(void **state)
{
    static const double wanted[] = {1.5, 5, 20, 40};
    for (int kind = 0; kind < 4; kind++) {
        fixture f = begin(*state, kind < 2 ? ROWS_F64 : CSR_F64, kind % 2 == 1, 3);
        for (size_t k = 0; k < COUNT(wanted); k++) {
            assert_ok(*state, pith_i_stochastic_calibrate(*state, &f.S, wanted[k]));
            for (int64_t i = 0; i < N; i++)
                assert_near(perplexity_of(&f, i), wanted[k], 1e-9 * wanted[k]);
        }
        end(&f);
    }
}

/* Rows 0..9 equal: row 0 has nine nearest neighbours, whatever its width. The last row is empty. */
static void rows_that_cannot_have_the_perplexity_get_a_width_all_the_same(void **state)
{
    fixture f = begin(*state, ROWS_F64, false, 4);
    for (int64_t i = 0; i < 10; i++)
        memcpy(f.S.dense + i * P, f.S.dense, P * sizeof(double));
    for (int64_t t = 0; t < P; t++) {
        f.S.dense[t] *= 1;
        f.S.dense[(N - 1) * P + t] = 0;
    }
    for (int64_t i = 0; i < 10; i++) /* nearest to each other */
        for (int64_t t = 0; t < P; t++)
            f.S.dense[i * P + t] *= 10;
    assert_ok(*state, pith_i_stochastic_calibrate(*state, &f.S, 5));
    assert_true(f.S.b[0] > 1e4 && isfinite(f.S.b[0]));
    assert_true(f.S.b[N - 1] == 1);
    end(&f);
}

/* Of unit rows |x_i - x_j|^2 = 2 - 2 x_i'x_j: the same neighbours at half the b, but other gradients. */
static void both_similarities_of_unit_rows_have_the_same_neighbours(void **state)
{
    fixture f = begin(*state, ROWS_F64, false, 5), g = begin(*state, ROWS_F64, true, 5);
    double ones[P], a = 0, b = 0, moment[2][P], shift = 0, apart = 0;
    for (int64_t i = 0; i < N; i++) {
        double square = 0;
        for (int64_t t = 0; t < P; t++)
            square += f.x[i * P + t] * f.x[i * P + t];
        for (int64_t t = 0; t < P; t++)
            f.S.dense[i * P + t] = g.S.dense[i * P + t] = f.x[i * P + t] / sqrt(square);
    }
    assert_ok(*state, pith_i_stochastic_calibrate(*state, &f.S, 7));
    assert_ok(*state, pith_i_stochastic_calibrate(*state, &g.S, 7));
    for (int64_t i = 0; i < N; i++) {
        assert_near(f.S.b[i] / g.S.b[i], 2, 1e-8);
        shift += f.S.b[i];
    }
    for (int64_t t = 0; t < P; t++)
        ones[t] = 1;
    assert_ok(*state, pith_i_stochastic_value(*state, &f.S, ones, &a, moment[0], NULL));
    assert_ok(*state, pith_i_stochastic_value(*state, &g.S, ones, &b, moment[1], NULL));
    assert_near(b, a - shift, 1e-6);
    for (int64_t t = 0; t < P; t++)
        apart = fmax(apart, fabs(moment[0][t] - moment[1][t]));
    assert_true(apart > 1);
    end(&g);
    end(&f);
}

/* More blocks than are summed at once. */
static void the_number_of_threads_does_not_change_a_bit(void **state)
{
    skip_when_short();
    pith_ctx *ctx = *state;
    enum { ROWS = 2300, COLS = 6 };
    double *x = new_values((int64_t)ROWS * COLS), value[2] = {0}, moment[2][COLS], curvature[2][COLS], b[2];
    double w[COLS] = {1, 0.5, 0, 0.25, 1, 0.75};
    const pith_i_scaling none = {0};
    fill_counts(x, (int64_t)ROWS * COLS, 5, 0.7, 6);
    for (int e = 0; e < 2; e++)
        for (int k = 0; k < 2; k++) {
            const size_t mark = pith_i_scratch_mark(ctx);
            pith_i_stochastic S;
            pith_i_data X = laid_out(ctx, x, ROWS, COLS, CSR_F64), T = {0};
            assert_ok(ctx, pith_ctx_set_threads(ctx, k == 0 ? 1 : 5));
            assert_ok(ctx, pith_i_transpose(ctx, &X, &T));
            assert_ok(ctx, pith_i_stochastic_make(ctx, &X, &T, &none, e == 1, &S));
            assert_true(S.block * 16 < ROWS);
            assert_ok(ctx, pith_i_stochastic_calibrate(ctx, &S, 500));
            assert_ok(*state, pith_i_stochastic_value(*state, &S, w, &value[k], moment[k], curvature[k]));
            b[k] = S.b[ROWS / 2];
            pith_i_scratch_release(ctx, mark);
            pith_i_data_free(&X);
            pith_i_data_free(&T);
            if (k == 1) {
                assert_true(value[0] == value[1] && b[0] == b[1]);
                assert_memory_equal(moment[0], moment[1], sizeof moment[0]);
                assert_memory_equal(curvature[0], curvature[1], sizeof curvature[0]);
            }
        }
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(values_gradients_and_curvatures_agree_with_the_definition),
        TEST(moments_in_floats_agree_with_the_definition),
        TEST(moments_without_weights_need_no_pairs),
        TEST(derivatives_are_those_that_differences_show),
        TEST(widths_give_the_wanted_perplexity),
        TEST(rows_that_cannot_have_the_perplexity_get_a_width_all_the_same),
        TEST(both_similarities_of_unit_rows_have_the_same_neighbours),
        TEST(the_number_of_threads_does_not_change_a_bit),
    };
    return cmocka_run_group_tests_name("stochastic", tests, NULL, NULL);
}
