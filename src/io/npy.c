/*
 * A .npy file is a magic string, a version, the length of a header, the header, and the elements. The
 * header is a Python dictionary of three keys in any order:
 *
 *     {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
 */
#include "io/npy.h"

#include "io/variables.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static const char magic[6] = {(char)0x93, 'N', 'U', 'M', 'P', 'Y'};

int64_t pith_i_npy_header_size(const char *at, int64_t size)
{
    const unsigned char *u = (const unsigned char *)at;
    if (size < 12 || memcmp(at, magic, sizeof magic) != 0 || u[6] < 1 || u[6] > 3)
        return 0;
    if (u[6] == 1)
        return 10 + (u[8] | u[9] << 8);
    return 12 + ((int64_t)u[8] | (int64_t)u[9] << 8 | (int64_t)u[10] << 16 | (int64_t)u[11] << 24);
}

/* ---- The dictionary ------------------------------------------------------------------------------ */

typedef struct cursor {
    const char *at, *end;
} cursor;

static char peek(cursor *c)
{
    while (c->at < c->end && strchr(" \t\r\n", *c->at) != NULL && *c->at != '\0')
        c->at++;
    return c->at < c->end ? *c->at : '\0';
}

static bool take(cursor *c, char what)
{
    if (peek(c) != what || what == '\0')
        return false;
    c->at++;
    return true;
}

/* A quoted text without escapes; false: there is none, or it does not fit. */
static bool take_text(cursor *c, char *text, size_t size)
{
    const char quote = peek(c);
    size_t length = 0;
    if (quote != '\'' && quote != '"')
        return false;
    for (c->at++; c->at < c->end && *c->at != quote; c->at++, length++)
        if (length + 1 < size)
            text[length] = *c->at;
    text[length + 1 < size ? length : size - 1] = '\0';
    return length < size && take(c, quote);
}

static bool take_word(cursor *c, const char *word)
{
    const size_t length = strlen(word);
    (void)peek(c);
    if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length) != 0)
        return false;
    c->at += length;
    return true;
}

static bool take_size(cursor *c, int64_t *out)
{
    int64_t v = 0;
    if (peek(c) < '0' || peek(c) > '9')
        return false;
    for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++)
        if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *c->at - '0', &v))
            return false;
    (void)take(c, 'L'); /* as Python 2 wrote long integers */
    *out = v;
    return true;
}

static bool take_shape(cursor *c, pith_i_npy *npy)
{
    if (!take(c, '('))
        return false;
    for (npy->rank = 0; !take(c, ')'); npy->rank++) {
        if (npy->rank == PITH_I_NPY_RANK || !take_size(c, &npy->shape[npy->rank]))
            return false;
        if (!take(c, ',') && peek(c) != ')')
            return false;
    }
    return true;
}

static bool take_dictionary(cursor *c, pith_i_npy *npy)
{
    bool seen[3] = {false, false, false};
    char key[16];
    if (!take(c, '{'))
        return false;
    while (!take(c, '}')) {
        int which = -1;
        if (!take_text(c, key, sizeof key) || !take(c, ':'))
            return false;
        if (strcmp(key, "descr") == 0 && peek(c) == '[')
            return (void)strcpy(npy->descr, "fields"),
                   true; /* a structured array: not numbers, whatever its shape */
        if (strcmp(key, "descr") == 0 && take_text(c, npy->descr, sizeof npy->descr))
            which = 0;
        else if (strcmp(key, "fortran_order") == 0 && (npy->fortran = take_word(c, "True"), true) &&
                 (npy->fortran || take_word(c, "False")))
            which = 1;
        else if (strcmp(key, "shape") == 0 && take_shape(c, npy))
            which = 2;
        if (which < 0 || seen[which] || (!take(c, ',') && peek(c) != '}'))
            return false;
        seen[which] = true;
    }
    return seen[0] && seen[1] && seen[2] && peek(c) == '\0' && c->at == c->end;
}

/* ---- Its meaning --------------------------------------------------------------------------------- */

/* "<f8": byte order, kind, bytes per element (for texts: characters). False: the width is impossible. */
static bool read_descr(pith_i_npy *npy)
{
    const char *d = npy->descr;
    cursor c = {d, d + strlen(d)};
    int64_t width = 0;
    npy->swapped = *d == '>';
    if (*d != '\0' && strchr("<>=|", *d) != NULL)
        c.at++;
    const char kind = *c.at;
    if (kind == '\0' || (c.at++, !take_size(&c, &width)) || c.at != c.end)
        return true; /* "|O", "<M8[ns]": not a number, which is an error only if it is used */
    if (width > INT32_MAX)
        return false;
    npy->width = width;
    npy->element = (pith_i_element){kind, (int)width, npy->swapped && width > 1};
    if (!pith_i_element_is_number(npy->element))
        npy->element.kind = 0;
    npy->text = kind == 'S' || kind == 'a' ? 'S' : kind == 'U' ? 'U' : '\0';
    return true;
}

static bool read_sizes(pith_i_npy *npy)
{
    const int64_t size = npy->text == 'U' ? 4 * npy->width : npy->width;
    npy->count = 1;
    for (int d = 0; d < npy->rank; d++)
        if (__builtin_mul_overflow(npy->count, npy->shape[d], &npy->count))
            return false;
    return !__builtin_mul_overflow(npy->count, size, &npy->bytes);
}

pith_status pith_i_npy_parse(pith_ctx *ctx, const char *where, const char *at, int64_t size, pith_i_npy *out)
{
    pith_i_npy npy = {.offset = pith_i_npy_header_size(at, size)};
    pith_status st = PITH_OK;
    if (npy.offset == 0)
        FAIL(ctx, PITH_E_DATA, "%s: is not a NumPy file", where);
    if (npy.offset > size)
        FAIL(ctx, PITH_E_DATA, "%s: ends within its header: %" PRId64 " bytes of %" PRId64, where, size,
             npy.offset);
    cursor c = {at + (at[6] == 1 ? 10 : 12), at + npy.offset};
    if (!take_dictionary(&c, &npy) || !read_descr(&npy))
        FAIL(ctx, PITH_E_DATA, "%s: its NumPy header is invalid at byte %" PRId64, where,
             (int64_t)(c.at - at));
    if (!read_sizes(&npy))
        FAIL(ctx, PITH_E_DATA, "%s: claims an impossible shape", where);
    *out = npy;
done:
    return st;
}

bool pith_i_npy_fits(const pith_i_npy *npy, const char *elements, char kind, int size)
{
    return npy->element.kind == kind && npy->element.size == size && !npy->element.swapped &&
           (uintptr_t)elements % (uintptr_t)size == 0;
}

bool pith_i_npy_borrow(const pith_i_npy *npy, const char *elements, pith_i_data *out)
{
    const pith_dtype dtype = pith_i_element_dtype(npy->element);
    const int64_t n = npy->shape[0], p = npy->shape[1];
    if (!pith_i_npy_fits(npy, elements, 'f', (int)pith_i_dtype_size(dtype)))
        return false;
    *out = (pith_i_data){.n = n,
                         .p = p,
                         .dtype = dtype,
                         .x = elements,
                         .row_stride = npy->fortran ? 1 : p,
                         .col_stride = npy->fortran ? n : 1};
    return true;
}

pith_status pith_i_npy_dense(pith_ctx *ctx, const pith_i_npy *npy, const char *elements, pith_i_data *out)
{
    enum { SLICE = 1 << 20 };
    const int64_t n = npy->shape[0], p = npy->shape[1];
    const pith_dtype dtype = pith_i_element_dtype(npy->element);
    const pith_status st = pith_i_data_new_dense(ctx, n, p, dtype, out);
    if (st != PITH_OK)
        return st;
    if (npy->fortran)
        pith_i_elements_convert_columns(ctx, npy->element, elements, n, p, dtype, pith_i_data_x(out), p);
    for (int64_t at = 0; !npy->fortran && at < npy->count; at += SLICE) {
        const int64_t count = npy->count - at < SLICE ? npy->count - at : SLICE;
        char *to = (char *)pith_i_data_x(out) + at * (dtype == PITH_F64 ? 8 : 4);
        const char *from = elements + at * npy->element.size;
        pith_i_elements_convert(npy->element, from, count, dtype, to);
        pith_i_touched(ctx, count * 16);
    }
    return PITH_OK;
}

static pith_status check_array(pith_ctx *ctx, const char *path, const pith_i_npy *npy, int64_t size)
{
    char claim[32], there[32], descr[24];
    if (npy->element.kind == 0)
        return pith_i_error(ctx, PITH_E_DATA,
                            "%s: holds '%s' where real numbers are needed; save it with .astype(float)", path,
                            pith_i_printable(npy->descr, descr, sizeof descr));
    if (npy->rank != 2)
        return pith_i_error(
            ctx, PITH_E_DATA,
            "%s: has %d dimension%s where samples x features are needed; save it with .reshape(n, p)", path,
            npy->rank, npy->rank == 1 ? "" : "s");
    if (npy->bytes != size - npy->offset)
        return pith_i_error(ctx, PITH_E_DATA,
                            "%s: claims %" PRId64 " x %" PRId64
                            " values, %s, but %s follow its header; the file is %s",
                            path, npy->shape[0], npy->shape[1], pith_i_bytes_text(npy->bytes, claim),
                            pith_i_bytes_text(size - npy->offset, there),
                            npy->bytes > size - npy->offset ? "truncated or damaged" : "damaged");
    return pith_i_check_shape(ctx, path, npy->shape[0], npy->shape[1]);
}

pith_status pith_i_npy_read(pith_ctx *ctx, const char *path, const pith_read_options *options,
                            pith_matrix *out)
{
    pith_i_bytes bytes = {0};
    pith_i_npy npy;
    pith_status st = PITH_OK;
    if (options->labels != NULL && !options->no_labels)
        FAIL(ctx, PITH_E_DATA, "%s: a .npy file cannot hold labels; give them in a separate file", path);
    TRY(pith_i_bytes_load(ctx, path, &bytes));
    TRY(pith_i_npy_parse(ctx, path, bytes.at, bytes.size, &npy));
    TRY(check_array(ctx, path, &npy, bytes.size));
    if (bytes.mapped != NULL && pith_i_npy_borrow(&npy, bytes.at + npy.offset, &out->data)) {
        out->data.mapped = bytes.mapped;
        bytes.mapped = NULL;
    } else {
        TRY(pith_i_npy_dense(ctx, &npy, bytes.at + npy.offset, &out->data));
    }
done:
    pith_i_bytes_free(&bytes);
    return st;
}

/* ---- Writing ------------------------------------------------------------------------------------- */

void pith_i_npy_header(const char *descr, int64_t rows, int64_t cols, char out[PITH_I_NPY_HEADER])
{
    char shape[64];
    if (rows < 0)
        (void)strcpy(shape, "()");
    else if (cols < 0)
        (void)snprintf(shape, sizeof shape, "(%" PRId64 ",)", rows);
    else
        (void)snprintf(shape, sizeof shape, "(%" PRId64 ", %" PRId64 ")", rows, cols);
    memset(out, ' ', PITH_I_NPY_HEADER);
    memcpy(out, magic, sizeof magic);
    memcpy(out + 6, "\x01\x00\x76\x00", 4); /* version 1.0, 118 bytes of dictionary: 128 in all, so aligned */
    const int length = snprintf(out + 10, PITH_I_NPY_HEADER - 10,
                                "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape);
    out[10 + length] = ' '; /* not the NUL of snprintf */
    out[PITH_I_NPY_HEADER - 1] = '\n';
}

void pith_i_npy_rows(const pith_i_data *X, int64_t lo, int64_t hi, void *out)
{
    const size_t size = pith_i_dtype_size(X->dtype);
    if (X->sparse)
        memset(out, 0, (size_t)((hi - lo) * X->p) * size);
    for (int64_t i = lo; i < hi; i++) {
        const int64_t at = (i - lo) * X->p;
        if (X->sparse)
            for (int64_t e = X->indptr[i]; e < X->indptr[i + 1]; e++)
                pith_i_set_value(out, X->dtype, at + X->indices[e], pith_i_value(X->values, X->dtype, e));
        else
            for (int64_t j = 0; j < X->p; j++)
                pith_i_set_value(out, X->dtype, at + j,
                                 pith_i_value(X->x, X->dtype, i * X->row_stride + j * X->col_stride));
    }
}

/* Sparse data is written as dense, block by block: the format has nothing else, and no place for names and
 * labels. */
pith_status pith_i_npy_write(pith_ctx *ctx, const pith_matrix *m, pith_i_file *file)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_data *X = &m->data;
    const size_t size = pith_i_dtype_size(X->dtype);
    const int64_t block = X->p > 0 ? 1 + (1 << 20) / ((int64_t)size * X->p) : 1;
    pith_status st = PITH_OK;
    char header[PITH_I_NPY_HEADER];
    void *rows = NULL;
    pith_i_npy_header(X->dtype == PITH_F64 ? "<f8" : "<f4", X->n, X->p, header);
    (void)fwrite(header, 1, sizeof header, file->stream);
    rows = pith_i_scratch(ctx, block * X->p, size);
    if (rows == NULL)
        TRY(PITH_E_NOMEM);
    for (int64_t i = 0; i < X->n; i += block) {
        const int64_t end = X->n - i < block ? X->n : i + block;
        TRY(pith_i_progress(ctx, i, X->n));
        pith_i_npy_rows(X, i, end, rows);
        pith_i_touched(ctx, (end - i) * X->p * (int64_t)size);
        if (fwrite(rows, size, (size_t)((end - i) * X->p), file->stream) != (size_t)((end - i) * X->p))
            FAIL(ctx, PITH_E_FILE, "%s: cannot be written: %s",
                 file->path != NULL ? file->path : "standard output", strerror(errno));
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
