/*
 * Threads. Loops are OpenMP's: `#pragma omp parallel for num_threads(pith_ctx_threads(ctx))`. A loop
 * splits over outputs (rows, features), never over a sum: sums are cut into blocks of fixed size whose
 * totals are added in order (pith_i_reduce), so the number of threads cannot change a result.
 */
#ifndef PITH_CORE_PARALLEL_H
#define PITH_CORE_PARALLEL_H

#include "core/core.h"

/* How many threads OpenMP takes by itself, but no more than the cores whose time the process's control group
 * gets (docker run --cpus): more would wait for each other. OMP_NUM_THREADS is taken at its word. */
int pith_i_cores(void);
/* How many threads of a team of `wanted` the system grants to the calling thread, 1 at least. OpenMP ends the
 * process when it cannot start a thread, so pith_ctx_threads asks here first. After a refusal it never tries
 * for more threads again. */
int pith_i_team(int wanted);
/* Until called again, loops of this context use `most` threads at most; 0: as set by pith_ctx_set_threads. */
void pith_i_limit_threads(pith_ctx *ctx, int most);
int pith_i_thread(void); /* number of this thread in its team; 0 is the one that called the library */

enum { PITH_I_SUM_BLOCK = 4096 }; /* terms in one block of a sum */

/*
 * `width` sums over [0, n), in a fixed order. block_sum adds the terms in [lo, hi) to sums that are 0 before.
 */
typedef void pith_i_block_sum_fn(const void *self, int64_t lo, int64_t hi, double *sums);
pith_status pith_i_reduce(pith_ctx *ctx, int64_t n, int64_t width, pith_i_block_sum_fn *block_sum,
                          const void *self, double *sums);
/* The same over rows of the data. If an engine spreads the rows over processes, each process gets the sums
 * over all of them; how the rows are spread then affects rounding. */
pith_status pith_i_sum_rows(pith_ctx *ctx, int64_t n, int64_t width, pith_i_block_sum_fn *block_sum,
                            const void *self, double *sums);
/* x'y of vectors with one entry per row, likewise. */
pith_status pith_i_dot(pith_ctx *ctx, int64_t n, const double *x, const double *y, double *out);
/* The same for vectors that this process holds whole. */
pith_status pith_i_dot_here(pith_ctx *ctx, int64_t n, const double *x, const double *y, double *out);

#endif
