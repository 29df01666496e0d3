#include "graph/averages.h"

#include "core/engine.h"
#include "core/parallel.h"
#include "graph/spread_inside.h"

#include <string.h>

typedef struct setting {
    const pith_i_graph *W;
    const pith_i_data *X, *T; /* with the rows of the halo, if there are any */
    double *root;             /* 1 / sqrt(degree), 0 where isolated; of the halo, too */
    double *ones;             /* A 1 */
    double mass;              /* |A 1|^2 */
    /* Only where rows are spread over processes: of every column the mean, and how many samples store it; */
    double *mean, *stored;
    int64_t *back_at; /* the rows held here that are neighbours of row h of the halo: back[back_at[h]] to */
    int32_t *back;    /* before back[back_at[h + 1]] */
} setting;

/* Sums for one column, over the rows held here that it reaches. */
typedef struct found {
    double energy;  /* of (A (f - mean))_i^2 */
    double mass;    /* of (A 1)_i^2; 0 for a column that is not sparse */
    double reached; /* how many rows */
} found;

/* Row i of A f. */
static double smooth(const setting *s, int64_t i, const double *f)
{
    const pith_i_graph *W = s->W;
    double sum = 0;
    for (int64_t e = W->row[i]; e < W->row[i + 1]; e++)
        sum += W->weight[e] * s->root[W->col[e]] * f[W->col[e]];
    return s->root[i] * sum;
}

static bool is_spread(const setting *s)
{
    return pith_i_graph_is_spread(s->W);
}

static int64_t all_rows(const setting *s)
{
    return is_spread(s) ? s->W->all : s->W->n;
}

/* For a column f that is not sparse. It is centred first: a mean far from 0 would cost digits. */
static found whole_column(const setting *s, int64_t j, double *f)
{
    double mean = is_spread(s) ? s->mean[j] : 0, sum = 0;
    found all = {.reached = (double)(s->W->n)};
    for (int64_t i = 0; !is_spread(s) && i < s->W->n; i++)
        sum += f[i];
    mean = is_spread(s) ? mean : sum / (double)s->W->n;
    for (int64_t i = 0; i < s->X->n; i++)
        f[i] -= mean;
    for (int64_t i = 0; i < s->W->n; i++) {
        const double y = smooth(s, i, f);
        all.energy += y * y;
    }
    return all;
}

typedef struct visit {
    const setting *s;
    const double *f;
    bool *seen;
    double mean;
    found got;
} visit;

static void reach(visit *v, int64_t i)
{
    const double ones = v->s->ones[i];
    if (v->seen[i])
        return;
    const double y = smooth(v->s, i, v->f) - v->mean * ones;
    v->seen[i] = true;
    v->got.energy += y * y;
    v->got.mass += ones * ones;
    v->got.reached++;
}

/* The rows held here that are neighbours of row h. */
static const int32_t *neighbours(const setting *s, int64_t h, int64_t *count)
{
    const pith_i_graph *W = s->W;
    const int64_t from = h < W->n ? W->row[h] : s->back_at[h - W->n];
    *count = (h < W->n ? W->row[h + 1] : s->back_at[h - W->n + 1]) - from;
    return (h < W->n ? W->col : s->back) + from;
}

/*
 * A sparse column reaches the neighbours of the samples that store it; at all other samples A (f - mean) is
 * -mean A 1. f and seen are zero on entry and on return; seen makes every neighbour count once.
 */
static found sparse_column(const setting *s, int64_t j, double *f, bool *seen)
{
    const pith_i_data *T = s->T;
    const int64_t from = T->indptr[j], to = T->indptr[j + 1];
    visit v = {.s = s, .f = f, .seen = seen};
    double sum = 0;
    int64_t count = 0;
    for (int64_t e = from; e < to; e++) {
        f[T->indices[e]] = pith_i_at(T, j, e);
        sum += f[T->indices[e]];
    }
    v.mean = is_spread(s) ? s->mean[j] : sum / (double)s->W->n;
    for (int64_t e = from; e < to; e++) {
        const int32_t *near = neighbours(s, T->indices[e], &count);
        for (int64_t g = 0; g < count; g++)
            if (near[g] < s->W->n)
                reach(&v, near[g]);
    }
    for (int64_t e = from; e < to; e++) {
        const int32_t *near = neighbours(s, T->indices[e], &count);
        f[T->indices[e]] = 0;
        for (int64_t g = 0; g < count; g++)
            seen[near[g]] = false;
    }
    return v.got;
}

static bool is_sparse(const setting *s, int64_t j)
{
    if (s->T == NULL)
        return false;
    return is_spread(s) ? s->stored[j] < (double)(all_rows(s) / 2)
                        : s->T->indptr[j + 1] - s->T->indptr[j] < s->W->n / 2;
}

static found one_column(const setting *s, int64_t j, double *f, bool *seen)
{
    const int64_t rows = s->X->n;
    if (is_sparse(s, j))
        return sparse_column(s, j, f, seen);
    if (s->T != NULL)
        pith_i_block(s->T, j, 1, 0, rows, f, rows);
    else
        pith_i_column(s->X, j, f);
    const found all = whole_column(s, j, f);
    memset(f, 0, (size_t)rows * sizeof *f);
    return all;
}

/* Adds the samples that a sparse column does not reach: theirs is the rest of |A 1|^2. */
static double whole_energy(const setting *s, int64_t j, double mean, const found *got)
{
    const double connected = (double)(all_rows(s) - s->W->isolated);
    if (!is_sparse(s, j) || got->reached >= connected) /* no rest: the difference would be rounding only */
        return got->energy;
    return got->energy + fmax(s->mass - got->mass, 0) * mean * mean;
}

static double own_sum(const setting *s, int64_t j)
{
    double sum = 0;
    for (int64_t e = s->T->indptr[j]; e < s->T->indptr[j + 1] && s->T->indices[e] < s->W->n; e++)
        sum += pith_i_at(s->T, j, e);
    return sum;
}

static pith_status all_columns(pith_ctx *ctx, const setting *s, double *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int threads = pith_ctx_threads(ctx);
    const int64_t rows = s->X->n, p = s->X->p;
    double *columns = NULL;
    bool *marks = NULL;
    found *got = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, columns, rows * threads));
    TRY(SCRATCH_ZERO(ctx, marks, rows * threads));
    TRY(SCRATCH_ZERO(ctx, got, p));
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16)
    for (int64_t j = 0; j < p; j++)
        if (!pith_i_progress_stop(ctx, j, p))
            got[j] = one_column(s, j, columns + rows * pith_i_thread(), marks + rows * pith_i_thread());
    TRY(pith_i_stop_status(ctx));
    TRY(pith_i_sum(ctx, 3 * p, &got[0].energy));
    for (int64_t j = 0; j < p; j++) {
        const double mean = is_spread(s) ? s->mean[j] : is_sparse(s, j) ? own_sum(s, j) / (double)s->W->n : 0;
        out[j] = whole_energy(s, j, mean, &got[j]);
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- Rows spread over processes ------------------------------------------------------------------------ */

static pith_status find_means(pith_ctx *ctx, setting *s)
{
    const int64_t p = s->X->p, n = s->W->n;
    double *f = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, s->mean, p));
    TRY(SCRATCH_ZERO(ctx, s->stored, p));
    TRY(SCRATCH(ctx, f, s->X->n));
    for (int64_t j = 0; j < p; j++) {
        for (int64_t e = s->T != NULL ? s->T->indptr[j] : 0; s->T != NULL && e < s->T->indptr[j + 1]; e++)
            s->stored[j] += s->T->indices[e] < n;
        if (s->T != NULL)
            s->mean[j] = own_sum(s, j);
        else
            pith_i_column(s->X, j, f);
        for (int64_t i = 0; s->T == NULL && i < n; i++)
            s->mean[j] += f[i];
    }
    TRY(pith_i_sum(ctx, p, s->mean));
    TRY(pith_i_sum(ctx, p, s->stored));
    for (int64_t j = 0; j < p; j++)
        s->mean[j] /= (double)all_rows(s);
done:
    return st;
}

/* Sets back_at and back: the edges to the halo, listed by the halo's rows. */
static pith_status turn_back(pith_ctx *ctx, setting *s)
{
    const pith_i_graph *W = s->W;
    const int64_t more = W->halo.count;
    int64_t at = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, s->back_at, more + 1));
    TRY(SCRATCH(ctx, s->back, W->row[W->n]));
    for (int64_t e = 0; e < W->row[W->n]; e++)
        if (W->col[e] >= W->n)
            s->back_at[W->col[e] - W->n]++;
    for (int64_t h = 0; h <= more; h++) { /* ends of the lists; filling from the back makes them starts */
        at += h < more ? s->back_at[h] : 0;
        s->back_at[h] = at;
    }
    for (int64_t i = W->n; i-- > 0;)
        for (int64_t e = W->row[i]; e < W->row[i + 1]; e++)
            if (W->col[e] >= W->n)
                s->back[--s->back_at[W->col[e] - W->n]] = (int32_t)i;
done:
    return st;
}

static pith_status meet_others(pith_ctx *ctx, pith_i_data *with, pith_i_data *transposed, setting *s)
{
    const pith_i_graph *W = s->W;
    const bool sparse = s->X->sparse;
    pith_status st = PITH_OK;
    TRY(pith_i_graph_rows(ctx, W, s->X, with, transposed));
    s->X = with;
    s->T = sparse ? transposed : NULL;
    TRY(pith_i_halo_numbers(ctx, &W->halo, 1, s->root, s->root + W->n));
    TRY(find_means(ctx, s));
    TRY(turn_back(ctx, s));
done:
    return st;
}

pith_status pith_i_averaged_energy(pith_ctx *ctx, const pith_i_graph *graph, const pith_i_data *X,
                                   const pith_i_data *T, double *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = graph->n, rows = n + graph->halo.count;
    setting s = {.W = graph, .X = X, .T = T};
    pith_i_data with = {0}, transposed = {0};
    double *one = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, s.root, rows));
    TRY(SCRATCH(ctx, s.ones, n));
    TRY(SCRATCH(ctx, one, rows));
    for (int64_t i = 0; i < n; i++)
        s.root[i] = pith_i_inverse_root(graph, i);
    for (int64_t i = 0; i < rows; i++)
        one[i] = 1;
    if (pith_i_graph_is_spread(graph))
        TRY(meet_others(ctx, &with, &transposed, &s));
    for (int64_t i = 0; i < n; i++) {
        s.ones[i] = smooth(&s, i, one);
        s.mass += s.ones[i] * s.ones[i];
    }
    TRY(pith_i_sum(ctx, 1, &s.mass));
    if (!(s.mass > 0))
        FAIL(ctx, PITH_E_DATA, "the graph has no edges: no two samples are similar");
    TRY(all_columns(ctx, &s, out));
done:
    pith_i_data_free(&with);
    pith_i_data_free(&transposed);
    pith_i_scratch_release(ctx, mark);
    return st;
}
