#include "io/tenx.h"

#include "io/fields.h"
#include "io/hdf5.h"
#include "io/variables.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char usual_type[] = "Gene Expression";

/* ---- Features of several kinds ------------------------------------------------------------------- */

/*
 * Some files hold antibodies and guides beside genes. Keeps those of the type that options->var names, all if
 * it is "all", and the genes if it is NULL. types: the type of each feature; empty: all are genes.
 */
static pith_status keep_type(pith_ctx *ctx, const char *path, const pith_read_options *options,
                             const pith_i_names *types, pith_matrix *m)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const char *wanted = options->var != NULL ? options->var : usual_type;
    pith_i_data kept = {0};
    pith_i_names names = {0};
    pith_status st = PITH_OK;
    int64_t *which = NULL, count = 0;
    if (types->start == NULL || strcmp(wanted, "all") == 0)
        return PITH_OK;
    TRY(SCRATCH(ctx, which, m->data.p));
    for (int64_t j = 0; j < m->data.p; j++)
        if (strcmp(pith_i_name(types, j), wanted) == 0)
            which[count++] = j;
    if (count == m->data.p || (count == 0 && options->var == NULL))
        goto done;
    if (count == 0)
        FAIL(ctx, PITH_E_DATA, "%s: no feature has the type %s; the first has the type %s", path, wanted,
             pith_i_name(types, 0));
    if (options->var == NULL)
        pith_i_note(ctx,
                    "%s: keeping the %" PRId64 " features of the type %s of %" PRId64
                    "; --var all keeps the others",
                    path, count, wanted, m->data.p);
    pith_i_data_drop_transpose(&m->data); /* it would be a third copy */
    TRY(pith_i_take_columns(ctx, &m->data, count, which, &kept));
    TRY(pith_i_names_take(ctx, &m->features, count, which, &names));
    pith_i_data_free(&m->data);
    m->data = kept;
    kept = (pith_i_data){0};
    pith_i_names_free(&m->features);
    m->features = names;
    names = (pith_i_names){0};
done:
    pith_i_data_free(&kept);
    pith_i_names_free(&names);
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- The folder ---------------------------------------------------------------------------------- */

/* Finds PREFIXname or PREFIXname.gz, whichever exists. */
static bool find_file(const char *prefix, const char *name, char *out, size_t room)
{
    for (int packed = 0; packed < 2; packed++) {
        const int length = snprintf(out, room, "%s%s%s", prefix, name, packed ? ".gz" : "");
        if (length > 0 && (size_t)length < room && access(out, F_OK) == 0)
            return true;
    }
    return false;
}

bool pith_i_tenx_find(const char *path, char *prefix, size_t room)
{
    static const char *const endings[] = {"matrix.mtx", "matrix.mtx.gz"};
    char file[4096];
    struct stat info;
    const size_t length = strlen(path);
    if (stat(path, &info) != 0 || length + 2 > room)
        return false;
    if (S_ISDIR(info.st_mode)) {
        (void)snprintf(prefix, room, "%s%s", path, length > 0 && path[length - 1] == '/' ? "" : "/");
        return find_file(prefix, "matrix.mtx", file, sizeof file);
    }
    for (size_t k = 0; k < COUNT(endings); k++) {
        const size_t tail = strlen(endings[k]);
        if (length < tail || strcmp(path + length - tail, endings[k]) != 0)
            continue;
        (void)snprintf(prefix, room, "%.*s", (int)(length - tail), path);
        return find_file(prefix, "features.tsv", file, sizeof file) ||
               find_file(prefix, "genes.tsv", file, sizeof file);
    }
    return false;
}

/* Column k (from 0) of each line of a tab-separated table; the last column of a line that has fewer. */
static pith_status column_of(pith_ctx *ctx, int64_t count, const pith_i_field *lines, int k,
                             pith_i_names *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_status st = PITH_OK;
    const char **at = NULL;
    int64_t *length = NULL;
    TRY(SCRATCH(ctx, at, count));
    TRY(SCRATCH(ctx, length, count));
    for (int64_t i = 0; i < count; i++) {
        const char *from = lines[i].at, *end = from + lines[i].length, *tab = NULL;
        for (int skip = k; skip > 0; skip--) {
            tab = memchr(from, '\t', (size_t)(end - from));
            if (tab == NULL)
                break;
            from = tab + 1;
        }
        tab = memchr(from, '\t', (size_t)(end - from));
        at[i] = from;
        length[i] = (tab != NULL ? tab : end) - from;
    }
    TRY(pith_i_names_slices(ctx, count, at, length, out));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* A list beside the matrix; count -1: there is none. */
typedef struct list {
    char path[4096];
    pith_i_bytes bytes;
    pith_i_field *lines; /* scratch */
    int64_t count;
} list;

static pith_status load_list(pith_ctx *ctx, const char *prefix, const char *name, list *out)
{
    pith_status st = PITH_OK;
    out->count = -1;
    if (!find_file(prefix, name, out->path, sizeof out->path))
        return PITH_OK;
    TRY(pith_i_bytes_load(ctx, out->path, &out->bytes));
    TRY(pith_i_lines(ctx, &out->bytes, false, &out->count, &out->lines));
done:
    return st;
}

static pith_status must_have(pith_ctx *ctx, const list *l, int64_t count, const char *what)
{
    if (l->count < 0 || l->count == count)
        return PITH_OK;
    return pith_i_error(ctx, PITH_E_DATA,
                        "%s: %" PRId64 " lines, but the matrix has %" PRId64
                        " %s; do the files belong together?",
                        l->path, l->count, count, what);
}

/* Rows are genes, and the matrix is transposed, unless the lists fit only without that. */
static pith_status orient(pith_ctx *ctx, const char *file, const list *genes, const list *cells,
                          pith_matrix *m)
{
    pith_i_data rows = {0};
    pith_status st = PITH_OK;
    if (genes->count == m->data.p && cells->count == m->data.n && m->data.n != m->data.p)
        return PITH_OK;
    rows = m->data;
    m->data = (pith_i_data){0};
    TRY(pith_i_transpose(ctx, &rows, &m->data));
    if (rows.sparse)
        TRY(pith_i_data_keep_transpose(ctx, &m->data, &rows));
    pith_i_note(ctx, "%s: its rows are genes; transposed, so that cells are samples", file);
done:
    pith_i_data_free(&rows);
    return st;
}

pith_status pith_i_tenx_folder_read(pith_ctx *ctx, const char *path, const pith_read_options *options,
                                    pith_matrix *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_read_options plain = {.no_labels = true, .missing = options->missing};
    char file[4096];
    list genes = {.count = -1}, cells = {.count = -1};
    pith_i_names types = {0};
    pith_status st = PITH_OK;
    if (options->labels != NULL)
        FAIL(ctx, PITH_E_DATA, "%s: has no labels called '%s'; give a file with one label per line", path,
             options->labels);
    (void)find_file(path, "matrix.mtx", file, sizeof file);
    TRY(load_list(ctx, path, "barcodes.tsv", &cells));
    TRY(load_list(ctx, path, "features.tsv", &genes));
    if (genes.count < 0)
        TRY(load_list(ctx, path, "genes.tsv", &genes));
    TRY(pith_i_mtx_read(ctx, file, &plain, out));
    TRY(orient(ctx, file, &genes, &cells, out));
    TRY(must_have(ctx, &genes, out->data.p, "genes"));
    TRY(must_have(ctx, &cells, out->data.n, "cells"));
    if (cells.count > 0)
        TRY(column_of(ctx, cells.count, cells.lines, 0, &out->samples));
    if (genes.count > 0) {
        TRY(column_of(ctx, genes.count, genes.lines, 1, &out->features));
        if (strstr(genes.path, "features.tsv") != NULL)
            TRY(column_of(ctx, genes.count, genes.lines, 2, &types));
    }
    TRY(keep_type(ctx, path, options, &types, out));
done:
    pith_i_bytes_free(&genes.bytes);
    pith_i_bytes_free(&cells.bytes);
    pith_i_names_free(&types);
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- The .h5 ------------------------------------------------------------------------------------- */

/* Does the group hold a matrix? */
static pith_status holds_matrix(pith_i_hdf5 *f, const char *group, bool *holds)
{
    char path[PITH_I_HDF5_NAME];
    int32_t kind = PITH_I_HDF5_NONE;
    (void)snprintf(path, sizeof path, "%s/indptr", group);
    const pith_status st = pith_i_hdf5_kind(f, 0, path, &kind);
    *holds = kind == PITH_I_HDF5_DATASET;
    return st;
}

/* The group of the matrix: "matrix" since version 3; before, one named after each genome. */
static pith_status find_group(pith_i_hdf5 *f, const char *wanted, const char **group)
{
    pith_status st = PITH_OK;
    const char **names = NULL, *found = NULL;
    bool *hard = NULL, holds = false;
    int64_t count = 0, matrices = 0;
    *group = "matrix";
    TRY(holds_matrix(f, *group, &holds));
    if (holds)
        goto done;
    TRY(pith_i_hdf5_list(f, 0, 64, &names, &hard, &count));
    for (int64_t k = 0; k < count; k++) {
        TRY(holds_matrix(f, names[k], &holds));
        matrices += holds;
        if (holds && (found == NULL || (wanted != NULL && strcmp(names[k], wanted) == 0)))
            found = names[k];
    }
    if (found == NULL)
        FAIL(f->ctx, PITH_E_DATA, "%s: holds no matrix in Cell Ranger's format", f->path);
    if (matrices > 1 && (wanted == NULL || strcmp(found, wanted) != 0))
        FAIL(f->ctx, PITH_E_DATA, "%s: holds several genomes; choose one with --var, such as %s", f->path,
             found);
    *group = found;
done:
    return st;
}

/* The texts of the dataset `name` in a group; *found is false if there is none. */
static pith_status read_texts(pith_i_hdf5 *f, int64_t group, const char *name, int64_t count,
                              pith_i_names *out, bool *found)
{
    pith_i_dataset d = {.id = -1};
    pith_status st = PITH_OK;
    int32_t kind = PITH_I_HDF5_NONE;
    TRY(pith_i_hdf5_kind(f, group, name, &kind));
    *found = kind == PITH_I_HDF5_DATASET;
    if (!*found)
        goto done;
    TRY(pith_i_dataset_open(f, group, name, &d));
    if (d.rank != 1 || d.count != count)
        FAIL(f->ctx, PITH_E_DATA, "%s: %s holds %" PRId64 " entries where %" PRId64 " are needed", f->path,
             name, d.count, count);
    TRY(pith_i_dataset_texts(f, &d, NULL, out));
done:
    pith_i_dataset_close(f, &d);
    return st;
}

/* Names of cells and genes; genes from the first of the lists that exists (version 3: in features/). */
static pith_status read_names(pith_i_hdf5 *f, int64_t group, pith_matrix *m, pith_i_names *types)
{
    static const char *const lists[] = {"features/name", "features/id", "gene_names", "genes"};
    pith_status st = PITH_OK;
    bool found = false;
    TRY(read_texts(f, group, "barcodes", m->data.n, &m->samples, &found));
    found = false;
    for (size_t k = 0; k < COUNT(lists) && !found; k++)
        TRY(read_texts(f, group, lists[k], m->data.p, &m->features, &found));
    TRY(read_texts(f, group, "features/feature_type", m->data.p, types, &found));
done:
    return st;
}

/* shape: genes, cells. The arrays are CSC, which is CSR of the transpose: cells by genes. */
static pith_status read_shape(pith_i_hdf5 *f, int64_t group, int64_t shape[2])
{
    pith_i_dataset d = {.id = -1};
    pith_status st = PITH_OK;
    TRY(pith_i_dataset_open(f, group, "shape", &d));
    if (d.rank != 1 || d.count != 2 || (d.element.kind != 'i' && d.element.kind != 'u'))
        FAIL(f->ctx, PITH_E_DATA, "%s: shape: is not a pair of whole numbers", f->path);
    TRY(pith_i_dataset_check(f, &d));
    TRY(pith_i_dataset_read(f, &d, PITH_I_HDF5_I64, shape));
done:
    pith_i_dataset_close(f, &d);
    return st;
}

static pith_status read_h5(pith_i_hdf5 *f, const pith_read_options *options, pith_matrix *out)
{
    static const char *const sparse_arrays[3] = {"data", "indices", "indptr"};
    pith_i_names types = {0};
    pith_status st = PITH_OK;
    const char *name = NULL;
    int64_t group = -1, shape[2] = {0, 0};
    TRY(find_group(f, options->var, &name));
    TRY(pith_i_hdf5_group(f, 0, name, &group));
    TRY(read_shape(f, group, shape));
    TRY(pith_i_hdf5_sparse(f, name, sparse_arrays, false, shape[1], shape[0], &out->data));
    TRY(read_names(f, group, out, &types));
    TRY(keep_type(f->ctx, f->path, options, &types, out));
done:
    pith_i_names_free(&types);
    pith_i_hdf5_release(f, group);
    return st;
}

pith_status pith_i_tenx_read(pith_ctx *ctx, const char *path, const pith_read_options *options,
                             pith_matrix *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_hdf5 f = {.socket = -1, .shared = -1};
    pith_i_bytes bytes = {0};
    pith_status st = PITH_OK;
    if (options->labels != NULL)
        FAIL(ctx, PITH_E_DATA, "%s: has no labels called '%s'; give a file with one label per line", path,
             options->labels);
    TRY(pith_i_bytes_load(ctx, path, &bytes));
    if (!pith_i_hdf5_is(&bytes))
        FAIL(ctx, PITH_E_DATA, "%s: is not an HDF5 file, so it cannot be a Cell Ranger .h5", path);
    TRY(pith_i_hdf5_open(ctx, path, &bytes, &f));
    TRY(read_h5(&f, options, out));
done:
    pith_i_hdf5_close(&f);
    pith_i_bytes_free(&bytes);
    pith_i_scratch_release(ctx, mark);
    return st;
}
