#include "matrix/matrix.h"
#include "report/text.h"
#include "select/result.h"
#include "unit/german.h"
#include "unit/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef void put_fn(FILE *out, const char *text);

static void put_csv(FILE *out, const char *text)
{
    pith_i_put_field(out, text, ',');
}

static void put_tsv(FILE *out, const char *text)
{
    pith_i_put_field(out, text, '\t');
}

static void assert_put(put_fn *put, const char *text, const char *want)
{
    char *found = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&found, &size);
    put(out, text);
    (void)fclose(out);
    assert_string_equal(found, want);
    free(found);
}

static void fields_are_quoted_only_where_they_must_be(void **state)
{
    (void)state;
    assert_put(put_csv, "goal", "goal");
    assert_put(put_csv, "", "");
    assert_put(put_csv, "a b;c\td", "a b;c\td");
    assert_put(put_csv, "a,b", "\"a,b\"");
    assert_put(put_csv, "say \"hi\"", "\"say \"\"hi\"\"\"");
    assert_put(put_csv, "two\nlines", "\"two\nlines\"");
    assert_put(put_csv, "cr\r", "\"cr\r\"");
    assert_put(put_tsv, "a,b", "a,b");
    assert_put(put_tsv, "a\tb", "\"a\tb\"");
}

static void strings_are_json_whatever_the_bytes(void **state)
{
    (void)state;
#define BAD "\xEF\xBF\xBD"
    static const char *const known[][2] = {
        {"goal", "\"goal\""},
        {"", "\"\""},
        {"\"\\/", "\"\\\"\\\\/\""},
        {"\x01\t\n\r\x1F\x7F", "\"\\u0001\\u0009\\u000a\\u000d\\u001f\x7F\""},
        {"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\""},
        {"\x80 \xBF", "\"" BAD " " BAD "\""},                         /* continuations alone */
        {"\xC0\xAF", "\"" BAD BAD "\""},                              /* overlong '/' */
        {"\xE0\x80\x80", "\"" BAD BAD BAD "\""},                      /* overlong */
        {"\xED\xA0\x80", "\"" BAD BAD BAD "\""},                      /* a surrogate */
        {"\xF4\x90\x80\x80", "\"" BAD BAD BAD BAD "\""},              /* past U+10FFFF */
        {"\xF5\xFE\xFF", "\"" BAD BAD BAD "\""},                      /* never lead bytes */
        {"x\xE2\x82", "\"x" BAD BAD "\""},                            /* cut at the end */
        {"\xF0\x9F\x98", "\"" BAD BAD BAD "\""},                      /* cut at the end */
        {"\xE2\x28\xA1y", "\"" BAD "(" BAD "y\""},                    /* broken in the middle */
        {"\xED\x9F\xBF\xEE\x80\x80", "\"\xED\x9F\xBF\xEE\x80\x80\""}, /* the neighbours of surrogates */
        {"\xF4\x8F\xBF\xBF\xC2\x80", "\"\xF4\x8F\xBF\xBF\xC2\x80\""}, /* U+10FFFF and U+0080 */
    };
    for (size_t t = 0; t < COUNT(known); t++)
        assert_put(pith_i_put_string, known[t][0], known[t][1]);
}

static void put_third(FILE *out, const char *text)
{
    pith_i_put_number(out, text[0] == 'n' ? (double)NAN : text[0] == 'i' ? (double)INFINITY : 1.0 / 3);
}

static void numbers_are_json_too(void **state)
{
    (void)state;
    assert_put(put_third, "x", "0.3333333333333333");
    assert_put(put_third, "nan", "null");
    assert_put(put_third, "inf", "null");
}

/* ---- A whole result ------------------------------------------------------------------------------ */

typedef struct settings {
    pith_i_shared shared;
    bool flag;
} settings;
static const pith_i_param table[] = {
    ROW(settings, shared.neighbors, "neighbors", 5, 1, 100, false, NULL, "help"),
    ROW(settings, shared.weight, "weight", WEIGHT_HEAT, 0, 0, false, pith_i_weight_words, "help"),
    ROW(settings, shared.t_factor, "t_factor", 0.5, 0, 1, false, NULL, "help"),
    ROW(settings, shared.clusters, "clusters", (double)NAN, 2, 9, true, NULL, "help"),
    PARAM(settings, flag, true, 0, 1, "help"),
};
static const pith_method method = {
    .name = "test", .table = table, .n_table = COUNT(table), .params_size = sizeof(settings)};

typedef struct fixture {
    pith_ctx *ctx;
    pith_matrix *m;
    pith_result r;
    char path[64];
} fixture;

static const double zeros[8];
static double scores[] = {-0.25, (double)NAN, 1.0 / 3, 1e-300};
static int64_t ranking[] = {2, 3, 0, 1};
static unsigned char reasons[] = {PITH_I_SCORED, PITH_I_CONSTANT, PITH_I_SCORED, PITH_I_SCORED};

static int new_fixture(void **state)
{
    const char *names[] = {"a,b", "q\"", "plain", "\xFF"};
    fixture *f = calloc(1, sizeof *f);
    (void)snprintf(f->path, sizeof f->path, "/tmp/pith-report-XXXXXX");
    const int fd = mkstemp(f->path);
    *state = f;
    if (fd < 0 || close(fd) != 0 || new_ctx((void **)&f->ctx) != 0)
        return -1;
    f->r = (pith_result){
        .p = 4, .score = scores, .reason = reasons, .ranking = ranking, .seed = UINT64_MAX, .seconds = 0.5};
    pith_i_fact(&f->r.facts, "graph_components", 3);
    pith_i_fact(&f->r.facts, "heat_width", 0.1);
    return pith_matrix_dense(f->ctx, 2, 4, PITH_F64, zeros, 4, 1, &f->m) ||
           pith_matrix_set_feature_names(f->ctx, f->m, names) ||
           pith_params_new(f->ctx, &method, &f->r.params);
}

static int free_fixture(void **state)
{
    fixture *f = *state;
    (void)unlink(f->path);
    pith_matrix_free(f->m);
    pith_params_free(f->r.params);
    const int left = free_ctx((void **)&f->ctx);
    free(f);
    return left;
}

static void assert_writes(fixture *f, const char *data, pith_format format, const char *want)
{
    static char found[4096];
    assert_ok(f->ctx, pith_result_write(f->ctx, &f->r, f->m, data, format, f->path));
    FILE *in = fopen(f->path, "rb");
    assert_non_null(in);
    found[fread(found, 1, sizeof found - 1, in)] = '\0';
    (void)fclose(in);
    assert_string_equal(found, want);
}

static const char as_csv[] = "rank,index,name,score\n1,2,plain,0.3333333333333333\n2,3,\xFF,1e-300\n"
                             "3,0,\"a,b\",-0.25\n4,1,\"q\"\"\",\n";
static const char
    json_head[] = "{\"method\":\"test\",\"version\":\"",
    json_rest[] = "\",\"data\":{\"name\":\"x\\\"y\",\"samples\":2,\"features\":4,"
                  "\"sparse\":false,\"stored\":8,\"prep\":null},\"parameters\":{\"neighbors\":5,"
                  "\"weight\":\"heat\",\"t_factor\":0.5,"
                  "\"clusters\":\"auto\",\"flag\":true,\"search\":\"auto\",\"recall\":0.95,\"diversity\":0,"
                  "\"diversity_top\":300,\"evidence\":"
                  "\"auto\",\"seed\":"
                  "18446744073709551615},\"facts\":{\"graph_components\":"
                  "3,"
                  "\"heat_width\":0.1},\"seconds\":0.5,\"features\":[\n"
                  "{\"rank\":1,\"index\":2,\"name\":\"plain\",\"score\":0.3333333333333333},\n"
                  "{\"rank\":2,\"index\":3,\"name\":\"" BAD "\",\"score\":1e-300},\n"
                  "{\"rank\":3,\"index\":0,\"name\":\"a,b\",\"score\":-0.25},\n"
                  "{\"rank\":4,\"index\":1,\"name\":\"q\\\"\",\"score\":null,\"reason\":\"constant\"}\n]}\n";

static void a_ranking_is_written_best_first_with_an_empty_score_for_none(void **state)
{
    fixture *f = *state;
    assert_writes(f, NULL, PITH_CSV, as_csv);
    assert_writes(f, NULL, PITH_TSV,
                  "rank\tindex\tname\tscore\n1\t2\tplain\t0.3333333333333333\n2\t3\t\xFF\t1e-300\n"
                  "3\t0\ta,b\t-0.25\n4\t1\t\"q\"\"\"\t\n");
}

static void json_tells_everything_about_the_run(void **state)
{
    fixture *f = *state;
    char want[sizeof json_head + sizeof json_rest + 32];
    (void)snprintf(want, sizeof want, "%s%s%s", json_head, pith_version(), json_rest);
    assert_writes(f, "x\"y", PITH_JSON, want);
}

static void a_feature_without_a_name_is_numbered(void **state)
{
    fixture *f = *state;
    pith_i_names_free(&f->m->features);
    assert_writes(f, NULL, PITH_CSV,
                  "rank,index,name,score\n1,2,f2,0.3333333333333333\n2,3,f3,1e-300\n3,0,f0,-0.25\n4,1,f1,\n");
}

static void the_locale_does_not_reach_the_file(void **state)
{
    fixture *f = *state;
    skip_unless_german();
    const pith_status st = pith_result_write(f->ctx, &f->r, f->m, NULL, PITH_CSV, f->path);
    (void)setlocale(LC_ALL, "C");
    assert_int_equal(st, PITH_OK);
    assert_writes(f, NULL, PITH_CSV, as_csv);
}

static void what_cannot_be_written_is_an_error(void **state)
{
    fixture *f = *state;
    assert_int_equal(pith_result_write(f->ctx, &f->r, f->m, NULL, PITH_CSV, "/dev/full"), PITH_E_FILE);
    assert_int_equal(pith_result_write(f->ctx, &f->r, f->m, NULL, PITH_CSV, "/no/such/place"), PITH_E_FILE);
    assert_int_equal(pith_result_write(f->ctx, NULL, f->m, NULL, PITH_CSV, f->path), PITH_E_ARGUMENT);
    assert_int_equal(pith_result_write(f->ctx, &f->r, NULL, NULL, PITH_CSV, f->path), PITH_E_ARGUMENT);
    assert_int_equal(pith_comparison_write(f->ctx, NULL, NULL, PITH_CSV, f->path), PITH_E_ARGUMENT);
    f->r.p = 3;
    assert_int_equal(pith_result_write(f->ctx, &f->r, f->m, NULL, PITH_CSV, f->path), PITH_E_ARGUMENT);
    assert_non_null(strstr(pith_ctx_message(f->ctx), "the result has 3 features, the matrix 4"));
}

static void a_ranking_is_not_written_as_a_table_or_a_page(void **state)
{
    fixture *f = *state;
    assert_int_equal(pith_result_write(f->ctx, &f->r, f->m, NULL, PITH_HTML, f->path), PITH_E_ARGUMENT);
    assert_int_equal(pith_result_write(f->ctx, &f->r, f->m, NULL, PITH_TEXT, f->path), PITH_E_ARGUMENT);
    assert_non_null(strstr(pith_ctx_message(f->ctx), "CSV, TSV or JSON"));
}

static void a_doubtful_result_says_so(void **state)
{
    static char found[4096];
    fixture *f = *state;
    assert_null(pith_result_warning(&f->r));
    f->r.facts.warning = "not for \"this\" data";
    assert_string_equal(pith_result_warning(&f->r), f->r.facts.warning);
    assert_ok(f->ctx, pith_result_write(f->ctx, &f->r, f->m, NULL, PITH_JSON, f->path));
    FILE *in = fopen(f->path, "rb");
    assert_non_null(in);
    found[fread(found, 1, sizeof found - 1, in)] = '\0';
    (void)fclose(in);
    assert_non_null(strstr(found, "},\"warning\":\"not for \\\"this\\\" data\",\"seconds\""));
}

static void a_result_tells_its_facts_in_order(void **state)
{
    fixture *f = *state;
    double value = 0;
    assert_string_equal(pith_result_fact(&f->r, 0, &value), "graph_components");
    assert_true(value == 3);
    assert_string_equal(pith_result_fact(&f->r, 1, NULL), "heat_width");
    assert_null(pith_result_fact(&f->r, 2, &value));
    assert_int_equal(pith_result_features(&f->r), 4);
    assert_ptr_equal(pith_result_scores(&f->r), scores);
    assert_ptr_equal(pith_result_ranking(&f->r), ranking);
    assert_ptr_equal(pith_result_params(&f->r), f->r.params);
    assert_true(pith_result_seconds(&f->r) == 0.5);
    pith_result_free(NULL);
}

static pith_status write_json_file(pith_ctx *ctx, void *arg)
{
    fixture *f = arg;
    return pith_result_write(ctx, &f->r, f->m, "data", PITH_JSON, f->path);
}

static void failing_allocations_are_survived(void **state)
{
    fixture *f = *state;
    assert_survives_failing_allocations(f->ctx, write_json_file, f, 2);
}

#define RESULT_TEST(name) cmocka_unit_test_setup_teardown(name, new_fixture, free_fixture)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_quoted_only_where_they_must_be),
        cmocka_unit_test(strings_are_json_whatever_the_bytes),
        cmocka_unit_test(numbers_are_json_too),
        RESULT_TEST(a_ranking_is_written_best_first_with_an_empty_score_for_none),
        RESULT_TEST(json_tells_everything_about_the_run),
        RESULT_TEST(a_feature_without_a_name_is_numbered),
        RESULT_TEST(the_locale_does_not_reach_the_file),
        RESULT_TEST(what_cannot_be_written_is_an_error),
        RESULT_TEST(a_result_tells_its_facts_in_order),
        RESULT_TEST(a_ranking_is_not_written_as_a_table_or_a_page),
        RESULT_TEST(a_doubtful_result_says_so),
        RESULT_TEST(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
