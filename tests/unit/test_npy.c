#include "unit/binary.h"

static const tested npy = {"npy", pith_i_npy_read, pith_i_npy_write};

static void every_dtype_order_and_version_reads_as_the_same_matrix(void **state)
{
    for_each_seed(*state, &npy, "good-", 27, seed_reads_as_the_matrix);
    for_each_seed(*state, &npy, "truth", 1, seed_reads_as_truth);
}

static void lies_and_damage_are_refused_without_taking_memory(void **state)
{
    for_each_seed(*state, &npy, "bad-", 23, seed_is_refused);
    assert_refuses_what_is_no_file(*state, &npy);
}

static void errors_say_what_is_wrong_and_what_to_do(void **state)
{
    pith_ctx *ctx = *state;
    const pith_read_options labels = {.labels = "Y"};
    const char *said = refusal(ctx, &npy, seed_path(&npy, "bad-lie-2gb"), NULL, PITH_E_DATA);
    assert_says(said, "bad-lie-2gb.npy: claims 16384 x 16384 values, 2");
    assert_says(said, "but 96 B follow its header");
    assert_says(refusal(ctx, &npy, seed_path(&npy, "bad-vector"), NULL, PITH_E_DATA), ".reshape(n, p)");
    assert_says(refusal(ctx, &npy, seed_path(&npy, "bad-complex"), NULL, PITH_E_DATA), "'<c16'");
    assert_says(refusal(ctx, &npy, seed_path(&npy, "bad-no-rows"), NULL, PITH_E_DATA), "is empty: 0 x 3");
    assert_says(refusal(ctx, &npy, seed_path(&npy, "good-fortran"), &labels, PITH_E_DATA),
                "cannot hold labels");
}

static void half_precision_reads_exactly(void **state)
{
    pith_ctx *ctx = *state;
    static const uint16_t half[] = {0x0001, 0x8001, 0x03FF, 0x0400, 0x3555,
                                    0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x8000};
    static const double wanted[] = {0x1p-24, -0x1p-24, 0x3FFp-24, 0x1p-14,   0x1.554p-2,
                                    65504,   -65504,   INFINITY,  -INFINITY, -0.0};
    char bytes[10 + 118 + sizeof half];
    memset(bytes, ' ', sizeof bytes);
    memcpy(bytes, "\x93NUMPY\x01\x00\x76\x00", 10);
    memcpy(bytes + 10, "{'descr':'<f2','fortran_order':False,'shape':(1,10)}", 52);
    memcpy(bytes + 128, half, sizeof half);
    put_bytes(test_path("half.npy"), bytes, sizeof bytes);
    pith_matrix *m = NULL;
    double found[10];
    assert_ok(ctx, read_as(ctx, &npy, test_path("half.npy"), NULL, &m));
    assert_ok(ctx, pith_matrix_get_rows(ctx, m, 0, 1, found));
    assert_memory_equal(found, wanted, sizeof found);
    pith_matrix_free(m);
}

/* Tiles and threads have edges: 130 x 71 crosses them, and the answer may not depend on either. */
static void column_major_arrays_are_turned_exactly(void **state)
{
    pith_ctx *ctx = *state;
    enum { N = 130, P = 71 };
    static double turned[N * P], wanted[N * P], found[N * P];
    char header[129];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < P; j++)
            turned[j * N + i] = wanted[i * P + j] = i + j / 128.0;
    (void)snprintf(header, sizeof header, "0123456789%-117s\n",
                   "{'descr':'<f8','fortran_order':True,'shape':(130,71)}");
    memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10);
    FILE *f = fopen(test_path("turned.npy"), "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(header, 1, 128, f), 128);
    assert_int_equal(fwrite(turned, 1, sizeof turned, f), sizeof turned);
    assert_int_equal(fclose(f), 0);
    for (int threads = 1; threads <= 8; threads += 7) {
        pith_matrix *m = NULL;
        assert_ok(ctx, pith_ctx_set_threads(ctx, threads));
        assert_ok(ctx, read_as(ctx, &npy, test_path("turned.npy"), NULL, &m));
        assert_ok(ctx, pith_matrix_get_rows(ctx, m, 0, N, found));
        assert_memory_equal(found, wanted, sizeof found);
        pith_matrix_free(m);
    }
}

static void dense_matrices_round_trip_bit_by_bit(void **state)
{
    assert_round_trip(*state, &npy, false, PITH_F32, false, false);
    assert_round_trip(*state, &npy, false, PITH_F64, false, false);
}

static void sparse_matrices_are_written_out_dense(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = NULL, *back = NULL;
    double from[20], to[20];
    make_matrix(ctx, true, PITH_F32, false, &m);
    assert_ok(ctx, write_as(ctx, &npy, m, test_path("sparse.npy")));
    assert_ok(ctx, read_as(ctx, &npy, test_path("sparse.npy"), NULL, &back));
    assert_ok(ctx, pith_matrix_get_rows(ctx, m, 0, 5, from));
    assert_ok(ctx, pith_matrix_get_rows(ctx, back, 0, 5, to));
    assert_memory_equal(from, to, sizeof from);
    assert_int_equal(pith_matrix_dtype(back), PITH_F32);
    pith_matrix_free(m);
    pith_matrix_free(back);
}

static void views_are_written_as_what_they_show(void **state)
{
    assert_writes_views(*state, &npy);
}

static void every_failing_allocation_is_survived(void **state)
{
    for_each_seed(*state, &npy, "good-f", 2, seed_survives_failing_allocations);
    assert_writing_survives_failing_allocations(*state, &npy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_dtype_order_and_version_reads_as_the_same_matrix),
        TEST(lies_and_damage_are_refused_without_taking_memory),
        TEST(errors_say_what_is_wrong_and_what_to_do),
        TEST(half_precision_reads_exactly),
        TEST(column_major_arrays_are_turned_exactly),
        TEST(dense_matrices_round_trip_bit_by_bit),
        TEST(sparse_matrices_are_written_out_dense),
        TEST(views_are_written_as_what_they_show),
        TEST(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests_name("npy", tests, make_folder, remove_folder);
}
