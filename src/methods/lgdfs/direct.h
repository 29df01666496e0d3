/* The direct way of methods/lgdfs/models.h, for models.c alone. */
#ifndef PITH_METHODS_LGDFS_DIRECT_H
#define PITH_METHODS_LGDFS_DIRECT_H

#include "methods/lgdfs/models.h"

pith_status pith_i_direct_open(pith_ctx *ctx, pith_i_models *m);
pith_status pith_i_direct_fit(pith_ctx *ctx, pith_i_models *m, const double *z, bool move);
pith_status pith_i_direct_targets(pith_ctx *ctx, const pith_i_models *m, int64_t vectors, double *value,
                                  double *Y);
/* JY = J Y of eigenvectors: M^-1 y = (value + shift) F^-1 y. */
void pith_i_direct_global(const pith_i_models *m, int64_t vectors, const double *value, const double *Y,
                          double *JY);

#endif
