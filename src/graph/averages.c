#include "graph/averages.h"

#include "core/parallel.h"
#include "graph/graph_inside.h"

#include <string.h>

typedef struct setting {
    const pith_i_graph *W;
    const pith_i_data *X, *T;
    double *root; /* 1 / sqrt(degree), 0 where isolated */
    double *ones; /* A 1 */
    double mass;  /* |A 1|^2 */
} setting;

/* Row i of A f. */
static double smooth(const setting *s, int64_t i, const double *f)
{
    const pith_i_graph *W = s->W;
    double sum = 0;
    for (int64_t e = W->row[i]; e < W->row[i + 1]; e++)
        sum += W->weight[e] * s->root[W->col[e]] * f[W->col[e]];
    return s->root[i] * sum;
}

/* Of the whole column f, which is centred first: a mean far from 0 would take the digits after. */
static double whole_column(const setting *s, double *f)
{
    const int64_t n = s->W->n;
    double sum = 0, energy = 0;
    for (int64_t i = 0; i < n; i++)
        sum += f[i];
    for (int64_t i = 0; i < n; i++)
        f[i] -= sum / (double)n;
    for (int64_t i = 0; i < n; i++) {
        const double y = smooth(s, i, f);
        energy += y * y;
    }
    return energy;
}

/*
 * A sparse column reaches the neighbours of the samples that have it; all other samples hold -mean A 1. f is
 * zero on entry and on return. The reached are visited by the samples that have the feature, each once, which
 * `seen` (zero, too) keeps account of.
 */
static double sparse_column(const setting *s, int64_t j, double *f, bool *seen)
{
    const pith_i_data *T = s->T;
    const pith_i_graph *W = s->W;
    const int64_t from = T->indptr[j], to = T->indptr[j + 1];
    double sum = 0, energy = 0, mass = 0;
    int64_t reached = 0;
    for (int64_t e = from; e < to; e++) {
        f[T->indices[e]] = pith_i_value(T->values, T->dtype, e);
        sum += f[T->indices[e]];
    }
    const double mean = sum / (double)W->n;
    for (int64_t e = from; e < to; e++)
        for (int64_t g = W->row[T->indices[e]]; g < W->row[T->indices[e] + 1]; g++) {
            const int64_t i = W->col[g];
            if (seen[i])
                continue;
            const double y = smooth(s, i, f) - mean * s->ones[i];
            seen[i] = true;
            energy += y * y;
            mass += s->ones[i] * s->ones[i];
            reached++;
        }
    if (reached < W->n - W->isolated) /* else the difference is rounding, and the mean may be large */
        energy += fmax(s->mass - mass, 0) * mean * mean;
    for (int64_t e = from; e < to; e++) {
        f[T->indices[e]] = 0;
        for (int64_t g = W->row[T->indices[e]]; g < W->row[T->indices[e] + 1]; g++)
            seen[W->col[g]] = false;
    }
    return energy;
}

static double one_column(const setting *s, int64_t j, double *f, bool *seen)
{
    const pith_i_data *T = s->T;
    const int64_t n = s->W->n;
    if (T != NULL && T->indptr[j + 1] - T->indptr[j] < n / 2)
        return sparse_column(s, j, f, seen);
    if (T != NULL)
        pith_i_block(T, j, 1, 0, n, f, n);
    else
        pith_i_column(s->X, j, f);
    const double energy = whole_column(s, f);
    memset(f, 0, (size_t)n * sizeof *f);
    return energy;
}

static pith_status all_columns(pith_ctx *ctx, const setting *s, double *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int threads = pith_ctx_threads(ctx);
    const int64_t n = s->W->n, p = s->X->p;
    double *columns = NULL;
    bool *marks = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, columns, n * threads));
    TRY(SCRATCH_ZERO(ctx, marks, n * threads));
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16)
    for (int64_t j = 0; j < p; j++)
        if (!pith_i_progress_stop(ctx, j, p))
            out[j] = one_column(s, j, columns + n * pith_i_thread(), marks + n * pith_i_thread());
    TRY(pith_i_stop_status(ctx));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_averaged_energy(pith_ctx *ctx, const pith_i_graph *graph, const pith_i_data *X,
                                   const pith_i_data *T, double *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = graph->n;
    setting s = {.W = graph, .X = X, .T = T};
    double *one = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, s.root, n));
    TRY(SCRATCH(ctx, s.ones, n));
    TRY(SCRATCH(ctx, one, n));
    for (int64_t i = 0; i < n; i++) {
        s.root[i] = pith_i_inverse_root(graph, i);
        one[i] = 1;
    }
    for (int64_t i = 0; i < n; i++) {
        s.ones[i] = smooth(&s, i, one);
        s.mass += s.ones[i] * s.ones[i];
    }
    if (!(s.mass > 0))
        FAIL(ctx, PITH_E_DATA, "the graph has no edge: no two samples are alike");
    TRY(all_columns(ctx, &s, out));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
