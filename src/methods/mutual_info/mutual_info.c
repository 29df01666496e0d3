#include "core/engine.h"
#include "core/parallel.h"
#include "methods/method.h"
#include "methods/mutual_info/kth.h"

#include <stdlib.h>
#include <string.h>

struct mutual_info {
    pith_i_shared shared;
    int discretize;
    int64_t bins;
};

enum { DISCRETIZE_AUTO, DISCRETIZE_PRESENCE, DISCRETIZE_BINS };
static const char *const discretize_words[] = {"auto", "presence", "bins", NULL};

static const pith_i_param mutual_info_table[] = {
    ROW(struct mutual_info, discretize, "discretize", DISCRETIZE_AUTO, 0, 0, false, discretize_words,
        "presence: is the value nonzero; bins: equal-frequency bins; auto: presence for counts, else bins"),
    PARAM(struct mutual_info, bins, 5, 2, 1000,
          "number of equal-frequency bins; equal values fall into the same bin"),
};

static const char *const mutual_info_grid[] = {"bins=3,5,10", NULL};

enum { STRIP = 8 }; /* dense columns handled together: one cache line of each row */

typedef struct entry {
    double value;
    int32_t class;
} entry;

typedef struct setting {
    const pith_i_input *in;
    bool presence;
    int64_t bins;    /* presence: 2 */
    int64_t *size;   /* of every class, over all processes, */
    int64_t *held;   /* and of the samples held here */
    double *strips;  /* threads x n x STRIP; dense */
    entry *entries;  /* threads x n */
    int64_t *counts; /* threads x (bins + 1) x classes: of every bin, and of the zeros */
} setting;

static int by_value(const void *a, const void *b)
{
    const double x = ((const entry *)a)->value, y = ((const entry *)b)->value;
    return (x > y) - (x < y);
}

/* c log(c n / (a b)) / n: the term of a cell with count c, whose row and column sum to a and b. */
static double cell(int64_t c, int64_t a, int64_t b, int64_t n)
{
    return c > 0 ? (double)c / (double)n * log((double)c * (double)n / ((double)a * (double)b)) : 0;
}

/*
 * 1/C sum_c I(bin ; [class = c]) from the counts of a table bins x classes. Rounded to 12 decimals: tables
 * that are equal but for the order of their lines differ in the last bits, and must tie.
 */
static double information(const setting *s, const int64_t *counts)
{
    const int64_t n = s->in->all, classes = s->in->classes;
    double sum = 0;
    for (int64_t b = 0; b < s->bins; b++) {
        int64_t line = 0;
        for (int64_t c = 0; c < classes; c++)
            line += counts[b * classes + c];
        for (int64_t c = 0; c < classes; c++) {
            const int64_t count = counts[b * classes + c];
            sum += cell(count, line, s->size[c], n) + cell(line - count, line, n - s->size[c], n);
        }
    }
    return fabs(round(1e12 * sum / (double)classes) / 1e12); /* never below 0; no -0 */
}

/* bin(x) = floor(bins #{i : x_i < x} / n). e: the column's nonzero entries; zeros: the number of zeros in
 * every class. */
static void fill_bins(const setting *s, entry *e, int64_t count, const int64_t *zeros, int64_t *counts)
{
    const int64_t n = s->in->n, classes = s->in->classes;
    int64_t negative = 0;
    qsort(e, (size_t)count, sizeof *e, by_value);
    while (negative < count && e[negative].value < 0)
        negative++;
    for (int64_t from = 0, to = 0; from < count; from = to) {
        const int64_t less = from < negative ? from : from + n - count;
        for (; to < count && e[to].value == e[from].value; to++)
            counts[s->bins * less / n * classes + e[to].class]++;
    }
    for (int64_t c = 0; count < n && c < classes; c++)
        counts[s->bins * negative / n * classes + c] += zeros[c];
}

static double column_score(const setting *s, entry *e, int64_t count)
{
    const int64_t classes = s->in->classes;
    int64_t *counts = s->counts + pith_i_thread() * (s->bins + 1) * classes;
    int64_t *zeros = counts + s->bins * classes;
    memset(counts, 0, (size_t)(s->bins * classes) * sizeof *counts);
    memcpy(zeros, s->size, (size_t)classes * sizeof *zeros);
    for (int64_t i = 0; i < count; i++)
        zeros[e[i].class]--;
    if (!s->presence) {
        fill_bins(s, e, count, zeros, counts);
        return information(s, counts);
    }
    for (int64_t c = 0; c < classes; c++) {
        counts[c] = zeros[c];
        counts[classes + c] = s->size[c] - zeros[c];
    }
    return information(s, counts);
}

static void dense_strip(const setting *s, int64_t col, int64_t cols, double *score)
{
    const int64_t n = s->in->n;
    double *f = s->strips + pith_i_thread() * n * STRIP;
    entry *e = s->entries + pith_i_thread() * n;
    pith_i_block(s->in->X, 0, n, col, cols, f, STRIP);
    for (int64_t t = 0; t < cols; t++) {
        int64_t count = 0;
        for (int64_t i = 0; i < n; i++)
            if (f[i * STRIP + t] != 0)
                e[count++] = (entry){f[i * STRIP + t], s->in->labels[i]};
        score[col + t] = column_score(s, e, count);
    }
}

static void sparse_strip(const setting *s, int64_t col, int64_t cols, double *score)
{
    const pith_i_data *T = s->in->T;
    entry *e = s->entries + pith_i_thread() * s->in->n;
    for (int64_t j = col; j < col + cols; j++) {
        int64_t count = 0;
        for (int64_t at = T->indptr[j]; at < T->indptr[j + 1]; at++) {
            const double v = pith_i_at(T, j, at);
            if (v != 0)
                e[count++] = (entry){v, s->in->labels[T->indices[at]]};
        }
        score[j] = column_score(s, e, count);
    }
}

static pith_status open_setting(pith_ctx *ctx, setting *s)
{
    const pith_i_input *in = s->in;
    const int64_t threads = pith_ctx_threads(ctx);
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, s->size, in->classes));
    TRY(SCRATCH(ctx, s->held, in->classes));
    for (int64_t i = 0; i < in->n; i++)
        s->size[in->labels[i]]++;
    memcpy(s->held, s->size, (size_t)in->classes * sizeof *s->held);
    TRY(pith_i_sum_counts(ctx, in->classes, s->size));
    if (pith_i_is_spread(in->X))
        goto done;
    if (!in->X->sparse)
        TRY(SCRATCH(ctx, s->strips, threads * in->n * STRIP));
    TRY(SCRATCH(ctx, s->entries, threads * in->n));
    TRY(SCRATCH(ctx, s->counts, threads * (s->bins + 1) * in->classes));
done:
    return st;
}

/* ---- Samples that are spread --------------------------------------------------------------------------- */

/* Some columns at a time, of the samples held here. */
typedef struct block {
    int64_t first, cols, room; /* room: the most columns of a block */
    entry *entries;            /* cols x n: those that are not 0, ascending */
    double *values;            /* cols x n: the same without their classes */
    pith_i_sorted *sorted;     /* cols */
    double *cuts;              /* cols x (bins - 1) */
    int64_t *tables;           /* cols x bins x classes */
} block;

/* As many columns as take about 64 MB in the process with the most samples; the same number in all
 * processes. */
static pith_status open_block(pith_ctx *ctx, const setting *s, block *b)
{
    const double ROOM = 64 << 20;
    const int64_t n = s->in->n, classes = s->in->classes,
                  line = (int64_t)sizeof(entry) + (int64_t)sizeof(double);
    double most = (double)n;
    pith_status st = PITH_OK;
    TRY(pith_i_sum_by(ctx, PITH_ENGINE_MOST, 1, &most));
    const double each = most * (double)line + (double)(s->bins * (classes + 5) * 8);
    b->room = pith_i_min(pith_i_max((int64_t)(ROOM / each), 1), s->in->p);
    TRY(SCRATCH(ctx, b->entries, b->room * n));
    TRY(SCRATCH(ctx, b->values, b->room * n));
    TRY(SCRATCH(ctx, b->sorted, b->room));
    TRY(SCRATCH(ctx, b->cuts, b->room * (s->bins - 1)));
    TRY(SCRATCH(ctx, b->tables, b->room * s->bins * classes));
done:
    return st;
}

static int64_t load_entries(const pith_i_input *in, int64_t j, entry *e)
{
    const pith_i_data *T = in->T;
    int64_t count = 0;
    for (int64_t at = T != NULL ? T->indptr[j] : 0; T != NULL && at < T->indptr[j + 1]; at++) {
        e[count] = (entry){pith_i_at(T, j, at), in->labels[T->indices[at]]};
        count += e[count].value != 0;
    }
    for (int64_t i = 0; T == NULL && i < in->n; i++) {
        e[count] = (entry){pith_i_cell(in->X, i, j), in->labels[i]};
        count += e[count].value != 0;
    }
    return count;
}

static void sort_column(const setting *s, const block *b, int64_t c)
{
    entry *e = b->entries + c * s->in->n;
    double *values = b->values + c * s->in->n;
    const int64_t count = load_entries(s->in, b->first + c, e);
    qsort(e, (size_t)count, sizeof *e, by_value);
    for (int64_t i = 0; i < count; i++)
        values[i] = e[i].value;
    b->sorted[c] = (pith_i_sorted){count, values, s->in->n - count};
}

/*
 * bin(x) = floor(bins #{i : x_i < x} / n) is at least b where the ceil(b n / bins)-th smallest value is below
 * x: these values cut the bins.
 */
static pith_status find_cuts(pith_ctx *ctx, const setting *s, const block *b)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    int64_t *k = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, k, s->bins - 1));
    for (int64_t t = 1; t < s->bins; t++)
        k[t - 1] = (t * s->in->all + s->bins - 1) / s->bins;
    TRY(pith_i_kth_of_all(ctx, b->cols, b->sorted, s->bins - 1, k, b->cuts));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* The samples held here, by bin and class. */
static void fill_table(const setting *s, const block *b, int64_t c)
{
    const int64_t classes = s->in->classes, last = s->bins - 1;
    const double *cut = b->cuts + c * last;
    const entry *e = b->entries + c * s->in->n;
    int64_t *table = b->tables + c * s->bins * classes, zero = 0;
    memset(table, 0, (size_t)(s->bins * classes) * sizeof *table);
    while (!s->presence && zero < last && 0 > cut[zero])
        zero++;
    for (int64_t k = 0; k < classes; k++)
        table[zero * classes + k] = s->held[k];
    for (int64_t i = 0, bin = 0; i < b->sorted[c].count; i++) {
        while (!s->presence && bin < last && e[i].value > cut[bin])
            bin++;
        table[zero * classes + e[i].class]--;
        table[(s->presence ? 1 : bin) * classes + e[i].class]++;
    }
}

/* The tables equal those of one process with all samples, and so do the scores. */
static pith_status score_spread(pith_ctx *ctx, const setting *s, double *score)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int threads = pith_ctx_threads(ctx);
    const int64_t p = s->in->p, cells = s->bins * s->in->classes;
    block b = {0};
    pith_status st = PITH_OK;
    TRY(open_block(ctx, s, &b));
    for (b.first = 0; b.first < p; b.first += b.room) {
        b.cols = pith_i_min(b.room, p - b.first);
        TRY(pith_i_progress(ctx, b.first, p));
#pragma omp parallel for num_threads(threads) schedule(dynamic)
        for (int64_t c = 0; c < b.cols; c++)
            sort_column(s, &b, c);
        if (!s->presence)
            TRY(find_cuts(ctx, s, &b));
#pragma omp parallel for num_threads(threads)
        for (int64_t c = 0; c < b.cols; c++)
            fill_table(s, &b, c);
        TRY(pith_i_sum_counts(ctx, b.cols * cells, b.tables));
        for (int64_t c = 0; c < b.cols; c++)
            score[b.first + c] = information(s, b.tables + c * cells);
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/*
 * Mean over the C classes of the mutual information, in nats, of the discretised feature and membership:
 *
 *     score(f) = 1/C sum_c I(bin(f) ; [label = c])
 *
 * O(stored + p C bins), and with bins the time to sort the stored values.
 */
static pith_status mutual_info_score(pith_ctx *ctx, const pith_i_input *in, const void *params, double *score)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const struct mutual_info *o = params;
    setting s = {.in = in};
    pith_status st = PITH_OK;
    if (in->classes < 2)
        FAIL(ctx, PITH_E_DATA,
             "mutual-info: the labels have only one class, so no feature can separate classes");
    s.presence =
        o->discretize == DISCRETIZE_PRESENCE || (o->discretize == DISCRETIZE_AUTO && in->cache->counts);
    s.bins = s.presence ? 2 : o->bins;
    TRY(open_setting(ctx, &s));
    if (pith_i_is_spread(in->X)) {
        TRY(score_spread(ctx, &s, score));
        goto done;
    }
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic)
    for (int64_t j = 0; j < in->p; j += STRIP)
        if (!pith_i_progress_stop(ctx, j, in->p))
            (in->X->sparse ? sparse_strip : dense_strip)(&s, j, in->p - j < STRIP ? in->p - j : STRIP, score);
    TRY(pith_i_stop_status(ctx));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

const pith_method pith_i_method_mutual_info = {
    .name = "mutual-info",
    .family = "supervised reference, one feature at a time",
    .reference = "the supervised reference of the papers; no paper of its own",
    .title = "Ranks features by their mutual information with the given labels: a supervised reference.",
    .notes = "Not unsupervised: it reads the labels and fails without them. Use it to see how far a method "
             "that knows the labels would get, not as a competitor. The data is used as it is. Scores are "
             "rounded to 12 decimals, so that features with equal counts tie.",
    .needs = NEEDS_LABELS,
    .better = HIGHER,
    .spreads = true,
    .dense_view = VIEW_NONE,
    .counts_view = VIEW_NONE,
    .table = mutual_info_table,
    .n_table = COUNT(mutual_info_table),
    .params_size = sizeof(struct mutual_info),
    .grid = mutual_info_grid,
    .score = mutual_info_score,
};
