/*
 * Synthetic tables whose informative features are known. Sample i is a function of (seed, i) and of the
 * settings, so the number of threads cannot change a value.
 */
#ifndef PITH_SYNTH_SYNTH_H
#define PITH_SYNTH_SYNTH_H

#include "matrix/matrix.h"

/* Into the empty matrix: data, feature names, labels. What they hold is said at pith_synth_* in pith.h. */
pith_status pith_i_synth_nrfs(pith_ctx *ctx, double half_width, pith_matrix *out);
pith_status pith_i_synth_blobs(pith_ctx *ctx, const pith_blobs *blobs, pith_matrix *out);

#endif
