/* The workspace of evaluations of stochastic neighbours: tiles of similarities, and sums to be added in
 * order. */
#ifndef PITH_METHODS_SNFS_STOCHASTIC_ROOM_H
#define PITH_METHODS_SNFS_STOCHASTIC_ROOM_H

#include "methods/snfs/stochastic.h"

/* Blocks whose sums are held at once, whatever the number of threads, and then added in order. */
enum { PITH_I_WAVE = 16 };
enum { PITH_I_COLUMNS = 256 }; /* of the first part, in one product */

/* What one block adds. */
typedef struct pith_i_block_sums {
    double value;
    double *moment, *curvature;   /* p */
    double *column, *column_by_b; /* n, euclidean: sum_i M_ij and sum_i b_i M_ij */
} pith_i_block_sums;

struct pith_i_stochastic_room {
    int threads;
    const double *w;       /* the weights that the next five fields are for: */
    int64_t m;             /* columns of the first part with w > 0, */
    int64_t *kept;         /* which they are, */
    double *root;          /* sqrt(w), */
    double *packed;        /* n x m: times sqrt(w), so that a product of two rows has w once, */
    double *a;             /* and n, euclidean: sum_t w_t x_it^2 */
    double *tile;          /* block x n per thread */
    double *product;       /* 3 x block x PITH_I_COLUMNS per thread */
    double *power;         /* n x PITH_I_COLUMNS per thread */
    float *tile_single;    /* the same in floats, if S->centred is there */
    float *product_single; /* block x PITH_I_COLUMNS per thread */
    float *power_single;
    double *column, *column_by_b; /* n: sums over all blocks */
    pith_i_block_sums sum[PITH_I_WAVE];
};

pith_status pith_i_stochastic_room_make(pith_ctx *ctx, const pith_i_stochastic *S,
                                        pith_i_stochastic_room **out);
/* Room for products of floats too. */
pith_status pith_i_stochastic_room_single(pith_ctx *ctx, const pith_i_stochastic *S);
/* Prepares the room for tiles of the weights w. */
void pith_i_stochastic_pack(const pith_i_stochastic *S, const double *w);
/* tile[r * n + j] = s_ij(w) for i = first + r; s_ii is computed like the others. */
void pith_i_stochastic_tile(const pith_i_stochastic *S, int64_t first, int64_t rows, double *tile);

static inline int64_t pith_i_stochastic_blocks(const pith_i_stochastic *S)
{
    return (S->n + S->block - 1) / S->block;
}

#endif
