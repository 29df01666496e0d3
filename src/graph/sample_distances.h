/* The distances between samples that NRFS's sampling needs: all in one table where samples are few, else tile
 * by tile. */
#ifndef PITH_GRAPH_SAMPLE_DISTANCES_H
#define PITH_GRAPH_SAMPLE_DISTANCES_H

#include "graph/distance_stream.h"
#include "graph/sampling.h"

typedef struct pith_i_sample_distances {
    const pith_i_data *X;
    double *table; /* n x n, scratch; NULL: streamed */
    pith_i_distance_stream stream;
} pith_i_sample_distances;

/* X must outlive it. The table is the caller's scratch; close frees the rest, after a failure, too. */
pith_status pith_i_sample_distances_open(pith_ctx *ctx, const pith_i_data *X, pith_i_metric metric,
                                         pith_i_sample_distances *out);
void pith_i_sample_distances_close(pith_i_sample_distances *D);

/* pith_i_width, or pith_i_width_streamed. */
pith_status pith_i_sample_width(pith_ctx *ctx, const pith_i_sample_distances *D, int64_t k, double *sigma);
/*
 * How many neighbours a graph may get until it is connected, k at first: all others, as long as there is a
 * table. Else 8 k: the time that the density takes grows with the edges, and clusters that lie apart then
 * would take as many as they have rows. Such a graph's first eigenvectors tell its components (spectrum.h).
 */
int64_t pith_i_sample_neighbors(const pith_i_sample_distances *D, int64_t k);
/* How many eigenpairs of the graph pith_i_sample_density reads: all n, or none. */
int64_t pith_i_sample_pairs(const pith_i_sample_distances *D);
/* The Fermi density (sampling.h): from `all`, or from the graph where no pairs are read. */
pith_status pith_i_sample_density(pith_ctx *ctx, const pith_i_sample_distances *D, const pith_i_graph *graph,
                                  const pith_i_spectrum *all, double mu, double heat, double *rho,
                                  double *level);
/* pith_i_density_sample, or pith_i_density_sample_streamed. */
pith_status pith_i_sample_choose(pith_ctx *ctx, const pith_i_sample_distances *D, int64_t levels,
                                 int64_t fold, int64_t *rows, int64_t *count);

#endif
