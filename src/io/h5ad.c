/*
 * AnnData's .h5ad: HDF5 with the matrix in X (or layers/NAME, raw/X), a dataset or a group of data, indices
 * and indptr; the tables obs and var hold the names of samples and features and other columns, among them the
 * labels. Files of anndata 0.7 and later, and the older ones as far as matrix and names go.
 */
#include "io/hdf5.h"
#include "io/text.h"
#include "io/variables.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MOST_NAME = 256, MOST_LISTED = 64 };

static const char *const sparse_arrays[3] = {"data", "indices", "indptr"};

/* ---- The matrix ---------------------------------------------------------------------------------- */

typedef struct sparse_claim {
    bool by_columns;
    int64_t shape[2];
} sparse_claim;

/* Is this group a sparse matrix? Older files use other names for its attributes. */
static pith_status describe_sparse(pith_i_hdf5 *f, const char *group, sparse_claim *out, bool *is)
{
    static const char *const names[2][2] = {{"encoding-type", "shape"},
                                            {"h5sparse_format", "h5sparse_shape"}};
    char format[32] = "";
    pith_status st = PITH_OK;
    int64_t g = -1;
    bool shaped = false;
    *is = false;
    TRY(pith_i_hdf5_group(f, 0, group, &g));
    for (int k = 0; k < 2 && !shaped; k++) {
        TRY(pith_i_attribute_text(f, g, names[k][0], format, sizeof format, is));
        if (*is)
            TRY(pith_i_attribute_integers(f, g, names[k][1], 2, out->shape, &shaped));
    }
    *is = shaped && (strncmp(format, "csr", 3) == 0 || strncmp(format, "csc", 3) == 0);
    out->by_columns = format[2] == 'c';
done:
    pith_i_hdf5_release(f, g);
    return st;
}

/* What could be the matrix, for the message if the one asked for is not there. */
typedef struct listing {
    pith_i_variable *vars;
    int64_t count;
} listing;

static pith_status list_matrix(pith_i_hdf5 *f, const char *name, listing *l)
{
    sparse_claim claim;
    pith_i_dataset d = {.id = -1};
    pith_status st = PITH_OK;
    bool is = false;
    int32_t kind = PITH_I_HDF5_NONE;
    if (l->count == MOST_LISTED)
        return PITH_OK;
    pith_i_variable *v = &l->vars[l->count];
    TRY(pith_i_hdf5_kind(f, 0, name, &kind));
    if (kind == PITH_I_HDF5_NONE)
        return PITH_OK;
    *v = (pith_i_variable){.name = name, .type = "group"};
    if (kind != PITH_I_HDF5_GROUP) {
        if (pith_i_dataset_open(f, 0, name, &d) == PITH_OK)
            *v = (pith_i_variable){
                .name = name, .type = "dense", .rows = d.dims[0], .cols = d.dims[1], .rank = 2};
        pith_i_dataset_close(f, &d);
    } else {
        TRY(describe_sparse(f, name, &claim, &is));
        if (is)
            *v = (pith_i_variable){
                .name = name, .type = "sparse", .rows = claim.shape[0], .cols = claim.shape[1], .rank = 2};
    }
    l->count++;
done:
    return st;
}

/* The matrices of a group such as layers. */
static pith_status list_folder(pith_i_hdf5 *f, const char *folder, listing *l)
{
    pith_status st = PITH_OK;
    const char **names = NULL;
    bool *hard = NULL;
    int64_t count = 0, group = -1;
    int32_t kind = PITH_I_HDF5_NONE;
    TRY(pith_i_hdf5_kind(f, 0, folder, &kind));
    if (kind != PITH_I_HDF5_GROUP)
        goto done;
    TRY(pith_i_hdf5_group(f, 0, folder, &group));
    TRY(pith_i_hdf5_list(f, group, MOST_LISTED, &names, &hard, &count));
    for (int64_t k = 0; k < count; k++) {
        const int64_t room = (int64_t)(strlen(folder) + strlen(names[k])) + 2;
        char *path = NULL;
        TRY(SCRATCH(f->ctx, path, room));
        (void)snprintf(path, (size_t)room, "%s/%s", folder, names[k]);
        TRY(list_matrix(f, path, l));
    }
done:
    pith_i_hdf5_release(f, group);
    return st;
}

static pith_status no_matrix(pith_i_hdf5 *f, const char *name)
{
    const size_t mark = pith_i_scratch_mark(f->ctx);
    listing l = {0};
    pith_status st = PITH_OK;
    TRY(SCRATCH(f->ctx, l.vars, MOST_LISTED));
    if (strncmp(name, "obsm/", 5) == 0 || strncmp(name, "obsp/", 5) == 0) {
        TRY(list_folder(f, name[3] == 'm' ? "obsm" : "obsp", &l));
        if (l.count == 0)
            FAIL(f->ctx, PITH_E_DATA, "%s: has nothing in %.4s, so no %s", f->path, name, name + 5);
    } else {
        TRY(list_matrix(f, "X", &l));
        TRY(list_matrix(f, "raw/X", &l));
        TRY(list_folder(f, "layers", &l));
    }
    st = pith_i_no_variable(f->ctx, f->path, l.vars, l.count, name, "matrix");
done:
    pith_i_scratch_release(f->ctx, mark);
    return st;
}

static pith_status read_matrix(pith_i_hdf5 *f, const char *name, pith_i_data *out)
{
    pith_i_dataset d = {.id = -1};
    pith_status st = PITH_OK;
    sparse_claim claim;
    bool is = false;
    int32_t kind = PITH_I_HDF5_NONE;
    TRY(pith_i_hdf5_kind(f, 0, name, &kind));
    if (kind == PITH_I_HDF5_NONE)
        return no_matrix(f, name);
    if (kind == PITH_I_HDF5_GROUP) {
        TRY(describe_sparse(f, name, &claim, &is));
        if (!is)
            FAIL(f->ctx, PITH_E_DATA, "%s: %s: is a group, but not a sparse matrix in CSR or CSC format",
                 f->path, name);
        return pith_i_hdf5_sparse(f, name, sparse_arrays, claim.by_columns, claim.shape[0], claim.shape[1],
                                  out);
    }
    TRY(pith_i_dataset_open(f, 0, name, &d));
    if (d.rank != 2 || d.element.kind == 0)
        FAIL(f->ctx, PITH_E_DATA, "%s: %s: is not a matrix of real numbers", f->path, name);
    TRY(pith_i_dataset_matrix(f, &d, false, pith_i_element_dtype(d.element), out));
done:
    pith_i_dataset_close(f, &d);
    return st;
}

/* ---- Tables: obs and var ------------------------------------------------------------------------- */

static pith_status wrong_length(pith_i_hdf5 *f, const char *table, const char *column, int64_t found,
                                int64_t wanted)
{
    return pith_i_error(f->ctx, PITH_E_DATA,
                        "%s: %s/%s holds %" PRId64 " entries where %" PRId64 " are needed", f->path, table,
                        column, found, wanted);
}

/* Old files have one compound dataset per table, with a member for its index; none without such a member. */
static pith_status old_index(pith_i_hdf5 *f, const char *table, int64_t count, pith_i_names *out)
{
    pith_i_dataset d = {.id = -1};
    pith_status st = PITH_OK;
    bool found = false;
    TRY(pith_i_dataset_open(f, 0, table, &d));
    if (d.count != count)
        TRY(wrong_length(f, table, "index", d.count, count));
    TRY(pith_i_dataset_has_texts(f, &d, "index", &found));
    if (found)
        TRY(pith_i_dataset_texts(f, &d, "index", out));
done:
    pith_i_dataset_close(f, &d);
    return st;
}

/* The names in the index of a table; none if its index is not text, or if pith made it up when it wrote the
 * file. */
static pith_status read_index(pith_i_hdf5 *f, const char *table, int64_t count, pith_i_names *out)
{
    pith_i_dataset d = {.id = -1};
    pith_status st = PITH_OK;
    char column[MOST_NAME];
    int32_t kind = PITH_I_HDF5_NONE;
    int64_t g = -1;
    bool found = false;
    TRY(pith_i_hdf5_kind(f, 0, table, &kind));
    if (kind == PITH_I_HDF5_NONE)
        goto done;
    if (kind != PITH_I_HDF5_GROUP)
        return old_index(f, table, count, out);
    TRY(pith_i_hdf5_group(f, 0, table, &g));
    TRY(pith_i_attribute_exists(f, g, "pith-unnamed", &found));
    if (found)
        goto done;
    TRY(pith_i_attribute_text(f, g, "_index", column, sizeof column, &found));
    if (!found)
        (void)strcpy(column, "_index");
    TRY(pith_i_hdf5_kind(f, g, column, &kind));
    if (kind == PITH_I_HDF5_NONE || kind == PITH_I_HDF5_GROUP)
        goto done;
    TRY(pith_i_dataset_open(f, g, column, &d));
    if (d.is_text && d.count != count)
        TRY(wrong_length(f, table, column, d.count, count));
    if (d.is_text)
        TRY(pith_i_dataset_texts(f, &d, NULL, out));
done:
    pith_i_dataset_close(f, &d);
    pith_i_hdf5_release(f, g);
    return st;
}

/* ---- Labels -------------------------------------------------------------------------------------- */

/* Labels by code; a negative code is a missing label. */
static pith_status label_codes(pith_i_hdf5 *f, const int64_t *codes, const pith_i_dataset *categories,
                               pith_matrix *out)
{
    const size_t mark = pith_i_scratch_mark(f->ctx);
    const int64_t n = out->data.n;
    pith_i_names names = {0}, labels = {0};
    pith_status st = PITH_OK;
    const char **texts = NULL;
    double *values = NULL, *by_row = NULL;
    for (int64_t i = 0; i < n; i++)
        if (codes[i] >= categories->count)
            FAIL(f->ctx, PITH_E_DATA,
                 "%s: row %" PRId64 " has the label code %" PRId64 " of %" PRId64 " categories", f->path, i,
                 codes[i], categories->count);
    if (categories->is_text) {
        TRY(pith_i_dataset_texts(f, categories, NULL, &names));
        TRY(SCRATCH(f->ctx, texts, n));
        for (int64_t i = 0; i < n; i++)
            texts[i] = codes[i] < 0 ? "nan" : pith_i_name(&names, codes[i]);
        TRY(pith_i_names_copy(f->ctx, n, texts, &labels));
        TRY(pith_i_matrix_label(f->ctx, out, &labels));
    } else {
        TRY(pith_i_dataset_check(f, categories));
        TRY(SCRATCH(f->ctx, values, categories->count));
        TRY(SCRATCH(f->ctx, by_row, n));
        TRY(pith_i_dataset_read(f, categories, PITH_I_HDF5_F64, values));
        for (int64_t i = 0; i < n; i++)
            by_row[i] = codes[i] < 0 ? (double)NAN : values[codes[i]];
        TRY(pith_i_label_numbers(f->ctx, out, by_row));
    }
done:
    pith_i_names_free(&names);
    pith_i_names_free(&labels);
    pith_i_scratch_release(f->ctx, mark);
    return st;
}

/* The categories of the codes: in the same group, or through a reference (anndata 0.7). */
static pith_status open_categories(pith_i_hdf5 *f, int64_t group, const pith_i_dataset *codes,
                                   pith_i_dataset *out)
{
    return group >= 0 ? pith_i_dataset_open(f, group, "categories", out)
                      : pith_i_dataset_follow(f, codes->id, "categories", out);
}

static pith_status read_categorical(pith_i_hdf5 *f, int64_t group, const pith_i_dataset *codes,
                                    pith_matrix *out)
{
    const size_t mark = pith_i_scratch_mark(f->ctx);
    pith_i_dataset categories = {.id = -1};
    pith_status st = PITH_OK;
    int64_t *code = NULL;
    if (codes->element.kind != 'i' && codes->element.kind != 'u')
        FAIL(f->ctx, PITH_E_DATA, "%s: its label codes are not whole numbers", f->path);
    TRY(open_categories(f, group, codes, &categories));
    if (categories.rank != 1 || !(categories.is_text || categories.element.kind != 0))
        FAIL(f->ctx, PITH_E_DATA, "%s: its label categories are neither text nor numbers", f->path);
    TRY(pith_i_dataset_check(f, codes));
    TRY(SCRATCH(f->ctx, code, codes->count));
    TRY(pith_i_dataset_read(f, codes, PITH_I_HDF5_I64, code));
    TRY(label_codes(f, code, &categories, out));
done:
    pith_i_dataset_close(f, &categories);
    pith_i_scratch_release(f->ctx, mark);
    return st;
}

static pith_status read_plain(pith_i_hdf5 *f, const pith_i_dataset *d, pith_matrix *out)
{
    const size_t mark = pith_i_scratch_mark(f->ctx);
    pith_i_names labels = {0};
    pith_status st = PITH_OK;
    double *values = NULL;
    if (d->is_text) {
        TRY(pith_i_dataset_texts(f, d, NULL, &labels));
        TRY(pith_i_matrix_label(f->ctx, out, &labels));
    } else if (d->element.kind != 0) {
        TRY(pith_i_dataset_check(f, d));
        TRY(SCRATCH(f->ctx, values, d->count));
        TRY(pith_i_dataset_read(f, d, PITH_I_HDF5_F64, values));
        TRY(pith_i_label_numbers(f->ctx, out, values));
    } else {
        FAIL(f->ctx, PITH_E_DATA, "%s: obs/%s: holds neither text nor numbers", f->path, d->name);
    }
done:
    pith_i_names_free(&labels);
    pith_i_scratch_release(f->ctx, mark);
    return st;
}

static pith_status read_column(pith_i_hdf5 *f, int64_t obs, const char *name, pith_matrix *out)
{
    pith_i_dataset d = {.id = -1};
    pith_status st = PITH_OK;
    int64_t group = -1;
    int32_t kind = PITH_I_HDF5_NONE, codes = PITH_I_HDF5_NONE, categories = PITH_I_HDF5_NONE;
    TRY(pith_i_hdf5_kind(f, obs, name, &kind));
    if (kind == PITH_I_HDF5_GROUP) {
        TRY(pith_i_hdf5_group(f, obs, name, &group));
        TRY(pith_i_hdf5_kind(f, group, "codes", &codes));
        TRY(pith_i_hdf5_kind(f, group, "categories", &categories));
        if (codes == PITH_I_HDF5_NONE || categories == PITH_I_HDF5_NONE)
            FAIL(f->ctx, PITH_E_DATA, "%s: obs/%s: is not a column of text, numbers or categories", f->path,
                 name);
    }
    TRY(pith_i_dataset_open(f, group >= 0 ? group : obs, group >= 0 ? "codes" : name, &d));
    if (d.rank != 1 || d.count != out->data.n)
        TRY(wrong_length(f, "obs", name, d.count, out->data.n));
    if (group >= 0 || d.is_categorical)
        TRY(read_categorical(f, group, &d, out));
    else
        TRY(read_plain(f, &d, out));
done:
    pith_i_dataset_close(f, &d);
    pith_i_hdf5_release(f, group);
    return st;
}

static pith_status no_column(pith_i_hdf5 *f, int64_t obs, const char *name)
{
    const size_t mark = pith_i_scratch_mark(f->ctx);
    const char *words[MOST_LISTED + 1] = {NULL}, **names = NULL, *near = NULL;
    bool *hard = NULL;
    char shown[64];
    int64_t count = 0;
    pith_status st = PITH_OK;
    TRY(pith_i_hdf5_list(f, obs, MOST_LISTED, &names, &hard, &count));
    for (int64_t k = 0; k < count; k++)
        words[k] = names[k];
    near = pith_nearest(name, words);
    st = pith_i_error(f->ctx, PITH_E_DATA, "%s: no column %s in obs%s%s%s", f->path, name,
                      near != NULL ? "; did you mean " : "",
                      near != NULL ? pith_i_printable(near, shown, sizeof shown) : "",
                      near != NULL ? "?" : "");
done:
    pith_i_scratch_release(f->ctx, mark);
    return st;
}

static pith_status read_labels(pith_i_hdf5 *f, const pith_read_options *options, pith_matrix *out)
{
    pith_status st = PITH_OK;
    const char *name = options->labels;
    int32_t kind = PITH_I_HDF5_NONE;
    int64_t obs = -1;
    if (options->no_labels)
        return PITH_OK;
    TRY(pith_i_hdf5_kind(f, 0, "obs", &kind));
    if (kind != PITH_I_HDF5_GROUP) {
        if (name != NULL)
            FAIL(f->ctx, PITH_E_DATA,
                 "%s: its obs table is missing or in an old format, so it has no column %s; rewrite the file "
                 "with a recent anndata",
                 f->path, name);
        return PITH_OK;
    }
    TRY(pith_i_hdf5_group(f, 0, "obs", &obs));
    kind = PITH_I_HDF5_NONE;
    for (size_t u = 0; name == NULL && pith_i_usual_labels[u] != NULL; u++) {
        TRY(pith_i_hdf5_kind(f, obs, pith_i_usual_labels[u], &kind));
        if (kind != PITH_I_HDF5_NONE)
            name = pith_i_usual_labels[u];
    }
    if (name == NULL)
        goto done;
    TRY(pith_i_hdf5_kind(f, obs, name, &kind));
    if (kind == PITH_I_HDF5_NONE)
        TRY(no_column(f, obs, name));
    TRY(read_column(f, obs, name, out));
done:
    pith_i_hdf5_release(f, obs);
    return st;
}

/* Reads the batch column of obs as the labels of a temporary matrix, which then become the batches. */
static pith_status read_batches(pith_i_hdf5 *f, const pith_read_options *options, pith_matrix *out)
{
    const size_t mark = pith_i_scratch_mark(f->ctx);
    const pith_read_options wanted = {.labels = options->batch};
    pith_matrix *labelled = NULL;
    const char *where = NULL;
    pith_status st = PITH_OK;
    if (options->batch == NULL)
        return PITH_OK;
    TRY(pith_i_where(f->ctx, f->path, options->batch, &where));
    TRY(pith_i_matrix_new(f->ctx, &labelled));
    labelled->data.n = out->data.n;
    TRY(read_labels(f, &wanted, labelled));
    TRY(pith_i_matrix_batch_by(f->ctx, out, where, labelled));
done:
    pith_matrix_free(labelled);
    pith_i_scratch_release(f->ctx, mark);
    return st;
}

/* ---- The reader ---------------------------------------------------------------------------------- */

/* The table that describes the columns of a matrix; NULL: none does. */
static const char *features_of(const char *matrix)
{
    if (strcmp(matrix, "X") == 0 || strncmp(matrix, "layers/", 7) == 0)
        return "var";
    return strcmp(matrix, "raw/X") == 0 ? "raw/var" : NULL;
}

pith_status pith_i_h5ad_read(pith_ctx *ctx, const char *path, const pith_read_options *options,
                             pith_matrix *out)
{
    const char *matrix = options->var != NULL ? options->var : "X";
    pith_i_hdf5 f = {.socket = -1, .shared = -1};
    pith_i_bytes bytes = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_bytes_load(ctx, path, &bytes));
    if (!pith_i_hdf5_is(&bytes))
        FAIL(ctx, PITH_E_DATA, "%s: is not an HDF5 file, so it cannot be .h5ad", path);
    TRY(pith_i_hdf5_open(ctx, path, &bytes, &f));
    TRY(read_matrix(&f, matrix, &out->data));
    if (features_of(matrix) != NULL)
        TRY(pith_i_place_new(ctx, matrix, out->data.n, out->data.p, &out->place));
    TRY(read_labels(&f, options, out));
    TRY(read_batches(&f, options, out));
    TRY(read_index(&f, "obs", out->data.n, &out->samples));
    if (features_of(matrix) != NULL)
        TRY(read_index(&f, features_of(matrix), out->data.p, &out->features));
done:
    pith_i_hdf5_close(&f);
    pith_i_bytes_free(&bytes);
    return st;
}
