/*
 * Every method of the registry against the numbers of an independent slow implementation: numbers.txt in
 * tests/oracle/<method>/, made by make.py beside it. A method without numbers fails. Each case runs on the
 * data as dense and as CSR.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/support.h"

#ifndef ORACLE_DIR
#error "the build names the folder of the numbers"
#endif

typedef struct table {
    int64_t n, p;
    double *x;        /* row-major */
    int64_t *indptr;  /* the same as CSR, */
    int32_t *indices; /* without its zeros */
    double *values;
    char **labels; /* n; NULL: none */
} table;

static void table_free(table *t)
{
    free(t->x);
    free(t->indptr);
    free(t->indices);
    free(t->values);
    for (int64_t i = 0; t->labels != NULL && i < t->n; i++)
        free(t->labels[i]);
    free(t->labels);
    *t = (table){0};
}

static void *get(size_t count, size_t size)
{
    void *block = calloc(count + 1, size);
    assert_non_null(block);
    return block;
}

static void make_csr(table *t)
{
    int64_t at = 0;
    t->indptr = get((size_t)t->n + 1, sizeof *t->indptr);
    t->indices = get((size_t)(t->n * t->p), sizeof *t->indices);
    t->values = get((size_t)(t->n * t->p), sizeof *t->values);
    for (int64_t i = 0; i < t->n; i++) {
        for (int64_t j = 0; j < t->p; j++)
            if (t->x[i * t->p + j] != 0) {
                t->indices[at] = (int32_t)j;
                t->values[at++] = t->x[i * t->p + j];
            }
        t->indptr[i + 1] = at;
    }
}

static void read_table(FILE *in, const char *shape, table *t)
{
    long long n = 0, p = 0;
    const bool formula = strncmp(shape, "formula", 7) == 0;
    table_free(t);
    assert_int_equal(sscanf(shape, "%*s %lld %lld", &n, &p), 2);
    t->n = n;
    t->p = p;
    t->x = get((size_t)(n * p), sizeof *t->x);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < p; j++)
            if (formula)
                t->x[i * p + j] = (double)((i * 7919 + j * 104729 + i * i * (j + 1)) % 1009);
            else
                assert_int_equal(fscanf(in, "%lf", &t->x[i * p + j]), 1);
    make_csr(t);
}

static void read_labels(FILE *in, table *t)
{
    t->labels = get((size_t)t->n, sizeof *t->labels);
    for (int64_t i = 0; i < t->n; i++) {
        t->labels[i] = get(16, 1);
        assert_int_equal(fscanf(in, "%15s", t->labels[i]), 1);
    }
}

/* "0,1,0,2": a clustering to start from. */
static void set_start(pith_ctx *ctx, pith_params *params, char *list)
{
    int32_t label[256];
    int64_t n = 0;
    for (char *at = list; *at != '\0' && n < (int64_t)COUNT(label); at += *at == ',')
        label[n++] = (int32_t)strtol(at, &at, 10);
    assert_ok(ctx, pith_params_set_init_labels(ctx, params, n, label));
}

static void set_params(pith_ctx *ctx, pith_params *params, char *words)
{
    for (char *word = strtok(words, " \n"); word != NULL; word = strtok(NULL, " \n")) {
        char *value = strchr(word, '=');
        assert_non_null(value);
        *value++ = '\0';
        if (strcmp(word, "init_labels") == 0)
            set_start(ctx, params, value);
        else
            assert_ok(ctx, pith_params_set(ctx, params, word, value));
    }
}

static void compare(const char *name, const char *shape, const double *got, const double *want, int64_t p,
                    double tolerance)
{
    double largest = 0;
    for (int64_t j = 0; j < p; j++)
        if (fabs(want[j]) > largest)
            largest = fabs(want[j]);
    for (int64_t j = 0; j < p; j++)
        if (isnan(want[j]) != isnan(got[j]) || fabs(got[j] - want[j]) > tolerance * largest)
            fail_msg("%s, %s: feature %lld scores %.17g, the oracle says %.17g (%.1e of the largest)", name,
                     shape, (long long)j, got[j], want[j], fabs(got[j] - want[j]) / largest);
}

/* The numbers that begin a line of their own. */
static int64_t *read_order(const char *line, int64_t p)
{
    int64_t *order = get((size_t)p, sizeof *order);
    char *at = (char *)(uintptr_t)line + strlen("order ");
    for (int64_t r = 0; r < p; r++)
        order[r] = strtoll(at, &at, 10);
    return order;
}

/* order NULL: that of the scores, which select/ answers for. */
static void run_case(pith_ctx *ctx, const pith_method *method, const table *t, const char *line,
                     const double *want, const int64_t *order)
{
    char words[512], *rest = NULL;
    const double tolerance = strtod(line + strlen("case "), &rest);
    for (int sparse = 0; sparse < 2; sparse++) {
        pith_params *params = NULL;
        pith_matrix *m = NULL;
        pith_result *r = NULL;
        (void)snprintf(words, sizeof words, "%s", rest);
        assert_ok(ctx, pith_params_new(ctx, method, &params));
        set_params(ctx, params, words);
        if (sparse)
            assert_ok(ctx, pith_matrix_csr(ctx, t->n, t->p, PITH_F64, t->indptr, t->indices, t->values, &m));
        else
            assert_ok(ctx, pith_matrix_dense(ctx, t->n, t->p, PITH_F64, t->x, t->p, 1, &m));
        if (t->labels != NULL)
            assert_ok(ctx, pith_matrix_set_labels(ctx, m, (const char *const *)t->labels));
        (void)snprintf(words, sizeof words, "%s %lld x %lld:%.300s", sparse ? "CSR" : "dense",
                       (long long)t->n, (long long)t->p, rest);
        assert_ok(ctx, pith_run(ctx, m, params, &r));
        compare(pith_method_name(method), words, pith_result_scores(r), want, t->p, tolerance);
        for (int64_t at = 0; order != NULL && at < t->p; at++)
            if (pith_result_ranking(r)[at] != order[at])
                fail_msg("%s, %s: feature %lld is number %lld, the oracle says %lld",
                         pith_method_name(method), words, (long long)pith_result_ranking(r)[at],
                         (long long)at + 1, (long long)order[at]);
        pith_result_free(r);
        pith_matrix_free(m);
        pith_params_free(params);
    }
}

static void method_agrees_with_its_oracle(void **state)
{
    const pith_method *method = *state;
    char path[512], line[1024];
    table t = {0};
    int cases = 0;
    pith_ctx *ctx = NULL;
    (void)snprintf(path, sizeof path, "%s/%s/numbers.txt", ORACLE_DIR, pith_method_name(method));
    FILE *in = fopen(path, "r");
    if (in == NULL)
        fail_msg("%s: a method must have oracle numbers", path);
    assert_int_equal(pith_ctx_new(&ctx), PITH_OK);
    while (fgets(line, sizeof line, in) != NULL) {
        if (strncmp(line, "data ", 5) == 0 || strncmp(line, "formula ", 8) == 0) {
            read_table(in, line, &t);
        } else if (strncmp(line, "labels", 6) == 0) {
            read_labels(in, &t);
        } else if (strncmp(line, "case ", 5) == 0) {
            char numbers[4096] = "";
            double *want = get((size_t)t.p, sizeof *want);
            int64_t *order = NULL;
            for (int64_t j = 0; j < t.p; j++)
                assert_int_equal(fscanf(in, "%lf", &want[j]), 1);
            const long here = ftell(in);
            (void)!fgets(numbers, sizeof numbers, in); /* the end of the scores' line */
            if (fgets(numbers, sizeof numbers, in) != NULL && strncmp(numbers, "order ", 6) == 0)
                order = read_order(numbers, t.p);
            else
                assert_int_equal(fseek(in, here, SEEK_SET), 0);
            run_case(ctx, method, &t, line, want, order);
            free(order);
            free(want);
            cases++;
        }
    }
    assert_true(cases > 0);
    (void)fclose(in);
    table_free(&t);
    pith_ctx_free(ctx);
}

int main(void)
{
    struct CMUnitTest tests[64] = {0};
    size_t count = 0;
    for (const pith_method *m; (m = pith_method_at(count)) != NULL && count < COUNT(tests); count++)
        tests[count] = (struct CMUnitTest){.name = pith_method_name(m),
                                           .test_func = method_agrees_with_its_oracle,
                                           .initial_state = (void *)(uintptr_t)m};
    return _cmocka_run_group_tests("oracle", tests, count, NULL, NULL);
}
