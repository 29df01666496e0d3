/* The iterative way of methods/lgdfs/models.h, for models.c alone. */
#ifndef PITH_METHODS_LGDFS_STEPS_H
#define PITH_METHODS_LGDFS_STEPS_H

#include "methods/lgdfs/models.h"

pith_status pith_i_steps_open(pith_ctx *ctx, pith_i_models *m);
pith_status pith_i_steps_fit(pith_ctx *ctx, pith_i_models *m, const double *z, bool move);
/* Leaves J Y in the first columns of m->U. */
pith_status pith_i_steps_targets(pith_ctx *ctx, pith_i_models *m, int64_t vectors, double *value, double *Y);

#endif
