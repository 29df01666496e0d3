/* Taking up a comparison where an earlier run stopped. */
#ifndef PITH_REPORT_RESUME_H
#define PITH_REPORT_RESUME_H

#include "evaluate/comparison.h"

/*
 * Entries of c that the JSON at path holds are read from it and count as done. It must come from the same
 * data, feature counts, protocol and seed: PITH_E_DATA says what differs. A file without a fingerprint of its
 * data is accepted with a warning. Failed entries are run again.
 */
pith_status pith_i_resume(pith_ctx *ctx, pith_comparison *c, const char *path);

#endif
