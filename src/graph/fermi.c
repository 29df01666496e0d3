/* The Fermi density by moments of the graph: no eigenvectors. */
#include "graph/sampling.h"

#include "core/parallel.h"
#include "graph/graph_inside.h"
#include "matrix/simd.h"

#include <math.h>
#include <string.h>

enum { LEAST = 48, MOST = 1024 }; /* products with A for a row's moments */
enum { NODES = 8192 };            /* where f is sampled for its Chebyshev coefficients */
/* Vectors side by side: entry i of vector v is x[i * WIDTH + v], so that a cache miss for a column of A
 * brings in a whole line of values that are used. */
enum { WIDTH = 16, HALF = WIDTH / 2 };
static const double PI = 3.14159265358979323846;
static const double REST = 1e-5; /* most that the truncated part of the series may add up to */

typedef struct moments {
    int64_t n, count;    /* moments 0 .. count-1 of n rows */
    double *of_row;      /* n x count */
    double *mean;        /* count */
    double *coefficient; /* NODES */
} moments;

/* ---- Moments ------------------------------------------------------------------------------------------- */

/* y = a A x + c y */
PITH_I_CLONES static void multiply(const pith_i_arranged *A, float a, const float *x, float c, float *y)
{
    const pith_i_graph *g = &A->A;
    for (int64_t i = 0; i < g->n; i++) {
        pith_i_float8 low = {0}, high = {0}, *to = (pith_i_float8 *)(y + i * WIDTH);
        for (int64_t e = g->row[i]; e < g->row[i + 1]; e++) {
            const float *from = x + (int64_t)g->col[e] * WIDTH;
            low += A->weight[e] * *(const pith_i_float8 *)from;
            high += A->weight[e] * *(const pith_i_float8 *)(from + HALF);
        }
        to[0] = a * low + c * to[0];
        to[1] = a * high + c * to[1];
    }
}

/* sum_v = sum_i x_iv y_iv: in float over ROWS rows at a time, and these sums added in double. */
PITH_I_CLONES static void dots(int64_t n, const float *x, const float *y, double *sum)
{
    enum { ROWS = 32 };
    memset(sum, 0, WIDTH * sizeof *sum);
    for (int64_t from = 0; from < n; from += ROWS) {
        const int64_t to = n - from < ROWS ? n : from + ROWS;
        pith_i_float8 low = {0}, high = {0};
        for (int64_t e = from * WIDTH; e < to * WIDTH; e += WIDTH) {
            low += *(const pith_i_float8 *)(x + e) * *(const pith_i_float8 *)(y + e);
            high += *(const pith_i_float8 *)(x + e + HALF) * *(const pith_i_float8 *)(y + e + HALF);
        }
        for (int v = 0; v < HALF; v++) {
            sum[v] += (double)low[v];
            sum[v + HALF] += (double)high[v];
        }
    }
}

/* Stores moment k of WIDTH rows, from `first` on in the arranged order. */
static void put(const pith_i_arranged *A, int64_t first, int64_t k, const double *moment, moments *m)
{
    for (int64_t v = 0; v < WIDTH && first + v < m->n; v++)
        m->of_row[A->order[first + v] * m->count + k] = moment[v];
}

/*
 * (T_k(A))_ii of WIDTH rows. From t_k = T_k(A) e_i, the diagonal of A being 0:
 *
 *     (T_2k)_ii = 2 t_k't_k - 1,    (T_2k+1)_ii = 2 t_k't_k+1
 */
static void some_moments(const pith_i_arranged *A, int64_t first, float *before, float *now, moments *m)
{
    const int64_t n = m->n, half = m->count / 2;
    double sum[WIDTH] = {0};
    memset(before, 0, (size_t)(n * WIDTH) * sizeof *before);
    memset(now, 0, (size_t)(n * WIDTH) * sizeof *now);
    for (int64_t v = 0; v < WIDTH && first + v < n; v++)
        before[(first + v) * WIDTH + v] = 1;
    multiply(A, 1, before, 0, now);
    put(A, first, 1, sum, m);
    for (int64_t k = 1; k <= half; k++) {
        float *swap = before;
        dots(n, now, now, sum);
        for (int v = 0; v < WIDTH; v++)
            sum[v] = 2 * sum[v] - 1;
        put(A, first, 2 * k, sum, m);
        if (k == half)
            break;
        multiply(A, 2, now, -1, before);
        before = now;
        now = swap;
        dots(n, before, now, sum);
        for (int v = 0; v < WIDTH; v++)
            sum[v] *= 2;
        put(A, first, 2 * k + 1, sum, m);
    }
}

static pith_status find_moments(pith_ctx *ctx, const pith_i_arranged *A, moments *m)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t panel = m->n * WIDTH;
    float *panels = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, panels, 2 * panel * pith_ctx_threads(ctx)));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic)
    for (int64_t first = 0; first < m->n; first += WIDTH) {
        float *room = panels + 2 * panel * pith_i_thread();
        if (!pith_i_progress_stop(ctx, first, m->n))
            some_moments(A, first, room, room + panel, m);
    }
    TRY(pith_i_stop_status(ctx));
    memset(m->mean, 0, (size_t)m->count * sizeof *m->mean);
    for (int64_t i = 0; i < m->n; i++) {
        m->of_row[i * m->count] = 1;
        for (int64_t k = 0; k < m->count; k++)
            m->mean[k] += m->of_row[i * m->count + k] / (double)m->n;
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- The level ----------------------------------------------------------------------------------------- */

/* The share of energies below 1 - cos(angle): the density's integral, with Jackson damping. */
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
 * the most that the coefficients beyond the moments can add. */
static double expand(moments *m, double level, double heat)
{
    const int64_t most = 4 * m->count < NODES / 2 ? 4 * m->count : NODES / 2;
    double rest = 0;
    memset(m->coefficient, 0, (size_t)most * sizeof *m->coefficient);
    for (int64_t s = 0; s < NODES; s++) {
        const double angle = PI * ((double)s + 0.5) / NODES, f = occupation(1 - cos(angle), level, heat);
        /* The three-term recurrence cos((k+1) a) = 2 cos(a) cos(k a) - cos((k-1) a). */
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
    for (int64_t half = LEAST; half <= MOST; half *= 2) {
        const size_t here = pith_i_scratch_mark(ctx);
        moments m = {.n = graph->n, .count = 2 * half + 1};
        TRY(SCRATCH(ctx, m.of_row, m.n * m.count));
        TRY(SCRATCH(ctx, m.mean, m.count));
        TRY(SCRATCH(ctx, m.coefficient, NODES));
        TRY(find_moments(ctx, &a, &m));
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
