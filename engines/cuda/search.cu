#include "search.h"

#include <algorithm>
#include <chrono>
#include <cstring>

enum { BLOCK_BYTES = 256 << 20, SAMPLE = 4096 };

static double now()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class T> static OnDevice<T> uploaded(const std::vector<T> &from)
{
    OnDevice<T> to((int64_t)from.size());
    check(cudaMemcpy(to.get(), from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice),
          "copying columns");
    return to;
}

static int64_t rounded(int64_t rows)
{
    return (rows + PITH_CUDA_TILE - 1) / PITH_CUDA_TILE * PITH_CUDA_TILE;
}

Search::Search(Device &device, const Task &task)
    : device_(device), task_(task), n_(task.rows->n), p_(task.columns),
      source_(device, *task.rows, std::max(1, task.call->threads))
{
    if (!task.column.empty() || !task.place.empty()) {
        column_ = uploaded(task.column);
        place_ = uploaded(task.place);
    }
    columns_ = {p_, column_.get(), place_.get()};
    block_ = OnDevice<double>(block_rows() * std::max<int64_t>(1, p_));
    centre_ = OnDevice<double>(p_);
    if (task.cosine) {
        const int64_t rows = block_rows();
        direction_ = OnDevice<double>(3 * rows);
        directions_ = {direction_.get(), direction_.get() + rows, direction_.get() + 2 * rows};
    }
}

Search::~Search()
{
    if (settling_.joinable())
        settling_.join();
    (void)cudaStreamSynchronize(device_.copy); /* work still in flight uses our memory */
    (void)cudaStreamSynchronize(device_.compute);
}

int64_t Search::block_rows() const
{
    const int64_t fit = BLOCK_BYTES / (int64_t)sizeof(double) / std::max<int64_t>(1, p_);
    return std::min(n_, std::max<int64_t>(1, fit));
}

void Search::step(double done)
{
    check(cudaGetLastError(), "its work");
    const double part = from_ + (to_ - from_) * done;
    if (task_.call->stop(task_.call, task_.from + (task_.to - task_.from) * part))
        fail(PITH_E_STOPPED, "stopped");
}

/* ---- Rows on the device -------------------------------------------------------------------------------- */

int64_t Search::unpack_block(const int64_t *ids, int64_t first, int64_t most)
{
    const int64_t rows = source_.fits(ids, first, std::min(most, block_rows()));
    const RawBlock raw = source_.load(ids, first, rows);
    unpack(raw, columns_, block_.get(), device_.copy);
    if (task_.cosine)
        find_directions(block_.get(), rows, p_, directions_, device_.copy);
    return rows;
}

/* Any centre is correct; the mean of a sample keeps products small, and a scale by the sample's largest
 * number keeps halves within their range. */
void Search::find_centre_and_scale()
{
    std::vector<int64_t> sample;
    OnDevice<unsigned long long> largest(1);
    unsigned long long bits = 0;
    double value = 0;
    const int64_t wanted = std::min<int64_t>({SAMPLE, n_, block_rows()});
    for (int64_t s = 0; s < wanted; s++)
        sample.push_back((int64_t)((double)s * (double)n_ / (double)wanted));
    const int64_t rows = unpack_block(sample.data(), 0, wanted);
    if (p_ == 0)
        return;
    check(cudaMemsetAsync(largest.get(), 0, sizeof bits, device_.copy), "finding the range");
    find_centre(block_.get(), rows, p_, directions_.factor, centre_.get(), device_.copy);
    find_largest(block_.get(), rows, p_, directions_.factor, centre_.get(), largest.get(), device_.copy);
    check(cudaMemcpyAsync(&bits, largest.get(), sizeof bits, cudaMemcpyDeviceToHost, device_.copy),
          "finding the range");
    check(cudaStreamSynchronize(device_.copy), "finding the range");
    memcpy(&value, &bits, sizeof value);
    scale_ = pith_cuda_scale(value);
}

void Search::convert_rows(const int64_t *ids, int64_t first, int64_t count, Conversion to)
{
    const int64_t width = to.layout == ONE ? to.padded : 3 * to.padded;
    for (int64_t done = 0, rows; done < count; done += rows) {
        rows = unpack_block(ids != nullptr ? ids + done : nullptr, first + done, count - done);
        convert(block_.get(), rows, p_, to, device_.copy);
        to.out += rows * width;
        to.row = to.row != nullptr ? to.row + rows : nullptr;
        to.weight = to.weight != nullptr ? to.weight + rows : nullptr;
    }
}

/* ---- A pass in halves ---------------------------------------------------------------------------------- */

/* The lists of one block of queries, on the host. */
struct Results {
    Pinned<unsigned long long> entry;
    Pinned<int> count;
    Pinned<float> threshold;
    Event there;
};

struct Search::Pass {
    const std::vector<int64_t> *which; /* the queries; null: all rows */
    bool split;
    int64_t count;
    pith_cuda_plan plan;
    pith_cuda_bound bound;
    OnDevice<__half> other, query;
    OnDevice<float> weight, product, threshold;
    OnDevice<pith_cuda_row> row;
    Pinned<pith_cuda_row> row_here;
    OnDevice<unsigned long long> entry;
    OnDevice<int> list_count, self;
    Pinned<int> self_here;
    Lists lists;
    std::vector<std::unique_ptr<Event>> loaded; /* of each chunk */
    Event used[2], stepped[2], queries_there,
        queries_ready; /* used: of the two chunks that are held, if they are not resident */
    int64_t steps = 0;
    std::vector<char> is_loaded;
    Results results[2];

    int64_t id(int64_t q) const { return which != nullptr ? (*which)[(size_t)q] : q; }
    int64_t chunks(int64_t n) const { return (n + plan.chunk - 1) / plan.chunk; }
    __half *chunk_at(int64_t c) const
    {
        return other.get() + (plan.resident ? c * plan.chunk : c % 2 * plan.chunk) * plan.width;
    }
    void allocate(int64_t n);
};

void Search::Pass::allocate(int64_t n)
{
    const int64_t rows = rounded(plan.resident ? n + PITH_CUDA_TILE : 2 * plan.chunk) * plan.width;
    const int64_t queries = rounded(plan.queries);
    other = OnDevice<__half>(rows);
    check(cudaMemset(other.get(), 0, (size_t)rows * sizeof(__half)),
          "clearing memory"); /* padding must be finite */
    if (plan.own_queries) {
        query = OnDevice<__half>(queries * plan.width);
        check(cudaMemset(query.get(), 0, (size_t)(queries * plan.width) * sizeof(__half)), "clearing memory");
    }
    const std::vector<float> nobody((size_t)rounded(n) + PITH_CUDA_TILE, INFINITY); /* beyond the last row */
    weight = uploaded(nobody);
    row = OnDevice<pith_cuda_row>(n);
    row_here = Pinned<pith_cuda_row>(n);
    product = OnDevice<float>(plan.tile_queries * plan.tile_rows);
    entry = OnDevice<unsigned long long>(queries * plan.room);
    list_count = OnDevice<int>(queries);
    threshold = OnDevice<float>(queries);
    self = OnDevice<int>(queries);
    self_here = Pinned<int>(queries);
    lists = {entry.get(), list_count.get(), threshold.get(), self.get(), (int)plan.keep, (int)plan.room};
    for (Results &r : results) {
        r.entry = Pinned<unsigned long long>(queries * plan.keep);
        r.count = Pinned<int>(queries);
        r.threshold = Pinned<float>(queries);
    }
    is_loaded.assign((size_t)chunks(n), 0);
    for (int64_t c = 0; c < chunks(n); c++)
        loaded.emplace_back(new Event);
    check(cudaDeviceSynchronize(), "clearing memory");
}

void Search::load_chunk(Pass &pass, int64_t c)
{
    const int64_t first = c * pass.plan.chunk, rows = std::min(pass.plan.chunk, n_ - first);
    if (pass.plan.resident && pass.is_loaded[(size_t)c])
        return;
    if (!pass.plan.resident)
        pass.used[c % 2].hold(device_.copy);
    const bool news = !pass.is_loaded[(size_t)c];
    convert_rows(nullptr, first, rows,
                 {directions_.factor, centre_.get(), scale_, pass.bound.g, pass.split ? AS_OTHER : ONE,
                  pith_cuda_padded(p_), pass.chunk_at(c), news ? pass.row.get() + first : nullptr,
                  pass.weight.get() + first});
    if (news)
        check(cudaMemcpyAsync(pass.row_here.get() + first, pass.row.get() + first,
                              (size_t)rows * sizeof(pith_cuda_row), cudaMemcpyDeviceToHost, device_.copy),
              "copying norms");
    pass.is_loaded[(size_t)c] = 1;
    pass.loaded[(size_t)c]->record(device_.copy);
}

/* Products in tiles in memory, slab by slab; each tile is then scanned once. */
void Search::multiply(Pass &pass, const __half *query, int64_t queries, int64_t c, int64_t rows)
{
    const pith_cuda_plan &plan = pass.plan;
    const float one = 1, zero = 0;
    for (int64_t q = 0; q < queries; q += plan.tile_queries) {
        const int64_t count = std::min(plan.tile_queries, queries - q);
        Lists lists = pass.lists;
        for (int64_t col = 0; col < plan.width; col += plan.slab)
            check(cublasGemmEx(device_.blas, CUBLAS_OP_T, CUBLAS_OP_N, (int)rows, (int)count,
                               (int)std::min(plan.slab, plan.width - col), &one, pass.chunk_at(c) + col,
                               CUDA_R_16F, (int)plan.width, query + q * plan.width + col, CUDA_R_16F,
                               (int)plan.width, col > 0 ? &one : &zero, pass.product.get(), CUDA_R_32F,
                               (int)plan.tile_rows, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
                  "products");
        lists.entry += q * lists.room;
        lists.count += q;
        lists.threshold += q;
        lists.self += q;
        select_tile(pass.product.get(), plan.tile_rows, count, rows, pass.weight.get() + c * plan.chunk,
                    (int)(c * plan.chunk), lists, device_.compute);
    }
}

void Search::search_chunk(Pass &pass, int64_t q0, int64_t queries, int64_t c)
{
    const pith_cuda_plan &plan = pass.plan;
    const int64_t first = c * plan.chunk, rows = std::min(plan.chunk, n_ - first);
    const __half *query = plan.own_queries ? pass.query.get() : pass.other.get() + q0 * plan.width;
    load_chunk(pass, c);
    pass.loaded[(size_t)c]->hold(device_.compute);
    if (plan.narrow)
        search_narrow(query, queries, pass.chunk_at(c), rows, plan.width, pass.weight.get() + first,
                      (int)first, pass.lists, device_.compute);
    else
        multiply(pass, query, queries, c, rows);
    if (!plan.resident)
        pass.used[c % 2].record(device_.compute);
    Event &before = pass.stepped[pass.steps++ % 2];
    before.wait(); /* at most two steps are in flight, so that a request to stop is noticed */
    before.record(device_.compute);
}

static void fetch_results(const Lists &lists, int64_t queries, Results &to, cudaStream_t stream)
{
    const size_t row = (size_t)lists.keep * sizeof *lists.entry;
    check(cudaMemcpy2DAsync(to.entry.get(), row, lists.entry, (size_t)lists.room * sizeof *lists.entry, row,
                            (size_t)queries, cudaMemcpyDeviceToHost, stream),
          "copying candidates");
    check(cudaMemcpyAsync(to.count.get(), lists.count, (size_t)queries * sizeof(int), cudaMemcpyDeviceToHost,
                          stream),
          "copying candidates");
    check(cudaMemcpyAsync(to.threshold.get(), lists.threshold, (size_t)queries * sizeof(float),
                          cudaMemcpyDeviceToHost, stream),
          "copying candidates");
    to.there.record(stream);
}

void Search::in_halves(bool split, const std::vector<int64_t> *which)
{
    Pass pass{};
    const int64_t count = which != nullptr ? (int64_t)which->size() : n_, memory = device_.memory();
    const bool fused = !split && narrow_fits(pith_cuda_padded(p_), device_.shared_bytes);
    if (!pith_cuda_plan_make(count, n_, p_, task_.k, fused, split, memory, device_.multiprocessors,
                             &pass.plan))
        fail(PITH_E_NOMEM,
             "the device has %.1f GB of memory left, which does not suffice for %lld rows of %lld columns",
             (double)memory * 1e-9, (long long)n_, (long long)p_);
    pass.which = which;
    pass.split = split;
    pass.count = count;
    pass.bound = pith_cuda_bound_of(p_, pass.plan.width, pass.plan.slab, split, scale_, task_.cosine);
    pass.allocate(n_);
    const int64_t chunks = pass.chunks(n_);
    struct Last { /* on every way out: nothing may use the pass once it is gone */
        Device &device;
        std::thread &t;
        ~Last()
        {
            if (t.joinable())
                t.join();
            (void)cudaStreamSynchronize(device.copy);
            (void)cudaStreamSynchronize(device.compute);
        }
    } last{device_, settling_};
    int slot = 0;
    for (int64_t q0 = 0; q0 < count; q0 += pass.plan.queries, slot = 1 - slot) {
        const int64_t queries = std::min(pass.plan.queries, count - q0), padded = rounded(queries);
        pass.queries_there.wait();
        for (int64_t q = 0; q < padded; q++)
            pass.self_here.get()[q] = q < queries ? (int)pass.id(q0 + q) : -1;
        check(cudaMemcpyAsync(pass.self.get(), pass.self_here.get(), (size_t)padded * sizeof(int),
                              cudaMemcpyHostToDevice, device_.compute),
              "copying queries");
        pass.queries_there.record(device_.compute);
        clear_lists(pass.lists, queries, padded, device_.compute);
        if (pass.plan.own_queries) {
            pass.queries_there.hold(device_.copy); /* the queries before are done */
            convert_rows(which != nullptr ? which->data() + q0 : nullptr, q0, queries,
                         {directions_.factor, centre_.get(), scale_, pass.bound.g, split ? AS_QUERY : ONE,
                          pith_cuda_padded(p_), pass.query.get(), nullptr, nullptr});
            pass.queries_ready.record(device_.copy);
            pass.queries_ready.hold(device_.compute);
        } else {
            for (int64_t c = q0 / pass.plan.chunk; c <= (q0 + queries - 1) / pass.plan.chunk; c++) {
                load_chunk(pass, c);
                pass.loaded[(size_t)c]->hold(device_.compute);
            }
        }
        for (int64_t c = 0; c < chunks; c++) {
            search_chunk(pass, q0, queries, c);
            step(((double)q0 + (double)queries * (double)(c + 1) / (double)chunks) / (double)count);
        }
        finish_lists(pass.lists, queries, device_.compute);
        fetch_results(pass.lists, queries, pass.results[slot], device_.compute);
        start_settling(pass, q0, queries, slot);
    }
    settling_.join();
    if (broken_)
        fail(PITH_E_NUMERIC, "the device failed while it searched");
    std::sort(open_.begin(), open_.end());
}

/* ---- From candidates to neighbours --------------------------------------------------------------------- */

/* On the host, while the device goes on with the next queries. */
void Search::start_settling(Pass &pass, int64_t q0, int64_t queries, int slot)
{
    if (settling_.joinable())
        settling_.join();
    if (q0 == 0) { /* every row has been loaded */
        check(cudaStreamSynchronize(device_.copy), "copying norms");
        zeros_.clear();
        for (int64_t i = 0; i < n_; i++) {
            const pith_cuda_row &row = pass.row_here.get()[i];
            if (!std::isfinite(row.norm))
                fail(PITH_E_DATA, "row %lld has a value that is not finite", (long long)i + 1);
            if (row.delta < 0 && (int64_t)zeros_.size() <= task_.k)
                zeros_.push_back(i);
        }
    }
    settling_ = std::thread([this, &pass, q0, queries, slot] {
        try {
            pass.results[slot].there.wait();
            const double start = now();
            settle(pass, q0, queries, slot);
            settling_seconds_ += now() - start;
        } catch (const Failure &) {
            broken_ = true;
        }
    });
}

/* A row without direction is equally far from all others: the first of them are its neighbours. */
void Search::settle_zero(int64_t i)
{
    for (int64_t e = 0; e < task_.k; e++) {
        task_.index[i * task_.k + e] = e < i ? e : e + 1;
        task_.distance2[i * task_.k + e] = 2;
    }
}

static float key_of(unsigned long long entry)
{
    const uint32_t ordered = (uint32_t)(entry >> 32),
                   bits = ordered ^ (ordered >> 31 != 0 ? 0x80000000u : 0xffffffffu);
    float key;
    memcpy(&key, &bits, sizeof key);
    return key;
}

void Search::settle(Pass &pass, int64_t q0, int64_t queries, int slot)
{
    enum { GRAIN = 64, ROOM = 1024 };
    const Results &from = pass.results[slot];
    const int64_t k = task_.k, keep = pass.plan.keep;
    in_parallel(std::max(1, task_.call->threads), queries, GRAIN, [&](int64_t first, int64_t end) {
        float key[ROOM];
        int32_t id[ROOM];
        for (int64_t q = first; q < end; q++) {
            const int64_t i = pass.id(q0 + q);
            const pith_cuda_row &row = pass.row_here.get()[i];
            if (row.delta < 0) {
                settle_zero(i);
                continue;
            }
            const int count = from.count.get()[q];
            for (int e = 0; e < count; e++) {
                const unsigned long long entry = from.entry.get()[q * keep + e];
                key[e] = key_of(entry);
                id[e] = (int32_t)(entry & 0xffffffffu);
            }
            const pith_cuda_candidates candidates = {
                i, count, key, id, from.threshold.get()[q], (int64_t)zeros_.size(), zeros_.data()};
            if (!pith_cuda_settle(&pass.bound, &row, &candidates, k, task_.distances, task_.user,
                                  task_.index + i * k, task_.distance2 + i * k)) {
                const std::lock_guard<std::mutex> lock(mutex_);
                open_.push_back(i);
            }
        }
    });
}

/* ---- In double ----------------------------------------------------------------------------------------- */

/*
 * The device's distances are pith's to the last bit, so that their order is the answer. Should pith's differ
 * after all, the row is left to pith.
 */
void Search::write_exact(const std::vector<int64_t> &which, int64_t first, int64_t count, const Near *near)
{
    const int64_t k = task_.k;
    in_parallel(std::max(1, task_.call->threads), count, 64, [&](int64_t from, int64_t end) {
        for (int64_t q = from; q < end; q++) {
            const int64_t i = which[(size_t)(first + q)];
            int64_t *index = task_.index + i * k;
            double *distance2 = task_.distance2 + i * k;
            bool same = true;
            for (int64_t e = 0; e < k; e++)
                index[e] = near[q * k + e].id;
            task_.distances(task_.user, i, k, index, distance2);
            for (int64_t e = 0; e < k; e++)
                same = same && distance2[e] == near[q * k + e].distance2;
            if (!same) {
                const std::lock_guard<std::mutex> lock(mutex_);
                index[0] = -1;
                open_.push_back(i);
            }
        }
    });
}

void Search::in_double(const std::vector<int64_t> &which)
{
    enum { QUERIES = 4096, ROWS = 8192 };
    const int64_t k = task_.k, p = std::max<int64_t>(1, p_), count = (int64_t)which.size();
    const int64_t fit = device_.memory() / 2 / (p * 8 + ROWS * 8 + 1024 * (int64_t)sizeof(Near));
    const int64_t most = std::max<int64_t>(1, std::min<int64_t>({QUERIES, count, fit}));
    OnDevice<double> x(most * p), distance2(most * ROWS), direction(3 * most);
    const Directions directions = {direction.get(), direction.get() + most, direction.get() + 2 * most};
    const int room = (int)pith_cuda_room(k);
    OnDevice<Near> entry(most * room);
    OnDevice<int> list_count(most), self(most);
    std::vector<int> ids((size_t)most);
    std::vector<Near> near((size_t)(most * k));
    const ExactLists lists = {entry.get(), list_count.get(), self.get(), (int)k, room};
    cudaStream_t stream = device_.copy;
    for (int64_t q0 = 0, rows; q0 < count; q0 += most) {
        const int64_t queries = std::min(most, count - q0);
        for (int64_t q = 0; q < queries; q++)
            ids[(size_t)q] = (int)which[(size_t)(q0 + q)];
        check(cudaMemcpyAsync(self.get(), ids.data(), (size_t)queries * sizeof(int), cudaMemcpyHostToDevice,
                              stream),
              "copying queries");
        check(cudaMemsetAsync(list_count.get(), 0, (size_t)queries * sizeof(int), stream), "clearing memory");
        for (int64_t done = 0; done < queries; done += rows) {
            rows = unpack_block(which.data() + q0 + done, 0, queries - done);
            check(cudaMemcpyAsync(x.get() + done * p_, block_.get(), (size_t)(rows * p_) * sizeof(double),
                                  cudaMemcpyDeviceToDevice, stream),
                  "copying queries");
            const Directions to = {directions.power + done, directions.length2 + done,
                                   directions.factor + done};
            if (task_.cosine)
                find_directions(block_.get(), rows, p_, to, stream);
        }
        for (int64_t first = 0; first < n_; first += rows) {
            rows = unpack_block(nullptr, first, n_ - first);
            for (int64_t at = 0; at < rows; at += ROWS) {
                const int64_t some = std::min<int64_t>(ROWS, rows - at);
                const Directions of = task_.cosine
                                          ? Directions{directions_.power + at, directions_.length2 + at,
                                                       directions_.factor + at}
                                          : directions_;
                exact_tile({x.get(), queries, directions}, {block_.get() + at * p_, some, of}, p_,
                           task_.cosine, distance2.get(), ROWS, stream);
                select_exact(distance2.get(), ROWS, queries, some, (int)(first + at), lists, stream);
            }
            step(((double)q0 + (double)queries * (double)(first + rows) / (double)n_) / (double)count);
        }
        check(cudaMemcpy2DAsync(near.data(), (size_t)k * sizeof(Near), entry.get(),
                                (size_t)room * sizeof(Near), (size_t)k * sizeof(Near), (size_t)queries,
                                cudaMemcpyDeviceToHost, stream),
              "copying neighbours");
        check(cudaStreamSynchronize(stream), "searching in double");
        write_exact(which, q0, queries, near.data());
    }
}

/* ---- All of it ----------------------------------------------------------------------------------------- */

Account Search::run()
{
    Account account;
    std::vector<int64_t> again;
    double start = now();
    const auto lap = [&](int pass) {
        account.seconds[pass] = now() - start;
        start = now();
    };
    from_ = 0;
    to_ = 0.9;
    find_centre_and_scale();
    in_halves(false, nullptr);
    lap(0);
    again.swap(open_);
    account.again = (int64_t)again.size();
    from_ = to_;
    to_ = 0.95;
    if (!again.empty())
        in_halves(true, &again);
    lap(1);
    again.clear();
    again.swap(open_);
    account.exact = (int64_t)again.size();
    from_ = to_;
    to_ = 1;
    if (!again.empty())
        in_double(again);
    lap(2);
    account.left = (int64_t)open_.size();
    account.settling = settling_seconds_;
    return account;
}
