/*
 * SPEC (Zhao & Liu, ICML 2007). With d the degrees of the graph, Ln its normalised Laplacian with pairs
 * (lambda_j, xi_j), h = f minus its mean weighted by d, v = sqrt(d) .* h, ff = sum_i d_i f_i^2 and
 * hh = v'v:
 *
 *     phi1 = v' Ln^p v / ff        low is good
 *     phi2 = v' Ln^p v / hh        low is good; p = 1 is the Laplacian score
 *     phi3 = sum_{j=1}^{c-1} (2^p - lambda_j^p) (xi_j'v)^2 / ff        high is good
 *
 * The sums run over h, not f, so that a large mean causes no cancellation.
 */
#include "core/engine.h"
#include "core/parallel.h"
#include "graph/smoothness.h"
#include "linalg/eigen.h"
#include "matrix/blas.h"
#include "methods/method.h"

/* Features treated together, and the room for it; most samples for a dense problem. */
enum { BLOCK = 32, ROOM = 2 * BLOCK + 1, MOST_DENSE = 5000 };

struct spec {
    pith_i_shared shared;
    int64_t style;
    double p;
};

static const pith_i_param spec_table[] = {
    PARAM(struct spec, style, 3, 1, 3,
          "ranking criterion: 1 and 2 use the whole spectrum, 3 only its small end"),
    PARAM(struct spec, p, 1, 0.01, 64, "exponent of the eigenvalues; the paper tries 0.25, 1 and 4"),
    ROW(struct spec, shared.graph, "graph", GRAPH_KNN, 0, 0, false, pith_i_graph_words,
        "graph: nearest neighbours, all pairs (at most 5000 samples), or a file with your own graph"),
    GRAPH_PARAMS(struct spec, 5, WEIGHT_HEAT),
    CLUSTERS_PARAM(struct spec),
    STANDARDIZE_PARAM(struct spec),
};

static const char *const spec_grid[] = {"style=1,2,3", "p=0.25,1,4", NULL};

/* Shared by all blocks of features. */
typedef struct work {
    const pith_i_input *in;
    int64_t m;            /* pairs */
    const double *vector; /* m of them, each of n */
    const double *gain;   /* weight of each pair's squared projection */
    double *block;        /* BLOCK columns of n per thread */
    double *projected;    /* BLOCK x m per thread */
    double *room;         /* ROOM per thread */
} work;

/* numerator_r = sum_j gain_j (xi_j'v_r)^2 for one block of columns. */
static pith_status project_block(pith_ctx *ctx, const work *w, int64_t first, int64_t count,
                                 double *numerator)
{
    const int64_t n = w->in->n;
    pith_status st = PITH_OK;
    double *v = w->block + (int64_t)pith_i_thread() * BLOCK * n;
    double *y = w->projected + (int64_t)pith_i_thread() * BLOCK * w->m;
    double *room = w->room + (int64_t)pith_i_thread() * ROOM;
    TRY(pith_i_weighted_columns(ctx, w->in->graph, w->in->X, w->in->T, first, count, room, v));
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)count, (int)w->m, (int)n, 1, v,
                (int)(n > 0 ? n : 1), w->vector, (int)(n > 0 ? n : 1), 0, y, (int)w->m);
    TRY(pith_i_sum(ctx, count * w->m, y));
    for (int64_t c = 0; c < count; c++) {
        double sum = 0;
        for (int64_t j = 0; j < w->m; j++)
            sum += w->gain[j] * y[c * w->m + j] * y[c * w->m + j];
        numerator[first + c] = sum;
    }
done:
    return st;
}

static pith_status project(pith_ctx *ctx, const pith_i_input *in, int64_t m, const double *vector,
                           const double *gain, double *numerator)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int threads = pith_ctx_threads(ctx);
    work w = {.in = in, .m = m, .vector = vector, .gain = gain};
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, w.block, (int64_t)threads * BLOCK * in->n));
    TRY(SCRATCH(ctx, w.projected, (int64_t)threads * BLOCK * m));
    TRY(SCRATCH(ctx, w.room, (int64_t)threads * ROOM));
    pith_i_blas_enter();
    /* Where rows are spread, blocks go one after another: processes sum in each. */
    for (int64_t j = 0; pith_i_is_spread(in->X) && j < in->p && st == PITH_OK; j += BLOCK)
        st = project_block(ctx, &w, j, in->p - j < BLOCK ? in->p - j : BLOCK, numerator);
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (!pith_i_is_spread(in->X))
    for (int64_t j = pith_i_is_spread(in->X) ? in->p : 0; j < in->p; j += BLOCK)
        if (!pith_i_progress_stop(ctx, j, in->p)) /* in one process, nothing in it can fail */
            (void)project_block(ctx, &w, j, in->p - j < BLOCK ? in->p - j : BLOCK, numerator);
    pith_i_blas_leave();
    TRY(st);
    TRY(pith_i_stop_status(ctx));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* phi3's numerator: the first c - 1 pairs after the trivial one. */
static pith_status small_end(pith_ctx *ctx, const pith_i_input *in, const struct spec *o, double *numerator)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_spectrum *s = NULL;
    double *gain = NULL;
    int64_t m = 0;
    pith_status st = PITH_OK;
    TRY(pith_i_input_clusters(ctx, in, &m));
    m--;
    const int64_t connected = in->all - pith_i_graph_summarize(in->graph).isolated;
    if (connected < m + 1)
        FAIL(ctx, PITH_E_DATA, "clusters: %lld is more than the %lld samples that have a neighbour",
             (long long)m + 1, (long long)connected);
    TRY(pith_i_input_spectrum(ctx, in, m + 1, &s));
    TRY(SCRATCH(ctx, gain, m));
    for (int64_t j = 0; j < m; j++)
        gain[j] = pow(2, o->p) - pow(s->value[j + 1], o->p);
    TRY(project(ctx, in, m, s->vector + in->n, gain, numerator));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* v' Ln^p v for a whole p: with w = Ln^floor(p/2) v it is w'w for even p, w'Ln w for odd. */
static pith_status whole_power(pith_ctx *ctx, const pith_i_input *in, int64_t power, double *numerator)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_operator Ln = pith_i_laplacian(in->graph);
    const int64_t n = in->n;
    double *w = NULL, *next = NULL, room[ROOM];
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, w, n * BLOCK));
    TRY(SCRATCH(ctx, next, n * BLOCK));
    for (int64_t j = 0; j < in->p; j += BLOCK) {
        const int64_t count = in->p - j < BLOCK ? in->p - j : BLOCK;
        TRY(pith_i_progress(ctx, j, in->p));
        TRY(pith_i_weighted_columns(ctx, in->graph, in->X, in->T, j, count, room, w));
        for (int64_t half = 0; half < power / 2; half++) {
            double *swap = w;
            TRY(Ln.apply(ctx, Ln.self, count, w, next));
            w = next;
            next = swap;
        }
        if (power % 2 == 1)
            TRY(Ln.apply(ctx, Ln.self, count, w, next));
        for (int64_t c = 0; c < count; c++)
            TRY(pith_i_dot(ctx, n, w + c * n, (power % 2 == 1 ? next : w) + c * n, &numerator[j + c]));
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* v' Ln^p v for any p by all eigenpairs; the null ones are set to exactly 0, or 1e-16^0.25 would count. */
static pith_status any_power(pith_ctx *ctx, const pith_i_input *in, double power, double *numerator)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_operator Ln = pith_i_laplacian(in->graph);
    const int64_t n = in->n;
    double *dense = NULL, *unit = NULL, *value = NULL, *vector = NULL;
    pith_status st = PITH_OK;
    if (pith_i_is_spread(in->X))
        FAIL(ctx, PITH_E_PARAMETER,
             "p: a fractional power needs all samples in one process: use a whole number");
    if (n > MOST_DENSE)
        FAIL(ctx, PITH_E_DATA,
             "p: a fractional power needs a dense eigenproblem, limited to %d samples; this data has %lld: "
             "use a whole number",
             MOST_DENSE, (long long)n);
    TRY(SCRATCH(ctx, dense, n * n));
    TRY(SCRATCH_ZERO(ctx, unit, n));
    for (int64_t i = 0; i < n; i++) {
        unit[i] = 1;
        TRY(Ln.apply(ctx, Ln.self, 1, unit, dense + i * n));
        unit[i] = 0;
    }
    TRY(SCRATCH(ctx, value, n));
    TRY(SCRATCH(ctx, vector, n * n));
    TRY(pith_i_eigen_dense(ctx, n, dense, value, vector));
    const int64_t nulls = pith_i_graph_summarize(in->graph).components;
    for (int64_t i = 0; i < n; i++)
        value[i] = i < nulls || value[i] < 0 ? 0 : pow(value[i], power);
    TRY(project(ctx, in, n, vector, value, numerator));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Is the spread of every feature over the graph negligible beside its energy? */
static bool is_drowned(int64_t p, const pith_i_smoothness *s)
{
    for (int64_t j = 0; j < p; j++)
        if (s->spread[j] > 1e-12 * s->energy[j])
            return false;
    return true;
}

static pith_status spec_score(pith_ctx *ctx, const pith_i_input *in, const void *params, double *score)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const struct spec *o = params;
    pith_i_smoothness s;
    double *numerator = NULL;
    pith_status st = PITH_OK;
    TRY(pith_i_smoothness_find(ctx, in->graph, in->X, in->T, in->shift, &s));
    TRY(SCRATCH(ctx, numerator, in->p));
    if (o->style == 3)
        TRY(small_end(ctx, in, o, numerator));
    else if (o->p == 1)
        numerator = s.rough;
    else if (o->p == floor(o->p))
        TRY(whole_power(ctx, in, (int64_t)o->p, numerator));
    else
        TRY(any_power(ctx, in, o->p, numerator));
    for (int64_t j = 0; j < in->p; j++) {
        const double phi = numerator[j] / (o->style == 2 ? s.spread[j] : s.energy[j]);
        score[j] = pith_i_smoothness_is_flat(&s, in->X, j) ? pith_i_unscored(in, j, PITH_I_FLAT)
                   : o->style == 3                         ? phi
                                                           : -phi;
    }
    if (in->options->standardize == VIEW_ZSCORE && is_drowned(in->p, &s))
        in->facts->warning = "outliers dominate the scale: next to them, the connected samples hardly "
                             "differ; remove them, or try --standardize none";
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* A fractional power takes all eigenvectors: two n x n matrices, the Laplacian and the vectors. */
static double spec_need(const pith_i_data *X, const void *params)
{
    const struct spec *o = params;
    const double n = (double)X->n;
    return o->style != 3 && o->p != floor(o->p) && X->n <= MOST_DENSE ? 2 * n * n * (double)sizeof(double)
                                                                      : 0;
}

const pith_method pith_i_method_spec = {
    .name = "spec",
    .family = "graph, one feature at a time",
    .reference = "Zhao & Liu, Spectral feature selection for supervised and unsupervised learning, ICML 2007",
    .title = "Spectral feature selection: ranks features by how well they align with the leading "
             "eigenvectors of the nearest-neighbour graph.",
    .notes = "In the paper, low scores are good for styles 1 and 2. pith flips the sign, so that higher is "
             "better. Style 2 with p = 1 is the Laplacian score on the same graph. By default columns are "
             "z-scored; counts become tf-idf rows of unit norm with centred columns.",
    .needs = NEEDS_GRAPH,
    .better = HIGHER,
    .spreads = true,
    .dense_view = VIEW_ZSCORE,
    .counts_view = VIEW_TFIDF_CENTER,
    .table = spec_table,
    .n_table = COUNT(spec_table),
    .params_size = sizeof(struct spec),
    .grid = spec_grid,
    .need = spec_need,
    .score = spec_score,
};
