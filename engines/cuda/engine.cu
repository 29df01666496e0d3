/*
 * Nearest neighbours on a GPU, exact, to the byte those of pith itself. Half precision on the device only
 * chooses candidates; bound.h says for each row whether they suffice, and rows for which they do not are
 * searched again: with products of twice the precision, and at last in double.
 */
#include "search.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>

template <class F> static pith_status guarded(pith_engine_call *call, const F &f)
{
    struct Last { /* nothing is held between calls */
        ~Last() { empty_store(); }
    } last;
    try {
        f();
        return PITH_OK;
    } catch (const Failure &failure) {
        (void)snprintf(call->message, sizeof call->message, "%s", failure.text);
        return failure.status;
    } catch (const std::exception &e) { /* no memory, no thread */
        (void)snprintf(call->message, sizeof call->message, "out of memory (%s)", e.what());
        return PITH_E_NOMEM;
    }
}

static pith_status cuda_open(pith_engine_call *call, void **self)
{
    return guarded(call, [&] { *self = new Device; });
}

static void cuda_close(void *self)
{
    delete (Device *)self;
}

static void tell(const Task &task, const Account &a)
{
    if (getenv("PITH_CUDA_STATS") == nullptr)
        return;
    (void)fprintf(stderr,
                  "pith-cuda: %lld x %lld, k %lld: %.3f s in halves, %.3f s for %lld rows again, %.3f s for "
                  "%lld rows in "
                  "double, %lld left to pith; settling took %.3f s beside that\n",
                  (long long)task.rows->n, (long long)task.columns, (long long)task.k, a.seconds[0],
                  a.seconds[1], (long long)a.again, a.seconds[2], (long long)a.exact, (long long)a.left,
                  a.settling);
}

/* Searches with too many neighbours, or with rows and columns that overflow our indices, are left to pith. */
static bool is_ours(const pith_engine_rows *rows, int64_t k)
{
    return k <= PITH_CUDA_MOST && rows->n < ((int64_t)1 << 31) - 2 * PITH_CUDA_TILE &&
           rows->p < ((int64_t)1 << 28);
}

static void by_pith(void *user, int64_t i, int64_t count, const int64_t *others, double *out)
{
    const pith_engine_call *call = (const pith_engine_call *)user;
    call->distances(call, i, count, others, out);
}

static pith_status cuda_knn(void *self, pith_engine_call *call, const pith_engine_rows *rows, bool cosine,
                            int64_t k, int64_t *index, double *distance2)
{
    return guarded(call, [&] {
        if (rows->all != rows->n)
            fail(PITH_E_PARAMETER, "all rows must be in one process");
        if (!is_ours(rows, k)) {
            for (int64_t i = 0; i < rows->n; i++)
                index[i * k] = -1;
            return;
        }
        Task task = {rows, call, cosine, k, {}, {}, rows->p, by_pith, call, 0, 1, index, distance2};
        Search search(*(Device *)self, task);
        tell(task, search.run());
    });
}

/* ---- Subsets of the columns ---------------------------------------------------------------------------- */

static void by_formula(void *user, int64_t i, int64_t count, const int64_t *others, double *out)
{
    const pith_cuda_exact *exact = (const pith_cuda_exact *)user;
    for (int64_t e = 0; e < count; e++)
        out[e] = pith_cuda_exact_distance2(exact, i, others[e]);
}

static void choose_columns(const pith_engine_rows *rows, const uint32_t *mask, int subset, Task &task)
{
    task.place.assign((size_t)rows->p + 1, -1); /* never empty, as that would mean all */
    for (int64_t j = 0; j < rows->p; j++)
        if ((mask[j] >> subset & 1) != 0) {
            task.place[(size_t)j] = (int32_t)task.column.size();
            task.column.push_back((int32_t)j);
        }
    task.columns = (int64_t)task.column.size();
}

static pith_status cuda_knn_subsets(void *self, pith_engine_call *call, const pith_engine_rows *rows,
                                    bool cosine, int subsets, const uint32_t *mask, int64_t k, int64_t *index)
{
    return guarded(call, [&] {
        const int threads = std::max(1, call->threads);
        std::vector<double> distance2((size_t)(rows->n * k)), direction(cosine ? 3 * (size_t)rows->n : 0);
        if (!is_ours(rows, k) || rows->all != rows->n)
            fail(PITH_E_PARAMETER, "at most %d neighbours in subsets of the columns, of rows in one process",
                 (int)PITH_CUDA_MOST);
        for (int l = 0; l < subsets; l++) {
            Task task = {rows,
                         call,
                         cosine,
                         k,
                         {},
                         {},
                         0,
                         by_formula,
                         nullptr,
                         (double)l / subsets,
                         (double)(l + 1) / subsets,
                         index + l * rows->n * k,
                         distance2.data()};
            choose_columns(rows, mask, l, task);
            pith_cuda_exact exact = {rows,
                                     cosine,
                                     task.columns,
                                     task.column.data(),
                                     task.place.data(),
                                     direction.data(),
                                     direction.data() + rows->n,
                                     direction.data() + 2 * rows->n};
            task.user = &exact;
            if (cosine)
                in_parallel(threads, rows->n, 256, [&](int64_t from, int64_t end) {
                    for (int64_t i = from; i < end; i++)
                        pith_cuda_exact_row(&exact, i);
                });
            Search search(*(Device *)self, task);
            const Account account = search.run();
            tell(task, account);
            if (account.left > 0)
                fail(PITH_E_BUG, "the device's distances in double are not those of the host");
        }
    });
}

extern "C" __attribute__((visibility("default"))) const pith_engine *pith_engine_get(void)
{
    static const pith_engine table = [] {
        pith_engine t = {};
        t.version = PITH_ENGINE_VERSION;
        t.name = "cuda";
        t.promises = PITH_ENGINE_EXACT | PITH_ENGINE_SAME_BYTES;
        t.open = cuda_open;
        t.close = cuda_close;
        t.knn = cuda_knn;
        t.knn_subsets = cuda_knn_subsets;
        return t;
    }();
    return &table;
}
