/* One parameter: its value from text and back. A value is held as a double: a choice by its index, yes and no
 * as 1 and 0, auto as NaN. Files are text that only their owner can read. */
#ifndef PITH_CORE_PARAM_H
#define PITH_CORE_PARAM_H

#include "core/core.h"
#include "core/text.h"

/* PITH_E_PARAMETER names the parameter, what it takes and the nearest match. */
pith_status pith_i_param_parse(pith_ctx *ctx, const pith_param *p, const char *text, double *out);
/* What parse takes back unchanged. number is used where a number is to be written. */
const char *pith_i_param_text(const pith_param *p, double v, char number[PITH_I_NUMBER_TEXT]);

#endif
