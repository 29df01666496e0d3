#include "plan.h"

#include "bound.h"

#include <stddef.h>

enum { HALF = 2, ENTRY = 8, ROW_EXTRA = 64 }; /* bytes of a half, of a candidate, of the rest of a row */

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t rounded(int64_t rows)
{
    return (rows + PITH_CUDA_TILE - 1) / PITH_CUDA_TILE * PITH_CUDA_TILE;
}

int64_t pith_cuda_room(int64_t keep)
{
    int64_t room = 2 * PITH_CUDA_TILE;
    while (room < keep + PITH_CUDA_TILE + keep / 4)
        room *= 2;
    return room;
}

int64_t pith_cuda_plan_bytes(const pith_cuda_plan *plan, int64_t n)
{
    const int64_t row = plan->width * HALF, rows = plan->resident ? n : 2 * plan->chunk;
    return rounded(rows + PITH_CUDA_TILE) * row + (plan->own_queries ? rounded(plan->queries) * row : 0) +
           rounded(plan->queries) * (plan->room * ENTRY + ROW_EXTRA) + n * ROW_EXTRA +
           plan->tile_queries * plan->tile_rows * (int64_t)sizeof(float);
}

/* Halves every piece until all of them fit, or are as small as they may be. */
static bool shrink(pith_cuda_plan *plan, int64_t n, int64_t memory)
{
    while (pith_cuda_plan_bytes(plan, n) > memory) {
        const pith_cuda_plan before = *plan;
        if (plan->queries > PITH_CUDA_TILE)
            plan->queries = rounded(plan->queries / 2);
        if (plan->chunk > PITH_CUDA_TILE)
            plan->chunk = rounded(plan->chunk / 2);
        plan->tile_queries = least(plan->tile_queries, plan->queries);
        plan->tile_rows = least(plan->tile_rows, plan->chunk);
        if (plan->queries == before.queries && plan->chunk == before.chunk)
            return false;
    }
    return true;
}

bool pith_cuda_plan_make(int64_t count, int64_t n, int64_t columns, int64_t k, bool fused, bool split,
                         int64_t memory, int multiprocessors, pith_cuda_plan *out)
{
    enum { WAVES = 4, TILE_QUERIES = 4096, TILE_ROWS = 32768, NARROW_CHUNK = 1 << 18, MANY = 1 << 17 };
    const int64_t one = pith_cuda_padded(columns), width = split ? 3 * one : one;
    pith_cuda_plan plan = {.width = width,
                           .slab = pith_cuda_slab(width, split),
                           .keep = pith_cuda_candidates_for(n, k),
                           .narrow = fused && !split && width <= PITH_CUDA_NARROW,
                           .own_queries = split};
    plan.room = pith_cuda_room(plan.keep);
    plan.queries = rounded(least(count, (int64_t)WAVES * multiprocessors * PITH_CUDA_TILE));
    plan.chunk = rounded(least(n, plan.narrow ? NARROW_CHUNK : TILE_ROWS));
    plan.tile_queries = plan.narrow ? 0 : least(plan.queries, TILE_QUERIES);
    plan.tile_rows = plan.narrow ? 0 : plan.chunk;
    *out = plan;
    out->resident = true;
    if (pith_cuda_plan_bytes(out, n) <= memory)
        return true;
    *out = plan; /* the more queries at a time, the less often rows are loaded */
    out->own_queries = true;
    out->queries = rounded(least(count, MANY));
    return shrink(out, n, memory);
}

int64_t pith_cuda_rows_that_fit(const int64_t *indptr, int64_t columns, int64_t first, int64_t n,
                                int64_t entries, int64_t most)
{
    const int64_t all = least(most, n - first);
    int64_t low = 1, high = all;
    if (indptr == NULL)
        return columns <= 0 ? all : least(all, entries / columns > 1 ? entries / columns : 1);
    while (low < high) { /* the largest count whose entries fit */
        const int64_t middle = low + (high - low + 1) / 2;
        if (indptr[first + middle] - indptr[first] <= entries)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    return b == 0 ? a : common_divisor(b, a % b);
}

int64_t pith_cuda_stride(int64_t count)
{
    int64_t stride = (int64_t)((double)count * 0.6180339887498949);
    if (stride < 1)
        return 1;
    while (common_divisor(stride, count) != 1)
        stride++;
    return stride;
}
