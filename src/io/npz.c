/*
 * NumPy's archives: a zip file of .npy entries. Sparse matrices lie in SciPy's layout (format, shape, data,
 * and indices with indptr, or row with col), dense ones under a name of their own. What an entry inflates to
 * must be what its header and the archive's directory both claim, and no more than deflate can make of the
 * bytes that are there.
 */
#include "io/assemble.h"
#include "io/npy.h"
#include "io/text.h"
#include "io/variables.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

enum { DEFLATE_RATIO = 1032, MOST_HEADER = 1 << 16, CHUNK = 1 << 22, LEVEL = 6 };

typedef struct archive {
    pith_i_container c;
    pith_i_bytes bytes;
    zip_t *zip;
    pith_i_npy *npy;     /* by variable, in scratch */
    zip_uint64_t *index; /* likewise, in the archive's directory */
} archive;

static pith_status bad_entry(archive *a, const char *name, const char *why)
{
    char text[64];
    return pith_i_error(a->c.ctx, PITH_E_DATA, "%s: %s: %s", a->c.path,
                        pith_i_printable(name, text, sizeof text), why);
}

/* ---- The archive's directory --------------------------------------------------------------------- */

static pith_status open_archive(archive *a)
{
    zip_error_t error;
    pith_status st = PITH_OK;
    zip_source_t *source = NULL;
    zip_error_init(&error);
    TRY(pith_i_bytes_load(a->c.ctx, a->c.path, &a->bytes));
    source = zip_source_buffer_create(a->bytes.at, (zip_uint64_t)a->bytes.size, 0, &error);
    if (source != NULL)
        a->zip = zip_open_from_source(source, ZIP_RDONLY, &error);
    if (a->zip != NULL)
        source = NULL; /* the archive's now */
    else if (zip_error_code_zip(&error) == ZIP_ER_MEMORY)
        FAIL(a->c.ctx, PITH_E_NOMEM, "out of memory: %s cannot be opened", a->c.path);
    else
        FAIL(a->c.ctx, PITH_E_DATA, "%s: is not a NumPy archive, or is damaged: %s", a->c.path,
             zip_error_strerror(&error));
done:
    zip_source_free(source);
    zip_error_fini(&error);
    return st;
}

static void close_archive(archive *a)
{
    if (a->zip != NULL)
        zip_discard(a->zip);
    pith_i_bytes_free(&a->bytes);
}

static pith_status check_sizes(archive *a, const zip_stat_t *stat)
{
    const zip_uint64_t needed = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
    if ((stat->valid & needed) != needed)
        return bad_entry(a, "its directory", "is incomplete");
    if (stat->comp_method != ZIP_CM_STORE && stat->comp_method != ZIP_CM_DEFLATE)
        return bad_entry(a, stat->name, "is compressed in a way that NumPy does not use");
    if ((stat->valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && stat->encryption_method != ZIP_EM_NONE)
        return bad_entry(a, stat->name, "is encrypted");
    if (stat->comp_size > (zip_uint64_t)a->bytes.size || stat->size / DEFLATE_RATIO > stat->comp_size + 1)
        return bad_entry(a, stat->name, "claims more bytes than the file can hold");
    return PITH_OK;
}

/* zip_fread until size bytes are there; false: they are not. */
static bool read_fully(zip_file_t *file, char *out, int64_t size)
{
    while (size > 0) {
        const zip_int64_t got = zip_fread(file, out, (zip_uint64_t)size);
        if (got <= 0)
            return false;
        out += got;
        size -= got;
    }
    return true;
}

static pith_status read_header(archive *a, zip_file_t *file, const zip_stat_t *stat, pith_i_npy *npy)
{
    const size_t mark = pith_i_scratch_mark(a->c.ctx);
    pith_status st = PITH_OK;
    char first[12], *header = NULL;
    const char *where = NULL;
    int64_t size = 0;
    if (read_fully(file, first, sizeof first))
        size = pith_i_npy_header_size(first, sizeof first);
    if (size < (int64_t)sizeof first || size > MOST_HEADER || (zip_uint64_t)size > stat->size)
        TRY(bad_entry(a, stat->name, "is not a NumPy array"));
    TRY(SCRATCH(a->c.ctx, header, size));
    TRY(pith_i_where(a->c.ctx, a->c.path, stat->name, &where));
    memcpy(header, first, sizeof first);
    if (!read_fully(file, header + sizeof first, size - (int64_t)sizeof first))
        TRY(bad_entry(a, stat->name, "ends within its header"));
    TRY(pith_i_npy_parse(a->c.ctx, where, header, size, npy));
    if ((npy->element.kind != 0 || npy->text != '\0') && (uint64_t)npy->bytes != stat->size - (uint64_t)size)
        FAIL(a->c.ctx, PITH_E_DATA, "%s: its header claims %" PRId64 " bytes, the archive %" PRIu64, where,
             npy->bytes, (uint64_t)stat->size - (uint64_t)size);
done:
    pith_i_scratch_release(a->c.ctx, mark);
    return st;
}

/* Of members by the same name the last counts, as in NumPy: it takes the place of an older one. */
static void forget_older(archive *a)
{
    const int64_t last = a->c.count - 1;
    for (int64_t v = 0; v < last; v++)
        if (strcmp(a->c.vars[v].name, a->c.vars[last].name) == 0) {
            a->c.vars[v] = a->c.vars[last];
            a->npy[v] = a->npy[last];
            a->index[v] = a->index[last];
            a->c.count--;
            return;
        }
}

/* The entry as a variable, or none if it is no .npy. */
static pith_status add_entry(archive *a, zip_uint64_t index)
{
    zip_stat_t stat;
    pith_status st = PITH_OK;
    zip_file_t *file = NULL;
    pith_i_npy *npy = &a->npy[a->c.count];
    char *name = NULL;
    zip_stat_init(&stat);
    if (zip_stat_index(a->zip, index, 0, &stat) != 0 || (stat.valid & ZIP_STAT_NAME) == 0)
        TRY(bad_entry(a, "its directory", "cannot be read"));
    const size_t length = strlen(stat.name);
    if (length < 4 || strcmp(stat.name + length - 4, ".npy") != 0)
        return PITH_OK;
    TRY(check_sizes(a, &stat));
    TRY(SCRATCH(a->c.ctx, name, (int64_t)length + 1));
    memcpy(name, stat.name, length + 1);
    name[length - 4] = '\0';
    file = zip_fopen_index(a->zip, index, 0);
    if (file == NULL)
        TRY(bad_entry(a, name, zip_strerror(a->zip)));
    TRY(read_header(a, file, &stat, npy));
    a->c.vars[a->c.count] = (pith_i_variable){.name = name,
                                              .type = npy->descr,
                                              .rows = npy->rank > 0 ? npy->shape[0] : 1,
                                              .cols = npy->rank > 1 ? npy->shape[1] : 1,
                                              .rank = npy->rank,
                                              .is_number = npy->element.kind != 0,
                                              .is_text = npy->text != '\0'};
    a->index[a->c.count++] = index;
    forget_older(a);
done:
    if (file != NULL)
        (void)zip_fclose(file);
    return st;
}

static pith_status list_entries(archive *a)
{
    pith_status st = PITH_OK;
    const zip_int64_t entries = zip_get_num_entries(a->zip, 0);
    TRY(SCRATCH(a->c.ctx, a->c.vars, entries));
    TRY(SCRATCH(a->c.ctx, a->npy, entries));
    TRY(SCRATCH(a->c.ctx, a->index, entries));
    for (zip_int64_t k = 0; k < entries; k++)
        TRY(add_entry(a, (zip_uint64_t)k));
    if (a->c.count == 0)
        FAIL(a->c.ctx, PITH_E_DATA, "%s: holds no NumPy arrays", a->c.path);
done:
    return st;
}

/* ---- Its entries --------------------------------------------------------------------------------- */

/* The elements of entry k, which is checked to its end: the archive keeps a checksum. */
static pith_status read_entry(archive *a, int64_t k, void *out)
{
    pith_status st = PITH_OK;
    const int64_t bytes = a->npy[k].bytes;
    char *at = out, skipped[4096];
    zip_file_t *file = zip_fopen_index(a->zip, a->index[k], 0);
    bool good = file != NULL;
    for (int64_t left = a->npy[k].offset; good && left > 0; left -= (int64_t)sizeof skipped)
        good = read_fully(file, skipped, left < (int64_t)sizeof skipped ? left : (int64_t)sizeof skipped);
    for (int64_t done = 0; good && done < bytes; done += CHUNK) {
        TRY(pith_i_progress(a->c.ctx, done, bytes));
        good = read_fully(file, at + done, bytes - done < CHUNK ? bytes - done : CHUNK);
    }
    if (!good || zip_fread(file, skipped, 1) != 0)
        TRY(bad_entry(a, a->c.vars[k].name, "is truncated or damaged"));
done:
    if (file != NULL)
        (void)zip_fclose(file);
    return st;
}

static pith_status scratch_entry(archive *a, int64_t k, void **out)
{
    *out = pith_i_scratch(a->c.ctx, a->npy[k].bytes, 1);
    return *out != NULL ? read_entry(a, k, *out) : PITH_E_NOMEM;
}

static pith_status read_dense(archive *a, int64_t k, pith_i_data *out)
{
    const size_t mark = pith_i_scratch_mark(a->c.ctx);
    const pith_i_npy *npy = &a->npy[k];
    const pith_dtype dtype = pith_i_element_dtype(npy->element);
    pith_status st = PITH_OK;
    void *elements = NULL;
    TRY(pith_i_check_shape(a->c.ctx, a->c.path, npy->shape[0], npy->shape[1]));
    if (npy->element.kind == 'f' && npy->element.size >= 4 && !npy->swapped && !npy->fortran) {
        TRY(pith_i_data_new_dense(a->c.ctx, npy->shape[0], npy->shape[1], dtype, out)); /* as it will stay */
        TRY(read_entry(a, k, pith_i_data_x(out)));
    } else {
        TRY(scratch_entry(a, k, &elements));
        TRY(pith_i_npy_dense(a->c.ctx, npy, elements, NULL, out));
    }
done:
    pith_i_scratch_release(a->c.ctx, mark);
    return st;
}

static int64_t entry_of(const archive *a, const char *name)
{
    for (int64_t k = 0; k < a->c.count; k++)
        if (strcmp(a->c.vars[k].name, name) == 0)
            return k;
    return -1;
}

static pith_status read_texts(archive *a, int64_t k, pith_i_names *out)
{
    const size_t mark = pith_i_scratch_mark(a->c.ctx);
    const pith_i_npy *npy = &a->npy[k];
    pith_status st = PITH_OK;
    void *elements = NULL;
    TRY(scratch_entry(a, k, &elements));
    if (npy->text == 'U')
        TRY(pith_i_names_utf32(a->c.ctx, npy->count, npy->width, npy->swapped, elements, out));
    else
        TRY(pith_i_names_padded(a->c.ctx, npy->count, npy->width, elements, out));
done:
    pith_i_scratch_release(a->c.ctx, mark);
    return st;
}

/* ---- SciPy's layout ------------------------------------------------------------------------------ */

/* The entry of a list of numbers that a sparse matrix needs. */
static pith_status find_array(archive *a, const char *name, bool integers, int64_t *k)
{
    *k = entry_of(a, name);
    if (*k < 0)
        return pith_i_error(a->c.ctx, PITH_E_DATA, "%s: a sparse matrix without its array %s", a->c.path,
                            name);
    const pith_i_npy *npy = &a->npy[*k];
    if (npy->rank != 1 || npy->element.kind == 0 ||
        (integers && npy->element.kind != 'i' && npy->element.kind != 'u'))
        return bad_entry(a, name,
                         integers ? "is not a list of whole numbers" : "is not a list of real numbers");
    return PITH_OK;
}

static pith_status sparse_shape(archive *a, int64_t shape[2])
{
    const size_t mark = pith_i_scratch_mark(a->c.ctx);
    pith_status st = PITH_OK;
    void *elements = NULL;
    int64_t k = 0;
    TRY(find_array(a, "shape", true, &k));
    if (a->npy[k].count != 2)
        TRY(bad_entry(a, "shape", "is not that of a matrix"));
    TRY(scratch_entry(a, k, &elements));
    if (!pith_i_elements_int64(a->npy[k].element, elements, 2, shape))
        TRY(bad_entry(a, "shape", "is not that of a matrix"));
done:
    pith_i_scratch_release(a->c.ctx, mark);
    return st;
}

/* The arrays of a sparse matrix. One that is stored as it is to become is read in place. */
enum sparse_array { POINTERS, INDICES, VALUES };

static pith_status read_array(archive *a, int64_t k, enum sparse_array which, pith_i_data *X)
{
    const size_t mark = pith_i_scratch_mark(a->c.ctx);
    const pith_i_element e = a->npy[k].element;
    const int64_t count = a->npy[k].count;
    void *out = X->owned[which], *elements = NULL;
    const int size = which == POINTERS ? 8 : which == INDICES ? 4 : (int)pith_i_dtype_size(X->dtype);
    pith_status st = PITH_OK;
    if (!e.swapped && e.size == size && e.kind == (which == VALUES ? 'f' : 'i')) {
        TRY(read_entry(a, k, out));
        goto done;
    }
    TRY(scratch_entry(a, k, &elements));
    if (which == VALUES)
        pith_i_elements_convert(e, elements, count, X->dtype, out);
    else if (which == INDICES)
        (void)pith_i_elements_int32(e, elements, count, out);
    else if (!pith_i_elements_int64(e, elements, count, out))
        TRY(bad_entry(a, a->c.vars[k].name, "is not a list of row pointers"));
done:
    pith_i_scratch_release(a->c.ctx, mark);
    return st;
}

static pith_status read_compressed(archive *a, bool by_columns, pith_i_data *out)
{
    static const char *const names[] = {"indptr", "indices", "data"};
    pith_i_sparse s = {.where = a->c.path, .by_columns = by_columns};
    pith_i_data X = {0};
    pith_status st = PITH_OK;
    int64_t shape[2] = {0, 0}, k[3] = {0, 0, 0};
    TRY(sparse_shape(a, shape));
    for (int which = 0; which < 3; which++)
        TRY(find_array(a, names[which], which != VALUES, &k[which]));
    s.n = shape[0];
    s.p = shape[1];
    s.pointers = a->npy[k[POINTERS]].count;
    s.entries = a->npy[k[VALUES]].count;
    s.dtype = pith_i_element_dtype(a->npy[k[VALUES]].element);
    if (a->npy[k[INDICES]].count != s.entries)
        FAIL(a->c.ctx, PITH_E_DATA, "%s: %" PRId64 " indices for %" PRId64 " values", a->c.path,
             a->npy[k[INDICES]].count, s.entries);
    TRY(pith_i_sparse_new(a->c.ctx, &s, &X));
    for (int which = 0; which < 3; which++)
        TRY(read_array(a, k[which], which, &X));
    TRY(pith_i_sparse_finish(a->c.ctx, &s, &X, out));
done:
    pith_i_data_free(&X);
    return st;
}

static pith_status read_coordinates(archive *a, pith_i_data *out)
{
    const size_t mark = pith_i_scratch_mark(a->c.ctx);
    static const char *const names[] = {"row", "col", "data"};
    pith_status st = PITH_OK;
    int64_t shape[2] = {0, 0}, k[3] = {0, 0, 0};
    void *arrays[3] = {NULL, NULL, NULL};
    TRY(sparse_shape(a, shape));
    for (int which = 0; which < 3; which++) {
        TRY(find_array(a, names[which], which != VALUES, &k[which]));
        if (a->npy[k[which]].count != a->npy[k[0]].count)
            TRY(bad_entry(a, names[which], "does not match row: they differ in length"));
        TRY(scratch_entry(a, k[which], &arrays[which]));
    }
    const pith_i_coordinates c = {.where = a->c.path,
                                  .n = shape[0],
                                  .p = shape[1],
                                  .entries = a->npy[k[0]].count,
                                  .row_type = a->npy[k[0]].element,
                                  .col_type = a->npy[k[1]].element,
                                  .value_type = a->npy[k[2]].element,
                                  .rows = arrays[0],
                                  .cols = arrays[1],
                                  .values = arrays[2]};
    TRY(pith_i_assemble_coordinates(a->c.ctx, &c, out));
done:
    pith_i_scratch_release(a->c.ctx, mark);
    return st;
}

static pith_status read_sparse(archive *a, int64_t format, pith_i_data *out)
{
    const size_t mark = pith_i_scratch_mark(a->c.ctx);
    pith_status st = PITH_OK;
    pith_i_names names = {0};
    char shown[24];
    TRY(read_texts(a, format, &names));
    const char *name = names.count == 1 ? pith_i_name(&names, 0) : "";
    if (strcmp(name, "csr") == 0 || strcmp(name, "csc") == 0)
        TRY(read_compressed(a, name[2] == 'c', out));
    else if (strcmp(name, "coo") == 0)
        TRY(read_coordinates(a, out));
    else
        FAIL(a->c.ctx, PITH_E_DATA, "%s: a sparse matrix of format '%s'; save it as .tocsr()", a->c.path,
             pith_i_printable(name, shown, sizeof shown));
done:
    pith_i_names_free(&names);
    pith_i_scratch_release(a->c.ctx, mark);
    return st;
}

/* ---- The reader ---------------------------------------------------------------------------------- */

static pith_status matrix_of(pith_i_container *c, int64_t v, pith_i_data *out)
{
    return read_dense(c->self, v, out);
}

static pith_status numbers_of(pith_i_container *c, int64_t v, double *out)
{
    const size_t mark = pith_i_scratch_mark(c->ctx);
    archive *a = c->self;
    void *elements = NULL;
    const pith_status st = scratch_entry(a, v, &elements);
    if (st == PITH_OK)
        pith_i_elements_convert(a->npy[v].element, elements, a->npy[v].count, PITH_F64, out);
    pith_i_scratch_release(c->ctx, mark);
    return st;
}

static pith_status texts_of(pith_i_container *c, int64_t v, pith_i_names *out)
{
    return read_texts(c->self, v, out);
}

pith_status pith_i_npz_read(pith_ctx *ctx, const char *path, const pith_read_options *options,
                            pith_matrix *out)
{
    static const char *const usual[] = {"X", "fea", "data", "arr_0", NULL};
    const size_t mark = pith_i_scratch_mark(ctx);
    archive a = {
        .c = {.ctx = ctx, .path = path, .matrix = matrix_of, .numbers = numbers_of, .texts = texts_of}};
    pith_status st = PITH_OK;
    a.c.self = &a;
    TRY(open_archive(&a));
    TRY(list_entries(&a));
    const int64_t format = entry_of(&a, "format");
    if (options->var == NULL && format >= 0 && a.c.vars[format].is_text && entry_of(&a, "shape") >= 0) {
        TRY(read_sparse(&a, format, &out->data));
        TRY(pith_i_read_labels_and_names(&a.c, options, -1, out));
    } else {
        TRY(pith_i_read_variables(&a.c, options, usual, out));
    }
done:
    close_archive(&a);
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- The writer ---------------------------------------------------------------------------------- */

typedef struct writing {
    pith_ctx *ctx;
    zip_t *zip;
    bool packed;
    pith_status stop; /* what the progress callback wants */
} writing;

/* The elements, and a copy of the header, must live until the archive is closed. */
static pith_status add_array(writing *w, const char *name, const char *descr, int64_t rows, int64_t cols,
                             const void *elements, int64_t bytes)
{
    pith_status st = PITH_OK;
    char *header = NULL;
    TRY(SCRATCH(w->ctx, header, PITH_I_NPY_HEADER));
    pith_i_npy_header(descr, rows, cols, header);
    const zip_buffer_fragment_t parts[] = {
        {(zip_uint8_t *)header, PITH_I_NPY_HEADER},
        {(zip_uint8_t *)(uintptr_t)elements, (zip_uint64_t)bytes},
    };
    zip_source_t *source = zip_source_buffer_fragment(w->zip, parts, bytes > 0 ? 2 : 1, 0);
    const zip_int64_t entry = source != NULL ? zip_file_add(w->zip, name, source, ZIP_FL_ENC_UTF_8) : -1;
    if (entry < 0)
        zip_source_free(source);
    /* A fixed date: the same data gives the same bytes. 1980-01-01 is the first that zip knows. */
    if (entry < 0 || zip_file_set_dostime(w->zip, (zip_uint64_t)entry, 0, 0x21, 0) != 0 ||
        zip_set_file_compression(w->zip, (zip_uint64_t)entry, w->packed ? ZIP_CM_DEFLATE : ZIP_CM_STORE,
                                 LEVEL) != 0)
        FAIL(w->ctx, PITH_E_NOMEM, "out of memory: %s cannot be added: %s", name, zip_strerror(w->zip));
done:
    return st;
}

static pith_status add_dense(writing *w, const pith_i_data *X)
{
    const int64_t size = (int64_t)pith_i_dtype_size(X->dtype);
    pith_status st = PITH_OK;
    const void *x = X->x;
    if (X->row_stride != X->p || X->col_stride != 1) {
        void *copy = pith_i_scratch(w->ctx, X->n * X->p, (size_t)size);
        if (copy == NULL)
            TRY(PITH_E_NOMEM);
        pith_i_npy_rows(X, 0, X->n, copy);
        x = copy;
    }
    TRY(add_array(w, "X.npy", X->dtype == PITH_F64 ? "<f8" : "<f4", X->n, X->p, x, X->n * X->p * size));
done:
    return st;
}

/* As scipy.sparse.save_npz does, which load_npz takes back; arrays of other names do not disturb it. */
static pith_status add_sparse(writing *w, const pith_i_data *X)
{
    const int64_t base = X->indptr[0], nnz = X->indptr[X->n] - base,
                  size = (int64_t)pith_i_dtype_size(X->dtype);
    const bool narrow = nnz <= INT32_MAX;
    pith_status st = PITH_OK;
    int64_t *wide = NULL, *shape = NULL;
    int32_t *start = NULL;
    TRY(SCRATCH(w->ctx, shape, 2));
    TRY(SCRATCH(w->ctx, start, narrow ? X->n + 1 : 0));
    TRY(SCRATCH(w->ctx, wide, narrow ? 0 : X->n + 1));
    for (int64_t i = 0; i <= X->n; i++)
        if (narrow)
            start[i] = (int32_t)(X->indptr[i] - base);
        else
            wide[i] = X->indptr[i] - base;
    shape[0] = X->n;
    shape[1] = X->p;
    TRY(add_array(w, "indices.npy", "<i4", nnz, -1, X->indices + base, nnz * 4));
    TRY(add_array(w, "indptr.npy", narrow ? "<i4" : "<i8", X->n + 1, -1,
                  narrow ? (void *)start : (void *)wide, (X->n + 1) * (narrow ? 4 : 8)));
    TRY(add_array(w, "format.npy", "|S3", -1, -1, "csr", 3));
    TRY(add_array(w, "shape.npy", "<i8", 2, -1, shape, 16));
    TRY(add_array(w, "data.npy", X->dtype == PITH_F64 ? "<f8" : "<f4", nnz, -1,
                  (const char *)X->values + base * size, nnz * size));
done:
    return st;
}

static pith_status add_texts(writing *w, const char *name, int64_t count, const char *const *texts)
{
    pith_status st = PITH_OK;
    char descr[24];
    void *elements = NULL;
    int64_t width = 0;
    bool wide = false;
    TRY(pith_i_texts_fixed(w->ctx, count, texts, &wide, &width, &elements));
    (void)snprintf(descr, sizeof descr, "%s%" PRId64, wide ? "<U" : "|S", width);
    TRY(add_array(w, name, descr, count, -1, elements, count * width * (wide ? 4 : 1)));
done:
    return st;
}

static pith_status add_names(writing *w, const char *name, const pith_i_names *names)
{
    pith_status st = PITH_OK;
    const char **texts = NULL;
    if (names->start == NULL)
        return PITH_OK;
    TRY(SCRATCH(w->ctx, texts, names->count));
    for (int64_t i = 0; i < names->count; i++)
        texts[i] = pith_i_name(names, i);
    TRY(add_texts(w, name, names->count, texts));
done:
    return st;
}

static pith_status add_labels(writing *w, const pith_matrix *m)
{
    const int64_t n = m->data.n;
    pith_status st = PITH_OK;
    double *number = NULL, *values = NULL;
    const char **texts = NULL;
    if (m->label == NULL)
        return PITH_OK;
    TRY(SCRATCH(w->ctx, number, m->classes.count));
    TRY(SCRATCH(w->ctx, values, n));
    TRY(SCRATCH(w->ctx, texts, n));
    const bool numbers = pith_i_classes_are_numbers(m, number);
    for (int64_t i = 0; i < n; i++) {
        values[i] = m->label[i] >= 0 ? number[m->label[i]] : (double)NAN;
        texts[i] = pith_i_label_text(m, i);
    }
    if (numbers)
        TRY(add_array(w, "Y.npy", "<f8", n, -1, values, n * 8));
    else
        TRY(add_texts(w, "Y.npy", n, texts));
done:
    return st;
}

static void show_progress(zip_t *zip, double done, void *user)
{
    writing *w = user;
    (void)zip;
    if (w->stop == PITH_OK)
        w->stop = pith_i_progress(w->ctx, (int64_t)(done * 1000), 1000);
}

static int stop_wanted(zip_t *zip, void *user)
{
    (void)zip;
    return ((const writing *)user)->stop != PITH_OK;
}

/* Only now does libzip write anything. */
static pith_status close_written(writing *w, const char *path)
{
    (void)zip_register_progress_callback_with_state(w->zip, 0.001, show_progress, NULL, w);
    (void)zip_register_cancel_callback_with_state(w->zip, stop_wanted, NULL, w);
    if (zip_close(w->zip) == 0) {
        w->zip = NULL;
        return PITH_OK;
    }
    if (w->stop != PITH_OK)
        return w->stop;
    if (zip_error_code_zip(zip_get_error(w->zip)) == ZIP_ER_MEMORY)
        return pith_i_error(w->ctx, PITH_E_NOMEM, "out of memory while %s was written", path);
    return pith_i_error(w->ctx, PITH_E_FILE, "%s: cannot be written: %s", path, zip_strerror(w->zip));
}

pith_status pith_i_npz_write(pith_ctx *ctx, const pith_matrix *m, pith_i_file *file)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    writing w = {.ctx = ctx, .packed = m->data.sparse};
    pith_status st = PITH_OK;
    int code = 0;
    const char *path = pith_i_file_path(ctx, file);
    if (path == NULL)
        TRY(PITH_E_FILE);
    w.zip = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &code);
    if (w.zip == NULL && code == ZIP_ER_MEMORY)
        FAIL(ctx, PITH_E_NOMEM, "out of memory while %s was opened", file->path);
    if (w.zip == NULL)
        FAIL(ctx, PITH_E_FILE, "%s: cannot be written as an archive (libzip's error %d)", file->path, code);
    TRY(m->data.sparse ? add_sparse(&w, &m->data) : add_dense(&w, &m->data));
    TRY(add_labels(&w, m));
    TRY(add_names(&w, "feature_names.npy", &m->features));
    TRY(add_names(&w, "sample_names.npy", &m->samples));
    TRY(close_written(&w, file->path));
done:
    if (w.zip != NULL)
        zip_discard(w.zip);
    pith_i_scratch_release(ctx, mark);
    return st;
}
