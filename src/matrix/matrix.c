/* A table's names, labels and batches, and keeping some of its rows. */
#include "matrix/matrix.h"

#include "core/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

pith_status pith_i_matrix_new(pith_ctx *ctx, pith_matrix **out)
{
    pith_matrix *m = pith_i_alloc_zero(ctx, 1, sizeof *m);
    if (m == NULL)
        return PITH_E_NOMEM;
    *out = m;
    return PITH_OK;
}

void pith_matrix_free(pith_matrix *m)
{
    if (m == NULL)
        return;
    pith_i_data_free(&m->data);
    pith_i_names_free(&m->features);
    pith_i_names_free(&m->samples);
    pith_i_names_free(&m->classes);
    pith_i_free(m->label);
    pith_i_names_free(&m->batches);
    pith_i_free(m->batch);
    pith_i_free(m->reading);
    pith_i_free(m->steps);
    pith_i_free(m->origin);
    pith_i_place_free(m->place);
    pith_matrix_free(m->samples_of_all);
    pith_i_free(m);
}

pith_status pith_i_samples_copy(pith_ctx *ctx, const pith_matrix *from, pith_matrix *to)
{
    const pith_matrix *all = from->samples_of_all;
    pith_status st = PITH_OK;
    if (all == NULL)
        return PITH_OK;
    TRY(pith_i_matrix_new(ctx, &to->samples_of_all));
    to->samples_of_all->data.n = all->data.n;
    TRY(pith_i_names_take(ctx, &all->samples, all->data.n, NULL, &to->samples_of_all->samples));
    TRY(pith_i_labels_copy(ctx, all, to->samples_of_all));
done:
    return st;
}

const char *pith_i_name(const pith_i_names *names, int64_t i)
{
    return names->start == NULL || i < 0 || i >= names->count ? NULL : names->bytes + names->start[i];
}

const char *pith_i_feature_label(const pith_matrix *m, int64_t j, char made[24])
{
    const char *name = pith_i_name(&m->features, j);
    if (name != NULL)
        return name;
    (void)snprintf(made, 24, "f%lld", (long long)j);
    return made;
}

void pith_i_names_free(pith_i_names *names)
{
    pith_i_free(names->bytes);
    pith_i_free(names->start);
    *names = (pith_i_names){0};
}

pith_status pith_i_names_slices(pith_ctx *ctx, int64_t count, const char *const *at, const int64_t *length,
                                pith_i_names *out)
{
    pith_i_names names = {.count = count};
    pith_status st = PITH_OK;
    int64_t bytes = 0;
    for (int64_t i = 0; i < count; i++)
        bytes += length[i] + 1;
    TRY(NEW(ctx, names.start, count));
    TRY(NEW(ctx, names.bytes, bytes));
    bytes = 0;
    for (int64_t i = 0; i < count; i++) {
        names.start[i] = bytes;
        memcpy(names.bytes + bytes, at[i], (size_t)length[i]);
        names.bytes[bytes + length[i]] = '\0';
        bytes += length[i] + 1;
    }
    *out = names;
    return PITH_OK;
done:
    pith_i_names_free(&names);
    return st;
}

pith_status pith_i_names_copy(pith_ctx *ctx, int64_t count, const char *const *texts, pith_i_names *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_status st = PITH_OK;
    int64_t *length = NULL;
    TRY(SCRATCH(ctx, length, count));
    for (int64_t i = 0; i < count; i++) {
        if (texts[i] == NULL)
            FAIL(ctx, PITH_E_ARGUMENT, "text %lld (counted from 0) is NULL; a label that is missing is \"\"",
                 (long long)i);
        length[i] = (int64_t)strlen(texts[i]);
    }
    TRY(pith_i_names_slices(ctx, count, texts, length, out));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_names_take(pith_ctx *ctx, const pith_i_names *names, int64_t count, const int64_t *which,
                              pith_i_names *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_status st = PITH_OK;
    const char **texts = NULL;
    if (names->start == NULL)
        return PITH_OK;
    TRY(SCRATCH(ctx, texts, count));
    for (int64_t i = 0; i < count; i++)
        texts[i] = pith_i_name(names, which != NULL ? which[i] : i);
    TRY(pith_i_names_copy(ctx, count, texts, out));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status copy_classes(pith_ctx *ctx, int64_t n, const int32_t *label, const pith_i_names *classes,
                                int32_t **label_to, pith_i_names *classes_to)
{
    pith_status st = PITH_OK;
    if (label == NULL)
        return PITH_OK;
    TRY(pith_i_names_take(ctx, classes, classes->count, NULL, classes_to));
    TRY(NEW(ctx, *label_to, n));
    memcpy(*label_to, label, (size_t)n * sizeof *label);
done:
    return st;
}

pith_status pith_i_labels_copy(pith_ctx *ctx, const pith_matrix *from, pith_matrix *to)
{
    const int64_t n = from->data.n;
    pith_status st = PITH_OK;
    TRY(copy_classes(ctx, n, from->label, &from->classes, &to->label, &to->classes));
    TRY(copy_classes(ctx, n, from->batch, &from->batches, &to->batch, &to->batches));
done:
    return st;
}

int64_t pith_matrix_origin(const pith_matrix *m, int64_t j)
{
    return m->origin != NULL && j >= 0 && j < m->data.p ? m->origin[j] : j;
}

int64_t pith_i_matrix_column(const pith_matrix *m, int64_t origin)
{
    int64_t lo = 0, hi = m->data.p;
    if (m->origin == NULL)
        return origin >= 0 && origin < m->data.p ? origin : -1;
    while (lo < hi) {
        const int64_t middle = lo + (hi - lo) / 2;
        if (m->origin[middle] < origin)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo < m->data.p && m->origin[lo] == origin ? lo : -1;
}

typedef struct named_row {
    const char *text;
    double number; /* NaN: the text is not a number */
    int64_t row;
} named_row;

static int by_number(const void *a, const void *b)
{
    const named_row *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return strcmp(x->text, y->text);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(((const named_row *)a)->text, ((const named_row *)b)->text);
}

static double number_of(const char *text)
{
    double v = 0;
    return pith_i_parse_double(text, &v) && isfinite(v) ? v : (double)NAN;
}

bool pith_i_label_is_missing(const char *at, int64_t length)
{
    return length == 0 || (length == 3 && strncasecmp(at, "nan", 3) == 0) ||
           (length == 2 && memcmp(at, "NA", 2) == 0) || (length == 4 && memcmp(at, "<NA>", 4) == 0);
}

const char *pith_i_label_text(const pith_matrix *m, int64_t i)
{
    return m->label[i] >= 0 ? pith_i_name(&m->classes, m->label[i]) : "";
}

int64_t pith_i_labelled(const pith_matrix *m)
{
    int64_t count = 0;
    for (int64_t i = 0; m->label != NULL && i < m->data.n; i++)
        count += m->label[i] >= 0;
    return count;
}

/* The classes of n labels in order (by value if all are numbers, else bytewise), and the class of each label,
 * -1: it is missing. If all are missing, both stay empty. */
static pith_status number_classes(pith_ctx *ctx, const pith_i_names *labels, int32_t **label_out,
                                  pith_i_names *classes)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = labels->count;
    pith_status st = PITH_OK;
    named_row *rows = NULL;
    const char **texts = NULL;
    int32_t *label = NULL;
    bool numbers = true;
    int64_t count = 0, known = 0;
    TRY(SCRATCH(ctx, rows, n));
    TRY(SCRATCH(ctx, texts, n));
    TRY(NEW(ctx, label, n));
    for (int64_t i = 0; i < n; i++) {
        const char *text = pith_i_name(labels, i);
        label[i] = -1;
        if (pith_i_label_is_missing(text, (int64_t)strlen(text)))
            continue;
        rows[known] = (named_row){text, number_of(text), i};
        numbers = numbers && !isnan(rows[known].number);
        known++;
    }
    qsort(rows, (size_t)known, sizeof *rows, numbers ? by_number : by_text);
    for (int64_t i = 0; i < known; i++) {
        if (i == 0 || strcmp(rows[i].text, rows[i - 1].text) != 0)
            texts[count++] = rows[i].text;
        if (count > INT32_MAX)
            FAIL(ctx, PITH_E_DATA, "more than %d classes", INT32_MAX);
        label[rows[i].row] = (int32_t)(count - 1);
    }
    if (known > 0) {
        TRY(pith_i_names_copy(ctx, count, texts, classes));
        *label_out = label;
        label = NULL;
    }
done:
    pith_i_free(label);
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_matrix_label(pith_ctx *ctx, pith_matrix *m, const pith_i_names *labels)
{
    pith_i_names classes = {0};
    int32_t *label = NULL;
    const pith_status st = number_classes(ctx, labels, &label, &classes);
    if (st != PITH_OK)
        return st;
    pith_i_names_free(&m->classes);
    pith_i_free(m->label);
    m->classes = classes;
    m->label = label;
    return PITH_OK;
}

pith_status pith_i_matrix_batch(pith_ctx *ctx, pith_matrix *m, const char *where, const pith_i_names *batches)
{
    for (int64_t i = 0; i < batches->count; i++) {
        const char *text = pith_i_name(batches, i);
        if (pith_i_label_is_missing(text, (int64_t)strlen(text)))
            return pith_i_error(ctx, PITH_E_DATA,
                                "%s%ssample %lld (counted from 1) has no batch, and every sample needs one; "
                                "fill it in, or drop the sample",
                                where != NULL ? where : "", where != NULL ? ": " : "", (long long)i + 1);
    }
    pith_i_names names = {0};
    int32_t *batch = NULL;
    const pith_status st = number_classes(ctx, batches, &batch, &names);
    if (st != PITH_OK)
        return st;
    pith_i_names_free(&m->batches);
    pith_i_free(m->batch);
    m->batches = names;
    m->batch = batch;
    return PITH_OK;
}

/* The classes of some rows (NULL: of all) as texts; "": none. */
static pith_status class_texts(pith_ctx *ctx, const int32_t *label, const pith_i_names *classes,
                               int64_t count, const int64_t *rows, pith_i_names *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const char **texts = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, texts, count));
    for (int64_t i = 0; i < count; i++) {
        const int32_t k = label == NULL ? -1 : label[rows != NULL ? rows[i] : i];
        texts[i] = k >= 0 ? pith_i_name(classes, k) : "";
    }
    TRY(pith_i_names_copy(ctx, count, texts, out));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_matrix_batch_by(pith_ctx *ctx, pith_matrix *m, const char *where,
                                   const pith_matrix *labelled)
{
    pith_i_names batches = {0};
    pith_status st = PITH_OK;
    TRY(class_texts(ctx, labelled->label, &labelled->classes, m->data.n, NULL, &batches));
    TRY(pith_i_matrix_batch(ctx, m, where, &batches));
done:
    pith_i_names_free(&batches);
    return st;
}

pith_status pith_i_labels_take(pith_ctx *ctx, const pith_matrix *from, int64_t count, const int64_t *rows,
                               pith_matrix *to)
{
    pith_i_names labels = {0}, batches = {0};
    pith_status st = PITH_OK;
    if (from->label != NULL) {
        TRY(class_texts(ctx, from->label, &from->classes, count, rows, &labels));
        TRY(pith_i_matrix_label(ctx, to, &labels));
    }
    if (from->batch != NULL) {
        TRY(class_texts(ctx, from->batch, &from->batches, count, rows, &batches));
        TRY(pith_i_matrix_batch(ctx, to, NULL, &batches));
    }
done:
    pith_i_names_free(&labels);
    pith_i_names_free(&batches);
    return st;
}

static pith_status keep_names(pith_ctx *ctx, pith_i_names *names, int64_t count, const int64_t *kept)
{
    pith_i_names fewer = {0};
    const pith_status st = pith_i_names_take(ctx, names, count, kept, &fewer);
    if (st == PITH_OK) {
        pith_i_names_free(names);
        *names = fewer;
    }
    return st;
}

/* Moves the kept rows to the front of the owned array: kept ascends, so nothing is overwritten early. */
static void keep_dense(pith_i_data *X, int64_t count, const int64_t *kept)
{
    const size_t size = pith_i_dtype_size(X->dtype);
    char *x = pith_i_data_x(X);
    for (int64_t i = 0; X->col_stride == 1 && i < count; i++)
        memmove(x + (size_t)(i * X->row_stride) * size, x + (size_t)(kept[i] * X->row_stride) * size,
                (size_t)X->p * size);
    for (int64_t j = 0; X->col_stride != 1 && j < X->p; j++)
        for (int64_t i = 0; i < count; i++)
            memmove(x + (size_t)(i * X->row_stride + j * X->col_stride) * size,
                    x + (size_t)(kept[i] * X->row_stride + j * X->col_stride) * size, size);
    X->n = count;
}

static void keep_sparse(pith_i_data *X, int64_t count, const int64_t *kept)
{
    const size_t size = pith_i_dtype_size(X->dtype);
    int64_t at = 0;
    for (int64_t i = 0; i < count; i++) {
        const int64_t from = X->indptr[kept[i]], many = X->indptr[kept[i] + 1] - from;
        memmove(pith_i_data_indices(X) + at, X->indices + from, (size_t)many * sizeof(int32_t));
        memmove((char *)pith_i_data_values(X) + (size_t)at * size,
                (const char *)X->values + (size_t)from * size, (size_t)many * size);
        pith_i_data_indptr(X)[i] = at; /* i <= kept[i]: its old start is not needed any more */
        at += many;
    }
    pith_i_data_indptr(X)[count] = at;
    X->n = count;
}

pith_status pith_i_matrix_keep_rows(pith_ctx *ctx, pith_matrix *m, int64_t count, const int64_t *kept)
{
    pith_i_place *place = NULL;
    pith_status st = PITH_OK;
    TRY(pith_i_place_take(ctx, m->place, count, kept, m->data.p, NULL, &place));
    pith_i_place_free(m->place);
    m->place = place;
    TRY(keep_names(ctx, &m->samples, count, kept));
    TRY(pith_i_labels_take(ctx, m, count, kept, m));
    pith_i_data_drop_transpose(&m->data);
    TRY(pith_i_data_own(ctx, &m->data));
    if (m->data.sparse)
        keep_sparse(&m->data, count, kept);
    else
        keep_dense(&m->data, count, kept);
done:
    return st;
}
