#include "linalg/cholesky.h"

#include "matrix/blas.h"

#include <math.h>

extern void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t uplo_length);

/* 0, or the number of the row at which A turns out not to be positive definite. */
static int factor(int size, double *A)
{
    int info = 0;
    if (size == 0)
        return 0;
    pith_i_blas_enter();
    dpotrf_("U", &size, A, &size, &info, 1); /* LAPACK's upper triangle by columns is our lower by rows */
    pith_i_blas_leave();
    for (int64_t i = 0; info == 0 && i < size; i++) /* LAPACK lets NaN pass, and it reaches the diagonal */
        info = isfinite(A[i * size + i]) ? 0 : (int)i + 1;
    return info;
}

pith_status pith_i_cholesky(pith_ctx *ctx, int64_t n, double *A)
{
    if (n > INT32_MAX)
        return pith_i_error(ctx, PITH_E_NUMERIC, "a dense system of %lld rows is too large", (long long)n);
    const int info = factor((int)n, A);
    if (info != 0)
        return pith_i_error(ctx, PITH_E_NUMERIC,
                            "a %d x %d system is not positive definite (LAPACK dpotrf: %d): the values "
                            "differ too much in magnitude, or a penalty is too small",
                            (int)n, (int)n, info);
    return PITH_OK;
}

bool pith_i_cholesky_try(int64_t n, double *A)
{
    return n <= INT32_MAX && factor((int)n, A) == 0;
}

static void triangle(CBLAS_TRANSPOSE transposed, int64_t n, const double *L, int64_t m, double *B)
{
    if (n == 0 || m == 0)
        return;
    pith_i_blas_enter();
    if (m == 1)
        cblas_dtrsv(CblasRowMajor, CblasLower, transposed, CblasNonUnit, (int)n, L, (int)n, B, 1);
    else
        cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, transposed, CblasNonUnit, (int)n, (int)m, 1, L,
                    (int)n, B, (int)m);
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
