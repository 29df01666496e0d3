/* How good a selection is: the data on the selected columns is clustered, and the clusters measured. */
#ifndef PITH_EVALUATE_JUDGE_H
#define PITH_EVALUATE_JUDGE_H

#include "evaluate/tables.h"

/* Values of one measure seen so far. */
typedef struct pith_i_tally {
    int64_t count;
    double mean, squares; /* about the mean (Welford) */
} pith_i_tally;
void pith_i_tally_add(pith_i_tally *t, double value); /* NaN is not counted */
pith_i_figure pith_i_tally_figure(const pith_i_tally *t);

/* Clusters the rows of the table's view on the given columns (NULL: all) and adds the measures to
 * tally[MEASURES]. place gives every selection random starts of its own. restarts is the protocol's or
 * fewer. */
pith_status pith_i_judge(pith_ctx *ctx, pith_i_table *table, const pith_i_protocol *protocol, int64_t count,
                         const int64_t *columns, int64_t restarts, uint64_t place, pith_i_tally *tally);

#endif
