/*
 * MATLAB's version 5 files (also those of versions 6 and 7). After a header of 128 bytes comes one data
 * element for each variable:
 *
 *     type and size (4 bytes each), content, padding to 8 bytes
 *
 * Content of up to 4 bytes may share a word with its tag. A variable is an element of type matrix whose
 * content is again elements: flags, dimensions, name, then the values (real part; for sparse ones row numbers
 * and column pointers before it). It may be wrapped in an element of type compressed. Values are stored in
 * the smallest type that holds them, whatever the class of the variable.
 *
 * We read these ourselves: libmatio allocates whatever a file claims without checking that the file can hold
 * it (34 GB for a damaged file of 600 bytes), and does so for every variable before the wanted one.
 */
#include "core/bytes.h"
#include "io/assemble.h"
#include "io/deflate.h"
#include "io/mat.h"
#include "io/text.h"

#include <inttypes.h>
#include <string.h>

enum { HEADING = 128, TAG = 8, MOST_NAME = 255, DEFLATE_RATIO = 1032, BLOCK = 1 << 22 };
enum { MI_INT8 = 1, MI_UINT32 = 6, MI_INT32 = 5, MI_MATRIX = 14, MI_COMPRESSED = 15 };
enum { MI_UINT8 = 2, MI_UINT16 = 4, MI_UTF8 = 16, MI_UTF16 = 17, MI_UTF32 = 18 };
enum { MX_CELL = 1, MX_CHAR = 4, MX_SPARSE = 5, MX_DOUBLE = 6, MX_SINGLE = 7, MX_UINT64 = 15 };
enum { COMPLEX = 0x0800, LOGICAL = 0x0200 };

static const char *const class_names[] = {
    "nothing", "cell",  "struct", "object", "char",   "sparse", "double", "single",   "int8",
    "uint8",   "int16", "uint16", "int32",  "uint32", "int64",  "uint64", "function", "object",
};

/* The bytes of a variable, plain or compressed. */
typedef struct source {
    pith_ctx *ctx;
    const char *where;
    bool swapped;
    int64_t left;            /* of the innermost element that is being read */
    const char *at;          /* plain bytes, or */
    pith_i_inflate *inflate; /* a compressed stream */
} source;

typedef struct array {
    int klass, rank;
    unsigned flags;
    int64_t rows, cols;
    char name[MOST_NAME + 1];
} array;

typedef struct element {
    int type;
    int64_t bytes;
    bool small; /* content lies in the tag: */
    char word[4];
} element;

typedef struct place {
    const char *at; /* after its tag */
    int64_t bytes;
    bool packed;
} place;

typedef struct mat5 {
    const pith_i_bytes *bytes;
    bool swapped;
    place *places; /* by variable */
    array *arrays;
} mat5;

static pith_status damaged(const source *s, const char *why)
{
    return pith_i_error(s->ctx, PITH_E_DATA, "%s: damaged MATLAB file: %s", s->where, why);
}

static uint32_t word_at(const char *at, bool swapped)
{
    uint32_t w;
    memcpy(&w, at, 4);
    return swapped ? __builtin_bswap32(w) : w;
}

/* ---- Bytes and elements -------------------------------------------------------------------------- */

static pith_status get(source *s, void *out, int64_t bytes)
{
    if (bytes > s->left)
        return damaged(s, "a part is larger than the whole");
    s->left -= bytes;
    if (s->inflate != NULL)
        return pith_i_inflate_read(s->inflate, out, bytes);
    memcpy(out, s->at, (size_t)bytes);
    s->at += bytes;
    return PITH_OK;
}

static pith_status get_tag(source *s, element *e)
{
    char tag[TAG];
    const pith_status st = get(s, tag, TAG);
    if (st != PITH_OK)
        return st;
    const uint32_t first = word_at(tag, s->swapped);
    e->small = first >> 16 != 0;
    e->type = (int)(first & 0xFFFF);
    e->bytes = e->small ? first >> 16 : word_at(tag + 4, s->swapped);
    memcpy(e->word, tag + 4, 4);
    if (e->small && e->bytes > 4)
        return damaged(s, "a short part of more than 4 bytes");
    if (!e->small && e->bytes > s->left)
        return damaged(s, "a part is larger than the whole");
    return PITH_OK;
}

/* The padding of an element that has been read; the last one may lack it. */
static pith_status get_padding(source *s, const element *e)
{
    char unused[TAG];
    const int64_t pad = e->small ? 0 : -e->bytes & (TAG - 1);
    return get(s, unused, pad < s->left ? pad : s->left);
}

static pith_status get_content(source *s, const element *e, void *out)
{
    pith_status st = PITH_OK;
    if (e->small) {
        memcpy(out, e->word, (size_t)e->bytes);
        return PITH_OK;
    }
    TRY(get(s, out, e->bytes));
    TRY(get_padding(s, e));
done:
    return st;
}

static pith_status skip(source *s, int64_t bytes)
{
    char unused[512];
    pith_status st = PITH_OK;
    for (; bytes > 0 && st == PITH_OK; bytes -= (int64_t)sizeof unused)
        st = get(s, unused, bytes < (int64_t)sizeof unused ? bytes : (int64_t)sizeof unused);
    return st;
}

/* How a stored type is read; kind 0: it is no number. */
static pith_i_element stored_type(int type, bool swapped)
{
    static const char kinds[] = {0, 'i', 'u', 'i', 'u', 'i', 'u', 'f', 0, 'f', 0, 0, 'i', 'u'};
    static const int sizes[] = {0, 1, 1, 2, 2, 4, 4, 4, 0, 8, 0, 0, 8, 8};
    if (type < 0 || type >= (int)COUNT(sizes))
        return (pith_i_element){0};
    return (pith_i_element){kinds[type], sizes[type], swapped};
}

/* ---- Variables ----------------------------------------------------------------------------------- */

static pith_status get_dimensions(source *s, array *a)
{
    enum { MOST_RANK = 32 };
    pith_status st = PITH_OK;
    element e;
    char dims[4 * MOST_RANK];
    TRY(get_tag(s, &e));
    if ((e.type != MI_INT32 && e.type != MI_UINT32) || e.bytes % 4 != 0 || e.bytes < 8 ||
        e.bytes > 4 * MOST_RANK)
        TRY(damaged(s, "no dimensions where they belong"));
    TRY(get_content(s, &e, dims));
    a->rank = (int)(e.bytes / 4);
    a->rows = word_at(dims, s->swapped);
    a->cols = word_at(dims + 4, s->swapped);
    if (a->rows > INT32_MAX || a->cols > INT32_MAX)
        TRY(damaged(s, "a negative dimension"));
done:
    return st;
}

static pith_status get_name(source *s, array *a)
{
    pith_status st = PITH_OK;
    element e;
    TRY(get_tag(s, &e));
    if ((e.type != MI_INT8 && e.type != MI_UTF8) || e.bytes > MOST_NAME)
        TRY(damaged(s, "no name where it belongs"));
    TRY(get_content(s, &e, a->name));
    a->name[e.bytes] = '\0';
done:
    return st;
}

/* Flags, dimensions and name; the source then stands before the values. */
static pith_status get_array(source *s, array *a)
{
    pith_status st = PITH_OK;
    element e;
    char flags[8];
    *a = (array){0};
    TRY(get_tag(s, &e));
    if (e.type != MI_UINT32 || e.bytes != sizeof flags || e.small)
        TRY(damaged(s, "no flags where they belong"));
    TRY(get_content(s, &e, flags));
    const uint32_t word = word_at(flags, s->swapped);
    a->klass = (int)(word & 0xFF);
    a->flags = word & 0xFF00;
    if (a->klass == 0 || a->klass >= (int)COUNT(class_names))
        TRY(damaged(s, "a variable of a class that does not exist"));
    if (a->klass == 17) /* MATLAB's internal objects: no dimensions, another order */
        return PITH_OK;
    TRY(get_dimensions(s, a));
    TRY(get_name(s, a));
done:
    return st;
}

/* Opens the variable at p and reads its header. Call close_source after success only. */
static pith_status open_source(pith_ctx *ctx, const char *where, const mat5 *m, const place *p, source *s,
                               array *a)
{
    pith_status st = PITH_OK;
    element e;
    *s = (source){.ctx = ctx, .where = where, .swapped = m->swapped, .left = p->bytes, .at = p->at};
    if (p->packed) {
        s->left = TAG;
        TRY(pith_i_inflate_open(ctx, where, p->at, p->bytes, &s->inflate));
        char tag[TAG];
        TRY(get(s, tag, TAG));
        e.type = (int)word_at(tag, s->swapped);
        s->left = word_at(tag + 4, s->swapped);
        if (e.type != MI_MATRIX || s->left / DEFLATE_RATIO > p->bytes)
            TRY(damaged(s, "a packed variable that claims more than it can hold"));
    }
    TRY(get_array(s, a));
done:
    if (st != PITH_OK)
        pith_i_inflate_close(s->inflate);
    return st;
}

static void close_source(source *s)
{
    pith_i_inflate_close(s->inflate);
}

/* ---- Values -------------------------------------------------------------------------------------- */

/* The tag of the values, of which `count` must be there. */
static pith_status open_values(source *s, int64_t count, element *e, pith_i_element *type)
{
    pith_status st = PITH_OK;
    TRY(get_tag(s, e));
    *type = stored_type(e->type, s->swapped);
    if (type->kind == 0)
        TRY(damaged(s, "values of an unknown type"));
    if (e->bytes % type->size != 0 || (count >= 0 && e->bytes / type->size != count))
        FAIL(s->ctx, PITH_E_DATA,
             "%s: damaged MATLAB file: claims %" PRId64 " values but holds %" PRId64 " bytes of them",
             s->where, count, e->bytes);
done:
    return st;
}

/* Reads a compressed variable by blocks of columns, so that only one block is in memory twice. */
static pith_status get_columns(source *s, pith_i_element type, const array *a, pith_i_data *X)
{
    const size_t mark = pith_i_scratch_mark(s->ctx);
    const int64_t column = a->rows * type.size, step = column < BLOCK ? BLOCK / column : 1;
    pith_status st = PITH_OK;
    char *block = NULL;
    TRY(SCRATCH(s->ctx, block, (step < a->cols ? step : a->cols) * column));
    for (int64_t j = 0; j < a->cols; j += step) {
        const int64_t cols = a->cols - j < step ? a->cols - j : step;
        TRY(pith_i_progress(s->ctx, j, a->cols));
        TRY(get(s, block, cols * column));
        pith_i_elements_convert_columns(s->ctx, type, block, a->rows, cols, X->dtype,
                                        (char *)pith_i_data_x(X) + (size_t)j * pith_i_dtype_size(X->dtype),
                                        X->p);
    }
done:
    pith_i_scratch_release(s->ctx, mark);
    return st;
}

static pith_status get_dense(source *s, const array *a, pith_i_data *out)
{
    pith_status st = PITH_OK;
    pith_i_element type;
    element e;
    TRY(open_values(s, a->rows * a->cols, &e, &type));
    TRY(pith_i_data_new_dense(s->ctx, a->rows, a->cols, a->klass == MX_SINGLE ? PITH_F32 : PITH_F64, out));
    if (s->inflate != NULL && !e.small)
        TRY(get_columns(s, type, a, out));
    else
        pith_i_elements_convert_columns(s->ctx, type, e.small ? e.word : s->at, a->rows, a->cols, out->dtype,
                                        pith_i_data_x(out), a->cols);
done:
    return st;
}

/* A whole element in scratch. */
static pith_status get_list(source *s, pith_i_element *type, int64_t *count, const void **out)
{
    pith_status st = PITH_OK;
    element e;
    char *content = NULL;
    TRY(open_values(s, -1, &e, type));
    TRY(SCRATCH(s->ctx, content, e.bytes));
    TRY(get_content(s, &e, content));
    *count = e.bytes / type->size;
    *out = content;
done:
    return st;
}

/* Row numbers, column pointers, values. MATLAB may store more entries than the pointers use. */
static pith_status get_sparse(source *s, const array *a, pith_i_data *out)
{
    const size_t mark = pith_i_scratch_mark(s->ctx);
    pith_i_sparse sparse = {.where = s->where, .n = a->rows, .p = a->cols, .by_columns = true};
    pith_i_data X = {0};
    pith_status st = PITH_OK;
    pith_i_element row = {0}, start = {0}, value = {'f', 8, false};
    const void *rows = NULL, *starts = NULL, *values = NULL;
    int64_t many[2] = {0, 0};
    TRY(get_list(s, &row, &many[0], &rows));
    TRY(get_list(s, &start, &sparse.pointers, &starts));
    if (s->left > 0) /* a matrix of zeros may end here */
        TRY(get_list(s, &value, &many[1], &values));
    sparse.entries = many[0] < many[1] ? many[0] : many[1];
    sparse.dtype = pith_i_element_dtype(value);
    TRY(pith_i_sparse_new(s->ctx, &sparse, sparse.entries, &X));
    if (!pith_i_elements_int64(start, starts, sparse.pointers, pith_i_data_indptr(&X)) ||
        !pith_i_elements_int32(row, rows, sparse.entries, pith_i_data_indices(&X)))
        TRY(damaged(s, "row numbers or column pointers that are not whole numbers"));
    pith_i_elements_convert(value, values, sparse.entries, sparse.dtype, pith_i_data_values(&X));
    pith_i_scratch_release(s->ctx, mark); /* before the transposition, which takes as much again */
    TRY(pith_i_sparse_finish(s->ctx, &sparse, &X, out));
done:
    pith_i_data_free(&X);
    pith_i_scratch_release(s->ctx, mark);
    return st;
}

static pith_status read_matrix(pith_i_container *c, int64_t v, pith_i_data *out)
{
    const size_t mark = pith_i_scratch_mark(c->ctx);
    const mat5 *m = c->self;
    pith_status st = PITH_OK;
    const char *where = NULL;
    source s = {0};
    array a;
    TRY(pith_i_where(c->ctx, c->path, c->vars[v].name, &where));
    TRY(pith_i_check_shape(c->ctx, where, c->vars[v].rows, c->vars[v].cols));
    TRY(open_source(c->ctx, where, m, &m->places[v], &s, &a));
    st = a.klass == MX_SPARSE ? get_sparse(&s, &a, out) : get_dense(&s, &a, out);
    close_source(&s);
done:
    pith_i_scratch_release(c->ctx, mark);
    return st;
}

static pith_status read_numbers(pith_i_container *c, int64_t v, double *out)
{
    pith_i_data X = {0};
    pith_status st = PITH_OK;
    TRY(read_matrix(c, v, &X));
    for (int64_t i = 0; i < X.n; i++)
        pith_i_block(&X, i, 1, 0, X.p, out + i * X.p, X.p);
done:
    pith_i_data_free(&X);
    return st;
}

/* ---- Texts --------------------------------------------------------------------------------------- */

/* The characters of a char array, in scratch: one unit for each of rows x cols. */
static pith_status get_units(source *s, const array *a, uint32_t **out)
{
    const int64_t count = a->rows * a->cols;
    pith_status st = PITH_OK;
    element e;
    char *content = NULL;
    int64_t got = 0;
    TRY(get_tag(s, &e));
    const int size = e.type == MI_UINT16 || e.type == MI_UTF16 ? 2 : e.type == MI_UTF32 ? 4 : 1;
    if (e.type != MI_UTF8 && size == 1 && e.type != MI_UINT8 && e.type != MI_INT8)
        TRY(damaged(s, "characters of an unknown type"));
    if (e.bytes / size < count)
        TRY(damaged(s, "fewer characters than it claims"));
    TRY(SCRATCH(s->ctx, content, e.bytes));
    TRY(get_content(s, &e, content));
    TRY(SCRATCH(s->ctx, *out, count));
    for (const char *at = content; got < count && at < content + e.bytes; got++) {
        const pith_i_element unit = {'u', size, s->swapped};
        uint32_t c = 0;
        const int bytes = e.type == MI_UTF8 ? pith_i_utf8(at, content + e.bytes, &c) : 0;
        if (e.type == MI_UTF8 && bytes == 0)
            break;
        int64_t u = c;
        at += bytes;
        if (e.type != MI_UTF8 && pith_i_elements_int64(unit, at, 1, &u))
            at += size;
        (*out)[got] = (uint32_t)u;
    }
    if (got < count)
        TRY(damaged(s, "characters that are not text"));
done:
    return st;
}

/* One cell, which must be a text. */
static pith_status get_cell(source *s, pith_i_text_list *list)
{
    const size_t mark = pith_i_scratch_mark(s->ctx);
    pith_status st = PITH_OK;
    element e;
    array a = {0};
    uint32_t *units = NULL;
    char *text = NULL;
    int64_t length = 0;
    TRY(get_tag(s, &e));
    const int64_t behind = s->left - e.bytes;
    if (e.type != MI_MATRIX || e.small)
        TRY(damaged(s, "a cell that holds nothing"));
    if (e.bytes > 0) {
        s->left = e.bytes;
        TRY(get_array(s, &a));
        if (a.klass != MX_CHAR || a.rank != 2 || (a.rows > 1 && a.cols > 0))
            FAIL(s->ctx, PITH_E_DATA, "%s: a cell of class %s where text is expected", s->where,
                 class_names[a.klass]);
    }
    if (a.rows > 0 && a.cols > 0) {
        TRY(get_units(s, &a, &units));
        TRY(SCRATCH(s->ctx, text, 4 * a.cols));
        length = pith_i_mat_text(units, a.cols, 1, text);
    }
    TRY(pith_i_text_list_add(s->ctx, list, length > 0 ? text : "", length));
    if (e.bytes > 0)
        TRY(skip(s, s->left));
    s->left = behind;
done:
    pith_i_scratch_release(s->ctx, mark);
    return st;
}

static pith_status get_cells(source *s, const array *a, pith_i_names *out)
{
    const int64_t count = a->rows * a->cols;
    pith_i_text_list list = {0};
    pith_status st = PITH_OK;
    if (count > s->left / TAG)
        TRY(damaged(s, "fewer cells than it claims"));
    TRY(pith_i_text_list_new(s->ctx, count, INT64_MAX, &list)); /* bounded by the bytes of the variable */
    for (int64_t k = 0; k < count; k++)
        TRY(get_cell(s, &list));
    *out = list.names;
    list = (pith_i_text_list){0};
done:
    pith_i_text_list_free(&list);
    return st;
}

static pith_status read_texts(pith_i_container *c, int64_t v, pith_i_names *out)
{
    const size_t mark = pith_i_scratch_mark(c->ctx);
    const mat5 *m = c->self;
    pith_status st = PITH_OK;
    const char *where = NULL;
    source s = {0};
    array a;
    uint32_t *units = NULL;
    TRY(pith_i_where(c->ctx, c->path, c->vars[v].name, &where));
    TRY(open_source(c->ctx, where, m, &m->places[v], &s, &a));
    if (a.klass == MX_CELL)
        st = get_cells(&s, &a, out);
    else if ((st = get_units(&s, &a, &units)) == PITH_OK)
        st = pith_i_mat_char_rows(c->ctx, a.rows, a.cols, units, out);
    close_source(&s);
done:
    pith_i_scratch_release(c->ctx, mark);
    return st;
}

/* ---- The list of variables ----------------------------------------------------------------------- */

bool pith_i_mat5_is(const pith_i_bytes *bytes)
{
    return bytes->size >= HEADING &&
           (memcmp(bytes->at + HEADING - 2, "IM", 2) == 0 || memcmp(bytes->at + HEADING - 2, "MI", 2) == 0);
}

/* The element at *at, which moves to the next one. */
static pith_status next_place(pith_ctx *ctx, const char *path, const mat5 *m, int64_t *at, place *out)
{
    const int64_t left = m->bytes->size - *at;
    if (left < TAG)
        return pith_i_error(ctx, PITH_E_DATA,
                            "%s: damaged MATLAB file: %" PRId64 " bytes too many, or cut off", path, left);
    const char *tag = m->bytes->at + *at;
    const uint32_t type = word_at(tag, m->swapped);
    const int64_t bytes = word_at(tag + 4, m->swapped);
    if (type != MI_MATRIX && type != MI_COMPRESSED)
        return pith_i_error(ctx, PITH_E_DATA, "%s: damaged MATLAB file: no variable at byte %" PRId64, path,
                            *at);
    if (bytes > left - TAG)
        return pith_i_error(ctx, PITH_E_DATA,
                            "%s: damaged MATLAB file: cut off within the variable at byte %" PRId64
                            ", of whose %" PRId64 " bytes %" PRId64 " are there",
                            path, *at, bytes, left - TAG);
    *out = (place){tag + TAG, bytes, type == MI_COMPRESSED};
    *at += TAG + bytes;
    return PITH_OK;
}

static pith_status describe(pith_ctx *ctx, const char *path, const mat5 *m, int64_t k, pith_i_variable *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    array *a = &m->arrays[k];
    pith_status st = PITH_OK;
    const char *where = NULL;
    char which[32];
    source s;
    (void)snprintf(which, sizeof which, "variable %" PRId64, k + 1);
    TRY(pith_i_where(ctx, path, which, &where));
    TRY(open_source(ctx, where, m, &m->places[k], &s, a));
    close_source(&s);
    const bool number = a->klass >= MX_SPARSE && a->klass <= MX_UINT64, complex = (a->flags & COMPLEX) != 0;
    *out = (pith_i_variable){.name = a->name,
                             .type = complex                                       ? "complex"
                                     : a->klass != MX_SPARSE && a->flags & LOGICAL ? "logical"
                                                                                   : class_names[a->klass],
                             .rows = a->rows,
                             .cols = a->cols,
                             .rank = a->rank,
                             .is_number = number && !complex && a->name[0] != '\0', /* unnamed: internal */
                             .is_text = a->klass == MX_CELL || a->klass == MX_CHAR};
    if (a->klass == MX_CHAR) /* a row is a text */
        out->cols = 1;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_mat5_open(pith_ctx *ctx, const char *path, const pith_i_bytes *bytes,
                             pith_i_container *out)
{
    pith_status st = PITH_OK;
    mat5 *m = NULL;
    int64_t at = HEADING, count = 0;
    place unused;
    TRY(SCRATCH_ZERO(ctx, m, 1));
    m->bytes = bytes;
    m->swapped = bytes->at[HEADING - 2] == 'M';
    for (; at < bytes->size; count++)
        TRY(next_place(ctx, path, m, &at, &unused));
    *out = (pith_i_container){.ctx = ctx,
                              .path = path,
                              .count = count,
                              .self = m,
                              .matrix = read_matrix,
                              .numbers = read_numbers,
                              .texts = read_texts};
    TRY(SCRATCH(ctx, m->places, count));
    TRY(SCRATCH(ctx, m->arrays, count));
    TRY(SCRATCH(ctx, out->vars, count));
    at = HEADING;
    for (int64_t k = 0; k < count; k++) {
        TRY(next_place(ctx, path, m, &at, &m->places[k]));
        TRY(describe(ctx, path, m, k, &out->vars[k]));
    }
done:
    return st;
}
