/* Labels from a file of their own. */
#include "io/fields.h"

/* One text per line for each row of the data; `what` names them in messages. */
static pith_status read_texts(pith_ctx *ctx, const char *file, const char *what, const char *path, int64_t n,
                              pith_i_names *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_bytes bytes = {0};
    pith_i_field *fields = NULL;
    pith_status st = PITH_OK;
    int64_t count = 0;
    TRY(pith_i_text_load(ctx, file, &bytes));
    TRY(pith_i_lines(ctx, &bytes, false, &count, &fields));
    if (count != n)
        FAIL(ctx, PITH_E_DATA, "%s: %lld %s, one per line, for the %lld rows of %s", file, (long long)count,
             what, (long long)n, path);
    TRY(pith_i_names_of_fields(ctx, file, count, fields, out));
done:
    pith_i_bytes_free(&bytes);
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_labels_read(pith_ctx *ctx, const char *labels, const char *path, pith_matrix *m)
{
    pith_i_names names = {0};
    pith_status st = PITH_OK;
    TRY(read_texts(ctx, labels, "labels", path, m->data.n, &names));
    TRY(pith_i_matrix_label(ctx, m, &names));
done:
    pith_i_names_free(&names);
    return st;
}

pith_status pith_i_batches_read(pith_ctx *ctx, const char *batches, const char *path, pith_matrix *m)
{
    pith_i_names names = {0};
    pith_status st = PITH_OK;
    TRY(read_texts(ctx, batches, "batches", path, m->data.n, &names));
    TRY(pith_i_matrix_batch(ctx, m, batches, &names));
done:
    pith_i_names_free(&names);
    return st;
}

pith_status pith_i_clusters_read(pith_ctx *ctx, const char *path, int64_t *n, int32_t **out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_bytes bytes = {0};
    pith_i_names names = {0};
    pith_i_field *fields = NULL;
    pith_matrix *m = NULL;
    char shown[PITH_I_SHOWN];
    pith_status st = PITH_OK;
    int64_t count = 0;
    TRY(pith_i_text_load(ctx, path, &bytes));
    TRY(pith_i_lines(ctx, &bytes, false, &count, &fields));
    if (count == 0)
        FAIL(ctx, PITH_E_DATA, "%s: has no labels; one per line expected", path);
    TRY(pith_i_names_of_fields(ctx, path, count, fields, &names));
    TRY(pith_i_matrix_new(ctx, &m));
    for (int64_t i = 0; i < count; i++)
        if (pith_i_label_is_missing(fields[i].at, fields[i].length))
            FAIL(ctx, PITH_E_DATA, "%s:%lld: %s is not a cluster; every sample needs one", path,
                 (long long)i + 1,
                 fields[i].length == 0 ? "an empty line"
                                       : pith_i_show(fields[i].at, fields[i].length, shown));
    TRY(pith_i_matrix_label(ctx, m, &names));
    *n = count;
    *out = m->label;
    m->label = NULL;
done:
    pith_matrix_free(m);
    pith_i_names_free(&names);
    pith_i_bytes_free(&bytes);
    pith_i_scratch_release(ctx, mark);
    return st;
}
