/* How many clusters the spectrum of a graph suggests. */
#ifndef PITH_CLUSTER_EIGENGAP_H
#define PITH_CLUSTER_EIGENGAP_H

#include <stdint.h>

/*
 * The c in 2..m-1 with the largest gap value[c] - value[c-1] of the ascending eigenvalues
 * value[0..m-1] of a normalised Laplacian; ties to the smaller c. m >= 3.
 */
int64_t pith_i_eigengap(int64_t m, const double *value);

#endif
