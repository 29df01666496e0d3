/* Text with known answers, for the tests of the methods that compare pairs of samples. */
#ifndef PITH_TESTS_UNIT_PAIR_DATA_H
#define PITH_TESTS_UNIT_PAIR_DATA_H

#include "core/random.h"
#include "unit/support.h"

enum { TOY_N = 300, TOY_P = 200, TOY_WORDS = 30 };

/* Words 0..29 in three blocks of ten: each is in half the texts of its third and in 2 % of the others; the
 * other 170 words are in 3 % of all texts. */
static inline double *toy_text(uint64_t seed)
{
    double *x = calloc((size_t)TOY_N * TOY_P, sizeof *x);
    assert_non_null(x);
    for (int64_t i = 0; i < TOY_N; i++) {
        pith_i_stream s = pith_i_stream_at(seed, PITH_I_RANDOM_BENCH, (uint64_t)i);
        for (int64_t j = 0; j < TOY_P; j++) {
            const double often = j >= TOY_WORDS ? 0.03 : j / 10 == i * 3 / TOY_N ? 0.5 : 0.02;
            x[i * TOY_P + j] = pith_i_random_uniform(&s) < often;
        }
    }
    return x;
}

/* The result of a method on dense data, with settings "name", "value", ..., NULL. */
static inline pith_result *ran(pith_ctx *ctx, const char *method, int64_t n, int64_t p, const double *x,
                               const char *const *settings)
{
    pith_matrix *m = NULL;
    pith_params *params = NULL;
    pith_result *r = NULL;
    assert_ok(ctx, pith_matrix_dense(ctx, n, p, PITH_F64, x, p, 1, &m));
    assert_ok(ctx, pith_params_new(ctx, pith_method_find(method), &params));
    for (; settings != NULL && settings[0] != NULL; settings += 2)
        assert_ok(ctx, pith_params_set(ctx, params, settings[0], settings[1]));
    assert_ok(ctx, pith_run(ctx, m, params, &r));
    pith_params_free(params);
    pith_matrix_free(m);
    return r;
}

/* How many of the best 30 features are block words. */
static inline int toy_words_found(const pith_result *r)
{
    int found = 0;
    for (int64_t k = 0; k < TOY_WORDS; k++)
        found += pith_result_ranking(r)[k] < TOY_WORDS;
    return found;
}

#endif
