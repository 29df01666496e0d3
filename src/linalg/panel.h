/* Products of panels: matrices of many rows and few columns, row-major, which may be some columns of a wider
 * matrix. The same for any number of threads. */
#ifndef PITH_LINALG_PANEL_H
#define PITH_LINALG_PANEL_H

#include "core/core.h"

/* Entry (i, t) is x[i * step + t], t < columns <= step. */
typedef struct pith_i_panel {
    int64_t columns, step;
    const double *x;
} pith_i_panel;

/* G (row-major) = A'B for A and B of n rows. Sums in blocks of fixed size. */
pith_status pith_i_panel_inner(pith_ctx *ctx, int64_t n, pith_i_panel A, pith_i_panel B, double *G);
/* C = a A M + c C for A of n rows and M of A.columns; C has M's columns and rows of c_step numbers. C must
 * not be A. */
void pith_i_panel_times(pith_ctx *ctx, int64_t n, double a, pith_i_panel A, pith_i_panel M, double c,
                        double *C, int64_t c_step);

#endif
