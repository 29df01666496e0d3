#include "io/documents.h"

#include "io/cursor.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *pith_i_document_place(const pith_i_document *document, char text[512])
{
    if (document->line > 0)
        (void)snprintf(text, 512, "%s:%lld", document->path, (long long)document->line);
    else
        (void)snprintf(text, 512, "%s", document->path);
    return text;
}

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

pith_status pith_i_no_labels_file(pith_ctx *ctx, const char *path, const char *labels)
{
    return pith_i_error(
        ctx, PITH_E_FILE,
        "%s: has no columns to take labels from, and there is no file '%s' with one label per "
        "line",
        path, labels);
}

/* One document per line. Blank lines are documents, too, so that the labels in another file stay aligned;
 * blank lines at the end are not. */
static pith_status read_lines(pith_ctx *ctx, const char *path, const pith_i_document_options *options,
                              pith_i_document_fn *each, void *self)
{
    pith_i_bytes bytes = {0};
    pith_status st = PITH_OK;
    if (options->labels != NULL && !options->no_labels)
        return pith_i_no_labels_file(ctx, path, options->labels);
    TRY(pith_i_text_load(ctx, path, &bytes));
    pith_i_cursor c = {.at = bytes.at, .end = bytes.at + bytes.size};
    while (c.end > c.at && pith_i_is_space(c.end[-1]))
        c.end--;
    while (pith_i_next_line(&c)) {
        const pith_i_document document = {
            .text = c.from, .length = c.to - c.from, .path = path, .line = c.line};
        if (c.line % 256 == 0)
            TRY(pith_i_progress(ctx, c.at - bytes.at, bytes.size));
        TRY(each(ctx, self, &document));
    }
done:
    pith_i_bytes_free(&bytes);
    return st;
}

static const struct {
    const char *ending;
    pith_i_documents_fn *read;
} kinds[] = {
    {".txt", read_lines},
    {".csv", pith_i_documents_table},
    {".tsv", pith_i_documents_table},
    {".jsonl", pith_i_documents_json},
    {".ndjson", pith_i_documents_json},
};

bool pith_i_documents_are(const char *path)
{
    for (size_t k = 0; k < COUNT(kinds); k++)
        if (pith_i_has_ending(path, kinds[k].ending))
            return true;
    return is_folder(path);
}

const char *pith_i_not_stdin(const char *path)
{
    return strcmp(path, "-") == 0 ? "; data is read from files, not from standard input" : "";
}

pith_status pith_i_documents_read(pith_ctx *ctx, const char *path, const pith_i_document_options *options,
                                  pith_i_document_fn *each, void *self)
{
    if (is_folder(path))
        return pith_i_documents_folder(ctx, path, options, each, self);
    for (size_t k = 0; k < COUNT(kinds); k++)
        if (pith_i_has_ending(path, kinds[k].ending))
            return kinds[k].read(ctx, path, options, each, self);
    if (access(path, F_OK) != 0)
        return pith_i_error(ctx, PITH_E_FILE, "%s: cannot be read: %s%s", path, strerror(errno),
                            pith_i_not_stdin(path));
    return pith_i_error(ctx, PITH_E_FILE,
                        "%s: not documents that pith can read: a folder, .txt with one document per line, "
                        ".csv or .tsv with a text column, or .jsonl with one object per line",
                        path);
}
