/*
 * BLAS, always on one thread: a threaded BLAS splits its sums by its number of threads, and our results must
 * not depend on that. Our own loops are parallel; they call BLAS on tiles whose shape depends on the data
 * alone.
 */
#ifndef PITH_MATRIX_BLAS_H
#define PITH_MATRIX_BLAS_H

#include <cblas.h>
#undef I /* cblas.h brings complex.h */

#include "core/core.h"

/* Between these, BLAS runs on one thread in this process. Calls may nest, also across contexts and threads.
 */
void pith_i_blas_enter(void);
void pith_i_blas_leave(void);

/*
 * The same, for the functions of pith.h, which call BLAS only between these. The first also claims the memory
 * that BLAS works in, for every thread of the context, and lowers the context's threads where it is scarce;
 * PITH_E_NOMEM if there is not enough for one thread. *claim is to be passed to the second: 0 where the first
 * failed or was not reached.
 */
pith_status pith_i_blas_begin(pith_ctx *ctx, int *claim);
void pith_i_blas_end(pith_ctx *ctx, int claim);

/* Sends a note, once in a process, if OpenBLAS chose slow kernels: pith_blas_better_kernel. */
void pith_i_blas_tell_kernel(pith_ctx *ctx);

#endif
