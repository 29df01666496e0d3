/*
 * Writing MATLAB's version 5: X, and Y, feature_names and sample_names if there are any. Every variable is an
 * element of type matrix, uncompressed. (libmatio's writer reports success when the disk is full.) MATLAB has
 * no sparse matrices of single precision: their values are written as double, which loses nothing.
 */
#include "core/bytes.h"
#include "io/assemble.h"
#include "io/mat.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum {
    MI_INT8 = 1,
    MI_UINT16 = 4,
    MI_INT32 = 5,
    MI_UINT32 = 6,
    MI_SINGLE = 7,
    MI_DOUBLE = 9,
    MI_MATRIX = 14
};
enum { MX_CELL = 1, MX_CHAR = 4, MX_SPARSE = 5, MX_DOUBLE = 6, MX_SINGLE = 7 };
enum { TAG = 8, BLOCK = 1 << 22 };

static int64_t padded(int64_t bytes)
{
    return (bytes + TAG - 1) / TAG * TAG;
}

typedef struct output {
    pith_ctx *ctx;
    const char *path; /* for messages */
    FILE *stream;
    int error; /* errno of the first write that failed */
} output;

static void put(output *f, const void *bytes, int64_t size)
{
    if (f->error == 0 && fwrite(bytes, 1, (size_t)size, f->stream) != (size_t)size)
        f->error = errno;
}

static void put_tag(output *f, uint32_t type, int64_t bytes)
{
    const uint32_t tag[2] = {type, (uint32_t)bytes};
    put(f, tag, sizeof tag);
}

static void put_padding(output *f, int64_t bytes)
{
    static const char zeros[TAG];
    put(f, zeros, padded(bytes) - bytes);
}

static void put_element(output *f, uint32_t type, const void *content, int64_t bytes)
{
    put_tag(f, type, bytes);
    put(f, content, bytes);
    put_padding(f, bytes);
}

/* Bytes of an array before its values. */
static int64_t heading_size(const char *name)
{
    return TAG + 16 + 16 + TAG + padded((int64_t)strlen(name));
}

/* The tag of an array whose values take `content` bytes, tags included, and all that comes before them. */
static void put_array(output *f, uint32_t klass, int64_t nzmax, int64_t rows, int64_t cols, const char *name,
                      int64_t content)
{
    const uint32_t flags[2] = {klass, (uint32_t)nzmax};
    const int32_t dims[2] = {(int32_t)rows, (int32_t)cols};
    put_tag(f, MI_MATRIX, heading_size(name) - TAG + content);
    put_element(f, MI_UINT32, flags, sizeof flags);
    put_element(f, MI_INT32, dims, sizeof dims);
    put_element(f, MI_INT8, name, (int64_t)strlen(name));
}

static pith_status check_size(const output *f, const char *name, int64_t rows, int64_t cols, int64_t bytes)
{
    char text[32];
    if (rows <= INT32_MAX && cols <= INT32_MAX && bytes <= INT32_MAX - 1024)
        return PITH_OK;
    return pith_i_error(
        f->ctx, PITH_E_DATA,
        "%s: %s takes %s, but a variable in a .mat file is limited to 2 GB; write .npz or .h5ad instead",
        f->path, name, pith_i_bytes_text(bytes, text));
}

/* Columns j..end-1, one after the other. Going row by row uses whole cache lines of each row. */
static void take_columns(const pith_i_data *X, int64_t j, int64_t end, void *out)
{
    for (int64_t i = 0; i < X->n; i++)
        for (int64_t k = j; k < end; k++)
            pith_i_set_value(out, X->dtype, (k - j) * X->n + i,
                             pith_i_value(X->x, X->dtype, i * X->row_stride + k * X->col_stride));
}

static pith_status write_dense(const pith_i_data *X, output *f)
{
    const size_t mark = pith_i_scratch_mark(f->ctx);
    const int64_t size = (int64_t)pith_i_dtype_size(X->dtype), column = X->n * size;
    const int64_t step = column * 8 < BLOCK ? BLOCK / (column > 0 ? column : 1) : 8;
    const bool single = X->dtype == PITH_F32;
    pith_status st = PITH_OK;
    char *block = NULL;
    TRY(check_size(f, "X", X->n, X->p, column * X->p));
    TRY(SCRATCH(f->ctx, block, (step < X->p ? step : X->p) * column));
    put_array(f, single ? MX_SINGLE : MX_DOUBLE, 0, X->n, X->p, "X", TAG + padded(column * X->p));
    put_tag(f, single ? MI_SINGLE : MI_DOUBLE, column * X->p);
    for (int64_t j = 0; j < X->p && f->error == 0; j += step) {
        const int64_t end = X->p - j < step ? X->p : j + step;
        TRY(pith_i_progress(f->ctx, j, X->p));
        take_columns(X, j, end, block);
        put(f, block, (end - j) * column);
    }
    put_padding(f, column * X->p);
done:
    pith_i_scratch_release(f->ctx, mark);
    return st;
}

static void put_values(output *f, const pith_i_data *T, int64_t room)
{
    put_tag(f, MI_DOUBLE, room * 8);
    for (int64_t e = 0; e < room; e++) {
        const double v = e < T->indptr[T->n] ? pith_i_value(T->values, T->dtype, e) : 0;
        put(f, &v, sizeof v);
    }
}

static pith_status write_sparse(const pith_i_data *X, output *f)
{
    const int64_t nnz = pith_i_stored(X), room = nnz > 0 ? nnz : 1; /* MATLAB always has room for one */
    pith_i_data T = {0};
    pith_status st = PITH_OK;
    const int32_t none = 0;
    TRY(check_size(f, "X", X->n, X->p, 12 * room + 4 * X->p));
    TRY(pith_i_transpose(f->ctx, X, &T));
    put_array(f, MX_SPARSE, room, X->n, X->p, "X",
              3 * TAG + padded(4 * room) + padded(4 * (X->p + 1)) + 8 * room);
    put_element(f, MI_INT32, nnz > 0 ? T.indices : &none, 4 * room);
    put_tag(f, MI_INT32, 4 * (X->p + 1));
    for (int64_t j = 0; j <= X->p; j++) {
        const int32_t start = (int32_t)T.indptr[j];
        put(f, &start, sizeof start);
    }
    put_padding(f, 4 * (X->p + 1));
    TRY(pith_i_progress(f->ctx, 1, 2));
    put_values(f, &T, room);
done:
    pith_i_data_free(&T);
    return st;
}

/* The UTF-16 units of a text, into out unless it is NULL; their number. Bytes that are not UTF-8 become a
 * unit each. */
static int64_t units_of(const char *text, uint16_t *out)
{
    const char *end = text + strlen(text);
    int64_t count = 0;
    while (text < end) {
        uint32_t c = 0;
        const int bytes = pith_i_utf8(text, end, &c);
        if (bytes == 0)
            c = (unsigned char)*text;
        text += bytes > 0 ? bytes : 1;
        if (out != NULL && c < 0x10000)
            out[count] = (uint16_t)c;
        if (out != NULL && c >= 0x10000) {
            out[count] = (uint16_t)(0xD800 | (c - 0x10000) >> 10);
            out[count + 1] = (uint16_t)(0xDC00 | (c & 0x3FF));
        }
        count += c < 0x10000 ? 1 : 2;
    }
    return count;
}

/* A column of cells, one text each. */
static pith_status write_cells(output *f, const char *name, int64_t count, const char *const *texts)
{
    const size_t mark = pith_i_scratch_mark(f->ctx);
    const int64_t heading = heading_size("") + TAG;
    pith_status st = PITH_OK;
    int64_t content = 0, longest = 0;
    uint16_t *units = NULL;
    for (int64_t i = 0; i < count; i++) {
        const int64_t length = units_of(texts[i], NULL);
        content += heading + padded(2 * length);
        longest = length > longest ? length : longest;
    }
    TRY(check_size(f, name, count, 1, content));
    TRY(SCRATCH(f->ctx, units, longest));
    put_array(f, MX_CELL, 0, count, 1, name, content);
    for (int64_t i = 0; i < count; i++) {
        const int64_t length = units_of(texts[i], units);
        put_array(f, MX_CHAR, 0, length > 0, length, "", TAG + padded(2 * length));
        put_element(f, MI_UINT16, units, 2 * length);
    }
done:
    pith_i_scratch_release(f->ctx, mark);
    return st;
}

static pith_status write_names(output *f, const char *name, const pith_i_names *names)
{
    const size_t mark = pith_i_scratch_mark(f->ctx);
    pith_status st = PITH_OK;
    const char **texts = NULL;
    if (names->start == NULL)
        return PITH_OK;
    TRY(SCRATCH(f->ctx, texts, names->count));
    for (int64_t i = 0; i < names->count; i++)
        texts[i] = pith_i_name(names, i);
    TRY(write_cells(f, name, names->count, texts));
done:
    pith_i_scratch_release(f->ctx, mark);
    return st;
}

/* As numbers if all labels are numbers, else as texts. */
static pith_status write_labels(output *f, const pith_matrix *m)
{
    const size_t mark = pith_i_scratch_mark(f->ctx);
    const int64_t n = m->data.n;
    pith_status st = PITH_OK;
    const double none = (double)NAN;
    double *number = NULL;
    const char **texts = NULL;
    if (m->label == NULL)
        return PITH_OK;
    TRY(SCRATCH(f->ctx, number, m->classes.count));
    if (pith_i_classes_are_numbers(m, number)) {
        TRY(check_size(f, "Y", n, 1, 8 * n));
        put_array(f, MX_DOUBLE, 0, n, 1, "Y", TAG + 8 * n);
        put_tag(f, MI_DOUBLE, 8 * n);
        for (int64_t i = 0; i < n; i++)
            put(f, m->label[i] >= 0 ? &number[m->label[i]] : &none, sizeof *number);
    } else {
        TRY(SCRATCH(f->ctx, texts, n));
        for (int64_t i = 0; i < n; i++)
            texts[i] = pith_i_label_text(m, i);
        TRY(write_cells(f, "Y", n, texts));
    }
done:
    pith_i_scratch_release(f->ctx, mark);
    return st;
}

pith_status pith_i_mat_write(pith_ctx *ctx, const pith_matrix *m, pith_i_file *file)
{
    output f = {
        .ctx = ctx, .path = file->path != NULL ? file->path : "standard output", .stream = file->stream};
    pith_status st = PITH_OK;
    char heading[128];
    const uint16_t version[2] = {0x0100, 0x4D49}; /* the second one shows the byte order */
    memset(heading, ' ', sizeof heading);
    const int length = snprintf(heading, 116, "MATLAB 5.0 MAT-file, written by pith %s", pith_version());
    heading[length] = ' '; /* not the NUL of snprintf */
    memcpy(heading + 124, version, sizeof version);
    put(&f, heading, sizeof heading);
    TRY(m->data.sparse ? write_sparse(&m->data, &f) : write_dense(&m->data, &f));
    TRY(write_labels(&f, m));
    TRY(write_names(&f, "feature_names", &m->features));
    TRY(write_names(&f, "sample_names", &m->samples));
    if (f.error != 0)
        FAIL(ctx, PITH_E_FILE, "%s: cannot be written: %s", f.path, strerror(f.error));
done:
    return st;
}
