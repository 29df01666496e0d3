/* Projection onto the probability simplex. */
#ifndef PITH_METHODS_FSASL_SIMPLEX_H
#define PITH_METHODS_FSASL_SIMPLEX_H

#include <stdint.h>

/*
 *     argmin_x ||x - y||^2,  x >= 0,  sum x = 1        =  max(y - theta, 0)
 *
 * for finite y[0] >= y[1] >= ..., k >= 1; in place. Equal entries stay equal. O(k).
 */
void pith_i_simplex_project(int64_t k, double *y);

#endif
