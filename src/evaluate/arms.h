/* The tables of a comparison: the data itself, some of its classes, or some of its rows. */
#ifndef PITH_EVALUATE_ARMS_H
#define PITH_EVALUATE_ARMS_H

#include "evaluate/comparison.h"
#include "methods/ensemble.h"

/* One table, with what methods share on it. */
typedef struct pith_i_arm {
    const pith_matrix *m;
    pith_matrix *owned; /* NULL: m is the user's */
    pith_i_parts parts;
    pith_i_view seen;                /* of the rows by the clusterer that judges */
    const pith_i_ensemble *ensemble; /* of the parts, to judge by; NULL: there is none */
} pith_i_arm;

typedef struct pith_i_arms {
    pith_i_arm *at; /* from scratch: free the arms before the caller's mark is released */
    int64_t count;
} pith_i_arms;

/* What selections are judged on: all of the data, whose parts are taken over, or as many draws of classes as
 * the protocol has. */
pith_status pith_i_arms_judged(pith_ctx *ctx, const pith_comparison *c, pith_i_parts *parts,
                               pith_i_arms *out);
/* What stability is seen on: as many draws of four fifths of the rows, without repeats, as the protocol has;
 * each is a copy. */
pith_status pith_i_arms_subsamples(pith_ctx *ctx, const pith_comparison *c, pith_i_arms *out);
void pith_i_arms_free(pith_i_arms *arms);

#endif
