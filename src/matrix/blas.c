#include "matrix/blas.h"

#include "core/parallel.h"

#include <omp.h>
#include <pthread.h>
#include <sys/mman.h>

/* OpenBLAS's own; weak, so that another BLAS links as well. */
extern void openblas_set_num_threads(int) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));
extern void *blas_memory_alloc(int) __attribute__((weak));
extern void blas_memory_free(void *) __attribute__((weak));

/* Process-wide, because OpenBLAS's setting and its buffers are process-wide. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int users, threads_before;
static int buffers_claimed, buffers_in_use;

/* An OpenBLAS built on OpenMP takes its number of threads from OpenMP's setting for the calling thread, and
 * changes that when its own is set. Our loops say how many threads they want, so it does not affect them. */
static _Thread_local int depth, openmp_before;

static int openblas_threads(void)
{
    return openblas_get_num_threads != NULL ? openblas_get_num_threads() : 1;
}

static void set_openblas(int threads)
{
    if (openblas_set_num_threads != NULL)
        openblas_set_num_threads(threads);
}

void pith_i_blas_enter(void)
{
    if (depth++ > 0)
        return;
    openmp_before = omp_get_max_threads();
    (void)pthread_mutex_lock(&lock);
    if (users++ == 0) {
        threads_before = openblas_threads();
        set_openblas(1);
    }
    (void)pthread_mutex_unlock(&lock);
    omp_set_num_threads(1);
}

void pith_i_blas_leave(void)
{
    if (--depth > 0)
        return;
    (void)pthread_mutex_lock(&lock);
    if (--users == 0)
        set_openblas(threads_before);
    (void)pthread_mutex_unlock(&lock);
    omp_set_num_threads(openmp_before);
}

/*
 * OpenBLAS works in buffers, one for every thread that is inside it. It maps one when a call first needs it,
 * keeps it for good, and when there is no memory tries again for ever. So the buffers are mapped here, where
 * failing is possible: the memory is tried first, and then OpenBLAS is made to take it.
 */
enum {
    BUFFER = 1 << 27,  /* bytes: OpenBLAS's BUFFER_SIZE on x86-64 and ARM64 */
    MOST_BUFFERS = 128 /* of Debian's build; with more threads inside it warns, and at 640 it fails */
};

/* How many of `count` buffers there is memory for. As much again is left to the data, unless there is room
 * for only one: more threads must not mean less room for data. */
static int affordable(int count)
{
    void *at[2 * MOST_BUFFERS];
    int got = 0;
    while (got < 2 * count && (at[got] = mmap(NULL, BUFFER, PROT_READ | PROT_WRITE,
                                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) != MAP_FAILED)
        got++;
    for (int i = 0; i < got; i++)
        (void)munmap(at[i], BUFFER);
    return got == 1 ? 1 : got / 2;
}

/* OpenBLAS hands out what it has mapped before it maps more. */
static void map_buffers(int count)
{
    void *taken[MOST_BUFFERS];
    for (int i = 0; i < count; i++)
        taken[i] = blas_memory_alloc(0);
    for (int i = 0; i < count; i++)
        blas_memory_free(taken[i]);
}

/* Up to `wanted` buffers for the caller alone, under the lock. */
static int claim_buffers(int wanted)
{
    const int own = users > 0 ? threads_before : openblas_threads(); /* each of its threads keeps one */
    const int spare = buffers_claimed - buffers_in_use, room = MOST_BUFFERS - own - buffers_in_use;
    int got = wanted < room ? wanted : room;
    if (got > spare) {
        /* Other callers may be using theirs inside BLAS now: the same number is mapped beside them. */
        const int more = affordable(buffers_in_use + got - spare) - buffers_in_use;
        got = spare + (more > 0 ? more : 0);
    }
    if (got > spare) {
        buffers_claimed = buffers_in_use + got;
        map_buffers(buffers_claimed);
    }
    buffers_in_use += got;
    return got;
}

pith_status pith_i_blas_begin(pith_ctx *ctx, int *claim)
{
    char text[32];
    int got = pith_ctx_threads(ctx);
    *claim = 0;
    if (depth > 0) /* the function of pith.h that called this one has claimed them */
        return PITH_OK;
    (void)pthread_mutex_lock(&lock);
    if (blas_memory_alloc != NULL && blas_memory_free != NULL)
        got = claim_buffers(got);
    (void)pthread_mutex_unlock(&lock);
    if (got < 1)
        return pith_i_error(ctx, PITH_E_NOMEM, "out of memory: %s more needed for matrix products",
                            pith_i_bytes_text(BUFFER, text));
    *claim = got;
    pith_i_limit_threads(ctx, got);
    pith_i_blas_enter();
    pith_i_blas_tell_kernel(ctx);
    return PITH_OK;
}

void pith_i_blas_end(pith_ctx *ctx, int claim)
{
    if (claim == 0)
        return;
    pith_i_blas_leave();
    pith_i_limit_threads(ctx, 0);
    (void)pthread_mutex_lock(&lock);
    if (blas_memory_alloc != NULL && blas_memory_free != NULL)
        buffers_in_use -= claim;
    (void)pthread_mutex_unlock(&lock);
}
