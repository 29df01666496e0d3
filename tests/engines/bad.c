/* An engine that breaks its word in the way that the environment variable PITH_BAD_ENGINE names. */
#include <pith-engine.h>

#ifndef NAME
#define NAME "bad"
#endif

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool asked_for(const char *way)
{
    const char *word = getenv("PITH_BAD_ENGINE"); /* NOLINT(concurrency-mt-unsafe) */
    return word != NULL && strcmp(word, way) == 0;
}

static pith_status bad_open(pith_engine_call *call, void **self)
{
    (void)self;
    if (!asked_for("closed"))
        return PITH_OK;
    (void)snprintf(call->message, sizeof call->message, "there is no device");
    return PITH_E_FILE;
}

/* Existing rows, in order of their distances: nothing is wrong with them but that they are not the
 * nearest. */
static void fill(const pith_engine_call *call, int64_t n, int64_t i, int64_t k, int64_t *index,
                 double *distance2)
{
    for (int64_t e = 0; e < k; e++)
        index[e] = (i + 1 + e) % n;
    call->distances(call, i, k, index, distance2);
    for (int64_t e = 1; e < k; e++)
        for (int64_t b = e; b > 0 && (distance2[b] < distance2[b - 1] ||
                                      (distance2[b] == distance2[b - 1] && index[b] < index[b - 1]));
             b--) {
            const int64_t row = index[b];
            const double d = distance2[b];
            index[b] = index[b - 1], index[b - 1] = row;
            distance2[b] = distance2[b - 1], distance2[b - 1] = d;
        }
}

/* One lie about row 0. */
static void lie(int64_t n, int64_t k, int64_t *index, double *distance2)
{
    if (asked_for("range"))
        index[0] = n;
    if (asked_for("self"))
        index[0] = 0;
    if (asked_for("nan"))
        distance2[k - 1] = (double)NAN;
    if (asked_for("order"))
        distance2[0] = distance2[k - 1] + 1;
    if (asked_for("copy"))
        index[k - 1] = index[0];
}

static pith_status bad_knn(void *self, pith_engine_call *call, const pith_engine_rows *rows, bool cosine,
                           int64_t k, int64_t *index, double *distance2)
{
    (void)self;
    (void)cosine;
    if (asked_for("fails")) {
        (void)snprintf(call->message, sizeof call->message, "the device has no memory left");
        return PITH_E_NOMEM;
    }
    for (int64_t i = 0; i < rows->n; i++) {
        fill(call, rows->n, i, k, index + i * k, distance2 + i * k);
        if (asked_for("open")) /* which is no lie: it asks pith to search */
            index[i * k] = -1;
    }
    lie(rows->n, k, index, distance2);
    return PITH_OK;
}

/* Row 0 has itself for a neighbour, in the last subset. */
static pith_status bad_knn_subsets(void *self, pith_engine_call *call, const pith_engine_rows *rows,
                                   bool cosine, int subsets, const uint32_t *mask, int64_t k, int64_t *index)
{
    (void)self;
    (void)cosine;
    (void)mask;
    if (asked_for("subsets-fail")) {
        (void)snprintf(call->message, sizeof call->message, "the device has no memory left");
        return PITH_E_NOMEM;
    }
    for (int64_t e = 0; e < subsets * rows->n * k; e++)
        index[e] = (e / k + 1 + e % k) % rows->n;
    index[(subsets - 1) * rows->n * k] = 0;
    return PITH_OK;
}

static pith_status bad_eigen(void *self, pith_engine_call *call, const pith_engine_operator *A, int64_t m,
                             int64_t n_known, const double *known, double tolerance, double *values,
                             double *vectors)
{
    (void)self;
    (void)call;
    (void)n_known;
    (void)known;
    (void)tolerance;
    for (int64_t v = 0; v < m; v++)
        values[v] = asked_for("eigen-order") ? (double)v : 0;
    memset(vectors, 0, (size_t)(m * A->n) * sizeof *vectors);
    if (asked_for("eigen-nan"))
        vectors[A->n - 1] = (double)NAN;
    return PITH_OK;
}

const pith_engine *pith_engine_get(void)
{
    static const pith_engine searches = {PITH_ENGINE_VERSION, .name = NAME, .open = bad_open, .knn = bad_knn},
                             subsets = {PITH_ENGINE_VERSION, .name = NAME, .knn_subsets = bad_knn_subsets},
                             solves = {PITH_ENGINE_VERSION, .name = NAME, .eigen = bad_eigen};
    return asked_for("subsets") || asked_for("subsets-fail")    ? &subsets
           : asked_for("eigen-nan") || asked_for("eigen-order") ? &solves
                                                                : &searches;
}
