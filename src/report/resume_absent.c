/* In place of resume.c where PITH_JSON is off. */
#include "report/resume.h"

pith_status pith_i_resume(pith_ctx *ctx, pith_comparison *c, const char *path)
{
    (void)c;
    return pith_i_error(ctx, PITH_E_FILE, "%s: this build of pith has no JSON reader (jansson)", path);
}
