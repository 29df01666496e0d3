/* Bytes as documents in every kind of file, and as one document in memory: counts or one line that begins
 * with the path. What was counted is whole: positive numbers, words in their order, each in a document at
 * least. */
#include "fuzz/fuzz.h"

#include <stdlib.h>
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

/* Blanks in front do not change what a document holds, wherever they push its words. */
static void check_shifted(pith_ctx *ctx, const char *text, int64_t length)
{
    const int64_t blanks = 1 + length % 67, both[2] = {length, length + blanks};
    char *shifted = malloc((size_t)both[1]);
    const char *texts[2] = {text, shifted};
    pith_matrix *m = NULL;
    memset(shifted, ' ', (size_t)blanks);
    if (length > 0)
        memcpy(shifted + blanks, text, (size_t)length);
    if (pith_prep_texts(ctx, 2, texts, both, "text:min-df=1:stem=none:stop-words=none:shortest=1", &m) ==
        PITH_OK) {
        const pith_i_data *X = &m->data;
        const int64_t many = X->indptr[1];
        check_counts(ctx, m);
        if (X->indptr[2] != 2 * many ||
            memcmp(X->indices, X->indices + many, (size_t)many * sizeof *X->indices) != 0 ||
            memcmp(X->values, (const double *)X->values + many, (size_t)many * sizeof(double)) != 0)
            fuzz_fail("blanks change the words", "");
    }
    pith_matrix_free(m);
    free(shifted);
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
    check_shifted(ctx, text, length);
    pith_ctx_free(ctx);
    return 0;
}
