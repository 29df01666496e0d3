#include "unit/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGE = 1 << 20 };

static void large_blocks_are_memory_while_they_fit(void **state)
{
    pith_ctx *ctx = *state;
    assert_ok(ctx, pith_ctx_set_memory(ctx, 4 * LARGE));
    char *one = pith_i_alloc_large(ctx, LARGE, 1), *two = pith_i_alloc_large(ctx, LARGE, 4);
    assert_false(pith_i_is_in_file(one));
    assert_true(pith_i_is_in_file(two));
    assert_int_equal((uintptr_t)two % 64, 0);
    assert_int_equal(pith_i_bytes_in_use(ctx), LARGE); /* files do not count */
    assert_int_equal(pith_ctx_scratch_bytes(ctx), 4 * LARGE);
    pith_i_free(one);
    pith_i_free(two);
    assert_int_equal(pith_i_bytes_in_use(ctx), 0);
    assert_int_equal(pith_ctx_scratch_bytes(ctx), 4 * LARGE); /* the most there were */
}

/* Also from other threads, and while pages are dropped under them. */
static void what_is_written_stays_when_pages_are_dropped(void **state)
{
    pith_ctx *ctx = *state;
    const int64_t before = pith_i_spill_beyond(ctx, 1);
    int64_t *x = pith_i_alloc_large_zero(ctx, LARGE, sizeof *x);
    (void)pith_i_spill_beyond(ctx, before);
    assert_true(pith_i_is_in_file(x));
#pragma omp parallel for num_threads(4)
    for (int64_t i = 0; i < LARGE; i++) {
        x[i] += i;
        if (i % 1000 == 0)
            pith_i_touched(ctx, INT64_C(1) << 40);
    }
    for (int64_t i = 0; i < LARGE; i++)
        assert_int_equal(x[i], i);
    pith_i_free(x);
}

static void a_block_that_grows_keeps_its_content(void **state)
{
    pith_ctx *ctx = *state;
    const int64_t before = pith_i_spill_beyond(ctx, LARGE);
    char *x = NULL;
    for (int64_t size = 1000; size <= 16 * LARGE; size *= 4) {
        x = pith_i_realloc_large(ctx, x, size, 1);
        assert_non_null(x);
        for (int64_t i = 0; i < size / 4; i++)
            assert_true(size == 1000 || x[i] == (char)(i % 101));
        for (int64_t i = 0; i < size; i++)
            x[i] = (char)(i % 101);
        assert_true(pith_i_is_in_file(x) == (size + size / 4 > LARGE)); /* both are held for a moment */
    }
    (void)pith_i_spill_beyond(ctx, before);
    pith_i_free(x);
}

static void scratch_files_have_no_names(void **state)
{
    pith_ctx *ctx = *state;
    char here[512];
    (void)snprintf(here, sizeof here, "%s", path_of("scratch"));
    assert_int_equal(mkdir(here, 0700), 0);
    assert_ok(ctx, pith_ctx_set_scratch(ctx, here));
    assert_string_equal(pith_ctx_scratch(ctx), here);
    const int64_t before = pith_i_spill_beyond(ctx, 1);
    char *x = pith_i_alloc_large(ctx, LARGE, 1);
    assert_true(pith_i_is_in_file(x));
    assert_int_equal(rmdir(here), 0); /* it is empty */
    assert_null(pith_i_alloc_large(ctx, LARGE, 1));
    assert_non_null(strstr(pith_ctx_message(ctx), "cannot be used"));
    pith_i_free(x);
    (void)pith_i_spill_beyond(ctx, before);
    assert_int_equal(pith_ctx_set_scratch(ctx, here), PITH_E_ARGUMENT);
    assert_ok(ctx, pith_ctx_set_scratch(ctx, NULL));
}

static void a_disk_without_room_is_told_with_need_and_limit(void **state)
{
    pith_ctx *ctx = *state;
    assert_null(pith_i_alloc_large(ctx, INT64_C(1) << 50, 1));
    assert_non_null(strstr(pith_ctx_message(ctx), "1.1 PB more needed; the limit is"));
    assert_int_equal(pith_i_bytes_in_use(ctx), 0);
}

static void memory_beyond_the_limit_is_refused(void **state)
{
    pith_ctx *ctx = *state;
    assert_ok(ctx, pith_ctx_set_memory(ctx, 2 * LARGE));
    assert_int_equal(pith_ctx_memory(ctx), 2 * LARGE);
    void *half = pith_i_alloc(ctx, LARGE, 1);
    assert_non_null(half);
    assert_null(pith_i_alloc(ctx, LARGE + 1, 1));
    assert_non_null(
        strstr(pith_ctx_message(ctx), "more needed beside 1.0 MB in use, and the limit is 2.1 MB"));
    pith_i_free(half);
    assert_int_equal(pith_ctx_set_memory(ctx, 1000000), PITH_E_ARGUMENT); /* a MB, which is less than a MiB */
    assert_non_null(strstr(pith_ctx_message(ctx), "at least 1 MiB (2^20 bytes), not 1000000"));
    assert_ok(ctx, pith_ctx_set_memory(ctx, 1 << 20));
    assert_ok(ctx, pith_ctx_set_memory(ctx, 0));
    assert_true(pith_ctx_memory(ctx) > INT64_C(1) << 28);
}

static void a_mapped_file_lives_as_long_as_its_holders(void **state)
{
    pith_ctx *ctx = *state;
    const void *at = NULL;
    FILE *file = fopen(path_of("mapped"), "wb");
    assert_non_null(file);
    assert_true(fwrite("hello", 1, 5, file) == 5);
    assert_int_equal(fclose(file), 0);
    const int fd = open(path_of("mapped"), O_RDONLY);
    void *block = pith_i_map_file(ctx, fd, 5, &at);
    assert_non_null(block);
    assert_int_equal(close(fd), 0);
    assert_ptr_equal(pith_i_hold(block), block);
    pith_i_free(block);
    pith_i_touched(ctx, INT64_C(1) << 40);
    assert_memory_equal(at, "hello", 5);
    pith_i_free(block);
    assert_null(pith_i_hold(NULL));
    assert_null(pith_i_map_file(ctx, -1, 5, &at));
}

static pith_status take(pith_ctx *ctx, void *arg)
{
    void *block = pith_i_alloc_large(ctx, LARGE, 1), *larger = NULL;
    (void)arg;
    if (block != NULL)
        larger = pith_i_realloc_large(ctx, block, 2 * LARGE, 1);
    pith_i_free(larger != NULL ? larger : block);
    return larger != NULL ? PITH_OK : PITH_E_NOMEM;
}

static void failing_allocations_are_survived(void **state)
{
    const int64_t before = pith_i_spill_beyond(*state, 1);
    assert_survives_failing_allocations(*state, take, NULL, 2);
    (void)pith_i_spill_beyond(*state, before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(large_blocks_are_memory_while_they_fit),
        TEST(what_is_written_stays_when_pages_are_dropped),
        TEST(a_block_that_grows_keeps_its_content),
        TEST(scratch_files_have_no_names),
        TEST(a_disk_without_room_is_told_with_need_and_limit),
        TEST(memory_beyond_the_limit_is_refused),
        TEST(a_mapped_file_lives_as_long_as_its_holders),
        TEST(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests_name("mapping", tests, make_folder, remove_folder);
}
