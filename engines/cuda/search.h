/* One search: the k nearest of every row within some columns, in up to three passes of growing precision. */
#ifndef PITH_CUDA_SEARCH_H
#define PITH_CUDA_SEARCH_H

#include "device.h"
#include "exact.h"
#include "plan.h"

#include <mutex>
#include <thread>

/* The request. */
struct Task {
    const pith_engine_rows *rows;
    pith_engine_call *call;
    bool cosine;
    int64_t k;
    std::vector<int32_t> column, place; /* within these columns; empty: all of them */
    int64_t columns;                    /* how many */
    pith_cuda_distances *distances;
    void *user;
    double from, to; /* its part of the call's progress */
    int64_t *index;
    double *distance2;
};

/* What the search took. */
struct Account {
    int64_t again = 0, exact = 0, left = 0; /* rows of the second and the third pass, and rows left to pith */
    double seconds[3] = {0, 0, 0};
    double settling = 0; /* of the host, while the device works */
};

class Search
{
  public:
    Search(Device &device, const Task &task);
    ~Search();
    Account run();

  private:
    struct Pass;
    void find_centre_and_scale();
    int64_t block_rows() const;
    /* Loads rows as doubles into block_ and, for cosine, fills directions_; returns how many. */
    int64_t unpack_block(const int64_t *ids, int64_t first, int64_t most);
    void convert_rows(const int64_t *ids, int64_t first, int64_t count, Conversion to);
    void in_halves(bool split, const std::vector<int64_t> *which);
    void load_chunk(Pass &pass, int64_t chunk);
    void search_chunk(Pass &pass, int64_t q0, int64_t queries, int64_t chunk);
    void multiply(Pass &pass, const __half *query, int64_t queries, int64_t chunk, int64_t rows);
    void start_settling(Pass &pass, int64_t q0, int64_t queries, int slot);
    void settle(Pass &pass, int64_t q0, int64_t queries, int slot);
    void settle_zero(int64_t i);
    void in_double(const std::vector<int64_t> &which);
    void write_exact(const std::vector<int64_t> &which, int64_t first, int64_t count, const Near *near);
    void step(double done); /* reports progress; throws when the user asks to stop */

    Device &device_;
    const Task &task_;
    int64_t n_, p_;
    Source source_;
    OnDevice<int32_t> column_, place_;
    Columns columns_;
    OnDevice<double> block_, centre_, direction_;
    Directions directions_ = {nullptr, nullptr, nullptr};
    double scale_ = 1;
    std::vector<int64_t> open_;  /* rows that must be searched again */
    std::vector<int64_t> zeros_; /* the first rows without direction */
    std::mutex mutex_;
    std::thread settling_;
    std::atomic<bool> broken_{false};
    double from_ = 0, to_ = 1, settling_seconds_ = 0;
};

#endif
