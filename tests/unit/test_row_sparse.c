#include "linalg/row_sparse.h"
#include "unit/tables.h"

enum { C = 3 };

/* Standard scale: values of about 1, a target of unit columns. */
typedef struct problem {
    int64_t n, p;
    double *x, *F, *u, *shift;
    bool *left_out;
    pith_i_data X, T;
    pith_i_design D;
} problem;

static problem make(pith_ctx *ctx, int64_t n, int64_t p, form f)
{
    problem q = {.n = n, .p = p};
    q.x = random_table(ctx, n, p, 0.6, 1);
    q.F = random_table(ctx, n, C, 1, 2);
    q.shift = random_table(ctx, 1, p, 1, 3);
    q.u = random_table(ctx, 1, n, 1, 4);
    q.left_out = pith_i_scratch_zero(ctx, p, sizeof *q.left_out);
    q.left_out[p - 2] = true;
    for (int64_t e = 0; e < n * p; e++)
        q.x[e] /= 32;
    for (int64_t e = 0; e < n * C; e++)
        q.F[e] /= 32 * sqrt((double)n);
    for (int64_t i = 0; i < n; i++)
        q.u[i] = 0.1 + fabs(q.u[i]);
    for (int64_t j = 0; j < p; j++)
        q.shift[j] /= 64;
    q.X = as_form(ctx, q.x, n, p, f, PITH_F64);
    if (q.X.sparse)
        assert_ok(ctx, pith_i_transpose(ctx, &q.X, &q.T));
    return q;
}

static void aim(problem *q)
{
    q->D = (pith_i_design){&q->X, q->X.sparse ? &q->T : NULL, q->shift, q->left_out};
}

static double at(const problem *q, int64_t i, int64_t r)
{
    return q->left_out[r] ? 0 : q->x[i * q->p + r] - q->shift[r];
}

/* sum_i u_i x_ir R_it. */
static double pull(const problem *q, const double *u, const double *R, int64_t r, int64_t t)
{
    double sum = 0;
    for (int64_t i = 0; i < q->n; i++)
        sum += (u != NULL ? u[i] : 1) * at(q, i, r) * R[i * C + t];
    return sum;
}

static double row_norm(const double *W, int64_t r)
{
    double square = 0;
    for (int64_t t = 0; t < C; t++)
        square += W[r * C + t] * W[r * C + t];
    return sqrt(square);
}

static const int64_t shapes[][2] = {{12, 40}, {40, 12}, {20, 20}};

/* The minimum over W of sum_i u_i ||x_i W - f_i||^2 + b sum_r q_r ||w_r||^2: its gradient is 0. */
static void each_solve_is_the_minimum_of_its_ridge_problem(void **state)
{
    pith_ctx *ctx = *state;
    for (size_t s = 0; s < COUNT(shapes); s++)
        for (int f = 0; f < 4; f++) { /* dense and sparse, with sample weights and without */
            problem q = make(ctx, shapes[s][0], shapes[s][1], f % 2 == 0 ? ROW_MAJOR : CSR);
            aim(&q);
            const double b = 0.7, *u = f / 2 == 0 ? NULL : q.u;
            double *W = pith_i_scratch(ctx, q.p * C, sizeof *W), *R = pith_i_scratch(ctx, q.n * C, sizeof *R);
            pith_i_row_sparse solver;
            assert_ok(ctx, pith_i_row_sparse_open(ctx, &q.D, C, &solver));
            for (int64_t r = 0; r < q.p; r++)
                solver.inverse_q[r] *= pow(10, -(double)(r % 8));
            assert_ok(ctx, pith_i_row_sparse_factor(ctx, &solver, b, u));
            assert_ok(ctx, pith_i_row_sparse_solve(ctx, &solver, C, q.F, W, R));
            for (int64_t i = 0; i < q.n; i++)
                for (int64_t t = 0; t < C; t++) {
                    double fit = 0;
                    for (int64_t r = 0; r < q.p; r++)
                        fit += at(&q, i, r) * W[r * C + t];
                    assert_near(R[i * C + t], q.F[i * C + t] - fit, 1e-13);
                }
            for (int64_t r = 0; r < q.p; r++)
                for (int64_t t = 0; t < C; t++) /* w_r = Q^-1_r f_r'U R / b */
                    assert_near(W[r * C + t], solver.inverse_q[r] * pull(&q, u, R, r, t) / b, 1e-13);
            pith_i_data_free(&q.T);
            pith_i_scratch_release(ctx, 0);
        }
}

/* Both forms of one problem: the features beyond n are copies of weight 0. */
static void forms_of_either_size_agree(void **state)
{
    pith_ctx *ctx = *state;
    enum { N = 15, FEW = 10, MANY = 30 };
    double W[2][MANY * C], R[2][N * C];
    for (int wide = 0; wide < 2; wide++) {
        const int64_t p = wide ? MANY : FEW;
        const double *few = random_table(ctx, N, FEW, 1, 1), *F = random_table(ctx, N, C, 1, 2);
        double *x = pith_i_scratch(ctx, N * p, sizeof *x);
        for (int64_t i = 0; i < N; i++)
            for (int64_t r = 0; r < p; r++)
                x[i * p + r] = few[i * FEW + r % FEW] / 32;
        const pith_i_data X = as_form(ctx, x, N, p, ROW_MAJOR, PITH_F64);
        const pith_i_design D = {&X, NULL, NULL, NULL};
        pith_i_row_sparse s;
        assert_ok(ctx, pith_i_row_sparse_open(ctx, &D, C, &s));
        assert_int_equal(s.by_samples, wide);
        for (int64_t r = 0; r < p; r++)
            s.inverse_q[r] = r < FEW ? 1 / (double)(1 + r) : 0;
        assert_ok(ctx, pith_i_row_sparse_factor(ctx, &s, 0.3, NULL));
        assert_ok(ctx, pith_i_row_sparse_solve(ctx, &s, C, F, W[wide], R[wide]));
        pith_i_scratch_release(ctx, 0);
    }
    for (int64_t e = 0; e < FEW * C; e++)
        assert_near(W[0][e], W[1][e], 1e-11);
    for (int64_t e = 0; e < N * C; e++)
        assert_near(R[0][e], R[1][e], 1e-11);
}

static double objective(const problem *q, double b, double e, const double *W, const double *R)
{
    double J = 0;
    for (int64_t i = 0; i < q->n * C; i++)
        J += R[i] * R[i];
    for (int64_t r = 0; r < q->p; r++)
        J += q->left_out[r] ? 0 : b * hypot(row_norm(W, r), e);
    return J;
}

/*
 * The penalised objective falls in every sweep, and where a row stands still it satisfies the condition of
 * the minimum, 2 f_r'(F - XW) = b w_r / ||w_r||; rows that shrink have a pull below b.
 */
static void sweeps_descend_to_the_optimality_conditions(void **state)
{
    pith_ctx *ctx = *state;
    for (size_t s = 0; s < COUNT(shapes); s++)
        for (int smooth = 0; smooth < 2; smooth++) {
            problem q = make(ctx, shapes[s][0], shapes[s][1], CSR);
            aim(&q);
            const double b = 3, e = smooth ? 1e-6 : 0;
            double *W = pith_i_scratch(ctx, q.p * C, sizeof *W), *R = pith_i_scratch(ctx, q.n * C, sizeof *R);
            double last = INFINITY;
            pith_i_row_sparse solver;
            assert_ok(ctx, pith_i_row_sparse_open(ctx, &q.D, C, &solver));
            for (int sweep = 0; sweep < 400; sweep++) {
                assert_ok(ctx, pith_i_row_sparse_factor(ctx, &solver, b, NULL));
                assert_ok(ctx, pith_i_row_sparse_solve(ctx, &solver, C, q.F, W, R));
                const double J = objective(&q, b, e, W, R);
                assert_true(J <= last * (1 + 1e-14));
                last = J;
                if (smooth)
                    pith_i_row_sparse_reweight_smooth(&solver, C, W, e);
                else
                    pith_i_row_sparse_reweight(&solver, C, W);
            }
            int64_t alive = 0;
            for (int64_t r = 0; r < q.p; r++) {
                double pulled = 0;
                for (int64_t t = 0; t < C; t++) {
                    pulled = hypot(pulled, 2 * pull(&q, NULL, R, r, t));
                    if (row_norm(W, r) > 1e-3)
                        assert_near(2 * pull(&q, NULL, R, r, t), b * W[r * C + t] / row_norm(W, r), 1e-4);
                }
                alive += row_norm(W, r) > 1e-3;
                assert_true(pulled <= b * (1 + 1e-3));
            }
            assert_in_range(alive, 1, q.p - 2); /* or the test would say little */
            pith_i_data_free(&q.T);
            pith_i_scratch_release(ctx, 0);
        }
}

static void nothing_fits_when_the_penalty_has_removed_everything(void **state)
{
    pith_ctx *ctx = *state;
    for (size_t s = 0; s < 2; s++) {
        problem q = make(ctx, shapes[s][0], shapes[s][1], ROW_MAJOR);
        aim(&q);
        double *W = pith_i_scratch_zero(ctx, q.p * C, sizeof *W),
               *R = pith_i_scratch(ctx, q.n * C, sizeof *R);
        pith_i_row_sparse solver;
        assert_ok(ctx, pith_i_row_sparse_open(ctx, &q.D, C, &solver));
        pith_i_row_sparse_reweight(&solver, C, W);
        assert_ok(ctx, pith_i_row_sparse_factor(ctx, &solver, 2, q.u));
        assert_ok(ctx, pith_i_row_sparse_solve(ctx, &solver, C, q.F, W, R));
        for (int64_t e = 0; e < q.p * C; e++)
            assert_near(W[e], 0, 0);
        for (int64_t e = 0; e < q.n * C; e++)
            assert_near(R[e], q.F[e], 1e-15);
        pith_i_scratch_release(ctx, 0);
    }
}

/* Five sweeps of W and R, as a method does them. */
static void sweep(pith_ctx *ctx, const problem *q, pith_i_way way, const double *u, double *W, double *R)
{
    pith_i_row_sparse solver;
    assert_ok(ctx, pith_i_row_sparse_open(ctx, &q->D, C, &solver));
    solver.way = way;
    solver.tolerance = 1e-12;
    for (int k = 0; k < 5; k++) {
        assert_ok(ctx, pith_i_row_sparse_factor(ctx, &solver, 0.5, u));
        assert_int_equal(solver.iterative, way == PITH_I_ITERATIVE);
        assert_ok(ctx, pith_i_row_sparse_solve(ctx, &solver, C, q->F, W, R));
        if (k < 4)
            pith_i_row_sparse_reweight_smooth(&solver, C, W, 1e-6);
    }
    for (int64_t r = 0; r < q->p; r++) /* w_r = Q^-1_r f_r'U R / b */
        for (int64_t t = 0; t < C; t++)
            assert_near(W[r * C + t], solver.inverse_q[r] * pull(q, u, R, r, t) / 0.5, 1e-10);
}

static void steps_find_what_a_factor_finds(void **state)
{
    pith_ctx *ctx = *state;
    static const int64_t sizes[][2] = {{150, 340}, {340, 150}};
    for (size_t s = 0; s < COUNT(sizes); s++)
        for (int f = 0; f < 4; f++) { /* dense and sparse, with sample weights and without */
            problem q = make(ctx, sizes[s][0], sizes[s][1], f % 2 == 0 ? ROW_MAJOR : CSR);
            aim(&q);
            double *W[2], *R[2];
            for (int by = 0; by < 2; by++) {
                W[by] = pith_i_scratch(ctx, q.p * C, sizeof *W[by]);
                R[by] = pith_i_scratch(ctx, q.n * C, sizeof *R[by]);
                sweep(ctx, &q, by == 0 ? PITH_I_DIRECT : PITH_I_ITERATIVE, f / 2 == 0 ? NULL : q.u, W[by],
                      R[by]);
            }
            for (int64_t e = 0; e < q.p * C; e++)
                assert_near(W[0][e], W[1][e], 1e-10);
            for (int64_t e = 0; e < q.n * C; e++)
                assert_near(R[0][e], R[1][e], 1e-10);
            pith_i_data_free(&q.T);
            pith_i_scratch_release(ctx, 0);
        }
}

static void threads_change_no_bit_of_the_steps(void **state)
{
    pith_ctx *ctx = *state;
    problem q = make(ctx, 150, 340, CSR);
    aim(&q);
    double *W[2], *R[2];
    for (int k = 0; k < 2; k++) {
        W[k] = pith_i_scratch(ctx, q.p * C, sizeof *W[k]);
        R[k] = pith_i_scratch(ctx, q.n * C, sizeof *R[k]);
        assert_ok(ctx, pith_ctx_set_threads(ctx, k == 0 ? 1 : 4));
        sweep(ctx, &q, PITH_I_ITERATIVE, q.u, W[k], R[k]);
    }
    assert_memory_equal(W[0], W[1], (size_t)(q.p * C) * sizeof *W[0]);
    assert_memory_equal(R[0], R[1], (size_t)(q.n * C) * sizeof *R[0]);
    pith_i_data_free(&q.T);
    pith_i_scratch_release(ctx, 0);
}

/* 5,000 x 8,000 with two entries in a row: a factor would cost 2e10 multiplications, a step 3e5. */
static void large_sparse_problems_go_by_steps_and_small_ones_do_not(void **state)
{
    pith_ctx *ctx = *state;
    enum { ROWS = 5000, COLUMNS = 8000, ENTRIES = 2 * ROWS };
    int64_t indptr[ROWS + 1];
    int32_t *indices = pith_i_scratch(ctx, ENTRIES, sizeof *indices);
    double *values = pith_i_scratch(ctx, ENTRIES, sizeof *values);
    double *F = random_table(ctx, ROWS, C, 1, 2), *W = pith_i_scratch(ctx, COLUMNS * C, sizeof *W);
    pith_i_data T = {0};
    for (int64_t i = 0; i <= ROWS; i++)
        indptr[i] = 2 * i;
    for (int64_t e = 0; e < ENTRIES; e++) {
        indices[e] = (int32_t)(e % 2 == 0 ? e / 2 % 4000 : 4000 + e / 2 * 7 % 4000);
        values[e] = 1 + (double)(e % 5);
    }
    const pith_i_data X = {.n = ROWS,
                           .p = COLUMNS,
                           .dtype = PITH_F64,
                           .sparse = true,
                           .indptr = indptr,
                           .indices = indices,
                           .values = values};
    assert_ok(ctx, pith_i_transpose(ctx, &X, &T));
    const pith_i_design D = {&X, &T, NULL, NULL};
    pith_i_row_sparse large, small;
    assert_ok(ctx, pith_i_row_sparse_open(ctx, &D, C, &large));
    assert_ok(ctx, pith_i_row_sparse_factor(ctx, &large, 2, NULL));
    assert_true(large.iterative);
    assert_null(large.factor);
    assert_ok(ctx, pith_i_row_sparse_solve(ctx, &large, C, F, W, NULL));
    problem q = make(ctx, 150, 340, CSR);
    aim(&q);
    assert_ok(ctx, pith_i_row_sparse_open(ctx, &q.D, C, &small));
    assert_ok(ctx, pith_i_row_sparse_factor(ctx, &small, 2, NULL));
    assert_false(small.iterative);
    assert_null(small.sketch.U);
    pith_i_data_free(&q.T);
    pith_i_data_free(&T);
    pith_i_scratch_release(ctx, 0);
}

typedef struct task {
    const problem *q;
    pith_i_way way;
} task;

static pith_status whole_solve(pith_ctx *ctx, void *arg)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const task *what = arg;
    const problem *q = what->q;
    double *W = NULL, *R = NULL;
    pith_i_row_sparse solver;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, W, q->p * C));
    TRY(SCRATCH(ctx, R, q->n * C));
    TRY(pith_i_row_sparse_open(ctx, &q->D, C, &solver));
    solver.way = what->way;
    TRY(pith_i_row_sparse_factor(ctx, &solver, 1, q->u));
    TRY(pith_i_row_sparse_solve(ctx, &solver, C, q->F, W, R));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static void failing_allocations_are_survived(void **state)
{
    pith_ctx *ctx = *state;
    for (size_t s = 0; s < 2; s++) {
        problem q = make(ctx, shapes[s][0], shapes[s][1], CSR);
        aim(&q);
        for (pith_i_way way = PITH_I_DIRECT; way <= PITH_I_ITERATIVE; way++)
            assert_survives_failing_allocations(ctx, whole_solve, &(task){&q, way}, 8);
        pith_i_data_free(&q.T);
        pith_i_scratch_release(ctx, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_solve_is_the_minimum_of_its_ridge_problem),
        TEST(forms_of_either_size_agree),
        TEST(sweeps_descend_to_the_optimality_conditions),
        TEST(nothing_fits_when_the_penalty_has_removed_everything),
        TEST(steps_find_what_a_factor_finds),
        TEST(threads_change_no_bit_of_the_steps),
        TEST(large_sparse_problems_go_by_steps_and_small_ones_do_not),
        TEST(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
