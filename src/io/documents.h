/*
 * Where documents come from: a folder of files, whose subfolders are classes; a .txt with one document per
 * line; a .csv or .tsv with a column of text; or .jsonl, one object per line. All files may be compressed
 * (.gz).
 */
#ifndef PITH_IO_DOCUMENTS_H
#define PITH_IO_DOCUMENTS_H

#include "io/io.h"

/* Texts are not NUL-terminated and are valid until pith_i_document_fn returns; NULL: there is none. */
typedef struct pith_i_document {
    const char *text, *name, *label;
    int64_t length, name_length, label_length;
    const char *path; /* of its file, for messages */
    int64_t line;     /* its line, from 1; 0: the whole file is the document */
} pith_i_document;

typedef pith_status pith_i_document_fn(pith_ctx *ctx, void *self, const pith_i_document *document);

typedef struct pith_i_document_options {
    const char *column, *labels; /* as the user names them; NULL: auto */
    bool no_labels;
    char sep;           /* between the columns of a table; 0: detected, ' ': runs of blanks */
    pith_answer header; /* of a table; it must have one */
} pith_i_document_options;

/* Is this a folder, or a file whose ending says that it may hold documents? */
bool pith_i_documents_are(const char *path);
/* Calls `each` for every document, in the order of the file; in a folder, sorted by the bytes of their paths.
 * Ends when `each` fails. */
pith_status pith_i_documents_read(pith_ctx *ctx, const char *path, const pith_i_document_options *options,
                                  pith_i_document_fn *each, void *self);
/* The beginning of a message about a document: "news.txt:17", "news/sport/a.txt". */
const char *pith_i_document_place(const pith_i_document *document, char text[512]);

/* What to add to a message about a path that is not there: something where '-' was meant as standard input.
 */
const char *pith_i_not_stdin(const char *path);

/* Labels were named where documents have no fields: they can only come from a file, which is not there. */
pith_status pith_i_no_labels_file(pith_ctx *ctx, const char *path, const char *labels);

/* The readers by kind. */
typedef pith_status pith_i_documents_fn(pith_ctx *ctx, const char *path,
                                        const pith_i_document_options *options, pith_i_document_fn *each,
                                        void *self);
pith_i_documents_fn pith_i_documents_folder, pith_i_documents_table, pith_i_documents_json;

#endif
