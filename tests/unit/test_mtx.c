#include "files.h"

#include "core/random.h"

#define COORDINATE   "%%MatrixMarket matrix coordinate real general\n"
#define MISSING(how) (&(pith_read_options){.missing = PITH_MISSING_##how})

static void remove_sidecars(void)
{
    static const char *const names[] = {"a.terms", "a.cols", "a.docs", "a.rows", "a.classes"};
    for (size_t i = 0; i < COUNT(names); i++)
        (void)unlink(path_of(names[i]));
}

static int fresh(void **state)
{
    remove_sidecars();
    return new_ctx(state);
}
#define FRESH(name) cmocka_unit_test_setup_teardown(name, fresh, free_ctx)

static void table_is(const pith_matrix *m, int64_t n, int64_t p, const double *want)
{
    assert_int_equal(m->data.n, n);
    assert_int_equal(m->data.p, p);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < p; j++)
            assert_true(at(m, i, j) == want[i * p + j]);
}

static void coordinates_are_sorted_and_duplicates_added(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = read_ok(ctx, put("a.mtx", COORDINATE "% a comment\n\n3 4 6\n1 4 0.5\n1 1 1.5\r\n"
                                                          "3 2 -1\n3 2 0.25\n1 4 2\n3 1 7"));
    table_is(m, 3, 4, (double[]){1.5, 0, 0, 2.5, 0, 0, 0, 0, 7, -0.75, 0, 0});
    assert_true(m->data.sparse);
    assert_int_equal(pith_i_stored(&m->data), 4);
    assert_ok(ctx, pith_i_data_check(ctx, &m->data));
    pith_matrix_free(m);
}

static void every_field_and_symmetry_is_read(void **state)
{
    static const struct {
        const char *text;
        double want[9];
    } cases[] = {
        {"%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n3 1\n", {0, 1, 0, 0, 0, 0, 1, 0, 0}},
        {"%%matrixmarket MATRIX Coordinate Integer General\n3 3 1\n2 2 -4\n", {0, 0, 0, 0, -4, 0, 0, 0, 0}},
        {"%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 1\n2 1 2\n3 2 3\n",
         {1, 2, 0, 2, 0, 3, 0, 3, 0}},
        {"%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 2\n3 2 3\n",
         {0, -2, 0, 2, 0, -3, 0, 3, 0}},
        {"%%MatrixMarket matrix coordinate pattern symmetric\n3 3 1\n3 1\n", {0, 0, 1, 0, 0, 0, 1, 0, 0}},
        {"%%MatrixMarket matrix array real general\n3 3\n1\n2\n3\n4\n5\n6\n7\n8\n9\n",
         {1, 4, 7, 2, 5, 8, 3, 6, 9}},
        {"%%MatrixMarket matrix array real symmetric\n3 3\n1\n2\n3\n4\n5\n6\n", {1, 2, 3, 2, 4, 5, 3, 5, 6}},
        {"%%MatrixMarket matrix array integer skew-symmetric\n3 3\n1\n2\n3", {0, -1, -2, 1, 0, -3, 2, 3, 0}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        pith_matrix *m = read_ok(*state, put("a.mtx", cases[i].text));
        table_is(m, 3, 3, cases[i].want);
        pith_matrix_free(m);
        m = read_ok(*state, put_gz("a.mtx.gz", cases[i].text));
        table_is(m, 3, 3, cases[i].want);
        pith_matrix_free(m);
    }
}

static void wrong_files_say_what_and_where(void **state)
{
    static const struct {
        const char *text, *said;
    } cases[] = {
        {"", "@: is empty"},
        {"hello\n", "@:1: '%%MatrixMarket matrix coordinate|array real|integer|pattern "
                    "general|symmetric|skew-symmetric' "
                    "expected, not 'hello'"},
        {"%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n",
         "@:1: '%%MatrixMarket matrix coordinate|array real|integer|pattern "
         "general|symmetric|skew-symmetric' "
         "expected, not '%%MatrixMarket matrix coordinate complex...'"},
        {COORDINATE "% only\n", "@:2: rows, columns and entries expected, not '% only'"},
        {COORDINATE "3 4\n", "@:2: rows, columns and entries expected, not '3 4'"},
        {COORDINATE "3 -4 1\n", "@:2: rows, columns and entries expected, not '3 -4 1'"},
        {COORDINATE "99999999999999999999 1 1\n",
         "@:2: rows, columns and entries expected, not '99999999999999999999 1 1'"},
        {COORDINATE "2 2 2\n1 1 5\n", "@:2: 2 entries announced, but only 6 bytes follow"},
        {COORDINATE "2 2 2\n1 1 5.0000000\n", "@: 2 entries announced, 1 found; the file is truncated"},
        {COORDINATE "2 2 1\n1 1 5\n2 2 6\n", "@:4: more than the 1 entries announced"},
        {COORDINATE "2 2 1\n1 3 5\n", "@:3: entry 1 3 lies outside of 2 x 2"},
        {COORDINATE "2 2 1\n0 1 5\n", "@:3: entry 0 1 lies outside of 2 x 2"},
        {COORDINATE "2 2 1\n1 1 x\n", "@:3: a number expected, not 'x'"},
        {COORDINATE "2 2 1\n1 1    \n", "@:3: a number expected, not ''"},
        {COORDINATE "2 2 1\n1 1 5 6\n", "@:3: a number expected, not '5 6'"},
        {COORDINATE "2 2 1\n1 x 5\n", "@:3: row, column and value expected, not '1 x 5'"},
        {COORDINATE "2 2 1\n1 1 inf\n",
         "@:3: 'inf' is not a finite number; correct it, or choose --missing drop-rows, mean or zero"},
        {COORDINATE "0 2 0\n", "@: is empty: 0 x 2"},
        {COORDINATE "4000000000 2 1\n1 1 1\n",
         "@: 4000000000 sparse rows are too many: at most 2147483647 are allowed"},
        {COORDINATE "2 4000000000 1\n1 1 1\n",
         "@: 4000000000 columns are too many: at most 2147483647 are allowed"},
        {COORDINATE "1000000000 2 1\n1 1 1\n", "@: claims 1000000000 rows but holds only 1 entries; the file "
                                               "is damaged, or its empty rows should be "
                                               "dropped"},
        {COORDINATE "2 1000000000 1\n1 1 1\n", "@: claims 1000000000 columns but holds only 1 entries; the "
                                               "file is damaged, or its empty columns should "
                                               "be dropped"},
        {"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 1 1\n",
         "@:3: row and column expected, not '1 1 1'"},
        {"%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n1 1 1\n",
         "@:2: a symmetric matrix cannot have 2 rows and 3 columns"},
        {"%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n",
         "@:2: 4 entries announced, but only 6 bytes follow"},
        {"%%MatrixMarket matrix array real general\n2 2\n1.5\n2.5\n3\n",
         "@: 4 values announced; the file is truncated"},
        {"%%MatrixMarket matrix array real general\n2 1\n1\n2\n3\n", "@:5: more than the 2 values announced"},
        {"%%MatrixMarket matrix array real general\n2147483647 2147483647\n1\n",
         "@:2: 2147483647 entries announced, but only 2 bytes follow"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        read_fails(*state, put("a.mtx", cases[i].text), NULL, PITH_E_DATA, cases[i].said);
    read_fails(*state, put("a.mtx", COORDINATE "1 1 1\n1 1 1\n"), &(pith_read_options){.labels = "kind"},
               PITH_E_DATA, "@: has no labels called 'kind'; give a file with one label per line");
}

static void missing_values_do_as_they_are_told(void **state)
{
    const char *path = put("a.mtx", COORDINATE "3 2 4\n1 1 nan\n1 2 1\n2 1 3\n3 2 -inf\n");
    pith_matrix *m = read_with(*state, path, MISSING(MEAN)); /* zeros that are not stored count */
    table_is(m, 3, 2, (double[]){1.5, 1, 3, 0, 0, 0.5});
    pith_matrix_free(m);
    m = read_with(*state, path, MISSING(ZERO));
    table_is(m, 3, 2, (double[]){0, 1, 3, 0, 0, 0});
    pith_matrix_free(m);
    m = read_with(*state, path, MISSING(DROP_ROWS));
    table_is(m, 1, 2, (double[]){3, 0});
    pith_matrix_free(m);
}

/* ---- Sidecars ---------------------------------------------------------------------------------------- */

#define TWO_BY_THREE COORDINATE "2 3 3\n1 1 5\n1 3 6\n2 2 7\n"

static void names_and_labels_come_from_beside(void **state)
{
    const char *path = put("a.mtx", TWO_BY_THREE);
    (void)put("a.cols", "u\n v \r\nw\n");
    (void)put("a.rows", "r1\nr2\n\n");
    (void)put("a.classes", "dog\ncat\n");
    pith_matrix *m = read_ok(*state, path);
    assert_string_equal(pith_matrix_feature_name(m, 1), "v");
    assert_string_equal(pith_matrix_sample_name(m, 1), "r2");
    assert_string_equal(pith_matrix_class_name(m, pith_matrix_label(m, 0)), "dog");
    pith_matrix_free(m);
    m = read_with(*state, path, &(pith_read_options){.no_labels = true});
    assert_int_equal(pith_matrix_classes(m), 0);
    pith_matrix_free(m);
    (void)put("a.rows", "r1\nr2\nr3\n");
    char said[512];
    (void)snprintf(said, sizeof said, "%s: 3 lines for the 2 rows of @", path_of("a.rows"));
    read_fails(*state, path, NULL, PITH_E_DATA, said);
}

static void terms_by_documents_are_turned(void **state)
{
    const char *path = put("a.mtx", TWO_BY_THREE);
    (void)put("a.terms", "goal\nmatch\n");
    (void)put("a.docs", "d1\nd2\nd3\n");
    (void)put("a.classes", "%Docs 3\n%Clusters 2 cricket, rugby\n0 1\n1 0\n2 1\n");
    pith_matrix *m = read_ok(*state, path);
    table_is(m, 3, 2, (double[]){5, 0, 0, 7, 6, 0});
    assert_string_equal(pith_matrix_feature_name(m, 0), "goal");
    assert_string_equal(pith_matrix_sample_name(m, 2), "d3");
    assert_int_equal(pith_matrix_classes(m), 2);
    assert_string_equal(pith_matrix_class_name(m, pith_matrix_label(m, 0)), "rugby");
    assert_string_equal(pith_matrix_class_name(m, pith_matrix_label(m, 1)), "cricket");
    pith_matrix_free(m);
    m = read_ok(*state, put("a.mtx", "%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n"));
    table_is(m, 3, 2, (double[]){1, 2, 3, 4, 5, 6});
    pith_matrix_free(m);
}

static void terms_that_are_as_many_as_the_columns_turn_nothing(void **state)
{
    (void)put("a.terms", "u\nv\nw\n");
    pith_matrix *m = read_ok(*state, put("a.mtx", TWO_BY_THREE));
    table_is(m, 2, 3, (double[]){5, 0, 6, 0, 7, 0});
    assert_string_equal(pith_matrix_feature_name(m, 2), "w");
    pith_matrix_free(m);
    char said[512];
    (void)put("a.terms", "u\nv\nw\nx\n");
    (void)snprintf(said, sizeof said, "%s: 4 lines for the 3 columns of @", path_of("a.terms"));
    read_fails(*state, path_of("a.mtx"), NULL, PITH_E_DATA, said);
}

static void classes_come_plain_or_by_document(void **state)
{
    static const struct {
        const char *text, *first, *second;
    } cases[] = {{"a b\nc d\n", "a b", "c d"},
                 {"2 x\n1 y\n", "y", "x"},
                 {"1 x\n0 y\n", "y", "x"},
                 {"0 x\n0 y\n", "0 x", "0 y"},
                 {"1 7\n3 8\n", "1 7", "3 8"},
                 {"%Clusters 2 p,q\n1\n0\n", "q", "p"},
                 {"%Clusters 3 p,q\n1\n0\n", "1", "0"},
                 {"%Clusters 2 p,q\n5\n0\n", "5", "p"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        (void)put("a.classes", cases[i].text);
        pith_matrix *m = read_ok(*state, put("a.mtx", TWO_BY_THREE));
        assert_string_equal(pith_matrix_class_name(m, pith_matrix_label(m, 0)), cases[i].first);
        assert_string_equal(pith_matrix_class_name(m, pith_matrix_label(m, 1)), cases[i].second);
        pith_matrix_free(m);
    }
}

/* ---- There and back ---------------------------------------------------------------------------------- */

static pith_matrix *small_table(pith_ctx *ctx, bool sparse, pith_dtype dtype)
{
    static const int64_t start[] = {0, 2, 2, 4};
    static const int32_t column[] = {0, 3, 1, 2};
    static const double value[] = {0.1, 1.0 / 3, 0, -1e-300};
    static const float short_value[] = {0.1F, 1.0F / 3, 0, -1e-30F};
    static const double x[] = {0.1, -0.0, 3, 1e300, 5, 6, 7, 8, 9, 10, 1.0 / 3, 12};
    static const float short_x[] = {0.1F, -0.0F, 3, 1e30F, 5, 6, 7, 8, 9, 10, 1.0F / 3, 12};
    pith_matrix *m = NULL;
    if (sparse)
        assert_ok(ctx, pith_matrix_csr(ctx, 3, 4, dtype, start, column,
                                       dtype == PITH_F64 ? (const void *)value : short_value, &m));
    else
        assert_ok(ctx, pith_matrix_dense(ctx, 3, 4, dtype, dtype == PITH_F64 ? (const void *)x : short_x, 4,
                                         1, &m));
    return m;
}

static void tables_come_back_with_names_and_labels(void **state)
{
    static const char *const features[] = {"a b", "\"q\"", "", "%x"};
    static const char *const samples[] = {"r\n1", " 2", "3"};
    static const char *const labels[] = {"%Clusters 1 x", "0 1", "1 1"};
    pith_ctx *ctx = *state;
    for (int kind = 0; kind < 16; kind++) {
        remove_sidecars();
        pith_matrix *m = small_table(ctx, kind & 1, kind & 2 ? PITH_F32 : PITH_F64);
        if (kind & 4) {
            assert_ok(ctx, pith_matrix_set_feature_names(ctx, m, features));
            assert_ok(ctx, pith_matrix_set_labels(ctx, m, labels));
        }
        if (kind & 8)
            assert_ok(ctx, pith_matrix_set_sample_names(ctx, m, samples));
        const char *path = path_of(kind % 3 == 0 ? "a.mtx.gz" : "a.mtx");
        assert_ok(ctx, pith_matrix_write(ctx, m, path));
        pith_matrix *back = read_ok(ctx, path);
        same_table(m, back);
        assert_int_equal(back->data.sparse, m->data.sparse);
        assert_int_equal(pith_i_stored(&back->data), pith_i_stored(&m->data));
        pith_matrix_free(back);
        pith_matrix_free(m);
    }
}

static void old_sidecars_do_not_stick_to_a_new_file(void **state)
{
    pith_ctx *ctx = *state;
    (void)put("a.terms", "x\ny\nz\n");
    (void)put("a.classes", "1\n2\n3\n");
    pith_matrix *m = small_table(ctx, true, PITH_F64);
    assert_ok(ctx, pith_matrix_write(ctx, m, path_of("a.mtx")));
    pith_matrix *back = read_ok(ctx, path_of("a.mtx"));
    same_table(m, back);
    pith_matrix_free(back);
    pith_matrix_free(m);
    assert_string_equal(text_of_file(path_of("a.terms")), "x\ny\nz\n");
}

static void failing_allocations_are_told_and_leak_nothing(void **state)
{
    pith_ctx *ctx = *state;
    (void)put("a.terms", "goal\nmatch\n");
    (void)put("a.docs", "d1\nd2\nd3\n");
    (void)put("a.classes", "%Clusters 2 cricket,rugby\n0 1\n1 0\n2 1\n");
    read_survives_failing_allocations(ctx, put("a.mtx", COORDINATE "2 3 3\n1 3 5\n1 1 6\n2 2 7\n"), NULL);
    pith_matrix *m = read_ok(ctx, path_of("a.mtx"));
    (void)put("b.cols", "kept");
    char path[256];
    (void)snprintf(path, sizeof path, "%s", put("b.mtx", "old"));
    pith_status st = PITH_E_NOMEM;
    for (int64_t nth = 1; st != PITH_OK; nth++) {
        const int64_t before = pith_i_bytes_in_use(ctx);
        pith_i_fail_allocation(ctx, nth);
        st = pith_matrix_write(ctx, m, path);
        pith_i_fail_allocation(ctx, 0);
        assert_true(pith_i_bytes_in_use(ctx) == before);
        assert_string_equal(text_of_file(path_of("b.cols")), st == PITH_OK ? "goal\nmatch\n" : "kept");
        if (st != PITH_OK) {
            assert_int_equal(st, PITH_E_NOMEM);
            assert_string_equal(text_of_file(path), "old");
        }
        assert_true(nth < 100);
    }
    pith_matrix_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FRESH(coordinates_are_sorted_and_duplicates_added),
        FRESH(every_field_and_symmetry_is_read),
        FRESH(wrong_files_say_what_and_where),
        FRESH(missing_values_do_as_they_are_told),
        FRESH(names_and_labels_come_from_beside),
        FRESH(terms_by_documents_are_turned),
        FRESH(terms_that_are_as_many_as_the_columns_turn_nothing),
        FRESH(classes_come_plain_or_by_document),
        FRESH(tables_come_back_with_names_and_labels),
        FRESH(old_sidecars_do_not_stick_to_a_new_file),
        FRESH(failing_allocations_are_told_and_leak_nothing),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
