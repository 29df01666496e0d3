/* The rule behind `-m auto`; docs/choosing.md says the same in words. */
#include "core/engine.h"
#include "matrix/matrix.h"
#include "methods/method.h"

pith_status pith_method_auto(pith_ctx *ctx, const pith_matrix *m, const pith_method **out, const char **why)
{
    pith_i_column_stats stats;
    pith_status st = PITH_OK;
    if (ctx == NULL || m == NULL || out == NULL || why == NULL)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "no matrix or place for the method was given");
    const size_t mark = pith_i_scratch_mark(ctx);
    TRY(pith_i_one_process(ctx, "method auto"));
    TRY(pith_i_column_statistics(ctx, &m->data, NULL, &stats));
    if (pith_i_is_counts(&m->data, &stats)) {
        *out = pith_method_find("energy");
        *why = "no value is negative and fewer than half are nonzero, as in counts of words or transcripts";
    } else {
        *out = pith_method_find("consensus");
        *why = "the data is dense or has negative values";
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
