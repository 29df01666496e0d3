/* The contingency table of two labellings, and their mutual information. */
#ifndef PITH_CLUSTER_CONTINGENCY_H
#define PITH_CLUSTER_CONTINGENCY_H

#include "core/core.h"

/*
 * The table of counts t_ab = #{i : first_i = a, second_i = b}, as CSR of the cells that are not 0. Labels
 * are numbers from 0 on; those that occur are renumbered without gaps, in their order. Owned.
 */
typedef struct pith_i_contingency {
    int64_t n;
    int64_t rows, cols;         /* labels that occur in the first, in the second labelling */
    int64_t *row_sum, *col_sum; /* how often each of these labels occurs */
    int64_t *start;             /* rows + 1 */
    int32_t *col;               /* ascending in a row */
    int64_t *count;
} pith_i_contingency;

/* n >= 1. A negative label is PITH_E_ARGUMENT. O(n + largest label) time and memory. */
pith_status pith_i_contingency_make(pith_ctx *ctx, int64_t n, const int32_t *first, const int32_t *second,
                                    pith_i_contingency *out);
/* The same over the rows of all processes; each has its own, or none. Labels are below `rows` and `cols`.
 * O(n + rows cols) time and memory. */
pith_status pith_i_contingency_of_all(pith_ctx *ctx, int64_t n, int64_t rows, const int32_t *first,
                                      int64_t cols, const int32_t *second, pith_i_contingency *out);
void pith_i_contingency_free(pith_i_contingency *table);

/*
 * Mutual information over a mean of the two entropies H1, H2. The papers use PITH_I_NMI_MAX; NRFS cites
 * Strehl & Ghosh (JMLR 2003), who use the geometric mean. 1 where both are 0 (a single cluster each), 0
 * where one is.
 */
typedef enum pith_i_nmi_mean { PITH_I_NMI_MAX, PITH_I_NMI_ARITHMETIC, PITH_I_NMI_GEOMETRIC } pith_i_nmi_mean;
double pith_i_nmi(const pith_i_contingency *table, pith_i_nmi_mean mean);

#endif
