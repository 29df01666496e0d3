/*
 * Is a feature more than chance? It is held against groups of the samples that were made without it: those of
 * the draws of the balanced design that do not see its block (methods/ensemble.h). If the feature has nothing
 * to do with all others, any order of its values is as likely as another, and chance.h has what that makes of
 * the share of its variation between the groups.
 */
#ifndef PITH_METHODS_EVIDENCE_H
#define PITH_METHODS_EVIDENCE_H

#include "methods/ensemble.h"

enum { PITH_I_EVIDENCE_SAMPLES = 20 }; /* fewer say too little */

/* Why a feature is not tested. The order is that of pith_i_untested_texts. */
typedef enum pith_i_untested {
    PITH_I_TESTED,
    PITH_I_UNTESTED_CONSTANT,
    PITH_I_UNTESTED_RARE, /* fewer than 5 values that are not 0: chance has a handful of outcomes */
    PITH_I_UNTESTED_ALONE /* there are too few features for groups that were made without it */
} pith_i_untested;
extern const char *const pith_i_untested_texts[]; /* NULL for PITH_I_TESTED */

/* Owned. */
typedef struct pith_i_evidence {
    pith_evidence shown;
    double *lift, *p, *q; /* what `shown` shows */
    unsigned char *why;   /* of pith_i_untested, of every feature */
} pith_i_evidence;

/* By groups: e has tests. At least PITH_I_EVIDENCE_SAMPLES samples. */
pith_status pith_i_evidence_groups(pith_ctx *ctx, pith_i_parts *parts, const pith_i_ensemble *e,
                                   pith_i_evidence *out);
void pith_i_evidence_free(pith_i_evidence *evidence);

#endif
