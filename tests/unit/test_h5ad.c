#include "io/hdf5.h"
#include "unit/binary.h"

static const tested h5ad = {"h5ad", pith_i_h5ad_read, pith_i_h5ad_write};

static void dense_and_sparse_files_read_as_the_same_matrix(void **state)
{
    for_each_seed(*state, &h5ad, "good-", 7, seed_reads_as_the_matrix);
    for_each_seed(*state, &h5ad, "truth", 1, seed_reads_as_truth);
}

static void lies_and_damage_are_refused_without_taking_memory(void **state)
{
    for_each_seed(*state, &h5ad, "bad-", 15, seed_is_refused);
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

/* The library's own messages stay off, and come back on for whoever else uses it. */
static void hdf5_is_left_as_it_was(void **state)
{
    pith_ctx *ctx = *state;
    H5E_auto2_t before = NULL, after = NULL;
    void *user = NULL;
    assert_true(H5Eget_auto2(H5E_DEFAULT, &before, &user) >= 0);
    assert_non_null(before);
    (void)refusal(ctx, &h5ad, seed_path(&h5ad, "bad-cut"), NULL, PITH_E_DATA);
    assert_true(H5Eget_auto2(H5E_DEFAULT, &after, &user) >= 0);
    assert_ptr_equal(before, after);
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

static void nothing_stays_open_after_reading_or_writing(void **state)
{
    pith_ctx *ctx = *state;
    for_each_seed(ctx, &h5ad, "good-", 7, seed_reads_as_the_matrix);
    assert_round_trip(ctx, &h5ad, true, PITH_F64, true, false);
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

static bool stop_at_once(double done, const char *what, void *user)
{
    (void)done;
    (void)what;
    (void)user;
    return false;
}

static void stopping_leaves_no_file(void **state)
{
    pith_ctx *ctx = *state;
    for (int sparse = 0; sparse < 2; sparse++) {
        pith_matrix *m = NULL;
        make_matrix(ctx, sparse, PITH_F64, false, &m);
        (void)usleep(30000); /* progress is asked about no more often */
        pith_ctx_set_progress(ctx, stop_at_once, NULL);
        assert_int_equal(write_as(ctx, &h5ad, m, test_path("stopped.h5ad")), PITH_E_STOPPED);
        assert_int_equal(access(test_path("stopped.h5ad"), F_OK), -1);
        pith_matrix_free(m);
    }
}

static void every_failing_allocation_is_survived(void **state)
{
    for_each_seed(*state, &h5ad, "good-", 7, seed_survives_failing_allocations);
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
        TEST(stopping_leaves_no_file),
        TEST(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests_name("h5ad", tests, make_folder, remove_folder);
}
