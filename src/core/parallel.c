#include "core/parallel.h"

#include "core/ctx.h"
#include "core/engine.h"

#include <ctype.h>
#include <limits.h>
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

int pith_i_cores(void)
{
    const int most = omp_get_max_threads();
    if (getenv("OMP_NUM_THREADS") != NULL)
        return most;
    const int64_t group = pith_i_group_cores(PITH_I_GROUPS_OF_PROCESS, PITH_I_GROUPS);
    return group < most ? (int)group : most;
}

static void *wait_at(void *gate)
{
    (void)pthread_mutex_lock(gate);
    (void)pthread_mutex_unlock(gate);
    return NULL;
}

typedef struct helper {
    pthread_t id;
    void *share;
} helper;

/* Address space that a thread needs beside its stack: BLAS takes 128 MB for each, and as much again is left
 * for the data. */
static const size_t share_bytes = (size_t)1 << 28;

/* Stack size of OpenMP's threads: OMP_STACKSIZE, in kilobytes or with a unit; 0: the system's default. */
static size_t stack_bytes(void)
{
    static const char units[] = "bkmg";
    const char *text = getenv("OMP_STACKSIZE");
    char *end = NULL;
    const unsigned long long number = text != NULL ? strtoull(text, &end, 10) : 0;
    if (number == 0)
        return 0;
    while (*end == ' ')
        end++;
    const char *unit = *end != '\0' ? strchr(units, tolower((unsigned char)*end)) : units + 1;
    const int shift = unit != NULL ? 10 * (int)(unit - units) : 0;
    return number > SIZE_MAX >> (shift + 1) ? SIZE_MAX >> 1 : (size_t)number << shift;
}

static bool start(helper *h, const pthread_attr_t *how, pthread_mutex_t *gate)
{
    h->share = mmap(NULL, share_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (h->share == MAP_FAILED)
        return false;
    if (pthread_create(&h->id, how, wait_at, gate) == 0)
        return true;
    (void)munmap(h->share, share_bytes);
    return false;
}

/* How many threads can exist at once, `wanted` at most: starts them, makes them wait, and ends them. */
static int startable(int wanted)
{
    enum { MOST = 4096 };
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_attr_t how;
    helper h[MOST];
    int started = 0;
    if (pthread_attr_init(&how) != 0)
        return 0;
    if (stack_bytes() > 0)
        (void)pthread_attr_setstacksize(&how, stack_bytes()); /* too small: OpenMP does not take it either */
    (void)pthread_mutex_lock(&gate);
    while (started < wanted && started < MOST && start(&h[started], &how, &gate))
        started++;
    (void)pthread_attr_destroy(&how);
    (void)pthread_mutex_unlock(&gate);
    for (int i = 0; i < started; i++) {
        (void)pthread_join(h[i].id, NULL);
        (void)munmap(h[i].share, share_bytes);
    }
    return started;
}

int pith_i_team(int wanted)
{
    /* OpenMP keeps a team for each thread that started one, so each calling thread counts its own. */
    static _Thread_local int team = 1, refused = INT_MAX;
    const int most = omp_get_thread_limit();
    wanted = wanted < most ? wanted : most;
    if (wanted <= team || omp_in_parallel())
        return wanted;
    if (wanted < refused) {
        const int before = team;
        team = 1 + startable(wanted - 1);
        team = team > before ? team : before;
        refused = team < wanted ? team + 1 : refused;
#pragma omp parallel num_threads(team) /* now, while there is memory: the data may take it next */
        (void)omp_get_thread_num();
    }
    return wanted < team ? wanted : team;
}

void pith_i_limit_threads(pith_ctx *ctx, int most)
{
    ctx->most_threads = most;
}

int pith_i_thread(void)
{
    return omp_get_thread_num();
}

pith_status pith_i_reduce(pith_ctx *ctx, int64_t n, int64_t width, pith_i_block_sum_fn *block_sum,
                          const void *self, double *sums)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t blocks = (n + PITH_I_SUM_BLOCK - 1) / PITH_I_SUM_BLOCK;
    pith_status st = PITH_OK;
    double *partial = NULL;
    TRY(SCRATCH_ZERO(ctx, partial, blocks * width));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) if (blocks > 1)
    for (int64_t b = 0; b < blocks; b++) {
        const int64_t lo = b * PITH_I_SUM_BLOCK, hi = lo + PITH_I_SUM_BLOCK < n ? lo + PITH_I_SUM_BLOCK : n;
        block_sum(self, lo, hi, partial + b * width);
    }
    for (int64_t w = 0; w < width; w++)
        sums[w] = 0;
    for (int64_t b = 0; b < blocks; b++)
        for (int64_t w = 0; w < width; w++)
            sums[w] += partial[b * width + w];
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_sum_rows(pith_ctx *ctx, int64_t n, int64_t width, pith_i_block_sum_fn *block_sum,
                            const void *self, double *sums)
{
    pith_status st = PITH_OK;
    TRY(pith_i_reduce(ctx, n, width, block_sum, self, sums));
    TRY(pith_i_sum(ctx, width, sums));
done:
    return st;
}

typedef struct pair {
    const double *x, *y;
} pair;

/* In lanes with a sum each: in a single running sum, every addition would wait for the one before. */
static void dot_block(const void *self, int64_t lo, int64_t hi, double *sums)
{
    enum { LANES = 8 };
    const pair *v = self;
    double lane[LANES] = {0};
    int64_t i = lo;
    for (; i + LANES <= hi; i += LANES)
        for (int t = 0; t < LANES; t++)
            lane[t] += v->x[i + t] * v->y[i + t];
    for (int t = 0; i < hi; i++, t++)
        lane[t] += v->x[i] * v->y[i];
    for (int t = 0; t < LANES; t++)
        sums[0] += lane[t];
}

pith_status pith_i_dot_here(pith_ctx *ctx, int64_t n, const double *x, const double *y, double *out)
{
    const pair v = {x, y};
    return pith_i_reduce(ctx, n, 1, dot_block, &v, out);
}

pith_status pith_i_dot(pith_ctx *ctx, int64_t n, const double *x, const double *y, double *out)
{
    const pair v = {x, y};
    return pith_i_sum_rows(ctx, n, 1, dot_block, &v, out);
}
