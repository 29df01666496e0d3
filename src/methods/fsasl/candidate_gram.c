#include "methods/fsasl/candidate_gram.h"

#include "core/parallel.h"
#include "matrix/blas.h"
#include "matrix/gather.h"

#include <string.h>

/* An entry in the list of its column. */
typedef struct entry {
    double value;
    int32_t row, next; /* next: the entry of this column in the last row before that has one; -1: none */
} entry;

typedef struct room {
    double *dense; /* count x n_heavy */
    entry *entry;  /* count x longest */
    int32_t *head; /* p: the last entry of a column; -1 between calls */
} room;

static room lay_out(const pith_i_candidates *g, void *bytes)
{
    room r = {.dense = bytes};
    r.entry = (entry *)(r.dense + g->count * g->n_heavy);
    r.head = (int32_t *)(r.entry + g->count * g->longest);
    return r;
}

int64_t pith_i_candidate_gram_room(const pith_i_candidates *g)
{
    const int64_t bytes =
        g->count * (g->n_heavy * (int64_t)sizeof(double) + g->longest * (int64_t)sizeof(entry)) +
        g->Z->X->p * (int64_t)sizeof(int32_t);
    return (bytes + 63) / 64 * 64;
}

void pith_i_candidate_gram_start(const pith_i_candidates *g, void *bytes)
{
    const room r = lay_out(g, bytes);
    for (int64_t j = 0; j < g->Z->X->p; j++)
        r.head[j] = -1;
}

static double shift_of(const pith_i_design *Z, int64_t j)
{
    return Z->shift != NULL ? Z->shift[j] : 0;
}

/* The nonzeros of every column over all samples. */
static pith_status count_entries(pith_ctx *ctx, const pith_i_design *Z, double *entries)
{
    for (int64_t j = 0; j < Z->X->p; j++)
        entries[j] = (double)(Z->T->indptr[j + 1] - Z->T->indptr[j]);
    return pith_i_sum_over(ctx, Z->X, Z->X->p, entries);
}

pith_status pith_i_candidate_gram_open(pith_ctx *ctx, const pith_i_design *Z, int64_t count,
                                       pith_i_candidates *out)
{
    const int64_t p = Z->X->p, quarter = pith_i_all(Z->X) / 4;
    pith_i_candidates g = {.Z = Z, .count = count};
    int32_t *heavy = NULL;
    double *entries = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, g.place, p));
    TRY(SCRATCH(ctx, heavy, p));
    TRY(SCRATCH(ctx, entries, p));
    TRY(count_entries(ctx, Z, entries));
    for (int64_t j = 0; j < p; j++) {
        g.place[j] = Z->left_out != NULL && Z->left_out[j] ? -1 : 0;
        if (g.place[j] < 0)
            continue;
        if (entries[j] > (double)quarter) {
            heavy[g.n_heavy] = (int32_t)j;
            g.place[j] = (int32_t)++g.n_heavy;
        } else {
            g.square += shift_of(Z, j) * shift_of(Z, j);
        }
    }
    g.heavy = heavy;
    *out = g;
done:
    return st;
}

pith_status pith_i_candidate_gram_rows(pith_ctx *ctx, const pith_i_data *X, pith_i_candidates *g)
{
    pith_status st = PITH_OK;
    g->X = X;
    g->longest = 0;
    TRY(SCRATCH_ZERO(ctx, g->crossed, X->n));
    for (int64_t i = 0; i < X->n; i++) {
        g->longest = pith_i_max(g->longest, X->indptr[i + 1] - X->indptr[i]);
        for (int64_t e = X->indptr[i]; e < X->indptr[i + 1]; e++)
            if (g->place[X->indices[e]] == 0)
                g->crossed[i] += pith_i_at(X, i, e) * shift_of(g->Z, X->indices[e]);
    }
done:
    return st;
}

/* Row a of G up to its diagonal, from the entries that the rows before have left in the lists of their
 * columns. Those of row a are added to the lists. */
static int32_t add_row(const pith_i_candidates *g, const room *r, int64_t a, int64_t i, int32_t used,
                       double *G)
{
    const pith_i_data *X = g->X;
    double *dense = r->dense + a * g->n_heavy;
    for (int64_t h = 0; h < g->n_heavy; h++)
        dense[h] = -shift_of(g->Z, g->heavy[h]);
    for (int64_t e = X->indptr[i]; e < X->indptr[i + 1]; e++) {
        const int32_t j = X->indices[e], place = g->place[j];
        const double v = pith_i_at(X, i, e);
        if (place > 0)
            dense[place - 1] += v;
        if (place != 0)
            continue;
        r->entry[used] = (entry){v, (int32_t)a, r->head[j]};
        r->head[j] = used;
        for (int32_t at = used++; at >= 0; at = r->entry[at].next)
            G[a * g->count + r->entry[at].row] += v * r->entry[at].value;
    }
    return used;
}

void pith_i_candidate_gram(const pith_i_candidates *g, const int64_t *row, double *G, void *bytes)
{
    const pith_i_data *X = g->X;
    const room r = lay_out(g, bytes);
    const int64_t count = g->count;
    int32_t used = 0;
    memset(G, 0, (size_t)(count * count) * sizeof *G);
    for (int64_t a = 0; a < count; a++)
        used = add_row(g, &r, a, row[a], used, G);
    for (int64_t a = 0; a < count; a++)
        for (int64_t e = X->indptr[row[a]]; e < X->indptr[row[a] + 1]; e++)
            r.head[X->indices[e]] = -1;
    for (int64_t a = 0; a < count; a++)
        for (int64_t b = 0; b <= a; b++)
            G[a * count + b] += g->square - g->crossed[row[a]] - g->crossed[row[b]];
    if (g->n_heavy > 0)
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, (int)count, (int)g->n_heavy, 1, r.dense,
                    (int)g->n_heavy, 1, G, (int)count);
    for (int64_t a = 0; a < count; a++)
        for (int64_t b = 0; b < a; b++)
            G[b * count + a] = G[a * count + b];
}
