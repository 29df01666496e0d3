#include "engines/lockstep.h"

#include "graph/knn.h"
#include "linalg/eigen.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void must_(bool holds, const char *what, const char *file, int line)
{
    if (holds)
        return;
    (void)fprintf(stderr, "%s:%d: %s does not hold\n", file, line, what);
    abort();
}

typedef struct team {
    int members;
    pthread_mutex_t lock;
    pthread_cond_t change;
    int waiting;
    int64_t round;
    bool left; /* a member has failed */
    double *values[MOST_MEMBERS];
    const void *sent[MOST_MEMBERS];
    const int64_t *sent_at[MOST_MEMBERS];
    const pith_engine_rows *rows[MOST_MEMBERS];
    const pith_engine *engine;
    member_fn *work;
    void *arg;
} team;

typedef struct member {
    team *of;
    int rank;
} member;

static _Thread_local member *me; /* set before the engine is opened */

/* Waits until all have come; false: one never will. */
static bool meet(const member *m)
{
    team *t = m->of;
    (void)pthread_mutex_lock(&t->lock);
    const int64_t round = t->round;
    if (++t->waiting == t->members) {
        t->waiting = 0;
        t->round++;
        (void)pthread_mutex_unlock(&t->lock); /* first: who is woken wants it */
        (void)pthread_cond_broadcast(&t->change);
        return true;
    }
    while (t->round == round && !t->left)
        (void)pthread_cond_wait(&t->change, &t->lock);
    const bool met = t->round != round;
    (void)pthread_mutex_unlock(&t->lock);
    return met;
}

void leave_lockstep(void)
{
    team *t = me->of;
    (void)pthread_mutex_lock(&t->lock);
    t->left = true;
    (void)pthread_cond_broadcast(&t->change);
    (void)pthread_mutex_unlock(&t->lock);
}

static pith_status open_member(pith_engine_call *call, void **self)
{
    (void)call;
    *self = me;
    return PITH_OK;
}

static void place(void *self, int *rank, int *ranks)
{
    const member *m = self;
    *rank = m->rank;
    *ranks = m->of->members;
}

static double joined(pith_engine_how how, double a, double b)
{
    switch (how) {
    case PITH_ENGINE_TOTAL: return a + b;
    case PITH_ENGINE_LEAST: return a < b ? a : b;
    case PITH_ENGINE_MOST: return a > b ? a : b;
    }
    return (double)NAN;
}

static pith_status sum(void *self, pith_engine_call *call, pith_engine_how how, int64_t count, double *values)
{
    const member *m = self;
    double *all = malloc((size_t)(count + 1) * sizeof *all);
    (void)call;
    m->of->values[m->rank] = values;
    const bool met = meet(m);
    for (int64_t i = 0; met && i < count; i++) {
        all[i] = m->of->values[0][i];
        for (int r = 1; r < m->of->members; r++)
            all[i] = joined(how, all[i], m->of->values[r][i]);
    }
    if (met) { /* nobody leaves between the two */
        must(meet(m));
        memcpy(values, all, (size_t)count * sizeof *all);
    }
    free(all);
    return met ? PITH_OK : PITH_E_STOPPED;
}

static pith_status exchange(void *self, pith_engine_call *call, const int64_t *send_at, const void *send,
                            const int64_t *receive_at, void *receive)
{
    const member *m = self;
    (void)call;
    m->of->sent[m->rank] = send;
    m->of->sent_at[m->rank] = send_at;
    if (!meet(m))
        return PITH_E_STOPPED;
    for (int r = 0; r < m->of->members; r++) {
        const int64_t from = m->of->sent_at[r][m->rank], to = m->of->sent_at[r][m->rank + 1];
        must(to - from == receive_at[r + 1] - receive_at[r]); /* what is sent is what is expected */
        if (to > from)
            memcpy((char *)receive + receive_at[r], (const char *)m->of->sent[r] + from, (size_t)(to - from));
    }
    must(meet(m));
    return PITH_OK;
}

/* ---- Neighbours: every member searches all rows of all members, and keeps the lists of its own ---- */

static void load_row(const pith_engine_rows *X, int64_t i, double *out)
{
    memset(out, 0, (size_t)X->p * sizeof *out);
    for (int64_t j = 0; X->x != NULL && j < X->p; j++)
        out[j] = pith_i_value(X->x, X->dtype, i * X->stride + j);
    for (int64_t e = X->x == NULL ? X->indptr[i] : 0; X->x == NULL && e < X->indptr[i + 1]; e++)
        out[X->indices[e]] = pith_i_value(X->values, X->dtype, e);
}

static pith_status knn(void *self, pith_engine_call *call, const pith_engine_rows *rows, bool cosine,
                       int64_t k, int64_t *index, double *distance2)
{
    const member *m = self;
    const size_t lists = (size_t)(rows->n * k);
    double *all = malloc((size_t)(rows->all * rows->p + 1) * sizeof *all);
    const pith_i_data X = {
        .n = rows->all, .p = rows->p, .dtype = PITH_F64, .x = all, .row_stride = rows->p, .col_stride = 1};
    pith_i_knn found = {0};
    pith_ctx *own = NULL;
    (void)call;
    must(all != NULL && pith_ctx_new(&own) == PITH_OK && pith_ctx_set_threads(own, 1) == PITH_OK);
    m->of->rows[m->rank] = rows;
    must(meet(m));
    for (int r = 0; r < m->of->members; r++)
        for (int64_t i = 0; i < m->of->rows[r]->n; i++)
            load_row(m->of->rows[r], i, all + (m->of->rows[r]->offset + i) * rows->p);
    must(meet(m));
    must(pith_i_knn_find(own, &X, k, cosine ? PITH_I_COSINE : PITH_I_EUCLIDEAN, &found) == PITH_OK);
    if (lists > 0) {
        memcpy(index, found.index + rows->offset * k, lists * sizeof *index);
        memcpy(distance2, found.distance2 + rows->offset * k, lists * sizeof *distance2);
    }
    pith_i_knn_free(&found);
    pith_ctx_free(own);
    free(all);
    return PITH_OK;
}

/* ---- Eigenpairs: the dense matrix, in every member ---- */

/* Row g of A is A times unit vector g, of which every member knows its own entries. */
static pith_status make_dense(const member *m, pith_engine_call *call, const pith_engine_operator *A,
                              double *dense)
{
    double *x = calloc((size_t)A->n + 1, sizeof *x);
    pith_status st = PITH_OK;
    for (int64_t g = 0; g < A->all && st == PITH_OK; g++) {
        const bool mine = g >= A->offset && g < A->offset + A->n;
        if (mine)
            x[g - A->offset] = 1;
        st = A->apply(A, 1, x, dense + g * A->all + A->offset);
        if (mine)
            x[g - A->offset] = 0;
    }
    free(x);
    return st == PITH_OK ? sum((void *)(uintptr_t)m, call, PITH_ENGINE_TOTAL, A->all * A->all, dense) : st;
}

static pith_status eigen(void *self, pith_engine_call *call, const pith_engine_operator *A, int64_t m,
                         int64_t n_known, const double *known, double tolerance, double *values,
                         double *vectors)
{
    const int64_t all = A->all, n = A->n;
    double *dense = calloc((size_t)(all * all), sizeof *dense), *value = calloc((size_t)all, sizeof *value);
    double *V = calloc((size_t)(n_known * all + 1), sizeof *V);
    pith_ctx *own = NULL;
    (void)tolerance;
    for (int64_t v = 0; v < n_known; v++)
        memcpy(V + v * all + A->offset, known + v * n, (size_t)n * sizeof *V);
    pith_status st = make_dense(self, call, A, dense);
    if (st == PITH_OK)
        st = sum(self, call, PITH_ENGINE_TOTAL, n_known * all, V);
    if (st != PITH_OK)
        goto done;
    for (int64_t v = 0; v < n_known; v++) /* out of the way */
        for (int64_t i = 0; i < all; i++)
            for (int64_t l = 0; l < all; l++)
                dense[i * all + l] -= 100 * V[v * all + i] * V[v * all + l];
    must(pith_ctx_new(&own) == PITH_OK);
    must(pith_ctx_set_threads(own, 1) == PITH_OK);
    must(pith_i_eigen_dense_in_place(own, all, dense, value) == PITH_OK);
    for (int64_t v = 0; v < m; v++) {
        values[v] = value[all - 1 - v];
        memcpy(vectors + v * n, dense + (all - 1 - v) * all + A->offset, (size_t)n * sizeof *vectors);
    }
done:
    pith_ctx_free(own);
    free(dense);
    free(value);
    free(V);
    return st;
}

/* ---- The team ---- */

static const pith_engine lockstep = {.version = PITH_ENGINE_VERSION,
                                     .name = "lockstep",
                                     .promises = PITH_ENGINE_EXACT,
                                     .open = open_member,
                                     .knn = knn,
                                     .eigen = eigen,
                                     .place = place,
                                     .sum = sum,
                                     .exchange = exchange};

/* Without neighbours of its own: pith sends rows round. */
static const pith_engine ring = {.version = PITH_ENGINE_VERSION,
                                 .name = "ring",
                                 .promises = PITH_ENGINE_EXACT,
                                 .open = open_member,
                                 .eigen = eigen,
                                 .place = place,
                                 .sum = sum,
                                 .exchange = exchange};

static void *run_member(void *self)
{
    pith_ctx *ctx = NULL;
    me = self;
    must(pith_ctx_new(&ctx) == PITH_OK);
    must(pith_ctx_set_threads(ctx, 1) == PITH_OK);
    must(pith_i_engine_use(ctx, me->of->engine) == PITH_OK);
    me->of->work(ctx, me->rank, me->of->arg);
    pith_ctx_free(ctx);
    return NULL;
}

static void run_team(int members, const pith_engine *engine, member_fn *work, void *arg)
{
    team t = {.members = members, .engine = engine, .work = work, .arg = arg};
    pthread_t thread[MOST_MEMBERS];
    member m[MOST_MEMBERS];
    must(pthread_mutex_init(&t.lock, NULL) == 0 && pthread_cond_init(&t.change, NULL) == 0);
    for (int r = 0; r < members; r++) {
        m[r] = (member){&t, r};
        must(pthread_create(&thread[r], NULL, run_member, &m[r]) == 0);
    }
    for (int r = 0; r < members; r++)
        must(pthread_join(thread[r], NULL) == 0);
    (void)pthread_cond_destroy(&t.change);
    (void)pthread_mutex_destroy(&t.lock);
}

void in_lockstep(int members, member_fn *work, void *arg)
{
    run_team(members, &lockstep, work, arg);
}

void in_ring(int members, member_fn *work, void *arg)
{
    run_team(members, &ring, work, arg);
}
