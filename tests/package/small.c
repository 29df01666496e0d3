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

static void put(const char *name, const char *text)
{
    FILE *f = fopen(name, "w");
    wrong |= f == NULL || fputs(text, f) < 0 || fclose(f) != 0;
}

/* WordNet with three words: animal > dog, cat. A line of data begins with its own offset. */
static void dictionary(void)
{
    static const char *const words[] = {"animal", "dog", "cat"};
    static const char licence[] = "  1 licence\n";
    char data[1024], index[1024] = "";
    size_t at = (size_t)snprintf(data, sizeof data, "%s", licence), entry = 0, top = at;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        entry +=
            (size_t)snprintf(index + entry, sizeof index - entry, "%s n 1 2 @ ~ 1 1 %08zu  \n", words[i], at);
        at += (size_t)snprintf(data + at, sizeof data - at, "%08zu 03 n 01 %s 0 00%d ~ 00000000 n 0000", at,
                               words[i], i > 0 ? 2 : 1);
        if (i > 0)
            at += (size_t)snprintf(data + at, sizeof data - at, " @ %08zu n 0000", top);
        at += (size_t)snprintf(data + at, sizeof data - at, " | a gloss  \n");
    }
    put("index.noun", index);
    put("data.noun", data);
    put("noun.exc", "geese goose\n");
    put("index.verb", licence);
    put("data.verb", licence);
    put("verb.exc", "ran run\n");
}

/* By words as they are: stems need libstemmer. */
static void is_wordnet(pith_ctx *ctx, const pith_matrix *m, const char *recipe)
{
    pith_tree *tree = NULL;
    works(ctx, pith_tree_build(ctx, m, recipe, &tree));
    if (tree == NULL || strncmp(pith_tree_label(tree, 1), "animal", 6) != 0 ||
        strstr(pith_tree_remark(tree, 0), "no libstemmer") == NULL) {
        (void)fprintf(stderr, "the tree '%s' is not WordNet's\n", recipe);
        wrong = 1;
    }
    pith_tree_free(tree);
}

static void trees(pith_ctx *ctx, pith_matrix *m)
{
    static const char *const words[] = {"dog", "cat", "animal", "xyzzy"};
    const char *names[20];
    pith_tree *tree = NULL;
    for (size_t j = 0; j < sizeof names / sizeof *names; j++)
        names[j] = words[j % 4];
    works(ctx, pith_matrix_set_feature_names(ctx, m, names));
    dictionary();
    wrong |= setenv("WNSEARCHDIR", ".", 1) != 0;
    is_wordnet(ctx, m, "auto");
    is_wordnet(ctx, m, "wordnet");
    says(ctx, pith_tree_build(ctx, m, "wordnet:stemmed=yes", &tree),
         "wordnet: this build of pith has no text reader");
}

static void rest(pith_ctx *ctx, const pith_matrix *m)
{
    pith_matrix *none = NULL;
    pith_comparison *c = NULL;
    pith_compare_options compare = PITH_OPTIONS(pith_compare_options);
    const char *const text = "some words";
    says(ctx, pith_prep_read(ctx, "d.jsonl", "text", NULL, &none), "this build of pith has no ");
    says(ctx, pith_prep_texts(ctx, 1, &text, NULL, NULL, &none), "this build of pith has no text reader");
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
        trees(ctx, m);
        pith_matrix_free(m);
    }
    pith_ctx_free(ctx);
    return wrong;
}
