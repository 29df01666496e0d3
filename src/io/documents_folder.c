/* A folder of documents, one per file. */
#include "io/documents.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEEPEST = 64, SMALL = 1 << 16 };

/* Paths below the folder, without its own name. */
typedef struct walk {
    const char *root;
    char **files;
    int64_t count, room;
    bool classes; /* there are subfolders */
} walk;

static pith_status add_file(pith_ctx *ctx, walk *w, const char *below)
{
    if (w->count == w->room) {
        const int64_t more = w->room > 0 ? 2 * w->room : 256;
        char **larger = pith_i_realloc(ctx, w->files, more, sizeof *larger);
        if (larger == NULL)
            return PITH_E_NOMEM;
        w->files = larger;
        w->room = more;
    }
    w->files[w->count] = pith_i_strdup(ctx, below);
    return w->files[w->count] == NULL ? PITH_E_NOMEM : (w->count++, PITH_OK);
}

static pith_status list_folder(pith_ctx *ctx, walk *w, const char *below, int depth);

/* Links to files are followed, links to folders are not: they may lead in a circle. */
static pith_status list_entry(pith_ctx *ctx, walk *w, const char *below, const struct dirent *entry,
                              int depth)
{
    struct stat info, target;
    char path[4096], inner[4096];
    const int long_inner =
        snprintf(inner, sizeof inner, "%s%s%s", below, below[0] != '\0' ? "/" : "", entry->d_name);
    const int long_path = snprintf(path, sizeof path, "%s/%s", w->root, inner);
    if (long_inner >= (int)sizeof inner || long_path >= (int)sizeof path)
        return pith_i_error(ctx, PITH_E_FILE, "%s: holds a path that is too long", w->root);
    if (entry->d_type == DT_REG) /* most file systems tell the type: no stat() needed */
        return add_file(ctx, w, inner);
    if (lstat(path, &info) != 0 || stat(path, &target) != 0)
        return pith_i_error(ctx, PITH_E_FILE, "%s: cannot be read: %s", path, strerror(errno));
    if (S_ISDIR(info.st_mode)) {
        w->classes = w->classes || depth == 0;
        return list_folder(ctx, w, inner, depth + 1);
    }
    return S_ISREG(target.st_mode) ? add_file(ctx, w, inner) : PITH_OK;
}

static pith_status list_folder(pith_ctx *ctx, walk *w, const char *below, int depth)
{
    char path[4096];
    pith_status st = PITH_OK;
    (void)snprintf(path, sizeof path, "%s%s%s", w->root, below[0] != '\0' ? "/" : "", below);
    if (depth > DEEPEST)
        return pith_i_error(ctx, PITH_E_FILE, "%s: folders are nested more than %d deep", path, DEEPEST);
    DIR *folder = opendir(path);
    if (folder == NULL)
        return pith_i_error(ctx, PITH_E_FILE, "%s: cannot be read: %s", path, strerror(errno));
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
        if (entry->d_name[0] != '.') /* hidden: left by editors and the system */
            TRY(list_entry(ctx, w, below, entry, depth));
done:
    (void)closedir(folder);
    return st;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Reads a small file, as most documents are; mapping it would cost more. False: it is large, packed or
 * unreadable, and pith_i_bytes_load must deal with it. */
static bool read_small(const char *path, char small[SMALL], pith_i_bytes *out)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    const ssize_t got = read(fd, small, SMALL),
                  more = got > 0 && got < SMALL ? read(fd, small + got, 1) : got;
    (void)close(fd);
    *out = (pith_i_bytes){.at = small, .size = got};
    return got >= 0 && more == 0 && !(got >= 2 && memcmp(small, "\x1f\x8b", 2) == 0);
}

static pith_status give(pith_ctx *ctx, const walk *w, const char *below, bool labels,
                        pith_i_document_fn *each, void *self)
{
    char path[4096], small[SMALL];
    pith_i_bytes bytes = {0};
    pith_status st = PITH_OK;
    (void)snprintf(path, sizeof path, "%s/%s", w->root, below);
    const char *slash = strchr(below, '/');
    if (labels && slash == NULL)
        FAIL(ctx, PITH_E_DATA,
             "%s: lies beside the subfolders, which are the classes: move it into one of them or elsewhere, "
             "or ignore the classes with --no-labels",
             path);
    if (!read_small(path, small, &bytes)) {
        bytes = (pith_i_bytes){0};
        TRY(pith_i_bytes_load(ctx, path, &bytes));
    }
    const pith_i_document document = {.text = bytes.at,
                                      .length = bytes.size,
                                      .name = below,
                                      .name_length = (int64_t)strlen(below),
                                      .label = labels ? below : NULL,
                                      .label_length = labels ? slash - below : 0,
                                      .path = path};
    TRY(each(ctx, self, &document));
done:
    pith_i_bytes_free(&bytes);
    return st;
}

pith_status pith_i_documents_folder(pith_ctx *ctx, const char *path, const pith_i_document_options *options,
                                    pith_i_document_fn *each, void *self)
{
    walk w = {0};
    pith_status st = PITH_OK;
    if (options->labels != NULL && !options->no_labels)
        return pith_i_no_labels_file(ctx, path, options->labels);
    char *root = pith_i_strdup(ctx, path);
    if (root == NULL)
        return PITH_E_NOMEM;
    for (size_t end = strlen(root); end > 1 && root[end - 1] == '/'; end--)
        root[end - 1] = '\0';
    w.root = root;
    TRY(list_folder(ctx, &w, "", 0));
    if (w.count > 0) /* else w.files is NULL */
        qsort(w.files, (size_t)w.count, sizeof *w.files, by_path);
    for (int64_t i = 0; i < w.count; i++) {
        if (i % 64 == 0)
            TRY(pith_i_progress(ctx, i, w.count));
        TRY(give(ctx, &w, w.files[i], w.classes && !options->no_labels, each, self));
    }
done:
    for (int64_t i = 0; i < w.count; i++)
        pith_i_free(w.files[i]);
    pith_i_free(w.files);
    pith_i_free(root);
    return st;
}
