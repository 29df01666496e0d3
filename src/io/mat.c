/* MATLAB files: telling their version, and what the versions share. */
#include "io/mat.h"

#include "core/bytes.h"
#include "io/hdf5.h"

#include <string.h>

int64_t pith_i_mat_text(const uint32_t *units, int64_t count, int64_t stride, char *out)
{
    char *next = out;
    for (int64_t k = 0; k < count; k++) {
        uint32_t c = units[k * stride];
        const uint32_t low = k + 1 < count ? units[(k + 1) * stride] : 0;
        if (c >> 10 == 0x36 && low >> 10 == 0x37) { /* a surrogate pair of UTF-16 */
            c = 0x10000 + ((c & 0x3FF) << 10 | (low & 0x3FF));
            k++;
        }
        next += pith_i_utf8_put(c, next);
    }
    return next - out;
}

pith_status pith_i_mat_char_rows(pith_ctx *ctx, int64_t rows, int64_t cols, const uint32_t *units,
                                 pith_i_names *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_status st = PITH_OK;
    const char **at = NULL;
    int64_t *length = NULL;
    char *bytes = NULL;
    TRY(SCRATCH(ctx, at, rows));
    TRY(SCRATCH(ctx, length, rows));
    TRY(SCRATCH(ctx, bytes, 4 * rows * cols));
    for (int64_t i = 0; i < rows; i++) {
        int64_t used = cols;
        while (used > 0 && (units[(used - 1) * rows + i] == ' ' || units[(used - 1) * rows + i] == 0))
            used--;
        at[i] = bytes;
        length[i] = pith_i_mat_text(units + i, used, rows, bytes);
        bytes += length[i];
    }
    TRY(pith_i_names_slices(ctx, rows, at, length, out));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_mat_read(pith_ctx *ctx, const char *path, const pith_read_options *options,
                            pith_matrix *out)
{
    static const char *const usual[] = {"X", "fea", NULL};
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_bytes bytes = {0};
    pith_i_container c = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_bytes_load(ctx, path, &bytes));
    if (pith_i_hdf5_is(&bytes)) { /* first: its header looks like version 5 */
        TRY(pith_i_mat73_read(ctx, path, &bytes, options, usual, out));
        goto done;
    }
    if (pith_i_mat5_is(&bytes))
        TRY(pith_i_mat5_open(ctx, path, &bytes, &c));
    else if (pith_i_mat4_is(&bytes))
        TRY(pith_i_mat4_open(ctx, path, &bytes, &c));
    else
        FAIL(ctx, PITH_E_DATA, "%s: is not a MATLAB file, or is damaged", path);
    TRY(pith_i_read_variables(&c, options, usual, out));
done:
    pith_i_bytes_free(&bytes);
    pith_i_scratch_release(ctx, mark);
    return st;
}
