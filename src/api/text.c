/* From documents to a matrix: io reads them, prep counts words. */
#include "prep/text.h"
#include "core/engine.h"
#include "core/options.h"
#include "io/cursor.h"
#include "io/documents.h"
#include "prep/steps.h"

#include <string.h>
#include <sys/stat.h>

/* ---- Collecting documents --------------------------------------------------------------------------------
 */

/* Texts that are added one by one. */
typedef struct column {
    pith_i_names names;
    int64_t bytes, bytes_room, start_room;
} column;

static pith_status add_text(pith_ctx *ctx, column *l, const char *at, int64_t length)
{
    pith_status st = PITH_OK;
    TRY(GROW(ctx, l->names.bytes, l->bytes_room, l->bytes + length + 1));
    TRY(GROW(ctx, l->names.start, l->start_room, l->names.count + 1));
    l->names.start[l->names.count++] = l->bytes;
    memcpy(l->names.bytes + l->bytes, at, (size_t)length);
    l->names.bytes[l->bytes + length] = '\0';
    l->bytes += length + 1;
done:
    return st;
}

typedef struct collection {
    pith_i_counter *counter;
    column names, labels;
    int64_t documents;
} collection;

static void collection_free(collection *c)
{
    pith_i_counter_free(c->counter);
    pith_i_names_free(&c->names.names);
    pith_i_names_free(&c->labels.names);
}

static pith_status add_document(pith_ctx *ctx, void *self, const pith_i_document *d)
{
    collection *c = self;
    char place[512];
    int64_t bad = -1;
    pith_status st = PITH_OK;
    if (c->documents == INT32_MAX)
        FAIL(ctx, PITH_E_DATA, "%s: more than %d documents", pith_i_document_place(d, place), INT32_MAX);
    st = pith_i_counter_add(ctx, c->counter, d->text, d->length, &bad);
    if (st == PITH_E_DATA && bad >= 0)
        FAIL(ctx, PITH_E_DATA,
             "%s: is not UTF-8 at byte %lld%s; convert it first (iconv -f LATIN1 -t UTF-8), or leave it out "
             "if it "
             "is not plain text",
             pith_i_document_place(d, place), (long long)bad + 1, d->line > 0 ? " of the text" : "");
    TRY(st);
    if (d->name != NULL)
        TRY(add_text(ctx, &c->names, d->name, d->name_length));
    if (c->documents > 0 && (d->label != NULL) != (c->labels.names.count > 0))
        FAIL(ctx, PITH_E_DATA, "%s: has %s, but the documents before it have %s",
             pith_i_document_place(d, place), d->label != NULL ? "a label" : "no label",
             d->label != NULL ? "none" : "one");
    if (d->label != NULL)
        TRY(add_text(ctx, &c->labels, d->label, d->label_length));
    c->documents++;
done:
    return st;
}

/* ---- Stop words ------------------------------------------------------------------------------------------
 */

static pith_status stop_shipped(pith_ctx *ctx, pith_i_counter *counter)
{
    pith_status st = PITH_OK;
    for (const char *at = pith_i_english_stop_words; *at != '\0';) {
        const size_t length = strcspn(at, " ");
        TRY(pith_i_counter_stop(ctx, counter, at, (int64_t)length));
        at += length + (at[length] == ' ');
    }
done:
    return st;
}

static pith_status stop_listed(pith_ctx *ctx, const char *path, pith_i_counter *counter)
{
    pith_i_bytes bytes = {0};
    pith_status st = PITH_OK;
    st = pith_i_bytes_load(ctx, path, &bytes);
    if (st == PITH_E_FILE)
        FAIL(ctx, PITH_E_FILE,
             "%s; stop-words takes a file, 'none', or 'english', the only list that pith has",
             pith_ctx_message(ctx));
    TRY(st);
    pith_i_cursor c = {.at = bytes.at, .end = bytes.at + bytes.size};
    while (pith_i_next_line(&c)) {
        st = pith_i_counter_stop(ctx, counter, c.from, c.to - c.from);
        if (st == PITH_E_DATA)
            FAIL(ctx, PITH_E_DATA, "%s:%lld: a stop word is not UTF-8", path, (long long)c.line);
        TRY(st);
    }
done:
    pith_i_bytes_free(&bytes);
    return st;
}

static pith_status stop_words(pith_ctx *ctx, const char *asked, const double *values, pith_i_counter *counter)
{
    const char *language = pith_i_step_text.params[TEXT_STEM].choices[(int)values[TEXT_STEM]];
    const bool english =
        strcmp(language, "english") == 0 || strcmp(language, "porter") == 0 || strcmp(language, "none") == 0;
    if (asked == NULL && !english)
        pith_i_note(
            ctx,
            "text: pith has no stop words for stem=%s, so none are removed; give a list with stop-words=FILE",
            language);
    if (asked != NULL ? strcmp(asked, "english") == 0 : english)
        return stop_shipped(ctx, counter);
    return asked == NULL || strcmp(asked, "none") == 0 ? PITH_OK : stop_listed(ctx, asked, counter);
}

/* ---- The whole -------------------------------------------------------------------------------------------
 */

static void tell_empty(pith_ctx *ctx, const pith_i_data *X)
{
    int64_t empty = 0;
    for (int64_t i = 0; i < X->n; i++)
        empty += X->indptr[i] == X->indptr[i + 1];
    if (empty > 0)
        pith_i_note(ctx, "text: %lld of %lld documents contain none of the counted words", (long long)empty,
                    (long long)X->n);
}

/* The counts with their names and labels; path NULL: the texts come from memory. */
static pith_status finish(pith_ctx *ctx, collection *c, const char *path, pith_matrix **out)
{
    pith_matrix *m = NULL;
    pith_status st = PITH_OK;
    if (c->documents == 0)
        FAIL(ctx, PITH_E_DATA, "%s%sno documents", path != NULL ? path : "", path != NULL ? ": holds " : "");
    TRY(pith_i_matrix_new(ctx, &m));
    st = pith_i_counter_finish(ctx, c->counter, m);
    if (st == PITH_E_DATA && path != NULL)
        FAIL(ctx, PITH_E_DATA, "%s: %s", path, pith_ctx_message(ctx));
    TRY(st);
    if (c->names.names.count == c->documents) { /* else some have none: a file of lines beside a folder */
        m->samples = c->names.names;
        c->names.names = (pith_i_names){0};
    }
    if (c->labels.names.count > 0)
        TRY(pith_i_matrix_label(ctx, m, &c->labels.names));
    tell_empty(ctx, &m->data);
    *out = m;
    m = NULL;
done:
    pith_matrix_free(m);
    return st;
}

/* Applies the steps after "text" to its counts. Without any, the counts are moved to *out. */
static pith_status take_other_steps(pith_ctx *ctx, const pith_i_step_list *steps, pith_matrix **counts,
                                    pith_matrix **out)
{
    pith_status st = PITH_OK;
    if (steps->count > 1) {
        TRY(pith_i_take_steps(ctx, steps, 1, 1, *counts, out));
    } else {
        TRY(pith_i_step_list_text(ctx, steps, NULL, &(*counts)->steps));
        *out = *counts;
        *counts = NULL;
    }
done:
    return st;
}

static bool begins_with_text(const pith_i_step_list *steps)
{
    return steps->count > 0 && steps->item[0].step->plain == &pith_i_step_text;
}

/* With 'text' as the first step. What is no table either is refused as documents, which says what they are.
 */
static bool reads_documents(const char *path)
{
    return pith_i_documents_are(path) || pith_i_format_of(path) == NULL;
}

static bool is_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

static pith_status read_documents(pith_ctx *ctx, int64_t files, const char *const *path,
                                  const pith_i_step_list *steps, const pith_read_options *options,
                                  pith_matrix **out)
{
    const bool apart = options->labels != NULL && !options->no_labels && is_file(options->labels);
    const pith_i_document_options how = {.column = steps->item[0].texts[TEXT_COLUMN],
                                         .labels = apart ? NULL : options->labels,
                                         .no_labels = options->no_labels || apart,
                                         .sep = options->sep,
                                         .header = options->header};
    collection c = {0};
    pith_matrix *counts = NULL;
    pith_status st = PITH_OK;
    pith_i_progress_begin(ctx);
    TRY(pith_i_progress_stage(ctx, "reading", 0, 1 / (double)steps->count)); /* counting is the first step */
    TRY(pith_i_counter_new(ctx, steps->item[0].values, &c.counter));
    TRY(stop_words(ctx, steps->item[0].texts[TEXT_STOP_WORDS], steps->item[0].values, c.counter));
    for (int64_t f = 0; f < files; f++)
        TRY(pith_i_documents_read(ctx, path[f], &how, add_document, &c));
    TRY(finish(ctx, &c, path[0], &counts));
    if (apart)
        TRY(pith_i_labels_read(ctx, options->labels, path[0], counts));
    if (options->batch != NULL && !is_file(options->batch))
        FAIL(ctx, PITH_E_DATA,
             "%s: documents have no batches called '%s'; give a file with one batch per line", path[0],
             options->batch);
    if (options->batch != NULL)
        TRY(pith_i_batches_read(ctx, options->batch, path[0], counts));
    TRY(take_other_steps(ctx, steps, &counts, out));
done:
    pith_matrix_free(counts);
    collection_free(&c);
    return st;
}

pith_status pith_prep_read(pith_ctx *ctx, const char *path, const char *steps,
                           const pith_read_options *options, pith_matrix **out)
{
    pith_read_options o;
    pith_i_step_list list = {0};
    pith_matrix *m = NULL;
    pith_status st = PITH_OK;
    if (ctx == NULL || path == NULL || steps == NULL || out == NULL)
        return pith_i_error(ctx, PITH_E_ARGUMENT,
                            "no context, path, steps or place for the result was given");
    TRY(pith_i_one_process(ctx, "preparing data"));
    TRY(TAKE_OPTIONS(ctx, pith_read_options, options, &o));
    TRY(pith_i_step_list_read(ctx, steps, &list));
    if (begins_with_text(&list) && reads_documents(path)) {
        TRY(read_documents(ctx, 1, &path, &list, &o, out));
    } else {
        TRY(pith_matrix_read(ctx, path, &o, &m));
        TRY(pith_i_take_steps(ctx, &list, 0, 1, m, out));
    }
done:
    pith_matrix_free(m);
    pith_i_step_list_free(&list);
    return st;
}

pith_status pith_prep_read_files(pith_ctx *ctx, int64_t n, const char *const *paths, const char *steps,
                                 const pith_read_options *options, pith_matrix **out)
{
    pith_read_options o;
    pith_i_step_list list = {0};
    pith_status st = PITH_OK;
    if (ctx == NULL || n < 1 || paths == NULL || steps == NULL || out == NULL)
        return pith_i_error(ctx, PITH_E_ARGUMENT,
                            "no context, paths, steps or place for the result was given");
    TRY(pith_i_one_process(ctx, "preparing data"));
    TRY(TAKE_OPTIONS(ctx, pith_read_options, options, &o));
    TRY(pith_i_step_list_read(ctx, steps, &list));
    if (!begins_with_text(&list))
        FAIL(ctx, PITH_E_PARAMETER, "steps for several files begin with 'text', not with '%s'", steps);
    TRY(read_documents(ctx, n, paths, &list, &o, out));
done:
    pith_i_step_list_free(&list);
    return st;
}

bool pith_prep_reads_text(const char *path, const char *steps)
{
    if (path == NULL || steps == NULL)
        return false;
    const size_t length = strcspn(steps, "=:,");
    return length == strlen(pith_i_step_text.name) && memcmp(steps, pith_i_step_text.name, length) == 0 &&
           reads_documents(path);
}

pith_status pith_prep_texts(pith_ctx *ctx, int64_t n, const char *const *texts, const int64_t *length,
                            const char *steps, pith_matrix **out)
{
    pith_i_step_list list = {0};
    collection c = {0};
    pith_matrix *counts = NULL;
    pith_status st = PITH_OK;
    if (ctx == NULL || (texts == NULL && n > 0) || out == NULL)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "no context, texts or place for the result was given");
    TRY(pith_i_one_process(ctx, "preparing data"));
    TRY(pith_i_step_list_read(ctx, steps != NULL ? steps : "text", &list));
    if (!begins_with_text(&list))
        FAIL(ctx, PITH_E_PARAMETER, "steps for documents begin with 'text', not with '%s'", steps);
    TRY(pith_i_counter_new(ctx, list.item[0].values, &c.counter));
    TRY(stop_words(ctx, list.item[0].texts[TEXT_STOP_WORDS], list.item[0].values, c.counter));
    for (int64_t i = 0; i < n; i++) {
        const pith_i_document d = {.text = texts[i],
                                   .length = length != NULL ? length[i] : (int64_t)strlen(texts[i]),
                                   .path = "document",
                                   .line = i + 1};
        TRY(add_document(ctx, &c, &d));
    }
    TRY(finish(ctx, &c, NULL, &counts));
    TRY(take_other_steps(ctx, &list, &counts, out));
done:
    pith_matrix_free(counts);
    collection_free(&c);
    pith_i_step_list_free(&list);
    return st;
}
