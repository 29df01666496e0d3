#include "io/sink.h"

#include "core/number.h"

#include <errno.h>
#include <string.h>
#include <zlib.h>

enum { ROOM = 1 << 16 };

static voidpf zlib_alloc(voidpf ctx, uInt items, uInt size)
{
    return pith_i_alloc(ctx, items, size);
}

static void zlib_free(voidpf ctx, voidpf block)
{
    (void)ctx;
    pith_i_free(block);
}

static pith_status open_packer(pith_ctx *ctx, pith_i_sink *s)
{
    enum { GZIP_WINDOW = 15 + 16, MEMORY_LEVEL = 8 };
    pith_status st = PITH_OK;
    z_stream *z = NULL;
    TRY(NEW(ctx, s->packed, ROOM));
    TRY(NEW_ZERO(ctx, z, 1));
    z->zalloc = zlib_alloc;
    z->zfree = zlib_free;
    z->opaque = ctx;
    if (deflateInit2(z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) !=
        Z_OK) {
        pith_i_free(z);
        return PITH_E_NOMEM;
    }
    s->packer = z;
done:
    return st;
}

pith_status pith_i_sink_open(pith_ctx *ctx, pith_i_file *file, pith_i_sink *out)
{
    const size_t length = file->ending != NULL ? strlen(file->ending) : 0;
    pith_status st = PITH_OK;
    *out = (pith_i_sink){.ctx = ctx, .file = file};
    TRY(NEW(ctx, out->buffer, ROOM));
    if (length >= 3 && strcmp(file->ending + length - 3, ".gz") == 0)
        TRY(open_packer(ctx, out));
done:
    if (st != PITH_OK)
        pith_i_sink_free(out);
    return st;
}

static pith_status cannot_write(const pith_i_sink *s)
{
    return pith_i_error(s->ctx, PITH_E_FILE, "%s: cannot be written: %s",
                        s->file->path != NULL ? s->file->path : "standard output",
                        strerror(errno != 0 ? errno : EIO));
}

/* Told at once: commit would see it, too, but after the rest has been computed and without the reason. */
static void hand_over(pith_i_sink *s, const char *bytes, size_t count)
{
    errno = 0;
    if (fwrite(bytes, 1, count, s->file->stream) != count)
        s->status = cannot_write(s);
}

static void flush(pith_i_sink *s, int how)
{
    if (s->status != PITH_OK)
        return;
    if (s->packer == NULL) {
        hand_over(s, s->buffer, (size_t)s->used);
    } else {
        z_stream *z = s->packer;
        z->next_in = (Bytef *)s->buffer;
        z->avail_in = (uInt)s->used;
        do {
            z->next_out = (Bytef *)s->packed;
            z->avail_out = ROOM;
            (void)deflate(z, how); /* cannot fail on a valid stream; no progress is no error */
            hand_over(s, s->packed, ROOM - z->avail_out);
        } while (z->avail_out == 0 && s->status == PITH_OK);
    }
    s->used = 0;
}

void pith_i_sink_bytes(pith_i_sink *s, const char *bytes, int64_t count)
{
    while (count > 0 && s->status == PITH_OK) {
        const int64_t fitting = count < ROOM - s->used ? count : ROOM - s->used;
        memcpy(s->buffer + s->used, bytes, (size_t)fitting);
        s->used += fitting;
        bytes += fitting;
        count -= fitting;
        if (s->used == ROOM)
            flush(s, Z_NO_FLUSH);
    }
}

void pith_i_sink_string(pith_i_sink *s, const char *text)
{
    pith_i_sink_bytes(s, text, (int64_t)strlen(text));
}

void pith_i_sink_number(pith_i_sink *s, double v)
{
    char text[32];
    pith_i_sink_bytes(s, text, pith_i_print_double(v, text));
}

void pith_i_sink_integer(pith_i_sink *s, int64_t v)
{
    char text[32];
    pith_i_sink_bytes(s, text, snprintf(text, sizeof text, "%lld", (long long)v));
}

void pith_i_sink_quoted(pith_i_sink *s, const char *text)
{
    pith_i_sink_bytes(s, "\"", 1);
    for (const char *quote; (quote = strchr(text, '"')) != NULL; text = quote + 1) {
        pith_i_sink_bytes(s, text, quote - text);
        pith_i_sink_bytes(s, "\"\"", 2);
    }
    pith_i_sink_string(s, text);
    pith_i_sink_bytes(s, "\"", 1);
}

void pith_i_sink_text(pith_i_sink *s, const char *text, const char *special)
{
    const size_t length = strlen(text);
    const bool plain = length > 0 && strpbrk(text, "\"\r\n") == NULL && strpbrk(text, special) == NULL &&
                       strchr(" \t", text[0]) == NULL && strchr(" \t", text[length - 1]) == NULL &&
                       text[0] != '\xef'; /* may be a byte order mark */
    if (plain)
        pith_i_sink_bytes(s, text, (int64_t)length);
    else
        pith_i_sink_quoted(s, text);
}

pith_status pith_i_sink_finish(pith_i_sink *s)
{
    flush(s, Z_FINISH);
    if (s->status == PITH_OK && fflush(s->file->stream) != 0)
        s->status = cannot_write(s);
    return s->status;
}

void pith_i_sink_free(pith_i_sink *s)
{
    if (s->packer != NULL)
        (void)deflateEnd(s->packer);
    pith_i_free(s->packer);
    pith_i_free(s->buffer);
    pith_i_free(s->packed);
    *s = (pith_i_sink){0};
}
