/* The evidence in one sentence, the same in the command, the table and the page of a comparison. */
#include "methods/evidence.h"

#include "core/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double SPARSE_HALVES = 0.1; /* halves of sparse counts agree poorly whatever their structure */

const char pith_i_no_structure[] = "no feature stands out from chance: the features of this data share no "
                                   "structure, or there are too few samples";

const char *pith_evidence_text(const pith_evidence *e, char *text, size_t size)
{
    char called[32], all[32], halves[80] = "";
    if (e->called == 0) {
        (void)snprintf(text, size, "%s", pith_i_no_structure);
        return text;
    }
    if (!isnan(e->halves) && (!e->counts || e->halves > SPARSE_HALVES)) {
        const long percent = lround(100 * e->halves); /* in whole numbers: the sentence has no locale */
        (void)snprintf(halves, sizeof halves, "; agreement between halves of the features: %s%ld.%02ld",
                       percent < 0 ? "-" : "", labs(percent) / 100, labs(percent) % 100);
    }
    (void)snprintf(text, size,
                   "%s of %s features %s structure at a false discovery rate of 5 %% (smallest q %.0e)%s",
                   pith_i_count_text(e->called, called), pith_i_count_text(e->features, all),
                   e->called == 1 ? "shares" : "share", e->smallest_q, halves);
    return text;
}
