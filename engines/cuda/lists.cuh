/* Lists of candidates that a warp sorts: what all selections share. */
#ifndef PITH_CUDA_LISTS_CUH
#define PITH_CUDA_LISTS_CUH

#include "kernels.h"

typedef unsigned long long Entry; /* the key's bits, mapped so that integers have its order, then the row */

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

/* Sorts a list and cuts it to its `keep` first entries; s: room for as many as the list can hold. Returns how
 * many stay. */
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

/*
 * Cuts a longer list to its `keep` least keys, in any order, and returns the last of these: the largest T
 * with fewer than `keep` keys below it, found bit by bit. It takes a fifth of the time of sorting.
 */
template <int EACH> __device__ float cut_by_warp(Entry *list, int count, int keep, int lane)
{
    Entry e[EACH];
    unsigned least = ~0u, most = 0;
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        e[i] = lane + 32 * i < count ? list[lane + 32 * i] : ~0ull;
        least = min(least, (unsigned)(e[i] >> 32));
        most = max(most, lane + 32 * i < count ? (unsigned)(e[i] >> 32) : 0u);
    }
    least = __reduce_min_sync(~0u, least);
    most = __reduce_max_sync(~0u, most);
    const int bits = 32 - __clz((int)(least ^ most)); /* those above are the same in all */
    unsigned T = bits < 32 ? least >> bits << bits : 0;
    for (int bit = bits - 1; bit >= 0; bit--) {
        const unsigned trial = T | 1u << bit;
        int below = 0;
#pragma unroll
        for (int i = 0; i < EACH; i++)
            below += (unsigned)(e[i] >> 32) < trial;
        if ((int)__reduce_add_sync(~0u, (unsigned)below) < keep)
            T = trial;
    }
    int kept = 0;
    for (int equal = 0; equal < 2; equal++) /* those below T, then as many equal ones as there is room for */
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            const unsigned key = (unsigned)(e[i] >> 32);
            const bool takes = lane + 32 * i < count && (equal != 0 ? key == T : key < T);
            const unsigned all = __ballot_sync(~0u, takes);
            const int to = kept + __popc(all & ((1u << lane) - 1));
            if (takes && to < keep)
                list[to] = e[i];
            kept = min(keep, kept + __popc(all));
        }
    __syncwarp();
    return key_of((Entry)T << 32);
}

/* Lists have room for 256, 512 or 1,024. */
__device__ static inline float cut_list(Entry *list, int count, const Lists &lists, int lane)
{
    return lists.room == 256   ? cut_by_warp<8>(list, count, lists.keep, lane)
           : lists.room == 512 ? cut_by_warp<16>(list, count, lists.keep, lane)
                               : cut_by_warp<32>(list, count, lists.keep, lane);
}

#endif
