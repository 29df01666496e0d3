/* Random tables and the same table in every form that data can have. */
#ifndef PITH_TESTS_UNIT_TABLES_H
#define PITH_TESTS_UNIT_TABLES_H

#include "core/random.h"
#include "matrix/data.h"
#include "unit/support.h"

typedef enum form {
    ROW_MAJOR,
    COLUMN_MAJOR,
    STRIDED,    /* neither rows nor columns are contiguous */
    DENSE_PART, /* rows 3.. of a larger table */
    CSR,        /* with zeros among the stored entries */
    CSR_PART,   /* rows 3.. of a larger table: the row pointers do not begin at 0 */
    FORMS
} form;

/* Values are multiples of 1/64 below 64 in size: float holds them exactly, and so do sums of products. */
static inline double *random_table(pith_ctx *ctx, int64_t n, int64_t p, double density, uint64_t place)
{
    pith_i_stream s = pith_i_stream_at(11, PITH_I_RANDOM_BENCH, place);
    double *x = pith_i_scratch_zero(ctx, n * p, sizeof *x);
    for (int64_t e = 0; e < n * p; e++)
        if (pith_i_random_uniform(&s) < density)
            x[e] = (double)(pith_i_random_below(&s, 8191) - 4095) / 64;
    return x;
}

static inline void *copy_values(pith_ctx *ctx, const double *x, int64_t count, pith_dtype dtype)
{
    void *values = pith_i_scratch(ctx, count, pith_i_dtype_size(dtype));
    for (int64_t e = 0; e < count; e++)
        pith_i_set_value(values, dtype, e, x[e]);
    return values;
}

/* x placed so that element (i, j) is at i * rs + j * cs of `room` values; the others are NaN. */
static inline void *place_values(pith_ctx *ctx, const double *x, const pith_i_data *X, int64_t room)
{
    void *values = pith_i_scratch(ctx, room, pith_i_dtype_size(X->dtype));
    for (int64_t e = 0; e < room; e++)
        pith_i_set_value(values, X->dtype, e, (double)NAN);
    for (int64_t i = 0; i < X->n; i++)
        for (int64_t j = 0; j < X->p; j++)
            pith_i_set_value(values, X->dtype, i * X->row_stride + j * X->col_stride, x[i * X->p + j]);
    return values;
}

/* Every third zero is stored. The first `before` rows hold 7 everywhere and are not part of x. */
static inline pith_i_data as_csr(pith_ctx *ctx, const double *x, int64_t n, int64_t p, pith_dtype dtype,
                                 int64_t before)
{
    const int64_t most = (n + before) * p;
    int64_t *indptr = pith_i_scratch_zero(ctx, n + before + 1, sizeof *indptr), at = 0;
    int32_t *indices = pith_i_scratch(ctx, most, sizeof *indices);
    void *values = pith_i_scratch(ctx, most, pith_i_dtype_size(dtype));
    for (int64_t i = 0; i < n + before; i++) {
        for (int64_t j = 0; j < p; j++) {
            const double v = i < before ? 7 : x[(i - before) * p + j];
            if (v == 0 && (i + j) % 3 != 0)
                continue;
            indices[at] = (int32_t)j;
            pith_i_set_value(values, dtype, at++, v);
        }
        indptr[i + 1] = at;
    }
    const pith_i_data whole = {.n = n + before,
                               .p = p,
                               .dtype = dtype,
                               .sparse = true,
                               .indptr = indptr,
                               .indices = indices,
                               .values = values};
    return pith_i_data_rows(&whole, before, n);
}

/* The table x (n x p, row-major) in that form; its memory is scratch. */
static inline pith_i_data as_form(pith_ctx *ctx, const double *x, int64_t n, int64_t p, form f,
                                  pith_dtype dtype)
{
    enum { BEFORE = 3 };
    pith_i_data X = {.n = n, .p = p, .dtype = dtype};
    switch (f) {
    case ROW_MAJOR: X.row_stride = p, X.col_stride = 1; break;
    case COLUMN_MAJOR: X.row_stride = 1, X.col_stride = n; break;
    case STRIDED: X.row_stride = 3 * p + 5, X.col_stride = 2; break;
    case DENSE_PART: X.row_stride = p + 2, X.col_stride = 1; break;
    case CSR: return as_csr(ctx, x, n, p, dtype, 0);
    case CSR_PART:
    case FORMS: return as_csr(ctx, x, n, p, dtype, BEFORE);
    }
    if (f != DENSE_PART) {
        X.x = place_values(ctx, x, &X, n * X.row_stride + p * X.col_stride);
        return X;
    }
    double *larger = pith_i_scratch(ctx, (n + BEFORE) * p, sizeof *larger);
    for (int64_t e = 0; e < (n + BEFORE) * p; e++)
        larger[e] = e < BEFORE * p ? 7 : x[e - BEFORE * p];
    X.n = n + BEFORE;
    X.x = place_values(ctx, larger, &X, X.n * X.row_stride);
    return pith_i_data_rows(&X, BEFORE, n);
}

static inline double value_at(const pith_i_data *X, int64_t i, int64_t j)
{
    if (!X->sparse)
        return pith_i_cell(X, i, j);
    for (int64_t e = X->indptr[i]; e < X->indptr[i + 1]; e++)
        if (X->indices[e] == j)
            return pith_i_at(X, i, e);
    return 0;
}

static inline void assert_is_table(const pith_i_data *X, int64_t n, int64_t p, const double *x)
{
    assert_int_equal(X->n, n);
    assert_int_equal(X->p, p);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < p; j++)
            if (!(value_at(X, i, j) == x[i * p + j]))
                fail_msg("(%lld, %lld): %.17g, not %.17g", (long long)i, (long long)j, value_at(X, i, j),
                         x[i * p + j]);
}

/* `for (each_form(f, dtype))` runs over all forms in both dtypes. */
#define each_form(f, dtype)                                                                                  \
    int c_ = 0, f = 0, dtype = PITH_F32;                                                                     \
    c_ < 2 * FORMS;                                                                                          \
    c_++, f = c_ / 2, dtype = c_ % 2 == 0 ? PITH_F32 : PITH_F64

#endif
