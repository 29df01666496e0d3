#include "graph/sample_distances.h"

#include "graph/distances.h"

/* Above this number of samples, all eigenvectors of the graph (10 n^3 operations, 40 n^2 bytes) take longer
 * than its moments. Then nothing n x n is held. */
enum { MOST_DIRECT = 4000 };
/* Then the graph's width, a mean over samples, is taken over this many of them: the distances between all
 * pairs would take a third as long as the regressions of nrfs. In our data the k-th distances have a standard
 * deviation of 1 to 27 % of their mean, so the mean over these samples is off by 0.02 to 0.6 %. */
enum { WIDTH_SAMPLES = 2048 };

pith_status pith_i_sample_distances_open(pith_ctx *ctx, const pith_i_data *X, pith_i_metric metric,
                                         pith_i_sample_distances *out)
{
    pith_status st = PITH_OK;
    *out = (pith_i_sample_distances){.X = X};
    if (X->n > MOST_DIRECT)
        return pith_i_distance_stream_open(ctx, X, metric, &out->stream);
    TRY(SCRATCH(ctx, out->table, X->n * X->n));
    TRY(pith_i_distances(ctx, X, metric, out->table));
done:
    return st;
}

void pith_i_sample_distances_close(pith_i_sample_distances *D)
{
    pith_i_distance_stream_close(&D->stream);
}

pith_status pith_i_sample_width(pith_ctx *ctx, const pith_i_sample_distances *D, int64_t k, double *sigma)
{
    return D->table != NULL ? pith_i_width(ctx, D->X->n, D->table, k, sigma)
                            : pith_i_width_streamed(ctx, &D->stream, k, WIDTH_SAMPLES, sigma);
}

int64_t pith_i_sample_neighbors(const pith_i_sample_distances *D, int64_t k)
{
    const int64_t others = D->X->n - 1;
    return D->table != NULL || k > others / 8 ? others : 8 * k;
}

int64_t pith_i_sample_pairs(const pith_i_sample_distances *D)
{
    return D->table != NULL ? D->X->n : 0;
}

pith_status pith_i_sample_density(pith_ctx *ctx, const pith_i_sample_distances *D, const pith_i_graph *graph,
                                  const pith_i_spectrum *all, double mu, double heat, double *rho,
                                  double *level)
{
    if (D->table == NULL)
        return pith_i_fermi_density_streamed(ctx, graph, mu, heat, rho, level);
    *level = pith_i_fermi_density(all, mu, heat, rho);
    return PITH_OK;
}

pith_status pith_i_sample_choose(pith_ctx *ctx, const pith_i_sample_distances *D, int64_t levels,
                                 int64_t fold, int64_t *rows, int64_t *count)
{
    return D->table != NULL
               ? pith_i_density_sample(ctx, D->X->n, D->table, levels, fold, rows, count)
               : pith_i_density_sample_streamed(ctx, D->X, &D->stream, levels, fold, rows, count);
}
