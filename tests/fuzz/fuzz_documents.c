/* Bytes as documents in every kind of file, and as one document in memory: counts or one line that begins
 * with the path. What was counted is whole: positive numbers, words in their order, each in a document at
 * least. */
#include "fuzz/fuzz.h"

#include <string.h>

static void check_counts(pith_ctx *ctx, const pith_matrix *m)
{
    const pith_i_data *X = &m->data;
    fuzz_check_table(ctx, m, true);
    if (!X->sparse || X->dtype != PITH_F64 || m->features.start == NULL)
        fuzz_fail("no counts of words", "");
    for (int64_t e = 0; e < X->indptr[X->n]; e++) {
        const double v = pith_i_value(X->values, X->dtype, e);
        if (!(v >= 1) || v != (double)(int64_t)v)
            fuzz_fail("no count", pith_matrix_feature_name(m, X->indices[e]));
    }
    for (int64_t j = 1; j < X->p; j++)
        if (strcmp(pith_matrix_feature_name(m, j - 1), pith_matrix_feature_name(m, j)) >= 0)
            fuzz_fail("words out of order", pith_matrix_feature_name(m, j));
}

static void read_as(pith_ctx *ctx, const uint8_t *data, size_t size, const char *ending, const char *steps)
{
    char path[128];
    pith_matrix *m = NULL;
    fuzz_put(fuzz_path("in", ending, path), data, size);
    const pith_status st = pith_prep_read(ctx, path, steps, NULL, &m);
    if (st == PITH_OK)
        check_counts(ctx, m);
    else
        fuzz_check_refusal(ctx, st, path);
    pith_matrix_free(m);
    if (pith_i_bytes_in_use(ctx) != 0)
        fuzz_fail("memory is kept after", pith_ctx_message(ctx));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const endings[] = {".txt", ".csv", ".tsv", ".jsonl"};
    const char *text = (const char *)data;
    const int64_t length = (int64_t)size;
    pith_ctx *ctx = NULL;
    pith_matrix *m = NULL;
    if (pith_ctx_new(&ctx) != PITH_OK || pith_ctx_set_threads(ctx, 1) != PITH_OK)
        return 0;
    for (size_t e = 0; e < COUNT(endings); e++)
        read_as(ctx, data, size, endings[e],
                e % 2 == 0 ? "text:min-df=1" : "text:min-df=1:stem=none:numbers=yes");
    if (pith_prep_texts(ctx, 1, &text, &length, "text:min-df=1:stem=russian:shortest=1", &m) == PITH_OK)
        check_counts(ctx, m);
    pith_matrix_free(m);
    pith_ctx_free(ctx);
    return 0;
}
