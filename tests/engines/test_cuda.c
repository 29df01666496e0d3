/*
 * What the GPU's engine decides on the host, without a device: the bound of its candidates' error, with the
 * arithmetic of tensor cores emulated here; the certificate; the formula of distances, beside pith's own; and
 * how a search is cut into pieces.
 */
#include "cuda/bound.h"
#include "cuda/exact.h"
#include "cuda/plan.h"
#include "graph/knn_rows.h"
#include "matrix/matrix.h"
#include "unit/graph_data.h"

/* ---- The device's arithmetic --------------------------------------------------------------------------- */

/* z rounded to a float of `bits` bits, with units of at least 2^least, and clipped to the largest. */
static double rounded_to(double z, int bits, int least, double largest)
{
    int exponent = 0;
    if (fabs(z) > largest)
        return copysign(largest, z);
    (void)frexp(z, &exponent);
    const int unit = exponent - bits > least ? exponent - bits : least;
    return ldexp(rint(ldexp(z, -unit)), unit);
}

static double half_of(double z)
{
    return rounded_to(z, 11, -24, 65504);
}

/* Towards zero, to 24 bits. */
static double cut(double v, int unit)
{
    return ldexp(trunc(ldexp(v, -unit)), unit);
}

static int exponent_of(double v)
{
    int exponent = 0;
    (void)frexp(v, &exponent);
    return v != 0 ? exponent : -1000;
}

/* 16 products and the sum so far, aligned to the largest of them: what is below its 24 bits is lost. */
static double core_step(const double *a, const double *b, int64_t count, double sum)
{
    int most = exponent_of(sum);
    double total = 0;
    for (int64_t j = 0; j < count; j++)
        most = exponent_of(a[j] * b[j]) > most ? exponent_of(a[j] * b[j]) : most;
    for (int64_t j = 0; j < count; j++)
        total += cut(a[j] * b[j], most - 24);
    total += cut(sum, most - 24);
    return cut(total, exponent_of(total) - 24);
}

static double core_product(const double *a, const double *b, int64_t width, int64_t slab)
{
    double all = 0;
    for (int64_t col = 0; col < width; col += slab) {
        const int64_t end = col + slab < width ? col + slab : width;
        double sum = 0;
        for (int64_t j = col; j < end; j += 16)
            sum = core_step(a + j, b + j, end - j < 16 ? end - j : 16, sum);
        all = (double)(float)(all + sum);
    }
    return all;
}

/* ---- A search as the device does it -------------------------------------------------------------------- */

typedef struct emulated {
    int64_t n, p, width, slab;
    bool split;
    double *u, *query, *other,
        *centre; /* u: as the metric sees them; the halves of queries and of other rows */
    pith_cuda_row *row;
    pith_cuda_bound bound;
} emulated;

static void convert(emulated *E, int64_t i)
{
    const int64_t padded = pith_cuda_padded(E->p);
    double *q = E->query + i * E->width, *o = E->other + i * E->width, norm = 0, square = 0, lows = 0;
    for (int64_t j = 0; j < E->p; j++) {
        const double z = (E->u[i * E->p + j] - E->centre[j]) * E->bound.scale;
        const double high = half_of(z), low = E->split ? half_of(z - high) : 0;
        q[j] = o[j] = high;
        if (E->split) {
            q[padded + j] = o[2 * padded + j] = high;
            q[2 * padded + j] = o[padded + j] = low;
        }
        norm += (high + low) * (high + low);
        square += (z - high - low) * (z - high - low);
        lows += low * low;
    }
    E->row[i] =
        (pith_cuda_row){norm, sqrt(square) * (1 + 0x1p-20) + ldexp(sqrt(norm), -50), lows * (1 + 0x1p-20)};
}

static emulated emulate(const pith_i_rows *R, const double *x, bool split, int64_t slab)
{
    const int64_t n = R->X.n, p = R->X.p, padded = pith_cuda_padded(p);
    emulated E = {.n = n, .p = p, .width = split ? 3 * padded : padded, .split = split};
    double largest = 0;
    E.slab = slab > 0 ? slab : pith_cuda_slab(E.width, split);
    E.u = new_values(n * p);
    E.query = new_values(n * E.width);
    E.other = new_values(n * E.width);
    E.centre = new_values(p);
    E.row = calloc((size_t)n, sizeof *E.row);
    assert_non_null(E.row);
    for (int64_t e = 0; e < n * p; e++) {
        E.u[e] = x[e] * R->factor[e / p];
        E.centre[e % p] += E.u[e] / (double)n;
    }
    for (int64_t e = 0; e < n * p; e++) /* of a sample: every second row */
        largest = fmax(largest, e / p % 2 == 0 ? fabs(E.u[e] - E.centre[e % p]) : 0);
    E.bound =
        pith_cuda_bound_of(p, E.width, E.slab, split, pith_cuda_scale(largest), R->metric == PITH_I_COSINE);
    for (int64_t i = 0; i < n; i++)
        convert(&E, i);
    return E;
}

static void end_emulated(emulated *E)
{
    free(E->u);
    free(E->query);
    free(E->other);
    free(E->centre);
    free(E->row);
}

static float key_of(const emulated *E, int64_t i, int64_t l)
{
    const double product = core_product(E->query + i * E->width, E->other + l * E->width, E->width, E->slab);
    return fmaf(-2, (float)product, pith_cuda_weight(E->bound.g, &E->row[l]));
}

/* What makes bounds hard. */
typedef enum trouble {
    PLAIN,
    TIES,
    HUGE_VALUES,
    TINY,
    TINIEST,
    FAR_AWAY,
    OUTLIER,
    GROUPS,
    COPIES,
    TROUBLES
} trouble;

static void make_rows(double *x, int64_t n, int64_t p, trouble kind, uint64_t seed)
{
    fill_normal(x, n * p, seed);
    for (int64_t e = 0; e < n * p; e++) {
        const int64_t i = e / p, j = e % p;
        if (kind == TIES)
            x[e] = round(x[e]);
        if (kind == HUGE_VALUES)
            x[e] *= 1e17;
        if (kind == TINY)
            x[e] *= 1e-18;
        if (kind == TINIEST)
            x[e] *= 1e-165;
        if (kind == FAR_AWAY)
            x[e] += 1e4;
        if (kind == OUTLIER && (i == 1 || i == 4)) /* not in the sample, and in it */
            x[e] *= i == 1 ? 1e9 : 1e3;
        if (kind == GROUPS)
            x[e] = x[e] / 64 + 10 * (double)((i + j) % 3);
        if (kind == COPIES && i >= n / 2)
            x[e] = x[e - n / 2 * p];
    }
}

typedef void on_pair(const emulated *E, int64_t i, int64_t l, double distance2);

static void for_all_pairs(int64_t n, int64_t p, pith_i_metric metric, bool split, int64_t slab, trouble kind,
                          on_pair *f)
{
    pith_ctx *ctx = NULL;
    pith_i_rows R = {0};
    double *x = new_values(n * p);
    assert_int_equal(pith_ctx_new(&ctx), PITH_OK);
    make_rows(x, n, p, kind, (uint64_t)(n + p + kind));
    pith_i_data X = laid_out(ctx, x, n, p, ROWS_F64);
    assert_ok(ctx, pith_i_rows_open(ctx, &X, metric, &R));
    emulated E = emulate(&R, x, split, slab);
    for (int64_t i = 0; i < n; i++)
        for (int64_t l = 0; l < n; l++)
            if (l != i)
                f(&E, i, l, pith_i_rows_distance2(&R, i, l));
    end_emulated(&E);
    pith_i_rows_close(&R);
    pith_i_data_free(&X);
    free(x);
    pith_ctx_free(ctx);
}

/* ---- The bound ----------------------------------------------------------------------------------------- */

static double shares, pairs, worst;

static void assert_bound(const emulated *E, int64_t i, int64_t l, double distance2)
{
    const double least = pith_cuda_least(&E->bound, &E->row[i], key_of(E, i, l));
    assert_true(least <= distance2);
    shares += distance2 > 0 ? fmax(0, least) / distance2 : 1;
    pairs++;
}

static void no_pair_is_nearer_than_its_bound(void **state)
{
    static const int64_t columns[] = {1, 7, 50, 300};
    (void)state;
    for (size_t s = 0; s < COUNT(columns); s++)
        for (int kind = 0; kind < TROUBLES; kind++)
            for (int way = 0; way < 4; way++)
                for_all_pairs(16, columns[s], way % 2 == 0 ? PITH_I_EUCLIDEAN : PITH_I_COSINE, way / 2 != 0,
                              0, (trouble)kind, assert_bound);
}

/* A useless bound would hold, too: it must also be tight. */
static void the_bound_is_a_few_parts_in_a_thousand(void **state)
{
    static const int64_t columns[] = {50, 300, 1100};
    (void)state;
    for (size_t s = 0; s < COUNT(columns); s++)
        for (int split = 0; split < 2; split++) {
            shares = pairs = 0;
            for_all_pairs(12, columns[s], PITH_I_EUCLIDEAN, split != 0, 0, PLAIN, assert_bound);
            assert_true(shares / pairs > (split != 0 ? 0.9993 : 0.998));
        }
}

static void assert_product(const emulated *E, int64_t i, int64_t l, double distance2)
{
    const double *a = E->query + i * E->width, *b = E->other + l * E->width;
    const double got = core_product(a, b, E->width, E->slab), gamma = pith_cuda_gamma(E->width, E->slab);
    long double want = 0;
    (void)distance2;
    for (int64_t j = 0; j < E->width; j++)
        want += (long double)a[j] * b[j];
    const double lengths = sqrt(E->row[i].norm * E->row[l].norm);
    assert_true(fabs(got - (double)want) <= gamma * lengths + 1e-300);
    worst = fmax(worst, fabs(got - (double)want) / (gamma * lengths + 1e-300));
}

/* Numbers that all have one sign lose the most when they are cut. */
static void products_are_off_by_gamma_at_most(void **state)
{
    static const int64_t slabs[] = {64, 256, 1024};
    (void)state;
    worst = 0;
    for (size_t s = 0; s < COUNT(slabs); s++)
        for (int kind = 0; kind < TROUBLES; kind++)
            for_all_pairs(8, 1100, PITH_I_EUCLIDEAN, false, slabs[s], (trouble)kind, assert_product);
    assert_true(worst > 0.005); /* the emulation does lose digits */
}

static void halves_are_those_of_the_standard(void **state)
{
    (void)state;
    assert_true(half_of(1) == 1 && half_of(65504) == 65504 && half_of(1e9) == 65504 &&
                half_of(-1e9) == -65504);
    assert_true(half_of(1 + 0x1p-11) == 1 && half_of(1 + 0x1.8p-10) == 1 + 0x1p-9); /* ties to even */
    assert_true(half_of(0x1p-24) == 0x1p-24 && half_of(0x1p-26) == 0 && half_of(0x1.8p-24) == 0x1p-23);
    assert_true(rounded_to(1 + 0x1p-9, 8, -133, 3.3e38) ==
                1); /* bf16, TF32: the same function with other bits */
    assert_true(rounded_to(1 + 0x1p-10, 11, -136, 3.3e38) == 1 + 0x1p-10);
}

/* ---- From candidates to neighbours --------------------------------------------------------------------- */

enum { N = 60, P = 12, K = 5 };

static double made_distance(int64_t l)
{
    return 1 + (double)(l * 7 % N);
}

static void made_distances(void *user, int64_t i, int64_t count, const int64_t *others, double *out)
{
    (void)i;
    for (int64_t e = 0; e < count; e++)
        out[e] = made_distance(others[e]);
    *(int64_t *)user += count;
}

/* Rows of norm 0 without error: the key of a row is its distance. */
static bool settled(int64_t count, const float *key, const int32_t *id, float threshold, int64_t n_zeros,
                    const int64_t *zero, int64_t *index, double *distance2, int64_t *asked)
{
    const pith_cuda_bound bound = {.g = 0, .scale = 1, .shrink = 1, .slack = 0};
    const pith_cuda_row row = {0, 0, 0};
    const pith_cuda_candidates c = {N, count, key, id, threshold, n_zeros, zero};
    *asked = 0;
    return pith_cuda_settle(&bound, &row, &c, K, made_distances, asked, index, distance2);
}

static void candidates_settle_a_row_if_the_others_are_farther(void **state)
{
    float key[20];
    int32_t id[20];
    int64_t index[K], asked;
    double distance2[K];
    (void)state;
    for (int e = 0; e < 20; e++) { /* the row at distance 1 + e: 7 l = e modulo 60 */
        id[e] = (int32_t)(e * 43 % N);
        key[e] = (float)(1 + e);
    }
    assert_true(settled(20, key, id, 20, 0, NULL, index, distance2, &asked));
    for (int e = 0; e < K; e++) {
        assert_int_equal(index[e], id[e]);
        assert_true(distance2[e] == 1 + e);
    }
    assert_true(asked < 12); /* distances of the far ones are not asked for */
    assert_false(settled(5, key, id, 5, 0, NULL, index, distance2, &asked)); /* one as far may be missing */
    assert_true(settled(5, key, id, 5.01F, 0, NULL, index, distance2, &asked));
    assert_false(settled(4, key, id, 20, 0, NULL, index, distance2, &asked));      /* too few */
    assert_true(settled(5, key, id, INFINITY, 0, NULL, index, distance2, &asked)); /* none is missing */
    for (int e = 0; e < 20; e++)
        key[e] = 0; /* keys that say nothing: all distances are asked for, and do not suffice */
    assert_false(settled(20, key, id, 0, 0, NULL, index, distance2, &asked));
    assert_int_equal(asked, 20);
}

static void ties_fall_to_the_lower_row_and_zero_rows_are_at_2(void **state)
{
    static const float key[] = {1, 1, 1};
    static const int32_t id[] = {3, 1, 2};
    static const int64_t zero[] = {0, 9, N, 11};
    int64_t index[K], asked;
    double distance2[K];
    (void)state;
    assert_true(settled(3, key, id, INFINITY, 4, zero, index, distance2, &asked));
    assert_int_equal(index[0], 0); /* 2, as 9 and 11; N is the row itself */
    assert_int_equal(index[1], 9);
    assert_int_equal(index[2], 11);
    assert_true(distance2[2] == 2 && index[3] == 1 && distance2[3] == 8 && index[4] == 2);
}

/* ---- The formula --------------------------------------------------------------------------------------- */

static void assert_formula(pith_ctx *ctx, const double *x, layout how, pith_i_metric metric, bool part)
{
    pith_i_data X = laid_out(ctx, x, N, P * 3, how), Y = {0};
    const pith_engine_rows rows = {.n = N,
                                   .p = X.p,
                                   .all = N,
                                   .dtype = X.dtype,
                                   .x = X.x,
                                   .stride = X.row_stride,
                                   .indptr = X.indptr,
                                   .indices = X.indices,
                                   .values = X.values};
    int64_t chosen[P * 3], count = 0;
    int32_t column[P * 3], place[P * 3];
    double power[N], length2[N], factor[N];
    pith_i_rows R = {0};
    for (int32_t j = 0; j < P * 3; j++) {
        place[j] = part && j % 3 == 1 ? -1 : (int32_t)count;
        if (place[j] >= 0) {
            column[count] = j;
            chosen[count++] = j;
        }
    }
    pith_cuda_exact e = {
        &rows, metric == PITH_I_COSINE, count, part ? column : NULL, part ? place : NULL, power, length2,
        factor};
    assert_ok(ctx, pith_i_take_columns(ctx, &X, count, chosen, &Y));
    assert_ok(ctx, pith_i_rows_open(ctx, &Y, metric, &R));
    for (int64_t i = 0; i < N && e.cosine; i++)
        pith_cuda_exact_row(&e, i);
    for (int64_t i = 0; i < N; i++)
        for (int64_t l = 0; l < N; l++)
            assert_true(pith_cuda_exact_distance2(&e, i, l) == pith_i_rows_distance2(&R, i, l));
    pith_i_rows_close(&R);
    pith_i_data_free(&Y);
    pith_i_data_free(&X);
}

static void distances_are_those_of_pith_to_the_last_bit(void **state)
{
    static const layout ways[] = {ROWS_F64, ROWS_F32, STRIDED_F64, CSR_F64, CSR_F32};
    double *x = new_values(N * P * 3);
    fill_normal(x, N * P * 3, 3);
    for (int64_t e = 0; e < N * P * 3; e++)
        x[e] = fabs(x[e]) < 0.5 || e / (P * 3) == 7 ? 0 : e / (P * 3) == 9 ? x[e - P * 3] * 2 : x[e];
    for (size_t w = 0; w < COUNT(ways); w++)
        for (int metric = PITH_I_EUCLIDEAN; metric <= PITH_I_COSINE; metric++)
            for (int part = 0; part < 2; part++)
                assert_formula(*state, x, ways[w], (pith_i_metric)metric, part != 0);
    free(x);
}

/* ---- Pieces -------------------------------------------------------------------------------------------- */

static void a_plan_fits_the_memory_it_was_given(void **state)
{
    static const int64_t sizes[][3] = {{1000000, 50, 16}, {300000, 2000, 16},  {600000, 30000, 16},
                                       {2, 1, 1},         {100000000, 20, 10}, {5000, 300, 256}};
    (void)state;
    for (size_t s = 0; s < COUNT(sizes); s++)
        for (int bits = 24; bits <= 38; bits++)
            for (int split = 0; split < 2; split++) {
                const int64_t memory = (int64_t)1 << bits, n = sizes[s][0];
                pith_cuda_plan plan;
                if (!pith_cuda_plan_make(n, n, sizes[s][1], sizes[s][2], true, split != 0, memory, 132,
                                         &plan))
                    continue;
                assert_true(pith_cuda_plan_bytes(&plan, n) <= memory);
                assert_true(plan.queries % PITH_CUDA_TILE == 0 && plan.chunk % PITH_CUDA_TILE == 0);
                assert_true(plan.queries > 0 && plan.chunk > 0 && plan.keep >= 1 && plan.keep < n);
                assert_true(plan.narrow == (split == 0 && sizes[s][1] <= PITH_CUDA_NARROW));
                assert_true(plan.narrow || (plan.tile_queries > 0 && plan.tile_rows >= plan.chunk));
                assert_true(plan.resident || plan.own_queries);
            }
}

static void rows_stay_on_a_device_that_has_room_for_them(void **state)
{
    pith_cuda_plan plan;
    (void)state;
    assert_true(pith_cuda_plan_make(600000, 600000, 30000, 16, true, false, (int64_t)120 << 30, 132, &plan));
    assert_true(plan.resident && !plan.own_queries);
    assert_true(pith_cuda_plan_make(600000, 600000, 30000, 16, true, false, (int64_t)20 << 30, 132, &plan));
    assert_true(!plan.resident && plan.queries >= 32768);
    assert_false(pith_cuda_plan_make(600000, 600000, 30000, 16, true, false, (int64_t)1 << 20, 132, &plan));
}

static void lists_have_room_for_a_tile_beside_what_they_keep(void **state)
{
    (void)state;
    for (int64_t k = 1; k <= PITH_CUDA_MOST; k++) {
        const int64_t keep = pith_cuda_candidates_for(1000000, k), room = pith_cuda_room(keep);
        assert_true(keep > k && keep + PITH_CUDA_TILE <= room);
        assert_true(room == 256 || room == 512 || room == 1024);
    }
    assert_int_equal(pith_cuda_candidates_for(10, 9), 9);
}

static void blocks_of_rows_hold_as_many_as_fit(void **state)
{
    static const int64_t indptr[] = {0, 4, 4, 10, 11, 31, 32};
    (void)state;
    assert_int_equal(pith_cuda_rows_that_fit(indptr, 100, 0, 6, 10, 6), 3);
    assert_int_equal(pith_cuda_rows_that_fit(indptr, 100, 0, 6, 10, 2), 2);
    assert_int_equal(pith_cuda_rows_that_fit(indptr, 100, 3, 6, 10, 6), 1);
    assert_int_equal(pith_cuda_rows_that_fit(indptr, 100, 4, 6, 10, 6),
                     1); /* one that does not fit comes alone */
    assert_int_equal(pith_cuda_rows_that_fit(indptr, 100, 0, 6, 1000, 6), 6);
    assert_int_equal(pith_cuda_rows_that_fit(NULL, 7, 0, 100, 50, 90), 7);
    assert_int_equal(pith_cuda_rows_that_fit(NULL, 7, 97, 100, 50, 90), 3);
    assert_int_equal(pith_cuda_rows_that_fit(NULL, 70, 0, 100, 50, 90), 1);
}

static void every_tile_comes_by_once(void **state)
{
    (void)state;
    for (int64_t count = 1; count < 400; count++) {
        char seen[400] = {0};
        const int64_t stride = pith_cuda_stride(count);
        for (int64_t t = 0; t < count; t++)
            seen[t * stride % count]++;
        for (int64_t t = 0; t < count; t++)
            assert_int_equal(seen[t], 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(no_pair_is_nearer_than_its_bound),
        TEST(the_bound_is_a_few_parts_in_a_thousand),
        TEST(products_are_off_by_gamma_at_most),
        TEST(halves_are_those_of_the_standard),
        TEST(candidates_settle_a_row_if_the_others_are_farther),
        TEST(ties_fall_to_the_lower_row_and_zero_rows_are_at_2),
        TEST(distances_are_those_of_pith_to_the_last_bit),
        TEST(a_plan_fits_the_memory_it_was_given),
        TEST(rows_stay_on_a_device_that_has_room_for_them),
        TEST(lists_have_room_for_a_tile_beside_what_they_keep),
        TEST(blocks_of_rows_hold_as_many_as_fit),
        TEST(every_tile_comes_by_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
