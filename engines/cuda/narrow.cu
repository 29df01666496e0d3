/*
 * Products and selection in one kernel, for rows of at most 256 numbers: with a million rows of fifty
 * columns, a trillion products would take longer to write and read than to compute.
 *
 * A block holds 64 queries and passes all other rows, 128 at a time, through a ring buffer in shared memory.
 * Four warps multiply 64 x 32 of them each by the tensor cores. A key that is not below its query's threshold
 * is dropped where it is, in a register: one comparison for the eight keys that a thread has of a query. The
 * few others are appended to the query's list in memory, and a list that might overflow with the next tile is
 * cut.
 */
#include "lists.cuh"
#include "plan.h"

enum {
    TILE = PITH_CUDA_TILE,
    QUERIES = TILE / 2, /* of a block; two blocks per multiprocessor: one multiplies, the other selects */
    STEP = PITH_CUDA_STEP,
    WARPS = 4,
    THREADS = WARPS * 32,
    STAGES = 4,
    WEIGHTS = 8, /* tiles whose weights are held: more than STAGES */
    PIECE = 8    /* halves that are copied together: 16 bytes */
};

struct Work {
    const __half *query, *other;
    int64_t width;
    const float *weight;
    int tiles, stride, first;
    Lists lists;
};

/* What a block has in shared memory, before its queries. */
struct Shared {
    __half other[STAGES][TILE * STEP];
    float weight[WEIGHTS][TILE];
    float threshold[QUERIES];
    int count[QUERIES], self[QUERIES];
};

__device__ static unsigned address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

/* 16 bytes of row r, columns 8 c to 8 c + 7: permuted so that eight rows of one column use all banks. */
__device__ static int at(int r, int c)
{
    return r * STEP + ((c ^ (r & 7)) * PIECE);
}

__device__ static void copy16(void *to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(address(to)), "l"(from));
}

/* Rows x 64 columns. */
__device__ static void copy_tile(__half *to, const __half *from, int rows, int64_t width)
{
    for (int e = threadIdx.x; e < rows * STEP / PIECE; e += THREADS) {
        const int r = e / (STEP / PIECE), c = e % (STEP / PIECE);
        copy16(to + at(r, c), from + r * width + c * PIECE);
    }
}

__device__ static void load4(unsigned v[4], const void *from)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
                 : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                 : "r"(address(from)));
}

__device__ static void multiply(float c[4], const unsigned a[4], unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                 "{%0,%1,%2,%3};\n"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/* 64 queries x 16 columns of this warp: four pieces of 16 x 16. */
__device__ static void load_queries(unsigned a[4][4], const __half *tile, int row, int k, int lane)
{
#pragma unroll
    for (int m = 0; m < 4; m++)
        load4(a[m], tile + at(row + m * 16 + lane % 16, k * 2 + lane / 16));
}

/* 32 rows x 16 columns: b[n / 2] has both halves of columns of two pieces of 8 rows. */
__device__ static void load_others(unsigned b[2][4], const __half *tile, int row, int k, int lane)
{
#pragma unroll
    for (int n = 0; n < 2; n++)
        load4(b[n], tile + at(row + n * 16 + lane % 8 + lane / 16 * 8, k * 2 + lane / 8 % 2));
}

__device__ static void multiply_step(float c[4][4][4], const unsigned a[4][4], const unsigned b[2][4])
{
#pragma unroll
    for (int m = 0; m < 4; m++)
#pragma unroll
        for (int n = 0; n < 4; n++)
            multiply(c[m][n], a[m], b[n / 2][n % 2 * 2], b[n / 2][n % 2 * 2 + 1]);
}

/* The t-th tile that is visited: in a spread order, so that sorted data does not bring ever nearer rows. */
__device__ static int64_t tile_at(const Work &w, int t)
{
    return (int64_t)((unsigned long long)t * (unsigned)w.stride % (unsigned)w.tiles) * TILE;
}

template <int CHUNKS> __device__ static void fetch(const Work &w, Shared *s, int step)
{
    const int t = step / CHUNKS, chunk = step % CHUNKS;
    if (t < w.tiles) {
        const int64_t row = tile_at(w, t);
        copy_tile(s->other[step % STAGES], w.other + row * w.width + chunk * STEP, TILE, w.width);
        if (chunk == 0 && threadIdx.x < TILE / 4)
            copy16(&s->weight[t % WEIGHTS][threadIdx.x * 4], w.weight + row + threadIdx.x * 4);
    }
    asm volatile("cp.async.commit_group;\n" ::);
}

/* Of the 64 x 32 keys of a warp, those below the thresholds. Returns true if a list may overflow. */
__device__ static bool take(const Work &w, Shared *s, const float c[4][4][4], int t, int row, int col,
                            int lane)
{
    const int64_t tile = tile_at(w, t);
    float weight[4][2];
    bool full = false;
#pragma unroll
    for (int n = 0; n < 4; n++) {
        const float2 both = *(const float2 *)&s->weight[t % WEIGHTS][col + n * 8 + lane % 4 * 2];
        weight[n][0] = both.x;
        weight[n][1] = both.y;
    }
#pragma unroll
    for (int m = 0; m < 4; m++)
#pragma unroll
        for (int half = 0; half < 2; half++) {
            const int q = row + m * 16 + half * 8 + lane / 4;
            const float threshold = s->threshold[q];
            float key[8], best = INFINITY;
#pragma unroll
            for (int e = 0; e < 8; e++) {
                key[e] = fmaf(-2.0f, c[m][e / 2][half * 2 + e % 2], weight[e / 2][e % 2]);
                best = fminf(best, key[e]);
            }
            if (best >= threshold)
                continue;
#pragma unroll
            for (int e = 0; e < 8; e++) {
                const int id = w.first + (int)tile + col + e / 2 * 8 + lane % 4 * 2 + e % 2;
                if (key[e] < threshold && id != s->self[q]) {
                    const int place = atomicAdd(&s->count[q], 1);
                    w.lists.entry[((int64_t)blockIdx.x * QUERIES + q) * w.lists.room + place] =
                        entry_of(key[e], id);
                    full = full || place >= w.lists.room - TILE;
                }
            }
        }
    return full;
}

/* If one list has no room for a whole tile, all lists that are half full are cut, 16 queries per warp: the
 * whole block waits for it, and lists fill at about the same pace. */
__device__ static void make_room(const Work &w, Shared *s, int warp, int lane)
{
    for (int q = warp * (QUERIES / WARPS); q < (warp + 1) * (QUERIES / WARPS); q++) {
        const int count = s->count[q];
        if (count <= w.lists.keep || 2 * count < w.lists.room)
            continue;
        Entry *list = w.lists.entry + ((int64_t)blockIdx.x * QUERIES + q) * w.lists.room;
        const float threshold = cut_list(list, count, w.lists, lane);
        if (lane == 0) {
            s->count[q] = w.lists.keep;
            s->threshold[q] = threshold;
        }
    }
}

template <int CHUNKS> __global__ void __launch_bounds__(THREADS, 2) narrow(Work w)
{
    extern __shared__ __align__(128) char memory[];
    Shared *s = (Shared *)memory;
    __half *query = (__half *)(memory + sizeof(Shared));
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = 0, col = warp * 32;
    const int64_t q0 = (int64_t)blockIdx.x * QUERIES;
    bool full = false;
    unsigned held[CHUNKS == 1 ? 4 : 1][4][4]; /* one chunk of the queries stays in registers */
    float c[4][4][4];

    for (int chunk = 0; chunk < CHUNKS; chunk++)
        copy_tile(query + chunk * QUERIES * STEP, w.query + q0 * w.width + chunk * STEP, QUERIES, w.width);
    asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;\n" ::);
    if (threadIdx.x < QUERIES) {
        s->threshold[threadIdx.x] = w.lists.threshold[q0 + threadIdx.x];
        s->count[threadIdx.x] = w.lists.count[q0 + threadIdx.x];
        s->self[threadIdx.x] = w.lists.self[q0 + threadIdx.x];
        full = s->count[threadIdx.x] > w.lists.room - TILE; /* from previous chunks */
    }
    __syncthreads();
    if (CHUNKS == 1)
#pragma unroll
        for (int k = 0; k < 4; k++)
            load_queries(held[CHUNKS == 1 ? k : 0], query, row, k, lane);
    for (int step = 0; step < STAGES - 1; step++)
        fetch<CHUNKS>(w, s, step);

    for (int step = 0; step < w.tiles * CHUNKS; step++) {
        const int chunk = step % CHUNKS;
        asm volatile("cp.async.wait_group %0;\n" ::"n"(STAGES - 2));
        if (__syncthreads_or(full)) { /* all are done with the previous tile */
            make_room(w, s, warp, lane);
            __syncthreads();
            full = false;
        }
        fetch<CHUNKS>(w, s, step + STAGES - 1);
        if (chunk == 0)
#pragma unroll
            for (int e = 0; e < 64; e++)
                c[e / 16][e / 4 % 4][e % 4] = 0;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            unsigned b[2][4];
            load_others(b, s->other[step % STAGES], col, k, lane);
            if (CHUNKS == 1) {
                multiply_step(c, held[CHUNKS == 1 ? k : 0], b);
            } else {
                unsigned a[4][4];
                load_queries(a, query + chunk * QUERIES * STEP, row, k, lane);
                multiply_step(c, a, b);
            }
        }
        if (chunk == CHUNKS - 1)
            full = take(w, s, c, step / CHUNKS, row, col, lane);
    }
    __syncthreads();
    if (threadIdx.x < QUERIES) {
        w.lists.threshold[q0 + threadIdx.x] = s->threshold[threadIdx.x];
        w.lists.count[q0 + threadIdx.x] = s->count[threadIdx.x];
    }
}

static size_t bytes_of(int chunks)
{
    return sizeof(Shared) + (size_t)chunks * QUERIES * STEP * sizeof(__half);
}

cudaError_t prepare_narrow(int shared_bytes)
{
    cudaError_t status = cudaSuccess;
    const void *const kernel[] = {(const void *)narrow<1>, (const void *)narrow<2>, (const void *)narrow<3>,
                                  (const void *)narrow<4>};
    for (int i = 0; i < 4 && status == cudaSuccess; i++)
        status = cudaFuncSetAttribute(kernel[i], cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
    return status;
}

bool narrow_fits(int64_t width, int shared_bytes)
{
    return width <= PITH_CUDA_NARROW && bytes_of((int)(width / STEP)) <= (size_t)shared_bytes;
}

void search_narrow(const __half *query, int64_t queries, const __half *other, int64_t rows, int64_t width,
                   const float *weight, int first, const Lists &lists, cudaStream_t stream)
{
    const int tiles = (int)((rows + TILE - 1) / TILE), chunks = (int)(width / STEP);
    const Work w = {query, other, width, weight, tiles, (int)pith_cuda_stride(tiles), first, lists};
    const unsigned blocks = (unsigned)((queries + QUERIES - 1) / QUERIES);
    const size_t bytes = bytes_of(chunks);
    if (chunks == 1)
        narrow<1><<<blocks, THREADS, bytes, stream>>>(w);
    else if (chunks == 2)
        narrow<2><<<blocks, THREADS, bytes, stream>>>(w);
    else if (chunks == 3)
        narrow<3><<<blocks, THREADS, bytes, stream>>>(w);
    else
        narrow<4><<<blocks, THREADS, bytes, stream>>>(w);
}
