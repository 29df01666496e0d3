/*
 * Copies sparse matrices to the output: CSR stays CSR and CSC stays CSC. Entries pass through memory in
 * blocks, twice: once to count those that are kept, once to write them.
 */
#include "cut.h"

#include <stdlib.h>
#include <string.h>

enum { DATA, INDICES, POINTERS, ARRAYS, BLOCK = 1 << 18 };

static const char *const array_names[ARRAYS] = {"data", "indices", "indptr"};
static const char *const shapes[2] = {"shape", "h5sparse_shape"};

/* The name of the attribute that holds the shape; NULL: there is none with two integers. */
static const char *shape_of(hid_t group, int64_t shape[2])
{
    const char *found = NULL;
    for (int k = 0; k < 2 && found == NULL; k++) {
        const hid_t a = H5Aexists(group, shapes[k]) > 0 ? H5Aopen(group, shapes[k], H5P_DEFAULT) : -1;
        const hid_t space = a >= 0 ? H5Aget_space(a) : -1, type = a >= 0 ? H5Aget_type(a) : -1;
        if (space >= 0 && type >= 0 && H5Tget_class(type) == H5T_INTEGER &&
            H5Sget_simple_extent_npoints(space) == 2 && H5Aread(a, H5T_NATIVE_INT64, shape) >= 0)
            found = shapes[k];
        release(type);
        release(space);
        release(a);
    }
    return found;
}

bool sparse_fits(const cutting *c, hid_t group, bool *by_columns)
{
    char format[32] = "";
    int64_t shape[2];
    if (!get_text(group, "encoding-type", format, sizeof format))
        (void)get_text(group, "h5sparse_format", format, sizeof format);
    *by_columns = strncmp(format, "csc", 3) == 0;
    return (*by_columns || strncmp(format, "csr", 3) == 0) && shape_of(group, shape) != NULL &&
           (c->lines == NULL || shape[0] == c->lines->size) &&
           (c->columns == NULL || shape[1] == c->columns->size);
}

/* A matrix being copied. Its lines are rows of CSR, columns of CSC. */
typedef struct sparse {
    const cutting *c;
    hid_t from[ARRAYS], to[ARRAYS];
    const axis *lines, *across; /* NULL: all are kept */
    int64_t n, width, entries;
    int64_t *start;           /* of the lines */
    int64_t *place;           /* the new index of an index across, -1: dropped; NULL: unchanged */
    int64_t *new_start, kept; /* of the output */
    hid_t type;
    size_t size; /* of a value */
    int64_t *index;
    char *value;
} sparse;

static bool damaged(const sparse *m)
{
    m->c->r->problem = PITH_I_HDF5_DAMAGED;
    return false;
}

static bool open_arrays(sparse *m, hid_t group)
{
    int64_t count[ARRAYS] = {0};
    for (int k = 0; k < ARRAYS; k++) {
        reply d = {0};
        m->from[k] =
            H5Lexists(group, array_names[k], H5P_DEFAULT) > 0 ? open_with_room(group, array_names[k]) : -1;
        check_storage(m->c->s, m->from[k], m->c->r);
        if (m->c->r->problem != PITH_I_HDF5_FINE)
            return false;
        describe_dataset(m->from[k], &d);
        if (d.rank != 1 || (k == DATA ? d.is_text || d.is_reference : d.element != 'i' && d.element != 'u'))
            return damaged(m);
        count[k] = d.dims[0];
    }
    m->entries = count[INDICES];
    m->type = H5Dget_type(m->from[DATA]);
    m->size = H5Tget_size(m->type);
    return (count[DATA] == m->entries && count[POINTERS] - 1 == m->n && m->size > 0) || damaged(m);
}

static bool read_whole(const sparse *m, int64_t *out)
{
    const int64_t room = (m->n + 1) * (int64_t)sizeof *out;
    if (read_range(m->from[POINTERS], 0, m->n + 1, H5T_NATIVE_INT64, sizeof *out, (char *)out, room))
        return true;
    note_failure(m->c->r);
    return false;
}

/* Allocates; finds where lines begin, and the new indices. */
static bool prepare(sparse *m)
{
    const int64_t lines = kept_of(m->lines, m->n);
    m->start = calloc((size_t)m->n + 1, sizeof *m->start);
    m->new_start = calloc((size_t)lines + 1, sizeof *m->new_start);
    m->index = calloc(BLOCK, sizeof *m->index);
    m->value = calloc(BLOCK, m->size);
    m->place = stays_whole(m->across) ? NULL : malloc((size_t)m->width * sizeof *m->place + 1);
    if (m->start == NULL || m->new_start == NULL || m->index == NULL || m->value == NULL ||
        (m->place == NULL && !stays_whole(m->across))) {
        m->c->r->problem = PITH_I_HDF5_NO_MEMORY;
        return false;
    }
    for (int64_t k = 0; m->place != NULL && k < m->width; k++)
        m->place[k] = -1;
    for (int64_t k = 0; m->place != NULL && k < m->across->count; k++)
        m->place[m->across->kept[k]] = k;
    if (!read_whole(m, m->start))
        return false;
    for (int64_t i = 0; i < m->n; i++)
        if (m->start[i] > m->start[i + 1])
            return damaged(m);
    return (m->start[0] == 0 && m->start[m->n] == m->entries) || damaged(m);
}

/* sift moves the kept entries of a block to its beginning. line: the current line; next: its number in the
 * output if it is kept, else that of the next kept line. */
typedef struct walk {
    int64_t line, next;
} walk;

static bool sift(sparse *m, int64_t first, int64_t many, bool with_values, walk *w, int64_t *count)
{
    *count = 0;
    for (int64_t e = 0; e < many; e++) {
        const int64_t index = m->index[e];
        if (index < 0 || index >= m->width)
            return damaged(m);
        while (first + e >= m->start[w->line + 1]) {
            w->next +=
                stays_whole(m->lines) || (w->next < m->lines->count && m->lines->kept[w->next] == w->line);
            w->line++;
        }
        const bool stays =
            stays_whole(m->lines) || (w->next < m->lines->count && m->lines->kept[w->next] == w->line);
        const int64_t place = m->place != NULL ? m->place[index] : index;
        if (!stays || place < 0)
            continue;
        m->index[*count] = place;
        if (with_values)
            memmove(m->value + (size_t)*count * m->size, m->value + (size_t)e * m->size, m->size);
        else
            m->new_start[w->next + 1]++;
        ++*count;
    }
    return true;
}

/* Goes through all entries; with values, the kept ones are written, else counted. */
static bool pass(sparse *m, bool with_values)
{
    reply *r = m->c->r;
    walk w = {0, 0};
    int64_t at = 0, count = 0;
    for (int64_t first = 0; first < m->entries; first += BLOCK) {
        const int64_t many = m->entries - first < BLOCK ? m->entries - first : BLOCK;
        if (!read_range(m->from[INDICES], first, many, H5T_NATIVE_INT64, sizeof *m->index, (char *)m->index,
                        BLOCK * (int64_t)sizeof *m->index) ||
            (with_values && !read_range(m->from[DATA], first, many, m->type, (int64_t)m->size, m->value,
                                        BLOCK * (int64_t)m->size))) {
            note_failure(r);
            return false;
        }
        if (!sift(m, first, many, with_values, &w, &count))
            return false;
        if (with_values && (!write_range(m->to[INDICES], at, count, H5T_NATIVE_INT64, m->index, r) ||
                            !write_range(m->to[DATA], at, count, m->type, m->value, r)))
            return false;
        at += count;
    }
    m->kept = at;
    return true;
}

static bool write_shape(const sparse *m, hid_t from, hid_t to, const char *name, const int64_t shape[2])
{
    const hid_t before = H5Aopen(from, name, H5P_DEFAULT), type = before >= 0 ? H5Aget_type(before) : -1;
    const hid_t space = before >= 0 ? H5Aget_space(before) : -1;
    const hid_t a =
        type >= 0 && space >= 0 ? H5Acreate2(to, name, type, space, H5P_DEFAULT, H5P_DEFAULT) : -1;
    const bool good = a >= 0 && H5Awrite(a, H5T_NATIVE_INT64, shape) >= 0;
    release(a);
    release(space);
    release(type);
    release(before);
    if (!good)
        note_failure(m->c->r);
    return good;
}

static bool write_arrays(sparse *m, hid_t to)
{
    const int64_t lines = kept_of(m->lines, m->n);
    for (int k = 0; k < ARRAYS; k++) {
        const hsize_t count = (hsize_t)(k == POINTERS ? lines + 1 : m->kept);
        m->to[k] = array_like(m->from[k], to, array_names[k], &count, m->c->r);
        if (m->to[k] < 0 || !copy_attributes(m->from[k], m->to[k], NULL, m->c->r))
            return false;
    }
    for (int64_t i = 0; i < lines; i++)
        m->new_start[i + 1] += m->new_start[i];
    return pass(m, true) &&
           write_range(m->to[POINTERS], 0, lines + 1, H5T_NATIVE_INT64, m->new_start, m->c->r);
}

static void drop(sparse *m)
{
    for (int k = 0; k < ARRAYS; k++) {
        release(m->from[k]);
        release(m->to[k]);
    }
    release(m->type);
    free(m->start);
    free(m->place);
    free(m->new_start);
    free(m->index);
    free(m->value);
}

bool cut_sparse(const cutting *c, hid_t group, bool by_columns, hid_t to, const char *name)
{
    int64_t shape[2] = {0};
    const char *attribute = shape_of(group, shape);
    sparse m = {.c = c, .from = {-1, -1, -1}, .to = {-1, -1, -1}, .type = -1};
    m.lines = by_columns ? c->columns : c->lines;
    m.across = by_columns ? c->lines : c->columns;
    m.n = shape[by_columns];
    m.width = shape[!by_columns];
    const int64_t cut[2] = {kept_of(c->lines, shape[0]), kept_of(c->columns, shape[1])};
    const hid_t made = copy_group(group, to, name, attribute, c->r);
    const bool good = made >= 0 && write_shape(&m, group, made, attribute, cut) && open_arrays(&m, group) &&
                      prepare(&m) && pass(&m, false) && write_arrays(&m, made);
    drop(&m);
    release(made);
    return good;
}
