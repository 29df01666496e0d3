#include "graph/edge_sums.h"
#include "graph/graph_inside.h"
#include "unit/tables.h"

enum { N = 30, P = 19, M = 3, PAIRS = 5, EDGES = N * 3 * 2 };

/* Every sample joined to those 1, 4 and 9 places further on; five pairs make three weightings. */
typedef struct net {
    int64_t row[N + 1], group[PAIRS];
    int32_t col[EDGES];
    double weight[EDGES], degree[N], value[PAIRS], vector[PAIRS * N];
    pith_i_graph graph;
    pith_i_edge_weightings weightings;
} net;

static bool joined(int64_t i, int64_t k)
{
    const int64_t apart = i < k ? k - i : i - k;
    return apart == 1 || apart == 4 || apart == 9;
}

static void make_net(net *g)
{
    static const int64_t group[PAIRS] = {0, 1, 1, 2, 0};
    int64_t at = 0;
    for (int64_t i = 0; i < N; i++) {
        g->row[i] = at;
        g->degree[i] = 0;
        for (int64_t k = 0; k < N; k++)
            if (joined(i, k)) {
                g->weight[at] = 1.5 + sin((double)(i + k));
                g->degree[i] += g->weight[at];
                g->col[at++] = (int32_t)k;
            }
    }
    g->row[N] = at;
    for (int64_t l = 0; l < PAIRS; l++) {
        g->group[l] = group[l];
        g->value[l] = 0.3 * (double)(l + 1);
        for (int64_t i = 0; i < N; i++)
            g->vector[l * N + i] = sin(10.0 * (double)((l + 1) * (i + 1)));
    }
    g->graph = (pith_i_graph){.n = N, .row = g->row, .col = g->col, .weight = g->weight, .degree = g->degree};
    g->weightings = (pith_i_edge_weightings){
        .pairs = PAIRS, .groups = M, .value = g->value, .vector = g->vector, .group = g->group};
}

/* C_ik of the header. */
static double weight(const net *g, int64_t i, int64_t k, int64_t m)
{
    double sum = 0;
    for (int64_t l = 0; l < PAIRS; l++) {
        const double yi = g->vector[l * N + i] / sqrt(g->degree[i]);
        const double yk = g->vector[l * N + k] / sqrt(g->degree[k]);
        if (g->group[l] == m)
            sum += (yi - yk) * (yi - yk) - g->value[l] * (yi * yi + yk * yk);
    }
    return (1.5 + sin((double)(i + k))) * sum;
}

static void sums_are_those_of_a_slow_double_loop_in_every_form(void **state)
{
    pith_ctx *ctx = *state;
    const double *x = random_table(ctx, N, P, 0.4, 7);
    net g;
    make_net(&g);
    for (each_form(f, dtype)) {
        const size_t mark = pith_i_scratch_mark(ctx);
        const pith_i_data X = as_form(ctx, x, N, P, (form)f, (pith_dtype)dtype);
        pith_i_data T = {0};
        double out[P * M];
        if (X.sparse)
            assert_ok(ctx, pith_i_transpose(ctx, &X, &T));
        assert_ok(ctx, pith_i_edge_sums(ctx, &g.graph, &X, X.sparse ? &T : NULL, &g.weightings, out));
        for (int64_t j = 0; j < P; j++)
            for (int64_t l = 0; l < M; l++) {
                long double sum = 0, size = 0;
                for (int64_t i = 0; i < N; i++)
                    for (int64_t k = 0; k < i; k++)
                        if (joined(i, k)) {
                            const long double d = (long double)x[i * P + j] - x[k * P + j];
                            sum += weight(&g, k, i, l) * d * d;
                            size += fabs(weight(&g, k, i, l)) * d * d;
                        }
                assert_near(out[j * M + l], (double)sum, 1e-14 * (double)size);
            }
        pith_i_data_free(&T);
        pith_i_scratch_release(ctx, mark);
    }
    pith_i_scratch_release(ctx, 0);
}

/* The graph's matrix diag(C 1) - C would have no digit left here. */
static void a_large_mean_does_not_drown_what_changes(void **state)
{
    pith_ctx *ctx = *state;
    net g;
    double x[N], low[N], out[M], want[M];
    make_net(&g);
    for (int i = 0; i < N; i++) {
        low[i] = (double)(i * i % 7) / 64;
        x[i] = 1e9 + low[i];
    }
    const pith_i_data X = as_form(ctx, x, N, 1, ROW_MAJOR, PITH_F64);
    const pith_i_data Y = as_form(ctx, low, N, 1, ROW_MAJOR, PITH_F64);
    assert_ok(ctx, pith_i_edge_sums(ctx, &g.graph, &X, NULL, &g.weightings, out));
    assert_ok(ctx, pith_i_edge_sums(ctx, &g.graph, &Y, NULL, &g.weightings, want));
    for (int l = 0; l < M; l++)
        assert_near(out[l], want[l], 1e-15);
    pith_i_scratch_release(ctx, 0);
}

typedef struct job {
    const net *g;
    const pith_i_data *X, *T;
    double out[P * M];
} job;

static pith_status find(pith_ctx *ctx, void *arg)
{
    job *j = arg;
    return pith_i_edge_sums(ctx, &j->g->graph, j->X, j->T, &j->g->weightings, j->out);
}

static void threads_change_no_bit_and_failures_and_stops_are_survived(void **state)
{
    pith_ctx *ctx = *state;
    const double *x = random_table(ctx, N, P, 0.4, 7);
    net g;
    make_net(&g);
    for (int sparse = 0; sparse < 2; sparse++) {
        const pith_i_data X = as_form(ctx, x, N, P, sparse ? CSR : ROW_MAJOR, PITH_F64);
        pith_i_data T = {0};
        assert_ok(ctx, pith_i_transpose(ctx, &X, &T));
        job one = {.g = &g, .X = &X, .T = sparse ? &T : NULL}, many = one;
        assert_ok(ctx, pith_ctx_set_threads(ctx, 8));
        assert_ok(ctx, find(ctx, &many));
        assert_survives_failing_allocations(ctx, find, &many, 2);
        assert_ok(ctx, pith_ctx_set_threads(ctx, 1));
        assert_ok(ctx, find(ctx, &one));
        assert_memory_equal(one.out, many.out, sizeof one.out);
        assert_ok(ctx, pith_i_progress_stage(ctx, "scoring", 0, 1)); /* the next report is due at once */
        pith_ctx_set_progress(ctx, stop_progress, NULL);
        assert_int_equal(find(ctx, &one), PITH_E_STOPPED);
        pith_ctx_set_progress(ctx, NULL, NULL);
        assert_ok(ctx, find(ctx, &one));
        pith_i_data_free(&T);
    }
    pith_i_scratch_release(ctx, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(sums_are_those_of_a_slow_double_loop_in_every_form),
        TEST(a_large_mean_does_not_drown_what_changes),
        TEST(threads_change_no_bit_and_failures_and_stops_are_survived),
    };
    return cmocka_run_group_tests_name("edge_sums", tests, NULL, NULL);
}
