/* One run of ARPACK's symmetric Lanczos method. Callers want pith_i_eigen_largest; this is its engine. */
#ifndef PITH_LINALG_ARPACK_H
#define PITH_LINALG_ARPACK_H

#include "linalg/operator.h"

typedef struct pith_i_arpack {
    int64_t m, basis;      /* pairs wanted, Lanczos vectors kept: m < basis <= n */
    int64_t most_restarts; /* then what has converged is returned */
    double tolerance;      /* a pair has converged when ||A x - value x|| <= tolerance |value| */
    uint32_t run;          /* number of this run: each starts from other random vectors */
    int64_t found;         /* out: pairs that converged, 0..m */
    int64_t products;      /* out: products with A */
} pith_i_arpack;

/*
 * The algebraically largest eigenpairs of A that converged, in no particular order. A multiple eigenvalue
 * may be found fewer times than it is there, with every sign of success: callers look again.
 *
 * ARPACK keeps its state in Fortran SAVE variables, so runs wait for each other across the process, and a
 * progress callback must not start one (PITH_E_ARGUMENT). All random vectors are ours, a function of the
 * context's seed, the run and the row; ARPACK's own generator, which remembers earlier calls, has no part
 * in the result. Scratch: (basis + 4) n.
 */
pith_status pith_i_arpack_largest(pith_ctx *ctx, const pith_i_operator *A, pith_i_arpack *run, double *values,
                                  double *vectors);

#endif
