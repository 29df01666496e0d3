#include "report/resume.h"

#include "core/text.h"
#include "evaluate/structure.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

static double number_of(const json_t *object, const char *key)
{
    const json_t *v = json_object_get(object, key);
    return json_is_number(v) ? json_number_value(v) : (double)NAN;
}

static bool same_text(const json_t *object, const char *key, const char *want)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text == NULL || want == NULL ? text == want : strcmp(text, want) == 0;
}

enum { SAID = 64 };

/* How the data differs from that of the file, as a sentence; NULL: it does not, or the file has no
 * fingerprint. */
static const char *other_trait(const pith_i_fingerprint *f, const json_t *told, char said[SAID])
{
    for (int t = 0; json_is_object(told) && t < TRAITS; t++) {
        char text[24];
        (void)snprintf(text, sizeof text, "%016llx", (unsigned long long)f->of[t]);
        if (same_text(told, pith_i_trait_keys[t], f->has[t] ? text : NULL))
            continue;
        (void)snprintf(said, SAID, "its data has other %s", pith_i_trait_names[t]);
        return said;
    }
    return NULL;
}

/* Files of version 0.1 do not say: they clustered the values. */
static bool same_weights(const json_t *protocol, bool tfidf)
{
    return json_object_get(protocol, "cluster_on") == NULL
               ? !tfidf
               : same_text(protocol, "cluster_on", tfidf ? "tf-idf" : "values");
}

/* Why the file cannot belong to this comparison, static text or in said; NULL: it can. */
static const char *difference(const pith_comparison *c, const json_t *root, char said[SAID])
{
    const json_t *data = json_object_get(root, "data"), *protocol = json_object_get(root, "protocol");
    const json_t *counts = json_object_get(protocol, "features");
    const pith_i_protocol *p = &c->protocol;
    if (!json_is_array(json_object_get(root, "rows")) || !json_is_array(json_object_get(root, "rankings")))
        return "it is not a comparison written by pith as JSON";
    if (number_of(data, "samples") != (double)c->m->data.n ||
        number_of(data, "features") != (double)c->m->data.p)
        return "its data has another shape";
    if (!same_text(data, "prep", c->m->steps))
        return "its data was prepared differently";
    if (json_is_array(json_object_get(data, "classes")) != (c->m->label != NULL))
        return "its data was evaluated differently: with labels or without";
    const char *trait = other_trait(&c->fingerprint, json_object_get(data, "fingerprint"), said);
    if (trait != NULL)
        return trait;
    if (json_array_size(counts) != (size_t)c->n_counts)
        return "its feature counts differ";
    for (int64_t k = 0; k < c->n_counts; k++)
        if (json_number_value(json_array_get(counts, (size_t)k)) != (double)c->counts[k])
            return "its feature counts differ";
    if (!same_text(protocol, "name", p->name) ||
        !same_text(protocol, "metric", p->cosine ? "cosine" : "euclidean") ||
        !same_weights(protocol, p->tfidf) ||
        !same_text(protocol, "clusterer", p->clusterer == CLUSTER_KMEANS ? "kmeans" : "spectral") ||
        !same_text(protocol, "start", p->random_start ? "random" : "k-means++") ||
        number_of(protocol, "restarts") != (double)p->restarts ||
        number_of(protocol, "subsamples") != (double)p->subsamples ||
        number_of(protocol, "clusters") != (double)p->clusters)
        return "its protocol differs";
    if (!same_text(protocol, "settings", c->settings))
        return "its settings differ";
    if (!same_text(root, "version", pith_version()))
        return "it was written by another version of pith";
    if (!same_text(root, "engine", c->engine[0] != '\0' ? c->engine : NULL))
        return "its engine differs";
    return number_of(protocol, "seed") != (double)c->seed ? "its seed differs" : NULL;
}

static bool is_of(const json_t *object, const pith_i_entry *e)
{
    return same_text(object, "method", e->method) && same_text(object, "setting", e->setting);
}

/* A count that pith wrote: no damaged file makes it negative. */
static int64_t count_of(const json_t *object, const char *key)
{
    const json_int_t v = json_integer_value(json_object_get(object, key));
    return v > 0 ? v : 0;
}

/* False: what pith would not have written. */
static bool take_row(const json_t *object, pith_i_entry *e)
{
    pith_i_row *row = &e->rows[e->n_rows++];
    bool some = false;
    row->features = count_of(object, "features");
    for (int m = 0; m < MEASURES; m++) {
        const json_t *figure = json_object_get(object, pith_i_measure_names[m]);
        row->figure[m] =
            (pith_i_figure){number_of(figure, "mean"), number_of(figure, "sd"), count_of(figure, "runs")};
        if (figure != NULL &&
            (isnan(row->figure[m].mean) || isnan(row->figure[m].sd) || row->figure[m].runs < 1))
            return false;
        some = some || figure != NULL;
    }
    e->seconds = number_of(object, "seconds");
    e->peak_bytes = count_of(object, "peak_bytes");
    e->recall = json_object_get(object, "recall") != NULL ? number_of(object, "recall") : 0;
    return some && !isnan(e->seconds);
}

/* What auto became in the run that is resumed. */
static pith_status take_params(pith_ctx *ctx, const char *path, json_t *object, pith_params *params)
{
    const char *name = NULL;
    json_t *value = NULL;
    pith_status st = PITH_OK;
    json_object_foreach(json_object_get(object, "parameters"), name, value)
    {
        char number[PITH_I_NUMBER_TEXT];
        const char *text = json_is_string(value)    ? json_string_value(value)
                           : json_is_boolean(value) ? (json_is_true(value) ? "yes" : "no")
                           : json_is_number(value)  ? pith_i_format_double(json_number_value(value), number)
                                                    : "";  /* which no parameter takes */
        if (pith_i_params_names_file(params, name, text)) /* files are set by this run's own settings */
            continue;
        TRY(pith_params_set(ctx, params, name, text));
    }
done:
    return st == PITH_E_PARAMETER
               ? pith_i_error(ctx, PITH_E_DATA, "%s: cannot be resumed: in \"parameters\", %s", path,
                              pith_ctx_message(ctx))
               : st;
}

/* The rows of one entry: all that it should have, or it counts as not done. */
static pith_status take_rows(pith_ctx *ctx, const char *path, const pith_comparison *c, json_t *rows,
                             pith_i_entry *e)
{
    const int64_t want = strcmp(e->method, "all-features") == 0 ? 1 : c->n_counts;
    pith_status st = PITH_OK;
    size_t i = 0;
    json_t *object = NULL;
    bool sound = true;
    TRY(NEW_ZERO(ctx, e->rows, want));
    json_array_foreach(rows, i, object)
    {
        if (!is_of(object, e) || !json_is_integer(json_object_get(object, "features")) || e->n_rows == want)
            continue;
        sound = take_row(object, e) && sound;
        if (e->params != NULL)
            TRY(take_params(ctx, path, object, e->params));
    }
    e->done = sound && e->n_rows == want;
    for (int64_t k = 0; k < e->n_rows && want > 1; k++)
        e->done = e->done && e->rows[k].features == c->counts[k];
done:
    return st;
}

static pith_status take_ranking(pith_ctx *ctx, const pith_comparison *c, const json_t *rankings,
                                pith_i_entry *e)
{
    pith_status st = PITH_OK;
    size_t i = 0;
    json_t *object = NULL;
    bool found = false;
    TRY(NEW(ctx, e->ranking, c->n_kept));
    TRY(NEW(ctx, e->score, c->n_kept));
    json_array_foreach(rankings, i, object)
    {
        const json_t *index = json_object_get(object, "index"), *score = json_object_get(object, "score");
        if (!is_of(object, e) || json_array_size(index) != (size_t)c->n_kept ||
            json_array_size(score) != (size_t)c->n_kept)
            continue;
        found = true;
        for (int64_t r = 0; r < c->n_kept; r++) {
            const json_t *value = json_array_get(score, (size_t)r);
            e->ranking[r] = pith_i_matrix_column(c->m, json_integer_value(json_array_get(index, (size_t)r)));
            e->score[r] = json_is_number(value) ? json_number_value(value) : (double)NAN;
            found = found && e->ranking[r] >= 0;
        }
    }
    e->done = e->done && found;
done:
    return st;
}

/*
 * The curve of the entry. It needs the whole ranking, which the file does not have, so that it is read, while
 * evidence is computed again. False: the file has evidence but no valid curve.
 */
static bool take_curve(const json_t *evidence, pith_i_structure *s)
{
    const json_t *points = json_object_get(evidence, "curve");
    const json_t *point = NULL;
    size_t i = 0;
    if (!json_is_object(evidence))
        return true;
    s->keep = count_of(evidence, "keep");
    s->curve.count = (int64_t)json_array_size(points);
    bool sound = s->keep > 0 && s->curve.count > 0 && s->curve.count <= PITH_I_CURVE_POINTS;
    json_array_foreach(points, i, point)
    {
        if (!sound)
            break;
        s->curve.features[i] = count_of(point, "features");
        s->curve.agreement[i] = number_of(point, "agreement");
        sound = s->curve.features[i] > 0 && !isnan(s->curve.agreement[i]);
    }
    if (!sound)
        s->curve.count = 0;
    return sound;
}

pith_status pith_i_resume(pith_ctx *ctx, pith_comparison *c, const char *path)
{
    json_error_t error;
    json_t *root = NULL;
    pith_status st = PITH_OK;
    FILE *in = fopen(path, "rb");
    if (in == NULL)
        FAIL(ctx, PITH_E_FILE, "%s: cannot be read: %s", path, strerror(errno));
    root = json_loadf(in, 0, &error);
    (void)fclose(in);
    if (root == NULL)
        FAIL(ctx, PITH_E_FILE, "%s:%d: not valid JSON: %s", path, error.line > 0 ? error.line : 1,
             error.text);
    char said[SAID];
    const char *why = difference(c, root, said);
    if (why != NULL)
        FAIL(ctx, PITH_E_DATA, "%s: cannot be resumed: %s; start again with another output", path, why);
    if (!json_is_object(json_object_get(json_object_get(root, "data"), "fingerprint")))
        pith_i_note(ctx,
                    "warning: %s comes from an earlier version and does not identify its data; results from "
                    "other data of the same shape cannot be detected",
                    path);
    for (int64_t i = 0; i < c->n_entries; i++) {
        pith_i_entry *e = &c->entries[i];
        TRY(take_rows(ctx, path, c, json_object_get(root, "rows"), e));
        if (e->done && e->params != NULL)
            TRY(take_ranking(ctx, c, json_object_get(root, "rankings"), e));
        if (e->done && i == pith_i_curve_entry(c))
            e->done = take_curve(json_object_get(root, "evidence"), &c->structure);
        if (!e->done)
            pith_i_entry_clear(e);
    }
done:
    json_decref(root);
    return st;
}
