#include "synth/synth.h"

#include "core/parallel.h"
#include "core/random.h"

#include <math.h>
#include <stdio.h>

/* Streams of samples are keyed by their number; those of anything else lie above all of these. */
#define PLACE_OF_LEVELS (UINT64_C(1) << 63)

static double uniform_in(pith_i_stream *s, double lo, double hi)
{
    return lo + (hi - lo) * pith_i_random_uniform(s);
}

/* Writes the name of a feature, or the label of a sample. */
typedef void text_fn(const void *self, int64_t at, char text[32]);

static pith_status make_names(pith_ctx *ctx, int64_t count, text_fn *text_of, const void *self,
                              pith_i_names *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_status st = PITH_OK;
    const char **texts = NULL;
    char(*made)[32] = NULL;
    TRY(SCRATCH(ctx, texts, count));
    TRY(SCRATCH(ctx, made, count));
    for (int64_t i = 0; i < count; i++) {
        text_of(self, i, made[i]);
        texts[i] = made[i];
    }
    TRY(pith_i_names_copy(ctx, count, texts, out));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status name_and_label(pith_ctx *ctx, text_fn *name_of, text_fn *label_of, const void *self,
                                  pith_matrix *m)
{
    pith_i_names labels = {0};
    pith_status st = PITH_OK;
    TRY(make_names(ctx, m->data.p, name_of, self, &m->features));
    TRY(make_names(ctx, m->data.n, label_of, self, &labels));
    TRY(pith_i_matrix_label(ctx, m, &labels));
    m->known_finite = true;
done:
    pith_i_names_free(&labels);
    return st;
}

/* ---- nrfs ------------------------------------------------------------------------------------------- */

enum { NRFS_CLUSTER = 300, NRFS_NORMAL = 4 * NRFS_CLUSTER, NRFS_NOISY = 80, NRFS_FEATURES = 34 };

static void nrfs_name(const void *self, int64_t j, char text[32])
{
    (void)self;
    (void)snprintf(text, 32, "f%lld", (long long)(j + 1));
}

static void nrfs_label(const void *self, int64_t i, char text[32])
{
    (void)self;
    (void)snprintf(text, 32, "%lld", i < NRFS_NORMAL ? (long long)(i / NRFS_CLUSTER + 1) : 0LL);
}

/*
 * Clusters 1 and 2 lie at (-6, 6) and (6, -6) in (f1, f2), sd 0.5, and are uniform in [-2, 2]^2 in
 * (f3, f4); clusters 3 and 4 the other way round. f5..f34 are uniform noise.
 */
static void nrfs_normal_row(uint64_t seed, int64_t i, double half_width, double *row)
{
    pith_i_stream s = pith_i_stream_at(seed, PITH_I_RANDOM_SYNTH, (uint64_t)i);
    const int64_t cluster = i / NRFS_CLUSTER;
    const int blob = cluster < 2 ? 0 : 2;
    const double side = cluster % 2 == 0 ? -6 : 6;
    row[blob] = side + 0.5 * pith_i_random_normal(&s);
    row[blob + 1] = -side + 0.5 * pith_i_random_normal(&s);
    row[2 - blob] = uniform_in(&s, -2, 2);
    row[3 - blob] = uniform_in(&s, -2, 2);
    for (int j = 4; j < NRFS_FEATURES; j++)
        row[j] = uniform_in(&s, -half_width, half_width);
}

/* The noisy samples fill a box of 1.25 times the range of the normal ones, around its middle. */
static void nrfs_noisy_rows(uint64_t seed, double *x)
{
    double middle[NRFS_FEATURES], reach[NRFS_FEATURES];
    for (int64_t j = 0; j < NRFS_FEATURES; j++) {
        double lo = x[j], hi = x[j];
        for (int64_t i = 1; i < NRFS_NORMAL; i++) {
            lo = fmin(lo, x[i * NRFS_FEATURES + j]);
            hi = fmax(hi, x[i * NRFS_FEATURES + j]);
        }
        middle[j] = (lo + hi) / 2;
        reach[j] = 1.25 * (hi - lo) / 2;
    }
    for (int64_t i = NRFS_NORMAL; i < NRFS_NORMAL + NRFS_NOISY; i++) {
        pith_i_stream s = pith_i_stream_at(seed, PITH_I_RANDOM_SYNTH, (uint64_t)i);
        for (int64_t j = 0; j < NRFS_FEATURES; j++)
            x[i * NRFS_FEATURES + j] = uniform_in(&s, middle[j] - reach[j], middle[j] + reach[j]);
    }
}

pith_status pith_i_synth_nrfs(pith_ctx *ctx, double half_width, pith_matrix *out)
{
    const uint64_t seed = pith_ctx_seed(ctx);
    pith_status st = PITH_OK;
    TRY(pith_i_data_new_dense(ctx, NRFS_NORMAL + NRFS_NOISY, NRFS_FEATURES, PITH_F64, &out->data));
    double *x = pith_i_data_x(&out->data);
    for (int64_t i = 0; i < NRFS_NORMAL; i++)
        nrfs_normal_row(seed, i, half_width, x + i * NRFS_FEATURES);
    nrfs_noisy_rows(seed, x);
    TRY(name_and_label(ctx, nrfs_name, nrfs_label, NULL, out));
done:
    return st;
}

/* ---- blobs ------------------------------------------------------------------------------------------ */

/*
 * The levels of the informative features. They come in groups of `bits` features: a group numbers the
 * clusters anew at random, and its feature b is high where bit b of the number is set. So every group
 * alone tells all clusters apart, and no informative feature is the same in all clusters.
 */
typedef struct levels {
    const pith_blobs *blobs;
    int32_t *nth;    /* of every column: it is the nth informative one, or -1 */
    int bits;        /* of a cluster's number */
    int64_t *number; /* groups x clusters */
} levels;

static bool is_high(const levels *v, int32_t nth, int64_t cluster)
{
    return v->number[nth / v->bits * v->blobs->clusters + cluster] >> (nth % v->bits) & 1;
}

/* Column j is informative where j m / p passes a whole number: m of p, spread evenly. Returns m. */
static int64_t spread_informative(const pith_blobs *blobs, int32_t *nth)
{
    int64_t m = llround(blobs->informative * (double)blobs->p);
    if (m == 0 && blobs->informative > 0)
        m = 1;
    for (int64_t j = 0; j < blobs->p; j++) { /* m, p < 2^31: no overflow */
        const int64_t before = j * m / blobs->p;
        nth[j] = (j + 1) * m / blobs->p > before ? (int32_t)before : -1;
    }
    return m;
}

static pith_status make_levels(pith_ctx *ctx, const pith_blobs *blobs, levels *v)
{
    const int64_t c = blobs->clusters;
    pith_status st = PITH_OK;
    *v = (levels){.blobs = blobs, .bits = 1};
    while ((INT64_C(1) << v->bits) < c)
        v->bits++;
    TRY(SCRATCH(ctx, v->nth, blobs->p));
    const int64_t groups = (spread_informative(blobs, v->nth) + v->bits - 1) / v->bits;
    TRY(SCRATCH(ctx, v->number, groups * c));
    for (int64_t g = 0; g < groups; g++) {
        pith_i_stream s =
            pith_i_stream_at(pith_ctx_seed(ctx), PITH_I_RANDOM_SYNTH, PLACE_OF_LEVELS + (uint64_t)g);
        pith_i_random_order(&s, c, v->number + g * c);
    }
done:
    return st;
}

static void blob_name(const void *self, int64_t j, char text[32])
{
    const levels *v = self;
    (void)snprintf(text, 32, "%s_%lld", v->nth[j] >= 0 ? "info" : "noise", (long long)j);
}

static void blob_label(const void *self, int64_t i, char text[32])
{
    const levels *v = self;
    (void)snprintf(text, 32, "%lld", (long long)(i % v->blobs->clusters + 1));
}

/* x_ij = z_ij + separation / 2 where j is high in i's cluster, - separation / 2 where it is low. */
static pith_status dense_blobs(pith_ctx *ctx, const levels *v, pith_i_data *out)
{
    const int64_t n = v->blobs->n, p = v->blobs->p;
    const uint64_t seed = pith_ctx_seed(ctx);
    pith_status st = PITH_OK;
    const pith_dtype dtype = v->blobs->single ? PITH_F32 : PITH_F64;
    TRY(pith_i_data_new_dense(ctx, n, p, dtype, out));
    void *x = pith_i_data_x(out);
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic, 16)
    for (int64_t i = 0; i < n; i++) {
        pith_i_stream s = pith_i_stream_at(seed, PITH_I_RANDOM_SYNTH, (uint64_t)i);
        if (pith_i_progress_stop(ctx, i, n))
            continue;
        for (int64_t j = 0; j < p; j++) {
            double centre = 0;
            if (v->nth[j] >= 0)
                centre = is_high(v, v->nth[j], i % v->blobs->clusters) ? 0.5 : -0.5;
            pith_i_set_value(x, dtype, i * p + j, v->blobs->separation * centre + pith_i_random_normal(&s));
        }
    }
    TRY(pith_i_stop_status(ctx));
done:
    return st;
}

/*
 * How often a feature that is high in a share h of the clusters is present:
 *
 *     low = density / (1 + h separation),   high = (1 + separation) low,
 *
 * so that its mean over the clusters is the density; where that makes high more than 1, high is 1.
 */
typedef struct rates {
    double *low, *high; /* of every bit, as h depends on the bit alone */
    double most;        /* the highest of all rates, noise features included */
} rates;

static pith_status make_rates(pith_ctx *ctx, const levels *v, rates *out)
{
    const double density = v->blobs->density, ratio = 1 + v->blobs->separation;
    pith_status st = PITH_OK;
    out->most = density;
    TRY(SCRATCH(ctx, out->low, v->bits));
    TRY(SCRATCH(ctx, out->high, v->bits));
    for (int b = 0; b < v->bits; b++) {
        int64_t high_clusters = 0;
        for (int64_t k = 0; k < v->blobs->clusters; k++)
            high_clusters += k >> b & 1;
        const double h = (double)high_clusters / (double)v->blobs->clusters;
        out->low[b] = density / (1 + h * v->blobs->separation);
        out->high[b] = ratio * out->low[b];
        if (out->high[b] > 1) {
            out->high[b] = 1;
            out->low[b] = (density - h) / (1 - h);
        }
        out->most = fmax(out->most, out->high[b]);
    }
done:
    return st;
}

static double rate_at(const levels *v, const rates *r, int64_t j, int64_t cluster)
{
    const int32_t nth = v->nth[j];
    if (nth < 0)
        return v->blobs->density;
    const int b = nth % v->bits;
    return is_high(v, nth, cluster) ? r->high[b] : r->low[b];
}

/*
 * The entries of sample i, ascending; returns their number. Candidates come at the highest of all rates,
 * by jumps of geometric length, and each is kept with probability (its own rate) / (the highest): O(entries)
 * and not O(p). A count is 1 + (fair coins that fall heads before the first tail). They are stored from place
 * `at` on; out NULL: only count.
 */
static int64_t count_row(const levels *v, const rates *r, uint64_t seed, int64_t i, int64_t at,
                         pith_i_data *out)
{
    pith_i_stream s = pith_i_stream_at(seed, PITH_I_RANDOM_SYNTH, (uint64_t)i);
    const int64_t p = v->blobs->p, cluster = i % v->blobs->clusters;
    const double step = r->most < 1 ? 1 / log1p(-r->most) : 0;
    int64_t entries = 0;
    for (int64_t j = -1;;) {
        const double jump = 1 + floor(step * log(1 - pith_i_random_uniform(&s)));
        if (!(jump < (double)(p - j)))
            return entries;
        j += (int64_t)jump;
        if (pith_i_random_uniform(&s) * r->most >= rate_at(v, r, j, cluster))
            continue;
        const uint32_t coins = pith_i_random_u32(&s) | UINT32_C(1) << 31;
        if (out != NULL) {
            pith_i_data_indices(out)[at + entries] = (int32_t)j;
            pith_i_set_value(pith_i_data_values(out), out->dtype, at + entries, 1 + __builtin_ctz(coins));
        }
        entries++;
    }
}

/* Two passes over the same random numbers: the first counts, so that memory is taken exactly. */
static pith_status sparse_blobs(pith_ctx *ctx, const levels *v, const rates *r, pith_i_data *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = v->blobs->n, p = v->blobs->p;
    const uint64_t seed = pith_ctx_seed(ctx);
    pith_status st = PITH_OK;
    int64_t *start = NULL;
    TRY(SCRATCH(ctx, start, n + 1));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic, 16)
    for (int64_t i = 0; i < n; i++)
        start[i + 1] = pith_i_progress_stop(ctx, i, 2 * n) ? 0 : count_row(v, r, seed, i, 0, NULL);
    TRY(pith_i_stop_status(ctx));
    start[0] = 0;
    for (int64_t i = 0; i < n; i++)
        start[i + 1] += start[i];
    TRY(pith_i_data_new_csr(ctx, n, p, start[n], v->blobs->single ? PITH_F32 : PITH_F64, out));
    int64_t *indptr = pith_i_data_indptr(out);
    for (int64_t i = 0; i <= n; i++)
        indptr[i] = start[i];
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic, 16)
    for (int64_t i = 0; i < n; i++)
        if (!pith_i_progress_stop(ctx, n + i, 2 * n))
            (void)count_row(v, r, seed, i, start[i], out);
    TRY(pith_i_stop_status(ctx));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_synth_blobs(pith_ctx *ctx, const pith_blobs *blobs, pith_matrix *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_status st = PITH_OK;
    levels v = {0};
    rates r = {0};
    pith_i_progress_begin(ctx);
    TRY(pith_i_progress_stage(ctx, "making data", 0, 1));
    TRY(make_levels(ctx, blobs, &v));
    if (blobs->density < 1) {
        TRY(make_rates(ctx, &v, &r));
        TRY(sparse_blobs(ctx, &v, &r, &out->data));
    } else {
        TRY(dense_blobs(ctx, &v, &out->data));
    }
    TRY(name_and_label(ctx, blob_name, blob_label, &v, out));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
