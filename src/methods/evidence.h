/*
 * Does a feature share structure with the others, beyond chance? It is tested against groups of the samples
 * that were made without it: those of the draws of the balanced design that do not see its block
 * (methods/ensemble.h). If the feature is independent of all others, every permutation of its values is
 * equally likely; chance.h has the resulting null distribution of the share of its variation that lies
 * between the groups.
 */
#ifndef PITH_METHODS_EVIDENCE_H
#define PITH_METHODS_EVIDENCE_H

#include "cluster/chance.h"
#include "methods/ensemble.h"

enum { PITH_I_EVIDENCE_SAMPLES = 20 }; /* fewer have too little power */

/* Why a feature is not tested. The order is that of pith_i_untested_texts. */
typedef enum pith_i_untested {
    PITH_I_TESTED,
    PITH_I_UNTESTED_CONSTANT,
    PITH_I_UNTESTED_RARE,  /* fewer than 5 nonzero values: the null has only a handful of outcomes */
    PITH_I_UNTESTED_ALONE, /* there are too few other features to make groups from */
    PITH_I_UNTESTED_LENGTH /* of counts: given the totals of the samples, only rounding is left */
} pith_i_untested;
extern const char *const pith_i_untested_texts[]; /* NULL for PITH_I_TESTED */
extern const char pith_i_no_structure[];          /* the message if no feature is called */

/* Owned. */
typedef struct pith_i_evidence {
    pith_evidence shown;
    double *lift, *p, *q; /* the arrays that `shown` points to */
    unsigned char *why;   /* of pith_i_untested, of every feature */
} pith_i_evidence;

/* Against groups; e was made with tests. At least PITH_I_EVIDENCE_SAMPLES samples. */
pith_status pith_i_evidence_groups(pith_ctx *ctx, pith_i_cache *cache, const pith_i_ensemble *e,
                                   pith_i_evidence *out);
/*
 * Against a linear kernel: a feature is tested against all features of other blocks at once, by the sum of
 * its squared correlations with them; for counts, by products with sqrt-idf rows of unit length. Exact up to
 * 1,000 samples or 1,000 features. Beyond, the other features are replaced by 1,000 random signed sums of
 * them (fewer if these would take more than 256 MB): the null is that of the sums drawn, so the test stays
 * valid but has less power.
 */
pith_status pith_i_evidence_linear(pith_ctx *ctx, pith_i_cache *cache, pith_i_evidence *out);
void pith_i_evidence_free(pith_i_evidence *evidence);

/* ---- What both share ----------------------------------------------------------------------------------- */

/* The counts whose residuals are tested: of data that is counts and, however dense, of whole numbers too
 * large for pixels, such as reads of tissue samples, whose totals differ. */
typedef struct pith_i_counted {
    const pith_i_data *C, *T;    /* counts, and C'; NULL: the values are tested as they are */
    pith_i_data made, transpose; /* owned, where C and T had to be made: not for sparse raw counts */
} pith_i_counted;
pith_status pith_i_counted_open(pith_ctx *ctx, pith_i_cache *cache, pith_i_counted *out);
void pith_i_counted_close(pith_i_counted *counted);
/* Allocates ev, and marks which features can be tested. */
pith_status pith_i_evidence_open(pith_ctx *ctx, const pith_i_cache *cache, pith_i_evidence *ev);
/* Lift and p-value of feature j from its energy x'Mx. */
void pith_i_evidence_judge(const pith_i_null *null, const pith_i_powers *powers, double energy, int64_t j,
                           pith_i_evidence *ev);
/* q-values from the p-values, and the summary in `shown`. */
pith_status pith_i_evidence_settle(pith_ctx *ctx, pith_i_evidence *ev);

#endif
