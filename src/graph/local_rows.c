#include "graph/local_rows.h"

void pith_i_local_rows_close(pith_i_local_rows *rows)
{
    pith_i_data_free(&rows->X);
    pith_i_halo_free(&rows->halo);
    pith_i_free(rows->place);
    *rows = (pith_i_local_rows){0};
}

pith_status pith_i_local_rows_open(pith_ctx *ctx, const pith_i_data *X, const pith_i_knn *knn,
                                   pith_i_local_rows *out)
{
    const int64_t count = knn->n * knn->k;
    pith_i_local_rows r = {.X = pith_i_data_rows(X, 0, X->n), .knn = *knn};
    pith_status st = PITH_OK;
    if (pith_i_is_spread(X)) {
        TRY(pith_i_halo_new(ctx, X->n, X->offset, count, knn->index, &r.halo));
        TRY(pith_i_halo_rows(ctx, &r.halo, X, &r.X));
        TRY(NEW(ctx, r.place, count));
        for (int64_t e = 0; e < count; e++)
            r.place[e] = pith_i_halo_place(&r.halo, knn->index[e]);
        r.knn.index = r.place;
    }
    *out = r;
    r = (pith_i_local_rows){0};
done:
    pith_i_local_rows_close(&r);
    return st;
}
