/* From products in memory to candidates: one warp per query, which holds the length and the threshold of its
 * list. */
#include "lists.cuh"

enum { WARP = 32, WARPS = 4, AT_ONCE = 4 * WARP };

__global__ void clear(Lists lists, int64_t queries, int64_t padded)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= padded)
        return;
    lists.count[i] = 0;
    lists.threshold[i] = i < queries ? INFINITY : -INFINITY;
}

void clear_lists(const Lists &lists, int64_t queries, int64_t padded, cudaStream_t stream)
{
    clear<<<(unsigned)((padded + 255) / 256), 256, 0, stream>>>(lists, queries, padded);
}

struct Query {
    Entry *list;
    int count, self, lane;
    float threshold;
};

__device__ static void make_room(const Lists &lists, Query &q)
{
    if (q.count + AT_ONCE <= lists.room)
        return;
    __syncwarp();
    q.threshold = cut_list(q.list, q.count, lists, q.lane);
    q.count = lists.keep;
}

__device__ static void offer(Query &q, float key, int id, bool there)
{
    const bool takes = there && key < q.threshold && id != q.self;
    const unsigned all = __ballot_sync(~0u, takes);
    if (takes)
        q.list[q.count + __popc(all & ((1u << q.lane) - 1))] = entry_of(key, id);
    q.count += __popc(all);
}

/* Four products of this thread; the last ones may be beyond the tile. */
__device__ static void look_at(const Lists &lists, Query &q, float4 product, const float *weight, int64_t at,
                               int64_t rows, int first)
{
    const float p[4] = {product.x, product.y, product.z, product.w};
    float key[4], best = INFINITY;
    for (int e = 0; e < 4; e++) {
        key[e] = at + e < rows ? fmaf(-2.0f, p[e], weight[at + e]) : INFINITY;
        best = fminf(best, key[e]);
    }
    if (!__any_sync(~0u, best < q.threshold))
        return;
    make_room(lists, q);
    for (int e = 0; e < 4; e++)
        offer(q, key[e], first + (int)at + e, at + e < rows);
}

__global__ void __launch_bounds__(WARPS *WARP)
    select_rows(const float *product, int64_t ld, int64_t queries, int64_t rows, const float *weight,
                int first, Lists lists)
{
    const int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    const int64_t i = (int64_t)blockIdx.x * WARPS + warp;
    if (i >= queries)
        return;
    Query q = {lists.entry + i * lists.room, lists.count[i], lists.self[i], lane, lists.threshold[i]};
    const float4 *from = (const float4 *)(product + i * ld);
    float4 next = from[lane];
    for (int64_t at = 0; at < rows; at += AT_ONCE) {
        const float4 now = next;
        if (at + AT_ONCE < rows)
            next = from[(at + AT_ONCE) / 4 + lane];
        look_at(lists, q, now, weight, at + 4 * lane, rows, first);
    }
    if (lane == 0) {
        lists.count[i] = q.count;
        lists.threshold[i] = q.threshold;
    }
}

void select_tile(const float *product, int64_t ld, int64_t queries, int64_t rows, const float *weight,
                 int first, const Lists &lists, cudaStream_t stream)
{
    select_rows<<<(unsigned)((queries + WARPS - 1) / WARPS), WARPS * WARP, 0, stream>>>(
        product, ld, queries, rows, weight, first, lists);
}

__global__ void __launch_bounds__(WARPS *WARP) finish_rows(Lists lists, int64_t queries)
{
    extern __shared__ Entry shared[];
    const int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    const int64_t i = (int64_t)blockIdx.x * WARPS + warp;
    if (i >= queries)
        return;
    Entry *s = shared + warp * lists.room;
    const int count = lists.count[i],
              kept = compact_by_warp(lists.entry + i * lists.room, count, lists.keep, s, lane);
    if (lane == 0) {
        lists.count[i] = kept;
        if (count > lists.keep)
            lists.threshold[i] = key_of(s[lists.keep - 1]);
    }
}

void finish_lists(const Lists &lists, int64_t queries, cudaStream_t stream)
{
    finish_rows<<<(unsigned)((queries + WARPS - 1) / WARPS), WARPS * WARP, WARPS * lists.room * sizeof(Entry),
                  stream>>>(lists, queries);
}
