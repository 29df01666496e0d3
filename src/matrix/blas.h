/*
 * BLAS, always on one thread: a threaded BLAS cuts its sums by its number of threads, and ours must not
 * depend on it. Our loops are the parallel part; they call these on tiles whose shape the data decides.
 */
#ifndef PITH_MATRIX_BLAS_H
#define PITH_MATRIX_BLAS_H

#include <cblas.h>
#undef I /* cblas.h brings complex.h */

#include "core/core.h"

/* Between these, BLAS runs on one thread in this process; nests, also across contexts and threads. */
void pith_i_blas_enter(void);
void pith_i_blas_leave(void);

/*
 * The same, for the functions of pith.h: all BLAS lies between these. The first also claims the memory that
 * BLAS works in, for every thread of the context, and lowers the context's threads where that is scarce;
 * PITH_E_NOMEM if there is none for a single one. *claim is for the second, which takes 0 where the first
 * failed or was not reached.
 */
pith_status pith_i_blas_begin(pith_ctx *ctx, int *claim);
void pith_i_blas_end(pith_ctx *ctx, int claim);

/* A note, once in a process, where OpenBLAS took old kernels on a processor that has more:
 * pith_blas_better_kernel.
 */
void pith_i_blas_tell_kernel(pith_ctx *ctx);

#endif
