#include "matrix/view.h"

#include "matrix/scale.h"

#include <math.h>

const char *const pith_i_view_words[] = {"auto",  "none",         "center",      "zscore",     "minmax",
                                         "tfidf", "tfidf-center", "center-unit", "tfidf-unit", "sqrt-idf",
                                         NULL};

/* The one factor that makes the mean variance 1; 1 where there is no variance. `given` are the statistics of
 * the data, `now` those of the view so far. */
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

/* The view is ((x - shift) - rest) * factor; shift + rest is the mean with more digits than a double has. */
typedef struct column_map {
    double *shift, *rest, *factor;
    bool *far; /* from 0: the column itself is shifted, sparse or not */
    int64_t n_far;
} column_map;

static pith_status column_map_new(pith_ctx *ctx, const pith_i_data *X, const pith_i_column_stats *s, int kind,
                                  column_map *map)
{
    const double common = kind == VIEW_CENTER_UNIT ? 1 / unit_factor(X->p, s, s) : 1;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, map->shift, X->p));
    TRY(SCRATCH(ctx, map->rest, X->p));
    TRY(SCRATCH(ctx, map->factor, X->p));
    TRY(SCRATCH(ctx, map->far, X->p));
    for (int64_t j = 0; j < X->p; j++) {
        const bool scaled = kind == VIEW_ZSCORE || kind == VIEW_MINMAX;
        const double sd = sqrt(s->variance[j]);
        const double spread = kind == VIEW_ZSCORE ? sd : kind == VIEW_MINMAX ? s->max[j] - s->min[j] : common;
        map->shift[j] = kind == VIEW_MINMAX ? s->min[j] : s->mean[j];
        map->rest[j] = kind == VIEW_MINMAX ? 0 : s->rest[j];
        map->factor[j] = spread > 0 && (!scaled || pith_i_column_varies(X, s, j)) ? 1 / spread : 0;
        map->far[j] = sd > 0 && s->nonzeros[j] == pith_i_all(X) && fabs(s->mean[j]) > 1000 * sd;
        map->n_far += map->far[j];
    }
done:
    return st;
}

/* Columns far from 0, from the data itself: dense and sparse to the same bits. */
static double far_value(const column_map *map, int32_t j, double v)
{
    return (v - map->shift[j] - map->rest[j]) * map->factor[j];
}

static void shift_far_dense(const pith_i_data *X, const column_map *map, pith_i_view *view)
{
    double *x = pith_i_data_x(&view->X);
    for (int32_t j = 0; map->n_far > 0 && j < (int32_t)X->p; j++)
        for (int64_t i = 0; map->far[j] && i < X->n; i++)
            x[i * X->p + j] =
                far_value(map, j, pith_i_value(X->x, X->dtype, i * X->row_stride + j * X->col_stride));
}

static void shift_far_sparse(const pith_i_data *X, const column_map *map, pith_i_view *view)
{
    double *x = pith_i_data_values(&view->X);
    const int64_t base = X->indptr[0];
    for (int64_t e = base; map->n_far > 0 && e < X->indptr[X->n]; e++)
        if (map->far[X->indices[e]])
            x[e - base] = far_value(map, X->indices[e], pith_i_value(X->values, X->dtype, e));
}

static pith_status affine(pith_ctx *ctx, const pith_i_data *X, const pith_i_column_stats *stats, int kind,
                          pith_i_view *view)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    column_map map = {0};
    pith_status st = PITH_OK;
    TRY(column_map_new(ctx, X, stats, kind, &map));
    if (!X->sparse) {
        TRY(pith_i_scaled(ctx, X, PITH_F64, map.shift, map.factor, NULL, &view->X));
        shift_far_dense(X, &map, view);
    } else {
        if (kind == VIEW_CENTER && map.n_far == 0) {
            view->X = pith_i_data_rows(X, 0, X->n);
        } else {
            TRY(pith_i_scaled_view(ctx, X, map.factor, &view->X));
            shift_far_sparse(X, &map, view);
        }
        TRY(NEW(ctx, view->shift, X->p));
        for (int64_t j = 0; j < X->p; j++)
            view->shift[j] = map.far[j] ? 0 : map.shift[j] * map.factor[j];
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Rows of owned double data to unit norm; a zero row stays zero. */
static pith_status unit_rows(pith_ctx *ctx, pith_i_data *X)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_status st = PITH_OK;
    double *squares = NULL;
    TRY(SCRATCH(ctx, squares, X->n));
    pith_i_row_squares(ctx, X, squares);
    for (int64_t i = 0; i < X->n; i++) {
        const double norm = sqrt(squares[i]);
        const int64_t from = X->sparse ? X->indptr[i] : i * X->p;
        const int64_t to = X->sparse ? X->indptr[i + 1] : from + X->p;
        double *x = X->sparse ? pith_i_data_values(X) : pith_i_data_x(X);
        for (int64_t e = from; norm > 0 && e < to; e++)
            x[e] /= norm;
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* The roots of owned double data that came from counts: of logarithms, those of what they were taken of; what
 * is not known is taken for roots already. */
static pith_status take_roots(pith_ctx *ctx, double most, pith_i_data *X)
{
    double *x = X->sparse ? pith_i_data_values(X) : pith_i_data_x(X);
    pith_i_scale scale;
    pith_status st = PITH_OK;
    TRY(pith_i_scale_find(ctx, X, most, &scale));
    const bool done = scale.kind == PITH_SCALE_UNKNOWN || scale.kind == PITH_SCALE_ROOTS;
    for (int64_t e = 0; !done && e < pith_i_stored(X); e++)
        x[e] = sqrt(pith_i_unlogged(&scale, x[e]));
done:
    return st;
}

/* The columns of owned data times their factors. */
static void weigh_columns(pith_i_data *X, const double *factor)
{
    double *x = X->sparse ? pith_i_data_values(X) : pith_i_data_x(X);
    for (int64_t e = 0; e < pith_i_stored(X); e++)
        x[e] *= factor[X->sparse ? X->indices[e] : e % X->p];
}

static bool has_roots(int kind)
{
    return kind == VIEW_SQRT_IDF || kind == VIEW_SQRT_IDF_LENGTHS;
}

/* tf idf, or sqrt(tf) idf; rows to unit norm. */
static pith_status weigh_rows(pith_ctx *ctx, const pith_i_data *X, const pith_i_column_stats *stats, int kind,
                              pith_i_view *view)
{
    const bool roots = has_roots(kind);
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_status st = PITH_OK;
    double *idf = NULL;
    TRY(SCRATCH(ctx, idf, X->p));
    for (int64_t j = 0; j < X->p; j++) {
        if (stats->min[j] < 0)
            FAIL(ctx, PITH_E_DATA, "%s is for counts: column %lld (counted from 1) has negative values",
                 roots ? "sqrt-idf" : "tfidf", (long long)j + 1);
        idf[j] = stats->nonzeros[j] > 0 ? log((double)pith_i_all(X) / (double)stats->nonzeros[j]) : 0;
    }
    TRY(pith_i_scaled_view(ctx, X, roots ? NULL : idf, &view->X));
    if (roots) {
        TRY(take_roots(ctx, pith_i_largest(stats, X->p), &view->X));
        weigh_columns(&view->X, idf);
    }
    if (kind != VIEW_SQRT_IDF_LENGTHS)
        TRY(unit_rows(ctx, &view->X));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Takes the means off the columns of an owned view: in place if dense, by shift if sparse. `given`: then also
 * everything times the factor of a mean variance of 1. */
static pith_status center(pith_ctx *ctx, const pith_i_column_stats *given, pith_i_view *view)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_data *X = &view->X;
    pith_i_column_stats stats;
    pith_status st = PITH_OK;
    TRY(pith_i_column_statistics(ctx, X, NULL, &stats));
    const double factor = given != NULL ? unit_factor(X->p, given, &stats) : 1;
    if (X->sparse) {
        double *x = pith_i_data_values(X);
        TRY(NEW(ctx, view->shift, X->p));
        for (int64_t j = 0; j < X->p; j++)
            view->shift[j] = stats.mean[j] * factor;
        for (int64_t e = 0; given != NULL && e < X->indptr[X->n]; e++)
            x[e] *= factor;
    }
    for (int64_t i = 0; !X->sparse && i < X->n; i++)
        for (int64_t j = 0; j < X->p; j++) {
            double *x = (double *)pith_i_data_x(X) + i * X->p + j;
            *x = (*x - stats.mean[j]) * factor;
        }
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

pith_status pith_i_view_make(pith_ctx *ctx, const pith_i_data *X, const pith_i_column_stats *stats, int kind,
                             pith_i_view *out)
{
    pith_i_view view = {0};
    pith_status st = PITH_OK;
    if (kind == VIEW_NONE)
        view.X = pith_i_data_rows(X, 0, X->n);
    else if (is_tfidf(kind) || has_roots(kind))
        TRY(weigh_rows(ctx, X, stats, kind, &view));
    else
        TRY(affine(ctx, X, stats, kind, &view));
    if (kind == VIEW_TFIDF_CENTER || kind == VIEW_TFIDF_UNIT)
        TRY(center(ctx, kind == VIEW_TFIDF_UNIT ? stats : NULL, &view));
    *out = view;
    return PITH_OK;
done:
    pith_i_view_free(&view);
    return st;
}

void pith_i_view_free(pith_i_view *view)
{
    pith_i_data_free(&view->X);
    pith_i_free(view->shift);
    view->shift = NULL;
}
