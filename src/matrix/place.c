/* Where in a file a table was read, kept up to date as rows and columns of it are chosen. */
#include "matrix/matrix.h"

#include <string.h>

void pith_i_place_free(pith_i_place *place)
{
    if (place == NULL)
        return;
    pith_i_free(place->matrix);
    pith_i_free(place->row);
    pith_i_free(place->column);
    pith_i_free(place);
}

pith_status pith_i_place_new(pith_ctx *ctx, const char *matrix, int64_t rows, int64_t columns,
                             pith_i_place **out)
{
    pith_i_place *made = NULL;
    pith_status st = PITH_OK;
    TRY(NEW_ZERO(ctx, made, 1));
    made->rows = rows;
    made->columns = columns;
    made->matrix = pith_i_strdup(ctx, matrix);
    if (made->matrix == NULL)
        TRY(PITH_E_NOMEM);
    *out = made;
    made = NULL;
done:
    pith_i_place_free(made);
    return st;
}

/* before[chosen[k]], either being the identity if it is NULL; if both are, *out stays NULL. */
static pith_status compose(pith_ctx *ctx, const int64_t *before, int64_t count, const int64_t *chosen,
                           int64_t **out)
{
    pith_status st = PITH_OK;
    if (before == NULL && chosen == NULL)
        return PITH_OK;
    TRY(NEW(ctx, *out, count));
    for (int64_t k = 0; k < count; k++) {
        const int64_t at = chosen != NULL ? chosen[k] : k;
        (*out)[k] = before != NULL ? before[at] : at;
    }
done:
    return st;
}

pith_status pith_i_place_take(pith_ctx *ctx, const pith_i_place *from, int64_t rows, const int64_t *row,
                              int64_t columns, const int64_t *column, pith_i_place **out)
{
    pith_i_place *made = NULL;
    pith_status st = PITH_OK;
    if (from == NULL)
        return PITH_OK;
    TRY(pith_i_place_new(ctx, from->matrix, from->rows, from->columns, &made));
    TRY(compose(ctx, from->row, rows, row, &made->row));
    TRY(compose(ctx, from->column, columns, column, &made->column));
    made->changed = from->changed;
    made->labelled = from->labelled;
    *out = made;
    made = NULL;
done:
    pith_i_place_free(made);
    return st;
}
