/* In place of documents_json.c where PITH_JSON is off. */
#include "io/documents.h"

pith_status pith_i_documents_json(pith_ctx *ctx, const char *path, const pith_i_document_options *options,
                                  pith_i_document_fn *each, void *self)
{
    (void)options, (void)each, (void)self;
    return pith_i_error(ctx, PITH_E_FILE, "%s: this build of pith has no JSON reader (jansson)", path);
}
