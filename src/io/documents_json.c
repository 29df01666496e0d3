/* Documents as JSON lines, one object per line. */
#include "io/cursor.h"
#include "io/documents.h"
#include "io/json_fields.h"

#include <jansson.h>
#include <stdio.h>

static const char *const usual_labels[] = {"label", "Y", "gnd"};

/* ---- With jansson ------------------------------------------------------------------------------------- */

/* The value as text: strings as they are, numbers and booleans as JSON writes them; NULL: none of these. */
static const char *text_of(const json_t *value, char made[40], int64_t *length)
{
    const char *text = json_string_value(value);
    if (text != NULL) {
        *length = (int64_t)json_string_length(value);
        return text;
    }
    if (json_is_integer(value))
        (void)snprintf(made, 40, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        (void)snprintf(made, 40, "%.17g", json_real_value(value));
    else if (json_is_boolean(value))
        (void)snprintf(made, 40, "%s", json_is_true(value) ? "true" : "false");
    else
        return NULL;
    *length = (int64_t)strlen(made);
    return made;
}

/* The value under the label key: the user's key, or the first of the usual ones that the object has. */
static const json_t *label_of(const json_t *object, const pith_i_document_options *o, const char **key)
{
    const json_t *value = NULL;
    *key = o->labels;
    if (o->no_labels)
        return NULL;
    if (o->labels != NULL)
        return json_object_get(object, o->labels);
    for (size_t k = 0; value == NULL && k < COUNT(usual_labels); k++) {
        *key = usual_labels[k];
        value = json_object_get(object, *key);
    }
    return value;
}

static pith_status give(pith_ctx *ctx, const pith_i_document_options *o, const json_t *object,
                        pith_i_document *document, pith_i_document_fn *each, void *self)
{
    const char *key = o->column != NULL ? o->column : "text", *label_key = NULL;
    const json_t *text = json_object_get(object, key), *label = label_of(object, o, &label_key);
    char place[512], made[40];
    if (!json_is_string(text))
        return pith_i_error(ctx, PITH_E_DATA, "%s: has no string under the key '%s'%s",
                            pith_i_document_place(document, place), key,
                            o->column != NULL ? "" : "; name the key of the text with text:column=KEY");
    document->text = json_string_value(text);
    document->length = (int64_t)json_string_length(text);
    if (json_is_null(label))
        document->label = ""; /* of length 0: a missing label */
    else
        document->label = label != NULL ? text_of(label, made, &document->label_length) : NULL;
    if (document->label == NULL && (label != NULL || (o->labels != NULL && !o->no_labels)))
        return pith_i_error(
            ctx, PITH_E_DATA, "%s: %s under the key '%s'", pith_i_document_place(document, place),
            label != NULL ? "the label is neither a string nor a number" : "has no label", label_key);
    return each(ctx, self, document);
}

static pith_status read_whole(pith_ctx *ctx, const pith_i_cursor *c, const pith_i_document_options *options,
                              pith_i_document *document, pith_i_document_fn *each, void *self)
{
    json_error_t error;
    pith_status st = PITH_OK;
    json_t *object = json_loadb(c->from, (size_t)(c->to - c->from), JSON_ALLOW_NUL, &error);
    if (c->from < c->to && *c->from == '[') /* often all objects in one list */
        FAIL(ctx, PITH_E_DATA,
             "%s:%lld: an object is expected on each line, not a list of objects (jq -c '.[]' splits one)",
             document->path, (long long)c->line);
    if (object == NULL)
        FAIL(ctx, PITH_E_DATA, "%s:%lld: not valid JSON: %s (byte %d of the line)", document->path,
             (long long)c->line, error.text, error.position);
    if (!json_is_object(object))
        FAIL(ctx, PITH_E_DATA, "%s:%lld: an object is expected, such as {\"text\": \"...\"}", document->path,
             (long long)c->line);
    TRY(give(ctx, options, object, document, each, self));
done:
    json_decref(object);
    return st;
}

/* ---- In place, without jansson ------------------------------------------------------------------------ */

/* Memory for a string whose escapes are undone. */
typedef struct room {
    char *bytes;
    int64_t size;
} room;

static pith_status unescaped(pith_ctx *ctx, const pith_i_json_value *value, room *r, const char **at,
                             int64_t *length)
{
    pith_status st = PITH_OK;
    *at = value->at;
    *length = value->length;
    if (value->escaped) {
        TRY(GROW(ctx, r->bytes, r->size, value->length));
        *length = pith_i_json_unescape(value, r->bytes);
        *at = r->bytes;
    }
done:
    return st;
}

/* The document of a line, if pith_i_json_fields accepts it; else *done stays false. */
static pith_status read_plain(pith_ctx *ctx, const pith_i_cursor *c, const pith_i_document_options *o,
                              room rooms[2], pith_i_document *document, bool *done)
{
    pith_i_json_wanted wanted[1 + COUNT(usual_labels)] = {{.key = o->column != NULL ? o->column : "text"}};
    const int labels = o->no_labels ? 0 : o->labels != NULL ? 1 : (int)COUNT(usual_labels);
    const pith_i_json_value *label = NULL;
    pith_status st = PITH_OK;
    for (int k = 0; k < labels; k++)
        wanted[1 + k].key = o->labels != NULL ? o->labels : usual_labels[k];
    if (!pith_i_json_fields(c->from, c->to, 1 + labels, wanted) || wanted[0].value.kind != JSON_FIELD_STRING)
        return PITH_OK;
    for (int k = labels; k > 0; k--)
        if (wanted[k].value.kind != JSON_FIELD_NONE)
            label = &wanted[k].value;
    if (label != NULL ? label->kind == JSON_FIELD_OTHER : o->labels != NULL && !o->no_labels)
        return PITH_OK;
    TRY(unescaped(ctx, &wanted[0].value, &rooms[0], &document->text, &document->length));
    if (label != NULL)
        TRY(unescaped(ctx, label, &rooms[1], &document->label, &document->label_length));
    *done = true;
done:
    return st;
}

/* ---- Lines -------------------------------------------------------------------------------------------- */

pith_status pith_i_documents_json(pith_ctx *ctx, const char *path, const pith_i_document_options *options,
                                  pith_i_document_fn *each, void *self)
{
    room rooms[2] = {0};
    pith_i_bytes bytes = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_text_load(ctx, path, &bytes));
    pith_i_cursor c = {.at = bytes.at, .end = bytes.at + bytes.size};
    if (bytes.size >= 3 && memcmp(c.at, "\xef\xbb\xbf", 3) == 0)
        c.at += 3;
    while (pith_i_next_line(&c)) {
        pith_i_document document = {.path = path, .line = c.line};
        bool plain = false;
        if (c.from == c.to)
            continue;
        if (c.line % 256 == 0)
            TRY(pith_i_progress(ctx, c.at - bytes.at, bytes.size));
        TRY(read_plain(ctx, &c, options, rooms, &document, &plain));
        if (plain)
            TRY(each(ctx, self, &document));
        else
            TRY(read_whole(ctx, &c, options, &document, each, self));
    }
done:
    pith_i_free(rooms[0].bytes);
    pith_i_free(rooms[1].bytes);
    pith_i_bytes_free(&bytes);
    return st;
}
