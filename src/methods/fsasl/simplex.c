#include "methods/fsasl/simplex.h"

/*
 * With the first m entries positive, theta = (y_1 + .. + y_m - 1) / m; m is the largest for which y_m >
 * theta. Everything is taken relative to y_1: where the entries are large, theta lies within 1 of it, and
 * only their differences keep the digits that count.
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
