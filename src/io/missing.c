/* Treatment of values that are NaN or infinite. Zeros that sparse data does not store are not missing. */
#include "io/fields.h"

#include <math.h>
#include <string.h>

/* Where a row's entries lie in the array of values (first, count, stride), and their columns. */
typedef struct row_view {
    int64_t first, count, step;
    const int32_t *columns; /* NULL: the e-th is column e */
} row_view;

static row_view row_of(const pith_i_data *X, int64_t i)
{
    if (X->sparse)
        return (row_view){X->indptr[i], X->indptr[i + 1] - X->indptr[i], 1, X->indices + X->indptr[i]};
    return (row_view){i * X->row_stride, X->p, X->col_stride, NULL};
}

static const void *values_of(const pith_i_data *X)
{
    return X->sparse ? X->values : X->x;
}

static double value_at(const pith_i_data *X, const row_view *r, int64_t e)
{
    return pith_i_value(values_of(X), X->dtype, r->first + e * r->step);
}

static int64_t column_at(const row_view *r, int64_t e)
{
    return r->columns != NULL ? r->columns[e] : e;
}

/* Position in row i of its first value that is not finite, or -1. */
static int64_t first_bad(const pith_i_data *X, int64_t i)
{
    const row_view r = row_of(X, i);
    for (int64_t e = 0; e < r.count; e++)
        if (!isfinite(value_at(X, &r, e)))
            return e;
    return -1;
}

/* "'goal'" or "3": the feature, for messages. */
static const char *show_feature(const pith_matrix *m, int64_t j, char text[PITH_I_SHOWN])
{
    const char *name = pith_i_name(&m->features, j);
    if (name != NULL)
        return pith_i_show(name, (int64_t)strlen(name), text);
    (void)snprintf(text, PITH_I_SHOWN, "%lld", (long long)j + 1);
    return text;
}

static pith_status check(pith_ctx *ctx, const char *path, const pith_matrix *m)
{
    enum { SOME = 64 };
    const pith_i_data *X = &m->data;
    const int64_t row_bytes = pith_i_stored(X) / (X->n > 0 ? X->n : 1) * 12; /* 12 an entry, at most */
    char feature[PITH_I_SHOWN];
    int64_t bad = INT64_MAX;
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) reduction(min : bad)
    for (int64_t i = 0; i < X->n; i++) {
        if (i < bad && first_bad(X, i) >= 0)
            bad = i;
        if (i % SOME == 0)
            pith_i_touched(ctx, SOME * row_bytes);
    }
    if (bad == INT64_MAX)
        return PITH_OK;
    const row_view r = row_of(X, bad);
    const int64_t e = first_bad(X, bad);
    const double v = value_at(X, &r, e);
    return pith_i_error(ctx, PITH_E_DATA,
                        "%s: row %lld, column %s (counted from 1) is %s; correct it, or choose --missing "
                        "drop-rows, mean or zero",
                        path, (long long)bad + 1, show_feature(m, column_at(&r, e), feature),
                        isnan(v) ? "NaN" : "infinite");
}

static pith_status drop_rows(pith_ctx *ctx, const char *path, pith_matrix *m)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    int64_t *kept = NULL, count = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, kept, m->data.n));
    for (int64_t i = 0; i < m->data.n; i++)
        if (first_bad(&m->data, i) < 0)
            kept[count++] = i;
    if (count == 0)
        FAIL(ctx, PITH_E_DATA, "%s: every row has a missing value; choose --missing mean or zero", path);
    if (count < m->data.n)
        TRY(pith_i_matrix_keep_rows(ctx, m, count, kept));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* mean_j of the count_j finite values of column j, summed in the order of the rows. */
static void column_means(const pith_i_data *X, double *mean, int64_t *count)
{
    for (int64_t j = 0; j < X->p; j++) {
        mean[j] = 0;
        count[j] = X->sparse ? X->n : 0;
    }
    for (int64_t i = 0; i < X->n; i++) {
        const row_view r = row_of(X, i);
        for (int64_t e = 0; e < r.count; e++) {
            const double v = value_at(X, &r, e);
            const int64_t j = column_at(&r, e);
            if (isfinite(v))
                mean[j] += v;
            count[j] += X->sparse ? -!isfinite(v) : !!isfinite(v);
        }
    }
    for (int64_t j = 0; j < X->p; j++)
        mean[j] /= (double)(count[j] > 0 ? count[j] : 1);
}

/* Replaces bad values by the column's value in `by`; NULL: by zero. */
static pith_status replace(pith_ctx *ctx, pith_matrix *m, const double *by)
{
    pith_i_data *X = &m->data;
    pith_i_data_drop_transpose(X);
    const pith_status st = pith_i_data_own(ctx, X);
    if (st != PITH_OK)
        return st;
    void *values = X->sparse ? pith_i_data_values(X) : pith_i_data_x(X);
    for (int64_t i = 0; i < X->n; i++) {
        const row_view r = row_of(X, i);
        for (int64_t e = 0; e < r.count; e++)
            if (!isfinite(value_at(X, &r, e))) {
                pith_i_set_value(values, X->dtype, r.first + e * r.step,
                                 by != NULL ? by[column_at(&r, e)] : 0);
                if (m->place != NULL)
                    m->place->changed = true;
            }
    }
    return PITH_OK;
}

static pith_status fill_with_means(pith_ctx *ctx, const char *path, pith_matrix *m)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    char feature[PITH_I_SHOWN];
    int64_t *count = NULL;
    double *mean = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, mean, m->data.p));
    TRY(SCRATCH(ctx, count, m->data.p));
    column_means(&m->data, mean, count);
    for (int64_t j = 0; j < m->data.p; j++)
        if (count[j] == 0 || !isfinite(mean[j]))
            FAIL(ctx, PITH_E_DATA, "%s: column %s has no %s; leave it out, or choose --missing zero", path,
                 show_feature(m, j, feature), count[j] == 0 ? "value in any row" : "finite mean");
    TRY(replace(ctx, m, mean));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_missing_apply(pith_ctx *ctx, const char *path, pith_missing missing, pith_matrix *m)
{
    pith_status st = PITH_OK;
    if (m->known_finite)
        return PITH_OK;
    switch (missing) {
    case PITH_MISSING_ERROR: TRY(check(ctx, path, m)); break;
    case PITH_MISSING_DROP_ROWS: TRY(drop_rows(ctx, path, m)); break;
    case PITH_MISSING_MEAN: TRY(fill_with_means(ctx, path, m)); break;
    case PITH_MISSING_ZERO: TRY(replace(ctx, m, NULL)); break;
    case PITH_MISSING_KEEP: return PITH_OK;
    default: FAIL(ctx, PITH_E_ARGUMENT, "%d is not a way to treat missing values", (int)missing);
    }
    m->known_finite = true;
done:
    return st;
}
