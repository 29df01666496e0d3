/*
 * MATLAB's version 4 files: for each variable five 32-bit numbers (MOPT, rows, columns, complex or not,
 * length of the name), the name with its NUL, the values column by column. MOPT is M O P T in decimal: byte
 * order, 0, type of the values, kind of the matrix (full, text, sparse). A sparse matrix of e entries is
 * stored as a full one of e + 1 rows: row and column (from 1) and value of each entry; the last row is the
 * shape.
 */
#include "io/assemble.h"
#include "io/mat.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { HEADER = 20, MOST_NAME = 255, FULL = 0, TEXT = 1, SPARSE = 2 };

typedef struct place {
    pith_i_element type;
    int kind;
    int64_t rows, cols; /* as stored */
    const char *name, *values;
} place;

static int64_t field(const char *at, int k, bool swapped)
{
    uint32_t w;
    memcpy(&w, at + 4 * k, 4);
    return (int32_t)(swapped ? __builtin_bswap32(w) : w);
}

/* Reads the variable at `at` and returns where the next begins; NULL: there is none that fits into the bytes
 * left. */
static const char *next_place(const char *at, const char *end, place *out)
{
    static const pith_i_element types[] = {{'f', 8, 0}, {'f', 4, 0}, {'i', 4, 0},
                                           {'i', 2, 0}, {'u', 2, 0}, {'u', 1, 0}};
    if (end - at < HEADER)
        return NULL;
    const bool swapped = field(at, 0, false) < 0 || field(at, 0, false) > 9999;
    const int64_t mopt = field(at, 0, swapped), rows = field(at, 1, swapped), cols = field(at, 2, swapped),
                  complex = field(at, 3, swapped), length = field(at, 4, swapped);
    const int64_t type = mopt / 10 % 10, kind = mopt % 10;
    if (mopt < 0 || mopt / 1000 != swapped || mopt / 100 % 10 != 0 || type >= (int64_t)COUNT(types) ||
        kind > SPARSE)
        return NULL;
    if (rows < 0 || cols < 0 || complex < 0 || complex > 1 || length < 1 || length > MOST_NAME ||
        length > end - at - HEADER || at[HEADER + length - 1] != '\0')
        return NULL;
    out->type = types[type];
    out->type.swapped = swapped;
    out->kind = (int)kind;
    out->rows = rows;
    out->cols = cols;
    out->name = at + HEADER;
    out->values = out->name + length;
    int64_t bytes = 0;
    if (__builtin_mul_overflow(rows * cols, (int64_t)(1 + complex) * out->type.size, &bytes) ||
        bytes > end - out->values)
        return NULL;
    if (complex == 1)
        out->type.kind = 'c';
    return out->values + bytes;
}

bool pith_i_mat4_is(const pith_i_bytes *bytes)
{
    place unused;
    return bytes->size > 0 && next_place(bytes->at, bytes->at + bytes->size, &unused) != NULL;
}

/* A stored value as a whole number; -1: it is not one. */
static int64_t whole(const place *v, int64_t row, int64_t col)
{
    double x = 0;
    pith_i_elements_convert(v->type, v->values + (col * v->rows + row) * v->type.size, 1, PITH_F64, &x);
    return x >= 0 && x <= INT32_MAX && x == floor(x) ? (int64_t)x : -1;
}

static pith_status read_sparse(pith_i_container *c, const place *v, pith_i_data *out)
{
    const size_t mark = pith_i_scratch_mark(c->ctx);
    const int64_t entries = v->rows - 1;
    pith_status st = PITH_OK;
    const char *where = NULL;
    int32_t *at[2] = {NULL, NULL};
    TRY(pith_i_where(c->ctx, c->path, v->name, &where));
    for (int axis = 0; axis < 2; axis++) {
        TRY(SCRATCH(c->ctx, at[axis], entries));
        for (int64_t e = 0; e < entries; e++)
            at[axis][e] = (int32_t)(whole(v, e, axis) - 1);
    }
    const pith_i_element index = {'i', 4, false};
    const pith_i_coordinates found = {.where = where,
                                      .n = whole(v, entries, 0),
                                      .p = whole(v, entries, 1),
                                      .entries = entries,
                                      .row_type = index,
                                      .col_type = index,
                                      .value_type = v->type,
                                      .rows = at[0],
                                      .cols = at[1],
                                      .values = v->values + 2 * v->rows * v->type.size};
    TRY(pith_i_assemble_coordinates(c->ctx, &found, out));
done:
    pith_i_scratch_release(c->ctx, mark);
    return st;
}

static pith_status read_matrix(pith_i_container *c, int64_t k, pith_i_data *out)
{
    const place *v = (const place *)c->self + k;
    pith_status st = PITH_OK;
    if (v->kind == SPARSE)
        return read_sparse(c, v, out);
    TRY(pith_i_check_shape(c->ctx, c->path, v->rows, v->cols));
    TRY(pith_i_data_new_dense(c->ctx, v->rows, v->cols, pith_i_element_dtype(v->type), out));
    pith_i_elements_convert_columns(c->ctx, v->type, v->values, v->rows, v->cols, out->dtype,
                                    pith_i_data_x(out), v->cols);
done:
    return st;
}

static pith_status read_numbers(pith_i_container *c, int64_t k, double *out)
{
    const place *v = (const place *)c->self + k;
    if (v->kind == SPARSE)
        return pith_i_error(c->ctx, PITH_E_DATA, "%s: its labels are sparse: save them as a full matrix",
                            c->path);
    pith_i_elements_convert(v->type, v->values, v->rows * v->cols, PITH_F64, out);
    return PITH_OK;
}

static pith_status read_texts(pith_i_container *c, int64_t k, pith_i_names *out)
{
    const size_t mark = pith_i_scratch_mark(c->ctx);
    const place *v = (const place *)c->self + k;
    const int64_t count = v->rows * v->cols;
    pith_status st = PITH_OK;
    uint32_t *units = NULL;
    TRY(SCRATCH(c->ctx, units, count));
    for (int64_t u = 0; u < count; u++) {
        double x = 0;
        pith_i_elements_convert(v->type, v->values + u * v->type.size, 1, PITH_F64, &x);
        units[u] = x >= 0 && x <= 0xFFFF ? (uint32_t)x : 0xFFFD;
    }
    TRY(pith_i_mat_char_rows(c->ctx, v->rows, v->cols, units, out));
done:
    pith_i_scratch_release(c->ctx, mark);
    return st;
}

static pith_i_variable describe(const place *v)
{
    const bool sparse = v->kind == SPARSE, number = v->type.kind != 'c' && v->kind != TEXT;
    pith_i_variable out = {.name = v->name,
                           .type = v->type.kind == 'c' ? "complex"
                                   : sparse            ? "sparse"
                                   : number            ? "double"
                                                       : "char",
                           .rows = v->rows,
                           .cols = v->kind == TEXT ? 1 : v->cols,
                           .rank = 2,
                           .is_number = number && (!sparse || (v->rows > 0 && v->cols == 3)),
                           .is_text = v->kind == TEXT && v->type.kind != 'c'};
    if (sparse && out.is_number) {
        out.rows = whole(v, v->rows - 1, 0);
        out.cols = whole(v, v->rows - 1, 1);
    }
    return out;
}

pith_status pith_i_mat4_open(pith_ctx *ctx, const char *path, const pith_i_bytes *bytes,
                             pith_i_container *out)
{
    const char *end = bytes->at + bytes->size, *at = bytes->at;
    pith_status st = PITH_OK;
    place *places = NULL, one;
    int64_t count = 0;
    for (; at != NULL && at < end; count++) {
        const char *next = next_place(at, end, &one);
        if (next == NULL)
            FAIL(ctx, PITH_E_DATA, "%s: damaged MATLAB file: cut off, or no variable at byte %" PRId64, path,
                 (int64_t)(at - bytes->at));
        at = next;
    }
    TRY(SCRATCH(ctx, places, count));
    *out = (pith_i_container){.ctx = ctx,
                              .path = path,
                              .count = count,
                              .self = places,
                              .matrix = read_matrix,
                              .numbers = read_numbers,
                              .texts = read_texts};
    TRY(SCRATCH(ctx, out->vars, count));
    at = bytes->at;
    for (int64_t k = 0; k < count; k++) {
        at = next_place(at, end, &places[k]);
        out->vars[k] = describe(&places[k]);
    }
done:
    return st;
}
