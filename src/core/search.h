/*
 * The mode of a run's neighbour searches, and statistics about them. Held by the context, as the engine is:
 * methods search in many places, and one setting applies to all of them.
 */
#ifndef PITH_CORE_SEARCH_H
#define PITH_CORE_SEARCH_H

#include "core/core.h"

typedef enum pith_i_search_mode {
    PITH_I_SEARCH_AUTO, /* exact up to PITH_I_EXACT_WORK, then approximate */
    PITH_I_SEARCH_EXACT,
    PITH_I_SEARCH_APPROXIMATE
} pith_i_search_mode;

#define PITH_I_RECALL 0.95 /* that an approximate search has to reach by default */
#define PITH_I_EXACT_WORK                                                                                    \
    1e14 /* floating-point operations of an exact search, by estimate: graph/knn_work.h */

typedef struct pith_i_searching {
    pith_i_search_mode mode;
    double wanted;   /* recall */
    int64_t count;   /* searches since pith_i_searching_begin, exact ones among them */
    double measured; /* least recall of the approximate ones; NaN: all were exact */
    double excess;   /* most by which their neighbours are farther than the true ones, as a share; 0: exact */
    double work;     /* operations of the largest search, if done exactly */
} pith_i_searching;

/* The context's; auto at first. Never inside a parallel region. */
pith_i_searching *pith_i_searching_of(pith_ctx *ctx);
/* Sets the mode and starts the statistics anew; returns the old state. */
pith_i_searching pith_i_searching_begin(pith_ctx *ctx, pith_i_search_mode mode, double wanted);
/* Returns to the old state, with the statistics since begin added to it; returns these. */
pith_i_searching pith_i_searching_end(pith_ctx *ctx, pith_i_searching before);
/* Can neighbours that were searched for as in a be used for a search as in b? */
bool pith_i_same_search(const pith_i_searching *a, const pith_i_searching *b);
/* Adds the statistics of searches that were done before or elsewhere. */
void pith_i_searching_add(pith_ctx *ctx, const pith_i_searching *what);

#endif
