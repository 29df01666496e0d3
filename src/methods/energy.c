#include "core/parallel.h"
#include "methods/method.h"

#include <string.h>

struct energy {
    pith_i_shared shared;
    double idf;
};

static const pith_i_param energy_table[] = {
    ALIKE_PARAMS(struct energy, 10),
    PARAM(struct energy, idf, 1, 0.5, 2,
          "power of ln(n / df) in the scored columns of counts; the graph has 1"),
    STANDARDIZE_PARAM(struct energy),
};

typedef struct setting {
    const pith_i_input *in;
    double *root; /* 1 / sqrt(degree), 0 where isolated */
    double *ones; /* A 1 */
    double mass;  /* |A 1|^2 */
    double *score;
} setting;

/* Row i of A f. */
static double smooth(const setting *s, int64_t i, const double *f)
{
    const pith_i_graph *W = s->in->graph;
    double sum = 0;
    for (int64_t e = W->row[i]; e < W->row[i + 1]; e++)
        sum += W->weight[e] * s->root[W->col[e]] * f[W->col[e]];
    return s->root[i] * sum;
}

/* Of the whole column f, which is centred first: a mean far from 0 would take the digits after. */
static double whole_column(const setting *s, double *f)
{
    const int64_t n = s->in->n;
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
static void sparse_column(const setting *s, int64_t j, double *f, bool *seen)
{
    const pith_i_data *T = s->in->T;
    const pith_i_graph *W = s->in->graph;
    const int64_t from = T->indptr[j], to = T->indptr[j + 1];
    double sum = 0, energy = 0, mass = 0;
    int64_t reached = 0;
    for (int64_t e = from; e < to; e++) {
        f[T->indices[e]] = pith_i_value(T->values, T->dtype, e);
        sum += f[T->indices[e]];
    }
    const double mean = sum / (double)s->in->n;
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
    if (reached < s->in->n - W->isolated) /* else the difference is rounding, and the mean may be large */
        energy += fmax(s->mass - mass, 0) * mean * mean;
    s->score[j] = energy;
    for (int64_t e = from; e < to; e++) {
        f[T->indices[e]] = 0;
        for (int64_t g = W->row[T->indices[e]]; g < W->row[T->indices[e] + 1]; g++)
            seen[W->col[g]] = false;
    }
}

static void score_column(const setting *s, int64_t j, double *f, bool *seen)
{
    const pith_i_data *T = s->in->T;
    const int64_t n = s->in->n;
    if (T != NULL && T->indptr[j + 1] - T->indptr[j] < n / 2) {
        sparse_column(s, j, f, seen);
        return;
    }
    if (T != NULL)
        pith_i_block(T, j, 1, 0, n, f, n);
    else
        pith_i_column(s->in->X, j, f);
    s->score[j] = whole_column(s, f);
    memset(f, 0, (size_t)n * sizeof *f);
}

static pith_status all_columns(pith_ctx *ctx, const setting *s)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int threads = pith_ctx_threads(ctx);
    const int64_t n = s->in->n, p = s->in->p;
    double *columns = NULL;
    bool *marks = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, columns, n * threads));
    TRY(SCRATCH_ZERO(ctx, marks, n * threads));
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16)
    for (int64_t j = 0; j < p; j++)
        if (!pith_i_progress_stop(ctx, j, p))
            score_column(s, j, columns + n * pith_i_thread(), marks + n * pith_i_thread());
    TRY(pith_i_stop_status(ctx));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Columns of these views hold ln(n / df) once: to another power, the score is as if that stood there. */
static void weigh_again(const pith_i_input *in, double power, double *score)
{
    const int64_t *df = in->parts->stats.nonzeros;
    for (int64_t j = 0; j < in->p && pith_i_view_unit_rows(in->options->standardize); j++)
        if (df[j] > 0 && df[j] < in->n) /* else the column is 0, and so is its score */
            score[j] *= pow(log((double)in->n / (double)df[j]), 2 * (power - 1));
}

/* As many as carry the scores: (sum s)^2 / sum s^2, which is the number of features where all are equal. */
static void keep_effective(const pith_i_input *in, const double *score)
{
    double sum = 0, squares = 0;
    for (int64_t j = 0; j < in->p; j++)
        if (!in->constant[j]) {
            sum += score[j];
            squares += score[j] * score[j];
        }
    pith_i_keep(in->facts, squares > 0 ? (int64_t)llround(sum * sum / squares) : 0);
}

/*
 * What is left of a feature after it was averaged over neighbours:
 *
 *     score(f) = |A f_c|^2 ,   f_c = f - mean,   A = D^-1/2 W D^-1/2
 *
 * Of counts the column is sqrt(x) ln(n / df)^idf with the lengths of the graph's rows.
 * A shift of the columns changes nothing, since they are centred. O(neighbors^2) per stored value, at most
 * O(neighbors n) per feature.
 */
static pith_status energy_score(pith_ctx *ctx, const pith_i_input *in, const void *params, double *score)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    setting s = {.in = in, .score = score};
    const struct energy *o = params;
    double *one = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, s.root, in->n));
    TRY(SCRATCH(ctx, s.ones, in->n));
    TRY(SCRATCH(ctx, one, in->n));
    for (int64_t i = 0; i < in->n; i++) {
        const double degree = in->graph->degree[i];
        s.root[i] = degree > 0 ? 1 / sqrt(degree) : 0;
        one[i] = 1;
    }
    for (int64_t i = 0; i < in->n; i++) {
        s.ones[i] = smooth(&s, i, one);
        s.mass += s.ones[i] * s.ones[i];
    }
    if (!(s.mass > 0))
        FAIL(ctx, PITH_E_DATA, "the graph has no edge: no two samples are alike");
    TRY(all_columns(ctx, &s));
    weigh_again(in, o->idf, score);
    keep_effective(in, score);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

const pith_method pith_i_method_energy = {
    .name = "energy",
    .family = "graph, one feature at a time",
    .reference = "pith's own; docs/methods/energy.md has the evidence",
    .title = "Averages each feature over neighbouring samples, and ranks features by the variance that is "
             "left.",
    .notes =
        "Made for counts, from words in documents to transcripts in cells: these are seen as "
        "sqrt(x) ln(n / df) in rows of unit norm. Other data is taken as it is; bring its columns to one "
        "scale first.",
    .needs = NEEDS_GRAPH | NEEDS_ALIKE,
    .better = HIGHER,
    .keeps = true,
    .dense_view = VIEW_NONE,
    .counts_view = VIEW_SQRT_IDF,
    .plain_relevance = true,
    .table = energy_table,
    .n_table = COUNT(energy_table),
    .params_size = sizeof(struct energy),
    .score = energy_score,
};
