#include "io/inflate.h"

#include <string.h>
#include <zlib.h>

struct pith_i_inflate {
    pith_ctx *ctx;
    const char *where;
    const char *next, *end; /* zlib counts in 32 bits: it gets the rest in steps */
    z_stream z;
};

static voidpf take(voidpf ctx, uInt items, uInt size)
{
    return pith_i_alloc(ctx, items, size);
}

static void give_back(voidpf ctx, voidpf block)
{
    (void)ctx;
    pith_i_free(block);
}

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
