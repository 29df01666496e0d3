#include "files.h"

#include "core/random.h"

#define MISSING(how) (&(pith_read_options){.missing = PITH_MISSING_##how})
#define LABELS(name) (&(pith_read_options){.labels = (name)})

/* ---- What a file is taken for ------------------------------------------------------------------------ */

static void numbers_alone_have_no_names(void **state)
{
    pith_matrix *m = read_ok(*state, put("a.csv", "1,2,3\n4,5,6\n"));
    assert_int_equal(m->data.n, 2);
    assert_int_equal(m->data.p, 3);
    assert_true(at(m, 1, 2) == 6);
    assert_null(pith_matrix_feature_name(m, 0));
    assert_null(pith_matrix_sample_name(m, 0));
    assert_int_equal(pith_matrix_classes(m), 0);
    assert_true(m->known_finite);
    pith_matrix_free(m);
}

static void header_is_text_over_numbers(void **state)
{
    pith_matrix *m = read_ok(*state, put("a.csv", "x,3,z\n1,2,3\n"));
    assert_int_equal(m->data.n, 1);
    assert_string_equal(pith_matrix_feature_name(m, 0), "x");
    assert_string_equal(pith_matrix_feature_name(m, 1), "3");
    pith_matrix_free(m);
}

static void quoted_numbers_over_plain_ones_are_a_header(void **state)
{
    pith_matrix *m = read_ok(*state, put("a.csv", "\"1\",\"2\"\n3,4\n"));
    assert_int_equal(m->data.n, 1);
    assert_string_equal(pith_matrix_feature_name(m, 1), "2");
    pith_matrix_free(m);
    m = read_ok(*state, put("a.csv", "\"1\",\"2\"\n\"3\",\"4\"\n"));
    assert_int_equal(m->data.n, 2);
    assert_true(at(m, 0, 1) == 2);
    pith_matrix_free(m);
}

static void missing_values_in_the_first_row_make_no_header(void **state)
{
    pith_matrix *m = read_with(*state, put("a.csv", "NA,1,nan\n2,3,4\n"), MISSING(ZERO));
    assert_int_equal(m->data.n, 2);
    assert_null(pith_matrix_feature_name(m, 0));
    assert_true(at(m, 0, 0) == 0 && at(m, 0, 1) == 1);
    pith_matrix_free(m);
}

static void header_over_missing_values_is_seen(void **state)
{
    pith_matrix *m = read_with(*state, put("a.csv", "a,b\nNA,\n,NA\n"), MISSING(KEEP));
    assert_int_equal(m->data.n, 2);
    assert_string_equal(pith_matrix_feature_name(m, 1), "b");
    assert_true(isnan(at(m, 0, 0)) && !m->known_finite);
    pith_matrix_free(m);
}

static void first_column_of_text_names_the_rows(void **state)
{
    pith_matrix *m = read_ok(*state, put("a.csv", "gene,u,v\ns1,1,2\ns2,3,4\n"));
    assert_int_equal(m->data.p, 2);
    assert_string_equal(pith_matrix_sample_name(m, 1), "s2");
    assert_string_equal(pith_matrix_feature_name(m, 0), "u");
    assert_true(at(m, 1, 1) == 4);
    pith_matrix_free(m);
    m = read_ok(*state, put("a.csv", "s1,1,2\ns2,3,4\n"));
    assert_string_equal(pith_matrix_sample_name(m, 0), "s1");
    assert_null(pith_matrix_feature_name(m, 0));
    pith_matrix_free(m);
}

static void empty_first_header_cell_announces_row_names(void **state)
{
    pith_matrix *m = read_ok(*state, put("a.csv", ",0,1\n7,1,2\n8,3,4\n"));
    assert_int_equal(m->data.n, 2);
    assert_int_equal(m->data.p, 2);
    assert_string_equal(pith_matrix_sample_name(m, 0), "7");
    assert_string_equal(pith_matrix_feature_name(m, 1), "1");
    pith_matrix_free(m);
}

static void header_shorter_by_one_announces_row_names(void **state)
{
    pith_matrix *m = read_ok(*state, put("a.tsv", "u\tv\n1\t2\t3\n4\t5\t6\n"));
    assert_int_equal(m->data.p, 2);
    assert_string_equal(pith_matrix_sample_name(m, 1), "4");
    assert_string_equal(pith_matrix_feature_name(m, 0), "u");
    assert_true(at(m, 1, 0) == 5);
    pith_matrix_free(m);
}

static void label_column_is_found_by_its_name(void **state)
{
    static const char *const names[] = {"Y", "y", "gnd", "GND", "label", "Label"};
    for (size_t i = 0; i < COUNT(names); i++) {
        char text[64];
        (void)snprintf(text, sizeof text, "a,%s,b\n1,dog,2\n3,cat,4\n5,dog,6\n", names[i]);
        pith_matrix *m = read_ok(*state, put("a.csv", text));
        assert_int_equal(m->data.p, 2);
        assert_string_equal(pith_matrix_feature_name(m, 1), "b");
        assert_true(at(m, 2, 1) == 6);
        assert_int_equal(pith_matrix_classes(m), 2);
        assert_string_equal(pith_matrix_class_name(m, pith_matrix_label(m, 0)), "dog");
        pith_matrix_free(m);
    }
    pith_matrix *m =
        read_with(*state, put("a.csv", "a,label,b\n1,dog,2\n"), &(pith_read_options){.no_labels = true});
    assert_int_equal(m->data.p, 2);
    assert_int_equal(pith_matrix_classes(m), 0);
    pith_matrix_free(m);
}

static void labels_may_come_first_and_be_numbers(void **state)
{
    pith_matrix *m = read_ok(*state, put("a.csv", "label,p1,p2\n7,1,2\n3,4,5\n"));
    assert_int_equal(m->data.p, 2);
    assert_null(pith_matrix_sample_name(m, 0));
    assert_string_equal(pith_matrix_class_name(m, 0), "3");
    pith_matrix_free(m);
    m = read_ok(*state, put("a.csv", "label,p1\nb,1\na,4\n"));
    assert_null(pith_matrix_sample_name(m, 0));
    assert_int_equal(pith_matrix_classes(m), 2);
    pith_matrix_free(m);
}

static void label_column_can_be_named_by_the_user(void **state)
{
    pith_matrix *m = read_with(*state, put("a.csv", "a,kind,label\n1,x,2\n3,y,4\n"), LABELS("kind"));
    assert_int_equal(m->data.p, 2);
    assert_string_equal(pith_matrix_feature_name(m, 1), "label");
    assert_string_equal(pith_matrix_class_name(m, 1), "y");
    pith_matrix_free(m);
    m = read_with(*state, put("a.csv", "r1,1,x\nr2,3,y\n"), LABELS("f1"));
    assert_int_equal(m->data.p, 1);
    assert_string_equal(pith_matrix_class_name(m, 1), "y");
    pith_matrix_free(m);
    read_fails(*state, put("a.csv", "a,b\n1,2\n"), LABELS("kind"), PITH_E_DATA,
               "@: no column is called 'kind', and there is no file of that name");
    read_fails(*state, put("a.csv", "a,kind\n1,2\n"), LABELS("kinds"), PITH_E_DATA,
               "@: no column is called 'kinds'; did you mean 'kind'?");
    read_fails(*state, put("a.csv", "1,2\n3,4\n"), LABELS("f2"), PITH_E_DATA,
               "@: no column is called 'f2'; the file has no header, so they are f0, f1, ...");
}

static void label_column_may_have_quotes_in_its_name(void **state)
{
    pith_ctx *ctx = *state;
    const pith_read_options options = {.labels = "the \"kind\""};
    pith_matrix *m = NULL;
    assert_ok(ctx,
              pith_matrix_read(ctx, put("q.csv", "a,b,\"the \"\"kind\"\"\"\n1,2,x\n3,4,y\n"), &options, &m));
    assert_int_equal(pith_matrix_cols(m), 2);
    assert_string_equal(pith_matrix_class_name(m, pith_matrix_label(m, 1)), "y");
    pith_matrix_free(m);
}

static void empty_label_column_means_no_labels(void **state)
{
    pith_matrix *m = read_ok(*state, put("a.csv", "Y,b,label\n1,2,\n3,4,\n"));
    assert_int_equal(m->data.p, 2);
    assert_string_equal(pith_matrix_feature_name(m, 0), "Y");
    assert_int_equal(pith_matrix_classes(m), 0);
    pith_matrix_free(m);
}

static void delimiters_are_found(void **state)
{
    static const struct {
        const char *name, *text;
    } cases[] = {{"a.csv", "1,2\n3,4\n"},          {"a.csv", "1;2\n3;4\n"},
                 {"a.csv", "1\t2\n3\t4\n"},        {"a.tsv", "1\t2\n3\t4\n"},
                 {"a.tsv", "1,2\n3,4\n"},          {"a.txt", "1 2\n3 4\n"},
                 {"a.txt", "  1   2 \n 3\t4\t\n"}, {"a.txt", "1\t2\n3\t4\n"},
                 {"a.txt", "1,2\n3,4\n"},          {"a.txt", "1;2\n3;4"},
                 {"A.CSV", "1,2\n3,4\n"},          {"a.csv", "1 , 2\n 3,4 \n"},
                 {"a.csv", "1,2\r\n3,4\r\n"},      {"a.txt", "1 2\r\n3 4\r\n"},
                 {"a.txt", "1 2 \r\n3 4 \r\n"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        pith_matrix *m = read_ok(*state, put(cases[i].name, cases[i].text));
        assert_int_equal(m->data.n, 2);
        assert_int_equal(m->data.p, 2);
        assert_true(at(m, 0, 0) == 1 && at(m, 0, 1) == 2 && at(m, 1, 0) == 3 && at(m, 1, 1) == 4);
        pith_matrix_free(m);
    }
}

static void quotes_hold_delimiters_quotes_and_newlines(void **state)
{
    pith_matrix *m =
        read_ok(*state, put("a.csv", "id,\"a,b\",\"say \"\"x\"\"\"\n\"r\n1\", \"1\" ,2\n\"r,2\",3,\"4\"\n"));
    assert_int_equal(m->data.n, 2);
    assert_string_equal(pith_matrix_feature_name(m, 0), "a,b");
    assert_string_equal(pith_matrix_feature_name(m, 1), "say \"x\"");
    assert_string_equal(pith_matrix_sample_name(m, 0), "r\n1");
    assert_string_equal(pith_matrix_sample_name(m, 1), "r,2");
    assert_true(at(m, 0, 0) == 1 && at(m, 1, 1) == 4);
    pith_matrix_free(m);
}

static void stray_quotes_are_part_of_a_name(void **state)
{
    pith_matrix *m = read_ok(*state, put("a.csv", "5\" pipe,\"a\"b,c\n1,2,3\n"));
    assert_string_equal(pith_matrix_feature_name(m, 0), "5\" pipe");
    assert_string_equal(pith_matrix_feature_name(m, 1), "\"a\"b");
    pith_matrix_free(m);
}

static void blank_lines_and_byte_order_mark_are_skipped(void **state)
{
    pith_matrix *m = read_ok(*state, put("a.csv", "\xef\xbb\xbf\n\na,b\r\n\r\n1,2\n\n3,4\n  \n\n"));
    assert_int_equal(m->data.n, 2);
    assert_string_equal(pith_matrix_feature_name(m, 0), "a");
    pith_matrix_free(m);
}

static void one_row_or_one_column_is_enough(void **state)
{
    pith_matrix *m = read_ok(*state, put("a.csv", "1,2,3"));
    assert_int_equal(m->data.n, 1);
    assert_int_equal(m->data.p, 3);
    pith_matrix_free(m);
    m = read_ok(*state, put("a.csv", "v\n1\n2\n"));
    assert_int_equal(m->data.n, 2);
    assert_int_equal(m->data.p, 1);
    assert_string_equal(pith_matrix_feature_name(m, 0), "v");
    pith_matrix_free(m);
}

static void every_way_to_write_a_number_is_read(void **state)
{
    pith_matrix *m =
        read_ok(*state, put("a.csv", "1e3,+2,-.5,5.,0.12345678901234567\n1E-3, 7 ,-0,00012,123456789.5\n"));
    const double want[2][5] = {{1e3, 2, -.5, 5, 0.12345678901234567}, {1e-3, 7, -0.0, 12, 123456789.5}};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 5; j++)
            assert_true(at(m, i, j) == want[i][j]);
    assert_true(signbit(at(m, 1, 2)));
    pith_matrix_free(m);
}

/* ---- What is wrong with a file ----------------------------------------------------------------------- */

static void ragged_rows_name_their_line(void **state)
{
    read_fails(*state, put("a.csv", "a,b\n1,2\n3\n"), NULL, PITH_E_DATA, "@:3: 2 columns expected, 1 found");
    read_fails(*state, put("a.csv", "1,2\n\n3,4,5\n"), NULL, PITH_E_DATA, "@:3: 2 columns expected, 3 found");
    read_fails(*state, put("a.csv", "a,\"b\nb\"\n1,2\n3,4,\n"), NULL, PITH_E_DATA,
               "@:4: 2 columns expected, 3 found");
    /* The cause, not the text that it moved into a column of numbers. */
    read_fails(*state, put("a.csv", "n,a,b\nx,1,2\ny,z,1,2\n"), NULL, PITH_E_DATA,
               "@:3: 3 columns expected, 4 found");
    read_fails(*state, put("a.txt", "1 2 3\n4 5 6\n7 8\n"), NULL, PITH_E_DATA,
               "@:3: 3 columns expected, 2 found");
    read_fails(
        *state, put("a.csv", "# station X\na,b,c\n1,2,3\n"), NULL, PITH_E_DATA,
        "@:2: 1 column expected, 3 found; delete lines above the table, or set its separator with --sep");
}

static void wide_header_over_short_rows_takes_no_memory(void **state)
{
    enum { COLS = 20000, ROWS = 20000 };
    pith_ctx *ctx = *state;
    static char text[3 * COLS + 2 * ROWS];
    char *to = text;
    for (int j = 0; j < COLS; j++) {
        memcpy(to, "a,", 2);
        to += 2;
    }
    to[-1] = '\n';
    for (int i = 0; i < ROWS; i++) {
        memcpy(to, "1\n", 2);
        to += 2;
    }
    const char *path = put_bytes("a.csv", text, (size_t)(to - text));
    pith_ctx_reset_peak(ctx);
    read_fails(ctx, path, NULL, PITH_E_DATA, "@:2: 20000 columns expected, 1 found");
    assert_true(pith_ctx_peak_bytes(ctx) < 10 << 20); /* the claim alone is 3.2 GB */
}

static void bad_values_are_told_with_line_column_and_text(void **state)
{
    static const char *const choose = "; correct it, or choose --missing drop-rows, mean or zero";
    static const struct {
        const char *text, *said;
    } cases[] = {{"a,b\n1,2\n3,x4\n", "@:3: column 'b': 'x4' is not a number"},
                 {"1,2\n3,4\n5,1.2.3\n", "@:3: column 2: '1.2.3' is not a number"},
                 {"a,b\n1,2\n3,NaN\n", "@:3: column 'b': 'NaN' is not a finite number"},
                 {"a,b\n1,2\n-inf,3\n", "@:3: column 'a': '-inf' is not a finite number"},
                 {"a,b\n1,2\n1e999,3\n", "@:3: column 'a': '1e999' is not a finite number"},
                 {"r,a\nx,1\ny,0x10\n", "@:3: column 'a': '0x10' is not a number"},
                 {"a\n1\n\"2\tb\nc\"\n", "@:3: column 'a': '2?b?c' is not a number"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        char said[256];
        (void)snprintf(said, sizeof said, "%s%s", cases[i].said, choose);
        read_fails(*state, put("a.csv", cases[i].text), NULL, PITH_E_DATA, said);
    }
    read_fails(*state, put("a.csv", "a,b,c\n1,2,3\n4,,6\n"), NULL, PITH_E_DATA,
               "@:3: column 'b' is empty; fill it in, or choose --missing drop-rows, mean or zero");
    read_fails(
        *state, put("a.csv", "a;b;\n1;2;\n3;4;\n"), NULL, PITH_E_DATA,
        "@:2: column 3 is empty, and has no name: if every line ends with a separator, delete it there");
    /* Not row names, which would move every name by one. */
    const pith_read_options zero = {.missing = PITH_MISSING_ZERO};
    read_fails(
        *state, put("a.csv", "a,b\n1,2,\n3,4,\n"), &zero, PITH_E_DATA,
        "@:2: every line but the header ends with a separator: delete it there, or, if the first column "
        "holds row names, add --row-names yes");
    pith_matrix *m = read_with(*state, put("a.csv", "a,b\nr,2,\ns,4,\n"), &zero);
    assert_string_equal(pith_matrix_sample_name(m, 1), "s");
    pith_matrix_free(m);
    read_fails(*state, put("a.csv", "a,b\n1,2\n3,0123456789012345678901234567890123456789abcdef\n"), NULL,
               PITH_E_DATA,
               "@:3: column 'b': '0123456789012345678901234567890123456789...' is not a number; correct it, "
               "or choose --missing drop-rows, mean or zero");
}

static void column_of_text_is_named(void **state)
{
    read_fails(
        *state, put("a.csv", "a,city,b\n1,Rome,2\n3,Oslo,4\n"), NULL, PITH_E_DATA,
        "@:2: column 'city' holds text ('Rome'), not numbers; leave it out, or name it with --labels if "
        "it holds the classes");
    read_fails(*state, put("a.csv", "a,city,b\n1,Rome,2\n3,Oslo,4\n"), MISSING(ZERO), PITH_E_DATA,
               "@: column 'city' holds text, not numbers; leave it out, or name it with --labels if it holds "
               "the classes");
}

#define NO_NUMBERS                                                                                           \
    "@: has no column of numbers: a cell must hold a number alone, without a unit; --sep sets the "          \
    "separator "                                                                                             \
    "of columns, --prep text counts the words of documents"

static void files_without_data_say_so(void **state)
{
    read_fails(*state, put("a.csv", ""), NULL, PITH_E_DATA, "@: is empty");
    read_fails(*state, put("a.csv", "\n \r\n\n"), NULL, PITH_E_DATA, "@: is empty");
    read_fails(*state, put("a.csv", "a,b\n"), NULL, PITH_E_DATA, "@: has no data rows");
    read_fails(*state, put("a.csv", "label\n1\n2\n"), NULL, PITH_E_DATA, "@: has no data columns");
    read_fails(*state, put("a.csv", "a,b,c\n1,2,3\n4,5,6\n"), &(pith_read_options){.sep = ';'}, PITH_E_DATA,
               NO_NUMBERS);
    read_fails(*state, put("a.csv", "time,t,h\n09:00,20 C,40 %\n09:05,21 C,41 %\n"), NULL, PITH_E_DATA,
               NO_NUMBERS);
    read_fails(*state, put("a.csv", "time,t,h\n09:00,20 C,40 %\n09:05,21 C,41 %\n"), MISSING(ZERO),
               PITH_E_DATA, NO_NUMBERS);
    read_fails(*state, put("a.csv", "a,b\n1,\"2\n"), NULL, PITH_E_DATA,
               "@:2: a quoted field opens in this row and never closes");
    read_fails(*state,
               put_bytes("a.csv",
                         "\xff\xfe"
                         "1\0,\0002",
                         7),
               NULL, PITH_E_DATA, "@: is UTF-16 text that ends in the middle of a character");
}

/* ---- Missing values ---------------------------------------------------------------------------------- */

static void missing_values_do_as_they_are_told(void **state)
{
    const char *path = put("a.csv", "r,a,b,label\nx,1,,u\ny,NA,4,v\nz,5,?,u\nw,6,10,w\n");
    pith_matrix *m = read_with(*state, path, MISSING(MEAN));
    assert_true(at(m, 0, 1) == 7 && at(m, 1, 0) == 4 && at(m, 2, 1) == 7 && at(m, 3, 1) == 10);
    assert_true(m->known_finite);
    pith_matrix_free(m);
    m = read_with(*state, path, MISSING(ZERO));
    assert_true(at(m, 0, 1) == 0 && at(m, 1, 0) == 0 && at(m, 0, 0) == 1);
    pith_matrix_free(m);
    m = read_with(*state, path, MISSING(DROP_ROWS));
    assert_int_equal(m->data.n, 1);
    assert_string_equal(pith_matrix_sample_name(m, 0), "w");
    assert_string_equal(pith_matrix_class_name(m, pith_matrix_label(m, 0)), "w");
    assert_int_equal(pith_matrix_classes(m), 1);
    pith_matrix_free(m);
    m = read_with(*state, path, MISSING(KEEP));
    assert_true(isnan(at(m, 0, 1)) && isnan(at(m, 1, 0)) && !m->known_finite);
    pith_matrix_free(m);
}

static void missing_values_that_cannot_be_made_up_are_told(void **state)
{
    read_fails(*state, put("a.csv", "a,b\n1,NA\n2,NA\n"), MISSING(MEAN), PITH_E_DATA,
               "@: column 'b' has no value in any row; leave it out, or choose --missing zero");
    read_fails(*state, put("a.csv", "a,b\n1,NA\nNA,3\n"), MISSING(DROP_ROWS), PITH_E_DATA,
               "@: every row has a missing value; choose --missing mean or zero");
}

/* ---- Blocks and threads ------------------------------------------------------------------------------ */

/* Several blocks of rows, one of them with a problem; quoted newlines make lines and rows differ. */
static char *large_text(int64_t rows, int64_t bad_row, bool quotes)
{
    pith_i_stream s = pith_i_stream_at(3, PITH_I_RANDOM_BENCH, 0);
    char *text = malloc((size_t)rows * 80 + 100), *to = text;
    to += sprintf(to, "name,a,b,c\n");
    for (int64_t i = 0; i < rows; i++) {
        to += quotes && i % 3 == 0 ? sprintf(to, "\"s\n%lld\"", (long long)i)
                                   : sprintf(to, "s%lld", (long long)i);
        to += sprintf(to, ",%.5f,%.17g,", pith_i_random_normal(&s), pith_i_random_normal(&s));
        to += i == bad_row ? sprintf(to, "oops\n") : sprintf(to, "%lld\n", (long long)i);
    }
    return text;
}

static void threads_do_not_change_what_is_read(void **state)
{
    pith_ctx *ctx = *state;
    for (int quotes = 0; quotes < 2; quotes++) {
        char *text = large_text(20000, -1, quotes);
        const char *path = put("large.csv", text);
        free(text);
        assert_ok(ctx, pith_ctx_set_threads(ctx, 1));
        pith_matrix *one = read_ok(ctx, path);
        assert_ok(ctx, pith_ctx_set_threads(ctx, 8));
        pith_matrix *many = read_ok(ctx, path);
        assert_int_equal(one->data.n, 20000);
        assert_true(at(one, 19999, 2) == 19999);
        same_table(one, many);
        pith_matrix_free(one);
        pith_matrix_free(many);
    }
}

static void first_problem_is_told_whatever_the_threads(void **state)
{
    pith_ctx *ctx = *state;
    char *text = large_text(20000, 12345, true);
    text[strlen(text) - 2] = 'x'; /* the last row is bad, too */
    const char *path = put("large.csv", text);
    free(text);
    for (int threads = 1; threads <= 8; threads *= 2) {
        assert_ok(ctx, pith_ctx_set_threads(ctx, threads));
        /* Row 12345 is line 12347, and the 4116 names before and in it with a newline add one each. */
        read_fails(
            ctx, path, NULL, PITH_E_DATA,
            "@:16462: column 'c': 'oops' is not a number; correct it, or choose --missing drop-rows, mean "
            "or zero");
    }
}

static bool stop_at_once(double done, const char *what, void *user)
{
    (void)done, (void)user;
    return strcmp(what, "reading") != 0;
}

static void reading_can_be_stopped(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = NULL;
    char *text = large_text(20000, -1, false);
    const char *path = put("large.csv", text);
    free(text);
    pith_ctx_set_progress(ctx, stop_at_once, NULL);
    assert_int_equal(pith_matrix_read(ctx, path, NULL, &m), PITH_E_STOPPED);
    assert_string_equal(pith_ctx_message(ctx), "stopped while reading");
}

/* ---- There and back ---------------------------------------------------------------------------------- */

static void comes_back(pith_ctx *ctx, const pith_matrix *m, const char *name)
{
    const char *path = path_of(name);
    assert_ok(ctx, pith_matrix_write(ctx, m, path));
    pith_matrix *back = read_ok(ctx, path);
    same_table(m, back);
    pith_matrix_free(back);
}

static const char *const every_name[] = {"a.csv", "a.tsv", "a.txt", "a.csv.gz", "a.tsv.gz", "a.txt.gz"};

static const double awkward[3][4] = {{0.1, -0.0, 1e-300, 12345678901234567.0},
                                     {1.0 / 3, 5e-324, -1.7976931348623157e308, 2},
                                     {0, 1e22, 1e23, -7}};

static pith_matrix *awkward_table(pith_ctx *ctx, bool sparse)
{
    static const int64_t start[] = {0, 3, 3, 5};
    static const int32_t column[] = {0, 2, 3, 1, 2};
    static const double value[] = {0.1, 1.0 / 3, -2, 0, 1e-9};
    pith_matrix *m = NULL;
    if (sparse)
        assert_ok(ctx, pith_matrix_csr(ctx, 3, 4, PITH_F64, start, column, value, &m));
    else
        assert_ok(ctx, pith_matrix_dense(ctx, 3, 4, PITH_F64, awkward, 4, 1, &m));
    return m;
}

static void values_come_back_to_the_bit(void **state)
{
    for (size_t f = 0; f < COUNT(every_name); f++)
        for (int sparse = 0; sparse < 2; sparse++) {
            pith_matrix *m = awkward_table(*state, sparse);
            comes_back(*state, m, every_name[f]);
            pith_matrix_free(m);
        }
}

static void floats_come_back_as_the_same_numbers(void **state)
{
    pith_ctx *ctx = *state;
    static const float x[] = {0.1F, 1.0F / 3, -1e-40F, 3.4028235e38F, 16777216, -0.0F};
    pith_matrix *m = NULL;
    assert_ok(ctx, pith_matrix_dense(ctx, 2, 3, PITH_F32, x, 1, 2, &m)); /* column-major */
    comes_back(ctx, m, "a.csv");
    pith_matrix_free(m);
}

static void names_and_labels_come_back(void **state)
{
    static const char *const features[] = {"a,b", "say \"x\"", " padded ", "12"};
    static const char *const plain[] = {"1", "2", "3", "nan"};
    static const char *const labelish[] = {"Y", "label", "gnd",
                                           "\xef\xbb\xbf"
                                           "x"};
    static const char *const *const sets[] = {NULL, features, plain, labelish};
    static const char *const samples[] = {"r\n1", "", "two; words\there"};
    static const char *const numbers[] = {"3", "1", "2"};
    static const char *const labels[] = {"b, c", "1", "b, c"};
    static const char *const empty[] = {"", "", ""};
    pith_ctx *ctx = *state;
    for (int kind = 0; kind < 4 * 3 * 3; kind++) {
        pith_matrix *m = awkward_table(ctx, kind % 2);
        const char *const *f = sets[kind % 4], *const *s = kind / 4 % 3 == 0   ? NULL
                                                           : kind / 4 % 3 == 1 ? samples
                                                                               : numbers;
        const char *const *l = kind / 12 == 0 ? NULL : kind / 12 == 1 ? labels : empty;
        static const char *const made[] = {"f0", "f1", "f2", "f3"};
        /* Where there is a header, features without names get theirs: f0, f1, ... */
        if (f == NULL && (s != NULL || l != NULL))
            f = made;
        if (f != NULL)
            assert_ok(ctx, pith_matrix_set_feature_names(ctx, m, f));
        if (s != NULL)
            assert_ok(ctx, pith_matrix_set_sample_names(ctx, m, s));
        if (l != NULL)
            assert_ok(ctx, pith_matrix_set_labels(ctx, m, l));
        for (size_t e = 0; e < COUNT(every_name); e++)
            comes_back(ctx, m, every_name[e]);
        pith_matrix_free(m);
    }
}

static void what_is_written_is_plain(void **state)
{
    static const char *const features[] = {"goal", "a,b", "3", "match"};
    static const char *const samples[] = {"d1", "d2", "d3"};
    static const char *const labels[] = {"cat", "dog", "cat"};
    pith_ctx *ctx = *state;
    pith_matrix *m = awkward_table(ctx, true);
    assert_ok(ctx, pith_matrix_write(ctx, m, path_of("a.csv")));
    assert_string_equal(text_of_file(path_of("a.csv")),
                        "0.1,0,0.3333333333333333,-2\n0,0,0,0\n0,0,1e-09,0\n");
    assert_ok(ctx, pith_matrix_set_feature_names(ctx, m, features));
    assert_ok(ctx, pith_matrix_set_sample_names(ctx, m, samples));
    assert_ok(ctx, pith_matrix_set_labels(ctx, m, labels));
    assert_ok(ctx, pith_matrix_write(ctx, m, path_of("a.tsv")));
    assert_string_equal(text_of_file(path_of("a.tsv")), "\tgoal\t\"a,b\"\t\"3\"\tmatch\tlabel\n"
                                                        "d1\t0.1\t0\t0.3333333333333333\t-2\tcat\n"
                                                        "d2\t0\t0\t0\t0\tdog\nd3\t0\t0\t1e-09\t0\tcat\n");
    pith_matrix_free(m);
}

/* ---- Memory ------------------------------------------------------------------------------------------ */

static void failing_allocations_are_told_and_leak_nothing(void **state)
{
    pith_ctx *ctx = *state;
    const char *text = "id,\"a\"\"\",b,label\nx,1,2,u\ny,3,NA,v\n";
    read_survives_failing_allocations(ctx, put("a.csv", text), MISSING(MEAN));
    read_survives_failing_allocations(ctx, put_gz("a.csv.gz", text), MISSING(DROP_ROWS));
    pith_matrix *m = read_with(ctx, put("b.csv", text), MISSING(ZERO));
    write_survives_failing_allocations(ctx, m, "c.csv");
    write_survives_failing_allocations(ctx, m, "c.csv.gz");
    pith_matrix_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(numbers_alone_have_no_names),
        TEST(header_is_text_over_numbers),
        TEST(quoted_numbers_over_plain_ones_are_a_header),
        TEST(missing_values_in_the_first_row_make_no_header),
        TEST(header_over_missing_values_is_seen),
        TEST(first_column_of_text_names_the_rows),
        TEST(empty_first_header_cell_announces_row_names),
        TEST(header_shorter_by_one_announces_row_names),
        TEST(label_column_is_found_by_its_name),
        TEST(labels_may_come_first_and_be_numbers),
        TEST(label_column_may_have_quotes_in_its_name),
        TEST(label_column_can_be_named_by_the_user),
        TEST(empty_label_column_means_no_labels),
        TEST(delimiters_are_found),
        TEST(quotes_hold_delimiters_quotes_and_newlines),
        TEST(stray_quotes_are_part_of_a_name),
        TEST(blank_lines_and_byte_order_mark_are_skipped),
        TEST(one_row_or_one_column_is_enough),
        TEST(every_way_to_write_a_number_is_read),
        TEST(ragged_rows_name_their_line),
        TEST(wide_header_over_short_rows_takes_no_memory),
        TEST(bad_values_are_told_with_line_column_and_text),
        TEST(column_of_text_is_named),
        TEST(files_without_data_say_so),
        TEST(missing_values_do_as_they_are_told),
        TEST(missing_values_that_cannot_be_made_up_are_told),
        TEST(threads_do_not_change_what_is_read),
        TEST(first_problem_is_told_whatever_the_threads),
        TEST(reading_can_be_stopped),
        TEST(values_come_back_to_the_bit),
        TEST(floats_come_back_as_the_same_numbers),
        TEST(names_and_labels_come_back),
        TEST(what_is_written_is_plain),
        TEST(failing_allocations_are_told_and_leak_nothing),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
