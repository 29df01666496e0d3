/*
 * Mappings: large blocks in unlinked scratch files, and files that are read by mapping them. A scratch file
 * is as long as its block from the start (posix_fallocate): a disk that is full is an error here, not a
 * signal at some later write.
 */
#include "core/ctx.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { ALIGN = PITH_I_ALIGN, LARGE = 1 << 16, RESIDENT = 1 << 25 };

static const char *folder_of(const pith_ctx *ctx)
{
    const char *given = ctx->scratch_folder != NULL ? ctx->scratch_folder : getenv("TMPDIR");
    return given != NULL && given[0] != '\0' ? given : "/tmp";
}

pith_status pith_ctx_set_scratch(pith_ctx *ctx, const char *folder)
{
    struct stat info;
    char *copy = NULL;
    if (ctx == NULL)
        return PITH_E_ARGUMENT;
    if (folder != NULL && (stat(folder, &info) != 0 || !S_ISDIR(info.st_mode)))
        return pith_i_error(ctx, PITH_E_ARGUMENT, "scratch: %s is not a folder", folder);
    if (folder != NULL && access(folder, W_OK | X_OK) != 0)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "scratch: %s cannot be written to: %s", folder,
                            strerror(errno));
    if (folder != NULL && (copy = strdup(folder)) == NULL)
        return pith_i_error(ctx, PITH_E_NOMEM, "out of memory");
    free(ctx->scratch_folder);
    ctx->scratch_folder = copy;
    return PITH_OK;
}

int64_t pith_ctx_scratch_bytes(const pith_ctx *ctx)
{
    return ctx == NULL ? 0 : atomic_load(&ctx->account->most_in_files);
}

const char *pith_ctx_scratch(const pith_ctx *ctx)
{
    return ctx == NULL ? "" : folder_of(ctx);
}

/* ---- The account's list of mappings ---------------------------------------------------------------- */

static void enlist(pith_i_block *b)
{
    pith_i_account *a = b->account;
    (void)pthread_mutex_lock(&a->lock);
    b->before = NULL;
    b->next = a->mappings;
    if (b->next != NULL)
        b->next->before = b;
    a->mappings = b;
    (void)pthread_mutex_unlock(&a->lock);
}

static void delist(pith_i_block *b)
{
    pith_i_account *a = b->account;
    (void)pthread_mutex_lock(&a->lock);
    if (b->next != NULL)
        b->next->before = b->before;
    if (b->before != NULL)
        b->before->next = b->next;
    else
        a->mappings = b->next;
    (void)pthread_mutex_unlock(&a->lock);
}

/* All mappings are shared, or private and read only: so a page that is dropped comes back with its content.
 */
static void drop_pages(pith_i_account *a)
{
    (void)pthread_mutex_lock(&a->lock);
    for (pith_i_block *b = a->mappings; b != NULL;) {
        void *map = b->map;
        const size_t bytes = b->map_bytes;
        b = b->next; /* before the page of the header is dropped */
        (void)madvise(map, bytes, MADV_DONTNEED);
    }
    (void)pthread_mutex_unlock(&a->lock);
}

void pith_i_touched(pith_ctx *ctx, int64_t bytes)
{
    pith_i_account *a = ctx->account;
    if (atomic_load_explicit(&a->touched, memory_order_relaxed) + bytes < RESIDENT) {
        atomic_fetch_add_explicit(&a->touched, bytes, memory_order_relaxed);
        return;
    }
    atomic_store(&a->touched, 0);
    drop_pages(a);
}

/* ---- Scratch files --------------------------------------------------------------------------------- */

static int open_unlinked(const char *folder)
{
    char path[4096];
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || snprintf(path, sizeof path, "%s/pith-XXXXXX", folder) >= (int)sizeof path)
        return fd;
    fd = mkostemp(path, O_CLOEXEC); /* not every file system has files without a name */
    if (fd >= 0)
        (void)unlink(path);
    return fd;
}

static pith_status no_room(pith_ctx *ctx, int64_t bytes, int code)
{
    char need[32], most[32], free_text[32];
    struct statvfs disk;
    const char *folder = folder_of(ctx);
    const int64_t limit = pith_i_memory_limit(ctx->account);
    if (code == ENOSPC && statvfs(folder, &disk) == 0)
        return pith_i_error(
            ctx, PITH_E_NOMEM,
            "out of memory: %s more needed; the limit is %s, and the scratch folder %s has only "
            "%s free",
            pith_i_bytes_text(bytes, need), pith_i_bytes_text(limit, most), folder,
            pith_i_bytes_text((int64_t)disk.f_bavail * (int64_t)disk.f_frsize, free_text));
    return pith_i_error(ctx, PITH_E_NOMEM,
                        "out of memory: %s more needed; the limit is %s, and the scratch folder %s cannot be "
                        "used: %s",
                        pith_i_bytes_text(bytes, need), pith_i_bytes_text(limit, most), folder,
                        strerror(code));
}

static void book_files(pith_i_account *a, int64_t bytes)
{
    const int64_t now = atomic_fetch_add(&a->in_files, bytes) + bytes;
    int64_t most = atomic_load(&a->most_in_files);
    while (now > most && !atomic_compare_exchange_weak(&a->most_in_files, &most, now)) {
    }
}

/* A block in a new scratch file; NULL and a message on failure. */
static void *in_file(pith_ctx *ctx, size_t bytes)
{
    const size_t whole = ALIGN + bytes;
    void *map = MAP_FAILED;
    const int fd = open_unlinked(folder_of(ctx));
    int code = fd < 0 ? errno : posix_fallocate(fd, 0, (off_t)whole);
    if (code == 0) {
        map = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        code = map == MAP_FAILED ? errno : 0;
    }
    if (code != 0) {
        if (fd >= 0)
            (void)close(fd);
        (void)no_room(ctx, (int64_t)bytes, code);
        return NULL;
    }
    pith_i_block *b = map;
    *b = (pith_i_block){
        .account = ctx->account, .bytes = bytes, .map = map, .map_bytes = whole, .file = fd, .holders = 1};
    atomic_fetch_add(&b->account->owners, 1);
    book_files(b->account, (int64_t)bytes);
    enlist(b);
    return (char *)b + ALIGN;
}

void pith_i_mapping_end(pith_i_block *b)
{
    const int file = b->file;
    delist(b);
    if (file >= 0)
        atomic_fetch_sub(&b->account->in_files, (int64_t)b->bytes);
    (void)munmap(b->map, b->map_bytes);
    if (file >= 0)
        (void)close(file);
}

/* ---- Large blocks ---------------------------------------------------------------------------------- */

int64_t pith_i_spill_beyond(pith_ctx *ctx, int64_t bytes)
{
    return atomic_exchange(&ctx->account->spill, bytes);
}

static bool fits(pith_ctx *ctx, int64_t count, size_t size)
{
    /* A quarter is left to blocks that cannot go to a file. */
    const int64_t limit = pith_i_memory_limit(ctx->account) / 4 * 3,
                  spill = atomic_load(&ctx->account->spill);
    const int64_t most = spill > 0 && spill < limit ? spill : limit;
    size_t bytes = 0;
    /* Sizes that overflow are refused by pith_i_alloc. */
    if (count < 0 || __builtin_mul_overflow((size_t)count, size, &bytes) ||
        bytes > (size_t)PTRDIFF_MAX - ALIGN)
        return true;
    return bytes < LARGE || atomic_load(&ctx->account->in_use) + (int64_t)bytes <= most;
}

bool pith_i_is_kept(pith_ctx *ctx, int64_t count, size_t size)
{
    return count <= ctx->kept / (int64_t)size && fits(ctx, count, size);
}

int64_t pith_i_keep_up_to(pith_ctx *ctx, int64_t bytes)
{
    const int64_t before = ctx->kept;
    ctx->kept = bytes;
    return before;
}

void *pith_i_alloc_large(pith_ctx *ctx, int64_t count, size_t size)
{
    if (fits(ctx, count, size))
        return pith_i_alloc(ctx, count, size);
    if (pith_i_told_to_fail(ctx->account)) {
        (void)no_room(ctx, (int64_t)((size_t)count * size), ENOMEM);
        return NULL;
    }
    return in_file(ctx, (size_t)count * size);
}

void *pith_i_alloc_large_zero(pith_ctx *ctx, int64_t count, size_t size)
{
    void *block = pith_i_alloc_large(ctx, count, size);
    if (block != NULL && !pith_i_is_in_file(block)) /* a new file is zero */
        memset(block, 0, pith_i_block_of(block)->bytes);
    return block;
}

bool pith_i_is_in_file(const void *block)
{
    return block != NULL && pith_i_block_of((void *)(uintptr_t)block)->file >= 0;
}

/* The file becomes longer, and its mapping moves if it must. On failure both are as they were. */
static void *grow_file(pith_ctx *ctx, void *block, size_t bytes)
{
    pith_i_block *b = pith_i_block_of(block);
    const size_t whole = ALIGN + bytes, old = b->bytes;
    const int code = pith_i_told_to_fail(b->account) ? ENOMEM : posix_fallocate(b->file, 0, (off_t)whole);
    if (code != 0) {
        (void)no_room(ctx, (int64_t)bytes, code);
        return NULL;
    }
    delist(b);
    void *map = mremap(b, b->map_bytes, whole, MREMAP_MAYMOVE);
    if (map == MAP_FAILED) {
        enlist(b);
        (void)no_room(ctx, (int64_t)bytes, ENOMEM);
        return NULL;
    }
    b = map;
    b->map = map;
    b->map_bytes = whole;
    b->bytes = bytes;
    book_files(b->account, (int64_t)bytes - (int64_t)old);
    enlist(b);
    return (char *)b + ALIGN;
}

void *pith_i_realloc_large(pith_ctx *ctx, void *block, int64_t count, size_t size)
{
    const size_t old = block != NULL ? pith_i_block_of(block)->bytes : 0;
    if (pith_i_is_in_file(block) && count > 0 && (size_t)count > old / size)
        return grow_file(ctx, block, (size_t)count * size);
    void *larger = pith_i_alloc_large(ctx, count, size);
    if (larger != NULL && block != NULL) {
        const size_t now = pith_i_block_of(larger)->bytes;
        memcpy(larger, block, old < now ? old : now);
        pith_i_free(block);
    }
    return larger;
}

/* ---- Existing files ---------------------------------------------------------------------------------- */

void *pith_i_map_file(pith_ctx *ctx, int fd, int64_t bytes, const void **at)
{
    void *block = pith_i_alloc(ctx, 0, 1);
    if (block == NULL)
        return NULL;
    void *map = mmap(NULL, (size_t)bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED) {
        char need[32];
        (void)pith_i_error(ctx, PITH_E_NOMEM, "out of memory: a file of %s cannot be mapped: %s",
                           pith_i_bytes_text(bytes, need), strerror(errno));
        pith_i_free(block);
        return NULL;
    }
    pith_i_block *b = pith_i_block_of(block);
    b->map = map;
    b->map_bytes = (size_t)bytes;
    enlist(b);
    *at = map;
    return block;
}
