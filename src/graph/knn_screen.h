/*
 * Lower bounds of the distances between sparse rows, in single precision: they say which of a row's
 * candidates need the exact formula, which takes five times as long.
 */
#ifndef PITH_GRAPH_KNN_SCREEN_H
#define PITH_GRAPH_KNN_SCREEN_H

#include "graph/knn_rows.h"

typedef struct pith_i_screen {
    const pith_i_rows *R;
    float *norm; /* of every row, lowered: pith_i_shrunk */
} pith_i_screen;

/* From scratch. */
pith_status pith_i_screen_make(pith_ctx *ctx, const pith_i_rows *R, pith_i_screen *out);
/* Start writes row i with its zeros to `spread`, p zeros; end makes them zeros again. */
void pith_i_screen_start(const pith_i_screen *s, int64_t i, float *spread);
void pith_i_screen_end(const pith_i_screen *s, int64_t i, float *spread);
/* norm_l - 2 z_i'z_l: plus norm_i, no more than the squared distance, in the units of z. */
float pith_i_screen_value(const pith_i_screen *s, const float *spread, int64_t l);

#endif
