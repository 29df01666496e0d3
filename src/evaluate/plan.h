/* From options to what is to be run: the methods, their settings, the feature counts, the protocol. */
#ifndef PITH_EVALUATE_PLAN_H
#define PITH_EVALUATE_PLAN_H

#include "evaluate/comparison.h"

enum { PITH_I_JUDGE_NEIGHBORS = 5 };

/* Copies the next word of a list "a,b,c" and moves past it; false at the end. */
bool pith_i_next_word(const char **list, char *word, size_t size);

/* c->counts, from `features`, the protocol or the width of the data. */
pith_status pith_i_plan_counts(pith_ctx *ctx, pith_comparison *c, const char *features);
/* c->entries: every method with every combination of its grid, then the yardsticks. */
pith_status pith_i_plan_entries(pith_ctx *ctx, pith_comparison *c, const pith_compare_options *o);
/* The parameters of an entry, again from its method and setting. clusters: pith_i_told_clusters. Free *out,
 * also on failure. */
pith_status pith_i_plan_params(pith_ctx *ctx, const char *method, const char *setting, int64_t clusters,
                               const pith_compare_options *o, pith_params **out);
/* The number of clusters that methods are told; 0: none. */
int64_t pith_i_told_clusters(const pith_i_protocol *p);
/* The paper's settings, or those of the options; clusters is 0 if it must be estimated from the data. The
 * cache is that of m. */
pith_status pith_i_plan_protocol(pith_ctx *ctx, const pith_matrix *m, pith_i_cache *cache,
                                 const pith_compare_options *o, pith_i_protocol *out);
/* How the comparison itself searches for neighbours, for its judges, its structure and its map: as its
 * methods are told to. */
pith_status pith_i_plan_search(pith_ctx *ctx, const pith_compare_options *o, pith_i_search_mode *mode,
                               double *recall);
/* The graph that samples are clustered by, with so many neighbours, at most n - 1. With these options and the
 * view of pith_i_protocol_view, the cache of the table builds it once. */
pith_i_graph_options pith_i_protocol_graph(const pith_i_protocol *p, int64_t neighbors, int64_t n);
int pith_i_protocol_view(const pith_i_protocol *p);
/* The feature counts of the protocol of that name; NULL: it sets none. */
const char *pith_i_protocol_features(const char *name);

#endif
