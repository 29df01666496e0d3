#include "evaluate/plan.h"

#include "core/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 128, TEXT = 512, MOST_AXES = 8, MOST_SETTINGS = 10000 };

bool pith_i_next_word(const char **list, char *word, size_t size)
{
    const char *at = *list;
    while (*at == ',' || *at == ' ')
        at++;
    const size_t length = strcspn(at, ",");
    if (*at == '\0')
        return false;
    (void)snprintf(word, size, "%.*s", (int)(length < size ? length : size - 1), at);
    *list = at + length;
    return true;
}

/* ---- Feature counts ------------------------------------------------------------------------------------ */

static int ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* 50, 100 .. 300 on wide data, as in most papers; 1/7 .. 6/7 of the width on narrow data. */
static void default_counts(int64_t p, pith_comparison *c)
{
    for (int64_t i = 1; i <= 6; i++) {
        const int64_t count = p >= 350 ? 50 * i : (p * i + 6) / 7;
        if (count >= 1 && count < p && (c->n_counts == 0 || count > c->counts[c->n_counts - 1]))
            c->counts[c->n_counts++] = count;
    }
    if (c->n_counts == 0)
        c->counts[c->n_counts++] = p;
}

/* Counts of a protocol above the number of features are skipped; the user's own are an error. */
static pith_status read_counts(pith_ctx *ctx, pith_comparison *c, const char *list, bool of_user)
{
    const int64_t p = c->m->data.p;
    char word[WORD];
    double v = 0;
    while (pith_i_next_word(&list, word, sizeof word)) {
        if (!pith_i_parse_double(word, &v) || !(v >= 1) || v != floor(v))
            return pith_i_error(ctx, PITH_E_PARAMETER, "features: a positive whole number expected, not '%s'",
                                word);
        if (v > (double)p && of_user)
            return pith_i_error(ctx, PITH_E_PARAMETER, "features: %s is more than the %lld that the data has",
                                word, (long long)p);
        if (v <= (double)p)
            c->counts[c->n_counts++] = (int64_t)v;
    }
    if (of_user && c->n_counts == 0)
        return pith_i_error(ctx, PITH_E_PARAMETER, "features: no number was given");
    return PITH_OK;
}

pith_status pith_i_plan_counts(pith_ctx *ctx, pith_comparison *c, const char *features)
{
    const char *list = features != NULL ? features : pith_i_protocol_features(c->protocol.name);
    pith_status st = PITH_OK;
    int64_t kept = 0;
    TRY(NEW(ctx, c->counts, (list != NULL ? (int64_t)strlen(list) : 0) + 6)); /* one per character, or six */
    if (list != NULL)
        TRY(read_counts(ctx, c, list, features != NULL));
    if (c->n_counts == 0)
        default_counts(c->m->data.p, c);
    qsort(c->counts, (size_t)c->n_counts, sizeof *c->counts, ascending);
    for (int64_t i = 0; i < c->n_counts; i++)
        if (i == 0 || c->counts[i] != c->counts[i - 1])
            c->counts[kept++] = c->counts[i];
    c->n_counts = kept;
    c->n_kept = c->counts[kept - 1] > PITH_I_SHOWN ? c->counts[kept - 1] : PITH_I_SHOWN;
    c->n_kept = c->n_kept < c->m->data.p ? c->n_kept : c->m->data.p;
done:
    return st;
}

/* ---- Methods and their settings ------------------------------------------------------------------------ */

/* Values to be tried of one parameter: "lambda" and "1e-6,1e-5". */
typedef struct axis {
    char name[WORD];
    const char *values;
} axis;

typedef struct axes {
    axis at[MOST_AXES];
    size_t count;
} axes;

static bool has_parameter(const pith_method *m, const char *name)
{
    return pith_i_method_row_named(m, name) != NULL;
}

/* Does the method take this parameter? `graph` with a word (knn, full) is only for methods that have the
 * choice; others take a file. */
static bool takes(const pith_method *m, const axis *a)
{
    const pith_i_param *row = pith_i_method_row_named(m, a->name);
    char first[WORD];
    const char *list = a->values;
    if (row == NULL || strcmp(a->name, "graph") != 0 || row->shown.type == PITH_CHOICE)
        return row != NULL;
    return pith_i_next_word(&list, first, sizeof first) && !pith_i_is_graph_word(first);
}

/* "lambda=1,2" into an axis; hyphens in the name are underscores, as on the command line. */
static pith_status read_axis(pith_ctx *ctx, const char *text, axis *out)
{
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text || equals[1] == '\0' || (size_t)(equals - text) >= WORD)
        return pith_i_error(ctx, PITH_E_PARAMETER, "'%s': NAME=VALUE,VALUE,... expected", text);
    (void)snprintf(out->name, sizeof out->name, "%.*s", (int)(equals - text), text);
    for (char *s = out->name; *s != '\0'; s++)
        *s = *s == '-' ? '_' : *s;
    out->values = equals + 1;
    return PITH_OK;
}

static pith_status add_axis(pith_ctx *ctx, const axis *a, axes *out)
{
    if (out->count == MOST_AXES)
        return pith_i_error(ctx, PITH_E_PARAMETER, "at most %d parameters can be in a grid at once",
                            MOST_AXES);
    out->at[out->count++] = *a;
    return PITH_OK;
}

/* The axes that apply to a method: those of the user that it has, else its own for "default" or where the
 * protocol has grids. */
static pith_status axes_of(pith_ctx *ctx, const pith_comparison *c, const pith_method *m,
                           const pith_compare_options *o, axes *out)
{
    bool own = o->grids == NULL && c->protocol.grids;
    axis a = {0};
    pith_status st = PITH_OK;
    for (const char *const *g = o->grids; g != NULL && *g != NULL; g++) {
        if (strcmp(*g, "default") == 0) {
            own = true;
            continue;
        }
        TRY(read_axis(ctx, *g, &a));
        if (takes(m, &a))
            TRY(add_axis(ctx, &a, out));
    }
    own = own && out->count == 0; /* a grid by the user replaces the method's own */
    for (const char *const *g = m->grid; own && g != NULL && *g != NULL; g++) {
        TRY(read_axis(ctx, *g, &a));
        TRY(add_axis(ctx, &a, out));
    }
done:
    return st;
}

/* Sets what the user fixed for every method that has it, and the number of clusters (0: methods are not
 * told). */
static pith_status fix_settings(pith_ctx *ctx, int64_t clusters, const pith_compare_options *o,
                                pith_params *params)
{
    char value[32];
    axis a = {0};
    pith_status st = PITH_OK;
    if (clusters > 0 && has_parameter(params->method, "clusters")) {
        (void)snprintf(value, sizeof value, "%lld", (long long)clusters);
        TRY(pith_params_set(ctx, params, "clusters", value));
    }
    for (const char *const *s = o->settings; s != NULL && *s != NULL; s++) {
        TRY(read_axis(ctx, *s, &a));
        if (takes(params->method, &a))
            TRY(pith_params_set(ctx, params, a.name, a.values));
    }
done:
    return st;
}

int64_t pith_i_told_clusters(const pith_i_protocol *p)
{
    return p->clusters_to_methods ? p->clusters : 0;
}

pith_status pith_i_plan_params(pith_ctx *ctx, const char *method, const char *setting, int64_t clusters,
                               const pith_compare_options *o, pith_params **out)
{
    const pith_method *m = pith_method_find(method);
    char word[TEXT];
    axis a = {0};
    pith_status st = PITH_OK;
    if (m == NULL)
        FAIL(ctx, PITH_E_BUG, "no method is called '%s'", method);
    TRY(pith_params_new(ctx, m, out));
    TRY(fix_settings(ctx, clusters, o, *out));
    while (*setting != '\0') { /* "lambda=1 alpha=2" */
        const size_t length = strcspn(setting, " ");
        (void)snprintf(word, sizeof word, "%.*s", (int)length, setting);
        TRY(read_axis(ctx, word, &a));
        TRY(pith_params_set(ctx, *out, a.name, a.values));
        setting += length + (setting[length] == ' ');
    }
done:
    return st;
}

pith_status pith_i_plan_search(pith_ctx *ctx, const pith_compare_options *o, pith_i_search_mode *mode,
                               double *recall)
{
    const pith_method *method = pith_method_find("laplacian"); /* any method that searches */
    pith_params *params = NULL;
    axis a = {0};
    pith_status st = PITH_OK;
    TRY(pith_params_new(ctx, method, &params));
    for (const char *const *s = o->settings; s != NULL && *s != NULL; s++) {
        TRY(read_axis(ctx, *s, &a));
        if (strcmp(a.name, "search") == 0 || strcmp(a.name, "recall") == 0)
            TRY(pith_params_set(ctx, params, a.name, a.values));
    }
    *mode = (pith_i_search_mode)pith_i_params_shared(params)->search;
    *recall = pith_i_params_shared(params)->recall;
done:
    pith_params_free(params);
    return st;
}

static pith_status new_entry(pith_ctx *ctx, pith_comparison *c, const char *method, const char *setting,
                             pith_i_entry **out)
{
    pith_status st = PITH_OK;
    if (c->n_entries == MOST_SETTINGS)
        FAIL(ctx, PITH_E_PARAMETER, "the grids have more than %d settings", MOST_SETTINGS);
    if ((c->n_entries & (c->n_entries - 1)) == 0) { /* room for a power of two */
        pith_i_entry *more =
            pith_i_realloc(ctx, c->entries, c->n_entries == 0 ? 1 : 2 * c->n_entries, sizeof *more);
        if (more == NULL)
            TRY(PITH_E_NOMEM);
        c->entries = more;
    }
    pith_i_entry *e = &c->entries[c->n_entries];
    *e = (pith_i_entry){0};
    c->n_entries++; /* from here on the comparison frees it */
    e->method = pith_i_strdup(ctx, method);
    e->setting = pith_i_strdup(ctx, setting);
    if (e->method == NULL || e->setting == NULL)
        TRY(PITH_E_NOMEM);
    *out = e;
done:
    return st;
}

/* The entry for one combination: value number pick[a] of every axis a. */
static pith_status add_setting(pith_ctx *ctx, pith_comparison *c, const pith_compare_options *o,
                               const pith_method *m, const axes *grid, const size_t *pick)
{
    char setting[TEXT] = "", value[MOST_AXES][WORD];
    size_t used = 0;
    pith_i_entry *e = NULL;
    pith_status st = PITH_OK;
    for (size_t a = 0; a < grid->count; a++) {
        const char *list = grid->at[a].values;
        for (size_t i = 0; i <= pick[a]; i++)
            (void)pith_i_next_word(&list, value[a], sizeof value[a]);
        used += (size_t)snprintf(setting + used, sizeof setting - used, "%s%s=%s", a > 0 ? " " : "",
                                 grid->at[a].name, value[a]);
        if (used >= sizeof setting)
            FAIL(ctx, PITH_E_PARAMETER, "the settings of a grid are longer than %d characters", TEXT);
    }
    TRY(new_entry(ctx, c, m->name, setting, &e));
    TRY(pith_params_new(ctx, m, &e->params));
    TRY(fix_settings(ctx, pith_i_told_clusters(&c->protocol), o, e->params));
    for (size_t a = 0; a < grid->count; a++)
        TRY(pith_params_set(ctx, e->params, grid->at[a].name, value[a]));
done:
    return st;
}

static size_t count_words(const char *list)
{
    char word[WORD];
    size_t count = 0;
    while (pith_i_next_word(&list, word, sizeof word))
        count++;
    return count;
}

/* Every combination, the last axis fastest. */
static pith_status add_method(pith_ctx *ctx, pith_comparison *c, const pith_compare_options *o,
                              const pith_method *m)
{
    axes grid = {0};
    size_t pick[MOST_AXES] = {0}, length[MOST_AXES] = {0};
    pith_status st = PITH_OK;
    TRY(axes_of(ctx, c, m, o, &grid));
    for (size_t a = 0; a < grid.count; a++)
        length[a] = count_words(grid.at[a].values);
    for (bool more = true; more;) {
        TRY(add_setting(ctx, c, o, m, &grid, pick));
        more = false;
        for (size_t a = grid.count; a-- > 0 && !more;) {
            more = ++pick[a] < length[a];
            pick[a] = more ? pick[a] : 0;
        }
    }
done:
    return st;
}

static pith_status find_method(pith_ctx *ctx, const char *name, const pith_method **out)
{
    const char *names[MOST_AXES * 8 + 1] = {0};
    *out = pith_method_find(name);
    if (*out != NULL)
        return PITH_OK;
    if (strcmp(name, "auto") == 0)
        return pith_i_error(ctx, PITH_E_PARAMETER,
                            "'auto' picks one method to rank with: to compare, name methods, or take 'all'");
    for (size_t i = 0; i + 1 < COUNT(names) && pith_method_at(i) != NULL; i++)
        names[i] = pith_method_at(i)->name;
    const char *near = pith_nearest(name, names);
    return pith_i_error(ctx, PITH_E_PARAMETER, "no method is called '%s'%s%s%s", name,
                        near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                        near != NULL ? "'?" : "");
}

/* A gridded or fixed parameter that no method has must be a mistake. */
static pith_status check_used(pith_ctx *ctx, const pith_comparison *c, const char *const *texts)
{
    axis a = {0};
    pith_status st = PITH_OK;
    for (; texts != NULL && *texts != NULL; texts++) {
        bool used = strcmp(*texts, "default") == 0;
        if (!used)
            TRY(read_axis(ctx, *texts, &a));
        for (int64_t e = 0; e < c->n_entries && !used; e++)
            used = c->entries[e].params != NULL && takes(c->entries[e].params->method, &a);
        if (!used)
            FAIL(ctx, PITH_E_PARAMETER, "none of the methods has a parameter '%s'", a.name);
    }
done:
    return st;
}

/* A graph that the user gave is over all samples, and does not fit subsamples. */
static pith_status check_subsamples(pith_ctx *ctx, const pith_comparison *c)
{
    for (int64_t e = 0; c->protocol.subsamples > 0 && e < c->n_entries; e++) {
        const pith_params *params = c->entries[e].params;
        const pith_i_shared *o = params != NULL ? pith_i_params_shared(params) : NULL;
        if (o != NULL && (o->own_graph != NULL || o->graph_rows != NULL))
            return pith_i_error(ctx, PITH_E_PARAMETER,
                                "stability is measured on subsamples, which do not fit a graph of all "
                                "samples: use one or the other");
    }
    return PITH_OK;
}

/* The fixed settings in one text, for the record. */
static pith_status keep_settings(pith_ctx *ctx, pith_comparison *c, const char *const *settings)
{
    size_t size = 1;
    pith_status st = PITH_OK;
    for (const char *const *s = settings; s != NULL && *s != NULL; s++)
        size += strlen(*s) + 1;
    TRY(NEW_ZERO(ctx, c->settings, (int64_t)size));
    for (const char *const *s = settings; s != NULL && *s != NULL; s++) {
        (void)strcat(c->settings, s == settings ? "" : " ");
        (void)strcat(c->settings, *s);
    }
done:
    return st;
}

static bool has_negative(const pith_i_data *X)
{
    double row[PITH_I_TILE_COLS];
    for (int64_t e = X->sparse ? X->indptr[0] : 0; X->sparse && e < X->indptr[X->n]; e++)
        if (pith_i_value(X->values, X->dtype, e) < 0)
            return true;
    for (int64_t i = 0; !X->sparse && i < X->n; i++)
        for (int64_t j = 0; j < X->p; j += PITH_I_TILE_COLS) {
            const int64_t cols = X->p - j < PITH_I_TILE_COLS ? X->p - j : PITH_I_TILE_COLS;
            pith_i_block(X, i, 1, j, cols, row, cols);
            for (int64_t t = 0; t < cols; t++)
                if (row[t] < 0)
                    return true;
        }
    return false;
}

/* "all" leaves out what cannot run: supervised methods without labels, and those of counts where a value is
 * negative. */
static bool wanted_by_all(const pith_comparison *c, const pith_method *m)
{
    if (m->counts_only && has_negative(&c->m->data))
        return false;
    return (m->needs & NEEDS_LABELS) == 0 || c->m->label != NULL;
}

pith_status pith_i_plan_entries(pith_ctx *ctx, pith_comparison *c, const pith_compare_options *o)
{
    static const char *const yardsticks[] = {"all-features", "random"};
    const char *list = o->methods != NULL ? o->methods : "all";
    const pith_method *m = NULL;
    pith_i_entry *e = NULL;
    char word[WORD];
    bool energy = false;
    pith_status st = PITH_OK;
    while (pith_i_next_word(&list, word, sizeof word)) {
        if (strcmp(word, "all") == 0) {
            for (size_t i = 0; (m = pith_method_at(i)) != NULL; i++)
                if (wanted_by_all(c, m))
                    TRY(add_method(ctx, c, o, m));
            energy = true;
            continue;
        }
        TRY(find_method(ctx, word, &m));
        TRY(add_method(ctx, c, o, m));
        energy = energy || strcmp(word, "kmeans-energy") == 0;
    }
    if (!energy) /* the third yardstick is a method too */
        TRY(add_method(ctx, c, o, pith_method_find("kmeans-energy")));
    TRY(check_used(ctx, c, o->grids));
    TRY(check_used(ctx, c, o->settings));
    TRY(check_subsamples(ctx, c));
    TRY(keep_settings(ctx, c, o->settings));
    for (size_t y = 0; y < COUNT(yardsticks); y++)
        TRY(new_entry(ctx, c, yardsticks[y], "", &e));
done:
    return st;
}
