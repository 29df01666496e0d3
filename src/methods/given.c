#include "methods/given.h"

#include <string.h>

pith_status pith_i_given_new(pith_ctx *ctx, const char *path, pith_i_data *data, pith_i_given **out)
{
    pith_i_given *given = NULL;
    pith_status st = PITH_OK;
    TRY(NEW_ZERO(ctx, given, 1));
    atomic_store(&given->holders, 1);
    if (path != NULL && (given->path = pith_i_strdup(ctx, path)) == NULL)
        TRY(PITH_E_NOMEM);
    given->data = *data;
    *data = (pith_i_data){0};
    *out = given;
    given = NULL;
done:
    pith_i_given_drop(given);
    pith_i_data_free(data);
    return st;
}

pith_i_given *pith_i_given_hold(pith_i_given *given)
{
    if (given != NULL)
        atomic_fetch_add(&given->holders, 1);
    return given;
}

void pith_i_given_drop(pith_i_given *given)
{
    if (given == NULL || atomic_fetch_sub(&given->holders, 1) > 1)
        return;
    pith_i_free(given->path);
    pith_i_data_free(&given->data);
    pith_i_free(given);
}

/* Both are owned, so that equal shapes have equal layouts. */
static bool same_data(const pith_i_data *a, const pith_i_data *b)
{
    if (a->n != b->n || a->p != b->p || a->dtype != b->dtype || a->sparse != b->sparse ||
        pith_i_stored(a) != pith_i_stored(b))
        return false;
    const size_t stored = (size_t)pith_i_stored(a), size = pith_i_dtype_size(a->dtype);
    if (!a->sparse)
        return memcmp(a->x, b->x, stored * size) == 0;
    return memcmp(a->indptr, b->indptr, (size_t)(a->n + 1) * sizeof *a->indptr) == 0 &&
           memcmp(a->indices, b->indices, stored * sizeof *a->indices) == 0 &&
           memcmp(a->values, b->values, stored * size) == 0;
}

bool pith_i_given_same(const pith_i_given *a, const pith_i_given *b)
{
    return a == b || (a != NULL && b != NULL && same_data(&a->data, &b->data));
}

const char *pith_i_given_text(const pith_i_given *given)
{
    return given == NULL ? "" : given->path != NULL ? given->path : "(given)";
}
