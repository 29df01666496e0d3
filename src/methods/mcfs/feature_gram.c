#include "methods/mcfs/feature_gram.h"

#include "core/engine.h"

#include <stdlib.h>
#include <string.h>

/* A column and its hash. */
typedef struct marked {
    uint64_t mark;
    int64_t j;
} marked;

static int by_mark(const void *a, const void *b)
{
    const marked *x = a, *y = b;
    if (x->mark != y->mark)
        return x->mark < y->mark ? -1 : 1;
    return (x->j > y->j) - (x->j < y->j);
}

static uint64_t mix(uint64_t mark, double value, int64_t row)
{
    uint64_t bits = 0;
    value += 0.0; /* -0 is 0 */
    memcpy(&bits, &value, sizeof bits);
    return (mark ^ bits ^ (uint64_t)row) * 0x100000001b3U;
}

/* One pass over the rows; stored zeros count as zeros. */
static void mark_columns(const pith_i_design *D, double *row, marked *m)
{
    const pith_i_data *X = D->X;
    for (int64_t j = 0; j < X->p; j++)
        m[j] = (marked){0xcbf29ce484222325U, j};
    for (int64_t i = 0; i < X->n; i++) {
        pith_i_block(X, i, 1, 0, X->p, row, X->p);
        for (int64_t j = 0; j < X->p; j++)
            m[j].mark = row[j] != 0 ? mix(m[j].mark, row[j], i) : m[j].mark;
    }
}

/* Row and column `to` of G become those of `from`, a feature with equal values. */
static void copy_products(int64_t p, int64_t from, int64_t to, double *G)
{
    memcpy(G + to * p, G + from * p, (size_t)p * sizeof *G);
    G[to * p + to] = G[from * p + from];
    for (int64_t j = 0; j < p; j++)
        G[j * p + to] = G[to * p + j];
    G[from * p + to] = G[to * p + from] = G[from * p + from];
}

static bool are_equal(const pith_i_design *D, int64_t a, int64_t b, double *column)
{
    const int64_t n = D->X->n;
    if (D->left_out != NULL && D->left_out[a] != D->left_out[b])
        return false;
    pith_i_design_column(D, a, column);
    pith_i_design_column(D, b, column + n);
    return memcmp(column, column + n, (size_t)n * sizeof *column) == 0;
}

/* Copies the products of the first of equal columns to the others. */
static pith_status level_equal_columns(pith_ctx *ctx, const pith_i_design *D, double *G)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = D->X->n, p = D->X->p;
    marked *m = NULL;
    double *row = NULL, *column = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, m, p));
    TRY(SCRATCH(ctx, row, p));
    TRY(SCRATCH(ctx, column, 2 * n));
    mark_columns(D, row, m);
    qsort(m, (size_t)p, sizeof *m, by_mark);
    for (int64_t first = 0, k = 1; k < p; k++)
        if (m[k].mark != m[first].mark)
            first = k;
        else if (are_equal(D, m[first].j, m[k].j, column))
            copy_products(p, m[first].j, m[k].j, G);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Columns that are equal in all processes have equal products in each, and so equal sums of them. */
pith_status pith_i_feature_gram(pith_ctx *ctx, const pith_i_design *X, double *G)
{
    const int64_t p = X->X->p;
    pith_status st = PITH_OK;
    if (X->X->n > 0)
        TRY(pith_i_design_columns_gram(ctx, X, NULL, G));
    else
        memset(G, 0, (size_t)(p * p) * sizeof *G);
    for (int64_t i = 0; i < p; i++)
        for (int64_t j = 0; j < i; j++)
            G[j * p + i] = G[i * p + j];
    TRY(level_equal_columns(ctx, X, G));
    if (pith_i_is_spread(X->X))
        TRY(pith_i_sum(ctx, p * p, G));
done:
    return st;
}
