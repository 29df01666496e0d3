/* Reads values of datasets into the memory shared with libpith: numbers, texts, MATLAB's cells of texts. */
#include "objects.h"

#include <stdlib.h>
#include <string.h>

hid_t memory_type(int32_t type, int64_t *size)
{
    *size = type == PITH_I_HDF5_F64 || type == PITH_I_HDF5_I64 ? 8 : 4;
    switch (type) {
    case PITH_I_HDF5_F32: return H5T_NATIVE_FLOAT;
    case PITH_I_HDF5_I32: return H5T_NATIVE_INT32;
    case PITH_I_HDF5_I64: return H5T_NATIVE_INT64;
    case PITH_I_HDF5_U32: return H5T_NATIVE_UINT32;
    default: return H5T_NATIVE_DOUBLE;
    }
}

bool read_range(hid_t id, int64_t first, int64_t count, hid_t type, int64_t size, char *out, int64_t room)
{
    hsize_t dims[PITH_I_HDF5_RANK] = {1}, start[PITH_I_HDF5_RANK] = {(hsize_t)first};
    const hid_t from = H5Dget_space(id);
    const int rank = from >= 0 ? H5Sget_simple_extent_dims(from, dims, NULL) : -1;
    hid_t to = -1;
    double need = (double)size;
    bool good = rank >= 0 && first >= 0 && count >= 0;
    dims[0] = (hsize_t)count;
    for (int k = 0; k < rank || k == 0; k++)
        need *= (double)dims[k];
    good = good && need <= (double)room;
    if (good && rank == 0) {
        good = count == 0 || H5Dread(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) >= 0;
    } else if (good && need > 0) {
        to = H5Screate_simple(rank, dims, NULL);
        good = to >= 0 && H5Sselect_hyperslab(from, H5S_SELECT_SET, start, NULL, dims, NULL) >= 0 &&
               H5Dread(id, type, to, from, H5P_DEFAULT, out) >= 0;
    }
    if (to >= 0)
        (void)H5Sclose(to);
    if (from >= 0)
        (void)H5Sclose(from);
    return good;
}

void read_lines(session *s, const request *q, reply *r)
{
    int64_t size = 0;
    const hid_t id = object_of(s, q->id), type = memory_type(q->type, &size);
    if (!read_range(id, q->first, q->count, type, size, s->window + q->from, q->to - q->from))
        r->problem = failure();
    r->count = q->count;
}

/* ---- Texts --------------------------------------------------------------------------------------- */

/* Items, each a length and its bytes, packed one after the other. */
typedef struct packer {
    char *next, *end;
} packer;

static bool put(packer *to, const void *from, uint32_t length, size_t bytes)
{
    if ((size_t)(to->end - to->next) < sizeof length + bytes)
        return false;
    memcpy(to->next, &length, sizeof length);
    memcpy(to->next + sizeof length, from, bytes);
    to->next += sizeof length + bytes;
    return true;
}

/* The type to read texts with: the string itself, or a compound of the one member. */
static hid_t text_type(hid_t id, const char *member, bool *variable, size_t *size)
{
    const hid_t whole = H5Dget_type(id);
    hid_t text = whole, out = -1;
    if (member[0] != '\0') {
        const int at =
            whole >= 0 && H5Tget_class(whole) == H5T_COMPOUND ? H5Tget_member_index(whole, member) : -1;
        text = at >= 0 ? H5Tget_member_type(whole, (unsigned)at) : -1;
    }
    if (text >= 0 && H5Tget_class(text) == H5T_STRING) {
        *variable = H5Tis_variable_str(text) > 0;
        *size = *variable ? sizeof(char *) : H5Tget_size(text);
        out = member[0] == '\0' ? H5Tcopy(text) : H5Tcreate(H5T_COMPOUND, *size);
        if (member[0] != '\0' && out >= 0)
            (void)H5Tinsert(out, member, 0, text);
    }
    if (member[0] != '\0' && text >= 0)
        (void)H5Tclose(text);
    if (whole >= 0)
        (void)H5Tclose(whole);
    return out;
}

/* Returns how many of the block's texts fit. */
static int64_t put_texts(packer *to, const char *block, int64_t many, size_t size, bool variable)
{
    for (int64_t k = 0; k < many; k++) {
        const char *at = block + (size_t)k * size;
        if (variable)
            memcpy(&at, block + (size_t)k * size, sizeof at);
        at = at != NULL ? at : "";
        const size_t length = variable ? strlen(at) : strnlen(at, size);
        if (length > UINT32_MAX || !put(to, at, (uint32_t)length, length))
            return k;
    }
    return many;
}

void read_texts(session *s, const request *q, reply *r)
{
    enum { STEP = 1024 };
    bool variable = false, room = true;
    size_t size = 0;
    packer to = {s->window + q->from, s->window + q->to};
    const hid_t id = object_of(s, q->id), type = text_type(id, q->name, &variable, &size);
    char *block = type >= 0 ? calloc(STEP, size) : NULL;
    if (type < 0)
        r->problem = PITH_I_HDF5_NO_TEXTS;
    else if (block == NULL)
        r->problem = PITH_I_HDF5_NO_MEMORY;
    while (r->problem == PITH_I_HDF5_FINE && r->count < q->count && room) {
        const int64_t many = q->count - r->count < STEP ? q->count - r->count : STEP;
        const hsize_t length = (hsize_t)many;
        if (!read_range(id, q->first + r->count, many, type, (int64_t)size, block, STEP * (int64_t)size)) {
            r->problem = failure();
            break;
        }
        const int64_t done = put_texts(&to, block, many, size, variable);
        r->count += done;
        room = done == many;
        const hid_t space = variable ? H5Screate_simple(1, &length, NULL) : -1;
        if (space >= 0) {
            (void)H5Dvlen_reclaim(type, space, H5P_DEFAULT, block);
            (void)H5Sclose(space);
        }
    }
    free(block);
    if (type >= 0)
        (void)H5Tclose(type);
}

/* ---- Cells --------------------------------------------------------------------------------------- */

/* The characters that one reference points to, in 32 bits each. False: they do not fit, or a problem. */
static bool put_cell(const session *s, hobj_ref_t ref, packer *to, reply *r)
{
    reply d = {0};
    uint32_t units = 0;
    bool good = false;
    const hid_t id = H5Rdereference2(s->file, H5P_DEFAULT, H5R_OBJECT, &ref);
    if (id < 0 || H5Iget_type(id) != H5I_DATASET) {
        r->problem = PITH_I_HDF5_NO_ARRAY;
    } else if (is_empty_array(id)) {
        good = put(to, &units, 0, 0);
    } else {
        check_storage(s, id, r);
        describe_dataset(id, &d);
        int64_t count = 1;
        for (int k = 0; k < d.rank && k < 2; k++)
            count = __builtin_mul_overflow(count, d.dims[k], &count) ? INT64_MAX : count;
        const int64_t room = to->end - to->next - (int64_t)sizeof units;
        if (r->problem == PITH_I_HDF5_FINE && (d.element != 'u' || d.rank < 1 || d.rank > 2))
            r->problem = PITH_I_HDF5_NO_TEXTS;
        if (r->problem == PITH_I_HDF5_FINE && count <= room / 4) {
            good = read_range(id, 0, d.dims[0], H5T_NATIVE_UINT32, 4, to->next + sizeof units, room);
            r->problem = good ? PITH_I_HDF5_FINE : failure();
            units = (uint32_t)count;
        }
        if (good) {
            memcpy(to->next, &units, sizeof units);
            to->next += sizeof units + 4 * (size_t)units;
        }
    }
    if (id >= 0)
        (void)H5Oclose(id);
    return good;
}

void read_cells(session *s, const request *q, reply *r)
{
    reply d = {0};
    const hid_t id = object_of(s, q->id);
    int64_t total = 1;
    check_storage(s, id, r); /* bounds the whole list by what the file can hold */
    if (r->problem != PITH_I_HDF5_FINE)
        return;
    describe_dataset(id, &d);
    for (int k = 0; k < d.rank; k++)
        total *= d.dims[k];
    hobj_ref_t *refs = d.is_reference ? calloc((size_t)total + 1, sizeof *refs) : NULL;
    if (refs == NULL)
        r->problem = d.is_reference ? PITH_I_HDF5_NO_MEMORY : PITH_I_HDF5_NO_TEXTS;
    else if (total > 0 && H5Dread(id, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, refs) < 0)
        r->problem = failure();
    packer to = {s->window + q->from, s->window + q->to};
    while (r->problem == PITH_I_HDF5_FINE && r->count < q->count && q->first + r->count < total &&
           put_cell(s, refs[q->first + r->count], &to, r))
        r->count++;
    free(refs);
}
