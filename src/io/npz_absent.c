/* In place of npz.c where PITH_ZIP is off. */
#include "io/io.h"

pith_status pith_i_npz_read(pith_ctx *ctx, const char *path, const pith_read_options *options,
                            pith_matrix *out)
{
    (void)options, (void)out;
    return pith_i_error(ctx, PITH_E_FILE, "%s: this build of pith has no libzip", path);
}

pith_status pith_i_npz_write(pith_ctx *ctx, const pith_matrix *m, pith_i_file *file)
{
    (void)m;
    return pith_i_error(ctx, PITH_E_FILE, "%s: this build of pith has no libzip",
                        file->name != NULL ? file->name : ".npz");
}
