#include "graph/spectrum.h"

#include "core/engine.h"

#include "graph/graph_inside.h"
#include "linalg/filtered.h"

#include <math.h>
#include <string.h>

void pith_i_spectrum_free(pith_i_spectrum *s)
{
    pith_i_free(s->value);
    pith_i_free(s->vector);
    *s = (pith_i_spectrum){0};
}

/*
 * With w_c the sum of the degrees of component c, W = w_t + w_(t+1) + ... and T = W - w_t, Gram-Schmidt
 * gives
 *
 *     v_(t+1) = sqrt(d / w_t) sqrt(T / W)    on component t,
 *               -sqrt(d) sqrt(w_t / (W T))   on later ones,     0 on earlier ones.
 *
 * Written so, nothing cancels, however unequal the components are. v_0 is the second line alone.
 */
static pith_status null_vectors(pith_ctx *ctx, const pith_i_graph *g, int64_t count, double *vector)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_status st = PITH_OK;
    double *w = NULL, *tail = NULL; /* tail[c] = w_c + w_(c+1) + ... */
    TRY(SCRATCH_ZERO(ctx, w, g->components));
    TRY(SCRATCH_ZERO(ctx, tail, g->components + 1));
    for (int64_t i = 0; i < g->n; i++)
        if (g->component[i] >= 0)
            w[g->component[i]] += g->degree[i];
    TRY(pith_i_sum(ctx, g->components, w));
    for (int64_t c = g->components - 1; c >= 0; c--)
        tail[c] = w[c] + tail[c + 1];
    for (int64_t i = 0; i < g->n; i++)
        vector[i] = sqrt(g->degree[i] / tail[0]);
    for (int64_t t = 0; t + 1 < count; t++) {
        const double W = tail[t], T = tail[t + 1], on = sqrt(T / W / w[t]), later = -sqrt(w[t] / W / T);
        double *v = vector + (t + 1) * g->n;
        for (int64_t i = 0; i < g->n; i++)
            v[i] = g->component[i] < t ? 0 : sqrt(g->degree[i]) * (g->component[i] == t ? on : later);
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Rows with equally many neighbours stand together, so that the branch at the end of a row is predicted,
 * which saves a third of a product's time. Stable. */
static pith_status arrange_rows(pith_ctx *ctx, const pith_i_graph *g, int32_t *order)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_status st = PITH_OK;
    int64_t *place = NULL;
    TRY(SCRATCH_ZERO(ctx, place, g->n + 1)); /* a row has fewer than n neighbours */
    for (int64_t i = 0; i < g->n; i++)
        place[g->row[i + 1] - g->row[i] + 1]++;
    for (int64_t length = 0; length < g->n; length++)
        place[length + 1] += place[length];
    for (int64_t i = 0; i < g->n; i++)
        order[place[g->row[i + 1] - g->row[i]]++] = (int32_t)i;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_arrange(pith_ctx *ctx, const pith_i_graph *g, pith_i_arranged *out)
{
    pith_status st = PITH_OK;
    double *root = NULL;
    int32_t *number = NULL; /* of row i in the new order */
    out->A = (pith_i_graph){.n = g->n};
    TRY(SCRATCH(ctx, out->order, g->n));
    TRY(SCRATCH(ctx, out->A.row, g->n + 1));
    TRY(SCRATCH(ctx, out->A.col, g->row[g->n]));
    TRY(SCRATCH(ctx, out->A.weight, g->row[g->n]));
    TRY(SCRATCH(ctx, out->weight, g->row[g->n]));
    TRY(SCRATCH(ctx, root, g->n));
    TRY(SCRATCH(ctx, number, g->n));
    TRY(arrange_rows(ctx, g, out->order));
    for (int64_t t = 0; t < g->n; t++) {
        number[out->order[t]] = (int32_t)t;
        root[t] = sqrt(g->degree[t]);
    }
    int64_t at = 0;
    for (int64_t t = 0; t < g->n; t++) {
        const int64_t i = out->order[t];
        out->A.row[t] = at;
        for (int64_t e = g->row[i]; e < g->row[i + 1]; e++, at++) {
            out->A.col[at] = number[g->col[e]];
            out->A.weight[at] = g->weight[e] / (root[i] * root[g->col[e]]);
            out->weight[at] = (float)out->A.weight[at];
        }
    }
    out->A.row[g->n] = at;
done:
    return st;
}

static double tolerance_of(bool rough)
{
    return rough ? 1e-4 : 1e-8;
}

/* The m largest eigenpairs of A in the complement of the null vectors. */
static pith_status other_vectors(pith_ctx *ctx, const pith_i_graph *g, int64_t nulls,
                                 const double *null_vector, int64_t m, bool rough, double *value,
                                 double *vector)
{
    pith_status st = PITH_OK;
    pith_i_arranged a = {0};
    double *known = NULL, *moved = NULL;
    TRY(pith_i_arrange(ctx, g, &a));
    TRY(SCRATCH(ctx, known, nulls * g->n));
    TRY(SCRATCH(ctx, moved, g->n));
    for (int64_t v = 0; v < nulls; v++)
        for (int64_t t = 0; t < g->n; t++)
            known[v * g->n + t] = null_vector[v * g->n + a.order[t]];
    const pith_i_operator A = pith_i_adjacency(&a.A);
    const pith_i_float_graph floats = {g->n, a.A.row, a.A.col, a.weight};
    const pith_i_panel_operator P = pith_i_adjacency_panels(&floats);
    const pith_i_eigen_options want = {.m = m,
                                       .n_known = nulls,
                                       .known = known,
                                       .tolerance = tolerance_of(rough),
                                       .panels = rough ? &P : NULL};
    TRY(pith_i_eigen_largest(ctx, &A, &want, value, vector));
    for (int64_t v = 0; v < m; v++) {
        double *x = vector + v * g->n;
        for (int64_t t = 0; t < g->n; t++)
            moved[a.order[t]] = x[t];
        memcpy(x, moved, (size_t)g->n * sizeof *x);
        pith_i_fix_sign(g->n, x); /* again: which entry comes first has changed */
    }
done:
    return st;
}

/* Where an eigenvalue of A is not 0, its eigenvector is 0 at isolated rows, up to rounding, which a
 * clustering of rows scaled to unit length would take for a direction. */
static void clear_isolated(const pith_i_graph *g, int64_t m, const double *value, double *vector)
{
    for (int64_t v = 0; v < m; v++)
        for (int64_t i = 0; fabs(value[v]) > 1e-6 && i < g->n; i++)
            if (g->component[i] < 0)
                vector[v * g->n + i] = 0;
}

/* ---- Rows spread over processes ------------------------------------------------------------------------ */

/* How many rows of one length a process has. */
typedef struct length {
    int64_t length, rows;
} length;

/* How many rows of every length each process has: one list after the other, that of process r from byte at[r]
 * on; in scratch. */
static pith_status tell_lengths(pith_ctx *ctx, const pith_i_graph *g, int64_t **at, length **all)
{
    const int processes = pith_i_processes(ctx);
    int64_t *send_at = NULL, *rows = NULL, most = 0, count = 0;
    length *own = NULL;
    void *came = NULL;
    pith_status st = PITH_OK;
    for (int64_t i = 0; i < g->n; i++)
        most = pith_i_max(most, g->row[i + 1] - g->row[i]);
    TRY(SCRATCH_ZERO(ctx, rows, most + 1));
    for (int64_t i = 0; i < g->n; i++)
        rows[g->row[i + 1] - g->row[i]]++;
    TRY(SCRATCH(ctx, own, (most + 1) * processes));
    TRY(SCRATCH(ctx, send_at, processes + 1));
    for (int r = 0; r < processes; r++) { /* the same to all of them */
        send_at[r] = count * (int64_t)sizeof *own;
        for (int64_t l = 0; l <= most; l++)
            if (rows[l] > 0)
                own[count++] = (length){l, rows[l]};
    }
    send_at[processes] = count * (int64_t)sizeof *own;
    TRY(pith_i_exchange(ctx, send_at, own, at, &came));
    *all = came;
done:
    return st;
}

/* The place of every row held here in the order of arrange_rows over the whole graph. */
static pith_status number_rows(pith_ctx *ctx, const pith_i_graph *g, int64_t *number)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int processes = pith_i_processes(ctx), own = pith_i_process(ctx);
    int64_t *at = NULL, *next = NULL, most = 0;
    length *all = NULL;
    pith_status st = PITH_OK;
    TRY(tell_lengths(ctx, g, &at, &all));
    const int64_t size = (int64_t)sizeof *all;
    for (int64_t e = 0; e < at[processes] / size; e++)
        most = pith_i_max(most, all[e].length);
    TRY(SCRATCH_ZERO(ctx, next,
                     most + 2)); /* by length: shorter rows of all, plus equally long ones before */
    for (int64_t e = 0; e < at[processes] / size; e++)
        next[all[e].length + 1] += all[e].rows;
    for (int64_t l = 0; l <= most; l++)
        next[l + 1] += next[l];
    for (int64_t e = 0; e < at[own] / size; e++)
        next[all[e].length] += all[e].rows;
    for (int64_t i = 0; i < g->n; i++)
        number[i] = next[g->row[i + 1] - g->row[i]]++;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* As other_vectors() with panels of floats; found false: the filter cannot find them, Lanczos must. */
static pith_status filter_spread(pith_ctx *ctx, const pith_i_graph *g, int64_t nulls,
                                 const double *null_vector, int64_t m, bool *found, double *value,
                                 double *vector)
{
    const pith_i_operator A = pith_i_affinity(g);
    int64_t *number = NULL;
    double *root = NULL;
    float *weight = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, number, g->n));
    TRY(SCRATCH(ctx, root, g->n + g->halo.count));
    TRY(SCRATCH(ctx, weight, g->row[g->n]));
    TRY(number_rows(ctx, g, number));
    for (int64_t i = 0; i < g->n; i++)
        root[i] = sqrt(g->degree[i]);
    TRY(pith_i_halo_numbers(ctx, &g->halo, 1, root, root + g->n));
    for (int64_t i = 0; i < g->n; i++)
        for (int64_t e = g->row[i]; e < g->row[i + 1]; e++)
            weight[e] = (float)(g->weight[e] / (root[i] * root[g->col[e]]));
    const pith_i_float_spread floats = {{g->n, g->row, g->col, weight}, &g->halo};
    const pith_i_panel_operator P = pith_i_spread_panels(&floats, g->all, number);
    TRY(pith_i_eigen_filtered(ctx, &P, m, nulls, null_vector, tolerance_of(true), found, value, vector));
    for (int64_t v = 0; *found && v < m; v++)
        TRY(pith_i_fix_sign_of_all(ctx, &A, vector + v * g->n));
done:
    return st;
}

static pith_status spread_vectors(pith_ctx *ctx, const pith_i_graph *g, int64_t nulls,
                                  const double *null_vector, int64_t m, bool rough, double *value,
                                  double *vector)
{
    const pith_i_operator A = pith_i_affinity(g);
    const pith_i_eigen_options want = {
        .m = m, .n_known = nulls, .known = null_vector, .tolerance = tolerance_of(false)};
    bool found = false;
    pith_status st = PITH_OK;
    if (rough && !pith_i_eigen_is_dense(g->all, m))
        TRY(filter_spread(ctx, g, nulls, null_vector, m, &found, value, vector));
    if (!found) {
        TRY(pith_i_eigen_largest(ctx, &A, &want, value, vector));
        clear_isolated(g, m, value, vector);
    }
done:
    return st;
}

static pith_status find(pith_ctx *ctx, const pith_i_graph *g, int64_t m, bool rough, pith_i_spectrum *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t nulls = m < g->components ? m : g->components,
                  all = pith_i_graph_is_spread(g) ? g->all : g->n;
    pith_i_spectrum s = {.n = g->n, .m = m};
    pith_status st = PITH_OK;
    if (m < 1 || m > all)
        FAIL(ctx, PITH_E_ARGUMENT, "%lld eigenvectors of a graph of %lld rows: 1..%lld can be computed",
             (long long)m, (long long)all, (long long)all);
    if (g->components == 0)
        FAIL(ctx, PITH_E_DATA,
             "the nearest-neighbour graph of the %lld rows has no edges, so it has no spectrum",
             (long long)all);
    TRY(NEW_ZERO(ctx, s.value, m));
    TRY(NEW(ctx, s.vector, m * g->n));
    TRY(null_vectors(ctx, g, nulls, s.vector));
    if (m > nulls)
        TRY((pith_i_graph_is_spread(g) ? spread_vectors : other_vectors)(
            ctx, g, nulls, s.vector, m - nulls, rough, s.value + nulls, s.vector + nulls * g->n));
    /* Ln has no negative eigenvalue; rounding makes one where a link between two parts is too weak for it. */
    for (int64_t v = nulls; v < m; v++)
        s.value[v] = fmax(0, 1 - s.value[v]);
    *out = s;
    s = (pith_i_spectrum){0};
done:
    pith_i_spectrum_free(&s);
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_spectrum_find(pith_ctx *ctx, const pith_i_graph *g, int64_t m, pith_i_spectrum *out)
{
    return find(ctx, g, m, false, out);
}

pith_status pith_i_spectrum_rough(pith_ctx *ctx, const pith_i_graph *g, int64_t m, pith_i_spectrum *out)
{
    return find(ctx, g, m, true, out);
}
