#include "graph/smoothness.h"
#include "unit/graphs.h"
#include "unit/tables.h"

enum { N = 40, P = 21 };

/* A ring with chords and an isolated sample: uneven degrees, two components. */
static pith_i_graph *make_graph(pith_ctx *ctx)
{
    sketch edges = new_sketch(N);
    pith_i_stream s = pith_i_stream_at(4, PITH_I_RANDOM_BENCH, 0);
    for (int t = 0; t < 3 * N; t++) {
        const int64_t half = t % 2 == 0 ? 0 : 20; /* no edge crosses, none touches the last sample */
        const int64_t a = half + pith_i_random_below(&s, 19), b = half + pith_i_random_below(&s, 19);
        if (a != b)
            link_rows(&edges, a, b, 0.01 + pith_i_random_uniform(&s));
    }
    return new_graph(ctx, edges);
}

typedef struct truth {
    long double rough, spread, energy, mean;
} truth;

/* The header's sums, over all pairs, in long double. */
static truth of_column(const pith_i_graph *g, const double *f)
{
    truth t = {0};
    long double mass = 0;
    for (int64_t i = 0; i < N; i++) {
        t.mean += (long double)g->degree[i] * f[i];
        mass += g->degree[i];
    }
    t.mean /= mass;
    for (int64_t i = 0; i < N; i++) {
        t.spread += g->degree[i] * (f[i] - t.mean) * (f[i] - t.mean);
        t.energy += (long double)g->degree[i] * f[i] * f[i];
        for (int64_t e = g->row[i]; e < g->row[i + 1]; e++) {
            const long double d = (long double)f[i] - f[g->col[e]];
            t.rough += 0.5L * g->weight[e] * d * d;
        }
    }
    return t;
}

/* Mostly zero; a constant, a column of nothing, and one whose zeros lie on samples without edges. */
static double *make_table(pith_ctx *ctx)
{
    double *x = random_table(ctx, N, P, 0.4, 5);
    for (int64_t i = 0; i < N; i++) {
        x[i * P] = 0;
        x[i * P + 1] = 1.0 / 4;
        x[i * P + 2] = i == N - 1 ? 3 : 0;
    }
    return x;
}

static void assert_column(const pith_i_smoothness *s, int64_t j, const truth *t)
{
    assert_near(s->rough[j], (double)t->rough, 1e-13 * (double)t->rough);
    assert_near(s->spread[j], (double)t->spread, 1e-13 * (double)t->energy);
    assert_near(s->energy[j], (double)t->energy, 1e-13 * (double)t->energy);
}

static void sums_are_those_of_a_slow_double_loop_in_every_form(void **state)
{
    pith_ctx *ctx = *state;
    pith_i_graph *g = make_graph(ctx);
    const double *x = make_table(ctx);
    for (each_form(f, dtype)) {
        const size_t mark = pith_i_scratch_mark(ctx);
        const pith_i_data X = as_form(ctx, x, N, P, (form)f, (pith_dtype)dtype);
        pith_i_data T = {0};
        pith_i_smoothness s;
        if (X.sparse)
            assert_ok(ctx, pith_i_transpose(ctx, &X, &T));
        assert_ok(ctx, pith_i_smoothness_find(ctx, g, &X, X.sparse ? &T : NULL, NULL, &s));
        for (int64_t j = 0; j < P; j++) {
            double column[N];
            for (int64_t i = 0; i < N; i++)
                column[i] = x[i * P + j];
            const truth t = of_column(g, column);
            assert_column(&s, j, &t);
        }
        pith_i_data_free(&T);
        pith_i_scratch_release(ctx, mark);
    }
    pith_i_graph_free(g);
    pith_i_scratch_release(ctx, 0);
}

static void sparse_minus_shift_is_the_shifted_dense_table(void **state)
{
    pith_ctx *ctx = *state;
    pith_i_graph *g = make_graph(ctx);
    const double *x = make_table(ctx);
    double shift[P];
    for (int64_t j = 0; j < P; j++)
        shift[j] = (double)(j % 5) - 1.75;
    for (int f = CSR; f < FORMS; f++) {
        const pith_i_data X = as_form(ctx, x, N, P, (form)f, PITH_F64);
        pith_i_data T = {0};
        pith_i_smoothness s;
        assert_ok(ctx, pith_i_transpose(ctx, &X, &T));
        assert_ok(ctx, pith_i_smoothness_find(ctx, g, &X, &T, shift, &s));
        for (int64_t j = 0; j < P; j++) {
            double column[N];
            for (int64_t i = 0; i < N; i++)
                column[i] = x[i * P + j] - shift[j];
            const truth t = of_column(g, column);
            assert_column(&s, j, &t);
        }
        pith_i_data_free(&T);
    }
    pith_i_graph_free(g);
    pith_i_scratch_release(ctx, 0);
}

/* Rounding must not make a constant, or one that is constant where the graph has edges, a smooth feature. */
static void a_constant_has_exactly_no_roughness_and_no_spread(void **state)
{
    pith_ctx *ctx = *state;
    pith_i_graph *g = make_graph(ctx);
    double x[N];
    for (int i = 0; i < N; i++)
        x[i] = 0.1;
    for (int f = 0; f < FORMS; f++) {
        const pith_i_data X = as_form(ctx, x, N, 1, (form)f, PITH_F64);
        pith_i_data T = {0};
        pith_i_smoothness s;
        assert_ok(ctx, pith_i_transpose(ctx, &X, &T));
        assert_ok(ctx, pith_i_smoothness_find(ctx, g, &X, X.sparse ? &T : NULL, NULL, &s));
        assert_true(s.rough[0] == 0);
        assert_true(s.spread[0] == 0);
        assert_true(pith_i_smoothness_is_flat(&s, &X, 0));
        assert_true(s.energy[0] > 0);
        pith_i_data_free(&T);
    }
    pith_i_graph_free(g);
    pith_i_scratch_release(ctx, 0);
}

/* Smooth on a high plateau: f'Df - f'Sf would have no digit left. */
static void a_large_mean_does_not_drown_what_changes(void **state)
{
    pith_ctx *ctx = *state;
    pith_i_graph *g = make_graph(ctx);
    double x[N], near[N];
    for (double far = 1e3; far < 2e14; far *= 10) {
        for (int i = 0; i < N; i++) {
            x[i] = far + (double)i / 64;
            near[i] = (double)i / 64;
        }
        const truth t = of_column(g, near);
        for (int f = 0; f < FORMS; f++) {
            const pith_i_data X = as_form(ctx, x, N, 1, (form)f, PITH_F64);
            pith_i_data T = {0};
            pith_i_smoothness s;
            assert_ok(ctx, pith_i_transpose(ctx, &X, &T));
            assert_ok(ctx, pith_i_smoothness_find(ctx, g, &X, X.sparse ? &T : NULL, NULL, &s));
            assert_near(s.rough[0], (double)t.rough, 1e-13 * (double)t.rough);
            assert_near(s.spread[0], (double)t.spread, 1e-13 * (double)t.spread);
            assert_false(pith_i_smoothness_is_flat(&s, &X, 0));
            pith_i_data_free(&T);
        }
    }
    pith_i_graph_free(g);
    pith_i_scratch_release(ctx, 0);
}

/* The outlier is the first sample and has no edge: the sums are those without it, to the last digits. */
static void an_outlier_without_weight_takes_no_digits_away(void **state)
{
    pith_ctx *ctx = *state;
    pith_i_graph *g = make_graph(ctx),
                 *moved = NULL; /* the last sample, without an edge, becomes the first */
    pith_i_smoothness s;
    double x[N];
    for (int i = 0; i < N; i++)
        x[i] = (double)(i % 7) / 3;
    const truth t = of_column(g, x);
    assert_ok(ctx, pith_i_graph_new(ctx, N, &moved));
    assert_ok(ctx, NEW(ctx, moved->col, g->row[N]));
    assert_ok(ctx, NEW(ctx, moved->weight, g->row[N]));
    for (int64_t i = 1; i < N; i++)
        moved->row[i + 1] = g->row[i];
    for (int64_t e = 0; e < g->row[N]; e++) {
        moved->col[e] = g->col[e] + 1;
        moved->weight[e] = g->weight[e];
    }
    assert_ok(ctx, pith_i_graph_finish(ctx, moved));
    memmove(x + 1, x, (N - 1) * sizeof *x);
    x[0] = 1e12;
    const pith_i_data X = as_form(ctx, x, N, 1, ROW_MAJOR, PITH_F64);
    assert_ok(ctx, pith_i_smoothness_find(ctx, moved, &X, NULL, NULL, &s));
    assert_near(s.rough[0], (double)t.rough, 1e-13 * (double)t.rough);
    assert_near(s.spread[0], (double)t.spread, 1e-13 * (double)t.spread);
    pith_i_graph_free(moved);
    pith_i_graph_free(g);
    pith_i_scratch_release(ctx, 0);
}

static void threads_do_not_change_a_bit(void **state)
{
    pith_ctx *ctx = *state;
    pith_i_graph *g = make_graph(ctx);
    double *x = make_table(ctx);
    for (int64_t e = 0; e < N * P; e++)
        x[e] /= 3;
    for (int sparse = 0; sparse < 2; sparse++) {
        const pith_i_data X = as_form(ctx, x, N, P, sparse ? CSR : COLUMN_MAJOR, PITH_F64);
        pith_i_data T = {0};
        pith_i_smoothness one, many;
        assert_ok(ctx, pith_i_transpose(ctx, &X, &T));
        assert_ok(ctx, pith_ctx_set_threads(ctx, 1));
        assert_ok(ctx, pith_i_smoothness_find(ctx, g, &X, sparse ? &T : NULL, NULL, &one));
        assert_ok(ctx, pith_ctx_set_threads(ctx, 8));
        assert_ok(ctx, pith_i_smoothness_find(ctx, g, &X, sparse ? &T : NULL, NULL, &many));
        assert_memory_equal(one.rough, many.rough, P * sizeof(double));
        assert_memory_equal(one.spread, many.spread, P * sizeof(double));
        assert_memory_equal(one.energy, many.energy, P * sizeof(double));
        pith_i_data_free(&T);
    }
    pith_i_graph_free(g);
    pith_i_scratch_release(ctx, 0);
}

static void weighted_columns_are_their_formula_in_every_form(void **state)
{
    pith_ctx *ctx = *state;
    pith_i_graph *g = make_graph(ctx);
    const double *x = make_table(ctx);
    for (each_form(f, dtype)) {
        const size_t mark = pith_i_scratch_mark(ctx);
        const pith_i_data X = as_form(ctx, x, N, P, (form)f, (pith_dtype)dtype);
        pith_i_data T = {0};
        double out[4 * N], room[9];
        if (X.sparse)
            assert_ok(ctx, pith_i_transpose(ctx, &X, &T));
        for (int64_t first = 0; first + 4 <= P; first++) {
            assert_ok(ctx, pith_i_weighted_columns(ctx, g, &X, X.sparse ? &T : NULL, first, 4, room, out));
            for (int64_t c = 0; c < 4; c++) {
                double column[N];
                for (int64_t i = 0; i < N; i++)
                    column[i] = x[i * P + first + c];
                const truth t = of_column(g, column);
                for (int64_t i = 0; i < N; i++)
                    assert_near(out[c * N + i], sqrt(g->degree[i]) * (column[i] - (double)t.mean), 1e-12);
            }
        }
        pith_i_data_free(&T);
        pith_i_scratch_release(ctx, mark);
    }
    pith_i_graph_free(g);
    pith_i_scratch_release(ctx, 0);
}

static void a_graph_without_edges_is_refused(void **state)
{
    pith_ctx *ctx = *state;
    int64_t row[N + 1] = {0};
    double degree[N] = {0};
    const pith_i_graph g = {.n = N, .row = row, .degree = degree};
    const double *x = make_table(ctx);
    const pith_i_data X = as_form(ctx, x, N, P, ROW_MAJOR, PITH_F64);
    pith_i_smoothness s;
    assert_int_equal(pith_i_smoothness_find(ctx, &g, &X, NULL, NULL, &s), PITH_E_DATA);
    assert_non_null(strstr(pith_ctx_message(ctx), "no edge"));
    pith_i_scratch_release(ctx, 0);
}

typedef struct job {
    const pith_i_graph *g;
    const pith_i_data *X, *T;
} job;

static pith_status find(pith_ctx *ctx, void *arg)
{
    const job *j = arg;
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_smoothness s;
    const pith_status st = pith_i_smoothness_find(ctx, j->g, j->X, j->T, NULL, &s);
    pith_i_scratch_release(ctx, mark);
    return st;
}

static void it_can_be_stopped_and_survives_failing_allocations(void **state)
{
    pith_ctx *ctx = *state;
    pith_i_graph *g = make_graph(ctx);
    const double *x = make_table(ctx);
    for (int sparse = 0; sparse < 2; sparse++) {
        const pith_i_data X = as_form(ctx, x, N, P, sparse ? CSR : ROW_MAJOR, PITH_F64);
        pith_i_data T = {0};
        assert_ok(ctx, pith_i_transpose(ctx, &X, &T));
        job j = {g, &X, sparse ? &T : NULL};
        assert_survives_failing_allocations(ctx, find, &j, sparse ? 5 : 4);
        assert_ok(ctx, pith_i_progress_stage(ctx, "scoring", 0, 1)); /* the next report is due at once */
        pith_ctx_set_progress(ctx, stop_progress, NULL);
        assert_ok(ctx, pith_ctx_set_threads(ctx, 1));
        assert_int_equal(find(ctx, &j), PITH_E_STOPPED);
        pith_ctx_set_progress(ctx, NULL, NULL);
        assert_ok(ctx, find(ctx, &j));
        pith_i_data_free(&T);
    }
    pith_i_graph_free(g);
    pith_i_scratch_release(ctx, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(sums_are_those_of_a_slow_double_loop_in_every_form),
        TEST(sparse_minus_shift_is_the_shifted_dense_table),
        TEST(a_constant_has_exactly_no_roughness_and_no_spread),
        TEST(a_large_mean_does_not_drown_what_changes),
        TEST(an_outlier_without_weight_takes_no_digits_away),
        TEST(threads_do_not_change_a_bit),
        TEST(weighted_columns_are_their_formula_in_every_form),
        TEST(a_graph_without_edges_is_refused),
        TEST(it_can_be_stopped_and_survives_failing_allocations),
    };
    return cmocka_run_group_tests_name("smoothness", tests, NULL, NULL);
}
