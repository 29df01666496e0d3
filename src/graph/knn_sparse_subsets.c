/*
 * Candidates of sparse rows in many subsets of the columns, from one pass over inverted lists: each subset is
 * a lane of vectors, so that an entry is multiplied for all of them at once.
 */
#include "core/parallel.h"
#include "graph/knn_engine.h"
#include "graph/knn_index.h"
#include "graph/knn_subsets.h"
#include "matrix/simd.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    SLICE = 512, /* rows whose sums fit a level-1 cache, or nearly */
    MORE = 3,    /* candidates beyond k: fewer than for a single subset, as keeping them costs most */
    GROUP = 16,  /* rows of a slice whose least bound helps to lower the threshold, */
    RANKS = 12,  /* of these at most; longer lists do without */
    VECTOR = 8,  /* lanes of a vector */
    LANES = PITH_I_MOST_PARTS
};

typedef struct lanes {
    const pith_i_rows *R;
    const uint32_t *mask;
    int64_t subsets, width; /* width: subsets in whole vectors */
    float *factor, *norm;   /* n x width: in subset b row i is factor z_i; norm as in the lists */
    pith_i_lists *lists;    /* of every subset */
} lanes;

static const pith_i_int8 FIRST_BITS = {1, 2, 4, 8, 16, 32, 64, 128}; /* of a vector's lanes */

typedef struct hit { /* a row of the slice, and as bits the subsets in which it may be a candidate */
    int32_t row;
    uint32_t subsets;
} hit;

/* ---- What the rows are in each subset ------------------------------------------------------------------ */

/* Sums of squares of z and largest |x| over the columns that each subset has. */
static void measure_row(const lanes *s, int64_t i, double square[LANES], double top[LANES])
{
    const pith_i_data *X = &s->R->X;
    memset(square, 0, LANES * sizeof *square);
    memset(top, 0, LANES * sizeof *top);
    for (int64_t e = X->indptr[i]; e < X->indptr[i + 1]; e++) {
        const double x = pith_i_at(X, i, e), z = x * s->R->factor[i] * s->R->scale;
        for (uint32_t bits = s->mask[X->indices[e]]; bits != 0; bits &= bits - 1) {
            const int b = __builtin_ctz(bits);
            square[b] += z * z;
            top[b] = fmax(top[b], fabs(x));
        }
    }
}

/*
 * By cosine rows have length 1 in every subset: the factor takes 4 more roundings, for which the bound has
 * room. Where a subset has next to nothing of a row, its direction is lost in float: a bound below all others
 * makes sure that the row is searched again in double.
 */
static void set_row(const lanes *s, int64_t i)
{
    const pith_i_rows *R = s->R;
    const bool cosine = R->metric == PITH_I_COSINE;
    const double unit2 = R->scale * R->scale;
    const int64_t terms = R->X.indptr[i + 1] - R->X.indptr[i];
    double square[LANES], top[LANES];
    measure_row(s, i, square, top);
    for (int64_t b = 0; b < s->width; b++) {
        const bool none = b >= s->subsets || (cosine && !pith_i_has_direction(top[b]));
        const bool little = cosine && !(square[b] > 1e-8 * unit2);
        float *norm = &s->norm[i * s->width + b], *factor = &s->factor[i * s->width + b];
        *norm = none ? INFINITY : -FLT_MAX;
        *factor = 0;
        if (!none && !little) {
            *norm = fmaxf((float)pith_i_shrunk(R, cosine ? unit2 : square[b], terms, false), -FLT_MAX);
            *factor = cosine ? (float)(R->scale / sqrt(square[b])) : 1;
        }
        if (b < s->subsets) {
            s->lists[b].norm[i] = *norm;
            s->lists[b].threshold[i] = none ? -INFINITY : INFINITY;
        }
    }
}

/* ---- The pass ------------------------------------------------------------------------------------------ */

/* sum[r][b] += -2 factor_i[b] z_i'z_r over the columns of subset b, for every row r of the slice. */
PITH_I_INLINE static inline void add_lanes(const lanes *s, const pith_i_index *index, int64_t i, int vectors,
                                           float *sum)
{
    const pith_i_data *X = &s->R->X;
    const float *value = index->value, *factor = s->factor + i * s->width;
    const double scale = -2 * s->R->factor[i] * s->R->scale;
    for (int64_t e = X->indptr[i]; e < X->indptr[i + 1]; e++) {
        const int64_t j = X->indices[e], end = index->start[j + 1];
        const float z = (float)(scale * pith_i_at(X, i, e));
        pith_i_float8 f[LANES / VECTOR];
        for (int v = 0; v < vectors; v++) {
            const pith_i_int8 bits = (FIRST_BITS << (v * VECTOR)) & (int32_t)s->mask[j];
            f[v] = (pith_i_float8)((pith_i_int8)(z * *(const pith_i_float8 *)(factor + v * VECTOR)) &
                                   (bits != 0));
        }
        for (int64_t x = index->start[j]; x < end; x++) {
            float *to = sum + index->row[x] * vectors * VECTOR;
            for (int v = 0; v < vectors; v++)
                *(pith_i_float8 *)(to + v * VECTOR) += value[x] * f[v];
        }
    }
}

/* The smaller and the larger of two, lane by lane. */
PITH_I_INLINE static inline void sort_lanes(const pith_i_float8 *a, const pith_i_float8 *c,
                                            pith_i_float8 *small, pith_i_float8 *large)
{
    const pith_i_int8 x = (pith_i_int8)*a, y = (pith_i_int8)*c, less = *a < *c;
    *small = (pith_i_float8)((x & less) | (y & ~less));
    *large = (pith_i_float8)((y & less) | (x & ~less));
}

/* Turns the sums of rows r to end - 1 into bounds; least: the least of them in every lane. */
PITH_I_INLINE static inline void to_bounds(int vectors, int64_t r, int64_t end, const float *factor,
                                           const float *norm, float *sum, pith_i_float8 *least)
{
    pith_i_float8 rest;
    for (int v = 0; v < vectors; v++)
        least[v] = FLT_MAX - (pith_i_float8){0};
    for (int64_t at = r * vectors * VECTOR; at < end * vectors * VECTOR; at += vectors * VECTOR)
        for (int v = 0; v < vectors; v++) {
            pith_i_float8 *bound = (pith_i_float8 *)(sum + at) + v;
            *bound =
                *bound * ((const pith_i_float8 *)(factor + at))[v] + ((const pith_i_float8 *)(norm + at))[v];
            sort_lanes(bound, &least[v], &least[v], &rest);
        }
}

/* Inserts x into each lane's ascending list, whose last is dropped. */
PITH_I_INLINE static inline void insert(int vectors, int ranks, pith_i_float8 *list, pith_i_float8 *x)
{
    for (int t = 0; t < ranks; t++)
        for (int v = 0; v < vectors; v++)
            sort_lanes(&list[t * vectors + v], &x[v], &list[t * vectors + v], &x[v]);
}

/* The rows with a bound of at most its lane's threshold. */
PITH_I_INLINE static inline int64_t find_hits(int vectors, int64_t rows, const float *bound,
                                              const pith_i_float8 *threshold, hit *hits)
{
    typedef uint64_t quarters __attribute__((vector_size(32)));
    int64_t count = 0;
    for (int64_t r = 0; r < rows; r++) {
        const pith_i_float8 *b = (const pith_i_float8 *)(bound + r * vectors * VECTOR);
        pith_i_int8 bits = {0};
        for (int v = 0; v < vectors; v++)
            bits |= (b[v] <= threshold[v]) & (FIRST_BITS << (v * VECTOR));
        const quarters q = (quarters)bits;
        const uint64_t both = (q[0] | q[1]) | (q[2] | q[3]);
        hits[count] = (hit){(int32_t)r, (uint32_t)(both | both >> 32)};
        count += both != 0;
    }
    return count;
}

/*
 * The rows of a slice within the thresholds. These are lowered first: the `ranks` smallest of the groups'
 * least bounds are bounds of `ranks` different rows, so no row beyond the last of them can be a candidate.
 */
PITH_I_INLINE static inline int64_t look(int vectors, const lanes *s, int64_t first, int64_t rows, int ranks,
                                         float *threshold, float *sum, hit *hits)
{
    const float *factor = s->factor + first * s->width, *norm = s->norm + first * s->width;
    pith_i_float8 list[RANKS * LANES / VECTOR], x[LANES / VECTOR], *limit = (pith_i_float8 *)threshold;
    for (int t = 0; t < ranks * vectors; t++)
        list[t] = FLT_MAX - (pith_i_float8){0};
    for (int64_t r = 0; r < rows; r += GROUP) {
        to_bounds(vectors, r, r + GROUP < rows ? r + GROUP : rows, factor, norm, sum, x);
        insert(vectors, ranks, list, x);
    }
    for (int v = 0; v < vectors && ranks > 0; v++)
        sort_lanes(&limit[v], &list[(ranks - 1) * vectors + v], &limit[v], &x[v]);
    return find_hits(vectors, rows, sum, limit, hits);
}

/* Each possible width is compiled separately. */
PITH_I_CLONES static int64_t meet_rows(const lanes *s, const pith_i_index *index, int64_t first, int64_t i,
                                       int ranks, float *threshold, float *sum, hit *hits)
{
    if (s->width == VECTOR) {
        add_lanes(s, index, i, 1, sum);
        return look(1, s, first, index->rows, ranks, threshold, sum, hits);
    }
    if (s->width == 2 * VECTOR) {
        add_lanes(s, index, i, 2, sum);
        return look(2, s, first, index->rows, ranks, threshold, sum, hits);
    }
    add_lanes(s, index, i, 3, sum);
    return look(3, s, first, index->rows, ranks, threshold, sum, hits);
}

/* Compares row i, in all subsets, with the slice whose first row is `first`. */
static void meet_slice(const lanes *s, const pith_i_index *index, int64_t first, int64_t i, float *sum)
{
    const int64_t m = s->lists[0].m;
    const int ranks = m < RANKS ? (int)m + 1 : 0; /* one more: row i itself may be among them */
    float threshold[LANES];
    hit hits[SLICE];
    memset(sum, 0, (size_t)(index->rows * s->width) * sizeof *sum);
    /* Finite: rows without a direction in a subset have infinite bounds. */
    for (int64_t b = 0; b < s->width; b++)
        threshold[b] = b < s->subsets ? fminf(s->lists[b].threshold[i], FLT_MAX) : -INFINITY;
    const int64_t count = meet_rows(s, index, first, i, ranks, threshold, sum, hits);
    for (int64_t h = 0; h < count; h++) {
        const int64_t r = hits[h].row;
        for (uint32_t found = first + r == i ? 0 : hits[h].subsets; found != 0; found &= found - 1) {
            const int b = __builtin_ctz(found);
            pith_i_lists_push(&s->lists[b], i, first + r, sum[r * s->width + b]);
        }
    }
}

static pith_status meet_all(pith_ctx *ctx, const lanes *s)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = s->R->X.n, slice = n < SLICE ? n : SLICE, threads = pith_ctx_threads(ctx);
    pith_i_index index = {.dtype = PITH_F32};
    float *sums = NULL;
    pith_status st = PITH_OK;
    TRY(pith_i_index_reserve(ctx, s->R, NULL, n, slice, &index));
    TRY(SCRATCH(ctx, sums, threads * slice * s->width));
    for (int64_t first = 0; first < n; first += slice) {
        pith_i_index_fill(&index, s->R, NULL, first, n - first < slice ? n - first : slice);
#pragma omp parallel for num_threads((int)threads) schedule(dynamic, 16)
        for (int64_t i = 0; i < n; i++)
            if (!pith_i_progress_stop(ctx, first, n))
                meet_slice(s, &index, first, i, sums + pith_i_thread() * slice * s->width);
        TRY(pith_i_stop_status(ctx));
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_sparse_subset_lists(pith_ctx *ctx, const pith_i_data *X, pith_i_metric metric,
                                       int64_t subsets, const uint32_t *mask, int64_t k, pith_i_lists *lists)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = X->n, m = k + MORE < n - 1 ? k + MORE : n - 1;
    pith_i_lists L[LANES] = {0};
    pith_i_rows R = {0};
    lanes s = {&R, mask, subsets, (subsets + VECTOR - 1) / VECTOR * VECTOR, .lists = L};
    bool found = false;
    pith_status st = PITH_OK;
    TRY(pith_i_known_lists(ctx, X, metric, subsets, mask, k, &found, lists));
    if (found)
        return PITH_OK;
    TRY(pith_i_rows_open(ctx, X, metric, &R));
    TRY(SCRATCH(ctx, s.factor, n * s.width));
    TRY(SCRATCH(ctx, s.norm, n * s.width));
    for (int64_t b = 0; b < subsets; b++)
        TRY(pith_i_lists_open(ctx, &R, m, SLICE, &L[b]));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx))
    for (int64_t i = 0; i < n; i++)
        set_row(&s, i);
    TRY(meet_all(ctx, &s));
    for (int64_t b = 0; b < subsets; b++) {
        lists[b] = L[b];
        L[b] = (pith_i_lists){0};
    }
done:
    for (int64_t b = 0; b < subsets; b++)
        pith_i_lists_close(&L[b]);
    pith_i_rows_close(&R);
    pith_i_scratch_release(ctx, mark);
    return st;
}
