#include "methods/lgdfs/lu.h"

#include "matrix/blas.h"

#include <math.h>

extern void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *pivot, int *info);
extern void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *lda,
                    const int *pivot, double *b, const int *ldb, int *info, size_t trans_length);

pith_status pith_i_lu(pith_ctx *ctx, int64_t n, double *A, int *pivot)
{
    const int size = (int)n;
    int info = 0;
    if (n > INT32_MAX)
        return pith_i_error(ctx, PITH_E_NUMERIC, "a dense system of %lld rows is too large", (long long)n);
    if (n == 0)
        return PITH_OK;
    pith_i_blas_enter();
    dgetrf_(&size, &size, A, &size, pivot, &info); /* of A': LAPACK's columns are our rows */
    pith_i_blas_leave();
    for (int64_t i = 0; info == 0 && i < n; i++)
        info = isfinite(A[i * n + i]) ? 0 : (int)i + 1;
    if (info != 0)
        return pith_i_error(ctx, PITH_E_NUMERIC,
                            "a %d x %d system is singular (LAPACK dgetrf: %d): the values differ too much in "
                            "magnitude, or a penalty is too small",
                            size, size, info);
    return PITH_OK;
}

void pith_i_lu_solve(int64_t n, const double *factors, const int *pivot, int64_t m, double *x)
{
    const int size = (int)n, count = (int)m;
    int info = 0;
    if (n == 0 || m == 0)
        return;
    pith_i_blas_enter();
    dgetrs_("T", &size, &count, factors, &size, pivot, x, &size, &info, 1);
    pith_i_blas_leave();
}
