#include "io/tenx.h"

#include "unit/binary.h"

#include <hdf5.h>

static const tested h5 = {"h5", pith_i_tenx_read, NULL};

static void both_versions_read_as_the_same_matrix(void **state)
{
    for_each_seed(*state, &h5, "good-", 2, seed_reads_as_the_matrix);
}

static void lies_and_damage_are_refused_without_taking_memory(void **state)
{
    for_each_seed(*state, &h5, "bad-", 6, seed_is_refused);
    assert_refuses_what_is_no_file(*state, &h5);
}

static void genes_are_kept_unless_another_type_is_named(void **state)
{
    static const struct {
        const char *var;
        int64_t columns;
    } cases[] = {{NULL, 2}, {"all", 3}, {"Antibody Capture", 1}};
    pith_ctx *ctx = *state;
    for (size_t k = 0; k < COUNT(cases); k++) {
        const pith_read_options options = {.var = cases[k].var};
        pith_matrix *m = NULL;
        assert_ok(ctx, read_as(ctx, &h5, seed_path(&h5, "types"), &options, &m));
        assert_int_equal(m->data.p, cases[k].columns);
        assert_int_equal(m->features.count, cases[k].columns);
        assert_string_equal(pith_matrix_feature_name(m, m->data.p - 1),
                            cases[k].columns == 1 ? "b" : "\xc3\xa7");
        pith_matrix_free(m);
    }
    const pith_read_options wrong = {.var = "Guide"};
    assert_says(refusal(ctx, &h5, seed_path(&h5, "types"), &wrong, PITH_E_DATA),
                "no feature has the type Guide");
}

/* A shape that was never written reads as zeros. */
static void a_shape_without_storage_is_refused(void **state)
{
    const char *path = test_path("unfilled.h5");
    const hsize_t two = 2;
    char bytes[1 << 16];
    FILE *f = fopen(seed_path(&h5, "good-3-names"), "rb");
    assert_non_null(f);
    const size_t size = fread(bytes, 1, sizeof bytes, f);
    assert_int_equal(fclose(f), 0);
    assert_true(size > 0 && size < sizeof bytes);
    put_bytes(path, bytes, size);
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), space = H5Screate_simple(1, &two, NULL);
    assert_true(H5Ldelete(file, "matrix/shape", H5P_DEFAULT) >= 0);
    const hid_t shape =
        H5Dcreate2(file, "matrix/shape", H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(shape >= 0);
    (void)H5Dclose(shape);
    (void)H5Sclose(space);
    assert_true(H5Fclose(file) >= 0);
    assert_says(refusal(*state, &h5, path, NULL, PITH_E_DATA), "shape: claims 16 B but only 0 B are stored");
}

static void put(const char *name, const char *text)
{
    put_bytes(test_path(name), text, strlen(text));
}

/* 3 genes x 2 cells; a prefix, as GEO has it. */
static void put_folder(const char *prefix, const char *genes, const char *cells)
{
    char name[64];
    (void)snprintf(name, sizeof name, "%smatrix.mtx", prefix);
    put(name, "%%MatrixMarket matrix coordinate integer general\n3 2 3\n1 1 5\n2 2 7\n3 1 1\n");
    (void)snprintf(name, sizeof name, "%sgenes.tsv", prefix);
    put(name, genes);
    (void)snprintf(name, sizeof name, "%sbarcodes.tsv", prefix);
    put(name, cells);
}

static void assert_cells(pith_ctx *ctx, const char *path)
{
    static const double want[6] = {5, 0, 1, 0, 7, 0};
    double x[6];
    pith_matrix *m = NULL;
    assert_ok(ctx, pith_matrix_read(ctx, path, NULL, &m));
    assert_int_equal(pith_matrix_rows(m), 2);
    assert_int_equal(pith_matrix_cols(m), 3);
    assert_ok(ctx, pith_matrix_get_rows(ctx, m, 0, 2, x));
    assert_memory_equal(x, want, sizeof want);
    assert_string_equal(pith_matrix_feature_name(m, 1), "Cd4");
    assert_string_equal(pith_matrix_sample_name(m, 1), "TT-1");
    pith_matrix_free(m);
}

static void a_folder_is_turned_so_that_cells_are_samples(void **state)
{
    pith_ctx *ctx = *state;
    put_folder("", "E1\tXkr4\nE2\tCd4\nE3\tActb\n", "AA-1\nTT-1\n");
    put_folder("GSM1_", "E1\tXkr4\nE2\tCd4\nE3\tActb\n", "AA-1\nTT-1\n");
    assert_cells(ctx, test_folder);
    assert_cells(ctx, test_path("matrix.mtx"));
    assert_cells(ctx, test_path("GSM1_matrix.mtx"));
}

static void lists_that_do_not_fit_are_refused(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = NULL;
    put_folder("", "E1\tXkr4\nE2\tCd4\n", "AA-1\nTT-1\n");
    assert_int_equal(pith_matrix_read(ctx, test_folder, NULL, &m), PITH_E_DATA);
    assert_says(pith_ctx_message(ctx), "genes.tsv: 2 lines, but the matrix has 3 genes");
    put_folder("", "E1\tXkr4\nE2\tCd4\nE3\tActb\n", "AA-1\n");
    assert_int_equal(pith_matrix_read(ctx, test_folder, NULL, &m), PITH_E_DATA);
    assert_says(pith_ctx_message(ctx), "barcodes.tsv: 1 lines, but the matrix has 2 cells");
}

/* Genes in columns already: the lists tell. */
static void a_folder_that_is_turned_already_stays(void **state)
{
    pith_ctx *ctx = *state;
    put_folder("", "E1\tXkr4\nE2\tCd4\n", "AA-1\nTT-1\nGG-1\n");
    pith_matrix *m = NULL;
    assert_ok(ctx, pith_matrix_read(ctx, test_folder, NULL, &m));
    assert_int_equal(pith_matrix_rows(m), 3);
    assert_string_equal(pith_matrix_sample_name(m, 2), "GG-1");
    pith_matrix_free(m);
}

static void any_file_can_be_transposed(void **state)
{
    pith_ctx *ctx = *state;
    const pith_read_options turned = {.transpose = true};
    double x[6];
    static const double want[6] = {1, 3, 5, 2, 4, 6};
    pith_matrix *m = NULL;
    put("genes.csv", "gene,cell1,cell2\nXkr4,1,2\nCd4,3,4\nActb,5,6\n");
    assert_ok(ctx, pith_matrix_read(ctx, test_path("genes.csv"), &turned, &m));
    assert_int_equal(pith_matrix_rows(m), 2);
    assert_ok(ctx, pith_matrix_get_rows(ctx, m, 0, 2, x));
    assert_memory_equal(x, want, sizeof want);
    assert_string_equal(pith_matrix_feature_name(m, 2), "Actb");
    assert_string_equal(pith_matrix_sample_name(m, 0), "cell1");
    pith_matrix_free(m);
}

static void every_failing_allocation_is_survived(void **state)
{
    for_each_seed(*state, &h5, "good-", 2, seed_survives_failing_allocations);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(both_versions_read_as_the_same_matrix),
        TEST(lies_and_damage_are_refused_without_taking_memory),
        TEST(genes_are_kept_unless_another_type_is_named),
        TEST(a_shape_without_storage_is_refused),
        TEST(a_folder_is_turned_so_that_cells_are_samples),
        TEST(lists_that_do_not_fit_are_refused),
        TEST(a_folder_that_is_turned_already_stays),
        TEST(any_file_can_be_transposed),
        TEST(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests_name("tenx", tests, make_folder, remove_folder);
}
