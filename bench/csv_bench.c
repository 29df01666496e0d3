/*
 * Times the CSV reader for bench/read_csv.py, in CPU seconds on one thread:
 *
 *     csv_bench FILE       prints "bytes rows columns reader strtod checksum_reader checksum_strtod"
 *
 * reader is pith_matrix_read from the file to the checked table; strtod is the C library's function called
 * for every number of the same text in memory, and nothing else.
 */
#include "io/io.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double cpu_seconds(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double sum_of(const pith_matrix *m)
{
    const double *x = m->data.x;
    double sum = 0;
    for (int64_t e = 0; e < m->data.n * m->data.p; e++)
        sum += x[e];
    return sum;
}

/* The text must not end in a number: strtod reads one character past it. */
static double by_strtod(const pith_i_bytes *bytes, double *sum)
{
    const char *at = bytes->at, *end = at + bytes->size - 1;
    const double start = cpu_seconds();
    while (at < end) {
        char *stop = NULL;
        *sum += strtod(at, &stop);
        at = stop + 1;
    }
    return cpu_seconds() - start;
}

int main(int argc, char **argv)
{
    pith_ctx *ctx = NULL;
    pith_i_bytes bytes = {0};
    double best = 1e30, library = 0, sum = 0, sum_library = 0;
    if (argc != 2 || pith_ctx_new(&ctx) != PITH_OK || pith_ctx_set_threads(ctx, 1) != PITH_OK)
        return 2;
    int64_t n = 0, p = 0;
    for (int round = 0; round < 5; round++) {
        pith_matrix *m = NULL;
        const double start = cpu_seconds();
        if (pith_matrix_read(ctx, argv[1], NULL, &m) != PITH_OK) {
            (void)fprintf(stderr, "csv_bench: %s\n", pith_ctx_message(ctx));
            return 1;
        }
        const double took = cpu_seconds() - start;
        best = took < best ? took : best;
        n = m->data.n;
        p = m->data.p;
        sum = sum_of(m);
        pith_matrix_free(m);
    }
    if (pith_i_bytes_load(ctx, argv[1], &bytes) != PITH_OK)
        return 1;
    library = by_strtod(&bytes, &sum_library);
    (void)printf("%lld %lld %lld %.6f %.6f %.17g %.17g\n", (long long)bytes.size, (long long)n, (long long)p,
                 best, library, sum, sum_library);
    pith_i_bytes_free(&bytes);
    pith_ctx_free(ctx);
    return 0;
}
