/*
 * NumPy's archives: a zip file of .npy entries. Sparse matrices have SciPy's layout (format, shape, data, and
 * indices with indptr, or row with col), dense ones a name of their own. The size of an entry must be the one
 * that its header and the archive's directory both claim, and no larger than deflate can unpack from the
 * bytes that are there. Members that are stored, aligned and of the right type are mapped: they stay in the
 * file. Those that pith writes are.
 */
#include "io/assemble.h"
#include "io/npy.h"
#include "io/spread_write.h"
#include "io/text.h"
#include "io/variables.h"
#include "io/zip.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

enum { DEFLATE_RATIO = 1032, MOST_HEADER = 1 << 16, CHUNK = 1 << 22 };

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
        source = NULL; /* now owned by the archive */
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

/* Reads exactly size bytes; false: there are fewer. */
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

/* Of members with the same name the last counts, as in NumPy: the newest replaces an older one. */
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

/* Adds the entry as a variable if it is a .npy. */
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

/* The elements of entry k. It is read to its end, where libzip compares the checksum. */
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

/* The elements of entry k where they lie in the file, checked against the archive's checksum; *at is NULL if
 * they are compressed. */
static pith_status find_stored(archive *a, int64_t k, const char **at)
{
    pith_i_zip_member member;
    const char *where = NULL;
    pith_status st = PITH_OK;
    *at = NULL;
    if (a->bytes.mapped == NULL || a->npy[k].bytes == 0 ||
        !pith_i_zip_find(a->bytes.at, a->bytes.size, a->index[k],
                         zip_get_name(a->zip, a->index[k], ZIP_FL_ENC_RAW), &member) ||
        member.size != a->npy[k].offset + a->npy[k].bytes)
        return PITH_OK;
    TRY(pith_i_where(a->c.ctx, a->c.path, a->c.vars[k].name, &where));
    TRY(pith_i_zip_check(a->c.ctx, where, &member));
    *at = member.at + a->npy[k].offset;
done:
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
    const char *stored = NULL;
    TRY(pith_i_check_shape(a->c.ctx, a->c.path, npy->shape[0], npy->shape[1]));
    TRY(find_stored(a, k, &stored));
    if (stored != NULL && pith_i_npy_borrow(npy, stored, out))
        out->mapped = pith_i_hold(a->bytes.mapped);
    else if (stored != NULL)
        TRY(pith_i_npy_dense(a->c.ctx, npy, stored, out));
    else if (npy->element.kind == 'f' && npy->element.size >= 4 && !npy->swapped && !npy->fortran) {
        TRY(pith_i_data_new_dense(a->c.ctx, npy->shape[0], npy->shape[1], dtype, out)); /* final form */
        TRY(read_entry(a, k, pith_i_data_x(out)));
    } else {
        TRY(scratch_entry(a, k, &elements));
        TRY(pith_i_npy_dense(a->c.ctx, npy, elements, out));
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

/* The entry `name`, a list of numbers that a sparse matrix needs. */
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

/* The arrays of a sparse matrix, in the order of pith_i_data's `owned`. */
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

/* Indices and values where they lie in the file; *mapped: false for other types or packed ones. */
static pith_status map_arrays(archive *a, const int64_t k[3], pith_i_data *X, bool *mapped)
{
    const int size = (int)pith_i_dtype_size(X->dtype);
    const char *indices = NULL, *values = NULL;
    pith_status st = PITH_OK;
    *mapped = false;
    TRY(find_stored(a, k[INDICES], &indices));
    if (indices == NULL || !pith_i_npy_fits(&a->npy[k[INDICES]], indices, 'i', 4))
        goto done;
    TRY(find_stored(a, k[VALUES], &values));
    if (values == NULL || !pith_i_npy_fits(&a->npy[k[VALUES]], values, 'f', size))
        goto done;
    X->indices = (const int32_t *)(const void *)indices;
    X->values = values;
    *mapped = true;
done:
    return st;
}

/* The three arrays; indices and values stay in the file if they can be mapped. */
static pith_status read_arrays(archive *a, const pith_i_sparse *s, const int64_t k[3], pith_i_data *X)
{
    pith_i_data made = {.dtype = s->dtype};
    pith_status st = PITH_OK;
    bool mapped = false;
    TRY(pith_i_sparse_check(a->c.ctx, s));
    TRY(map_arrays(a, k, &made, &mapped));
    TRY(pith_i_sparse_new(a->c.ctx, s, mapped ? 0 : s->entries, X));
    TRY(read_array(a, k[POINTERS], POINTERS, X));
    if (mapped) {
        X->indices = made.indices;
        X->values = made.values;
        X->mapped = pith_i_hold(a->bytes.mapped);
    } else {
        TRY(read_array(a, k[INDICES], INDICES, X));
        TRY(read_array(a, k[VALUES], VALUES, X));
    }
done:
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
    TRY(read_arrays(a, &s, k, &X));
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

static pith_status begin_array(pith_i_zip *z, const char *name, const char *descr, int64_t rows, int64_t cols,
                               int64_t bytes)
{
    char header[PITH_I_NPY_HEADER];
    pith_status st = PITH_OK;
    pith_i_npy_header(descr, rows, cols, header);
    TRY(pith_i_zip_begin(z, name, PITH_I_NPY_HEADER + bytes));
    TRY(pith_i_zip_bytes(z, header, PITH_I_NPY_HEADER));
done:
    return st;
}

static pith_status add_array(pith_i_zip *z, const char *name, const char *descr, int64_t rows, int64_t cols,
                             const void *elements, int64_t bytes)
{
    pith_status st = PITH_OK;
    TRY(begin_array(z, name, descr, rows, cols, bytes));
    TRY(pith_i_zip_bytes(z, elements, bytes));
    TRY(pith_i_zip_end(z));
done:
    return st;
}

static const char *descr_of(pith_dtype dtype)
{
    return dtype == PITH_F64 ? "<f8" : "<f4";
}

static pith_status add_dense(pith_i_zip *z, const pith_i_data *X)
{
    const size_t mark = pith_i_scratch_mark(z->ctx);
    const int64_t size = (int64_t)pith_i_dtype_size(X->dtype), row = X->p * size;
    const int64_t block = row > 0 && row < CHUNK ? CHUNK / row : 1;
    const bool plain = X->row_stride == X->p && X->col_stride == 1;
    pith_status st = PITH_OK;
    char *rows = NULL;
    TRY(SCRATCH(z->ctx, rows, plain ? 0 : block * row));
    TRY(begin_array(z, "X.npy", descr_of(X->dtype), X->n, X->p, X->n * row));
    for (int64_t i = 0; i < X->n; i += block) {
        const int64_t end = X->n - i < block ? X->n : i + block;
        if (!plain)
            pith_i_npy_rows(X, i, end, rows);
        TRY(pith_i_zip_bytes(z, plain ? (const char *)X->x + i * row : rows, (end - i) * row));
    }
    TRY(pith_i_zip_end(z));
done:
    pith_i_scratch_release(z->ctx, mark);
    return st;
}

/* Row pointers from 0 on, as SciPy stores them: in 32 bits if they fit. */
static pith_status add_pointers(pith_i_zip *z, const pith_i_data *X)
{
    enum { SOME = 4096 };
    const int64_t base = X->indptr[0];
    const bool short_ones = X->indptr[X->n] - base <= INT32_MAX;
    int32_t narrow[SOME];
    int64_t wide[SOME];
    pith_status st = PITH_OK;
    TRY(begin_array(z, "indptr.npy", short_ones ? "<i4" : "<i8", X->n + 1, -1,
                    (X->n + 1) * (short_ones ? 4 : 8)));
    for (int64_t i = 0; i <= X->n; i += SOME) {
        const int64_t count = X->n + 1 - i < SOME ? X->n + 1 - i : SOME;
        for (int64_t k = 0; k < count; k++) {
            wide[k] = X->indptr[i + k] - base;
            narrow[k] = (int32_t)wide[k];
        }
        TRY(pith_i_zip_bytes(z, short_ones ? (void *)narrow : (void *)wide, count * (short_ones ? 4 : 8)));
    }
    TRY(pith_i_zip_end(z));
done:
    return st;
}

/* As scipy.sparse.save_npz writes it. load_npz ignores arrays of other names. */
static pith_status add_sparse(pith_i_zip *z, const pith_i_data *X)
{
    const int64_t base = X->indptr[0], nnz = X->indptr[X->n] - base,
                  size = (int64_t)pith_i_dtype_size(X->dtype), shape[2] = {X->n, X->p};
    pith_status st = PITH_OK;
    TRY(add_array(z, "indices.npy", "<i4", nnz, -1, X->indices + base, nnz * 4));
    TRY(add_pointers(z, X));
    TRY(add_array(z, "format.npy", "|S3", -1, -1, "csr", 3));
    TRY(add_array(z, "shape.npy", "<i8", 2, -1, shape, 16));
    TRY(add_array(z, "data.npy", descr_of(X->dtype), nnz, -1, (const char *)X->values + base * size,
                  nnz * size));
done:
    return st;
}

static pith_status add_texts(pith_i_zip *z, const char *name, int64_t count, const char *const *texts)
{
    const size_t mark = pith_i_scratch_mark(z->ctx);
    pith_status st = PITH_OK;
    char descr[24];
    void *elements = NULL;
    int64_t width = 0;
    bool wide = false;
    TRY(pith_i_texts_fixed(z->ctx, count, texts, &wide, &width, &elements));
    (void)snprintf(descr, sizeof descr, "%s%" PRId64, wide ? "<U" : "|S", width);
    TRY(add_array(z, name, descr, count, -1, elements, count * width * (wide ? 4 : 1)));
done:
    pith_i_scratch_release(z->ctx, mark);
    return st;
}

static pith_status add_names(pith_i_zip *z, const char *name, const pith_i_names *names)
{
    const size_t mark = pith_i_scratch_mark(z->ctx);
    pith_status st = PITH_OK;
    const char **texts = NULL;
    if (names->start == NULL)
        return PITH_OK;
    TRY(SCRATCH(z->ctx, texts, names->count));
    for (int64_t i = 0; i < names->count; i++)
        texts[i] = pith_i_name(names, i);
    TRY(add_texts(z, name, names->count, texts));
done:
    pith_i_scratch_release(z->ctx, mark);
    return st;
}

static pith_status add_labels(pith_i_zip *z, const pith_matrix *m)
{
    const size_t mark = pith_i_scratch_mark(z->ctx);
    const int64_t n = m->data.n;
    pith_status st = PITH_OK;
    double *number = NULL, *values = NULL;
    const char **texts = NULL;
    if (m->label == NULL)
        return PITH_OK;
    TRY(SCRATCH(z->ctx, number, m->classes.count));
    TRY(SCRATCH(z->ctx, values, n));
    TRY(SCRATCH(z->ctx, texts, n));
    const bool numbers = pith_i_classes_are_numbers(m, number);
    for (int64_t i = 0; i < n; i++) {
        values[i] = m->label[i] >= 0 ? number[m->label[i]] : (double)NAN;
        texts[i] = pith_i_label_text(m, i);
    }
    if (numbers)
        TRY(add_array(z, "Y.npy", "<f8", n, -1, values, n * 8));
    else
        TRY(add_texts(z, "Y.npy", n, texts));
done:
    pith_i_scratch_release(z->ctx, mark);
    return st;
}

static int64_t bytes_of(const pith_i_data *X)
{
    return pith_i_stored(X) * ((int64_t)pith_i_dtype_size(X->dtype) + (X->sparse ? 4 : 0));
}

/* Each array is stored uncompressed and begins at a multiple of 64 bytes, so that it can be mapped. */
pith_status pith_i_npz_write(pith_ctx *ctx, const pith_matrix *m, pith_i_file *file)
{
    pith_i_zip z = {.ctx = ctx, .stream = file->stream, .path = file->path, .total = bytes_of(&m->data) + 1};
    pith_status st = PITH_OK;
    TRY(pith_i_file_must_be_regular(ctx, file));
    TRY(m->data.sparse ? add_sparse(&z, &m->data) : add_dense(&z, &m->data));
    TRY(add_labels(&z, m));
    TRY(add_names(&z, "feature_names.npy", &m->features));
    TRY(add_names(&z, "sample_names.npy", &m->samples));
    TRY(pith_i_zip_finish(&z));
done:
    return st;
}

/* ---- By several processes ------------------------------------------------------------------------------ */

/* An array with a gap for its elements, `bytes` in all, which all processes fill. */
static pith_status leave_array(pith_i_zip *z, const char *name, const char *descr, int64_t rows, int64_t cols,
                               int64_t bytes, pith_i_spread_kind kind, pith_i_spread_array *out)
{
    pith_status st = PITH_OK;
    *out = (pith_i_spread_array){.kind = kind, .member = z->count};
    TRY(begin_array(z, name, descr, rows, cols, bytes));
    TRY(pith_i_zip_gap(z, bytes, &out->at));
    TRY(pith_i_zip_end(z));
done:
    return st;
}

/* In the order of add_sparse and add_dense, so that the file equals the one that a single process writes. */
pith_status pith_i_npz_lay_out(pith_i_zip *z, const pith_i_shape *s, pith_i_spread_array *arrays, int *count)
{
    const int64_t size = (int64_t)pith_i_dtype_size(s->dtype), shape[2] = {s->n, s->p},
                  pointer = pith_i_pointer_bytes(s);
    pith_status st = PITH_OK;
    *count = s->sparse ? 3 : 1;
    if (!s->sparse) {
        TRY(leave_array(z, "X.npy", descr_of(s->dtype), s->n, s->p, s->n * s->p * size, PITH_I_SPREAD_ROWS,
                        arrays));
        goto done;
    }
    TRY(leave_array(z, "indices.npy", "<i4", s->stored, -1, s->stored * 4, PITH_I_SPREAD_COLUMNS,
                    &arrays[0]));
    TRY(leave_array(z, "indptr.npy", pointer == 4 ? "<i4" : "<i8", s->n + 1, -1, (s->n + 1) * pointer,
                    PITH_I_SPREAD_POINTERS, &arrays[1]));
    TRY(add_array(z, "format.npy", "|S3", -1, -1, "csr", 3));
    TRY(add_array(z, "shape.npy", "<i8", 2, -1, shape, 16));
    TRY(leave_array(z, "data.npy", descr_of(s->dtype), s->stored, -1, s->stored * size, PITH_I_SPREAD_VALUES,
                    &arrays[2]));
done:
    return st;
}

pith_status pith_i_npz_finish(pith_i_zip *z, int count, const pith_i_spread_array *arrays,
                              const pith_matrix *features, const pith_matrix *samples)
{
    pith_status st = PITH_OK;
    for (int k = 0; k < count; k++)
        TRY(pith_i_zip_filled(z, arrays[k].member, (uint32_t)arrays[k].check, arrays[k].bytes));
    if (samples != NULL)
        TRY(add_labels(z, samples));
    TRY(add_names(z, "feature_names.npy", &features->features));
    if (samples != NULL)
        TRY(add_names(z, "sample_names.npy", &samples->samples));
    TRY(pith_i_zip_finish(z));
done:
    return st;
}
