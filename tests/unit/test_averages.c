#include "graph/averages.h"
#include "unit/graphs.h"
#include "unit/tables.h"

enum { N = 40, P = 12 };

/* A ring with chords, uneven weights, and the last row alone. */
static pith_i_graph *make_graph(pith_ctx *ctx)
{
    sketch s = new_sketch(N);
    for (int64_t i = 0; i < N - 1; i++) {
        link_rows(&s, i, (i + 1) % (N - 1), 0.25 + (double)(i % 5));
        if (i % 3 == 0)
            link_rows(&s, i, (i + 11) % (N - 1), 0.5);
    }
    return new_graph(ctx, s);
}

/* Few values, half of all, and all: the ways of a sparse column; one column is on the lone row alone. */
static double *make_table(pith_ctx *ctx)
{
    double *x = random_table(ctx, N, P, 0.9, 3);
    for (int64_t i = 0; i < N; i++) {
        for (int64_t j = 0; j < 4; j++)
            if (i % 8 != j)
                x[i * P + j] = 0;
        x[i * P + 4] = i == N - 1 ? 3 : 0;
        x[i * P + 5] = i % 2 == 0 ? 1 + (double)i / 4 : 0;
    }
    return x;
}

/* The header's sum in long double, every entry of A taken from the edges. */
static long double energy_of(const pith_i_graph *g, const double *x, int64_t j)
{
    long double mean = 0, energy = 0;
    for (int64_t i = 0; i < N; i++)
        mean += (long double)x[i * P + j] / N;
    for (int64_t i = 0; i < N; i++) {
        long double y = 0;
        for (int64_t e = g->row[i]; e < g->row[i + 1]; e++) {
            const int64_t k = g->col[e];
            y += g->weight[e] * (x[k * P + j] - mean) / sqrtl((long double)g->degree[i] * g->degree[k]);
        }
        energy += y * y;
    }
    return energy;
}

static void energies_are_those_of_a_slow_double_loop_in_every_form(void **state)
{
    pith_ctx *ctx = *state;
    pith_i_graph *g = make_graph(ctx);
    const double *x = make_table(ctx);
    for (each_form(f, dtype)) {
        const size_t mark = pith_i_scratch_mark(ctx);
        const pith_i_data X = as_form(ctx, x, N, P, (form)f, (pith_dtype)dtype);
        pith_i_data T = {0};
        double out[P];
        if (X.sparse)
            assert_ok(ctx, pith_i_transpose(ctx, &X, &T));
        assert_ok(ctx, pith_i_averaged_energy(ctx, g, &X, X.sparse ? &T : NULL, out));
        for (int64_t j = 0; j < P; j++) {
            const double want = (double)energy_of(g, x, j);
            assert_true(want > 0);
            assert_near(out[j], want, 1e-13 * want);
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
    pith_i_graph *g = new_graph(ctx, new_sketch(N));
    const pith_i_data X = as_form(ctx, make_table(ctx), N, P, ROW_MAJOR, PITH_F64);
    double out[P];
    assert_int_equal(pith_i_averaged_energy(ctx, g, &X, NULL, out), PITH_E_DATA);
    assert_non_null(strstr(pith_ctx_message(ctx), "no edge"));
    pith_i_graph_free(g);
    pith_i_scratch_release(ctx, 0);
}

typedef struct job {
    const pith_i_graph *g;
    const pith_i_data *X, *T;
    double out[P];
} job;

static pith_status find(pith_ctx *ctx, void *arg)
{
    job *j = arg;
    return pith_i_averaged_energy(ctx, j->g, j->X, j->T, j->out);
}

static void threads_change_no_bit_and_failing_allocations_are_survived(void **state)
{
    pith_ctx *ctx = *state;
    pith_i_graph *g = make_graph(ctx);
    const double *x = make_table(ctx);
    for (int sparse = 0; sparse < 2; sparse++) {
        const pith_i_data X = as_form(ctx, x, N, P, sparse ? CSR : ROW_MAJOR, PITH_F64);
        pith_i_data T = {0};
        assert_ok(ctx, pith_i_transpose(ctx, &X, &T));
        job one = {.g = g, .X = &X, .T = sparse ? &T : NULL}, many = one;
        assert_ok(ctx, pith_ctx_set_threads(ctx, 8));
        assert_ok(ctx, find(ctx, &many));
        assert_survives_failing_allocations(ctx, find, &many, 5);
        assert_ok(ctx, pith_ctx_set_threads(ctx, 1));
        assert_ok(ctx, find(ctx, &one));
        assert_memory_equal(one.out, many.out, sizeof one.out);
        pith_i_data_free(&T);
    }
    pith_i_graph_free(g);
    pith_i_scratch_release(ctx, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(energies_are_those_of_a_slow_double_loop_in_every_form),
        TEST(a_graph_without_edges_is_refused),
        TEST(threads_change_no_bit_and_failing_allocations_are_survived),
    };
    return cmocka_run_group_tests_name("averages", tests, NULL, NULL);
}
