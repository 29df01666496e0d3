/* Eigenpairs of dense symmetric matrices: LAPACK's dsyevr by its Fortran name, on one thread. */
#include "linalg/eigen.h"
#include "matrix/blas.h"

extern void dsyevr_(const char *jobz, const char *range, const char *uplo, const int *n, double *a,
                    const int *lda, const double *vl, const double *vu, const int *il, const int *iu,
                    const double *abstol, int *m, double *w, double *z, const int *ldz, int *isuppz,
                    double *work, const int *lwork, int *iwork, const int *liwork, int *info,
                    size_t jobz_length, size_t range_length, size_t uplo_length);

typedef struct workspace {
    int *support, *iwork, lwork, liwork;
    double *work;
} workspace;

static int dsyevr(int n, double *A, int first, int last, double *values, double *vectors, workspace *w)
{
    const double unused = 0, best = 0; /* abstol 0: as accurate as it can be */
    const int all = first == 1 && last == n;
    int info = 0, found = 0;
    dsyevr_("V", all ? "A" : "I", "L", &n, A, &n, &unused, &unused, &first, &last, &best, &found, values,
            vectors, &n, w->support, w->work, &w->lwork, w->iwork, &w->liwork, &info, 1, 1, 1);
    return info != 0 || found == last - first + 1 || w->lwork == -1 ? info : 1;
}

pith_status pith_i_eigen_dense_range(pith_ctx *ctx, int64_t n, double *A, int64_t first, int64_t count,
                                     double *values, double *vectors)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_status st = PITH_OK;
    double size = 0, *all = NULL;
    int isize = 0, info = 0;
    if (n < 1 || n > 40000) /* n^2 must fit LAPACK's 32-bit sizes */
        FAIL(ctx, PITH_E_NUMERIC,
             "all eigenvectors of %lld rows are too many for a dense solver (at most 40000)", (long long)n);
    workspace w = {.lwork = -1, .liwork = -1, .work = &size, .iwork = &isize};
    (void)dsyevr((int)n, A, (int)first + 1, (int)(first + count), values, vectors, &w);
    w.lwork = (int)size;
    w.liwork = isize;
    TRY(SCRATCH(ctx, w.work, w.lwork));
    TRY(SCRATCH(ctx, w.iwork, w.liwork));
    TRY(SCRATCH(ctx, w.support, 2 * n));
    TRY(SCRATCH(ctx, all, n)); /* dsyevr writes n values even where fewer are wanted */
    pith_i_blas_enter();
    info = dsyevr((int)n, A, (int)first + 1, (int)(first + count), all, vectors, &w);
    pith_i_blas_leave();
    if (info != 0)
        FAIL(ctx, PITH_E_NUMERIC, "no eigenvectors of a dense %lld x %lld matrix (LAPACK dsyevr: %d)",
             (long long)n, (long long)n, info);
    for (int64_t v = 0; v < count; v++) {
        values[v] = all[v];
        pith_i_fix_sign(n, vectors + v * n);
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_eigen_dense(pith_ctx *ctx, int64_t n, double *A, double *values, double *vectors)
{
    return pith_i_eigen_dense_range(ctx, n, A, 0, n, values, vectors);
}
