/*
 * Is a feature more than chance? It is tested against groups of the samples that were made without it: those
 * of the draws of the balanced design that do not see its block (methods/ensemble.h). If the feature has
 * nothing to do with all others, any order of its values is as likely as another, and chance.h has what that
 * makes of the share of its variation between the groups.
 */
#ifndef PITH_METHODS_EVIDENCE_H
#define PITH_METHODS_EVIDENCE_H

#include "cluster/chance.h"
#include "methods/ensemble.h"

enum { PITH_I_EVIDENCE_SAMPLES = 20 }; /* fewer say too little */

/* Why a feature is not tested. The order is that of pith_i_untested_texts. */
typedef enum pith_i_untested {
    PITH_I_TESTED,
    PITH_I_UNTESTED_CONSTANT,
    PITH_I_UNTESTED_RARE,  /* fewer than 5 values that are not 0: chance has a handful of outcomes */
    PITH_I_UNTESTED_ALONE, /* there are too few features for groups that were made without it */
    PITH_I_UNTESTED_LENGTH /* of counts: given the length, nothing but rounding is left */
} pith_i_untested;
extern const char *const pith_i_untested_texts[]; /* NULL for PITH_I_TESTED */
extern const char pith_i_no_structure[];          /* what is said where nothing is called */

/* Owned. */
typedef struct pith_i_evidence {
    pith_evidence shown;
    double *lift, *p, *q; /* what `shown` shows */
    unsigned char *why;   /* of pith_i_untested, of every feature */
} pith_i_evidence;

/* By groups: e has tests. At least PITH_I_EVIDENCE_SAMPLES samples. */
pith_status pith_i_evidence_groups(pith_ctx *ctx, pith_i_cache *cache, const pith_i_ensemble *e,
                                   pith_i_evidence *out);
/*
 * By a linear kernel: a feature is tested against all features of other blocks at once, by the sum of the
 * squares of its correlations with them; of counts, by products with rows of sqrt-idf to unit length. Exact
 * up to 1,000 samples or 1,000 features. Of more, the features take part in 1,000 random sums of them (fewer
 * where that would be more than 256 MB): chance knows what was drawn, but there is less power.
 */
pith_status pith_i_evidence_linear(pith_ctx *ctx, pith_i_cache *cache, pith_i_evidence *out);
void pith_i_evidence_free(pith_i_evidence *evidence);

/* ---- What both share ------------------------------------------------------------------------------------
 */

/* The counts whose residuals are tested: of counts, and however dense they are of whole numbers beyond any
 * pixel, such as reads of a tissue, whose samples differ in length. */
typedef struct pith_i_counted {
    const pith_i_data *C, *T;    /* counts, and C'; NULL: the values are tested as they are */
    pith_i_data made, transpose; /* where these had to be made; raw counts that are sparse are at hand */
} pith_i_counted;
pith_status pith_i_counted_open(pith_ctx *ctx, pith_i_cache *cache, pith_i_counted *out);
void pith_i_counted_close(pith_i_counted *counted);
/* Room, and which features can be tested. */
pith_status pith_i_evidence_open(pith_ctx *ctx, const pith_i_cache *cache, pith_i_evidence *ev);
/* Lift and p of feature j, whose energy x'Mx is known. */
void pith_i_evidence_judge(const pith_i_null *null, const pith_i_powers *powers, double energy, int64_t j,
                           pith_i_evidence *ev);
/* From p to q and what sums it up. */
pith_status pith_i_evidence_settle(pith_ctx *ctx, pith_i_evidence *ev);

#endif
