#include "unit/files.h"

#include "evaluate/comparison.h"

/* A small comparison, written as JSON, taken up again. */
static const pith_compare_options plain = {.methods = "variance,laplacian", .features = "2,4", .restarts = 2};

static pith_matrix *table(pith_ctx *ctx)
{
    const pith_blobs shape = {
        .n = 24, .p = 8, .clusters = 2, .informative = 0.5, .separation = 6, .density = 1};
    pith_matrix *m = NULL;
    assert_ok(ctx, pith_synth_blobs(ctx, &shape, &m));
    return m;
}

static char *text_of(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    *size = (size_t)ftell(f);
    rewind(f);
    char *text = calloc(*size + 1, 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, *size, f), *size);
    assert_int_equal(fclose(f), 0);
    return text;
}

static char *record(pith_ctx *ctx, const pith_matrix *m, const pith_compare_options *o, const char *name,
                    size_t *size)
{
    pith_comparison *c = NULL;
    assert_ok(ctx, pith_compare(ctx, m, o, &c));
    assert_ok(ctx, pith_comparison_write(ctx, c, NULL, PITH_JSON, path_of(name)));
    pith_comparison_free(c);
    return text_of(path_of(name), size);
}

static pith_status resume(pith_ctx *ctx, const pith_matrix *m, pith_compare_options o, const char *path,
                          pith_comparison **out)
{
    o.resume = path;
    return pith_compare(ctx, m, &o, out);
}

static void what_is_done_is_taken_over_with_its_seconds(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = table(ctx);
    pith_comparison *c = NULL;
    size_t size = 0, again = 0;
    char *text = record(ctx, m, &plain, "whole.json", &size);
    assert_ok(ctx, resume(ctx, m, plain, path_of("whole.json"), &c));
    assert_ok(ctx, pith_comparison_write(ctx, c, NULL, PITH_JSON, path_of("again.json")));
    char *other = text_of(path_of("again.json"), &again);
    assert_string_equal(text, other); /* no run takes the same number of nanoseconds twice */
    free(other);
    free(text);
    pith_comparison_free(c);
    pith_matrix_free(m);
}

static void an_entry_that_is_missing_is_run(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = table(ctx);
    pith_comparison *c = NULL;
    pith_compare_options more = plain;
    size_t size = 0;
    more.methods = "variance,laplacian,spec";
    free(record(ctx, m, &plain, "part.json", &size));
    assert_ok(ctx, resume(ctx, m, more, path_of("part.json"), &c));
    assert_true(c->complete);
    for (int64_t i = 0; i < c->n_entries; i++)
        assert_true(c->entries[i].done && c->entries[i].error == NULL);
    pith_comparison_free(c);
    pith_matrix_free(m);
}

static void another_comparison_is_refused_by_its_difference(void **state)
{
    static const char *const seven[] = {"neighbors=7", NULL};
    static const struct {
        pith_compare_options options;
        const char *said;
    } cases[] = {
        {{.methods = "variance,laplacian", .features = "2,5", .restarts = 2}, "feature counts"},
        {{.methods = "variance,laplacian", .features = "2", .restarts = 2}, "feature counts"},
        {{.methods = "variance,laplacian", .features = "2,4", .restarts = 3}, "protocol"},
        {{.methods = "variance,laplacian", .features = "2,4", .restarts = 2, .metric = "cosine"}, "protocol"},
        {{.methods = "variance,laplacian", .features = "2,4", .restarts = 2, .stability = 2}, "protocol"},
        {{.methods = "variance,laplacian", .features = "2,4", .restarts = 2, .settings = seven}, "settings"},
    };
    pith_ctx *ctx = *state;
    pith_matrix *m = table(ctx);
    size_t size = 0;
    free(record(ctx, m, &plain, "whole.json", &size));
    for (size_t i = 0; i < COUNT(cases); i++) {
        pith_comparison *c = NULL;
        assert_int_equal(resume(ctx, m, cases[i].options, path_of("whole.json"), &c), PITH_E_DATA);
        assert_non_null(strstr(pith_ctx_message(ctx), cases[i].said));
    }
    pith_comparison *c = NULL;
    pith_ctx_set_seed(ctx, 99);
    assert_int_equal(resume(ctx, m, plain, path_of("whole.json"), &c), PITH_E_DATA);
    assert_non_null(strstr(pith_ctx_message(ctx), "seed"));
    pith_matrix_free(m);
}

static const char *changed(const char *text, const char *from, const char *to);

/* The same shape, the same options: what differs is named, and the file stays as it was. */
static void other_data_of_the_same_shape_is_refused(void **state)
{
    static const char *const said[] = {"other values", "other labels", "other sample names",
                                       "other feature names"};
    const char *samples[24], *labels[24], *features[8];
    pith_ctx *ctx = *state;
    pith_matrix *m = table(ctx);
    size_t size = 0;
    for (int i = 0; i < 24; i++) {
        samples[i] = i == 7 ? "seven" : "some";
        labels[i] = i % 2 != 0 ? "odd" : "even";
    }
    for (int j = 0; j < 8; j++)
        features[j] = j == 3 ? "three" : "any";
    assert_ok(ctx, pith_matrix_set_sample_names(ctx, m, samples));
    char *text = record(ctx, m, &plain, "whole.json", &size);
    for (int which = 0; which < 4; which++) {
        pith_matrix *other = table(ctx);
        pith_comparison *c = NULL;
        samples[6] = which == 2 ? "six" : "some";
        assert_ok(ctx, pith_matrix_set_sample_names(ctx, other, samples));
        if (which == 0)
            ((double *)pith_i_data_x(&other->data))[5 * 8 + 2] += 1e-9;
        if (which == 1)
            assert_ok(ctx, pith_matrix_set_labels(ctx, other, labels));
        if (which == 3)
            assert_ok(ctx, pith_matrix_set_feature_names(ctx, other, features));
        assert_int_equal(resume(ctx, other, plain, path_of("whole.json"), &c), PITH_E_DATA);
        assert_non_null(strstr(pith_ctx_message(ctx), said[which]));
        assert_null(c);
        pith_matrix_free(other);
    }
    free(text);
    pith_matrix_free(m);
}

static void note_into(const char *text, void *user)
{
    (void)snprintf(user, 256, "%s", text);
}

/* Of version 0.1.0: they cannot be checked, which is said, and hours of work are not thrown away. */
static void a_file_without_a_fingerprint_is_taken_with_a_warning(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = table(ctx);
    pith_comparison *c = NULL;
    char told[256] = "";
    size_t size = 0;
    char *text = record(ctx, m, &plain, "whole.json", &size);
    const char *path = changed(text, "\"fingerprint\":{", "\"other\":{");
    pith_ctx_set_note(ctx, note_into, told);
    assert_ok(ctx, resume(ctx, m, plain, path_of("whole.json"), &c));
    pith_comparison_free(c);
    assert_string_equal(told, "");
    assert_ok(ctx, resume(ctx, m, plain, path, &c));
    assert_non_null(strstr(told, "does not identify its data"));
    pith_ctx_set_note(ctx, NULL, NULL);
    pith_comparison_free(c);
    free(text);
    pith_matrix_free(m);
}

/* One place of the text changed, the rest as it was. */
static const char *changed(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    assert_non_null(at);
    const size_t before = (size_t)(at - text), size = strlen(text) + strlen(to);
    char *out = calloc(size + 1, 1);
    assert_non_null(out);
    memcpy(out, text, before);
    memcpy(out + before, to, strlen(to));
    memcpy(out + before + strlen(to), at + strlen(from), strlen(at + strlen(from)));
    const char *path = put("changed.json", out);
    free(out);
    return path;
}

static void a_damaged_row_is_run_again(void **state)
{
    static const char *const damage[][2] = {
        {"\"mean\":", "\"mean\":null,\"was\":"},           {"\"runs\":2", "\"runs\":-2"},
        {"\"seconds\":", "\"seconds\":\"long\",\"was\":"}, {"\"features\":2", "\"features\":3"},
        {"\"method\":\"variance\"", "\"method\":7"},
    };
    pith_ctx *ctx = *state;
    pith_matrix *m = table(ctx);
    size_t size = 0;
    char *text = record(ctx, m, &plain, "whole.json", &size);
    char *rows = strstr(text, "\"rows\"");
    assert_non_null(rows);
    for (size_t i = 0; i < COUNT(damage); i++) {
        pith_comparison *c = NULL;
        double mean = -1, sd = -1;
        /* Only in the rows: the head says what the comparison is. */
        const size_t head = (size_t)(rows - text);
        const char *path = changed(rows, damage[i][0], damage[i][1]);
        size_t length = 0;
        char *tail = text_of(path, &length), *joined = calloc(head + length + 1, 1);
        assert_non_null(joined);
        memcpy(joined, text, head);
        memcpy(joined + head, tail, length);
        path = put("damaged.json", joined);
        free(joined);
        free(tail);
        assert_ok(ctx, resume(ctx, m, plain, path, &c));
        assert_true(pith_comparison_figure(c, 0, 0, "acc", &mean, &sd));
        assert_true(mean >= 0 && mean <= 1 && sd >= 0);
        assert_int_equal(pith_comparison_features(c, 0, 0), 2);
        pith_comparison_free(c);
    }
    free(text);
    pith_matrix_free(m);
}

static void a_parameter_out_of_range_is_refused_with_the_file(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = table(ctx);
    pith_comparison *c = NULL;
    size_t size = 0;
    char *text = record(ctx, m, &plain, "whole.json", &size);
    const char *path = changed(text, "\"neighbors\":5", "\"neighbors\":-5");
    assert_int_equal(resume(ctx, m, plain, path, &c), PITH_E_DATA);
    assert_memory_equal(pith_ctx_message(ctx), path, strlen(path));
    assert_non_null(strstr(pith_ctx_message(ctx), "neighbors"));
    free(text);
    pith_matrix_free(m);
}

static void a_file_cut_short_is_refused_by_its_line(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = table(ctx);
    size_t size = 0;
    char *text = record(ctx, m, &plain, "whole.json", &size);
    for (size_t cut = 0; cut + 2 < size; cut += 97) {
        pith_comparison *c = NULL;
        const char *path = put_bytes("cut.json", text, cut);
        assert_int_equal(resume(ctx, m, plain, path, &c), PITH_E_FILE);
        assert_memory_equal(pith_ctx_message(ctx), path, strlen(path));
        assert_null(strchr(pith_ctx_message(ctx), '\n'));
    }
    free(text);
    pith_matrix_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_done_is_taken_over_with_its_seconds),
        TEST(an_entry_that_is_missing_is_run),
        TEST(another_comparison_is_refused_by_its_difference),
        TEST(other_data_of_the_same_shape_is_refused),
        TEST(a_file_without_a_fingerprint_is_taken_with_a_warning),
        TEST(a_damaged_row_is_run_again),
        TEST(a_parameter_out_of_range_is_refused_with_the_file),
        TEST(a_file_cut_short_is_refused_by_its_line),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
