/*
 * Writing .h5ad by AnnData's on-disk specification (0.1.0 for the whole, as anndata 0.8 and later write it):
 * every object carries its encoding-type and encoding-version. Labels become the categorical column
 * obs/label. A table without names gets an index of numbers, which AnnData needs, and an attribute that tells
 * our reader so.
 */
#include "io/io.h"
#include "io/npy.h"

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <inttypes.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* libhdf5 keeps global state and prints its own errors: it is used between enter() and leave(), by one thread
 * at a time. */
typedef struct quiet {
    H5E_auto2_t print;
    void *user;
} quiet;

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static void enter(quiet *before)
{
    (void)pthread_mutex_lock(&one_at_a_time);
    (void)H5Eget_auto2(H5E_DEFAULT, &before->print, &before->user);
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

static void leave(const quiet *before)
{
    (void)H5Eclear2(H5E_DEFAULT);
    (void)H5Eset_auto2(H5E_DEFAULT, before->print, before->user);
    (void)pthread_mutex_unlock(&one_at_a_time);
}

/* What is being written. Once something has failed, the rest does nothing: `good` is checked at the end. */
typedef struct writing {
    pith_ctx *ctx;
    hid_t file, text, plain, group; /* a type for texts; properties of datasets and groups */
    bool good;
} writing;

static bool check(writing *w, herr_t code)
{
    w->good = w->good && code >= 0;
    return w->good;
}

static bool is_open(writing *w, hid_t id)
{
    return check(w, id < 0 ? -1 : 0);
}

/* ---- Attributes ---------------------------------------------------------------------------------- */

static void put_attribute(writing *w, hid_t at, const char *name, hid_t type, hid_t space, const void *value)
{
    const hid_t attribute = w->good ? H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT) : -1;
    if (is_open(w, attribute) && value != NULL)
        (void)check(w, H5Awrite(attribute, type, value));
    if (attribute >= 0)
        (void)check(w, H5Aclose(attribute));
}

static void put_text(writing *w, hid_t at, const char *name, const char *text)
{
    const hid_t scalar = H5Screate(H5S_SCALAR);
    put_attribute(w, at, name, w->text, scalar, (const void *)&text);
    (void)H5Sclose(scalar);
}

static void put_encoding(writing *w, hid_t at, const char *type, const char *version)
{
    put_text(w, at, "encoding-type", type);
    put_text(w, at, "encoding-version", version);
}

/* A list of texts, which may be empty. */
static void put_list(writing *w, hid_t at, const char *name, hsize_t count, const char *const *texts)
{
    const hid_t space = H5Screate_simple(1, &count, NULL);
    put_attribute(w, at, name, w->text, space, count > 0 ? (const void *)texts : NULL);
    (void)H5Sclose(space);
}

/* False, as h5py writes booleans: an enumeration. */
static void put_false(writing *w, hid_t at, const char *name)
{
    const hid_t type = H5Tenum_create(H5T_NATIVE_INT8), scalar = H5Screate(H5S_SCALAR);
    const int8_t no = 0, yes = 1;
    (void)check(w, H5Tenum_insert(type, "FALSE", &no));
    (void)check(w, H5Tenum_insert(type, "TRUE", &yes));
    put_attribute(w, at, name, type, scalar, &no);
    (void)H5Sclose(scalar);
    (void)H5Tclose(type);
}

/* ---- Groups and arrays --------------------------------------------------------------------------- */

static hid_t new_group(writing *w, hid_t at, const char *name, const char *type, const char *version)
{
    const hid_t g = w->good ? H5Gcreate2(at, name, H5P_DEFAULT, w->group, H5P_DEFAULT) : -1;
    if (is_open(w, g))
        put_encoding(w, g, type, version);
    return g;
}

static void close_group(writing *w, hid_t g)
{
    if (g >= 0)
        (void)check(w, H5Gclose(g));
}

/* A new dataset of one or two (cols >= 0) dimensions. */
static hid_t new_dataset(writing *w, hid_t at, const char *name, hid_t type, int64_t rows, int64_t cols)
{
    const hsize_t dims[2] = {(hsize_t)rows, (hsize_t)cols};
    const hid_t space = H5Screate_simple(cols < 0 ? 1 : 2, dims, NULL);
    const hid_t d = w->good ? H5Dcreate2(at, name, type, space, H5P_DEFAULT, w->plain, H5P_DEFAULT) : -1;
    (void)is_open(w, d);
    (void)H5Sclose(space);
    return d;
}

static void close_dataset(writing *w, hid_t d)
{
    if (d >= 0)
        (void)check(w, H5Dclose(d));
}

static void put_array(writing *w, hid_t at, const char *name, hid_t file_type, hid_t type, int64_t count,
                      const void *values, bool encoded)
{
    const hid_t d = new_dataset(w, at, name, file_type, count, -1);
    if (w->good && count > 0)
        (void)check(w, H5Dwrite(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    if (w->good && encoded)
        put_encoding(w, d, type == w->text ? "string-array" : "array", "0.2.0");
    close_dataset(w, d);
}

/* ---- The matrix ---------------------------------------------------------------------------------- */

static pith_status put_rows(writing *w, const pith_i_data *X, hid_t d, hid_t type, int64_t i, int64_t many,
                            void *rows)
{
    const hsize_t start[2] = {(hsize_t)i, 0}, size[2] = {(hsize_t)many, (hsize_t)X->p};
    const hid_t to = H5Dget_space(d), from = H5Screate_simple(2, size, NULL);
    pith_i_npy_rows(X, i, i + many, rows);
    (void)check(w, H5Sselect_hyperslab(to, H5S_SELECT_SET, start, NULL, size, NULL));
    (void)check(w, H5Dwrite(d, type, from, to, H5P_DEFAULT, rows));
    (void)H5Sclose(to);
    (void)H5Sclose(from);
    return pith_i_progress(w->ctx, i, X->n);
}

static pith_status put_dense(writing *w, const pith_i_data *X)
{
    const size_t mark = pith_i_scratch_mark(w->ctx), size = pith_i_dtype_size(X->dtype);
    const int64_t block = X->p > 0 ? 1 + (1 << 22) / ((int64_t)size * X->p) : 1;
    const bool single = X->dtype == PITH_F32;
    pith_status st = PITH_OK;
    const hid_t type = single ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
    const hid_t d = new_dataset(w, w->file, "X", single ? H5T_IEEE_F32LE : H5T_IEEE_F64LE, X->n, X->p);
    void *rows = pith_i_scratch(w->ctx, block * X->p, size);
    if (rows == NULL)
        TRY(PITH_E_NOMEM);
    for (int64_t i = 0; i < X->n && w->good; i += block)
        TRY(put_rows(w, X, d, type, i, X->n - i < block ? X->n - i : block, rows));
    if (w->good)
        put_encoding(w, d, "array", "0.2.0");
done:
    close_dataset(w, d);
    pith_i_scratch_release(w->ctx, mark);
    return st;
}

static pith_status put_sparse(writing *w, const pith_i_data *X)
{
    const size_t mark = pith_i_scratch_mark(w->ctx);
    const int64_t base = X->indptr[0], nnz = X->indptr[X->n] - base, shape[2] = {X->n, X->p};
    const bool single = X->dtype == PITH_F32, narrow = nnz <= INT32_MAX;
    const hsize_t two = 2;
    const hid_t space = H5Screate_simple(1, &two, NULL),
                g = new_group(w, w->file, "X", "csr_matrix", "0.1.0");
    pith_status st = PITH_OK;
    int64_t *start = NULL;
    TRY(SCRATCH(w->ctx, start, X->n + 1));
    for (int64_t i = 0; i <= X->n; i++)
        start[i] = X->indptr[i] - base;
    put_attribute(w, g, "shape", H5T_NATIVE_INT64, space, shape);
    put_array(w, g, "data", single ? H5T_IEEE_F32LE : H5T_IEEE_F64LE,
              single ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE, nnz,
              (const char *)X->values + (size_t)base * pith_i_dtype_size(X->dtype), false);
    TRY(pith_i_progress(w->ctx, 1, 3));
    put_array(w, g, "indices", H5T_STD_I32LE, H5T_NATIVE_INT32, nnz, X->indices + base, false);
    TRY(pith_i_progress(w->ctx, 2, 3));
    put_array(w, g, "indptr", narrow ? H5T_STD_I32LE : H5T_STD_I64LE, H5T_NATIVE_INT64, X->n + 1, start,
              false);
done:
    close_group(w, g);
    (void)H5Sclose(space);
    pith_i_scratch_release(w->ctx, mark);
    return st;
}

/* ---- Tables -------------------------------------------------------------------------------------- */

/* The names, or numbers if there are none. */
static pith_status put_index(writing *w, hid_t g, const pith_i_names *names, int64_t count)
{
    const size_t mark = pith_i_scratch_mark(w->ctx);
    const bool unnamed = names->start == NULL;
    pith_status st = PITH_OK;
    const char **texts = NULL;
    char(*made)[24] = NULL;
    TRY(SCRATCH(w->ctx, texts, count));
    TRY(SCRATCH(w->ctx, made, unnamed ? count : 0));
    for (int64_t i = 0; i < count; i++) {
        if (unnamed)
            (void)snprintf(made[i], sizeof made[i], "%" PRId64, i);
        texts[i] = unnamed ? made[i] : pith_i_name(names, i);
    }
    put_array(w, g, "_index", w->text, w->text, count, (const void *)texts, true);
    put_text(w, g, "_index", "_index");
    if (unnamed)
        put_text(w, g, "pith-unnamed", "the index counts rows: the data had no names");
done:
    pith_i_scratch_release(w->ctx, mark);
    return st;
}

static pith_status put_labels(writing *w, hid_t obs, const pith_matrix *m)
{
    const size_t mark = pith_i_scratch_mark(w->ctx);
    const int64_t classes = m->classes.count;
    pith_status st = PITH_OK;
    const char **texts = NULL;
    const hid_t type = classes <= INT8_MAX    ? H5T_STD_I8LE
                       : classes <= INT16_MAX ? H5T_STD_I16LE
                                              : H5T_STD_I32LE;
    const hid_t g = new_group(w, obs, "label", "categorical", "0.2.0");
    TRY(SCRATCH(w->ctx, texts, classes));
    for (int64_t c = 0; c < classes; c++)
        texts[c] = pith_i_name(&m->classes, c);
    put_false(w, g, "ordered");
    put_array(w, g, "categories", w->text, w->text, classes, (const void *)texts, true);
    put_array(w, g, "codes", type, H5T_NATIVE_INT32, m->data.n, m->label, true);
done:
    close_group(w, g);
    pith_i_scratch_release(w->ctx, mark);
    return st;
}

static pith_status put_table(writing *w, const char *name, const pith_i_names *names, int64_t count,
                             const pith_matrix *labels)
{
    static const char *const columns[] = {"label"};
    pith_status st = PITH_OK;
    const hid_t g = new_group(w, w->file, name, "dataframe", "0.2.0");
    TRY(put_index(w, g, names, count));
    put_list(w, g, "column-order", labels != NULL, columns);
    if (labels != NULL)
        TRY(put_labels(w, g, labels));
done:
    close_group(w, g);
    return st;
}

/* ---- All of it ----------------------------------------------------------------------------------- */

static pith_status put_all(writing *w, const pith_matrix *m)
{
    static const char *const empty[] = {"layers", "obsm", "obsp", "uns", "varm", "varp"};
    pith_status st = PITH_OK;
    put_encoding(w, w->file, "anndata", "0.1.0");
    TRY(m->data.sparse ? put_sparse(w, &m->data) : put_dense(w, &m->data));
    TRY(put_table(w, "obs", &m->samples, m->data.n, m->label != NULL ? m : NULL));
    TRY(put_table(w, "var", &m->features, m->data.p, NULL));
    for (size_t k = 0; k < COUNT(empty); k++)
        close_group(w, new_group(w, w->file, empty[k], "dict", "0.1.0"));
done:
    return st;
}

/* ---- The writer ---------------------------------------------------------------------------------- */

/* Texts lie in heaps: a reference of 16 bytes, a header of 16 bytes and padding for each. */
static int64_t size_of_names(const pith_i_names *names, int64_t count)
{
    int64_t size = 64 * count;
    for (int64_t i = 0; i < names->count; i++)
        size += (int64_t)strlen(pith_i_name(names, i));
    return size;
}

/* An upper bound on the size of the file. */
static int64_t size_of_file(const pith_matrix *m)
{
    enum { FURTHER = 1 << 18 }; /* groups, attributes, heaps that are not full */
    const int64_t pointers = m->data.sparse ? 8 * (m->data.n + 1) + 4 * pith_i_stored(&m->data) : 0;
    return FURTHER + pith_i_stored(&m->data) * (int64_t)pith_i_dtype_size(m->data.dtype) + pointers +
           size_of_names(&m->samples, m->data.n) + size_of_names(&m->features, m->data.p) + 4 * m->data.n +
           size_of_names(&m->classes, m->classes.count);
}

/* Reserves disk space beyond the end of the file, whose length does not change. Returns 0 or an errno. */
static int reserve(int fd, int64_t size)
{
    struct rlimit most; /* of a file's size, which fallocate() ignores with KEEP_SIZE */
    if (getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur != RLIM_INFINITY && most.rlim_cur < (rlim_t)size)
        return EFBIG;
    if (fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, size) == 0)
        return 0;
    return errno == ENOSPC || errno == EDQUOT || errno == EFBIG ? errno : 0; /* not every file system can */
}

/*
 * HDF5 crashes at the end of the program if it could not finish writing a file. So a full disk is detected
 * before HDF5 creates the file, and the space is then reserved in HDF5's file.
 */
static pith_status check_room(pith_ctx *ctx, const pith_i_file *file, const char *path, int64_t size)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    const int error = fd >= 0 ? reserve(fd, size) : errno;
    if (fd >= 0)
        (void)close(fd);
    if (error == 0)
        return PITH_OK;
    return pith_i_error(ctx, PITH_E_FILE, "%s: cannot be written: %s", file->path, strerror(error));
}

/* No timestamps are stored, so that the same data gives the same bytes. */
static void open_writing(writing *w, const char *path, int64_t size)
{
    void *handle = NULL;
    w->text = H5Tcopy(H5T_C_S1);
    w->plain = H5Pcreate(H5P_DATASET_CREATE);
    w->group = H5Pcreate(H5P_GROUP_CREATE);
    w->file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    w->good = w->file >= 0 && w->text >= 0 && w->plain >= 0 && w->group >= 0;
    (void)check(w, H5Tset_size(w->text, H5T_VARIABLE));
    (void)check(w, H5Tset_cset(w->text, H5T_CSET_UTF8));
    (void)check(w, H5Pset_obj_track_times(w->plain, false));
    (void)check(w, H5Pset_obj_track_times(w->group, false));
    if (w->good && H5Fget_vfd_handle(w->file, H5P_DEFAULT, &handle) >= 0)
        (void)reserve(*(const int *)handle, size);
}

static void close_writing(writing *w, const char *path)
{
    struct stat written;
    (void)H5Tclose(w->text);
    (void)H5Pclose(w->plain);
    (void)H5Pclose(w->group);
    if (w->file >= 0)
        (void)check(w, H5Fclose(w->file));
    if (stat(path, &written) == 0) /* gives back what was reserved beyond the end */
        (void)check(w, truncate(path, written.st_size));
}

/* HDF5 needs about 2 MB to create a file, and crashes if it does not get them. */
enum { HDF5_ROOM = 8 << 20 };

pith_status pith_i_h5ad_write(pith_ctx *ctx, const pith_matrix *m, pith_i_file *file)
{
    writing w = {.ctx = ctx, .file = -1, .good = true};
    const int64_t size = size_of_file(m);
    quiet before;
    pith_status st = PITH_OK;
    const char *path = pith_i_file_path(ctx, file);
    if (path == NULL)
        return PITH_E_FILE;
    TRY(check_room(ctx, file, path, size));
    TRY(pith_i_room(ctx, HDF5_ROOM));
    enter(&before);
    open_writing(&w, path, size);
    st = put_all(&w, m);
    close_writing(&w, path);
    leave(&before);
    if (st == PITH_OK && !w.good)
        FAIL(ctx, PITH_E_FILE, "%s: cannot be written", file->path);
done:
    return st;
}
