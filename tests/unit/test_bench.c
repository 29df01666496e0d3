#include "core/core.h"
#include "unit/support.h"

#include <string.h>

typedef struct seen {
    int measures, limits;
    int64_t calls, stop_at; /* of the progress callback */
} seen;

static void look(const pith_measure *m, void *user)
{
    seen *s = user;
    assert_true(isfinite(m->value) && m->value > 0);
    assert_true(strlen(m->name) > 0 && strlen(m->unit) > 0);
    assert_true(m->peak_bytes >= 0);
    s->limits += strncmp(m->name, "limit: ", 7) == 0;
    if (isfinite(m->limit)) /* what is a share of a limit comes after both limits */
        assert_int_equal(s->limits, 2);
    s->measures++;
}

static bool stop_later(double done, const char *what, void *user)
{
    seen *s = user;
    (void)done;
    (void)what;
    return ++s->calls < s->stop_at;
}

static void the_limits_come_first_and_every_part_is_measured(void **state)
{
    skip_when_short();
    pith_ctx *ctx = *state;
    seen s = {0};
    assert_ok(ctx, pith_bench(ctx, true, look, &s));
    assert_int_equal(s.limits, 2);
    assert_true(s.measures >= 8);
}

static void a_bench_needs_somebody_to_report_to(void **state)
{
    pith_measure_fn *nobody = NULL;
    assert_int_equal(pith_bench(*state, true, nobody, NULL), PITH_E_ARGUMENT);
}

static void a_bench_can_be_stopped(void **state)
{
    skip_when_short();
    pith_ctx *ctx = *state;
    assert_non_null(pith_i_scratch(ctx, 1, 1)); /* the context keeps what this makes */
    pith_i_scratch_release(ctx, 0);
    const int64_t before = pith_i_bytes_in_use(ctx);
    for (int64_t stop_at = 1; stop_at < 40; stop_at = 3 * stop_at + 1) {
        seen s = {.stop_at = stop_at};
        pith_ctx_set_progress(ctx, stop_later, &s);
        assert_int_equal(pith_bench(ctx, true, look, &s), PITH_E_STOPPED);
        assert_int_equal(pith_i_bytes_in_use(ctx), before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_limits_come_first_and_every_part_is_measured),
        TEST(a_bench_needs_somebody_to_report_to),
        TEST(a_bench_can_be_stopped),
    };
    return cmocka_run_group_tests_name("bench", tests, NULL, NULL);
}
