/*
 * Runs of k-means side by side: one GEMM over a tile of rows serves the centres of all of them. Work is split
 * by tile, cluster or run, never by thread, so that the number of threads cannot change a result.
 */
#ifndef PITH_CLUSTER_KMEANS_RUNS_H
#define PITH_CLUSTER_KMEANS_RUNS_H

#include "cluster/kmeans.h"
#include "cluster/kmeans_points.h"
#include "core/random.h"

typedef struct pith_i_kmeans_one {
    pith_i_stream random;
    int32_t *label;        /* n; -1: none yet */
    int32_t *next, *moved; /* n: labels of the last assignment, and the rows whose label it changes */
    int64_t n_moved;
    int64_t all_moved;     /* rows that have moved in all processes */
    pith_i_centre *centre; /* of every cluster */
    float reach;           /* the largest |centre - mean| unit */
    int64_t iterations;
} pith_i_kmeans_one;

typedef struct pith_i_kmeans_runs {
    pith_ctx *ctx;
    const pith_i_points *points;
    bool spread;                  /* the rows are spread over processes, which all take the same steps */
    int64_t clusters, candidates; /* candidates: for each centre that k-means++ draws */
    int64_t count;                /* runs side by side */
    pith_i_kmeans_one *run;
    int64_t n_active;
    pith_i_kmeans_one **active; /* those not done */
    int64_t tile, tiles;        /* rows of a tile, number of tiles */
    int64_t columns;            /* most centres in what follows: those of one sweep */
    float *z;                   /* columns x p: (centre - mean) unit; dense */
    float *zt;                  /* p x padded columns: centres times unit; sparse */
    int64_t n_fresh;      /* centres whose products with the rows must be computed: in the order of z, */
    int64_t *fresh;       /* columns: their places r * clusters + k, for centre k of run r */
    float *bias;          /* columns, by place: |z|^2, or infinite where there is no centre */
    float *scores;        /* threads x columns x tile: products of fresh centres */
    float *kept;          /* tiles x columns x tile: products of all centres, by place; NULL: all are fresh */
    float *row;           /* threads x padded columns: one sparse row's products */
    double *distance;     /* n */
    double *partial;      /* columns x tiles */
    pith_i_points source; /* has the drawn rows: the points themselves, or copies of these rows */
    int64_t *drawn;       /* columns: their rows in source */
    double *drawn_sum;    /* columns: the sum of distances that each would leave */
    float *drawn_distance; /* count * candidates x n; k-means++ only */
    double *left;          /* count x tiles: sums of near; k-means++ only */
    float *near;           /* count x n: squared distance to the nearest centre; k-means++ only */
    int64_t done, total;   /* runs, for progress */
    bool parallel;
} pith_i_kmeans_runs;

static inline pith_i_centre *pith_i_centre_at(const pith_i_kmeans_runs *g, int64_t place)
{
    return &g->run[place / g->clusters].centre[place % g->clusters];
}

/* Columns of zt: whole vectors. */
static inline int64_t pith_i_padded(int64_t columns)
{
    return (columns + 7) / 8 * 8;
}

static inline int64_t pith_i_tile_rows(const pith_i_kmeans_runs *g, int64_t t)
{
    const int64_t left = g->points->X->n - t * g->tile;
    return left < g->tile ? left : g->tile;
}

/* The first labels, in `next`: that of the nearest drawn row. PITH_E_STOPPED may leave them unset. */
pith_status pith_i_kmeans_start(pith_i_kmeans_runs *g, bool random_rows);
/* `next` of every row of the active runs: the nearest centre, the present one if it is as near. */
pith_status pith_i_kmeans_assign(pith_i_kmeans_runs *g);
/* -2 unit^2 (x_i - mean)'(centre - mean) of tile t's rows and the first `columns` centres of z or zt, to
 * out[column * ld + row of the tile]. */
void pith_i_kmeans_products(const pith_i_kmeans_runs *g, int64_t columns, int64_t t, float *out, int64_t ld);

#endif
