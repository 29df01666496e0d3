/*
 * The engine of a context, and what goes through it whatever the engine is: sums and exchanges over
 * processes. Neighbours go through it in graph/knn_engine.c, eigenpairs in linalg/eigen_engine.c.
 */
#ifndef PITH_CORE_ENGINE_H
#define PITH_CORE_ENGINE_H

#include "core/core.h"
#include "pith-engine.h"

extern const pith_engine pith_i_local_engine; /* no operation of its own: all of them are pith's */

const pith_engine *pith_i_engine(const pith_ctx *ctx); /* never NULL */
void *pith_i_engine_self(const pith_ctx *ctx);
/* Its name for output: "" if it is local, which is not mentioned. */
enum { PITH_I_ENGINE_NAME = 40 };
void pith_i_engine_noted(const pith_ctx *ctx, char name[PITH_I_ENGINE_NAME]);
/* Opens the engine of a table and replaces the current one by it. The table must outlive ctx. */
pith_status pith_i_engine_use(pith_ctx *ctx, const pith_engine *table);
/* The table of libpith-NAME.so, which stays loaded; engine_load.c. */
pith_status pith_i_engine_load(pith_ctx *ctx, const char *name, const pith_engine **out);

/* The argument `call` of an operation; `inside` is ctx. */
pith_engine_call pith_i_engine_call(pith_ctx *ctx);
/* Reports `done` of an operation, 0 to 1. True: stop. */
bool pith_i_engine_stop(pith_ctx *ctx, double done);
/* The status of an operation that returned st: PITH_E_STOPPED if the user stopped it; else st, with the
 * engine's name and call->message, or `operation` if that is empty, as the message. */
pith_status pith_i_engine_status(pith_ctx *ctx, const pith_engine_call *call, pith_status st,
                                 const char *operation);
/* True if "auto" chose the engine and st is PITH_E_NOMEM: then local is the engine from now on, and a note
 * says so. */
bool pith_i_engine_gives_up(pith_ctx *ctx, const pith_engine_call *call, pith_status st);
/* PITH_E_BUG: the engine returned an invalid result. */
__attribute__((format(printf, 2, 3))) pith_status pith_i_engine_broke(pith_ctx *ctx, const char *format, ...);

/* Does the engine search for neighbours, or are rows sent to other processes for it? */
bool pith_i_engine_searches(const pith_ctx *ctx);

/* Between set_aside and take_up, the engine is local, and this process is the only one. */
typedef struct pith_i_engine_held {
    const pith_engine *table;
    void *self;
} pith_i_engine_held;
pith_i_engine_held pith_i_engine_set_aside(pith_ctx *ctx);
void pith_i_engine_take_up(pith_ctx *ctx, pith_i_engine_held held);

/* ---- Processes. With one process, sums stay as they are, and nothing is sent. ---- */

int pith_i_process(const pith_ctx *ctx);
int pith_i_processes(const pith_ctx *ctx);
/* PITH_E_PARAMETER if there are several processes: `what` needs all samples in one. */
pith_status pith_i_one_process(pith_ctx *ctx, const char *what);
pith_status pith_i_sum(pith_ctx *ctx, int64_t count, double *values);
pith_status pith_i_sum_by(pith_ctx *ctx, pith_engine_how how, int64_t count, double *values);
/* The same for whole numbers; sums below 2^53. */
pith_status pith_i_sum_counts(pith_ctx *ctx, int64_t count, int64_t *values);
/*
 * Sends bytes from every process to every process: send_at has ranks + 1 entries. The bytes from rank r are
 * receive_at[r] to before receive_at[r + 1] of *receive; both arrays are scratch.
 */
pith_status pith_i_exchange(pith_ctx *ctx, const int64_t *send_at, const void *send, int64_t **receive_at,
                            void **receive);

/* The same where both sides know the sizes, into the caller's array. */
pith_status pith_i_exchange_into(pith_ctx *ctx, const int64_t *send_at, const void *send,
                                 const int64_t *receive_at, void *receive);
/*
 * The same in two calls: it goes on while this process computes, if the engine can. Both arrays stay as they
 * are until it is finished. *under_way is NULL if it was done at once. Every exchange that was begun must be
 * finished; if that fails, the arrays must never be freed, since the engine may use them until it ends.
 */
pith_status pith_i_exchange_begin(pith_ctx *ctx, const int64_t *send_at, const void *send,
                                  const int64_t *receive_at, void *receive, void **under_way);
pith_status pith_i_exchange_finish(pith_ctx *ctx, void **under_way);

#endif
