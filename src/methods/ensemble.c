#include "methods/ensemble.h"

#include "cluster/contingency.h"
#include "cluster/spectral.h"
#include "core/parallel.h"
#include "core/random.h"
#include "graph/knn_parts.h"
#include "graph/knn_tiles.h"

#include <math.h>
#include <string.h>

enum { STARTS = 5, WIDTH_PAIRS = 8192, LISTS_BYTES = 1 << 28 };

void pith_i_ensembles_free(pith_i_ensemble *list)
{
    for (pith_i_ensemble *next = NULL; list != NULL; list = next) {
        next = list->next;
        pith_i_free(list->groups);
        pith_i_free(list->label);
        pith_i_free(list);
    }
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

/* ---- Candidates for the neighbours of several draws from one pass ----------------------------------------
 */

/* The z-scores of some columns as floats, the rows ld apart. */
static pith_status score_columns(pith_ctx *ctx, const pith_i_parts *parts, int64_t count,
                                 const int64_t *columns, int64_t ld, float *to)
{
    const pith_i_data *X = parts->X;
    const int64_t threads = pith_ctx_threads(ctx);
    const size_t mark = pith_i_scratch_mark(ctx);
    double *rows = NULL, *scale = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, rows, threads * X->p));
    TRY(SCRATCH(ctx, scale, count));
    for (int64_t t = 0; t < count; t++)
        scale[t] = 1 / sqrt(parts->stats.variance[columns[t]]);
#pragma omp parallel for num_threads((int)threads)
    for (int64_t i = 0; i < X->n; i++) {
        double *row = rows + pith_i_thread() * X->p;
        pith_i_block(X, i, 1, 0, X->p, row, X->p);
        for (int64_t t = 0; t < count; t++)
            to[i * ld + t] = (float)((row[columns[t]] - parts->stats.mean[columns[t]]) * scale[t]);
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Columns by the draws from `draw` on that have them, as pith_i_part_lists wants them; those of none are left
 * out. Returns how many there are. */
static int64_t sort_columns(pith_ctx *ctx, const pith_i_ensemble *e, const pith_i_parts *parts, int64_t draw,
                            int64_t draws, uint8_t *class_of, int64_t *columns, int64_t *first)
{
    const int64_t p = parts->X->p, classes = INT64_C(1) << draws;
    int64_t at = 0;
    memset(class_of, 0, (size_t)p);
    for (int64_t b = 0; b < draws; b++) {
        const int64_t count = draw_columns(ctx, parts, e->options.share, draw + b, columns);
        for (int64_t t = 0; t < count; t++)
            class_of[columns[t]] |= (uint8_t)(1 << b);
    }
    first[0] = 0;
    for (int64_t c = 1; c < classes; c++) {
        first[c] = at;
        for (int64_t j = 0; j < p; j++)
            if (class_of[j] == c)
                columns[at++] = j;
    }
    first[classes] = at;
    return at;
}

static pith_status find_dense(pith_ctx *ctx, const pith_i_parts *parts, const pith_i_ensemble *e,
                              int64_t draw, int64_t draws, pith_i_lists *lists)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = e->n, p = parts->X->p;
    int64_t first[(1 << PITH_I_MOST_PARTS) + 1], *columns = NULL;
    uint8_t *class_of = NULL;
    float *y = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, columns, p));
    TRY(SCRATCH(ctx, class_of, p));
    const int64_t count = sort_columns(ctx, e, parts, draw, draws, class_of, columns, first);
    const int64_t ld = pith_i_tiles_stride(count);
    TRY(SCRATCH(ctx, y, n * ld));
    TRY(score_columns(ctx, parts, count, columns, ld, y));
    const pith_i_data Y = {.n = n, .p = count, .dtype = PITH_F32, .x = y, .row_stride = ld, .col_stride = 1};
    TRY(pith_i_part_lists(ctx, &Y, draws, first, e->options.neighbors, lists));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_i_metric metric_of(const pith_i_ensemble *e)
{
    return e->counts ? PITH_I_COSINE : PITH_I_EUCLIDEAN;
}

/* What draws see of counts and of other sparse data: of the latter scaled columns, since distances need no
 * centre. */
static pith_status see_view(pith_ctx *ctx, pith_i_parts *parts, const pith_i_ensemble *e,
                            const pith_i_data **out)
{
    const pith_i_seen *seen = NULL;
    const pith_status st = pith_i_parts_view(ctx, parts, e->counts ? VIEW_SQRT_IDF : VIEW_ZSCORE, &seen);
    *out = st == PITH_OK ? &seen->view.X : NULL;
    return st;
}

static pith_status find_sparse(pith_ctx *ctx, pith_i_parts *parts, const pith_i_ensemble *e, int64_t draw,
                               int64_t draws, pith_i_lists *lists)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t p = parts->X->p;
    const pith_i_data *X = NULL;
    int64_t *columns = NULL;
    uint32_t *mask = NULL;
    pith_status st = PITH_OK;
    TRY(see_view(ctx, parts, e, &X));
    TRY(SCRATCH(ctx, columns, p));
    TRY(SCRATCH_ZERO(ctx, mask, p));
    for (int64_t b = 0; b < draws; b++) {
        const int64_t count = draw_columns(ctx, parts, e->options.share, draw + b, columns);
        for (int64_t t = 0; t < count; t++)
            mask[columns[t]] |= UINT32_C(1) << b;
    }
    TRY(pith_i_sparse_part_lists(ctx, X, metric_of(e), draws, mask, e->options.neighbors, lists));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- A draw -------------------------------------------------------------------------------------------- */

/* What a draw sees: the view's columns; of other data z-scores as floats, which are large and looked at once.
 */
static pith_status take_part(pith_ctx *ctx, pith_i_parts *parts, const pith_i_ensemble *e, int64_t count,
                             const int64_t *columns, pith_i_data *out)
{
    const pith_i_data *X = NULL;
    pith_status st = PITH_OK;
    if (e->counts || parts->X->sparse) {
        TRY(see_view(ctx, parts, e, &X));
        TRY(pith_i_take_columns(ctx, X, count, columns, out));
    } else {
        TRY(pith_i_data_new_dense(ctx, e->n, count, PITH_F32, out));
        TRY(score_columns(ctx, parts, count, columns, count, pith_i_data_x(out)));
    }
done:
    return st;
}

static pith_status cluster_draw(pith_ctx *ctx, pith_i_parts *parts, pith_i_ensemble *e, int64_t draw,
                                pith_i_lists *candidates)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = e->n, k = e->groups[draw];
    const pith_i_graph_options graph_options = {.neighbors = e->options.neighbors,
                                                .metric = metric_of(e),
                                                .weight = e->counts ? PITH_I_COSINE_WEIGHT : PITH_I_HEAT,
                                                .width_factor = 1,
                                                .width_pairs = WIDTH_PAIRS,
                                                .candidates = candidates,
                                                .batches = parts->batches};
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
    TRY(pith_i_graph_build(ctx, &part, &graph_options, &graph));
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

/* ---- All draws ----------------------------------------------------------------------------------------- */

/* Of sparse data: lists of candidates for all of them have to be held at once. */
static int64_t most_sparse(int64_t n, int64_t neighbors)
{
    const int64_t fit = LISTS_BYTES / (n * (neighbors + 8) * (int64_t)sizeof(pith_i_near));
    return fit < 1 ? 1 : fit < PITH_I_MOST_MASKS ? fit : PITH_I_MOST_MASKS;
}

/* Of dense data: classes of fewer than 32 columns would make thin products. */
static int64_t most_dense(int64_t p)
{
    int64_t many = 1;
    while (many < PITH_I_MOST_PARTS && p >> (many + 1) >= 32)
        many++;
    return many;
}

/* Draws that share a pass, as even as can be. Counts that are stored dense share none; neither do those whose
 * graphs are balanced over batches, since shared candidates come from all rows. */
static int64_t together(const pith_i_parts *parts, const pith_i_ensemble_options *o)
{
    const pith_i_data *X = parts->X;
    if (parts->batches != NULL)
        return 1;
    const int64_t most = X->sparse ? most_sparse(X->n, o->neighbors) : parts->counts ? 1 : most_dense(X->p);
    const int64_t passes = (o->draws + most - 1) / most;
    return (o->draws + passes - 1) / passes;
}

/* Progress: a pass takes about as long as what follows for each of its draws. */
static pith_status cluster_some(pith_ctx *ctx, pith_i_parts *parts, pith_i_ensemble *e, int64_t draw,
                                int64_t draws)
{
    static const char what[] = "clustering random parts of the features";
    const double step = 1 / (double)e->options.draws, lo = (double)draw * step,
                 half = (double)draws * step / 2;
    const bool shared = draws > 1;
    pith_i_lists lists[PITH_I_MOST_MASKS] = {0};
    pith_status st = PITH_OK;
    if (shared) {
        TRY(pith_i_progress_stage(ctx, what, lo, lo + half));
        TRY(parts->X->sparse ? find_sparse(ctx, parts, e, draw, draws, lists)
                             : find_dense(ctx, parts, e, draw, draws, lists));
    }
    for (int64_t b = 0; b < draws; b++) {
        const double from = shared ? lo + half + (double)b * step / 2 : lo;
        TRY(pith_i_progress_stage(ctx, what, from, from + (shared ? step / 2 : step)));
        TRY(cluster_draw(ctx, parts, e, draw + b, shared ? &lists[b] : NULL));
    }
done:
    for (int64_t b = 0; b < draws; b++)
        pith_i_lists_close(&lists[b]);
    return st;
}

static pith_status make(pith_ctx *ctx, pith_i_parts *parts, pith_i_ensemble *e)
{
    const double start = pith_i_seconds();
    const int64_t draws = e->options.draws, many = together(parts, &e->options);
    pith_status st = PITH_OK;
    e->counts = parts->counts;
    e->n = parts->X->n;
    if (e->n < 3)
        FAIL(ctx, PITH_E_DATA, "%lld samples cannot be clustered: at least 3 are needed", (long long)e->n);
    TRY(NEW(ctx, e->groups, draws));
    TRY(NEW(ctx, e->label, draws * e->n));
    for (int64_t b = 0; b < draws; b++)
        e->groups[b] = groups_of(&e->options, e->n, b);
    for (int64_t b = 0; b < draws; b += many)
        TRY(cluster_some(ctx, parts, e, b, b + many < draws ? many : draws - b));
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
    TRY(pith_i_parts_view(ctx, parts, e->counts ? VIEW_SQRT_IDF : VIEW_NONE, &seen));
    TRY(pith_i_take_columns(ctx, &seen->view.X, count, columns, &part));
    for (int64_t b = 0; b < numbers; b++) { /* the first draws show every number that stands for c */
        const pith_i_kmeans_options options = {.clusters = e->groups[b],
                                               .restarts = STARTS,
                                               .cosine = e->counts,
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
