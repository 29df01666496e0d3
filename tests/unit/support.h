/* What unit tests share: cmocka, a context per test, comparisons. */
#ifndef PITH_TESTS_UNIT_SUPPORT_H
#define PITH_TESTS_UNIT_SUPPORT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/core.h"

/* For cmocka_unit_test_setup_teardown: *state is a fresh context; afterwards nothing may be left in use. */
static inline int new_ctx(void **state)
{
    return pith_ctx_new((pith_ctx **)state) == PITH_OK ? 0 : -1;
}

static inline int free_ctx(void **state)
{
    const int64_t left = pith_i_bytes_in_use(*state);
    if (left != 0)
        print_error("%lld bytes were left in use\n", (long long)left);
    pith_ctx_free(*state);
    return left == 0 ? 0 : -1;
}

/*
 * Is this a run under a tool that slows everything down (valgrind, AddressSanitizer)? Then random trials are
 * repeated a fiftieth as often, and a test that is about large data is skipped.
 */
static inline bool short_run(void)
{
    return getenv("PITH_TEST_SHORT") != NULL;
}

/* Is there time? `make check` asks for more seeds and more damage than `make test`. */
static inline bool thorough(void)
{
    return getenv("PITH_TEST_THOROUGH") != NULL;
}

static inline int trials(int n)
{
    return short_run() ? n / 50 : thorough() ? n : n / 5;
}

static inline void skip_when_short(void)
{
    if (short_run())
        skip();
}

/* What the test is about cannot be had here: it is skipped, and says why. */
static inline void skip_because(const char *why)
{
    print_message("skipped: %s\n", why);
    skip();
}

/* The same for what `.ci/run` installs, where nothing may be skipped for want of it. */
static inline void skip_without(bool there, const char *package)
{
    const char *strict = getenv("PITH_NO_SKIP");
    if (there)
        return;
    if (strict != NULL && strcmp(strict, "1") == 0)
        fail_msg("%s is not installed, and nothing may be skipped", package);
    print_message("skipped: %s is not installed\n", package);
    skip();
}

/* Was this built to watch threads? Then it has nothing to see in what fails or is freed. */
static inline bool watches_threads(void)
{
#if defined(__SANITIZE_THREAD__)
    return true;
#elif defined(__has_feature)
    return __has_feature(thread_sanitizer);
#else
    return false;
#endif
}

/* Was this built to watch memory or threads? Then what is about numbers need not be repeated. */
static inline bool sanitized(void)
{
#if defined(__SANITIZE_ADDRESS__)
    return true;
#elif defined(__has_feature)
    return __has_feature(address_sanitizer) || watches_threads();
#else
    return watches_threads();
#endif
}

/* The step of a loop over cases that differ in their numbers alone. */
static inline int cases_step(int step)
{
    return sanitized() ? step : 1;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, new_ctx, free_ctx)

#define assert_ok(ctx, call)                                                                                 \
    do {                                                                                                     \
        const pith_status status_ = (call);                                                                  \
        if (status_ != PITH_OK)                                                                              \
            fail_msg("%s: %s", pith_strerror(status_), pith_ctx_message(ctx));                               \
    } while (0)

static inline void assert_near_(double a, double b, double tolerance, const char *file, int line)
{
    if (!(fabs(a - b) <= tolerance)) {
        print_error("%.17g and %.17g differ by %.3g, more than %.3g\n", a, b, fabs(a - b), tolerance);
        _fail(file, line);
    }
}
#define assert_near(a, b, tolerance) assert_near_((a), (b), (tolerance), __FILE__, __LINE__)

/* Has the result a fact of this name? Its value goes to *value. */
static inline bool find_fact(const pith_result *r, const char *name, double *value)
{
    const char *found = NULL;
    for (size_t i = 0; (found = pith_result_fact(r, i, value)) != NULL; i++)
        if (strcmp(found, name) == 0)
            return true;
    return false;
}
/* The value of one that it must have. */
static inline double fact_of(const pith_result *r, const char *name)
{
    double value = 0;
    if (!find_fact(r, name, &value))
        fail_msg("no fact is called %s", name);
    return value;
}

/* For pith_ctx_set_progress; user: NULL, or an int that counts the calls. */
static inline bool stop_progress(double done, const char *what, void *user)
{
    (void)done;
    (void)what;
    if (user != NULL)
        ++*(int *)user;
    return false;
}

/*
 * `act` frees what it makes. With an allocation failing it says PITH_E_NOMEM, in words too, and leaves
 * nothing behind; it ends well when none is left to fail, and made `least` or more. Each of the first
 * allocations fails once, of the later ones fewer and fewer: all of n would take n^2 / 2 of them. Conformance
 * has every one of every method.
 */
typedef pith_status act_fn(pith_ctx *ctx, void *arg);

static inline int64_t next_to_fail(int64_t nth)
{
    return nth + 1 + (watches_threads() ? nth : sanitized() ? nth / 6 : nth / 16);
}
static inline void assert_survives_failing_allocations(pith_ctx *ctx, act_fn *act, void *arg, int64_t least)
{
    const int64_t before = pith_i_bytes_in_use(ctx);
    const size_t mark = pith_i_scratch_mark(ctx);
    for (int64_t nth = 1;; nth = next_to_fail(nth)) {
        (void)pith_i_error(ctx, PITH_OK, "%s", "");
        (void)pith_i_fail_allocation(ctx, nth);
        const pith_status st = act(ctx, arg);
        const bool failed = pith_i_fail_allocation(ctx, 0) == 0;
        if (st != (failed ? PITH_E_NOMEM : PITH_OK))
            fail_msg("allocation %lld: status %d, %s", (long long)nth, st, pith_ctx_message(ctx));
        assert_int_equal(pith_i_bytes_in_use(ctx), before);
        assert_int_equal(pith_i_scratch_mark(ctx), mark);
        if (!failed) {
            assert_true(nth > least);
            return;
        }
        assert_non_null(strstr(pith_ctx_message(ctx), "out of memory"));
    }
}

#endif
