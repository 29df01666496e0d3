#include "methods/factor/prox.h"

#include "core/parallel.h"
#include "matrix/simd.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 1024, LARGE = 4096 }; /* features of a partial sum; of nodes that all threads share */

static int64_t blocks_of(int64_t features)
{
    return (features + BLOCK - 1) / BLOCK;
}

/* A row of k for each node, and for each block of the largest possible node. */
int64_t pith_i_tree_room(const pith_tree *tree, int64_t k)
{
    return k * (tree->n_nodes + blocks_of(tree->n_features));
}

static int64_t own_size(const pith_tree *t, int32_t g)
{
    return t->own_ptr[g + 1] - t->own_ptr[g];
}

/* sum[c] = the squares of column c in these rows of V. */
PITH_I_CLONES static void sum_squares(int64_t count, const int32_t *restrict feat, int64_t k,
                                      const double *restrict V, double *restrict sum)
{
    for (int64_t c = 0; c < k; c++)
        sum[c] = 0;
    for (int64_t e = 0; e < count; e++) {
        const double *v = V + feat[e] * k;
        for (int64_t c = 0; c < k; c++)
            sum[c] += v[c] * v[c];
    }
}

PITH_I_CLONES static void scale(int64_t count, const int32_t *restrict feat, int64_t k,
                                const double *restrict factor, double *restrict V)
{
    for (int64_t e = 0; e < count; e++) {
        double *v = V + feat[e] * k;
        for (int64_t c = 0; c < k; c++)
            v[c] *= factor[c];
    }
}

/* Squares of a node's own features, in blocks of fixed size that are added in order. */
static void sum_large(pith_ctx *ctx, const pith_tree *t, int32_t g, int64_t k, const double *V,
                      double *block_sums, double *sum)
{
    const int64_t size = own_size(t, g), blocks = blocks_of(size);
    const int32_t *feat = t->own + t->own_ptr[g];
    const int threads = pith_ctx_threads(ctx);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t b = 0; b < blocks; b++)
        sum_squares(size - b * BLOCK < BLOCK ? size - b * BLOCK : BLOCK, feat + b * BLOCK, k, V,
                    block_sums + b * k);
    memset(sum, 0, (size_t)k * sizeof *sum);
    for (int64_t b = 0; b < blocks; b++)
        for (int64_t c = 0; c < k; c++)
            sum[c] += block_sums[b * k + c];
}

/* Row g of S: the squares of node g's own features. */
static void sum_own(pith_ctx *ctx, const pith_tree *t, int64_t k, const double *V, double *S)
{
    const int threads = pith_ctx_threads(ctx);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 64) if (t->n_features * k > 50000)
    for (int32_t g = 0; g < t->n_nodes; g++)
        if (own_size(t, g) < LARGE)
            sum_squares(own_size(t, g), t->own + t->own_ptr[g], k, V, S + g * k);
    for (int32_t g = 0; g < t->n_nodes; g++)
        if (own_size(t, g) >= LARGE)
            sum_large(ctx, t, g, k, V, S + t->n_nodes * k, S + g * k);
}

double pith_i_tree_penalty(pith_ctx *ctx, const pith_tree *tree, int64_t k, const double *weight,
                           const double *V, double *room)
{
    double total = 0;
    sum_own(ctx, tree, k, V, room);
    for (int32_t g = tree->n_nodes - 1; g >= 0; g--) { /* children come after their parents */
        double norms = 0, *s = room + g * k;
        for (int64_t c = 0; c < k; c++)
            norms += sqrt(s[c]);
        total += (weight != NULL ? weight[g] : 1) * norms;
        for (int64_t c = 0; c < k && g > 0; c++)
            room[tree->parent[g] * k + c] += s[c];
    }
    return total;
}

/* Turns the sums of squares of a node into its factors, and adds what is left of the squares to its parent's
 * (`above`; NULL for the root). */
PITH_I_CLONES static void to_factors(int64_t k, double t, double *restrict s, double *restrict above)
{
    for (int64_t c = 0; c < k; c++) {
        const double norm = sqrt(s[c]), shrunk = 1 - t / norm, factor = norm > t ? shrunk : 0;
        if (above != NULL)
            above[c] += s[c] * factor * factor;
        s[c] = factor;
    }
}

void pith_i_tree_prox(pith_ctx *ctx, const pith_tree *tree, int64_t k, double lambda, const double *weight,
                      double *room, double *V)
{
    const int threads = pith_ctx_threads(ctx);
    double *F = room;
    sum_own(ctx, tree, k, V, F);
    for (int32_t g = tree->n_nodes - 1; g >= 0; g--)
        to_factors(k, lambda * (weight != NULL ? weight[g] : 1), F + g * k,
                   g > 0 ? F + tree->parent[g] * k : NULL);
    for (int32_t g = 1; g < tree->n_nodes; g++) /* the product over a node and its ancestors */
        for (int64_t c = 0; c < k; c++)
            F[g * k + c] *= F[tree->parent[g] * k + c];
#pragma omp parallel for num_threads(threads) schedule(dynamic, 64) if (tree->n_features * k > 50000)
    for (int32_t g = 0; g < tree->n_nodes; g++)
        scale(own_size(tree, g), tree->own + tree->own_ptr[g], k, F + g * k, V);
}
