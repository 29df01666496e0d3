/*
 * What src/linalg/filtered.c does, in doubles and without its limit on the tolerance, for bench/eigen.py: is
 * the filter good enough to replace ARPACK? One thread. If the m-th eigenvalue and the last one of the block
 * are so close that no polynomial of moderate degree separates them, it starts again with a block twice as
 * wide.
 */
#ifndef PITH_BENCH_FILTERED_DOUBLE_H
#define PITH_BENCH_FILTERED_DOUBLE_H

#include "linalg/eigen.h"

/* pith_i_panel_operator for doubles: y = a A x + b x + c y. */
typedef struct double_panels {
    int64_t n;
    const void *self;
    void (*apply)(const void *self, double a, const double *x, double b, double c, double *y);
} double_panels;

/* Like pith_i_eigen_filtered. */
pith_status filtered_double(pith_ctx *ctx, const double_panels *A, const pith_i_eigen_options *want,
                            bool *found, double *values, double *vectors);

#endif
