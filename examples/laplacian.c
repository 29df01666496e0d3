/*
 * Ranks the features of an array in memory by the Laplacian score.
 *
 *     cc laplacian.c $(pkg-config --cflags --libs pith) -o laplacian && ./laplacian
 */
#include <inttypes.h>
#include <stdio.h>

#include <pith.h>

/* Eight samples in two groups. The first and the last feature tell the groups apart, the second only wobbles,
 * the third is constant and cannot be scored. */
static const double samples[8][4] = {
    {1.0, 0.3, 5.0, 7.9}, {1.1, 0.9, 5.0, 8.1}, {0.9, 0.1, 5.0, 8.0}, {1.2, 0.6, 5.0, 8.2},
    {4.0, 0.8, 5.0, 2.0}, {4.2, 0.2, 5.0, 2.1}, {3.9, 0.7, 5.0, 1.9}, {4.1, 0.4, 5.0, 2.2},
};

static pith_status rank(pith_ctx *ctx)
{
    pith_matrix *matrix = NULL;
    pith_params *params = NULL;
    pith_result *result = NULL;
    /* The array is borrowed, not copied: 4 elements from row to row, 1 from column to column. */
    pith_status st = pith_matrix_dense(ctx, 8, 4, PITH_F64, samples, 4, 1, &matrix);
    if (st == PITH_OK)
        st = pith_params_new(ctx, pith_method_find("laplacian"), &params);
    if (st == PITH_OK)
        st = pith_params_set(ctx, params, "neighbors", "3");
    if (st == PITH_OK)
        st = pith_run(ctx, matrix, params, &result);
    if (st == PITH_OK) {
        const int64_t *ranking = pith_result_ranking(result);
        const double *scores = pith_result_scores(result); /* NaN: cannot be scored */
        for (int64_t i = 0; i < pith_result_features(result); i++)
            printf("feature %" PRId64 ": %.3f\n", ranking[i], scores[ranking[i]]);
    }
    pith_result_free(result);
    pith_params_free(params);
    pith_matrix_free(matrix);
    return st;
}

int main(void)
{
    pith_ctx *ctx = NULL;
    pith_status st = pith_ctx_new(&ctx);
    if (st == PITH_OK)
        st = rank(ctx);
    if (st != PITH_OK)
        fprintf(stderr, "%s: %s\n", pith_strerror(st), ctx != NULL ? pith_ctx_message(ctx) : "");
    pith_ctx_free(ctx);
    return st == PITH_OK ? 0 : 1;
}
