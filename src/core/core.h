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

/* Keeps the sentence in the context, as one line, and returns code. The context's old message may be an
 * argument. Never inside a parallel region. ctx may be NULL. */
__attribute__((format(printf, 3, 4))) pith_status pith_i_error(pith_ctx *ctx, pith_status code,
                                                               const char *format, ...);
/* Sends one line to the note callback, if there is one. Never inside a parallel region. */
__attribute__((format(printf, 2, 3))) void pith_i_note(pith_ctx *ctx, const char *format, ...);
bool pith_i_has_note(const pith_ctx *ctx); /* is there a note callback? */
/* A count of bytes for people: "812 B", "1.5 GB". */
const char *pith_i_bytes_text(int64_t bytes, char text[32]);

/* ---- Owned memory: 64-byte aligned, counted in the context's account, may outlive the context. ------ */

/* NULL and a message if count * size overflows or memory runs out; count 0 is a valid empty block. */
void *pith_i_alloc(pith_ctx *ctx, int64_t count, size_t size);
void *pith_i_alloc_zero(pith_ctx *ctx, int64_t count, size_t size);
/* A larger block with the old content, the old one freed; on failure NULL, the old one is untouched. */
void *pith_i_realloc(pith_ctx *ctx, void *block, int64_t count, size_t size);
void pith_i_free(void *block); /* NULL is fine */
/* Adds a reference: the block is released when it has been freed once for each. Returns it; NULL is fine. */
void *pith_i_hold(void *block);
/* PITH_E_NOMEM unless this many bytes are available now: for libraries that crash when memory runs out. */
pith_status pith_i_room(pith_ctx *ctx, size_t bytes);
/* PITH_E_NOMEM if an allocation of this many bytes would exceed the limit. */
pith_status pith_i_check_room(pith_ctx *ctx, int64_t bytes);
char *pith_i_strdup(pith_ctx *ctx, const char *text);

#define NEW(ctx, ptr, count)                                                                                 \
    (((ptr) = pith_i_alloc((ctx), (count), sizeof *(ptr))) != NULL ? PITH_OK : PITH_E_NOMEM)
#define NEW_ZERO(ctx, ptr, count)                                                                            \
    (((ptr) = pith_i_alloc_zero((ctx), (count), sizeof *(ptr))) != NULL ? PITH_OK : PITH_E_NOMEM)

/*
 * Large blocks, of the size of the data. They are plain memory while they fit into the limit
 * (pith_ctx_set_memory), else mapped, unlinked files in the scratch folder. pith_i_free frees both. A file's
 * pages can be dropped from the process's memory and come back when they are touched; so a loop over a large
 * block or a mapped file reports the bytes it has passed by pith_i_touched, and no more than some 32 MB stay
 * resident. From any thread.
 */
void *pith_i_alloc_large(pith_ctx *ctx, int64_t count, size_t size);
void *pith_i_alloc_large_zero(pith_ctx *ctx, int64_t count, size_t size);
void *pith_i_realloc_large(pith_ctx *ctx, void *block, int64_t count, size_t size);
bool pith_i_is_in_file(const void *block); /* a large one; NULL is not */
void pith_i_touched(pith_ctx *ctx, int64_t bytes);
/* Maps the first `bytes` of an open file, read only, at *at. pith_i_free on the block that is returned ends
 * the mapping. NULL and a message on failure. bytes > 0. */
void *pith_i_map_file(pith_ctx *ctx, int fd, int64_t bytes, const void **at);
/* From here on large blocks go to files beyond this many bytes in use; 0: beyond the limit. Returns the old
 * value. */
int64_t pith_i_spill_beyond(pith_ctx *ctx, int64_t bytes);
/* Should a table be kept in memory, although its values can be computed again whenever they are read? Yes if
 * it fits and has at most as many bytes as keep_up_to set, at first PITH_I_KEPT. keep_up_to returns the old
 * value. */
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

/* For tests: the nth allocation from now fails (1 is the next one), once; 0 switches it off. Returns the
 * allocations that were left before the last such failure: 0 if it has happened. */
int64_t pith_i_fail_allocation(pith_ctx *ctx, int64_t nth);
int64_t pith_i_bytes_in_use(const pith_ctx *ctx);

/* Between these two, pith_ctx_peak_bytes is the peak since begin; after end, it is that of the whole again.
 */
int64_t pith_i_peak_begin(pith_ctx *ctx);
void pith_i_peak_end(pith_ctx *ctx, int64_t before);

/* ---- Progress and stopping ---------------------------------------------------------------------------- */

/* Start of a public call: until the next one, reported progress never decreases. */
void pith_i_progress_begin(pith_ctx *ctx);
/* The stages from here on belong to `scope` ("laplacian"), which covers lo..hi of the whole; NULL ends it. */
void pith_i_progress_scope(pith_ctx *ctx, const char *scope, double lo, double hi);
/* The work from here on is `what` and covers lo..hi of the whole. Asks at once whether to stop. */
pith_status pith_i_progress_stage(pith_ctx *ctx, const char *what, double lo, double hi);
/* `done` of `total` in this stage. PITH_E_STOPPED once the callback has said so. Only from the thread that
 * called the library. */
pith_status pith_i_progress(pith_ctx *ctx, int64_t done, int64_t total);
/*
 * For parallel loops: any thread may call it; thread 0 of the team reports, the others look at the flag.
 * True: skip the rest. After the loop, TRY(pith_i_stop_status(ctx)).
 */
bool pith_i_progress_stop(pith_ctx *ctx, int64_t done, int64_t total);
/* The same for loops that do not advance the progress, but are too long to wait for. */
bool pith_i_stop_asked(pith_ctx *ctx);
/* PITH_E_STOPPED if the user wants that, who is asked here, too: a loop on the calling thread needs no more.
 */
pith_status pith_i_stop_status(pith_ctx *ctx);

double pith_i_seconds(void); /* monotonic */

#endif
