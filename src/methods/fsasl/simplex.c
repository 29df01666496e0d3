#include "methods/fsasl/simplex.h"

/*
 * If the first m entries of the result are positive, theta = (y_1 + .. + y_m - 1) / m; m is the largest
 * number for which y_m > theta. All entries are taken relative to y_1: theta lies within 1 of it, and if the
 * entries are large, only their differences have the digits that matter.
 */
void pith_i_simplex_project(int64_t k, double *y)
{
    const double top = y[0];
    double sum = 0, theta = -1;
    for (int64_t m = 0; m < k; m++) {
        const double below = y[m] - top, next = (sum + below - 1) / (double)(m + 1);
        if (below <= next)
            break;
        sum += below;
        theta = next;
    }
    for (int64_t i = 0; i < k; i++) {
        const double x = y[i] - top - theta;
        y[i] = x > 0 ? x : 0;
    }
}
