/*
 * Eigenpairs of dense symmetric matrices: LAPACK's dsyevd by its Fortran name, on one thread. (dsyevr can
 * take a range and is faster for it, but gives up on it where hundreds of eigenvalues differ by rounding.)
 */
#include "linalg/eigen_inside.h"
#include "matrix/blas.h"

#include <string.h>

extern void dsyevd_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w,
                    double *work, const int *lwork, int *iwork, const int *liwork, int *info,
                    size_t jobz_length, size_t uplo_length);

pith_status pith_i_eigen_dense_in_place(pith_ctx *ctx, int64_t n, double *A, double *values)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_status st = PITH_OK;
    double *work = NULL;
    int *iwork = NULL, info = 0;
    if (n < 1 || n > 30000) /* 2 n^2 must fit LAPACK's 32-bit sizes */
        FAIL(ctx, PITH_E_NUMERIC,
             "all eigenvectors of %lld rows are too many: at most 30000 rows are allowed", (long long)n);
    const int size = (int)n, lwork = 1 + 6 * size + 2 * size * size, liwork = 3 + 5 * size;
    TRY(SCRATCH(ctx, work, lwork));
    TRY(SCRATCH(ctx, iwork, liwork));
    pith_i_blas_enter();
    dsyevd_("V", "L", &size, A, &size, values, work, &lwork, iwork, &liwork, &info, 1, 1);
    pith_i_blas_leave();
    if (info != 0)
        FAIL(ctx, PITH_E_NUMERIC, "no eigenvectors of a dense %d x %d matrix (LAPACK dsyevd: %d)", size, size,
             info);
    for (int64_t v = 0; v < n; v++)
        pith_i_fix_sign(n, A + v * n);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_eigen_dense(pith_ctx *ctx, int64_t n, double *A, double *values, double *vectors)
{
    const pith_status st = pith_i_eigen_dense_in_place(ctx, n, A, values);
    if (st == PITH_OK)
        memcpy(vectors, A, (size_t)(n * n) * sizeof *A);
    return st;
}

pith_status pith_i_eigen_by_lapack(pith_ctx *ctx, const pith_i_operator *A, const pith_i_eigen_options *want,
                                   double *values, double *vectors)
{
    enum { BLOCK = 16 };
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_deflated d = {A, {A->n, {want->n_known, 0}, {want->known, NULL}}};
    const int64_t n = A->n;
    pith_status st = PITH_OK;
    double *matrix = NULL, *unit = NULL, *all = NULL;
    TRY(SCRATCH(ctx, matrix, n * n));
    TRY(SCRATCH(ctx, unit, n * BLOCK));
    TRY(SCRATCH(ctx, all, n));
    for (int64_t j = 0; j < n; j += BLOCK) {
        const int64_t cols = n - j < BLOCK ? n - j : BLOCK;
        TRY(pith_i_progress(ctx, j, 2 * n));
        memset(unit, 0, (size_t)(n * cols) * sizeof *unit);
        for (int64_t t = 0; t < cols; t++)
            unit[t * n + j + t] = 1;
        TRY(pith_i_deflated_apply(ctx, &d, cols, unit, matrix + j * n));
    }
    TRY(pith_i_eigen_dense_in_place(ctx, n, matrix, all));
    for (int64_t v = 0; v < want->m; v++) { /* from ascending to descending */
        values[v] = all[n - 1 - v] - 1;
        memcpy(vectors + v * n, matrix + (n - 1 - v) * n, (size_t)n * sizeof *vectors);
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
