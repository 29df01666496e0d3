/* Whole files in memory: mapped if possible, and unpacked if they begin like gzip. */
#include "io/deflate.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static pith_status cannot_read(pith_ctx *ctx, const char *path)
{
    if (errno == ENOMEM)
        return pith_i_error(ctx, PITH_E_NOMEM, "out of memory: %s does not fit", path);
    return pith_i_error(ctx, PITH_E_FILE, "%s: cannot be read: %s", path, strerror(errno));
}

/* What exceeds the memory limit goes to a scratch file: a few kilobytes of gzip can unpack to terabytes, and
 * then fill the disk, not the memory. */
pith_status pith_i_bytes_grow(pith_ctx *ctx, pith_i_bytes *bytes, int64_t *room)
{
    const int64_t more = *room < 65536 ? 65536 : *room + *room / 2;
    char *larger = pith_i_realloc_large(ctx, bytes->owned, more, 1);
    if (larger == NULL)
        return PITH_E_NOMEM;
    *room = more;
    bytes->owned = larger;
    bytes->at = larger;
    return PITH_OK;
}

/* Waits until there is something to read or the writer has closed its end. A pipe may wait for its writer for
 * ever, so the caller can stop it through the progress function. */
static pith_status wait_for(pith_ctx *ctx, const char *path, int fd)
{
    enum { TICK_MS = 50 };
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    pith_status st = PITH_OK;
    for (int ready = 0; ready <= 0;) {
        ready = poll(&wait, 1, TICK_MS);
        TRY(pith_i_progress(ctx, 0, 1));
        if (ready < 0 && errno != EINTR)
            TRY(cannot_read(ctx, path));
    }
done:
    return st;
}

/* A pipe or device has no size to ask for: read until it ends. */
static pith_status read_stream(pith_ctx *ctx, const char *path, int fd, pith_i_bytes *out)
{
    int64_t room = 0;
    pith_status st = PITH_OK;
    for (;;) {
        TRY(wait_for(ctx, path, fd));
        if (out->size == room)
            TRY(pith_i_bytes_grow(ctx, out, &room));
        const ssize_t got = read(fd, (char *)out->owned + out->size, (size_t)(room - out->size));
        if (got == 0)
            break;
        if (got < 0 && errno != EINTR && errno != EAGAIN)
            TRY(cannot_read(ctx, path));
        out->size += got > 0 ? got : 0;
    }
done:
    return st;
}

static pith_status load_raw(pith_ctx *ctx, const char *path, int fd, pith_i_bytes *out)
{
    struct stat info;
    if (fstat(fd, &info) != 0)
        return cannot_read(ctx, path);
    if (S_ISDIR(info.st_mode))
        return pith_i_error(ctx, PITH_E_FILE, "%s: is a directory, not a data file", path);
    if (!S_ISREG(info.st_mode))
        return read_stream(ctx, path, fd, out);
    if (info.st_size == 0)
        return PITH_OK;
    const void *at = NULL;
    errno = 0;
    void *mapped = pith_i_map_file(ctx, fd, info.st_size, &at);
    if (mapped == NULL)
        return errno != 0 ? cannot_read(ctx, path) : PITH_E_NOMEM;
    *out = (pith_i_bytes){.at = at, .size = info.st_size, .mapped = mapped};
    return PITH_OK;
}

pith_status pith_i_bytes_load(pith_ctx *ctx, const char *path, pith_i_bytes *out)
{
    pith_i_bytes bytes = {.at = ""};
    pith_status st = PITH_OK;
    const int fd =
        open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* do not block on a pipe without a writer */
    if (fd < 0)
        return cannot_read(ctx, path);
    TRY(load_raw(ctx, path, fd, &bytes));
    if (bytes.size >= 18 && memcmp(bytes.at, "\x1f\x8b", 2) == 0) /* the shortest gzip file */
        TRY(pith_i_gunzip(ctx, path, &bytes));
    *out = bytes;
    bytes = (pith_i_bytes){0};
done:
    (void)close(fd);
    pith_i_bytes_free(&bytes);
    return st;
}

void pith_i_bytes_free(pith_i_bytes *bytes)
{
    pith_i_free(bytes->mapped);
    pith_i_free(bytes->owned);
    *bytes = (pith_i_bytes){0};
}

bool pith_i_has_ending(const char *path, const char *ending)
{
    size_t length = strlen(path);
    const size_t tail = strlen(ending);
    if (length >= 3 && strcasecmp(path + length - 3, ".gz") == 0)
        length -= 3;
    return length > tail && strncasecmp(path + length - tail, ending, tail) == 0;
}
