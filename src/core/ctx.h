/* The inside of a context, for the files of core/ alone. */
#ifndef PITH_CORE_CTX_H
#define PITH_CORE_CTX_H

#include "core/core.h"

/* Bytes held, shared by a context and its blocks: the last of them to go frees it. */
typedef struct pith_i_account {
    _Atomic int64_t owners, in_use, peak;
    _Atomic int64_t fail_in; /* tests: counts down to the allocation that fails */
} pith_i_account;

struct pith_ctx {
    pith_i_account *account;
    void *scratch; /* the block taken last; a mark is the height of the stack */
    size_t scratch_height;
    int threads;      /* 0: all */
    int most_threads; /* what memory allows, while it is known to be scarce; 0: no limit */
    int cores;        /* as OpenMP had it when the context was made: BLAS may change that while it works */
    uint64_t seed;
    const struct pith_engine *engine; /* NULL: local */
    void *engine_self;
    pith_progress_fn *progress;
    void *progress_user;
    pith_note_fn *note;
    void *note_user;
    const char *stage;
    double stage_lo, stage_hi, last_report, reached;
    const char *scope; /* the part of a larger work that the stages belong to; NULL: they are the work */
    double scope_lo, scope_hi;
    char what[160]; /* what the callback is told */
    _Atomic bool stopped;
    char message[1024];
};

pith_i_account *pith_i_account_new(void);
void pith_i_account_drop(pith_i_account *account);
void pith_i_engine_end(pith_ctx *ctx); /* closes what is open; engine.c */

#endif
