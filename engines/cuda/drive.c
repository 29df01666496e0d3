/*
 * Drives the engine without pith, on machines that have a device and little else:
 *
 *     cuda_drive test LIBRARY [quick [PART]]
 *     cuda_drive bench LIBRARY N P K SHARE COSINE REPEATS [CHECKED]
 *
 * test runs the suite, or with `quick` one in PART (11) of its smaller cases; it compares every byte with
 * distances of all pairs by pith's formula (exact.h). Exit 77 if there is no device. bench makes N rows of P
 * columns, a SHARE of them not zero (1: dense floats, 2: whole numbers, full of ties, 3: groups that are
 * tight beside their distances, else CSR), prints the seconds of each search, and compares CHECKED rows with
 * all pairs.
 */
#include "exact.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SKIPPED = 77 };

static const pith_engine *engine;
static void *self;
static int threads = 1;

static double seconds(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *memory(size_t bytes)
{
    void *p = calloc(bytes > 0 ? bytes : 1, 1);
    if (p == NULL) {
        (void)fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return p;
}

/* ---- Threads ------------------------------------------------------------------------------------------- */

typedef struct loop {
    int64_t next, count, grain;
    void (*f)(void *user, int64_t i);
    void *user;
    pthread_mutex_t lock;
} loop;

static void *run_loop(void *data)
{
    loop *L = data;
    for (;;) {
        pthread_mutex_lock(&L->lock);
        const int64_t first = L->next;
        L->next += L->grain;
        pthread_mutex_unlock(&L->lock);
        if (first >= L->count)
            return NULL;
        for (int64_t i = first; i < first + L->grain && i < L->count; i++)
            L->f(L->user, i);
    }
}

static void in_parallel(int64_t count, int64_t grain, void (*f)(void *, int64_t), void *user)
{
    loop L = {0, count, grain, f, user, PTHREAD_MUTEX_INITIALIZER};
    pthread_t other[64];
    int started = 0;
    while (started < threads - 1 && started < 64 && pthread_create(&other[started], NULL, run_loop, &L) == 0)
        started++;
    (void)run_loop(&L);
    for (int t = 0; t < started; t++)
        pthread_join(other[t], NULL);
}

/* ---- Random numbers that depend on their place alone --------------------------------------------------- */

static uint64_t mixed(uint64_t z)
{
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double uniform(uint64_t at)
{
    return ((double)(mixed(at) >> 11) + 0.5) * 0x1p-53;
}

static double normal(uint64_t at)
{
    return sqrt(-2 * log(uniform(2 * at))) * cos(6.283185307179586 * uniform(2 * at + 1));
}

/* ---- Data ---------------------------------------------------------------------------------------------- */

typedef struct data {
    pith_engine_rows rows;
    void *x, *values;
    int64_t *indptr;
    int32_t *indices;
} data;

static void free_data(data *d)
{
    free(d->x);
    free(d->values);
    free(d->indptr);
    free(d->indices);
}

static void put(void *to, pith_dtype dtype, int64_t at, double v)
{
    if (dtype == PITH_F64)
        ((double *)to)[at] = v;
    else
        ((float *)to)[at] = (float)v;
}

/* x (n x p, row-major) as dense rows `stride` apart, or as CSR. */
static data laid_out(const double *x, int64_t n, int64_t p, pith_dtype dtype, int64_t stride, bool sparse)
{
    const size_t size = dtype == PITH_F64 ? 8 : 4;
    data d = {.rows = {.n = n, .p = p, .all = n, .dtype = dtype, .stride = stride}};
    if (!sparse) {
        d.rows.x = d.x = memory((size_t)(n * stride) * size);
        for (int64_t e = 0; e < n * p; e++)
            put(d.x, dtype, e / p * stride + e % p, x[e]);
        return d;
    }
    d.rows.indptr = d.indptr = memory((size_t)(n + 1) * sizeof *d.indptr);
    d.rows.indices = d.indices = memory((size_t)(n * p) * sizeof *d.indices);
    d.rows.values = d.values = memory((size_t)(n * p) * size);
    for (int64_t e = 0, at = 0; e < n * p; e++) {
        if (x[e] != 0 || e % 23 == 3) {
            d.indices[at] = (int32_t)(e % p);
            put(d.values, dtype, at++, x[e]);
        }
        d.indptr[e / p + 1] = at;
    }
    return d;
}

/* What makes searches hard. */
typedef enum trouble {
    PLAIN,
    TIES,
    COPIES,
    MANY_COPIES,
    ZEROS,
    HUGE_VALUES,
    TINY,
    TINIEST,
    FAR_AWAY,
    OUTLIER,
    GROUPS,
    SAME,
    TROUBLES
} trouble;
static const char *const trouble_name[] = {"plain", "ties",    "copies",   "many copies", "zeros",  "huge",
                                           "tiny",  "tiniest", "far away", "outlier",     "groups", "same"};

static void make_rows(double *x, int64_t n, int64_t p, trouble kind, uint64_t seed)
{
    for (int64_t e = 0; e < n * p; e++) {
        const int64_t i = e / p, j = e % p;
        double v = (double)(float)normal(seed * 1000003 + (uint64_t)e);
        v = fabs(v) < 0.4 ? 0 : v;
        if (kind == TIES)
            v = round(v);
        if (kind == COPIES && i % 3 == 1)
            v = x[e - p];
        if (kind == MANY_COPIES && i > 3)
            v = x[i % 4 * p + j];
        if (kind == ZEROS && i % 5 == 2)
            v = 0;
        if (kind == HUGE_VALUES)
            v *= 1e17;
        if (kind == TINY)
            v *= 1e-18;
        if (kind == TINIEST) /* whose squares underflow */
            v *= 1e-165;
        if (kind == FAR_AWAY)
            v = 1e4 + round(64 * v) / 64;
        if (kind == OUTLIER && i == n / 2)
            v *= 1e9;
        if (kind == GROUPS)
            v = 100 * (double)(float)normal(seed * 77 + (uint64_t)(i * 8 / n * p + j)) + v / 8;
        if (kind == SAME)
            v = 1.5;
        x[e] = v;
    }
}

/* ---- A call -------------------------------------------------------------------------------------------- */

static int64_t stop_after; /* calls of stop; 0: never */

static bool wants_to_stop(pith_engine_call *call, double done)
{
    (void)call;
    (void)done;
    return stop_after > 0 && --stop_after == 0;
}

static void exact_distances(const pith_engine_call *call, int64_t i, int64_t count, const int64_t *others,
                            double *distance2)
{
    for (int64_t e = 0; e < count; e++)
        distance2[e] = pith_cuda_exact_distance2(call->inside, i, others[e]);
}

static void set_row(void *user, int64_t i)
{
    pith_cuda_exact_row(user, i);
}

static pith_cuda_exact exact_of(const pith_engine_rows *rows, bool cosine, int64_t count,
                                const int32_t *column, const int32_t *place)
{
    pith_cuda_exact e = {rows, cosine, count, column, place, NULL, NULL, NULL};
    if (cosine) {
        e.power = memory((size_t)(3 * rows->n) * sizeof *e.power);
        e.length2 = e.power + rows->n;
        e.factor = e.length2 + rows->n;
        in_parallel(rows->n, 64, set_row, &e);
    }
    return e;
}

static pith_engine_call call_of(pith_cuda_exact *e)
{
    return (pith_engine_call){
        .threads = threads, .seed = 1, .stop = wants_to_stop, .distances = exact_distances, .inside = e};
}

/* All pairs of row i. */
static void slow(const pith_cuda_exact *e, int64_t i, int64_t k, int64_t *index, double *distance2)
{
    int64_t count = 0;
    for (int64_t l = 0; l < e->rows->n; l++) {
        if (l == i)
            continue;
        const double d = pith_cuda_exact_distance2(e, i, l);
        int64_t at = count < k ? count++ : k;
        if (at == k && !(d < distance2[--at]))
            continue;
        for (; at > 0 && d < distance2[at - 1]; at--) {
            index[at] = index[at - 1];
            distance2[at] = distance2[at - 1];
        }
        index[at] = l;
        distance2[at] = d;
    }
}

typedef struct want {
    const pith_cuda_exact *e;
    int64_t k, *index;
    double *distance2;
} want;

static void slow_row(void *user, int64_t i)
{
    const want *w = user;
    slow(w->e, i, w->k, w->index + i * w->k, w->distance2 + i * w->k);
}

/* ---- The suite ----------------------------------------------------------------------------------------- */

static int64_t failures, searches, left, rows_seen;

static void compare(const want *w, int64_t n, const int64_t *index, const double *distance2, const char *what)
{
    int64_t wrong = 0;
    for (int64_t i = 0; i < n; i++) {
        if (distance2 != NULL && index[i * w->k] == -1) {
            left++;
            continue;
        }
        wrong += memcmp(index + i * w->k, w->index + i * w->k, (size_t)w->k * sizeof *index) != 0 ||
                 (distance2 != NULL && memcmp(distance2 + i * w->k, w->distance2 + i * w->k,
                                              (size_t)w->k * sizeof *distance2) != 0);
    }
    rows_seen += n;
    searches++;
    if (wrong > 0)
        (void)printf("WRONG: %s: %lld of %lld rows\n", what, (long long)wrong, (long long)n);
    failures += wrong > 0;
}

static void try_knn(const data *d, bool cosine, int64_t k, const char *what)
{
    const int64_t n = d->rows.n;
    pith_cuda_exact e = exact_of(&d->rows, cosine, d->rows.p, NULL, NULL);
    pith_engine_call call = call_of(&e);
    want w = {&e, k, memory((size_t)(n * k) * 8), memory((size_t)(n * k) * 8)};
    int64_t *index = memory((size_t)(n * k) * 8);
    double *distance2 = memory((size_t)(n * k) * 8);
    memset(index, 0x55, (size_t)(n * k) * 8);
    in_parallel(n, 8, slow_row, &w);
    const pith_status st = engine->knn(self, &call, &d->rows, cosine, k, index, distance2);
    if (st != PITH_OK) {
        (void)printf("WRONG: %s: status %d, %s\n", what, (int)st, call.message);
        failures++;
    } else {
        compare(&w, n, index, distance2, what);
    }
    free(w.index);
    free(w.distance2);
    free(index);
    free(distance2);
    free(e.power);
}

static void try_subsets(const data *d, bool cosine, int subsets, int64_t k, uint64_t seed)
{
    const int64_t n = d->rows.n, p = d->rows.p;
    uint32_t *mask = memory((size_t)p * sizeof *mask);
    int64_t *index = memory((size_t)(subsets * n * k) * 8);
    pith_engine_call call = call_of(NULL);
    call.distances = NULL;
    for (int64_t j = 0; j < p; j++)
        mask[j] = (uint32_t)mixed(seed + (uint64_t)j) & 0xfffffeu; /* the first subset is empty */
    const pith_status st = engine->knn_subsets(self, &call, &d->rows, cosine, subsets, mask, k, index);
    if (st != PITH_OK) {
        (void)printf("WRONG: subsets: status %d, %s\n", (int)st, call.message);
        failures++;
    }
    for (int l = 0; st == PITH_OK && l < subsets; l++) {
        int32_t *column = memory((size_t)p * 4), *place = memory((size_t)p * 4);
        int64_t count = 0;
        for (int64_t j = 0; j < p; j++) {
            place[j] = (mask[j] >> l & 1) != 0 ? (int32_t)count : -1;
            if (place[j] >= 0)
                column[count++] = (int32_t)j;
        }
        pith_cuda_exact e = exact_of(&d->rows, cosine, count, column, place);
        want w = {&e, k, memory((size_t)(n * k) * 8), memory((size_t)(n * k) * 8)};
        in_parallel(n, 8, slow_row, &w);
        compare(&w, n, index + l * n * k, NULL, "subset");
        free(w.index);
        free(w.distance2);
        free(e.power);
        free(column);
        free(place);
    }
    free(mask);
    free(index);
}

typedef struct shape {
    int64_t n, p, k;
} shape;

/* All layouts and metrics for small shapes; one of them in turn for large ones, so that over the shapes every
 * trouble meets all of them. */
static void try_shape(shape s, int number, trouble kind)
{
    char what[200];
    double *x = memory((size_t)(s.n * s.p) * sizeof *x);
    make_rows(x, s.n, s.p, kind, (uint64_t)(100 + number));
    const bool small = s.n * s.n * s.p < 20000000;
    for (int way = 0; way < 8; way++) {
        const bool cosine = way % 2 != 0, sparse = way / 2 % 2 != 0;
        const pith_dtype dtype = way / 4 != 0 ? PITH_F64 : PITH_F32;
        if (!small && way != (number * 3 + (int)kind) % 8)
            continue;
        if (dtype == PITH_F32 && kind == TINIEST)
            continue;
        data d = laid_out(x, s.n, s.p, dtype, way % 3 == 0 ? s.p + 5 : s.p, sparse);
        (void)snprintf(what, sizeof what, "%lld x %lld, k %lld, %s, %s, %s, %s", (long long)s.n,
                       (long long)s.p, (long long)s.k, trouble_name[kind], cosine ? "cosine" : "euclidean",
                       sparse ? "CSR" : "dense", dtype == PITH_F64 ? "double" : "float");
        try_knn(&d, cosine, s.k, what);
        free_data(&d);
    }
    free(x);
}

static void try_stopping(void)
{
    double *x = memory(3000 * 20 * sizeof *x);
    make_rows(x, 3000, 20, PLAIN, 5);
    data d = laid_out(x, 3000, 20, PITH_F32, 20, false);
    pith_cuda_exact e = exact_of(&d.rows, false, 20, NULL, NULL);
    pith_engine_call call = call_of(&e);
    int64_t *index = memory(3000 * 5 * 8);
    double *distance2 = memory(3000 * 5 * 8);
    stop_after = 1;
    const bool heard = engine->knn(self, &call, &d.rows, false, 5, index, distance2) == PITH_E_STOPPED;
    stop_after = 0;
    failures += !heard;
    if (!heard)
        (void)printf("WRONG: a request to stop is ignored\n");
    try_knn(&d, false, 5, "after a stop");
    free(index);
    free(distance2);
    free_data(&d);
    free(x);
}

static const shape shapes[] = {
    {2, 1, 1},       {3, 4, 2},      {40, 7, 39},     {150, 33, 5},   {257, 12, 16},   {400, 3, 10},
    {128, 64, 4},    {129, 65, 4},   {127, 63, 4},    {500, 128, 15}, {500, 129, 15},  {300, 192, 20},
    {300, 193, 20},  {300, 256, 20}, {300, 257, 20},  {700, 300, 16}, {90, 1100, 8},   {90, 2100, 8},
    {60, 5000, 6},   {1000, 16, 64}, {1000, 17, 200}, {600, 40, 256}, {300, 10, 257},  {300, 270, 256},
    {2000, 50, 16},  {2500, 8, 10},  {3000, 2, 12},   {3000, 1, 12},  {1800, 90, 30},  {1500, 260, 25},
    {257, 256, 256}, {258, 64, 255}, {1024, 64, 32},  {1025, 32, 33}, {640, 100, 100}, {384, 200, 50},
    {200, 640, 12},  {2048, 20, 17}, {1999, 77, 3},   {2200, 48, 16}};

static int suite(bool quick, int part)
{
    const int count = (int)(sizeof shapes / sizeof *shapes);
    const double start = seconds();
    for (int s = 0; s < count; s++)
        for (int kind = 0; kind < TROUBLES; kind++)
            if (!quick || ((s * 5 + kind) % part == 0 && shapes[s].n * shapes[s].n * shapes[s].p < 100000000))
                try_shape(shapes[s], s, (trouble)kind);
    for (int way = 0; way < 4; way++) {
        double *x = memory(600 * 90 * sizeof *x);
        make_rows(x, 600, 90, way % 2 == 0 ? PLAIN : TIES, 9);
        data d = laid_out(x, 600, 90, way / 2 == 0 ? PITH_F32 : PITH_F64, 90, way % 2 != 0);
        for (int cosine = 0; cosine < 2; cosine++)
            try_subsets(&d, cosine != 0, quick ? 2 : 24, 9, 3);
        free_data(&d);
        free(x);
    }
    /* Little memory: rows are loaded in chunks, again for every block of queries. */
    for (int way = 0; way < (quick ? 1 : 8); way++) {
        const shape s = way < 4 ? (shape){3000, 40, 10} : (shape){1500, 600, 10};
        double *x = memory((size_t)(s.n * s.p) * sizeof *x);
        char limit[40];
        (void)snprintf(limit, sizeof limit, "%d", way < 4 ? 1500000 : 4000000);
        (void)setenv("PITH_CUDA_MEMORY", limit, 1);
        make_rows(x, s.n, s.p, way % 2 == 0 ? PLAIN : TIES, 19);
        data d = laid_out(x, s.n, s.p, PITH_F32, s.p, way % 4 > 1);
        try_knn(&d, way % 2 != 0, s.k, "little memory");
        free_data(&d);
        free(x);
        (void)unsetenv("PITH_CUDA_MEMORY");
    }
    try_stopping();
    (void)printf("%lld searches of %lld rows in %.1f s, %lld rows left to pith, %lld failures\n",
                 (long long)searches, (long long)rows_seen, seconds() - start, (long long)left,
                 (long long)failures);
    return failures > 0;
}

/* ---- Measurements -------------------------------------------------------------------------------------- */

/* Rows of 50 groups around hidden coordinates, with noise; CSR: counts, more of them in the columns of a
 * group. */
typedef struct making {
    int64_t n, p, hidden;
    float *x, *mix;
    int64_t *indptr;
    int32_t *indices;
    float *values;
    double share;
} making;

enum { GROUPS_MADE = 50 };

static void make_dense(void *user, int64_t i)
{
    const making *m = user;
    const float near = m->share > 2 ? 0.02f : 1;
    float h[32];
    for (int64_t c = 0; c < m->hidden; c++)
        h[c] = (float)((double)near * normal((uint64_t)(i * 64 + c)) +
                       3 * normal((uint64_t)(1000000007 + i % GROUPS_MADE * 64 + c)));
    for (int64_t j = 0; j < m->p; j++) {
        float v = 0;
        for (int64_t c = 0; c < m->hidden; c++)
            v += h[c] * m->mix[c * m->p + j];
        /* a sum of four uniforms is near enough to normal noise, and fast */
        const uint64_t r = mixed((uint64_t)(i * m->p + j) + 77777777777u);
        const float u =
            (float)((r & 0xffff) + (r >> 16 & 0xffff) + (r >> 32 & 0xffff) + (r >> 48)) * 0x1p-16f - 2;
        const float value = v + 0.5f * near * u;
        m->x[i * m->p + j] = m->share == 2 ? roundf(value) : value;
    }
}

/* About one column in 1 / share: steps of random length, shorter in the columns of the row's group. */
static void make_sparse(void *user, int64_t i)
{
    making *m = user;
    const double step = 2 / m->share;
    const int64_t most = m->indptr[1];
    int64_t at = i * most, end = (i + 1) * most;
    double j = uniform((uint64_t)i * 2654435761u) * step;
    uint64_t draw = (uint64_t)i * 1000003;
    while (j < (double)m->p && at < end) {
        const bool mine = (int64_t)j * GROUPS_MADE / m->p == i % GROUPS_MADE;
        const double u = uniform(draw++);
        m->indices[at] = (int32_t)j;
        m->values[at++] = (float)(log1p(1 + floor(-3 * log(u))) * (mine ? 1.5 : 1));
        j += 1 + floor(uniform(draw++) * (step - 1) * (mine ? 0.5 : 1));
    }
    for (; at < end; at++) { /* unused places, which close_gaps removes */
        m->indices[at] = -1;
        m->values[at] = 0;
    }
}

/* Closes the gaps that make_sparse left. */
static void close_gaps(making *m)
{
    const int64_t most = m->indptr[1];
    int64_t to = 0;
    for (int64_t i = 0; i < m->n; i++) {
        m->indptr[i] = to;
        for (int64_t at = i * most; at < (i + 1) * most && m->indices[at] >= 0; at++, to++) {
            m->indices[to] = m->indices[at];
            m->values[to] = m->values[at];
        }
    }
    m->indptr[m->n] = to;
}

static data made(int64_t n, int64_t p, double share)
{
    making m = {.n = n, .p = p, .hidden = p < 100 ? p < 20 ? p : 20 : 30, .share = share};
    data d = {.rows = {.n = n, .p = p, .all = n, .dtype = PITH_F32, .stride = p}};
    if (share >= 1) {
        m.x = malloc((size_t)(n * p) * sizeof *m.x);
        m.mix = memory((size_t)(m.hidden * p) * sizeof *m.mix);
        for (int64_t e = 0; e < m.hidden * p; e++)
            m.mix[e] = (float)(normal((uint64_t)e + 424242) / sqrt((double)m.hidden));
        in_parallel(n, 256, make_dense, &m);
        free(m.mix);
        d.rows.x = d.x = m.x;
        return d;
    }
    const int64_t most = (int64_t)((double)p * share * 1.2) + 8;
    m.indptr = memory((size_t)(n + 1) * sizeof *m.indptr);
    m.indptr[1] = most;
    m.indices = malloc((size_t)(n * most) * sizeof *m.indices);
    m.values = malloc((size_t)(n * most) * sizeof *m.values);
    in_parallel(n, 256, make_sparse, &m);
    close_gaps(&m);
    d.rows.indptr = d.indptr = m.indptr;
    d.rows.indices = d.indices = m.indices;
    d.rows.values = d.values = m.values;
    return d;
}

typedef struct checking {
    want w;
    int64_t step, wrong;
    const int64_t *index;
    const double *distance2;
} checking;

static void check_row(void *user, int64_t r)
{
    checking *c = user;
    const int64_t i = r * c->step, k = c->w.k;
    int64_t index[256];
    double distance2[256];
    slow(c->w.e, i, k, index, distance2);
    if (memcmp(index, c->index + i * k, (size_t)k * 8) != 0 ||
        memcmp(distance2, c->distance2 + i * k, (size_t)k * 8) != 0)
        (void)__atomic_add_fetch(&c->wrong, 1, __ATOMIC_RELAXED);
}

static int bench(int argc, char **argv)
{
    const int64_t n = atoll(argv[3]), p = atoll(argv[4]), k = atoll(argv[5]);
    const double share = atof(argv[6]);
    const bool cosine = atoi(argv[7]) != 0;
    const int repeats = atoi(argv[8]);
    const int64_t checked = argc > 9 ? atoll(argv[9]) : 0;
    double start = seconds();
    data d = made(n, p, share);
    (void)printf("%lld x %lld, k %lld, %s%s: made in %.1f s\n", (long long)n, (long long)p, (long long)k,
                 cosine ? "cosine" : "euclidean", share < 1 ? ", CSR" : "", seconds() - start);
    if (share < 1)
        (void)printf("  %.2f %% not zero\n", 100.0 * (double)d.indptr[n] / (double)n / (double)p);
    pith_cuda_exact e = exact_of(&d.rows, cosine, p, NULL, NULL);
    int64_t *index = memory((size_t)(n * k) * 8);
    double *distance2 = memory((size_t)(n * k) * 8);
    for (int r = 0; r < repeats; r++) {
        pith_engine_call call = call_of(&e);
        start = seconds();
        const pith_status st = engine->knn(self, &call, &d.rows, cosine, k, index, distance2);
        (void)printf("  %.3f s%s%s\n", seconds() - start, st == PITH_OK ? "" : ": ",
                     st == PITH_OK ? "" : call.message);
        (void)fflush(stdout);
    }
    if (checked > 0) {
        checking c = {{&e, k, NULL, NULL}, n / checked, 0, index, distance2};
        in_parallel(checked, 1, check_row, &c);
        (void)printf("  %lld rows beside all pairs: %lld differ\n", (long long)checked, (long long)c.wrong);
        return c.wrong > 0;
    }
    return 0;
}

static int open_engine(const char *path)
{
    pith_engine_call call = {.threads = threads, .stop = wants_to_stop};
    const pith_engine *(*get)(void) = NULL;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        (void)printf("cuda: skipped: %s\n", dlerror());
        return SKIPPED;
    }
    *(void **)&get = dlsym(library, "pith_engine_get");
    engine = get();
    if (engine->open(&call, &self) != PITH_OK) {
        (void)printf("cuda: skipped: %s\n", call.message);
        return SKIPPED;
    }
    return 0;
}

int main(int argc, char **argv)
{
    threads = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (argc < 3 || (strcmp(argv[1], "test") != 0 && argc < 9)) {
        (void)fprintf(stderr, "usage: cuda_drive test LIBRARY [quick [PART]] | bench LIBRARY N P K SHARE "
                              "COSINE REPEATS [CHECKED]\n");
        return 2;
    }
    int status = open_engine(argv[2]);
    if (status == 0)
        status =
            strcmp(argv[1], "test") == 0 ? suite(argc > 3, argc > 4 ? atoi(argv[4]) : 11) : bench(argc, argv);
    if (self != NULL)
        engine->close(self);
    return status;
}
