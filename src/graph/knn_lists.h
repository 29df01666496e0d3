/*
 * Candidate lists. For every row the m rows with the smallest lower bounds of their distance, gathered
 * from tiles of products in any order: tile(I, J) -> merge. Rows come in blocks with a lock each, so tiles
 * may be merged by several threads at once.
 *
 * A tile holds g_il = -2 z_i'z_l in float. Row i keeps bound_il = g_il + norm_l, to which norm_i is added
 * when the lists are read.
 */
#ifndef PITH_GRAPH_KNN_LISTS_H
#define PITH_GRAPH_KNN_LISTS_H

#include "graph/knn_rows.h"
#include "graph/knn_top.h"

enum { PITH_I_MERGE = 32 }; /* columns tested together; blocks are multiples of it */

typedef struct pith_i_lists {
    int64_t n, m, block, blocks;
    double scale;     /* of z: bounds are squares in its units */
    float *norm;      /* pith_i_shrunk of |z_i|^2, +inf: never a candidate; padded to blocks * block rows */
    float *threshold; /* only smaller bounds get in; -inf: none does; padded likewise */
    int64_t *count;   /* candidates of row i */
    pith_i_near *near;
    void *locks;      /* one a block */
    pith_i_knn known; /* from an engine: the neighbours themselves, in place of candidates; else empty */
} pith_i_lists;

/* For progress, where a search is one of several equal parts: parts before it, and all parts. */
typedef struct pith_i_part {
    int64_t before, all;
} pith_i_part;

/* Empty lists of at most m; every row still needs its norm. */
pith_status pith_i_lists_open(pith_ctx *ctx, const pith_i_rows *R, int64_t m, int64_t block,
                              pith_i_lists *out);
/* Row i's products are sums of `terms` terms. Zero rows of the cosine metric neither take nor are
 * candidates: their distances are known. */
void pith_i_lists_set_norm(pith_i_lists *L, const pith_i_rows *R, int64_t i, int64_t terms);
void pith_i_lists_close(pith_i_lists *L);

/* Makes row l a candidate of row i; its bound is below i's threshold. */
static inline void pith_i_lists_push(pith_i_lists *L, int64_t i, int64_t l, float bound)
{
    pith_i_near *near = L->near + i * L->m;
    pith_i_top_push(near, &L->count[i], L->m, (pith_i_near){(double)bound, l});
    if (L->count[i] == L->m)
        L->threshold[i] = (float)near[0].value;
}

/*
 * Merges the tile of rows row.. against columns col.. (both numbers of rows of the data), pairs with i < l
 * only, each for both its rows. Each range lies in one block; col is a multiple of PITH_I_MERGE, and the tile
 * can be read up to the next multiple of it.
 */
void pith_i_lists_merge(pith_i_lists *L, const float *tile, int64_t ld, int64_t row, int64_t rows,
                        int64_t col, int64_t cols);

#endif
