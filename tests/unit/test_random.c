#include "core/random.h"
#include "unit/support.h"

/* Known answers of Philox4x32-10 from the Random123 distribution (kat_vectors). */
static void philox_gives_the_published_answers(void **state)
{
    (void)state;
    static const struct {
        uint32_t counter[4], key[2], out[4];
    } known[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t t = 0; t < COUNT(known); t++) {
        uint32_t out[4];
        pith_i_philox(known[t].counter, known[t].key, out);
        assert_memory_equal(out, known[t].out, sizeof out);
    }
}

static void a_stream_is_a_function_of_seed_purpose_and_place(void **state)
{
    (void)state;
    pith_i_stream a = pith_i_stream_at(7, PITH_I_RANDOM_SYNTH, 3), b = a;
    pith_i_stream place = pith_i_stream_at(7, PITH_I_RANDOM_SYNTH, 4);
    pith_i_stream seed = pith_i_stream_at(8, PITH_I_RANDOM_SYNTH, 3);
    pith_i_stream purpose = pith_i_stream_at(7, PITH_I_RANDOM_BENCH, 3);
    int same[3] = {0};
    for (int t = 0; t < 1000; t++) {
        const uint32_t x = pith_i_random_u32(&a);
        assert_int_equal(x, pith_i_random_u32(&b));
        same[0] += x == pith_i_random_u32(&place);
        same[1] += x == pith_i_random_u32(&seed);
        same[2] += x == pith_i_random_u32(&purpose);
    }
    for (int t = 0; t < 3; t++)
        assert_true(same[t] < 3);
}

/* 100,000 draws: each bound is more than five standard errors wide, and the draws are fixed. */
static void draws_have_their_distribution(void **state)
{
    (void)state;
    pith_i_stream s = pith_i_stream_at(1, PITH_I_RANDOM_SYNTH, 0);
    const int many = 100000;
    double sum = 0, normal = 0, square = 0;
    int count[7] = {0};
    for (int t = 0; t < many; t++) {
        const double u = pith_i_random_uniform(&s), z = pith_i_random_normal(&s);
        assert_true(u >= 0 && u < 1);
        sum += u;
        normal += z;
        square += z * z;
        count[pith_i_random_below(&s, 7)]++;
    }
    assert_near(sum / many, 0.5, 0.005);
    assert_near(normal / many, 0, 0.016);
    assert_near(square / many, 1, 0.023);
    for (int c = 0; c < 7; c++)
        assert_near(count[c] / (double)many, 1 / 7.0, 0.006);
}

/* By a few lines of Python, whose first numbers for the seed 1234567 are those that others publish. */
static void splitmix_gives_the_numbers_of_another_program(void **state)
{
    static const struct {
        uint64_t seed, stream, counter;
        double number;
    } known[] = {
        {1, 0, 0, 0x1.7906ac21d0e58p-2},
        {1, 4, 63, 0x1.1d57d8ac5972ep-1},
        {UINT64_MAX, 100, 7, 0x1.ff2c25b841e49p-1},
        {0, 0, 1, 0x1.6705460be8829p-1},
    };
    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        assert_true(pith_i_splitmix_uniform(known[k].seed, known[k].stream, known[k].counter) ==
                    known[k].number);
}

/* All 24 orders of 4, and all 12 of two of 4, in 24,000 draws each: within seven standard errors. */
static void every_order_is_equally_likely(void **state)
{
    enum { N = 4, DRAWS = 24000 };
    pith_i_stream s = pith_i_stream_at(1, PITH_I_RANDOM_SYNTH, 0);
    int whole[N * N * N * N] = {0}, two[N * N] = {0}, orders = 0, pairs = 0;
    (void)state;
    for (int t = 0; t < DRAWS; t++) {
        int64_t order[N];
        pith_i_random_order(&s, N, order);
        whole[((order[0] * N + order[1]) * N + order[2]) * N + order[3]]++;
        pith_i_random_subset(&s, N, 2, order);
        two[order[0] * N + order[1]]++;
        assert_int_equal(order[0] + order[1] + order[2] + order[3], 0 + 1 + 2 + 3);
    }
    for (size_t k = 0; k < COUNT(whole); k++) {
        assert_true(whole[k] == 0 || abs(whole[k] - DRAWS / 24) < 220);
        orders += whole[k] > 0;
    }
    for (size_t k = 0; k < COUNT(two); k++) {
        assert_true(two[k] == 0 || abs(two[k] - DRAWS / 12) < 310);
        pairs += two[k] > 0;
    }
    assert_int_equal(orders, 24);
    assert_int_equal(pairs, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_gives_the_published_answers),
        cmocka_unit_test(a_stream_is_a_function_of_seed_purpose_and_place),
        cmocka_unit_test(splitmix_gives_the_numbers_of_another_program),
        cmocka_unit_test(draws_have_their_distribution),
        cmocka_unit_test(every_order_is_equally_likely),
    };
    return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
