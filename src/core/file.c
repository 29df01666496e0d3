#include "core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pith_status cannot_write(pith_ctx *ctx, const char *path)
{
    return pith_i_error(ctx, PITH_E_FILE, "%s: cannot be written: %s",
                        path != NULL ? path : "standard output", strerror(errno));
}

/* The file behind links, so that a link stays a link; the path itself where there is no file yet. */
static pith_status resolve(pith_ctx *ctx, const char *path, char **out)
{
    char *real = realpath(path, NULL);
    *out = pith_i_strdup(ctx, real != NULL ? real : path);
    free(real);
    return *out != NULL ? PITH_OK : PITH_E_NOMEM;
}

/* As far as the system lets us: another's file stays theirs only where we are root. */
static void keep_owner_and_mode(int fd, const struct stat *old)
{
    const bool kept = fchown(fd, old->st_uid, old->st_gid) == 0;
    /* Not to be opened to a group that the old file was not meant for. */
    (void)fchmod(fd, old->st_mode & (kept || old->st_gid == getegid() ? 0777 : 0707));
}

/* Not mkstemp: it makes the file private, and only open() applies the user's umask. old: NULL if there is
 * no file yet. */
static pith_status open_temporary(pith_ctx *ctx, pith_i_file *file, const struct stat *old)
{
    const size_t size = strlen(file->path) + 48;
    int fd = -1;
    file->temporary = pith_i_alloc(ctx, (int64_t)size, 1);
    if (file->temporary == NULL)
        return PITH_E_NOMEM;
    for (int attempt = 0; fd < 0 && attempt < 100; attempt++) {
        (void)snprintf(file->temporary, size, "%s.%ld-%d.part", file->path, (long)getpid(), attempt);
        fd = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, old != NULL ? 0600 : 0666);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    if (fd < 0) {
        const int why = errno;
        pith_i_free(file->temporary);
        file->temporary = NULL; /* not ours to remove */
        errno = why;
        return cannot_write(ctx, file->path);
    }
    if (old != NULL)
        keep_owner_and_mode(fd, old);
    file->stream = fdopen(fd, "wb");
    if (file->stream != NULL)
        return PITH_OK;
    (void)close(fd);
    return cannot_write(ctx, file->path);
}

pith_status pith_i_file_create(pith_ctx *ctx, const char *path, pith_i_file *out)
{
    pith_i_file file = {0};
    struct stat old;
    pith_status st = PITH_OK;
    if (path == NULL) {
        file.stream = stdout;
        *out = file;
        return PITH_OK;
    }
    const bool exists = stat(path, &old) == 0;
    if (path[0] == '\0') /* a temporary file could be made beside it, but never renamed */
        TRY(cannot_write(ctx, path));
    if (exists && S_ISDIR(old.st_mode))
        FAIL(ctx, PITH_E_FILE, "%s: cannot be written: it is a directory", path);
    TRY(resolve(ctx, path, &file.path));
    if (exists && !S_ISREG(old.st_mode)) {
        file.stream = fopen(path, "wb");
        if (file.stream == NULL)
            TRY(cannot_write(ctx, path));
    } else {
        if (exists && access(path, W_OK) != 0) /* a rename would get around the permission */
            TRY(cannot_write(ctx, path));
        TRY(open_temporary(ctx, &file, exists ? &old : NULL));
    }
    *out = file;
    return PITH_OK;
done:
    pith_i_file_discard(&file);
    return st;
}

const char *pith_i_file_path(pith_ctx *ctx, pith_i_file *file)
{
    if (file->temporary == NULL) {
        (void)pith_i_error(ctx, PITH_E_FILE, "%s: this format is written to regular files only",
                           file->path != NULL ? file->path : "standard output");
        return NULL;
    }
    (void)fclose(file->stream);
    file->stream = NULL;
    return file->temporary;
}

static bool sync_path(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const bool good = fd >= 0 && fsync(fd) == 0;
    return (fd < 0 || close(fd) == 0) && good;
}

pith_status pith_i_file_commit(pith_ctx *ctx, pith_i_file *file)
{
    pith_status st = PITH_OK;
    FILE *stream = file->stream;
    errno = 0;
    bool good = stream == NULL || (fflush(stream) == 0 && !ferror(stream));
    if (file->path != NULL && stream != NULL) {
        file->stream = NULL;
        good = fclose(stream) == 0 && good;
    }
    if (good && file->temporary != NULL)
        good = sync_path(file->temporary) && rename(file->temporary, file->path) == 0;
    if (!good) {
        errno = errno != 0 ? errno : EIO;
        TRY(cannot_write(ctx, file->path));
    }
    pith_i_free(file->temporary);
    file->temporary = NULL;
done:
    pith_i_file_discard(file);
    return st;
}

void pith_i_file_discard(pith_i_file *file)
{
    if (file->stream != NULL && file->path != NULL)
        (void)fclose(file->stream);
    if (file->temporary != NULL)
        (void)unlink(file->temporary);
    pith_i_free(file->temporary);
    pith_i_free(file->path);
    *file = (pith_i_file){0};
}
