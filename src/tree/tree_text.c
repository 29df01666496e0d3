/*
 * The text format of a tree, line by line. A node is checked when its line is read, and only against its
 * parent: nodes of one level share no feature, so two nodes of the next level can share one only if they have
 * the same parent. `claim` stores for every feature of every node which child has it, so that all checks are
 * O(R log D).
 */
#include "io/cursor.h"
#include "io/fields.h"
#include "tree/tree_reader.h"

#include <stdlib.h>

enum { NEWEST = 1 };

typedef struct text {
    pith_i_tree_reader *r;
    pith_i_cursor c;
    int64_t base;
    bool counted, by_name; /* the lines `features` and `names` were read */
    pith_i_words ids;
    int64_t *line;    /* of every node */
    int32_t *level;   /* likewise, from 1 */
    const char **id;  /* likewise */
    int64_t *id_size; /* likewise */
    int64_t node_room;
    int32_t *claim; /* parallel to feat: the child that has the feature, or -1 */
    int64_t claim_room;
} text;

#define WRONG(t, ...) FAIL((t)->r->ctx, PITH_E_DATA, __VA_ARGS__)

/* For the "%s:%lld: " (path and line) before every message. */
#define AT(t) (t)->r->path, (long long)(t)->c.line

/* ---- Words, comments, quotes --------------------------------------------------------------------------- */

/* Where the line's comment begins: at a # outside quotes; else its end. */
static const char *comment_of(const char *at, const char *end)
{
    bool quoted = false;
    for (; at < end; at++) {
        if (*at == '"')
            quoted = !quoted;
        else if (*at == '#' && !quoted)
            break;
    }
    return at;
}

static bool is(const char *word, int64_t length, const char *wanted)
{
    return (size_t)length == strlen(wanted) && memcmp(word, wanted, (size_t)length) == 0;
}

/* The next line that is more than a comment, without its comment; in a label, # is text. */
static bool next_line(text *t)
{
    while (pith_i_next_content(&t->c, '#')) {
        if (t->c.to - t->c.from > 5 && memcmp(t->c.from, "label", 5) == 0 && pith_i_is_space(t->c.from[5]))
            return true;
        t->c.to = comment_of(t->c.from, t->c.to);
        while (t->c.to > t->c.from && pith_i_is_space(t->c.to[-1]))
            t->c.to--;
        if (t->c.to > t->c.from)
            return true;
    }
    return false;
}

static const char *node_text(const text *t, int64_t g, char shown[PITH_I_SHOWN])
{
    return pith_i_show(t->id[g], t->id_size[g], shown);
}

/* A feature as the file writes it: its number, counted from base, or its name. */
static const char *feature_text(const text *t, int32_t j, char shown[PITH_I_SHOWN])
{
    const char *name = t->by_name && t->r->names != NULL ? pith_i_name(t->r->names, j) : NULL;
    if (name != NULL)
        return pith_i_show(name, (int64_t)strlen(name), shown);
    (void)snprintf(shown, PITH_I_SHOWN, "%lld", (long long)j + t->base);
    return shown;
}

/* ---- The head ------------------------------------------------------------------------------------------ */

static pith_status read_head(text *t)
{
    const char *word = NULL;
    int64_t version = 0;
    pith_status st = PITH_OK;
    if (!next_line(t))
        t->c = (pith_i_cursor){.line = 1};
    const int64_t length = pith_i_next_word(&t->c, &word);
    if (!is(word, length, "pith-tree") || !pith_i_next_integer(&t->c, &version) || t->c.from < t->c.to ||
        version < 1)
        WRONG(t, "%s:%lld: not a tree file: 'pith-tree 1' expected", AT(t));
    if (version > NEWEST)
        WRONG(t, "%s:%lld: tree file version %lld is newer than this program", AT(t), (long long)version);
done:
    return st;
}

static pith_status read_features(text *t)
{
    pith_i_tree_reader *r = t->r;
    int64_t count = 0;
    pith_status st = PITH_OK;
    if (t->counted)
        WRONG(t, "%s:%lld: 'features' given twice", AT(t));
    if (!pith_i_next_integer(&t->c, &count) || t->c.from < t->c.to || count < 1 || count > INT32_MAX)
        WRONG(t, "%s:%lld: 'features' needs a number in 1..2147483647", AT(t));
    if (r->n_features >= 0 && count != r->n_features)
        WRONG(t, "%s:%lld: tree is for %lld features, the data has %lld", AT(t), (long long)count,
              (long long)r->n_features);
    r->n_features = count;
    t->counted = true;
done:
    return st;
}

static pith_status read_base(text *t)
{
    pith_status st = PITH_OK;
    if (t->r->nodes.count > 0)
        WRONG(t, "%s:%lld: 'base' must come before the first node", AT(t));
    if (!pith_i_next_integer(&t->c, &t->base) || t->c.from < t->c.to || t->base > 1)
        WRONG(t, "%s:%lld: 'base' is 0 or 1", AT(t));
done:
    return st;
}

static pith_status read_names(text *t)
{
    pith_status st = PITH_OK;
    if (t->r->nodes.count > 0)
        WRONG(t, "%s:%lld: 'names' must come before the first node", AT(t));
    if (t->c.from < t->c.to)
        WRONG(t, "%s:%lld: 'names' stands alone on its line", AT(t));
    if (t->by_name)
        WRONG(t, "%s:%lld: 'names' given twice", AT(t));
    t->by_name = true;
    TRY(pith_i_tree_reader_names(t->r));
done:
    return st;
}

/* ---- The features of a node ---------------------------------------------------------------------------- */

static pith_status push(text *t, int32_t j)
{
    pith_i_tree_nodes *n = &t->r->nodes;
    const int32_t g = n->count - 1;
    const int64_t have = n->node_ptr[g + 1] - n->node_ptr[g];
    char a[PITH_I_SHOWN], b[PITH_I_SHOWN];
    pith_status st = PITH_OK;
    if (have == t->r->n_features) /* then some feature is repeated, this one or another */
        WRONG(t, "%s:%lld: node %s: feature %s given twice", AT(t), node_text(t, g, a),
              feature_text(t, j, b));
    TRY(pith_i_tree_nodes_reserve(t->r->ctx, n, have));
    n->feat[n->node_ptr[g + 1]++] = j;
done:
    return st;
}

/* "7" or "3-9" or "*". */
static pith_status read_numbers(text *t, const char *word, int64_t length)
{
    const char *end = word + length;
    const int64_t last = t->r->n_features - 1 + t->base;
    const int32_t g = t->r->nodes.count - 1;
    char a[PITH_I_SHOWN], b[PITH_I_SHOWN];
    uint64_t lo = 0, hi = 0;
    pith_status st = PITH_OK;
    const char *p = pith_i_scan_digits(word, end, &lo), *q = p;
    bool number = p > word && p - word <= 18;
    if (number && p < end && *p == '-') {
        q = pith_i_scan_digits(p + 1, end, &hi);
        number = q > p + 1 && q - p <= 19;
    } else {
        hi = lo;
    }
    if (!number || q != end)
        WRONG(t, "%s:%lld: node %s: %s is not a feature number", AT(t), node_text(t, g, a),
              pith_i_show(word, length, b));
    if (hi < lo)
        WRONG(t, "%s:%lld: node %s: range %llu-%llu is empty", AT(t), node_text(t, g, a),
              (unsigned long long)lo, (unsigned long long)hi);
    if ((int64_t)lo < t->base || (int64_t)lo > last || (int64_t)hi > last)
        WRONG(t, "%s:%lld: node %s: feature %lld is not in %lld..%lld", AT(t), node_text(t, g, a),
              (long long)((int64_t)lo < t->base || (int64_t)lo > last ? lo : hi), (long long)t->base,
              (long long)last);
    for (int64_t j = (int64_t)lo; j <= (int64_t)hi; j++)
        TRY(push(t, (int32_t)(j - t->base)));
done:
    return st;
}

static pith_status read_name(text *t, const char *word, int64_t length)
{
    pith_i_tree_reader *r = t->r;
    const int32_t g = r->nodes.count - 1;
    char a[PITH_I_SHOWN], b[PITH_I_SHOWN];
    pith_i_word *found = pith_i_words_find(&r->features, word, length);
    pith_status st = PITH_OK;
    if (found == NULL && (r->names != NULL || r->features.count == r->n_features))
        WRONG(t, "%s:%lld: node %s: no feature is called %s", AT(t), node_text(t, g, a),
              pith_i_show(word, length, b));
    if (found == NULL) /* the data is not known: numbered in order of appearance */
        TRY(pith_i_words_add(r->ctx, &r->features, word, length, r->features.count, NULL, &found));
    TRY(push(t, (int32_t)found->value));
done:
    return st;
}

/* The next entry of a list, without its quotes. Returns its length; -1: a quote is not closed. */
static int64_t next_entry(text *t, const char **word)
{
    if (!t->by_name || t->c.from >= t->c.to || *t->c.from != '"')
        return pith_i_next_word(&t->c, word);
    const char *from = t->c.from + 1, *close = memchr(from, '"', (size_t)(t->c.to - from));
    if (close == NULL)
        return -1;
    *word = from;
    t->c.from = close + 1;
    while (t->c.from < t->c.to && pith_i_is_space(*t->c.from))
        t->c.from++;
    return close - from;
}

static int by_number(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return x < y ? -1 : x > y;
}

static pith_status read_list(text *t)
{
    pith_i_tree_nodes *n = &t->r->nodes;
    const int32_t g = n->count - 1;
    char a[PITH_I_SHOWN], b[PITH_I_SHOWN];
    const char *word = NULL;
    pith_status st = PITH_OK;
    while (t->c.from < t->c.to) {
        const bool bare = *t->c.from != '"';
        const int64_t length = next_entry(t, &word);
        if (length < 0)
            WRONG(t, "%s:%lld: node %s: a quote is not closed", AT(t), node_text(t, g, a));
        if (bare && is(word, length, "*"))
            for (int32_t j = 0; j < (int32_t)t->r->n_features; j++)
                TRY(push(t, j));
        else if (t->by_name)
            TRY(read_name(t, word, length));
        else
            TRY(read_numbers(t, word, length));
    }
    const int64_t count = n->node_ptr[g + 1] - n->node_ptr[g];
    if (count == 0)
        WRONG(t, "%s:%lld: node %s has no feature", AT(t), node_text(t, g, a));
    int32_t *feat = n->feat + n->node_ptr[g];
    bool sorted = true;
    for (int64_t e = 1; e < count && sorted; e++)
        sorted = feat[e - 1] < feat[e];
    if (!sorted)
        qsort(feat, (size_t)count, sizeof *feat, by_number);
    for (int64_t e = 1; e < count; e++)
        if (feat[e - 1] == feat[e])
            WRONG(t, "%s:%lld: node %s: feature %s given twice", AT(t), node_text(t, g, a),
                  feature_text(t, feat[e], b));
done:
    return st;
}

/* ---- Nodes --------------------------------------------------------------------------------------------- */

static pith_status check_root(text *t)
{
    const pith_i_tree_nodes *n = &t->r->nodes;
    const int64_t have = n->node_ptr[1];
    char a[PITH_I_SHOWN];
    pith_status st = PITH_OK;
    int32_t first = 0;
    while (first < have && n->feat[first] == first)
        first++;
    if (have < t->r->n_features)
        WRONG(t, "%s:%lld: the root lacks %lld features, first %s", AT(t),
              (long long)(t->r->n_features - have), feature_text(t, first, a));
done:
    return st;
}

/* Every feature is one of the parent's, and no other child has it. */
static pith_status check_inside(text *t, int32_t g)
{
    const pith_i_tree_nodes *n = &t->r->nodes;
    const int32_t up = n->parent[g];
    char a[PITH_I_SHOWN], b[PITH_I_SHOWN], c[PITH_I_SHOWN];
    int64_t from = n->node_ptr[up];
    const int64_t end = n->node_ptr[up + 1];
    pith_status st = PITH_OK;
    for (int64_t e = n->node_ptr[g]; e < n->node_ptr[g + 1]; e++) {
        int64_t to = end;
        if (from < end && n->feat[from] != n->feat[e]) /* mostly the next one; else by bisection */
            while (from < to) {
                const int64_t middle = from + (to - from) / 2;
                if (n->feat[middle] < n->feat[e])
                    from = middle + 1;
                else
                    to = middle;
            }
        if (from == end || n->feat[from] != n->feat[e])
            WRONG(t, "%s:%lld: node %s is not inside its parent %s: feature %s", AT(t), node_text(t, g, a),
                  node_text(t, up, b), feature_text(t, n->feat[e], c));
        if (t->claim[from] >= 0)
            WRONG(t, "%s:%lld: nodes %s and %s of level %d share feature %s", AT(t),
                  node_text(t, t->claim[from], a), node_text(t, g, b), t->level[g],
                  feature_text(t, n->feat[e], c));
        t->claim[from++] = g;
    }
done:
    return st;
}

static pith_status grow(text *t)
{
    pith_i_tree_nodes *n = &t->r->nodes;
    const int64_t room = n->room;
    struct {
        void **block;
        size_t size;
    } all[] = {{(void **)&t->line, sizeof *t->line},
               {(void **)&t->level, sizeof *t->level},
               {(void **)&t->id, sizeof *t->id},
               {(void **)&t->id_size, sizeof *t->id_size}};
    if (t->node_room == room)
        return PITH_OK;
    for (size_t i = 0; i < COUNT(all); i++) {
        void *larger = pith_i_realloc(t->r->ctx, *all[i].block, room, all[i].size);
        if (larger == NULL)
            return PITH_E_NOMEM;
        *all[i].block = larger;
    }
    t->node_room = room;
    return PITH_OK;
}

/* Makes room for the claims on the last node's features: none yet. */
static pith_status open_claims(text *t)
{
    const pith_i_tree_nodes *n = &t->r->nodes;
    if (t->claim_room < n->feat_room) {
        int32_t *larger = pith_i_realloc(t->r->ctx, t->claim, n->feat_room, sizeof *larger);
        if (larger == NULL)
            return PITH_E_NOMEM;
        t->claim = larger;
        t->claim_room = n->feat_room;
    }
    for (int64_t e = n->node_ptr[n->count - 1]; e < n->node_ptr[n->count]; e++)
        t->claim[e] = -1;
    return PITH_OK;
}

/* ID and PARENT of a node's line; *up is -1 for the root. */
static pith_status read_place(text *t, int32_t *up)
{
    const char *id = NULL, *parent = NULL;
    char a[PITH_I_SHOWN], b[PITH_I_SHOWN];
    pith_i_word *word = NULL;
    bool added = false;
    pith_status st = PITH_OK;
    const int64_t id_size = pith_i_next_word(&t->c, &id), parent_size = pith_i_next_word(&t->c, &parent);
    if (id_size == 0 || parent_size == 0)
        WRONG(t, "%s:%lld: 'node ID PARENT FEATURES' expected", AT(t));
    TRY(pith_i_words_add(t->r->ctx, &t->ids, id, id_size, t->r->nodes.count, &added, &word));
    if (!added)
        WRONG(t, "%s:%lld: node %s given twice (first in line %lld)", AT(t), pith_i_show(id, id_size, a),
              (long long)t->line[word->value]);
    *up = -1;
    if (!is(parent, parent_size, "-")) {
        word = pith_i_words_find(&t->ids, parent, parent_size);
        if (word == NULL || word->value == t->r->nodes.count)
            WRONG(t, "%s:%lld: node %s: parent %s is not given above", AT(t), pith_i_show(id, id_size, a),
                  pith_i_show(parent, parent_size, b));
        *up = (int32_t)word->value;
    } else if (t->r->nodes.count > 0) {
        WRONG(t, "%s:%lld: more than one root", AT(t));
    }
    TRY(pith_i_tree_nodes_add(t->r->ctx, &t->r->nodes, *up));
    TRY(grow(t));
    const int32_t g = t->r->nodes.count - 1;
    t->id[g] = id;
    t->id_size[g] = id_size;
    t->line[g] = t->c.line;
    t->level[g] = *up >= 0 ? t->level[*up] + 1 : 1;
done:
    return st;
}

static pith_status read_node(text *t)
{
    int32_t up = -1;
    pith_status st = PITH_OK;
    if (!t->counted)
        WRONG(t, "%s:%lld: 'features' must come before the first node", AT(t));
    TRY(read_place(t, &up));
    TRY(read_list(t));
    TRY(open_claims(t));
    if (up < 0)
        TRY(check_root(t));
    else
        TRY(check_inside(t, t->r->nodes.count - 1));
done:
    return st;
}

static pith_status read_label(text *t)
{
    const char *id = NULL;
    char a[PITH_I_SHOWN];
    pith_status st = PITH_OK;
    const int64_t id_size = pith_i_next_word(&t->c, &id);
    const pith_i_word *word = pith_i_words_find(&t->ids, id, id_size);
    if (word == NULL)
        WRONG(t, "%s:%lld: label: node %s is not given above", AT(t), pith_i_show(id, id_size, a));
    t->r->nodes.label[word->value] = t->c.from;
    t->r->nodes.label_length[word->value] = t->c.to - t->c.from;
    t->r->nodes.labelled = true;
done:
    return st;
}

static pith_status read_line(text *t)
{
    const char *word = NULL;
    char a[PITH_I_SHOWN];
    pith_status st = PITH_OK;
    const int64_t length = pith_i_next_word(&t->c, &word);
    if (is(word, length, "node"))
        TRY(read_node(t));
    else if (is(word, length, "label"))
        TRY(read_label(t));
    else if (is(word, length, "features"))
        TRY(read_features(t));
    else if (is(word, length, "base"))
        TRY(read_base(t));
    else if (is(word, length, "names"))
        TRY(read_names(t));
    else
        WRONG(t, "%s:%lld: unknown word %s", AT(t), pith_i_show(word, length, a));
done:
    return st;
}

pith_status pith_i_tree_read_text(pith_i_tree_reader *r)
{
    text t = {.r = r, .c = {.at = r->bytes.at, .end = r->bytes.at + r->bytes.size}};
    pith_status st = PITH_OK;
    if (r->bytes.size >= 3 && memcmp(r->bytes.at, "\xef\xbb\xbf", 3) == 0)
        t.c.at += 3;
    TRY(read_head(&t));
    while (next_line(&t)) {
        TRY(pith_i_progress(r->ctx, t.c.at - r->bytes.at, r->bytes.size));
        TRY(read_line(&t));
    }
    t.c.line = t.c.line > 0 ? t.c.line : 1;
    if (!t.counted)
        WRONG(&t, "%s:%lld: 'features' is missing", AT(&t));
    if (r->nodes.count == 0)
        WRONG(&t, "%s:%lld: no root", AT(&t));
done:
    pith_i_words_free(&t.ids);
    pith_i_free(t.line);
    pith_i_free(t.level);
    pith_i_free((void *)t.id);
    pith_i_free(t.id_size);
    pith_i_free(t.claim);
    return st;
}
