#include "tree/bisect.h"

#include "core/parallel.h"
#include "core/random.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 20 };

/* A set of columns: order[lo .. hi), at place `path` of the binary tree. */
typedef struct node {
    int64_t lo, hi;
    uint64_t path;
} node;

typedef struct work {
    pith_ctx *ctx;
    const pith_i_columns *c;
    int64_t leaf;
    bool absolute;
    int32_t *order; /* m */
    int32_t *room;  /* m: while a node is put in order */
    bool *right;    /* m, beside order */
    double *centre; /* 2 n a thread */
} work;

static double alike(const work *w, int64_t k, const double *a, double sum)
{
    const double r = pith_i_columns_dot(w->c, k, a, sum);
    return w->absolute ? fabs(r) : r;
}

static double total(int64_t n, const double *a)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += a[i];
    return sum;
}

/* The mean direction of the node's columns on one side; with absolute, each turned to the old centre. */
static void set_centre(const work *w, const node *p, bool right, const double *old, double old_sum, double *a)
{
    const int64_t n = w->c->n;
    double shift = 0, square = 0;
    memset(a, 0, (size_t)n * sizeof *a);
    for (int64_t e = p->lo; e < p->hi; e++) {
        if (w->right[e] != right)
            continue;
        const bool flip =
            w->absolute && old != NULL && pith_i_columns_dot(w->c, w->order[e], old, old_sum) < 0;
        pith_i_columns_add(w->c, w->order[e], flip ? -1 : 1, a, &shift);
    }
    for (int64_t i = 0; i < n; i++) {
        a[i] -= shift;
        square += a[i] * a[i];
    }
    for (int64_t i = 0; i < n && square > 0; i++)
        a[i] /= sqrt(square);
}

static void column(const work *w, int64_t k, double *a)
{
    double shift = 0;
    memset(a, 0, (size_t)w->c->n * sizeof *a);
    pith_i_columns_add(w->c, k, 1, a, &shift);
    for (int64_t i = 0; i < w->c->n; i++)
        a[i] -= shift;
}

/* The member least alike to a; ties to the smaller column. */
static int64_t farthest(const work *w, const node *p, const double *a)
{
    const double sum = total(w->c->n, a);
    double least = INFINITY;
    int64_t best = p->lo;
    for (int64_t e = p->lo; e < p->hi; e++) {
        const double r = alike(w, w->order[e], a, sum);
        if (r < least) {
            least = r;
            best = e;
        }
    }
    return w->order[best];
}

/* Each member to the centre that it is more alike to; how many go right, and whether any moved. */
static int64_t assign(const work *w, const node *p, const double *a, const double *b, bool *moved)
{
    const double sum_a = total(w->c->n, a), sum_b = total(w->c->n, b);
    int64_t count = 0;
    *moved = false;
    for (int64_t e = p->lo; e < p->hi; e++) {
        const bool right = alike(w, w->order[e], b, sum_b) > alike(w, w->order[e], a, sum_a);
        *moved = *moved || right != w->right[e];
        w->right[e] = right;
        count += right;
    }
    return count;
}

/* Those of the left first, each side in its order; where the left ends. */
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

static int64_t halve(const work *w, const node *p)
{
    pith_i_stream s = pith_i_stream_at(pith_ctx_seed(w->ctx), PITH_I_RANDOM_BISECT, p->path);
    double *a = w->centre + 2 * (int64_t)pith_i_thread() * w->c->n, *b = a + w->c->n;
    const int64_t count = p->hi - p->lo;
    bool moved = true;
    column(w, w->order[p->lo + pith_i_random_below(&s, count)], b);
    column(w, farthest(w, p, b), a);
    column(w, farthest(w, p, a), b);
    memset(w->right + p->lo, 0, (size_t)count * sizeof *w->right);
    int64_t right = assign(w, p, a, b, &moved);
    for (int round = 1; round < ROUNDS && moved && right > 0 && right < count; round++) {
        /* The old centre is read while the new one is made, so each goes through the other's place. */
        double sum = total(w->c->n, a);
        double *fresh =
            w->centre + 2 * (int64_t)pith_ctx_threads(w->ctx) * w->c->n + (int64_t)pith_i_thread() * w->c->n;
        set_centre(w, p, false, a, sum, fresh);
        memcpy(a, fresh, (size_t)w->c->n * sizeof *a);
        sum = total(w->c->n, b);
        set_centre(w, p, true, b, sum, fresh);
        memcpy(b, fresh, (size_t)w->c->n * sizeof *b);
        right = assign(w, p, a, b, &moved);
    }
    if (right == 0 || right == count)
        for (int64_t e = p->lo; e < p->hi; e++)
            w->right[e] = e - p->lo >= count / 2;
    return divide(w, p);
}

/* Two splits, one level: up to four nodes; their number. */
static int quarter(const work *w, const node *p, node out[4])
{
    int count = 0;
    const int64_t middle = halve(w, p);
    const node halves[2] = {{p->lo, middle, 2 * p->path + 1}, {middle, p->hi, 2 * p->path + 2}};
    for (int h = 0; h < 2; h++) {
        if (halves[h].hi - halves[h].lo <= w->leaf) {
            out[count++] = halves[h];
            continue;
        }
        const int64_t cut = halve(w, &halves[h]);
        out[count++] = (node){halves[h].lo, cut, 2 * halves[h].path + 1};
        out[count++] = (node){cut, halves[h].hi, 2 * halves[h].path + 2};
    }
    return count;
}

/* All nodes of one level: those of the next one, and the columns' labels in it. */
static pith_status go_down(work *w, int64_t count, const node *nodes, node *next, int *pieces, int32_t *label,
                           int32_t *clusters)
{
    const int threads = pith_ctx_threads(w->ctx);
    pith_status st = PITH_OK;
    for (int64_t k = 0; k < w->c->m; k++)
        label[k] = -1;
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (count > 1)
    for (int64_t i = 0; i < count; i++) {
        pieces[i] = 0;
        if (nodes[i].hi - nodes[i].lo > w->leaf && !pith_i_progress_stop(w->ctx, i, count))
            pieces[i] = quarter(w, &nodes[i], next + 4 * i);
    }
    TRY(pith_i_stop_status(w->ctx));
    *clusters = 0;
    for (int64_t i = 0; i < count; i++)
        for (int k = 0; k < pieces[i]; k++) {
            const node p = next[4 * i + k];
            for (int64_t e = p.lo; e < p.hi; e++)
                label[w->order[e]] = *clusters;
            next[(*clusters)++] = p; /* never behind what is still to be read */
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
