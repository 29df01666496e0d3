#include "linalg/cholesky.h"

#include "matrix/blas.h"

#include <math.h>

extern void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t uplo_length);

pith_status pith_i_cholesky(pith_ctx *ctx, int64_t n, double *A)
{
    const int size = (int)n;
    int info = 0;
    if (n > INT32_MAX)
        return pith_i_error(ctx, PITH_E_NUMERIC, "a dense system of %lld rows is too large", (long long)n);
    if (n == 0)
        return PITH_OK;
    pith_i_blas_enter();
    dpotrf_("U", &size, A, &size, &info, 1); /* LAPACK's upper triangle by columns is our lower by rows */
    pith_i_blas_leave();
    for (int64_t i = 0; info == 0 && i < n; i++) /* LAPACK lets NaN pass, and it reaches the diagonal */
        info = isfinite(A[i * n + i]) ? 0 : (int)i + 1;
    if (info != 0)
        return pith_i_error(
            ctx, PITH_E_NUMERIC,
            "a %d x %d system is not positive definite (LAPACK dpotrf: %d): the data's values "
            "differ too much in size, or a penalty is too small",
            size, size, info);
    return PITH_OK;
}

static void triangle(CBLAS_TRANSPOSE turned, int64_t n, const double *L, int64_t m, double *B)
{
    if (n == 0 || m == 0)
        return;
    pith_i_blas_enter();
    if (m == 1)
        cblas_dtrsv(CblasRowMajor, CblasLower, turned, CblasNonUnit, (int)n, L, (int)n, B, 1);
    else
        cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, turned, CblasNonUnit, (int)n, (int)m, 1, L, (int)n,
                    B, (int)m);
    pith_i_blas_leave();
}

void pith_i_cholesky_forward(int64_t n, const double *L, int64_t m, double *B)
{
    triangle(CblasNoTrans, n, L, m, B);
}

void pith_i_cholesky_solve(int64_t n, const double *L, int64_t m, double *B)
{
    triangle(CblasNoTrans, n, L, m, B);
    triangle(CblasTrans, n, L, m, B);
}
