/* The context: settings, the last message, progress and stopping. */
#include "core/ctx.h"

#include "core/parallel.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TEXT_OF(x)                        #x
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *pith_version(void)
{
    return VERSION_TEXT(PITH_VERSION_MAJOR, PITH_VERSION_MINOR, PITH_VERSION_PATCH);
}

int pith_version_number(void)
{
    return PITH_VERSION_NUMBER;
}

const char *pith_strerror(pith_status st)
{
    switch (st) { /* no default: the compiler names a code that lacks its text */
    case PITH_OK: return "done";
    case PITH_E_NOMEM: return "out of memory";
    case PITH_E_ARGUMENT: return "invalid argument";
    case PITH_E_PARAMETER: return "invalid parameter";
    case PITH_E_DATA: return "unsuitable data";
    case PITH_E_FILE: return "file cannot be used";
    case PITH_E_NUMERIC: return "no usable numeric answer";
    case PITH_E_STOPPED: return "stopped";
    case PITH_E_BUG: return "internal error";
    }
    return "unknown status";
}

pith_status pith_ctx_new(pith_ctx **out)
{
    if (out == NULL)
        return PITH_E_ARGUMENT;
    pith_ctx *ctx = calloc(1, sizeof *ctx);
    pith_i_account *account = pith_i_account_new();
    if (ctx == NULL || account == NULL) {
        free(ctx);
        free(account);
        return PITH_E_NOMEM;
    }
    ctx->account = account;
    ctx->cores = pith_i_cores();
    ctx->seed = 1;
    ctx->kept = PITH_I_KEPT;
    ctx->stage = "working";
    (void)pith_i_searching_begin(ctx, PITH_I_SEARCH_AUTO, PITH_I_RECALL);
    ctx->stage_hi = 1;
    *out = ctx;
    return PITH_OK;
}

void pith_ctx_free(pith_ctx *ctx)
{
    if (ctx == NULL)
        return;
    pith_i_engine_end(ctx);
    pith_i_scratch_release(ctx, 0);
    pith_i_account_drop(ctx->account);
    free(ctx->scratch_folder);
    free(ctx);
}

const char *pith_ctx_message(const pith_ctx *ctx)
{
    return ctx == NULL ? "" : ctx->message;
}

/* Messages quote files, whose control characters must not break the line or reach a terminal. */
static void make_printable(char *text)
{
    for (char *c = text; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7F)
            *c = '?';
}

pith_status pith_i_error(pith_ctx *ctx, pith_status code, const char *format, ...)
{
    char text[sizeof ctx->message];
    if (ctx == NULL)
        return code;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    make_printable(text);
    memcpy(ctx->message, text, sizeof text);
    return code;
}

void pith_i_note(pith_ctx *ctx, const char *format, ...)
{
    char text[sizeof ctx->message];
    if (ctx->note == NULL)
        return;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    make_printable(text);
    ctx->note(text, ctx->note_user);
}

bool pith_i_has_note(const pith_ctx *ctx)
{
    return ctx->note != NULL;
}

const char *pith_i_bytes_text(int64_t bytes, char text[32])
{
    static const char *const unit[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    double value = (double)bytes;
    size_t u = 0;
    while (value >= 1000 && u + 1 < COUNT(unit)) {
        value /= 1000;
        u++;
    }
    (void)snprintf(text, 32, u == 0 ? "%.0f %s" : "%.1f %s", value, unit[u]);
    return text;
}

pith_status pith_ctx_set_threads(pith_ctx *ctx, int threads)
{
    if (ctx == NULL || threads < 0 || threads > 4096)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "threads must lie in 0..4096 (0: all cores), not %d",
                            threads);
    ctx->threads = threads;
    return PITH_OK;
}

int pith_ctx_threads(const pith_ctx *ctx)
{
    if (ctx == NULL)
        return pith_i_cores();
    const int wanted = ctx->threads == 0 ? ctx->cores : ctx->threads;
    return pith_i_team(ctx->most_threads > 0 && ctx->most_threads < wanted ? ctx->most_threads : wanted);
}

void pith_ctx_set_seed(pith_ctx *ctx, uint64_t seed)
{
    if (ctx != NULL)
        ctx->seed = seed;
}

uint64_t pith_ctx_seed(const pith_ctx *ctx)
{
    return ctx == NULL ? 1 : ctx->seed;
}

void pith_ctx_set_progress(pith_ctx *ctx, pith_progress_fn *fn, void *user)
{
    if (ctx == NULL)
        return;
    ctx->progress = fn;
    ctx->progress_user = user;
    ctx->last_report = 0; /* a new callback is called at once */
    atomic_store(&ctx->stopped, false);
}

void pith_ctx_set_note(pith_ctx *ctx, pith_note_fn *fn, void *user)
{
    if (ctx == NULL)
        return;
    ctx->note = fn;
    ctx->note_user = user;
}

double pith_i_seconds(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Calls the progress callback, at most every 0.02 seconds. True: stop. */
static bool report(pith_ctx *ctx, int64_t done, int64_t total)
{
    if (ctx->progress == NULL)
        return false;
    const double now = pith_i_seconds();
    if (now - ctx->last_report < 0.02) /* often enough for a bar, too rarely to cost anything */
        return false;
    ctx->last_report = now;
    const double share = total > 0 ? (double)done / (double)total : 1;
    double whole = ctx->stage_lo + (ctx->stage_hi - ctx->stage_lo) * share;
    if (ctx->scope != NULL)
        whole = ctx->scope_lo + (ctx->scope_hi - ctx->scope_lo) * whole;
    if (whole < ctx->reached) /* a stage within a stage begins at its own 0 */
        whole = ctx->reached;
    ctx->reached = whole;
    (void)snprintf(ctx->what, sizeof ctx->what, "%s%s%s", ctx->scope != NULL ? ctx->scope : "",
                   ctx->scope != NULL ? ": " : "", ctx->stage);
    if (ctx->progress(whole, ctx->what, ctx->progress_user))
        return false;
    atomic_store(&ctx->stopped, true);
    return true;
}

bool pith_i_progress_stop(pith_ctx *ctx, int64_t done, int64_t total)
{
    if (atomic_load_explicit(&ctx->stopped, memory_order_relaxed))
        return true;
    return pith_i_thread() == 0 && report(ctx, done, total);
}

bool pith_i_stop_asked(pith_ctx *ctx)
{
    return pith_i_progress_stop(ctx, 0, 1);
}

/* Reports whatever the thread's number is: the library may be called from a parallel loop of the caller. */
pith_status pith_i_progress(pith_ctx *ctx, int64_t done, int64_t total)
{
    if (!atomic_load_explicit(&ctx->stopped, memory_order_relaxed) && !report(ctx, done, total))
        return PITH_OK;
    atomic_store(&ctx->stopped, false); /* the context can be used again */
    return pith_i_error(ctx, PITH_E_STOPPED, "stopped while %s", ctx->stage);
}

pith_status pith_i_stop_status(pith_ctx *ctx)
{
    return pith_i_progress(ctx, 0, 1); /* reported progress never decreases, so 0 leaves it as it is */
}

void pith_i_progress_begin(pith_ctx *ctx)
{
    ctx->reached = 0;
}

void pith_i_progress_scope(pith_ctx *ctx, const char *scope, double lo, double hi)
{
    ctx->scope = scope;
    ctx->scope_lo = lo;
    ctx->scope_hi = hi;
}

pith_status pith_i_progress_stage(pith_ctx *ctx, const char *what, double lo, double hi)
{
    ctx->stage = what;
    ctx->stage_lo = lo;
    ctx->stage_hi = hi;
    ctx->last_report = 0; /* so that every stage is reported, however short */
    return pith_i_progress(ctx, 0, 1);
}
