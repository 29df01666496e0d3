#include "core/file.h"

#include "core/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pith_status cannot_write(pith_ctx *ctx, const char *path)
{
    return pith_i_error(ctx, PITH_E_FILE, "%s: cannot be written: %s",
                        path != NULL ? path : "standard output", strerror(errno));
}

/* 3 for /dev/fd/3 and its like, which /dev/stdout links to; -1: not a path of a descriptor. */
static int descriptor_of(const char *path)
{
    char own[48];
    const char *const folders[] = {"/dev/fd/", "/proc/self/fd/", own};
    (void)snprintf(own, sizeof own, "/proc/%ld/fd/", (long)getpid());
    for (size_t i = 0; i < COUNT(folders); i++) {
        const size_t length = strlen(folders[i]);
        char *end = NULL;
        if (strncmp(path, folders[i], length) != 0 || path[length] < '0' || path[length] > '9')
            continue;
        const long fd = strtol(path + length, &end, 10);
        return *end == '\0' && fd <= INT_MAX ? (int)fd : -1;
    }
    return -1;
}

/* The target of the link at path, whose text is `said`; a relative one is relative to path's folder. */
static char *link_target(pith_ctx *ctx, const char *path, const char *said)
{
    const char *slash = strrchr(path, '/');
    const size_t folder = said[0] == '/' || slash == NULL ? 0 : (size_t)(slash - path) + 1;
    char *target = pith_i_alloc(ctx, (int64_t)(folder + strlen(said) + 1), 1);
    if (target != NULL) {
        memcpy(target, path, folder);
        memcpy(target + folder, said, strlen(said) + 1);
    }
    return target;
}

pith_status pith_i_file_resolve(pith_ctx *ctx, const char *path, char **out)
{
    enum { MOST_LINKS = 40 };
    char said[PATH_MAX + 1];
    char *at = pith_i_strdup(ctx, path);
    for (int links = 0; at != NULL && descriptor_of(at) < 0; links++) {
        const ssize_t length = readlink(at, said, sizeof said - 1);
        if (length < 0)
            break;
        said[length] = '\0';
        char *next = links < MOST_LINKS ? link_target(ctx, at, said) : NULL;
        pith_i_free(at);
        at = next;
        errno = ELOOP;
        if (links == MOST_LINKS)
            return cannot_write(ctx, path);
    }
    *out = at;
    return at != NULL ? PITH_OK : PITH_E_NOMEM;
}

/* As far as the system allows: only root can keep the file of another user theirs. */
static void keep_owner_and_mode(int fd, const struct stat *old)
{
    const bool kept = fchown(fd, old->st_uid, old->st_gid) == 0;
    /* The new group must not get permissions that were meant for the old one. */
    (void)fchmod(fd, old->st_mode & (kept || old->st_gid == getegid() ? 0777 : 0707));
}

/* "folder/data.csv.123-0.part" into text. A long name is truncated: with more appended it could exceed the
 * file system's limit. */
static void name_temporary(const char *path, int attempt, char *text, size_t size)
{
    enum { LONGEST = 100 };
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    (void)snprintf(text, size, "%.*s%.*s.%ld-%d.part", (int)(name - path), path,
                   (int)pith_i_utf8_prefix(name, LONGEST), name, (long)getpid(), attempt);
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
        name_temporary(file->path, attempt, file->temporary, size);
        fd = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, old != NULL ? 0600 : 0666);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    if (fd < 0) {
        const int why = errno;
        pith_i_free(file->temporary);
        file->temporary = NULL; /* not ours, so it must not be removed */
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

/* The status of an existing file into old; an error if the path cannot be an output in any format. */
static pith_status look_at(pith_ctx *ctx, const char *path, bool *exists, struct stat *old)
{
    *exists = stat(path, old) == 0;
    if (!*exists) /* of "" and "folder/" a temporary file could be made, but never renamed */
        return errno == ENOENT && path[0] != '\0' ? PITH_OK : cannot_write(ctx, path);
    const char *kind = S_ISDIR(old->st_mode)    ? "directory"
                       : S_ISSOCK(old->st_mode) ? "socket"
                       : S_ISBLK(old->st_mode)  ? "block device" /* a disk: what is on it would be lost */
                                                : NULL;
    if (kind != NULL)
        return pith_i_error(ctx, PITH_E_FILE, "%s: cannot be written: it is a %s", path, kind);
    if (access(path, W_OK) != 0) /* a rename would get around the permission */
        return cannot_write(ctx, path);
    return PITH_OK;
}

/* Opens a pipe or device; a descriptor is written from its current position, so that earlier output stays. */
static FILE *open_directly(const char *path, int descriptor)
{
    if (descriptor < 0)
        return fopen(path, "wb");
    const int fd = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    FILE *stream = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (stream == NULL && fd >= 0)
        (void)close(fd);
    return stream;
}

pith_status pith_i_file_create(pith_ctx *ctx, const char *path, pith_i_file *out)
{
    pith_i_file file = {0};
    struct stat old;
    bool exists = false;
    pith_status st = PITH_OK;
    if (path == NULL) {
        file.stream = stdout;
        *out = file;
        return PITH_OK;
    }
    TRY(look_at(ctx, path, &exists, &old));
    TRY(pith_i_file_resolve(ctx, path, &file.path));
    const int descriptor = descriptor_of(file.path);
    if (descriptor >= 0 || (exists && !S_ISREG(old.st_mode))) {
        file.stream = open_directly(path, descriptor);
        if (file.stream == NULL)
            TRY(cannot_write(ctx, path));
    } else {
        TRY(open_temporary(ctx, &file, exists ? &old : NULL));
    }
    *out = file;
    return PITH_OK;
done:
    pith_i_file_discard(&file);
    return st;
}

static pith_status must_be_regular(pith_ctx *ctx, const char *path)
{
    return pith_i_error(ctx, PITH_E_FILE, "%s: this format can only be written to regular files",
                        path != NULL ? path : "standard output");
}

pith_status pith_i_file_check(pith_ctx *ctx, const char *path, bool by_path)
{
    pith_i_file file = {0};
    struct stat old;
    bool exists = false;
    char *behind = NULL;
    pith_status st = PITH_OK;
    if (path == NULL)
        return by_path ? must_be_regular(ctx, path) : PITH_OK;
    TRY(look_at(ctx, path, &exists, &old));
    TRY(pith_i_file_resolve(ctx, path, &behind));
    /* Not opened: a pipe would wait for its reader, and a device may act on it. */
    if (descriptor_of(behind) >= 0 || (exists && !S_ISREG(old.st_mode))) {
        if (by_path)
            TRY(must_be_regular(ctx, path));
    } else {
        TRY(pith_i_file_create(ctx, path, &file));
    }
done:
    pith_i_file_discard(&file);
    pith_i_free(behind);
    return st;
}

pith_status pith_i_file_must_be_regular(pith_ctx *ctx, const pith_i_file *file)
{
    return file->temporary != NULL ? PITH_OK : must_be_regular(ctx, file->path);
}

const char *pith_i_file_path(pith_ctx *ctx, pith_i_file *file)
{
    if (file->temporary == NULL) {
        (void)must_be_regular(ctx, file->path);
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
