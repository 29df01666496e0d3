/* In place of npz.c where PITH_ZIP is off. */
#include "io/spread_write.h"

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

pith_status pith_i_npz_lay_out(pith_i_zip *z, const pith_i_shape *shape, pith_i_spread_array *arrays,
                               int *count)
{
    (void)shape, (void)arrays, (void)count;
    return pith_i_error(z->ctx, PITH_E_FILE, "%s: this build of pith has no libzip", z->path);
}

pith_status pith_i_npz_finish(pith_i_zip *z, int count, const pith_i_spread_array *arrays,
                              const pith_matrix *features, const pith_matrix *samples)
{
    (void)count, (void)arrays, (void)features, (void)samples;
    return pith_i_error(z->ctx, PITH_E_FILE, "%s: this build of pith has no libzip", z->path);
}

/* No archive is ever laid out here. */
uint32_t pith_i_zip_checksum(uint32_t before, const void *bytes, int64_t count)
{
    (void)bytes, (void)count;
    return before;
}

uint32_t pith_i_zip_joined(uint32_t first, uint32_t second, int64_t count)
{
    (void)second, (void)count;
    return first;
}
