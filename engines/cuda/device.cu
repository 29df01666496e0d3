#include "device.h"

#include "plan.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

void fail(pith_status status, const char *format, ...)
{
    Failure failure = {status, ""};
    va_list args;
    va_start(args, format);
    (void)vsnprintf(failure.text, sizeof failure.text, format, args);
    va_end(args);
    throw failure;
}

void check(cudaError_t status, const char *what)
{
    if (status == cudaSuccess)
        return;
    (void)cudaGetLastError(); /* the next call must not find it */
    if (status == cudaErrorMemoryAllocation)
        fail(PITH_E_NOMEM, "%s does not suffice", what);
    fail(PITH_E_NUMERIC, "the device failed at %s: %s", what, cudaGetErrorString(status));
}

void check(cublasStatus_t status, const char *what)
{
    if (status == CUBLAS_STATUS_ALLOC_FAILED)
        fail(PITH_E_NOMEM, "memory of the device does not suffice for %s", what);
    if (status != CUBLAS_STATUS_SUCCESS)
        fail(PITH_E_NUMERIC, "the device failed at %s: %s", what, cublasGetStatusString(status));
}

void in_parallel(int threads, int64_t count, int64_t grain, const std::function<void(int64_t, int64_t)> &f)
{
    std::atomic<int64_t> next(0);
    const auto work = [&] {
        for (int64_t first; (first = next.fetch_add(grain)) < count;)
            f(first, std::min(first + grain, count));
    };
    std::vector<std::thread> others;
    const int64_t useful = std::min<int64_t>(threads, (count + grain - 1) / grain);
    try {
        for (int64_t t = 1; t < useful; t++)
            others.emplace_back(work);
    } catch (const std::system_error &) { /* fewer threads do the same */
    }
    work();
    for (std::thread &t : others)
        t.join();
}

/* ---- Memory -------------------------------------------------------------------------------------------- */

struct Piece {
    void *at;
    size_t bytes;
    bool on_device;
};
static struct {
    std::mutex mutex;
    std::vector<Piece> pieces;
    size_t on_device = 0;
} store;

static void *from_store(size_t bytes, bool on_device)
{
    const std::lock_guard<std::mutex> lock(store.mutex);
    for (size_t i = 0; i < store.pieces.size(); i++)
        if (store.pieces[i].bytes == bytes && store.pieces[i].on_device == on_device) {
            void *at = store.pieces[i].at;
            store.pieces[i] = store.pieces.back();
            store.pieces.pop_back();
            store.on_device -= on_device ? bytes : 0;
            return at;
        }
    return nullptr;
}

/* Sizes are rounded, so that subsets of about as many columns reuse each other's pieces. */
static size_t rounded_up(size_t bytes)
{
    size_t unit = 256;
    while (unit * 16 < bytes && unit < (size_t)1 << 20)
        unit *= 2;
    return (bytes + unit - 1) / unit * unit;
}

void *take_memory(size_t bytes, bool on_device)
{
    const size_t size = rounded_up(bytes);
    void *at = from_store(size, on_device);
    for (int tries = 0; at == nullptr; tries++) {
        const cudaError_t status = on_device ? cudaMalloc(&at, size) : cudaMallocHost(&at, size);
        if (status == cudaSuccess)
            break;
        if (tries > 0 || status != cudaErrorMemoryAllocation)
            check(status, on_device ? "memory of the device" : "memory of the host");
        (void)cudaGetLastError();
        at = nullptr;
        empty_store();
    }
    return at;
}

void give_memory(void *at, size_t bytes, bool on_device)
{
    if (at == nullptr)
        return;
    try {
        const std::lock_guard<std::mutex> lock(store.mutex);
        store.pieces.push_back({at, rounded_up(bytes), on_device});
        store.on_device += on_device ? rounded_up(bytes) : 0;
    } catch (const std::bad_alloc &) {
        (void)(on_device ? cudaFree(at) : cudaFreeHost(at));
    }
}

void empty_store()
{
    const std::lock_guard<std::mutex> lock(store.mutex);
    for (const Piece &p : store.pieces)
        (void)(p.on_device ? cudaFree(p.at) : cudaFreeHost(p.at));
    store.pieces.clear();
    store.on_device = 0;
}

static size_t stored()
{
    const std::lock_guard<std::mutex> lock(store.mutex);
    return store.on_device;
}

/* ---- The device ---------------------------------------------------------------------------------------- */

static void find_device(int *id)
{
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    (void)cudaGetLastError();
    if (status == cudaErrorInsufficientDriver)
        fail(
            PITH_E_FILE,
            "there is no driver for CUDA, or it is older than version %d.%d, for which this engine was built",
            CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    if (status != cudaSuccess || count == 0)
        fail(PITH_E_FILE, "there is no CUDA device: %s",
             status != cudaSuccess ? cudaGetErrorString(status) : "none is visible");
    check(cudaGetDevice(id), "choosing a device");
}

Device::Device()
{
    int major = 0, minor = 0;
    find_device(&id);
    check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, id), "asking the device");
    check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, id), "asking the device");
    if (major < 8)
        fail(PITH_E_FILE, "the device has compute capability %d.%d, and 8.0 is needed", major, minor);
    check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, id), "asking the device");
    check(cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, id),
          "asking the device");
    check(prepare_narrow(shared_bytes), "loading its programs (was the engine built for this device?)");
    try {
        check(cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking), "a stream");
        check(cudaStreamCreateWithFlags(&copy, cudaStreamNonBlocking), "a stream");
        check(cublasCreate(&blas), "opening cuBLAS");
        check(cublasSetStream(blas, compute), "opening cuBLAS");
        check(cublasSetMathMode(blas, (cublasMath_t)(CUBLAS_DEFAULT_MATH |
                                                     CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION)),
              "opening cuBLAS");
    } catch (...) {
        this->~Device();
        throw;
    }
}

Device::~Device()
{
    if (blas != nullptr)
        (void)cublasDestroy(blas);
    if (copy != nullptr)
        (void)cudaStreamDestroy(copy);
    if (compute != nullptr)
        (void)cudaStreamDestroy(compute);
}

int64_t Device::memory() const
{
    const size_t spare = (size_t)1 << 28;
    size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total), "asking for its memory");
    free += stored();
    const char *given = getenv("PITH_CUDA_MEMORY");
    const double limit = given != nullptr ? strtod(given, nullptr) : 0;
    const int64_t left = free > spare ? (int64_t)(free - spare) : 0;
    return limit >= 1 ? (int64_t)std::min((double)left, limit) : left;
}

/* ---- Rows ---------------------------------------------------------------------------------------------- */

enum { PIECE = 64 << 20, MOST_ROWS = 1 << 18, ALIGNED = 256 };

static size_t aligned(size_t bytes)
{
    return (bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
}

/* A row that is longer than a piece makes the pieces longer. */
Source::Source(Device &device, const pith_engine_rows &rows, int threads)
    : device_(device), rows_(rows), threads_(threads), size_(rows.dtype == PITH_F64 ? 8 : 4)
{
    int64_t longest = rows.p, all = rows.n * rows.p;
    for (int64_t i = 0; rows.x == nullptr && i < rows.n; i++)
        longest = std::max(i == 0 ? 0 : longest, rows.indptr[i + 1] - rows.indptr[i]);
    if (rows.x == nullptr)
        all = rows.indptr[rows.n] - rows.indptr[0];
    const size_t one = rows.x != nullptr ? size_ : size_ + sizeof(int32_t);
    const size_t indptr =
        rows.x != nullptr ? 0 : (size_t)(std::min<int64_t>(rows.n, MOST_ROWS) + 1) * sizeof(int64_t);
    const size_t wanted = std::min((size_t)all * one, (size_t)PIECE);
    bytes_ = aligned(std::max(wanted, (size_t)longest * one)) + aligned(indptr) + 3 * ALIGNED;
    for (int s = 0; s < 2; s++) {
        host_[s] = Pinned<char>((int64_t)bytes_);
        there_[s] = OnDevice<char>((int64_t)bytes_);
    }
}

/* Entries that fit a piece. */
int64_t Source::room() const
{
    const bool dense = rows_.x != nullptr;
    const size_t indptr = dense ? 0 : (size_t)(std::min<int64_t>(rows_.n, MOST_ROWS) + 1) * sizeof(int64_t);
    return (int64_t)((bytes_ - aligned(indptr) - 3 * ALIGNED) / (dense ? size_ : size_ + sizeof(int32_t)));
}

int64_t Source::fits(const int64_t *ids, int64_t first, int64_t most) const
{
    int64_t count = 0, entries = 0;
    most = std::min<int64_t>(most, MOST_ROWS);
    if (ids == nullptr)
        return pith_cuda_rows_that_fit(rows_.indptr, rows_.p, first, rows_.n, room(), most);
    if (rows_.x != nullptr)
        return std::max<int64_t>(1, std::min(most, room() / std::max<int64_t>(1, rows_.p)));
    for (; count < most; count++) {
        entries += rows_.indptr[ids[count] + 1] - rows_.indptr[ids[count]];
        if (count > 0 && entries > room())
            break;
    }
    return count;
}

/* indptr, then indices at at[0], then values at at[1]. */
size_t Source::pack_sparse(char *to, const int64_t *ids, int64_t first, int64_t count, size_t at[2]) const
{
    int64_t *indptr = (int64_t *)to;
    indptr[0] = 0;
    for (int64_t r = 0; r < count; r++) {
        const int64_t i = ids != nullptr ? ids[r] : first + r;
        indptr[r + 1] = indptr[r] + rows_.indptr[i + 1] - rows_.indptr[i];
    }
    at[0] = aligned((size_t)(count + 1) * sizeof *indptr);
    at[1] = at[0] + aligned((size_t)indptr[count] * sizeof(int32_t));
    in_parallel(
        threads_, count, std::max<int64_t>(1, count / (4 * threads_)), [&](int64_t from, int64_t end) {
            for (int64_t r = from; r < end; r++) {
                const int64_t i = ids != nullptr ? ids[r] : first + r, e = rows_.indptr[i];
                const size_t length = (size_t)(indptr[r + 1] - indptr[r]);
                memcpy((int32_t *)(to + at[0]) + indptr[r], rows_.indices + e, length * sizeof(int32_t));
                memcpy(to + at[1] + (size_t)indptr[r] * size_, (const char *)rows_.values + (size_t)e * size_,
                       length * size_);
            }
        });
    return at[1] + (size_t)indptr[count] * size_;
}

size_t Source::pack(char *to, const int64_t *ids, int64_t first, int64_t count, size_t at[2]) const
{
    if (rows_.x == nullptr)
        return pack_sparse(to, ids, first, count, at);
    const size_t row = (size_t)rows_.p * size_;
    in_parallel(
        threads_, count, std::max<int64_t>(1, count / (4 * threads_)), [&](int64_t from, int64_t end) {
            const char *x = (const char *)rows_.x;
            const size_t stride = (size_t)rows_.stride * size_;
            if (ids == nullptr && stride == row)
                memcpy(to + (size_t)from * row, x + (size_t)(first + from) * row, (size_t)(end - from) * row);
            else
                for (int64_t r = from; r < end; r++)
                    memcpy(to + (size_t)r * row, x + (size_t)(ids != nullptr ? ids[r] : first + r) * stride,
                           row);
        });
    return (size_t)count * row;
}

RawBlock Source::load(const int64_t *ids, int64_t first, int64_t count)
{
    const int s = turn_;
    size_t at[2] = {0, 0};
    turn_ = 1 - turn_;
    copied_[s].wait();
    const size_t bytes = pack(host_[s].get(), ids, first, count, at);
    check(cudaMemcpyAsync(there_[s].get(), host_[s].get(), bytes, cudaMemcpyHostToDevice, device_.copy),
          "copying rows");
    copied_[s].record(device_.copy);
    const char *there = there_[s].get();
    const bool dense = rows_.x != nullptr;
    return {count,
            rows_.dtype == PITH_F64,
            dense ? there : nullptr,
            rows_.p,
            (const int64_t *)there,
            0,
            (const int32_t *)(there + at[0]),
            there + at[1]};
}
