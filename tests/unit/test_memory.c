#include "unit/support.h"

static void blocks_are_aligned_and_counted(void **state)
{
    pith_ctx *ctx = *state;
    static const int64_t sizes[] = {0, 1, 63, 64, 65, 4096};
    void *block[COUNT(sizes)];
    int64_t sum = 0;
    for (size_t b = 0; b < COUNT(sizes); b++) {
        block[b] = pith_i_alloc(ctx, sizes[b], 3);
        assert_non_null(block[b]);
        assert_int_equal((uintptr_t)block[b] % 64, 0);
        memset(block[b], 0xA5, (size_t)sizes[b] * 3);
        sum += 3 * sizes[b];
        assert_int_equal(pith_i_bytes_in_use(ctx), sum);
    }
    assert_int_equal(pith_ctx_peak_bytes(ctx), sum);
    for (size_t b = 0; b < COUNT(sizes); b++)
        pith_i_free(block[b]);
    pith_i_free(NULL);
    assert_int_equal(pith_i_bytes_in_use(ctx), 0);
    assert_int_equal(pith_ctx_peak_bytes(ctx), sum);
}

static void sizes_that_do_not_fit_are_out_of_memory(void **state)
{
    pith_ctx *ctx = *state;
    static const struct {
        int64_t count;
        size_t size;
    } silly[] = {{-1, 1}, {INT64_MIN, 8}, {INT64_MAX, 1}, {INT64_MAX, 8}, {INT64_MAX / 4, 16}, {2, SIZE_MAX}};
    for (size_t t = 0; t < COUNT(silly); t++) {
        assert_null(pith_i_alloc(ctx, silly[t].count, silly[t].size));
        assert_non_null(strstr(pith_ctx_message(ctx), "do not fit"));
        assert_null(pith_i_scratch_zero(ctx, silly[t].count, silly[t].size));
    }
    assert_int_equal(pith_i_bytes_in_use(ctx), 0);
    assert_int_equal(pith_i_scratch_mark(ctx), 0);
}

static void zeroed_memory_is_zero_even_when_reused(void **state)
{
    pith_ctx *ctx = *state;
    for (int round = 0; round < 3; round++) {
        unsigned char *a = pith_i_alloc_zero(ctx, 1000, 1), *s = pith_i_scratch_zero(ctx, 100, 10);
        for (int i = 0; i < 1000; i++)
            assert_int_equal(a[i] | s[i], 0);
        memset(a, 0xFF, 1000);
        memset(s, 0xFF, 1000);
        pith_i_free(a);
        pith_i_scratch_release(ctx, 0);
    }
}

static void realloc_keeps_the_content_and_on_failure_the_block(void **state)
{
    pith_ctx *ctx = *state;
    int32_t *block = pith_i_realloc(ctx, NULL, 3, sizeof *block);
    for (int i = 0; i < 3; i++)
        block[i] = i + 7;
    (void)pith_i_fail_allocation(ctx, 1);
    assert_null(pith_i_realloc(ctx, block, 1000, sizeof *block));
    assert_int_equal(pith_i_bytes_in_use(ctx), 12);
    block = pith_i_realloc(ctx, block, 1000, sizeof *block);
    for (int i = 0; i < 3; i++)
        assert_int_equal(block[i], i + 7);
    block = pith_i_realloc(ctx, block, 2, sizeof *block);
    assert_int_equal(block[0], 7);
    assert_int_equal(block[1], 8);
    assert_int_equal(pith_i_bytes_in_use(ctx), 8);
    pith_i_free(block);
}

static void scratch_goes_back_to_the_mark_and_no_further(void **state)
{
    pith_ctx *ctx = *state;
    double *outer = pith_i_scratch(ctx, 10, sizeof *outer);
    outer[9] = 42;
    const size_t mark = pith_i_scratch_mark(ctx);
    for (int i = 0; i < 200; i++) {
        unsigned char *s = pith_i_scratch(ctx, 5 + i, 1);
        assert_non_null(s);
        memset(s, i, (size_t)(5 + i));
    }
    pith_i_scratch_release(ctx, mark);
    assert_int_equal(pith_i_bytes_in_use(ctx), 10 * sizeof *outer);
    assert_true(outer[9] == 42);
    pith_i_scratch_release(ctx, mark);
    assert_int_equal(pith_i_scratch_mark(ctx), mark);
    pith_i_scratch_release(ctx, 0);
    assert_int_equal(pith_i_bytes_in_use(ctx), 0); /* the stack itself holds nothing */
}

static void the_nth_allocation_fails_once(void **state)
{
    pith_ctx *ctx = *state;
    (void)pith_i_fail_allocation(ctx, 3);
    for (int nth = 1; nth <= 5; nth++) {
        void *block = nth % 2 == 0 ? pith_i_alloc(ctx, 1, 8) : pith_i_alloc_zero(ctx, 1, 8);
        assert_true((block == NULL) == (nth == 3));
        pith_i_free(block);
    }
    assert_int_equal(pith_i_fail_allocation(ctx, 2), 0); /* the first order has been carried out */
    assert_int_equal(pith_i_fail_allocation(ctx, 0), 2); /* the second has not begun */
    (void)pith_i_fail_allocation(ctx, 1);
    assert_null(pith_i_scratch(ctx, 1, 8));
    assert_int_equal(pith_i_scratch_mark(ctx), 0);
    (void)pith_i_fail_allocation(ctx, 1);
    assert_null(pith_i_strdup(ctx, "word"));
    assert_non_null(strstr(pith_ctx_message(ctx), "5 B"));
}

static void a_block_may_outlive_its_context(void **state)
{
    (void)state;
    pith_ctx *ctx = NULL;
    assert_int_equal(pith_ctx_new(&ctx), PITH_OK);
    char *word = pith_i_strdup(ctx, "still here");
    (void)pith_i_scratch(ctx, 100, 8); /* goes with the context */
    pith_ctx_free(ctx);
    assert_string_equal(word, "still here");
    pith_i_free(word);
}

static void the_peak_is_the_most_held_at_once_since_reset(void **state)
{
    pith_ctx *ctx = *state;
    void *kept = pith_i_alloc(ctx, 100, 1), *large = pith_i_alloc(ctx, 1000, 1);
    pith_i_free(large);
    assert_int_equal(pith_ctx_peak_bytes(ctx), 1100);
    pith_ctx_reset_peak(ctx);
    assert_int_equal(pith_ctx_peak_bytes(ctx), 100);
    pith_i_free(pith_i_alloc(ctx, 7, 1));
    pith_i_free(pith_i_alloc(ctx, 5, 1));
    assert_int_equal(pith_ctx_peak_bytes(ctx), 107);
    pith_i_free(kept);
    assert_int_equal(pith_ctx_peak_bytes(NULL), 0);
    pith_ctx_reset_peak(NULL);
}

/* A run's own peak must not make the context forget a higher one before it. */
static void a_part_has_a_peak_of_its_own(void **state)
{
    pith_ctx *ctx = *state;
    void *kept = pith_i_alloc(ctx, 100, 1);
    pith_i_free(pith_i_alloc(ctx, 1000, 1));
    for (int64_t part = 10; part <= 2010; part += 2000) {
        const int64_t before = pith_i_peak_begin(ctx);
        pith_i_free(pith_i_alloc(ctx, part, 1));
        assert_int_equal(pith_ctx_peak_bytes(ctx), 100 + part);
        pith_i_peak_end(ctx, before);
        assert_int_equal(pith_ctx_peak_bytes(ctx), part == 10 ? 1100 : 2110);
    }
    pith_i_free(kept);
}

/* A matrix made in one thread may be freed in another while its context is at work. */
static void blocks_can_be_freed_by_other_threads(void **state)
{
    pith_ctx *ctx = *state;
    enum { MANY = 400 };
    void *block[MANY];
    for (int b = 0; b < MANY; b++)
        block[b] = pith_i_alloc(ctx, b, 8);
#pragma omp parallel for num_threads(4)
    for (int b = 0; b < MANY; b++)
        pith_i_free(block[b]);
    assert_int_equal(pith_i_bytes_in_use(ctx), 0);
    assert_int_equal(pith_ctx_peak_bytes(ctx), 8 * MANY * (MANY - 1) / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(blocks_are_aligned_and_counted),
        TEST(sizes_that_do_not_fit_are_out_of_memory),
        TEST(zeroed_memory_is_zero_even_when_reused),
        TEST(realloc_keeps_the_content_and_on_failure_the_block),
        TEST(scratch_goes_back_to_the_mark_and_no_further),
        TEST(the_nth_allocation_fails_once),
        cmocka_unit_test(a_block_may_outlive_its_context),
        TEST(the_peak_is_the_most_held_at_once_since_reset),
        TEST(a_part_has_a_peak_of_its_own),
        TEST(blocks_can_be_freed_by_other_threads),
    };
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
