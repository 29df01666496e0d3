/* Is there an eigenvalue that a Lanczos run did not see? */
#ifndef PITH_LINALG_MISSED_H
#define PITH_LINALG_MISSED_H

#include "linalg/basis.h"
#include "linalg/operator.h"

/*
 * Looks for an eigenvalue of A above `value` (A's lie in [-1, 1]) with a vector orthogonal to V, by plain
 * Lanczos steps from a random vector. The chance that after j steps the largest Ritz value falls short of
 * the largest eigenvalue by more than e times the width of the spectrum is below
 *
 *     1.648 sqrt(n) exp(-(2 j - 1) sqrt(e))
 *
 * whatever the spectrum is (Kuczynski & Wozniakowski, SIAM J. Matrix Anal. Appl. 13, 1992). Ends when the
 * Ritz value is above `value` by more than tolerance, when that chance, for an eigenvalue at `value`, is
 * below 0.01, when the Ritz value has converged, or after most_steps. Rounding can cause a false alarm; the
 * search for the eigenvector then finds nothing above `value`. A step is one product and a few passes over
 * vectors: about a third of the cost of a step with full orthogonalisation.
 */
pith_status pith_i_missed_eigenvalue(pith_ctx *ctx, const pith_i_operator *A, const pith_i_basis *V,
                                     double value, double tolerance, int64_t most_steps, bool *missed);

#endif
