/* What a build without HDF5, libzip, jansson, utf8proc and libstemmer says of them; and that it ranks. */
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

/* argv: a .h5ad, a .mat of version 7.3, a .npz, a .jsonl, a .json to resume from, a .csv to write */
int main(int argc, char **argv)
{
    pith_ctx *ctx = NULL;
    pith_matrix *m = NULL, *other = NULL;
    pith_params *params = NULL;
    pith_result *r = NULL;
    pith_comparison *c = NULL;
    pith_tree *tree = NULL;
    pith_blobs blobs = PITH_OPTIONS(pith_blobs);
    pith_compare_options compare = PITH_OPTIONS(pith_compare_options);
    const char *const text = "some words";
    if (argc != 7 || pith_ctx_new(&ctx) != PITH_OK)
        return 2;
    blobs.n = 60;
    blobs.p = 8;
    blobs.clusters = 3;
    blobs.informative = 0.5;
    blobs.separation = 5;
    blobs.density = 1;
    works(ctx, pith_synth_blobs(ctx, &blobs, &m));
    says(ctx, pith_matrix_read(ctx, argv[1], NULL, &other), ".h5ad: this build of pith has no HDF5");
    says(ctx, pith_matrix_read(ctx, argv[2], NULL, &other), ".mat: this build of pith has no HDF5");
    says(ctx, pith_matrix_read(ctx, argv[3], NULL, &other), ".npz: this build of pith has no libzip");
    says(ctx, pith_matrix_write(ctx, m, "out.h5ad"), "out.h5ad: this build of pith has no HDF5");
    says(ctx, pith_matrix_write(ctx, m, "out.npz"), "out.npz: this build of pith has no libzip");
    says(ctx, pith_prep_read(ctx, argv[4], "text", NULL, &other), "this build of pith has no ");
    says(ctx, pith_prep_texts(ctx, 1, &text, NULL, NULL, &other), "this build of pith has no text reader");
    says(ctx, pith_tree_build(ctx, m, "wordnet", &tree), "wordnet");
    compare.methods = "variance";
    compare.restarts = 1;
    compare.resume = argv[5];
    says(ctx, pith_compare(ctx, m, &compare, &c), "this build of pith has no JSON reader");
    compare.resume = NULL;
    works(ctx, pith_compare(ctx, m, &compare, &c));
    works(ctx, pith_comparison_write(ctx, c, NULL, PITH_JSON, "/dev/null"));
    works(ctx, pith_params_new(ctx, pith_method_find("ndfs"), &params));
    works(ctx, pith_run(ctx, m, params, &r));
    works(ctx, pith_matrix_write(ctx, m, argv[6]));
    works(ctx, pith_matrix_read(ctx, argv[6], NULL, &other));
    pith_matrix_free(other);
    pith_comparison_free(c);
    pith_result_free(r);
    pith_params_free(params);
    pith_matrix_free(m);
    pith_ctx_free(ctx);
    return wrong;
}
