/* Steps that drop features, or duplicate samples. */
#include "prep/step.h"

#include <stdlib.h>
#include <string.h>

static pith_status drop_constant(pith_ctx *ctx, const pith_i_data *X, const double *values, pith_i_kept *kept)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_column_stats s;
    pith_status st = PITH_OK;
    (void)values;
    TRY(pith_i_column_statistics(ctx, X, NULL, &s));
    for (int64_t j = 0; j < X->p; j++)
        if (s.min[j] < s.max[j])
            kept->index[kept->count++] = j;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- Document frequency ------------------------------------------------------------------------------- */

pith_status pith_i_by_frequency(pith_ctx *ctx, const pith_i_data *X, double least, double most,
                                pith_i_kept *kept)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_column_stats s;
    pith_status st = PITH_OK;
    TRY(pith_i_column_statistics(ctx, X, NULL, &s));
    for (int64_t j = 0; j < X->p; j++)
        if ((double)s.nonzeros[j] >= least && (double)s.nonzeros[j] <= most)
            kept->index[kept->count++] = j;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status min_df(pith_ctx *ctx, const pith_i_data *X, const double *values, pith_i_kept *kept)
{
    return pith_i_by_frequency(ctx, X, pith_i_min_df(values[0], X->n), (double)X->n, kept);
}

static pith_status max_df(pith_ctx *ctx, const pith_i_data *X, const double *values, pith_i_kept *kept)
{
    return pith_i_by_frequency(ctx, X, 0, pith_i_max_df(values[0], X->n), kept);
}

/* ---- Variance ----------------------------------------------------------------------------------------- */

typedef struct scored {
    double score;
    int64_t column;
} scored;

static int by_score(const void *a, const void *b)
{
    const scored *x = a, *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return x->column < y->column ? -1 : 1;
}

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static pith_status top_variance(pith_ctx *ctx, const pith_i_data *X, const double *values, pith_i_kept *kept)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_column_stats s;
    scored *list = NULL;
    pith_status st = PITH_OK;
    TRY(pith_i_column_statistics(ctx, X, NULL, &s));
    TRY(SCRATCH(ctx, list, X->p));
    for (int64_t j = 0; j < X->p; j++)
        list[j] = (scored){s.variance[j], j};
    qsort(list, (size_t)X->p, sizeof *list, by_score);
    kept->count = (double)X->p < values[0] ? X->p : (int64_t)values[0];
    for (int64_t k = 0; k < kept->count; k++)
        kept->index[k] = list[k].column;
    qsort(kept->index, (size_t)kept->count, sizeof *kept->index, by_number);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- Duplicates --------------------------------------------------------------------------------------- */

enum { OF_FEATURES, OF_SAMPLES };
static const char *const of_words[] = {"features", "samples", NULL};

/* The next nonzero entry of row i of L from position *at on: its column and value; false: there is none. */
static bool next_nonzero(const pith_i_data *L, int64_t i, int64_t *at, int64_t *where, double *v)
{
    const int64_t count = L->sparse ? L->indptr[i + 1] - L->indptr[i] : L->p;
    while (*at < count) {
        const int64_t e = L->sparse ? L->indptr[i] + *at : i * L->row_stride + *at * L->col_stride;
        *v = pith_i_value(L->sparse ? L->values : L->x, L->dtype, e);
        *where = L->sparse ? L->indices[e] : *at;
        ++*at;
        if (*v != 0)
            return true;
    }
    return false;
}

static uint64_t line_hash(const pith_i_data *L, int64_t i)
{
    uint64_t hash = 0, bits = 0;
    int64_t at = 0, where = 0;
    double v = 0;
    while (next_nonzero(L, i, &at, &where, &v)) {
        memcpy(&bits, &v, sizeof bits);
        hash = (hash ^ bits ^ ((uint64_t)where << 32 | (uint64_t)where)) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    }
    return hash;
}

static bool lines_equal(const pith_i_data *L, int64_t a, int64_t b)
{
    int64_t at_a = 0, at_b = 0, where_a = 0, where_b = 0;
    double x = 0, y = 0;
    for (;;) {
        const bool more = next_nonzero(L, a, &at_a, &where_a, &x);
        if (more != next_nonzero(L, b, &at_b, &where_b, &y))
            return false;
        if (!more)
            return true;
        if (where_a != where_b || x != y)
            return false;
    }
}

typedef struct hashed {
    uint64_t hash;
    int64_t line;
} hashed;

static int by_hash(const void *a, const void *b)
{
    const hashed *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return x->line < y->line ? -1 : 1;
}

/* The rows of L that equal no earlier one. */
static pith_status distinct(pith_ctx *ctx, const pith_i_data *L, pith_i_kept *kept)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    hashed *list = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, list, L->n));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(static)
    for (int64_t i = 0; i < L->n; i++)
        list[i] = (hashed){line_hash(L, i), i};
    qsort(list, (size_t)L->n, sizeof *list, by_hash);
    for (int64_t i = 0, first = 0; i < L->n; i++) {
        bool seen = false;
        if (i > 0 && list[i].hash != list[i - 1].hash)
            first = kept->count;
        /* The rows kept with the same hash: one, except in the rare case of a collision. */
        for (int64_t k = first; !seen && k < kept->count; k++)
            seen = lines_equal(L, kept->index[k], list[i].line);
        if (!seen)
            kept->index[kept->count++] = list[i].line;
    }
    qsort(kept->index, (size_t)kept->count, sizeof *kept->index, by_number);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status drop_duplicates(pith_ctx *ctx, const pith_i_data *X, const double *values,
                                   pith_i_kept *kept)
{
    pith_i_data T = {0};
    pith_status st = PITH_OK;
    kept->rows = (int)values[0] == OF_SAMPLES;
    if (!kept->rows)
        TRY(pith_i_transpose(ctx, X, &T));
    TRY(distinct(ctx, kept->rows ? X : &T, kept));
done:
    pith_i_data_free(&T);
    return st;
}

/* ---- Descriptors -------------------------------------------------------------------------------------- */

const pith_i_step pith_i_step_drop_constant = {
    .name = "drop-constant", .spreads = true, .title = "drops constant features", .choose = drop_constant};
const pith_i_step pith_i_step_drop_duplicates = {
    .name = "drop-duplicates",
    .title = "drops duplicate features, keeping the first",
    .params = {{.name = "of",
                .help = "what to deduplicate: features or samples",
                .type = PITH_CHOICE,
                .def = OF_FEATURES,
                .choices = of_words}},
    .choose = drop_duplicates,
};
const pith_i_step pith_i_step_min_df = {
    .name = "min-df",
    .title = "drops features that are nonzero in too few samples",
    .params = {{.name = "least",
                .help = "minimum number of samples; below 1: a share of all samples",
                .type = PITH_REAL,
                .def = 2,
                .lo = 0,
                .hi = 1e15}},
    .choose = min_df,
};
const pith_i_step pith_i_step_max_df = {
    .name = "max-df",
    .title = "drops features that are nonzero in too many samples",
    .params = {{.name = "most",
                .help = "maximum number of samples; up to 1: a share of all samples",
                .type = PITH_REAL,
                .def = 0.5,
                .lo = 0,
                .hi = 1e15}},
    .choose = max_df,
};
const pith_i_step pith_i_step_top_variance = {
    .name = "top-variance",
    .spreads = true,
    .title = "keeps the features with the largest variance, in the order of the data",
    .params = {{.name = "count",
                .help = "number of features to keep, if there are more",
                .type = PITH_INT,
                .def = 1000,
                .lo = 1,
                .hi = 2147483647}},
    .choose = top_variance,
};
