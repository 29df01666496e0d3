/* The inside of a pith_result. */
#ifndef PITH_SELECT_RESULT_H
#define PITH_SELECT_RESULT_H

#include "methods/params.h"

struct pith_result {
    pith_params *params; /* with what auto became */
    int64_t p;
    double *score;    /* higher is better; NaN: none */
    int64_t *ranking; /* best first */
    pith_i_facts facts;
    uint64_t seed;
    double seconds;
    int64_t peak_bytes;
};

#endif
