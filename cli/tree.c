/* pith tree: builds a tree over the features, or shows one. */
#include "commands.h"
#include "print.h"
#include "session.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 44, SOME = 12 };

static const char *const kinds[] = {"grid", "cluster", "wordnet", "root", "show", NULL};

static void tell_remarks(const settings *s, const pith_tree *t)
{
    for (size_t i = 0; !s->quiet && pith_tree_remark(t, i) != NULL; i++)
        note("%s", pith_tree_remark(t, i));
}

/* ---- Showing ------------------------------------------------------------------------------------------- */

/* "0-15 32-47 ..." */
static void put_features(FILE *out, int64_t count, const int32_t *feature)
{
    int shown = 0;
    for (int64_t e = 0, last; e < count; e = last + 1) {
        last = e;
        while (last + 1 < count && feature[last + 1] == feature[last] + 1)
            last++;
        if (shown++ == SOME) {
            (void)fprintf(out, " ...");
            break;
        }
        if (last > e)
            (void)fprintf(out, " %d-%d", feature[e], feature[last]);
        else
            (void)fprintf(out, " %d", feature[e]);
    }
}

/* Prints each node under its parent. child: its first child; next: its next sibling. */
static void put_nodes(FILE *out, const pith_tree *t)
{
    const int64_t nodes = pith_tree_nodes(t);
    int64_t *child = take((size_t)nodes * sizeof *child), *next = take((size_t)nodes * sizeof *next);
    for (int64_t g = 0; g < nodes; g++)
        child[g] = next[g] = -1;
    for (int64_t g = nodes - 1; g > 0; g--) {
        next[g] = child[pith_tree_parent(t, g)];
        child[pith_tree_parent(t, g)] = g;
    }
    for (int64_t g = 0, level = 0; g >= 0;) {
        const int32_t *feature = NULL;
        const int64_t count = pith_tree_node(t, g, &feature);
        const char *label = pith_tree_label(t, g);
        (void)fprintf(out, "%*s%lld: %s%s%lld feature%s:", (int)(2 * level), "", (long long)g, label,
                      label[0] != '\0' ? ", " : "", (long long)count, count == 1 ? "" : "s");
        put_features(out, count, feature);
        (void)fputc('\n', out);
        if (child[g] >= 0) {
            g = child[g];
            level++;
            continue;
        }
        while (g >= 0 && next[g] < 0) {
            g = pith_tree_parent(t, g);
            level--;
        }
        g = g >= 0 ? next[g] : -1;
    }
    free(child);
    free(next);
}

static int64_t level_of(const pith_tree *t, int64_t g)
{
    int64_t level = 1;
    while ((g = pith_tree_parent(t, g)) >= 0)
        level++;
    return level;
}

static void put_levels(FILE *out, const pith_tree *t)
{
    table levels;
    table_start(&levels, 5);
    table_add(&levels, (const char *const[]){"level", "nodes", "features", "smallest", "largest", NULL});
    int64_t g = 0;
    for (int64_t level = 1; level <= pith_tree_depth(t); level++) {
        char cells[5][24];
        int64_t nodes = 0, features = 0, least = INT64_MAX, most = 0;
        for (; g < pith_tree_nodes(t) && level_of(t, g) == level; g++, nodes++) {
            const int64_t count = pith_tree_node(t, g, NULL);
            features += count;
            least = count < least ? count : least;
            most = count > most ? count : most;
        }
        const int64_t numbers[] = {level, nodes, features, least, most};
        for (int i = 0; i < 5; i++)
            (void)snprintf(cells[i], sizeof cells[i], "%lld", (long long)numbers[i]);
        table_add(&levels, (const char *const[]){cells[0], cells[1], cells[2], cells[3], cells[4], NULL});
    }
    table_put(out, &levels, WIDTH);
    table_free(&levels);
}

static int show(session *w, const char *path)
{
    pith_tree *t = NULL;
    int64_t total = 0;
    int status = DONE;
    STEP(session_status(w, pith_tree_read(w->ctx, path, NULL, &t), READING));
    for (int64_t g = 0; g < pith_tree_nodes(t); g++)
        total += pith_tree_node(t, g, NULL);
    (void)printf("%s: %lld features, %lld nodes, %lld levels; a feature is in %.1f nodes on average\n\n",
                 path, (long long)pith_tree_features(t), (long long)pith_tree_nodes(t),
                 (long long)pith_tree_depth(t), (double)total / (double)pith_tree_features(t));
    put_levels(stdout, t);
    (void)fputc('\n', stdout);
    put_nodes(stdout, t);
    tell_remarks(w->s, t);
done:
    pith_tree_free(t);
    return status;
}

/* ---- Building ------------------------------------------------------------------------------------------ */

/* Appends ":name=value" where the user gave a value. */
static void add_setting(char *recipe, size_t size, const char *name, const char *value)
{
    if (value != NULL)
        (void)snprintf(recipe + strlen(recipe), size - strlen(recipe), ":%s=%s", name, value);
}

static int build(session *w, const char *kind, const char *data)
{
    const settings *s = w->s;
    char recipe[8192];
    pith_tree *t = NULL;
    int status = DONE;
    (void)snprintf(recipe, sizeof recipe, "%s", kind);
    add_setting(recipe, sizeof recipe, "size", s->size);
    add_setting(recipe, sizeof recipe, "order", s->order);
    add_setting(recipe, sizeof recipe, "channels", s->channels);
    add_setting(recipe, sizeof recipe, "leaf", s->leaf);
    add_setting(recipe, sizeof recipe, "depth", s->depth);
    add_setting(recipe, sizeof recipe, "branch", s->branch);
    add_setting(recipe, sizeof recipe, "linkage", s->linkage);
    add_setting(recipe, sizeof recipe, "abs", s->absolute ? "yes" : NULL);
    add_setting(recipe, sizeof recipe, "stemmed", s->stemmed);
    add_setting(recipe, sizeof recipe, "top", s->top);
    add_setting(recipe, sizeof recipe, "dict", s->dict);
    STEP(check_place(w, s->output));
    STEP(check_spared(w, 1, &data, s->output, NULL));
    STEP(session_read(w, data, PITH_MISSING_ERROR));
    STEP(session_status(w, pith_tree_build(w->ctx, w->matrix, recipe, &t), WORKING));
    tell_remarks(s, t);
    if (s->verbose)
        note("%lld nodes in %lld levels", (long long)pith_tree_nodes(t), (long long)pith_tree_depth(t));
    STEP(session_status(w, pith_tree_write(w->ctx, t, file_of(s->output)), WRITING));
done:
    pith_tree_free(t);
    return status;
}

static int tree(const settings *s)
{
    const char *kind = s->arguments[0];
    bool known = false;
    session w;
    int status = DONE;
    STEP(session_open(s, &w));
    for (size_t i = 0; kinds[i] != NULL && !known; i++)
        known = strcmp(kinds[i], kind) == 0;
    if (!known) {
        status = unknown_word("kind of tree", kind, kinds);
        goto done;
    }
    status = strcmp(kind, "show") == 0 ? show(&w, s->arguments[1]) : build(&w, kind, s->arguments[1]);
done:
    session_close(&w);
    return status;
}

/* ---- Options ------------------------------------------------------------------------------------------- */

static const char *const orders[] = {"auto", "column", "row", NULL},
                         *const linkages[] = {"auto", "average", "ward", "bisect", NULL},
                         *const stems[] = {"auto", "yes", "no", NULL};

#define TEXT_OPTION(variable, called, shown, field, text)                                                    \
    static const option variable = {.name = (called),                                                        \
                                    .value = (shown),                                                        \
                                    .kind = VALUE_TEXT,                                                      \
                                    .at = offsetof(settings, field),                                         \
                                    .help = (text)}
#define CHOICE_OPTION(variable, called, words, field, text)                                                  \
    static const option variable = {.name = (called),                                                        \
                                    .kind = VALUE_CHOICE,                                                    \
                                    .at = offsetof(settings, field),                                         \
                                    .choices = (words),                                                      \
                                    .help = (text)}

static const option option_tree_output = {.name = "output",
                                          .value = "FILE",
                                          .letter = 'o',
                                          .kind = VALUE_TEXT,
                                          .at = offsetof(settings, output),
                                          .help = "where to write the tree (default: standard output)"};
TEXT_OPTION(option_size, "size", "HxW", size,
            "grid: rows and columns of the image (default: a square, if the number of features is one)");
CHOICE_OPTION(
    option_order, "order", orders, order,
    "grid: order of the pixels, column by column or row by row (default: column for .mat, else row)");
TEXT_OPTION(
    option_channels, "channels", "C", channels,
    "grid: color planes of the image, one after the other; the values of a pixel stay together (default: 1)");
TEXT_OPTION(
    option_leaf, "leaf", "N", leaf,
    "do not split a node of at most N pixels (grid, default: 16) or N features (cluster, default: 4)");
TEXT_OPTION(option_depth, "depth", "N", depth, "maximum number of levels (default: grid 6, wordnet all)");
TEXT_OPTION(option_branch, "branch", "N", branch,
            "cluster: each level has N times as many nodes as the one above (default: 4)");
CHOICE_OPTION(option_linkage, "linkage", linkages, linkage,
              "cluster: linkage (default: average up to 12000 features, bisect above)");
static const option option_abs = {.name = "abs",
                                  .kind = VALUE_NONE,
                                  .at = offsetof(settings, absolute),
                                  .help = "cluster: also group features that are negatively correlated"};
CHOICE_OPTION(option_stemmed, "stemmed", stems, stemmed,
              "wordnet: the words are Porter stems (default: auto, if that finds over 15 % more of them)");
TEXT_OPTION(option_top, "top", "N", top,
            "wordnet: leave out the N most general groups of each word (default: 0)");
TEXT_OPTION(option_dict, "dict", "DIR", dict,
            "wordnet: its folder (default: $WNSEARCHDIR, else /usr/share/wordnet)");

static const option *const options[] = {
    &option_tree_output,
    &option_size,
    &option_order,
    &option_channels,
    &option_leaf,
    &option_depth,
    &option_branch,
    &option_linkage,
    &option_abs,
    &option_stemmed,
    &option_top,
    &option_dict,
    &option_force,
    &option_seed,
    &option_threads,
    SIZE_OPTIONS,
    DATA_OPTIONS,
    TALK_OPTIONS,
    NULL,
};

static const example examples[] = {
    {"pith tree grid faces.mat --size 32x32 -o faces.tree", "a quad-tree over the pixels of 32 x 32 images"},
    {"pith tree cluster genes.csv --linkage ward -o genes.tree", "groups of co-expressed genes"},
    {"pith tree wordnet news.mtx -o news.tree", "groups of words by meaning"},
    {"pith tree show faces.tree | less", "print the tree"},
    {NULL, NULL},
};

const command command_tree = {
    .name = "tree",
    .arguments = "KIND DATA|FILE",
    .purpose = "builds a tree over the features, or shows one",
    .about = "Writes a tree file: groups of features, nested inside larger ones. KIND is 'grid' (blocks of "
             "pixels), 'cluster' (correlated features), 'wordnet' (words by meaning) or 'root' (no groups at "
             "all); each has its own options. 'pith tree show FILE' prints a tree.\n",
    .options = options,
    .examples = examples,
    .fewest = 2,
    .most = 2,
    .run = tree,
};
