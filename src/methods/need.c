#include "methods/need.h"

#include "core/engine.h"
#include "graph/knn_work.h"

static double graph_need(const pith_ctx *ctx, const pith_i_data *X, const pith_i_shared *o)
{
    const double n = (double)X->n, p = (double)X->p;
    const bool exact = o->search == PITH_I_SEARCH_EXACT ||
                       (o->search == PITH_I_SEARCH_AUTO && n * n * p <= PITH_I_EXACT_WORK);
    if (o->own_graph != NULL || o->graph_rows != NULL || pith_i_engine_searches(ctx))
        return 0;
    if (o->graph == GRAPH_FULL)
        return n * n * (double)(sizeof(double) + sizeof(int32_t));
    return !X->sparse && exact ? n * p * (double)sizeof(float) : 0;
}

pith_status pith_i_check_need(pith_ctx *ctx, const pith_i_data *X, const pith_params *params)
{
    const pith_method *m = params->method;
    const bool graph = (m->needs & NEEDS_GRAPH) != 0;
    const double own = m->need != NULL ? m->need(X, pith_i_params_shared(params)) : 0,
                 its_graph = graph ? graph_need(ctx, X, pith_i_params_shared(params)) : 0,
                 need = own > its_graph ? own : its_graph;
    return pith_i_check_room(ctx, need < (double)(INT64_MAX / 2) ? (int64_t)need : INT64_MAX / 2);
}
