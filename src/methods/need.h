/* What a run is known to hold in memory at once, from sizes and settings alone. */
#ifndef PITH_METHODS_NEED_H
#define PITH_METHODS_NEED_H

#include "methods/params.h"

/*
 * PITH_E_NOMEM, with the need and the limit in the message, if the run would run out of memory later. The
 * need is the larger of what the method's descriptor says and of what its graph takes: the rows in single
 * precision that an exact search in dense data multiplies, or the edges of all pairs. What can lie in a
 * scratch file is not counted: a run that passes may still fail.
 */
pith_status pith_i_check_need(pith_ctx *ctx, const pith_i_data *X, const pith_params *params);

#endif
