/* R data as tables of the library, without a copy, and back. */
#include "pithr.h"

#include <math.h>
#include <string.h>

/* ---- In --------------------------------------------------------------------------------------------- */

static bool borrow_dense(call *c, SEXP table, pith_matrix **out)
{
    SEXP x = item(table, "x");
    const int rows = Rf_nrows(x), cols = Rf_ncols(x);
    if (Rf_asLogical(item(table, "by_rows"))) /* R stores columns contiguously */
        return call_good(c, pith_matrix_dense(c->ctx, rows, cols, PITH_F64, REAL(x), 1, rows, out));
    return call_good(c, pith_matrix_dense(c->ctx, cols, rows, PITH_F64, REAL(x), rows, 1, out));
}

/* The library does not know the lengths of the arrays, so the last row pointer is checked here. */
static bool borrow_csr(call *c, SEXP table, pith_matrix **out)
{
    SEXP p = item(table, "p"), j = item(table, "j"), x = item(table, "x");
    const int64_t n = (int64_t)Rf_xlength(p) - 1;
    if (!Rf_isInteger(p) || !Rf_isInteger(j) || !Rf_isReal(x) || n < 0 || Rf_xlength(j) != Rf_xlength(x) ||
        INTEGER(p)[n] > Rf_xlength(j))
        Rf_error("the sparse matrix is invalid: its slots do not match");
    int64_t *start = (int64_t *)(void *)R_alloc((size_t)n + 1, sizeof *start);
    for (int64_t i = 0; i <= n; i++)
        start[i] = INTEGER(p)[i];
    return call_good(c, pith_matrix_csr(c->ctx, n, (int64_t)Rf_asReal(item(table, "columns")), PITH_F64,
                                        start, INTEGER(j), REAL(x), out));
}

bool table_borrow(call *c, SEXP table, pith_matrix **out)
{
    SEXP x = item(table, "x");
    if (Rf_isNull(item(table, "p"))) {
        if (!Rf_isReal(x) || !Rf_isMatrix(x))
            Rf_error("a matrix of doubles is expected");
        return borrow_dense(c, table, out);
    }
    return borrow_csr(c, table, out);
}

typedef pith_status set_fn(pith_ctx *, pith_matrix *, const char *const *);

static bool set_texts(call *c, SEXP table, const char *name, int64_t count, set_fn *set)
{
    SEXP strings = item(table, name);
    if (Rf_isNull(strings))
        return true;
    if (!Rf_isString(strings) || Rf_xlength(strings) != count)
        Rf_error("%s: %d texts expected", name, (int)count);
    return call_good(c, set(c->ctx, c->m, texts_of(strings)));
}

bool table_open(call *c)
{
    SEXP table = item(c->given, "table");
    if (!table_borrow(c, table, &c->m))
        return false;
    const int64_t n = pith_matrix_rows(c->m), p = pith_matrix_cols(c->m);
    return set_texts(c, table, "features", p, pith_matrix_set_feature_names) &&
           set_texts(c, table, "samples", n, pith_matrix_set_sample_names) &&
           set_texts(c, table, "labels", n, pith_matrix_set_labels) &&
           set_texts(c, table, "batches", n, pith_matrix_set_batches);
}

/* ---- Out -------------------------------------------------------------------------------------------- */

static double value_at(const pith_matrix *m, const void *values, int64_t i)
{
    return pith_matrix_dtype(m) == PITH_F64 ? ((const double *)values)[i]
                                            : (double)((const float *)values)[i];
}

static SEXP export_dense(const pith_matrix *m, const pith_arrays *at)
{
    const int64_t n = pith_matrix_rows(m), p = pith_matrix_cols(m);
    SEXP x = PROTECT(Rf_allocMatrix(REALSXP, (int)n, (int)p));
    for (int64_t j = 0; j < p; j++)
        for (int64_t i = 0; i < n; i++)
            REAL(x)[j * n + i] = value_at(m, at->x, i * at->row_stride + j * at->col_stride);
    UNPROTECT(1);
    return x;
}

static void export_csr(const pith_matrix *m, const pith_arrays *at, list *l)
{
    const int64_t n = pith_matrix_rows(m), stored = at->indptr[n];
    if (stored > INT32_MAX)
        Rf_error("the prepared table has more than 2^31 - 1 entries, which a dgCMatrix cannot hold");
    SEXP p = Rf_allocVector(INTSXP, (R_xlen_t)n + 1);
    list_put(l, "p", p);
    for (int64_t i = 0; i <= n; i++)
        INTEGER(p)[i] = (int)at->indptr[i];
    SEXP j = Rf_allocVector(INTSXP, (R_xlen_t)stored);
    list_put(l, "j", j);
    if (stored > 0)
        memcpy(INTEGER(j), at->indices, (size_t)stored * sizeof *at->indices);
    SEXP x = Rf_allocVector(REALSXP, (R_xlen_t)stored);
    list_put(l, "x", x);
    for (int64_t i = 0; i < stored; i++)
        REAL(x)[i] = value_at(m, at->values, i);
}

typedef const char *name_fn(const pith_matrix *, int64_t);

static SEXP names_of(const pith_matrix *m, int64_t count, name_fn *name)
{
    if (count == 0 || name(m, 0) == NULL)
        return R_NilValue;
    SEXP out = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)count));
    for (int64_t i = 0; i < count; i++) {
        const char *text = name(m, i);
        SET_STRING_ELT(out, (R_xlen_t)i, text == NULL ? NA_STRING : Rf_mkCharCE(text, CE_UTF8));
    }
    UNPROTECT(1);
    return out;
}

static SEXP origin_of(const pith_matrix *m)
{
    const int64_t p = pith_matrix_cols(m);
    SEXP out = Rf_allocVector(INTSXP, (R_xlen_t)p);
    for (int64_t j = 0; j < p; j++)
        INTEGER(out)[j] = (int)pith_matrix_origin(m, j) + 1;
    return out;
}

SEXP table_export(const pith_matrix *m)
{
    const pith_arrays at = pith_matrix_arrays(m);
    list l = list_new(pith_matrix_is_sparse(m) ? 9 : 7);
    list_put(&l, "rows", Rf_ScalarInteger((int)pith_matrix_rows(m)));
    list_put(&l, "columns", Rf_ScalarInteger((int)pith_matrix_cols(m)));
    if (pith_matrix_is_sparse(m))
        export_csr(m, &at, &l);
    else
        list_put(&l, "x", export_dense(m, &at));
    list_put(&l, "features", names_of(m, pith_matrix_cols(m), pith_matrix_feature_name));
    list_put(&l, "samples", names_of(m, pith_matrix_rows(m), pith_matrix_sample_name));
    list_put(&l, "origin", origin_of(m));
    list_put(&l, "steps", text_of(pith_matrix_steps(m)));
    return list_done(&l);
}

/* ---- Preparing -------------------------------------------------------------------------------------- */

/* Documents in given$texts, or a table. */
static SEXP prep(call *c)
{
    SEXP texts = item(c->given, "texts");
    const char *steps = item_text(c, "steps");
    if (!call_open(c))
        return R_NilValue;
    if (!Rf_isNull(texts)) {
        if (!call_good(c, pith_prep_texts(c->ctx, (int64_t)Rf_xlength(texts), texts_of(texts), NULL, steps,
                                          &c->own)))
            return R_NilValue;
    } else if (!table_open(c) || !call_good(c, pith_prep(c->ctx, c->m, steps, &c->own))) {
        return R_NilValue;
    }
    return table_export(c->own);
}

SEXP pithr_prep(SEXP given)
{
    return call_run(given, prep);
}
