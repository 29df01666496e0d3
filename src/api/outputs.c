/* Checks before the work: can the outputs be written, and would they overwrite what they must not? */
#include "io/sidecars.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* A file that a run reads or writes. of: the file beside which it lies and to which it belongs; NULL: the
 * user named it. */
typedef struct place {
    const char *path, *of;
} place;

typedef struct places {
    place *at;
    int64_t count;
} places;

pith_status pith_output_check(pith_ctx *ctx, const char *path, const char *ending)
{
    char name[64];
    if (ctx == NULL)
        return PITH_E_ARGUMENT;
    (void)snprintf(name, sizeof name, "x%s", ending != NULL ? ending : "");
    const pith_i_format *format = pith_i_format_of(name);
    return pith_i_file_check(ctx, path, format != NULL && format->by_path);
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Splits a path whose links were followed: the folder's identity, and the name in it. False: no such folder.
 */
static bool split(char *path, struct stat *folder, const char **name)
{
    char *slash = strrchr(path, '/');
    *name = slash != NULL ? slash + 1 : path;
    if (slash == NULL)
        return stat(".", folder) == 0;
    if (slash == path)
        return stat("/", folder) == 0;
    *slash = '\0';
    return stat(path, folder) == 0;
}

/*
 * Are two paths the same file? Existing files are compared by device and inode, so that links are seen; files
 * that do not exist yet by folder and name, ignoring case, which not every file system distinguishes.
 */
static pith_status same_file(pith_ctx *ctx, const char *a, const char *b, bool *out)
{
    struct stat at, bt;
    char *behind[2] = {NULL, NULL};
    const char *name[2];
    pith_status st = PITH_OK;
    const bool a_exists = stat(a, &at) == 0, b_exists = stat(b, &bt) == 0;
    *out = a_exists && b_exists && S_ISREG(at.st_mode) && is_same(&at, &bt);
    if (a_exists || b_exists)
        return PITH_OK;
    TRY(pith_i_file_resolve(ctx, a, &behind[0]));
    TRY(pith_i_file_resolve(ctx, b, &behind[1]));
    *out = split(behind[0], &at, &name[0]) && split(behind[1], &bt, &name[1]) && is_same(&at, &bt) &&
           strcasecmp(name[0], name[1]) == 0;
done:
    pith_i_free(behind[0]);
    pith_i_free(behind[1]);
    return st;
}

/* Is path somewhere below the folder? */
static pith_status lies_in(pith_ctx *ctx, const char *path, const char *folder, bool *out)
{
    struct stat info;
    *out = false;
    if (stat(folder, &info) != 0 || !S_ISDIR(info.st_mode))
        return PITH_OK;
    char *copy = pith_i_strdup(ctx, path);
    if (copy == NULL)
        return PITH_E_NOMEM;
    char *inner = realpath(dirname(copy), NULL), *outer = realpath(folder, NULL);
    const size_t length = outer == NULL || strcmp(outer, "/") == 0 ? 0 : strlen(outer);
    *out = inner != NULL && outer != NULL && strncmp(inner, outer, length) == 0 &&
           (inner[length] == '/' || inner[length] == '\0');
    free(inner);
    free(outer);
    pith_i_free(copy);
    return PITH_OK;
}

/* ---- Files that belong to another ------------------------------------------------------------------------
 */

static void places_free(places *p)
{
    for (int64_t i = 0; i < p->count; i++)
        if (p->at[i].of != NULL)
            pith_i_free((char *)p->at[i].path);
    pith_i_free(p->at);
    *p = (places){0};
}

/* The paths and, for each .mtx, the files beside it with these endings. */
static pith_status expand(pith_ctx *ctx, const char *const *paths, const char *const *endings, places *out)
{
    int64_t n = 0, kinds = 0;
    pith_status st = PITH_OK;
    while (paths[n] != NULL)
        n++;
    while (endings[kinds] != NULL)
        kinds++;
    TRY(NEW(ctx, out->at, n * (kinds + 1)));
    for (int64_t i = 0; i < n; i++) {
        out->at[out->count++] = (place){paths[i], NULL};
        for (int64_t k = 0; k < kinds && pith_i_has_ending(paths[i], ".mtx"); k++) {
            const char *beside = pith_i_sidecar_path(ctx, paths[i], endings[k]);
            TRY(beside != NULL ? PITH_OK : PITH_E_NOMEM);
            out->at[out->count++] = (place){beside, paths[i]};
        }
    }
done:
    return st;
}

/* ---- What would be overwritten ---------------------------------------------------------------------------
 */

static const char *shown(const char *path)
{
    return strcmp(path, "/dev/stdout") == 0 ? "standard output" : path;
}

static pith_status check_input(pith_ctx *ctx, const place *output, const place *input)
{
    bool found = false;
    pith_status st = PITH_OK;
    TRY(same_file(ctx, output->path, input->path, &found));
    if (found && strcmp(output->path, input->path) == 0 && input->of == NULL)
        FAIL(ctx, PITH_E_ARGUMENT, "%s: would be overwritten, but it is also an input", output->path);
    if (found && input->of == NULL)
        FAIL(ctx, PITH_E_ARGUMENT, "%s: would be overwritten, but it is the same file as the input %s",
             shown(output->path), input->path);
    if (found)
        FAIL(ctx, PITH_E_ARGUMENT, "%s: would be overwritten, but it belongs to the input %s",
             shown(output->path), input->of);
    if (input->of == NULL)
        TRY(lies_in(ctx, output->path, input->path, &found));
    if (found)
        FAIL(ctx, PITH_E_ARGUMENT, "%s: would be written into the input %s", output->path, input->path);
done:
    return st;
}

static pith_status check_pair(pith_ctx *ctx, const place *a, const place *b)
{
    bool same = false;
    pith_status st = PITH_OK;
    TRY(same_file(ctx, a->path, b->path, &same));
    if (same)
        FAIL(ctx, PITH_E_ARGUMENT, "%s: would be written twice: it is the same file as %s", shown(a->path),
             shown(b->path));
done:
    return st;
}

/* Refuses a file beside an output that does not belong to an earlier output of that name, compressed or not.
 */
static pith_status check_foreign(pith_ctx *ctx, const place *output)
{
    static const char *const matrices[] = {".mtx", ".mtx.gz"};
    struct stat info;
    if (output->of == NULL || lstat(output->path, &info) != 0 ||
        pith_i_sidecar_is_own(output->of, strrchr(output->path, '.')))
        return PITH_OK;
    for (size_t i = 0; i < COUNT(matrices); i++) {
        char *matrix = pith_i_sidecar_path(ctx, output->of, matrices[i]);
        if (matrix == NULL)
            return PITH_E_NOMEM;
        const bool own = pith_i_sidecar_is_own(matrix, strrchr(output->path, '.'));
        pith_i_free(matrix);
        if (own)
            return PITH_OK;
    }
    return pith_i_error(ctx, PITH_E_ARGUMENT,
                        "%s: would be overwritten, or taken for a part of %s, but pith did not write it",
                        output->path, output->of);
}

pith_status pith_outputs_spare(pith_ctx *ctx, const char *const *inputs, const char *const *outputs)
{
    places in = {0}, out = {0};
    pith_status st = PITH_OK;
    if (ctx == NULL || inputs == NULL || outputs == NULL)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "no inputs or no outputs were given");
    TRY(expand(ctx, inputs, pith_i_sidecars_read, &in));
    TRY(expand(ctx, outputs, pith_i_sidecars_written, &out));
    for (int64_t o = 0; o < out.count; o++) {
        for (int64_t i = 0; i < in.count; i++)
            TRY(check_input(ctx, &out.at[o], &in.at[i]));
        for (int64_t other = 0; other < o; other++)
            TRY(check_pair(ctx, &out.at[o], &out.at[other]));
        TRY(check_foreign(ctx, &out.at[o]));
    }
done:
    places_free(&in);
    places_free(&out);
    return st;
}
