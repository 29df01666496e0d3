/* Tree files: both forms, every message, and the way there and back. */
#include "files.h"
#include "trees.h"

static const char head[] = "pith-tree 1\nfeatures 6\n";
static const char paper[] = "pith-tree 1\nfeatures 6\nbase 0\nnode 0 - *\nnode 1 0 0-2            # money\n"
                            "node 2 0 3-5\nnode 3 1 0 1\nnode 4 2 4 5\n";

/* Reading what follows the head fails with "FILE:LINE: " and these words. */
static void tree_fails(pith_ctx *ctx, const char *text, int line, const char *words)
{
    const char *path = put("bad.tree", text);
    char want[512];
    pith_tree *t = NULL;
    (void)snprintf(want, sizeof want, "%s:%d: %s", path, line, words);
    const int64_t before = pith_i_bytes_in_use(ctx);
    assert_int_equal(pith_i_tree_read(ctx, path, 6, NULL, &t), PITH_E_DATA);
    assert_string_equal(pith_ctx_message(ctx), want);
    assert_null(t);
    assert_int_equal(pith_i_bytes_in_use(ctx), before);
}

static void nodes_fail(pith_ctx *ctx, const char *nodes, int line, const char *words)
{
    char text[512];
    (void)snprintf(text, sizeof text, "%s%s", head, nodes);
    tree_fails(ctx, text, line, words);
}

static pith_tree *tree_of(pith_ctx *ctx, const char *text)
{
    pith_tree *t = NULL;
    assert_ok(ctx, pith_i_tree_read(ctx, put("good.tree", text), -1, NULL, &t));
    assert_is_tree(t);
    return t;
}

static void the_specifications_file_is_read(void **state)
{
    pith_tree *t = tree_of(*state, paper);
    assert_int_equal(t->n_nodes, 5);
    assert_int_equal(t->depth, 3);
    assert_int_equal(t->remarks, 0);
    assert_int_equal(t->feat[t->node_ptr[4]], 4);
    pith_tree_free(t);
}

static void written_it_reads_back_and_is_written_the_same(void **state)
{
    pith_ctx *ctx = *state;
    static const char want[] =
        "pith-tree 1\nfeatures 6\nbase 0\nnode 0 - *\nlabel 0 all, # and more\nnode 1 0 0-2\n"
        "node 2 0 3-5\nnode 3 1 0-1\nlabel 3 x\nnode 4 2 3 5\n";
    pith_tree *t =
        tree_of(ctx, "\xef\xbb\xbfpith-tree 1\r\n# made by hand\r\nfeatures 6 # six\r\nbase 1\r\n\r\nnode r "
                     "- 6 5 4 3 2 1\r\n"
                     "label r all, # and more  \r\nnode b r 4-6\r\nnode bb b 6 4 # two\r\nnode a r 3 1-2\r\n"
                     "node aa a 1 2\r\nlabel aa x");
    const char *path = path_of("out.tree");
    assert_ok(ctx, pith_tree_write(ctx, t, path));
    assert_string_equal(text_of_file(path), want);
    pith_tree *again = NULL;
    assert_ok(ctx, pith_tree_read(ctx, path, NULL, &again));
    assert_same_tree(t, again);
    assert_ok(ctx, pith_tree_write(ctx, again, path));
    assert_string_equal(text_of_file(path), want);
    pith_tree_free(t);
    pith_tree_free(again);
}

static void every_mistake_is_told_with_its_line(void **state)
{
    pith_ctx *ctx = *state;
    tree_fails(ctx, "", 1, "not a tree file: 'pith-tree 1' expected");
    tree_fails(ctx, "hello\n", 1, "not a tree file: 'pith-tree 1' expected");
    tree_fails(ctx, "pith-tree\n", 1, "not a tree file: 'pith-tree 1' expected");
    tree_fails(ctx, "# x\npith-tree 1 2\n", 2, "not a tree file: 'pith-tree 1' expected");
    tree_fails(ctx, "pith-tree 2\n", 1, "tree file version 2 is newer than this program");
    tree_fails(ctx, "pith-tree 1\nfeatures 7\n", 2, "tree is for 7 features, the data has 6");
    tree_fails(ctx, "pith-tree 1\nfeatures six\n", 2, "'features' needs a number in 1..2147483647");
    tree_fails(ctx, "pith-tree 1\nfeatures 6\nfeatures 6\n", 3, "'features' given twice");
    tree_fails(ctx, "pith-tree 1\nnode 0 - *\n", 2, "'features' must come before the first node");
    tree_fails(ctx, "pith-tree 1\n", 1, "'features' is missing");
    nodes_fail(ctx, "nodes 0 - *\n", 3, "unknown word 'nodes'");
    nodes_fail(ctx, "base 2\n", 3, "'base' is 0 or 1");
    nodes_fail(ctx, "node 0 - *\nbase 1\n", 4, "'base' must come before the first node");
    nodes_fail(ctx, "node 0 - *\nnames\n", 4, "'names' must come before the first node");
    nodes_fail(ctx, "node 0\n", 3, "'node ID PARENT FEATURES' expected");
    nodes_fail(ctx, "node 0 - *\nnode x 0 1\n\nnode x 0 2\n", 6, "node 'x' given twice (first in line 4)");
    nodes_fail(ctx, "node 0 - *\nnode x y 1\nnode y 0 1\n", 4, "node 'x': parent 'y' is not given above");
    nodes_fail(ctx, "node 0 - *\nnode x x 1\n", 4, "node 'x': parent 'x' is not given above");
    nodes_fail(ctx, "node 0 - *\nnode 1 - *\n", 4, "more than one root");
    nodes_fail(ctx, "# nothing\n", 3, "no root");
    nodes_fail(ctx, "node 0 - 0 2 4\n", 3, "the root lacks 3 features, first 1");
    nodes_fail(ctx, "base 1\nnode 0 - 1-4\n", 4, "the root lacks 2 features, first 5");
    nodes_fail(ctx, "node 0 - *\nnode x 0 1 5000\n", 4, "node 'x': feature 5000 is not in 0..5");
    nodes_fail(ctx, "node 0 - *\nnode x 0 1-99\n", 4, "node 'x': feature 99 is not in 0..5");
    nodes_fail(ctx, "base 1\nnode 0 - *\nnode x 0 0\n", 5, "node 'x': feature 0 is not in 1..6");
    nodes_fail(ctx, "node 0 - *\nnode x 0 1 2 1\n", 4, "node 'x': feature 1 given twice");
    nodes_fail(ctx, "node 0 - * *\n", 3, "node '0': feature 0 given twice");
    nodes_fail(ctx, "node 0 - *\nnode x 0 4-2\n", 4, "node 'x': range 4-2 is empty");
    nodes_fail(ctx, "node 0 - *\nnode x 0 1-\n", 4, "node 'x': '1-' is not a feature number");
    nodes_fail(ctx, "node 0 - *\nnode x 0 -1\n", 4, "node 'x': '-1' is not a feature number");
    nodes_fail(ctx, "node 0 - *\nnode x 0 99999999999999999999\n", 4,
               "node 'x': '99999999999999999999' is not a feature number");
    nodes_fail(ctx, "node 0 - *\nnode x 0 # 1\n", 4, "node 'x' has no feature");
    nodes_fail(ctx, "node 0 - *\nnode y 0 1-3\nnode x y 2-4\n", 5,
               "node 'x' is not inside its parent 'y': feature 4");
    nodes_fail(ctx, "node 0 - *\nnode y 0 1-3\nnode z y 1 2\nnode x y 2 3\n", 6,
               "nodes 'z' and 'x' of level 3 share feature 2");
    nodes_fail(ctx, "node 0 - *\nlabel y text\n", 4, "label: node 'y' is not given above");
}

static void names_are_matched_with_those_of_the_data(void **state)
{
    pith_ctx *ctx = *state;
    static const char *const texts[] = {"goal", "c#", "tax rate", "x"};
    static const char text[] =
        "pith-tree 1\nfeatures 4\nnames\nnode 0 - *\nnode a 0 \"tax rate\" goal # both\n"
        "node b 0 \"c#\"\n";
    pith_i_names names = {0};
    pith_tree *t = NULL;
    assert_ok(ctx, pith_i_names_copy(ctx, 4, texts, &names));
    assert_ok(ctx, pith_i_tree_read(ctx, put("n.tree", text), 4, &names, &t));
    assert_is_tree(t);
    assert_int_equal(t->feat[t->node_ptr[1]], 0);
    assert_int_equal(t->feat[t->node_ptr[1] + 1], 2);
    assert_int_equal(t->feat[t->node_ptr[2]], 1);
    pith_tree_free(t);
    t = NULL;
    static const char *const wrong[][2] = {
        {"node a 0 foo\n", "node 'a': no feature is called 'foo'"},
        {"node a 0 0-1\n", "node 'a': no feature is called '0-1'"},
        {"node a 0 goal goal\n", "node 'a': feature 'goal' given twice"},
        {"node a 0 \"goal\n", "node 'a': a quote is not closed"},
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        char whole[256], want[256];
        (void)snprintf(whole, sizeof whole, "pith-tree 1\nfeatures 4\nnames\nnode 0 - *\n%s", wrong[i][0]);
        const char *path = put("n.tree", whole);
        (void)snprintf(want, sizeof want, "%s:5: %s", path, wrong[i][1]);
        assert_int_equal(pith_i_tree_read(ctx, path, 4, &names, &t), PITH_E_DATA);
        assert_string_equal(pith_ctx_message(ctx), want);
    }
    /* Without the data they are numbered as they come. */
    assert_ok(ctx, pith_i_tree_read(ctx, put("n.tree", text), -1, NULL, &t));
    assert_int_equal(t->feat[t->node_ptr[2]], 2);
    pith_tree_free(t);
    pith_i_names_free(&names);
}

static void a_spreadsheet_is_a_tree_too(void **state)
{
    pith_ctx *ctx = *state;
    static const char *const texts[] = {"tax", "goal", "ball", "bank"};
    static const char sheet[] =
        "feature,level2,level3\ngoal,sport,football\nball,sport,football\ntax,money,\n\"bank\",money\n\n";
    pith_i_names names = {0};
    pith_tree *t = NULL;
    assert_ok(ctx, pith_i_names_copy(ctx, 4, texts, &names));
    assert_ok(ctx, pith_i_tree_read(ctx, put("s.csv", sheet), 4, &names, &t));
    assert_is_tree(t);
    assert_int_equal(t->n_nodes, 4);
    assert_string_equal(pith_tree_label(t, 1), "money");
    assert_int_equal(t->feat[t->node_ptr[1] + 1], 3);
    assert_string_equal(pith_tree_label(t, 3), "football");
    assert_int_equal(t->feat[t->node_ptr[3]], 1);
    pith_tree_free(t);
    /* Equal cells under different ones are different nodes. */
    assert_ok(ctx,
              pith_i_tree_read(ctx, put("s.csv", "f,a,b\r\n3,x,same\r\n2,x,same\r\n1,y,same\r\n0,y,same\r\n"),
                               -1, NULL, &t));
    assert_is_tree(t);
    assert_int_equal(t->n_nodes, 5);
    assert_int_equal(t->feat[t->node_ptr[1]], 0); /* numbers are the features' own */
    assert_string_equal(pith_tree_label(t, 1), "y");
    pith_tree_free(t);
    t = NULL;
    static const char *const wrong[][2] = {
        {"f,a\ngoal,x\n", ":2: tree is for 1 features, the data has 4"},
        {"f,a\n", ":1: no root"},
        {"f,a\ngoal,x\nball,x\ntax,x\nfoo,x\n", ":5: no feature is called 'foo'"},
        {"f,a\ngoal,x\nball,x\ntax,x\ngoal,x\n", ":5: feature 'goal' given twice (first in line 2)"},
        {"f,a,b\ngoal,x,\nball,,x\ntax,x,\nbank,x,\n",
         ":3: a cell follows an empty one, which ends the path"},
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        char want[256];
        const char *path = put("s.csv", wrong[i][0]);
        (void)snprintf(want, sizeof want, "%s%s", path, wrong[i][1]);
        assert_int_equal(pith_i_tree_read(ctx, path, 4, &names, &t), PITH_E_DATA);
        assert_string_equal(pith_ctx_message(ctx), want);
    }
    pith_i_names_free(&names);
}

static void quotes_and_newlines_in_a_spreadsheet_are_text(void **state)
{
    pith_ctx *ctx = *state;
    static const char *const texts[] = {"a\"b", "c\nd", "e"};
    static const char head_and_two[] =
        "f,\"of\nlevel 2\"\n\"a\"\"b\",\"say \"\"hi\"\"\"\n\"c\nd\",\"say \"\"hi\"\"\"\n";
    char whole[256], want[256];
    pith_i_names names = {0};
    pith_tree *t = NULL;
    assert_ok(ctx, pith_i_names_copy(ctx, 3, texts, &names));
    (void)snprintf(whole, sizeof whole, "%se,other\n", head_and_two);
    assert_ok(ctx, pith_i_tree_read(ctx, put("q.csv", whole), 3, &names, &t));
    assert_is_tree(t);
    assert_int_equal(t->n_nodes, 3);
    assert_string_equal(pith_tree_label(t, 1), "say \"hi\"");
    pith_tree_free(t);
    t = NULL;
    (void)snprintf(whole, sizeof whole, "%sx,other\n", head_and_two); /* lines 1, 2; 3; 4, 5; 6 */
    const char *path = put("q.csv", whole);
    (void)snprintf(want, sizeof want, "%s:6: no feature is called 'x'", path);
    assert_int_equal(pith_i_tree_read(ctx, path, 3, &names, &t), PITH_E_DATA);
    assert_string_equal(pith_ctx_message(ctx), want);
    pith_i_names_free(&names);
}

static void what_is_legal_but_odd_is_remarked_on(void **state)
{
    pith_tree *t = tree_of(*state, "pith-tree 1\nfeatures 3\nnode 0 - *\nnode 1 0 *\nnode 2 1 1\n");
    assert_int_equal(t->remarks, 2);
    pith_tree_free(t);
}

static pith_status read_and_write(pith_ctx *ctx, void *arg)
{
    pith_tree *t = NULL;
    pith_status st = pith_tree_read(ctx, arg, NULL, &t);
    if (st == PITH_OK)
        st = pith_tree_write(ctx, t, path_of("written.tree"));
    pith_tree_free(t);
    return st;
}

static void failing_allocations_are_survived(void **state)
{
    char text[8192];
    (void)snprintf(text, sizeof text, "%s", paper);
    for (int g = 5; g < 100; g++) /* more nodes than the first arrays have room for */
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "node %d %d 0-1\nlabel %d l\n", g,
                       g == 5 ? 3 : g - 1, g);
    assert_survives_failing_allocations(*state, read_and_write, (void *)(uintptr_t)put("many.tree", text),
                                        25);
    assert_survives_failing_allocations(*state, read_and_write,
                                        (void *)(uintptr_t)put("x.csv", "f,a\na,\"x\"\"\"\nb,x\n"), 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_specifications_file_is_read),      TEST(written_it_reads_back_and_is_written_the_same),
        TEST(every_mistake_is_told_with_its_line),  TEST(names_are_matched_with_those_of_the_data),
        TEST(a_spreadsheet_is_a_tree_too),          TEST(quotes_and_newlines_in_a_spreadsheet_are_text),
        TEST(what_is_legal_but_odd_is_remarked_on), TEST(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
