#include "linalg/panel.h"

#include "core/parallel.h"
#include "matrix/blas.h"

enum { ROWS = 512 }; /* of one product */

typedef struct pair {
    pith_i_panel A, B;
} pair;

static void inner_part(const void *self, int64_t lo, int64_t hi, double *sums)
{
    const pith_i_panel A = ((const pair *)self)->A, B = ((const pair *)self)->B;
    if (B.columns == 1) {
        cblas_dgemv(CblasRowMajor, CblasTrans, (int)(hi - lo), (int)A.columns, 1, A.x + lo * A.step,
                    (int)A.step, B.x + lo * B.step, (int)B.step, 1, sums, 1);
        return;
    }
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)A.columns, (int)B.columns, (int)(hi - lo), 1,
                A.x + lo * A.step, (int)A.step, B.x + lo * B.step, (int)B.step, 1, sums, (int)B.columns);
}

pith_status pith_i_panel_inner(pith_ctx *ctx, int64_t n, pith_i_panel A, pith_i_panel B, double *G)
{
    const pair v = {A, B};
    pith_i_blas_enter();
    const pith_status st = pith_i_reduce(ctx, n, A.columns * B.columns, inner_part, &v, G);
    pith_i_blas_leave();
    return st;
}

void pith_i_panel_times(pith_ctx *ctx, int64_t n, double a, pith_i_panel A, pith_i_panel M, double c,
                        double *C, int64_t c_step)
{
    pith_i_blas_enter();
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(static) if (n > ROWS)
    for (int64_t i = 0; i < n; i += ROWS)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)(n - i < ROWS ? n - i : ROWS),
                    (int)M.columns, (int)A.columns, a, A.x + i * A.step, (int)A.step, M.x, (int)M.step, c,
                    C + i * c_step, (int)c_step);
    pith_i_blas_leave();
}
