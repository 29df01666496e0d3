/*
 * How the searches for neighbours of a run go, and what they came to. Held by the context, as its engine is:
 * methods search in many places, and all of them obey one setting.
 */
#ifndef PITH_CORE_SEARCH_H
#define PITH_CORE_SEARCH_H

#include "core/core.h"

typedef enum pith_i_search_mode {
    PITH_I_SEARCH_AUTO, /* exact up to PITH_I_EXACT_WORK, then approximate */
    PITH_I_SEARCH_EXACT,
    PITH_I_SEARCH_APPROXIMATE
} pith_i_search_mode;

#define PITH_I_RECALL 0.95 /* that an approximate search is to reach, unless told otherwise */
#define PITH_I_EXACT_WORK                                                                                    \
    1e14 /* floating-point operations of an exact search, by estimate: graph/knn_work.h */

typedef struct pith_i_searching {
    pith_i_search_mode mode;
    double wanted;   /* recall */
    int64_t count;   /* searches since pith_i_searching_begin, exact ones among them */
    double measured; /* least recall of the approximate ones; NaN: all were exact */
    double excess;   /* most by which their neighbours are farther than the true ones, as a share; 0: exact */
    double work;     /* most operations that one of them would take, or took, exactly */
} pith_i_searching;

/* The context's; auto at first. Never inside a parallel region. */
pith_i_searching *pith_i_searching_of(pith_ctx *ctx);
/* Starts to count anew; returns what was there. */
pith_i_searching pith_i_searching_begin(pith_ctx *ctx, pith_i_search_mode mode, double wanted);
/* Goes back to what was there, with what was counted since added to it; returns the latter. */
pith_i_searching pith_i_searching_end(pith_ctx *ctx, pith_i_searching before);
/* Do neighbours that were asked for in the one way serve who asks in the other? */
bool pith_i_same_search(const pith_i_searching *a, const pith_i_searching *b);
/* Adds what searches came to, which were done before or elsewhere. */
void pith_i_searching_add(pith_ctx *ctx, const pith_i_searching *what);

#endif
