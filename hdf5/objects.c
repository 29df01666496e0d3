/* Objects of an HDF5 file: their kind, type, shape and attributes. */
#include "objects.h"

#include "filters.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

int32_t failure(void)
{
    enum { ENOUGH = 1 << 26 };
    void *probe = mmap(NULL, ENOUGH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (probe == MAP_FAILED)
        return PITH_I_HDF5_NO_MEMORY;
    (void)munmap(probe, ENOUGH);
    return PITH_I_HDF5_DAMAGED;
}

hid_t object_of(const session *s, int64_t id)
{
    return id == 0 ? s->file : H5Iis_valid(id) > 0 ? id : -1;
}

/* ---- Finding things ------------------------------------------------------------------------------ */

/* Does the path exist? H5Lexists requires that every step of it is checked. */
static bool has(hid_t at, const char *path)
{
    char step[PITH_I_HDF5_NAME];
    (void)snprintf(step, sizeof step, "%s", path);
    if (step[0] == '\0')
        return false;
    for (char *end = strchr(step + 1, '/'); end != NULL; end = strchr(end + 1, '/')) {
        *end = '\0';
        if (H5Lexists(at, step, H5P_DEFAULT) <= 0)
            return false;
        *end = '/';
    }
    return H5Lexists(at, path, H5P_DEFAULT) > 0 && H5Oexists_by_name(at, path, H5P_DEFAULT) > 0;
}

static int32_t kind_of(hid_t at, const char *path)
{
    H5O_info_t info;
    if (!has(at, path) || H5Oget_info_by_name(at, path, &info, H5P_DEFAULT) < 0)
        return PITH_I_HDF5_NONE;
    return info.type == H5O_TYPE_GROUP     ? PITH_I_HDF5_GROUP
           : info.type == H5O_TYPE_DATASET ? PITH_I_HDF5_DATASET
                                           : PITH_I_HDF5_OTHER;
}

void find_kind(session *s, const request *q, reply *r)
{
    r->kind = kind_of(object_of(s, q->id), q->name);
}

enum { USUAL_CACHE = 1 << 20 };

hid_t access_with_room(int rank, const hsize_t *dims, const hsize_t *chunk, size_t size)
{
    enum { SLOTS = 12421 };
    double bytes = rank > 0 ? (double)size * (double)chunk[0] : 0; /* of all chunks that a line crosses */
    for (int k = 1; k < rank; k++)
        bytes *= chunk[k] > 0 ? ceil((double)dims[k] / (double)chunk[k]) * (double)chunk[k] : 0;
    if (bytes < USUAL_CACHE || bytes > 1e15)
        return H5P_DEFAULT;
    const hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    if (access >= 0)
        (void)H5Pset_chunk_cache(access, SLOTS, (size_t)bytes + USUAL_CACHE, 1);
    return access;
}

static hid_t access_of(hid_t id)
{
    hsize_t dims[PITH_I_HDF5_RANK], chunk[PITH_I_HDF5_RANK];
    const hid_t layout = H5Dget_create_plist(id), space = H5Dget_space(id), type = H5Dget_type(id);
    hid_t access = H5P_DEFAULT;
    if (layout >= 0 && space >= 0 && type >= 0 && H5Pget_layout(layout) == H5D_CHUNKED) {
        const int rank = H5Sget_simple_extent_dims(space, dims, NULL);
        if (rank > 0 && H5Pget_chunk(layout, PITH_I_HDF5_RANK, chunk) == rank)
            access = access_with_room(rank, dims, chunk, H5Tget_size(type));
    }
    if (type >= 0)
        (void)H5Tclose(type);
    if (space >= 0)
        (void)H5Sclose(space);
    if (layout >= 0)
        (void)H5Pclose(layout);
    return access;
}

/* A dataset is read a few lines at a time: chunks of more lines must stay unpacked until all of them are
 * read. */
hid_t open_with_room(hid_t at, const char *name)
{
    const hid_t plain = H5Oopen(at, name, H5P_DEFAULT);
    const hid_t access =
        plain >= 0 && H5Iget_type(plain) == H5I_DATASET ? access_of(plain) : (hid_t)H5P_DEFAULT;
    if (access == H5P_DEFAULT)
        return plain;
    (void)H5Oclose(plain); /* else the second would share its small cache */
    const hid_t roomy = access >= 0 ? H5Dopen2(at, name, access) : -1;
    if (access >= 0)
        (void)H5Pclose(access);
    return roomy;
}

/* Puts the object into the reply, with a description if it is a dataset. */
static void take(hid_t id, reply *r)
{
    r->id = id;
    if (id < 0)
        r->problem = failure();
    else if (H5Iget_type(id) == H5I_DATASET)
        describe_dataset(id, r);
    r->kind = id >= 0 && H5Iget_type(id) == H5I_DATASET ? PITH_I_HDF5_DATASET
              : id >= 0 && H5Iget_type(id) == H5I_GROUP ? PITH_I_HDF5_GROUP
                                                        : PITH_I_HDF5_OTHER;
}

void open_object(session *s, const request *q, reply *r)
{
    const hid_t at = object_of(s, q->id);
    if (kind_of(at, q->name) == PITH_I_HDF5_NONE)
        r->problem = PITH_I_HDF5_ABSENT;
    else
        take(open_with_room(at, q->name), r);
}

void close_object(session *s, const request *q, reply *r)
{
    (void)s;
    (void)r;
    if (q->id > 0 && H5Iis_valid(q->id) > 0)
        (void)H5Oclose(q->id);
}

typedef struct links {
    char *next, *end;
    int64_t count;
} links;

static herr_t put_link(hid_t at, const char *name, const H5L_info_t *info, void *user)
{
    links *l = user;
    const size_t length = strlen(name) + 1;
    (void)at;
    if ((size_t)(l->end - l->next) < length + 1)
        return 1;
    *l->next = info->type == H5L_TYPE_HARD;
    memcpy(l->next + 1, name, length);
    l->next += length + 1;
    l->count++;
    return 0;
}

void list_links(session *s, const request *q, reply *r)
{
    links l = {s->window + q->from, s->window + q->to, 0};
    if (H5Literate(object_of(s, q->id), H5_INDEX_NAME, H5_ITER_INC, NULL, put_link, &l) < 0)
        r->problem = failure();
    r->count = l.count;
}

/* ---- Attributes ---------------------------------------------------------------------------------- */

typedef struct attribute {
    hid_t id, type;
    int64_t count;
} attribute;

static bool open_attribute(hid_t at, const char *name, attribute *a)
{
    *a = (attribute){-1, -1, -1};
    a->id = at >= 0 && H5Aexists(at, name) > 0 ? H5Aopen(at, name, H5P_DEFAULT) : -1;
    a->type = a->id >= 0 ? H5Aget_type(a->id) : -1;
    const hid_t space = a->id >= 0 ? H5Aget_space(a->id) : -1;
    if (space >= 0) {
        a->count = H5Sget_simple_extent_npoints(space);
        (void)H5Sclose(space);
    }
    return a->type >= 0 && space >= 0;
}

static void close_attribute(const attribute *a)
{
    if (a->type >= 0)
        (void)H5Tclose(a->type);
    if (a->id >= 0)
        (void)H5Aclose(a->id);
}

void has_attribute(session *s, const request *q, reply *r)
{
    r->count = H5Aexists(object_of(s, q->id), q->name) > 0;
}

bool get_text(hid_t at, const char *name, char *text, size_t size)
{
    attribute a;
    bool good = false;
    if (open_attribute(at, name, &a) && H5Tget_class(a.type) == H5T_STRING && a.count == 1) {
        if (H5Tis_variable_str(a.type) > 0) {
            char *found = NULL;
            good = H5Aread(a.id, a.type, (void *)&found) >= 0 && found != NULL;
            if (good)
                (void)snprintf(text, size, "%s", found);
            if (found != NULL)
                (void)H5free_memory(found);
        } else if (H5Tget_size(a.type) < size) {
            memset(text, 0, size);
            good = H5Aread(a.id, a.type, text) >= 0;
        }
    }
    close_attribute(&a);
    return good;
}

void attribute_text(session *s, const request *q, reply *r)
{
    const bool good = get_text(object_of(s, q->id), q->name, r->text, sizeof r->text);
    r->problem = good ? PITH_I_HDF5_FINE : PITH_I_HDF5_ABSENT;
}

void attribute_integers(session *s, const request *q, reply *r)
{
    attribute a;
    const int64_t most = sizeof r->number / sizeof r->number[0];
    const bool good = open_attribute(object_of(s, q->id), q->name, &a) &&
                      H5Tget_class(a.type) == H5T_INTEGER && a.count == q->count && a.count <= most &&
                      H5Aread(a.id, H5T_NATIVE_INT64, r->number) >= 0;
    close_attribute(&a);
    r->problem = good ? PITH_I_HDF5_FINE : PITH_I_HDF5_ABSENT;
}

bool is_empty_array(hid_t id)
{
    attribute a;
    int64_t empty = 0;
    const bool marked = open_attribute(id, "MATLAB_empty", &a) && H5Tget_class(a.type) == H5T_INTEGER &&
                        a.count == 1 && H5Aread(a.id, H5T_NATIVE_INT64, &empty) >= 0 && empty != 0;
    close_attribute(&a);
    return marked;
}

void follow_attribute(session *s, const request *q, reply *r)
{
    attribute a;
    hobj_ref_t ref = 0;
    const bool good = open_attribute(object_of(s, q->id), q->name, &a) && a.count == 1 &&
                      H5Tequal(a.type, H5T_STD_REF_OBJ) > 0 && H5Aread(a.id, H5T_STD_REF_OBJ, &ref) >= 0;
    close_attribute(&a);
    if (good)
        take(H5Rdereference2(s->file, H5P_DEFAULT, H5R_OBJECT, &ref), r);
    else
        r->problem = PITH_I_HDF5_ABSENT;
}

/* ---- Datasets ------------------------------------------------------------------------------------ */

static void describe_type(hid_t type, reply *r)
{
    const size_t size = H5Tget_size(type);
    const H5T_class_t klass = H5Tget_class(type);
    r->bytes = (int64_t)size;
    r->is_text = klass == H5T_STRING;
    r->is_reference = klass == H5T_REFERENCE && H5Tequal(type, H5T_STD_REF_OBJ) > 0;
    r->is_compound = klass == H5T_COMPOUND;
    r->element_size = size <= 8 ? (int32_t)size : 8;
    if (klass == H5T_INTEGER && size <= 8)
        r->element = H5Tget_sign(type) == H5T_SGN_2 ? 'i' : 'u';
    else if (klass == H5T_FLOAT)
        r->element = 'f';
    else if (klass == H5T_ENUM && size == 1) /* booleans, as h5py writes them */
        r->element = 'b';
}

static void describe_space(hid_t space, reply *r)
{
    hsize_t dims[PITH_I_HDF5_RANK];
    r->rank =
        H5Sget_simple_extent_type(space) != H5S_NULL ? H5Sget_simple_extent_dims(space, dims, NULL) : -1;
    for (int k = 0; k < r->rank; k++) {
        if (dims[k] > INT64_MAX)
            r->problem = PITH_I_HDF5_IMPOSSIBLE;
        r->dims[k] = (int64_t)dims[k];
    }
    if (r->rank < 0)
        r->problem = PITH_I_HDF5_EMPTY;
}

void describe_dataset(hid_t id, reply *r)
{
    hsize_t chunk[PITH_I_HDF5_RANK];
    const hid_t type = H5Dget_type(id), space = H5Dget_space(id), layout = H5Dget_create_plist(id);
    if (type < 0 || space < 0 || layout < 0) {
        r->problem = type < 0 ? PITH_I_HDF5_NO_ARRAY : failure();
    } else {
        describe_type(type, r);
        describe_space(space, r);
        if (H5Pget_layout(layout) == H5D_CHUNKED && H5Pget_chunk(layout, PITH_I_HDF5_RANK, chunk) > 0)
            r->chunk = (int64_t)chunk[0];
        r->is_categorical = H5Aexists(id, "categories") > 0;
    }
    if (layout >= 0)
        (void)H5Pclose(layout);
    if (space >= 0)
        (void)H5Sclose(space);
    if (type >= 0)
        (void)H5Tclose(type);
}

/* Names a filter that is not available: libhdf5 would only say that it cannot read. */
static void check_filters(hid_t layout, reply *r)
{
    for (int k = 0; k < H5Pget_nfilters(layout); k++) {
        char name[32] = "";
        size_t none = 0;
        unsigned flags = 0;
        const H5Z_filter_t id =
            H5Pget_filter2(layout, (unsigned)k, &flags, &none, NULL, sizeof name, name, NULL);
        if (id < 0 || H5Zfilter_avail(id) <= 0) {
            r->problem = PITH_I_HDF5_FILTER;
            r->number[0] = id;
            (void)snprintf(r->text, sizeof r->text, "%.31s", name);
        }
    }
}

/* Bytes of one unpacked chunk; of one element for other layouts. Negative: overflow. */
static int64_t chunk_bytes(hid_t layout, int64_t size)
{
    hsize_t dims[PITH_I_HDF5_RANK];
    int64_t bytes = size;
    const int rank = H5Pget_layout(layout) == H5D_CHUNKED ? H5Pget_chunk(layout, PITH_I_HDF5_RANK, dims) : 0;
    for (int k = 0; k < rank && k < PITH_I_HDF5_RANK; k++)
        if (dims[k] > INT64_MAX || __builtin_mul_overflow(bytes, (int64_t)dims[k], &bytes))
            return -1;
    return bytes;
}

/* Do all filters unpack at most PITH_I_HDF5_DEFLATE bytes from one? The others: zstd reaches 32,768, also
 * inside bitshuffle and Blosc; scale-offset, Blosc2 and bzip2 can store a constant chunk of any size in a few
 * bytes. */
static bool within_deflate(hid_t layout)
{
    static const H5Z_filter_t modest[] = {H5Z_FILTER_DEFLATE, H5Z_FILTER_SHUFFLE, H5Z_FILTER_FLETCHER32,
                                          H5Z_FILTER_NBIT,    FILTER_LZF,         FILTER_LZ4};
    bool all = true;
    for (int k = 0; k < H5Pget_nfilters(layout) && all; k++) {
        size_t none = 0;
        unsigned flags = 0;
        const H5Z_filter_t id = H5Pget_filter2(layout, (unsigned)k, &flags, &none, NULL, 0, NULL, NULL);
        all = false;
        for (size_t m = 0; m < sizeof modest / sizeof modest[0]; m++)
            all = all || id == modest[m];
    }
    return all;
}

static int64_t times(int64_t a, int64_t b)
{
    int64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

/* What the chunks in the file hold once unpacked: each of them as much as a chunk has. */
static int64_t bytes_in_chunks(hid_t id, int64_t chunk)
{
    hsize_t count = 0;
    const hid_t space = H5Dget_space(id);
    if (space < 0 || H5Dget_num_chunks(id, space, &count) < 0 || count > INT64_MAX)
        count = 0;
    if (space >= 0)
        (void)H5Sclose(space);
    return times((int64_t)count, chunk);
}

/*
 * The most bytes that a dataset can unpack to from `stored` bytes: as many as are stored, times the largest
 * ratio of deflate if it has filters. Filters with larger ratios can fill the chunks that are in the file, up
 * to PITH_I_HDF5_UNPACKED bytes from each byte of the file.
 */
static int64_t most_unpacked(const session *s, hid_t id, hid_t layout, int64_t stored, int64_t claim,
                             int64_t chunk)
{
    const int64_t modest = H5Pget_nfilters(layout) > 0 ? times(stored, PITH_I_HDF5_DEFLATE) : stored;
    if ((claim <= modest && chunk <= modest) || within_deflate(layout))
        return modest; /* without counting chunks */
    const int64_t most = times(s->file_bytes, PITH_I_HDF5_UNPACKED), filled = bytes_in_chunks(id, chunk);
    const int64_t less = filled < most ? filled : most;
    return less > modest ? less : modest;
}

/* Compares what a dataset claims with what it stores. A dataset that was never written has no storage and can
 * claim any size. */
static void check_layout(const session *s, hid_t id, hid_t layout, const reply *d, reply *r)
{
    const H5D_layout_t kind = H5Pget_layout(layout);
    int64_t stored = (int64_t)H5Dget_storage_size(id), claim = d->bytes, most = 0;
    const int64_t chunk = chunk_bytes(layout, d->bytes);
    bool possible = chunk >= 0;
    for (int k = 0; k < d->rank; k++)
        possible = possible && !__builtin_mul_overflow(claim, d->dims[k], &claim);
    stored = stored < 0 || stored > s->file_bytes ? s->file_bytes : stored;
    if (possible)
        most = most_unpacked(s, id, layout, stored, claim, chunk);
    if ((kind != H5D_COMPACT && kind != H5D_CONTIGUOUS && kind != H5D_CHUNKED) ||
        H5Pget_external_count(layout) > 0)
        r->problem = PITH_I_HDF5_ELSEWHERE;
    else if (!possible)
        r->problem = PITH_I_HDF5_IMPOSSIBLE;
    else if (claim > most || (claim > 0 && chunk > most))
        r->problem = PITH_I_HDF5_UNFILLED;
    else
        check_filters(layout, r);
    if (r->problem == PITH_I_HDF5_UNFILLED) {
        r->number[0] = claim;
        r->number[1] = stored;
    }
}

void check_storage(const session *s, hid_t id, reply *r)
{
    reply d = {0};
    const hid_t layout = H5Iget_type(id) == H5I_DATASET ? H5Dget_create_plist(id) : -1;
    if (layout >= 0)
        describe_dataset(id, &d);
    r->problem = layout < 0 ? PITH_I_HDF5_NO_ARRAY : d.problem;
    if (r->problem == PITH_I_HDF5_FINE)
        check_layout(s, id, layout, &d, r);
    if (layout >= 0)
        (void)H5Pclose(layout);
}

void check_dataset(session *s, const request *q, reply *r)
{
    check_storage(s, object_of(s, q->id), r);
}
