/*
 * What a build without HDF5, libzip, jansson, utf8proc, libstemmer, zlib and OpenMP says of them; that it
 * reads, ranks and writes without them; and, as `small scores`, what it computes, in all digits, to be
 * compared with a whole build.
 */
#include <pith.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong;

static void says(pith_ctx *ctx, pith_status st, const char *text)
{
    if (st != PITH_OK && strstr(pith_ctx_message(ctx), text) != NULL)
        return;
    (void)fprintf(stderr, "'%s' expected, not '%s'\n", text, pith_ctx_message(ctx));
    wrong = 1;
}

static void works(pith_ctx *ctx, pith_status st)
{
    if (st != PITH_OK)
        (void)fprintf(stderr, "%s\n", pith_ctx_message(ctx));
    wrong |= st != PITH_OK;
}

static pith_matrix *blobs(pith_ctx *ctx, int64_t n)
{
    pith_matrix *m = NULL;
    pith_blobs blobs = PITH_OPTIONS(pith_blobs);
    blobs.n = n;
    blobs.p = 20;
    blobs.clusters = 3;
    blobs.informative = 0.5;
    blobs.separation = 5;
    blobs.density = 1;
    works(ctx, pith_synth_blobs(ctx, &blobs, &m));
    return m;
}

static void reads(pith_ctx *ctx, const char *path)
{
    pith_matrix *m = NULL;
    works(ctx, pith_matrix_read(ctx, path, NULL, &m));
    pith_matrix_free(m);
}

static void files(pith_ctx *ctx, const pith_matrix *m)
{
    static const char *const packed[] = {"out.csv.gz", "out.mtx.gz", "out.svm.gz"};
    static const char *const plain[] = {"out.csv", "out.mtx", "out.svm", "out.mat", "out.npy"};
    pith_matrix *none = NULL;
    says(ctx, pith_matrix_read(ctx, "d.h5ad", NULL, &none), "d.h5ad: this build of pith has no HDF5");
    says(ctx, pith_matrix_read(ctx, "v73.mat", NULL, &none), "v73.mat: this build of pith has no HDF5");
    says(ctx, pith_matrix_read(ctx, "d.npz", NULL, &none), "d.npz: this build of pith has no libzip");
    says(ctx, pith_matrix_read(ctx, "packed.csv.gz", NULL, &none),
         "packed.csv.gz: this build of pith has no zlib");
    says(ctx, pith_matrix_read(ctx, "packed.mat", NULL, &none), "this build of pith has no zlib");
    says(ctx, pith_matrix_write(ctx, m, "out.h5ad"), "out.h5ad: this build of pith has no HDF5");
    says(ctx, pith_matrix_write(ctx, m, "out.npz"), "out.npz: this build of pith has no libzip");
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        char said[64];
        (void)snprintf(said, sizeof said, "%s: this build of pith has no zlib", packed[i]);
        says(ctx, pith_matrix_write(ctx, m, packed[i]), said);
    }
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        works(ctx, pith_matrix_write(ctx, m, plain[i]));
        reads(ctx, plain[i]);
    }
    reads(ctx, "plain.mat");
}

static void rest(pith_ctx *ctx, const pith_matrix *m)
{
    pith_matrix *none = NULL;
    pith_tree *tree = NULL;
    pith_comparison *c = NULL;
    pith_compare_options compare = PITH_OPTIONS(pith_compare_options);
    const char *const text = "some words";
    says(ctx, pith_prep_read(ctx, "d.jsonl", "text", NULL, &none), "this build of pith has no ");
    says(ctx, pith_prep_texts(ctx, 1, &text, NULL, NULL, &none), "this build of pith has no text reader");
    says(ctx, pith_tree_build(ctx, m, "wordnet", &tree), "wordnet");
    compare.methods = "variance";
    compare.restarts = 1;
    compare.resume = "r.json";
    says(ctx, pith_compare(ctx, m, &compare, &c), "this build of pith has no JSON reader");
    compare.resume = NULL;
    works(ctx, pith_compare(ctx, m, &compare, &c));
    works(ctx, pith_comparison_write(ctx, c, NULL, PITH_JSON, "/dev/null"));
    pith_comparison_free(c);
}

static void one_thread(pith_ctx *ctx)
{
    for (int threads = 0; threads < 10; threads += 8) {
        works(ctx, pith_ctx_set_threads(ctx, threads));
        if (pith_ctx_threads(ctx) == 1)
            continue;
        (void)fprintf(stderr, "%d threads of %d\n", pith_ctx_threads(ctx), threads);
        wrong = 1;
    }
}

static void scores(pith_ctx *ctx, const char *method, int64_t n)
{
    pith_matrix *m = blobs(ctx, n);
    pith_params *params = NULL;
    pith_result *r = NULL;
    works(ctx, pith_params_new(ctx, pith_method_find(method), &params));
    works(ctx, pith_run(ctx, m, params, &r));
    for (int64_t j = 0; r != NULL && j < pith_matrix_cols(m); j++)
        printf("%s %lld %a\n", method, (long long)j, pith_result_scores(r)[j]);
    pith_result_free(r);
    pith_params_free(params);
    pith_matrix_free(m);
}

int main(int argc, char **argv)
{
    pith_ctx *ctx = NULL;
    if (pith_ctx_new(&ctx) != PITH_OK)
        return 2;
    if (argc == 2 && strcmp(argv[1], "scores") == 0) {
        scores(ctx, "laplacian", 5000); /* sums of several blocks */
        scores(ctx, "ndfs", 300);
        scores(ctx, "mcfs", 300);
        scores(ctx, "evsc", 300);
    } else {
        pith_matrix *m = blobs(ctx, 60);
        one_thread(ctx);
        files(ctx, m);
        rest(ctx, m);
        pith_matrix_free(m);
    }
    pith_ctx_free(ctx);
    return wrong;
}
