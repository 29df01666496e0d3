/*
 * Spectra of graphs beside those of numpy's dense solver (tests/oracle/spectrum/make.py). Values must agree
 * to 1e-12: an eigenvalue's error is the square of the residual over the gap. Of the vectors it is their
 * span that is compared, by three columns of its projector, to twice the residual (2e-8) over the gap.
 */
#include "unit/graphs.h"

#include <stdio.h>

static void read_numbers(FILE *in, int64_t count, double *x)
{
    for (int64_t e = 0; e < count; e++)
        assert_int_equal(fscanf(in, "%lf", &x[e]), 1);
}

static pith_i_graph *read_graph(pith_ctx *ctx, FILE *in, int64_t n, int64_t edges)
{
    sketch s = new_sketch(n);
    for (int64_t e = 0; e < edges; e++) {
        long long i = -1, j = -1;
        double weight = 0;
        assert_int_equal(fscanf(in, "%lld %lld %lf", &i, &j, &weight), 3);
        assert_true(i >= 0 && i < j && j < n && weight > 0);
        link_rows(&s, i, j, weight);
    }
    return new_graph(ctx, s);
}

/* Column `at` of the projector on the span of the vectors. */
static void project(const pith_i_spectrum *s, int64_t at, double *column)
{
    for (int64_t i = 0; i < s->n; i++) {
        column[i] = 0;
        for (int64_t v = 0; v < s->m; v++)
            column[i] += s->vector[v * s->n + i] * s->vector[v * s->n + at];
    }
}

static void compare_spectrum(pith_ctx *ctx, FILE *in, const pith_i_graph *g, int64_t m, double gap)
{
    const int64_t columns[] = {0, g->n / 2, g->n - 1};
    double *want = malloc((size_t)(m + g->n) * sizeof *want), *have = malloc((size_t)g->n * sizeof *have);
    pith_i_spectrum s = {0};
    assert_true(want != NULL && have != NULL);
    assert_ok(ctx, pith_i_spectrum_find(ctx, g, m, &s));
    read_numbers(in, m, want);
    for (int64_t v = 0; v < m; v++)
        assert_near(s.value[v], want[v], 1e-12);
    for (size_t c = 0; c < COUNT(columns); c++) {
        read_numbers(in, g->n, want);
        project(&s, columns[c], have);
        for (int64_t i = 0; i < g->n; i++)
            assert_near(have[i], want[i], 4e-8 / gap);
    }
    pith_i_spectrum_free(&s);
    free(want);
    free(have);
}

static void spectra_agree_with_a_dense_solver(void **state)
{
    pith_ctx *ctx = *state;
    char name[128];
    long long n = 0, edges = 0, m = 0;
    double gap = 0;
    int graphs = 0;
    FILE *in = fopen(ORACLE_DIR "/spectrum/numbers.txt", "r");
    assert_non_null(in);
    while (fscanf(in, " graph %127[^\n]", name) == 1) {
        print_message("%s\n", name);
        assert_int_equal(fscanf(in, "%lld %lld %lld %lf", &n, &edges, &m, &gap), 4);
        pith_i_graph *g = read_graph(ctx, in, n, edges);
        compare_spectrum(ctx, in, g, m, gap);
        pith_i_graph_free(g);
        graphs++;
    }
    assert_true(feof(in));
    assert_int_equal(graphs, 6);
    (void)fclose(in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(spectra_agree_with_a_dense_solver)};
    return cmocka_run_group_tests_name("oracle spectrum", tests, NULL, NULL);
}
