/*
 * A symmetric linear map given by its products with vectors. Solvers see this and never a graph, so that the
 * map may be sparse, have a low-rank correction, or be spread over machines: n is the number of rows held
 * here, and sums over rows go through the engine (core/engine.h).
 */
#ifndef PITH_LINALG_OPERATOR_H
#define PITH_LINALG_OPERATOR_H

#include "core/core.h"

typedef struct pith_i_operator {
    int64_t n;           /* rows held here, */
    int64_t offset, all; /* the first of them, and the rows of all processes; all 0: one process */
    const void *self;
    /* y = A x for m vectors; vector v is x + v * n. */
    pith_status (*apply)(pith_ctx *ctx, const void *self, int64_t m, const double *x, double *y);
} pith_i_operator;

enum { PITH_I_PANEL = 8 }; /* vectors side by side: entry i of vector v is x[i * PITH_I_PANEL + v] */

/* A symmetric map of panels of floats. */
typedef struct pith_i_panel_operator {
    int64_t n;
    const void *self;
    /* y = a A x + b x + c y; y finite on entry. Called by several threads at once. */
    void (*apply)(const void *self, float a, const float *x, float b, float c, float *y);
    /* If rows are spread over processes, else 0 and NULL: the rows of all processes; the same product, called
     * by one thread of each process together; and the number that each row held here would have in a single
     * process, by which its random numbers are drawn. */
    int64_t all;
    pith_status (*apply_all)(pith_ctx *ctx, const void *self, float a, const float *x, float b, float c,
                             float *y);
    const int64_t *number;
} pith_i_panel_operator;

#endif
