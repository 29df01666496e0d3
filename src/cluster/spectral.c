#include "cluster/spectral.h"

#include <math.h>

pith_status pith_i_spectral_cluster(pith_ctx *ctx, const pith_i_data *samples, int64_t m,
                                    const double *vectors, const pith_i_kmeans_options *options,
                                    pith_i_kmeans *out)
{
    const int64_t n = samples->n;
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_status st = PITH_OK;
    double *rows = NULL;
    TRY(SCRATCH(ctx, rows, n * m));
    for (int64_t i = 0; i < n; i++) {
        double square = 0;
        for (int64_t v = 0; v < m; v++)
            square += vectors[v * n + i] * vectors[v * n + i];
        for (int64_t v = 0; v < m; v++)
            rows[i * m + v] = square > 0 ? vectors[v * n + i] / sqrt(square) : 0;
    }
    pith_i_data X = {.n = n, .p = m, .dtype = PITH_F64, .x = rows, .row_stride = m, .col_stride = 1};
    pith_i_same_rows(samples, &X);
    TRY(pith_i_kmeans_run(ctx, &X, options, out));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
