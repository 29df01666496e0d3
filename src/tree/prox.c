#include "tree/prox.h"

#include "core/parallel.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 1024, LARGE = 4096 }; /* features in a piece of a sum; a node with more is shared by threads */

static int64_t blocks_of(int64_t features)
{
    return (features + BLOCK - 1) / BLOCK;
}

int64_t pith_i_tree_room(const pith_ctx *ctx, const pith_tree *tree, int64_t k)
{
    const int64_t blocks = blocks_of(tree->n_features), threads = pith_ctx_threads(ctx);
    return k * (1 + (blocks > threads ? blocks : threads));
}

/* sum[c] += the squares of column c in these rows of V. */
static void add_squares(int64_t count, const int32_t *feat, int64_t k, const double *V, double *sum)
{
    for (int64_t e = 0; e < count; e++) {
        const double *v = V + feat[e] * k;
        for (int64_t c = 0; c < k; c++)
            sum[c] += v[c] * v[c];
    }
}

static void scale(int64_t count, const int32_t *feat, int64_t k, const double *factor, double *V)
{
    for (int64_t e = 0; e < count; e++) {
        double *v = V + feat[e] * k;
        for (int64_t c = 0; c < k; c++)
            v[c] *= factor[c];
    }
}

/* Sums of squares to factors; true: all are 1. */
static bool to_factors(int64_t k, double t, double *sum)
{
    bool none = true;
    for (int64_t c = 0; c < k; c++) {
        const double norm = sqrt(sum[c]);
        sum[c] = norm > t ? 1 - t / norm : 0;
        none = none && sum[c] == 1;
    }
    return none;
}

/* A node's squares are added in blocks of fixed size, whoever adds them. */
static void sum_in_blocks(const pith_tree *t, int32_t g, int64_t k, const double *V, double *sum,
                          double *part)
{
    const int64_t size = pith_i_tree_size(t, g);
    memset(sum, 0, (size_t)k * sizeof *sum);
    for (int64_t lo = 0; lo < size; lo += BLOCK) {
        memset(part, 0, (size_t)k * sizeof *part);
        add_squares(size - lo < BLOCK ? size - lo : BLOCK, t->feat + t->node_ptr[g] + lo, k, V, part);
        for (int64_t c = 0; c < k; c++)
            sum[c] += part[c];
    }
}

double pith_i_tree_penalty(const pith_tree *tree, int64_t k, const double *weight, const double *V,
                           double *room)
{
    double total = 0;
    for (int32_t g = 0; g < tree->n_nodes; g++) {
        double norms = 0;
        sum_in_blocks(tree, g, k, V, room, room + k);
        for (int64_t c = 0; c < k; c++)
            norms += sqrt(room[c]);
        total += (weight != NULL ? weight[g] : 1) * norms;
    }
    return total;
}

static void shrink_large(pith_ctx *ctx, const pith_tree *t, int32_t g, int64_t k, double lambda, double *room,
                         double *V)
{
    const int64_t size = pith_i_tree_size(t, g), blocks = blocks_of(size);
    const int32_t *feat = t->feat + t->node_ptr[g];
    const int threads = pith_ctx_threads(ctx);
    double *factor = room, *part = room + k;
    memset(part, 0, (size_t)(blocks * k) * sizeof *part);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t b = 0; b < blocks; b++)
        add_squares(size - b * BLOCK < BLOCK ? size - b * BLOCK : BLOCK, feat + b * BLOCK, k, V,
                    part + b * k);
    memset(factor, 0, (size_t)k * sizeof *factor);
    for (int64_t b = 0; b < blocks; b++)
        for (int64_t c = 0; c < k; c++)
            factor[c] += part[b * k + c];
    if (to_factors(k, lambda, factor))
        return;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t b = 0; b < blocks; b++)
        scale(size - b * BLOCK < BLOCK ? size - b * BLOCK : BLOCK, feat + b * BLOCK, k, factor, V);
}

static void shrink_small(const pith_tree *t, int32_t g, int64_t k, double lambda, double *factor, double *V)
{
    const int64_t size = pith_i_tree_size(t, g);
    const int32_t *feat = t->feat + t->node_ptr[g];
    memset(factor, 0, (size_t)k * sizeof *factor);
    add_squares(size, feat, k, V, factor);
    if (!to_factors(k, lambda, factor))
        scale(size, feat, k, factor, V);
}

void pith_i_tree_prox(pith_ctx *ctx, const pith_tree *tree, int64_t k, double lambda, const double *weight,
                      double *room, double *V)
{
    const int threads = pith_ctx_threads(ctx);
    for (int32_t l = tree->depth - 1; l >= 0; l--) {
        const int32_t first = tree->level_ptr[l], end = tree->level_ptr[l + 1];
        const int64_t held = tree->node_ptr[end] - tree->node_ptr[first];
#pragma omp parallel for num_threads(threads) schedule(dynamic, 8) if (held * k > 50000 && end - first > 1)
        for (int32_t g = first; g < end; g++)
            if (pith_i_tree_size(tree, g) < LARGE)
                shrink_small(tree, g, k, lambda * (weight != NULL ? weight[g] : 1),
                             room + (int64_t)pith_i_thread() * k, V);
        for (int32_t g = first; g < end; g++)
            if (pith_i_tree_size(tree, g) >= LARGE)
                shrink_large(ctx, tree, g, k, lambda * (weight != NULL ? weight[g] : 1), room, V);
    }
}
