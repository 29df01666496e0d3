#include "matrix/blas.h"

#include <omp.h>
#include <pthread.h>

/* OpenBLAS's own; weak, so that another BLAS links as well. */
extern void openblas_set_num_threads(int) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));

/* Process-wide, because OpenBLAS's setting is process-wide. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int users, threads_before;

/* An OpenBLAS built on OpenMP takes its number from OpenMP's setting for the calling thread, and changes
 * that when its own is set. Our loops say how many threads they want, so they do not see it. */
static _Thread_local int depth, openmp_before;

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
        threads_before = openblas_get_num_threads != NULL ? openblas_get_num_threads() : 1;
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
