#include "prep/steps.h"

#include "core/param.h"
#include "prep/text.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 256 };

static const pith_step steps[] = {
    {.plain = &pith_i_step_text},
    {.plain = &pith_i_step_tfidf},
    {.plain = &pith_i_step_binormalize},
    {.plain = &pith_i_step_counts_per_10k},
    {.plain = &pith_i_step_size_factors},
    {.plain = &pith_i_step_log1p},
    {.plain = &pith_i_step_log10},
    {.plain = &pith_i_step_binary},
    {.plain = &pith_i_step_l1},
    {.plain = &pith_i_step_l2},
    {.plain = &pith_i_step_max},
    {.plain = &pith_i_step_center},
    {.plain = &pith_i_step_zscore},
    {.plain = &pith_i_step_minmax},
    {.plain = &pith_i_step_double_center},
    {.plain = &pith_i_step_quantile},
    {.plain = &pith_i_step_drop_constant},
    {.plain = &pith_i_step_drop_duplicates},
    {.plain = &pith_i_step_min_df},
    {.plain = &pith_i_step_max_df},
    {.plain = &pith_i_step_top_variance},
    {.rows = &pith_i_step_drop_noisy},
    {.rows = &pith_i_step_representatives},
};

static const struct recipe {
    const char *name, *steps, *title;
} recipes[] = {
    {"counts", "counts-per-10k,log1p",
     "counts of molecules or words: library-size normalisation, then logarithms"},
    {"reads", "size-factors,log1p", "reads of bulk RNA: depths by the median of ratios, then logarithms"},
    {"microarray", "log10:logged=50,quantile,double-center", "expression microarrays, as in the nrfs paper"},
    {"image", "minmax", "images: every pixel scaled to the same range"},
};

const pith_step *pith_step_at(size_t i)
{
    return i < COUNT(steps) ? &steps[i] : NULL;
}

const char *pith_step_name(const pith_step *step)
{
    return step->plain != NULL ? step->plain->name : step->rows->about.name;
}

const char *pith_step_title(const pith_step *step)
{
    return step->plain != NULL ? step->plain->title : step->rows->about.title;
}

const pith_param *pith_step_param(const pith_step *step, size_t i)
{
    if (step->rows != NULL)
        return i < step->rows->about.n_table ? &step->rows->about.table[i].shown : NULL;
    return i < PITH_I_STEP_PARAMS && step->plain->params[i].name != NULL ? &step->plain->params[i] : NULL;
}

const char *pith_recipe_at(size_t i, const char **list, const char **title)
{
    const bool known = i < COUNT(recipes);
    if (list != NULL)
        *list = known ? recipes[i].steps : NULL;
    if (title != NULL)
        *title = known ? recipes[i].title : NULL;
    return known ? recipes[i].name : NULL;
}

/* ---- Reading a list ----------------------------------------------------------------------------------- */

static pith_status unknown_step(pith_ctx *ctx, const char *name)
{
    const char *names[COUNT(steps) + COUNT(recipes) + 1] = {0};
    for (size_t i = 0; i < COUNT(steps); i++)
        names[i] = pith_step_name(&steps[i]);
    for (size_t i = 0; i < COUNT(recipes); i++)
        names[COUNT(steps) + i] = recipes[i].name;
    if (*name == '\0')
        return pith_i_error(ctx, PITH_E_PARAMETER,
                            "a step without a name; steps are written like this, without blanks: tfidf,l2");
    if (strcmp(name, "auto") == 0)
        return pith_i_error(ctx, PITH_E_PARAMETER,
                            "'auto' stands for the whole list: it cannot be combined with other steps");
    const char *near = pith_nearest(name, names);
    return pith_i_error(ctx, PITH_E_PARAMETER, "unknown step '%s'%s%s%s", name,
                        near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                        near != NULL ? "'?" : "");
}

static const pith_step *step_named(const char *name)
{
    for (size_t i = 0; i < COUNT(steps); i++)
        if (strcmp(pith_step_name(&steps[i]), name) == 0)
            return &steps[i];
    return NULL;
}

static const char *recipe_named(const char *name)
{
    for (size_t i = 0; i < COUNT(recipes); i++)
        if (strcmp(recipes[i].name, name) == 0)
            return recipes[i].steps;
    return NULL;
}

/* Copies the text up to the next character of `ends`, where *at moves. */
static pith_status next_word(pith_ctx *ctx, const char **at, const char *ends, char word[LONGEST])
{
    const size_t length = strcspn(*at, ends);
    if (length >= LONGEST)
        return pith_i_error(ctx, PITH_E_PARAMETER,
                            "a step of %zu characters is too long: at most %d are allowed", length,
                            LONGEST - 1);
    memcpy(word, *at, length);
    word[length] = '\0';
    *at += length;
    return PITH_OK;
}

static bool is_text(const pith_param *p)
{
    return p->type == PITH_FILE || p->type == PITH_NAME;
}

static pith_status set_text(pith_ctx *ctx, const char *value, char **out)
{
    char *copy = NULL;
    if (strcmp(value, "auto") != 0 && (copy = pith_i_strdup(ctx, value)) == NULL)
        return PITH_E_NOMEM;
    pith_i_free(*out);
    *out = copy;
    return PITH_OK;
}

/* Sets a parameter of the list's last step. */
static pith_status set(pith_ctx *ctx, pith_i_step_list *list, const char *name, const char *value)
{
    const pith_step *step = list->item[list->count - 1].step;
    const char *names[PITH_I_STEP_PARAMS + 1] = {0};
    const pith_param *p = NULL;
    if (step->rows != NULL)
        return pith_i_params_set(ctx, list->item[list->count - 1].params, name, value);
    for (size_t i = 0; (p = pith_step_param(step, i)) != NULL; i++) {
        if (strcmp(p->name, name) == 0 && is_text(p))
            return set_text(ctx, value, &list->item[list->count - 1].texts[i]);
        if (strcmp(p->name, name) == 0)
            return pith_i_param_parse(ctx, p, value, &list->item[list->count - 1].values[i]);
        names[i] = p->name;
    }
    const char *near = pith_nearest(name, names);
    return pith_i_error(ctx, PITH_E_PARAMETER, "%s has no parameter '%s'%s%s%s", pith_step_name(step), name,
                        near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                        near != NULL ? "'?" : "");
}

/* "=0.2:mu=0.5" after a step's name. */
static pith_status read_settings(pith_ctx *ctx, const char **at, pith_i_step_list *list)
{
    const pith_step *step = list->item[list->count - 1].step;
    char word[LONGEST] = "", *value = NULL;
    pith_status st = PITH_OK;
    if (**at == '=') {
        ++*at;
        TRY(next_word(ctx, at, ":,", word));
        if (pith_step_param(step, 0) == NULL)
            FAIL(ctx, PITH_E_PARAMETER, "%s takes no value, but '%s' was given", pith_step_name(step), word);
        TRY(set(ctx, list, pith_step_param(step, 0)->name, word));
    }
    while (**at == ':') {
        ++*at;
        TRY(next_word(ctx, at, ":,", word));
        value = strchr(word, '=');
        if (value == NULL)
            FAIL(ctx, PITH_E_PARAMETER, "%s: 'parameter=value' expected, not '%s'", pith_step_name(step),
                 word);
        *value = '\0';
        for (char *c = word; *c != '\0'; c++)
            *c = *c == '-' ? '_' : *c; /* as on the command line */
        TRY(set(ctx, list, word, value + 1));
    }
done:
    return st;
}

static pith_status add_step(pith_ctx *ctx, const pith_step *step, pith_i_step_list *list)
{
    pith_status st = PITH_OK;
    if (list->count == PITH_I_MOST_STEPS)
        FAIL(ctx, PITH_E_PARAMETER, "more than %d steps", PITH_I_MOST_STEPS);
    if (step->plain == &pith_i_step_text && list->count > 0)
        FAIL(ctx, PITH_E_PARAMETER, "text must be the first step: it reads documents, not a table");
    list->item[list->count].step = step;
    for (size_t i = 0; step->plain != NULL && pith_step_param(step, i) != NULL; i++)
        list->item[list->count].values[i] = pith_step_param(step, i)->def;
    if (step->rows != NULL)
        TRY(pith_params_new(ctx, &step->rows->about, &list->item[list->count].params));
    list->count++;
done:
    return st;
}

/* alone: only steps, no recipes. */
static pith_status read_steps(pith_ctx *ctx, const char *text, bool alone, pith_i_step_list *list)
{
    char word[LONGEST];
    pith_status st = PITH_OK;
    for (const char *at = text;; at++) {
        TRY(next_word(ctx, &at, "=:,", word));
        const char *recipe = alone ? NULL : recipe_named(word);
        const pith_step *step = step_named(word);
        if (recipe != NULL) {
            if (*at != '\0' && *at != ',')
                FAIL(ctx, PITH_E_PARAMETER, "the recipe %s takes no parameters; it stands for %s", word,
                     recipe);
            TRY(read_steps(ctx, recipe, true, list)); /* recipes do not nest */
        } else {
            if (step == NULL)
                TRY(unknown_step(ctx, word));
            TRY(add_step(ctx, step, list));
            TRY(read_settings(ctx, &at, list));
        }
        if (*at == '\0')
            break;
    }
done:
    return st;
}

pith_status pith_i_step_list_read(pith_ctx *ctx, const char *text, pith_i_step_list *out)
{
    return read_steps(ctx, text, false, out);
}

void pith_i_step_list_free(pith_i_step_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        pith_params_free(list->item[i].params);
        for (size_t k = 0; k < PITH_I_STEP_PARAMS; k++)
            pith_i_free(list->item[i].texts[k]);
    }
}

/* ---- Writing a list ----------------------------------------------------------------------------------- */

typedef struct line {
    char *text; /* NULL: only count the bytes */
    size_t used;
} line;

static void put(line *l, const char *word)
{
    const size_t length = strlen(word);
    if (l->text != NULL)
        memcpy(l->text + l->used, word, length + 1);
    l->used += length;
}

static void put_setting(line *l, const char *name, const char *value)
{
    char shown[64];
    (void)snprintf(shown, sizeof shown, ":%s=", name);
    for (char *c = shown; *c != '\0'; c++)
        *c = *c == '_' ? '-' : *c;
    put(l, shown);
    put(l, value);
}

static void put_list(pith_ctx *ctx, const pith_i_step_list *list, const char *before, line *l)
{
    put(l, before != NULL ? before : "");
    for (size_t i = 0; i < list->count; i++) {
        const pith_step *step = list->item[i].step;
        const pith_param *p = NULL;
        put(l, l->used > 0 ? "," : "");
        put(l, pith_step_name(step));
        for (size_t k = 0; (p = pith_step_param(step, k)) != NULL; k++) {
            char number[PITH_I_NUMBER_TEXT], text[LONGEST] = "";
            if (step->rows != NULL)
                (void)pith_params_get(ctx, list->item[i].params, p->name, text, sizeof text);
            const char *given = list->item[i].texts[k < PITH_I_STEP_PARAMS ? k : 0];
            put_setting(l, p->name,
                        step->rows != NULL ? text
                        : is_text(p)       ? given != NULL ? given : "auto"
                                           : pith_i_param_text(p, list->item[i].values[k], number));
        }
    }
}

pith_status pith_i_step_list_text(pith_ctx *ctx, const pith_i_step_list *list, const char *before, char **out)
{
    line l = {0};
    put_list(ctx, list, before, &l);
    l.text = pith_i_alloc(ctx, (int64_t)l.used + 1, 1);
    if (l.text == NULL)
        return PITH_E_NOMEM;
    l.used = 0;
    put_list(ctx, list, before, &l);
    *out = l.text;
    return PITH_OK;
}
