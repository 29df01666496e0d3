#include "core/random.h"

#include <math.h>

static uint32_t multiply(uint32_t a, uint32_t b, uint32_t *high)
{
    const uint64_t product = (uint64_t)a * b;
    *high = (uint32_t)(product >> 32);
    return (uint32_t)product;
}

void pith_i_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3], k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; round++) {
        uint32_t high0, high1;
        const uint32_t low0 = multiply(0xD2511F53u, c0, &high0), low1 = multiply(0xCD9E8D57u, c2, &high1);
        c0 = high1 ^ c1 ^ k0;
        c1 = low1;
        c2 = high0 ^ c3 ^ k1;
        c3 = low0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

double pith_i_splitmix_uniform(uint64_t seed, uint64_t stream, uint64_t counter)
{
    const uint64_t golden = 0x9E3779B97F4A7C15u;
    const uint64_t key = mix(seed + (stream + 1) * golden);
    return (double)(mix(key + (counter + 1) * golden) >> 11) * 0x1p-53;
}

/* Of the counter's 128 bits, the place takes 64, the purpose 16, and the count of blocks drawn 48. */
pith_i_stream pith_i_stream_at(uint64_t seed, pith_i_purpose purpose, uint64_t place)
{
    return (pith_i_stream){
        .key = {(uint32_t)seed, (uint32_t)(seed >> 32)},
        .counter = {0, (uint32_t)purpose << 16, (uint32_t)place, (uint32_t)(place >> 32)},
    };
}

uint32_t pith_i_random_u32(pith_i_stream *s)
{
    if (s->left == 0) {
        pith_i_philox(s->counter, s->key, s->out);
        s->left = 4;
        if (++s->counter[0] == 0)
            s->counter[1]++;
    }
    return s->out[--s->left];
}

static uint64_t random_u64(pith_i_stream *s)
{
    const uint64_t high = pith_i_random_u32(s);
    return high << 32 | pith_i_random_u32(s);
}

double pith_i_random_uniform(pith_i_stream *s)
{
    return (double)(random_u64(s) >> 11) * 0x1p-53;
}

int64_t pith_i_random_below(pith_i_stream *s, int64_t n)
{
    const uint64_t range = (uint64_t)n, skip = -range % range; /* 2^64 mod n values would be favoured */
    uint64_t r;
    do
        r = random_u64(s);
    while (r < skip);
    return (int64_t)(r % range);
}

double pith_i_random_normal(pith_i_stream *s)
{
    const double radius = sqrt(-2 * log(1 - pith_i_random_uniform(s))); /* 1 - u is never 0 */
    return radius * cos(6.283185307179586 * pith_i_random_uniform(s));
}

/* Fisher-Yates, inside out: j goes to a random place in 0..j, and what was there moves to place j. */
void pith_i_random_order(pith_i_stream *s, int64_t n, int64_t *order)
{
    for (int64_t j = 0; j < n; j++) {
        const int64_t at = pith_i_random_below(s, j + 1);
        order[j] = order[at];
        order[at] = j;
    }
}

void pith_i_random_subset(pith_i_stream *s, int64_t n, int64_t count, int64_t *order)
{
    for (int64_t i = 0; i < n; i++)
        order[i] = i;
    for (int64_t i = 0; i < count; i++) {
        const int64_t other = i + pith_i_random_below(s, n - i), swap = order[i];
        order[i] = order[other];
        order[other] = swap;
    }
}
