#include "methods/jelsr/embedding.h"

#include "linalg/cholesky.h"
#include "linalg/eigen.h"
#include "unit/tables.h"

enum { N = 130, P = 170, C = 4 };
static const double a = 3, b = 0.1;

/* The Laplacian of a path whose edges weigh 1, but 0.01 where a sixth of it ends; eigenvalues below 4. */
static pith_status path_apply(pith_ctx *ctx, const void *self, int64_t m, const double *x, double *y)
{
    (void)ctx;
    (void)self;
    memset(y, 0, (size_t)(m * N) * sizeof *y);
    for (int64_t v = 0; v < m; v++)
        for (int64_t i = 0; i + 1 < N; i++) {
            const double weight = i % (N / 6) == 0 ? 0.01 : 1, d = x[v * N + i] - x[v * N + i + 1];
            y[v * N + i] += weight * d;
            y[v * N + i + 1] -= weight * d;
        }
    return PITH_OK;
}

static const pith_i_operator path = {.n = N, .apply = path_apply};

typedef struct subject {
    double *x;
    pith_i_data X;
    pith_i_design D;
    pith_i_row_sparse fit;
    pith_i_embedding e;
} subject;

static pith_status open_subject(pith_ctx *ctx, subject *s)
{
    pith_status st = PITH_OK;
    TRY(pith_i_row_sparse_open(ctx, &s->D, C, &s->fit));
    s->fit.way = PITH_I_ITERATIVE;
    TRY(pith_i_embedding_open(ctx, &path, &s->fit, b, 4 + b, C, &s->e));
done:
    return st;
}

static void make(pith_ctx *ctx, subject *s)
{
    s->x = random_table(ctx, N, P, 0.6, 1);
    for (int64_t e = 0; e < N * P; e++)
        s->x[e] /= 64;
    s->X = as_form(ctx, s->x, N, P, ROW_MAJOR, PITH_F64);
    s->D = (pith_i_design){.X = &s->X};
}

/* Features that decay: after a sweep most of them weigh nothing. */
static void decay(subject *s, double rate)
{
    for (int64_t r = 0; r < P; r++)
        s->fit.inverse_q[r] = pow(rate, (double)r);
}

/* All eigenpairs of L + b a (X Q^-1 X' + a I)^-1 as a matrix, ascending; vector v is V + v N. */
static void slowly(pith_ctx *ctx, const subject *s, double *value, double *V)
{
    double *K = pith_i_scratch_zero(ctx, N * N, sizeof *K), *M = pith_i_scratch_zero(ctx, N * N, sizeof *M);
    double *one = pith_i_scratch_zero(ctx, N * N, sizeof *one);
    for (int64_t i = 0; i < N; i++) {
        for (int64_t l = 0; l < N; l++)
            for (int64_t r = 0; r < P; r++)
                K[i * N + l] += s->fit.inverse_q[r] * s->x[i * P + r] * s->x[l * P + r];
        K[i * N + i] += a;
        one[i * N + i] = 1;
    }
    assert_ok(ctx, path.apply(ctx, NULL, N, one, M));
    assert_ok(ctx, pith_i_cholesky(ctx, N, K));
    pith_i_cholesky_solve(N, K, N, one);
    for (int64_t e = 0; e < N * N; e++)
        M[e] += a * b * one[e];
    assert_ok(ctx, pith_i_eigen_dense(ctx, N, M, value, V));
}

/* The span of the first C vectors is that of V. */
static void assert_span(const pith_i_embedding *e, const double *V)
{
    for (int64_t t = 0; t < C; t++) {
        double inside = 0;
        for (int64_t v = 0; v < C; v++) {
            double dot = 0;
            for (int64_t i = 0; i < N; i++)
                dot += e->Y[i * e->width + t] * V[v * N + i];
            inside += dot * dot;
        }
        assert_near(inside, 1, 1e-13);
    }
}

static void vectors_are_those_of_the_matrix_in_every_sweep(void **state)
{
    static const double rates[] = {1, 0.9, 0.8, 0.2};
    pith_ctx *ctx = *state;
    subject s;
    make(ctx, &s);
    assert_ok(ctx, open_subject(ctx, &s));
    for (size_t k = 0; k < COUNT(rates); k++) {
        double *value = pith_i_scratch(ctx, N, sizeof *value), *V = pith_i_scratch(ctx, N * N, sizeof *V);
        decay(&s, rates[k]);
        assert_ok(ctx, pith_i_row_sparse_factor(ctx, &s.fit, a, NULL));
        assert_ok(ctx, pith_i_embedding_find(ctx, &s.e, C, 1e-11));
        slowly(ctx, &s, value, V);
        for (int64_t v = 0; v < C; v++)
            assert_near(s.e.value[v], value[v], 1e-13);
        assert_span(&s.e, V);
    }
    pith_i_scratch_release(ctx, 0);
}

/* What a regression begins with is what it would find: R = a U. */
static void images_are_the_residuals_of_the_regression(void **state)
{
    pith_ctx *ctx = *state;
    double Y[N * C], R[N * C];
    subject s;
    make(ctx, &s);
    assert_ok(ctx, open_subject(ctx, &s));
    decay(&s, 0.9);
    assert_ok(ctx, pith_i_row_sparse_factor(ctx, &s.fit, a, NULL));
    assert_ok(ctx, pith_i_embedding_find(ctx, &s.e, C, 1e-11));
    for (int64_t i = 0; i < N; i++)
        memcpy(Y + i * C, s.e.Y + i * s.e.width, C * sizeof *Y);
    s.fit.tolerance = 1e-13;
    assert_ok(ctx, pith_i_row_sparse_solve(ctx, &s.fit, C, Y, NULL, R));
    for (int64_t i = 0; i < N; i++)
        for (int64_t t = 0; t < C; t++)
            assert_near(a * s.e.U[i * s.e.width + t], R[i * C + t], 1e-12);
    pith_i_row_sparse_begin(&s.fit, s.e.width, s.e.U);
    for (int64_t i = 0; i < N; i++)
        assert_memory_equal(s.fit.solution + i * C, s.e.U + i * s.e.width, C * sizeof(double));
    pith_i_scratch_release(ctx, 0);
}

static pith_status find(pith_ctx *ctx, void *arg)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    subject *s = arg;
    pith_status st = PITH_OK;
    TRY(open_subject(ctx, s));
    decay(s, 0.9);
    TRY(pith_i_row_sparse_factor(ctx, &s->fit, a, NULL));
    TRY(pith_i_embedding_find(ctx, &s->e, C, 1e-11));
    memcpy(s->x, s->e.Y, (size_t)(N * s->e.width) * sizeof *s->x); /* for who asks after the release */
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static void threads_change_no_bit_and_failing_allocations_are_survived(void **state)
{
    pith_ctx *ctx = *state;
    subject s[2];
    for (int k = 0; k < 2; k++) {
        assert_ok(ctx, pith_ctx_set_threads(ctx, k == 0 ? 1 : 8));
        make(ctx, &s[k]);
        assert_ok(ctx, find(ctx, &s[k]));
    }
    assert_memory_equal(s[0].x, s[1].x, (size_t)(N * s[0].e.width) * sizeof(double));
    make(ctx, &s[0]);
    assert_survives_failing_allocations(ctx, find, &s[0], 20);
    pith_i_scratch_release(ctx, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(vectors_are_those_of_the_matrix_in_every_sweep),
        TEST(images_are_the_residuals_of_the_regression),
        TEST(threads_change_no_bit_and_failing_allocations_are_survived),
    };
    return cmocka_run_group_tests_name("embedding", tests, NULL, NULL);
}
