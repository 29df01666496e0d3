#include "tree/dendrogram.h"

#include "core/parallel.h"
#include "matrix/simd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct chain {
    pith_ctx *ctx;
    int64_t n, dims;
    bool ward;
    float *distance; /* pairs; NULL: by centroids */
    float *centroid; /* n x dims; with distance == NULL */
    double *row;     /* n: distances from the current cluster to the active ones */
    int32_t *size;   /* n; 0: merged into another */
    int32_t *active; /* the clusters left, ascending */
    int64_t n_active;
    int32_t *link; /* the chain of nearest neighbours */
    int64_t length;
} chain;

static float *at(const chain *c, int64_t i, int64_t j)
{
    return &c->distance[i < j ? pith_i_pair(c->n, i, j) : pith_i_pair(c->n, j, i)];
}

/* ---- Nearest neighbours ------------------------------------------------------------------------------- */

PITH_I_CLONES static double square_between(int64_t dims, const float *x, const float *y)
{
    double sum[8] = {0};
    for (int64_t i = 0; i + 8 <= dims; i += 8)
        for (int k = 0; k < 8; k++) {
            const double d = (double)x[i + k] - (double)y[i + k];
            sum[k] += d * d;
        }
    for (int64_t i = dims / 8 * 8; i < dims; i++) {
        const double d = (double)x[i] - (double)y[i];
        sum[i % 8] += d * d;
    }
    return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

/* Ward's squared distance of centroids: 2 n_x n_y / (n_x + n_y) |x - y|^2, which is |x - y|^2 for single
 * points. */
static double by_centroids(const chain *c, int32_t x, int32_t y)
{
    const double a = c->size[x], b = c->size[y];
    return 2 * a * b / (a + b) *
           square_between(c->dims, c->centroid + x * c->dims, c->centroid + y * c->dims);
}

static void fill_row(const chain *c, int32_t x)
{
    const int threads = pith_ctx_threads(c->ctx);
#pragma omp parallel for num_threads(threads) schedule(static) if (c->n_active * c->dims > 100000)
    for (int64_t k = 0; k < c->n_active; k++)
        if (c->active[k] != x)
            c->row[k] = by_centroids(c, x, c->active[k]);
}

/* The nearest active cluster to x; ties to `before` (-1: none), then to the smallest number. */
static int32_t nearest(const chain *c, int32_t x, int32_t before, double *height)
{
    int32_t best = before;
    double least = INFINITY;
    if (c->distance == NULL)
        fill_row(c, x);
    if (before >= 0)
        least = c->distance != NULL ? (double)*at(c, x, before) : by_centroids(c, x, before);
    const float *behind = c->distance != NULL ? c->distance + pith_i_pair(c->n, x, 0) : NULL;
    for (int64_t k = 0; k < c->n_active; k++) {
        const int32_t y = c->active[k];
        if (y == x)
            continue;
        const double d = behind == NULL ? c->row[k]
                         : y > x        ? (double)behind[y]
                                        : (double)c->distance[pith_i_pair(c->n, y, x)];
        if (d < least || best < 0) {
            least = d;
            best = y;
        }
    }
    *height = least;
    return best;
}

/* ---- Merging ------------------------------------------------------------------------------------------ */

/* Distances to the union of x and y (Lance and Williams), stored as those of y. */
static void update_distances(chain *c, int32_t x, int32_t y, double height)
{
    const double nx = c->size[x], ny = c->size[y];
    for (int64_t k = 0; k < c->n_active; k++) {
        const int32_t z = c->active[k];
        if (z == x || z == y)
            continue;
        const double nz = c->size[z], dx = *at(c, z, x), dy = *at(c, z, y);
        const double d = c->ward ? ((nz + nx) * dx + (nz + ny) * dy - nz * height) / (nz + nx + ny)
                                 : (nx * dx + ny * dy) / (nx + ny);
        *at(c, z, y) = (float)d;
    }
}

static void update_centroid(chain *c, int32_t x, int32_t y)
{
    const double nx = c->size[x], ny = c->size[y];
    const float *a = c->centroid + x * c->dims;
    float *b = c->centroid + y * c->dims;
    for (int64_t i = 0; i < c->dims; i++)
        b[i] = (float)((nx * (double)a[i] + ny * (double)b[i]) / (nx + ny));
}

/* Merges x into y. */
static void merge(chain *c, int32_t x, int32_t y, double height)
{
    if (c->distance != NULL)
        update_distances(c, x, y, height);
    else
        update_centroid(c, x, y);
    c->size[y] += c->size[x];
    c->size[x] = 0;
    int64_t k = 0;
    while (c->active[k] != x)
        k++;
    memmove(c->active + k, c->active + k + 1, (size_t)(--c->n_active - k) * sizeof *c->active);
}

static int by_height(const void *a, const void *b)
{
    const pith_i_merge *x = a, *y = b;
    if (x->height != y->height)
        return x->height < y->height ? -1 : 1;
    return x->step < y->step ? -1 : x->step > y->step;
}

static pith_status follow(chain *c, pith_i_merge *merges)
{
    pith_status st = PITH_OK;
    for (int64_t done = 0; done < c->n - 1; done++) {
        TRY(pith_i_progress(c->ctx, done, c->n - 1));
        double height = 0;
        if (c->length == 0)
            c->link[c->length++] = c->active[0];
        for (;;) {
            const int32_t top = c->link[c->length - 1], before = c->length > 1 ? c->link[c->length - 2] : -1;
            const int32_t next = nearest(c, top, before, &height);
            if (next == before)
                break;
            c->link[c->length++] = next;
        }
        int32_t x = c->link[c->length - 2], y = c->link[c->length - 1];
        c->length -= 2;
        if (x > y) {
            const int32_t swap = x;
            x = y;
            y = swap;
        }
        merges[done] = (pith_i_merge){.a = x, .b = y, .height = height, .step = done};
        merge(c, x, y, height);
    }
    qsort(merges, (size_t)(c->n - 1), sizeof *merges, by_height);
done:
    return st;
}

static pith_status run(chain *c, pith_i_merge *merges)
{
    const size_t mark = pith_i_scratch_mark(c->ctx);
    pith_status st = PITH_OK;
    if (c->n < 2)
        return PITH_OK;
    TRY(SCRATCH(c->ctx, c->size, c->n));
    TRY(SCRATCH(c->ctx, c->active, c->n));
    TRY(SCRATCH(c->ctx, c->link, c->n + 1));
    TRY(SCRATCH(c->ctx, c->row, c->n));
    for (int64_t i = 0; i < c->n; i++) {
        c->size[i] = 1;
        c->active[i] = (int32_t)i;
    }
    c->n_active = c->n;
    TRY(follow(c, merges));
done:
    pith_i_scratch_release(c->ctx, mark);
    return st;
}

pith_status pith_i_dendrogram(pith_ctx *ctx, int64_t n, bool ward, float *distance, pith_i_merge *merges)
{
    chain c = {.ctx = ctx, .n = n, .ward = ward, .distance = distance};
    return run(&c, merges);
}

pith_status pith_i_dendrogram_ward(pith_ctx *ctx, int64_t n, int64_t dims, float *unit, pith_i_merge *merges)
{
    chain c = {.ctx = ctx, .n = n, .dims = dims, .ward = true, .centroid = unit};
    return run(&c, merges);
}

static int32_t find(int32_t *up, int32_t i)
{
    while (up[i] != i) {
        up[i] = up[up[i]];
        i = up[i];
    }
    return i;
}

pith_status pith_i_dendrogram_cut(pith_ctx *ctx, int64_t n, const pith_i_merge *merges, int64_t clusters,
                                  int32_t *label)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    int32_t *up = NULL, *number = NULL, count = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, up, n));
    TRY(SCRATCH(ctx, number, n));
    for (int64_t i = 0; i < n; i++) {
        up[i] = (int32_t)i;
        number[i] = -1;
    }
    for (int64_t k = 0; k < n - clusters; k++)
        up[find(up, merges[k].a)] = find(up, merges[k].b);
    for (int64_t i = 0; i < n; i++) {
        const int32_t root = find(up, (int32_t)i);
        if (number[root] < 0)
            number[root] = count++;
        label[i] = number[root];
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
