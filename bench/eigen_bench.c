/*
 * The smallest eigenpairs of a graph, timed: eigen_bench GRAPH M THREADS. The file holds int64 n, entries,
 * row[n+1], then int32 col, then double weight; bench/eigen.py writes it. Prints CPU and wall seconds, the
 * largest residual, and the eigenvalues.
 */
#include "graph/graph_inside.h"
#include "graph/spectrum.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void need(bool ok, const char *what)
{
    if (ok)
        return;
    (void)fprintf(stderr, "eigen_bench: %s\n", what);
    exit(1);
}

static void read_array(FILE *file, void *into, size_t size, int64_t count)
{
    need(fread(into, size, (size_t)count, file) == (size_t)count, "the graph file is cut short");
}

static pith_i_graph *read_graph(pith_ctx *ctx, const char *path)
{
    FILE *file = fopen(path, "rb");
    pith_i_graph *g = NULL;
    int64_t size[2];
    need(file != NULL, "the graph file cannot be opened");
    read_array(file, size, sizeof *size, 2);
    need(pith_i_graph_new(ctx, size[0], &g) == PITH_OK, "out of memory");
    need((g->col = pith_i_alloc(ctx, size[1], sizeof *g->col)) != NULL, "out of memory");
    need((g->weight = pith_i_alloc(ctx, size[1], sizeof *g->weight)) != NULL, "out of memory");
    read_array(file, g->row, sizeof *g->row, g->n + 1);
    read_array(file, g->col, sizeof *g->col, size[1]);
    read_array(file, g->weight, sizeof *g->weight, size[1]);
    (void)fclose(file);
    need(pith_i_graph_finish(ctx, g) == PITH_OK, "the graph cannot be used");
    return g;
}

static double worst_residual(pith_ctx *ctx, const pith_i_graph *g, const pith_i_spectrum *s)
{
    const pith_i_operator Ln = pith_i_laplacian(g);
    double *y = pith_i_scratch(ctx, s->m * s->n, sizeof *y), worst = 0;
    need(y != NULL && Ln.apply(ctx, Ln.self, s->m, s->vector, y) == PITH_OK, "out of memory");
    for (int64_t v = 0; v < s->m; v++) {
        double square = 0;
        for (int64_t i = 0; i < s->n; i++) {
            const double r = y[v * s->n + i] - s->value[v] * s->vector[v * s->n + i];
            square += r * r;
        }
        worst = fmax(worst, sqrt(square));
    }
    return worst;
}

int main(int argc, char **argv)
{
    pith_ctx *ctx = NULL;
    pith_i_spectrum s = {0};
    need(argc == 4, "wants GRAPH M THREADS");
    need(pith_ctx_new(&ctx) == PITH_OK && pith_ctx_set_threads(ctx, atoi(argv[3])) == PITH_OK, "no context");
    pith_i_graph *g = read_graph(ctx, argv[1]);
    const clock_t cpu = clock();
    const double wall = pith_i_seconds();
    need(pith_i_spectrum_find(ctx, g, atoi(argv[2]), &s) == PITH_OK, pith_ctx_message(ctx));
    printf("%.6f %.6f", (double)(clock() - cpu) / CLOCKS_PER_SEC, pith_i_seconds() - wall);
    printf(" %.3g", worst_residual(ctx, g, &s));
    for (int64_t v = 0; v < s.m; v++)
        printf(" %.17g", s.value[v]);
    printf("\n");
    pith_i_spectrum_free(&s);
    pith_i_graph_free(g);
    pith_ctx_free(ctx);
    return 0;
}
