/* Do the features of a table share structure, and what does chance look like there? */
#ifndef PITH_EVALUATE_STRUCTURE_H
#define PITH_EVALUATE_STRUCTURE_H

#include "evaluate/tables.h"

/* The ensemble that `pith rank` uses for evidence, so that both give the same; consensus in the comparison
 * uses it as well. */
extern const pith_i_ensemble_options pith_i_structure_ensemble;
/* Why a table has no evidence, whatever its ensemble; NULL: it has. */
const char *pith_i_structure_why_not(const pith_comparison *c, const pith_i_table *table);

/* Evidence of the features, as by `pith rank --evidence groups`: from 20 samples on, and not where samples
 * come in batches, since those of a batch are not independent of each other. */
pith_status pith_i_structure_find(pith_ctx *ctx, pith_comparison *c, pith_i_table *table);
/* The same for data that is like the table but has no structure. */
pith_status pith_i_structure_control(pith_ctx *ctx, pith_comparison *c, const pith_i_table *table);

/* The entry whose ranking the curve is about: the first of consensus; -1: none. */
int64_t pith_i_curve_entry(const pith_comparison *c);

void pith_i_structure_free(pith_i_structure *s);

#endif
