/* One run of one method: what it needs is built, its settings resolved, its scores taken. */
#ifndef PITH_METHODS_RUN_H
#define PITH_METHODS_RUN_H

#include "methods/params.h"

typedef struct pith_i_outcome {
    double *score;         /* p, the paper's own sign; NaN: none */
    unsigned char *reason; /* p, of pith_i_reason: why there is none */
    int64_t *order;        /* p, best first, if the method ordered the features itself; else NULL */
    double *score_at;      /* n_counts x p, where the scores depend on the count of features; else NULL */
    pith_i_facts facts;
    pith_i_after after;
    pith_i_reuse reuse;
} pith_i_outcome;

/*
 * The cache is that of X. params is the caller's copy: what was auto becomes what it was resolved to. The
 * data must be finite. labels are handed on to methods that declare NEEDS_LABELS and to no others; NULL where
 * there are none.
 */
pith_status pith_i_run(pith_ctx *ctx, pith_i_cache *cache, const int32_t *labels, int32_t classes,
                       pith_params *params, pith_i_outcome *out);
/* Is there a label for each of the n samples in a clustering to start from, if there is one? */
pith_status pith_i_start_check(pith_ctx *ctx, const pith_i_start *start, int64_t n);
void pith_i_outcome_free(pith_i_outcome *outcome);
/* How many eigenvalues of a graph of so many samples pith_i_eigengap compares, 3 at least. A graph that has
 * too few edges is PITH_E_DATA. */
pith_status pith_i_eigengap_values(pith_ctx *ctx, const pith_i_graph *graph, int64_t samples, int64_t *out);

#endif
