/*
 * Times the counting of words for bench/text.py, in CPU seconds on one thread:
 *
 *     text_bench PATH STEPS ROUNDS
 *
 * Prints "seconds documents words stored total peak_bytes". The seconds go from the path to the matrix,
 * reading included, and are those of the best round; total is the sum of all counts.
 */
#include "core/core.h"
#include "matrix/matrix.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double cpu_seconds(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    pith_ctx *ctx = NULL;
    pith_matrix *m = NULL;
    double best = 1e30, total = 0;
    if (argc != 4 || pith_ctx_new(&ctx) != PITH_OK || pith_ctx_set_threads(ctx, 1) != PITH_OK)
        return 2;
    for (int round = 0; round < atoi(argv[3]); round++) {
        pith_matrix_free(m);
        const double start = cpu_seconds();
        if (pith_prep_read(ctx, argv[1], argv[2], NULL, &m) != PITH_OK) {
            (void)fprintf(stderr, "text_bench: %s\n", pith_ctx_message(ctx));
            return 1;
        }
        const double took = cpu_seconds() - start;
        best = took < best ? took : best;
    }
    for (int64_t e = 0; e < pith_i_stored(&m->data); e++)
        total += pith_i_value(m->data.values, m->data.dtype, e);
    (void)printf("%.6f %lld %lld %lld %.0f %lld\n", best, (long long)pith_matrix_rows(m),
                 (long long)pith_matrix_cols(m), (long long)pith_i_stored(&m->data), total,
                 (long long)pith_ctx_peak_bytes(ctx));
    pith_matrix_free(m);
    pith_ctx_free(ctx);
    return 0;
}
