/* The inside of a pith_result. */
#ifndef PITH_SELECT_RESULT_H
#define PITH_SELECT_RESULT_H

#include "methods/params.h"

struct pith_result {
    pith_params *params; /* with what auto became */
    int64_t p;
    double *score;         /* higher is better; NaN: none */
    unsigned char *reason; /* of pith_i_reason: why there is none */
    int64_t *ranking;      /* best first */
    int64_t *ranking_for;  /* one for each of the params' counts, where they differ; else NULL */
    pith_i_facts facts;
    uint64_t seed;
    double seconds;
    int64_t peak_bytes;
};

#endif
