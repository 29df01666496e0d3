#include "core/search.h"

#include "core/ctx.h"

#include <math.h>

pith_i_searching *pith_i_searching_of(pith_ctx *ctx)
{
    return &ctx->searching;
}

pith_i_searching pith_i_searching_begin(pith_ctx *ctx, pith_i_search_mode mode, double wanted)
{
    const pith_i_searching before = ctx->searching;
    ctx->searching = (pith_i_searching){.mode = mode, .wanted = wanted, .measured = (double)NAN};
    return before;
}

void pith_i_searching_add(pith_ctx *ctx, const pith_i_searching *what)
{
    pith_i_searching *s = &ctx->searching;
    s->count += what->count;
    s->measured = fmin(s->measured, what->measured); /* of a NaN and a number, the number */
    s->excess = fmax(s->excess, what->excess);
    s->work = fmax(s->work, what->work);
}

pith_i_searching pith_i_searching_end(pith_ctx *ctx, pith_i_searching before)
{
    const pith_i_searching since = ctx->searching;
    ctx->searching = before;
    pith_i_searching_add(ctx, &since);
    return since;
}

bool pith_i_same_search(const pith_i_searching *a, const pith_i_searching *b)
{
    return a->mode == b->mode && (a->mode == PITH_I_SEARCH_EXACT || a->wanted == b->wanted);
}
