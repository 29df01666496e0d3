/* Lists of candidates that a warp sorts: what all selections share. */
#ifndef PITH_CUDA_LISTS_CUH
#define PITH_CUDA_LISTS_CUH

#include "kernels.h"

typedef unsigned long long Entry; /* a key, so that order is that of numbers, and a row below it */

__device__ static inline Entry entry_of(float key, int id)
{
    const unsigned bits = __float_as_uint(key);
    const unsigned ordered = bits ^ (bits >> 31 != 0 ? 0xffffffffu : 0x80000000u);
    return (Entry)ordered << 32 | (unsigned)id;
}

__device__ static inline float key_of(Entry e)
{
    const unsigned ordered = (unsigned)(e >> 32);
    return __uint_as_float(ordered ^ (ordered >> 31 != 0 ? 0x80000000u : 0xffffffffu));
}

__device__ static inline bool before(Entry a, Entry b)
{
    return a < b;
}

__device__ static inline bool before(const Near &a, const Near &b)
{
    return a.distance2 < b.distance2 || (a.distance2 == b.distance2 && a.id < b.id);
}

__device__ static inline void set_last(Entry *e)
{
    *e = ~0ull;
}

__device__ static inline void set_last(Near *e)
{
    *e = {INFINITY, 0x7fffffff, 0};
}

/* Bitonic; size is a power of two. */
template <class E> __device__ void sort_by_warp(E *s, int size, int lane)
{
    for (int run = 2; run <= size; run *= 2)
        for (int step = run / 2; step > 0; step /= 2) {
            for (int t = lane; t < size / 2; t += 32) {
                const int i = ((t & ~(step - 1)) << 1) | (t & (step - 1)), l = i | step;
                const E a = s[i], b = s[l];
                if (before(b, a) == ((i & run) == 0)) {
                    s[i] = b;
                    s[l] = a;
                }
            }
            __syncwarp();
        }
}

/* The `keep` first of a list, in order, stay; s: as many places as the list may have. Returns how many. */
template <class E> __device__ int compact_by_warp(E *list, int count, int keep, E *s, int lane)
{
    const int kept = count < keep ? count : keep;
    int size = 2;
    while (size < count)
        size *= 2;
    for (int t = lane; t < size; t += 32)
        if (t < count)
            s[t] = list[t];
        else
            set_last(&s[t]);
    __syncwarp();
    sort_by_warp(s, size, lane);
    for (int t = lane; t < kept; t += 32)
        list[t] = s[t];
    __syncwarp();
    return kept;
}

#endif
