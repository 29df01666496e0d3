/*
 * Overlapping groups of points, by nearest random leaders: every point belongs to the cells of its nearest
 * few leaders. Cells of more than PITH_I_LEAF points are cut again, by leaders of their own and without
 * overlap.
 */
#ifndef PITH_GRAPH_KNN_CELLS_H
#define PITH_GRAPH_KNN_CELLS_H

#include "graph/knn_cloud.h"

enum { PITH_I_LEAF = 1024, PITH_I_CELLS_EACH = 8 }; /* most points of a leaf; most cells of a point */

typedef struct pith_i_leaders {
    int64_t count;
    float *y, *norm; /* y as in the cloud, ld apart; norm: |y|^2 */
} pith_i_leaders;

float pith_i_leader_norm(const float *y, int64_t d);
/* The points that are leaders of partition `round`: `count` of n, ascending. */
void pith_i_leaders_draw(uint64_t seed, uint64_t round, int64_t n, int64_t count, int32_t *out);
/* The `each` nearest leaders of every point, in tiles of PITH_I_MEETING points from the first one on. */
enum { PITH_I_MEETING = 128 };
pith_status pith_i_leaders_meet(pith_ctx *ctx, const pith_i_cloud *P, const pith_i_leaders *L, int64_t each,
                                int32_t *nearest);

typedef struct pith_i_cells {
    int64_t count;
    int64_t *start;        /* cell c has the points member[start[c]] to before member[start[c + 1]], */
    int32_t *member;       /* ascending */
    const int32_t *number; /* of each cell, which keys its random numbers; NULL: cell c has number c */
} pith_i_cells;

/* Partition number `round` with `each` cells for every point; from scratch. */
pith_status pith_i_cells_make(pith_ctx *ctx, const pith_i_cloud *P, int64_t leaders, int64_t each,
                              uint64_t round, pith_i_cells *out);

/* Sets start and member, which have room, from the `each` cells of every point; count is set. */
void pith_i_cells_sort(int64_t n, int64_t each, const int32_t *nearest, pith_i_cells *cells);

/* Work space of one thread for cutting cells; from scratch. */
typedef struct pith_i_cutter {
    float *rows, *leaders, *norm, *tile;
    int32_t *nearest, *sorted;
} pith_i_cutter;
pith_status pith_i_cutter_make(pith_ctx *ctx, const pith_i_cloud *P, int64_t largest, pith_i_cutter *out);

/*
 * Puts the members in the order of the leaves that they are cut into and calls `leaf` for each. `place` keys
 * the random numbers. Points that cannot be told apart are cut by their number.
 */
typedef void pith_i_leaf_fn(void *self, int64_t count, const int32_t *member);
void pith_i_cut(const pith_i_cutter *cutter, const pith_i_cloud *P, uint64_t seed, uint64_t place,
                int64_t count, int32_t *member, pith_i_leaf_fn *leaf, void *self);

#endif
