#include "methods/ensemble.h"

#include "cluster/spectral.h"
#include "core/parallel.h"
#include "core/random.h"
#include "graph/knn_find.h"
#include "graph/knn_subsets.h"
#include "graph/knn_tiles.h"
#include "graph/knn_work.h"

#include <math.h>
#include <string.h>

enum { STARTS = 5, WIDTH_PAIRS = 8192, LISTS_BYTES = 1 << 28 };

void pith_i_ensembles_free(pith_i_ensemble *list)
{
    for (pith_i_ensemble *next = NULL; list != NULL; list = next) {
        next = list->next;
        pith_i_ensembles_free(list->twin);
        if (list->test_label != list->label) {
            pith_i_free(list->test_groups);
            pith_i_free(list->test_label);
        }
        pith_i_free(list->groups);
        pith_i_free(list->label);
        pith_i_free(list->saw_all);
        pith_i_free(list->block);
        pith_i_free(list);
    }
}

/* ---- The design ---------------------------------------------------------------------------------------- */

/* Paley's matrix of order 12 without its first column: squares modulo 11. */
bool pith_i_half_has(int64_t draw, int block)
{
    static const bool square[PITH_I_SPLITS] = {[1] = true, [3] = true, [4] = true, [5] = true, [9] = true};
    const int split = (int)(draw % PITH_I_HALVES / 2),
              at = (block - 1 - split + PITH_I_SPLITS) % PITH_I_SPLITS;
    const bool first = block == 0 || (at != 0 && !square[at]);
    return draw % 2 == 0 ? first : !first;
}

pith_status pith_i_deal_out(pith_ctx *ctx, int64_t p, int64_t design, uint8_t *block)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_stream s = pith_i_stream_at(pith_ctx_seed(ctx), PITH_I_RANDOM_MASKS, (uint64_t)design);
    int64_t *order = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, order, p));
    pith_i_random_order(&s, p, order);
    for (int64_t at = 0; at < p; at++)
        block[order[at]] = (uint8_t)(at % PITH_I_BLOCKS);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static int64_t groups_of(const pith_i_ensemble_options *o, int64_t clusters, int64_t n, int64_t draw)
{
    static const int64_t unknown[] = {4, 8, 16};
    const int64_t split = pith_i_is_balanced(o) ? draw % PITH_I_HALVES / 2 : draw;
    int64_t k = clusters > 0 ? clusters * (1 + split % 2) : unknown[split % 3];
    k = k < n / 3 ? k : n / 3;
    return k > 2 ? k : 2;
}

/* The varying features that a draw sees, by the design in e; all varying ones if its subset has none. */
static int64_t draw_columns(pith_ctx *ctx, const pith_i_cache *cache, const pith_i_ensemble *e, int64_t draw,
                            int64_t *columns)
{
    pith_i_stream s = pith_i_stream_at(pith_ctx_seed(ctx), PITH_I_RANDOM_COLUMNS, (uint64_t)draw);
    int64_t count = 0;
    for (int64_t j = 0; j < cache->X->p; j++) {
        const bool has = pith_i_is_balanced(&e->options) ? pith_i_half_has(draw, e->block[j])
                                                         : pith_i_random_uniform(&s) < e->options.share;
        if (has && !cache->constant[j])
            columns[count++] = j;
    }
    e->saw_all[draw] = count == 0;
    for (int64_t j = 0; e->saw_all[draw] && j < cache->X->p; j++)
        if (!cache->constant[j])
            columns[count++] = j;
    return count;
}

/* ---- Candidates for the neighbours of several draws from one pass -------------------------------------- */

/* The z-scores of some columns, or what pareto makes of them, as floats, the rows ld apart. */
static pith_status score_columns(pith_ctx *ctx, const pith_i_cache *cache, bool pareto, int64_t count,
                                 const int64_t *columns, int64_t ld, float *to)
{
    const pith_i_data *X = cache->X;
    const int64_t threads = pith_ctx_threads(ctx);
    const size_t mark = pith_i_scratch_mark(ctx);
    double *rows = NULL, *scale = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, rows, threads * X->p));
    TRY(SCRATCH(ctx, scale, count));
    for (int64_t t = 0; t < count; t++) {
        const double sd = sqrt(cache->stats.variance[columns[t]]);
        scale[t] = 1 / (pareto ? sqrt(sd) : sd);
    }
#pragma omp parallel for num_threads((int)threads)
    for (int64_t i = 0; i < X->n; i++) {
        double *row = rows + pith_i_thread() * X->p;
        pith_i_block(X, i, 1, 0, X->p, row, X->p);
        for (int64_t t = 0; t < count; t++)
            to[i * ld + t] = (float)((row[columns[t]] - cache->stats.mean[columns[t]]) * scale[t]);
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Bit b of mask[g]: draw + b sees block g. A draw whose subset has no varying feature sees all blocks. */
static pith_status mask_blocks(pith_ctx *ctx, const pith_i_cache *cache, const pith_i_ensemble *e,
                               int64_t draw, int64_t draws, uint32_t mask[PITH_I_BLOCKS])
{
    const size_t mark = pith_i_scratch_mark(ctx);
    int64_t *columns = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, columns, cache->X->p));
    memset(mask, 0, PITH_I_BLOCKS * sizeof *mask);
    for (int64_t b = 0; b < draws; b++) {
        (void)draw_columns(ctx, cache, e, draw + b, columns);
        for (int g = 0; g < PITH_I_BLOCKS; g++)
            if (e->saw_all[draw + b] || pith_i_half_has(draw + b, g))
                mask[g] |= UINT32_C(1) << b;
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* The varying columns, sorted by block: those of block g begin at first[g]. */
static void sort_columns(const pith_i_cache *cache, const pith_i_ensemble *e, int64_t *columns,
                         int64_t *first)
{
    int64_t at = 0;
    for (int g = 0; g < PITH_I_BLOCKS; g++) {
        first[g] = at;
        for (int64_t j = 0; j < cache->X->p; j++)
            if (e->block[j] == g && !cache->constant[j])
                columns[at++] = j;
    }
    first[PITH_I_BLOCKS] = at;
}

static pith_status find_dense(pith_ctx *ctx, const pith_i_cache *cache, const pith_i_ensemble *e,
                              int64_t draw, int64_t draws, pith_i_lists *lists)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = e->n;
    int64_t first[PITH_I_BLOCKS + 1], *columns = NULL;
    uint32_t mask[PITH_I_BLOCKS];
    float *y = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, columns, cache->X->p));
    TRY(mask_blocks(ctx, cache, e, draw, draws, mask));
    sort_columns(cache, e, columns, first);
    const int64_t count = first[PITH_I_BLOCKS], ld = pith_i_tiles_stride(count);
    TRY(SCRATCH(ctx, y, n * ld));
    TRY(score_columns(ctx, cache, e->options.pareto, count, columns, ld, y));
    const pith_i_data Y = {.n = n, .p = count, .dtype = PITH_F32, .x = y, .row_stride = ld, .col_stride = 1};
    TRY(pith_i_subset_lists(ctx, &Y, draws, PITH_I_BLOCKS, first, mask, e->options.neighbors, lists));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_i_metric metric_of(const pith_i_ensemble *e)
{
    return e->counts ? PITH_I_COSINE : PITH_I_EUCLIDEAN;
}

/* The view that draws take columns of: sqrt-idf of counts; of other sparse data the scaled columns, since
 * distances need no centring. */
static pith_status see_view(pith_ctx *ctx, pith_i_cache *cache, const pith_i_ensemble *e,
                            const pith_i_data **out)
{
    const pith_i_viewed *viewed = NULL;
    const int view = e->counts ? VIEW_SQRT_IDF_LENGTHS : e->options.pareto ? VIEW_PARETO : VIEW_ZSCORE;
    const pith_status st = pith_i_cache_view(ctx, cache, view, &viewed);
    *out = st == PITH_OK ? &viewed->view.X : NULL;
    return st;
}

static pith_status find_sparse(pith_ctx *ctx, pith_i_cache *cache, const pith_i_ensemble *e, int64_t draw,
                               int64_t draws, pith_i_lists *lists)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t p = cache->X->p;
    const pith_i_data *X = NULL;
    int64_t *columns = NULL;
    uint32_t *mask = NULL;
    pith_status st = PITH_OK;
    TRY(see_view(ctx, cache, e, &X));
    TRY(SCRATCH(ctx, columns, p));
    TRY(SCRATCH_ZERO(ctx, mask, p));
    for (int64_t b = 0; b < draws; b++) {
        const int64_t count = draw_columns(ctx, cache, e, draw + b, columns);
        for (int64_t t = 0; t < count; t++)
            mask[columns[t]] |= UINT32_C(1) << b;
    }
    TRY(pith_i_sparse_subset_lists(ctx, X, metric_of(e), draws, mask, e->options.neighbors, lists));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- A draw -------------------------------------------------------------------------------------------- */

/* What a draw sees: columns of the view; of other dense data z-scores, as floats, since they are large and
 * used once. */
static pith_status take_subset(pith_ctx *ctx, pith_i_cache *cache, const pith_i_ensemble *e, int64_t count,
                               const int64_t *columns, pith_i_data *out)
{
    const pith_i_data *X = NULL;
    pith_status st = PITH_OK;
    if (e->counts || cache->X->sparse) {
        TRY(see_view(ctx, cache, e, &X));
        TRY(pith_i_take_columns(ctx, X, count, columns, out));
    } else {
        TRY(pith_i_data_new_dense(ctx, e->n, count, PITH_F32, out));
        pith_i_same_rows(cache->X, out);
        TRY(score_columns(ctx, cache, e->options.pareto, count, columns, count, pith_i_data_x(out)));
    }
done:
    return st;
}

static pith_status draw_graph(pith_ctx *ctx, pith_i_cache *cache, const pith_i_ensemble *e, int64_t draw,
                              pith_i_lists *candidates, pith_i_graph **out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_graph_options options = {.neighbors = e->options.neighbors,
                                          .metric = metric_of(e),
                                          .weight = e->counts ? PITH_I_COSINE_WEIGHT : PITH_I_HEAT,
                                          .width_factor = 1,
                                          .width_pairs = WIDTH_PAIRS,
                                          .candidates = candidates,
                                          .batches = cache->batches};
    pith_i_data subset = {0};
    int64_t *columns = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, columns, cache->X->p));
    const int64_t count = draw_columns(ctx, cache, e, draw, columns);
    TRY(take_subset(ctx, cache, e, count, columns, &subset));
    TRY(pith_i_graph_build(ctx, &subset, &options, out));
    cache->built++;
done:
    pith_i_data_free(&subset);
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status cluster_rows(pith_ctx *ctx, const pith_i_ensemble *e, const pith_i_spectrum *spectrum,
                                int64_t k, uint64_t run, int32_t *label)
{
    const pith_i_kmeans_options options = {.clusters = k, .restarts = STARTS, .first_run = run << 32};
    const int64_t n = spectrum->n;
    pith_i_kmeans runs = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_spectral_cluster(ctx, e->samples, k - 1, spectrum->vector + n, &options, &runs));
    if (n > 0)
        memcpy(label, pith_i_kmeans_best(&runs), (size_t)n * sizeof *label);
done:
    pith_i_kmeans_free(&runs);
    return st;
}

static pith_status group_draw(pith_ctx *ctx, const pith_i_graph *graph, pith_i_ensemble *e, int64_t draw)
{
    const double start = pith_i_seconds();
    const int64_t n = e->n, k = e->groups[draw], draws = e->options.draws;
    const bool tested = e->test_label != e->label && e->test_label != NULL;
    const int64_t most = tested && e->test_groups[draw] > k ? e->test_groups[draw] : k;
    pith_i_spectrum spectrum = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_spectrum_rough(ctx, graph, most, &spectrum));
    TRY(cluster_rows(ctx, e, &spectrum, k, (uint64_t)(draw + 1), e->label + draw * n));
    if (tested)
        TRY(cluster_rows(ctx, e, &spectrum, e->test_groups[draw], (uint64_t)(draws + PITH_I_TEST_RUNS + draw),
                         e->test_label + draw * n));
    e->grouping += pith_i_seconds() - start;
done:
    pith_i_spectrum_free(&spectrum);
    return st;
}

/* The twin gets the groups that it would get alone, from eigenpairs of its own of the same graph. If it
 * fails, it is dropped: the error comes again when it is asked for. */
static pith_status cluster_draw(pith_ctx *ctx, pith_i_cache *cache, pith_i_ensemble *e, int64_t draw,
                                pith_i_lists *candidates)
{
    pith_i_graph *graph = NULL;
    pith_status st = PITH_OK;
    TRY(draw_graph(ctx, cache, e, draw, candidates, &graph));
    TRY(group_draw(ctx, graph, e, draw));
    if (e->twin != NULL)
        st = group_draw(ctx, graph, e->twin, draw);
    if (st == PITH_E_DATA || st == PITH_E_NUMERIC) {
        pith_i_ensembles_free(e->twin);
        e->twin = NULL;
        st = PITH_OK;
    }
done:
    pith_i_graph_free(graph);
    return st;
}

/* ---- All draws ----------------------------------------------------------------------------------------- */

/* How many draws share a pass in one process, split evenly: the lists of candidates of all of them are held
 * at once. Free draws of dense data share none, since they have no blocks in common; nor do counts stored
 * dense, nor graphs balanced over batches, since shared candidates come from all rows. */
static int64_t draws_per_pass(const pith_ctx *ctx, const pith_i_cache *cache,
                              const pith_i_ensemble_options *o)
{
    const pith_i_data *X = cache->X;
    const int64_t n = pith_i_all(X);
    if (cache->batches != NULL || (!pith_i_is_spread(X) && !pith_i_subsets_share(ctx)) ||
        (!X->sparse && (cache->counts || !pith_i_is_balanced(o))))
        return 1;
    const int64_t all = o->draws < PITH_I_HALVES ? o->draws : PITH_I_HALVES;
    const int64_t fit =
        LISTS_BYTES / (n * pith_i_knn_candidates(n, o->neighbors) * (int64_t)sizeof(pith_i_near));
    const int64_t most = fit < 1 ? 1 : fit < all ? fit : all, passes = (all + most - 1) / most;
    return (all + passes - 1) / passes;
}

double pith_i_ensemble_work(const pith_i_data *X, double all, int64_t draws, bool shared)
{
    const double n = (double)pith_i_all(X), times = (double)draws;
    return !X->sparse && shared ? all + 8 * times * n * n : times / 2 * all;
}

/* The work of one process, also where rows are spread over several: it decides how to search, the same
 * everywhere. */
static pith_status search_work(pith_ctx *ctx, const pith_i_cache *cache, const pith_i_ensemble_options *o,
                               double *out)
{
    double all = 0;
    const pith_status st = pith_i_knn_work(ctx, cache->X, &all);
    *out = pith_i_ensemble_work(cache->X, all, o->draws, draws_per_pass(ctx, cache, o) > 1);
    return st;
}

/* Exact or approximate, the same for all draws. */
static pith_i_search_mode choose_search(pith_ctx *ctx, const pith_i_cache *cache, const pith_i_ensemble *e,
                                        double work)
{
    const pith_i_search_mode mode = pith_i_searching_of(ctx)->mode;
    if (mode != PITH_I_SEARCH_AUTO)
        return mode;
    return pith_i_knn_is_approximate(ctx, cache->X, e->options.neighbors, work) ? PITH_I_SEARCH_APPROXIMATE
                                                                                : PITH_I_SEARCH_EXACT;
}

/* For the progress, a shared pass counts as long as everything after it for its draws. */
static pith_status cluster_some(pith_ctx *ctx, pith_i_cache *cache, pith_i_ensemble *e, int64_t draw,
                                int64_t draws)
{
    static const char what[] = "clustering random parts of the features";
    const double step = 1 / (double)e->options.draws, lo = (double)draw * step,
                 half = (double)draws * step / 2;
    const bool shared = draws > 1;
    pith_i_lists lists[PITH_I_MOST_PARTS] = {0};
    pith_status st = PITH_OK;
    if (shared) {
        TRY(pith_i_progress_stage(ctx, what, lo, lo + half));
        TRY(cache->X->sparse ? find_sparse(ctx, cache, e, draw, draws, lists)
                             : find_dense(ctx, cache, e, draw, draws, lists));
    }
    for (int64_t b = 0; b < draws; b++) {
        const double from = shared ? lo + half + (double)b * step / 2 : lo;
        TRY(pith_i_progress_stage(ctx, what, from, from + (shared ? step / 2 : step)));
        TRY(cluster_draw(ctx, cache, e, draw + b, shared ? &lists[b] : NULL));
    }
done:
    for (int64_t b = 0; b < draws; b++)
        pith_i_lists_close(&lists[b]);
    return st;
}

static pith_status make_room(pith_ctx *ctx, int64_t p, pith_i_ensemble *e)
{
    const pith_i_ensemble_options *o = &e->options;
    pith_status st = PITH_OK;
    TRY(NEW(ctx, e->groups, o->draws));
    TRY(NEW(ctx, e->label, o->draws * e->n));
    TRY(NEW(ctx, e->saw_all, o->draws));
    TRY(NEW(ctx, e->block, p));
    for (int64_t b = 0; b < o->draws; b++)
        e->groups[b] = groups_of(o, o->clusters, e->all, b);
    if (o->tests && o->clusters == 0) {
        e->test_groups = e->groups;
        e->test_label = e->label;
    } else if (o->tests) {
        TRY(NEW(ctx, e->test_groups, o->draws));
        TRY(NEW(ctx, e->test_label, o->draws * e->n));
        for (int64_t b = 0; b < o->draws; b++)
            e->test_groups[b] = groups_of(o, 0, e->all, b);
    }
done:
    return st;
}

/* Approximate searches are made draw by draw, with the lists of one draw at a time. So are searches where
 * rows are spread over processes, since a process sees only some rows at a time. */
static pith_status cluster_all(pith_ctx *ctx, pith_i_cache *cache, bool approximate, pith_i_ensemble *e)
{
    const int64_t draws = e->options.draws, p = cache->X->p;
    const int64_t many =
        approximate || pith_i_is_spread(cache->X) ? 1 : draws_per_pass(ctx, cache, &e->options);
    pith_status st = PITH_OK;
    for (int64_t b = 0, count = 0; b < draws; b += count) {
        const int64_t left = PITH_I_HALVES - b % PITH_I_HALVES; /* draws left in this design */
        count = many < left ? many : left;
        count = count < draws - b ? count : draws - b;
        if (b % PITH_I_HALVES == 0)
            TRY(pith_i_deal_out(ctx, p, b / PITH_I_HALVES, e->block));
        TRY(cluster_some(ctx, cache, e, b, count));
    }
done:
    return st;
}

static pith_status search_and_cluster(pith_ctx *ctx, pith_i_cache *cache, pith_i_ensemble *e)
{
    const pith_i_searching how = *pith_i_searching_of(ctx);
    double work = 0;
    pith_status st = PITH_OK;
    TRY(search_work(ctx, cache, &e->options, &work));
    const pith_i_search_mode mode = choose_search(ctx, cache, e, work);
    const pith_i_searching before = pith_i_searching_begin(ctx, mode, how.wanted);
    st = cluster_all(ctx, cache, mode == PITH_I_SEARCH_APPROXIMATE, e);
    e->searching = pith_i_searching_end(ctx, before);
    e->searching.mode = how.mode;
    e->searching.count = e->options.draws;
    e->searching.work = work;
    pith_i_searching_add(ctx, &e->searching);
done:
    return st;
}

static void describe(const pith_i_cache *cache, pith_i_ensemble *e)
{
    e->counts = cache->counts;
    e->samples = cache->X;
    e->n = cache->X->n;
    e->all = pith_i_all(cache->X);
}

static pith_status make(pith_ctx *ctx, pith_i_cache *cache, pith_i_ensemble *e)
{
    const double start = pith_i_seconds();
    const int64_t draws = e->options.draws, p = cache->X->p;
    pith_status st = PITH_OK;
    describe(cache, e);
    if (e->all < 3)
        FAIL(ctx, PITH_E_DATA, "%lld samples cannot be clustered: at least 3 are needed", (long long)e->all);
    TRY(make_room(ctx, p, e));
    if (e->twin != NULL) {
        describe(cache, e->twin);
        TRY(make_room(ctx, p, e->twin));
    }
    TRY(search_and_cluster(ctx, cache, e));
    e->seconds = pith_i_seconds() - start;
    if (e->twin != NULL) {
        memcpy(e->twin->saw_all, e->saw_all, (size_t)draws * sizeof *e->saw_all);
        memcpy(e->twin->block, e->block, (size_t)p * sizeof *e->block);
        e->twin->searching = e->searching;
        e->twin->seconds = e->seconds - e->grouping;
        e->seconds -= e->twin->grouping;
    }
done:
    return st;
}

/* An ensemble with tests also serves a request without. */
static bool serves(const pith_i_ensemble_options *a, const pith_i_ensemble_options *wanted)
{
    return a->draws == wanted->draws && a->neighbors == wanted->neighbors && a->share == wanted->share &&
           a->clusters == wanted->clusters && a->pareto == wanted->pareto && (a->tests || !wanted->tests);
}

static pith_i_ensemble *find(pith_ctx *ctx, const pith_i_cache *cache, const pith_i_ensemble_options *wanted)
{
    const pith_i_searching *how = pith_i_searching_of(ctx);
    pith_i_ensemble *e = cache->ensembles;
    while (e != NULL && !(serves(&e->options, wanted) && pith_i_same_search(&e->searching, how)))
        e = e->next;
    return e;
}

static pith_status new_ensemble(pith_ctx *ctx, const pith_i_ensemble_options *options, pith_i_ensemble **out)
{
    const pith_status st = NEW_ZERO(ctx, *out, 1);
    if (st == PITH_OK)
        (*out)->options = *options;
    return st;
}

pith_status pith_i_ensemble_get_both(pith_ctx *ctx, pith_i_cache *cache,
                                     const pith_i_ensemble_options *options,
                                     const pith_i_ensemble_options *later, const pith_i_ensemble **out)
{
    pith_i_ensemble *e = NULL;
    pith_status st = PITH_OK;
    TRY(new_ensemble(ctx, options, &e));
    TRY(new_ensemble(ctx, later, &e->twin));
    TRY(make(ctx, cache, e));
    e->next = cache->ensembles;
    if (e->twin != NULL) {
        e->twin->next = e->next;
        e->next = e->twin;
        e->twin = NULL;
    }
    *out = cache->ensembles = e;
    e = NULL;
done:
    pith_i_ensembles_free(e);
    return st;
}

pith_status pith_i_ensemble_get(pith_ctx *ctx, pith_i_cache *cache, const pith_i_ensemble_options *options,
                                pith_i_reuse *reuse, const pith_i_ensemble **out)
{
    pith_i_ensemble *e = find(ctx, cache, options);
    pith_status st = PITH_OK;
    if (e != NULL) {
        pith_i_searching_add(ctx, &e->searching);
        reuse->seconds += e->seconds;
        *out = e;
        return PITH_OK;
    }
    TRY(new_ensemble(ctx, options, &e));
    TRY(make(ctx, cache, e));
    e->next = cache->ensembles;
    *out = cache->ensembles = e;
    e = NULL;
done:
    pith_i_ensembles_free(e);
    return st;
}
