/* The Fermi density by moments of the graph: no eigenvectors. */
#include "graph/sampling.h"

#include "core/parallel.h"
#include "graph/graph_inside.h"
#include "matrix/simd.h"

#include <math.h>
#include <string.h>

enum { LEAST = 64, MOST = 1024 }; /* products with A for a row's moments */
enum { NODES = 8192 };            /* where f is looked at for its coefficients */
static const double PI = 3.14159265358979323846;
static const double REST = 1e-6; /* of the series, that is left out */

typedef struct moments {
    int64_t n, count;   /* moments 0 .. count-1 of n rows */
    double *of_row;     /* n x count */
    double *mean;       /* count */
    double *coefficient; /* NODES */
} moments;

/* ---- Moments ------------------------------------------------------------------------------------------- */

/* sum_v = sum_i x_iv y_iv, of panels: in floats over a few rows at a time, which need not wait for each
 * other, and those sums in double. */
PITH_I_CLONES static void dots(int64_t n, const float *x, const float *y, double *sum)
{
    enum { ROWS = 32, LANES = 4 };
    memset(sum, 0, PITH_I_PANEL * sizeof *sum);
    for (int64_t from = 0; from < n; from += ROWS) {
        const int64_t to = n - from < ROWS ? n : from + ROWS, whole = to - (to - from) % LANES;
        pith_i_float8 part[LANES] = {{0}};
        for (int64_t i = from; i < whole; i += LANES)
            for (int64_t l = 0; l < LANES; l++)
                part[l] += *(const pith_i_float8 *)(x + (i + l) * PITH_I_PANEL) *
                           *(const pith_i_float8 *)(y + (i + l) * PITH_I_PANEL);
        for (int64_t i = whole; i < to; i++)
            part[0] += *(const pith_i_float8 *)(x + i * PITH_I_PANEL) *
                       *(const pith_i_float8 *)(y + i * PITH_I_PANEL);
        part[0] = (part[0] + part[1]) + (part[2] + part[3]);
        for (int v = 0; v < PITH_I_PANEL; v++)
            sum[v] += (double)part[0][v];
    }
}

/*
 * (T_k(A))_ii of the rows first .. first+PANEL-1 in the arranged order. From t_k = T_k(A) e_i:
 *
 *     (T_2k)_ii = 2 t_k't_k - 1,    (T_2k+1)_ii = 2 t_k't_k+1 - A_ii
 */
static void panel_moments(const pith_i_panel_operator *A, const int32_t *order, int64_t first, float *before,
                          float *now, moments *m)
{
    const int64_t n = A->n, half = m->count / 2, rows = n - first < PITH_I_PANEL ? n - first : PITH_I_PANEL;
    double sum[PITH_I_PANEL], diagonal[PITH_I_PANEL];
    memset(before, 0, (size_t)(n * PITH_I_PANEL) * sizeof *before);
    memset(now, 0, (size_t)(n * PITH_I_PANEL) * sizeof *now);
    for (int64_t v = 0; v < rows; v++)
        before[(first + v) * PITH_I_PANEL + v] = 1;
    A->apply(A->self, 1, before, 0, 0, now);
    dots(n, before, now, diagonal);
    for (int64_t v = 0; v < rows; v++) {
        m->of_row[order[first + v] * m->count] = 1;
        m->of_row[order[first + v] * m->count + 1] = diagonal[v];
    }
    for (int64_t k = 1; k <= half; k++) {
        float *swap = before;
        dots(n, now, now, sum);
        for (int64_t v = 0; v < rows; v++)
            m->of_row[order[first + v] * m->count + 2 * k] = 2 * sum[v] - 1;
        if (k == half)
            break;
        A->apply(A->self, 2, now, 0, -1, before);
        before = now;
        now = swap;
        dots(n, before, now, sum);
        for (int64_t v = 0; v < rows; v++)
            m->of_row[order[first + v] * m->count + 2 * k + 1] = 2 * sum[v] - diagonal[v];
    }
}

static pith_status find_moments(pith_ctx *ctx, const pith_i_panel_operator *A, const int32_t *order,
                                moments *m)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t panel = A->n * PITH_I_PANEL;
    float *panels = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, panels, 2 * panel * pith_ctx_threads(ctx)));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic)
    for (int64_t first = 0; first < A->n; first += PITH_I_PANEL) {
        float *room = panels + 2 * panel * pith_i_thread();
        if (!pith_i_progress_stop(ctx, first, A->n))
            panel_moments(A, order, first, room, room + panel, m);
    }
    TRY(pith_i_stop_status(ctx));
    memset(m->mean, 0, (size_t)m->count * sizeof *m->mean);
    for (int64_t i = 0; i < m->n; i++)
        for (int64_t k = 0; k < m->count; k++)
            m->mean[k] += m->of_row[i * m->count + k] / (double)m->n;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- The level ----------------------------------------------------------------------------------------- */

/* The share of energies below 1 - cos(angle): the density's integral, with Jackson's factors. */
static double share_below(const moments *m, double angle)
{
    const double N = (double)m->count + 1;
    double sum = angle / PI;
    for (int64_t k = 1; k < m->count; k++) {
        const double t = PI * (double)k / N;
        const double jackson = ((N - (double)k) * cos(t) + sin(t) / tan(PI / N)) / N;
        sum += 2 / PI * jackson * m->mean[k] * sin((double)k * angle) / (double)k;
    }
    return sum;
}

static double median_energy(const moments *m)
{
    double lo = 0, hi = PI;
    for (int step = 0; step < 60; step++) {
        const double mid = (lo + hi) / 2;
        if (share_below(m, mid) < 0.5)
            lo = mid;
        else
            hi = mid;
    }
    return 1 - cos((lo + hi) / 2);
}

/* ---- The density --------------------------------------------------------------------------------------- */

static double occupation(double energy, double level, double heat)
{
    return 1 / (1 + exp((energy - level) / (heat * level)));
}

/* c_k = 2 / NODES sum_s f(1 - cos a_s) cos(k a_s), a_s = pi (s + 1/2) / NODES, half of it for k = 0. Returns
 * what the coefficients beyond the moments can add up to. */
static double expand(moments *m, double level, double heat)
{
    const int64_t most = 4 * m->count < NODES / 2 ? 4 * m->count : NODES / 2;
    double rest = 0;
    memset(m->coefficient, 0, (size_t)most * sizeof *m->coefficient);
    for (int64_t s = 0; s < NODES; s++) {
        const double angle = PI * ((double)s + 0.5) / NODES, f = occupation(1 - cos(angle), level, heat);
        /* cos(k a) by its own three terms: cos((k+1) a) = 2 cos(a) cos(k a) - cos((k-1) a). */
        double before = cos(angle), now = 1;
        for (int64_t k = 0; k < most && f > 1e-18; k++) {
            m->coefficient[k] += (k == 0 ? 1.0 : 2.0) / NODES * f * now;
            const double next = 2 * cos(angle) * now - before;
            before = now;
            now = next;
        }
    }
    for (int64_t k = m->count; k < most; k++)
        rest += fabs(m->coefficient[k]);
    return rest;
}

static void add_up(const moments *m, double *rho)
{
    for (int64_t i = 0; i < m->n; i++) {
        rho[i] = 0;
        for (int64_t k = 0; k < m->count; k++)
            rho[i] += m->coefficient[k] * m->of_row[i * m->count + k];
    }
}

pith_status pith_i_fermi_density_streamed(pith_ctx *ctx, const pith_i_graph *graph, double mu, double heat,
                                          double *rho, double *level)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_arranged a = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_arrange(ctx, graph, &a));
    const pith_i_float_graph floats = {graph->n, a.A.row, a.A.col, a.weight};
    const pith_i_panel_operator A = pith_i_adjacency_panels(&floats);
    for (int64_t half = LEAST; half <= MOST; half *= 2) {
        const size_t here = pith_i_scratch_mark(ctx);
        moments m = {.n = graph->n, .count = 2 * half + 1};
        TRY(SCRATCH(ctx, m.of_row, m.n * m.count));
        TRY(SCRATCH(ctx, m.mean, m.count));
        TRY(SCRATCH(ctx, m.coefficient, NODES));
        TRY(find_moments(ctx, &A, a.order, &m));
        *level = mu * median_energy(&m);
        const double rest = expand(&m, *level, heat);
        add_up(&m, rho);
        pith_i_scratch_release(ctx, here);
        if (rest <= REST)
            break;
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
