/*
 * Orthogonal non-negative cluster indicators F (n x c, row-major) by multiplicative steps, for
 *
 *     min_F  h(F) + (g/2) ||F'F - I||_F^2,   F >= 0,   half of h's gradient split as pos - neg, both >= 0
 *
 * A step is F <- F .* ((neg + g F) ./ (pos + g F F'F)), or with the fourth root of that quotient. Where h is
 * quadratic, the penalty is of fourth order, and with the root no step can raise the objective; without it,
 * steps are longer, and in practice the objective falls as well. Fixed points are the same: F .* gradient =
 * 0. An entry that is 0 stays 0. `samples` says n, and which rows are held here if they are spread over
 * processes; its values are not read.
 */
#ifndef PITH_LINALG_INDICATOR_H
#define PITH_LINALG_INDICATOR_H

#include "matrix/data.h"

/* 1 where label_i = k, plus 0.2 everywhere, then columns to unit norm. Added after the scaling, 0.2 would
 * outweigh the labels of large clusters. Labels lie in 0..c-1. */
pith_status pith_i_indicator_start(pith_ctx *ctx, const pith_i_data *samples, int64_t c, const int32_t *label,
                                   double *F);

typedef enum pith_i_indicator_rate { PITH_I_WHOLE_STEP, PITH_I_FOURTH_ROOT } pith_i_indicator_rate;

/* Doubles of room that a step needs. */
static inline int64_t pith_i_indicator_room(int64_t n, int64_t c)
{
    return n * c + c * c;
}

/* O(n c^2): F'F is c x c, and nothing is n x n. */
pith_status pith_i_indicator_step(pith_ctx *ctx, const pith_i_data *samples, int64_t c, double g,
                                  const double *pos, const double *neg, pith_i_indicator_rate rate,
                                  double *room, double *F);
/* F <- max(F, 1e-12), so that nothing is stuck at 0, then columns to unit norm. */
pith_status pith_i_indicator_rescale(pith_ctx *ctx, const pith_i_data *samples, int64_t c, double *F);
/* ||F'F - I||_F^2; room as for a step. */
pith_status pith_i_indicator_defect(pith_ctx *ctx, const pith_i_data *samples, int64_t c, const double *F,
                                    double *room, double *out);

#endif
