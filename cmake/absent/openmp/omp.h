/* In place of OpenMP's header where PITH_OPENMP is off: one thread, which never waits for itself. */
#ifndef PITH_ABSENT_OMP_H
#define PITH_ABSENT_OMP_H

typedef char omp_lock_t;

static inline int omp_get_max_threads(void)
{
    return 1;
}
static inline int omp_get_thread_limit(void)
{
    return 1;
}
static inline int omp_get_thread_num(void)
{
    return 0;
}
static inline int omp_in_parallel(void)
{
    return 0;
}
static inline void omp_set_num_threads(int threads)
{
    (void)threads;
}
static inline void omp_init_lock(omp_lock_t *lock)
{
    *lock = 0;
}
static inline void omp_destroy_lock(omp_lock_t *lock)
{
    (void)lock;
}
static inline void omp_set_lock(omp_lock_t *lock)
{
    (void)lock;
}
static inline void omp_unset_lock(omp_lock_t *lock)
{
    (void)lock;
}

#endif
