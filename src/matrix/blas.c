#include "matrix/blas.h"

#include <pthread.h>

/* OpenBLAS's own; weak, so that another BLAS links as well. */
extern void openblas_set_num_threads(int) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));

/* The one process-wide state of the library, because OpenBLAS's setting is process-wide. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int depth, threads_before;

void pith_i_blas_enter(void)
{
    if (openblas_set_num_threads == NULL || openblas_get_num_threads == NULL)
        return;
    (void)pthread_mutex_lock(&lock);
    if (depth++ == 0) {
        threads_before = openblas_get_num_threads();
        openblas_set_num_threads(1);
    }
    (void)pthread_mutex_unlock(&lock);
}

void pith_i_blas_leave(void)
{
    if (openblas_set_num_threads == NULL || openblas_get_num_threads == NULL)
        return;
    (void)pthread_mutex_lock(&lock);
    if (--depth == 0)
        openblas_set_num_threads(threads_before);
    (void)pthread_mutex_unlock(&lock);
}
