#include "io/deflate.h"

#include <string.h>
#include <zlib.h>

enum { GZIP_WINDOW = 15 + 16, ROOM = 1 << 16 };

static voidpf take(voidpf ctx, uInt items, uInt size)
{
    return pith_i_alloc(ctx, items, size);
}

static void give_back(voidpf ctx, voidpf block)
{
    (void)ctx;
    pith_i_free(block);
}

/* ---- zlib streams, in pieces ------------------------------------------------------------------------ */

struct pith_i_inflate {
    pith_ctx *ctx;
    const char *where;
    const char *next, *end; /* input left; zlib counts in 32 bits and gets it in steps */
    z_stream z;
};

pith_status pith_i_inflate_open(pith_ctx *ctx, const char *where, const void *from, int64_t size,
                                pith_i_inflate **out)
{
    pith_i_inflate *s = pith_i_alloc_zero(ctx, 1, sizeof *s);
    if (s == NULL)
        return PITH_E_NOMEM;
    s->ctx = ctx;
    s->where = where;
    s->next = from;
    s->end = s->next + size;
    s->z = (z_stream){.zalloc = take, .zfree = give_back, .opaque = ctx};
    if (inflateInit(&s->z) != Z_OK) {
        pith_i_free(s);
        return PITH_E_NOMEM;
    }
    *out = s;
    return PITH_OK;
}

pith_status pith_i_inflate_read(pith_i_inflate *s, void *out, int64_t bytes)
{
    enum { STEP = 1 << 30 };
    char *at = out;
    while (bytes > 0) {
        const uInt room = (uInt)(bytes < STEP ? bytes : STEP);
        const uInt there = (uInt)(s->end - s->next < STEP ? s->end - s->next : STEP);
        s->z.next_in = (Bytef *)(uintptr_t)s->next; /* not written to */
        s->z.avail_in = there;
        s->z.next_out = (Bytef *)at;
        s->z.avail_out = room;
        const int code = inflate(&s->z, Z_SYNC_FLUSH);
        const int64_t got = room - s->z.avail_out;
        s->next += there - s->z.avail_in;
        at += got;
        bytes -= got;
        if (code == Z_MEM_ERROR)
            return pith_i_error(s->ctx, PITH_E_NOMEM, "out of memory while unpacking %s", s->where);
        if (bytes > 0 && (code != Z_OK || (got == 0 && s->z.avail_in == 0)))
            return pith_i_error(s->ctx, PITH_E_DATA, "%s: its compressed data is damaged or truncated",
                                s->where);
    }
    return PITH_OK;
}

void pith_i_inflate_close(pith_i_inflate *s)
{
    if (s == NULL)
        return;
    (void)inflateEnd(&s->z);
    pith_i_free(s);
}

/* ---- Reading gzip files ------------------------------------------------------------------------------ */

/* The last four bytes tell the unpacked size modulo 2^32: a guess, used only if deflate can compress that
 * well. */
static int64_t guess_unpacked(const pith_i_bytes *packed)
{
    enum { MOST_RATIO = 1032 };
    const unsigned char *tail = (const unsigned char *)packed->at + packed->size - 4;
    const int64_t said = tail[0] | (int64_t)tail[1] << 8 | (int64_t)tail[2] << 16 | (int64_t)tail[3] << 24;
    const bool possible = said >= packed->size && said / MOST_RATIO <= packed->size;
    return possible ? said + 1 : 4 * packed->size; /* one more, so that the end is seen without growing */
}

/* Several gzip members in a row, as bgzip writes them, are one text. Zeros after them are padding. */
static pith_status inflate_all(pith_ctx *ctx, const char *path, z_stream *z, const pith_i_bytes *packed,
                               pith_i_bytes *out)
{
    enum { STEP = 1 << 24 }; /* zlib counts in 32 bits */
    const char *end = packed->at + packed->size;
    int64_t room = guess_unpacked(packed) * 2 / 3; /* growing adds a half */
    pith_status st = PITH_OK;
    TRY(pith_i_bytes_grow(ctx, out, &room));
    for (;;) {
        const char *next = (const char *)z->next_in;
        TRY(pith_i_progress(ctx, next - packed->at, packed->size));
        if (out->size == room)
            TRY(pith_i_bytes_grow(ctx, out, &room));
        const uInt space = (uInt)(room - out->size < STEP ? room - out->size : STEP);
        z->avail_in = (uInt)(end - next < STEP ? end - next : STEP);
        z->next_out = (Bytef *)out->owned + out->size;
        z->avail_out = space;
        const int code = inflate(z, Z_NO_FLUSH);
        out->size += space - z->avail_out;
        pith_i_touched(ctx, space - z->avail_out);
        if (code == Z_MEM_ERROR)
            FAIL(ctx, PITH_E_NOMEM, "%s: out of memory while unpacking", path);
        if (code == Z_STREAM_END) {
            next = (const char *)z->next_in;
            while (next < end && *next == '\0')
                next++;
            if (next == end)
                break;
            z->next_in = (Bytef *)(uintptr_t)next;
            (void)inflateReset(z);
        } else if (code != Z_OK || (z->avail_out > 0 && (const char *)z->next_in == end)) {
            FAIL(ctx, PITH_E_DATA, "%s: damaged or truncated gzip data after %lld unpacked bytes", path,
                 (long long)out->size);
        }
    }
done:
    return st;
}

pith_status pith_i_gunzip(pith_ctx *ctx, const char *path, pith_i_bytes *bytes)
{
    z_stream z = {.zalloc = take, .zfree = give_back, .opaque = ctx};
    pith_i_bytes plain = {0};
    pith_status st = PITH_OK;
    z.next_in = (Bytef *)(uintptr_t)bytes->at; /* zlib does not write through it */
    if (inflateInit2(&z, GZIP_WINDOW) != Z_OK)
        return PITH_E_NOMEM;
    TRY(inflate_all(ctx, path, &z, bytes, &plain));
    pith_i_bytes_free(bytes);
    *bytes = plain;
    plain = (pith_i_bytes){0};
done:
    (void)inflateEnd(&z);
    pith_i_bytes_free(&plain);
    return st;
}

int pith_i_gunzip_head(const char *path, char *head, int room)
{
    gzFile file = gzopen(path, "rb"); /* reads uncompressed files, too */
    if (file == NULL)
        return 0;
    const int size = gzread(file, head, (unsigned)room);
    (void)gzclose(file);
    return size > 0 ? size : 0;
}

/* ---- Writing gzip files ------------------------------------------------------------------------------- */

struct pith_i_gzip {
    z_stream z;
    char packed[ROOM];
};

pith_status pith_i_gzip_open(pith_ctx *ctx, const char *path, pith_i_gzip **out)
{
    enum { MEMORY_LEVEL = 8 };
    pith_i_gzip *g = pith_i_alloc_zero(ctx, 1, sizeof *g);
    (void)path;
    if (g == NULL)
        return PITH_E_NOMEM;
    g->z = (z_stream){.zalloc = take, .zfree = give_back, .opaque = ctx};
    if (deflateInit2(&g->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, MEMORY_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
        pith_i_free(g);
        return PITH_E_NOMEM;
    }
    *out = g;
    return PITH_OK;
}

void pith_i_gzip_bytes(pith_i_gzip *g, const char *bytes, int64_t count, bool last, pith_i_gzip_put_fn *put,
                       void *self)
{
    g->z.next_in = (Bytef *)(uintptr_t)bytes; /* not written to */
    g->z.avail_in = (uInt)count;
    do {
        g->z.next_out = (Bytef *)g->packed;
        g->z.avail_out = ROOM;
        (void)deflate(&g->z, last ? Z_FINISH
                                  : Z_NO_FLUSH); /* cannot fail on a valid stream; no progress is no error */
    } while (put(self, g->packed, ROOM - g->z.avail_out) && g->z.avail_out == 0);
}

void pith_i_gzip_close(pith_i_gzip *g)
{
    if (g == NULL)
        return;
    (void)deflateEnd(&g->z);
    pith_i_free(g);
}
