#include "unit/binary.h"

#include <matio.h>
#include <sys/stat.h>

static const tested mat = {"mat", pith_i_mat_read, pith_i_mat_write};

static void every_version_and_class_reads_as_the_same_matrix(void **state)
{
    for_each_seed(*state, &mat, "good-", 23, seed_reads_as_the_matrix);
    for_each_seed(*state, &mat, "truth", 1, seed_reads_as_truth);
}

static void lies_and_damage_are_refused_without_taking_memory(void **state)
{
    for_each_seed(*state, &mat, "bad-", 26, seed_is_refused);
    assert_refuses_what_is_no_file(*state, &mat);
}

/* What ends between two variables of version 5 is a whole file with fewer of them. */
static bool ends_between_variables(const char *bytes, size_t cut)
{
    size_t at = 128;
    while (at < cut) {
        uint32_t size;
        memcpy(&size, bytes + at + 4, sizeof size);
        at += 8 + size;
    }
    return at == cut && cut > 128;
}

/* Every other beginning of a file is refused, and none crashes. */
static void a_file_cut_anywhere_is_refused(void **state)
{
    pith_ctx *ctx = *state;
    static const char *const names[] = {"good-v5-plain-y-names", "good-v5-packed-sparse-y", "good-v4-sparse"};
    for (size_t k = 0; k < COUNT(names); k++) {
        static char bytes[8192];
        FILE *f = fopen(seed_path(&mat, names[k]), "rb");
        assert_non_null(f);
        const size_t size = fread(bytes, 1, sizeof bytes, f);
        assert_int_equal(fclose(f), 0);
        for (size_t cut = 0; cut < size; cut++) {
            pith_matrix *m = NULL;
            put_bytes(test_path("cut.mat"), bytes, cut);
            const pith_status st = read_as(ctx, &mat, test_path("cut.mat"), NULL, &m);
            if (st != (ends_between_variables(bytes, cut) ? PITH_OK : PITH_E_DATA))
                fail_msg("%s cut at %zu: status %d", names[k], cut, st);
            pith_matrix_free(m);
        }
    }
}

static void errors_say_what_is_wrong_and_what_to_do(void **state)
{
    pith_ctx *ctx = *state;
    const pith_read_options mistyped = {.var = "Xx"}, text = {.var = "c"}, labels = {.labels = "Yy"};
    const char *said = refusal(ctx, &mat, seed_path(&mat, "bad-ambiguous"), NULL, PITH_E_DATA);
    assert_says(said, "--var from a (double 2 x 2), b (double 3 x 3)");
    assert_says(refusal(ctx, &mat, seed_path(&mat, "bad-no-matrix"), NULL, PITH_E_DATA),
                "only c (cell 1 x 1)");
    assert_says(refusal(ctx, &mat, seed_path(&mat, "good-v73-y"), &mistyped, PITH_E_DATA),
                "no variable Xx; did you mean X?");
    assert_says(refusal(ctx, &mat, seed_path(&mat, "good-v5-plain-y"), &labels, PITH_E_DATA),
                "no label variable Yy; did you mean Y?");
    assert_says(refusal(ctx, &mat, seed_path(&mat, "good-v5-plain-struct-aside"), &text, PITH_E_DATA),
                "c is not a matrix of real numbers but a cell");
    assert_says(refusal(ctx, &mat, seed_path(&mat, "bad-complex"), NULL, PITH_E_DATA), "X (complex 4 x 3)");
    said = refusal(ctx, &mat, seed_path(&mat, "bad-label-length"), NULL, PITH_E_DATA);
    assert_says(said, "the labels Y are a double of 3 x 1 where a vector of 4 is needed");
    assert_says(refusal(ctx, &mat, seed_path(&mat, "bad-v5-cut200"), NULL, PITH_E_DATA), "cut off");
    assert_says(refusal(ctx, &mat, seed_path(&mat, "bad-v73-empty-storage"), NULL, PITH_E_DATA),
                "X: claims 8.8 TB but only 0 B are stored");
}

static void matrices_round_trip_bit_by_bit(void **state)
{
    assert_all_round_trips(*state, &mat, true); /* MATLAB has no sparse single */
    assert_writes_views(*state, &mat);
}

/* libmatio as the second opinion: it reads what we write... */
static void libmatio_reads_what_we_write(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = NULL;
    make_matrix(ctx, false, PITH_F32, true, &m);
    assert_ok(ctx, write_as(ctx, &mat, m, test_path("ours.mat")));
    mat_t *file = Mat_Open(test_path("ours.mat"), MAT_ACC_RDONLY);
    assert_non_null(file);
    matvar_t *x = Mat_VarRead(file, "X"), *y = Mat_VarRead(file, "Y"),
             *names = Mat_VarRead(file, "feature_names");
    assert_non_null(x);
    assert_int_equal(x->class_type, MAT_C_SINGLE);
    for (int64_t i = 0; i < 5; i++)
        for (int64_t j = 0; j < 3; j++) {
            const float theirs = ((const float *)x->data)[j * 5 + i],
                        ours = ((const float *)m->data.x)[i * 3 + j];
            assert_memory_equal(&theirs, &ours, sizeof ours);
        }
    assert_non_null(y);
    assert_true(((const double *)y->data)[3] == 2.5);
    assert_non_null(names);
    assert_int_equal(names->dims[0], 3);
    Mat_VarFree(x);
    Mat_VarFree(y);
    Mat_VarFree(names);
    (void)Mat_Close(file);
    pith_matrix_free(m);
    make_matrix(ctx, true, PITH_F64, false, &m);
    assert_ok(ctx, write_as(ctx, &mat, m, test_path("ours.mat")));
    file = Mat_Open(test_path("ours.mat"), MAT_ACC_RDONLY);
    assert_non_null(file);
    x = Mat_VarRead(file, "X");
    assert_non_null(x);
    assert_int_equal(x->class_type, MAT_C_SPARSE);
    const mat_sparse_t *s = x->data;
    assert_int_equal(s->njc, 5);
    assert_int_equal(s->jc[4], 6);
    assert_int_equal(s->ir[1], 3); /* column 0 holds rows 0 and 3 */
    Mat_VarFree(x);
    (void)Mat_Close(file);
    pith_matrix_free(m);
}

/* ...and we read what it writes, in both of its versions, packed or not. */
static void we_read_what_libmatio_writes(void **state)
{
    pith_ctx *ctx = *state;
    static const enum mat_ft versions[] = {MAT_FT_MAT4, MAT_FT_MAT5, MAT_FT_MAT5, MAT_FT_MAT73};
    for (size_t v = 0; v < COUNT(versions); v++) {
        double x[6] = {1, 2, 3, 4, 5, 6}, rows[6];
        size_t dims[2] = {2, 3};
        mat_t *file = Mat_CreateVer(test_path("theirs.mat"), NULL, versions[v]);
        assert_non_null(file);
        matvar_t *var = Mat_VarCreate("anything", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, x, 0);
        assert_int_equal(Mat_VarWrite(file, var, v == 2 ? MAT_COMPRESSION_ZLIB : MAT_COMPRESSION_NONE), 0);
        Mat_VarFree(var);
        (void)Mat_Close(file);
        pith_matrix *m = NULL;
        assert_ok(ctx, read_as(ctx, &mat, test_path("theirs.mat"), NULL, &m));
        assert_ok(ctx, pith_matrix_get_rows(ctx, m, 0, 2, rows));
        for (int k = 0; k < 6; k++)
            assert_true(rows[k] == x[k % 3 * 2 + k / 3]);
        pith_matrix_free(m);
        assert_int_equal(unlink(test_path("theirs.mat")), 0);
    }
}

/* A matrix that takes several blocks of columns, packed and plain. */
static void large_matrices_are_read_block_by_block(void **state)
{
    skip_when_short();
    pith_ctx *ctx = *state;
    enum { N = 70000, P = 19 };
    double *x = calloc((size_t)N * P, sizeof *x);
    size_t dims[2] = {N, P};
    assert_non_null(x);
    for (int64_t k = 0; k < (int64_t)N * P; k++)
        x[k] = (double)(k * 7919 % 100003) / 128;
    for (int packed = 0; packed < 2; packed++) {
        mat_t *file = Mat_CreateVer(test_path("large.mat"), NULL, MAT_FT_MAT5);
        matvar_t *var = Mat_VarCreate("X", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, x, MAT_F_DONT_COPY_DATA);
        assert_int_equal(Mat_VarWrite(file, var, packed ? MAT_COMPRESSION_ZLIB : MAT_COMPRESSION_NONE), 0);
        Mat_VarFree(var);
        (void)Mat_Close(file);
        pith_matrix *m = NULL;
        assert_ok(ctx, read_as(ctx, &mat, test_path("large.mat"), NULL, &m));
        int64_t wrong = 0;
        for (int64_t i = 0; i < N; i++)
            for (int64_t j = 0; j < P; j++)
                wrong += ((const double *)m->data.x)[i * P + j] != x[j * N + i];
        assert_int_equal(wrong, 0);
        pith_matrix_free(m);
    }
    free(x);
}

/* The data sets beside the checkout, if there are any: shape and classes as their manifest says. */
static void real_data_sets_have_the_shape_of_their_manifest(void **state)
{
    pith_ctx *ctx = *state;
    const char *folder = getenv("PITH_DATA") != NULL ? getenv("PITH_DATA") : PITH_TESTS "/../../shared/data";
    char path[600], line[4096], name[64];
    long long n = 0, p = 0, classes = 0;
    (void)snprintf(path, sizeof path, "%s/MANIFEST.tsv", folder);
    FILE *manifest = fopen(path, "r");
    if (manifest == NULL)
        skip_because("there are no data sets beside the checkout: set PITH_DATA");
    int sets = 0;
    while (fgets(line, sizeof line, manifest) != NULL) {
        if (sscanf(line, "%63s %*s %lld %lld %lld", name, &n, &p, &classes) != 4)
            continue; /* the heading */
        pith_matrix *m = NULL;
        (void)snprintf(path, sizeof path, "%s/%s.mat", folder, name);
        if (access(path, F_OK) != 0)
            (void)snprintf(path, sizeof path, "%s/%s.h5ad", folder, name);
        assert_ok(ctx, pith_matrix_read(ctx, path, NULL, &m));
        if (pith_matrix_rows(m) != n || pith_matrix_cols(m) != p || pith_matrix_classes(m) != classes)
            fail_msg("%s: %lld x %lld, %d classes", name, (long long)pith_matrix_rows(m),
                     (long long)pith_matrix_cols(m), pith_matrix_classes(m));
        pith_matrix_free(m);
        sets++;
    }
    (void)fclose(manifest);
    assert_true(sets > 0);
}

/* 2 GB is where the format ends; the matrix only claims to be so large, nothing is touched. */
static void a_variable_beyond_the_format_is_refused(void **state)
{
    pith_ctx *ctx = *state;
    static const double x = 0;
    pith_matrix *m = NULL;
    assert_ok(ctx, pith_matrix_dense(ctx, 1 << 20, 1 << 10, PITH_F64, &x, 0, 0, &m));
    assert_int_equal(write_as(ctx, &mat, m, test_path("large.mat")), PITH_E_DATA);
    assert_says(pith_ctx_message(ctx), "write .npz or .h5ad instead");
    pith_matrix_free(m);
}

static void every_failing_allocation_is_survived(void **state)
{
    for_each_seed(*state, &mat, "good-v5-p", 6, seed_survives_failing_allocations);
    for_each_seed(*state, &mat, "good-v4", 2, seed_survives_failing_allocations);
    for_each_seed(*state, &mat, "good-v73", 3, seed_survives_failing_allocations);
    assert_writing_survives_failing_allocations(*state, &mat);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_version_and_class_reads_as_the_same_matrix),
        TEST(lies_and_damage_are_refused_without_taking_memory),
        TEST(a_file_cut_anywhere_is_refused),
        TEST(errors_say_what_is_wrong_and_what_to_do),
        TEST(matrices_round_trip_bit_by_bit),
        TEST(libmatio_reads_what_we_write),
        TEST(we_read_what_libmatio_writes),
        TEST(large_matrices_are_read_block_by_block),
        TEST(real_data_sets_have_the_shape_of_their_manifest),
        TEST(a_variable_beyond_the_format_is_refused),
        TEST(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests_name("mat", tests, make_folder, remove_folder);
}
