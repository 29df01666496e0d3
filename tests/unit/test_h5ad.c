#include "io/hdf5.h"
#include "unit/binary.h"

#include <hdf5.h>

static const tested h5ad = {"h5ad", pith_i_h5ad_read, pith_i_h5ad_write};

static void dense_and_sparse_files_read_as_the_same_matrix(void **state)
{
    for_each_seed(*state, &h5ad, "good-", 9, seed_reads_as_the_matrix);
    for_each_seed(*state, &h5ad, "truth", 1, seed_reads_as_truth);
}

static void lies_and_damage_are_refused_without_taking_memory(void **state)
{
    for_each_seed(*state, &h5ad, "bad-", 16, seed_is_refused);
    assert_refuses_what_is_no_file(*state, &h5ad);
}

static void errors_say_what_is_wrong_and_what_to_do(void **state)
{
    pith_ctx *ctx = *state;
    const pith_read_options layer = {.var = "XX"}, labels = {.labels = "lable"};
    const char *said = refusal(ctx, &h5ad, seed_path(&h5ad, "bad-lie-chunked"), NULL, PITH_E_DATA);
    assert_says(said, "X: claims 9.0 PB but only 0 B are stored");
    said = refusal(ctx, &h5ad, seed_path(&h5ad, "good-dense-y-names"), &layer, PITH_E_DATA);
    assert_says(said, "no matrix XX; did you mean X? It holds X (dense 4 x 3)");
    said = refusal(ctx, &h5ad, seed_path(&h5ad, "good-dense-y-names"), &labels, PITH_E_DATA);
    assert_says(said, "no column lable in obs; did you mean label?");
    said = refusal(ctx, &h5ad, seed_path(&h5ad, "bad-label-length"), NULL, PITH_E_DATA);
    assert_says(said, "obs/Y holds 3 entries where 4 are needed");
}

static void matrices_round_trip_bit_by_bit(void **state)
{
    assert_all_round_trips(*state, &h5ad, false);
    assert_writes_views(*state, &h5ad);
}

/* Writing keeps the library's own messages off, and brings them back for whoever else uses it. */
static void hdf5_is_left_as_it_was(void **state)
{
    pith_ctx *ctx = *state;
    H5E_auto2_t before = NULL, after = NULL;
    void *user = NULL;
    assert_true(H5Eget_auto2(H5E_DEFAULT, &before, &user) >= 0);
    assert_non_null(before);
    assert_round_trip(ctx, &h5ad, true, PITH_F64, true, false);
    assert_true(H5Eget_auto2(H5E_DEFAULT, &after, &user) >= 0);
    assert_ptr_equal(before, after);
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

static void nothing_stays_open_after_reading_or_writing(void **state)
{
    pith_ctx *ctx = *state;
    for_each_seed(ctx, &h5ad, "good-", 9, seed_reads_as_the_matrix);
    assert_round_trip(ctx, &h5ad, true, PITH_F64, true, false);
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

/* libhdf5 follows many of these into memory that is not its own, or for ever. */
static void a_file_damaged_anywhere_is_read_or_refused(void **state)
{
    pith_ctx *ctx = *state;
    static char bytes[16384];
    const size_t step = thorough()    ? 23
                        : sanitized() ? 211
                                      : 67,
                 cuts = thorough()    ? 111
                        : sanitized() ? 1501
                                      : 370;
    int refused = 0;
    FILE *f = fopen(seed_path(&h5ad, "good-csr-f4-y-names"), "rb");
    assert_non_null(f);
    const size_t size = fread(bytes, 1, sizeof bytes, f);
    assert_int_equal(fclose(f), 0);
    assert_true(size > 4096 && size < sizeof bytes);
    for (size_t at = 0; at < size; at += step) {
        const char kept = bytes[at];
        pith_matrix *m = NULL;
        bytes[at] = at / step % 2 == 0 ? (char)~kept : (char)(kept + 1);
        put_bytes(test_path("damaged.h5ad"), bytes, size);
        const pith_status st = read_as(ctx, &h5ad, test_path("damaged.h5ad"), NULL, &m);
        if (st != PITH_OK && st != PITH_E_DATA)
            fail_msg("damaged at %zu: status %d, %s", at, st, pith_ctx_message(ctx));
        refused += st == PITH_E_DATA;
        pith_matrix_free(m);
        bytes[at] = kept;
    }
    assert_true(refused > (thorough()    ? 13
                           : sanitized() ? 0
                                         : 4)); /* the rest is values, names and padding */
    for (size_t cut = 0; cut < size; cut += cuts) {
        put_bytes(test_path("damaged.h5ad"), bytes, cut);
        (void)refusal(ctx, &h5ad, test_path("damaged.h5ad"), NULL, PITH_E_DATA);
    }
}

/* ---- Filters that store constant data in almost nothing ------------------------------------------------ */

enum { LINE = 1024, CHUNK_LINES = 256 }; /* a chunk of 32-bit values is 1 MB */

/* X with `lines` lines, of which the first `filled` chunks are stored: zstd's, written here byte by byte, or
 * else libhdf5's scale-offset. All values are 1,077,952,576, whose four bytes are equal. */
static void put_constant(const char *path, bool zstd, hsize_t lines, hsize_t chunk_lines, int filled)
{
    const hsize_t dims[2] = {lines, LINE}, chunk[2] = {chunk_lines, LINE}, count[2] = {CHUNK_LINES, LINE};
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
                space = H5Screate_simple(2, dims, NULL), plan = H5Pcreate(H5P_DATASET_CREATE);
    static int32_t values[CHUNK_LINES * LINE];
    memset(values, 0x40, sizeof values);
    assert_true(H5Pset_chunk(plan, 2, chunk) >= 0);
    assert_true((zstd ? H5Pset_filter(plan, 32015, H5Z_FLAG_OPTIONAL, 0, NULL)
                      : H5Pset_scaleoffset(plan, H5Z_SO_INT, 0)) >= 0);
    assert_true(H5Pset_fill_value(plan, H5T_STD_I32LE, NULL) >= 0); /* else scale-offset takes a bit for it */
    const hid_t x = H5Dcreate2(file, "X", H5T_STD_I32LE, space, H5P_DEFAULT, plan, H5P_DEFAULT);
    /* A frame of 1 MB: eight blocks that repeat one byte 128 K times, in four bytes each. */
    unsigned char frame[9 + 8 * 4] = {0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0x10, 0};
    for (int b = 0; b < 8; b++)
        memcpy(frame + 9 + 4 * b, (unsigned char[]){2 | (b == 7), 0, 0x10, 0x40}, 4);
    for (int k = 0; k < filled; k++) {
        const hsize_t at[2] = {(hsize_t)k * chunk_lines, 0};
        const hid_t here = H5Scopy(space), memory = H5Screate_simple(2, count, NULL);
        assert_true(H5Sselect_hyperslab(here, H5S_SELECT_SET, at, NULL, count, NULL) >= 0);
        assert_true((zstd ? H5Dwrite_chunk(x, H5P_DEFAULT, 0, at, sizeof frame, frame)
                          : H5Dwrite(x, H5T_NATIVE_INT32, memory, here, H5P_DEFAULT, values)) >= 0);
        (void)H5Sclose(here);
        (void)H5Sclose(memory);
    }
    (void)H5Dclose(x);
    (void)H5Pclose(plan);
    (void)H5Sclose(space);
    assert_true(H5Fclose(file) >= 0);
}

static void constant_data_is_read_whatever_packed_it(void **state)
{
    pith_ctx *ctx = *state;
    for (int zstd = 0; zstd < 2; zstd++) {
        pith_matrix *m = NULL;
        double line[LINE];
        put_constant(test_path("constant.h5ad"), zstd, (hsize_t)4 * CHUNK_LINES, CHUNK_LINES, 4);
        assert_ok(ctx, read_as(ctx, &h5ad, test_path("constant.h5ad"), NULL, &m));
        assert_int_equal(m->data.n, 4 * CHUNK_LINES);
        assert_ok(ctx, pith_matrix_get_rows(ctx, m, m->data.n - 1, 1, line));
        for (int j = 0; j < LINE; j++)
            assert_true(line[j] == 0x40404040);
        pith_matrix_free(m);
    }
}

/* Of 64 chunks one is stored; and a chunk of a gigabyte in a file of a few kilobytes. */
static void what_its_chunks_cannot_hold_is_refused(void **state)
{
    const char *path = test_path("constant.h5ad");
    for (int zstd = 0; zstd < 2; zstd++) {
        put_constant(path, zstd, (hsize_t)64 * CHUNK_LINES, CHUNK_LINES, 1);
        assert_says(refusal(*state, &h5ad, path, NULL, PITH_E_DATA), "X: claims 67.1 MB but only ");
    }
    put_constant(path, true, 1 << 18, 1 << 18, 1);
    assert_says(refusal(*state, &h5ad, path, NULL, PITH_E_DATA), "X: claims 1.1 GB but only 41 B are stored");
}

static void stopping_leaves_no_file(void **state)
{
    pith_ctx *ctx = *state;
    for (int sparse = 0; sparse < 2; sparse++) {
        pith_matrix *m = NULL;
        make_matrix(ctx, sparse, PITH_F64, false, &m);
        (void)usleep(30000); /* progress is asked about no more often */
        pith_ctx_set_progress(ctx, stop_progress, NULL);
        assert_int_equal(write_as(ctx, &h5ad, m, test_path("stopped.h5ad")), PITH_E_STOPPED);
        assert_int_equal(access(test_path("stopped.h5ad"), F_OK), -1);
        pith_matrix_free(m);
    }
}

static void every_failing_allocation_is_survived(void **state)
{
    for_each_seed(*state, &h5ad, "good-", 9, seed_survives_failing_allocations);
    assert_writing_survives_failing_allocations(*state, &h5ad);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(dense_and_sparse_files_read_as_the_same_matrix),
        TEST(lies_and_damage_are_refused_without_taking_memory),
        TEST(errors_say_what_is_wrong_and_what_to_do),
        TEST(matrices_round_trip_bit_by_bit),
        TEST(hdf5_is_left_as_it_was),
        TEST(nothing_stays_open_after_reading_or_writing),
        TEST(a_file_damaged_anywhere_is_read_or_refused),
        TEST(constant_data_is_read_whatever_packed_it),
        TEST(what_its_chunks_cannot_hold_is_refused),
        TEST(stopping_leaves_no_file),
        TEST(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests_name("h5ad", tests, make_folder, remove_folder);
}
