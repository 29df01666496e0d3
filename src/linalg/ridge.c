#include "linalg/ridge.h"

#include "matrix/blas.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

extern void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t uplo_length);
extern void dpotrs_(const char *uplo, const int *n, const int *nrhs, const double *a, const int *lda,
                    double *b, const int *ldb, int *info, size_t uplo_length);

/* x <- (gram + lambda I)^-1 x for vectors of length n, lambda = ridge trace(gram) / samples. The upper half
 * of gram by rows is LAPACK's lower half by columns. */
static bool solve(int n, int64_t samples, double ridge, double *gram, int vectors, double *x)
{
    int info = 0;
    double trace = 0;
    for (int64_t i = 0; i < n; i++)
        trace += gram[i * n + i];
    if (!(trace > 0) || !isfinite(trace))
        return false;
    for (int64_t i = 0; i < n; i++)
        gram[i * n + i] += ridge * trace / (double)samples;
    dpotrf_("L", &n, gram, &n, &info, 1);
    if (info != 0)
        return false;
    dpotrs_("L", &n, &vectors, gram, &n, x, &n, &info, 1);
    return info == 0;
}

bool pith_i_ridge(int64_t n, int64_t m, int64_t targets, const double *B, const double *Y, double ridge,
                  double *gram, double *work, double *A)
{
    const int rows = (int)n, columns = (int)m, t = (int)targets;
    if (m > n) {
        cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, rows, columns, 1, B, rows, 0, gram, rows);
        memcpy(work, Y, (size_t)(n * targets) * sizeof *work);
        if (!solve(rows, n, ridge, gram, t, work))
            return false;
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, t, columns, rows, 1, work, rows, B, rows, 0, A,
                    columns);
        return true;
    }
    cblas_dsyrk(CblasRowMajor, CblasUpper, CblasNoTrans, columns, rows, 1, B, rows, 0, gram, columns);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, t, columns, rows, 1, Y, rows, B, rows, 0, A,
                columns);
    return solve(columns, n, ridge, gram, t, A);
}
