#include "io/hdf5_check.h"

#include "io/inflate.h"

#include <string.h>

typedef unsigned char byte;

enum {
    MOST_RANK = 32,
    MOST_DEPTH = 16,    /* of types within types */
    MOST_VARIABLE = 32, /* parts of variable length in one element */
    DEFLATE_RATIO = 1032,
    OTHERS_FILTERS = 256, /* numbers from here on are not HDF5's own */
};
enum {
    SPACE = 1,

    TYPE = 3,
    OLD_FILL = 4,
    FILL = 5,
    LINK = 6,
    EXTERNAL = 7,
    LAYOUT = 8,
    FILTERS = 11,
    ATTRIBUTE = 12,
    CONTINUED = 16,
    SYMBOLS = 17
};
static const uint64_t UNDEFINED = UINT64_MAX;

typedef struct walk {
    pith_ctx *ctx;
    const byte *at; /* address 0 of the file: behind a user's heading */
    uint64_t size;
    unsigned leaf_k, node_k, chunk_k;
    pith_i_addresses *objects;
    uint64_t *waiting; /* objects found but not looked at, owned */
    int64_t waits, room;
    uint64_t heap; /* the collection that was looked at last */
    bool heap_good;
    uint64_t budget;     /* steps left: honest files share no parts, so they need few for their size */
    pith_status trouble; /* out of memory */
} walk;

/* One that a datatype message describes: its size, and where in it texts of variable length are. */
typedef struct type {
    uint64_t size;
    int variables;
    struct {
        uint64_t at, unit;
    } variable[MOST_VARIABLE];
} type;

typedef struct object {
    bool has_type, has_space, has_layout;
    type type;
    uint64_t count; /* elements */
    int rank, chunk_rank;
    int layout; /* 0 compact, 1 contiguous, 2 chunked */
    uint64_t address, bytes;
    const byte *compact;
    uint64_t chunk, chunk_element; /* bytes of one, unpacked, and of an element in it */
    int filters, filter[8];
} object;

/* ---- Bytes --------------------------------------------------------------------------------------- */

static unsigned u16(const byte *p)
{
    return p[0] | (unsigned)p[1] << 8;
}

static uint32_t u32(const byte *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint64_t u64(const byte *p)
{
    return u32(p) | (uint64_t)u32(p + 4) << 32;
}

/* The bytes at an address; NULL: not all of them are in the file. */
static const byte *span(const walk *w, uint64_t address, uint64_t bytes)
{
    return address > w->size || bytes > w->size - address ? NULL : w->at + address;
}

/* The same of a part of the structure, which is paid for. */
static const byte *part_at(walk *w, uint64_t address, uint64_t bytes)
{
    const byte *p = span(w, address, bytes);
    if (p == NULL || bytes > w->budget)
        return NULL;
    w->budget -= bytes;
    return p;
}

static uint64_t left(const byte *p, const byte *end)
{
    return p <= end ? (uint64_t)(end - p) : 0;
}

static uint64_t padded(uint64_t bytes)
{
    return (bytes + 7) / 8 * 8;
}

/* ---- Objects seen -------------------------------------------------------------------------------- */

static int64_t slot_of(const pith_i_addresses *set, uint64_t address)
{
    int64_t k = (int64_t)(address * 0x9E3779B97F4A7C15u >> 16) & (set->room - 1);
    while (set->slot[k] != 0 && set->slot[k] != address + 1)
        k = (k + 1) & (set->room - 1);
    return k;
}

bool pith_i_addresses_has(const pith_i_addresses *set, uint64_t address)
{
    return set->room > 0 && set->slot[slot_of(set, address)] != 0;
}

static bool grow(walk *w)
{
    pith_i_addresses larger = {.room = 2 * w->objects->room, .used = w->objects->used};
    larger.slot = pith_i_scratch_zero(w->ctx, larger.room, sizeof *larger.slot);
    if (larger.slot == NULL)
        return false;
    for (int64_t k = 0; k < w->objects->room; k++)
        if (w->objects->slot[k] != 0)
            larger.slot[slot_of(&larger, w->objects->slot[k] - 1)] = w->objects->slot[k];
    *w->objects = larger;
    return true;
}

/* An object to be looked at, unless it was. False: out of memory. */
static bool enqueue(walk *w, uint64_t address)
{
    if (pith_i_addresses_has(w->objects, address))
        return true;
    if (2 * w->objects->used >= w->objects->room && !grow(w))
        goto failed;
    if (w->waits == w->room) {
        uint64_t *more = pith_i_realloc(w->ctx, w->waiting, 2 * w->room, sizeof *more);
        if (more == NULL)
            goto failed;
        w->waiting = more;
        w->room *= 2;
    }
    w->objects->slot[slot_of(w->objects, address)] = address + 1;
    w->objects->used++;
    w->waiting[w->waits++] = address;
    return true;
failed:
    w->trouble = PITH_E_NOMEM;
    return false;
}

/* ---- Types and spaces ---------------------------------------------------------------------------- */

static const byte *check_type(const byte *p, const byte *end, int depth, type *out);

/* A name that ends within what is left; padded to 8 bytes in the older versions. */
static const byte *skip_name(const byte *p, const byte *end, bool pad)
{
    const byte *nul = p < end ? memchr(p, '\0', left(p, end)) : NULL;
    if (nul == NULL)
        return NULL;
    const uint64_t length = (uint64_t)(nul - p) + 1, whole = pad ? padded(length) : length;
    return whole <= left(p, end) ? p + whole : NULL;
}

static bool add_variable(type *t, uint64_t at, uint64_t unit)
{
    if (t->variables == MOST_VARIABLE)
        return false;
    t->variable[t->variables].at = at;
    t->variable[t->variables++].unit = unit;
    return true;
}

static const byte *check_compound(const byte *p, const byte *end, int version, unsigned members, int depth,
                                  type *out)
{
    const uint64_t offset_bytes = version < 3            ? 4
                                  : out->size < 1u << 8  ? 1
                                  : out->size < 1u << 16 ? 2
                                  : out->size < 1u << 24 ? 3
                                                         : 4;
    for (unsigned m = 0; m < members; m++) {
        const uint64_t skipped = version == 1 ? 28 : 0; /* dimensions of old */
        uint64_t offset = 0;
        type member;
        p = skip_name(p, end, version < 3);
        if (p == NULL || left(p, end) < offset_bytes + skipped || (version == 1 && p[offset_bytes] != 0))
            return NULL;
        for (uint64_t k = 0; k < offset_bytes; k++)
            offset |= (uint64_t)p[k] << 8 * k;
        p = check_type(p + offset_bytes + skipped, end, depth + 1, &member);
        if (p == NULL || offset > out->size || member.size > out->size - offset)
            return NULL;
        for (int v = 0; v < member.variables; v++)
            if (!add_variable(out, offset + member.variable[v].at, member.variable[v].unit))
                return NULL;
    }
    return p;
}

static const byte *check_enum(const byte *p, const byte *end, int version, unsigned members, int depth,
                              type *out)
{
    type base;
    p = check_type(p, end, depth + 1, &base);
    if (p == NULL || base.variables > 0 || base.size != out->size)
        return NULL;
    for (unsigned m = 0; p != NULL && m < members; m++)
        p = skip_name(p, end, version < 3);
    return p != NULL && left(p, end) / base.size >= members ? p + members * base.size : NULL;
}

static const byte *check_sequence(const byte *p, const byte *end, int depth, type *out)
{
    type base;
    p = check_type(p, end, depth + 1, &base);
    if (p == NULL || base.variables > 0 || out->size != 16)
        return NULL;
    return add_variable(out, 0, base.size) ? p : NULL;
}

static const byte *check_array(const byte *p, const byte *end, int version, int depth, type *out)
{
    const unsigned rank = left(p, end) > 0 ? *p : 0;
    const uint64_t head = version < 3 ? 4 : 1, each = version < 3 ? 8 : 4;
    uint64_t count = 1;
    type base;
    if (version < 2 || rank < 1 || rank > MOST_RANK || left(p, end) < head + each * rank)
        return NULL;
    for (unsigned k = 0; k < rank; k++)
        if (__builtin_mul_overflow(count, u32(p + head + 4 * k), &count))
            return NULL;
    p = check_type(p + head + each * rank, end, depth + 1, &base);
    if (p == NULL || base.variables > 0 || __builtin_mul_overflow(count, base.size, &count) ||
        count != out->size)
        return NULL;
    return p;
}

/* The bits of a number lie within its bytes: all of them, and the parts of floating point. */
static bool check_bits(int klass, const byte *at)
{
    const uint64_t bits = 8 * (uint64_t)u32(at + 4);
    if (klass != 0 && klass != 1 && klass != 4)
        return true;
    if (u16(at + 10) == 0 || (uint64_t)u16(at + 8) + u16(at + 10) > bits)
        return false;
    return klass != 1 || (at[12] + at[13] <= (int)bits && at[14] + at[15] <= (int)bits && at[2] < bits);
}

/* The type at p; gives what lies behind it, or NULL if it makes no sense. */
static const byte *check_type(const byte *p, const byte *end, int depth, type *out)
{
    static const int fixed[] = {4,  12, 2,  0,  4, -1,
                                -1, 0,  -1, -1, -1}; /* bytes that a class takes; -1: it varies */
    if (depth > MOST_DEPTH || left(p, end) < 8)
        return NULL;
    const int klass = p[0] & 15, version = p[0] >> 4;
    const unsigned bits = u16(p + 1);
    *out = (type){.size = u32(p + 4)};
    if (klass >= (int)COUNT(fixed) || version < 1 || version > 3 || out->size == 0 || out->size > INT32_MAX)
        return NULL;
    p += 8;
    if (fixed[klass] >= 0)
        return left(p, end) >= (uint64_t)fixed[klass] && check_bits(klass, p - 8) ? p + fixed[klass] : NULL;
    switch (klass) {
    case 5: return left(p, end) >= padded(bits & 255) ? p + padded(bits & 255) : NULL;
    case 6: return bits > 0 ? check_compound(p, end, version, bits, depth, out) : NULL;
    case 8: return bits > 0 ? check_enum(p, end, version, bits, depth, out) : NULL;
    case 9: return check_sequence(p, end, depth, out);
    default: return check_array(p, end, version, depth, out);
    }
}

/* Dimensions; the number of elements to *count. */
static bool check_space(const byte *p, const byte *end, int *rank, uint64_t *count)
{
    if (left(p, end) < 4 || p[0] < 1 || p[0] > 2 || p[1] > MOST_RANK)
        return false;
    const uint64_t head = p[0] == 1 ? 8 : 4;
    const unsigned lists = (p[2] & 1u) + 1u;
    *rank = p[1];
    *count = p[0] == 2 && p[3] == 2 ? 0 : 1; /* a null space holds nothing */
    if ((p[2] & ~1u) != 0 || left(p, end) < head + 8u * p[1] * lists)
        return false;
    for (int k = 0; k < *rank; k++)
        if (__builtin_mul_overflow(*count, u64(p + head + 8 * (uint64_t)k), count))
            *count = UINT64_MAX / 4096; /* more than any file holds: seen when it is read */
    return true;
}

/* ---- Texts of variable length -------------------------------------------------------------------- */

/* Every object of a collection, to its end: libhdf5 goes through all of them. */
static bool check_collection(walk *w, uint64_t address)
{
    const byte *p = span(w, address, 16);
    if (p == NULL || memcmp(p, "GCOL\1", 5) != 0)
        return false;
    const uint64_t size = u64(p + 8);
    if (size < 4096 || part_at(w, address, size) == NULL)
        return false;
    for (uint64_t at = 16; size - at >= 16;) {
        const uint64_t bytes = u64(p + at + 8);
        if (bytes > size)
            return false;
        const uint64_t step = u16(p + at) == 0 ? bytes : 16 + padded(bytes); /* number 0: the space left */
        if (step < 16 || step > size - at)
            return false;
        at += step;
    }
    return true;
}

/* Bytes of object `number` of a collection that has been checked; UINT64_MAX: it has none. */
static uint64_t heap_object(walk *w, uint64_t address, uint32_t number)
{
    const byte *p = w->at + address;
    const uint64_t size = u64(p + 8);
    for (uint64_t at = 16; size - at >= 16 && w->budget > 0; w->budget--) {
        const uint64_t bytes = u64(p + at + 8);
        if (u16(p + at) == number && number != 0)
            return bytes;
        at += u16(p + at) == 0 ? bytes : 16 + padded(bytes);
    }
    return UINT64_MAX;
}

/* libhdf5 makes room for the length that the element tells, then copies all that the heap has. */
static bool check_element(walk *w, const type *t, const byte *element)
{
    for (int v = 0; v < t->variables; v++) {
        const byte *p = element + t->variable[v].at;
        const uint64_t length = u32(p) * t->variable[v].unit, address = u64(p + 4);
        if (address == 0 || length == 0)
            continue;
        if (w->heap != address) {
            w->heap = address;
            w->heap_good = check_collection(w, address);
        }
        if (!w->heap_good || heap_object(w, address, u32(p + 12)) > length)
            return false;
    }
    return true;
}

static bool check_elements(walk *w, const type *t, const byte *p, uint64_t count)
{
    bool good = true;
    for (uint64_t k = 0; t->variables > 0 && good && k < count; k++)
        good = check_element(w, t, p + k * t->size);
    return good;
}

/* ---- Chunks -------------------------------------------------------------------------------------- */

static void unshuffle(const byte *from, uint64_t bytes, uint64_t size, byte *to)
{
    const uint64_t count = bytes / size;
    for (uint64_t k = 0; k < count; k++)
        for (uint64_t b = 0; b < size; b++)
            to[k * size + b] = from[b * count + k];
}

/* Packed by deflate, after a shuffle perhaps, as h5py and MATLAB do. */
static bool is_deflated(const object *o)
{
    return (o->filters == 1 && o->filter[0] == 1) ||
           (o->filters == 2 && o->filter[0] == 2 && o->filter[1] == 1);
}

static bool check_packed(walk *w, const object *o, const byte *packed, uint64_t bytes)
{
    const size_t mark = pith_i_scratch_mark(w->ctx);
    pith_i_inflate *stream = NULL;
    pith_status st = PITH_OK;
    byte *plain = NULL, *turned = NULL;
    bool good = false;
    if (o->chunk / DEFLATE_RATIO > bytes)
        return false;
    TRY(SCRATCH(w->ctx, plain, (int64_t)o->chunk));
    TRY(SCRATCH(w->ctx, turned, (int64_t)o->chunk));
    TRY(pith_i_inflate_open(w->ctx, "", packed, (int64_t)bytes, &stream));
    TRY(pith_i_inflate_read(stream, plain, (int64_t)o->chunk));
    if (o->filters == 2)
        unshuffle(plain, o->chunk, o->type.size, turned);
    good = check_elements(w, &o->type, o->filters == 2 ? turned : plain, o->chunk / o->type.size);
done:
    pith_i_inflate_close(stream);
    pith_i_scratch_release(w->ctx, mark);
    if (st == PITH_E_NOMEM)
        w->trouble = st;
    return good;
}

static bool check_chunk(walk *w, const object *o, uint64_t address, uint64_t bytes)
{
    const byte *p = part_at(w, address, bytes);
    if (p == NULL || (o->filters == 0 && bytes != o->chunk))
        return false;
    if (o->type.variables == 0 || (o->filters > 0 && o->filter[o->filters - 1] >= OTHERS_FILTERS))
        return true; /* packed by what libhdf5 lacks as well, so it will not look either */
    if (o->filters > 0 && !is_deflated(o))
        return false;
    return o->filters == 0 ? check_elements(w, &o->type, p, o->chunk / o->type.size)
                           : check_packed(w, o, p, bytes);
}

/* A tree of chunks. Levels fall by one from a node to those below it, so no walk is endless. */
static bool check_chunks(walk *w, const object *o, uint64_t address, int level)
{
    const uint64_t key = 8 + 8 * ((uint64_t)o->chunk_rank + 1), node = 24 + 2 * w->chunk_k * (key + 8) + key;
    const byte *p = part_at(w, address, node);
    if (p == NULL || memcmp(p, "TREE\1", 5) != 0 || (level >= 0 && p[5] != level) || p[5] > MOST_DEPTH ||
        u16(p + 6) > 2 * w->chunk_k)
        return false;
    for (unsigned k = 0; k < u16(p + 6); k++) {
        const byte *entry = p + 24 + k * (key + 8);
        const uint64_t below = u64(entry + key);
        if (w->trouble != PITH_OK)
            return false;
        if (p[5] > 0 ? !check_chunks(w, o, below, p[5] - 1) : !check_chunk(w, o, below, u32(entry)))
            return false;
    }
    return true;
}

/* What a dataset stores, once all of its messages are known. */
static bool check_storage(walk *w, const object *o)
{
    uint64_t bytes = 0;
    if (!o->has_layout)
        return true;
    if (!o->has_type || !o->has_space)
        return false;
    if (o->layout == 2)
        return o->chunk % o->type.size == 0 &&
               (o->address == UNDEFINED || check_chunks(w, o, o->address, -1));
    if (o->address == UNDEFINED && o->layout == 1)
        return true;
    const byte *p = o->layout == 0 ? o->compact : span(w, o->address, o->bytes);
    if (p == NULL || __builtin_mul_overflow(o->count, o->type.size, &bytes))
        return false;
    return bytes > o->bytes ? o->type.variables == 0 : check_elements(w, &o->type, p, o->count);
}

/* ---- Groups -------------------------------------------------------------------------------------- */

typedef struct heap_names {
    const byte *at;
    uint64_t size;
} heap_names;

static bool check_heap(walk *w, uint64_t address, heap_names *out)
{
    const byte *p = span(w, address, 32);
    if (p == NULL || memcmp(p, "HEAP\0", 5) != 0)
        return false;
    out->size = u64(p + 8);
    out->at = part_at(w, u64(p + 24), out->size);
    if (out->at == NULL)
        return false;
    uint64_t free_at = u64(p + 16), steps = 0;
    for (; free_at != 1; steps++) { /* 1: the end of the list of free parts */
        if (free_at > out->size || out->size - free_at < 16 || steps > out->size / 16 ||
            u64(out->at + free_at + 8) > out->size - free_at)
            return false;
        free_at = u64(out->at + free_at);
    }
    return true;
}

static bool check_leaf(walk *w, uint64_t address, const heap_names *names)
{
    const byte *p = part_at(w, address, 8 + 80 * (uint64_t)w->leaf_k);
    if (p == NULL || memcmp(p, "SNOD\1", 5) != 0 || u16(p + 6) > 2 * w->leaf_k)
        return false;
    for (unsigned k = 0; k < u16(p + 6); k++) {
        const byte *entry = p + 8 + 40 * k;
        const uint64_t name = u64(entry), header = u64(entry + 8);
        const uint32_t cache = u32(entry + 16);
        if (name >= names->size || memchr(names->at + name, '\0', names->size - name) == NULL)
            return false;
        if (cache == 2) { /* a soft link: the header is not used */
            const uint32_t value = u32(entry + 24);
            if (value >= names->size || memchr(names->at + value, '\0', names->size - value) == NULL)
                return false;
        } else if (cache > 2 || !enqueue(w, header)) {
            return false;
        }
    }
    return true;
}

static bool check_tree(walk *w, uint64_t address, int level, const heap_names *names)
{
    const byte *p = part_at(w, address, 24 + 32 * (uint64_t)w->node_k + 8);
    if (p == NULL || memcmp(p, "TREE\0", 5) != 0 || (level >= 0 && p[5] != level) || p[5] > MOST_DEPTH ||
        u16(p + 6) > 2 * w->node_k)
        return false;
    for (unsigned k = 0; k <= u16(p + 6); k++) {
        const byte *entry = p + 24 + 16 * k; /* a name, then what lies between it and the next */
        if (u64(entry) >= names->size ||
            memchr(names->at + u64(entry), '\0', names->size - u64(entry)) == NULL)
            return false;
        if (k == u16(p + 6))
            break;
        if (p[5] > 0 ? !check_tree(w, u64(entry + 8), p[5] - 1, names)
                     : !check_leaf(w, u64(entry + 8), names))
            return false;
    }
    return true;
}

static bool check_symbols(walk *w, uint64_t btree, uint64_t heap)
{
    heap_names names;
    return check_heap(w, heap, &names) && check_tree(w, btree, -1, &names);
}

/* A link of the newer kind of group. */
static bool check_link(walk *w, const byte *p, const byte *end)
{
    if (left(p, end) < 3 || p[0] != 1)
        return false;
    const unsigned flags = p[1], kind = (flags & 8) != 0 ? p[2] : 0;
    const uint64_t head = 2 + ((flags & 8) != 0) + ((flags & 4) != 0 ? 8 : 0) + ((flags & 16) != 0);
    const uint64_t width = 1u << (flags & 3);
    uint64_t length = 0;
    if (left(p, end) < head + width)
        return false;
    for (uint64_t k = 0; k < width; k++)
        length |= (uint64_t)p[head + k] << 8 * k;
    p += head + width;
    if (length == 0 || length > left(p, end))
        return false;
    p += length;
    if (kind == 0)
        return left(p, end) >= 8 && enqueue(w, u64(p));
    return kind == 1 && left(p, end) >= 2 && u16(p) > 0 &&
           left(p, end) >= 2u + u16(p); /* soft; none to other files */
}

/* ---- Messages ------------------------------------------------------------------------------------ */

static bool check_attribute(walk *w, const byte *p, const byte *end)
{
    type t;
    int rank = 0;
    uint64_t count = 0, bytes = 0;
    if (left(p, end) < 8 || p[0] < 1 || p[0] > 3 || (p[0] > 1 && p[1] != 0)) /* no shared types */
        return false;
    const bool pad = p[0] == 1;
    const uint64_t size[3] = {u16(p + 2), u16(p + 4), u16(p + 6)};
    const byte *part = p + (p[0] == 3 ? 9 : 8);
    for (int k = 0; k < 3; k++) {
        const uint64_t whole = pad ? padded(size[k]) : size[k];
        if (left(part, end) < whole)
            return false;
        if ((k == 0 && (size[0] == 0 || memchr(part, '\0', size[0]) == NULL)) ||
            (k == 1 && check_type(part, part + size[1], 0, &t) == NULL) ||
            (k == 2 && !check_space(part, part + size[2], &rank, &count)))
            return false;
        part += whole;
    }
    return !__builtin_mul_overflow(count, t.size, &bytes) && bytes <= left(part, end) &&
           check_elements(w, &t, part, count);
}

static bool check_layout(const byte *p, const byte *end, object *o)
{
    if (o->has_layout || left(p, end) < 4 || p[0] != 3 || p[1] > 2) /* 3 is that of HDF5 1.6 to 1.10 */
        return false;
    o->has_layout = true;
    o->layout = p[1];
    if (p[1] == 0) {
        o->bytes = u16(p + 2);
        o->compact = p + 4;
        return left(p + 4, end) >= o->bytes;
    }
    if (p[1] == 1) {
        o->address = left(p, end) >= 18 ? u64(p + 2) : 0;
        o->bytes = left(p, end) >= 18 ? u64(p + 10) : 0;
        return left(p, end) >= 18;
    }
    const unsigned rank = p[2];
    if (rank < 2 || rank > MOST_RANK + 1 || left(p, end) < 11 + 4 * rank)
        return false;
    o->address = u64(p + 3);
    o->chunk_rank = (int)rank - 1;
    o->chunk_element = u32(p + 7 + 4 * rank);
    o->chunk = 1;
    for (unsigned k = 0; k < rank; k++)
        if (u32(p + 11 + 4 * k) == 0 || __builtin_mul_overflow(o->chunk, u32(p + 11 + 4 * k), &o->chunk))
            return false;
    return o->chunk <= UINT32_MAX;
}

static bool check_filters(const byte *p, const byte *end, object *o)
{
    if (left(p, end) < 2 || p[0] < 1 || p[0] > 2 || p[1] < 1 || p[1] > COUNT(o->filter))
        return false;
    const bool old = p[0] == 1;
    const int count = p[1];
    p += old ? 8 : 2;
    for (int k = 0; k < count; k++) {
        if (left(p, end) < 8)
            return false;
        const unsigned id = u16(p);
        const bool named = old || id >= 256;
        const uint64_t name = named ? u16(p + 2) : 0, values = u16(p + (named ? 6 : 4));
        const uint64_t whole =
            (named ? 8 : 6) + (old ? padded(name) : name) + 4 * values + (old && values % 2 ? 4 : 0);
        if (left(p, end) < whole)
            return false;
        if (id == 5 ||
            id == 6) /* their parameters lead libhdf5 astray, and tables of samples do without them */
            return false;
        o->filter[o->filters++] = (int)id;
        p += whole;
    }
    return true;
}

static bool check_fill(const byte *p, const byte *end)
{
    if (left(p, end) < 2)
        return false;
    if (p[0] == 3) /* flags tell whether there is a value */
        return (p[1] & 0x20) == 0 || (left(p, end) >= 6 && u32(p + 2) <= left(p + 6, end));
    if (p[0] < 1 || p[0] > 2 || left(p, end) < 4)
        return false;
    return (p[0] == 2 && p[3] == 0) ||
           (left(p, end) >= 8 && (int32_t)u32(p + 4) <= (int64_t)left(p + 8, end));
}

static bool check_messages(walk *w, const byte *p, const byte *end, int version, bool ordered, object *o,
                           int *blocks);

/* Messages go on in another block. */
static bool check_continued(walk *w, const byte *p, const byte *end, int version, bool ordered, object *o,
                            int *blocks)
{
    if (left(p, end) < 16 || ++*blocks > 1024)
        return false;
    const uint64_t size = u64(p + 8);
    const byte *block = part_at(w, u64(p), size);
    if (block == NULL || (version == 2 && (size < 8 || memcmp(block, "OCHK", 4) != 0)))
        return false;
    return version == 1 ? check_messages(w, block, block + size, 1, false, o, blocks)
                        : check_messages(w, block + 4, block + size - 4, 2, ordered, o, blocks);
}

static bool check_message(walk *w, unsigned kind, const byte *p, const byte *end, object *o)
{
    switch (kind) {
    case SPACE: {
        const bool once = !o->has_space;
        o->has_space = true;
        return once && check_space(p, end, &o->rank, &o->count);
    }
    case TYPE: {
        const bool once = !o->has_type;
        o->has_type = true;
        return once && check_type(p, end, 0, &o->type) != NULL;
    }
    case OLD_FILL: return left(p, end) >= 4 && u32(p) <= left(p + 4, end);
    case FILL: return check_fill(p, end);
    case LINK: return check_link(w, p, end);
    case EXTERNAL: return false;
    case LAYOUT: return check_layout(p, end, o);
    case FILTERS: return o->filters == 0 && check_filters(p, end, o);
    case ATTRIBUTE: return check_attribute(w, p, end);
    case SYMBOLS: return left(p, end) >= 16 && check_symbols(w, u64(p), u64(p + 8));
    default: return true; /* what we do not know, libhdf5 does not follow */
    }
}

static bool check_messages(walk *w, const byte *p, const byte *end, int version, bool ordered, object *o,
                           int *blocks)
{
    const uint64_t head = version == 1 ? 8 : ordered ? 6 : 4;
    while (left(p, end) >= head) {
        const unsigned kind = version == 1 ? u16(p) : p[0];
        const uint64_t size = version == 1 ? u16(p + 2) : u16(p + 1);
        const unsigned flags = version == 1 ? p[4] : p[3];
        p += head;
        if (size > left(p, end) || w->trouble != PITH_OK)
            return false;
        if ((flags & 2) != 0) /* kept elsewhere for several objects to share: not by whom we read from */
            return false;
        if (kind == CONTINUED ? !check_continued(w, p, p + size, version, ordered, o, blocks)
                              : !check_message(w, kind, p, p + size, o))
            return false;
        p += size;
    }
    return true;
}

static bool check_object(walk *w, uint64_t address)
{
    const byte *p = span(w, address, 16);
    object o = {0};
    int blocks = 0;
    bool good = false;
    if (p == NULL)
        return false;
    if (p[0] == 1) {
        const byte *block = part_at(w, address + 16, u32(p + 8));
        good = block != NULL && check_messages(w, block, block + u32(p + 8), 1, false, &o, &blocks);
    } else if (memcmp(p, "OHDR\2", 5) == 0) {
        const unsigned flags = p[5];
        const uint64_t head = 6 + ((flags & 0x20) != 0 ? 16 : 0) + ((flags & 0x10) != 0 ? 4 : 0);
        const uint64_t width = 1u << (flags & 3);
        uint64_t size = 0;
        p = span(w, address, head + width);
        for (uint64_t k = 0; p != NULL && k < width; k++)
            size |= (uint64_t)p[head + k] << 8 * k;
        p = p != NULL ? part_at(w, address + head + width, size) : NULL;
        good = p != NULL && check_messages(w, p, p + size, 2, (flags & 4) != 0, &o, &blocks);
    }
    return good && check_storage(w, &o);
}

/* ---- The file ------------------------------------------------------------------------------------ */

/* The superblock of versions 0 and 1: sizes, then the root group. */
static bool check_super(walk *w, const byte *p)
{
    const uint64_t more = p[8] == 1 ? 4 : 0, base = (uint64_t)(p - w->at);
    if (w->size - base < 96 + more || p[13] != 8 || p[14] != 8)
        return false;
    const byte *q = p + 24 + more;
    w->leaf_k = u16(p + 16);
    w->node_k = u16(p + 18);
    w->chunk_k = p[8] == 1 ? u16(p + 24) : 32;
    if (w->leaf_k == 0 || w->node_k == 0 || w->chunk_k == 0 || u64(q) != base || u64(q + 24) != UNDEFINED)
        return false; /* a driver of its own would mean several files */
    w->at = p;
    w->size -= base;
    if (u32(q + 48) > 1 || (u32(q + 48) == 1 && !check_symbols(w, u64(q + 56), u64(q + 64))))
        return false;
    return enqueue(w, u64(q + 40));
}

pith_status pith_i_hdf5_check(pith_ctx *ctx, const char *path, const pith_i_bytes *bytes,
                              pith_i_addresses *objects, bool *walked)
{
    static const char signature[] = "\x89HDF\r\n\x1a\n";
    walk w = {.ctx = ctx, .at = (const byte *)bytes->at, .size = (uint64_t)bytes->size, .objects = objects};
    pith_status st = PITH_OK;
    const byte *p = memcmp(bytes->at, signature, 8) == 0 ? w.at : w.at + 512;
    if (bytes->size < 9 + (int64_t)(p - w.at))
        FAIL(ctx, PITH_E_DATA, "%s: is cut off within its heading", path);
    *walked = p[8] < 2;
    if (!*walked)
        return PITH_OK;
    w.budget = 64 * w.size + (1 << 20);
    w.room = 256;
    *objects = (pith_i_addresses){.room = 1024};
    TRY(SCRATCH_ZERO(ctx, objects->slot, objects->room));
    TRY(NEW(ctx, w.waiting, w.room));
    bool good = check_super(&w, p);
    while (good && w.waits > 0) {
        TRY(pith_i_progress(ctx, 0, 1));
        good = check_object(&w, w.waiting[--w.waits]);
    }
    TRY(w.trouble);
    if (!good)
        FAIL(ctx, PITH_E_DATA, "%s: is a damaged HDF5 file, or one with features that pith does not read",
             path);
done:
    pith_i_free(w.waiting);
    return st;
}
