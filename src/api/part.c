#include "api/part.h"

#include "core/engine.h"
#include "select/spread.h"

pith_status pith_i_part_tell(pith_ctx *ctx, pith_i_parting *what)
{
    double word = (double)*what;
    const pith_status st = pith_i_sum_by(ctx, PITH_ENGINE_MOST, 1, &word);
    *what = st == PITH_OK ? (pith_i_parting)(int)word : PITH_I_PART_FAILED;
    return st;
}

static int64_t first_row(pith_ctx *ctx, int64_t n, int process)
{
    const int64_t processes = pith_i_processes(ctx), each = n / processes, more = n % processes;
    return each * process + (process < more ? process : more);
}

/* A method that works on parts needs no names, labels or batches of samples. Process 0 keeps the names and
 * labels of all samples, for files that are written later. */
static pith_status set_samples_aside(pith_ctx *ctx, pith_matrix *m)
{
    pith_matrix *all = NULL;
    pith_status st = PITH_OK;
    if (pith_i_process(ctx) == 0) {
        TRY(pith_i_matrix_new(ctx, &all));
        all->data.n = m->data.n;
        all->samples = m->samples;
        all->classes = m->classes;
        all->label = m->label;
        m->samples = m->classes = (pith_i_names){0};
        m->label = NULL;
        m->samples_of_all = all;
    }
    pith_i_names_free(&m->samples);
    pith_i_names_free(&m->classes);
    pith_i_names_free(&m->batches);
    pith_i_free(m->label);
    pith_i_free(m->batch);
    pith_i_place_free(m->place);
    m->label = m->batch = NULL;
    m->place = NULL;
    pith_i_data_drop_transpose(&m->data);
done:
    return st;
}

pith_status pith_i_part_keep(pith_ctx *ctx, pith_matrix *m)
{
    pith_i_data *X = &m->data;
    const int own = pith_i_process(ctx);
    const int64_t first = first_row(ctx, X->n, own), count = first_row(ctx, X->n, own + 1) - first,
                  size = (int64_t)pith_i_dtype_size(X->dtype);
    int64_t *indptr = NULL;
    pith_status st = PITH_OK;
    TRY(set_samples_aside(ctx, m));
    if (!X->sparse) {
        X->x = (const char *)X->x + first * X->row_stride * size;
    } else { /* row pointers are owned; columns and values lie in the file */
        const int64_t base = X->indptr[first];
        TRY(NEW(ctx, indptr, count + 1));
        for (int64_t i = 0; i <= count; i++)
            indptr[i] = X->indptr[first + i] - base;
        pith_i_free(X->owned[0]);
        X->owned[0] = indptr;
        X->indptr = indptr;
        X->indices += base;
        X->values = (const char *)X->values + base * size;
    }
    X->n = count;
done:
    return st;
}

/* ---- Sending the parts --------------------------------------------------------------------------------- */

typedef struct dealing {
    pith_ctx *ctx;
    const pith_i_data *whole; /* in process 0: row-major or CSR */
    int64_t n, p, size;
    bool sparse;
    pith_dtype dtype;
    int64_t *send_at, *receive_at;
} dealing;

/* Tells all processes the shape that process 0 knows. */
static pith_status tell_shape(dealing *d)
{
    double shape[4] = {0};
    pith_status st = PITH_OK;
    if (d->whole != NULL) {
        shape[0] = (double)d->whole->n;
        shape[1] = (double)d->whole->p;
        shape[2] = d->whole->sparse;
        shape[3] = d->whole->dtype == PITH_F64;
    }
    TRY(pith_i_sum(d->ctx, 4, shape));
    d->n = (int64_t)shape[0];
    d->p = (int64_t)shape[1];
    d->sparse = shape[2] != 0;
    d->dtype = shape[3] != 0 ? PITH_F64 : PITH_F32;
    d->size = (int64_t)pith_i_dtype_size(d->dtype);
done:
    return st;
}

/* Sends every process its rows of one array. at_row, in process 0: the first entry of every row; NULL: one
 * entry per row. each: bytes per entry; bytes: what this process receives. */
static pith_status deal_array(dealing *d, const int64_t *at_row, int64_t each, const void *from,
                              int64_t bytes, void *to)
{
    const int processes = pith_i_processes(d->ctx);
    for (int r = 0; r <= processes; r++) {
        const int64_t row = first_row(d->ctx, d->n, r);
        d->send_at[r] = d->whole == NULL ? 0 : (at_row != NULL ? at_row[row] : row) * each;
        d->receive_at[r] = r > 0 ? bytes : 0;
    }
    return pith_i_exchange_into(d->ctx, d->send_at, from, d->receive_at, to);
}

static pith_status deal_sparse(dealing *d, int64_t rows, pith_i_data *out)
{
    const size_t mark = pith_i_scratch_mark(d->ctx);
    const int64_t n = d->whole != NULL ? d->n : 0, *indptr = d->whole != NULL ? d->whole->indptr : NULL;
    int64_t *length = NULL, *own = NULL, entries = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(d->ctx, length, n));
    TRY(SCRATCH(d->ctx, own, rows));
    for (int64_t i = 0; i < n; i++)
        length[i] = indptr[i + 1] - indptr[i];
    TRY(deal_array(d, NULL, 8, length, rows * 8, own));
    for (int64_t i = 0; i < rows; i++)
        entries += own[i];
    TRY(pith_i_data_new_csr(d->ctx, rows, d->p, entries, d->dtype, out));
    pith_i_data_indptr(out)[0] = 0;
    for (int64_t i = 0; i < rows; i++)
        pith_i_data_indptr(out)[i + 1] = pith_i_data_indptr(out)[i] + own[i];
    TRY(deal_array(d, indptr, 4, d->whole != NULL ? d->whole->indices : NULL, entries * 4,
                   pith_i_data_indices(out)));
    TRY(deal_array(d, indptr, d->size, d->whole != NULL ? d->whole->values : NULL, entries * d->size,
                   pith_i_data_values(out)));
done:
    pith_i_scratch_release(d->ctx, mark);
    return st;
}

static pith_status deal_dense(dealing *d, int64_t rows, pith_i_data *out)
{
    const int64_t line = d->p * d->size;
    pith_status st = PITH_OK;
    TRY(pith_i_data_new_dense(d->ctx, rows, d->p, d->dtype, out));
    TRY(deal_array(d, NULL, line, d->whole != NULL ? d->whole->x : NULL, rows * line, pith_i_data_x(out)));
done:
    return st;
}

pith_status pith_i_part_deal(pith_ctx *ctx, pith_matrix *m)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int own = pith_i_process(ctx);
    dealing d = {.ctx = ctx, .whole = own == 0 ? &m->data : NULL};
    pith_i_data copy = {0}, part = {0};
    pith_status st = PITH_OK;
    TRY(set_samples_aside(ctx, m));
    TRY(SCRATCH(ctx, d.send_at, pith_i_processes(ctx) + 1));
    TRY(SCRATCH(ctx, d.receive_at, pith_i_processes(ctx) + 1));
    if (own == 0 && !m->data.sparse && (m->data.col_stride != 1 || m->data.row_stride != m->data.p)) {
        TRY(pith_i_scaled(ctx, &m->data, m->data.dtype, NULL, NULL, NULL, &copy)); /* row-major */
        d.whole = &copy;
    }
    TRY(tell_shape(&d));
    const int64_t rows = first_row(ctx, d.n, own + 1) - first_row(ctx, d.n, own);
    TRY(d.sparse ? deal_sparse(&d, rows, &part) : deal_dense(&d, rows, &part));
    pith_i_data_free(&m->data);
    m->data = part;
    part = (pith_i_data){0};
done:
    pith_i_data_free(&copy);
    pith_i_data_free(&part);
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- Labels -------------------------------------------------------------------------------------------- */

pith_status pith_i_part_label(pith_ctx *ctx, pith_matrix *m)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    static const pith_i_names none = {0};
    const pith_matrix *all = m->samples_of_all;
    const int64_t n = m->data.n;
    int64_t labelled = all != NULL && all->label != NULL;
    dealing d = {.ctx = ctx, .whole = labelled != 0 ? &all->data : NULL, .n = all != NULL ? all->data.n : 0};
    const char **texts = NULL;
    int32_t *label = NULL;
    pith_i_names names = {0}, classes = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_sum_counts(ctx, 1, &labelled));
    if (labelled == 0)
        goto done;
    TRY(SCRATCH(ctx, d.send_at, pith_i_processes(ctx) + 1));
    TRY(SCRATCH(ctx, d.receive_at, pith_i_processes(ctx) + 1));
    TRY(SCRATCH(ctx, label, n));
    TRY(SCRATCH(ctx, texts, n));
    TRY(pith_i_spread_names(ctx, all != NULL ? &all->classes : &none, &classes));
    TRY(deal_array(&d, NULL, sizeof *label, all != NULL ? all->label : NULL, n * (int64_t)sizeof *label,
                   label));
    for (int64_t i = 0; i < n; i++)
        texts[i] = label[i] >= 0 ? pith_i_name(&classes, label[i]) : "";
    TRY(pith_i_names_copy(ctx, n, texts, &names));
    TRY(pith_i_matrix_label(ctx, m, &names));
done:
    pith_i_names_free(&names);
    pith_i_names_free(&classes);
    pith_i_scratch_release(ctx, mark);
    return st;
}
