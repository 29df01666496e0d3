#include "graph/arcs.h"

#include "graph/graph_inside.h"

#include <string.h>

pith_status pith_i_arcs_new(pith_ctx *ctx, int64_t n, int64_t count, pith_i_arcs *out)
{
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, out->row, n + 1));
    TRY(SCRATCH(ctx, out->col, count));
    TRY(SCRATCH(ctx, out->weight, count));
done:
    return st;
}

/* B = A'. Rows are visited in order, so the columns of B ascend. */
static void transpose(int64_t n, const pith_i_arcs *A, pith_i_arcs *B)
{
    for (int64_t e = 0; e < A->row[n]; e++)
        B->row[A->col[e] + 1]++;
    for (int64_t i = 0; i < n; i++)
        B->row[i + 1] += B->row[i];
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = A->row[i]; e < A->row[i + 1]; e++) {
            const int64_t at = B->row[A->col[e]]++;
            B->col[at] = (int32_t)i;
            B->weight[at] = A->weight[e];
        }
    memmove(B->row + 1, B->row, (size_t)n * sizeof *B->row);
    B->row[0] = 0;
}

/* Row i of max(A, B), columns ascending, to col and weight; returns its length. col NULL: only counts. */
static int64_t unite_row(const pith_i_arcs *A, const pith_i_arcs *B, int64_t i, int32_t *col, double *weight)
{
    int64_t a = A->row[i], b = B->row[i], count = 0;
    while (a < A->row[i + 1] || b < B->row[i + 1]) {
        const int32_t ca = a < A->row[i + 1] ? A->col[a] : INT32_MAX;
        const int32_t cb = b < B->row[i + 1] ? B->col[b] : INT32_MAX;
        const int32_t c = ca < cb ? ca : cb;
        const double wa = ca == c ? A->weight[a++] : 0, wb = cb == c ? B->weight[b++] : 0;
        if (col != NULL) {
            col[count] = c;
            weight[count] = wa > wb ? wa : wb;
        }
        count++;
    }
    return count;
}

pith_status pith_i_arcs_keep(pith_ctx *ctx, const pith_i_arcs *A, pith_i_graph *G)
{
    pith_status st = PITH_OK;
    TRY(NEW(ctx, G->choice, G->n + 1));
    TRY(NEW(ctx, G->chosen, A->row[G->n]));
    memcpy(G->choice, A->row, (size_t)(G->n + 1) * sizeof *G->choice);
    memcpy(G->chosen, A->col, (size_t)A->row[G->n] * sizeof *G->chosen);
done:
    return st;
}

pith_status pith_i_arcs_unite(pith_ctx *ctx, const pith_i_arcs *A, pith_i_graph *G)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = G->n;
    pith_i_arcs B = {0}, C = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_arcs_new(ctx, n, A->row[n], &B));
    TRY(pith_i_arcs_new(ctx, n, A->row[n], &C));
    transpose(n, A, &B);
    transpose(n, &B, &C); /* A again, with ascending columns */
    for (int64_t i = 0; i < n; i++)
        G->row[i + 1] = unite_row(&B, &C, i, NULL, NULL);
    TRY(pith_i_graph_room(ctx, G));
    for (int64_t i = 0; i < n; i++)
        (void)unite_row(&B, &C, i, G->col + G->row[i], G->weight + G->row[i]);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
