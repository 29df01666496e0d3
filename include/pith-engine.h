/*
 * Engines: what computes nearest neighbours, eigenpairs and sums over rows. An engine is a shared
 * object libpith-NAME.so with one function, pith_engine_get, that returns a table of operations. It is
 * loaded when asked for by name (pith_ctx_set_engine, --engine NAME). For operations that it
 * lacks, pith uses its own; the engine `local` has none. docs/engines.md says how to write one.
 *
 * An operation returns PITH_OK, or another status with one sentence in call->message. It is called from the
 * thread that called pith. Its results must be complete: pith checks what is cheap to check, and treats an
 * invalid result as a bug of the engine.
 */
#ifndef PITH_ENGINE_H
#define PITH_ENGINE_H

#include <pith.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PITH_ENGINE_VERSION 2 /* of the table below; one of another version is refused */

/* What an engine promises, by bits. */
enum {
    PITH_ENGINE_EXACT = 1,     /* the neighbours are the exact ones, ties to the lower row */
    PITH_ENGINE_SAME_BYTES = 2 /* every number is that of `local`, to the last bit */
};

/*
 * Rows of a table. Several processes may hold a table together: each has n rows from `offset` on, of `all`.
 * Row numbers in results are those of the whole table.
 */
typedef struct pith_engine_rows {
    int64_t n, p;        /* rows held here, columns */
    int64_t offset, all; /* number of the first row; rows of all processes together */
    pith_dtype dtype;
    const void *x; /* dense: element (i, j) is x[i * stride + j]; NULL: sparse */
    int64_t stride;
    const int64_t *indptr;  /* CSR: row i holds entries indptr[i] to before indptr[i + 1], */
    const int32_t *indices; /* columns ascend */
    const void *values;
} pith_engine_rows;

/* What an operation may use while it works. */
typedef struct pith_engine_call pith_engine_call;
struct pith_engine_call {
    int threads;
    uint64_t seed;
    /* Reports progress, 0..1. True: the user wants to stop; return PITH_E_STOPPED soon. */
    bool (*stop)(pith_engine_call *call, double done);
    /*
     * For knn: the squared distances of row i to other rows, all of them held here, as pith itself computes
     * them. An engine that ranks its candidates by these has the distances, and the order of neighbours, of
     * `local` to the last bit. Safe to call from several threads.
     */
    void (*distances)(const pith_engine_call *call, int64_t i, int64_t count, const int64_t *others,
                      double *distance2);
    char message[512]; /* why the operation failed, one sentence */
    void *inside;      /* pith's own */
};

/* y = A x for `count` vectors, one after the other, of as many entries as rows are held here. */
typedef struct pith_engine_operator {
    int64_t n, offset, all;
    pith_status (*apply)(const struct pith_engine_operator *A, int64_t count, const double *x, double *y);
    void *inside; /* pith's own */
} pith_engine_operator;

typedef enum pith_engine_how { PITH_ENGINE_TOTAL, PITH_ENGINE_LEAST, PITH_ENGINE_MOST } pith_engine_how;

/* For operations that are NULL, pith uses its own. `self` is what open made. */
typedef struct pith_engine {
    int version;      /* PITH_ENGINE_VERSION, first of all */
    const char *name; /* as in libpith-NAME.so */
    unsigned promises;

    /* Called once for a context, before anything else, and once at its end. NULL: there is nothing to do.
     * PITH_E_STOPPED without a message: all processes fail, and another one says why. */
    pith_status (*open)(pith_engine_call *call, void **self);
    void (*close)(void *self);

    /*
     * The k nearest rows of every row held here, 1 <= k < rows->all: row i's are index[i * k] to before
     * index[(i + 1) * k], nearest first, ties to the lower row, never the row itself, with their squared
     * distances; by cosine 2 - 2 cos, and 2 where a row is all zeros. If index[i * k] is -1, pith searches
     * for row i itself; only where one process holds all rows.
     */
    pith_status (*knn)(void *self, pith_engine_call *call, const pith_engine_rows *rows, bool cosine,
                       int64_t k, int64_t *index, double *distance2);
    /*
     * The same within several subsets of the columns at once: column j is in subset l if bit l of mask[j] is
     * set, 1 <= subsets <= 24. The lists of subset l begin at index[l * n * k]; pith computes their
     * distances, and sorts them by these. NULL: pith calls knn for one subset after the other.
     */
    pith_status (*knn_subsets)(void *self, pith_engine_call *call, const pith_engine_rows *rows, bool cosine,
                               int subsets, const uint32_t *mask, int64_t k, int64_t *index);

    /*
     * The m largest eigenvalues of the symmetric A, descending, and unit vectors, one after the other, in the
     * complement of n_known orthonormal vectors that span an invariant subspace. Repeated eigenvalues are
     * returned with their multiplicity. ||A x - value x|| <= tolerance (1 + |value|).
     */
    pith_status (*eigen)(void *self, pith_engine_call *call, const pith_engine_operator *A, int64_t m,
                         int64_t n_known, const double *known, double tolerance, double *values,
                         double *vectors);

    /*
     * ---- Only for engines that spread rows over processes. They need place, sum, exchange and eigen; the
     * others are optional. Without knn, pith sends blocks of rows around and searches in them itself. ----
     */

    /* Which of how many processes this is; those with lower numbers hold earlier rows. NULL: the only one. */
    void (*place)(void *self, int *rank, int *ranks);
    /* Every number becomes its sum, minimum or maximum over all processes, the same bytes in each of them. */
    pith_status (*sum)(void *self, pith_engine_call *call, pith_engine_how how, int64_t count,
                       double *values);
    /* Bytes send_at[r] to before send_at[r + 1] of send go to process r; what it sends here comes to
     * receive_at[r] to before receive_at[r + 1] of receive. */
    pith_status (*exchange)(void *self, pith_engine_call *call, const int64_t *send_at, const void *send,
                            const int64_t *receive_at, void *receive);
    /*
     * The same in two calls, so that this process can compute in between. Until it is finished, both arrays
     * stay as they are. All processes begin their exchanges in the same order, and several may be under way.
     * Both NULL: pith uses exchange instead.
     */
    pith_status (*begin)(void *self, pith_engine_call *call, const int64_t *send_at, const void *send,
                         const int64_t *receive_at, void *receive, void **under_way);
    pith_status (*finish)(void *self, pith_engine_call *call, void *under_way);
    /*
     * Every process calls it with its exit status, 0 for success. Returns -1 if all succeeded, else the
     * lowest process that failed, and sets *status to that one's. If this process failed, and the others do
     * not call within some seconds because they wait for it elsewhere, it returns this process and sets
     * *alone to true: this process has to end them. NULL: every process goes on by itself.
     */
    int (*settle)(void *self, int *status, bool *alone);
    /* Ends all processes with this exit status, at once. Does not return. */
    void (*end)(void *self, int status);
} pith_engine;

/* What an engine's shared object has. */
__attribute__((visibility("default"))) const pith_engine *pith_engine_get(void);

#ifdef __cplusplus
}
#endif

#endif
