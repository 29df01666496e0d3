#include "io/hdf5.h"

#include "io/assemble.h"
#include "io/text.h"
#include "io/variables.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- The library's global state ------------------------------------------------------------------ */

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

void pith_i_hdf5_enter(pith_i_hdf5_guard *guard)
{
    (void)pthread_mutex_lock(&one_at_a_time);
    (void)H5Eget_auto2(H5E_DEFAULT, &guard->print, &guard->user);
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void pith_i_hdf5_leave(const pith_i_hdf5_guard *guard)
{
    (void)H5Eclear2(H5E_DEFAULT);
    (void)H5Eset_auto2(H5E_DEFAULT, guard->print, guard->user);
    (void)pthread_mutex_unlock(&one_at_a_time);
}

bool pith_i_hdf5_is(const pith_i_bytes *bytes)
{
    static const char signature[] = "\x89HDF\r\n\x1a\n";
    const int64_t size = sizeof signature - 1;
    return (bytes->size >= size && memcmp(bytes->at, signature, sizeof signature - 1) == 0) ||
           (bytes->size >= 512 + size && memcmp(bytes->at + 512, signature, sizeof signature - 1) == 0);
}

pith_status pith_i_hdf5_open(pith_ctx *ctx, const char *path, const pith_i_bytes *bytes, pith_i_hdf5 *out)
{
    pith_status st = PITH_OK;
    *out = (pith_i_hdf5){.ctx = ctx, .path = path, .size = bytes->size, .file = -1};
    TRY(pith_i_hdf5_check(ctx, path, bytes, &out->objects, &out->walked));
    out->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (out->file < 0)
        FAIL(ctx, PITH_E_DATA, "%s: is no HDF5 file, or a damaged one", path);
done:
    return st;
}

hid_t pith_i_hdf5_follow(const pith_i_hdf5 *f, hobj_ref_t ref)
{
    if (f->walked && !pith_i_addresses_has(&f->objects, ref))
        return -1;
    return H5Rdereference2(f->file, H5P_DEFAULT, H5R_OBJECT, &ref);
}

void pith_i_hdf5_close(pith_i_hdf5 *f)
{
    if (f->file > 0)
        (void)H5Fclose(f->file);
    f->file = -1;
}

/* ---- Finding things ------------------------------------------------------------------------------ */

bool pith_i_hdf5_has(hid_t at, const char *path)
{
    char step[512];
    const size_t length = strlen(path);
    if (length == 0 || length >= sizeof step)
        return false;
    memcpy(step, path, length + 1);
    for (char *end = strchr(step + 1, '/'); end != NULL; end = strchr(end + 1, '/')) {
        *end = '\0';
        if (H5Lexists(at, step, H5P_DEFAULT) <= 0)
            return false;
        *end = '/';
    }
    return H5Lexists(at, path, H5P_DEFAULT) > 0 && H5Oexists_by_name(at, path, H5P_DEFAULT) > 0;
}

bool pith_i_hdf5_is_group(hid_t at, const char *path)
{
    H5O_info_t info;
    return pith_i_hdf5_has(at, path) && H5Oget_info_by_name(at, path, &info, H5P_DEFAULT) >= 0 &&
           info.type == H5O_TYPE_GROUP;
}

static bool open_attribute(hid_t at, const char *name, hid_t *attribute, hid_t *type)
{
    *attribute = H5Aexists(at, name) > 0 ? H5Aopen(at, name, H5P_DEFAULT) : -1;
    *type = *attribute >= 0 ? H5Aget_type(*attribute) : -1;
    return *type >= 0;
}

static void close_attribute(hid_t attribute, hid_t type)
{
    if (type >= 0)
        (void)H5Tclose(type);
    if (attribute >= 0)
        (void)H5Aclose(attribute);
}

static int64_t attribute_count(hid_t attribute)
{
    const hid_t space = H5Aget_space(attribute);
    const hssize_t count = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    if (space >= 0)
        (void)H5Sclose(space);
    return count;
}

bool pith_i_attribute_text(hid_t at, const char *name, char *text, size_t size)
{
    hid_t attribute = -1, type = -1;
    bool good = false;
    text[0] = '\0';
    if (open_attribute(at, name, &attribute, &type) && H5Tget_class(type) == H5T_STRING &&
        attribute_count(attribute) == 1) {
        if (H5Tis_variable_str(type) > 0) {
            char *found = NULL;
            good = H5Aread(attribute, type, (void *)&found) >= 0 && found != NULL;
            if (good)
                (void)snprintf(text, size, "%s", found);
            if (found != NULL)
                (void)H5free_memory(found);
        } else if (H5Tget_size(type) < size) {
            good = H5Aread(attribute, type, text) >= 0;
            text[H5Tget_size(type)] = '\0';
        }
    }
    close_attribute(attribute, type);
    return good;
}

bool pith_i_attribute_integers(hid_t at, const char *name, int count, int64_t *out)
{
    hid_t attribute = -1, type = -1;
    const bool good = open_attribute(at, name, &attribute, &type) && H5Tget_class(type) == H5T_INTEGER &&
                      attribute_count(attribute) == count && H5Aread(attribute, H5T_NATIVE_INT64, out) >= 0;
    close_attribute(attribute, type);
    return good;
}

/* ---- Datasets ------------------------------------------------------------------------------------ */

static pith_status unfit(const pith_i_hdf5 *f, const pith_i_dataset *d, const char *why)
{
    char name[64];
    return pith_i_error(f->ctx, PITH_E_DATA, "%s: %s: %s", f->path,
                        pith_i_printable(d->name, name, sizeof name), why);
}

static void describe_type(hid_t type, pith_i_dataset *d)
{
    const size_t size = H5Tget_size(type);
    const H5T_class_t klass = H5Tget_class(type);
    const bool signed_ = klass == H5T_INTEGER && H5Tget_sign(type) == H5T_SGN_2;
    d->is_text = klass == H5T_STRING;
    d->is_reference = klass == H5T_REFERENCE && H5Tequal(type, H5T_STD_REF_OBJ) > 0;
    d->is_compound = klass == H5T_COMPOUND;
    d->element = (pith_i_element){0};
    if (klass == H5T_INTEGER)
        d->element = (pith_i_element){signed_ ? 'i' : 'u', (int)size, false};
    else if (klass == H5T_FLOAT)
        d->element = (pith_i_element){'f', size <= 8 ? (int)size : 8, false};
    else if (klass == H5T_ENUM && size == 1) /* truth values, as h5py writes them */
        d->element = (pith_i_element){'b', 1, false};
    if (!pith_i_element_is_number(d->element))
        d->element.kind = 0;
}

/* Every filter must be known, or HDF5 would only say that it cannot read. */
static pith_status check_filters(const pith_i_hdf5 *f, const pith_i_dataset *d, hid_t layout)
{
    for (int k = 0; k < H5Pget_nfilters(layout); k++) {
        char name[32] = "", shown[32];
        size_t none = 0;
        unsigned flags = 0;
        const H5Z_filter_t id =
            H5Pget_filter2(layout, (unsigned)k, &flags, &none, NULL, sizeof name, name, NULL);
        if (id < 0 || H5Zfilter_avail(id) <= 0)
            return pith_i_error(
                f->ctx, PITH_E_DATA,
                "%s: %s: is packed by the filter %d (%.31s), which this HDF5 library lacks; save it "
                "with gzip",
                f->path, d->name, (int)id, pith_i_printable(name, shown, sizeof shown));
    }
    return PITH_OK;
}

/* Bytes of one chunk as unpacked; 1 for other layouts. Negative: it overflows. */
static int64_t chunk_bytes(hid_t layout, int64_t size)
{
    hsize_t dims[H5S_MAX_RANK];
    int64_t bytes = size;
    const int rank = H5Pget_layout(layout) == H5D_CHUNKED ? H5Pget_chunk(layout, H5S_MAX_RANK, dims) : 0;
    for (int k = 0; k < rank && k < H5S_MAX_RANK; k++)
        if (dims[k] > INT64_MAX || __builtin_mul_overflow(bytes, (int64_t)dims[k], &bytes))
            return -1;
    return bytes;
}

/*
 * What is claimed against what is stored: the file's storage as it is, or what gzip can make of it at most.
 * A dataset that was never written has no storage and any size it likes.
 */
static pith_status check_layout(const pith_i_hdf5 *f, const pith_i_dataset *d, hid_t layout)
{
    enum { DEFLATE_RATIO = 1032 };
    const H5D_layout_t kind = H5Pget_layout(layout);
    int64_t stored = (int64_t)H5Dget_storage_size(d->id), claim = 0;
    char text[2][32];
    if ((kind != H5D_COMPACT && kind != H5D_CONTIGUOUS && kind != H5D_CHUNKED) ||
        H5Pget_external_count(layout) > 0)
        return unfit(f, d, "its values lie in other files");
    const int64_t chunk = chunk_bytes(layout, d->bytes);
    if (__builtin_mul_overflow(d->count, d->bytes, &claim) || chunk < 0)
        return unfit(f, d, "claims a size that no file can hold");
    stored = stored < 0 || stored > f->size ? f->size : stored;
    const int64_t most = H5Pget_nfilters(layout) > 0 ? stored * DEFLATE_RATIO : stored;
    if (claim > most || (claim > 0 && chunk > most))
        return pith_i_error(f->ctx, PITH_E_DATA,
                            "%s: %s: claims %s but only %s are stored; the file is damaged or "
                            "was never filled",
                            f->path, d->name, pith_i_bytes_text(claim, text[0]),
                            pith_i_bytes_text(stored, text[1]));
    return check_filters(f, d, layout);
}

pith_status pith_i_dataset_check(const pith_i_hdf5 *f, const pith_i_dataset *d)
{
    const hid_t layout = H5Dget_create_plist(d->id);
    if (layout < 0)
        return unfit(f, d, "is damaged");
    const pith_status st = check_layout(f, d, layout);
    (void)H5Pclose(layout);
    return st;
}

static pith_status describe_space(const pith_i_hdf5 *f, pith_i_dataset *d)
{
    hsize_t dims[H5S_MAX_RANK];
    const hid_t space = H5Dget_space(d->id);
    const int rank = space >= 0 && H5Sget_simple_extent_type(space) != H5S_NULL
                         ? H5Sget_simple_extent_dims(space, dims, NULL)
                         : -1;
    if (space >= 0)
        (void)H5Sclose(space);
    d->rank = rank;
    d->count = 1;
    d->dims[0] = d->dims[1] = 1;
    for (int k = 0; k < rank; k++) {
        if (dims[k] > INT64_MAX || __builtin_mul_overflow(d->count, (int64_t)dims[k], &d->count))
            return unfit(f, d, "claims a size that no file can hold");
        if (k < 2)
            d->dims[k] = (int64_t)dims[k];
    }
    return rank >= 0 ? PITH_OK : unfit(f, d, "holds nothing");
}

pith_status pith_i_dataset_adopt(const pith_i_hdf5 *f, hid_t id, const char *name, pith_i_dataset *out)
{
    pith_status st = PITH_OK;
    hid_t type = -1;
    *out = (pith_i_dataset){.id = id, .name = name};
    type = id >= 0 && H5Iget_type(id) == H5I_DATASET ? H5Dget_type(id) : -1;
    if (type < 0)
        TRY(unfit(f, out, "is no array, or a damaged one"));
    describe_type(type, out);
    out->bytes = (int64_t)H5Tget_size(type);
    TRY(describe_space(f, out));
done:
    if (type >= 0)
        (void)H5Tclose(type);
    return st;
}

pith_status pith_i_dataset_open(const pith_i_hdf5 *f, hid_t at, const char *path, pith_i_dataset *out)
{
    *out = (pith_i_dataset){.id = -1, .name = path};
    if (!pith_i_hdf5_has(at, path))
        return unfit(f, out, "is not there");
    return pith_i_dataset_adopt(f, H5Oopen(at, path, H5P_DEFAULT), path, out);
}

void pith_i_dataset_close(pith_i_dataset *d)
{
    if (d->id > 0)
        (void)H5Oclose(d->id);
    d->id = -1;
}

pith_status pith_i_dataset_read(const pith_i_hdf5 *f, const pith_i_dataset *d, hid_t type, void *out)
{
    if (d->count > 0 && H5Dread(d->id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) < 0)
        return unfit(f, d, "cannot be read: the file is damaged");
    return PITH_OK;
}

/* Elements first..first+count-1 of the first dimension, the rest whole. */
static pith_status read_slab(const pith_i_hdf5 *f, const pith_i_dataset *d, int64_t first, int64_t count,
                             hid_t type, void *out)
{
    const hsize_t start[2] = {(hsize_t)first, 0}, size[2] = {(hsize_t)count, (hsize_t)d->dims[1]};
    const hid_t from = H5Dget_space(d->id), to = H5Screate_simple(d->rank, size, NULL);
    const bool good = from >= 0 && to >= 0 &&
                      H5Sselect_hyperslab(from, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
                      H5Dread(d->id, type, to, from, H5P_DEFAULT, out) >= 0;
    if (from >= 0)
        (void)H5Sclose(from);
    if (to >= 0)
        (void)H5Sclose(to);
    return good ? PITH_OK : unfit(f, d, "cannot be read: the file is damaged");
}

/* Rows to read at once: a few megabytes, in whole chunks, so that none is unpacked twice. */
static int64_t slab_rows(const pith_i_dataset *d, size_t size)
{
    enum { SLAB = 1 << 24 };
    hsize_t chunk[2] = {1, 1};
    const hid_t layout = H5Dget_create_plist(d->id);
    if (layout >= 0 && H5Pget_layout(layout) == H5D_CHUNKED)
        (void)H5Pget_chunk(layout, 2, chunk);
    if (layout >= 0)
        (void)H5Pclose(layout);
    const int64_t unit = chunk[0] > 0 && chunk[0] < (hsize_t)d->dims[0] ? (int64_t)chunk[0] : d->dims[0];
    const int64_t bytes = unit * d->dims[1] * (int64_t)size;
    const int64_t rows = chunk[0] <= 1 || bytes >= SLAB ? 0 : SLAB / bytes * unit;
    return rows > 0 ? rows : chunk[0] > 1 ? unit : 1 + SLAB / (d->dims[1] * (int64_t)size);
}

pith_status pith_i_dataset_matrix(const pith_i_hdf5 *f, const pith_i_dataset *d, bool turned,
                                  pith_dtype dtype, pith_i_data *out)
{
    const size_t mark = pith_i_scratch_mark(f->ctx), size = pith_i_dtype_size(dtype);
    const int64_t lines = d->dims[0], line = d->dims[1];
    const hid_t type = dtype == PITH_F64 ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT;
    const pith_i_element element = {'f', (int)size, false};
    pith_status st = PITH_OK;
    char *slab = NULL;
    TRY(pith_i_dataset_check(f, d));
    TRY(pith_i_check_shape(f->ctx, f->path, turned ? line : lines, turned ? lines : line));
    TRY(pith_i_data_new_dense(f->ctx, turned ? line : lines, turned ? lines : line, dtype, out));
    char *x = pith_i_data_x(out);
    const int64_t rows = slab_rows(d, size), step = rows < lines ? rows : lines;
    if (turned)
        TRY(SCRATCH(f->ctx, slab, step * line * (int64_t)size));
    for (int64_t i = 0; i < lines; i += step) {
        const int64_t many = lines - i < step ? lines - i : step;
        TRY(pith_i_progress(f->ctx, i, lines));
        TRY(read_slab(f, d, i, many, type, turned ? slab : x + (size_t)(i * line) * size));
        if (turned)
            pith_i_elements_convert_columns(f->ctx, element, slab, line, many, dtype, x + (size_t)i * size,
                                            lines);
    }
done:
    pith_i_scratch_release(f->ctx, mark);
    return st;
}

/* ---- Texts --------------------------------------------------------------------------------------- */

/* The type to read texts with: the string itself, or a compound of the one member. */
static hid_t text_type(const pith_i_dataset *d, const char *member, bool *variable, size_t *size)
{
    const hid_t whole = H5Dget_type(d->id);
    hid_t text = whole, out = -1;
    if (member != NULL) {
        const int at = d->is_compound ? H5Tget_member_index(whole, member) : -1;
        text = at >= 0 ? H5Tget_member_type(whole, (unsigned)at) : -1;
    }
    if (text >= 0 && H5Tget_class(text) == H5T_STRING) {
        *variable = H5Tis_variable_str(text) > 0;
        *size = *variable ? sizeof(char *) : H5Tget_size(text);
        out = member == NULL ? H5Tcopy(text) : H5Tcreate(H5T_COMPOUND, *size);
        if (member != NULL && out >= 0)
            (void)H5Tinsert(out, member, 0, text);
    }
    if (member != NULL && text >= 0)
        (void)H5Tclose(text);
    if (whole >= 0)
        (void)H5Tclose(whole);
    return out;
}

static pith_status add_block(const pith_i_hdf5 *f, const pith_i_dataset *d, pith_i_text_list *t,
                             const char *block, int64_t many, size_t size, bool variable)
{
    pith_status st = PITH_OK;
    for (int64_t k = 0; k < many && st == PITH_OK; k++) {
        const char *at = block + (size_t)k * size;
        size_t length = variable ? 0 : strnlen(at, size);
        if (variable) {
            memcpy(&at, block + (size_t)k * size, sizeof at);
            at = at != NULL ? at : "";
            length = strlen(at);
        }
        st = pith_i_text_list_add(f->ctx, t, at, (int64_t)length);
        if (st == PITH_E_DATA)
            st = unfit(f, d, "holds more text than the file has bytes");
    }
    return st;
}

static pith_status read_blocks(const pith_i_hdf5 *f, const pith_i_dataset *d, hid_t type, bool variable,
                               size_t size, pith_i_text_list *t)
{
    enum { STEP = 256 };
    const size_t mark = pith_i_scratch_mark(f->ctx);
    pith_status st = PITH_OK;
    char *block = NULL;
    TRY(SCRATCH_ZERO(f->ctx, block, STEP * (int64_t)size));
    for (int64_t i = 0; i < d->count; i += STEP) {
        const int64_t many = d->count - i < STEP ? d->count - i : STEP;
        const hsize_t length = (hsize_t)many;
        TRY(read_slab(f, d, i, many, type, block));
        st = add_block(f, d, t, block, many, size, variable);
        const hid_t space = variable ? H5Screate_simple(1, &length, NULL) : -1;
        if (space >= 0) {
            (void)H5Dvlen_reclaim(type, space, H5P_DEFAULT, block);
            (void)H5Sclose(space);
        }
        if (st != PITH_OK)
            break;
    }
done:
    pith_i_scratch_release(f->ctx, mark);
    return st;
}

pith_status pith_i_dataset_texts(const pith_i_hdf5 *f, const pith_i_dataset *d, const char *member,
                                 pith_i_names *out)
{
    pith_status st = PITH_OK;
    bool variable = false;
    size_t size = 0;
    pith_i_text_list list = {0};
    const hid_t type = text_type(d, member, &variable, &size);
    if (type < 0 || d->rank != 1)
        TRY(unfit(f, d, "is no list of texts"));
    TRY(pith_i_dataset_check(f, d));
    /* Texts of variable length may all point to one long one; fixed ones are bounded by their storage. */
    TRY(pith_i_text_list_new(f->ctx, d->count, variable ? f->size + d->count : INT64_MAX, &list));
    TRY(read_blocks(f, d, type, variable, size, &list));
    *out = list.names;
    list = (pith_i_text_list){0};
done:
    if (type >= 0)
        (void)H5Tclose(type);
    pith_i_text_list_free(&list);
    return st;
}

/* ---- Sparse matrices ----------------------------------------------------------------------------- */

pith_status pith_i_hdf5_sparse(const pith_i_hdf5 *f, hid_t at, const char *group, const char *const parts[3],
                               bool by_columns, int64_t n, int64_t p, pith_i_data *out)
{
    const size_t mark = pith_i_scratch_mark(f->ctx);
    pith_i_sparse s = {.n = n, .p = p, .by_columns = by_columns};
    pith_i_dataset d[3] = {{.id = -1}, {.id = -1}, {.id = -1}};
    pith_i_data X = {0};
    pith_status st = PITH_OK;
    const hid_t g = H5Gopen2(at, group, H5P_DEFAULT);
    TRY(pith_i_where(f->ctx, f->path, group, &s.where));
    for (int k = 0; k < 3; k++) {
        TRY(pith_i_dataset_open(f, g, parts[k], &d[k]));
        TRY(pith_i_dataset_check(f, &d[k]));
        if (d[k].rank != 1 || d[k].element.kind == 0 || (k > 0 && d[k].element.kind == 'f'))
            TRY(unfit(f, &d[k], k > 0 ? "is no list of whole numbers" : "is no list of real numbers"));
    }
    s.entries = d[0].count < d[1].count ? d[0].count : d[1].count;
    s.pointers = d[2].count;
    s.dtype = pith_i_element_dtype(d[0].element);
    if (d[0].count != d[1].count)
        FAIL(f->ctx, PITH_E_DATA, "%s: %" PRId64 " values for %" PRId64 " indices", s.where, d[0].count,
             d[1].count);
    TRY(pith_i_sparse_new(f->ctx, &s, &X));
    TRY(pith_i_progress(f->ctx, 0, 3));
    TRY(pith_i_dataset_read(f, &d[2], H5T_NATIVE_INT64, pith_i_data_indptr(&X)));
    TRY(pith_i_dataset_read(f, &d[1], H5T_NATIVE_INT32, pith_i_data_indices(&X)));
    TRY(pith_i_progress(f->ctx, 1, 3));
    TRY(pith_i_dataset_read(f, &d[0], s.dtype == PITH_F64 ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT,
                            pith_i_data_values(&X)));
    TRY(pith_i_progress(f->ctx, 2, 3));
    TRY(pith_i_sparse_finish(f->ctx, &s, &X, out));
done:
    pith_i_data_free(&X);
    for (int k = 0; k < 3; k++)
        pith_i_dataset_close(&d[k]);
    if (g >= 0)
        (void)H5Gclose(g);
    pith_i_scratch_release(f->ctx, mark);
    return st;
}
