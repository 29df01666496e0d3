/* A device, its memory, and the transfer of the caller's rows to it. Failures are thrown as Failure. */
#ifndef PITH_CUDA_DEVICE_H
#define PITH_CUDA_DEVICE_H

#include "kernels.h"

#include <pith-engine.h>

#include <cublas_v2.h>

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

struct Failure {
    pith_status status;
    char text[400];
};
[[noreturn]] __attribute__((format(printf, 2, 3))) void fail(pith_status status, const char *format, ...);
void check(cudaError_t status, const char *what);
void check(cublasStatus_t status, const char *what);

/* Calls f(from, end) for all of 0..count-1, `grain` at a time, in several threads; this one is among them. */
void in_parallel(int threads, int64_t count, int64_t grain, const std::function<void(int64_t, int64_t)> &f);

/*
 * Memory that is given back is kept in a store, since searches in subsets of the columns take the same pieces
 * again and again, and pinned memory takes milliseconds to allocate. empty_store frees it.
 */
void *take_memory(size_t bytes, bool on_device);
void give_memory(void *at, size_t bytes, bool on_device);
void empty_store();

/* An array on the device, or in pinned memory of the host. */
template <class T, bool ON_DEVICE> class Array
{
  public:
    Array() = default;
    explicit Array(int64_t count)
    {
        bytes_ = (size_t)(count > 0 ? count : 1) * sizeof(T);
        at_ = (T *)take_memory(bytes_, ON_DEVICE);
    }
    Array(Array &&other) noexcept : at_(other.at_), bytes_(other.bytes_) { other.at_ = nullptr; }
    Array &operator=(Array &&other) noexcept
    {
        std::swap(at_, other.at_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~Array() { give_memory(at_, bytes_, ON_DEVICE); }
    T *get() const { return at_; }

  private:
    T *at_ = nullptr;
    size_t bytes_ = 0;
};
template <class T> using OnDevice = Array<T, true>;
template <class T> using Pinned = Array<T, false>;

class Event
{
  public:
    Event() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "an event"); }
    Event(const Event &) = delete;
    ~Event() { (void)cudaEventDestroy(event_); }
    void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream), "an event"); }
    void wait() { check(cudaEventSynchronize(event_), "the device's work"); }
    void hold(cudaStream_t stream) { check(cudaStreamWaitEvent(stream, event_, 0), "an event"); }

  private:
    cudaEvent_t event_ = nullptr;
};

/* The device that an engine uses. */
struct Device {
    int id = 0, multiprocessors = 1, shared_bytes = 0;
    cudaStream_t compute = nullptr, copy = nullptr;
    cublasHandle_t blas = nullptr;
    Device();
    Device(const Device &) = delete;
    ~Device();
    int64_t memory() const; /* bytes available, at most PITH_CUDA_MEMORY */
};

/*
 * The caller's rows, block by block, through two pieces of pinned memory: one is filled by threads while the
 * other is copied.
 */
class Source
{
  public:
    Source(Device &device, const pith_engine_rows &rows, int threads);
    /* How many rows fit a block: from ids[0] on, or from `first` on if ids is null; at most `most`. */
    int64_t fits(const int64_t *ids, int64_t first, int64_t most) const;
    /* Rows ids[0..count-1], or first.. if ids is null. Valid for what is enqueued on device.copy before the
     * second call after this one. */
    RawBlock load(const int64_t *ids, int64_t first, int64_t count);

  private:
    size_t pack(char *to, const int64_t *ids, int64_t first, int64_t count, size_t at[2]) const;
    size_t pack_sparse(char *to, const int64_t *ids, int64_t first, int64_t count, size_t at[2]) const;
    int64_t room() const;
    Device &device_;
    const pith_engine_rows &rows_;
    int threads_, turn_ = 0;
    size_t bytes_, size_; /* of a piece; of a number */
    Pinned<char> host_[2];
    OnDevice<char> there_[2];
    Event copied_[2];
};

#endif
