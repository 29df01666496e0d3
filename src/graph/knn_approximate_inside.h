/* The steps of an approximate search, as the search in one process and the one over several take them. */
#ifndef PITH_GRAPH_KNN_APPROXIMATE_INSIDE_H
#define PITH_GRAPH_KNN_APPROXIMATE_INSIDE_H

#include "graph/knn_reach.h"
#include "graph/knn_screen.h"

enum {
    PITH_I_MORE = 2,     /* candidates beyond k where estimates have rounding errors only, */
    PITH_I_LISTED = 32,  /* where they come from truncated inverted lists, */
    PITH_I_WIDEST = 128, /* and at most where estimates lack what a projection lost */
    PITH_I_EACH = 6,     /* cells of a point in a partition */
    PITH_I_HOPS = 8,     /* neighbours whose neighbours are looked at */
    PITH_I_ROUNDS = 12   /* partitions at most */
};

/* From candidates to neighbours. */
typedef struct pith_i_settling {
    const pith_i_rows *R;
    const pith_i_cloud *P; /* only its row and point are read */
    const pith_i_found *F;
    const pith_i_screen *screen; /* of sparse rows */
    bool screened;               /* the values in F's lists are the screen's */
    const int64_t *zero;         /* the first zero rows of the cosine metric */
    int64_t zeros;
    pith_i_knn *knn;
} pith_i_settling;

/* The k nearest candidates of these rows, by exact distance; rows NULL: of all, in the order of points. */
pith_status pith_i_settle(pith_ctx *ctx, const pith_i_settling *s, int64_t count, const int64_t *rows);

typedef struct pith_i_plan {
    int64_t m;      /* candidates of every row */
    double wanted;  /* recall, no higher than these candidates can bring */
    int64_t rounds; /* at most */
} pith_i_plan;
/* For rows that are projected. */
pith_i_plan pith_i_plan_choose(const pith_i_reach *reach, const pith_i_sample *sample, int64_t k,
                               double wanted);

typedef struct pith_i_rounds {
    void *self;
    pith_status (*look)(pith_ctx *ctx, void *self, int64_t round); /* adds candidates; rounds count from 1 */
    pith_status (*measure)(pith_ctx *ctx, void *self, int64_t round, pith_i_knn *knn); /* recall, excess */
} pith_i_rounds;
/* Rounds until the recall is as high as wanted, or stalls below; knn->recall is the last one measured. */
pith_status pith_i_search_rounds(pith_ctx *ctx, const pith_i_rounds *r, const pith_i_plan *how,
                                 pith_i_knn *knn);

#endif
