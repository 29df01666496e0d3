/* Best and median over settings, as the papers report, and the order of the methods. */
#ifndef PITH_EVALUATE_SUMMARY_H
#define PITH_EVALUATE_SUMMARY_H

#include "evaluate/comparison.h"

/* Of one method by one measure; entry -1: nothing was measured. */
typedef struct pith_i_best {
    pith_i_figure figure;
    int64_t features, entry;
    double median; /* over the method's settings at that number of features */
    bool wins;     /* the best of all methods */
    bool ties;     /* not distinguishable from the best: within two standard errors of the difference */
} pith_i_best;

typedef struct pith_i_standing {
    const char *method;
    bool yardstick;
    bool supervised; /* it saw the labels that it is measured by: a yardstick that never wins or ties */
    double seconds;  /* of the best entry by the sorting measure */
    int64_t peak_bytes;
    pith_i_best by[MEASURES];
} pith_i_standing;

/*
 * One standing per method, best first by the protocol's measure, ties in the order of entries; those
 * without a figure last. From scratch. At the given number of features, each measure by its own best setting;
 * features 0: at the number and setting that are best by the protocol's measure, all measures of that one.
 */
pith_status pith_i_standings(pith_ctx *ctx, const pith_comparison *c, int64_t features, int64_t *count,
                             pith_i_standing **out);
/* Higher is better, but for redundancy. */
bool pith_i_measure_higher(pith_i_measure measure);
bool pith_i_is_yardstick(const char *method);

#endif
