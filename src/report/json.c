#include "report/json.h"

#include "core/text.h"
#include "matrix/matrix.h"
#include "report/text.h"

#include <assert.h>
#include <math.h>

static void member(pith_i_json *j, const char *key)
{
    if (j->depth > 0) {
        if (j->some[j->depth - 1])
            (void)fputc(',', j->out);
        j->some[j->depth - 1] = true;
    }
    if (key != NULL) {
        pith_i_put_string(j->out, key);
        (void)fputc(':', j->out);
    }
}

static void open(pith_i_json *j, const char *key, char bracket, char close)
{
    assert(j->depth < PITH_I_JSON_DEPTH);
    member(j, key);
    (void)fputc(bracket, j->out);
    j->close[j->depth] = close;
    j->some[j->depth++] = false;
}

void pith_i_json_object(pith_i_json *j, const char *key)
{
    open(j, key, '{', '}');
}

void pith_i_json_array(pith_i_json *j, const char *key)
{
    open(j, key, '[', ']');
}

void pith_i_json_end(pith_i_json *j)
{
    assert(j->depth > 0);
    (void)fputc(j->close[--j->depth], j->out);
}

void pith_i_json_text(pith_i_json *j, const char *key, const char *text)
{
    member(j, key);
    if (text != NULL)
        pith_i_put_string(j->out, text);
    else
        (void)fputs("null", j->out);
}

void pith_i_json_number(pith_i_json *j, const char *key, double v)
{
    member(j, key);
    pith_i_put_number(j->out, v);
}

void pith_i_json_count(pith_i_json *j, const char *key, int64_t v)
{
    member(j, key);
    (void)fprintf(j->out, "%lld", (long long)v);
}

void pith_i_json_unsigned(pith_i_json *j, const char *key, uint64_t v)
{
    member(j, key);
    (void)fprintf(j->out, "%llu", (unsigned long long)v);
}

void pith_i_json_bool(pith_i_json *j, const char *key, bool v)
{
    member(j, key);
    (void)fputs(v ? "true" : "false", j->out);
}

void pith_i_json_null(pith_i_json *j, const char *key)
{
    pith_i_json_text(j, key, NULL);
}

/* The comma goes to the end of the previous line, so it is written here and not with the member. */
void pith_i_json_line(pith_i_json *j)
{
    if (j->depth > 0 && j->some[j->depth - 1]) {
        (void)fputs(",\n", j->out);
        j->some[j->depth - 1] = false;
    } else {
        (void)fputc('\n', j->out);
    }
}

void pith_i_json_data_members(pith_i_json *j, const pith_matrix *m, const char *name)
{
    pith_i_json_text(j, "name", name);
    pith_i_json_count(j, "samples", m->data.n);
    pith_i_json_count(j, "features", m->data.p);
    pith_i_json_bool(j, "sparse", m->data.sparse);
    pith_i_json_count(j, "stored", pith_i_stored(&m->data));
    pith_i_json_text(j, "prep", m->steps);
}

/* Numbers and booleans bare, words and "auto" as strings. */
void pith_i_json_param_members(pith_ctx *ctx, pith_i_json *j, const pith_params *params)
{
    const pith_param *p = NULL;
    for (size_t i = 0; (p = pith_method_param(pith_params_method(params), i)) != NULL; i++) {
        char text[4096];
        double v = 0;
        (void)pith_params_get(ctx, params, p->name, text, sizeof text); /* the name is the method's own */
        if (p->type == PITH_BOOL)
            pith_i_json_bool(j, p->name, text[0] == 'y');
        else if (p->type == PITH_FILE)
            pith_i_json_text(j, p->name, text[0] != '\0' ? text : NULL);
        else if (p->type != PITH_CHOICE && pith_i_parse_double(text, &v))
            pith_i_json_number(j, p->name, v);
        else
            pith_i_json_text(j, p->name, text);
    }
}

void pith_i_json_params(pith_ctx *ctx, pith_i_json *j, const char *key, const pith_params *params)
{
    pith_i_json_object(j, key);
    if (params != NULL)
        pith_i_json_param_members(ctx, j, params);
    pith_i_json_end(j);
}
