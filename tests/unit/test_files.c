/* Reading and writing whatever the format: src/api/files.c with bytes.c, formats.c, labels.c, missing.c. */
#include "files.h"

#include "io/io.h"

#include <pthread.h>

/* ---- Endings ----------------------------------------------------------------------------------------- */

static void unknown_endings_are_told_with_the_nearest(void **state)
{
    pith_ctx *ctx = *state;
    char known[256] = "";
    for (size_t f = 0; pith_i_format_at(f) != NULL; f++) {
        char words[128];
        (void)snprintf(words, sizeof words, "%s", pith_i_format_at(f)->endings);
        for (char *word = strtok(words, " "); word != NULL; word = strtok(NULL, " "))
            if (strstr(word, ".gz") == NULL) {
                strcat(known, " ");
                strcat(known, word);
            }
    }
    static const char *const said[][2] = {
        {"a.cvs", "@: the ending '.cvs' is not a known format (did you mean '.csv'?); known endings are"},
        {"a.xlsx", "@: the ending '.xlsx' is not a known format; known endings are"},
        {"data", "@: a name without an ending is not a known format; known endings are"}};
    (void)put("data", "1,2\n"); /* without it, the message would be that there is no such file */
    for (size_t i = 0; i < COUNT(said); i++) {
        char want[512];
        (void)snprintf(want, sizeof want, "%s%s", said[i][1], known);
        read_fails(ctx, path_of(said[i][0]), NULL, PITH_E_FILE, want);
    }
    assert_false(pith_path_is_known("a.cvs"));
    assert_false(pith_path_is_known(".csv"));
    assert_false(pith_path_is_known("x/.csv"));
    assert_false(pith_path_is_known(NULL));
    assert_true(pith_path_is_known("a.b/x.CSV.GZ"));
    assert_false(pith_path_is_known("a.csv/x"));
}

static void formats_can_be_listed(void **state)
{
    const char *name = NULL;
    (void)state;
    assert_string_equal(pith_format_endings(0, &name), ".csv .tsv .txt .csv.gz .tsv.gz .txt.gz");
    assert_string_equal(name, "delimited text");
    size_t count = 0;
    while (pith_format_endings(count, NULL) != NULL)
        count++;
    assert_int_equal(count, 7);
    assert_null(pith_format_endings(count, &name));
    assert_null(name);
}

/* ---- Files that cannot be read ------------------------------------------------------------------------ */

static void files_that_cannot_be_read_say_why(void **state)
{
    pith_ctx *ctx = *state;
    read_fails(ctx, path_of("none.csv"), NULL, PITH_E_FILE, "@: cannot be read: No such file or directory");
    assert_int_equal(mkdir(path_of("dir.csv"), 0777), 0);
    read_fails(ctx, path_of("dir.csv"), NULL, PITH_E_FILE, "@: is a directory, not a data file");
    read_fails(
        ctx, folder, NULL, PITH_E_FILE,
        "@: is a directory, not a data file; documents are read by the step 'text' of pith prep and --prep");
    read_fails(ctx, path_of("none"), NULL, PITH_E_FILE, "@: cannot be read: No such file or directory");
    read_fails(ctx, put("lines.jsonl", "{}\n"), NULL, PITH_E_FILE,
               "@: is not a table of numbers; documents are read by the step 'text' of pith prep and --prep");
    const char *path = put("locked.csv", "1,2\n");
    assert_int_equal(chmod(path, 0), 0);
    const bool root = geteuid() == 0; /* who may read everything */
    assert_int_equal(chmod(folder, 0755), 0);
    if (root)
        assert_int_equal(seteuid(65534), 0);
    read_fails(ctx, path, NULL, PITH_E_FILE, "@: cannot be read: Permission denied");
    if (root)
        assert_int_equal(seteuid(0), 0);
}

static void arguments_are_checked(void **state)
{
    pith_matrix *m = NULL;
    assert_int_equal(pith_matrix_read(NULL, "a.csv", NULL, &m), PITH_E_ARGUMENT);
    assert_int_equal(pith_matrix_read(*state, NULL, NULL, &m), PITH_E_ARGUMENT);
    assert_int_equal(pith_matrix_read(*state, "a.csv", NULL, NULL), PITH_E_ARGUMENT);
    assert_int_equal(pith_matrix_write(*state, NULL, "a.csv"), PITH_E_ARGUMENT);
    read_fails(*state, put("a.csv", "1\n"), &(pith_read_options){.missing = (pith_missing)17},
               PITH_E_ARGUMENT, "17 is not a way to treat missing values");
}

static void *fill_pipe(void *path)
{
    FILE *f = fopen(path, "w");
    for (int i = 0; f != NULL && i < 100000; i++)
        (void)fprintf(f, "%d,1\n", i);
    if (f != NULL)
        (void)fclose(f);
    return NULL;
}

static void pipes_are_read_to_their_end(void **state)
{
    char path[256];
    pthread_t writer;
    (void)snprintf(path, sizeof path, "%s", path_of("pipe.csv"));
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(pthread_create(&writer, NULL, fill_pipe, path), 0);
    pith_matrix *m = read_ok(*state, path);
    assert_int_equal(pthread_join(writer, NULL), 0);
    assert_int_equal(m->data.n, 100000);
    assert_true(at(m, 99999, 0) == 99999);
    pith_matrix_free(m);
}

/* The last character of the file is the last byte of a page. */
static void file_of_whole_pages_is_read(void **state)
{
    static char text[8192];
    for (size_t i = 0; i < sizeof text; i += 2)
        memcpy(text + i, "7,", 2);
    text[sizeof text - 1] = '1';
    pith_matrix *m = read_ok(*state, put_bytes("page.csv", text, sizeof text));
    assert_int_equal(m->data.p, 4096);
    assert_true(at(m, 0, 4095) == 71);
    pith_matrix_free(m);
}

/* ---- Packed files ------------------------------------------------------------------------------------- */

static size_t pack(const char *text, size_t count, char *out, size_t room)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (Bytef *)(uintptr_t)text;
    z.avail_in = (uInt)count;
    z.next_out = (Bytef *)out;
    z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    const size_t used = z.total_out;
    (void)deflateEnd(&z);
    return used;
}

static void gzip_is_known_by_its_content_and_may_have_members(void **state)
{
    char packed[512];
    size_t used = pack("1,2\n", 4, packed, sizeof packed);
    used += pack("3,4\n5,", 6, packed + used, sizeof packed - used);
    used += pack("6\n", 2, packed + used, sizeof packed - used);
    memset(packed + used, 0, 20); /* padding, as on tapes */
    pith_matrix *m = read_ok(*state, put_bytes("packed.csv", packed, used + 20));
    assert_int_equal(m->data.n, 3);
    assert_true(at(m, 2, 1) == 6);
    pith_matrix_free(m);
    m = read_ok(*state, put("plain.csv.gz", "1,2\n3,4\n"));
    assert_int_equal(m->data.n, 2);
    pith_matrix_free(m);
}

static void damaged_gzip_is_told(void **state)
{
    char text[4000], packed[8000], said[256];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)(i % 7 == 6 ? '\n' : '0' + (i * i / 7) % 10);
    const size_t used = pack(text, sizeof text, packed, sizeof packed);
    /* Cut anywhere: never a crash, always the same sentence, as long as it is gzip at all. */
    for (size_t cut = 18; cut < used; cut += 37) {
        pith_matrix *m = NULL;
        const char *path = put_bytes("cut.csv.gz", packed, cut);
        assert_int_equal(pith_matrix_read(*state, path, NULL, &m), PITH_E_DATA);
        (void)snprintf(said, sizeof said, "%s: damaged or truncated gzip data after ", path);
        assert_memory_equal(pith_ctx_message(*state), said, strlen(said));
    }
    packed[used / 2] ^= 0x55;
    pith_matrix *m = NULL;
    assert_int_equal(pith_matrix_read(*state, put_bytes("bad.csv.gz", packed, used), NULL, &m), PITH_E_DATA);
}

/* ---- Labels from a file ------------------------------------------------------------------------------- */

static void labels_come_from_a_file_of_their_own(void **state)
{
    const char *data = put("a.csv", "a,label\n1,x\n,y\n3,x\n");
    const pith_read_options options = {.labels = put("classes.txt", "u \r\nv w\n\nx\n"),
                                       .missing = PITH_MISSING_KEEP};
    char said[512];
    (void)snprintf(said, sizeof said, "%s: 4 labels, one per line, for the 3 rows of @", options.labels);
    read_fails(*state, data, &options, PITH_E_DATA, said);
    const pith_read_options three = {.labels = put("classes.txt", "u \r\nv w\nx\n\n\n"),
                                     .missing = PITH_MISSING_DROP_ROWS};
    pith_matrix *m = read_with(*state, data, &three); /* counted before rows are dropped */
    assert_int_equal(m->data.n, 2);
    assert_int_equal(m->data.p, 1);
    assert_int_equal(pith_matrix_classes(m), 2);
    assert_string_equal(pith_matrix_class_name(m, pith_matrix_label(m, 1)), "x");
    pith_matrix_free(m);
    const pith_read_options none = {.labels = three.labels, .no_labels = true, .missing = PITH_MISSING_ZERO};
    m = read_with(*state, data, &none);
    assert_int_equal(m->data.p, 1);
    assert_int_equal(pith_matrix_classes(m), 0);
    pith_matrix_free(m);
    read_survives_failing_allocations(*state, data, &three);
}

/* ---- Missing values of any reader --------------------------------------------------------------------- */

static void bad_values_are_told_by_row_and_column(void **state)
{
    pith_ctx *ctx = *state;
    double x[] = {1, 2, 3, (double)NAN, 5, -(double)INFINITY};
    static const char *const names[] = {"a", "b"};
    pith_matrix *m = NULL;
    assert_ok(ctx, pith_matrix_dense(ctx, 3, 2, PITH_F64, x, 2, 1, &m));
    assert_int_equal(pith_i_missing_apply(ctx, "x.npy", PITH_MISSING_ERROR, m), PITH_E_DATA);
    assert_string_equal(pith_ctx_message(ctx),
                        "x.npy: row 2, column 2 (counted from 1) is NaN; correct it, or "
                        "choose --missing drop-rows, mean or zero");
    x[3] = 4;
    assert_ok(ctx, pith_matrix_set_feature_names(ctx, m, names));
    assert_int_equal(pith_i_missing_apply(ctx, "x.npy", PITH_MISSING_ERROR, m), PITH_E_DATA);
    assert_string_equal(pith_ctx_message(ctx),
                        "x.npy: row 3, column 'b' (counted from 1) is infinite; correct "
                        "it, or choose --missing drop-rows, mean or zero");
    assert_false(m->known_finite);
    x[5] = 6;
    assert_ok(ctx, pith_i_missing_apply(ctx, "x.npy", PITH_MISSING_ERROR, m));
    assert_true(m->known_finite);
    pith_matrix_free(m);
}

/* ---- Writing ------------------------------------------------------------------------------------------ */

static pith_matrix *small(pith_ctx *ctx)
{
    static const double x[] = {1, 2, 3, 4};
    pith_matrix *m = NULL;
    assert_ok(ctx, pith_matrix_dense(ctx, 2, 2, PITH_F64, x, 2, 1, &m));
    return m;
}

static void writing_as_another_ending_is_possible(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = small(ctx);
    assert_ok(ctx, pith_matrix_write_as(ctx, m, path_of("plain"), ".TSV"));
    assert_string_equal(text_of_file(path_of("plain")), "1\t2\n3\t4\n");
    assert_int_equal(pith_matrix_write_as(ctx, m, path_of("plain"), ".tvs"), PITH_E_FILE);
    assert_memory_equal(pith_ctx_message(ctx),
                        "x.tvs: the ending '.tvs' is not a known format (did you mean '.tsv'?)", 57);
    assert_int_equal(pith_matrix_write(ctx, m, path_of("x.cvs")), PITH_E_FILE);
    assert_string_equal(text_of_file(path_of("plain")), "1\t2\n3\t4\n");
    pith_matrix_free(m);
}

/* A link keeps pointing where it did, and the ending that the user typed decides. */
static void writing_through_a_link_keeps_the_ending_typed(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = small(ctx);
    char target[256];
    (void)snprintf(target, sizeof target, "%s", put("store", "old"));
    assert_int_equal(symlink(target, path_of("link.tsv")), 0);
    assert_ok(ctx, pith_matrix_write(ctx, m, path_of("link.tsv")));
    assert_string_equal(text_of_file(target), "1\t2\n3\t4\n");
    struct stat info;
    assert_int_equal(lstat(path_of("link.tsv"), &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    pith_matrix_free(m);
}

static void full_disk_is_told_and_leaves_nothing(void **state)
{
    pith_ctx *ctx = *state;
    if (access("/dev/full", W_OK) != 0)
        skip_because("there is no /dev/full here");
    pith_matrix *m = small(ctx);
    /* Through a link, so that the ending is known; a device is written in place. */
    static const char *const names[] = {"full.csv", "full.csv.gz", "full.mtx", "full.svm"};
    for (size_t i = 0; i < COUNT(names); i++) {
        assert_int_equal(symlink("/dev/full", path_of(names[i])), 0);
        assert_int_equal(pith_matrix_write(ctx, m, path_of(names[i])), PITH_E_FILE);
        assert_string_equal(pith_ctx_message(ctx), "/dev/full: cannot be written: No space left on device");
    }
    pith_matrix_free(m);
}

static void folders_that_are_not_there_are_told(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = small(ctx);
    char said[512];
    const char *path = path_of("none/a.csv");
    assert_int_equal(pith_matrix_write(ctx, m, path), PITH_E_FILE);
    (void)snprintf(said, sizeof said, "%s: cannot be written: No such file or directory", path);
    assert_string_equal(pith_ctx_message(ctx), said);
    pith_matrix_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(unknown_endings_are_told_with_the_nearest),
        TEST(formats_can_be_listed),
        TEST(files_that_cannot_be_read_say_why),
        TEST(arguments_are_checked),
        TEST(pipes_are_read_to_their_end),
        TEST(file_of_whole_pages_is_read),
        TEST(gzip_is_known_by_its_content_and_may_have_members),
        TEST(damaged_gzip_is_told),
        TEST(labels_come_from_a_file_of_their_own),
        TEST(bad_values_are_told_by_row_and_column),
        TEST(writing_as_another_ending_is_possible),
        TEST(writing_through_a_link_keeps_the_ending_typed),
        TEST(full_disk_is_told_and_leaves_nothing),
        TEST(folders_that_are_not_there_are_told),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
