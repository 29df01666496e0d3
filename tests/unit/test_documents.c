/* Documents to counts: what a word is, what it is called, where documents come from, and what is refused. */
#include "prep/text.h"
#include "unit/files.h"

#include <libstemmer.h>

/* ---- Words -----------------------------------------------------------------------------------------------
 */

/* The counts of one or two documents as text: "goal=2 vote=1 | vote=1"; steps begin with "text:min-df=1". */
static const char *counted(pith_ctx *ctx, const char *one, const char *two, const char *steps)
{
    static char said[4096];
    const char *texts[] = {one, two};
    pith_matrix *m = NULL;
    char *at = said;
    assert_ok(ctx, pith_prep_texts(ctx, two != NULL ? 2 : 1, texts, NULL, steps, &m));
    assert_ok(ctx, pith_i_data_check(ctx, &m->data));
    *at = '\0';
    for (int64_t i = 0; i < m->data.n; i++) {
        at += sprintf(at, "%s", i > 0 ? " |" : "");
        for (int64_t e = m->data.indptr[i]; e < m->data.indptr[i + 1]; e++)
            at +=
                sprintf(at, "%s%s=%g", at > said ? " " : "", pith_matrix_feature_name(m, m->data.indices[e]),
                        ((const double *)m->data.values)[e]);
    }
    pith_matrix_free(m);
    return said;
}

static void words_are_runs_of_letters_and_digits(void **state)
{
    static const struct {
        const char *text, *steps, *said;
    } cases[] = {
        {"Goal! goal, GOAL.", ":stem=none", "goal=3"},
        {"one-two x2y z_q 42 4.2", ":stem=none:stop-words=none", "one=1 two=1 x2y=1"},
        {"42 is 42", ":stem=none:numbers=yes", "42=2"},
        {"don't 'quoted' rock'n'roll dogs'", ":stem=none:stop-words=none",
         "dogs=1 don't=1 quoted=1 rock'n'roll=1"},
        {"don\u2019t don't", ":stem=none:stop-words=none", "don't=2"},
        {"\u00C9lan e\u0301lan \u00c9LAN", ":stem=none", "\u00e9lan=3"}, /* composed, combining, upper case */
        {"\u041c\u0438\u0440 \u043c\u0438\u0440\u0430", ":stem=russian:stop-words=none",
         "\u043c\u0438\u0440=2"},
        {"\u65e5\u672c\u8a9e \u30ab\u30bf", ":stem=none", "\u30ab\u30bf=1 \u65e5=1 \u672c=1 \u8a9e=1"},
        {"a bb ccc", ":stem=none:stop-words=none:shortest=3", "ccc=1"},
        {"\u00e9 \u00e9\u00e9", ":stem=none", "\u00e9\u00e9=1"}, /* letters, not bytes */
        {"\xEF\xBB\xBFmark at the start", ":stem=none", "mark=1 start=1"},
        {"voting votes voted vote votes", "", "votes=5"}, /* the most frequent form */
        {"running runs", "", "running=2"},                /* the first in bytes among equals */
        {"Votes VOTES vote vote", "", "vote=4"},
        {"votes VOTES Votes vote vote", "", "votes=5"}, /* cases count together */
        {"The they're THEIR theory", "", "theory=1"},
    };
    char steps[100];
    for (size_t k = 0; k < COUNT(cases); k++) {
        (void)snprintf(steps, sizeof steps, "text:min-df=1%s", cases[k].steps);
        const char *said = counted(*state, cases[k].text, NULL, steps);
        if (strcmp(said, cases[k].said) != 0)
            fail_msg("'%s': %s, not %s", cases[k].text, said, cases[k].said);
    }
}

static void long_words_and_junk_are_left_out(void **state)
{
    char text[400];
    memset(text, 'x', 300);
    (void)snprintf(text + 300, 100, " short and %.*s end", 41,
                   "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrs");
    assert_string_equal(counted(*state, text, NULL, "text:min-df=1:stem=none"),
                        "abcdefghijklmnopqrstuvwxyzabcdefghijklmno=1 end=1 short=1");
}

static void limits_of_documents_hold(void **state)
{
    const char *one = "apple pear pear plum", *two = "pear plum fig";
    assert_string_equal(counted(*state, one, two, "text"), "pear=2 plum=1 | pear=1 plum=1");
    assert_string_equal(counted(*state, one, two, "text:min-df=1:max-df=1"),
                        "apple=1 pear=2 plum=1 | fig=1 pear=1 plum=1");
    assert_string_equal(counted(*state, one, two, "text:min-df=1:max-df=0.5"), "apple=1 | fig=1");
    assert_string_equal(counted(*state, one, two, "text,binary,l1"), "pear=0.5 plum=0.5 | pear=0.5 plum=0.5");
}

/* On counts, `text` drops by the limits only. */
static void a_table_of_counts_has_its_words_already(void **state)
{
    pith_ctx *ctx = *state;
    const double x[] = {1, 0, 2, 3, 0, 1};
    pith_matrix *m = NULL, *out = NULL;
    assert_ok(ctx, pith_matrix_dense(ctx, 2, 3, PITH_F64, x, 3, 1, &m));
    assert_ok(ctx, pith_prep(ctx, m, "text", &out));
    assert_int_equal(pith_matrix_cols(out), 2);
    assert_int_equal(pith_matrix_origin(out, 1), 2);
    pith_matrix_free(out);
    pith_matrix_free(m);
}

static void every_language_of_the_stemmer_is_offered(void **state)
{
    const char *const *ours = pith_i_step_text.params[TEXT_STEM].choices;
    const char **theirs = sb_stemmer_list();
    pith_ctx *ctx = *state;
    char steps[100];
    for (size_t i = 0; theirs[i] != NULL; i++) {
        size_t k = 0;
        while (ours[k] != NULL && strcmp(ours[k], theirs[i]) != 0)
            k++;
        if (ours[k] == NULL)
            fail_msg("'%s' is missing", theirs[i]);
        (void)snprintf(steps, sizeof steps, "text:min-df=1:stem=%s", theirs[i]);
        assert_non_null(strstr(counted(ctx, "word word", NULL, steps), "=2"));
    }
}

/* Document d has word w 1 + (w + d) % 3 times, from the last word to the first. */
static void assert_many(pith_ctx *ctx, int words, int documents)
{
    enum { MOST = 8 };
    const char *texts[MOST];
    pith_matrix *m = NULL;
    for (int d = 0; d < documents; d++) {
        char *at = pith_i_scratch(ctx, (int64_t)words * 3 * 12 + 1, 1);
        texts[d] = at;
        for (int w = words - 1; w >= 0; w--)
            for (int k = 0; k < 1 + (w + d) % 3; k++)
                at += sprintf(at, "w%05dx%c ", w, w % 7 == 0 ? 'y' : 'z');
    }
    assert_ok(ctx, pith_prep_texts(ctx, documents, texts, NULL, "text:stem=none", &m));
    assert_ok(ctx, pith_i_data_check(ctx, &m->data));
    assert_int_equal(pith_matrix_cols(m), words);
    assert_int_equal(pith_matrix_stored(m), words * documents);
    for (int d = 0; d < documents; d++)
        for (int w = 0; w < words; w++) {
            const int64_t e = (int64_t)d * words + w;
            assert_int_equal(m->data.indices[e], w);
            assert_true(((const double *)m->data.values)[e] == 1 + (w + d) % 3);
        }
    for (int j = 1; j < words; j++)
        assert_true(strcmp(pith_matrix_feature_name(m, j - 1), pith_matrix_feature_name(m, j)) < 0);
    pith_matrix_free(m);
    pith_i_scratch_release(ctx, 0);
}

/* Few and many in a document, and as many as make every table grow, several times over. */
static void many_words_are_kept_apart(void **state)
{
    assert_many(*state, 20, 2);
    assert_many(*state, 200, 2);
    assert_many(*state, 5000, 8);
}

/* ---- Sources ---------------------------------------------------------------------------------------------
 */

static pith_matrix *read_text(pith_ctx *ctx, const char *path, const char *steps, const char *labels)
{
    const pith_read_options options = {.labels = labels};
    pith_matrix *m = NULL;
    assert_true(pith_prep_reads_text(path, steps));
    assert_ok(ctx, pith_prep_read(ctx, path, steps, &options, &m));
    return m;
}

/* Two documents: "cup cup" of class sport, "vote" of class politics. */
static void assert_two(pith_ctx *ctx, const char *path, const char *steps, const char *labels,
                       const char *name)
{
    pith_matrix *m = read_text(ctx, path, steps, labels);
    assert_int_equal(pith_matrix_rows(m), 2);
    assert_int_equal(pith_matrix_cols(m), 2);
    assert_string_equal(pith_matrix_feature_name(m, 0), "cup");
    assert_string_equal(pith_matrix_feature_name(m, 1), "vote");
    const int64_t cups = ((const double *)m->data.values)[0] == 2 ? 0 : 1; /* folders are sorted by name */
    assert_int_equal(m->data.indices[cups], 0);
    assert_string_equal(pith_matrix_class_name(m, pith_matrix_label(m, cups)), "sport");
    assert_string_equal(pith_matrix_class_name(m, pith_matrix_label(m, 1 - cups)), "politics");
    if (name == NULL)
        assert_null(pith_matrix_sample_name(m, cups));
    else
        assert_string_equal(pith_matrix_sample_name(m, cups), name);
    pith_matrix_free(m);
}

static const char *make_class(const char *name)
{
    const char *path = path_of(name);
    assert_int_equal(mkdir(path, 0777), 0);
    return path;
}

static void documents_come_from_folders_lines_columns_and_json(void **state)
{
    pith_ctx *ctx = *state;
    const char *news = make_class("news");
    (void)make_class("news/sport");
    (void)make_class("news/sport/deep");
    (void)make_class("news/politics");
    (void)put("news/sport/deep/a.txt", "Cup, cup!");
    (void)put("news/politics/b", "vote");
    (void)put("news/.hidden", "\xFF");
    assert_two(ctx, news, "text:min-df=1", NULL, "sport/deep/a.txt");
    char slash[300];
    (void)snprintf(slash, sizeof slash, "%s//", news);
    assert_two(ctx, slash, "text:min-df=1", NULL, "sport/deep/a.txt");
    (void)put("l.txt", "sport\npolitics\n");
    assert_two(ctx, put("d.txt", "Cup cup\nvote\n\n"), "text:min-df=1", path_of("l.txt"), NULL);
    assert_two(ctx, put("d.csv", "id,text,label\n1,\"cup, \"\"cup\"\"\",sport\n\n2,vote,politics\n"),
               "text:min-df=1", NULL, NULL);
    assert_two(ctx, put("e.csv", "\xEF\xBB\xBFlabel,body\r\nsport,\"cup\ncup\"\r\npolitics,vote\r\n"),
               "text:min-df=1", NULL, NULL);
    assert_two(ctx, put("d.tsv", "kind\tid\tbody\nsport\t1\tcup, cup\npolitics\t2\tvote\n"),
               "text:min-df=1:column=body", "kind", NULL);
    assert_two(ctx,
               put("d.jsonl", "{\"text\": \"cup \\u0063up\", \"label\": \"sport\"}\n\n"
                              "{\"label\": \"politics\", \"more\": [1], \"text\": \"vote\"}\n"),
               "text:min-df=1", NULL, NULL);
    assert_two(ctx,
               put("e.ndjson", "{\"body\": \"cup cup\", \"kind\": \"sport\"}\n"
                               "{\"kind\": \"politics\", \"body\": \"vote\"}"),
               "text:min-df=1:column=body", "kind", NULL);
}

/* Lines that are read in place beside those that are left to a whole reader: -0, 0.5, a key with an escape.
 */
static void labels_of_json_are_strings_numbers_or_yes_and_no(void **state)
{
    static const struct {
        const char *label, *said;
    } cases[] = {{"7", "7"},     {"-12", "-12"},    {"-0", "0"},
                 {"0.5", "0.5"}, {"true", "true"},  {"\"\\u00e9\\tx\"", "\u00e9\tx"},
                 {"\"\"", NULL}, {"false", "false"}};
    static char text[1024];
    char *at = text;
    for (size_t k = 0; k < COUNT(cases); k++)
        at += sprintf(at, "{\"%s\": \"cup\\ncup\", \"Y\": [], \"label\": %s}\n",
                      k == 3 ? "te\\u0078t" : "text", cases[k].label);
    pith_matrix *m = read_text(*state, put("labels.jsonl", text), "text", NULL);
    assert_int_equal(pith_matrix_rows(m), COUNT(cases));
    for (size_t k = 0; k < COUNT(cases); k++) {
        assert_true(((const double *)m->data.values)[k] == 2);
        const char *said = pith_matrix_class_name(m, pith_matrix_label(m, (int64_t)k));
        if (cases[k].said == NULL)
            assert_null(said);
        else
            assert_string_equal(said, cases[k].said);
    }
    pith_matrix_free(m);
}

/* In the text, in the label and in the names of their columns. */
static void doubled_quotes_stand_for_one_quote(void **state)
{
    pith_ctx *ctx = *state;
    const char *path = put("quotes.csv", "\"the \"\"text\"\"\",\"a \"\"kind\"\"\"\n"
                                         "\"cup \"\"cup\"\"\",\"say \"\"hi\"\"\"\nvote,\"\"\"\"\"\"\n");
    pith_matrix *m = read_text(ctx, path, "text:min-df=1:column=the \"text\"", "a \"kind\"");
    assert_string_equal(pith_matrix_class_name(m, pith_matrix_label(m, 0)), "say \"hi\"");
    assert_string_equal(pith_matrix_class_name(m, pith_matrix_label(m, 1)), "\"\"");
    assert_int_equal(pith_matrix_cols(m), 2);
    pith_matrix_free(m);
}

static void blank_lines_are_documents_but_not_at_the_end(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = read_text(ctx, put("blank.txt", "cup\n\ncup\n\n\n"), "text", NULL);
    assert_int_equal(pith_matrix_rows(m), 3);
    assert_int_equal(m->data.indptr[1], m->data.indptr[2]);
    assert_string_equal(pith_matrix_steps(m),
                        "text:stem=english:stop-words=auto:min-df=2:max-df=1:shortest=2:"
                        "numbers=no:column=auto");
    pith_matrix_free(m);
}

static void own_stop_words_replace_ours(void **state)
{
    pith_ctx *ctx = *state;
    char steps[300];
    (void)snprintf(steps, sizeof steps, "text:min-df=1:stem=none:stop-words=%s",
                   put("stop.txt", "Cup\n\nthe\r\n"));
    assert_string_equal(counted(ctx, "the cup and the vote", NULL, steps), "and=1 vote=1");
}

static void remember(const char *text, void *user)
{
    (void)snprintf(user, 200, "%s", text);
}

static void what_is_surprising_is_told(void **state)
{
    pith_ctx *ctx = *state;
    char said[200] = "";
    pith_ctx_set_note(ctx, remember, said);
    (void)counted(ctx, "der Ball", "der Ball", "text:stem=german");
    assert_non_null(strstr(said, "no stop words for stem=german"));
    (void)counted(ctx, "cup", "the", "text:min-df=1");
    assert_string_equal(said, "text: 1 of 2 documents contain none of the counted words");
}

/* ---- Refusals --------------------------------------------------------------------------------------------
 */

static void assert_refused(pith_ctx *ctx, const char *path, const char *steps, const char *labels,
                           const char *said)
{
    const pith_read_options options = {.labels = labels};
    pith_matrix *m = NULL;
    const pith_status st = pith_prep_read(ctx, path, steps, &options, &m);
    if (st != PITH_E_DATA && st != PITH_E_FILE)
        fail_msg("%s: status %d", path, st);
    assert_null(m);
    const char *message = pith_ctx_message(ctx);
    if (strstr(message, said) == NULL || strncmp(message, folder, strlen(folder)) != 0)
        fail_msg("'%s', not '%s'", message, said);
}

static void bad_documents_are_refused_with_their_place(void **state)
{
    pith_ctx *ctx = *state;
    const char *steps = "text:min-df=1";
    assert_refused(ctx, put("bad.txt", "good line\nbad \xE9 line\n"), steps, NULL,
                   "bad.txt:2: is not UTF-8 at byte 5 of the text; convert it first");
    assert_refused(ctx, put("cut.txt", "word\xC3"), steps, NULL, ":1: is not UTF-8 at byte 5");
    assert_refused(ctx, put("over.txt", "\xC0\xAF"), steps, NULL, ":1: is not UTF-8 at byte 1");
    assert_refused(ctx, put("half.txt", "\xED\xA0\x80"), steps, NULL, ":1: is not UTF-8 at byte 1");
    (void)make_class("mixed");
    (void)make_class("mixed/a");
    assert_refused(ctx, path_of("mixed"), steps, NULL, "mixed: holds no documents");
    assert_refused(ctx, path_of("mixed"), steps, "topic",
                   "mixed: has no columns to take labels from, and there is no file 'topic'");
    assert_refused(ctx, put("plain.txt", "a word\n"), steps, "topic",
                   "plain.txt: has no columns to take labels from");
    (void)put("mixed/a/x", "good");
    (void)put("mixed/a/y", "\xFF\xFEw");
    assert_refused(ctx, path_of("mixed"), steps, NULL, "mixed/a/y: is not UTF-8 at byte 1;");
    (void)put("mixed/a/y", "word");
    (void)put("mixed/README", "word");
    assert_refused(ctx, path_of("mixed"), steps, NULL, "mixed/README: lies beside the subfolders");
    assert_refused(ctx, put("q.csv", "text\n\"open\n"), steps, NULL, "q.csv:2: a quote is never closed");
    assert_refused(ctx, put("w.csv", "a,b,c\n1,2,3\n"), steps, NULL,
                   "no column is called 'text'; name the column of the text with text:column=NAME "
                   "(there are 'a', 'b', 'c')");
    assert_refused(ctx, put("v.csv", "text,b\nx,y\n\nx\n"), steps, NULL,
                   "v.csv:4: 2 columns expected, 1 found");
    assert_refused(ctx, put("u.csv", "text,b\nx,y\n"), steps, "kind",
                   "has no column 'kind' for the labels (there are 'text', 'b')");
    assert_refused(ctx, put("t.csv", "text,b\nx,y\n"), "text:column=body", NULL,
                   "has no column 'body' for the text (there are 'text', 'b')");
    assert_refused(
        ctx, put("a.jsonl", "{\"text\": \"x\"}\n{\"text\": 1}\n"), steps, NULL,
        "a.jsonl:2: has no string under the key 'text'; name the key of the text with text:column=KEY");
    assert_refused(ctx, put("b.jsonl", "[1]"), steps, NULL, "b.jsonl:1: an object is expected");
    assert_refused(ctx, put("l.jsonl", "[{\"text\": \"x\"},\n{\"text\": \"x\"}]\n"), steps, NULL,
                   "l.jsonl:1: an object is expected on each line, not a list");
    assert_refused(ctx, put("c.jsonl", "{\"text\": \"x\""), steps, NULL, "c.jsonl:1: not valid JSON: ");
    assert_refused(ctx, put("e.jsonl", "{\"text\":\"x\",\"label\":1}\n{\"text\":\"x\"}\n"), steps, NULL,
                   "e.jsonl:2: has no label, but the documents before it have one");
    assert_refused(ctx, put("f.jsonl", "{\"text\":\"x\",\"label\":[]}\n"), steps, NULL,
                   "the label is neither a string nor a number under the key 'label'");
    assert_refused(ctx, put("g.jsonl", "{\"text\":\"x\",\"gnd\":{}}\n"), steps, NULL,
                   "the label is neither a string nor a number under the key 'gnd'");
    assert_refused(ctx, put("none.txt", ""), steps, NULL, "none.txt: holds no documents");
    assert_refused(ctx, put("rare.txt", "one word\nanother thing\n"), "text", NULL,
                   "rare.txt: of 2 different words");
    char own[300];
    (void)snprintf(own, sizeof own, "text:stop-words=%s", put("badstop.txt", "good\n\xFF\n"));
    assert_refused(ctx, put("ok.txt", "word word\n"), own, NULL, "badstop.txt:2: a stop word is not UTF-8");
    (void)snprintf(own, sizeof own, "text:stop-words=%s", path_of("nowhere.txt"));
    assert_refused(ctx, path_of("ok.txt"), own, NULL, "nowhere.txt: cannot be read");
    assert_refused(ctx, put("ok.json", "[]"), "text", NULL, "ok.json: not documents that pith can read");
    assert_refused(ctx, path_of("none.json"), "text", NULL, "none.json: cannot be read: No such file");
    assert_refused(ctx, put("ok.xyz", "word"), "text", NULL, "ok.xyz");
}

static void wrong_calls_are_refused(void **state)
{
    pith_ctx *ctx = *state;
    const char *texts[] = {"word"};
    pith_matrix *m = NULL;
    assert_int_equal(pith_prep_texts(ctx, 1, texts, NULL, "l2", &m), PITH_E_PARAMETER);
    assert_non_null(strstr(pith_ctx_message(ctx), "begin with 'text'"));
    assert_int_equal(pith_prep_texts(ctx, 0, NULL, NULL, NULL, &m), PITH_E_DATA);
    assert_int_equal(pith_prep_texts(ctx, 1, NULL, NULL, NULL, &m), PITH_E_ARGUMENT);
    assert_int_equal(pith_prep_read(ctx, NULL, "text", NULL, &m), PITH_E_ARGUMENT);
    assert_int_equal(pith_prep_read_files(ctx, 0, texts, "text", NULL, &m), PITH_E_ARGUMENT);
    assert_int_equal(pith_prep_read_files(ctx, 1, texts, "l2", NULL, &m), PITH_E_PARAMETER);
    assert_int_equal(pith_prep_read_files(ctx, 1, texts, "text", NULL, &m), PITH_E_FILE);
    assert_int_equal(pith_prep_check(ctx, "text:stem=klingon"), PITH_E_PARAMETER);
    assert_false(pith_prep_reads_text("x.mtx", "text"));
    assert_false(pith_prep_reads_text("x.txt", "l2,text"));
    assert_true(pith_prep_reads_text("x.txt.gz", "text:stem=none,l2"));
    assert_null(m);
}

/* ---- Memory ----------------------------------------------------------------------------------------------
 */

static pith_status act(pith_ctx *ctx, void *path)
{
    pith_matrix *m = NULL;
    const pith_status st = pith_prep_read(ctx, path, "text:min-df=1,tfidf,l2", NULL, &m);
    pith_matrix_free(m);
    return st;
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)make_class("memory");
    (void)make_class("memory/a");
    (void)make_class("memory/b");
    (void)put("memory/a/x",
              "Élan of a word of more than forty letters: aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeee");
    (void)put("memory/b/y", "other words");
    assert_survives_failing_allocations(*state, act, (void *)(uintptr_t)path_of("memory"), 30);
    assert_survives_failing_allocations(
        *state, act, (void *)(uintptr_t)put("m.csv", "text,label\n\"a \"\"word\"\"\",x\n"), 20);
    assert_survives_failing_allocations(*state, act,
                                        (void *)(uintptr_t)put("m.jsonl", "{\"text\":\"word\"}\n"), 20);
    assert_survives_failing_allocations(
        *state, act, (void *)(uintptr_t)put("n.jsonl", "{\"text\":\"a\\nword\",\"label\":\"\\u00e9\"}\n"),
        20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(words_are_runs_of_letters_and_digits),
        TEST(long_words_and_junk_are_left_out),
        TEST(limits_of_documents_hold),
        TEST(a_table_of_counts_has_its_words_already),
        TEST(every_language_of_the_stemmer_is_offered),
        TEST(many_words_are_kept_apart),
        TEST(documents_come_from_folders_lines_columns_and_json),
        TEST(labels_of_json_are_strings_numbers_or_yes_and_no),
        TEST(doubled_quotes_stand_for_one_quote),
        TEST(blank_lines_are_documents_but_not_at_the_end),
        TEST(own_stop_words_replace_ours),
        TEST(what_is_surprising_is_told),
        TEST(bad_documents_are_refused_with_their_place),
        TEST(wrong_calls_are_refused),
        TEST(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
