#include "matrix/blas.h"
#include "unit/support.h"

#include <omp.h>

#define skip_without_openblas()                                                                              \
    do {                                                                                                     \
        if (openblas_get_num_threads == NULL) {                                                              \
            print_message("skipped: this BLAS is not OpenBLAS\n");                                           \
            skip();                                                                                          \
        }                                                                                                    \
    } while (0)
extern int openblas_get_num_threads(void) __attribute__((weak));
extern void openblas_set_num_threads(int) __attribute__((weak));

/* Keeps BLAS linked, which the weak names above do not. */
static void blas_is_there(void **state)
{
    (void)state;
    const double x[] = {1, 2, 3};
    assert_true(cblas_ddot(3, x, 1, x, 1) == 14);
}

static void between_enter_and_leave_blas_has_one_thread(void **state)
{
    (void)state;
    skip_without_openblas();
    openblas_set_num_threads(2);
    const int before = openblas_get_num_threads(), openmp = omp_get_max_threads();
    pith_i_blas_enter();
    pith_i_blas_enter();
    assert_int_equal(openblas_get_num_threads(), 1);
    pith_i_blas_leave();
    assert_int_equal(openblas_get_num_threads(), 1);
    pith_i_blas_leave();
    assert_int_equal(openblas_get_num_threads(), before);
    assert_int_equal(omp_get_max_threads(), openmp);
}

static void loops_keep_their_threads_while_blas_has_one(void **state)
{
    pith_ctx *ctx = *state;
    const int before = pith_ctx_threads(ctx);
    pith_i_blas_enter();
    const int inside = pith_ctx_threads(ctx);
    pith_i_blas_leave();
    assert_int_equal(inside, before);
}

/* Two contexts at work at once: BLAS gets its threads back when the last one is done, not the first. */
static void the_last_of_several_threads_gives_them_back(void **state)
{
    (void)state;
    skip_without_openblas();
    openblas_set_num_threads(2);
    const int before = openblas_get_num_threads();
    int early = 0, changed = 0;
#pragma omp parallel num_threads(2) reduction(+ : early, changed)
    {
        const int openmp = omp_get_max_threads();
        pith_i_blas_enter();
#pragma omp barrier
        if (omp_get_thread_num() == 1)
            pith_i_blas_leave();
#pragma omp barrier
        if (omp_get_thread_num() == 0) {
            early += openblas_get_num_threads() != 1;
            pith_i_blas_leave();
        }
        changed += omp_get_max_threads() != openmp;
    }
    assert_int_equal(early, 0);
    assert_int_equal(changed, 0);
    assert_int_equal(openblas_get_num_threads(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blas_is_there),
        cmocka_unit_test(between_enter_and_leave_blas_has_one_thread),
        TEST(loops_keep_their_threads_while_blas_has_one),
        cmocka_unit_test(the_last_of_several_threads_gives_them_back),
    };
    return cmocka_run_group_tests_name("blas", tests, NULL, NULL);
}
