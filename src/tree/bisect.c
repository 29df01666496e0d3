#include "tree/bisect.h"

#include "core/engine.h"
#include "core/parallel.h"
#include "core/random.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 20 };

/* A set of columns: order[lo .. hi). path: its number in the binary tree of all splits. */
typedef struct node {
    int64_t lo, hi;
    uint64_t path;
} node;

typedef struct work {
    pith_ctx *ctx;
    const pith_i_columns *c;
    int64_t leaf;
    bool absolute;
    int32_t *order;        /* m */
    int32_t *room;         /* m: work space of divide */
    bool *right;           /* m, parallel to order: in the right half */
    double *like, *unlike; /* m, parallel to order: products with the right centre and with the left one */
    double *centre;        /* 3 n per thread: two centres, and work space for a new one */
} work;

/* Adds up sums over all processes if rows are spread over them; nodes are then treated one by one. */
static pith_status sum_all(const work *w, int64_t count, double *sums)
{
    return w->c->spread ? pith_i_sum(w->ctx, count, sums) : PITH_OK;
}

/* product[e] = the product of column order[e] with a, for the columns of a node. */
static pith_status multiply(const work *w, const node *p, const double *a, double *product)
{
    double sum = 0;
    for (int64_t i = 0; i < w->c->n; i++)
        sum += a[i];
    for (int64_t e = p->lo; e < p->hi; e++)
        product[e] = pith_i_columns_dot(w->c, w->order[e], a, sum);
    return sum_all(w, p->hi - p->lo, product + p->lo);
}

static double alike(const work *w, double product)
{
    return w->absolute ? fabs(product) : product;
}

/* Replaces the centre a by the normalised mean of the node's columns on one side; with absolute, a column
 * with a negative product with the old centre counts with its sign changed. */
static pith_status set_centre(const work *w, const node *p, bool right, double *fresh, double *a)
{
    const int64_t n = w->c->n;
    double shift = 0, square = 0;
    pith_status st = PITH_OK;
    if (w->absolute)
        TRY(multiply(w, p, a, w->like));
    memset(fresh, 0, (size_t)n * sizeof *fresh);
    for (int64_t e = p->lo; e < p->hi; e++)
        if (w->right[e] == right)
            pith_i_columns_add(w->c, w->order[e], w->absolute && w->like[e] < 0 ? -1 : 1, fresh, &shift);
    for (int64_t i = 0; i < n; i++) {
        fresh[i] -= shift;
        square += fresh[i] * fresh[i];
    }
    TRY(sum_all(w, 1, &square));
    for (int64_t i = 0; i < n; i++)
        a[i] = square > 0 ? fresh[i] / sqrt(square) : fresh[i];
done:
    return st;
}

static void column(const work *w, int64_t k, double *a)
{
    double shift = 0;
    memset(a, 0, (size_t)w->c->n * sizeof *a);
    pith_i_columns_add(w->c, k, 1, a, &shift);
    for (int64_t i = 0; i < w->c->n; i++)
        a[i] -= shift;
}

/* to = the member least similar to a; ties to the smaller column. */
static pith_status farthest(const work *w, const node *p, const double *a, double *to)
{
    double least = INFINITY;
    int64_t best = p->lo;
    pith_status st = PITH_OK;
    TRY(multiply(w, p, a, w->like));
    for (int64_t e = p->lo; e < p->hi; e++)
        if (alike(w, w->like[e]) < least) {
            least = alike(w, w->like[e]);
            best = e;
        }
    column(w, w->order[best], to);
done:
    return st;
}

/* Assigns each member to the more similar centre, ties to a. *count: members on the right; *moved: did any
 * change? */
static pith_status assign(const work *w, const node *p, const double *a, const double *b, int64_t *count,
                          bool *moved)
{
    pith_status st = PITH_OK;
    TRY(multiply(w, p, a, w->unlike));
    TRY(multiply(w, p, b, w->like));
    *count = 0;
    *moved = false;
    for (int64_t e = p->lo; e < p->hi; e++) {
        const bool right = alike(w, w->like[e]) > alike(w, w->unlike[e]);
        *moved = *moved || right != w->right[e];
        w->right[e] = right;
        *count += right;
    }
done:
    return st;
}

/* Moves the members of the left half before those of the right, stably. Returns the start of the right. */
static int64_t divide(const work *w, const node *p)
{
    int64_t left = 0, right = 0;
    for (int64_t e = p->lo; e < p->hi; e++)
        left += !w->right[e];
    const int64_t middle = p->lo + left;
    left = 0;
    for (int64_t e = p->lo; e < p->hi; e++)
        w->room[w->right[e] ? middle + right++ : p->lo + left++] = w->order[e];
    memcpy(w->order + p->lo, w->room + p->lo, (size_t)(p->hi - p->lo) * sizeof *w->order);
    return middle;
}

static pith_status halve(const work *w, const node *p, int64_t *middle)
{
    pith_i_stream s = pith_i_stream_at(pith_ctx_seed(w->ctx), PITH_I_RANDOM_BISECT, p->path);
    const int64_t n = w->c->n, count = p->hi - p->lo;
    double *a = w->centre + 3 * (int64_t)pith_i_thread() * n, *b = a + n, *fresh = b + n;
    int64_t right = 0;
    bool moved = true;
    pith_status st = PITH_OK;
    column(w, w->order[p->lo + pith_i_random_below(&s, count)], b);
    TRY(farthest(w, p, b, a));
    TRY(farthest(w, p, a, b));
    memset(w->right + p->lo, 0, (size_t)count * sizeof *w->right);
    TRY(assign(w, p, a, b, &right, &moved));
    for (int round = 1; round < ROUNDS && moved && right > 0 && right < count; round++) {
        TRY(set_centre(w, p, false, fresh, a));
        TRY(set_centre(w, p, true, fresh, b));
        TRY(assign(w, p, a, b, &right, &moved));
    }
    if (right == 0 || right == count)
        for (int64_t e = p->lo; e < p->hi; e++)
            w->right[e] = e - p->lo >= count / 2;
    *middle = divide(w, p);
done:
    return st;
}

/* Two successive splits, which make one level of the tree: up to four nodes. *count: their number. */
static pith_status quarter(const work *w, const node *p, node out[4], int *count)
{
    int64_t middle = 0, cut = 0;
    int found = 0;
    pith_status st = PITH_OK;
    TRY(halve(w, p, &middle));
    const node halves[2] = {{p->lo, middle, 2 * p->path + 1}, {middle, p->hi, 2 * p->path + 2}};
    for (int h = 0; h < 2; h++) {
        if (halves[h].hi - halves[h].lo <= w->leaf) {
            out[found++] = halves[h];
            continue;
        }
        TRY(halve(w, &halves[h], &cut));
        out[found++] = (node){halves[h].lo, cut, 2 * halves[h].path + 1};
        out[found++] = (node){cut, halves[h].hi, 2 * halves[h].path + 2};
    }
    *count = found;
done:
    return st;
}

/* Splits all nodes of one level into `next`, and labels the columns by the new nodes. */
static pith_status go_down(work *w, int64_t count, const node *nodes, node *next, int *pieces, int32_t *label,
                           int32_t *clusters)
{
    const int threads = pith_ctx_threads(w->ctx);
    const bool alone = count == 1 || w->c->spread; /* the same order of nodes in all processes */
    pith_status st = PITH_OK;
    for (int64_t k = 0; k < w->c->m; k++)
        label[k] = -1;
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (!alone)
    for (int64_t i = 0; i < count; i++) {
        pieces[i] = 0;
        if (st == PITH_OK && nodes[i].hi - nodes[i].lo > w->leaf && !pith_i_progress_stop(w->ctx, i, count)) {
            const pith_status failed = quarter(w, &nodes[i], next + 4 * i, &pieces[i]);
            if (failed != PITH_OK) /* happens only if rows are spread, and then without threads */
                st = failed;
        }
    }
    TRY(st);
    TRY(pith_i_stop_status(w->ctx));
    *clusters = 0;
    for (int64_t i = 0; i < count; i++)
        for (int k = 0; k < pieces[i]; k++) {
            const node p = next[4 * i + k];
            for (int64_t e = p.lo; e < p.hi; e++)
                label[w->order[e]] = *clusters;
            next[(*clusters)++] = p; /* never overwrites what is still to be read */
        }
done:
    return st;
}

pith_status pith_i_bisect(pith_ctx *ctx, const pith_i_columns *columns, int64_t leaf, bool absolute,
                          int32_t *label, int32_t clusters[PITH_I_BISECT_LEVELS])
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t m = columns->m, threads = pith_ctx_threads(ctx);
    work w = {.ctx = ctx, .c = columns, .leaf = leaf, .absolute = absolute};
    node *nodes = NULL, *next = NULL;
    int *pieces = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, w.order, m));
    TRY(SCRATCH(ctx, w.room, m));
    TRY(SCRATCH(ctx, w.right, m));
    TRY(SCRATCH(ctx, w.like, m));
    TRY(SCRATCH(ctx, w.unlike, m));
    TRY(SCRATCH(ctx, w.centre, 3 * threads * columns->n));
    TRY(SCRATCH(ctx, nodes, m + 1));
    TRY(SCRATCH(ctx, next, 4 * m + 4));
    TRY(SCRATCH(ctx, pieces, m + 1));
    for (int64_t k = 0; k < m; k++)
        w.order[k] = (int32_t)k;
    nodes[0] = (node){0, m, 0};
    int64_t count = m > 0 ? 1 : 0;
    for (int l = 0; l < PITH_I_BISECT_LEVELS; l++) {
        TRY(go_down(&w, count, nodes, next, pieces, label + l * m, &clusters[l]));
        count = clusters[l];
        memcpy(nodes, next, (size_t)count * sizeof *nodes);
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
