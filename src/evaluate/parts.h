/*
 * A comparison whose methods rank over processes. Each of them has a part of the samples. Process 0 has all
 * of them as well, and does all else alone: it plans, says what is ranked next, judges and keeps the figures,
 * so that these are what one process finds for the same rankings. For that the engine is set aside but while
 * a method ranks.
 */
#ifndef PITH_EVALUATE_PARTS_H
#define PITH_EVALUATE_PARTS_H

#include "core/engine.h"
#include "evaluate/tables.h"

typedef struct pith_i_parts {
    pith_i_engine_held engine; /* in process 0, while it is set aside */
    pith_i_data X;             /* the rows held here, which know their place among all */
    pith_i_table table;        /* the same with what methods share on it */
    pith_i_names columns;      /* as process 0 knows them, which may alone have read the file */
    bool broken;               /* processes are no longer in step: this one can but end */
} pith_i_parts;

/* Of the matrix that this process holds. All processes call it. The cache is freed by close, before the mark
 * of the caller is released. */
pith_status pith_i_parts_open(pith_ctx *ctx, const pith_matrix *part, pith_i_parts *out);
void pith_i_parts_close(pith_i_parts *parts);

/* What process 0 has the others rank. */
typedef struct pith_i_wish {
    bool more; /* false: nothing, and never again */
    const char *method, *setting;
    int64_t clusters, n_counts;
    const int64_t *counts;
} pith_i_wish;

/* Process 0: a ranking of the entry begins, and ends with what it came to. One that cannot be ranked on parts
 * does not begin. */
pith_status pith_i_parts_begin(pith_ctx *ctx, pith_i_parts *parts, const pith_comparison *c,
                               const pith_i_entry *e);
pith_status pith_i_parts_end(pith_ctx *ctx, pith_i_parts *parts, pith_status st);
/* Process 0: there is nothing more to rank. The engine is that of the context again. */
pith_status pith_i_parts_finish(pith_ctx *ctx, pith_i_parts *parts);
/* The others: what is to be ranked; from scratch. */
pith_status pith_i_parts_hear(pith_ctx *ctx, pith_i_wish *out);

/* Does a method that fails so fail in every process, at the same place? */
bool pith_i_fails_everywhere(pith_status st);

#endif
