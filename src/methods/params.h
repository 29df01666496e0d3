/* The settings of one method: its struct, filled from its table. */
#ifndef PITH_METHODS_PARAMS_H
#define PITH_METHODS_PARAMS_H

#include "methods/method.h"

struct pith_params {
    const pith_method *method;
    void *values; /* the method's struct; begins with a pith_i_shared */
};

pith_status pith_i_params_copy(pith_ctx *ctx, const pith_params *from, pith_params **out);
static inline pith_i_shared *pith_i_params_shared(const pith_params *params)
{
    return params->values;
}

#endif
