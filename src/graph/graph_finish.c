/* Degrees and connected components. */
#include "graph/spread_inside.h"

#include <stdlib.h>

static int32_t root_of(int32_t *parent, int32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

/* The parent of every row is at most its number, so a root is the lowest row of its component. */
static void join(const pith_i_graph *G, int32_t *parent)
{
    for (int64_t i = 0; i < G->n; i++)
        parent[i] = (int32_t)i;
    for (int64_t i = 0; i < G->n; i++)
        for (int64_t e = G->row[i]; e < G->row[i + 1]; e++) {
            const int32_t a = root_of(parent, (int32_t)i), b = root_of(parent, G->col[e]);
            if (a != b)
                parent[a < b ? b : a] = a < b ? a : b;
        }
}

typedef struct component {
    int64_t rows;
    int32_t lowest;
} component;

static int by_size(const void *x, const void *y)
{
    const component *a = x, *b = y;
    if (a->rows != b->rows)
        return a->rows > b->rows ? -1 : 1;
    return a->lowest < b->lowest ? -1 : a->lowest > b->lowest;
}

static bool is_isolated(const pith_i_graph *G, int64_t i)
{
    return G->row[i] == G->row[i + 1];
}

static pith_status number_components(pith_ctx *ctx, pith_i_graph *G)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_status st = PITH_OK;
    int32_t *parent = NULL;
    component *found = NULL;
    int64_t *size = NULL;
    TRY(SCRATCH(ctx, parent, G->n));
    TRY(SCRATCH_ZERO(ctx, size, G->n));
    TRY(SCRATCH(ctx, found, G->n));
    join(G, parent);
    for (int64_t i = 0; i < G->n; i++)
        size[root_of(parent, (int32_t)i)]++;
    for (int64_t i = 0; i < G->n; i++)
        if (is_isolated(G, i))
            G->isolated++;
        else if (parent[i] == i)
            found[G->components++] = (component){size[i], (int32_t)i};
    qsort(found, (size_t)G->components, sizeof *found, by_size);
    for (int64_t i = 0; i < G->n; i++)
        G->component[i] = -1;
    for (int64_t c = 0; c < G->components; c++)
        G->component[found[c].lowest] = (int32_t)c;
    for (int64_t i = 0; i < G->n; i++)
        G->component[i] = G->component[root_of(parent, (int32_t)i)];
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_graph_finish(pith_ctx *ctx, pith_i_graph *G)
{
    pith_status st = PITH_OK;
    pith_i_free(G->degree);
    pith_i_free(G->component);
    G->degree = NULL;
    G->component = NULL;
    G->components = G->isolated = 0;
    TRY(NEW(ctx, G->degree, G->n));
    TRY(NEW(ctx, G->component, G->n));
    for (int64_t i = 0; i < G->n; i++) {
        G->degree[i] = 0;
        for (int64_t e = G->row[i]; e < G->row[i + 1]; e++)
            G->degree[i] += G->weight[e];
    }
    TRY(pith_i_graph_is_spread(G) ? pith_i_spread_components(ctx, G) : number_components(ctx, G));
done:
    return st;
}
