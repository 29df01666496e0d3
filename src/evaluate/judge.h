/* How good a selection is: the data on the selected columns is clustered, and the clusters measured. */
#ifndef PITH_EVALUATE_JUDGE_H
#define PITH_EVALUATE_JUDGE_H

#include "evaluate/comparison.h"
#include "methods/ensemble.h"

/* Values of one measure seen so far. */
typedef struct pith_i_tally {
    int64_t count;
    double mean, squares; /* about the mean (Welford) */
} pith_i_tally;
void pith_i_tally_add(pith_i_tally *t, double value); /* NaN is not counted */
pith_i_figure pith_i_tally_figure(const pith_i_tally *t);

/* Clusters the rows of m, as seen says, on the given columns (NULL: all) and adds what is found to
 * tally[MEASURES]. place tells the runs of different selections apart. restarts is the protocol's or fewer.
 * ensemble: whose groups the best runs are held against; NULL: none. */
pith_status pith_i_judge(pith_ctx *ctx, const pith_matrix *m, const pith_i_data *seen,
                         const pith_i_protocol *protocol, int64_t count, const int64_t *columns,
                         int64_t restarts, uint64_t place, const pith_i_ensemble *ensemble,
                         pith_i_tally *tally);

#endif
