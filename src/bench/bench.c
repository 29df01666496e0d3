/*
 * pith_bench: the parts that matter, compared with what the machine can do. The limits (float matrix
 * products, memory traffic) are measured first, with the same threads, so that shares of them mean something.
 */
#include "core/parallel.h"
#include "core/random.h"
#include "graph/graph.h"
#include "graph/spectrum.h"
#include "matrix/blas.h"
#include "matrix/matrix.h"
#include "synth/synth.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct bench {
    pith_ctx *ctx;
    bool quick;
    pith_measure_fn *report;
    void *user;
    double gemm, bandwidth; /* GFLOP/s in float, GB/s; of all threads together */
    int64_t held, peak;     /* bytes in use, and the peak, before the part that is measured */
    double start;
} bench;

static void begin(bench *b)
{
    b->held = pith_i_bytes_in_use(b->ctx);
    b->peak = pith_i_peak_begin(b->ctx);
    b->start = pith_i_seconds();
}

static double end(bench *b, int64_t *peak_bytes)
{
    const double seconds = pith_i_seconds() - b->start;
    *peak_bytes = pith_ctx_peak_bytes(b->ctx) - b->held;
    pith_i_peak_end(b->ctx, b->peak);
    return seconds;
}

static void tell(const bench *b, const char *name, const char *unit, double value, double limit,
                 int64_t peak_bytes)
{
    const pith_measure m = {name, unit, value, limit, peak_bytes};
    b->report(&m, b->user);
}

enum { TRIES = 5 }; /* of a limit; the best counts, as anything else on the machine only slows it down */

/* Every thread multiplies its own N x N float matrices: 2 N^3 operations each. */
static pith_status gemm_limit(bench *b)
{
    const int N = b->quick ? 512 : 1024;
    const int64_t cells = (int64_t)N * N;
    const size_t mark = pith_i_scratch_mark(b->ctx);
    const int threads = pith_ctx_threads(b->ctx);
    pith_status st = PITH_OK;
    float *x = NULL;
    TRY(SCRATCH(b->ctx, x, 3 * cells * threads));
    for (int64_t e = 0; e < 3 * cells * threads; e++)
        x[e] = (float)(e % 7) - 3;
    for (int t = 0; t < TRIES; t++) {
        TRY(pith_i_progress_stage(b->ctx, "measuring matrix products", 0, 0.05));
        const double start = pith_i_seconds();
#pragma omp parallel for num_threads(threads) schedule(static, 1)
        for (int own = 0; own < threads; own++) {
            float *at = x + 3 * cells * own;
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, N, N, N, 1, at, N, at + cells, N, 0,
                        at + 2 * cells, N);
        }
        const double rate = 2e-9 * (double)cells * N * threads / (pith_i_seconds() - start);
        b->gemm = fmax(b->gemm, rate);
    }
    tell(b, "limit: float matrix product", "GFLOP/s", b->gemm, (double)NAN, 0);
done:
    pith_i_scratch_release(b->ctx, mark);
    return st;
}

/* x = y + 3 z over arrays far larger than the caches: 24 bytes an element. */
static pith_status bandwidth_limit(bench *b)
{
    const size_t mark = pith_i_scratch_mark(b->ctx);
    const int64_t n = b->quick ? 1 << 21 : 1 << 23;
    pith_status st = PITH_OK;
    double *x = NULL, *y = NULL, *z = NULL;
    TRY(SCRATCH_ZERO(b->ctx, x, n));
    TRY(SCRATCH_ZERO(b->ctx, y, n));
    TRY(SCRATCH_ZERO(b->ctx, z, n));
    for (int t = 0; t <= TRIES; t++) { /* the first touches the pages */
        TRY(pith_i_progress_stage(b->ctx, "measuring memory", 0.05, 0.1));
        const double start = pith_i_seconds();
#pragma omp parallel for num_threads(pith_ctx_threads(b->ctx)) schedule(static)
        for (int64_t i = 0; i < n; i++)
            x[i] = y[i] + 3 * z[i];
        if (t > 0)
            b->bandwidth = fmax(b->bandwidth, 24e-9 * (double)n / (pith_i_seconds() - start));
    }
    tell(b, "limit: memory traffic", "GB/s", b->bandwidth, (double)NAN, 0);
done:
    pith_i_scratch_release(b->ctx, mark);
    return st;
}

/* Every pair of rows once: n^2 p operations, half of those of a product of X with X'. */
static pith_status dense_neighbours(bench *b, int64_t n, int64_t p)
{
    const pith_blobs blobs = {
        .n = n, .p = p, .clusters = 10, .informative = 0.1, .separation = 3, .density = 1};
    pith_matrix *m = NULL;
    pith_i_knn knn = {0};
    pith_status st = PITH_OK;
    char name[64];
    int64_t peak = 0;
    TRY(pith_synth_blobs(b->ctx, &blobs, &m));
    begin(b);
    st = pith_i_knn_find(b->ctx, &m->data, 10, PITH_I_EUCLIDEAN, &knn);
    const double seconds = end(b, &peak);
    TRY(st);
    (void)snprintf(name, sizeof name, "dense kNN %lld x %lld, k=10", (long long)n, (long long)p);
    tell(b, name, "GFLOP/s", 1e-9 * (double)n * (double)n * (double)p / seconds, b->gemm, peak);
done:
    pith_i_knn_free(&knn);
    pith_matrix_free(m);
    return st;
}

static int by_column(const void *a, const void *b)
{
    return (*(const int32_t *)a > *(const int32_t *)b) - (*(const int32_t *)a < *(const int32_t *)b);
}

/* Text: every row has 100 distinct of p words, word w drawn about as often as 1/w. */
static pith_status zipf_text(pith_ctx *ctx, int64_t n, int64_t p, pith_i_data *X)
{
    enum { WORDS = 100 };
    const pith_status st = pith_i_data_new_csr(ctx, n, p, n * WORDS, PITH_F32, X);
    if (st != PITH_OK)
        return st;
    for (int64_t i = 0; i < n; i++) {
        pith_i_stream s = pith_i_stream_at(pith_ctx_seed(ctx), PITH_I_RANDOM_BENCH, (uint64_t)i);
        int32_t *row = pith_i_data_indices(X) + i * WORDS;
        for (int used = 0; used < WORDS;) {
            const int32_t word = (int32_t)exp(log((double)p) * pith_i_random_uniform(&s)) - 1;
            bool seen = false;
            for (int k = 0; k < used && !seen; k++)
                seen = row[k] == word;
            if (!seen)
                row[used++] = word;
        }
        qsort(row, WORDS, sizeof *row, by_column);
        for (int k = 0; k < WORDS; k++)
            pith_i_set_value(pith_i_data_values(X), PITH_F32, i * WORDS + k,
                             1 + (double)pith_i_random_below(&s, 5));
        pith_i_data_indptr(X)[i + 1] = (i + 1) * WORDS;
    }
    return PITH_OK;
}

static pith_status sparse_neighbours(bench *b, int64_t n, int64_t p)
{
    pith_i_data X = {0};
    pith_i_knn knn = {0};
    pith_status st = PITH_OK;
    char name[64];
    int64_t peak = 0;
    TRY(zipf_text(b->ctx, n, p, &X));
    begin(b);
    st = pith_i_knn_find(b->ctx, &X, 10, PITH_I_COSINE, &knn);
    const double seconds = end(b, &peak);
    TRY(st);
    (void)snprintf(name, sizeof name, "sparse cosine kNN %lld x %lld, 100 a row", (long long)n, (long long)p);
    tell(b, name, "s", seconds, (double)NAN, peak);
done:
    pith_i_knn_free(&knn);
    pith_i_data_free(&X);
    return st;
}

/* A product with the Laplacian reads weight (8) and column (4) of every edge at both ends and passes over
 * vectors. */
static pith_status laplacian_product(bench *b, const pith_i_graph *graph)
{
    enum { ROUNDS = 20 };
    const size_t mark = pith_i_scratch_mark(b->ctx);
    const pith_i_operator L = pith_i_laplacian(graph);
    const pith_i_graph_summary about = pith_i_graph_summarize(graph);
    const double bytes = 24.0 * (double)about.edges + 32.0 * (double)about.rows;
    pith_status st = PITH_OK;
    double *x = NULL, *y = NULL;
    char name[64];
    TRY(SCRATCH_ZERO(b->ctx, x, about.rows));
    TRY(SCRATCH(b->ctx, y, about.rows));
    x[0] = 1;
    const double start = pith_i_seconds();
    for (int t = 0; t < ROUNDS; t++)
        TRY(L.apply(b->ctx, L.self, 1, x, y));
    const double seconds = (pith_i_seconds() - start) / ROUNDS;
    (void)snprintf(name, sizeof name, "graph Laplacian times vector, %lld nodes", (long long)about.rows);
    tell(b, name, "GB/s", 1e-9 * bytes / seconds, b->bandwidth, 0);
done:
    pith_i_scratch_release(b->ctx, mark);
    return st;
}

static pith_status eigenpairs(bench *b, int64_t n)
{
    const pith_blobs blobs = {
        .n = n, .p = 10, .clusters = 8, .informative = 1, .separation = 2, .density = 1};
    const pith_i_graph_options options = {
        .neighbors = 10, .metric = PITH_I_EUCLIDEAN, .weight = PITH_I_HEAT, .width_factor = 1};
    pith_matrix *m = NULL;
    pith_i_graph *graph = NULL;
    pith_i_spectrum spectrum = {0};
    pith_status st = PITH_OK;
    char name[64];
    int64_t peak = 0;
    TRY(pith_synth_blobs(b->ctx, &blobs, &m));
    TRY(pith_i_graph_build(b->ctx, &m->data, &options, &graph));
    TRY(laplacian_product(b, graph));
    begin(b);
    st = pith_i_spectrum_find(b->ctx, graph, 10, &spectrum);
    const double seconds = end(b, &peak);
    TRY(st);
    (void)snprintf(name, sizeof name, "10 smallest eigenpairs, graph of %lld nodes", (long long)n);
    tell(b, name, "s", seconds, (double)NAN, peak);
done:
    pith_i_spectrum_free(&spectrum);
    pith_i_graph_free(graph);
    pith_matrix_free(m);
    return st;
}

static pith_status read_back(bench *b, const char *path)
{
    pith_matrix *m = NULL;
    struct stat file;
    int64_t peak = 0;
    char name[64];
    begin(b);
    const pith_status st = pith_matrix_read(b->ctx, path, NULL, &m);
    const double seconds = end(b, &peak);
    pith_matrix_free(m);
    if (st != PITH_OK || stat(path, &file) != 0)
        return st;
    (void)snprintf(name, sizeof name, "reading CSV, %.0f MB of short decimals", 1e-6 * (double)file.st_size);
    tell(b, name, "GB/s", 1e-9 * (double)file.st_size / seconds, (double)NAN, peak);
    return st;
}

/* Three decimals, as people write them. */
static pith_status csv(bench *b, int64_t n, int64_t p)
{
    const pith_blobs blobs = {.n = n, .p = p, .clusters = 2, .informative = 0, .separation = 0, .density = 1};
    const char *folder = getenv("TMPDIR");
    pith_matrix *m = NULL;
    pith_status st = PITH_OK;
    char path[512];
    (void)snprintf(path, sizeof path, "%s/pith-bench-%ld.csv", folder != NULL ? folder : "/tmp",
                   (long)getpid());
    TRY(pith_synth_blobs(b->ctx, &blobs, &m));
    double *x = pith_i_data_x(&m->data);
    for (int64_t e = 0; e < n * p; e++)
        x[e] = nearbyint(1000 * x[e]) / 1000;
    st = pith_matrix_write(b->ctx, m, path);
    if (st == PITH_OK)
        st = read_back(b, path);
    (void)unlink(path);
done:
    pith_matrix_free(m);
    return st;
}

/* From data in memory to the ranking. */
static pith_status ranking(bench *b, const pith_blobs *blobs)
{
    pith_matrix *m = NULL;
    pith_params *params = NULL;
    pith_result *r = NULL;
    pith_status st = PITH_OK;
    char name[64];
    TRY(pith_synth_blobs(b->ctx, blobs, &m));
    TRY(pith_params_new(b->ctx, pith_method_find("laplacian"), &params));
    TRY(pith_run(b->ctx, m, params, &r));
    (void)snprintf(name, sizeof name, "rank by laplacian, %lld x %lld, %s", (long long)blobs->n,
                   (long long)blobs->p, blobs->density < 1 ? "sparse" : "dense");
    tell(b, name, "s", pith_result_seconds(r), (double)NAN, pith_result_peak_bytes(r));
done:
    pith_result_free(r);
    pith_params_free(params);
    pith_matrix_free(m);
    return st;
}

pith_status pith_bench(pith_ctx *ctx, bool quick, pith_measure_fn *report, void *user)
{
    bench b = {.ctx = ctx, .quick = quick, .report = report, .user = user};
    const pith_blobs dense = {.n = quick ? 1000 : 8000,
                              .p = quick ? 200 : 1000,
                              .clusters = 10,
                              .informative = 0.1,
                              .separation = 3,
                              .density = 1};
    const pith_blobs sparse = {.n = quick ? 1000 : 20000,
                               .p = quick ? 1000 : 20000,
                               .clusters = 10,
                               .informative = 0.1,
                               .separation = 3,
                               .density = 0.005};
    int claim = 0;
    pith_status st = PITH_OK;
    if (ctx == NULL || report == NULL)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "no function to receive the measurements was given");
    TRY(pith_i_blas_begin(ctx, &claim));
    TRY(gemm_limit(&b));
    TRY(bandwidth_limit(&b));
    TRY(dense_neighbours(&b, quick ? 1000 : 2000, quick ? 500 : 1000));
    if (!quick)
        TRY(dense_neighbours(&b, 10000, 1000));
    TRY(sparse_neighbours(&b, quick ? 1000 : 20000, quick ? 5000 : 30000));
    TRY(eigenpairs(&b, quick ? 1500 : 50000));
    TRY(csv(&b, quick ? 1000 : 20000, quick ? 200 : 500));
    TRY(ranking(&b, &dense));
    TRY(ranking(&b, &sparse));
done:
    pith_i_blas_end(ctx, claim);
    return st;
}
