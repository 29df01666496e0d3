#include "io/zip.h"
#include "unit/files.h"

#include <sys/stat.h>
#include <zip.h>

/* An archive with two members; its bytes, in scratch. */
static char *archive(pith_ctx *ctx, int64_t *size)
{
    struct stat info;
    FILE *file = fopen(path_of("a.zip"), "w+b");
    pith_i_zip z = {.ctx = ctx, .stream = file, .path = "a.zip", .total = 10};
    assert_non_null(file);
    assert_ok(ctx, pith_i_zip_begin(&z, "first.npy", 5));
    assert_ok(ctx, pith_i_zip_bytes(&z, "he", 2));
    assert_ok(ctx, pith_i_zip_bytes(&z, "llo", 3));
    assert_ok(ctx, pith_i_zip_end(&z));
    assert_ok(ctx, pith_i_zip_begin(&z, "second.npy", 0));
    assert_ok(ctx, pith_i_zip_end(&z));
    assert_ok(ctx, pith_i_zip_finish(&z));
    assert_int_equal(fclose(file), 0);
    assert_int_equal(stat(path_of("a.zip"), &info), 0);
    *size = info.st_size;
    char *bytes = pith_i_scratch(ctx, *size, 1);
    file = fopen(path_of("a.zip"), "rb");
    assert_true(fread(bytes, 1, (size_t)*size, file) == (size_t)*size);
    assert_int_equal(fclose(file), 0);
    return bytes;
}

static void members_are_aligned_and_found(void **state)
{
    pith_ctx *ctx = *state;
    int64_t size = 0;
    const char *bytes = archive(ctx, &size);
    pith_i_zip_member m;
    assert_true(pith_i_zip_find(bytes, size, 0, "first.npy", &m));
    assert_int_equal((m.at - bytes) % 64, 0);
    assert_int_equal(m.size, 5);
    assert_memory_equal(m.at, "hello", 5);
    assert_ok(ctx, pith_i_zip_check(ctx, "first", &m));
    assert_true(pith_i_zip_find(bytes, size, 1, "second.npy", &m));
    assert_int_equal(m.size, 0);
    assert_false(pith_i_zip_find(bytes, size, 0, "second.npy", &m));
    assert_false(pith_i_zip_find(bytes, size, 2, "first.npy", &m));
    pith_i_scratch_release(ctx, 0);
}

/* libzip, which knows nothing of ours, reads it and finds no fault. */
static void other_programs_read_it(void **state)
{
    pith_ctx *ctx = *state;
    int64_t size = 0;
    char text[8];
    int code = 0;
    (void)archive(ctx, &size);
    zip_t *z = zip_open(path_of("a.zip"), ZIP_RDONLY | ZIP_CHECKCONS, &code);
    assert_non_null(z);
    assert_int_equal(zip_get_num_entries(z, 0), 2);
    zip_file_t *f = zip_fopen(z, "first.npy", 0);
    assert_int_equal(zip_fread(f, text, sizeof text), 5);
    assert_memory_equal(text, "hello", 5);
    assert_int_equal(zip_fclose(f), 0);
    zip_discard(z);
    pith_i_scratch_release(ctx, 0);
}

/* Whatever byte is changed, and wherever the file is cut: nothing outside of it is looked at, and bytes that
 * are found are those of the member. */
static void damage_is_survived(void **state)
{
    pith_ctx *ctx = *state;
    int64_t size = 0;
    const char *bytes = archive(ctx, &size);
    pith_i_zip_member m;
    for (int64_t cut = 0; cut < size; cut++) {
        char *part = pith_i_alloc(ctx, cut, 1); /* of its own, so that sanitizers see what lies beyond */
        memcpy(part, bytes, (size_t)cut);
        assert_false(pith_i_zip_find(part, cut, 0, "first.npy", &m));
        pith_i_free(part);
    }
    char *copy = pith_i_alloc(ctx, size, 1);
    for (int64_t at = 0; at < size; at++)
        for (int bit = 0; bit < 8; bit++) {
            memcpy(copy, bytes, (size_t)size);
            copy[at] = (char)(copy[at] ^ 1 << bit);
            if (!pith_i_zip_find(copy, size, 0, "first.npy", &m))
                continue;
            assert_true(m.at >= copy && m.size >= 0 && m.at + m.size <= copy + size);
            assert_true(pith_i_zip_check(ctx, "first", &m) != PITH_OK || memcmp(m.at, "hello", 5) == 0);
        }
    pith_i_free(copy);
    pith_i_scratch_release(ctx, 0);
}

/* A member of more than 4 GB, most of it holes: its sizes lie in the 64-bit fields. */
static void members_beyond_4_gb_are_found(void **state)
{
    pith_ctx *ctx = *state;
    const int64_t large = (INT64_C(1) << 32) + 100;
    FILE *file = fopen(path_of("large.zip"), "w+b");
    pith_i_zip z = {.ctx = ctx, .stream = file, .path = "large.zip", .total = 10};
    pith_i_zip_member m;
    pith_i_bytes bytes = {0};
    assert_non_null(file);
    assert_ok(ctx, pith_i_zip_begin(&z, "large.npy", large));
    assert_int_equal(fseeko(file, large - 1, SEEK_CUR), 0);
    assert_int_equal(fputc('z', file), 'z');
    assert_ok(ctx, pith_i_zip_end(&z)); /* the checksum is not looked at */
    assert_ok(ctx, pith_i_zip_begin(&z, "behind.npy", 3));
    assert_ok(ctx, pith_i_zip_bytes(&z, "abc", 3));
    assert_ok(ctx, pith_i_zip_end(&z));
    assert_ok(ctx, pith_i_zip_finish(&z));
    assert_int_equal(fclose(file), 0);
    assert_ok(ctx, pith_i_bytes_load(ctx, path_of("large.zip"), &bytes));
    assert_true(pith_i_zip_find(bytes.at, bytes.size, 0, "large.npy", &m));
    assert_int_equal(m.size, large);
    assert_true(pith_i_zip_find(bytes.at, bytes.size, 1, "behind.npy", &m));
    assert_memory_equal(m.at, "abc", 3);
    assert_int_equal((m.at - bytes.at) % 64, 0);
    pith_i_bytes_free(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(members_are_aligned_and_found),
        TEST(other_programs_read_it),
        TEST(damage_is_survived),
        TEST(members_beyond_4_gb_are_found),
    };
    return cmocka_run_group_tests_name("zip", tests, make_folder, remove_folder);
}
