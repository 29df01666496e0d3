/*
 * Times one search for neighbours for bench/mpi.py, in one process or in each of a job:
 *
 *     ring_bench N P K THREADS                the rows in this process
 *     mpirun -n R ring_bench N P K THREADS    spread over R, by the engine mpi, if PITH_ENGINE_PATH is set
 *
 * of N rows of P normal floats, the same whatever the number of processes. A last word `approximate` asks for
 * that search. Every process prints "rank rounds wall cpu peak checksum": the seconds of the fastest of
 * ROUNDS searches, from when all processes have come to it; the least CPU seconds; the most bytes that the
 * search held beside the rows; and the sum of the squared distances of its rows.
 */
#include "core/engine.h"
#include "core/random.h"
#include "core/search.h"
#include "graph/knn.h"
#include "pith.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 3 }; /* of exact searches; approximate ones take long, and are asked for their memory */

typedef struct measured {
    double wall, cpu, checksum;
} measured;

static double seconds(clockid_t clock)
{
    struct timespec t;
    (void)clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static float *make_rows(int64_t first, int64_t count, int64_t p)
{
    float *x = malloc((size_t)(count * p + 1) * sizeof *x);
    for (int64_t i = 0; x != NULL && i < count; i++) {
        pith_i_stream s = pith_i_stream_at(1, PITH_I_RANDOM_BENCH, (uint64_t)(first + i));
        for (int64_t j = 0; j < p; j++)
            x[i * p + j] = (float)pith_i_random_normal(&s);
    }
    return x;
}

static pith_status search_once(pith_ctx *ctx, const pith_i_data *X, int64_t k, measured *out)
{
    pith_i_knn knn = {0};
    double here = 1;
    pith_status st = pith_i_is_spread(X) ? pith_i_sum(ctx, 1, &here) : PITH_OK;
    const double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    if (st == PITH_OK)
        st = pith_i_knn_find(ctx, X, k, PITH_I_EUCLIDEAN, &knn);
    out->wall = fmin(out->wall, seconds(CLOCK_MONOTONIC) - wall);
    out->cpu = fmin(out->cpu, seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu);
    out->checksum = 0;
    for (int64_t e = 0; e < knn.n * knn.k; e++)
        out->checksum += knn.distance2[e];
    pith_i_knn_free(&knn);
    return st;
}

static pith_status run(pith_ctx *ctx, int64_t n, int64_t p, int64_t k, int rounds)
{
    const int ranks = pith_i_processes(ctx), rank = pith_i_process(ctx);
    const int64_t first = n * rank / ranks, count = n * (rank + 1) / ranks - first;
    float *x = make_rows(first, count, p);
    pith_i_data X = {.n = count, .p = p, .dtype = PITH_F32, .x = x, .row_stride = p, .col_stride = 1};
    measured m = {(double)INFINITY, (double)INFINITY, 0};
    pith_status st = x != NULL ? PITH_OK : PITH_E_NOMEM;
    X.offset = ranks > 1 ? first : 0;
    X.all = ranks > 1 ? n : 0;
    for (int round = 0; round < rounds && st == PITH_OK; round++)
        st = search_once(ctx, &X, k, &m);
    if (st == PITH_OK)
        printf("%d %d %.6f %.6f %lld %.17g\n", rank, rounds, m.wall, m.cpu,
               (long long)pith_ctx_peak_bytes(ctx), m.checksum);
    free(x);
    return st;
}

int main(int argc, char **argv)
{
    pith_ctx *ctx = NULL;
    pith_status st = argc < 5 ? PITH_E_ARGUMENT : pith_ctx_new(&ctx);
    if (st == PITH_OK)
        st = pith_ctx_set_threads(ctx, atoi(argv[4]));
    if (st == PITH_OK && getenv("PITH_ENGINE_PATH") != NULL)
        st = pith_ctx_set_engine(ctx, "mpi");
    if (st == PITH_OK)
        (void)pith_i_searching_begin(ctx, argc > 5 ? PITH_I_SEARCH_APPROXIMATE : PITH_I_SEARCH_EXACT,
                                     PITH_I_RECALL);
    if (st == PITH_OK)
        st = run(ctx, atoll(argv[1]), atoll(argv[2]), atoll(argv[3]), argc > 5 ? 1 : ROUNDS);
    if (st != PITH_OK)
        (void)fprintf(stderr, "ring_bench: %s\n", ctx != NULL ? pith_ctx_message(ctx) : "N P K THREADS");
    pith_ctx_free(ctx);
    return st == PITH_OK ? 0 : 1;
}
