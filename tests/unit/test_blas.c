#include "matrix/blas.h"
#include "unit/support.h"

#include <omp.h>

#define skip_without_openblas()                                                                              \
    do {                                                                                                     \
        if (openblas_get_num_threads == NULL)                                                                \
            skip_because("this BLAS is not OpenBLAS");                                                       \
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

/* OpenBLAS has no more than 128 buffers without a warning; more threads inside it would make it fail. */
static void a_claim_lowers_the_threads_to_what_blas_can_serve(void **state)
{
    pith_ctx *ctx = *state;
    int claim = 0, inner = -1;
    skip_without_openblas();
    assert_ok(ctx, pith_ctx_set_threads(ctx, 200));
    const int before = pith_ctx_threads(ctx);
    assert_ok(ctx, pith_i_blas_begin(ctx, &claim));
    assert_in_range(claim, 1, 127);
    assert_int_equal(pith_ctx_threads(ctx), claim < before ? claim : before);
    assert_ok(ctx, pith_i_blas_begin(ctx, &inner));
    assert_int_equal(inner, 0); /* the outer one serves both */
    pith_i_blas_end(ctx, inner);
    assert_int_equal(openblas_get_num_threads(), 1);
    pith_i_blas_end(ctx, claim);
    assert_int_equal(pith_ctx_threads(ctx), before);
}

/* One claim leaves nothing behind that a later one would lack. */
static void claims_can_be_made_again_and_again(void **state)
{
    pith_ctx *ctx = *state;
    int first = 0;
    assert_ok(ctx, pith_ctx_set_threads(ctx, 3));
    for (int i = 0; i < 300; i++) {
        int claim = 0;
        assert_ok(ctx, pith_i_blas_begin(ctx, &claim));
        first = i == 0 ? claim : first;
        assert_int_equal(claim, first);
        pith_i_blas_end(ctx, claim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blas_is_there),
        cmocka_unit_test(between_enter_and_leave_blas_has_one_thread),
        TEST(loops_keep_their_threads_while_blas_has_one),
        cmocka_unit_test(the_last_of_several_threads_gives_them_back),
        TEST(a_claim_lowers_the_threads_to_what_blas_can_serve),
        TEST(claims_can_be_made_again_and_again),
    };
    return cmocka_run_group_tests_name("blas", tests, NULL, NULL);
}
