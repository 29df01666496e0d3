/* What `pith rank` writes. */
#include "core/file.h"
#include "core/text.h"
#include "matrix/matrix.h"
#include "report/report.h"
#include "report/text.h"
#include "select/result.h"

/* NaN becomes an empty cell. */
static void put_number(FILE *out, char separator, double v)
{
    char number[PITH_I_NUMBER_TEXT];
    (void)fprintf(out, "%c%s", separator, isnan(v) ? "" : pith_i_format_double(v, number));
}

static void write_rows(FILE *out, const pith_result *r, const pith_matrix *m, char separator)
{
    const bool tested = pith_result_evidence(r) != NULL;
    char made[24];
    (void)fprintf(out, "rank%cindex%cname%cscore", separator, separator, separator);
    if (tested)
        (void)fprintf(out, "%clift%cp%cq", separator, separator, separator);
    if (r->batches != NULL)
        (void)fprintf(out, "%cbatches%cin_all_batches", separator, separator);
    (void)fputc('\n', out);
    for (int64_t i = 0; i < r->p; i++) {
        const int64_t j = r->ranking[i];
        (void)fprintf(out, "%lld%c%lld%c", (long long)i + 1, separator, (long long)pith_matrix_origin(m, j),
                      separator);
        pith_i_put_field(out, pith_i_feature_label(m, j, made), separator);
        put_number(out, separator, r->score[j]);
        if (tested) {
            put_number(out, separator, r->evidence.lift[j]);
            put_number(out, separator, r->evidence.p[j]);
            put_number(out, separator, r->evidence.q[j]);
        }
        if (r->batches != NULL)
            (void)fprintf(out, "%c%d%c%s", separator, (int)r->batches[j], separator,
                          r->batches[j] == r->n_batches ? "true" : "false");
        (void)fputc('\n', out);
    }
}

static void write_facts(pith_i_json *j, const pith_result *r)
{
    pith_i_json_object(j, "facts");
    for (size_t i = 0; i < r->facts.count; i++)
        pith_i_json_number(j, r->facts.name[i], r->facts.value[i]);
    pith_i_json_end(j);
    if (pith_result_note(r) != NULL)
        pith_i_json_text(j, "note", pith_result_note(r));
    if (pith_result_warning(r) != NULL)
        pith_i_json_text(j, "warning", pith_result_warning(r));
    if (r->curve.count > 0)
        pith_i_json_curve(j, &r->curve);
    if (pith_result_keep(r) >= 0)
        pith_i_json_count(j, "keep", pith_result_keep(r));
    if (r->facts.rounds == 0)
        return;
    pith_i_json_array(j, "objective");
    for (int64_t i = 0; i < r->facts.rounds; i++)
        pith_i_json_number(j, NULL, r->facts.objective[i]);
    pith_i_json_end(j);
}

static void write_json(pith_ctx *ctx, FILE *out, const pith_result *r, const pith_matrix *m, const char *data)
{
    char made[24];
    pith_i_json j = {.out = out};
    pith_i_json_object(&j, NULL);
    pith_i_json_text(&j, "method", r->params->method->name);
    pith_i_json_text(&j, "version", pith_version());
    if (r->engine[0] != '\0')
        pith_i_json_text(&j, "engine", r->engine);
    pith_i_json_object(&j, "data");
    pith_i_json_data_members(&j, m, data);
    pith_i_json_end(&j);
    pith_i_json_object(&j, "parameters");
    pith_i_json_param_members(ctx, &j, r->params);
    if (r->params->batch_graph)
        pith_i_json_bool(&j, "batch_graph", true);
    pith_i_json_unsigned(&j, "seed", r->seed);
    pith_i_json_end(&j);
    write_facts(&j, r);
    pith_i_json_number(&j, "seconds", r->seconds);
    pith_i_json_array(&j, "features");
    for (int64_t i = 0; i < r->p; i++) {
        const int64_t f = r->ranking[i];
        pith_i_json_line(&j);
        pith_i_json_object(&j, NULL);
        pith_i_json_count(&j, "rank", i + 1);
        pith_i_json_count(&j, "index", pith_matrix_origin(m, f));
        pith_i_json_text(&j, "name", pith_i_feature_label(m, f, made));
        pith_i_json_number(&j, "score", r->score[f]);
        if (pith_result_evidence(r) != NULL) {
            pith_i_json_number(&j, "lift", r->evidence.lift[f]);
            pith_i_json_number(&j, "p", r->evidence.p[f]);
            pith_i_json_number(&j, "q", r->evidence.q[f]);
        }
        if (pith_result_untested(r, f) != NULL)
            pith_i_json_text(&j, "untested", pith_result_untested(r, f));
        if (r->batches != NULL) {
            pith_i_json_count(&j, "batches", r->batches[f]);
            pith_i_json_bool(&j, "in_all_batches", r->batches[f] == r->n_batches);
        }
        if (pith_result_reason(r, f) != NULL)
            pith_i_json_text(&j, "reason", pith_result_reason(r, f));
        pith_i_json_end(&j);
    }
    (void)fputc('\n', out);
    pith_i_json_end(&j);
    pith_i_json_end(&j);
    (void)fputc('\n', out);
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
    if (format != PITH_CSV && format != PITH_TSV && format != PITH_JSON)
        FAIL(ctx, PITH_E_ARGUMENT, "a ranking is written as CSV, TSV or JSON, not in format %d", (int)format);
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
