#include "graph/given.h"

#include "graph/arcs.h"
#include "graph/graph_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The e-th stored entry of row i, and its column. */
static double entry_at(const pith_i_data *X, int64_t i, int64_t e, int64_t *col)
{
    if (X->sparse) {
        *col = X->indices[X->indptr[i] + e];
        return pith_i_value(X->values, X->dtype, X->indptr[i] + e);
    }
    *col = e;
    return pith_i_value(X->x, X->dtype, i * X->row_stride + e * X->col_stride);
}

static int64_t entries_in(const pith_i_data *X, int64_t i)
{
    return X->sparse ? X->indptr[i + 1] - X->indptr[i] : X->p;
}

static pith_status bad_weight(pith_ctx *ctx, const char *where, int64_t i, int64_t l, double weight)
{
    return pith_i_error(ctx, PITH_E_DATA,
                        "%s: the edge from sample %lld to %lld (counted from 1) has the weight %g; weights "
                        "must be similarities, finite and not negative",
                        where, (long long)i + 1, (long long)l + 1, weight);
}

/* How many edges each row has, to count[i + 1]. The diagonal is dropped, whatever it holds. */
static pith_status count_edges(pith_ctx *ctx, const char *where, const pith_i_data *X, int64_t *count)
{
    for (int64_t i = 0; i < X->n; i++)
        for (int64_t e = 0; e < entries_in(X, i); e++) {
            int64_t col = 0;
            const double weight = entry_at(X, i, e, &col);
            if (col != i && !(weight >= 0 && isfinite(weight)))
                return bad_weight(ctx, where, i, col, weight);
            count[i + 1] += col != i && weight > 0;
        }
    return PITH_OK;
}

pith_status pith_i_given_edges(pith_ctx *ctx, const char *where, const pith_i_data *X, pith_i_data *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    int64_t *start = NULL, at = 0;
    pith_status st = PITH_OK;
    if (X->n != X->p)
        FAIL(ctx, PITH_E_DATA, "%s: a graph of the samples must be a square matrix, not %lld x %lld", where,
             (long long)X->n, (long long)X->p);
    TRY(SCRATCH_ZERO(ctx, start, X->n + 1));
    TRY(count_edges(ctx, where, X, start));
    for (int64_t i = 0; i < X->n; i++)
        start[i + 1] += start[i];
    if (start[X->n] == 0)
        FAIL(ctx, PITH_E_DATA, "%s: has no edges between samples", where);
    TRY(pith_i_data_new_csr(ctx, X->n, X->p, start[X->n], PITH_F64, out));
    memcpy(pith_i_data_indptr(out), start, (size_t)(X->n + 1) * sizeof *start);
    for (int64_t i = 0; i < X->n; i++)
        for (int64_t e = 0; e < entries_in(X, i); e++) {
            int64_t col = 0;
            const double weight = entry_at(X, i, e, &col);
            if (col == i || !(weight > 0))
                continue;
            pith_i_data_indices(out)[at] = (int32_t)col;
            pith_i_set_value(pith_i_data_values(out), PITH_F64, at++, weight);
        }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

typedef struct arc {
    double weight;
    int32_t col;
} arc;

static int heaviest_first(const void *a, const void *b)
{
    const arc *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return x->col < y->col ? -1 : x->col > y->col;
}

static pith_status given_arcs(pith_ctx *ctx, const pith_i_data *A, pith_i_arcs *out)
{
    int64_t longest = 0;
    arc *row = NULL;
    pith_status st = PITH_OK;
    for (int64_t i = 0; i < A->n; i++)
        longest = entries_in(A, i) > longest ? entries_in(A, i) : longest;
    TRY(pith_i_arcs_new(ctx, A->n, A->indptr[A->n], out));
    TRY(SCRATCH(ctx, row, longest));
    memcpy(out->row, A->indptr, (size_t)(A->n + 1) * sizeof *out->row);
    for (int64_t i = 0; i < A->n; i++) {
        const int64_t count = entries_in(A, i);
        for (int64_t e = 0; e < count; e++) {
            int64_t col = 0;
            row[e].weight = entry_at(A, i, e, &col);
            row[e].col = (int32_t)col;
        }
        qsort(row, (size_t)count, sizeof *row, heaviest_first);
        for (int64_t e = 0; e < count; e++) {
            out->col[out->row[i] + e] = row[e].col;
            out->weight[out->row[i] + e] = row[e].weight;
        }
    }
done:
    return st;
}

pith_status pith_i_graph_from(pith_ctx *ctx, const pith_i_data *A, pith_i_graph **out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_graph *G = NULL;
    pith_i_arcs arcs = {0};
    pith_status st = PITH_OK;
    TRY(given_arcs(ctx, A, &arcs));
    TRY(pith_i_graph_new(ctx, A->n, &G));
    TRY(pith_i_arcs_keep(ctx, &arcs, G));
    TRY(pith_i_arcs_unite(ctx, &arcs, G));
    TRY(pith_i_graph_finish(ctx, G));
    *out = G;
    G = NULL;
done:
    pith_i_graph_free(G);
    pith_i_scratch_release(ctx, mark);
    return st;
}
