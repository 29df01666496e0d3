#include "methods/params.h"

#include "core/text.h"

#include <stdio.h>
#include <string.h>

static void store(const pith_i_param *row, void *values, double v)
{
    char *field = (char *)values + row->offset;
    switch (row->shown.type) {
    case PITH_INT: *(int64_t *)field = isnan(v) ? PITH_I_AUTO : (int64_t)v; break;
    case PITH_REAL: *(double *)field = v; break;
    case PITH_BOOL: *(bool *)field = v != 0; break;
    case PITH_CHOICE: *(int *)field = (int)v; break;
    }
}

pith_status pith_params_new(pith_ctx *ctx, const pith_method *method, pith_params **out)
{
    pith_params *params = NULL;
    pith_status st = PITH_OK;
    if (ctx == NULL || method == NULL || out == NULL)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "no method was given");
    TRY(NEW_ZERO(ctx, params, 1));
    params->method = method;
    params->values = pith_i_alloc_zero(ctx, 1, method->params_size);
    if (params->values == NULL)
        TRY(PITH_E_NOMEM);
    for (size_t i = 0; i < method->n_table; i++)
        store(&method->table[i], params->values, method->table[i].shown.def);
    *out = params;
    params = NULL;
done:
    pith_params_free(params);
    return st;
}

void pith_params_free(pith_params *params)
{
    if (params != NULL)
        pith_i_free(params->values);
    pith_i_free(params);
}

const pith_method *pith_params_method(const pith_params *params)
{
    return params->method;
}

pith_status pith_i_params_copy(pith_ctx *ctx, const pith_params *from, pith_params **out)
{
    const pith_status st = pith_params_new(ctx, from->method, out);
    if (st == PITH_OK)
        memcpy((*out)->values, from->values, from->method->params_size);
    return st;
}

enum { MOST_ROWS = 64 };

/* The row of that name; else the error with the nearest one. */
static pith_status find_row(pith_ctx *ctx, const pith_method *m, const char *name, const pith_i_param **out)
{
    const char *names[MOST_ROWS + 1] = {0};
    for (size_t i = 0; i < m->n_table; i++) {
        if (strcmp(m->table[i].shown.name, name) == 0) {
            *out = &m->table[i];
            return PITH_OK;
        }
        if (i < MOST_ROWS)
            names[i] = m->table[i].shown.name;
    }
    const char *near = pith_nearest(name, names);
    return pith_i_error(ctx, PITH_E_PARAMETER, "%s has no parameter '%s'%s%s%s", m->name, name,
                        near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                        near != NULL ? "'?" : "");
}

static pith_status set_choice(pith_ctx *ctx, const pith_i_param *row, void *values, const char *word)
{
    char list[512] = "";
    size_t used = 0;
    for (int i = 0; row->shown.choices[i] != NULL; i++) {
        if (strcmp(row->shown.choices[i], word) == 0) {
            store(row, values, i);
            return PITH_OK;
        }
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "",
                                     row->shown.choices[i]);
    }
    const char *near = pith_nearest(word, row->shown.choices);
    return pith_i_error(ctx, PITH_E_PARAMETER, "%s: '%s' is none of %s%s%s%s", row->shown.name, word, list,
                        near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                        near != NULL ? "'?" : "");
}

static pith_status set_bool(pith_ctx *ctx, const pith_i_param *row, void *values, const char *word)
{
    static const char *const yes[] = {"yes", "true", "1"}, *const no[] = {"no", "false", "0"};
    for (size_t i = 0; i < COUNT(yes); i++)
        if (strcmp(word, yes[i]) == 0 || strcmp(word, no[i]) == 0) {
            store(row, values, strcmp(word, yes[i]) == 0);
            return PITH_OK;
        }
    return pith_i_error(ctx, PITH_E_PARAMETER, "%s: 'yes' or 'no' expected, not '%s'", row->shown.name, word);
}

static pith_status set_number(pith_ctx *ctx, const pith_i_param *row, void *values, const char *word)
{
    const pith_param *p = &row->shown;
    char lo[PITH_I_NUMBER_TEXT], hi[PITH_I_NUMBER_TEXT];
    double v = 0;
    const bool number = pith_i_parse_double(word, &v) && (p->type == PITH_REAL || v == floor(v));
    if (!number || !(v >= p->lo && v <= p->hi))
        return pith_i_error(ctx, PITH_E_PARAMETER, "%s: %s in %s..%s%s expected, not '%s'", p->name,
                            p->type == PITH_INT ? "a whole number" : "a number",
                            pith_i_format_double(p->lo, lo), pith_i_format_double(p->hi, hi),
                            p->can_be_auto ? " or 'auto'" : "", word);
    store(row, values, v);
    return PITH_OK;
}

pith_status pith_params_set(pith_ctx *ctx, pith_params *params, const char *name, const char *value)
{
    const pith_i_param *row = NULL;
    pith_status st = PITH_OK;
    if (params == NULL || name == NULL || value == NULL)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "no parameter, name or value was given");
    TRY(find_row(ctx, params->method, name, &row));
    if (row->shown.can_be_auto && strcmp(value, "auto") == 0)
        store(row, params->values, (double)NAN);
    else if (row->shown.type == PITH_CHOICE)
        TRY(set_choice(ctx, row, params->values, value));
    else if (row->shown.type == PITH_BOOL)
        TRY(set_bool(ctx, row, params->values, value));
    else
        TRY(set_number(ctx, row, params->values, value));
done:
    return st;
}

pith_status pith_params_get(pith_ctx *ctx, const pith_params *params, const char *name, char *text,
                            size_t size)
{
    const pith_i_param *row = NULL;
    if (params == NULL || name == NULL || (text == NULL && size > 0))
        return pith_i_error(ctx, PITH_E_ARGUMENT, "no parameters, name or place for the value was given");
    const pith_status st = find_row(ctx, params->method, name, &row);
    if (st != PITH_OK)
        return st;
    const char *field = (const char *)params->values + row->offset;
    char number[PITH_I_NUMBER_TEXT];
    const char *shown = "auto";
    switch (row->shown.type) {
    case PITH_INT:
        if (*(const int64_t *)field != PITH_I_AUTO)
            shown = pith_i_format_double((double)*(const int64_t *)field, number);
        break;
    case PITH_REAL:
        if (!isnan(*(const double *)field))
            shown = pith_i_format_double(*(const double *)field, number);
        break;
    case PITH_BOOL: shown = *(const bool *)field ? "yes" : "no"; break;
    case PITH_CHOICE: shown = row->shown.choices[*(const int *)field]; break;
    }
    (void)snprintf(text, size, "%s", shown);
    return PITH_OK;
}
