#include "core/parallel.h"
#include "unit/support.h"

#include <omp.h>
#include <stdio.h>

static void every_status_has_a_text_of_its_own(void **state)
{
    (void)state;
    static const pith_status all[] = {PITH_OK,          PITH_E_NOMEM,   PITH_E_ARGUMENT,
                                      PITH_E_PARAMETER, PITH_E_DATA,    PITH_E_FILE,
                                      PITH_E_NUMERIC,   PITH_E_STOPPED, PITH_E_BUG};
    for (size_t a = 0; a < COUNT(all); a++)
        for (size_t b = 0; b < a; b++)
            assert_string_not_equal(pith_strerror(all[a]), pith_strerror(all[b]));
    assert_string_equal(pith_strerror(PITH_E_NOMEM), "out of memory");
    assert_string_equal(pith_strerror((pith_status)-55), "unknown status");
}

static void the_version_is_that_of_the_header(void **state)
{
    (void)state;
    char text[64];
    (void)snprintf(text, sizeof text, "%d.%d.%d", PITH_VERSION_MAJOR, PITH_VERSION_MINOR, PITH_VERSION_PATCH);
    assert_string_equal(pith_version(), text);
    assert_int_equal(pith_version_number(), PITH_VERSION_NUMBER);
    assert_int_equal(PITH_VERSION_NUMBER / 1000 % 1000, PITH_VERSION_MINOR);
}

static void a_context_starts_empty(void **state)
{
    pith_ctx *ctx = *state;
    assert_string_equal(pith_ctx_message(ctx), "");
    assert_int_equal(pith_ctx_seed(ctx), 1);
    assert_int_equal(pith_ctx_threads(ctx), omp_get_max_threads());
    assert_int_equal(pith_ctx_peak_bytes(ctx), 0);
    assert_int_equal(pith_ctx_new(NULL), PITH_E_ARGUMENT);
}

static void no_context_is_no_crash(void **state)
{
    (void)state;
    pith_ctx_free(NULL);
    assert_string_equal(pith_ctx_message(NULL), "");
    assert_int_equal(pith_ctx_seed(NULL), 1);
    assert_true(pith_ctx_threads(NULL) >= 1);
    assert_int_equal(pith_ctx_set_threads(NULL, 1), PITH_E_ARGUMENT);
    assert_int_equal(pith_ctx_set_engine(NULL, "local"), PITH_E_ARGUMENT);
    assert_string_equal(pith_ctx_engine(NULL), "local");
    assert_int_equal(pith_ctx_engine_promises(NULL), 3);
    pith_ctx_set_seed(NULL, 5);
    pith_ctx_set_progress(NULL, NULL, NULL);
    assert_int_equal(pith_i_error(NULL, PITH_E_DATA, "nobody listens"), PITH_E_DATA);
}

static void the_seed_takes_all_64_bits(void **state)
{
    pith_ctx *ctx = *state;
    pith_ctx_set_seed(ctx, UINT64_MAX);
    assert_true(pith_ctx_seed(ctx) == UINT64_MAX);
}

static void threads_are_set_and_checked(void **state)
{
    pith_ctx *ctx = *state;
    assert_ok(ctx, pith_ctx_set_threads(ctx, 3));
    assert_int_equal(pith_ctx_threads(ctx), 3);
    assert_int_equal(pith_ctx_set_threads(ctx, -1), PITH_E_ARGUMENT);
    assert_non_null(strstr(pith_ctx_message(ctx), "not -1"));
    assert_int_equal(pith_ctx_set_threads(ctx, 4097), PITH_E_ARGUMENT);
    assert_int_equal(pith_ctx_threads(ctx), 3);
    assert_ok(ctx, pith_ctx_set_threads(ctx, 0));
    assert_int_equal(pith_ctx_threads(ctx), omp_get_max_threads());
}

/* OpenBLAS built on OpenMP sets OpenMP's number to 1 while we hold it to one thread. */
static void all_cores_stay_all_cores_whatever_openmp_is_told_later(void **state)
{
    pith_ctx *ctx = *state;
    const int before = omp_get_max_threads();
    omp_set_num_threads(before + 3);
    const int seen = pith_ctx_threads(ctx);
    omp_set_num_threads(before);
    assert_int_equal(seen, before);
}

static void a_message_is_one_line_and_cut_to_fit(void **state)
{
    pith_ctx *ctx = *state;
    char *longer = pith_i_alloc(ctx, 5000, 1);
    memset(longer, 'x', 4999);
    longer[4999] = '\0';
    assert_int_equal(pith_i_error(ctx, PITH_E_DATA, "a.csv:%d: '%s'", 17, "b\n\033[31m\x7F\xC3\xA9"),
                     PITH_E_DATA);
    assert_string_equal(pith_ctx_message(ctx), "a.csv:17: 'b??[31m?\xC3\xA9'");
    (void)pith_i_error(ctx, PITH_E_DATA, "%s", longer);
    assert_in_range(strlen(pith_ctx_message(ctx)), 500, 4998);
    (void)pith_i_error(ctx, PITH_E_DATA, "short");
    assert_string_equal(pith_ctx_message(ctx), "short");
    pith_i_free(longer);
}

static void a_message_may_quote_the_one_before(void **state)
{
    pith_ctx *ctx = *state;
    (void)pith_i_error(ctx, PITH_E_FILE, "no such file");
    (void)pith_i_error(ctx, PITH_E_FILE, "labels: %s, %s", pith_ctx_message(ctx), pith_ctx_message(ctx));
    assert_string_equal(pith_ctx_message(ctx), "labels: no such file, no such file");
}

static void bytes_are_shown_in_the_unit_that_fits(void **state)
{
    (void)state;
    static const struct {
        int64_t bytes;
        const char *text;
    } known[] = {{0, "0 B"},          {999, "999 B"},         {1000, "1.0 kB"},
                 {1540000, "1.5 MB"}, {2000000000, "2.0 GB"}, {INT64_MAX, "9.2 EB"}};
    char text[32];
    for (size_t t = 0; t < COUNT(known); t++)
        assert_string_equal(pith_i_bytes_text(known[t].bytes, text), known[t].text);
}

typedef struct listener {
    int calls, stop_at;
    double last;
    const char *what;
    bool fell; /* progress went back */
} listener;

static bool listen(double done, const char *what, void *user)
{
    listener *l = user;
    l->fell = l->fell || done < l->last;
    l->last = done;
    l->what = what;
    return ++l->calls != l->stop_at;
}

static void wait_for(double seconds)
{
    for (const double start = pith_i_seconds(); pith_i_seconds() - start < seconds;) {
    }
}

static void every_stage_is_told_and_progress_lies_in_it(void **state)
{
    pith_ctx *ctx = *state;
    listener l = {0};
    pith_ctx_set_progress(ctx, listen, &l);
    assert_ok(ctx, pith_i_progress_stage(ctx, "counting", 0.2, 0.6));
    assert_int_equal(l.calls, 1);
    assert_near(l.last, 0.2, 1e-15);
    assert_string_equal(l.what, "counting");
    assert_ok(ctx, pith_i_progress_stage(ctx, "weighing", 0.6, 1));
    assert_int_equal(l.calls, 2);
    assert_string_equal(l.what, "weighing");
    wait_for(0.025);
    assert_ok(ctx, pith_i_progress(ctx, 1, 4));
    assert_near(l.last, 0.7, 1e-15);
    wait_for(0.025);
    assert_ok(ctx, pith_i_progress(ctx, 0, 0)); /* nothing to do is all done */
    assert_near(l.last, 1, 1e-15);
    assert_false(l.fell);
}

static void progress_is_told_50_times_a_second_at_most(void **state)
{
    pith_ctx *ctx = *state;
    listener l = {0};
    pith_ctx_set_progress(ctx, listen, &l);
    const double start = pith_i_seconds();
    assert_ok(ctx, pith_i_progress_stage(ctx, "spinning", 0, 1));
    while (l.calls < 5)
        assert_ok(ctx, pith_i_progress(ctx, 1, 2));
    assert_true(pith_i_seconds() - start >= 4 * 0.02);
}

static void a_stop_is_an_error_once_and_the_context_goes_on(void **state)
{
    pith_ctx *ctx = *state;
    listener l = {.stop_at = 1};
    pith_ctx_set_progress(ctx, listen, &l);
    assert_int_equal(pith_i_progress_stage(ctx, "building the graph", 0, 1), PITH_E_STOPPED);
    assert_string_equal(pith_ctx_message(ctx), "stopped while building the graph");
    assert_ok(ctx, pith_i_progress(ctx, 2, 2));
    assert_ok(ctx, pith_i_stop_status(ctx));
}

static void a_new_callback_forgets_an_old_stop(void **state)
{
    pith_ctx *ctx = *state;
    listener l = {.stop_at = 1};
    pith_ctx_set_progress(ctx, listen, &l);
    assert_true(pith_i_progress_stop(ctx, 0, 1));
    assert_true(pith_i_progress_stop(ctx, 1, 1)); /* it stays until it is asked for, */
    assert_int_equal(l.calls, 1);                 /* and the answer is not asked for again */
    pith_ctx_set_progress(ctx, NULL, NULL);
    assert_false(pith_i_progress_stop(ctx, 0, 1));
}

static void a_parallel_loop_stops_in_all_threads(void **state)
{
    pith_ctx *ctx = *state;
    listener l = {.stop_at = 1};
    int64_t done = 0;
    pith_ctx_set_progress(ctx, listen, &l);
/* static: the caller's thread, the one that asks, gets a share however late it comes */
#pragma omp parallel for num_threads(4) schedule(static) reduction(+ : done)
    for (int64_t i = 0; i < 1000000; i++)
        done += !pith_i_progress_stop(ctx, i, 1000000);
    assert_true(done < 1000000);
    assert_int_equal(l.calls, 1);
    assert_int_equal(pith_i_stop_status(ctx), PITH_E_STOPPED);
}

/* A loop on the caller's thread needs nothing else to be stopped. */
static void the_status_asks_whether_to_stop(void **state)
{
    pith_ctx *ctx = *state;
    int calls = 0;
    pith_ctx_set_progress(ctx, stop_progress, &calls);
    assert_int_equal(pith_i_stop_status(ctx), PITH_E_STOPPED);
    assert_int_equal(calls, 1);
    pith_ctx_set_progress(ctx, NULL, NULL);
    assert_ok(ctx, pith_i_stop_status(ctx)); /* told once */
}

/* The caller may be any thread of a loop of its own; each context reports to its own thread. */
static void contexts_report_from_any_thread(void **state)
{
    (void)state;
    listener l[4] = {{0}};
    int bad = 0;
#pragma omp parallel for num_threads(4) schedule(static, 1) reduction(+ : bad)
    for (int t = 0; t < 4; t++) {
        pith_ctx *ctx = NULL;
        bad += pith_ctx_new(&ctx) != PITH_OK;
        pith_ctx_set_progress(ctx, listen, &l[t]);
        bad += pith_i_progress(ctx, t, 4) != PITH_OK;
        (void)pith_i_error(ctx, PITH_E_DATA, "thread %d", t);
        bad += pith_ctx_message(ctx)[7] != '0' + t;
        pith_ctx_free(ctx);
    }
    assert_int_equal(bad, 0);
    for (int t = 0; t < 4; t++) {
        assert_int_equal(l[t].calls, 1);
        assert_near(l[t].last, t / 4.0, 1e-15);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_a_text_of_its_own),
        cmocka_unit_test(the_version_is_that_of_the_header),
        TEST(a_context_starts_empty),
        cmocka_unit_test(no_context_is_no_crash),
        TEST(the_seed_takes_all_64_bits),
        TEST(threads_are_set_and_checked),
        TEST(all_cores_stay_all_cores_whatever_openmp_is_told_later),
        TEST(a_message_is_one_line_and_cut_to_fit),
        TEST(a_message_may_quote_the_one_before),
        cmocka_unit_test(bytes_are_shown_in_the_unit_that_fits),
        TEST(every_stage_is_told_and_progress_lies_in_it),
        TEST(progress_is_told_50_times_a_second_at_most),
        TEST(a_stop_is_an_error_once_and_the_context_goes_on),
        TEST(a_new_callback_forgets_an_old_stop),
        TEST(a_parallel_loop_stops_in_all_threads),
        TEST(the_status_asks_whether_to_stop),
        cmocka_unit_test(contexts_report_from_any_thread),
    };
    return cmocka_run_group_tests_name("ctx", tests, NULL, NULL);
}
