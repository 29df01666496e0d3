/* Local regression of one variable on another. */
#ifndef PITH_METHODS_SEURAT_V3_LOESS_H
#define PITH_METHODS_SEURAT_V3_LOESS_H

#include "core/core.h"

/*
 * Cleveland's loess of degree 2, as dloess (and so R and skmisc) computes it by default: quadratics fitted to
 * the q = span n nearest points with tricube weights at the knots, which are the ends, half a per cent beyond
 * the data, and the cuts of a k-d tree with at most span n / 5 points in a cell; between knots, the cubic
 * with the value and the slope of both. fit[i] belongs to x[i]; n >= 1. Where the near points have fewer than
 * three distinct x, the degree is lower. O(n log n + knots q).
 */
pith_status pith_i_loess(pith_ctx *ctx, int64_t n, const double *x, const double *y, double span,
                         double *fit);

#endif
