#include "files.h"

#define MISSING(how) (&(pith_read_options){.missing = PITH_MISSING_##how})

static void lines_make_rows_with_labels(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m =
        read_ok(ctx, put("a.svm", "# made by hand\n+1 1:0.5 3:-2 # first\n\n-1 qid:7 2:1e3\r\n1\n"));
    assert_int_equal(m->data.n, 3);
    assert_int_equal(m->data.p, 3);
    assert_true(m->data.sparse);
    assert_true(at(m, 0, 0) == 0.5 && at(m, 0, 2) == -2 && at(m, 1, 1) == 1000 && at(m, 2, 0) == 0);
    assert_int_equal(pith_i_stored(&m->data), 3);
    assert_int_equal(pith_matrix_classes(m), 2);
    assert_string_equal(pith_matrix_class_name(m, 0), "-1");
    assert_string_equal(pith_matrix_class_name(m, 1), "1");
    assert_int_equal(pith_matrix_label(m, 2), 1);
    assert_ok(ctx, pith_i_data_check(ctx, &m->data));
    pith_matrix_free(m);
    m = read_with(ctx, put_gz("a.libsvm.gz", "x 1:1\ny 2:2\n"), &(pith_read_options){.no_labels = true});
    assert_int_equal(pith_matrix_classes(m), 0);
    assert_true(at(m, 1, 1) == 2);
    pith_matrix_free(m);
}

static void index_0_makes_all_count_from_0(void **state)
{
    pith_matrix *m = read_ok(*state, put("a.svm", "1 1:5 2:6\n2 0:7\n"));
    assert_int_equal(m->data.p, 3);
    assert_true(at(m, 0, 1) == 5 && at(m, 0, 2) == 6 && at(m, 1, 0) == 7);
    pith_matrix_free(m);
}

static void lines_without_labels_have_none(void **state)
{
    pith_matrix *m = read_ok(*state, put("a.svm", "1:5 2:6\n2:7\n"));
    assert_int_equal(m->data.n, 2);
    assert_int_equal(pith_matrix_classes(m), 0);
    pith_matrix_free(m);
}

static void wrong_files_say_what_and_where(void **state)
{
    static const struct {
        const char *text, *said;
    } cases[] = {
        {"", "@: is empty"},
        {"# nothing\n\n", "@: has no data rows"},
        {"1\n2\n", "@: has no data columns"},
        {"1 1:2\n1 3:4 2:5\n", "@:2: index 2 after 3: indices must increase"},
        {"1 1:2 1:3\n", "@:1: index 1 after 1: indices must increase"},
        {"1 1:2\n1 2\n", "@:2: '2' is not index:value"},
        {"1 1:2\n1 :2\n", "@:2: ':2' is not index:value"},
        {"1 1:2\n1 2:\n", "@:2: '2:' is not index:value"},
        {"1 1:2\n1 2: 3\n", "@:2: '2:' is not index:value"},
        {"1 1:x\n", "@:1: '1:x' is not index:value"},
        {"1 1:2x\n", "@:1: '1:2x' is not index:value"},
        {"1 -1:2\n", "@:1: '-1:2' is not index:value"},
        {"1 99999999999:2\n", "@:1: '99999999999:2' is not index:value"},
        {"1 2147483647:2\n", "@:1: '2147483647' is too large an index"},
        {"1 2000000000:2\n", "@: claims 2000000000 columns but holds only 1 entries; the file is damaged, or "
                             "its empty columns should be dropped"},
        {"1 1:2\n1:3\n", "@:2: has no label, unlike the lines before"},
        {"1:2\n1 1:3\n", "@:2: has a label, unlike the lines before"},
        {"1 1:nan\n",
         "@:1: '1:nan' is not a finite number; correct it, or choose --missing drop-rows, mean or zero"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        read_fails(*state, put("a.svm", cases[i].text), NULL, PITH_E_DATA, cases[i].said);
    read_fails(*state, put("a.svm", "1 1:1\n"), &(pith_read_options){.labels = "kind"}, PITH_E_DATA,
               "@: has no labels called 'kind'; give a file with one label per line");
}

static void missing_values_do_as_they_are_told(void **state)
{
    pith_matrix *m = read_with(*state, put("a.svm", "1 1:nan 2:1\n2 1:4\n"), MISSING(MEAN));
    assert_true(at(m, 0, 0) == 4 && at(m, 1, 0) == 4 && m->known_finite);
    pith_matrix_free(m);
}

static pith_matrix *table(pith_ctx *ctx, bool sparse)
{
    static const int64_t start[] = {0, 2, 2, 3};
    static const int32_t column[] = {0, 2, 1};
    static const double value[] = {0.1, 0, -1.0 / 3};
    static const float x[] = {0.1F, 0, -0.0F, 2, 0, 0, 0, 0, 0, 0, 0, 0};
    pith_matrix *m = NULL;
    if (sparse)
        assert_ok(ctx, pith_matrix_csr(ctx, 3, 4, PITH_F64, start, column, value, &m));
    else
        assert_ok(ctx, pith_matrix_dense(ctx, 3, 4, PITH_F32, x, 1, 3, &m));
    return m;
}

/* The last column is empty, as are rows; labels are numbers, words, or none. */
static void tables_come_back_with_labels(void **state)
{
    static const char *const numbers[] = {"2", "-1.5", "2"}, *const words[] = {"dog # 1", "", "+1"};
    static const char *const *const labels[] = {NULL, numbers, words};
    pith_ctx *ctx = *state;
    for (int kind = 0; kind < 6; kind++) {
        pith_matrix *m = table(ctx, kind % 2);
        if (labels[kind / 2] != NULL)
            assert_ok(ctx, pith_matrix_set_labels(ctx, m, labels[kind / 2]));
        const char *path = path_of(kind == 3 ? "b.svm.gz" : "b.libsvm");
        assert_ok(ctx, pith_matrix_write(ctx, m, path));
        pith_matrix *back = read_ok(ctx, path);
        same_table(m, back);
        pith_matrix_free(back);
        pith_matrix_free(m);
    }
}

static void what_is_written_is_plain(void **state)
{
    static const char *const words[] = {"dog", "cat", "dog"};
    pith_ctx *ctx = *state;
    pith_matrix *m = table(ctx, true);
    assert_ok(ctx, pith_matrix_set_labels(ctx, m, words));
    assert_ok(ctx, pith_matrix_write(ctx, m, path_of("b.svm")));
    assert_string_equal(
        text_of_file(path_of("b.svm")),
        "# pith: class 0 cat\n# pith: class 1 dog\n1 1:0.1 3:0 4:0\n0\n1 2:-0.3333333333333333\n");
    pith_matrix_free(m);
}

static void class_names_with_line_ends_are_refused(void **state)
{
    static const char *const words[] = {"a\nb", "c", "c"};
    pith_ctx *ctx = *state;
    pith_matrix *m = table(ctx, true);
    assert_ok(ctx, pith_matrix_set_labels(ctx, m, words));
    assert_int_equal(pith_matrix_write(ctx, m, path_of("c.svm")), PITH_E_DATA);
    assert_string_equal(pith_ctx_message(ctx),
                        "svmlight files cannot hold class names that contain line breaks");
    assert_int_not_equal(access(path_of("c.svm"), F_OK), 0);
    pith_matrix_free(m);
}

static void failing_allocations_are_told_and_leak_nothing(void **state)
{
    pith_ctx *ctx = *state;
    read_survives_failing_allocations(ctx, put("a.svm", "# pith: class 0 x\n0 1:1\n1 1:2 3:nan\n"),
                                      MISSING(MEAN));
    pith_matrix *m = read_ok(ctx, put("b.svm", "x 1:1\ny 1:2 3:4\n"));
    write_survives_failing_allocations(ctx, m, "c.svm.gz");
    pith_matrix_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(lines_make_rows_with_labels),
        TEST(index_0_makes_all_count_from_0),
        TEST(lines_without_labels_have_none),
        TEST(wrong_files_say_what_and_where),
        TEST(missing_values_do_as_they_are_told),
        TEST(tables_come_back_with_labels),
        TEST(what_is_written_is_plain),
        TEST(class_names_with_line_ends_are_refused),
        TEST(failing_allocations_are_told_and_leak_nothing),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
