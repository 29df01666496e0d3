/* Preparing data: the steps by their names, one after the other. */
#include "matrix/matrix.h"
#include "methods/params.h"
#include "methods/row_steps.h"

#include <string.h>

enum { MOST_STEPS = 64, LONGEST = 256 };

struct pith_step {
    const pith_i_row_step *rows; /* it chooses samples */
};

static const pith_step steps[] = {
    {.rows = &pith_i_step_drop_noisy},
    {.rows = &pith_i_step_representatives},
};

static const pith_method *about(const pith_step *step)
{
    return &step->rows->about;
}

const pith_step *pith_step_at(size_t i)
{
    return i < COUNT(steps) ? &steps[i] : NULL;
}

const char *pith_step_name(const pith_step *step)
{
    return about(step)->name;
}

const char *pith_step_title(const pith_step *step)
{
    return about(step)->title;
}

const pith_param *pith_step_param(const pith_step *step, size_t i)
{
    return i < about(step)->n_table ? &about(step)->table[i].shown : NULL;
}

/* ---- Reading the list -----------------------------------------------------------------------------------
 */

static pith_status find_step(pith_ctx *ctx, const char *name, const pith_step **out)
{
    const char *names[COUNT(steps) + 1] = {0};
    for (size_t i = 0; i < COUNT(steps); i++) {
        names[i] = about(&steps[i])->name;
        if (strcmp(names[i], name) == 0) {
            *out = &steps[i];
            return PITH_OK;
        }
    }
    const char *near = pith_nearest(name, names);
    return pith_i_error(ctx, PITH_E_PARAMETER, "unknown step '%s'%s%s%s", name,
                        near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                        near != NULL ? "'?" : "");
}

/* Up to the next of `ends`, as a text of its own; at moves behind it. */
static pith_status next_word(pith_ctx *ctx, const char **at, const char *ends, char word[LONGEST])
{
    const size_t length = strcspn(*at, ends);
    if (length >= LONGEST)
        return pith_i_error(ctx, PITH_E_PARAMETER, "a step of %zu letters is too long: %d is the most",
                            length, LONGEST - 1);
    memcpy(word, *at, length);
    word[length] = '\0';
    *at += length;
    return PITH_OK;
}

/* "remove=0.2:mu=0.5" behind a step's name. */
static pith_status read_settings(pith_ctx *ctx, const char **at, pith_params *params)
{
    char word[LONGEST], *value = NULL;
    pith_status st = PITH_OK;
    while (**at == ':') {
        ++*at;
        TRY(next_word(ctx, at, ":,", word));
        value = strchr(word, '=');
        if (value == NULL)
            FAIL(ctx, PITH_E_PARAMETER, "%s: 'parameter=value' expected, not '%s'", params->method->name,
                 word);
        *value = '\0';
        for (char *c = word; *c != '\0'; c++)
            *c = *c == '-' ? '_' : *c; /* as on the command line */
        TRY(pith_i_params_set(ctx, params, word, value + 1));
    }
done:
    return st;
}

typedef struct plan {
    size_t count;
    const pith_step *step[MOST_STEPS];
    pith_params *params[MOST_STEPS];
} plan;

static void plan_free(plan *p)
{
    for (size_t i = 0; i < p->count; i++)
        pith_params_free(p->params[i]);
}

/* The whole list before any work: a mistake in the last step costs no hours. */
static pith_status read_plan(pith_ctx *ctx, const char *text, plan *p)
{
    char word[LONGEST];
    pith_status st = PITH_OK;
    for (const char *at = text;; at++) {
        if (p->count == MOST_STEPS)
            FAIL(ctx, PITH_E_PARAMETER, "more than %d steps", MOST_STEPS);
        TRY(next_word(ctx, &at, ":,", word));
        TRY(find_step(ctx, word, &p->step[p->count]));
        TRY(pith_params_new(ctx, about(p->step[p->count]), &p->params[p->count]));
        p->count++;
        TRY(read_settings(ctx, &at, p->params[p->count - 1]));
        if (*at == '\0')
            break;
    }
done:
    return st;
}

/* ---- Carrying it out ------------------------------------------------------------------------------------
 */

static pith_status take_names(pith_ctx *ctx, const pith_i_names *names, int64_t count, const int64_t *rows,
                              pith_i_names *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const char **texts = NULL;
    pith_status st = PITH_OK;
    if (names->start == NULL)
        return PITH_OK;
    TRY(SCRATCH(ctx, texts, count));
    for (int64_t i = 0; i < count; i++)
        texts[i] = pith_i_name(names, rows != NULL ? rows[i] : i);
    TRY(pith_i_names_copy(ctx, count, texts, out));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status choose_rows(pith_ctx *ctx, const pith_i_row_step *step, const pith_params *params,
                               const pith_matrix *m, pith_matrix **out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_matrix *kept = NULL;
    int64_t *rows = NULL, count = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, rows, m->data.n));
    TRY(step->choose(ctx, &m->data, params->values, rows, &count));
    TRY(pith_i_matrix_take_rows(ctx, m, count, rows, &kept));
    TRY(take_names(ctx, &m->features, m->data.p, NULL, &kept->features));
    TRY(take_names(ctx, &m->samples, count, rows, &kept->samples));
    *out = kept;
    kept = NULL;
done:
    pith_matrix_free(kept);
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_prep(pith_ctx *ctx, const pith_matrix *m, const char *list, pith_matrix **out)
{
    plan p = {0};
    pith_matrix *made = NULL, *next = NULL;
    pith_status st = PITH_OK;
    if (ctx == NULL || m == NULL || list == NULL || out == NULL)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "no context, matrix, steps or place for the result");
    TRY(read_plan(ctx, list, &p));
    if (!m->known_finite)
        TRY(pith_i_data_check_finite(ctx, &m->data));
    for (size_t i = 0; i < p.count; i++) {
        pith_i_progress_scope(ctx, about(p.step[i])->name, (double)i / (double)p.count,
                              (double)(i + 1) / (double)p.count);
        TRY(choose_rows(ctx, p.step[i]->rows, p.params[i], made != NULL ? made : m, &next));
        pith_matrix_free(made);
        made = next;
    }
    *out = made;
    made = NULL;
done:
    pith_i_progress_scope(ctx, NULL, 0, 1);
    pith_matrix_free(made);
    plan_free(&p);
    return st;
}
