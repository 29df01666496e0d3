/* The tables of a comparison: the data itself, some of its classes, or some of its rows. */
#ifndef PITH_EVALUATE_TABLES_H
#define PITH_EVALUATE_TABLES_H

#include "evaluate/comparison.h"
#include "methods/ensemble.h"

/* One table, with what methods share on it. */
typedef struct pith_i_table {
    const pith_matrix *m;
    pith_matrix *owned; /* NULL: m is the user's */
    pith_i_cache cache;
    pith_i_view view;                /* of the rows, as the judge clusters them */
    const pith_i_ensemble *ensemble; /* of the cache, to judge by; NULL: there is none */
} pith_i_table;

typedef struct pith_i_tables {
    pith_i_table *at; /* from scratch: free the tables before the caller's mark is released */
    int64_t count;
} pith_i_tables;

/* What selections are judged on: all of the data, whose cache is taken over, or as many draws of classes as
 * the protocol has. */
pith_status pith_i_tables_judged(pith_ctx *ctx, const pith_comparison *c, pith_i_cache *cache,
                                 pith_i_tables *out);
/* What stability is measured on: as many draws of four fifths of the rows, without repeats, as the protocol
 * has; each is a copy. */
pith_status pith_i_tables_subsamples(pith_ctx *ctx, const pith_comparison *c, pith_i_tables *out);
void pith_i_tables_free(pith_i_tables *tables);

#endif
