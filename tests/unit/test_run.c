#include "matrix/matrix.h"
#include "select/result.h"
#include "unit/tables.h"

enum { N = 60, P = 9 };

/* Three clusters in the first columns, noise in the others; column 4 is constant. */
static double *make_table(pith_ctx *ctx, bool counts)
{
    double *x = random_table(ctx, N, P, 1, 6);
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < P; j++) {
            double *v = &x[i * P + j];
            *v = j < 3 ? *v / 64 + 16 * (i % 3 == j) : *v / 8;
            if (counts)
                *v = (i + j) % 3 == 0 && i % 3 != j ? fabs(*v) : j < 3 && i % 3 == j ? 16 : 0;
            if (j == 4)
                *v = counts ? 0 : 2.5;
        }
    return x;
}

static pith_matrix *make_matrix(pith_ctx *ctx, const double *x, form f)
{
    const pith_i_data X = as_form(ctx, x, N, P, f, PITH_F64);
    pith_matrix *m = NULL;
    assert_ok(ctx, pith_i_matrix_new(ctx, &m));
    m->data = X;
    return m;
}

static void set_labels(pith_ctx *ctx, pith_matrix *m)
{
    const char *labels[N];
    for (int i = 0; i < N; i++)
        labels[i] = i % 3 == 0 ? "a" : i % 3 == 1 ? "b" : "c";
    assert_ok(ctx, pith_matrix_set_labels(ctx, m, labels));
}

/* ---- A method that looks at what it is given ----------------------------------------------------- */

typedef struct looker {
    pith_i_shared shared;
} looker;

static struct {
    bool labels, graph, transposed, shifted, order;
    int32_t classes;
    double first;    /* element (0, 0) of X */
    double *scratch; /* taken and not given back: the run must clean up */
} saw;

static pith_status look(pith_ctx *ctx, const pith_i_input *in, const void *params, double *score)
{
    pith_status st = PITH_OK;
    (void)params;
    saw.labels = in->labels != NULL;
    saw.classes = in->classes;
    saw.graph = in->graph != NULL;
    saw.transposed = in->T != NULL;
    saw.shifted = in->shift != NULL;
    saw.first = value_at(in->X, 0, 0);
    TRY(SCRATCH(ctx, saw.scratch, 10));
    for (int64_t j = 0; j < in->p; j++)
        score[j] = (double)(j * 5 % in->p);
    for (int64_t j = 0; saw.order && j < in->p; j++)
        in->order[j] = j;
    *in->ordered = saw.order;
    pith_i_fact(in->facts, "answer", 42);
done:
    return st;
}

static const pith_i_param looker_table[] = {GRAPH_PARAMS(looker, 5, WEIGHT_HEAT), STANDARDIZE_PARAM(looker)};

#define LOOKER(called, what, sign)                                                                           \
    {                                                                                                        \
        .name = (called), .needs = (what), .better = (sign), .dense_view = VIEW_ZSCORE,                      \
        .counts_view = VIEW_TFIDF, .table = looker_table, .n_table = COUNT(looker_table),                    \
        .params_size = sizeof(looker), .score = look                                                         \
    }
static const pith_method plain = LOOKER("plain", 0, HIGHER), turned = LOOKER("turned", 0, LOWER),
                         graphed = LOOKER("graphed", NEEDS_GRAPH, HIGHER),
                         supervised = LOOKER("supervised", NEEDS_LABELS, HIGHER);

/* Runs a method with up to three settings; the caller frees the result. */
static pith_status run(pith_ctx *ctx, const pith_matrix *m, const pith_method *method,
                       const char *const settings[][2], size_t count, pith_result **out)
{
    pith_params *params = NULL;
    pith_status st = PITH_OK;
    TRY(pith_params_new(ctx, method, &params));
    if (pith_method_needs_tree(method))
        TRY(pith_params_set(ctx, params, "tree", "root"));
    for (size_t s = 0; s < count; s++)
        TRY(pith_params_set(ctx, params, settings[s][0], settings[s][1]));
    TRY(pith_run(ctx, m, params, out));
done:
    pith_params_free(params);
    return st;
}

static void assert_became(pith_ctx *ctx, const pith_result *r, const char *name, const char *want)
{
    char text[64];
    assert_ok(ctx, pith_params_get(ctx, pith_result_params(r), name, text, sizeof text));
    assert_string_equal(text, want);
}

static void labels_reach_no_method_that_does_not_ask_for_them(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = make_matrix(ctx, make_table(ctx, false), ROW_MAJOR);
    pith_result *r = NULL;
    assert_int_equal(run(ctx, m, &supervised, NULL, 0, &r), PITH_E_DATA);
    assert_string_equal(pith_ctx_message(ctx),
                        "supervised is supervised and needs labels; the data has none");
    set_labels(ctx, m);
    assert_ok(ctx, run(ctx, m, &supervised, NULL, 0, &r));
    assert_true(saw.labels);
    assert_int_equal(saw.classes, 3);
    pith_result_free(r);
    assert_ok(ctx, run(ctx, m, &plain, NULL, 0, &r));
    assert_false(saw.labels);
    assert_int_equal(saw.classes, 0);
    assert_false(saw.graph);
    pith_result_free(r);
    pith_matrix_free(m);
    pith_i_scratch_release(ctx, 0);
}

static void labels_change_no_bit_of_an_unsupervised_result(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = make_matrix(ctx, make_table(ctx, false), ROW_MAJOR);
    pith_result *without[32] = {NULL}, *with = NULL;
    for (size_t i = 0; pith_method_at(i) != NULL; i++)
        if (!pith_method_needs_labels(pith_method_at(i)) && !pith_method_at(i)->counts_only)
            assert_ok(ctx, run(ctx, m, pith_method_at(i), NULL, 0, &without[i]));
    set_labels(ctx, m);
    for (size_t i = 0; pith_method_at(i) != NULL; i++) {
        if (without[i] == NULL)
            continue;
        assert_ok(ctx, run(ctx, m, pith_method_at(i), NULL, 0, &with));
        assert_memory_equal(pith_result_scores(with), pith_result_scores(without[i]), P * sizeof(double));
        pith_result_free(with);
        pith_result_free(without[i]);
    }
    pith_matrix_free(m);
    pith_i_scratch_release(ctx, 0);
}

static void what_auto_became_is_told_and_the_caller_s_settings_stay(void **state)
{
    pith_ctx *ctx = *state;
    static const struct {
        bool counts;
        const char *standardize, *view, *metric;
    } known[] = {{false, "auto", "zscore", "euclidean"},
                 {true, "auto", "tfidf", "euclidean"},
                 {false, "none", "none", "euclidean"},
                 {true, "none", "none", "cosine"},
                 {true, "minmax", "minmax", "euclidean"}};
    for (size_t t = 0; t < COUNT(known); t++) {
        pith_matrix *m = make_matrix(ctx, make_table(ctx, known[t].counts), ROW_MAJOR);
        pith_params *params = NULL;
        pith_result *r = NULL;
        char text[64];
        assert_ok(ctx, pith_params_new(ctx, &graphed, &params));
        assert_ok(ctx, pith_params_set(ctx, params, "standardize", known[t].standardize));
        assert_ok(ctx, pith_params_set(ctx, params, "neighbors", "1000"));
        assert_ok(ctx, pith_run(ctx, m, params, &r));
        assert_became(ctx, r, "standardize", known[t].view);
        assert_became(ctx, r, "metric", known[t].metric);
        assert_became(ctx, r, "neighbors", "59"); /* all the others */
        assert_ok(ctx, pith_params_get(ctx, params, "standardize", text, sizeof text));
        assert_string_equal(text, known[t].standardize);
        assert_ok(ctx, pith_params_get(ctx, params, "neighbors", text, sizeof text));
        assert_string_equal(text, "1000");
        pith_result_free(r);
        pith_params_free(params);
        pith_matrix_free(m);
    }
    pith_i_scratch_release(ctx, 0);
}

static void the_number_of_clusters_is_read_off_the_graph(void **state)
{
    pith_ctx *ctx = *state;
    static const char *const given[][2] = {{"neighbors", "15"}, {"clusters", "7"}};
    pith_matrix *m = make_matrix(ctx, make_table(ctx, false), ROW_MAJOR);
    pith_result *r = NULL;
    double *x = (double *)(uintptr_t)m->data.x; /* ours: nothing but the three clusters */
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 3; j < P; j++)
            x[i * P + j] = x[i * P + j % 3];
    assert_ok(ctx, run(ctx, m, pith_method_find("spec"), given, 1, &r));
    assert_became(ctx, r, "clusters", "3");
    pith_result_free(r);
    assert_ok(ctx, run(ctx, m, pith_method_find("spec"), given, 2, &r));
    assert_became(ctx, r, "clusters", "7");
    pith_result_free(r);
    pith_matrix_free(m);
    pith_i_scratch_release(ctx, 0);
}

static void facts_are_those_of_the_graph_and_of_the_method(void **state)
{
    pith_ctx *ctx = *state;
    static const char *const binary[][2] = {{"weight", "binary"}};
    pith_matrix *m = make_matrix(ctx, make_table(ctx, false), COLUMN_MAJOR);
    pith_result *r = NULL;
    assert_ok(ctx, run(ctx, m, &graphed, NULL, 0, &r));
    assert_true(saw.graph);
    assert_true(fact_of(r, "graph_components") >= 1);
    assert_true(fact_of(r, "isolated_samples") == 0);
    assert_true(fact_of(r, "heat_width") > 0);
    assert_true(fact_of(r, "answer") == 42);
    pith_result_free(r);
    assert_ok(ctx, run(ctx, m, &graphed, binary, 1, &r));
    assert_false(find_fact(r, "heat_width", NULL)); /* there is none */
    pith_result_free(r);
    assert_ok(ctx, run(ctx, m, &plain, NULL, 0, &r));
    assert_false(find_fact(r, "graph_components", NULL));
    pith_result_free(r);
    pith_matrix_free(m);
    pith_i_scratch_release(ctx, 0);
}

static void scores_become_higher_is_better_and_constants_get_none(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = make_matrix(ctx, make_table(ctx, false), ROW_MAJOR);
    static const int64_t up[P] = {7, 5, 3, 1, 8, 6, 2, 0, 4}, down[P] = {0, 2, 6, 8, 1, 3, 5, 7, 4};
    pith_result *r = NULL;
    for (int lower = 0; lower < 2; lower++) {
        assert_ok(ctx, run(ctx, m, lower ? &turned : &plain, NULL, 0, &r));
        assert_int_equal(pith_result_features(r), P);
        for (int64_t j = 0; j < P; j++)
            assert_true(j == 4 ? isnan(pith_result_scores(r)[j])
                               : pith_result_scores(r)[j] == (lower ? -1 : 1) * (double)(j * 5 % P));
        assert_memory_equal(pith_result_ranking(r), lower ? down : up, sizeof up);
        pith_result_free(r);
    }
    saw.order = true; /* the method's own order, constants still last */
    assert_ok(ctx, run(ctx, m, &plain, NULL, 0, &r));
    saw.order = false;
    assert_memory_equal(pith_result_ranking(r), ((int64_t[]){0, 1, 2, 3, 5, 6, 7, 8, 4}), sizeof up);
    pith_result_free(r);
    pith_matrix_free(m);
    pith_i_scratch_release(ctx, 0);
}

static void a_method_sees_its_view_and_the_data_stays(void **state)
{
    pith_ctx *ctx = *state;
    static const char *const views[][1][2] = {
        {{"standardize", "none"}}, {{"standardize", "center"}}, {{"standardize", "zscore"}}};
    const double *x = make_table(ctx, false);
    for (int f = 0; f < FORMS; f++)
        for (size_t v = 0; v < COUNT(views); v++) {
            pith_matrix *m = make_matrix(ctx, x, (form)f);
            pith_result *r = NULL;
            assert_ok(ctx, run(ctx, m, &plain, views[v], 1, &r));
            assert_int_equal(saw.transposed, m->data.sparse);
            assert_int_equal(saw.shifted, m->data.sparse && v > 0);
            assert_true(v > 0 || saw.first == x[0]);
            assert_is_table(&m->data, N, P, x);
            pith_result_free(r);
            pith_matrix_free(m);
        }
    pith_i_scratch_release(ctx, 0);
}

static void unfit_data_is_refused_with_the_reason(void **state)
{
    pith_ctx *ctx = *state;
    static const char *const centred_cosine[][2] = {{"standardize", "zscore"}, {"metric", "cosine"}};
    static const double constant[6] = {1, 2, 1, 2, 1, 2}, bad[6] = {1, 2, 3, 4, (double)NAN, 6};
    static const double large[6] = {1, 1e200, 2, -1e200, 3, 1e200}, small[6] = {1e-200, 1, 2e-200, 2, 0, 3};
    const struct {
        int64_t n, p;
        const double *x;
        const char *why;
    } unfit[] = {
        {1, 2, constant, "1 samples x 2 features: at least 2 samples"},
        {0, 2, constant, "0 samples x 2 features"},
        {3, 0, constant, "3 samples x 0 features"},
        {3, 2, constant, "every feature is constant"},
        {3, 2, large, "column 2 (counted from 1) has values too large"},
        {3, 2, small, "column 1 (counted from 1) has values too small"},
        {3, 2, bad, "row 3, column 1 (counted from 1) is NaN or infinite"},
    };
    pith_matrix *m = NULL;
    pith_result *r = NULL;
    for (size_t t = 0; t < COUNT(unfit); t++) {
        assert_ok(ctx, pith_matrix_dense(ctx, unfit[t].n, unfit[t].p, PITH_F64, unfit[t].x, 2, 1, &m));
        assert_int_equal(run(ctx, m, &graphed, NULL, 0, &r), PITH_E_DATA);
        if (strstr(pith_ctx_message(ctx), unfit[t].why) == NULL)
            fail_msg("%s", pith_ctx_message(ctx));
        pith_matrix_free(m);
    }
    m = make_matrix(ctx, make_table(ctx, true), CSR);
    assert_int_equal(run(ctx, m, &graphed, centred_cosine, 2, &r), PITH_E_PARAMETER);
    assert_non_null(strstr(pith_ctx_message(ctx), "would make sparse data dense"));
    assert_int_equal(pith_run(ctx, m, NULL, &r), PITH_E_ARGUMENT);
    assert_null(r);
    pith_matrix_free(m);
    pith_i_scratch_release(ctx, 0);
}

static void a_run_tells_its_own_peak_and_leaves_the_context_s(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = make_matrix(ctx, make_table(ctx, false), ROW_MAJOR);
    pith_result *r = NULL;
    pith_i_free(pith_i_alloc(ctx, 100000000, 1)); /* long ago, and not the run's */
    assert_ok(ctx, run(ctx, m, &plain, NULL, 0, &r));
    assert_in_range(pith_result_peak_bytes(r), N * P * 8, 100 * N * P * 8); /* a view in double, at least */
    assert_true(pith_ctx_peak_bytes(ctx) >= 100000000);
    assert_true(pith_result_seconds(r) >= 0);
    pith_result_free(r);
    pith_matrix_free(m);
    pith_i_scratch_release(ctx, 0);
}

typedef struct stopper {
    int calls, stop_at;
} stopper;

static bool stop_at(double done, const char *what, void *user)
{
    stopper *s = user;
    return done >= 0 && done <= 1 && what != NULL && ++s->calls != s->stop_at;
}

/* At the first report, at the second, ...: each leaves nothing behind, and the next run is whole. */
static void a_run_can_be_stopped_at_every_report(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = make_matrix(ctx, make_table(ctx, false), ROW_MAJOR);
    const int64_t held = pith_i_bytes_in_use(ctx);
    pith_result *r = NULL;
    int stopped = 0;
    for (bool done = false; !done; stopped++) {
        stopper s = {.stop_at = stopped + 1};
        pith_ctx_set_progress(ctx, stop_at, &s);
        const pith_status st = run(ctx, m, pith_method_find("spec"), NULL, 0, &r);
        pith_ctx_set_progress(ctx, NULL, NULL);
        done = s.calls < s.stop_at;
        assert_int_equal(st, done ? PITH_OK : PITH_E_STOPPED);
        if (!done)
            assert_int_equal(pith_i_bytes_in_use(ctx), held);
    }
    assert_true(stopped > 3); /* preparing, graph, scoring: each asks at least once */
    pith_result_free(r);
    pith_matrix_free(m);
    pith_i_scratch_release(ctx, 0);
}

/* Different contexts on one matrix, which nobody writes. */
static void several_threads_run_at_once(void **state)
{
    pith_ctx *ctx = *state;
    enum { RUNS = 6 };
    static const char *const names[] = {"variance", "laplacian", "spec"};
    pith_matrix *dense = make_matrix(ctx, make_table(ctx, false), ROW_MAJOR);
    pith_matrix *sparse = make_matrix(ctx, make_table(ctx, true), CSR);
    pith_result *alone[RUNS] = {NULL}, *together[RUNS] = {NULL};
    int bad = 0;
    for (int t = 0; t < RUNS; t++)
        assert_ok(ctx, run(ctx, t % 2 ? sparse : dense, pith_method_find(names[t / 2]), NULL, 0, &alone[t]));
#pragma omp parallel for num_threads(RUNS) schedule(static, 1) reduction(+ : bad)
    for (int t = 0; t < RUNS; t++) {
        pith_ctx *own = NULL;
        bad += pith_ctx_new(&own) != PITH_OK;
        bad += run(own, t % 2 ? sparse : dense, pith_method_find(names[t / 2]), NULL, 0, &together[t]) !=
               PITH_OK;
        pith_ctx_free(own); /* its result lives on */
    }
    assert_int_equal(bad, 0);
    for (int t = 0; t < RUNS; t++) {
        assert_memory_equal(together[t]->score, alone[t]->score, P * sizeof(double));
        assert_memory_equal(together[t]->ranking, alone[t]->ranking, P * sizeof(int64_t));
        pith_result_free(together[t]);
        pith_result_free(alone[t]);
    }
    pith_matrix_free(dense);
    pith_matrix_free(sparse);
    pith_i_scratch_release(ctx, 0);
}

static pith_status run_once(pith_ctx *ctx, void *arg)
{
    pith_result *r = NULL;
    const pith_status st = run(ctx, arg, &graphed, NULL, 0, &r);
    pith_result_free(r);
    return st;
}

static void failing_allocations_are_survived(void **state)
{
    pith_ctx *ctx = *state;
    for (int sparse = 0; sparse < 2; sparse++) {
        pith_matrix *m = make_matrix(ctx, make_table(ctx, sparse), sparse ? CSR : ROW_MAJOR);
        assert_survives_failing_allocations(ctx, run_once, m, 20);
        pith_matrix_free(m);
    }
    pith_i_scratch_release(ctx, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(labels_reach_no_method_that_does_not_ask_for_them),
        TEST(labels_change_no_bit_of_an_unsupervised_result),
        TEST(what_auto_became_is_told_and_the_caller_s_settings_stay),
        TEST(the_number_of_clusters_is_read_off_the_graph),
        TEST(facts_are_those_of_the_graph_and_of_the_method),
        TEST(scores_become_higher_is_better_and_constants_get_none),
        TEST(a_method_sees_its_view_and_the_data_stays),
        TEST(unfit_data_is_refused_with_the_reason),
        TEST(a_run_tells_its_own_peak_and_leaves_the_context_s),
        TEST(a_run_can_be_stopped_at_every_report),
        TEST(several_threads_run_at_once),
        TEST(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests_name("run", tests, NULL, NULL);
}
