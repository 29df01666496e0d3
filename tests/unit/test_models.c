#include "methods/lgdfs/models.h"

#include "linalg/cholesky.h"
#include "unit/graph_data.h"

enum { N = 40, LARGE = 150, P = 6, K = 5, C = 2 };
static const double ALPHA = 0.7, GLOBAL = 2, LOCAL = 0.5;

/* Two clouds apart in the first columns; column 3 far from 0. */
static double *clouds(int64_t n, uint64_t seed)
{
    double *x = new_values(n * P);
    fill_normal(x, n * P, seed);
    for (int64_t i = 0; i < n; i++) {
        x[i * P] += i % 2 == 0 ? 3 : -3;
        x[i * P + 1] += i % 3 == 0 ? 4 : 0;
        x[i * P + 3] += 100;
    }
    for (int64_t e = 0; e < n * P; e++)
        x[e] = (double)(float)x[e]; /* as every layout can hold it */
    return x;
}

static void uneven(double *z, uint64_t seed)
{
    pith_i_stream s = pith_i_stream_at(seed, PITH_I_RANDOM_BENCH, 3);
    double sum = 0;
    for (int j = 0; j < P; j++)
        sum += z[j] = 0.1 + pith_i_random_uniform(&s);
    for (int j = 0; j < P; j++)
        z[j] /= sum;
}

typedef struct setting {
    double *x, z[P];
    pith_i_data X, T;
    pith_i_design design;
    pith_i_models models;
    size_t mark;
} setting;

static void begin(pith_ctx *ctx, setting *s, int64_t n, layout how, pith_i_way way, uint64_t seed)
{
    const pith_i_models_options options = {
        .k = K, .targets = C, .alpha = ALPHA, .global = GLOBAL, .local = LOCAL, .way = way};
    s->mark = pith_i_scratch_mark(ctx);
    s->x = clouds(n, seed);
    uneven(s->z, seed);
    s->X = laid_out(ctx, s->x, n, P, how);
    s->T = (pith_i_data){0};
    if (s->X.sparse)
        assert_ok(ctx, pith_i_transpose(ctx, &s->X, &s->T));
    s->design = (pith_i_design){.X = &s->X, .T = s->X.sparse ? &s->T : NULL};
    assert_ok(ctx, pith_i_models_open(ctx, &s->design, &options, &s->models));
    assert_int_equal(s->models.iterative, way == PITH_I_ITERATIVE);
    s->models.tolerance = 1e-12;
    assert_ok(ctx, pith_i_models_fit(ctx, &s->models, s->z, true));
}

static void end(pith_ctx *ctx, setting *s)
{
    pith_i_models_close(&s->models);
    pith_i_data_free(&s->X);
    pith_i_data_free(&s->T);
    free(s->x);
    pith_i_scratch_release(ctx, s->mark);
}

/*
 * One regression by its normal equations, (Xc'Xc + ridge diag(1/z)) w = Xc'y, on the given rows: adds ridge
 * w_j^2 to energy and returns the value at the minimum, |H (X w - y)|^2 + ridge sum_j w_j^2 / z_j.
 */
static double regress(pith_ctx *ctx, const setting *s, const int64_t *rows, int64_t count, const double *y,
                      double ridge, double *energy)
{
    double *Xc = new_values(count * P), *yc = new_values(count), A[P * P], w[P] = {0}, value = 0;
    for (int64_t r = 0; r < count; r++) {
        yc[r] = y[rows[r]];
        for (int64_t j = 0; j < P; j++)
            Xc[r * P + j] = s->x[rows[r] * P + j];
    }
    for (int64_t j = 0; j <= P; j++) { /* the last time for y */
        double *column = j < P ? Xc + j : yc, mean = 0;
        const int64_t step = j < P ? P : 1;
        for (int64_t r = 0; r < count; r++)
            mean += column[r * step] / (double)count;
        for (int64_t r = 0; r < count; r++)
            column[r * step] -= mean;
    }
    for (int64_t j = 0; j < P; j++) {
        for (int64_t r = 0; r < count; r++)
            w[j] += Xc[r * P + j] * yc[r];
        for (int64_t l = 0; l < P; l++) {
            A[j * P + l] = j == l ? ridge / s->z[j] : 0;
            for (int64_t r = 0; r < count; r++)
                A[j * P + l] += Xc[r * P + j] * Xc[r * P + l];
        }
    }
    assert_ok(ctx, pith_i_cholesky(ctx, P, A));
    pith_i_cholesky_solve(P, A, 1, w);
    for (int64_t r = 0; r < count; r++) {
        double rest = -yc[r];
        for (int64_t j = 0; j < P; j++)
            rest += Xc[r * P + j] * w[j];
        value += rest * rest;
    }
    for (int64_t j = 0; j < P; j++) {
        energy[j] += ridge * w[j] * w[j];
        value += ridge * w[j] * w[j] / s->z[j];
    }
    free(Xc);
    free(yc);
    return value;
}

/* All regressions of all targets: sum of the values, and of the ridge-weighted squared rows of W. */
static double regress_all(pith_ctx *ctx, const setting *s, int64_t count, const double *Y, double *energy)
{
    const int64_t n = s->models.n;
    int64_t *rows = calloc((size_t)n, sizeof *rows);
    double value = 0;
    assert_non_null(rows);
    memset(energy, 0, P * sizeof *energy);
    for (int64_t v = 0; v < count; v++) {
        double all[P] = {0};
        for (int64_t i = 0; i < n; i++)
            rows[i] = i;
        value += ALPHA * regress(ctx, s, rows, n, Y + v * n, GLOBAL, all);
        for (int64_t j = 0; j < P; j++)
            energy[j] += ALPHA * all[j];
        for (int64_t i = 0; i < n; i++) {
            rows[0] = i;
            memcpy(rows + 1, s->models.regions.near.index + i * (K - 1), (K - 1) * sizeof *rows);
            value += regress(ctx, s, rows, K, Y + v * n, LOCAL, energy);
        }
    }
    free(rows);
    return value;
}

static const int64_t sizes[] = {N, LARGE}; /* on both sides of where all eigenvectors are found */

static void models_are_the_regressions_of_the_normal_equations(void **state)
{
    pith_ctx *ctx = *state;
    for (size_t t = 0; t < COUNT(sizes); t++)
        for (int how = 0; how < 2 * LAYOUTS; how++) {
            const int64_t n = sizes[t];
            double *Y = new_values(n * C), value[C], energy[P], slow[P];
            setting s;
            begin(ctx, &s, n, (layout)(how / 2), how % 2 == 0 ? PITH_I_DIRECT : PITH_I_ITERATIVE, 2);
            assert_ok(ctx, pith_i_models_targets(ctx, &s.models, C, value, Y));
            assert_ok(ctx, pith_i_models_energy(ctx, &s.models, C, value, Y, energy));
            const double objective = regress_all(ctx, &s, C, Y, slow);
            assert_near(value[0] + value[1], objective, 1e-9 * objective);
            for (int64_t j = 0; j < P; j++)
                assert_near(s.z[j] * s.z[j] * energy[j], slow[j], 1e-9 * slow[0]);
            end(ctx, &s);
            free(Y);
        }
}

static void regions_are_the_nearest_in_the_weighted_space(void **state)
{
    pith_ctx *ctx = *state;
    for (pith_i_way way = PITH_I_DIRECT; way <= PITH_I_ITERATIVE; way++) {
        setting s;
        begin(ctx, &s, N, ROWS_F64, way, 3);
        double *weighted = new_values(N * P);
        for (int64_t e = 0; e < N * P; e++)
            weighted[e] = s.x[e] * sqrt(s.z[e % P]);
        for (int64_t i = 0; i < N; i++) {
            slow_near near[N];
            slow_neighbours(weighted, N, P, PITH_I_EUCLIDEAN, i, near);
            for (int64_t e = 0; e < K - 1; e++)
                assert_int_equal(s.models.regions.near.index[i * (K - 1) + e], near[e].id);
        }
        free(weighted);
        end(ctx, &s);
    }
}

/* Orthonormal, without the constant, stationary, and no random direction does better. */
static void targets_are_the_least_eigenvectors_beside_the_constant(void **state)
{
    pith_ctx *ctx = *state;
    for (size_t t = 0; t < 2 * COUNT(sizes); t++) {
        const int64_t n = sizes[t / 2];
        double *Y = new_values(n * C), *other = new_values(n), value[C], energy[P], norm = 0, mean = 0;
        setting s;
        begin(ctx, &s, n, ROWS_F64, t % 2 == 0 ? PITH_I_DIRECT : PITH_I_ITERATIVE, 4);
        assert_ok(ctx, pith_i_models_targets(ctx, &s.models, C, value, Y));
        assert_true(value[0] > 0 && value[1] >= value[0] && value[1] < s.models.bound);
        for (int64_t v = 0; v < C; v++) {
            double sum = 0, cross = 0, length = 0;
            for (int64_t i = 0; i < n; i++) {
                sum += Y[v * n + i];
                length += Y[v * n + i] * Y[v * n + i];
                cross += Y[i] * Y[n + i];
            }
            assert_near(sum, 0, 1e-9);
            assert_near(length, 1, 1e-12);
            assert_near(cross, 0, 1e-9);
            assert_near(regress_all(ctx, &s, 1, Y + v * n, energy), value[v], 1e-10);
        }
        for (uint64_t seed = 0; seed < 50; seed++) { /* near the first vector, where it is tight */
            fill_normal(other, n, seed);
            norm = mean = 0;
            for (int64_t i = 0; i < n; i++)
                mean += (other[i] = Y[i] + 0.05 * other[i]) / (double)n;
            for (int64_t i = 0; i < n; i++) {
                other[i] -= mean;
                norm += other[i] * other[i];
            }
            assert_true(regress_all(ctx, &s, 1, other, energy) / norm >= value[0] * (1 - 1e-10));
        }
        end(ctx, &s);
        free(Y);
        free(other);
    }
}

/* With regions held, new weights lower tr(Y'A(z)Y) for the labels that there are, and new labels lower it
 * again. */
static void new_weights_and_new_labels_never_raise_the_objective(void **state)
{
    pith_ctx *ctx = *state;
    for (uint64_t seed = 0; seed < 10; seed++) {
        double Y[N * C], value[C], s_j[P], slow[P];
        setting s;
        begin(ctx, &s, N, ROWS_F64, seed % 2 == 0 ? PITH_I_DIRECT : PITH_I_ITERATIVE, seed / 2);
        assert_ok(ctx, pith_i_models_targets(ctx, &s.models, C, value, Y));
        for (int round = 0; round < 6; round++) {
            const double before = value[0] + value[1];
            double sum = 0;
            assert_ok(ctx, pith_i_models_energy(ctx, &s.models, C, value, Y, s_j));
            for (int j = 0; j < P; j++)
                sum += s.z[j] * sqrt(s_j[j]);
            for (int j = 0; j < P; j++)
                s.z[j] *= sqrt(s_j[j]) / sum;
            assert_ok(ctx, pith_i_models_fit(ctx, &s.models, s.z, false));
            const double between = regress_all(ctx, &s, C, Y, slow);
            assert_ok(ctx, pith_i_models_targets(ctx, &s.models, C, value, Y));
            assert_true(between <= before * (1 + 1e-12));
            assert_true(value[0] + value[1] <= between * (1 + 1e-12));
            if (round == 0)
                assert_true(between < before && value[0] + value[1] < between);
        }
        end(ctx, &s);
    }
}

static void columns_left_out_have_no_energy_and_move_nothing(void **state)
{
    static const bool out[P] = {[4] = true};
    pith_ctx *ctx = *state;
    for (pith_i_way way = PITH_I_DIRECT; way <= PITH_I_ITERATIVE; way++) {
        double Y[N * C], value[C], energy[P];
        setting s;
        begin(ctx, &s, N, ROWS_F64, way, 5);
        s.design.left_out = out;
        assert_ok(ctx, pith_i_models_fit(ctx, &s.models, s.z, true));
        assert_ok(ctx, pith_i_models_targets(ctx, &s.models, C, value, Y));
        assert_ok(ctx, pith_i_models_energy(ctx, &s.models, C, value, Y, energy));
        assert_true(energy[4] == 0 && energy[0] > 0);
        const double with = value[0];
        s.z[4] *= 100;
        assert_ok(ctx, pith_i_models_fit(ctx, &s.models, s.z, true));
        assert_ok(ctx, pith_i_models_targets(ctx, &s.models, C, value, Y));
        assert_near(value[0], with, way == PITH_I_DIRECT ? 0 : 1e-12);
        end(ctx, &s);
    }
}

/* What lgdfs.c does in every round, from weights that are all the same. */
static void reweigh_rounds(pith_ctx *ctx, const pith_i_design *X, const pith_i_models_options *o, int rounds,
                           double *z)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = X->X->n, p = X->X->p;
    double *Y = new_values(n * o->targets), *value = new_values(o->targets), *s = new_values(p);
    pith_i_models models;
    assert_ok(ctx, pith_i_models_open(ctx, X, o, &models));
    for (int64_t j = 0; j < p; j++)
        z[j] = 1 / (double)p;
    for (int round = 0; round < rounds; round++) {
        double sum = 0;
        assert_ok(ctx, pith_i_models_fit(ctx, &models, z, true));
        assert_ok(ctx, pith_i_models_targets(ctx, &models, o->targets, value, Y));
        assert_ok(ctx, pith_i_models_energy(ctx, &models, o->targets, value, Y, s));
        for (int64_t j = 0; j < p; j++)
            sum += z[j] * sqrt(s[j]);
        for (int64_t j = 0; j < p; j++)
            z[j] *= sqrt(s[j]) / sum;
    }
    pith_i_models_close(&models);
    pith_i_scratch_release(ctx, mark);
    free(Y), free(value), free(s);
}

/* The settings of tests/oracle/lgdfs, at the tolerance that large data have. */
static void both_ways_come_to_the_same_weights(void **state)
{
    static const struct {
        int64_t n, targets, k;
        double alpha, global, local;
    } cases[] = {{60, 2, 5, 1, 1, 1},          {60, 1, 5, 1, 1, 1},  {60, 3, 2, 1, 1, 1},
                 {60, 2, 9, 0.1, 10, 0.1},     {60, 2, 60, 1, 1, 1}, {60, 2, 5, 100, 0.01, 100},
                 {150, 3, 5, 0.001, 0.001, 1}, {300, 4, 5, 1, 1, 1}};
    pith_ctx *ctx = *state;
    assert_ok(ctx, pith_ctx_set_threads(ctx, 1));                    /* too small for more */
    for (size_t t = 0; t < COUNT(cases); t += (size_t)cases_step(5)) /* the first, and one that stalls */
        for (int how = 0; how < LAYOUTS; how += cases_step(LAYOUTS - 1)) {
            double *x = clouds(cases[t].n, 7), z[2][P], mean[P] = {0};
            for (int64_t e = 0; e < cases[t].n * P; e++)
                mean[e % P] += x[e] / (double)cases[t].n;
            pith_i_data X = laid_out(ctx, x, cases[t].n, P, (layout)how), T = {0};
            if (X.sparse)
                assert_ok(ctx, pith_i_transpose(ctx, &X, &T));
            const pith_i_design design = {.X = &X, .T = X.sparse ? &T : NULL};
            for (pith_i_way way = PITH_I_DIRECT; way <= PITH_I_ITERATIVE; way++) {
                const pith_i_models_options o = {cases[t].k,      cases[t].targets, cases[t].alpha,
                                                 cases[t].global, cases[t].local,   way};
                reweigh_rounds(ctx, &design, &o, 6, z[way == PITH_I_ITERATIVE]);
            }
            for (int64_t j = 0; j < P; j++)
                assert_near(z[0][j], z[1][j], 1e-9);
            pith_i_data_free(&X);
            pith_i_data_free(&T);
            free(x);
        }
}

/* An eigenvector that the last fit had no part of is found, and a start from the last solution is soon done.
 */
static void the_last_fit_is_a_start_and_no_prison(void **state)
{
    pith_ctx *ctx = *state;
    double *Y = new_values(LARGE * C), value[C], again[C], fresh[C];
    setting s;
    begin(ctx, &s, LARGE, ROWS_F64, PITH_I_ITERATIVE, 6);
    assert_ok(ctx, pith_i_models_targets(ctx, &s.models, C, value, Y));
    const int64_t first = s.models.products;
    assert_ok(ctx, pith_i_models_targets(ctx, &s.models, C, again, Y));
    assert_true(2 * s.models.products < first);
    for (int64_t e = 0; e < LARGE * s.models.width; e++)
        s.models.U[e] =
            e % s.models.width == 0 ? s.models.U[e] : 0; /* all that is left is the first vector */
    assert_ok(ctx, pith_i_models_targets(ctx, &s.models, C, fresh, Y));
    for (int v = 0; v < C; v++) {
        assert_near(again[v], value[v], 1e-12);
        assert_near(fresh[v], value[v], 1e-12);
    }
    end(ctx, &s);
    free(Y);
}

/* More samples than a block of a sum has. */
static void threads_change_no_bit_of_the_steps(void **state)
{
    enum { MANY = 4500 };
    pith_ctx *ctx = *state;
    double *x = clouds(MANY, 9), z[2][P];
    pith_i_data X = laid_out(ctx, x, MANY, P, ROWS_F64);
    const pith_i_design design = {.X = &X};
    const pith_i_models_options o = {K, C, ALPHA, GLOBAL, LOCAL, PITH_I_ITERATIVE};
    for (int t = 0; t < 2; t++) {
        assert_ok(ctx, pith_ctx_set_threads(ctx, t == 0 ? 1 : 3));
        reweigh_rounds(ctx, &design, &o, 2, z[t]);
    }
    assert_memory_equal(z[0], z[1], sizeof z[0]);
    pith_i_data_free(&X);
    free(x);
}

static pith_status fit_once(pith_ctx *ctx, void *arg)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_models_options o = {K, C, ALPHA, GLOBAL, LOCAL, PITH_I_ITERATIVE};
    pith_i_models models = {0};
    double z[P], value[C], s[P], *Y = NULL;
    pith_status st = PITH_OK;
    uneven(z, 8);
    TRY(SCRATCH(ctx, Y, N * C));
    TRY(pith_i_models_open(ctx, arg, &o, &models));
    TRY(pith_i_models_fit(ctx, &models, z, true));
    TRY(pith_i_models_targets(ctx, &models, C, value, Y));
    TRY(pith_i_models_energy(ctx, &models, C, value, Y, s));
done:
    pith_i_models_close(&models);
    pith_i_scratch_release(ctx, mark);
    return st;
}

static void steps_survive_failing_allocations_and_can_be_stopped(void **state)
{
    pith_ctx *ctx = *state;
    assert_ok(ctx, pith_ctx_set_threads(ctx, 1));
    double *x = clouds(N, 8);
    pith_i_data X = laid_out(ctx, x, N, P, ROWS_F64);
    pith_i_design design = {.X = &X};
    assert_survives_failing_allocations(ctx, fit_once, &design, 30);
    pith_ctx_set_progress(ctx, stop_progress, NULL);
    assert_int_equal(fit_once(ctx, &design), PITH_E_STOPPED);
    pith_ctx_set_progress(ctx, NULL, NULL);
    pith_i_data_free(&X);
    free(x);
}

static bool chooses_steps(pith_ctx *ctx, int64_t n, int64_t p)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_data X = {.n = n, .p = p};
    const pith_i_design design = {.X = &X};
    const pith_i_models_options o = {.k = 2, .targets = 9, .alpha = 1, .global = 1, .local = 1};
    pith_i_models models;
    assert_ok(ctx, pith_i_models_open(ctx, &design, &o, &models));
    pith_i_scratch_release(ctx, mark);
    return models.iterative;
}

static void large_data_take_steps_and_small_or_wide_data_a_factor(void **state)
{
    pith_ctx *ctx = *state;
    assert_false(chooses_steps(ctx, 1440, 1024)); /* COIL20 */
    assert_false(chooses_steps(ctx, 2000, 240));  /* mfeat */
    assert_false(chooses_steps(ctx, 800, 30000));
    assert_true(chooses_steps(ctx, 4000, 500));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(models_are_the_regressions_of_the_normal_equations),
        TEST(regions_are_the_nearest_in_the_weighted_space),
        TEST(targets_are_the_least_eigenvectors_beside_the_constant),
        TEST(new_weights_and_new_labels_never_raise_the_objective),
        TEST(columns_left_out_have_no_energy_and_move_nothing),
        TEST(both_ways_come_to_the_same_weights),
        TEST(the_last_fit_is_a_start_and_no_prison),
        TEST(threads_change_no_bit_of_the_steps),
        TEST(steps_survive_failing_allocations_and_can_be_stopped),
        TEST(large_data_take_steps_and_small_or_wide_data_a_factor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
