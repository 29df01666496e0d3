#include "matrix/view.h"

#include "core/engine.h"
#include "matrix/scale.h"

#include <math.h>

const char *const pith_i_view_words[] = {"auto",       "none",     "center",       "zscore",
                                         "minmax",     "tfidf",    "tfidf-center", "center-unit",
                                         "tfidf-unit", "sqrt-idf", "pareto",       NULL};

/* The factor that makes the mean variance of the columns that vary 1; 1 if none varies. `given` are the
 * statistics of the data, `now` those of the view so far. */
static double unit_factor(int64_t p, const pith_i_column_stats *given, const pith_i_column_stats *now)
{
    double sum = 0, varying = 0;
    for (int64_t j = 0; j < p; j++)
        if (given->min[j] < given->max[j]) {
            sum += now->variance[j];
            varying++;
        }
    return sum > 0 ? sqrt(varying / sum) : 1;
}

/* A view of X whose map is the identity so far. */
static pith_status open_map(pith_ctx *ctx, const pith_i_data *X, pith_i_view *view)
{
    pith_i_data *Y = &view->X;
    pith_status st = PITH_OK;
    TRY(NEW_ZERO(ctx, view->map, 1));
    view->map->factor = 1;
    *Y = pith_i_data_rows(X, 0, X->n);
    Y->of.first = 0;
    Y->of.map = view->map;
    Y->of.values = X->sparse ? X->values : X->x;
    Y->of.dtype = X->dtype;
    Y->x = Y->values = NULL;
    Y->dtype = PITH_F64;
    Y->transpose = NULL;
done:
    return st;
}

static void close_map(pith_i_view *view)
{
    pith_i_view_map *map = view->map;
    if (map == NULL)
        return;
    pith_i_free(map->shift);
    pith_i_free(map->rest);
    pith_i_free(map->scale);
    pith_i_free(map->mean);
    pith_i_free(map->norm);
    pith_i_free(map);
    view->map = NULL;
}

/* What a view does to column j. shift + rest is the mean with more digits than a double has. */
static void find_column(const pith_i_data *X, const pith_i_column_stats *s, int kind, double common,
                        int64_t j, double *shift, double *rest, double *scale)
{
    const bool scaled = kind == VIEW_ZSCORE || kind == VIEW_PARETO || kind == VIEW_MINMAX;
    const double spread = kind == VIEW_ZSCORE   ? sqrt(s->variance[j])
                          : kind == VIEW_PARETO ? sqrt(sqrt(s->variance[j]))
                          : kind == VIEW_MINMAX ? s->max[j] - s->min[j]
                                                : common;
    *shift = kind == VIEW_MINMAX ? s->min[j] : s->mean[j];
    *rest = kind == VIEW_MINMAX ? 0 : s->rest[j];
    *scale = spread > 0 && (!scaled || pith_i_column_varies(X, s, j)) ? 1 / spread : 0;
}

/* Is the column far from 0? It is then shifted by the mean with all its digits, sparse or not. */
static bool is_far(const pith_i_data *X, const pith_i_column_stats *s, int64_t j)
{
    const double sd = sqrt(s->variance[j]);
    return sd > 0 && s->nonzeros[j] == pith_i_all(X) && fabs(s->mean[j]) > 1000 * sd;
}

static pith_status affine(pith_ctx *ctx, const pith_i_data *X, const pith_i_column_stats *stats, int kind,
                          pith_i_view *view)
{
    const double common = kind == VIEW_CENTER_UNIT ? 1 / unit_factor(X->p, stats, stats) : 1;
    pith_i_view_map *map = view->map;
    bool any_far = false;
    pith_status st = PITH_OK;
    for (int64_t j = 0; j < X->p && !any_far; j++)
        any_far = is_far(X, stats, j);
    TRY(NEW(ctx, map->scale, X->p));
    if (any_far)
        TRY(NEW(ctx, map->rest, X->p));
    if (any_far || !X->sparse)
        TRY(NEW(ctx, map->shift, X->p));
    if (X->sparse)
        TRY(NEW(ctx, view->shift, X->p));
    for (int64_t j = 0; j < X->p; j++) {
        const bool far = is_far(X, stats, j);
        double shift = 0, rest = 0;
        find_column(X, stats, kind, common, j, &shift, &rest, &map->scale[j]);
        if (any_far)
            map->rest[j] = far ? rest : 0;
        if (map->shift != NULL)
            map->shift[j] = far || !X->sparse ? shift : 0;
        if (X->sparse)
            view->shift[j] = far ? 0 : shift * map->scale[j];
    }
    if (X->sparse && kind == VIEW_CENTER && !any_far)
        view->X = pith_i_data_rows(X, 0, X->n);
done:
    return st;
}

/* Rows to unit norm; a zero row stays zero. */
static pith_status unit_rows(pith_ctx *ctx, pith_i_view *view)
{
    const int64_t n = view->X.n;
    double *norm = NULL;
    pith_status st = PITH_OK;
    TRY(NEW(ctx, norm, n));
    pith_i_row_squares(ctx, &view->X, norm);
    for (int64_t i = 0; i < n; i++)
        norm[i] = norm[i] > 0 ? sqrt(norm[i]) : 1;
    view->map->norm = norm;
done:
    return st;
}

/* Square roots of counts: logarithms are undone first; values of unknown scale are taken to be roots already.
 */
static pith_status take_roots(pith_ctx *ctx, const pith_i_data *X, double most, pith_i_view_map *map)
{
    pith_i_scale scale;
    pith_status st = PITH_OK;
    TRY(pith_i_scale_find(ctx, X, most, &scale));
    map->roots = scale.kind != PITH_SCALE_UNKNOWN && scale.kind != PITH_SCALE_ROOTS;
    map->ln_base = scale.base != 0 ? log(scale.base) : 0;
done:
    return st;
}

static bool has_roots(int kind)
{
    return kind == VIEW_SQRT_IDF || kind == VIEW_SQRT_IDF_LENGTHS;
}

/* tf idf, or sqrt(tf) idf; rows to unit norm. */
static pith_status weigh_rows(pith_ctx *ctx, const pith_i_data *X, const pith_i_column_stats *stats, int kind,
                              pith_i_view *view)
{
    double *idf = NULL;
    pith_status st = PITH_OK;
    TRY(NEW(ctx, idf, X->p));
    view->map->scale = idf;
    for (int64_t j = 0; j < X->p; j++) {
        if (stats->min[j] < 0)
            FAIL(ctx, PITH_E_DATA, "%s is for counts: column %lld (counted from 1) has negative values",
                 has_roots(kind) ? "sqrt-idf" : "tfidf", (long long)j + 1);
        idf[j] = stats->nonzeros[j] > 0 ? log((double)pith_i_all(X) / (double)stats->nonzeros[j]) : 0;
    }
    if (has_roots(kind))
        TRY(take_roots(ctx, X, pith_i_largest(stats, X->p), view->map));
    if (kind != VIEW_SQRT_IDF_LENGTHS)
        TRY(unit_rows(ctx, view));
done:
    return st;
}

/* Centres the columns of a view: by the map if dense, by shift if sparse. If `given` is not NULL, also scales
 * everything to a mean variance of 1. */
static pith_status center(pith_ctx *ctx, const pith_i_column_stats *given, pith_i_view *view)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t p = view->X.p;
    pith_i_column_stats stats;
    double *mean = NULL;
    pith_status st = PITH_OK;
    TRY(pith_i_column_statistics(ctx, &view->X, NULL, &stats));
    const double factor = given != NULL ? unit_factor(p, given, &stats) : 1;
    TRY(NEW(ctx, mean, p));
    for (int64_t j = 0; j < p; j++)
        mean[j] = view->X.sparse ? stats.mean[j] * factor : stats.mean[j];
    *(view->X.sparse ? &view->shift : &view->map->mean) = mean;
    view->map->factor = factor;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

bool pith_i_view_unit_rows(int kind)
{
    return kind == VIEW_TFIDF || kind == VIEW_SQRT_IDF;
}

static bool is_tfidf(int kind)
{
    return kind == VIEW_TFIDF || kind == VIEW_TFIDF_CENTER || kind == VIEW_TFIDF_UNIT;
}

/* Engines read rows themselves, and so does code that sends them to other processes. */
static bool is_copied(pith_ctx *ctx, const pith_i_data *X)
{
    return pith_i_engine_searches(ctx) || pith_i_is_kept(ctx, pith_i_stored(X), sizeof(double));
}

pith_status pith_i_view_make(pith_ctx *ctx, const pith_i_data *X, const pith_i_column_stats *stats, int kind,
                             pith_i_view *out)
{
    pith_i_view view = {0};
    pith_status st = PITH_OK;
    if (kind == VIEW_NONE) {
        *out = (pith_i_view){.X = pith_i_data_rows(X, 0, X->n)};
        return PITH_OK;
    }
    TRY(open_map(ctx, X, &view));
    if (is_tfidf(kind) || has_roots(kind))
        TRY(weigh_rows(ctx, X, stats, kind, &view));
    else
        TRY(affine(ctx, X, stats, kind, &view));
    if (kind == VIEW_TFIDF_CENTER || kind == VIEW_TFIDF_UNIT)
        TRY(center(ctx, kind == VIEW_TFIDF_UNIT ? stats : NULL, &view));
    if (is_copied(ctx, X))
        TRY(pith_i_data_keep_values(ctx, &view.X));
    if (view.X.of.map == NULL)
        close_map(&view);
    *out = view;
    return PITH_OK;
done:
    pith_i_view_free(&view);
    return st;
}

void pith_i_view_free(pith_i_view *view)
{
    close_map(view);
    pith_i_data_free(&view->X);
    pith_i_free(view->shift);
    *view = (pith_i_view){0};
}
