/* What `pith rank` writes. */
#include "core/file.h"
#include "core/text.h"
#include "matrix/matrix.h"
#include "report/text.h"
#include "select/result.h"

static void write_rows(FILE *out, const pith_result *r, const pith_matrix *m, char separator)
{
    char made[24], number[PITH_I_NUMBER_TEXT];
    (void)fprintf(out, "rank%cindex%cname%cscore\n", separator, separator, separator);
    for (int64_t i = 0; i < r->p; i++) {
        const int64_t j = r->ranking[i];
        (void)fprintf(out, "%lld%c%lld%c", (long long)i + 1, separator, (long long)pith_matrix_origin(m, j),
                      separator);
        pith_i_put_field(out, pith_i_feature_label(m, j, made), separator);
        (void)fprintf(out, "%c%s\n", separator,
                      isnan(r->score[j]) ? "" : pith_i_format_double(r->score[j], number));
    }
}

/* A parameter's value: numbers and booleans bare, words and "auto" as strings. */
static void write_parameter(pith_ctx *ctx, FILE *out, const pith_params *params, const pith_param *p)
{
    char text[4096];
    double v = 0;
    (void)pith_params_get(ctx, params, p->name, text, sizeof text); /* the name is the method's own */
    if (p->type == PITH_BOOL)
        (void)fputs(text[0] == 'y' ? "true" : "false", out);
    else if (p->type == PITH_FILE && text[0] == '\0')
        (void)fputs("null", out);
    else if (p->type != PITH_CHOICE && p->type != PITH_FILE && pith_i_parse_double(text, &v))
        pith_i_put_number(out, v);
    else
        pith_i_put_string(out, text);
}

static void write_head(pith_ctx *ctx, FILE *out, const pith_result *r, const pith_matrix *m, const char *data)
{
    const pith_method *method = r->params->method;
    (void)fputs("{\"method\":", out);
    pith_i_put_string(out, method->name);
    (void)fputs(",\"version\":", out);
    pith_i_put_string(out, pith_version());
    (void)fputs(",\"data\":{\"name\":", out);
    if (data != NULL)
        pith_i_put_string(out, data);
    else
        (void)fputs("null", out);
    (void)fprintf(out, ",\"samples\":%lld,\"features\":%lld,\"sparse\":%s,\"stored\":%lld,\"prep\":",
                  (long long)m->data.n, (long long)m->data.p, m->data.sparse ? "true" : "false",
                  (long long)pith_i_stored(&m->data));
    if (m->steps != NULL)
        pith_i_put_string(out, m->steps);
    else
        (void)fputs("null", out);
    (void)fputc('}', out);
    (void)fputs(",\"parameters\":{", out);
    const pith_param *shown = NULL;
    for (size_t i = 0; (shown = pith_method_param(method, i)) != NULL; i++) {
        pith_i_put_string(out, shown->name);
        (void)fputc(':', out);
        write_parameter(ctx, out, r->params, shown);
        (void)fputc(',', out);
    }
    (void)fprintf(out, "\"seed\":%llu},\"facts\":{", (unsigned long long)r->seed);
    for (size_t i = 0; i < r->facts.count; i++) {
        (void)fputs(i > 0 ? "," : "", out);
        pith_i_put_string(out, r->facts.name[i]);
        (void)fputc(':', out);
        pith_i_put_number(out, r->facts.value[i]);
    }
    (void)fputc('}', out);
    if (r->facts.note != NULL) {
        (void)fputs(",\"note\":", out);
        pith_i_put_string(out, r->facts.note);
    }
    if (pith_result_warning(r) != NULL) {
        (void)fputs(",\"warning\":", out);
        pith_i_put_string(out, pith_result_warning(r));
    }
    for (int64_t i = 0; i < r->facts.rounds; i++) {
        (void)fputs(i == 0 ? ",\"objective\":[" : ",", out);
        pith_i_put_number(out, r->facts.objective[i]);
    }
    (void)fputs(r->facts.rounds > 0 ? "]" : "", out);
    (void)fputs(",\"seconds\":", out);
    pith_i_put_number(out, r->seconds);
}

static void write_json(pith_ctx *ctx, FILE *out, const pith_result *r, const pith_matrix *m, const char *data)
{
    char made[24];
    write_head(ctx, out, r, m, data);
    (void)fputs(",\"features\":[", out);
    for (int64_t i = 0; i < r->p; i++) {
        const int64_t j = r->ranking[i];
        (void)fprintf(out, "%s\n{\"rank\":%lld,\"index\":%lld,\"name\":", i > 0 ? "," : "", (long long)i + 1,
                      (long long)pith_matrix_origin(m, j));
        pith_i_put_string(out, pith_i_feature_label(m, j, made));
        (void)fputs(",\"score\":", out);
        pith_i_put_number(out, r->score[j]);
        (void)fputc('}', out);
    }
    (void)fputs("\n]}\n", out);
}

pith_status pith_result_write(pith_ctx *ctx, const pith_result *r, const pith_matrix *m, const char *data,
                              pith_format format, const char *path)
{
    pith_i_file file = {0};
    pith_status st = PITH_OK;
    if (ctx == NULL || r == NULL || m == NULL)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "no result or matrix was given");
    if (m->data.p != r->p)
        FAIL(ctx, PITH_E_ARGUMENT, "the result has %lld features, the matrix %lld", (long long)r->p,
             (long long)m->data.p);
    TRY(pith_i_file_create(ctx, path, &file));
    if (format == PITH_JSON)
        write_json(ctx, file.stream, r, m, data);
    else
        write_rows(file.stream, r, m, format == PITH_TSV ? '\t' : ',');
    TRY(pith_i_file_commit(ctx, &file));
done:
    pith_i_file_discard(&file);
    return st;
}
