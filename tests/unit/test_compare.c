/* What a comparison builds, how often, and how long it keeps it. */
#include "evaluate/comparison.h"
#include "methods/ensemble.h"
#include "unit/files.h"

enum { P = 12 };

/* Blobs without labels, so that their number of clusters is read off a graph. The caller frees *x. */
static pith_matrix *unlabelled(pith_ctx *ctx, int64_t n, double **x)
{
    const pith_blobs shape = {
        .n = n, .p = P, .clusters = 3, .informative = 0.5, .separation = 2, .density = 1};
    pith_matrix *blobs = NULL, *m = NULL;
    assert_ok(ctx, pith_synth_blobs(ctx, &shape, &blobs));
    *x = calloc((size_t)(n * P), sizeof **x);
    assert_non_null(*x);
    assert_ok(ctx, pith_matrix_get_rows(ctx, blobs, 0, n, *x));
    pith_matrix_free(blobs);
    assert_ok(ctx, pith_matrix_dense(ctx, n, P, PITH_F64, *x, P, 1, &m));
    return m;
}

static int64_t graphs_of(pith_ctx *ctx, const pith_matrix *m, const pith_compare_options *o)
{
    pith_comparison *c = NULL;
    assert_ok(ctx, pith_compare(ctx, m, o, &c));
    assert_string_equal(c->protocol.clusters_from, "eigengap");
    assert_true(c->map.count > 0);
    const int64_t graphs = c->graphs;
    pith_comparison_free(c);
    return graphs;
}

/* The number of clusters, laplacian and the judge of all features want the same graph; agreement and evidence
 * want the same ones of the halves; the map wants more neighbours, and kmeans-energy, which is always
 * compared, reads its clusters off z-scores. */
static void equal_graphs_are_built_once(void **state)
{
    static const char *const ten[] = {"neighbors=10", NULL};
    enum { JUDGE = 1, MAP = 1, ENERGY = 1, ALL = JUDGE + MAP + ENERGY + PITH_I_HALVES };
    pith_ctx *ctx = *state;
    double *x = NULL;
    pith_matrix *m = unlabelled(ctx, 80, &x);
    pith_compare_options o = {.methods = "laplacian", .features = "4", .restarts = 2};
    assert_int_equal(graphs_of(ctx, m, &o), ALL);
    o.clusterer = "spectral";
    assert_int_equal(graphs_of(ctx, m, &o), ALL);
    o.settings = ten; /* that of the map */
    assert_int_equal(graphs_of(ctx, m, &o), ALL);
    pith_matrix_free(m);
    free(x);
}

/* Every method with a graph at its own settings: each different graph once. */
static void methods_share_graphs_without_a_grid(void **state)
{
    pith_ctx *ctx = *state;
    double *x = NULL;
    pith_matrix *m = unlabelled(ctx, 60, &x);
    const pith_compare_options once = {.methods = "all", .features = "4", .restarts = 1},
                               twice = {.methods = "all,all", .features = "4", .restarts = 1};
    assert_int_equal(graphs_of(ctx, m, &once), graphs_of(ctx, m, &twice));
    pith_matrix_free(m);
    free(x);
}

static int64_t peak_of_grid(pith_ctx *ctx, const pith_matrix *m, int values)
{
    char grid[1024] = "t_factor=1";
    const char *const grids[] = {grid, NULL};
    const pith_compare_options o = {
        .methods = "laplacian", .features = "4", .restarts = 1, .clusters = 3, .grids = grids};
    pith_comparison *c = NULL;
    for (int i = 1; i < values; i++)
        (void)snprintf(grid + strlen(grid), sizeof grid - strlen(grid), ",%d", i + 1);
    const int64_t before = pith_i_peak_begin(ctx);
    assert_ok(ctx, pith_compare(ctx, m, &o, &c));
    const int64_t peak = pith_ctx_peak_bytes(ctx);
    pith_i_peak_end(ctx, before);
    assert_int_equal(c->n_entries, values + 3);
    pith_comparison_free(c);
    return peak;
}

static void graphs_of_a_grid_do_not_pile_up(void **state)
{
    pith_ctx *ctx = *state;
    double *x = NULL;
    pith_matrix *m = unlabelled(ctx, 1000, &x);
    const int64_t some = peak_of_grid(ctx, m, PITH_I_GRAPHS_KEPT + 4),
                  many = peak_of_grid(ctx, m, 4 * PITH_I_GRAPHS_KEPT), graph = (int64_t)1000 * 5 * 12;
    assert_true(many - some < graph); /* 32 more of them, at 60 kB at least */
    pith_matrix_free(m);
    free(x);
}

static void the_nets_asked_for_last_stay(void **state)
{
    enum { MANY = 2 * PITH_I_GRAPHS_KEPT };
    pith_ctx *ctx = *state;
    const size_t mark = pith_i_scratch_mark(ctx);
    double *x = NULL;
    pith_matrix *m = unlabelled(ctx, 60, &x);
    pith_i_graph_options o = {.weight = PITH_I_BINARY};
    pith_i_reuse reuse = {0};
    pith_i_cache cache = {0};
    pith_i_cached_graph *cached = NULL, *first = NULL;
    assert_ok(ctx, pith_i_cache_new(ctx, &m->data, &cache));
    for (o.neighbors = 1; o.neighbors <= MANY; o.neighbors++) {
        assert_ok(ctx, pith_i_cache_graph(ctx, &cache, VIEW_NONE, &o, &reuse, &cached));
        first = first == NULL ? cached : first;
    }
    assert_int_equal(cache.built, MANY); /* within a run none goes */
    o.neighbors = 1;
    assert_ok(ctx, pith_i_cache_graph(ctx, &cache, VIEW_NONE, &o, &reuse, &cached));
    assert_ptr_equal(cached, first);
    assert_int_equal(cache.built, MANY);
    pith_i_cache_trim(&cache);
    int64_t left = 0;
    for (cached = cache.graphs; cached != NULL; cached = cached->next)
        left++;
    assert_int_equal(left, PITH_I_GRAPHS_KEPT);
    assert_ok(ctx, pith_i_cache_graph(ctx, &cache, VIEW_NONE, &o, &reuse, &cached));
    assert_ptr_equal(cached, first);
    for (o.neighbors = MANY - PITH_I_GRAPHS_KEPT + 2; o.neighbors <= MANY; o.neighbors++)
        assert_ok(ctx, pith_i_cache_graph(ctx, &cache, VIEW_NONE, &o, &reuse, &cached));
    assert_int_equal(cache.built, MANY);
    o.neighbors = 2;
    assert_ok(ctx, pith_i_cache_graph(ctx, &cache, VIEW_NONE, &o, &reuse, &cached));
    assert_int_equal(cache.built, MANY + 1);
    pith_i_cache_free(&cache);
    pith_i_scratch_release(ctx, mark);
    pith_matrix_free(m);
    free(x);
}

static char *page_of(pith_ctx *ctx, const pith_comparison *c, size_t *size)
{
    assert_ok(ctx, pith_comparison_write(ctx, c, NULL, PITH_HTML, path_of("page.html")));
    FILE *f = fopen(path_of("page.html"), "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    *size = (size_t)ftell(f);
    rewind(f);
    char *text = calloc(*size + 1, 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, *size, f), *size);
    (void)fclose(f);
    return text;
}

/* A writer that looked at the samples would draw another map of other values. */
static void writing_a_page_computes_no_map(void **state)
{
    const pith_compare_options o = {.methods = "variance", .features = "4", .restarts = 2};
    enum { N = 60 };
    pith_ctx *ctx = *state;
    double *x = NULL;
    size_t size = 0, again = 0;
    pith_matrix *m = unlabelled(ctx, N, &x);
    pith_comparison *c = NULL;
    assert_ok(ctx, pith_compare(ctx, m, &o, &c));
    char *page = page_of(ctx, c, &size);
    for (int64_t e = 0; e < (int64_t)N * P; e++)
        x[e] = (double)(e * e % 101);
    char *other = page_of(ctx, c, &again);
    assert_non_null(strstr(page, "\"embedding\":{"));
    assert_int_equal(size, again);
    assert_memory_equal(page, other, size);
    free(other);
    free(page);
    pith_comparison_free(c);
    pith_matrix_free(m);
    free(x);
}

static void a_page_that_fails_leaves_none(void **state)
{
    const pith_compare_options o = {.methods = "variance", .features = "4", .restarts = 2};
    pith_ctx *ctx = *state;
    double *x = NULL;
    pith_matrix *m = unlabelled(ctx, 60, &x);
    pith_comparison *c = NULL;
    pith_status st = PITH_E_NOMEM;
    assert_ok(ctx, pith_compare(ctx, m, &o, &c));
    for (int64_t nth = 1; st != PITH_OK; nth++) {
        (void)pith_i_fail_allocation(ctx, nth);
        st = pith_comparison_write(ctx, c, NULL, PITH_HTML, path_of("failed.html"));
        (void)pith_i_fail_allocation(ctx, 0);
        assert_true(st == PITH_OK || st == PITH_E_NOMEM);
        assert_int_equal(access(path_of("failed.html"), F_OK) == 0, st == PITH_OK);
        assert_true(nth < 1000);
    }
    pith_comparison_free(c);
    pith_matrix_free(m);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(equal_graphs_are_built_once),     TEST(methods_share_graphs_without_a_grid),
        TEST(graphs_of_a_grid_do_not_pile_up), TEST(the_nets_asked_for_last_stay),
        TEST(writing_a_page_computes_no_map),  TEST(a_page_that_fails_leaves_none),
    };
    return cmocka_run_group_tests_name("compare", tests, make_folder, remove_folder);
}
