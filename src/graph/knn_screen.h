/*
 * Distances of sparse rows in single precision, from below: they say which of a row's candidates deserve the
 * exact formula, which takes five times as long.
 */
#ifndef PITH_GRAPH_KNN_SCREEN_H
#define PITH_GRAPH_KNN_SCREEN_H

#include "graph/knn_rows.h"

typedef struct pith_i_screen {
    const pith_i_rows *R;
    float *norm; /* of every row, shrunk (pith_i_shrunk) */
} pith_i_screen;

/* From scratch. */
pith_status pith_i_screen_make(pith_ctx *ctx, const pith_i_rows *R, pith_i_screen *out);
/* Row i with its zeros in `spread`, p zeros before and after. */
void pith_i_screen_start(const pith_i_screen *s, int64_t i, float *spread);
void pith_i_screen_end(const pith_i_screen *s, int64_t i, float *spread);
/* norm_l - 2 z_i'z_l: with norm_i no more than the squared distance, in the units of z. */
float pith_i_screen_value(const pith_i_screen *s, const float *spread, int64_t l);

#endif
