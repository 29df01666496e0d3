/* The tree's penalty on a matrix with a row for each feature, and its proximal step. */
#ifndef PITH_METHODS_FACTOR_PROX_H
#define PITH_METHODS_FACTOR_PROX_H

#include "tree/tree.h"

/*
 * sum over nodes G and columns c of weight_G ||V[G,c]||_2; V is n_features x k, row-major. weight NULL: 1.
 * room: pith_i_tree_room() doubles. Here and below O((features + nodes) k): a node's sum of squares comes
 * from those of its children, so that V is read once, not once per level. The same for any number of threads.
 */
double pith_i_tree_penalty(pith_ctx *ctx, const pith_tree *tree, int64_t k, const double *weight,
                           const double *V, double *room);

/*
 * V <- argmin_W 1/2 ||W - V||_F^2 + lambda sum_G weight_G sum_c ||W[G,c]||_2, exactly: since nodes are
 * nested, the groups are shrunk once each, from the deepest level to the root (Jenatton et al., JMLR 12,
 * 2011),
 *
 *     W[G,c] = V[G,c] max(0, 1 - lambda weight_G / ||V[G,c]||)
 */
void pith_i_tree_prox(pith_ctx *ctx, const pith_tree *tree, int64_t k, double lambda, const double *weight,
                      double *room, double *V);
int64_t pith_i_tree_room(const pith_tree *tree, int64_t k);

#endif
