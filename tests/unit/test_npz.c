#include "unit/binary.h"

static const tested npz = {"npz", pith_i_npz_read, pith_i_npz_write};

static void dense_and_sparse_archives_read_as_the_same_matrix(void **state)
{
    for_each_seed(*state, &npz, "good-", 23, seed_reads_as_the_matrix);
}

static void lies_and_damage_are_refused_without_taking_memory(void **state)
{
    for_each_seed(*state, &npz, "bad-", 34, seed_is_refused);
    assert_refuses_what_is_no_file(*state, &npz);
}

static void errors_say_what_is_wrong_and_what_to_do(void **state)
{
    pith_ctx *ctx = *state;
    const pith_read_options mistyped = {.var = "feaa"}, vector = {.var = "gnd"}, labels = {.labels = "gndd"};
    const char *said = refusal(ctx, &npz, seed_path(&npz, "bad-ambiguous"), NULL, PITH_E_DATA);
    assert_says(said, "--var");
    assert_says(said, "a (<f8 2 x 2), b (<f8 3 x 3)");
    assert_says(refusal(ctx, &npz, seed_path(&npz, "good-fea-y"), &mistyped, PITH_E_DATA),
                "did you mean fea?");
    assert_says(refusal(ctx, &npz, seed_path(&npz, "good-fea-y"), &labels, PITH_E_DATA), "did you mean gnd?");
    assert_says(refusal(ctx, &npz, seed_path(&npz, "good-only-y"), &vector, PITH_E_DATA), "no variable gnd");
    assert_says(refusal(ctx, &npz, seed_path(&npz, "bad-label-length"), NULL, PITH_E_DATA), "--no-labels");
    assert_says(refusal(ctx, &npz, seed_path(&npz, "bad-bsr"), NULL, PITH_E_DATA), ".tocsr()");
    assert_says(refusal(ctx, &npz, seed_path(&npz, "bad-bomb"), NULL, PITH_E_DATA), "claims more bytes than");
    assert_says(refusal(ctx, &npz, seed_path(&npz, "bad-checksum"), NULL, PITH_E_DATA),
                "X: is truncated or damaged");
}

static void the_wanted_variables_are_taken(void **state)
{
    pith_ctx *ctx = *state;
    const pith_read_options other = {.var = "arr_1"}, none = {.no_labels = true};
    pith_matrix *m = NULL;
    assert_ok(ctx, read_as(ctx, &npz, seed_path(&npz, "good-arr_0"), &other, &m));
    assert_int_equal(pith_matrix_rows(m), 2);
    pith_matrix_free(m);
    assert_ok(ctx, read_as(ctx, &npz, seed_path(&npz, "good-fea-y"), &none, &m));
    assert_int_equal(pith_matrix_classes(m), 0);
    pith_matrix_free(m);
    assert_ok(ctx, read_as(ctx, &npz, seed_path(&npz, "bad-label-length"), &none, &m));
    pith_matrix_free(m);
}

/* What is stored and aligned stays in the file; what must be converted does not. */
static void arrays_are_mapped_where_they_can_be(void **state)
{
    static const struct {
        const char *seed;
        bool mapped;
    } cases[] = {{"good-mapped-X-y-names", true},
                 {"good-mapped-fortran", true},
                 {"good-mapped-csr", true},
                 {"good-mapped-unsorted", false},
                 {"good-X", false},
                 {"good-stored", false}};
    pith_ctx *ctx = *state;
    pith_matrix *m = NULL;
    for (size_t k = 0; k < COUNT(cases); k++) {
        assert_ok(ctx, read_as(ctx, &npz, seed_path(&npz, cases[k].seed), NULL, &m));
        assert_true((m->data.mapped != NULL) == cases[k].mapped);
        pith_matrix_free(m);
    }
    for (int sparse = 0; sparse < 2; sparse++)
        for (int dtype = PITH_F32; dtype <= PITH_F64; dtype++) { /* what pith writes can */
            pith_matrix *made = NULL;
            make_matrix(ctx, sparse != 0, (pith_dtype)dtype, true, &made);
            assert_ok(ctx, write_as(ctx, &npz, made, test_path("own.npz")));
            assert_ok(ctx, read_as(ctx, &npz, test_path("own.npz"), NULL, &m));
            assert_non_null(m->data.mapped);
            pith_matrix_free(m);
            pith_matrix_free(made);
        }
}

static void sparse_archives_stay_sparse(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = NULL;
    assert_ok(ctx, read_as(ctx, &npz, seed_path(&npz, "good-csc-i8"), NULL, &m));
    assert_true(pith_matrix_is_sparse(m));
    assert_int_equal(pith_matrix_stored(m), 6);
    pith_matrix_free(m);
    assert_ok(ctx, read_as(ctx, &npz, seed_path(&npz, "good-unsorted"), NULL, &m));
    assert_int_equal(pith_matrix_stored(m), 7); /* 1 + 5 are added, the zero stays */
    pith_matrix_free(m);
}

static void matrices_round_trip_bit_by_bit(void **state)
{
    assert_all_round_trips(*state, &npz, false);
    assert_writes_views(*state, &npz);
}

static void names_that_are_not_utf8_round_trip(void **state)
{
    pith_ctx *ctx = *state;
    static const char *const features[] = {"caf\xE9", "\xC3\xA7", "x"};
    pith_matrix *m = NULL, *back = NULL;
    make_matrix(ctx, false, PITH_F64, false, &m);
    assert_ok(ctx, pith_matrix_set_feature_names(ctx, m, features));
    assert_ok(ctx, write_as(ctx, &npz, m, test_path("latin.npz")));
    assert_ok(ctx, read_as(ctx, &npz, test_path("latin.npz"), NULL, &back));
    assert_same(m, back, false);
    pith_matrix_free(m);
    pith_matrix_free(back);
}

static void the_same_matrix_gives_the_same_bytes(void **state)
{
    pith_ctx *ctx = *state;
    char first[8192], second[8192];
    size_t size[2];
    pith_matrix *m = NULL;
    make_matrix(ctx, true, PITH_F64, true, &m);
    for (int t = 0; t < 2; t++) {
        assert_ok(ctx, write_as(ctx, &npz, m, test_path("same.npz")));
        FILE *f = fopen(test_path("same.npz"), "rb");
        assert_non_null(f);
        size[t] = fread(t == 0 ? first : second, 1, sizeof first, f);
        assert_int_equal(fclose(f), 0);
        (void)sleep(t == 0 ? 2 : 0); /* a zip file counts time in steps of two seconds */
    }
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(first, second, size[0]);
    pith_matrix_free(m);
}

static void stopping_leaves_no_file(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = NULL;
    make_matrix(ctx, false, PITH_F64, false, &m);
    pith_ctx_set_progress(ctx, stop_progress, NULL);
    assert_int_equal(write_as(ctx, &npz, m, test_path("stopped.npz")), PITH_E_STOPPED);
    assert_int_equal(access(test_path("stopped.npz"), F_OK), -1);
    pith_matrix_free(m);
}

static void every_failing_allocation_is_survived(void **state)
{
    for_each_seed(*state, &npz, "good-c", 7, seed_survives_failing_allocations);
    for_each_seed(*state, &npz, "good-y-names", 1, seed_survives_failing_allocations);
    for_each_seed(*state, &npz, "good-mapped-", 5, seed_survives_failing_allocations);
    for_each_seed(*state, &npz, "good-unsorted", 1, seed_survives_failing_allocations);
    assert_writing_survives_failing_allocations(*state, &npz);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(dense_and_sparse_archives_read_as_the_same_matrix),
        TEST(lies_and_damage_are_refused_without_taking_memory),
        TEST(errors_say_what_is_wrong_and_what_to_do),
        TEST(the_wanted_variables_are_taken),
        TEST(arrays_are_mapped_where_they_can_be),
        TEST(sparse_archives_stay_sparse),
        TEST(matrices_round_trip_bit_by_bit),
        TEST(names_that_are_not_utf8_round_trip),
        TEST(the_same_matrix_gives_the_same_bytes),
        TEST(stopping_leaves_no_file),
        TEST(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests_name("npz", tests, make_folder, remove_folder);
}
