#include "methods/fsasl/self_expression.h"
#include "unit/tables.h"

enum { MOST_N = 40, MOST_P = 60 };

typedef struct subject {
    int64_t n, p;
    pith_i_data X, T;
    pith_i_design Z;
    double shift[MOST_P], plain[MOST_N * MOST_P];
    bool left_out[MOST_P];
    pith_i_knn knn;
} subject;

/* Rows 3 and 7 are equal; a column is left out; the shift belongs to the design alone. */
static void make(pith_ctx *ctx, int64_t n, int64_t p, form f, double density, subject *s)
{
    double *x = random_table(ctx, n, p, density, (uint64_t)p);
    *s = (subject){.n = n, .p = p};
    memcpy(x + 7 * p, x + 3 * p, (size_t)p * sizeof *x);
    for (int64_t j = 0; j < p; j++) {
        s->left_out[j] = j == 2;
        s->shift[j] = 0.25 * (double)(j % 9);
        for (int64_t i = 0; i < n; i++)
            s->plain[i * p + j] = s->left_out[j] ? 0 : x[i * p + j] - s->shift[j];
    }
    s->X = as_form(ctx, x, n, p, f, PITH_F64);
    if (s->X.sparse)
        assert_ok(ctx, pith_i_transpose(ctx, &s->X, &s->T));
    s->Z = (pith_i_design){&s->X, s->X.sparse ? &s->T : NULL, s->shift, s->left_out};
    assert_ok(ctx, pith_i_knn_find(ctx, &s->X, n - 1, PITH_I_EUCLIDEAN, &s->knn));
}

static void drop(subject *s)
{
    pith_i_knn_free(&s->knn);
    pith_i_data_free(&s->T);
}

static double inner(const subject *s, int64_t i, int64_t j)
{
    double sum = 0;
    for (int64_t t = 0; t < s->p; t++)
        sum += s->plain[i * s->p + t] * s->plain[j * s->p + t];
    return sum;
}

/* Optimality of row i: the candidates' correlations with what is left, less mu s, are lambda sign(s) or
 * below. */
static void assert_row(const subject *s, const pith_i_data *S, int64_t i, int64_t candidates, double ratio)
{
    double c[MOST_N] = {0}, row[MOST_N] = {0}, mu = 0, top = 0;
    bool candidate[MOST_N] = {false};
    for (int64_t j = 0; j < s->n; j++)
        mu += 1e-6 * inner(s, j, j) / (double)s->n;
    for (int64_t e = S->indptr[i]; e < S->indptr[i + 1]; e++) {
        assert_true(e == S->indptr[i] || S->indices[e - 1] < S->indices[e]);
        row[S->indices[e]] = ((const double *)S->values)[e];
        assert_true(row[S->indices[e]] != 0);
    }
    for (int64_t a = 0; a < candidates; a++) {
        const int64_t j = s->knn.index[i * s->knn.k + a];
        candidate[j] = true;
        c[j] = inner(s, i, j);
        top = fmax(top, fabs(c[j]));
    }
    for (int64_t j = 0; j < s->n; j++) {
        double left = c[j] - mu * row[j];
        if (!candidate[j]) {
            assert_true(row[j] == 0);
            continue;
        }
        for (int64_t k = 0; k < s->n; k++)
            left -= row[k] != 0 ? row[k] * inner(s, j, k) : 0;
        assert_true(row[j] == 0 ? fabs(left) <= (ratio + 2e-11) * top
                                : fabs(left - copysign(ratio * top, row[j])) <= 2e-11 * top);
    }
}

static void every_row_is_optimal_over_its_candidates(void **state)
{
    static const int64_t shapes[][2] = {{25, 60}, {40, 12}}; /* by all products, by the candidates' rows */
    static const form forms[] = {ROW_MAJOR, COLUMN_MAJOR, CSR, CSR}; /* the last by entries, which are few */
    pith_ctx *ctx = *state;
    for (size_t t = 0; t < COUNT(shapes); t++)
        for (size_t f = 0; f < COUNT(forms); f++)
            for (int64_t candidates = 6; candidates < 40; candidates += 30) {
                const pith_i_self_options options = {.candidates = candidates,
                                                     .ratio = f == 0 ? 0.01 : 0.2,
                                                     .way = f == 3 ? PITH_I_SELF_BY_ENTRIES
                                                                   : PITH_I_SELF_BY_SIZE};
                subject s;
                pith_i_combinations S = {0};
                int64_t unsolved = -1;
                make(ctx, shapes[t][0], shapes[t][1], forms[f], f == 3 ? 0.2 : 0.6, &s);
                assert_ok(ctx, pith_i_self_expression(ctx, &s.Z, &s.knn, &options, &S, &unsolved));
                assert_int_equal(unsolved, 0);
                assert_true(S.M.indptr[s.n] > s.n);
                for (int64_t i = 0; i < s.n; i++)
                    assert_row(&s, &S.M, i, candidates < s.n - 1 ? candidates : s.n - 1, options.ratio);
                pith_i_combinations_free(&S);
                drop(&s);
                pith_i_scratch_release(ctx, 0);
            }
}

static pith_status express(pith_ctx *ctx, void *arg)
{
    const subject *s = arg;
    const pith_i_self_options options = {
        .candidates = 10, .ratio = 0.01, .way = s->X.sparse ? PITH_I_SELF_BY_ENTRIES : PITH_I_SELF_BY_SIZE};
    pith_i_combinations S = {0};
    int64_t unsolved = 0;
    const pith_status st = pith_i_self_expression(ctx, &s->Z, &s->knn, &options, &S, &unsolved);
    pith_i_combinations_free(&S);
    return st;
}

static void threads_change_no_bit_and_failing_allocations_are_survived(void **state)
{
    static const int64_t shapes[][2] = {{25, 60}, {40, 12}, {40, 30}};
    pith_ctx *ctx = *state;
    for (size_t t = 0; t < COUNT(shapes); t++) {
        const pith_i_self_options options = {
            .candidates = 10, .ratio = 0.01, .way = t == 2 ? PITH_I_SELF_BY_ENTRIES : PITH_I_SELF_BY_SIZE};
        pith_i_combinations S[2] = {0};
        int64_t unsolved = 0;
        subject s;
        make(ctx, shapes[t][0], shapes[t][1], t == 2 ? CSR : ROW_MAJOR, t == 2 ? 0.2 : 0.6, &s);
        assert_survives_failing_allocations(ctx, express, &s, 9);
        for (int k = 0; k < 2; k++) {
            assert_ok(ctx, pith_ctx_set_threads(ctx, k == 0 ? 1 : 8));
            assert_ok(ctx, pith_i_self_expression(ctx, &s.Z, &s.knn, &options, &S[k], &unsolved));
        }
        assert_int_equal(S[0].M.indptr[s.n], S[1].M.indptr[s.n]);
        assert_memory_equal(S[0].M.values, S[1].M.values, (size_t)S[0].M.indptr[s.n] * sizeof(double));
        assert_memory_equal(S[0].M.indices, S[1].M.indices, (size_t)S[0].M.indptr[s.n] * sizeof(int32_t));
        pith_i_combinations_free(&S[0]);
        pith_i_combinations_free(&S[1]);
        drop(&s);
        pith_i_scratch_release(ctx, 0);
    }
}

/* Data that holds no values but makes them where they are read. */
static void a_view_is_read_by_what_it_shows(void **state)
{
    pith_ctx *ctx = *state;
    const pith_i_self_options options = {.candidates = 10, .ratio = 0.01, .way = PITH_I_SELF_BY_ENTRIES};
    const pith_i_view_map twice = {.factor = 2};
    pith_i_combinations S[2] = {0};
    int64_t unsolved = 0;
    subject s;
    make(ctx, 40, 30, CSR, 0.2, &s);
    pith_i_data view = s.X;
    double *half = pith_i_scratch(ctx, s.X.indptr[s.n], sizeof *half);
    for (int64_t e = 0; e < s.X.indptr[s.n]; e++)
        half[e] = ((const double *)s.X.values)[e] / 2;
    view.values = NULL;
    view.of.map = &twice;
    view.of.values = half;
    view.of.dtype = PITH_F64;
    for (int k = 0; k < 2; k++) {
        s.Z.X = k == 0 ? &s.X : &view;
        assert_ok(ctx, pith_i_self_expression(ctx, &s.Z, &s.knn, &options, &S[k], &unsolved));
    }
    assert_int_equal(S[0].M.indptr[s.n], S[1].M.indptr[s.n]);
    assert_memory_equal(S[0].M.values, S[1].M.values, (size_t)S[0].M.indptr[s.n] * sizeof(double));
    pith_i_combinations_free(&S[0]);
    pith_i_combinations_free(&S[1]);
    drop(&s);
    pith_i_scratch_release(ctx, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_row_is_optimal_over_its_candidates),
        TEST(threads_change_no_bit_and_failing_allocations_are_survived),
        TEST(a_view_is_read_by_what_it_shows),
    };
    return cmocka_run_group_tests_name("self_expression", tests, NULL, NULL);
}
