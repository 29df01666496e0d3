/*
 * Copies arrays and groups to the output, reduced to the lines that are kept. They keep their type, chunks as
 * far as these fit, filters and attributes. Arrays pass through memory a few lines at a time, so memory does
 * not grow with them.
 */
#include "cut.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void release(hid_t id)
{
    if (id >= 0)
        (void)H5Idec_ref(id);
}

bool stays_whole(const axis *a)
{
    return a == NULL || a->kept == NULL;
}

int64_t kept_of(const axis *a, int64_t size)
{
    return stays_whole(a) ? size : a->count;
}

void note_failure(reply *r)
{
    if (r->problem == PITH_I_HDF5_FINE)
        r->problem = failure();
}

static bool note(bool good, reply *r)
{
    if (!good)
        note_failure(r);
    return good;
}

/* ---- Attributes and whole objects ---------------------------------------------------------------- */

typedef struct attributes {
    hid_t to;
    const char *except;
    reply *r;
} attributes;

/* Numbers and texts of fixed length are plain bytes; values of other types own further memory once read. */
static bool is_plain(hid_t type)
{
    const H5T_class_t klass = H5Tget_class(type);
    return klass == H5T_INTEGER || klass == H5T_FLOAT || klass == H5T_ENUM || klass == H5T_BITFIELD ||
           (klass == H5T_STRING && H5Tis_variable_str(type) == 0);
}

/* Makes a reference (anndata 0.7: from codes to their categories) to the object of the same path in the
 * output. */
static bool move_reference(hid_t from, hid_t to)
{
    char path[PITH_I_HDF5_NAME];
    hobj_ref_t ref = 0;
    const bool read = H5Aread(from, H5T_STD_REF_OBJ, &ref) >= 0;
    const hid_t target = read ? H5Rdereference2(from, H5P_DEFAULT, H5R_OBJECT, &ref) : -1;
    const ssize_t length = target >= 0 ? H5Iget_name(target, path, sizeof path) : -1;
    release(target);
    return length > 0 && (size_t)length < sizeof path && H5Lexists(to, path, H5P_DEFAULT) > 0 &&
           H5Rcreate(&ref, to, path, H5R_OBJECT, -1) >= 0 && H5Awrite(to, H5T_STD_REF_OBJ, &ref) >= 0;
}

static bool move_values(hid_t from, hid_t to, hid_t type, hid_t space)
{
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    void *values = count > 0 ? calloc((size_t)count, H5Tget_size(type)) : NULL;
    const bool good =
        count == 0 || (values != NULL && H5Aread(from, type, values) >= 0 && H5Awrite(to, type, values) >= 0);
    if (values != NULL && !is_plain(type))
        (void)H5Dvlen_reclaim(type, space, H5P_DEFAULT, values);
    free(values);
    return good;
}

/* References of other kinds would point nowhere: such attributes are left out. */
static herr_t copy_attribute(hid_t at, const char *name, const H5A_info_t *info, void *user)
{
    const attributes *a = user;
    (void)info;
    if (a->except != NULL && strcmp(name, a->except) == 0)
        return 0;
    const hid_t from = H5Aopen(at, name, H5P_DEFAULT);
    const hid_t stored = from >= 0 ? H5Aget_type(from) : -1, type = stored >= 0 ? H5Tcopy(stored) : -1;
    const hid_t space = from >= 0 ? H5Aget_space(from) : -1;
    const bool refers = type >= 0 && H5Tdetect_class(type, H5T_REFERENCE) > 0;
    const bool movable =
        !refers || (H5Tequal(type, H5T_STD_REF_OBJ) > 0 && H5Sget_simple_extent_npoints(space) == 1);
    const hid_t plan = from >= 0 ? H5Aget_create_plist(from) : -1;
    bool good = plan >= 0 && space >= 0 && type >= 0;
    if (good && movable) {
        const hid_t to = H5Acreate2(a->to, name, type, space, plan, H5P_DEFAULT);
        good = to >= 0;
        if (good && H5Sget_simple_extent_type(space) != H5S_NULL && refers)
            (void)move_reference(from, to);
        else if (good && H5Sget_simple_extent_type(space) != H5S_NULL)
            good = move_values(from, to, type, space);
        release(to);
    }
    release(plan);
    release(space);
    release(type);
    release(stored);
    release(from);
    return note(good, a->r) ? 0 : -1;
}

bool copy_attributes(hid_t from, hid_t to, const char *except, reply *r)
{
    attributes a = {to, except, r};
    return note(H5Aiterate2(from, H5_INDEX_NAME, H5_ITER_INC, NULL, copy_attribute, &a) >= 0, r);
}

/* Links as h5py makes them. */
static hid_t link_plan(void)
{
    const hid_t plan = H5Pcreate(H5P_LINK_CREATE);
    (void)H5Pset_char_encoding(plan, H5T_CSET_UTF8);
    return plan;
}

hid_t copy_group(hid_t from, hid_t at, const char *name, const char *except, reply *r)
{
    const hid_t plan = H5Gget_create_plist(from), link = link_plan();
    if (plan >= 0)
        (void)H5Pset_obj_track_times(plan, false); /* the same input gives the same bytes */
    const hid_t made = plan >= 0 ? H5Gcreate2(at, name, link, plan, H5P_DEFAULT) : -1;
    release(plan);
    release(link);
    if (note(made >= 0, r) && copy_attributes(from, made, except, r))
        return made;
    release(made);
    return -1;
}

bool copy_object(hid_t at, const char *name, hid_t to, const char *as, reply *r)
{
    const hid_t plan = H5Pcreate(H5P_OBJECT_COPY), link = link_plan();
    /* Else references would become null. Soft and external links stay links. */
    (void)H5Pset_copy_object(plan, H5O_COPY_EXPAND_REFERENCE_FLAG);
    const bool good = H5Ocopy(at, name, to, as, plan, link) >= 0;
    release(plan);
    release(link);
    return note(good, r);
}

/* ---- Arrays -------------------------------------------------------------------------------------- */

/* A filter that can only decode here cannot be kept. */
static bool can_pack(hid_t plan)
{
    for (int k = 0; k < H5Pget_nfilters(plan); k++) {
        unsigned flags = 0, can = 0;
        size_t none = 0;
        const H5Z_filter_t id = H5Pget_filter2(plan, (unsigned)k, &flags, &none, NULL, 0, NULL, NULL);
        if (id < 0 || H5Zget_filter_info(id, &can) < 0 || (can & H5Z_FILTER_CONFIG_ENCODE_ENABLED) == 0)
            return false;
    }
    return true;
}

/* Makes chunks no larger than a dimension of fixed size; an array that must stay empty gets none. */
static bool fit_chunks(hid_t plan, int rank, const hsize_t *dims, const hsize_t *most, hsize_t *chunk)
{
    bool empty = false;
    if (H5Pget_chunk(plan, rank, chunk) != rank)
        return false;
    for (int k = 0; k < rank; k++) {
        if (most[k] != H5S_UNLIMITED && chunk[k] > dims[k])
            chunk[k] = dims[k];
        empty = empty || chunk[k] == 0;
    }
    if (empty)
        return H5Pset_layout(plan, H5D_CONTIGUOUS) >= 0 && H5Premove_filter(plan, H5Z_FILTER_ALL) >= 0;
    return H5Pset_chunk(plan, rank, chunk) >= 0 &&
           (can_pack(plan) || H5Premove_filter(plan, H5Z_FILTER_ALL) >= 0);
}

hid_t array_like(hid_t from, hid_t at, const char *name, const hsize_t *dims, reply *r)
{
    hsize_t most[PITH_I_HDF5_RANK] = {0}, chunk[PITH_I_HDF5_RANK];
    const hid_t stored = H5Dget_type(from), type = stored >= 0 ? H5Tcopy(stored) : -1;
    const hid_t plan = H5Dget_create_plist(from), before = H5Dget_space(from), link = link_plan();
    const int rank = before >= 0 ? H5Sget_simple_extent_dims(before, NULL, most) : -1;
    bool good = type >= 0 && plan >= 0 && rank > 0;
    hid_t access = H5P_DEFAULT, made = -1, space = -1;
    for (int k = 0; k < rank; k++)
        most[k] = most[k] == H5S_UNLIMITED ? most[k] : dims[k];
    if (good && H5Pget_layout(plan) == H5D_CHUNKED) {
        good = fit_chunks(plan, rank, dims, most, chunk);
        if (good && H5Pget_layout(plan) == H5D_CHUNKED)
            access = access_with_room(rank, dims, chunk, H5Tget_size(type));
    }
    if (good) {
        (void)H5Pset_obj_track_times(plan, false);
        space = H5Screate_simple(rank, dims, most);
        made = H5Dcreate2(at, name, type, space, link, plan, access);
    }
    release(space);
    release(link);
    if (access != H5P_DEFAULT)
        release(access);
    release(before);
    release(plan);
    release(type);
    release(stored);
    (void)note(made >= 0, r);
    return made;
}

bool write_range(hid_t id, int64_t first, int64_t count, hid_t type, const void *values, reply *r)
{
    hsize_t dims[PITH_I_HDF5_RANK] = {1}, start[PITH_I_HDF5_RANK] = {(hsize_t)first};
    const hid_t to = H5Dget_space(id);
    const int rank = to >= 0 ? H5Sget_simple_extent_dims(to, dims, NULL) : -1;
    bool good = rank > 0;
    if (good && count > 0) {
        dims[0] = (hsize_t)count;
        const hid_t from = H5Screate_simple(rank, dims, NULL);
        good = from >= 0 && H5Sselect_hyperslab(to, H5S_SELECT_SET, start, NULL, dims, NULL) >= 0 &&
               H5Dwrite(id, type, from, to, H5P_DEFAULT, values) >= 0;
        release(from);
    }
    release(to);
    return note(good, r);
}

bool array_fits(const cutting *c, hid_t id)
{
    const axis *const axes[2] = {c->lines, c->columns};
    reply d = {0};
    describe_dataset(id, &d);
    const hid_t type = H5Dget_type(id);
    bool fits = d.problem == PITH_I_HDF5_FINE && type >= 0 && H5Tdetect_class(type, H5T_REFERENCE) == 0;
    for (int k = 0; k < 2; k++)
        if (axes[k] != NULL)
            fits = fits && d.rank > k && d.dims[k] == axes[k]->size;
    release(type);
    return fits && d.rank > 0;
}

/* Lines of an array in memory, contiguous. */
typedef struct block {
    int64_t element, line; /* bytes of a column in a line, and of a whole line */
    int64_t out_line;      /* bytes of a line with the kept columns only */
    int64_t step;          /* lines at a time */
    char *in, *out;
} block;

static bool plan_block(const cutting *c, const reply *d, block *b)
{
    const int64_t columns = d->rank > 1 ? d->dims[1] : 1;
    b->element = d->bytes;
    for (int k = 2; k < d->rank; k++) /* if one dimension is 0, the others may be anything */
        if (__builtin_mul_overflow(b->element, d->dims[k], &b->element))
            return false;
    if (__builtin_mul_overflow(b->element, columns, &b->line))
        return false;
    b->out_line = b->element * kept_of(c->columns, columns);
    b->step = b->line > 0 ? PITH_I_HDF5_HALF / b->line : d->dims[0];
    b->step = b->step < 1 ? 1 : b->step > d->dims[0] ? d->dims[0] : b->step;
    if (d->chunk > 0 && b->step > d->chunk)
        b->step -= b->step % d->chunk;
    b->in = calloc((size_t)b->step, (size_t)b->line + 1);
    b->out = calloc((size_t)b->step, (size_t)b->out_line + 1);
    return b->in != NULL && b->out != NULL;
}

static void pack_line(const axis *columns, const block *b, const char *in, char *out)
{
    if (stays_whole(columns)) {
        memcpy(out, in, (size_t)b->line);
        return;
    }
    for (int64_t k = 0; k < columns->count; k++)
        memcpy(out + k * b->element, in + columns->kept[k] * b->element, (size_t)b->element);
}

/* Copies those of the lines first..first+many-1 that are kept to line *at of the output, which moves on. */
static bool move_block(const cutting *c, hid_t from, hid_t to, hid_t type, const block *b, int64_t first,
                       int64_t many, int64_t *at)
{
    const axis *lines = c->lines;
    const bool whole = stays_whole(lines);
    int64_t count = 0;
    if (!whole && (*at == lines->count || lines->kept[*at] >= first + many))
        return true; /* none of them */
    if (!note(read_range(from, first, many, type, (int64_t)H5Tget_size(type), b->in, b->step * b->line),
              c->r))
        return false;
    for (int64_t i = 0; i < many; i++)
        if (whole || (*at + count < lines->count && lines->kept[*at + count] == first + i))
            pack_line(c->columns, b, b->in + i * b->line, b->out + count++ * b->out_line);
    const bool good = write_range(to, *at, count, type, b->out, c->r);
    *at += count;
    if (!is_plain(type) && b->line > 0) {
        const hsize_t elements = (hsize_t)(many * b->line) / H5Tget_size(type);
        const hid_t space = H5Screate_simple(1, &elements, NULL);
        (void)H5Dvlen_reclaim(type, space, H5P_DEFAULT, b->in);
        release(space);
    }
    return good;
}

bool cut_array(const cutting *c, hid_t from, hid_t to, const char *name)
{
    hsize_t dims[PITH_I_HDF5_RANK] = {0};
    reply d = {0};
    block b = {0};
    int64_t at = 0;
    check_storage(c->s, from, c->r);
    if (c->r->problem != PITH_I_HDF5_FINE)
        return false;
    describe_dataset(from, &d);
    for (int k = 0; k < d.rank; k++)
        dims[k] = (hsize_t)(k == 0   ? kept_of(c->lines, d.dims[0])
                            : k == 1 ? kept_of(c->columns, d.dims[1])
                                     : d.dims[k]);
    const hid_t made = array_like(from, to, name, dims, c->r), type = H5Dget_type(from);
    bool good = made >= 0 && type >= 0 && copy_attributes(from, made, NULL, c->r);
    if (good && !plan_block(c, &d, &b)) {
        c->r->problem = PITH_I_HDF5_NO_MEMORY;
        good = false;
    }
    for (int64_t i = 0; good && i < d.dims[0]; i += b.step)
        good = move_block(c, from, made, type, &b, i, d.dims[0] - i < b.step ? d.dims[0] - i : b.step, &at);
    free(b.in);
    free(b.out);
    release(type);
    release(made);
    return good;
}
