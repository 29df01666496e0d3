/*
 * What every part of the library uses: errors, memory, progress, threads. Only libc and OpenMP.
 */
#ifndef PITH_CORE_CORE_H
#define PITH_CORE_CORE_H

#include "pith.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define TRY(call)                                                                                            \
    do {                                                                                                     \
        st = (call);                                                                                         \
        if (st != PITH_OK)                                                                                   \
            goto done;                                                                                       \
    } while (0)
#define FAIL(ctx, code, ...)                                                                                 \
    do {                                                                                                     \
        st = pith_i_error((ctx), (code), __VA_ARGS__);                                                       \
        goto done;                                                                                           \
    } while (0)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static inline int64_t pith_i_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}
static inline int64_t pith_i_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* ---- Errors: the place that fails writes the whole sentence; callers pass the code up untouched. ---- */

/* Keeps the sentence in the context, as one line, and returns code. The old one may be an argument. Never
 * inside a parallel region. ctx may be NULL. */
__attribute__((format(printf, 3, 4))) pith_status pith_i_error(pith_ctx *ctx, pith_status code,
                                                               const char *format, ...);
/* Sends one line to the message callback, if there is one. Never inside a parallel region. */
__attribute__((format(printf, 2, 3))) void pith_i_note(pith_ctx *ctx, const char *format, ...);
bool pith_i_has_note(const pith_ctx *ctx); /* is there somebody to tell? */
/* A count of bytes for people: "812 B", "1.5 GB". */
const char *pith_i_bytes_text(int64_t bytes, char text[32]);

/* ---- Owned memory: 64-byte aligned, counted in the context's account, may outlive the context. ------ */

/* NULL and a message if count * size overflows or memory runs out; count 0 is a valid empty block. */
void *pith_i_alloc(pith_ctx *ctx, int64_t count, size_t size);
void *pith_i_alloc_zero(pith_ctx *ctx, int64_t count, size_t size);
/* A larger block with the old content, the old one freed; on failure NULL, the old one is untouched. */
void *pith_i_realloc(pith_ctx *ctx, void *block, int64_t count, size_t size);
void pith_i_free(void *block); /* NULL is fine */
/* One more holder: the block goes when each has freed it. Returns it; NULL is fine. */
void *pith_i_hold(void *block);
/* PITH_E_NOMEM unless this many bytes are available now: for libraries that crash when memory runs out. */
pith_status pith_i_room(pith_ctx *ctx, size_t bytes);
/* PITH_E_NOMEM if so many bytes more would exceed the limit, as when they are taken. */
pith_status pith_i_check_room(pith_ctx *ctx, int64_t bytes);
char *pith_i_strdup(pith_ctx *ctx, const char *text);

#define NEW(ctx, ptr, count)                                                                                 \
    (((ptr) = pith_i_alloc((ctx), (count), sizeof *(ptr))) != NULL ? PITH_OK : PITH_E_NOMEM)
#define NEW_ZERO(ctx, ptr, count)                                                                            \
    (((ptr) = pith_i_alloc_zero((ctx), (count), sizeof *(ptr))) != NULL ? PITH_OK : PITH_E_NOMEM)

/*
 * Large blocks: what has the size of the data. They are memory as long as all fits into the limit
 * (pith_ctx_set_memory), else unlinked files in the scratch folder, mapped. pith_i_free frees both. A file's
 * pages can be dropped from the process's memory and come back when they are touched; so whoever goes
 * through a large block or a mapped file says so now and then by pith_i_touched, and what is resident stays
 * within some 32 MB. From any thread.
 */
void *pith_i_alloc_large(pith_ctx *ctx, int64_t count, size_t size);
void *pith_i_alloc_large_zero(pith_ctx *ctx, int64_t count, size_t size);
void *pith_i_realloc_large(pith_ctx *ctx, void *block, int64_t count, size_t size);
bool pith_i_is_in_file(const void *block); /* a large one; NULL is not */
void pith_i_touched(pith_ctx *ctx, int64_t bytes);
/* The first `bytes` of an open file, read only, at *at. The block that is returned stands for the mapping:
 * pith_i_free ends it. NULL and a message if it cannot be. bytes > 0. */
void *pith_i_map_file(pith_ctx *ctx, int fd, int64_t bytes, const void **at);
/* From here on large blocks go to files beyond so many bytes in use; 0: beyond the limit. What it was. */
int64_t pith_i_spill_beyond(pith_ctx *ctx, int64_t bytes);
/* Of a table whose values can also be made whenever they are read: is it kept in memory? If it fits and has
 * at most PITH_I_KEPT bytes, or what was set; setting returns what it was. */
enum { PITH_I_KEPT = 256 << 20 };
bool pith_i_is_kept(pith_ctx *ctx, int64_t count, size_t size);
int64_t pith_i_keep_up_to(pith_ctx *ctx, int64_t bytes);

/* Room for `count` elements of an array that grows by doubling; NULL and room 0 at first. */
#define GROW(ctx, ptr, room, count)                                                                          \
    ((count) <= (room) ? PITH_OK : pith_i_grow((ctx), (void **)&(ptr), &(room), (count), sizeof *(ptr)))
pith_status pith_i_grow(pith_ctx *ctx, void **block, int64_t *room, int64_t count, size_t size);

/* ---- Scratch: what a function needs while it runs, given back by mark, so no error path can leak. ---- */

size_t pith_i_scratch_mark(const pith_ctx *ctx);
void pith_i_scratch_release(pith_ctx *ctx, size_t mark);
void *pith_i_scratch(pith_ctx *ctx, int64_t count, size_t size);
void *pith_i_scratch_zero(pith_ctx *ctx, int64_t count, size_t size);

#define SCRATCH(ctx, ptr, count)                                                                             \
    (((ptr) = pith_i_scratch((ctx), (count), sizeof *(ptr))) != NULL ? PITH_OK : PITH_E_NOMEM)
#define SCRATCH_ZERO(ctx, ptr, count)                                                                        \
    (((ptr) = pith_i_scratch_zero((ctx), (count), sizeof *(ptr))) != NULL ? PITH_OK : PITH_E_NOMEM)

/* For tests: the nth allocation from now fails (1 is the next one), once; 0 switches it off. Returns what
 * was left to go of the last such order: 0 when it has been carried out. */
int64_t pith_i_fail_allocation(pith_ctx *ctx, int64_t nth);
int64_t pith_i_bytes_in_use(const pith_ctx *ctx);

/* Between these, pith_ctx_peak_bytes is the peak of what runs there; afterwards the whole one again. */
int64_t pith_i_peak_begin(pith_ctx *ctx);
void pith_i_peak_end(pith_ctx *ctx, int64_t before);

/* ---- Progress and stopping ---------------------------------------------------------------------------- */

/* Start of a public call: until the next one, reported progress never decreases. */
void pith_i_progress_begin(pith_ctx *ctx);
/* The stages from here on belong to `scope` ("laplacian"), which covers lo..hi of the whole; NULL ends it. */
void pith_i_progress_scope(pith_ctx *ctx, const char *scope, double lo, double hi);
/* The work from here on is `what` and covers lo..hi of the whole. Asks at once whether to stop. */
pith_status pith_i_progress_stage(pith_ctx *ctx, const char *what, double lo, double hi);
/* done of total of this stage. PITH_E_STOPPED once the callback has said so. Owner's thread only. */
pith_status pith_i_progress(pith_ctx *ctx, int64_t done, int64_t total);
/*
 * For parallel loops: any thread calls it; the owner's thread (number 0) reports, the others look at the
 * flag. True: skip the rest. After the loop, TRY(pith_i_stop_status(ctx)).
 */
bool pith_i_progress_stop(pith_ctx *ctx, int64_t done, int64_t total);
/* The same for loops that are no share of the bar, but too long to wait for. */
bool pith_i_stop_asked(pith_ctx *ctx);
pith_status pith_i_stop_status(pith_ctx *ctx);

double pith_i_seconds(void); /* monotonic */

#endif
