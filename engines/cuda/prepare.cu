/* From the caller's rows to halves. */
#include "kernels.h"

enum { WARP = 32, THREADS = 256, LANES = 16 };

static unsigned blocks_of(int64_t warps)
{
    return (unsigned)((warps + THREADS / WARP - 1) / (THREADS / WARP));
}

/* The number of this thread's warp. */
__device__ static int64_t warp_of()
{
    return ((int64_t)blockIdx.x * THREADS + threadIdx.x) / WARP;
}

__device__ static double number(const void *values, bool is_double, int64_t at)
{
    return is_double ? ((const double *)values)[at] : (double)((const float *)values)[at];
}

/* One warp per row. */
__global__ void unpack_rows(RawBlock raw, Columns columns, double *x)
{
    const int64_t i = warp_of();
    const int lane = threadIdx.x % WARP;
    if (i >= raw.rows)
        return;
    double *to = x + i * columns.count;
    if (raw.x != nullptr) {
        for (int64_t j = lane; j < columns.count; j += WARP)
            to[j] = number(raw.x, raw.is_double,
                           i * raw.columns + (columns.column != nullptr ? columns.column[j] : j));
        return;
    }
    for (int64_t j = lane; j < columns.count; j += WARP)
        to[j] = 0;
    __syncwarp();
    for (int64_t e = raw.indptr[i] - raw.base + lane; e < raw.indptr[i + 1] - raw.base; e += WARP) {
        const int32_t c = raw.indices[e], place = columns.place != nullptr ? columns.place[c] : c;
        if (place >= 0)
            to[place] = number(raw.values, raw.is_double, e);
    }
}

void unpack(const RawBlock &raw, const Columns &columns, double *x, cudaStream_t stream)
{
    if (raw.rows > 0)
        unpack_rows<<<blocks_of(raw.rows), THREADS, 0, stream>>>(raw, columns, x);
}

__device__ static double most_of_warp(double v)
{
    for (int step = WARP / 2; step > 0; step /= 2)
        v = fmax(v, __shfl_xor_sync(~0u, v, step));
    return v;
}

__device__ static double sum_of_warp(double v)
{
    for (int step = WARP / 2; step > 0; step /= 2)
        v += __shfl_xor_sync(~0u, v, step);
    return v;
}

/* The first 16 threads are pith's lanes. */
__global__ void find_directions_of(const double *x, int64_t rows, int64_t p, Directions out)
{
    const int64_t i = warp_of();
    const int lane = threadIdx.x % WARP;
    if (i >= rows)
        return;
    double top = 0, power = 1, sum = 0;
    for (int64_t j = lane; j < p; j += WARP)
        top = fmax(top, fabs(x[i * p + j]));
    top = most_of_warp(top);
    const bool has = top >= 1e-290; /* pith_i_has_direction */
    if (has) {
        int exponent = 0;
        (void)frexp(top, &exponent);
        power = ldexp(1.0, -exponent);
        for (int64_t j = lane; lane < LANES && j < p; j += LANES) {
            const double v = __dmul_rn(x[i * p + j], power);
            sum = __dadd_rn(sum, __dmul_rn(v, v));
        }
        for (int half = LANES / 2; half > 0; half /= 2)
            sum = __dadd_rn(sum, __shfl_down_sync(~0u, sum, half));
    }
    if (lane == 0) {
        out.power[i] = power;
        out.length2[i] = has ? sum : 0;
        out.factor[i] = has ? __ddiv_rn(power, __dsqrt_rn(sum)) : 0;
    }
}

void find_directions(const double *x, int64_t rows, int64_t p, Directions out, cudaStream_t stream)
{
    if (rows > 0)
        find_directions_of<<<blocks_of(rows), THREADS, 0, stream>>>(x, rows, p, out);
}

__global__ void find_centre_of(const double *x, int64_t rows, int64_t p, const double *factor, double *centre)
{
    const int64_t j = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    double sum = 0;
    if (j >= p)
        return;
    for (int64_t i = 0; i < rows; i++)
        sum += x[i * p + j] * (factor != nullptr ? factor[i] : 1);
    centre[j] = sum / (double)rows;
}

void find_centre(const double *x, int64_t rows, int64_t p, const double *factor, double *centre,
                 cudaStream_t stream)
{
    find_centre_of<<<(unsigned)((p + THREADS - 1) / THREADS), THREADS, 0, stream>>>(x, rows, p, factor,
                                                                                    centre);
}

__global__ void find_largest_of(const double *x, int64_t rows, int64_t p, const double *factor,
                                const double *centre, unsigned long long *largest)
{
    const int64_t i = warp_of();
    const int lane = threadIdx.x % WARP;
    double top = 0;
    if (i >= rows)
        return;
    for (int64_t j = lane; j < p; j += WARP)
        top = fmax(top, fabs(x[i * p + j] * (factor != nullptr ? factor[i] : 1) - centre[j]));
    top = most_of_warp(top);
    if (lane == 0) /* bits of doubles that are not negative are in their order */
        atomicMax(largest, (unsigned long long)__double_as_longlong(top));
}

void find_largest(const double *x, int64_t rows, int64_t p, const double *factor, const double *centre,
                  unsigned long long *largest, cudaStream_t stream)
{
    find_largest_of<<<blocks_of(rows), THREADS, 0, stream>>>(x, rows, p, factor, centre, largest);
}

/* What is beyond the range of a half becomes its largest number. */
__device__ static __half half_of(double z)
{
    return __double2half(fmin(fmax(z, -65504.0), 65504.0));
}

__device__ static void write(const Conversion &to, __half *row, int64_t j, __half high, __half low)
{
    row[j] = high;
    if (to.layout == ONE)
        return;
    row[to.padded + j] = to.layout == AS_QUERY ? high : low;
    row[2 * to.padded + j] = to.layout == AS_QUERY ? low : high;
}

/*
 * delta is rounded up: by 2^-20 of itself for the sum of squares here, and by 2^-50 |z| for z, which is off
 * by one rounding of each number.
 */
__device__ static void tell(const Conversion &to, int64_t i, double norm, double square, double low, bool has)
{
    pith_cuda_row row = {norm, sqrt(square) * (1 + ldexp(1.0, -20)) + ldexp(sqrt(norm), -50), low};
    if (to.weight != nullptr)
        to.weight[i] = has ? pith_cuda_weight(to.g, &row) : INFINITY;
    if (!has)
        row.delta = -1;
    if (to.row != nullptr)
        to.row[i] = row;
}

__global__ void convert_rows(const double *x, int64_t rows, int64_t p, Conversion to)
{
    const int64_t i = warp_of(), width = to.layout == ONE ? to.padded : 3 * to.padded;
    const int lane = threadIdx.x % WARP;
    double norm = 0, square = 0, lows = 0;
    if (i >= rows)
        return;
    const double factor = to.factor != nullptr ? to.factor[i] : 1;
    __half *out = to.out + i * width;
    for (int64_t j = lane; j < to.padded; j += WARP) {
        const double z = j < p ? (__dmul_rn(x[i * p + j], factor) - to.centre[j]) * to.scale : 0;
        const __half high = half_of(z);
        const double h = (double)__half2float(high), rest = z - h;
        const __half low = to.layout == ONE ? __float2half(0.0f) : half_of(rest);
        const double l = (double)__half2float(low);
        write(to, out, j, high, low);
        norm += isfinite(z) ? (h + l) * (h + l) : z - z;
        square += (rest - l) * (rest - l);
        lows += l * l;
    }
    norm = sum_of_warp(norm);
    square = sum_of_warp(square);
    lows = sum_of_warp(lows);
    if (lane == 0)
        tell(to, i, norm, square, lows * (1 + ldexp(1.0, -20)), factor != 0);
}

void convert(const double *x, int64_t rows, int64_t p, const Conversion &to, cudaStream_t stream)
{
    if (rows > 0)
        convert_rows<<<blocks_of(rows), THREADS, 0, stream>>>(x, rows, p, to);
}
