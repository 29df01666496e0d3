/*
 * Ranks features in a program that has a life of its own: it limits threads and memory, stops on Ctrl-C, and
 * asks for q-values, which say how many features are more than chance.
 *
 *     cc control.c $(pkg-config --cflags --libs pith) -o control && ./control
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>

#include <pith.h>

static volatile sig_atomic_t stop_asked;

static void ask_to_stop(int number)
{
    (void)number;
    stop_asked = 1;
}

/* Called by the library now and then, in the thread that called it. */
static bool go_on(double done, const char *what, void *user)
{
    (void)done, (void)what, (void)user; /* for a progress bar */
    return !stop_asked;
}

static void print_note(const char *text, void *user)
{
    (void)fprintf(user, "note: %s\n", text);
}

/* 300 samples in three groups, 40 features, 12 of which differ between the groups. */
static pith_status make(pith_ctx *ctx, pith_matrix **out)
{
    pith_blobs blobs = PITH_OPTIONS(pith_blobs);
    blobs.n = 300;
    blobs.p = 40;
    blobs.clusters = 3;
    blobs.informative = 0.3;
    blobs.separation = 3;
    blobs.density = 1;
    return pith_synth_blobs(ctx, &blobs, out);
}

static pith_status rank(pith_ctx *ctx)
{
    pith_matrix *matrix = NULL;
    pith_params *params = NULL;
    pith_result *result = NULL;
    pith_status st = make(ctx, &matrix);
    if (st == PITH_OK)
        st = pith_params_new(ctx, pith_method_find("laplacian"), &params);
    if (st == PITH_OK)
        st = pith_params_set_int(ctx, params, "neighbors", 7);
    if (st == PITH_OK)
        st = pith_params_set_choice(ctx, params, "evidence", "groups");
    if (st == PITH_OK)
        st = pith_run(ctx, matrix, params, &result);
    if (st == PITH_OK) {
        int64_t best[40]; /* room for all features */
        const int64_t count = pith_result_called(result, 0.05, best);
        printf("%" PRId64 " features with q at most 0.05:", count);
        for (int64_t i = 0; i < count; i++)
            printf(" %s", pith_matrix_feature_name(matrix, best[i]));
        printf("\n");
        if (pith_result_warning(result) != NULL)
            printf("warning: %s\n", pith_result_warning(result));
    }
    pith_result_free(result);
    pith_params_free(params);
    pith_matrix_free(matrix);
    return st;
}

int main(void)
{
    pith_ctx *ctx = NULL;
    pith_status st = pith_ctx_new(&ctx);
    (void)signal(SIGINT, ask_to_stop);
    pith_ctx_set_progress(ctx, go_on, NULL);
    pith_ctx_set_note(ctx, print_note, stderr);
    if (st == PITH_OK)
        st = pith_ctx_set_threads(ctx, 2);
    if (st == PITH_OK)
        st = pith_ctx_set_memory(ctx, 500 * 1000 * 1000);
    if (st == PITH_OK)
        st = rank(ctx);
    if (st != PITH_OK)
        (void)fprintf(stderr, "%s: %s\n", pith_strerror(st), pith_ctx_message(ctx));
    pith_ctx_free(ctx);
    return st == PITH_OK ? 0 : st == PITH_E_STOPPED ? 130 : 1;
}
