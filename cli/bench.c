/* pith bench: the parts that matter, as shares of what this machine can do. */
#include "commands.h"
#include "print.h"
#include "progress.h"
#include "session.h"

#include <math.h>
#include <string.h>

typedef struct bench {
    bool json;
    int rows;
} bench;

static void put_measure_json(const pith_measure *m, bench *b)
{
    (void)printf("%s\n{\"name\":", b->rows > 0 ? "," : "");
    put_json_text(stdout, m->name);
    (void)printf(",\"value\":");
    put_json_number(stdout, m->value);
    (void)printf(",\"unit\":");
    put_json_text(stdout, m->unit);
    (void)printf(",\"limit\":");
    put_json_number(stdout, m->limit);
    (void)printf(",\"share\":");
    put_json_number(stdout, m->value / m->limit);
    (void)printf(",\"peak_bytes\":%lld}", (long long)m->peak_bytes);
}

static void put_measure_text(const pith_measure *m)
{
    (void)printf("%-46s %10.4g %-8s", m->name, m->value, m->unit);
    if (isfinite(m->limit))
        (void)printf(" %10.4g %5.0f %%", m->limit, 100 * m->value / m->limit);
    else
        (void)printf(" %10s %7s", "", "");
    (void)printf(" %9.1f\n", (double)m->peak_bytes / 1e6);
}

/* Rows appear as they are measured. */
static void put_measure(const pith_measure *m, void *user)
{
    bench *b = user;
    progress_clear();
    if (b->json)
        put_measure_json(m, b);
    else
        put_measure_text(m);
    (void)fflush(stdout);
    b->rows++;
}

/* The machine that is measured, and the head of the table. */
static void put_machine(const session *w, bool json)
{
    const int threads = pith_ctx_threads(w->ctx);
    const char *kernel = pith_blas_kernel();
    if (json) {
        (void)printf("{\"version\":\"%s\",\"threads\":%d,\"blas_kernel\":", pith_version(), threads);
        if (kernel != NULL)
            put_json_text(stdout, kernel);
        else
            (void)printf("null");
        (void)printf(",\"measures\":[");
        return;
    }
    (void)printf("pith %s, %d thread%s", pith_version(), threads, threads == 1 ? "" : "s");
    if (kernel != NULL)
        (void)printf(", OpenBLAS kernel %s", kernel);
    (void)printf("\n\n%-46s %10s %-8s %10s %7s %9s\n", "", "value", "unit", "limit", "share", "peak MB");
}

static int run_bench(const settings *s)
{
    bench b = {.json = s->json || strcmp(s->format, "json") == 0};
    session w;
    int status = DONE;
    STEP(session_open(s, &w));
    put_machine(&w, b.json);
    STEP(session_status(&w, pith_bench(w.ctx, s->quick, put_measure, &b), WORKING));
    if (b.json)
        (void)printf("\n]}\n");
done:
    return session_end(&w, status);
}

static const option option_quick = {
    "quick", NULL, 0,    VALUE_NONE, offsetof(settings, quick),
    0,       0,    NULL, NULL,       "smaller sizes, which take seconds instead of minutes"};

static const option *const options[] = {
    &option_quick,   &option_text_format, &option_json, &option_seed,
    &option_threads, &option_engine,      TALK_OPTIONS, NULL,
};

static const example examples[] = {
    {"pith bench --quick", "a first look at this machine"},
    {"pith bench --json > bench.json", "everything, in machine-readable form"},
    {NULL, NULL},
};

const command command_bench = {
    .name = "bench",
    .arguments = "",
    .purpose = "times the parts that matter and compares them with the machine's own limits",
    .about = "The limits (speed of matrix multiplication, memory bandwidth) are measured in the same run. A "
             "share is the measured value divided by its limit.\n",
    .options = options,
    .examples = examples,
    .run = run_bench,
};
