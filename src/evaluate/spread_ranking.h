/*
 * A comparison whose methods rank over several processes. Each process has a part of the samples. Process 0
 * also has all of them, and does everything else alone: it plans, says what is ranked next, judges and keeps
 * the figures, so that these are what one process finds for the same rankings. For that, the engine is set
 * aside except while a method ranks.
 */
#ifndef PITH_EVALUATE_SPREAD_RANKING_H
#define PITH_EVALUATE_SPREAD_RANKING_H

#include "core/engine.h"
#include "evaluate/tables.h"

typedef struct pith_i_spread_ranking {
    pith_i_engine_held engine; /* in process 0, while it is set aside */
    pith_i_data X;             /* the rows held here, with their place among all rows */
    pith_i_table table;        /* the same with what methods share on it */
    pith_i_names columns;      /* their names, from process 0, which alone may have read the file */
    bool broken;               /* processes are no longer in step: this one can only end */
} pith_i_spread_ranking;

/* Of the matrix that this process holds. All processes call it. The cache is freed by close, before the mark
 * of the caller is released. */
pith_status pith_i_spread_ranking_open(pith_ctx *ctx, const pith_matrix *part, pith_i_spread_ranking *out);
void pith_i_spread_ranking_close(pith_i_spread_ranking *spread);

/* What process 0 asks the others to rank. */
typedef struct pith_i_wish {
    bool more; /* false: nothing, and never again */
    const char *method, *setting;
    int64_t clusters, n_counts;
    const int64_t *counts;
} pith_i_wish;

/* Process 0: begins a ranking of the entry, and ends it with its status. begin fails for an entry that cannot
 * be ranked so; then there is no end. */
pith_status pith_i_spread_ranking_begin(pith_ctx *ctx, pith_i_spread_ranking *spread,
                                        const pith_comparison *c, const pith_i_entry *e);
pith_status pith_i_spread_ranking_end(pith_ctx *ctx, pith_i_spread_ranking *spread, pith_status st);
/* Process 0: there is nothing more to rank. The engine is that of the context again. */
pith_status pith_i_spread_ranking_finish(pith_ctx *ctx, pith_i_spread_ranking *spread);
/* The other processes: receive what to rank next; from scratch. */
pith_status pith_i_spread_ranking_hear(pith_ctx *ctx, pith_i_wish *out);

/* Does a method that fails with this status fail in every process, at the same place? */
bool pith_i_fails_everywhere(pith_status st);

#endif
