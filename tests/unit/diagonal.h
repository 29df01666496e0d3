/* Diagonal operators: their eigenpairs are what the test writes down. */
#ifndef PITH_TESTS_UNIT_DIAGONAL_H
#define PITH_TESTS_UNIT_DIAGONAL_H

#include "linalg/operator.h"
#include "unit/graphs.h"

static inline pith_status diagonal_apply(pith_ctx *ctx, const void *self, int64_t m, const double *x,
                                         double *y)
{
    const sketch *d = self; /* n entries of weight */
    (void)ctx;
    for (int64_t e = 0; e < m * d->n; e++)
        y[e] = d->weight[e % d->n] * x[e];
    return PITH_OK;
}

/* n values spread evenly over [-0.9, 0.5], in an order that mixes them. The caller changes some. */
static inline sketch new_diagonal(int64_t n)
{
    sketch d = {n, malloc((size_t)n * sizeof(double))};
    assert_non_null(d.weight);
    for (int64_t i = 0; i < n; i++)
        d.weight[i] = -0.9 + 1.4 * (double)(i * 7919 % n) / (double)n;
    return d;
}

static inline pith_i_operator diagonal_operator(const sketch *d)
{
    return (pith_i_operator){.n = d->n, .self = d, .apply = diagonal_apply};
}

#endif
