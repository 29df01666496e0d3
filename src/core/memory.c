/*
 * Memory. Every block carries a header with its size and the account it is booked in, so that the peak is
 * known for each context and a block can be freed after its context. Scratch requests are blocks of their
 * own in every build: requests are few and large, the sanitizers see what is shipped, and memory goes back as
 * soon as it is released. They are a linked list through their headers, so that tracking them takes no memory
 * and cannot fail.
 */
#include "core/ctx.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ALIGN = PITH_I_ALIGN };
typedef pith_i_block header;

pith_i_account *pith_i_account_new(void)
{
    pith_i_account *a = calloc(1, sizeof *a);
    if (a == NULL)
        return NULL;
    atomic_store(&a->owners, 1);
    (void)pthread_mutex_init(&a->lock, NULL); /* cannot fail with these attributes */
    return a;
}

void pith_i_account_drop(pith_i_account *a)
{
    if (a == NULL || atomic_fetch_sub(&a->owners, 1) != 1)
        return;
    (void)pthread_mutex_destroy(&a->lock);
    free(a);
}

static void raise_peak(pith_i_account *a, int64_t to)
{
    int64_t peak = atomic_load(&a->peak);
    while (to > peak && !atomic_compare_exchange_weak(&a->peak, &peak, to)) {
    }
}

static void book(pith_i_account *a, int64_t bytes)
{
    raise_peak(a, atomic_fetch_add(&a->in_use, bytes) + bytes);
}

bool pith_i_told_to_fail(pith_i_account *a)
{
    return atomic_load(&a->fail_in) > 0 && atomic_fetch_sub(&a->fail_in, 1) == 1;
}

/* Other libraries take memory too, and some end the process when there is none: OpenMP does at the start of a
 * loop. They take little. So our own allocations fail while this much is still left for them. */
enum { ROOM = 1 << 16 };

static bool is_there(size_t bytes)
{
    void *volatile room = malloc(bytes); /* volatile: else the compiler leaves both calls out */
    free(room);
    return room != NULL;
}

static pith_status lacking(pith_ctx *ctx, size_t bytes)
{
    char text[32];
    return pith_i_error(ctx, PITH_E_NOMEM, "out of memory: %s more needed",
                        pith_i_bytes_text((int64_t)bytes, text));
}

pith_status pith_i_room(pith_ctx *ctx, size_t bytes)
{
    return is_there(bytes) ? PITH_OK : lacking(ctx, bytes);
}

/* Asks for pages of 2 MB for large blocks, where the system gives them only on request: random access then
 * misses the TLB less often, and fewer pages have to be given back. It is a hint, which may be ignored. */
static void ask_for_large_pages(void *block, size_t bytes)
{
    enum { LARGE = 1 << 26, PAGE = 1 << 21 };
    const uintptr_t first = ((uintptr_t)block + PAGE - 1) / PAGE * PAGE,
                    end = ((uintptr_t)block + bytes) / PAGE * PAGE;
    if (bytes >= LARGE)
        (void)madvise((void *)first, end - first, MADV_HUGEPAGE);
}

/* NULL: there is not enough. */
static void *take(pith_i_account *a, size_t bytes)
{
    void *whole = NULL;
    /* Not aligned_alloc: it wants a multiple of the alignment, and sanitizers miss overruns into the rest. */
    if (pith_i_told_to_fail(a) || posix_memalign(&whole, ALIGN, bytes) != 0)
        return NULL;
    ask_for_large_pages(whole, bytes);
    if (is_there(ROOM))
        return whole;
    free(whole);
    return NULL;
}

static header *header_of(void *block)
{
    return pith_i_block_of(block);
}

/* Smaller requests are not checked against the limit: they are many, and what fills memory is the data. */
enum { LOOKED_AT = 1 << 20 };

pith_status pith_i_check_room(pith_ctx *ctx, int64_t bytes)
{
    char need[32], held[32], most[32];
    const int64_t in_use = atomic_load(&ctx->account->in_use);
    if (bytes < LOOKED_AT || bytes <= pith_i_memory_limit(ctx->account) - in_use)
        return PITH_OK;
    return pith_i_error(ctx, PITH_E_NOMEM,
                        "out of memory: %s more needed beside %s in use, and the limit is %s",
                        pith_i_bytes_text(bytes, need), pith_i_bytes_text(in_use, held),
                        pith_i_bytes_text(pith_i_memory_limit(ctx->account), most));
}

void *pith_i_alloc(pith_ctx *ctx, int64_t count, size_t size)
{
    size_t bytes = 0;
    if (count < 0 || __builtin_mul_overflow((size_t)count, size, &bytes) ||
        bytes > (size_t)PTRDIFF_MAX - ALIGN) {
        (void)pith_i_error(ctx, PITH_E_NOMEM, "out of memory: %lld items of %zu bytes do not fit",
                           (long long)count, size);
        return NULL;
    }
    if (pith_i_check_room(ctx, (int64_t)bytes) != PITH_OK)
        return NULL;
    header *h = take(ctx->account, ALIGN + bytes);
    if (h == NULL) {
        (void)lacking(ctx, bytes);
        return NULL;
    }
    *h = (header){.account = ctx->account, .bytes = bytes, .file = -1, .holders = 1};
    atomic_fetch_add(&h->account->owners, 1);
    book(h->account, (int64_t)bytes);
    return (char *)h + ALIGN;
}

void *pith_i_alloc_zero(pith_ctx *ctx, int64_t count, size_t size)
{
    void *block = pith_i_alloc(ctx, count, size);
    if (block != NULL)
        memset(block, 0, header_of(block)->bytes);
    return block;
}

void *pith_i_realloc(pith_ctx *ctx, void *block, int64_t count, size_t size)
{
    void *larger = pith_i_alloc(ctx, count, size);
    if (larger != NULL && block != NULL) {
        const size_t old = header_of(block)->bytes, now = header_of(larger)->bytes;
        memcpy(larger, block, old < now ? old : now);
        pith_i_free(block);
    }
    return larger;
}

void pith_i_free(void *block)
{
    if (block == NULL || atomic_fetch_sub(&header_of(block)->holders, 1) > 1)
        return;
    header *h = header_of(block);
    pith_i_account *a = h->account;
    const bool in_mapping = h->map == (void *)h;
    if (!in_mapping)
        atomic_fetch_sub(&a->in_use, (int64_t)h->bytes);
    if (h->map != NULL)
        pith_i_mapping_end(h);
    if (!in_mapping)
        free(h);
    pith_i_account_drop(a);
}

void *pith_i_hold(void *block)
{
    if (block != NULL)
        atomic_fetch_add(&header_of(block)->holders, 1);
    return block;
}

pith_status pith_i_grow(pith_ctx *ctx, void **block, int64_t *room, int64_t count, size_t size)
{
    const int64_t wanted = 2 * *room > count ? 2 * *room : count + 64;
    void *larger = pith_i_realloc(ctx, *block, wanted, size);
    if (larger == NULL)
        return PITH_E_NOMEM;
    *block = larger;
    *room = wanted;
    return PITH_OK;
}

char *pith_i_strdup(pith_ctx *ctx, const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = pith_i_alloc(ctx, (int64_t)size, 1);
    if (copy != NULL)
        memcpy(copy, text, size);
    return copy;
}

size_t pith_i_scratch_mark(const pith_ctx *ctx)
{
    return ctx->scratch_height;
}

void pith_i_scratch_release(pith_ctx *ctx, size_t mark)
{
    for (; ctx->scratch_height > mark; ctx->scratch_height--) {
        void *top = ctx->scratch;
        ctx->scratch = header_of(top)->below;
        pith_i_free(top);
    }
}

static void *push(pith_ctx *ctx, void *block)
{
    if (block == NULL)
        return NULL;
    header_of(block)->below = ctx->scratch;
    ctx->scratch = block;
    ctx->scratch_height++;
    return block;
}

void *pith_i_scratch(pith_ctx *ctx, int64_t count, size_t size)
{
    return push(ctx, pith_i_alloc(ctx, count, size));
}

void *pith_i_scratch_zero(pith_ctx *ctx, int64_t count, size_t size)
{
    return push(ctx, pith_i_alloc_zero(ctx, count, size));
}

int64_t pith_i_fail_allocation(pith_ctx *ctx, int64_t nth)
{
    return atomic_exchange(&ctx->account->fail_in, nth);
}

int64_t pith_i_bytes_in_use(const pith_ctx *ctx)
{
    return atomic_load(&ctx->account->in_use);
}

int64_t pith_ctx_peak_bytes(const pith_ctx *ctx)
{
    return ctx == NULL ? 0 : atomic_load(&ctx->account->peak);
}

void pith_ctx_reset_peak(pith_ctx *ctx)
{
    if (ctx != NULL)
        atomic_store(&ctx->account->peak, atomic_load(&ctx->account->in_use));
}

int64_t pith_i_peak_begin(pith_ctx *ctx)
{
    const int64_t before = pith_ctx_peak_bytes(ctx);
    pith_ctx_reset_peak(ctx);
    return before;
}

void pith_i_peak_end(pith_ctx *ctx, int64_t before)
{
    raise_peak(ctx->account, before);
}
