/*
 * Distances in double, each to the last bit as pith computes it (exact.h): for rows whose neighbours cannot
 * be told apart at lower precision, such as those with many ties. Order is that of (distance, row), as
 * everywhere.
 */
#include "lists.cuh"

enum { LANES = 16, SIDE = 16, PAIRS = 2, TILE = SIDE * PAIRS, WARP = 32, WARPS = 4 };

/* Adds the lanes as pith does. The bounds of loops are constants, so that lanes stay in registers. */
template <int HALF> __device__ static double fold(double (&lane)[LANES])
{
#pragma unroll
    for (int l = 0; l < HALF; l++)
        lane[l] = __dadd_rn(lane[l], lane[l + HALF]);
    if constexpr (HALF > 1)
        return fold<HALF / 2>(lane);
    return lane[0];
}

__device__ static double term(double u, double v, bool product)
{
    const double d = __dsub_rn(u, v);
    return product ? __dmul_rn(u, v) : __dmul_rn(d, d);
}

/* sum_j (fx x_j - fy y_j)^2 by one thread. */
__device__ static double difference(const double *x, double fx, const double *y, double fy, int64_t p)
{
    double lane[LANES];
#pragma unroll
    for (int l = 0; l < LANES; l++)
        lane[l] = 0;
    for (int64_t j = 0; j < p; j += LANES)
#pragma unroll
        for (int l = 0; l < LANES; l++)
            if (j + l < p)
                lane[l] = __dadd_rn(lane[l], term(__dmul_rn(x[j + l], fx), __dmul_rn(y[j + l], fy), false));
    return fold<LANES / 2>(lane);
}

__device__ static double by_cosine(const ExactRows &a, int64_t i, const ExactRows &b, int64_t l, int64_t p,
                                   double dot)
{
    const double both = __dmul_rn(a.direction.length2[i], b.direction.length2[l]);
    const double cosine = both > 0 ? copysign(__dsqrt_rn(__ddiv_rn(__dmul_rn(dot, dot), both)), dot) : 0;
    if (cosine <= 0.999)
        return __dsub_rn(2, __dmul_rn(2, cosine));
    const double square =
        difference(a.x + i * p, a.direction.factor[i], b.x + l * p, b.direction.factor[l], p);
    return square < 1e-30 ? 0 : square;
}

/*
 * Of 16 columns of 32 rows, each thread fetches two numbers, while the previous ones are used; for cosine
 * they are multiplied by the powers of two of their rows. Beyond the end they are 0, which adds nothing to a
 * lane.
 */
enum { SLOTS = TILE * LANES / (SIDE * SIDE) };

struct Fetched {
    double power[SLOTS], value[SLOTS];
};

__device__ static void fetch(const ExactRows &rows, int64_t first, int64_t col, int64_t p, Fetched &to)
{
#pragma unroll
    for (int s = 0; s < SLOTS; s++) {
        const int e = threadIdx.x + s * SIDE * SIDE;
        const int64_t i = first + e / LANES, j = col + e % LANES;
        to.value[s] = i < rows.count && j < p ? rows.x[i * p + j] : 0;
    }
}

__device__ static void fetch_powers(const ExactRows &rows, bool cosine, int64_t first, Fetched &to)
{
#pragma unroll
    for (int s = 0; s < SLOTS; s++) {
        const int64_t i = first + (threadIdx.x + s * SIDE * SIDE) / LANES;
        to.power[s] = cosine && i < rows.count ? rows.direction.power[i] : 1;
    }
}

__device__ static void store(const Fetched &from, double to[TILE][LANES + 1])
{
#pragma unroll
    for (int s = 0; s < SLOTS; s++) {
        const int e = threadIdx.x + s * SIDE * SIDE;
        to[e / LANES][e % LANES] = __dmul_rn(from.value[s], from.power[s]);
    }
}

template <bool COSINE>
__global__ void __launch_bounds__(SIDE *SIDE)
    exact_pairs(ExactRows query, ExactRows other, int64_t p, double *out, int64_t ld)
{
    __shared__ double x[TILE][LANES + 1], y[TILE][LANES + 1];
    const int r = threadIdx.x / SIDE, c = threadIdx.x % SIDE;
    const int64_t i0 = (int64_t)blockIdx.y * TILE, l0 = (int64_t)blockIdx.x * TILE;
    double sum[PAIRS][PAIRS][LANES];
    Fetched a_next, b_next;
#pragma unroll
    for (int e = 0; e < PAIRS * PAIRS * LANES; e++)
        sum[e / LANES / PAIRS][e / LANES % PAIRS][e % LANES] = 0;
    fetch_powers(query, COSINE, i0, a_next);
    fetch_powers(other, COSINE, l0, b_next);
    fetch(query, i0, 0, p, a_next);
    fetch(other, l0, 0, p, b_next);
    for (int64_t col = 0; col < p; col += LANES) {
        __syncthreads();
        store(a_next, x);
        store(b_next, y);
        __syncthreads();
        fetch(query, i0, col + LANES, p, a_next);
        fetch(other, l0, col + LANES, p, b_next);
#pragma unroll
        for (int j = 0; j < LANES; j++)
#pragma unroll
            for (int a = 0; a < PAIRS; a++)
#pragma unroll
                for (int b = 0; b < PAIRS; b++)
                    sum[a][b][j] =
                        __dadd_rn(sum[a][b][j], term(x[r + a * SIDE][j], y[c + b * SIDE][j], COSINE));
    }
#pragma unroll
    for (int a = 0; a < PAIRS; a++)
#pragma unroll
        for (int b = 0; b < PAIRS; b++) {
            const int64_t i = i0 + r + a * SIDE, l = l0 + c + b * SIDE;
            const double total = fold<LANES / 2>(sum[a][b]);
            if (i < query.count && l < other.count)
                out[i * ld + l] = COSINE ? by_cosine(query, i, other, l, p, total) : total;
        }
}

void exact_tile(const ExactRows &query, const ExactRows &other, int64_t p, bool cosine, double *distance2,
                int64_t ld, cudaStream_t stream)
{
    const dim3 grid((unsigned)((other.count + TILE - 1) / TILE), (unsigned)((query.count + TILE - 1) / TILE));
    if (cosine)
        exact_pairs<true><<<grid, SIDE * SIDE, 0, stream>>>(query, other, p, distance2, ld);
    else
        exact_pairs<false><<<grid, SIDE * SIDE, 0, stream>>>(query, other, p, distance2, ld);
}

/* One warp per query. What does not come before the last entry of a full list is dropped. */
__global__ void __launch_bounds__(WARPS *WARP)
    select_exact_rows(const double *distance2, int64_t ld, int64_t queries, int64_t rows, int first,
                      ExactLists lists)
{
    extern __shared__ Near near[];
    const int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    const int64_t i = (int64_t)blockIdx.x * WARPS + warp;
    if (i >= queries)
        return;
    Near *list = lists.entry + i * lists.room, *s = near + warp * lists.room, last;
    int count = lists.count[i];
    set_last(&last);
    if (count >= lists.keep) { /* the call before left it sorted and cut */
        count = lists.keep;
        last = list[lists.keep - 1];
    }
    for (int64_t at = 0; at < rows; at += WARP) {
        const int64_t l = at + lane;
        const Near one = {l < rows ? distance2[i * ld + l] : INFINITY, first + (int)l, 0};
        const bool takes = l < rows && before(one, last) && one.id != lists.self[i];
        const unsigned all = __ballot_sync(~0u, takes);
        if (all == 0)
            continue;
        if (takes)
            list[count + __popc(all & ((1u << lane) - 1))] = one;
        count += __popc(all);
        __syncwarp();
        if (count + WARP > lists.room) {
            count = compact_by_warp(list, count, lists.keep, s, lane);
            last = s[lists.keep - 1];
            __syncwarp();
        }
    }
    count = compact_by_warp(list, count, lists.keep, s, lane);
    if (lane == 0)
        lists.count[i] = count;
}

void select_exact(const double *distance2, int64_t ld, int64_t queries, int64_t rows, int first,
                  const ExactLists &lists, cudaStream_t stream)
{
    select_exact_rows<<<(unsigned)((queries + WARPS - 1) / WARPS), WARPS * WARP,
                        WARPS * lists.room * sizeof(Near), stream>>>(distance2, ld, queries, rows, first,
                                                                     lists);
}
