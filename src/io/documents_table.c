/* Documents in a column of a .csv or .tsv. */
#include "io/delimited.h"
#include "io/documents.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef struct table {
    const char *path;
    pith_i_dialect dialect;
    int64_t cols, text, label; /* label -1: none */
} table;

static bool is_named(const pith_i_field *f, const char *name)
{
    return f->length == (int64_t)strlen(name) && strncasecmp(f->at, name, strlen(name)) == 0;
}

/* The column called `name`; -1: none, or name is NULL. */
static int64_t column_named(const pith_i_field *fields, int64_t cols, const char *name)
{
    for (int64_t j = 0; name != NULL && j < cols; j++)
        if (pith_i_field_is(&fields[j], name))
            return j;
    return -1;
}

/* The only column besides the labels; -1: there are more, or none. */
static int64_t only_other(const table *t)
{
    return t->cols - (t->label >= 0) != 1 ? -1 : t->label == 0 ? 1 : 0;
}

/* A column is missing, which `what` says; the first columns are named, to choose from. */
static pith_status no_column(pith_ctx *ctx, const pith_i_field *fields, const table *t, const char *what)
{
    enum { NAMED = 6 };
    char names[NAMED * (PITH_I_SHOWN + 2)] = "", shown[PITH_I_SHOWN];
    for (int64_t j = 0; j < t->cols && j < NAMED; j++)
        (void)snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", j > 0 ? ", " : "",
                       pith_i_show(fields[j].at, fields[j].length, shown));
    return pith_i_error(ctx, PITH_E_DATA, "%s: %s (there %s %s%s)", t->path, what, t->cols > 1 ? "are" : "is",
                        names, t->cols > NAMED ? ", ..." : "");
}

static pith_status no_column_called(pith_ctx *ctx, const pith_i_field *fields, const table *t,
                                    const char *name, const char *use)
{
    char shown[PITH_I_SHOWN], what[PITH_I_SHOWN + 64];
    (void)snprintf(what, sizeof what, "has no column %s for the %s",
                   pith_i_show(name, (int64_t)strlen(name), shown), use);
    return no_column(ctx, fields, t, what);
}

/* A first row that was no header is a document lost, so its use as one is said. */
static void tell_only_column(pith_ctx *ctx, const pith_i_field *fields, const table *t)
{
    char shown[PITH_I_SHOWN];
    pith_i_note(ctx, "%s: the first row is taken as a header, and the text is in its column %s", t->path,
                pith_i_show(fields[t->text].at, fields[t->text].length, shown));
}

static pith_status find_columns(pith_ctx *ctx, const pith_i_field *fields, const pith_i_document_options *o,
                                table *t)
{
    t->label = column_named(fields, t->cols, o->no_labels ? NULL : o->labels);
    if (o->labels != NULL && !o->no_labels && t->label < 0)
        return no_column_called(ctx, fields, t, o->labels, "labels");
    for (int64_t j = 0; o->labels == NULL && t->label < 0 && j < t->cols; j++)
        if (pith_i_is_label_name(fields[j].at, fields[j].length))
            t->label = j;
    t->text = column_named(fields, t->cols, o->column);
    if (o->column != NULL && t->text < 0)
        return no_column_called(ctx, fields, t, o->column, "text");
    for (int64_t j = 0; t->text < 0 && j < t->cols; j++)
        if (is_named(&fields[j], "text"))
            t->text = j;
    if (t->text < 0) {
        t->text = only_other(t);
        if (t->text < 0)
            return no_column(ctx, fields, t,
                             "no column is called 'text'; name the column of the text with text:column=NAME");
        tell_only_column(ctx, fields, t);
    }
    if (o->no_labels)
        t->label = -1;
    return PITH_OK;
}

/* The fields of a row into `fields`, which has room for t->cols. */
static pith_status split(pith_ctx *ctx, const table *t, const char *at, const char *end, int64_t line,
                         pith_i_field *fields)
{
    int64_t count = 0;
    for (; at != NULL; count++) {
        pith_i_field f;
        at = pith_i_field_next(&t->dialect, at, end, &f);
        if (count < t->cols)
            fields[count] = f;
    }
    if (count != t->cols)
        return pith_i_error(ctx, PITH_E_DATA, "%s:%lld: %lld columns expected, %lld found", t->path,
                            (long long)line, (long long)t->cols, (long long)count);
    return PITH_OK;
}

/* Makes the field what it stands for: "" inside quotes becomes one quote. The new text is scratch. */
static pith_status undo_quotes(pith_ctx *ctx, pith_i_field *f)
{
    char *text = NULL;
    pith_status st = PITH_OK;
    if (!f->doubled)
        return PITH_OK;
    TRY(SCRATCH(ctx, text, f->length));
    *f = (pith_i_field){.at = text, .length = pith_i_field_copy(f, text)};
done:
    return st;
}

static pith_status give_row(pith_ctx *ctx, const table *t, pith_i_field *fields, int64_t line,
                            pith_i_document_fn *each, void *self)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_field *text = &fields[t->text], *label = t->label >= 0 ? &fields[t->label] : NULL;
    pith_status st = PITH_OK;
    TRY(undo_quotes(ctx, text));
    if (label != NULL)
        TRY(undo_quotes(ctx, label));
    const pith_i_document document = {.text = text->at,
                                      .length = text->length,
                                      .label = label != NULL ? label->at : NULL,
                                      .label_length = label != NULL ? label->length : 0,
                                      .path = t->path,
                                      .line = line};
    TRY(each(ctx, self, &document));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Does the header, split by this separator, name the column of the text? */
static bool names_text(const pith_i_dialect *d, const char *at, const char *end, const char *column)
{
    for (pith_i_field f; at != NULL;) {
        at = pith_i_field_next(d, at, end, &f);
        if (column != NULL ? pith_i_field_is(&f, column) : is_named(&f, "text"))
            return true;
    }
    return false;
}

/* The separator is that of the ending, unless only another one shows the column of the text in the header, or
 * any columns at all. Texts are full of all of them, so the other rows are not asked. */
static void find_dialect(const char *at, const char *end, const pith_i_document_options *o, pith_i_dialect *d)
{
    static const char known[] = ",;\t|";
    if (o->sep != 0) {
        *d = (pith_i_dialect){.delimiter = o->sep, .blanks = o->sep == ' ', .quotes = true};
        return;
    }
    if (names_text(d, at, end, o->column))
        return;
    const bool one = pith_i_field_count(d, at, end) == 1;
    pith_i_dialect other = *d, splits = *d;
    for (const char *c = known; *c != '\0'; c++) {
        other.delimiter = *c;
        if (names_text(&other, at, end, o->column)) {
            *d = other;
            return;
        }
        if (splits.delimiter == d->delimiter && pith_i_field_count(&other, at, end) > 1)
            splits = other;
    }
    if (one)
        *d = splits;
}

static pith_status read_rows(pith_ctx *ctx, const pith_i_bytes *bytes, const pith_i_document_options *options,
                             table *t, pith_i_document_fn *each, void *self)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const char *end = bytes->at + bytes->size, *stop = NULL;
    pith_i_field *fields = NULL;
    bool open = false;
    int64_t line = 1, rows = 0;
    pith_status st = PITH_OK;
    for (const char *at = bytes->at; at < end; line += pith_i_newlines(at, stop) + 1, at = stop + 1) {
        stop = pith_i_row_end(&t->dialect, at, end, &open);
        if (open)
            FAIL(ctx, PITH_E_DATA, "%s:%lld: a quote is never closed", t->path, (long long)line);
        const char *to = stop > at && stop[-1] == '\r' ? stop - 1 : stop;
        if (pith_i_row_is_blank(&t->dialect, at, to))
            continue;
        if (rows++ == 0) {
            find_dialect(at, to, options, &t->dialect);
            t->cols = pith_i_field_count(&t->dialect, at, to);
            TRY(SCRATCH(ctx, fields, t->cols));
            TRY(split(ctx, t, at, to, line, fields));
            TRY(find_columns(ctx, fields, options, t));
            continue;
        }
        if (rows % 256 == 0)
            TRY(pith_i_progress(ctx, at - bytes->at, bytes->size));
        TRY(split(ctx, t, at, to, line, fields));
        TRY(give_row(ctx, t, fields, line, each, self));
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_documents_table(pith_ctx *ctx, const char *path, const pith_i_document_options *options,
                                   pith_i_document_fn *each, void *self)
{
    table t = {.path = path,
               .dialect = {.delimiter = pith_i_has_ending(path, ".tsv") ? '\t' : ',', .quotes = true}};
    pith_i_bytes bytes = {0};
    pith_status st = PITH_OK;
    if (options->header == PITH_NO)
        FAIL(ctx, PITH_E_DATA, "%s: a table of documents needs a header: a first row that names its columns",
             path);
    TRY(pith_i_text_load(ctx, path, &bytes));
    if (bytes.size >= 3 && memcmp(bytes.at, "\xEF\xBB\xBF", 3) == 0) { /* byte order mark of UTF-8 */
        pith_i_bytes rest = {.at = bytes.at + 3, .size = bytes.size - 3};
        TRY(read_rows(ctx, &rest, options, &t, each, self));
    } else {
        TRY(read_rows(ctx, &bytes, options, &t, each, self));
    }
done:
    pith_i_bytes_free(&bytes);
    return st;
}
