/* The inside of a pith_result. */
#ifndef PITH_SELECT_RESULT_H
#define PITH_SELECT_RESULT_H

#include "core/engine.h"
#include "matrix/matrix.h"
#include "methods/evidence.h"
#include "methods/params.h"
#include "select/keep.h"

struct pith_result {
    pith_params *params; /* auto is resolved */
    int64_t p;
    double *score;         /* higher is better; NaN: none */
    unsigned char *reason; /* of pith_i_reason: why there is none */
    int64_t *ranking;      /* best first */
    int64_t *ranking_for;  /* one for each of the params' counts, where they differ; else NULL */
    int32_t *batches;      /* in how many each feature is among the best; NULL: none were merged */
    int32_t n_batches;     /* that were merged */
    pith_i_facts facts;
    char note[512];           /* of the run as a whole, with that of the facts; "": that of the facts alone */
    pith_i_evidence evidence; /* shown.features 0: none */
    pith_i_curve curve;       /* count 0: none */
    char engine[PITH_I_ENGINE_NAME]; /* that it ran with; "": local */
    uint64_t seed;
    double seconds;
    int64_t peak_bytes;
};

/* Runs the method of r->params on m, by batches if m has them, and fills r. */
pith_status pith_i_result_fill(pith_ctx *ctx, const pith_matrix *m, pith_result *r);

#endif
