/* WordNet's files, a small one made here, and the real one where it is installed. */
#include "files.h"
#include "trees.h"

#include "tree/build.h"
#include "tree/wordnet.h"

#include <unistd.h>

/* A synset's line names its own offset, so lines are laid out while they are written. */
typedef struct book {
    char text[4096];
    size_t used;
    int64_t at[16]; /* of each synset */
    int count;
} book;

/* `above`: number of the hypernym in this book, -1: none. */
static void add_synset(book *b, const char *word, char pos, int above, const char *symbol)
{
    b->at[b->count] = (int64_t)b->used;
    b->used += (size_t)snprintf(b->text + b->used, sizeof b->text - b->used, "%08lld 03 %c 01 %s 0 %03d",
                                (long long)b->used, pos, word, above >= 0 ? 2 : 1);
    b->used += (size_t)snprintf(b->text + b->used, sizeof b->text - b->used, " ~ 00000000 %c 0000", pos);
    if (above >= 0)
        b->used += (size_t)snprintf(b->text + b->used, sizeof b->text - b->used, " %s %08lld %c 0000", symbol,
                                    (long long)b->at[above], pos);
    b->used += (size_t)snprintf(b->text + b->used, sizeof b->text - b->used, " | a gloss  \n");
    b->count++;
}

static void add_lemma(char *index, size_t size, const char *lemma, char pos, int64_t offset)
{
    (void)snprintf(index + strlen(index), size - strlen(index), "%s %c 1 2 @ ~ 1 1 %08lld  \n", lemma, pos,
                   (long long)offset);
}

/*
 * entity > animal > dog, goose; entity > thing > car, confidence; verbs: move > run; eat; and a circle of
 * two.
 */
static void write_dictionary(void)
{
    static const struct {
        const char *word;
        int above;
        const char *symbol;
    } nouns[] = {{"entity", -1, "@"}, {"animal", 0, "@"}, {"dog", 1, "@"},        {"goose", 1, "@"},
                 {"thing", 0, "@"},   {"car", 4, "@"},    {"confidence", 4, "@i"}},
      verbs[] = {{"move", -1, "@"}, {"run", 0, "@"}, {"eat", -1, "@"}};
    book n = {0}, v = {0};
    char index[4096] = "  1 licence  \n  2 more of it  \n";
    n.used = v.used = strlen("  1 licence text\n");
    (void)strcpy(n.text, "  1 licence text\n");
    (void)strcpy(v.text, n.text);
    for (size_t i = 0; i < COUNT(nouns); i++) {
        add_synset(&n, nouns[i].word, 'n', nouns[i].above, nouns[i].symbol);
        add_lemma(index, sizeof index, nouns[i].word, 'n', n.at[i]);
    }
    put("index.noun", index);
    put("data.noun", n.text);
    index[0] = '\0';
    for (size_t i = 0; i < COUNT(verbs); i++) {
        add_synset(&v, verbs[i].word, 'v', verbs[i].above, verbs[i].symbol);
        add_lemma(index, sizeof index, verbs[i].word, 'v', v.at[i]);
    }
    put("index.verb", index);
    put("data.verb", v.text);
    put("noun.exc", "geese goose\n");
    put("verb.exc", "ran run\n");
    put("cntlist.rev", "dog%1:03:00:: 1 5\nrun%2:03:00:: 1 7\n");
}

static const char *name_of(const pith_i_wordnet *w, const char *word)
{
    static char name[PITH_I_SYNSET_NAME];
    const pith_i_synset s = pith_i_wordnet_find(w, word, (int64_t)strlen(word));
    if (s.offset < 0)
        return "none";
    pith_i_wordnet_name(w, s, name);
    return name;
}

static void words_are_found_as_they_are_by_exception_and_by_ending(void **state)
{
    pith_ctx *ctx = *state;
    pith_i_wordnet w = {0};
    write_dictionary();
    assert_ok(ctx, pith_i_wordnet_open(ctx, folder, &w));
    assert_string_equal(name_of(&w, "dog"), "dog.n.01");
    assert_string_equal(name_of(&w, "dogs"), "dog.n.01");
    assert_string_equal(name_of(&w, "geese"), "goose.n.01");
    assert_string_equal(name_of(&w, "ran"), "run.v.01");
    assert_string_equal(name_of(&w, "moving"), "move.v.01");
    assert_string_equal(name_of(&w, "eats"), "eat.v.01");
    assert_string_equal(name_of(&w, "s"), "none");
    assert_string_equal(name_of(&w, "red"), "none");
    assert_string_equal(name_of(&w, ""), "none");
    const pith_i_synset dog = pith_i_wordnet_find(&w, "dog", 3);
    char name[PITH_I_SYNSET_NAME];
    pith_i_wordnet_name(&w, pith_i_wordnet_above(&w, dog), name);
    assert_string_equal(name, "animal.n.01");
    assert_true(pith_i_wordnet_above(&w, pith_i_wordnet_find(&w, "entity", 6)).offset < 0);
    pith_i_wordnet_name(&w, pith_i_wordnet_above(&w, pith_i_wordnet_find(&w, "confidence", 10)), name);
    assert_string_equal(name, "thing.n.01"); /* of an instance */
    assert_ok(ctx, pith_i_wordnet_stem(ctx, &w));
    pith_i_wordnet_name(&w, pith_i_wordnet_find_stem(&w, "confid", 6), name);
    assert_string_equal(name, "confidence.n.01");
    assert_true(pith_i_wordnet_find_stem(&w, "confidence", 10).offset < 0);
    pith_i_wordnet_close(&w);
}

static pith_matrix *words(pith_ctx *ctx, int64_t p, const char *const *names)
{
    static double x[64];
    pith_matrix *m = NULL;
    assert_ok(ctx, pith_matrix_dense(ctx, 2, p, PITH_F64, x, 0, 0, &m));
    assert_ok(ctx, pith_matrix_set_feature_names(ctx, m, names));
    return m;
}

static void nodes_hold_the_words_below_a_synset(void **state)
{
    pith_ctx *ctx = *state;
    static const char *const names[] = {"Dog", "geese", "car", "thing", "running", "move", "eat", "red"};
    char recipe[128];
    pith_tree *t = NULL;
    pith_matrix *m = words(ctx, COUNT(names), names);
    write_dictionary();
    (void)snprintf(recipe, sizeof recipe, "wordnet:dict=%s", folder);
    assert_ok(ctx, pith_tree_build(ctx, m, recipe, &t));
    assert_is_tree(t);
    /* run is not "running", which is no word here; so eat and move are alone, and singles are dropped. */
    assert_int_equal(t->n_nodes, 4);
    assert_string_equal(pith_tree_label(t, 1), "entity.n.01");
    assert_int_equal(pith_i_tree_size(t, 1), 4);
    assert_string_equal(pith_tree_label(t, 2), "animal.n.01");
    assert_string_equal(pith_tree_label(t, 3), "thing.n.01");
    assert_string_equal(pith_tree_remark(t, 0),
                        "6 of 8 words are in WordNet; the others are only in the root");
    pith_tree_free(t);
    (void)snprintf(recipe, sizeof recipe, "wordnet:top=1:dict=%s", folder);
    assert_ok(ctx, pith_tree_build(ctx, m, recipe, &t));
    assert_int_equal(t->n_nodes, 3);
    assert_int_equal(t->depth, 2);
    pith_tree_free(t);
    (void)snprintf(recipe, sizeof recipe, "wordnet:depth=2:dict=%s", folder);
    assert_ok(ctx, pith_tree_build(ctx, m, recipe, &t));
    assert_is_tree(t);
    assert_int_equal(t->n_nodes, 2);
    assert_int_equal(t->depth, 2);
    pith_tree_free(t);
    pith_matrix_free(m);
}

static void stems_are_mapped_where_that_finds_more(void **state)
{
    pith_ctx *ctx = *state;
    static const char *const names[] = {"confid", "car", "anim", "dog", "entiti"};
    char recipe[128];
    pith_tree *t = NULL;
    pith_matrix *m = words(ctx, COUNT(names), names);
    write_dictionary();
    (void)snprintf(recipe, sizeof recipe, "wordnet:dict=%s", folder);
    assert_ok(ctx, pith_tree_build(ctx, m, recipe, &t));
    assert_string_equal(pith_tree_remark(t, 0),
                        "5 of 5 words are in WordNet, by their stems; the others are only in the root");
    assert_int_equal(t->n_nodes, 3); /* thing and animal; entity is all, as the root */
    pith_tree_free(t);
    (void)snprintf(recipe, sizeof recipe, "wordnet:stemmed=no:dict=%s", folder);
    assert_ok(ctx, pith_tree_build(ctx, m, recipe, &t));
    assert_non_null(strstr(pith_tree_remark(t, 0), "2 of 5 words"));
    pith_tree_free(t);
    pith_matrix_free(m);
}

static void what_is_missing_is_told(void **state)
{
    pith_ctx *ctx = *state;
    static const char *const names[] = {"dog"};
    double x[2] = {0};
    pith_tree *t = NULL;
    pith_matrix *m = words(ctx, 1, names), *nameless = NULL;
    assert_int_equal(pith_tree_build(ctx, m, "wordnet:dict=nowhere", &t), PITH_E_FILE);
    assert_string_equal(pith_ctx_message(ctx),
                        "no WordNet found in nowhere (Debian: apt install wordnet-base)");
    assert_ok(ctx, pith_matrix_dense(ctx, 2, 1, PITH_F64, x, 1, 1, &nameless));
    assert_int_equal(pith_tree_build(ctx, nameless, "wordnet", &t), PITH_E_DATA);
    assert_null(t);
    pith_matrix_free(m);
    pith_matrix_free(nameless);
}

/* What auto becomes for a table of two equal rows with these names (NULL: none); "": it fails. */
static const char *settled(pith_ctx *ctx, const char *auto_text, int64_t p, const char *const *names)
{
    static char text[PITH_I_CHOSEN];
    static const double x[16];
    pith_matrix *m = NULL;
    pith_i_recipe recipe;
    assert_ok(ctx, pith_matrix_dense(ctx, 2, p, PITH_F64, x, p, 1, &m));
    if (names != NULL)
        assert_ok(ctx, pith_matrix_set_feature_names(ctx, m, names));
    const pith_i_table table = {.X = &m->data, .names = &m->features};
    assert_ok(ctx, pith_i_recipe_read(ctx, auto_text, &recipe));
    (void)strcpy(text, "?");
    assert_ok(ctx, pith_i_recipe_settle(ctx, &table, &recipe, text));
    assert_string_equal(pith_ctx_message(ctx), "");
    pith_matrix_free(m);
    return text;
}

static void auto_is_wordnet_where_most_features_are_its_words(void **state)
{
    pith_ctx *ctx = *state;
    static const char *const names[] = {"dog", "car", "xyzzy", "plugh"},
                             *const more[] = {"dog", "car", "run"},
                             *const stems[] = {"confid", "anim", "xyzzy"};
    write_dictionary();
    assert_int_equal(setenv("WNSEARCHDIR", folder, 1), 0);
    assert_string_equal(settled(ctx, "auto", 3, names), "wordnet"); /* two of three */
    assert_string_equal(settled(ctx, "auto", 3, more), "wordnet");
    assert_string_equal(settled(ctx, "auto", 3, stems), "wordnet");
    assert_string_equal(settled(ctx, "auto", 4, names), "cluster"); /* half of them are not most */
    assert_string_equal(settled(ctx, "auto", 4, NULL), "cluster");
    assert_string_equal(settled(ctx, "wordnet", 4, names), "");
    assert_int_equal(unsetenv("WNSEARCHDIR"), 0);
}

static void auto_is_cluster_without_a_dictionary(void **state)
{
    static const char *const names[] = {"dog", "car", "run"};
    assert_int_equal(setenv("WNSEARCHDIR", "nowhere", 1), 0);
    assert_string_equal(settled(*state, "auto", 3, names), "cluster");
    assert_int_equal(unsetenv("WNSEARCHDIR"), 0);
}

static void auto_is_a_grid_where_the_shape_is_told(void **state)
{
    static const char *const names[] = {"dog", "car", "run", "eat"};
    pith_i_recipe recipe;
    assert_string_equal(settled(*state, "auto:2x2", 4, NULL), "grid:2x2");
    assert_string_equal(settled(*state, "auto:2x2", 4, names), "grid:2x2");
    assert_string_equal(settled(*state, "auto:1x4:row", 4, NULL), "grid:1x4:row");
    assert_string_equal(settled(*state, "auto:size=1x4:order=column", 4, NULL), "grid:1x4:column");
    assert_int_equal(pith_i_recipe_read(*state, "auto:leaf=2", &recipe), PITH_E_PARAMETER);
    assert_string_equal(pith_ctx_message(*state), "tree: auto has no setting 'leaf'");
}

static pith_status build(pith_ctx *ctx, void *arg)
{
    static const char *const names[] = {"confid", "car", "anim", "dog"};
    static double x[8];
    pith_matrix *m = NULL;
    pith_tree *t = NULL;
    pith_status st = pith_matrix_dense(ctx, 2, 4, PITH_F64, x, 4, 1, &m);
    if (st == PITH_OK)
        st = pith_matrix_set_feature_names(ctx, m, names);
    if (st == PITH_OK)
        st = pith_tree_build(ctx, m, arg, &t);
    pith_tree_free(t);
    pith_matrix_free(m);
    return st;
}

static void failing_allocations_are_survived(void **state)
{
    char recipe[128];
    write_dictionary();
    (void)snprintf(recipe, sizeof recipe, "wordnet:dict=%s", folder);
    assert_survives_failing_allocations(*state, build, recipe, 25);
    assert_int_equal(setenv("WNSEARCHDIR", folder, 1), 0);
    (void)strcpy(recipe, "auto");
    assert_survives_failing_allocations(*state, build, recipe, 40);
    assert_int_equal(unsetenv("WNSEARCHDIR"), 0);
}

static void the_real_wordnet_groups_animals(void **state)
{
    pith_ctx *ctx = *state;
    static const char *const names[] = {"dog", "cat", "goose", "car", "truck", "swim", "crawl", "xyzzy"};
    pith_tree *t = NULL;
    bool vehicles = false, animals = false;
    skip_when_short();
    skip_without(access("/usr/share/wordnet/data.noun", R_OK) == 0, "wordnet-base");
    pith_matrix *m = words(ctx, COUNT(names), names);
    assert_ok(ctx, pith_tree_build(ctx, m, "wordnet:dict=/usr/share/wordnet", &t));
    assert_is_tree(t);
    for (int32_t g = 1; g < t->n_nodes; g++) {
        const int32_t *feat = t->feat + t->node_ptr[g];
        vehicles = vehicles || (pith_i_tree_size(t, g) == 2 && feat[0] == 3 && feat[1] == 4);
        animals = animals || (pith_i_tree_size(t, g) == 3 && feat[0] == 0 && feat[2] == 2);
    }
    assert_true(vehicles && animals);
    assert_int_equal(t->n_of_feat[7], 1);
    pith_tree_free(t);
    pith_matrix_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(words_are_found_as_they_are_by_exception_and_by_ending),
        TEST(nodes_hold_the_words_below_a_synset),
        TEST(stems_are_mapped_where_that_finds_more),
        TEST(auto_is_wordnet_where_most_features_are_its_words),
        TEST(auto_is_cluster_without_a_dictionary),
        TEST(auto_is_a_grid_where_the_shape_is_told),
        TEST(what_is_missing_is_told),
        TEST(failing_allocations_are_survived),
        TEST(the_real_wordnet_groups_animals),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
