/* Rows that are spread over the processes of an engine. */
#ifndef PITH_SELECT_SPREAD_H
#define PITH_SELECT_SPREAD_H

#include "select/result.h"

/*
 * X, the rows that this process holds, learns which of all rows they are. What cannot be done with rows apart
 * from each other is PITH_E_PARAMETER, before any work. Nothing happens where there is one process.
 */
pith_status pith_i_spread_rows(pith_ctx *ctx, const pith_matrix *m, const pith_params *params,
                               pith_i_data *X);

#endif
