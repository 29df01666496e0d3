#include "matrix/blas.h"
#include "unit/support.h"

#include <stdlib.h>
#include <string.h>

/* OpenBLAS as it would be on a processor that it knows by this name; NULL: as it is. */
static void fake(const char *kernel, const char *asked)
{
    (void)(kernel != NULL ? setenv("PITH_TEST_BLAS_KERNEL", kernel, 1) : unsetenv("PITH_TEST_BLAS_KERNEL"));
    (void)(asked != NULL ? setenv("OPENBLAS_CORETYPE", asked, 1) : unsetenv("OPENBLAS_CORETYPE"));
}

static bool has_avx2(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

static void old_kernels_have_a_better_one_where_the_processor_has_avx2(void **state)
{
    (void)state;
    const char *const old[] = {"Prescott", "Core2", "Nehalem", "Sandybridge", "Barcelona"};
    for (size_t i = 0; i < COUNT(old); i++) {
        fake(old[i], NULL);
        assert_string_equal(pith_blas_kernel(), old[i]);
        if (has_avx2())
            assert_string_equal(pith_blas_better_kernel(), "Haswell");
        else
            assert_null(pith_blas_better_kernel());
    }
}

static void new_kernels_and_the_user_s_choice_stay(void **state)
{
    (void)state;
    const char *const known[] = {"Haswell", "Zen", "SkylakeX", "Cooperlake", "SapphireRapids", "neoversen1"};
    for (size_t i = 0; i < COUNT(known); i++) {
        fake(known[i], NULL);
        assert_null(pith_blas_better_kernel());
    }
    fake("Prescott", "Prescott");
    assert_null(pith_blas_better_kernel());
}

static void count_notes(const char *text, void *user)
{
    assert_non_null(strstr(text, "OPENBLAS_CORETYPE=Haswell"));
    (*(int *)user)++;
}

/* The first that listens is told, and nobody again. */
static void the_library_says_so_once(void **state)
{
    pith_ctx *ctx = *state;
    int claim = 0, told = 0;
    fake("Prescott", NULL);
    for (int round = 0; round < 3; round++) {
        pith_ctx_set_note(ctx, round > 0 ? count_notes : NULL, &told);
        assert_ok(ctx, pith_i_blas_begin(ctx, &claim));
        pith_i_blas_end(ctx, claim);
        assert_int_equal(told, round > 0 && has_avx2());
    }
    fake(NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(old_kernels_have_a_better_one_where_the_processor_has_avx2),
        cmocka_unit_test(new_kernels_and_the_user_s_choice_stay),
        TEST(the_library_says_so_once),
    };
    return cmocka_run_group_tests_name("kernels", tests, NULL, NULL);
}
