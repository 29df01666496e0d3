/*
 * AnnData's .h5ad: HDF5 with the matrix in X (or layers/NAME, raw/X), a dataset or a group of data, indices
 * and indptr; the tables obs and var hold the names of samples and features and whatever is known of them,
 * labels among it. Files of anndata 0.7 and later, and the older ones as far as matrix and names go.
 */
#include "io/hdf5.h"
#include "io/text.h"
#include "io/variables.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MOST_NAME = 256, MOST_LISTED = 64 };

static const char *const sparse_parts[3] = {"data", "indices", "indptr"};

/* ---- The matrix ---------------------------------------------------------------------------------- */

typedef struct sparse_claim {
    bool by_columns;
    int64_t shape[2];
} sparse_claim;

/* Is this group a sparse matrix? Older files name its attributes otherwise. */
static bool describe_sparse(const pith_i_hdf5 *f, const char *group, sparse_claim *out)
{
    char format[32];
    const hid_t g = H5Gopen2(f->file, group, H5P_DEFAULT);
    bool good = g >= 0 && (pith_i_attribute_text(g, "encoding-type", format, sizeof format) ||
                           pith_i_attribute_text(g, "h5sparse_format", format, sizeof format));
    good = good && (strncmp(format, "csr", 3) == 0 || strncmp(format, "csc", 3) == 0) &&
           (pith_i_attribute_integers(g, "shape", 2, out->shape) ||
            pith_i_attribute_integers(g, "h5sparse_shape", 2, out->shape));
    if (good)
        out->by_columns = format[2] == 'c';
    if (g >= 0)
        (void)H5Gclose(g);
    return good;
}

/* What could be the matrix, for the message when the wanted one is not there. */
typedef struct listing {
    const pith_i_hdf5 *f;
    pith_i_variable *vars;
    char (*names)[MOST_NAME];
    int64_t count;
} listing;

static void list_matrix(listing *l, const char *name)
{
    pith_i_variable *v = &l->vars[l->count];
    sparse_claim claim;
    pith_i_dataset d = {.id = -1};
    if (l->count == MOST_LISTED || strlen(name) >= MOST_NAME || !pith_i_hdf5_has(l->f->file, name))
        return;
    (void)strcpy(l->names[l->count], name);
    *v = (pith_i_variable){.name = l->names[l->count], .type = "group"};
    if (!pith_i_hdf5_is_group(l->f->file, name)) {
        if (pith_i_dataset_open(l->f, l->f->file, name, &d) == PITH_OK)
            *v = (pith_i_variable){
                .name = v->name, .type = "dense", .rows = d.dims[0], .cols = d.dims[1], .rank = 2};
        pith_i_dataset_close(&d);
    } else if (describe_sparse(l->f, name, &claim)) {
        *v = (pith_i_variable){
            .name = v->name, .type = "sparse", .rows = claim.shape[0], .cols = claim.shape[1], .rank = 2};
    }
    l->count++;
}

static herr_t list_layer(hid_t at, const char *name, const H5L_info_t *info, void *user)
{
    char path[MOST_NAME];
    (void)at;
    (void)info;
    if (snprintf(path, sizeof path, "layers/%s", name) < (int)sizeof path)
        list_matrix(user, path);
    return 0;
}

static pith_status no_matrix(const pith_i_hdf5 *f, const char *name)
{
    const size_t mark = pith_i_scratch_mark(f->ctx);
    listing l = {.f = f};
    pith_status st = PITH_OK;
    TRY(SCRATCH(f->ctx, l.vars, MOST_LISTED));
    TRY(SCRATCH(f->ctx, l.names, MOST_LISTED));
    list_matrix(&l, "X");
    list_matrix(&l, "raw/X");
    if (pith_i_hdf5_is_group(f->file, "layers"))
        (void)H5Literate_by_name(f->file, "layers", H5_INDEX_NAME, H5_ITER_INC, NULL, list_layer, &l,
                                 H5P_DEFAULT);
    st = pith_i_no_variable(f->ctx, f->path, l.vars, l.count, name, "matrix");
done:
    pith_i_scratch_release(f->ctx, mark);
    return st;
}

static pith_status read_matrix(const pith_i_hdf5 *f, const char *name, pith_i_data *out)
{
    pith_i_dataset d = {.id = -1};
    pith_status st = PITH_OK;
    sparse_claim claim;
    if (!pith_i_hdf5_has(f->file, name))
        return no_matrix(f, name);
    if (pith_i_hdf5_is_group(f->file, name)) {
        if (!describe_sparse(f, name, &claim))
            FAIL(f->ctx, PITH_E_DATA, "%s: %s: is a group, but no sparse matrix in CSR or CSC", f->path,
                 name);
        return pith_i_hdf5_sparse(f, f->file, name, sparse_parts, claim.by_columns, claim.shape[0],
                                  claim.shape[1], out);
    }
    TRY(pith_i_dataset_open(f, f->file, name, &d));
    if (d.rank != 2 || d.element.kind == 0)
        FAIL(f->ctx, PITH_E_DATA, "%s: %s: is no matrix of real numbers", f->path, name);
    TRY(pith_i_dataset_matrix(f, &d, false, pith_i_element_dtype(d.element), out));
done:
    pith_i_dataset_close(&d);
    return st;
}

/* ---- Tables: obs and var ------------------------------------------------------------------------- */

static pith_status wrong_length(const pith_i_hdf5 *f, const char *table, const char *column, int64_t found,
                                int64_t wanted)
{
    return pith_i_error(f->ctx, PITH_E_DATA,
                        "%s: %s/%s holds %" PRId64 " entries where %" PRId64 " are needed", f->path, table,
                        column, found, wanted);
}

/* Old files have one compound dataset a table, with a member for its index. */
static pith_status old_index(const pith_i_hdf5 *f, const char *table, int64_t count, pith_i_names *out)
{
    pith_i_dataset d = {.id = -1};
    pith_status st = PITH_OK;
    TRY(pith_i_dataset_open(f, f->file, table, &d));
    if (d.count != count)
        TRY(wrong_length(f, table, "index", d.count, count));
    if (pith_i_dataset_texts(f, &d, "index", out) == PITH_E_NOMEM) /* no such member: no names */
        st = PITH_E_NOMEM;
done:
    pith_i_dataset_close(&d);
    return st;
}

/* The names in the index of a table; none if it has no index of texts, or pith has made it up. */
static pith_status read_index(const pith_i_hdf5 *f, const char *table, int64_t count, pith_i_names *out)
{
    pith_i_dataset d = {.id = -1};
    pith_status st = PITH_OK;
    char column[MOST_NAME];
    if (!pith_i_hdf5_has(f->file, table))
        return PITH_OK;
    if (!pith_i_hdf5_is_group(f->file, table))
        return old_index(f, table, count, out);
    const hid_t g = H5Gopen2(f->file, table, H5P_DEFAULT);
    if (g < 0)
        FAIL(f->ctx, PITH_E_DATA, "%s: %s: damaged", f->path, table);
    if (!pith_i_attribute_text(g, "_index", column, sizeof column))
        (void)strcpy(column, "_index");
    if (H5Aexists(g, "pith-unnamed") > 0 || !pith_i_hdf5_has(g, column) || pith_i_hdf5_is_group(g, column))
        goto done;
    TRY(pith_i_dataset_open(f, g, column, &d));
    if (d.is_text && d.count != count)
        TRY(wrong_length(f, table, column, d.count, count));
    if (d.is_text)
        TRY(pith_i_dataset_texts(f, &d, NULL, out));
done:
    pith_i_dataset_close(&d);
    if (g >= 0)
        (void)H5Gclose(g);
    return st;
}

/* ---- Labels -------------------------------------------------------------------------------------- */

/* Labels by code; a negative code is a missing one. */
static pith_status label_codes(const pith_i_hdf5 *f, const int64_t *codes, const pith_i_dataset *categories,
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
        TRY(pith_i_dataset_read(f, categories, H5T_NATIVE_DOUBLE, values));
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

/* The categories that go with codes: in their group, or behind a reference (anndata 0.7). */
static pith_status open_categories(const pith_i_hdf5 *f, hid_t group, const pith_i_dataset *codes,
                                   pith_i_dataset *out)
{
    hobj_ref_t ref = 0;
    pith_status st = PITH_OK;
    hid_t attribute = -1;
    if (group >= 0)
        return pith_i_dataset_open(f, group, "categories", out);
    attribute = H5Aopen(codes->id, "categories", H5P_DEFAULT);
    if (attribute < 0 || H5Aget_storage_size(attribute) != sizeof ref ||
        H5Aread(attribute, H5T_STD_REF_OBJ, &ref) < 0)
        FAIL(f->ctx, PITH_E_DATA, "%s: the categories of the labels are not there", f->path);
    TRY(pith_i_dataset_adopt(f, pith_i_hdf5_follow(f, ref), "categories", out));
done:
    if (attribute >= 0)
        (void)H5Aclose(attribute);
    return st;
}

static pith_status read_categorical(const pith_i_hdf5 *f, hid_t group, const pith_i_dataset *codes,
                                    pith_matrix *out)
{
    const size_t mark = pith_i_scratch_mark(f->ctx);
    pith_i_dataset categories = {.id = -1};
    pith_status st = PITH_OK;
    int64_t *code = NULL;
    if (codes->element.kind != 'i' && codes->element.kind != 'u')
        FAIL(f->ctx, PITH_E_DATA, "%s: label codes that are no whole numbers", f->path);
    TRY(open_categories(f, group, codes, &categories));
    if (categories.rank != 1 || !(categories.is_text || categories.element.kind != 0))
        FAIL(f->ctx, PITH_E_DATA, "%s: label categories that are no texts or numbers", f->path);
    TRY(pith_i_dataset_check(f, codes));
    TRY(SCRATCH(f->ctx, code, codes->count));
    TRY(pith_i_dataset_read(f, codes, H5T_NATIVE_INT64, code));
    TRY(label_codes(f, code, &categories, out));
done:
    pith_i_dataset_close(&categories);
    pith_i_scratch_release(f->ctx, mark);
    return st;
}

static pith_status read_plain(const pith_i_hdf5 *f, const pith_i_dataset *d, pith_matrix *out)
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
        TRY(pith_i_dataset_read(f, d, H5T_NATIVE_DOUBLE, values));
        TRY(pith_i_label_numbers(f->ctx, out, values));
    } else {
        FAIL(f->ctx, PITH_E_DATA, "%s: obs/%s: holds neither texts nor numbers", f->path, d->name);
    }
done:
    pith_i_names_free(&labels);
    pith_i_scratch_release(f->ctx, mark);
    return st;
}

static pith_status read_column(const pith_i_hdf5 *f, hid_t obs, const char *name, pith_matrix *out)
{
    pith_i_dataset d = {.id = -1};
    pith_status st = PITH_OK;
    hid_t group = -1;
    if (pith_i_hdf5_is_group(obs, name)) {
        group = H5Gopen2(obs, name, H5P_DEFAULT);
        if (group < 0 || !pith_i_hdf5_has(group, "codes") || !pith_i_hdf5_has(group, "categories"))
            FAIL(f->ctx, PITH_E_DATA, "%s: obs/%s: no column of texts, numbers or categories", f->path, name);
    }
    TRY(pith_i_dataset_open(f, group >= 0 ? group : obs, group >= 0 ? "codes" : name, &d));
    if (d.rank != 1 || d.count != out->data.n)
        TRY(wrong_length(f, "obs", name, d.count, out->data.n));
    if (group >= 0 || H5Aexists(d.id, "categories") > 0)
        TRY(read_categorical(f, group, &d, out));
    else
        TRY(read_plain(f, &d, out));
done:
    pith_i_dataset_close(&d);
    if (group >= 0)
        (void)H5Gclose(group);
    return st;
}

static herr_t list_column(hid_t at, const char *name, const H5L_info_t *info, void *user)
{
    listing *l = user;
    (void)at;
    (void)info;
    if (l->count < MOST_LISTED && strlen(name) < MOST_NAME) {
        (void)strcpy(l->names[l->count], name);
        l->vars[l->count] = (pith_i_variable){
            .name = l->names[l->count], .type = "column", .rows = l->count + 1, .cols = 1, .rank = 1};
        l->count++;
    }
    return 0;
}

static pith_status no_column(const pith_i_hdf5 *f, hid_t obs, const char *name)
{
    const size_t mark = pith_i_scratch_mark(f->ctx);
    listing l = {.f = f};
    const char *words[MOST_LISTED + 1] = {NULL}, *near = NULL;
    char shown[64];
    pith_status st = PITH_OK;
    TRY(SCRATCH(f->ctx, l.vars, MOST_LISTED));
    TRY(SCRATCH(f->ctx, l.names, MOST_LISTED));
    (void)H5Literate(obs, H5_INDEX_NAME, H5_ITER_INC, NULL, list_column, &l);
    for (int64_t k = 0; k < l.count; k++)
        words[k] = l.names[k];
    near = pith_nearest(name, words);
    st = pith_i_error(f->ctx, PITH_E_DATA, "%s: no column %s in obs%s%s%s", f->path, name,
                      near != NULL ? "; did you mean " : "",
                      near != NULL ? pith_i_printable(near, shown, sizeof shown) : "",
                      near != NULL ? "?" : "");
done:
    pith_i_scratch_release(f->ctx, mark);
    return st;
}

static pith_status read_labels(const pith_i_hdf5 *f, const pith_read_options *options, pith_matrix *out)
{
    pith_status st = PITH_OK;
    const char *name = options->labels;
    hid_t obs = -1;
    if (options->no_labels)
        return PITH_OK;
    if (!pith_i_hdf5_is_group(f->file, "obs")) {
        if (name != NULL)
            FAIL(f->ctx, PITH_E_DATA,
                 "%s: its table obs is missing or of an old kind, so it has no labels %s; write it anew with "
                 "a "
                 "recent anndata",
                 f->path, name);
        return PITH_OK;
    }
    obs = H5Gopen2(f->file, "obs", H5P_DEFAULT);
    if (obs < 0)
        FAIL(f->ctx, PITH_E_DATA, "%s: obs: damaged", f->path);
    for (size_t u = 0; name == NULL && pith_i_usual_labels[u] != NULL; u++)
        if (pith_i_hdf5_has(obs, pith_i_usual_labels[u]))
            name = pith_i_usual_labels[u];
    if (name != NULL && !pith_i_hdf5_has(obs, name))
        TRY(no_column(f, obs, name));
    if (name != NULL)
        TRY(read_column(f, obs, name, out));
done:
    if (obs >= 0)
        (void)H5Gclose(obs);
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
    const size_t mark = pith_i_scratch_mark(ctx);
    const char *matrix = options->var != NULL ? options->var : "X";
    pith_i_hdf5 f = {.file = -1};
    pith_i_hdf5_guard guard;
    pith_i_bytes bytes = {0};
    pith_status st = PITH_OK;
    pith_i_hdf5_enter(&guard);
    TRY(pith_i_bytes_load(ctx, path, &bytes));
    if (!pith_i_hdf5_is(&bytes))
        FAIL(ctx, PITH_E_DATA, "%s: is no HDF5 file, so no .h5ad", path);
    TRY(pith_i_hdf5_open(ctx, path, &bytes, &f));
    TRY(read_matrix(&f, matrix, &out->data));
    TRY(read_labels(&f, options, out));
    TRY(read_index(&f, "obs", out->data.n, &out->samples));
    if (features_of(matrix) != NULL)
        TRY(read_index(&f, features_of(matrix), out->data.p, &out->features));
done:
    pith_i_hdf5_close(&f);
    pith_i_hdf5_leave(&guard);
    pith_i_bytes_free(&bytes);
    pith_i_scratch_release(ctx, mark);
    return st;
}
