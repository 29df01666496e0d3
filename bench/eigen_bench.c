/*
 * Eigenpairs of a graph, timed: eigen_bench GRAPH MAP SOLVER M TOLERANCE THREADS. The file holds int64 n,
 * entries, row[n+1], then int32 col, then double weight; bench/eigen.py writes it. MAP is
 *
 *     spectrum    the smallest eigenvalues of I - D^-1/2 S D^-1/2 as methods get them; SOLVER, TOLERANCE: -
 *     affinity    A = D^-1/2 S D^-1/2 without its null vectors: what the spectrum of a graph takes
 *     squared     I - (I - A)^2 / 2, whose largest eigenvalues lie close, as those of locally linear maps do
 *
 * and SOLVER arpack (with the check for missed eigenvalues), filter (in floats) or double
 * (filtered_double.c). Prints CPU and wall seconds, the largest residual, and the eigenvalues; "none" where
 * nothing is found.
 */
#include "filtered_double.h"
#include "graph/graph_inside.h"
#include "graph/spectrum.h"
#include "linalg/eigen.h"
#include "linalg/filtered.h"
#include "matrix/simd.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PANEL = PITH_I_PANEL };

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

/* ---- The maps ------------------------------------------------------------------------------------------ */

typedef struct map {
    pith_i_graph A; /* the affinity, its weights scaled */
    float *weight;  /* those of A as floats */
    bool squared;
    double *room; /* PANEL vectors */
    int64_t n_known;
    double *known;
} map;

static void *take(pith_ctx *ctx, int64_t count, size_t size)
{
    void *memory = pith_i_scratch(ctx, count, size);
    need(memory != NULL, "out of memory");
    return memory;
}

static map new_map(pith_ctx *ctx, const pith_i_graph *g, const char *name)
{
    const int64_t entries = g->row[g->n];
    map m = {.A = {.n = g->n, .row = g->row, .col = g->col}, .squared = strcmp(name, "squared") == 0};
    m.A.weight = take(ctx, entries, sizeof *m.A.weight);
    m.weight = take(ctx, entries, sizeof *m.weight);
    m.room = take(ctx, g->n * PANEL, sizeof *m.room);
    for (int64_t i = 0; i < g->n; i++)
        for (int64_t e = g->row[i]; e < g->row[i + 1]; e++) {
            m.A.weight[e] = g->weight[e] / sqrt(g->degree[i] * g->degree[g->col[e]]);
            m.weight[e] = (float)m.A.weight[e];
        }
    if (!m.squared) {
        pith_i_spectrum s = {0};
        need(pith_i_spectrum_find(ctx, g, g->components, &s) == PITH_OK, pith_ctx_message(ctx));
        m.n_known = s.m;
        m.known = s.vector; /* kept to the end */
    }
    return m;
}

static pith_status map_apply(pith_ctx *ctx, const void *self, int64_t m, const double *x, double *y)
{
    const map *M = self;
    const pith_i_operator A = pith_i_adjacency(&M->A);
    const int64_t n = A.n;
    if (!M->squared)
        return A.apply(ctx, A.self, m, x, y);
    for (int64_t v = 0; v < m; v++, x += n, y += n) {
        (void)A.apply(ctx, A.self, 1, x, y);
        for (int64_t i = 0; i < n; i++)
            M->room[i] = x[i] - y[i];
        (void)A.apply(ctx, A.self, 1, M->room, y);
        for (int64_t i = 0; i < n; i++)
            y[i] = x[i] - 0.5 * (M->room[i] - y[i]);
    }
    return PITH_OK;
}

/* y = a A x + b x + c y */
#define MULTIPLY(name, type, type8, weights)                                                                 \
    PITH_I_CLONES static void name(const map *M, type a, const type *x, type b, type c, type *y)             \
    {                                                                                                        \
        for (int64_t i = 0; i < M->A.n; i++) {                                                               \
            type8 sum = {0}, *to = (type8 *)(y + i * PANEL);                                                 \
            for (int64_t e = M->A.row[i]; e < M->A.row[i + 1]; e++)                                          \
                sum += (weights)[e] * *(const type8 *)(x + (int64_t)M->A.col[e] * PANEL);                    \
            *to = a * sum + b * *(const type8 *)(x + i * PANEL) + c * *to;                                   \
        }                                                                                                    \
    }
MULTIPLY(multiply_floats, float, pith_i_float8, M->weight)
MULTIPLY(multiply_doubles, double, pith_i_double8, M->A.weight)

/* a (I - (I - A)^2 / 2) + b = (a + b) - a/2 (I - A)(I - A), by two products. */
static void apply_floats(const void *self, float a, const float *x, float b, float c, float *y)
{
    const map *M = self;
    float *room = (float *)M->room;
    if (!M->squared) {
        multiply_floats(M, a, x, b, c, y);
        return;
    }
    multiply_floats(M, -1, x, 1, 0, memset(room, 0, (size_t)(M->A.n * PANEL) * sizeof *room));
    for (int64_t t = 0; t < M->A.n * PANEL; t++)
        y[t] = c * y[t] + (a + b) * x[t];
    multiply_floats(M, a / 2, room, -a / 2, 1, y);
}

static void apply_doubles(const void *self, double a, const double *x, double b, double c, double *y)
{
    const map *M = self;
    if (!M->squared) {
        multiply_doubles(M, a, x, b, c, y);
        return;
    }
    multiply_doubles(M, -1, x, 1, 0, memset(M->room, 0, (size_t)(M->A.n * PANEL) * sizeof *M->room));
    for (int64_t t = 0; t < M->A.n * PANEL; t++)
        y[t] = c * y[t] + (a + b) * x[t];
    multiply_doubles(M, a / 2, M->room, -a / 2, 1, y);
}

/* ---- The solvers --------------------------------------------------------------------------------------- */

static bool solve(pith_ctx *ctx, const map *M, const char *solver, int64_t m, double tolerance,
                  double *values, double *vectors)
{
    const int64_t n = M->A.n;
    const pith_i_operator A = {.n = n, .self = M, .apply = map_apply};
    const pith_i_panel_operator floats = {.n = n, .self = M, .apply = apply_floats};
    const double_panels doubles = {n, M, apply_doubles};
    const pith_i_eigen_options want = {.m = m,
                                       .n_known = M->n_known,
                                       .known = M->known,
                                       .tolerance = tolerance,
                                       .basis = M->squared ? pith_i_eigen_large_basis(m) : 0};
    pith_status st = PITH_OK;
    bool found = true;
    if (strcmp(solver, "filter") == 0)
        st = pith_i_eigen_filtered(ctx, &floats, m, M->n_known, M->known, tolerance, &found, values, vectors);
    else if (strcmp(solver, "double") == 0)
        st = filtered_double(ctx, &doubles, &want, &found, values, vectors);
    else
        st = pith_i_eigen_largest(ctx, &A, &want, values, vectors);
    need(st == PITH_OK || st == PITH_E_NUMERIC, pith_ctx_message(ctx));
    return found && st == PITH_OK;
}

static double worst_residual(pith_ctx *ctx, const map *M, int64_t m, const double *values,
                             const double *vectors)
{
    const int64_t n = M->A.n;
    double *y = take(ctx, n, sizeof *y), worst = 0;
    for (int64_t v = 0; v < m; v++) {
        double square = 0;
        need(map_apply(ctx, M, 1, vectors + v * n, y) == PITH_OK, "out of memory");
        for (int64_t i = 0; i < n; i++) {
            const double r = y[i] - values[v] * vectors[v * n + i];
            square += r * r;
        }
        worst = fmax(worst, sqrt(square));
    }
    return worst;
}

static void print_values(int64_t m, const double *values)
{
    for (int64_t v = 0; v < m; v++)
        printf(" %.17g", values[v]);
}

static void time_spectrum(pith_ctx *ctx, const pith_i_graph *g, int64_t m)
{
    pith_i_spectrum s = {0};
    const clock_t cpu = clock();
    const double wall = pith_i_seconds();
    need(pith_i_spectrum_find(ctx, g, m, &s) == PITH_OK, pith_ctx_message(ctx));
    printf("%.6f %.6f -", (double)(clock() - cpu) / CLOCKS_PER_SEC, pith_i_seconds() - wall);
    print_values(m, s.value);
    pith_i_spectrum_free(&s);
}

static void time_solver(pith_ctx *ctx, const pith_i_graph *g, int64_t m, char **argv)
{
    const map M = new_map(ctx, g, argv[2]);
    double *values = take(ctx, m, sizeof *values), *vectors = take(ctx, m * g->n, sizeof *vectors);
    const clock_t cpu = clock();
    const double wall = pith_i_seconds();
    const bool found = solve(ctx, &M, argv[3], m, atof(argv[5]), values, vectors);
    printf("%.6f %.6f", (double)(clock() - cpu) / CLOCKS_PER_SEC, pith_i_seconds() - wall);
    if (found) {
        printf(" %.3g", worst_residual(ctx, &M, m, values, vectors));
        print_values(m, values);
    } else {
        printf(" none");
    }
    pith_i_free(M.known);
}

int main(int argc, char **argv)
{
    pith_ctx *ctx = NULL;
    need(argc == 7, "wants GRAPH MAP SOLVER M TOLERANCE THREADS");
    need(pith_ctx_new(&ctx) == PITH_OK && pith_ctx_set_threads(ctx, atoi(argv[6])) == PITH_OK, "no context");
    pith_i_graph *g = read_graph(ctx, argv[1]);
    if (strcmp(argv[2], "spectrum") == 0)
        time_spectrum(ctx, g, atoi(argv[4]));
    else
        time_solver(ctx, g, atoi(argv[4]), argv);
    printf("\n");
    pith_i_graph_free(g);
    pith_ctx_free(ctx);
    return 0;
}
