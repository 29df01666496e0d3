#include "io/spread_write.h"

#include "core/engine.h"
#include "io/npy.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 1 << 20 }; /* bytes that are written at once */

bool pith_i_takes_parts(const char *path)
{
    return pith_i_has_ending(path, ".npy") || pith_i_has_ending(path, ".npz");
}

typedef struct writing {
    pith_ctx *ctx;
    const pith_matrix *m;
    const char *path;
    pith_i_shape shape;    /* of the table of all processes */
    int64_t first, before; /* rows and entries of the processes before this one */
    bool archive;
    pith_i_file file; /* open in process 0 alone */
    pith_i_zip zip;
    char *temporary; /* the name of the temporary file, in every process; scratch */
    int fd;
    int64_t count;
    pith_i_spread_array arrays[PITH_I_SPREAD_MOST];
} writing;

static pith_status cannot_write(const writing *w)
{
    return pith_i_error(w->ctx, PITH_E_FILE, "%s: cannot be written: %s", w->path,
                        strerror(errno != 0 ? errno : EIO));
}

/* ---- Who has which rows ------------------------------------------------------------------------------- */

/* Finds the shape of the whole table and this process's place in it. *fit: can parts be written? All
 * processes get the same answer. */
static pith_status measure(writing *w, bool *fit)
{
    const pith_i_data *X = &w->m->data;
    const pith_matrix *all_samples = w->m->samples_of_all;
    const int processes = pith_i_processes(w->ctx), own = pith_i_process(w->ctx);
    enum {
        NAMED,
        KNOWN,
        LOST,
        WORDS
    }; /* number of processes: whose part has labels or names; that know those of all samples; whose list of
          all samples does not fit */
    int64_t *all = NULL, word[WORDS] = {w->m->label != NULL || w->m->samples.start != NULL};
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(w->ctx, all, 2 * processes + 1));
    all[2 * own] = X->n;
    all[2 * own + 1] = X->sparse ? pith_i_stored(X) : 0;
    TRY(pith_i_sum_counts(w->ctx, 2 * processes, all));
    w->shape = (pith_i_shape){.p = X->p, .sparse = X->sparse, .dtype = X->dtype};
    for (int r = 0; r < processes; r++) {
        w->first += r < own ? all[2 * r] : 0;
        w->before += r < own ? all[2 * r + 1] : 0;
        w->shape.n += all[2 * r];
        w->shape.stored += all[2 * r + 1];
    }
    if (all_samples != NULL) {
        word[KNOWN] = all_samples->data.n == w->shape.n;
        word[LOST] = word[KNOWN] == 0 && (all_samples->label != NULL || all_samples->samples.start != NULL);
    }
    TRY(pith_i_sum_counts(w->ctx, WORDS, word));
    *fit = word[LOST] == 0 && (word[KNOWN] > 0 || word[NAMED] == 0);
done:
    return st;
}

/* ---- The file ----------------------------------------------------------------------------------------- */

/* Process 0: writes a temporary file with everything but the elements. */
static pith_status lay_out(writing *w)
{
    char header[PITH_I_NPY_HEADER];
    int count = 1;
    pith_status st = PITH_OK;
    TRY(pith_i_file_create(w->ctx, w->path, &w->file));
    TRY(pith_i_file_must_be_regular(w->ctx, &w->file));
    w->zip = (pith_i_zip){.ctx = w->ctx, .stream = w->file.stream, .path = w->file.path, .total = 1};
    if (w->archive) {
        TRY(pith_i_npz_lay_out(&w->zip, &w->shape, w->arrays, &count));
    } else {
        pith_i_npy_header(w->shape.dtype == PITH_F64 ? "<f8" : "<f4", w->shape.n, w->shape.p, header);
        (void)fwrite(header, 1, sizeof header, w->file.stream);
        w->arrays[0] = (pith_i_spread_array){.kind = PITH_I_SPREAD_ROWS, .at = PITH_I_NPY_HEADER};
    }
    w->count = count;
    if (fflush(w->file.stream) != 0)
        TRY(cannot_write(w));
done:
    return st;
}

/* Process 0 sends the file's name and the places of the arrays to all. */
static pith_status tell(writing *w)
{
    enum { MOST = 8192 };
    struct told {
        int64_t count;
        pith_i_spread_array arrays[PITH_I_SPREAD_MOST];
        char name[MOST];
    } *send = NULL, *came = NULL;
    const int processes = pith_i_processes(w->ctx);
    const bool first = pith_i_process(w->ctx) == 0;
    int64_t *send_at = NULL, *receive_at = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(w->ctx, send_at, processes + 1));
    TRY(SCRATCH(w->ctx, receive_at, processes + 1));
    TRY(SCRATCH_ZERO(w->ctx, send, first ? processes : 0));
    TRY(SCRATCH(w->ctx, came, 1));
    for (int r = 0; r <= processes; r++) {
        send_at[r] = first ? r * (int64_t)sizeof *send : 0;
        receive_at[r] = r > 0 ? (int64_t)sizeof *came : 0;
        if (!first || r == processes)
            continue;
        send[r].count = w->count;
        memcpy(send[r].arrays, w->arrays, sizeof w->arrays);
        (void)snprintf(send[r].name, MOST, "%s", w->file.temporary != NULL ? w->file.temporary : "");
    }
    TRY(pith_i_exchange_into(w->ctx, send_at, send, receive_at, came));
    w->count = came->count;
    memcpy(w->arrays, came->arrays, sizeof w->arrays);
    w->temporary = came->name;
done:
    return st;
}

/* ---- Elements ----------------------------------------------------------------------------------------- */

static pith_status put(const writing *w, pith_i_spread_array *a, const void *bytes, int64_t count,
                       int64_t *at)
{
    const char *from = bytes;
    if (w->archive)
        a->check = pith_i_zip_checksum((uint32_t)a->check, bytes, count);
    a->bytes += count;
    while (count > 0) {
        errno = 0;
        const ssize_t done = pwrite(w->fd, from, (size_t)count, (off_t)*at);
        if (done <= 0 && errno != EINTR)
            return cannot_write(w);
        from += done > 0 ? done : 0;
        *at += done > 0 ? done : 0;
        count -= done > 0 ? done : 0;
    }
    return PITH_OK;
}

/* Writes elements of `size` bytes that are already in their final form. */
static pith_status put_array(const writing *w, pith_i_spread_array *a, int64_t size, const void *elements,
                             int64_t count)
{
    int64_t at = a->at + w->before * size;
    pith_status st = PITH_OK;
    for (int64_t e = 0; e < count; e += BLOCK) {
        const int64_t some = pith_i_min(BLOCK, count - e);
        TRY(put(w, a, (const char *)elements + e * size, some * size, &at));
        pith_i_touched(w->ctx, some * size);
    }
done:
    return st;
}

static pith_status put_rows(const writing *w, pith_i_spread_array *a)
{
    const size_t mark = pith_i_scratch_mark(w->ctx);
    const pith_i_data *X = &w->m->data;
    const int64_t row = X->p * (int64_t)pith_i_dtype_size(X->dtype), block = 1 + BLOCK / (row + 1);
    int64_t at = a->at + w->first * row;
    char *rows = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(w->ctx, rows, block * row));
    for (int64_t i = 0; i < X->n; i += block) {
        const int64_t end = pith_i_min(X->n, i + block);
        TRY(pith_i_progress(w->ctx, i, X->n));
        pith_i_npy_rows(X, i, end, rows);
        TRY(put(w, a, rows, (end - i) * row, &at));
        pith_i_touched(w->ctx, (end - i) * row);
    }
done:
    pith_i_scratch_release(w->ctx, mark);
    return st;
}

/* Writes the end of every row; the first process also writes the 0 before them. */
static pith_status put_pointers(const writing *w, pith_i_spread_array *a)
{
    enum { SOME = 4096 };
    const pith_i_data *X = &w->m->data;
    const int64_t size = pith_i_pointer_bytes(&w->shape), from = pith_i_process(w->ctx) == 0 ? 0 : 1;
    int64_t wide[SOME], at = a->at + (w->first + from) * size;
    int32_t narrow[SOME];
    pith_status st = PITH_OK;
    for (int64_t i = from; i <= X->n; i += SOME) {
        const int64_t some = pith_i_min(SOME, X->n + 1 - i);
        for (int64_t e = 0; e < some; e++) {
            wide[e] = w->before + X->indptr[i + e] - X->indptr[0];
            narrow[e] = (int32_t)wide[e];
        }
        TRY(put(w, a, size == 4 ? (void *)narrow : (void *)wide, some * size, &at));
    }
done:
    return st;
}

static pith_status put_elements(writing *w)
{
    const pith_i_data *X = &w->m->data;
    const int64_t size = (int64_t)pith_i_dtype_size(X->dtype), base = X->sparse ? X->indptr[0] : 0,
                  stored = X->sparse ? pith_i_stored(X) : 0;
    pith_status st = PITH_OK;
    for (int64_t k = 0; k < w->count; k++) {
        pith_i_spread_array *a = &w->arrays[k];
        a->bytes = 0;
        a->check = 0;
        switch ((pith_i_spread_kind)a->kind) {
        case PITH_I_SPREAD_ROWS: TRY(put_rows(w, a)); break;
        case PITH_I_SPREAD_COLUMNS: TRY(put_array(w, a, 4, X->indices + base, stored)); break;
        case PITH_I_SPREAD_POINTERS: TRY(put_pointers(w, a)); break;
        case PITH_I_SPREAD_VALUES:
            TRY(put_array(w, a, size, (const char *)X->values + base * size, stored));
            break;
        }
    }
    if (fsync(w->fd) != 0)
        TRY(cannot_write(w));
done:
    return st;
}

/* ---- The whole file ----------------------------------------------------------------------------------- */

/* The checksums of whole arrays from those of their parts. *failed becomes true if any process failed. */
static pith_status join_checks(writing *w, bool *failed)
{
    const int processes = pith_i_processes(w->ctx), own = pith_i_process(w->ctx);
    int64_t *all = NULL, bad = *failed;
    pith_status st = PITH_OK;
    TRY(pith_i_sum_counts(w->ctx, 1, &bad));
    *failed = bad > 0;
    TRY(SCRATCH_ZERO(w->ctx, all, 2 * processes * w->count + 1));
    for (int64_t k = 0; k < w->count; k++) {
        all[2 * (own * w->count + k)] = w->arrays[k].bytes;
        all[2 * (own * w->count + k) + 1] = w->arrays[k].check;
    }
    TRY(pith_i_sum_counts(w->ctx, 2 * processes * w->count, all));
    for (int64_t k = 0; k < w->count; k++) {
        pith_i_spread_array *a = &w->arrays[k];
        *a = (pith_i_spread_array){.kind = a->kind, .at = a->at, .member = a->member};
        for (int r = 0; r < processes; r++) {
            const int64_t *part = all + 2 * (r * w->count + k);
            if (w->archive)
                a->check = pith_i_zip_joined((uint32_t)a->check, (uint32_t)part[1], part[0]);
            a->bytes += part[0];
        }
    }
done:
    return st;
}

/* Can all processes open the file? */
static pith_status open_all(writing *w, bool *can)
{
    int64_t blind = 0;
    pith_status st = PITH_OK;
    w->fd = w->temporary[0] != '\0' ? open(w->temporary, O_WRONLY | O_CLOEXEC) : -1;
    blind = w->fd < 0;
    TRY(pith_i_sum_counts(w->ctx, 1, &blind));
    *can = blind == 0;
done:
    return st;
}

/* Process 0, once all elements are written. */
static pith_status finish(writing *w)
{
    pith_status st = PITH_OK;
    if (w->archive)
        TRY(pith_i_npz_finish(&w->zip, (int)w->count, w->arrays, w->m, w->m->samples_of_all));
    TRY(pith_i_file_commit(w->ctx, &w->file));
done:
    return st;
}

pith_status pith_i_write_parts(pith_ctx *ctx, const pith_matrix *m, const char *path, bool *written)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const bool first = pith_i_process(ctx) == 0;
    writing w = {.ctx = ctx, .m = m, .path = path, .archive = pith_i_has_ending(path, ".npz"), .fd = -1};
    bool failed = false;
    pith_status st = PITH_OK, own = PITH_OK;
    *written = false;
    TRY(measure(&w, written));
    if (!*written)
        goto done;
    own = first ? lay_out(&w) : PITH_OK; /* the others learn of a failure by an empty name */
    if (own != PITH_OK)
        pith_i_file_discard(&w.file);
    TRY(tell(&w));
    TRY(open_all(&w, written));
    TRY(own);
    if (!*written)
        goto done;
    own = put_elements(&w);
    failed = own != PITH_OK;
    TRY(join_checks(&w, &failed));
    TRY(own);
    if (first && !failed) /* a process that failed returns its error */
        TRY(finish(&w));
done:
    if (w.fd >= 0)
        (void)close(w.fd);
    pith_i_file_discard(&w.file);
    pith_i_scratch_release(ctx, mark);
    return st;
}
