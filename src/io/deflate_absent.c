/* In place of deflate.c where PITH_ZLIB is off: only uncompressed files can be read and written. */
#include "io/deflate.h"

pith_status pith_i_inflate_open(pith_ctx *ctx, const char *where, const void *from, int64_t size,
                                pith_i_inflate **out)
{
    (void)from, (void)size, (void)out;
    return pith_i_error(ctx, PITH_E_FILE,
                        "%s: this build of pith has no zlib: save the file uncompressed (MATLAB's -v6)",
                        where);
}

pith_status pith_i_inflate_read(pith_i_inflate *s, void *out, int64_t bytes)
{
    (void)s, (void)out, (void)bytes;
    return PITH_E_BUG; /* no stream can be open */
}

void pith_i_inflate_close(pith_i_inflate *s)
{
    (void)s;
}

pith_status pith_i_gunzip(pith_ctx *ctx, const char *path, pith_i_bytes *bytes)
{
    (void)bytes;
    return pith_i_error(ctx, PITH_E_FILE, "%s: this build of pith has no zlib: unpack the file with gunzip",
                        path);
}

int pith_i_gunzip_head(const char *path, char *head, int room)
{
    FILE *file = fopen(path, "rbe");
    if (file == NULL)
        return 0;
    const size_t size = fread(head, 1, (size_t)room, file);
    (void)fclose(file);
    return (int)size;
}

pith_status pith_i_gzip_open(pith_ctx *ctx, const char *path, pith_i_gzip **out)
{
    (void)out;
    return pith_i_error(ctx, PITH_E_FILE, "%s: this build of pith has no zlib: leave out the .gz", path);
}

void pith_i_gzip_bytes(pith_i_gzip *g, const char *bytes, int64_t count, bool last, pith_i_gzip_put_fn *put,
                       void *self)
{
    (void)g, (void)bytes, (void)count, (void)last, (void)put, (void)self;
}

void pith_i_gzip_close(pith_i_gzip *g)
{
    (void)g;
}
