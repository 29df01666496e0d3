/* What a user gives instead of the graph that pith would build: the graph itself, or rows to build it from.
 * Never changed once made, and shared by all copies of the parameters, which may be of different threads. */
#ifndef PITH_METHODS_GIVEN_H
#define PITH_METHODS_GIVEN_H

#include "matrix/data.h"

typedef struct pith_i_given {
    atomic_long holders;
    char *path;       /* where it was read; NULL: it was given in memory */
    pith_i_data data; /* owned: edges by pith_i_given_edges, or rows, dense ones row-major */
} pith_i_given;

/* Takes data over, also where it fails. path may be NULL. One holder. */
pith_status pith_i_given_new(pith_ctx *ctx, const char *path, pith_i_data *data, pith_i_given **out);
pith_i_given *pith_i_given_hold(pith_i_given *given); /* one holder more; NULL stays NULL */
void pith_i_given_drop(pith_i_given *given);          /* freed with the last one */
/* The same numbers in the same form, from wherever. */
bool pith_i_given_same(const pith_i_given *a, const pith_i_given *b);
const char *pith_i_given_text(const pith_i_given *given); /* its path, "(given)", or "" for NULL */

#endif
