/*
 * BLAS, always on one thread: a threaded BLAS cuts its sums by its number of threads, and ours must not
 * depend on it. Our loops are the parallel part; they call these on tiles whose shape the data decides.
 */
#ifndef PITH_MATRIX_BLAS_H
#define PITH_MATRIX_BLAS_H

#include <cblas.h>
#undef I /* cblas.h brings complex.h */

/* Between these, BLAS runs on one thread in this process; nests, also across contexts and threads. */
void pith_i_blas_enter(void);
void pith_i_blas_leave(void);

#endif
