/* A quadtree over the pixels of an image: every block is halved in both directions until it is small. */
#include "core/random.h"
#include "matrix/gather.h"
#include "tree/build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PAIRS = 500, LABEL = 64 };

typedef struct block {
    int32_t r0, r1, c0, c1, parent, level;
} block;

typedef struct grid {
    int64_t height, width, channels;
    bool by_columns;
    int32_t n_nodes;
    block *block;
} grid;

static int64_t pixels(const block *b)
{
    return (int64_t)(b->r1 - b->r0) * (b->c1 - b->c0);
}

static int64_t feature(const grid *g, int64_t channel, int64_t row, int64_t col)
{
    return channel * g->height * g->width + (g->by_columns ? row + g->height * col : row * g->width + col);
}

/* Breadth first; a side of length 1 is not split. */
static void split(grid *g, int64_t leaf, int64_t depth)
{
    for (int32_t at = 0; at < g->n_nodes; at++) {
        const block b = g->block[at];
        if (pixels(&b) <= leaf || b.level >= depth)
            continue;
        const int32_t rm = b.r0 + (b.r1 - b.r0 + 1) / 2, cm = b.c0 + (b.c1 - b.c0 + 1) / 2;
        for (int k = 0; k < 4; k++) {
            const block child = {.r0 = k / 2 == 0 ? b.r0 : rm,
                                 .r1 = k / 2 == 0 ? rm : b.r1,
                                 .c0 = k % 2 == 0 ? b.c0 : cm,
                                 .c1 = k % 2 == 0 ? cm : b.c1,
                                 .parent = at,
                                 .level = b.level + 1};
            if (pixels(&child) > 0 && pixels(&child) < pixels(&b))
                g->block[g->n_nodes++] = child;
        }
    }
}

/* The features of a block, ascending; their number. */
static int64_t features_of(const grid *g, const block *b, int32_t *out)
{
    int64_t count = 0;
    for (int64_t c = 0; c < g->channels; c++)
        if (g->by_columns) {
            for (int64_t x = b->c0; x < b->c1; x++)
                for (int64_t y = b->r0; y < b->r1; y++)
                    out[count++] = (int32_t)feature(g, c, y, x);
        } else {
            for (int64_t y = b->r0; y < b->r1; y++)
                for (int64_t x = b->c0; x < b->c1; x++)
                    out[count++] = (int32_t)feature(g, c, y, x);
        }
    return count;
}

static pith_status make(pith_ctx *ctx, const grid *g, pith_tree **out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    int32_t *parent = NULL, *feat = NULL;
    int64_t *node_ptr = NULL, *length = NULL, total = 0;
    char *text = NULL;
    const char **label = NULL;
    pith_status st = PITH_OK;
    for (int32_t b = 0; b < g->n_nodes; b++)
        total += pixels(&g->block[b]) * g->channels;
    TRY(SCRATCH(ctx, parent, g->n_nodes));
    TRY(SCRATCH(ctx, node_ptr, (int64_t)g->n_nodes + 1));
    TRY(SCRATCH(ctx, feat, total));
    TRY(SCRATCH(ctx, label, g->n_nodes));
    TRY(SCRATCH(ctx, length, g->n_nodes));
    TRY(SCRATCH(ctx, text, (int64_t)g->n_nodes * LABEL));
    node_ptr[0] = 0;
    for (int32_t b = 0; b < g->n_nodes; b++) {
        const block *x = &g->block[b];
        parent[b] = x->parent;
        node_ptr[b + 1] = node_ptr[b] + features_of(g, x, feat + node_ptr[b]);
        label[b] = text + (int64_t)b * LABEL;
        length[b] = snprintf(text + (int64_t)b * LABEL, LABEL, "rows %d-%d cols %d-%d", x->r0, x->r1 - 1,
                             x->c0, x->c1 - 1);
    }
    const pith_i_sketch s = {.n_features = (int32_t)(g->height * g->width * g->channels),
                             .n_nodes = g->n_nodes,
                             .parent = parent,
                             .node_ptr = node_ptr,
                             .feat = feat,
                             .label = label,
                             .label_length = length};
    TRY(pith_i_tree_make(ctx, &s, 2, out));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- Does the grid fit the data? ---------------------------------------------------------------------- */

/* The correlation of columns a and b; NaN if one is constant. x, y: work space. */
static pith_status correlation(pith_ctx *ctx, const pith_i_data *X, int64_t a, int64_t b, double *x,
                               double *y, double *out)
{
    const double n = (double)pith_i_all(X);
    double mean[2] = {0}, sum[3] = {0}; /* of x and y; of xx, yy and xy */
    pith_status st = PITH_OK;
    pith_i_block(X, 0, X->n, a, 1, x, 1);
    pith_i_block(X, 0, X->n, b, 1, y, 1);
    for (int64_t i = 0; i < X->n; i++) {
        mean[0] += x[i] / n;
        mean[1] += y[i] / n;
    }
    TRY(pith_i_sum_over(ctx, X, COUNT(mean), mean));
    for (int64_t i = 0; i < X->n; i++) {
        sum[0] += (x[i] - mean[0]) * (x[i] - mean[0]);
        sum[1] += (y[i] - mean[1]) * (y[i] - mean[1]);
        sum[2] += (x[i] - mean[0]) * (y[i] - mean[1]);
    }
    TRY(pith_i_sum_over(ctx, X, COUNT(sum), sum));
    *out = sum[0] > 0 && sum[1] > 0 ? sum[2] / sqrt(sum[0] * sum[1]) : (double)NAN;
done:
    return st;
}

/* If the shape is right, horizontally adjacent pixels correlate more than random pairs. Remarks on the tree
 * say so. */
static pith_status judge(pith_ctx *ctx, const grid *g, const pith_i_data *X, pith_tree *t)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t all = g->channels * g->height * (g->width - 1);
    double *x = NULL, *y = NULL, sum[2] = {0};
    int64_t count[2] = {0};
    pith_i_stream s = pith_i_stream_at(pith_ctx_seed(ctx), PITH_I_RANDOM_PIXELS, 0);
    pith_status st = PITH_OK;
    if (pith_i_all(X) < 2 || all < 1)
        return PITH_OK;
    TRY(SCRATCH(ctx, x, X->n));
    TRY(SCRATCH(ctx, y, X->n));
    for (int64_t k = 0; k < PAIRS; k++) {
        const int64_t at = all <= PAIRS ? k : (int64_t)((double)k * (double)all / PAIRS);
        const int64_t col = at % (g->width - 1), row = at / (g->width - 1) % g->height,
                      channel = at / (g->width - 1) / g->height;
        double r[2] = {(double)NAN, (double)NAN};
        TRY(pith_i_progress(ctx, k, PAIRS));
        if (at < all)
            TRY(correlation(ctx, X, feature(g, channel, row, col), feature(g, channel, row, col + 1), x, y,
                            &r[0]));
        const int64_t a = pith_i_random_below(&s, X->p), b = pith_i_random_below(&s, X->p);
        if (a != b)
            TRY(correlation(ctx, X, a, b, x, y, &r[1]));
        for (int i = 0; i < 2; i++)
            if (!isnan(r[i])) {
                sum[i] += r[i];
                count[i]++;
            }
    }
    if (count[0] > 0 && count[1] > 0) {
        const double near = sum[0] / (double)count[0], far = sum[1] / (double)count[1];
        pith_i_tree_remark(
            t, "horizontally adjacent pixels have a mean correlation of %.2f, random pairs %.2f", near, far);
        if (near < far + 0.1)
            pith_i_tree_remark(t, "warning: adjacent pixels are hardly more similar than random pairs: the "
                                  "size or order may be wrong");
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- The builder -------------------------------------------------------------------------------------- */

static pith_status measure(pith_ctx *ctx, const pith_i_table *table, const pith_i_recipe *r, grid *g)
{
    const int64_t p = table->X->p;
    g->channels = r->channels;
    g->height = r->height;
    g->width = r->width;
    g->by_columns = r->order == PITH_I_ORDER_AUTO ? table->by_columns : r->order == PITH_I_BY_COLUMN;
    if (r->height == 0) {
        g->height = g->width = (int64_t)llround(sqrt((double)(p / r->channels)));
        if (g->height * g->width * g->channels != p)
            return pith_i_error(ctx, PITH_E_PARAMETER,
                                "tree: %lld features do not form a square image with %lld channels: give its "
                                "size, HEIGHTxWIDTH",
                                (long long)p, (long long)r->channels);
    }
    if (g->height > p || g->width > p || g->channels > p || g->height * g->width > p ||
        g->height * g->width * g->channels != p)
        return pith_i_error(
            ctx, PITH_E_DATA,
            "an image of %lld x %lld pixels in %lld channels does not match the %lld features of the data",
            (long long)g->height, (long long)g->width, (long long)g->channels, (long long)p);
    return PITH_OK;
}

pith_status pith_i_tree_grid(pith_ctx *ctx, const pith_i_table *table, const pith_i_recipe *recipe,
                             pith_tree **out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    grid g = {0};
    pith_tree *t = NULL;
    pith_status st = PITH_OK;
    TRY(measure(ctx, table, recipe, &g));
    TRY(SCRATCH(ctx, g.block, 2 * g.height * g.width)); /* enough: every split has at least two children */
    g.block[0] =
        (block){.r0 = 0, .r1 = (int32_t)g.height, .c0 = 0, .c1 = (int32_t)g.width, .parent = -1, .level = 1};
    g.n_nodes = 1;
    split(&g, recipe->leaf, recipe->depth);
    TRY(make(ctx, &g, &t));
    if (recipe->height == 0)
        pith_i_tree_remark(t, "the image is taken to have %lld x %lld pixels", (long long)g.height,
                           (long long)g.width);
    TRY(judge(ctx, &g, table->X, t));
    *out = t;
    t = NULL;
done:
    pith_tree_free(t);
    pith_i_scratch_release(ctx, mark);
    return st;
}
