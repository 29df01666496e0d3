/* One run of one method: builds what it needs, resolves its settings, computes its scores. */
#ifndef PITH_METHODS_RUN_H
#define PITH_METHODS_RUN_H

#include "methods/params.h"

typedef struct pith_i_outcome {
    double *score;         /* p, the paper's own sign; NaN: none */
    unsigned char *reason; /* p, of pith_i_reason: why there is none */
    int64_t *order;        /* p, best first, if the method ordered the features itself; else NULL */
    double *score_at; /* n_counts x p, if the scores depend on the number of features asked for; else NULL */
    pith_i_facts facts;
    pith_i_after after;
    pith_i_reuse reuse;
} pith_i_outcome;

/*
 * The data is that of the cache, and must be finite. params is the caller's copy: settings that were auto are
 * replaced by what was chosen. labels are passed only to methods that declare NEEDS_LABELS; NULL: none.
 */
pith_status pith_i_run(pith_ctx *ctx, pith_i_cache *cache, const int32_t *labels, int32_t classes,
                       pith_params *params, pith_i_outcome *out);
/* PITH_E_DATA unless the initial clustering, if any, has a label for each of the n samples. */
pith_status pith_i_start_check(pith_ctx *ctx, const pith_i_start *start, int64_t n);
void pith_i_outcome_free(pith_i_outcome *outcome);
/* How many eigenvalues of the graph pith_i_eigengap compares, at least 3. samples: those of all processes.
 * PITH_E_DATA if the graph has too few edges. */
pith_status pith_i_eigengap_values(pith_ctx *ctx, const pith_i_graph *graph, int64_t samples, int64_t *out);

#endif
