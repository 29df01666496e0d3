/*
 * The similarity of all samples to one of them, in each feature alone or in the feature and those nearest to
 * it: the layers of the similarity cube of NRFS (Huang, Yoo, Yu & Qin 2014), computed one at a time.
 *
 *     gaussian   B_aj = exp(-sum_f (x_af - x_if)^2 / (2 s_j^2))
 *     cosine     B_aj = sum_f x_af x_if / (|x_a| |x_i|), the sums and norms over f; 0 where a norm is 0
 *
 * f runs over N(j), the feature j and the q - 1 features nearest to it. Constant features are left out, and
 * so are columns of B that are 0 for sample i (cosine, x_if = 0 on N(j)).
 */
#ifndef PITH_METHODS_NRFS_LAYERS_H
#define PITH_METHODS_NRFS_LAYERS_H

#include "matrix/data.h"

typedef struct pith_i_layers {
    int64_t n, m, q; /* samples, live features, size of a subspace */
    bool cosine;
    const int64_t *feature;  /* the live ones, ascending: m */
    const double *columns;   /* m x n; NULL: sparse, in X and T */
    pith_i_data X, T;        /* live features alone; owned */
    const int32_t *subspace; /* m x q, j itself first; NULL: q is 1 */
    double *factor;          /* gaussian: 1 / (2 s_j^2); 0: a feature without spread */
} pith_i_layers;

/* Arrays are in scratch, data is owned: close it before the caller's mark is released. shift and constant are
 * those of a method's input. With q > 1 this finds the neighbours of every feature, O(m^2 n). */
pith_status pith_i_layers_open(pith_ctx *ctx, const pith_i_data *X, const double *shift, const bool *constant,
                               bool cosine, int64_t q, pith_i_layers *out);
void pith_i_layers_close(pith_i_layers *layers);

/*
 * The widths s_j by the rule of distances.h with the k-th neighbour, 1 <= k < n, from the distances of the
 * given rows (NULL: all rows) to all n. Gaussian only. O(m n log n) with q = 1 and all rows, else
 * O(count n m q); 2 n numbers for each thread.
 */
pith_status pith_i_layers_widths(pith_ctx *ctx, pith_i_layers *layers, int64_t k, int64_t count,
                                 const int64_t *rows);

/* The largest number of columns in the layers of the given samples, 1 to m: fewer than m for sparse cosines.
 */
int64_t pith_i_layers_widest(const pith_i_layers *layers, int64_t count, const int64_t *rows);

/* Room that one thread needs: n + m numbers. */
static inline int64_t pith_i_layer_space(const pith_i_layers *layers)
{
    return layers->n + layers->m;
}
/*
 * Layer i, its columns centred: column c, of the live feature active[c], is B + c * n. Returns how many there
 * are, at most pith_i_layers_widest; 0 also where all of them are constant. Allocates nothing, so that
 * threads may call it.
 */
int64_t pith_i_layer(const pith_i_layers *layers, int64_t i, double *space, int32_t *active, double *B);

#endif
