/* The value of a parameter from text and back. It is a double: a choice by its index, yes and no as 1 and 0,
 * auto as NaN. Not for PITH_FILE and PITH_NAME, whose values are text. */
#ifndef PITH_CORE_PARAM_H
#define PITH_CORE_PARAM_H

#include "core/core.h"
#include "core/text.h"

/* PITH_E_PARAMETER names the parameter, what it takes and the nearest match. */
pith_status pith_i_param_parse(pith_ctx *ctx, const pith_param *p, const char *text, double *out);
/* Text that parse takes back unchanged. A number is written to `number`, which is then returned. */
const char *pith_i_param_text(const pith_param *p, double v, char number[PITH_I_NUMBER_TEXT]);

#endif
