/*
 * The smallest eigenpairs of the normalised Laplacian Ln = I - D^-1/2 S D^-1/2 of a graph, with the null
 * space given by the components and never left to the eigensolver:
 *
 *   v_0 = sqrt(d)/||sqrt(d)||; then for every component but the last (by decreasing row count) sqrt(d) on
 *   it, made orthogonal to all before, unit norm; then eigenvectors of A in the complement of these,
 *   largest first, the entry of largest modulus positive.
 *
 * Null eigenvalues are exactly 0, the others at least 0. An isolated row is no component: Ln is 1 there.
 */
#ifndef PITH_GRAPH_SPECTRUM_H
#define PITH_GRAPH_SPECTRUM_H

#include "graph/graph.h"
#include "linalg/eigen.h"

typedef struct pith_i_spectrum {
    int64_t n, m;  /* m pairs; vector v is vector + v * n */
    double *value; /* ascending */
    double *vector;
} pith_i_spectrum;

/* The first m vectors of the list above, 1 <= m <= n. A graph without an edge is PITH_E_DATA. */
pith_status pith_i_spectrum_find(pith_ctx *ctx, const pith_i_graph *graph, int64_t m, pith_i_spectrum *out);
/* The same to a residual of 1e-4 instead of 1e-8, in vectors of floats, many times as fast: for vectors whose
 * rows are clustered. They are exact for an A that differs by 1e-4, far less than another heat width makes.
 */
pith_status pith_i_spectrum_rough(pith_ctx *ctx, const pith_i_graph *graph, int64_t m, pith_i_spectrum *out);
void pith_i_spectrum_free(pith_i_spectrum *spectrum);

/* Operators over a graph that must outlive them, never stored dense: S, A = D^-1/2 S D^-1/2 and
 * Ln = I - A (an isolated row has inverse root 0, so Ln's diagonal is 1 there). */
pith_i_operator pith_i_adjacency(const pith_i_graph *graph);
pith_i_operator pith_i_affinity(const pith_i_graph *graph);
pith_i_operator pith_i_laplacian(const pith_i_graph *graph);
/* out = c A B + out, of n x m numbers, row-major. */
pith_status pith_i_affinity_add(pith_ctx *ctx, const pith_i_graph *graph, double c, int64_t m,
                                const double *B, double *out);

#endif
