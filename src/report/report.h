/* The forms in which a comparison is written. */
#ifndef PITH_REPORT_REPORT_H
#define PITH_REPORT_REPORT_H

#include "evaluate/picture.h"
#include "evaluate/summary.h"
#include "report/json.h"

#include <stdio.h>

void pith_i_put_rows(FILE *out, const pith_comparison *c, char separator);
pith_status pith_i_put_table(pith_ctx *ctx, FILE *out, const pith_comparison *c);
/* Everything, as docs/evaluating.md lists it; the page is drawn from the same object. */
pith_status pith_i_put_json(pith_ctx *ctx, FILE *out, const pith_comparison *c,
                            const pith_comparison_about *about);
pith_status pith_i_put_page(pith_ctx *ctx, FILE *out, const pith_comparison *c,
                            const pith_comparison_about *about);
/* The member "evidence" of that object. */
pith_status pith_i_put_structure(pith_ctx *ctx, pith_i_json *j, const pith_comparison *c);
/* "curve":[{"features":..,"agreement":..}, ..] */
void pith_i_json_curve(pith_i_json *j, const pith_i_curve *curve);
const char *pith_i_control_kind(const pith_comparison *c); /* in two or three words */

#endif
