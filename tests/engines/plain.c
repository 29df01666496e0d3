/*
 * An engine in its plainest form: every distance by three loops, every eigenpair by Jacobi's rotations. It is
 * slow and takes n p and n^2 doubles, but it is easy to read and its answers are right: an example to start
 * from, and a reference for faster engines.
 */
#include <pith-engine.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pith_status fails(pith_engine_call *call, pith_status st, const char *why)
{
    (void)snprintf(call->message, sizeof call->message, "%s", why);
    return st;
}

/* ---- Neighbours ---------------------------------------------------------------------------------------- */

static double number(const pith_engine_rows *rows, const void *values, int64_t e)
{
    return rows->dtype == PITH_F32 ? (double)((const float *)values)[e] : ((const double *)values)[e];
}

/* The largest entry becomes 1 before squares are taken, so that none of them is too large for a double. */
static void make_unit(int64_t p, double *z)
{
    double most = 0, square = 0;
    for (int64_t j = 0; j < p; j++)
        most = fmax(most, fabs(z[j]));
    for (int64_t j = 0; j < p; j++)
        square += most > 0 ? (z[j] / most) * (z[j] / most) : 0;
    for (int64_t j = 0; j < p && most > 0; j++)
        z[j] = z[j] / most / sqrt(square);
}

/* All rows as doubles, 0 in columns outside of the subset (mask NULL: there are no subsets), by cosine of
 * length 1. */
static void unfold(const pith_engine_rows *rows, bool cosine, const uint32_t *mask, int subset, double *z)
{
    memset(z, 0, (size_t)(rows->n * rows->p) * sizeof *z);
    for (int64_t i = 0; i < rows->n; i++, z += rows->p) {
        if (rows->x != NULL)
            for (int64_t j = 0; j < rows->p; j++)
                z[j] = number(rows, rows->x, i * rows->stride + j);
        else
            for (int64_t e = rows->indptr[i]; e < rows->indptr[i + 1]; e++)
                z[rows->indices[e]] = number(rows, rows->values, e);
        for (int64_t j = 0; mask != NULL && j < rows->p; j++)
            if ((mask[j] >> subset & 1) == 0)
                z[j] = 0;
        if (cosine)
            make_unit(rows->p, z);
    }
}

/* |a - b|^2; by cosine 2 - 2 cos, which is 2 with a row of zeros, as it should be. */
static double distance2(int64_t p, const double *a, const double *b, bool cosine)
{
    double sum = cosine ? 2 : 0;
    for (int64_t j = 0; j < p; j++)
        sum += cosine ? -2 * a[j] * b[j] : (a[j] - b[j]) * (a[j] - b[j]);
    return sum;
}

/* A row's nearest so far, nearest first. */
typedef struct list {
    int64_t k, count, *index;
    double *distance2;
} list;

/* Rows are offered in ascending order: one that is not nearer than another comes after it. */
static void offer(list *near, int64_t l, double d)
{
    int64_t at = near->count < near->k ? near->count++ : near->k;
    if (at == near->k && !(d < near->distance2[--at]))
        return;
    for (; at > 0 && d < near->distance2[at - 1]; at--) {
        near->index[at] = near->index[at - 1];
        near->distance2[at] = near->distance2[at - 1];
    }
    near->index[at] = l;
    near->distance2[at] = d;
}

/* What one search needs. */
typedef struct search {
    const pith_engine_rows *rows;
    bool cosine;
    double *z;      /* n x p: the rows, unfolded */
    double *all;    /* n: the distances of one row */
    double *exact;  /* n: those of the candidates, as pith has them */
    int64_t *maybe; /* n: the candidates */
} search;

static pith_status open_search(pith_engine_call *call, const pith_engine_rows *rows, bool cosine, search *s)
{
    const size_t n = (size_t)rows->n, p = (size_t)rows->p;
    *s = (search){rows, cosine, malloc(n * (p + 2) * sizeof *s->z), .maybe = malloc(n * sizeof *s->maybe)};
    if (s->z == NULL || s->maybe == NULL)
        return fails(call, PITH_E_NOMEM, "out of memory");
    s->all = s->z + n * p;
    s->exact = s->all + n;
    return PITH_OK;
}

static void close_search(search *s)
{
    free(s->z);
    free(s->maybe);
}

/* The nearest of row i by our own distances, which stay in s->all. */
static void look_around(search *s, int64_t i, list *near)
{
    const int64_t p = s->rows->p;
    for (int64_t l = 0; l < s->rows->n; l++) {
        s->all[l] = distance2(p, s->z + i * p, s->z + l * p, s->cosine);
        if (l != i)
            offer(near, l, s->all[l]);
    }
}

/*
 * Our distances and pith's are equal up to rounding, which may change the order of rows that are about
 * equally far. So pith is asked for the distances of all rows that may be among the nearest, and these
 * decide.
 */
static void decide(search *s, const pith_engine_call *call, int64_t i, list *near)
{
    const double farthest = near->distance2[near->k - 1];
    const double limit = farthest * (1 + 1e-9) + (s->cosine ? 1e-9 : DBL_MIN);
    int64_t count = 0;
    for (int64_t l = 0; l < s->rows->n; l++)
        if (l != i && s->all[l] <= limit)
            s->maybe[count++] = l;
    call->distances(call, i, count, s->maybe, s->exact);
    near->count = 0;
    for (int64_t e = 0; e < count; e++)
        offer(near, s->maybe[e], s->exact[e]);
}

static pith_status plain_knn(void *self, pith_engine_call *call, const pith_engine_rows *rows, bool cosine,
                             int64_t k, int64_t *index, double *distances)
{
    search s;
    pith_status st = open_search(call, rows, cosine, &s);
    (void)self;
    if (st == PITH_OK)
        unfold(rows, cosine, NULL, 0, s.z);
    for (int64_t i = 0; i < rows->n && st == PITH_OK; i++) {
        list near = {.k = k, .index = index + i * k, .distance2 = distances + i * k};
        look_around(&s, i, &near);
        decide(&s, call, i, &near);
        if (call->stop(call, (double)(i + 1) / (double)rows->n))
            st = PITH_E_STOPPED;
    }
    close_search(&s);
    return st;
}

/* pith computes the distances of these lists itself, so ours are dropped: s.exact is only room for them. */
static pith_status plain_knn_subsets(void *self, pith_engine_call *call, const pith_engine_rows *rows,
                                     bool cosine, int subsets, const uint32_t *mask, int64_t k,
                                     int64_t *index)
{
    search s;
    pith_status st = open_search(call, rows, cosine, &s);
    (void)self;
    for (int subset = 0; subset < subsets && st == PITH_OK; subset++) {
        unfold(rows, cosine, mask, subset, s.z);
        for (int64_t i = 0; i < rows->n; i++) {
            list near = {.k = k, .index = index + (subset * rows->n + i) * k, .distance2 = s.exact};
            look_around(&s, i, &near);
        }
        if (call->stop(call, (double)(subset + 1) / subsets))
            st = PITH_E_STOPPED;
    }
    close_search(&s);
    return st;
}

/* ---- Eigenpairs ---------------------------------------------------------------------------------------- */

/* M = A, column by column. v: n numbers of room. */
static pith_status write_out(const pith_engine_operator *A, double *v, double *M)
{
    pith_status st = PITH_OK;
    for (int64_t j = 0; j < A->n && st == PITH_OK; j++) {
        memset(v, 0, (size_t)A->n * sizeof *v);
        v[j] = 1;
        st = A->apply(A, 1, v, M + j * A->n);
    }
    return st;
}

static double norm(int64_t count, const double *M)
{
    double sum = 0;
    for (int64_t e = 0; e < count; e++)
        sum += M[e] * M[e];
    return sqrt(sum);
}

/*
 * No eigenvalue exceeds the norm. Subtracting three times the norm from the eigenvalues of the known vectors
 * puts these last, even if all others are negative, and leaves the rest of M as it is.
 */
static void push_down(int64_t n, int64_t n_known, const double *known, double *M)
{
    const double far = 3 * norm(n * n, M) + 1;
    for (int64_t v = 0; v < n_known; v++)
        for (int64_t e = 0; e < n * n; e++)
            M[e] -= far * known[v * n + e / n] * known[v * n + e % n];
}

static void turn(int64_t count, int64_t step, double c, double s, double *a, double *b)
{
    for (int64_t e = 0; e < count; e++) {
        const double x = a[e * step], y = b[e * step];
        a[e * step] = c * x - s * y;
        b[e * step] = s * x + c * y;
    }
}

/* Diagonalises M by Jacobi rotations, each of which makes M[p][q] 0; the rows of V are the eigenvectors. */
static pith_status diagonalise(pith_engine_call *call, int64_t n, double *M, double *V)
{
    enum { SWEEPS = 60 };
    const double small = DBL_EPSILON * norm(n * n, M) / (double)n;
    bool turned = true;
    for (int64_t e = 0; e < n * n; e++)
        V[e] = e % (n + 1) == 0;
    for (int sweep = 0; turned && sweep < SWEEPS; sweep++) {
        turned = false;
        for (int64_t p = 0; p < n; p++)
            for (int64_t q = p + 1; q < n; q++) {
                if (fabs(M[p * n + q]) <= small)
                    continue;
                const double theta = (M[q * n + q] - M[p * n + p]) / (2 * M[p * n + q]);
                const double t = copysign(1, theta) / (fabs(theta) + hypot(theta, 1));
                const double c = 1 / hypot(t, 1);
                turn(n, 1, c, t * c, M + p * n, M + q * n); /* rows, */
                turn(n, n, c, t * c, M + p, M + q);         /* columns */
                turn(n, 1, c, t * c, V + p * n, V + q * n);
                turned = true;
            }
        if (call->stop(call, (double)(sweep + 1) / SWEEPS))
            return PITH_E_STOPPED;
    }
    return turned ? fails(call, PITH_E_NUMERIC, "Jacobi's rotations come to no end") : PITH_OK;
}

/* The m largest of the diagonal, one after the other; those that were taken are NaN. */
static void take_largest(int64_t n, int64_t m, double *M, const double *V, double *values, double *vectors)
{
    for (int64_t v = 0; v < m; v++) {
        int64_t best = -1;
        for (int64_t i = 0; i < n; i++)
            if (!isnan(M[i * n + i]) && (best < 0 || M[i * n + i] > M[best * n + best]))
                best = i;
        values[v] = M[best * n + best];
        memcpy(vectors + v * n, V + best * n, (size_t)n * sizeof *vectors);
        M[best * n + best] = (double)NAN;
    }
}

static pith_status plain_eigen(void *self, pith_engine_call *call, const pith_engine_operator *A, int64_t m,
                               int64_t n_known, const double *known, double tolerance, double *values,
                               double *vectors)
{
    const int64_t n = A->n;
    double *M = malloc((size_t)(n * n) * sizeof *M), *V = malloc((size_t)(n * n) * sizeof *V);
    pith_status st = M != NULL && V != NULL ? PITH_OK : fails(call, PITH_E_NOMEM, "out of memory");
    (void)self;
    (void)tolerance; /* the pairs are as exact as doubles allow */
    if (st == PITH_OK)
        st = write_out(A, V, M);
    if (st == PITH_OK) {
        push_down(n, n_known, known, M);
        st = diagonalise(call, n, M, V);
    }
    if (st == PITH_OK)
        take_largest(n, m, M, V, values, vectors);
    free(M);
    free(V);
    return st;
}

/* ---- The table ----------------------------------------------------------------------------------------- */

const pith_engine *pith_engine_get(void)
{
    static const pith_engine table = {.version = PITH_ENGINE_VERSION,
                                      .name = "plain",
                                      .promises = PITH_ENGINE_EXACT,
                                      .knn = plain_knn,
                                      .knn_subsets = plain_knn_subsets,
                                      .eigen = plain_eigen};
    return &table;
}
