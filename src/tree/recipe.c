/* "grid:32x32:leaf=16": a builder and its settings, as text. */
#include "core/engine.h"
#include "core/text.h"
#include "tree/build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 4096 };

static const char *const kinds[] = {"root", "grid", "cluster", "wordnet", "auto", NULL};
static const char *const orders[] = {"auto", "column", "row", NULL};
static const char *const linkages[] = {"auto", "average", "ward", "bisect", NULL};
static const char *const stems[] = {"auto", "yes", "no", NULL};
static const char *const truths[] = {"no", "yes", NULL};

static int kind_of(const char *text)
{
    const size_t length = strcspn(text, ":");
    for (int k = 0; kinds[k] != NULL; k++)
        if (strlen(kinds[k]) == length && memcmp(text, kinds[k], length) == 0)
            return k;
    return -1;
}

bool pith_i_recipe_is_one(const char *text)
{
    return kind_of(text) >= 0;
}

static pith_status choose(pith_ctx *ctx, const char *name, const char *value, const char *const *words,
                          int *out)
{
    char list[128] = "";
    for (int i = 0; words[i] != NULL; i++) {
        if (strcmp(words[i], value) == 0) {
            *out = i;
            return PITH_OK;
        }
        (void)snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i > 0 ? ", " : "", words[i]);
    }
    return pith_i_error(ctx, PITH_E_PARAMETER, "tree: %s: '%s' is not one of %s", name, value, list);
}

static pith_status count(pith_ctx *ctx, const char *name, const char *value, int64_t lo, int64_t *out)
{
    double v = 0;
    if (!pith_i_parse_double(value, &v) || v != floor(v) || v < (double)lo || v > INT32_MAX)
        return pith_i_error(ctx, PITH_E_PARAMETER,
                            "tree: %s: a whole number in %lld..2147483647 expected, "
                            "not '%s'",
                            name, (long long)lo, value);
    *out = (int64_t)v;
    return PITH_OK;
}

static pith_status size(pith_ctx *ctx, const char *value, pith_i_recipe *r)
{
    char height[32], width[32];
    const size_t length = strcspn(value, "x");
    if (value[length] != 'x' || length >= sizeof height || strlen(value + length + 1) >= sizeof width)
        return pith_i_error(ctx, PITH_E_PARAMETER, "tree: size: HEIGHTxWIDTH expected, not '%s'", value);
    (void)snprintf(height, sizeof height, "%.*s", (int)length, value);
    (void)snprintf(width, sizeof width, "%s", value + length + 1);
    const pith_status st = count(ctx, "height", height, 1, &r->height);
    return st == PITH_OK ? count(ctx, "width", width, 1, &r->width) : st;
}

/* Sets one setting, if this kind of builder has it. */
static pith_status set(pith_ctx *ctx, const char *name, const char *value, pith_i_recipe *r)
{
    const bool grid = r->kind == PITH_I_GRID, cluster = r->kind == PITH_I_CLUSTER,
               wordnet = r->kind == PITH_I_WORDNET, image = grid || r->kind == PITH_I_ANY;
    int choice = 0;
    pith_status st = PITH_OK;
    if (image && strcmp(name, "size") == 0) {
        TRY(size(ctx, value, r));
    } else if (image && strcmp(name, "order") == 0) {
        TRY(choose(ctx, name, value, orders, &choice));
        r->order = (pith_i_order)choice;
    } else if (grid && strcmp(name, "channels") == 0) {
        TRY(count(ctx, name, value, 1, &r->channels));
    } else if ((grid || cluster) && strcmp(name, "leaf") == 0) {
        TRY(count(ctx, name, value, 1, &r->leaf));
    } else if ((grid || wordnet) && strcmp(name, "depth") == 0) {
        TRY(count(ctx, name, value, 1, &r->depth));
    } else if (cluster && strcmp(name, "branch") == 0) {
        TRY(count(ctx, name, value, 2, &r->branch));
    } else if (cluster && strcmp(name, "linkage") == 0) {
        TRY(choose(ctx, name, value, linkages, &choice));
        r->linkage = (pith_i_linkage)choice;
    } else if (cluster && strcmp(name, "abs") == 0) {
        TRY(choose(ctx, name, value, truths, &choice));
        r->absolute = choice == 1;
    } else if (wordnet && strcmp(name, "stemmed") == 0) {
        TRY(choose(ctx, name, value, stems, &choice));
        r->stemmed = (pith_i_stemmed)choice;
    } else if (wordnet && strcmp(name, "top") == 0) {
        TRY(count(ctx, name, value, 0, &r->top));
    } else if (wordnet && strcmp(name, "dict") == 0) {
        (void)snprintf(r->dict, sizeof r->dict, "%s", value);
    } else {
        FAIL(ctx, PITH_E_PARAMETER, "tree: %s has no setting '%s'", kinds[r->kind], name);
    }
done:
    return st;
}

/* One setting: name=value; for an image also its size or order alone. */
static pith_status read_setting(pith_ctx *ctx, char *word, pith_i_recipe *r)
{
    const bool image = r->kind == PITH_I_GRID || r->kind == PITH_I_ANY;
    char *value = strchr(word, '=');
    if (value != NULL) {
        *value++ = '\0';
        return set(ctx, word, value, r);
    }
    if (image && (strcmp(word, "row") == 0 || strcmp(word, "column") == 0))
        return set(ctx, "order", word, r);
    if (image)
        return set(ctx, "size", word, r);
    return pith_i_error(ctx, PITH_E_PARAMETER, "tree: 'setting=value' expected, not '%s'", word);
}

/* Defaults that differ between the builders. */
static void set_defaults(pith_i_recipe *r)
{
    r->leaf = r->kind == PITH_I_GRID ? 16 : 4;
    r->depth = r->kind == PITH_I_GRID ? 6 : 0;
}

pith_status pith_i_recipe_read(pith_ctx *ctx, const char *text, pith_i_recipe *out)
{
    char word[LONGEST];
    pith_status st = PITH_OK;
    const int kind = kind_of(text);
    if (kind < 0)
        FAIL(ctx, PITH_E_PARAMETER, "tree: '%s' is not one of root, grid, cluster, wordnet, auto", text);
    pith_i_recipe r = {.channels = 1, .branch = 4};
    r.kind = kind;
    set_defaults(&r);
    for (const char *at = text + strcspn(text, ":"); *at == ':';) {
        const size_t length = strcspn(++at, ":");
        if (length >= sizeof word)
            FAIL(ctx, PITH_E_PARAMETER, "tree: a setting of %zu characters is too long", length);
        memcpy(word, at, length);
        word[length] = '\0';
        TRY(read_setting(ctx, word, &r));
        at += length;
    }
    *out = r;
done:
    return st;
}

static bool has_names(const pith_i_table *table)
{
    return table->names != NULL && table->names->start != NULL;
}

/* Processes that share the samples must choose the same tree: if one of them has no dictionary, none uses it.
 */
static pith_status agree(pith_ctx *ctx, const pith_i_table *table, int64_t *known)
{
    double least = (double)*known;
    pith_status st = PITH_OK;
    if (pith_i_is_spread(table->X))
        TRY(pith_i_sum_by(ctx, PITH_ENGINE_LEAST, 1, &least));
    *known = (int64_t)least;
done:
    return st;
}

pith_status pith_i_recipe_settle(pith_ctx *ctx, const pith_i_table *table, pith_i_recipe *recipe,
                                 char text[PITH_I_CHOSEN])
{
    int64_t known = 0;
    pith_status st = PITH_OK;
    text[0] = '\0';
    if (recipe->kind != PITH_I_ANY)
        return PITH_OK;
    if (recipe->height == 0 && has_names(table)) {
        st = pith_i_wordnet_known(ctx, table, &known);
        if (st == PITH_E_FILE)                         /* no dictionary is not a failure here: */
            st = pith_i_error(ctx, PITH_OK, "%s", ""); /* clear the message */
        TRY(st);
        TRY(agree(ctx, table, &known));
    }
    recipe->kind = recipe->height > 0        ? PITH_I_GRID
                   : 2 * known > table->X->p ? PITH_I_WORDNET
                                             : PITH_I_CLUSTER;
    set_defaults(recipe);
    (void)snprintf(text, PITH_I_CHOSEN, "%s", kinds[recipe->kind]);
    if (recipe->kind == PITH_I_GRID)
        (void)snprintf(text, PITH_I_CHOSEN, "grid:%lldx%lld%s%s", (long long)recipe->height,
                       (long long)recipe->width, recipe->order != PITH_I_ORDER_AUTO ? ":" : "",
                       recipe->order != PITH_I_ORDER_AUTO ? orders[recipe->order] : "");
done:
    return st;
}

pith_status pith_i_tree_root(pith_ctx *ctx, int32_t n_features, pith_tree **out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int32_t parent[] = {-1};
    const int64_t node_ptr[] = {0, n_features};
    int32_t *feat = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, feat, n_features));
    for (int32_t j = 0; j < n_features; j++)
        feat[j] = j;
    const pith_i_sketch s = {
        .n_features = n_features, .n_nodes = 1, .parent = parent, .node_ptr = node_ptr, .feat = feat};
    TRY(pith_i_tree_make(ctx, &s, 0, out));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_tree_build(pith_ctx *ctx, const pith_i_table *table, const pith_i_recipe *recipe,
                              pith_tree **out)
{
    pith_i_recipe settled = *recipe;
    char text[PITH_I_CHOSEN];
    if (table->X->p < 1 || table->X->p > INT32_MAX)
        return pith_i_error(ctx, PITH_E_DATA, "the data has %lld features, but a tree needs 1..2147483647",
                            (long long)table->X->p);
    const pith_status st = pith_i_recipe_settle(ctx, table, &settled, text);
    if (st != PITH_OK)
        return st;
    switch (settled.kind) {
    case PITH_I_ROOT: return pith_i_tree_root(ctx, (int32_t)table->X->p, out);
    case PITH_I_GRID: return pith_i_tree_grid(ctx, table, &settled, out);
    case PITH_I_CLUSTER: return pith_i_tree_cluster(ctx, table, &settled, out);
    case PITH_I_WORDNET: return pith_i_tree_wordnet(ctx, table, &settled, out);
    case PITH_I_ANY: break;
    }
    return pith_i_error(ctx, PITH_E_BUG, "a tree of an unknown kind");
}
