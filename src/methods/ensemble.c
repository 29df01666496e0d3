#include "methods/ensemble.h"

#include "cluster/contingency.h"
#include "cluster/spectral.h"
#include "core/parallel.h"
#include "core/random.h"

#include <math.h>

enum { STARTS = 5, WIDTH_ROWS = 500 };

void pith_i_ensembles_free(pith_i_ensemble *list)
{
    for (pith_i_ensemble *next = NULL; list != NULL; list = next) {
        next = list->next;
        pith_i_free(list->groups);
        pith_i_free(list->label);
        pith_i_free(list);
    }
}

bool pith_i_parts_text(const pith_i_parts *parts)
{
    return parts->counts && parts->density <= 0.1;
}

static int64_t groups_of(const pith_i_ensemble_options *o, int64_t n, int64_t draw)
{
    static const int64_t unknown[] = {4, 8, 16};
    int64_t k = o->clusters > 0 ? o->clusters * (1 + draw % 2) : unknown[draw % 3];
    k = k < n / 3 ? k : n / 3;
    return k > 2 ? k : 2;
}

/* The varying features of a draw; all of them where chance keeps none. */
static int64_t draw_columns(pith_ctx *ctx, const pith_i_parts *parts, double share, int64_t draw,
                            int64_t *columns)
{
    pith_i_stream s = pith_i_stream_at(pith_ctx_seed(ctx), PITH_I_RANDOM_MASKS, (uint64_t)draw);
    int64_t count = 0;
    for (int64_t j = 0; j < parts->X->p; j++)
        if (pith_i_random_uniform(&s) < share && !parts->constant[j])
            columns[count++] = j;
    for (int64_t j = 0; count == 0 && j < parts->X->p; j++)
        if (!parts->constant[j])
            columns[count++] = j;
    return count;
}

/* The z-scores of some columns, as floats: the draws of dense data are large, and are looked at once. */
static pith_status take_scores(pith_ctx *ctx, const pith_i_parts *parts, int64_t count,
                               const int64_t *columns, pith_i_data *out)
{
    const pith_i_data *X = parts->X;
    const int64_t threads = pith_ctx_threads(ctx);
    const size_t mark = pith_i_scratch_mark(ctx);
    double *rows = NULL, *scale = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, rows, threads * X->p));
    TRY(SCRATCH(ctx, scale, count));
    TRY(pith_i_data_new_dense(ctx, X->n, count, PITH_F32, out));
    for (int64_t t = 0; t < count; t++)
        scale[t] = 1 / sqrt(parts->stats.variance[columns[t]]);
    float *to = pith_i_data_x(out);
#pragma omp parallel for num_threads((int)threads)
    for (int64_t i = 0; i < X->n; i++) {
        double *row = rows + pith_i_thread() * X->p;
        pith_i_block(X, i, 1, 0, X->p, row, X->p);
        for (int64_t t = 0; t < count; t++)
            to[i * count + t] = (float)((row[columns[t]] - parts->stats.mean[columns[t]]) * scale[t]);
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* What a draw sees. Sparse data that is no text is seen by its scaled columns: distances need no centre. */
static pith_status take_part(pith_ctx *ctx, pith_i_parts *parts, const pith_i_ensemble *e, int64_t count,
                             const int64_t *columns, pith_i_data *out)
{
    const pith_i_seen *seen = NULL;
    pith_status st = PITH_OK;
    if (!e->text && !parts->X->sparse)
        return take_scores(ctx, parts, count, columns, out);
    TRY(pith_i_parts_view(ctx, parts, e->text ? VIEW_TFIDF : VIEW_ZSCORE, &seen));
    TRY(pith_i_take_columns(ctx, &seen->view.X, count, columns, out));
done:
    return st;
}

/* t of the heat weights: the squared mean distance of all pairs of WIDTH_ROWS rows at even steps. All rows
 * would cost more than the graph itself, for a figure that these give to about a hundredth. */
static pith_status heat_width(pith_ctx *ctx, const pith_i_data *X, double *out)
{
    pith_i_data some = *X;
    double mean = 0;
    pith_status st = PITH_OK;
    if (X->n > WIDTH_ROWS && !X->sparse) {
        some.n = WIDTH_ROWS;
        some.row_stride = X->n / WIDTH_ROWS * X->row_stride;
    }
    TRY(pith_i_mean_distance(ctx, &some, PITH_I_EUCLIDEAN, &mean));
    if (mean == 0 && some.n < X->n) /* copies of one row */
        TRY(pith_i_mean_distance(ctx, X, PITH_I_EUCLIDEAN, &mean));
    *out = mean * mean;
done:
    return st;
}

static pith_status cluster_draw(pith_ctx *ctx, pith_i_parts *parts, pith_i_ensemble *e, int64_t draw)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = e->n, k = e->groups[draw];
    pith_i_graph_options graph_options = {.neighbors = e->options.neighbors,
                                          .metric = e->text ? PITH_I_COSINE : PITH_I_EUCLIDEAN,
                                          .weight = e->text ? PITH_I_COSINE_WEIGHT : PITH_I_HEAT,
                                          .width_factor = 1};
    const pith_i_kmeans_options kmeans_options = {
        .clusters = k, .restarts = STARTS, .first_run = (uint64_t)(draw + 1) << 32};
    pith_i_data part = {0};
    pith_i_graph graph = {0};
    pith_i_spectrum spectrum = {0};
    pith_i_kmeans runs = {0};
    int64_t *columns = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, columns, parts->X->p));
    const int64_t count = draw_columns(ctx, parts, e->options.share, draw, columns);
    TRY(take_part(ctx, parts, e, count, columns, &part));
    if (!e->text)
        TRY(heat_width(ctx, &part, &graph_options.width));
    TRY(pith_i_graph_build(ctx, &part, NULL, &graph_options, &graph));
    pith_i_data_free(&part);
    TRY(pith_i_spectrum_rough(ctx, &graph, k, &spectrum));
    TRY(pith_i_spectral_cluster(ctx, n, k - 1, spectrum.vector + n, &kmeans_options, &runs));
    for (int64_t i = 0; i < n; i++)
        e->label[draw * n + i] = pith_i_kmeans_best(&runs)[i];
done:
    pith_i_kmeans_free(&runs);
    pith_i_spectrum_free(&spectrum);
    pith_i_graph_free(&graph);
    pith_i_data_free(&part);
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status make(pith_ctx *ctx, pith_i_parts *parts, pith_i_ensemble *e)
{
    const double start = pith_i_seconds();
    const int64_t draws = e->options.draws;
    pith_status st = PITH_OK;
    e->text = pith_i_parts_text(parts);
    e->n = parts->X->n;
    if (e->n < 3)
        FAIL(ctx, PITH_E_DATA, "%lld samples cannot be clustered: at least 3 are needed", (long long)e->n);
    TRY(NEW(ctx, e->groups, draws));
    TRY(NEW(ctx, e->label, draws * e->n));
    for (int64_t b = 0; b < draws; b++) {
        e->groups[b] = groups_of(&e->options, e->n, b);
        TRY(pith_i_progress_stage(ctx, "clustering random parts of the features", (double)b / (double)draws,
                                  (double)(b + 1) / (double)draws));
        TRY(cluster_draw(ctx, parts, e, b));
    }
    e->seconds = pith_i_seconds() - start;
done:
    return st;
}

static bool same_options(const pith_i_ensemble_options *a, const pith_i_ensemble_options *b)
{
    return a->draws == b->draws && a->neighbors == b->neighbors && a->share == b->share &&
           a->clusters == b->clusters;
}

pith_status pith_i_ensemble_get(pith_ctx *ctx, pith_i_parts *parts, const pith_i_ensemble_options *options,
                                pith_i_reuse *reuse, const pith_i_ensemble **out)
{
    pith_i_ensemble *e = parts->ensembles;
    pith_status st = PITH_OK;
    while (e != NULL && !same_options(&e->options, options))
        e = e->next;
    if (e != NULL) {
        reuse->seconds += e->seconds;
        *out = e;
        return PITH_OK;
    }
    TRY(NEW_ZERO(ctx, e, 1));
    e->options = *options;
    TRY(make(ctx, parts, e));
    e->next = parts->ensembles;
    *out = parts->ensembles = e;
    e = NULL;
done:
    pith_i_ensembles_free(e);
    return st;
}

pith_status pith_i_ensemble_agreement(pith_ctx *ctx, const pith_i_ensemble *e, int64_t groups,
                                      const int32_t *label, double *out)
{
    double sum = 0, count = 0;
    pith_status st = PITH_OK;
    for (int64_t b = 0; b < e->options.draws; b++) {
        pith_i_contingency table = {0};
        if (e->groups[b] != groups)
            continue;
        TRY(pith_i_contingency_make(ctx, e->n, label, e->label + b * e->n, &table));
        sum += pith_i_nmi(&table, PITH_I_NMI_MAX);
        count++;
        pith_i_contingency_free(&table);
    }
    *out = count > 0 ? sum / count : (double)NAN;
done:
    return st;
}

pith_status pith_i_ensemble_judge(pith_ctx *ctx, pith_i_parts *parts, const pith_i_ensemble *e, int64_t count,
                                  const int64_t *columns, double *out)
{
    const int64_t numbers = e->options.clusters > 0 ? 1 : e->options.draws < 3 ? e->options.draws : 3;
    const pith_i_seen *seen = NULL;
    pith_i_data part = {0};
    pith_i_kmeans runs = {0};
    double sum = 0;
    pith_status st = PITH_OK;
    TRY(pith_i_parts_view(ctx, parts, e->text ? VIEW_TFIDF : VIEW_NONE, &seen));
    TRY(pith_i_take_columns(ctx, &seen->view.X, count, columns, &part));
    for (int64_t b = 0; b < numbers; b++) { /* the first draws show every number that stands for c */
        const pith_i_kmeans_options options = {.clusters = e->groups[b],
                                               .restarts = STARTS,
                                               .cosine = e->text,
                                               .first_run = (uint64_t)(e->options.draws + 1 + b) << 32};
        double agreement = 0;
        TRY(pith_i_kmeans_run(ctx, &part, &options, &runs));
        TRY(pith_i_ensemble_agreement(ctx, e, e->groups[b], pith_i_kmeans_best(&runs), &agreement));
        sum += agreement / (double)numbers;
        pith_i_kmeans_free(&runs);
    }
    *out = sum;
done:
    pith_i_kmeans_free(&runs);
    pith_i_data_free(&part);
    return st;
}
