/* What unit tests share: cmocka, a context per test, comparisons. */
#ifndef PITH_TESTS_UNIT_SUPPORT_H
#define PITH_TESTS_UNIT_SUPPORT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/core.h"

/* For cmocka_unit_test_setup_teardown: *state is a fresh context; afterwards nothing may be left in use. */
static inline int new_ctx(void **state)
{
    return pith_ctx_new((pith_ctx **)state) == PITH_OK ? 0 : -1;
}

static inline int free_ctx(void **state)
{
    pith_ctx_free(*state);
    return 0;
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

#endif
