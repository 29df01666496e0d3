/*
 * Writing .h5ad from .h5ad: everything in the source is copied, reduced to the rows and columns that are
 * kept. A damaged source may break libhdf5, so it is read by the process pith-hdf5, which also writes the
 * output: see hdf5/keep.c. This side sends the numbers of the rows and columns to keep, and X if its values
 * have changed.
 */
#include "io/hdf5.h"
#include "io/npy.h"
#include "io/variables.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

typedef struct keeping {
    pith_ctx *ctx;
    pith_i_hdf5 f;
    const pith_i_file *file; /* the output */
    int64_t most;            /* bytes that the output may have */
} keeping;

/* ---- Requests ------------------------------------------------------------------------------------ */

static pith_status unwritten(const keeping *k, int64_t code)
{
    struct rlimit limit;
    if (code == EFBIG && getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
        (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > (rlim_t)k->most))
        return pith_i_error(k->ctx, PITH_E_DATA,
                            "%s: cannot be copied: it unpacks to far more than its size allows", k->f.path);
    return pith_i_error(k->ctx, PITH_E_FILE, "%s: cannot be written%s%s", k->file->path, code > 0 ? ": " : "",
                        code > 0 ? strerror((int)code) : "");
}

/* As pith_i_hdf5_ask, but a reported problem is an error. about: the object it concerns; NULL: the reply
 * tells. */
static pith_status ask(keeping *k, pith_i_hdf5_request *q, const char *about, pith_i_hdf5_reply *r)
{
    const pith_status st = pith_i_hdf5_ask(&k->f, q, r);
    if (st != PITH_OK)
        return st;
    if (r->problem == PITH_I_HDF5_UNWRITTEN)
        return unwritten(k, r->number[0]);
    return pith_i_hdf5_explain(&k->f, about != NULL ? about : r->text, r);
}

static void name_it(pith_i_hdf5_request *q, const char *name)
{
    (void)snprintf(q->name, sizeof q->name, "%s", name);
}

/* ---- What is kept -------------------------------------------------------------------------------- */

static pith_status send_axis(keeping *k, int axis, int64_t size, int64_t count, const int64_t *kept)
{
    pith_i_hdf5_request q = {.op = PITH_I_HDF5_AXIS, .type = axis, .first = size, .count = count};
    const int64_t bytes = kept != NULL ? count * (int64_t)sizeof *kept : 0;
    pith_i_hdf5_reply r;
    pith_status st = PITH_OK;
    for (int64_t i = 0; kept != NULL && i < count; i++)
        if (kept[i] < 0 || kept[i] >= size || (i > 0 && kept[i] <= kept[i - 1]))
            FAIL(k->ctx, PITH_E_ARGUMENT, "%s: its %s must be in the same order as in %s", k->file->path,
                 axis == 0 ? "rows" : "columns", k->f.path);
    TRY(pith_i_hdf5_window(&k->f, bytes));
    if (bytes > 0)
        TRY(pith_i_hdf5_fill(&k->f, 0, kept, bytes));
    TRY(ask(k, &q, axis == 0 ? "rows" : "columns", &r));
done:
    return st;
}

static pith_status copy_file(keeping *k, const pith_i_place *place)
{
    pith_i_hdf5_request q = {.op = PITH_I_HDF5_KEEP,
                             .type = place->changed ? PITH_I_HDF5_NEW_X : PITH_I_HDF5_AS_STORED};
    pith_i_hdf5_reply r;
    pith_status st = PITH_OK;
    char shown[PITH_I_HDF5_NAME];
    if (strlen(place->matrix) >= sizeof q.name)
        FAIL(k->ctx, PITH_E_DATA, "%s: the name of its matrix is too long", k->f.path);
    name_it(&q, place->matrix);
    TRY(ask(k, &q, NULL, &r));
    if (r.count > 0)
        pith_i_note(
            k->ctx,
            "%s: written without %s of %s, which cannot be reduced to the selected samples and features",
            k->file->path, pith_i_printable(r.text, shown, sizeof shown), k->f.path);
    if (strcmp(place->matrix, "X") != 0)
        pith_i_note(k->ctx, "%s: X is %s of %s, whose own X is not kept", k->file->path, place->matrix,
                    k->f.path);
done:
    return st;
}

/* ---- X, where it has changed ---------------------------------------------------------------------- */

/* Writes lines first..first+count-1, `bytes` bytes in all, into the array `id`. */
static pith_status write_lines(keeping *k, int64_t id, pith_i_hdf5_type type, int64_t first, int64_t count,
                               const void *lines, int64_t bytes)
{
    pith_i_hdf5_request q = {.op = PITH_I_HDF5_WRITE, .type = type, .id = id, .first = first, .count = count};
    pith_i_hdf5_reply r;
    pith_status st = PITH_OK;
    TRY(pith_i_hdf5_window(&k->f, bytes));
    TRY(pith_i_hdf5_fill(&k->f, 0, lines, bytes));
    TRY(ask(k, &q, "X", &r));
done:
    return st;
}

static pith_status new_array(keeping *k, const char *name, pith_i_hdf5_type type, int64_t lines,
                             int64_t columns, int64_t *id)
{
    pith_i_hdf5_request q = {.op = PITH_I_HDF5_DENSE, .type = type, .first = lines, .count = columns};
    pith_i_hdf5_reply r;
    name_it(&q, name);
    const pith_status st = ask(k, &q, name, &r);
    *id = st == PITH_OK ? r.id : -1;
    return st;
}

static pith_status put_list(keeping *k, const char *name, pith_i_hdf5_type type, int64_t count, size_t size,
                            const void *values)
{
    enum { STEP = 1 << 20 };
    pith_status st = PITH_OK;
    int64_t id = -1;
    TRY(new_array(k, name, type, count, -1, &id));
    for (int64_t i = 0; i < count; i += STEP) {
        const int64_t many = count - i < STEP ? count - i : STEP;
        TRY(write_lines(k, id, type, i, many, (const char *)values + (size_t)i * size, many * (int64_t)size));
    }
done:
    pith_i_hdf5_release(&k->f, id);
    return st;
}

static pith_status put_sparse(keeping *k, const pith_i_data *X)
{
    const size_t mark = pith_i_scratch_mark(k->ctx), size = pith_i_dtype_size(X->dtype);
    const int64_t base = X->indptr[0], nnz = X->indptr[X->n] - base;
    pith_i_hdf5_request q = {.op = PITH_I_HDF5_SPARSE, .first = X->n, .count = X->p};
    pith_i_hdf5_reply r;
    pith_status st = PITH_OK;
    int64_t *start = NULL;
    TRY(SCRATCH(k->ctx, start, X->n + 1));
    for (int64_t i = 0; i <= X->n; i++)
        start[i] = X->indptr[i] - base;
    name_it(&q, "X");
    TRY(ask(k, &q, "X", &r));
    TRY(put_list(k, "X/data", X->dtype == PITH_F32 ? PITH_I_HDF5_F32 : PITH_I_HDF5_F64, nnz, size,
                 (const char *)X->values + (size_t)base * size));
    TRY(put_list(k, "X/indices", PITH_I_HDF5_I32, nnz, sizeof *X->indices, X->indices + base));
    TRY(put_list(k, "X/indptr", PITH_I_HDF5_I64, X->n + 1, sizeof *start, start));
done:
    pith_i_scratch_release(k->ctx, mark);
    return st;
}

static pith_status put_dense(keeping *k, const pith_i_data *X)
{
    const size_t mark = pith_i_scratch_mark(k->ctx), size = pith_i_dtype_size(X->dtype);
    const int64_t line = (int64_t)size * X->p, step = 1 + PITH_I_HDF5_HALF / (line + 1);
    const pith_i_hdf5_type type = X->dtype == PITH_F32 ? PITH_I_HDF5_F32 : PITH_I_HDF5_F64;
    pith_status st = PITH_OK;
    int64_t id = -1;
    char *rows = NULL;
    TRY(SCRATCH(k->ctx, rows, step * line));
    TRY(new_array(k, "X", type, X->n, X->p, &id));
    for (int64_t i = 0; i < X->n; i += step) {
        const int64_t many = X->n - i < step ? X->n - i : step;
        pith_i_npy_rows(X, i, i + many, rows);
        TRY(write_lines(k, id, type, i, many, rows, many * line));
    }
done:
    pith_i_hdf5_release(&k->f, id);
    pith_i_scratch_release(k->ctx, mark);
    return st;
}

/* ---- Labels from another file --------------------------------------------------------------------- */

static int64_t length_of(const pith_i_names *names, int64_t i)
{
    return (int64_t)strlen(pith_i_name(names, i)) + 1;
}

static pith_status put_labels(keeping *k, const pith_matrix *m)
{
    const size_t mark = pith_i_scratch_mark(k->ctx);
    const int64_t of_codes = m->data.n * (int64_t)sizeof *m->label;
    pith_i_hdf5_request q = {.op = PITH_I_HDF5_LABELS, .first = m->data.n, .count = m->classes.count};
    pith_i_hdf5_reply r;
    pith_status st = PITH_OK;
    int64_t bytes = of_codes, at = of_codes;
    char *packed = NULL;
    for (int64_t c = 0; c < m->classes.count; c++)
        bytes += length_of(&m->classes, c);
    TRY(SCRATCH(k->ctx, packed, bytes));
    memcpy(packed, m->label, (size_t)of_codes);
    for (int64_t c = 0; c < m->classes.count; at += length_of(&m->classes, c++))
        memcpy(packed + at, pith_i_name(&m->classes, c), (size_t)length_of(&m->classes, c));
    TRY(pith_i_hdf5_window(&k->f, bytes));
    TRY(pith_i_hdf5_fill(&k->f, 0, packed, bytes));
    TRY(ask(k, &q, "obs", &r));
    if (r.count != 1)
        pith_i_note(k->ctx, "%s: written without the labels: its obs is not a table that can hold them",
                    k->file->path);
done:
    pith_i_scratch_release(k->ctx, mark);
    return st;
}

/* ---- All of it ----------------------------------------------------------------------------------- */

static pith_status put_all(keeping *k, const pith_matrix *m)
{
    const pith_i_place *place = m->place;
    pith_i_hdf5_request q = {.op = PITH_I_HDF5_FINISH};
    pith_i_hdf5_reply r;
    pith_status st = PITH_OK;
    TRY(send_axis(k, 0, place->rows, m->data.n, place->row));
    TRY(send_axis(k, 1, place->columns, m->data.p, place->column));
    TRY(copy_file(k, place));
    if (place->changed)
        TRY(m->data.sparse ? put_sparse(k, &m->data) : put_dense(k, &m->data));
    if (place->labelled && m->label != NULL)
        TRY(put_labels(k, m));
    TRY(ask(k, &q, "", &r));
done:
    return st;
}

/* The process may claim to have written what it has not: checked before the old file is replaced. */
static pith_status look_at_output(keeping *k, const char *path)
{
    static const char signature[8] = "\x89HDF\r\n\x1a\n";
    char begins[sizeof signature] = "";
    FILE *f = fopen(path, "rb");
    const bool good =
        f != NULL && fread(begins, sizeof begins, 1, f) == 1 && memcmp(begins, signature, sizeof begins) == 0;
    if (f != NULL)
        (void)fclose(f);
    return good ? PITH_OK : pith_i_hdf5_failed(&k->f);
}

/*
 * A limit on the output's size: a crafted file could have its contents copied any number of times. Reduced
 * arrays are compressed as before, so an honest file does not grow, except for texts, which are laid out
 * anew.
 */
static int64_t most_bytes(const pith_i_bytes *source, const pith_matrix *m)
{
    enum { FURTHER = 1 << 26 };
    const int64_t of_entry = (int64_t)pith_i_dtype_size(m->data.dtype) + (m->data.sparse ? 4 : 0);
    const int64_t of_x = pith_i_stored(&m->data) * of_entry + 8 * (m->data.n + 1);
    return 2 * source->size + FURTHER + of_x;
}

pith_status pith_i_h5ad_write_with(pith_ctx *ctx, const pith_matrix *m, const char *source, pith_i_file *file)
{
    keeping k = {.ctx = ctx, .f = {.socket = -1, .shared = -1}, .file = file};
    pith_i_bytes bytes = {0};
    pith_status st = PITH_OK;
    const char *path = pith_i_file_path(ctx, file);
    if (path == NULL)
        return PITH_E_FILE;
    TRY(pith_i_bytes_load(ctx, source, &bytes));
    k.most = most_bytes(&bytes, m);
    TRY(pith_i_hdf5_open_both(ctx, source, &bytes, path, k.most, &k.f));
    TRY(put_all(&k, m));
    TRY(look_at_output(&k, path));
done:
    pith_i_hdf5_close(&k.f);
    pith_i_bytes_free(&bytes);
    return st;
}
