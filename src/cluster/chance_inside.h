/* The terms of M from which a pith_i_null is made; chance_groups.c and chance_rows.c find them. */
#ifndef PITH_CLUSTER_CHANCE_INSIDE_H
#define PITH_CLUSTER_CHANCE_INSIDE_H

#include "cluster/chance.h"

typedef struct pith_i_null_terms {
    int64_t n, all;                  /* rows held here, and in all processes; all 0: they are not spread */
    double trace, second, third;     /* traces of M, M^2, M^3 */
    double own;                      /* d'Md, d the diagonal of M */
    double cubes;                    /* sum of the cubes of M' off the diagonal, both triangles */
    const double *diagonal, *square; /* of M and of M^2, n each */
} pith_i_null_terms;

pith_status pith_i_null_of_terms(pith_ctx *ctx, const pith_i_null_terms *M, pith_i_null *out);

#endif
