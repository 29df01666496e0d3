/*
 * A tree of words: the path of a word goes from its first sense to the first hypernym, and so on to the top.
 * So each word has a single path, though WordNet is a graph. Every synset on a path is a node that holds the
 * words below it.
 */
#include "tree/build.h"
#include "tree/wordnet.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_PATH = 64, LONGEST_TERM = 120, KEY = 8 };

typedef struct forest {
    pith_i_wordnet w;
    int64_t p;
    pith_i_synset *sense;          /* of every feature */
    pith_i_words node[PITH_I_POS]; /* maps keys of synsets to node numbers */
    int32_t n_nodes, room;
    int32_t *parent;       /* scratch, room */
    pith_i_synset *synset; /* likewise; of the root: none */
    int64_t *size;         /* likewise */
} forest;

/* ---- Words to senses ---------------------------------------------------------------------------------- */

/* In lower case, with '_' for blanks; false: it is empty or too long. */
static bool normalise(const char *name, char term[LONGEST_TERM], int64_t *length)
{
    *length = name != NULL ? (int64_t)strlen(name) : 0;
    if (*length == 0 || *length >= LONGEST_TERM)
        return false;
    for (int64_t i = 0; i < *length; i++) {
        const char c = name[i];
        term[i] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c == ' ' || c == '\t' ? '_' : c;
    }
    return true;
}

/* Finds the sense of every feature; returns how many have one. */
static int64_t look_up(forest *f, const pith_i_names *names, bool stemmed)
{
    char term[LONGEST_TERM];
    int64_t found = 0, length = 0;
    for (int64_t j = 0; j < f->p; j++) {
        pith_i_synset s = {.offset = -1};
        if (normalise(pith_i_name(names, j), term, &length)) {
            if (stemmed)
                s = pith_i_wordnet_find_stem(&f->w, term, length);
            if (s.offset < 0)
                s = pith_i_wordnet_find(&f->w, term, length);
        }
        f->sense[j] = s;
        found += s.offset >= 0;
    }
    return found;
}

/* With stemmed auto, stems are used if they find over 15 % more words, and this build has a stemmer. */
static pith_status find_senses(pith_ctx *ctx, forest *f, const pith_i_names *names, pith_i_stemmed stemmed,
                               int64_t *found, bool *by_stem)
{
    pith_status st = PITH_OK;
    const int64_t plain = look_up(f, names, false);
    *found = plain;
    *by_stem = false;
    if (stemmed == PITH_I_NOT_STEMMED || (stemmed == PITH_I_STEMMED_AUTO && !pith_i_wordnet_can_stem()))
        return PITH_OK;
    TRY(pith_i_wordnet_stem(ctx, &f->w));
    const int64_t mapped = look_up(f, names, true);
    *by_stem = stemmed == PITH_I_STEMMED || (double)mapped > 1.15 * (double)plain;
    *found = *by_stem ? mapped : look_up(f, names, false);
done:
    return st;
}

/* ---- Senses to nodes ---------------------------------------------------------------------------------- */

static bool holds(int count, const pith_i_synset *path, pith_i_synset s)
{
    for (int i = 0; i < count; i++)
        if (path[i].offset == s.offset)
            return true;
    return false;
}

/* The synset and those above it, the top first; returns their number. A cycle (WordNet has one) is cut where
 * it closes: its synsets then hold the same words, and all but one of them are dropped. */
static int path_of(const pith_i_wordnet *w, pith_i_synset s, pith_i_synset path[LONGEST_PATH])
{
    int count = 0;
    while (pith_i_wordnet_key(w, s) != NULL && count < LONGEST_PATH && !holds(count, path, s)) {
        path[count++] = s;
        s = pith_i_wordnet_above(w, s);
    }
    for (int i = 0; i < count / 2; i++) {
        const pith_i_synset swap = path[i];
        path[i] = path[count - 1 - i];
        path[count - 1 - i] = swap;
    }
    return count;
}

/* Counts a word in every node of its path, and makes those that do not exist yet. */
static pith_status add_path(pith_ctx *ctx, forest *f, pith_i_synset s, int64_t top)
{
    pith_i_synset path[LONGEST_PATH];
    const int count = path_of(&f->w, s, path);
    int32_t above = 0;
    pith_status st = PITH_OK;
    for (int i = (int)(top < count ? top : count); i < count; i++) {
        pith_i_word *word = NULL;
        bool added = false;
        TRY(pith_i_words_add(ctx, &f->node[path[i].pos], pith_i_wordnet_key(&f->w, path[i]), KEY, f->n_nodes,
                             &added, &word));
        if (added) {
            f->parent[f->n_nodes] = above;
            f->synset[f->n_nodes] = path[i];
            f->size[f->n_nodes++] = 0;
        }
        above = (int32_t)word->value;
        f->size[above]++;
    }
done:
    return st;
}

static pith_status plant(pith_ctx *ctx, forest *f, int64_t top)
{
    pith_i_synset path[LONGEST_PATH];
    int64_t most = 1;
    pith_status st = PITH_OK;
    for (int64_t j = 0; j < f->p; j++)
        most += f->sense[j].offset >= 0 ? path_of(&f->w, f->sense[j], path) : 0;
    TRY(SCRATCH(ctx, f->parent, most));
    TRY(SCRATCH(ctx, f->synset, most));
    TRY(SCRATCH(ctx, f->size, most));
    f->n_nodes = 1;
    f->parent[0] = -1;
    f->synset[0] = (pith_i_synset){.offset = -1};
    f->size[0] = f->p;
    for (int64_t j = 0; j < f->p; j++) {
        TRY(pith_i_progress(ctx, j, f->p));
        if (f->sense[j].offset >= 0)
            TRY(add_path(ctx, f, f->sense[j], top));
    }
done:
    return st;
}

/* The words of every node, ascending because j ascends. */
static void fill(const forest *f, int64_t top, int64_t *next, int32_t *feat)
{
    pith_i_synset path[LONGEST_PATH];
    for (int64_t j = 0; j < f->p; j++) {
        const int count = f->sense[j].offset >= 0 ? path_of(&f->w, f->sense[j], path) : 0;
        feat[next[0]++] = (int32_t)j;
        for (int i = (int)(top < count ? top : count); i < count; i++) {
            const pith_i_word *word =
                pith_i_words_find(&f->node[path[i].pos], pith_i_wordnet_key(&f->w, path[i]), KEY);
            feat[next[word->value]++] = (int32_t)j;
        }
    }
}

static pith_status make(pith_ctx *ctx, const forest *f, int64_t top, pith_tree **out)
{
    int64_t *node_ptr = NULL, *next = NULL, *length = NULL;
    int32_t *feat = NULL;
    const char **label = NULL;
    char *text = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, node_ptr, (int64_t)f->n_nodes + 1));
    TRY(SCRATCH(ctx, next, f->n_nodes));
    TRY(SCRATCH(ctx, label, f->n_nodes));
    TRY(SCRATCH(ctx, length, f->n_nodes));
    TRY(SCRATCH(ctx, text, (int64_t)f->n_nodes * PITH_I_SYNSET_NAME));
    node_ptr[0] = 0;
    for (int32_t g = 0; g < f->n_nodes; g++) {
        char *name = text + (int64_t)g * PITH_I_SYNSET_NAME;
        next[g] = node_ptr[g];
        node_ptr[g + 1] = node_ptr[g] + f->size[g];
        name[0] = '\0';
        if (g > 0)
            pith_i_wordnet_name(&f->w, f->synset[g], name);
        label[g] = name;
        length[g] = (int64_t)strlen(name);
    }
    TRY(SCRATCH(ctx, feat, node_ptr[f->n_nodes]));
    fill(f, top, next, feat);
    const pith_i_sketch s = {.n_features = (int32_t)f->p,
                             .n_nodes = f->n_nodes,
                             .parent = f->parent,
                             .node_ptr = node_ptr,
                             .feat = feat,
                             .label = label,
                             .label_length = length};
    TRY(pith_i_tree_make(ctx, &s, 2, out));
done:
    return st;
}

/* Keeps only the first levels, whose nodes come first. */
static pith_status cut(pith_ctx *ctx, int64_t depth, pith_tree **tree)
{
    pith_tree *t = *tree, *shallow = NULL;
    pith_status st = PITH_OK;
    if (depth == 0 || depth >= t->depth)
        return PITH_OK;
    const int32_t all = t->n_nodes;
    t->n_nodes = t->level_ptr[depth]; /* for the copy alone */
    st = pith_i_tree_copy(ctx, t, &shallow);
    t->n_nodes = all;
    if (st != PITH_OK)
        return st;
    pith_tree_free(t);
    *tree = shallow;
    return PITH_OK;
}

/* ---- The builder -------------------------------------------------------------------------------------- */

static pith_status grow(pith_ctx *ctx, forest *f, const pith_i_table *table, const pith_i_recipe *r,
                        const char *folder, pith_tree **out)
{
    int64_t found = 0;
    bool by_stem = false;
    const char *how = "";
    pith_status st = PITH_OK;
    TRY(pith_i_wordnet_open(ctx, folder, &f->w));
    TRY(SCRATCH(ctx, f->sense, f->p));
    TRY(find_senses(ctx, f, table->names, r->stemmed, &found, &by_stem));
    TRY(plant(ctx, f, r->top));
    TRY(make(ctx, f, r->top, out));
    if (by_stem)
        how = ", by their stems";
    else if (r->stemmed == PITH_I_STEMMED_AUTO && !pith_i_wordnet_can_stem())
        how = ", stems not tried (this build of pith has no libstemmer)";
    pith_i_tree_remark(*out, "%lld of %lld words are in WordNet%s; the others are only in the root",
                       (long long)found, (long long)f->p, how);
done:
    return st;
}

static const char *folder_of(const char *dict)
{
    const char *folder = dict[0] != '\0' ? dict : getenv("WNSEARCHDIR");
    return folder != NULL && folder[0] != '\0' ? folder : "/usr/share/wordnet";
}

pith_status pith_i_wordnet_known(pith_ctx *ctx, const pith_i_table *table, int64_t *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    forest f = {.p = table->X->p};
    bool by_stem = false;
    pith_status st = PITH_OK;
    TRY(pith_i_wordnet_open(ctx, folder_of(""), &f.w));
    TRY(SCRATCH(ctx, f.sense, f.p));
    TRY(find_senses(ctx, &f, table->names, PITH_I_STEMMED_AUTO, out, &by_stem));
done:
    pith_i_wordnet_close(&f.w);
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_tree_wordnet(pith_ctx *ctx, const pith_i_table *table, const pith_i_recipe *recipe,
                                pith_tree **out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    forest f = {.p = table->X->p};
    pith_tree *t = NULL;
    pith_status st = PITH_OK;
    if (table->names == NULL || table->names->start == NULL)
        FAIL(ctx, PITH_E_DATA, "the features have no names, and WordNet needs words");
    TRY(pith_i_progress_stage(ctx, "reading WordNet", 0, 1));
    TRY(grow(ctx, &f, table, recipe, folder_of(recipe->dict), &t));
    TRY(cut(ctx, recipe->depth, &t));
    *out = t;
    t = NULL;
done:
    pith_tree_free(t);
    pith_i_wordnet_close(&f.w);
    for (int pos = 0; pos < PITH_I_POS; pos++)
        pith_i_words_free(&f.node[pos]);
    pith_i_scratch_release(ctx, mark);
    return st;
}
