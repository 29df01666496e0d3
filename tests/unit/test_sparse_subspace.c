#include "linalg/eigen.h"
#include "methods/udfs/sparse_subspace.h"
#include "unit/tables.h"

enum { MOST = 40, C = 3 };

/* B = Z Z' of some rank, as a dense operator. */
typedef struct problem {
    int64_t n, p;
    double *x, *B;
    bool *left_out;
    pith_i_data X;
    pith_i_design D;
    pith_i_operator op;
    pith_i_way way; /* of failing_allocations_are_survived */
} problem;

static pith_status apply(pith_ctx *ctx, const void *self, int64_t m, const double *x, double *y)
{
    const problem *q = self;
    (void)ctx;
    for (int64_t v = 0; v < m; v++)
        for (int64_t i = 0; i < q->n; i++) {
            y[v * q->n + i] = 0;
            for (int64_t l = 0; l < q->n; l++)
                y[v * q->n + i] += q->B[i * q->n + l] * x[v * q->n + l];
        }
    return PITH_OK;
}

static void make(pith_ctx *ctx, int64_t n, int64_t p, int64_t rank, problem *q)
{
    const double *Z = random_table(ctx, n, rank, 1, 2);
    *q = (problem){.n = n, .p = p, .x = random_table(ctx, n, p, 1, 1)};
    q->B = pith_i_scratch_zero(ctx, n * n, sizeof *q->B);
    q->left_out = pith_i_scratch_zero(ctx, p, sizeof *q->left_out);
    q->left_out[1] = true;
    for (int64_t e = 0; e < n * p; e++)
        q->x[e] /= 64;
    for (int64_t i = 0; i < n; i++)
        for (int64_t l = 0; l < n; l++)
            for (int64_t t = 0; t < rank; t++)
                q->B[i * n + l] += Z[i * rank + t] * Z[l * rank + t] / 4096;
    q->X = (pith_i_data){.n = n, .p = p, .dtype = PITH_F64, .x = q->x, .row_stride = p, .col_stride = 1};
    q->D = (pith_i_design){.X = &q->X, .left_out = q->left_out};
    q->op = (pith_i_operator){.n = n, .self = q, .apply = apply};
}

/* P = X'BX + g Q over the features that take part; the others only on the diagonal, far up. */
static void dense_problem(const problem *q, double g, const double *inverse_q, double *P)
{
    for (int64_t r = 0; r < q->p; r++)
        for (int64_t t = 0; t < q->p; t++) {
            double sum = 0;
            for (int64_t i = 0; i < q->n; i++)
                for (int64_t l = 0; l < q->n; l++)
                    sum += q->x[i * q->p + r] * q->B[i * q->n + l] * q->x[l * q->p + t];
            const bool out = q->left_out[r] || q->left_out[t];
            P[r * q->p + t] = (out ? 0 : sum) + (r != t ? 0 : q->left_out[r] ? 1e6 : g / inverse_q[r]);
        }
}

static const int64_t shapes[][3] = {{8, 40, 5}, {20, 14, 20}, {20, 14, 4}, {12, 13, 12}};

/* Every shape by both ways: case a / 2, way a % 2. */
static void open_case(pith_ctx *ctx, size_t a, problem *q, pith_i_sparse_subspace *s)
{
    const int64_t *shape = shapes[a / 2];
    const pith_i_way way = a % 2 == 0 ? PITH_I_DIRECT : PITH_I_ITERATIVE;
    make(ctx, shape[0], shape[1], shape[2], q);
    assert_ok(ctx, pith_i_sparse_subspace_open(ctx, &q->D, &q->op, 0.1, C, way, s));
    assert_int_equal(s->by_samples, a == 0);
    assert_int_equal(s->iterative, way == PITH_I_ITERATIVE);
    s->near = C; /* or the block would be all there is */
}

static void a_sweep_gives_the_lowest_eigenvectors(void **state)
{
    pith_ctx *ctx = *state;
    for (size_t a = 0; a < 2 * COUNT(shapes); a++) {
        problem q;
        pith_i_sparse_subspace s;
        open_case(ctx, a, &q, &s);
        double last = INFINITY;
        for (int sweep = 0; sweep < 6; sweep++) {
            double P[MOST * MOST], value[MOST], copy[MOST * MOST], vectors[MOST * MOST];
            assert_ok(ctx, pith_i_sparse_subspace_sweep(ctx, &s));
            assert_true(sweep > 0 ||
                        (s.t > 0) == s.by_samples); /* or nothing here would be about the shift */
            dense_problem(&q, s.g, s.inverse_q, P);
            memcpy(copy, P, sizeof P);
            assert_ok(ctx, pith_i_eigen_dense(ctx, q.p, copy, value, vectors));
            for (int64_t v = 0; v < C; v++) {
                /* LAPACK's own error is some roundings of the largest eigenvalue. */
                assert_near(1 / s.value[v], value[v], 1e-9 * value[v] + 4e-16 * value[q.p - 1]);
                for (int64_t r = 0; r < q.p; r++) {
                    double sum = 0, size = 0;
                    for (int64_t t = 0; t < q.p; t++) {
                        sum += P[r * q.p + t] * s.V[v * q.p + t];
                        size += fabs(P[r * q.p + t] * s.V[v * q.p + t]);
                    }
                    assert_near(sum, s.V[v * q.p + r] / s.value[v], 1e-9 * (size + value[C - 1]));
                }
                for (int64_t u = 0; u < C; u++) {
                    double dot = 0;
                    for (int64_t r = 0; r < q.p; r++)
                        dot += s.V[v * q.p + r] * s.V[u * q.p + r];
                    assert_near(dot, u == v, 1e-13);
                }
                assert_near(s.V[v * q.p + 1], 0, 0); /* left out */
            }
            assert_true(sweep == 0 || s.objective <= last * (1 + 1e-12));
            last = s.objective;
        }
        pith_i_scratch_release(ctx, 0);
    }
}

/* tr(W'MW) + g ||W||_{2,1} from their definitions. */
static void the_objective_is_what_it_says(void **state)
{
    pith_ctx *ctx = *state;
    for (size_t a = 0; a < 2 * COUNT(shapes); a++) {
        problem q;
        pith_i_sparse_subspace s;
        double J = 0;
        open_case(ctx, a, &q, &s);
        for (int sweep = 0; sweep < 3; sweep++)
            assert_ok(ctx, pith_i_sparse_subspace_sweep(ctx, &s));
        for (int64_t v = 0; v < C; v++) {
            double z[MOST] = {0};
            for (int64_t i = 0; i < q.n; i++)
                for (int64_t r = 0; r < q.p; r++)
                    z[i] += q.x[i * q.p + r] * s.V[v * q.p + r];
            for (int64_t i = 0; i < q.n; i++)
                for (int64_t l = 0; l < q.n; l++)
                    J += z[i] * q.B[i * q.n + l] * z[l];
        }
        for (int64_t r = 0; r < q.p; r++) {
            double square = 0;
            for (int64_t v = 0; v < C; v++)
                square += s.V[v * q.p + r] * s.V[v * q.p + r];
            assert_near(s.norm[r], sqrt(square), 1e-15);
            J += s.g * sqrt(square);
        }
        assert_near(s.objective, J, 1e-10 * J);
        pith_i_scratch_release(ctx, 0);
    }
}

/* Squares sum to c; a null space of M is covered evenly, so that an orthogonal change of its basis is free.
 */
static void the_start_does_not_depend_on_a_basis(void **state)
{
    pith_ctx *ctx = *state;
    for (size_t a = 0; a < 2 * COUNT(shapes); a++) {
        problem q;
        pith_i_sparse_subspace s;
        double M[MOST * MOST], value[MOST], vectors[MOST * MOST], total = 0, ones[MOST];
        open_case(ctx, a, &q, &s);
        for (int64_t r = 0; r < q.p; r++)
            ones[r] = 1;
        dense_problem(&q, 0, ones, M);
        assert_ok(ctx, pith_i_eigen_dense(ctx, q.p, M, value, vectors));
        int64_t null = 0;
        while (value[null] < 1e-10 * value[q.p - 2])
            null++;
        const int64_t lowest = null >= C ? null : C;
        for (int64_t r = 0; r < q.p; r++) {
            double square = 0;
            for (int64_t v = 0; v < lowest; v++)
                square += vectors[v * q.p + r] * vectors[v * q.p + r] * C / (double)lowest;
            assert_near(s.norm[r] * s.norm[r], square, 1e-9);
            total += square;
        }
        assert_near(total, C, 1e-9);
        pith_i_scratch_release(ctx, 0);
    }
}

/*
 * Both ways where there are too many features for M itself. The estimate of the null space's shares is within
 * sqrt(2 / 128) of h_r or of 1 - h_r, and equal columns stay equal.
 */
static void a_start_by_steps_is_near_the_direct_one(void **state)
{
    enum { MANY = 700 };
    pith_ctx *ctx = *state;
    problem q;
    pith_i_sparse_subspace s[2];
    double total = 0;
    make(ctx, 300, MANY, 290, &q);
    for (int64_t i = 0; i < q.n; i++)
        q.x[i * MANY + 5] = q.x[i * MANY + 9];
    for (int k = 0; k < 2; k++)
        assert_ok(ctx, pith_i_sparse_subspace_open(ctx, &q.D, &q.op, 0.1, C,
                                                   k == 0 ? PITH_I_DIRECT : PITH_I_ITERATIVE, s + k));
    const double scale = C / (double)(s[0].kept - s[0].rank);
    for (int64_t r = 0; r < MANY; r++) {
        const double share = s[0].norm[r] * s[0].norm[r] / scale, near = s[1].norm[r] * s[1].norm[r] / scale;
        assert_near(near, share, 5 * sqrt(2. / 128) * fmax(share < 0.5 ? share : 1 - share, 0.02) + 0.05);
        total += s[1].norm[r] * s[1].norm[r];
    }
    assert_near(total, C, 1e-12);
    assert_near(s[1].norm[5], s[1].norm[9], 1e-12);
    assert_true(s[1].norm[1] == 0); /* left out */
    pith_i_scratch_release(ctx, 0);
}

/* As many samples as it takes for M to have no null space: the c lowest eigenvectors, by either way. */
static void without_a_null_space_the_start_is_the_lowest_eigenvectors(void **state)
{
    enum { MANY = 530 };
    pith_ctx *ctx = *state;
    problem q;
    pith_i_sparse_subspace s[2];
    if (sanitized())
        skip_because("both ways are in the test before");
    make(ctx, 560, MANY, 560, &q);
    for (int k = 0; k < 2; k++)
        assert_ok(ctx, pith_i_sparse_subspace_open(ctx, &q.D, &q.op, 0.1, C,
                                                   k == 0 ? PITH_I_DIRECT : PITH_I_ITERATIVE, s + k));
    for (int64_t r = 0; r < MANY; r++)
        assert_near(s[1].norm[r], s[0].norm[r], 1e-5);
    pith_i_scratch_release(ctx, 0);
}

static void too_few_features_are_refused(void **state)
{
    pith_ctx *ctx = *state;
    problem q;
    pith_i_sparse_subspace s;
    make(ctx, 9, 3, 2, &q);
    assert_int_equal(pith_i_sparse_subspace_open(ctx, &q.D, &q.op, 0.1, C, PITH_I_DIRECT, &s), PITH_E_DATA);
    assert_non_null(strstr(pith_ctx_message(ctx), "2 features"));
    pith_i_scratch_release(ctx, 0);
}

static pith_status open_and_sweep(pith_ctx *ctx, void *arg)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const problem *q = arg;
    pith_i_sparse_subspace s;
    pith_status st = PITH_OK;
    TRY(pith_i_sparse_subspace_open(ctx, &q->D, &q->op, 0.1, C, q->way, &s));
    TRY(pith_i_sparse_subspace_sweep(ctx, &s));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static void failing_allocations_are_survived(void **state)
{
    pith_ctx *ctx = *state;
    for (size_t a = 0; a < 3; a++) {
        problem q;
        make(ctx, shapes[a % 2][0], shapes[a % 2][1], shapes[a % 2][2], &q);
        q.way = a < 2 ? PITH_I_DIRECT : PITH_I_ITERATIVE;
        assert_survives_failing_allocations(ctx, open_and_sweep, &q, 20);
        pith_i_scratch_release(ctx, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_sweep_gives_the_lowest_eigenvectors),
        TEST(the_objective_is_what_it_says),
        TEST(the_start_does_not_depend_on_a_basis),
        TEST(a_start_by_steps_is_near_the_direct_one),
        TEST(without_a_null_space_the_start_is_the_lowest_eigenvectors),
        TEST(too_few_features_are_refused),
        TEST(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
