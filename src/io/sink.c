#include "io/sink.h"

#include "core/number.h"
#include "io/deflate.h"

#include <errno.h>
#include <string.h>

enum { ROOM = 1 << 16 };

pith_status pith_i_sink_open(pith_ctx *ctx, pith_i_file *file, pith_i_sink *out)
{
    const size_t length = file->ending != NULL ? strlen(file->ending) : 0;
    pith_status st = PITH_OK;
    *out = (pith_i_sink){.ctx = ctx, .file = file};
    TRY(NEW(ctx, out->buffer, ROOM));
    if (length >= 3 && strcmp(file->ending + length - 3, ".gz") == 0)
        TRY(pith_i_gzip_open(ctx, file->name != NULL ? file->name : file->ending, &out->packer));
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

/* A failure is reported at once: commit would see it, too, but after all the rest and without the reason. */
static bool hand_over(void *self, const char *bytes, size_t count)
{
    pith_i_sink *s = self;
    errno = 0;
    if (fwrite(bytes, 1, count, s->file->stream) != count)
        s->status = cannot_write(s);
    return s->status == PITH_OK;
}

static void flush(pith_i_sink *s, bool last)
{
    if (s->status != PITH_OK)
        return;
    if (s->packer == NULL)
        (void)hand_over(s, s->buffer, (size_t)s->used);
    else
        pith_i_gzip_bytes(s->packer, s->buffer, s->used, last, hand_over, s);
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
            flush(s, false);
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
    flush(s, true);
    if (s->status == PITH_OK && fflush(s->file->stream) != 0)
        s->status = cannot_write(s);
    return s->status;
}

void pith_i_sink_free(pith_i_sink *s)
{
    pith_i_gzip_close(s->packer);
    pith_i_free(s->buffer);
    *s = (pith_i_sink){0};
}
