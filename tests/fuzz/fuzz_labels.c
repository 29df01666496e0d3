/* A file with one label per line, for as many rows as it has lines, one more, and one less. */
#include "fuzz/fuzz.h"

#include "io/io.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static double x[1];
    char path[128];
    int64_t lines = 0;
    pith_ctx *ctx = NULL;
    fuzz_put(fuzz_path("in", ".labels", path), data, size);
    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n';
    if (pith_ctx_new(&ctx) != PITH_OK)
        return 0;
    for (int64_t n = lines > 0 ? lines - 1 : 0; n <= lines + 1; n++) {
        pith_matrix *m = NULL;
        if (pith_matrix_dense(ctx, n, 1, PITH_F64, x, 0, 0, &m) != PITH_OK)
            fuzz_fail("no matrix", pith_ctx_message(ctx));
        const pith_status st = pith_i_labels_read(ctx, path, "data", m);
        const bool packed = size >= 2 && data[0] == 0x1f && data[1] == 0x8b;
        if (st != PITH_OK && strncmp(pith_ctx_message(ctx), path, strlen(path)) != 0)
            fuzz_fail("a message that does not begin with the path", pith_ctx_message(ctx));
        if (st == PITH_OK && m->label != NULL && (packed ? n : pith_i_labelled(m)) < 1)
            fuzz_fail("labels of no class", "");
        pith_matrix_free(m);
        if (pith_i_bytes_in_use(ctx) != 0)
            fuzz_fail("memory is kept after", pith_ctx_message(ctx));
    }
    pith_ctx_free(ctx);
    return 0;
}
