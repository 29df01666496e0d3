/* What a user gives instead of the graph that pith would build: the graph itself, or rows to build it from.
 * Immutable and reference counted: copies of the parameters share it, also in different threads. */
#ifndef PITH_METHODS_GIVEN_H
#define PITH_METHODS_GIVEN_H

#include "matrix/data.h"

typedef struct pith_i_given {
    atomic_long holders;
    char *path;       /* where it was read; NULL: it was given in memory */
    pith_i_data data; /* owned: edges by pith_i_given_edges, or rows, dense ones row-major */
} pith_i_given;

/* Takes ownership of data, also on failure. path may be NULL. The new object has one holder. */
pith_status pith_i_given_new(pith_ctx *ctx, const char *path, pith_i_data *data, pith_i_given **out);
pith_i_given *pith_i_given_hold(pith_i_given *given); /* one more holder; NULL stays NULL */
void pith_i_given_drop(pith_i_given *given);          /* freed with the last one */
/* Do both hold the same numbers in the same form? Paths are not compared. */
bool pith_i_given_same(const pith_i_given *a, const pith_i_given *b);
const char *pith_i_given_text(const pith_i_given *given); /* its path, "(given)", or "" for NULL */

#endif
