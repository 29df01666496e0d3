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
        TEST(stopping_leaves_no_file),
        TEST(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests_name("h5ad", tests, make_folder, remove_folder);
}
