#include "core/engine.h"

#include "core/ctx.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const pith_engine pith_i_local_engine = {
    .version = PITH_ENGINE_VERSION, .name = "local", .promises = PITH_ENGINE_EXACT | PITH_ENGINE_SAME_BYTES};

const pith_engine *pith_i_engine(const pith_ctx *ctx)
{
    return ctx->engine != NULL ? ctx->engine : &pith_i_local_engine;
}

void *pith_i_engine_self(const pith_ctx *ctx)
{
    return ctx->engine_self;
}

bool pith_i_engine_stop(pith_ctx *ctx, double done)
{
    enum { STEPS = 1000000 };
    return pith_i_progress_stop(ctx, (int64_t)(done * STEPS), STEPS);
}

static bool wants_to_stop(pith_engine_call *call, double done)
{
    return pith_i_engine_stop(call->inside, done);
}

pith_engine_call pith_i_engine_call(pith_ctx *ctx)
{
    return (pith_engine_call){
        .threads = pith_ctx_threads(ctx), .seed = pith_ctx_seed(ctx), .stop = wants_to_stop, .inside = ctx};
}

pith_status pith_i_engine_status(pith_ctx *ctx, const pith_engine_call *call, pith_status st,
                                 const char *operation)
{
    const pith_status stopped = pith_i_stop_status(ctx);
    if (stopped != PITH_OK || st == PITH_OK)
        return stopped;
    return pith_i_error(ctx, st, "engine %s: %s", pith_i_engine(ctx)->name,
                        call->message[0] != '\0' ? call->message : operation);
}

pith_status pith_i_engine_broke(pith_ctx *ctx, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return pith_i_error(ctx, PITH_E_BUG, "engine %s returned an invalid result: %s", pith_i_engine(ctx)->name,
                        text);
}

void pith_i_engine_end(pith_ctx *ctx)
{
    if (ctx->engine != NULL && ctx->engine->close != NULL)
        ctx->engine->close(ctx->engine_self);
    ctx->engine = NULL;
    ctx->engine_self = NULL;
}

pith_status pith_i_engine_use(pith_ctx *ctx, const pith_engine *table)
{
    void *self = NULL;
    if (table->open != NULL) {
        pith_engine_call call = pith_i_engine_call(ctx);
        const pith_status st = table->open(&call, &self);
        if (st != PITH_OK)
            return pith_i_error(ctx, st, "engine %s cannot be used: %s", table->name,
                                call.message[0] != '\0' ? call.message : pith_strerror(st));
    }
    pith_i_engine_end(ctx);
    ctx->engine = table != &pith_i_local_engine ? table : NULL;
    ctx->engine_self = self;
    return PITH_OK;
}

/* "auto": a GPU if one can be used, else the library itself, with a note that says why. */
static pith_status use_best(pith_ctx *ctx)
{
    const pith_engine *table = NULL;
    pith_status st = pith_i_engine_load(ctx, "cuda", &table);
    if (st == PITH_OK)
        st = pith_i_engine_use(ctx, table);
    if (st != PITH_OK && st != PITH_E_STOPPED) {
        pith_i_note(ctx, "engine auto: using local, since %s", ctx->message);
        ctx->message[0] = '\0';
        st = pith_i_engine_use(ctx, &pith_i_local_engine);
    }
    ctx->engine_auto = ctx->engine != NULL;
    return st;
}

bool pith_i_engine_gives_up(pith_ctx *ctx, const pith_engine_call *call, pith_status st)
{
    if (st != PITH_E_NOMEM || !ctx->engine_auto)
        return false;
    pith_i_note(ctx, "engine auto: continuing with local, since engine %s failed: %s",
                pith_i_engine(ctx)->name, call->message[0] != '\0' ? call->message : pith_strerror(st));
    pith_i_engine_end(ctx);
    ctx->engine_auto = false;
    return true;
}

pith_status pith_ctx_set_engine(pith_ctx *ctx, const char *name)
{
    const pith_engine *table = &pith_i_local_engine;
    pith_status st = PITH_OK;
    if (ctx == NULL)
        return PITH_E_ARGUMENT;
    if (name != NULL && strcmp(name, "auto") == 0)
        return use_best(ctx);
    if (name != NULL && strcmp(name, pith_i_local_engine.name) != 0)
        TRY(pith_i_engine_load(ctx, name, &table));
    TRY(pith_i_engine_use(ctx, table));
    ctx->engine_auto = false;
done:
    return st;
}

const char *pith_ctx_engine(const pith_ctx *ctx)
{
    return ctx != NULL ? pith_i_engine(ctx)->name : pith_i_local_engine.name;
}

void pith_i_engine_noted(const pith_ctx *ctx, char name[PITH_I_ENGINE_NAME])
{
    (void)snprintf(name, PITH_I_ENGINE_NAME, "%s", ctx->engine != NULL ? ctx->engine->name : "");
}

unsigned pith_ctx_engine_promises(const pith_ctx *ctx)
{
    return ctx != NULL ? pith_i_engine(ctx)->promises : pith_i_local_engine.promises;
}

bool pith_i_engine_searches(const pith_ctx *ctx)
{
    return pith_i_engine(ctx)->knn != NULL || pith_i_processes(ctx) > 1;
}

pith_i_engine_held pith_i_engine_set_aside(pith_ctx *ctx)
{
    const pith_i_engine_held held = {ctx->engine, ctx->engine_self};
    ctx->engine = NULL;
    ctx->engine_self = NULL;
    return held;
}

void pith_i_engine_take_up(pith_ctx *ctx, pith_i_engine_held held)
{
    ctx->engine = held.table;
    ctx->engine_self = held.self;
}

/* ---- Processes ----------------------------------------------------------------------------------------- */

static void find_place(const pith_ctx *ctx, int *rank, int *ranks)
{
    *rank = 0;
    *ranks = 1;
    if (pith_i_engine(ctx)->place != NULL)
        pith_i_engine(ctx)->place(ctx->engine_self, rank, ranks);
}

int pith_i_process(const pith_ctx *ctx)
{
    int rank, ranks;
    find_place(ctx, &rank, &ranks);
    return rank;
}

int pith_i_processes(const pith_ctx *ctx)
{
    int rank, ranks;
    find_place(ctx, &rank, &ranks);
    return ranks;
}

pith_status pith_i_one_process(pith_ctx *ctx, const char *what)
{
    const int processes = pith_i_processes(ctx);
    if (processes == 1)
        return PITH_OK;
    return pith_i_error(ctx, PITH_E_PARAMETER,
                        "%s: this needs all samples in one process, but engine %s spreads them over %d", what,
                        pith_ctx_engine(ctx), processes);
}

pith_status pith_i_sum_by(pith_ctx *ctx, pith_engine_how how, int64_t count, double *values)
{
    const pith_engine *engine = pith_i_engine(ctx);
    if (engine->sum == NULL || pith_i_processes(ctx) == 1) /* NULL: one process, see check(), engine_load.c */
        return PITH_OK;
    pith_engine_call call = pith_i_engine_call(ctx);
    return pith_i_engine_status(ctx, &call, engine->sum(ctx->engine_self, &call, how, count, values),
                                "a sum over processes failed");
}

pith_status pith_i_sum(pith_ctx *ctx, int64_t count, double *values)
{
    return pith_i_sum_by(ctx, PITH_ENGINE_TOTAL, count, values);
}

pith_status pith_i_sum_counts(pith_ctx *ctx, int64_t count, int64_t *values)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    double *sums = NULL;
    pith_status st = PITH_OK;
    if (pith_i_processes(ctx) == 1)
        return PITH_OK;
    TRY(SCRATCH(ctx, sums, count));
    for (int64_t i = 0; i < count; i++)
        sums[i] = (double)values[i];
    TRY(pith_i_sum(ctx, count, sums));
    for (int64_t i = 0; i < count; i++)
        values[i] = (int64_t)sums[i];
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Where the bytes from each process will lie: every process fills its row of a table of sizes, and the rows
 * are summed. */
static pith_status tell_sizes(pith_ctx *ctx, const int64_t *send_at, int64_t *receive_at)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int ranks = pith_i_processes(ctx), rank = pith_i_process(ctx);
    int64_t *sizes = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, sizes, (int64_t)ranks * ranks));
    for (int64_t to = 0; to < ranks; to++)
        sizes[(int64_t)rank * ranks + to] = send_at[to + 1] - send_at[to];
    TRY(pith_i_sum_counts(ctx, (int64_t)ranks * ranks, sizes));
    receive_at[0] = 0;
    for (int64_t from = 0; from < ranks; from++)
        receive_at[from + 1] = receive_at[from] + sizes[from * ranks + rank];
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status exchanged(pith_ctx *ctx, const pith_engine_call *call, pith_status st)
{
    return pith_i_engine_status(ctx, call, st, "an exchange between processes failed");
}

pith_status pith_i_exchange_into(pith_ctx *ctx, const int64_t *send_at, const void *send,
                                 const int64_t *receive_at, void *receive)
{
    pith_engine_call call = pith_i_engine_call(ctx);
    if (pith_i_processes(ctx) > 1)
        return exchanged(
            ctx, &call,
            pith_i_engine(ctx)->exchange(ctx->engine_self, &call, send_at, send, receive_at, receive));
    if (send_at[1] > send_at[0])
        memcpy(receive, (const char *)send + send_at[0], (size_t)(send_at[1] - send_at[0]));
    return PITH_OK;
}

pith_status pith_i_exchange_begin(pith_ctx *ctx, const int64_t *send_at, const void *send,
                                  const int64_t *receive_at, void *receive, void **under_way)
{
    const pith_engine *engine = pith_i_engine(ctx);
    pith_engine_call call = pith_i_engine_call(ctx);
    *under_way = NULL;
    if (pith_i_processes(ctx) == 1 || engine->begin == NULL)
        return pith_i_exchange_into(ctx, send_at, send, receive_at, receive);
    return exchanged(ctx, &call,
                     engine->begin(ctx->engine_self, &call, send_at, send, receive_at, receive, under_way));
}

pith_status pith_i_exchange_finish(pith_ctx *ctx, void **under_way)
{
    pith_engine_call call = pith_i_engine_call(ctx);
    void *what = *under_way;
    *under_way = NULL;
    if (what == NULL)
        return PITH_OK;
    return exchanged(ctx, &call, pith_i_engine(ctx)->finish(ctx->engine_self, &call, what));
}

pith_status pith_i_exchange(pith_ctx *ctx, const int64_t *send_at, const void *send, int64_t **receive_at,
                            void **receive)
{
    const int ranks = pith_i_processes(ctx);
    pith_status st = PITH_OK;
    *receive = NULL;
    TRY(SCRATCH(ctx, *receive_at, ranks + 1));
    TRY(tell_sizes(ctx, send_at, *receive_at));
    if ((*receive = pith_i_scratch(ctx, (*receive_at)[ranks], 1)) == NULL)
        TRY(PITH_E_NOMEM);
    TRY(pith_i_exchange_into(ctx, send_at, send, *receive_at, *receive));
done:
    return st;
}

int pith_ctx_process(const pith_ctx *ctx)
{
    return ctx != NULL ? pith_i_process(ctx) : 0;
}

int pith_ctx_processes(const pith_ctx *ctx)
{
    return ctx != NULL ? pith_i_processes(ctx) : 1;
}

int pith_ctx_settle(pith_ctx *ctx, int *status, bool *alone)
{
    *alone = false;
    if (ctx == NULL || pith_i_processes(ctx) == 1 || pith_i_engine(ctx)->settle == NULL)
        return *status == 0 ? -1 : pith_ctx_process(ctx);
    return pith_i_engine(ctx)->settle(ctx->engine_self, status, alone);
}

void pith_ctx_end(pith_ctx *ctx, int status)
{
    if (ctx != NULL && pith_i_engine(ctx)->end != NULL)
        pith_i_engine(ctx)->end(ctx->engine_self, status);
}
