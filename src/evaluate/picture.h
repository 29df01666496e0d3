/* What the report draws besides figures: how far selections overlap, maps of the samples, and which features
 * a plot of evidence shows. */
#ifndef PITH_EVALUATE_PICTURE_H
#define PITH_EVALUATE_PICTURE_H

#include "evaluate/summary.h"
#include "evaluate/tables.h"

enum { PITH_I_MAP_SAMPLES = 2000 };

/*
 * The map of the samples. whole: the table of all of them, if it was judged, or NULL. PITH_E_DATA where the
 * graph is too small or has no structure to show. It takes as long as a method: the run makes it once, and
 * whoever writes the comparison only reads it.
 */
pith_status pith_i_map_make(pith_ctx *ctx, const pith_comparison *c, pith_i_table *whole, pith_i_map *out);
void pith_i_map_free(pith_i_map *map);

enum { PITH_I_PLOT_POINTS = 2000, PITH_I_PLOT_EXTREMES = 200 };

/*
 * Features that were tested, from the smallest q on, of equal ones the larger lift first: all, or
 * PITH_I_PLOT_POINTS of them, which are the PITH_I_PLOT_EXTREMES of smallest q, as many of largest lift, and
 * the rest at even steps. From scratch.
 */
pith_status pith_i_points_pick(pith_ctx *ctx, const pith_evidence *e, int64_t *count, int64_t **features);

/* |A n B| / features of the two entries' best features. */
double pith_i_overlap(const pith_comparison *c, int64_t a, int64_t b, int64_t features, bool *mark);
/* The middle of the counts, at which selections are compared with each other. */
int64_t pith_i_middle_count(const pith_comparison *c);

#endif
