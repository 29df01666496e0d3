/* What runs on the device. Every function here enqueues work on a stream and returns. */
#ifndef PITH_CUDA_KERNELS_H
#define PITH_CUDA_KERNELS_H

#include "bound.h"

#include <cuda_fp16.h>
#include <cuda_runtime.h>

/* A block of the caller's rows on the device. */
struct RawBlock {
    int64_t rows;
    bool is_double;
    const void *x; /* dense, rows contiguous, `columns` each; null: CSR */
    int64_t columns;
    const int64_t *indptr; /* of the block: its first entry is `base` */
    int64_t base;
    const int32_t *indices;
    const void *values;
};

/* Which columns: `count` of them; null: all. */
struct Columns {
    int64_t count;
    const int32_t *column; /* by place, for dense rows */
    const int32_t *place;  /* by column, -1 outside, for CSR */
};

/* For cosine, of each row; null otherwise. */
struct Directions {
    double *power, *length2, *factor;
};

/* x (rows x columns.count) = the block's columns as doubles. */
void unpack(const RawBlock &raw, const Columns &columns, double *x, cudaStream_t stream);
/* As pith has them: the power of two that brings the largest modulus to 1/2..1, |x|^2 power^2, power / |x|.
 */
void find_directions(const double *x, int64_t rows, int64_t p, Directions out, cudaStream_t stream);

/* centre_j = mean over rows of factor_i x_ij; factor null: 1. */
void find_centre(const double *x, int64_t rows, int64_t p, const double *factor, double *centre,
                 cudaStream_t stream);
/* *largest = max |factor_i x_ij - centre_j|, as the bits of a double, which must be 0 before. */
void find_largest(const double *x, int64_t rows, int64_t p, const double *factor, const double *centre,
                  unsigned long long *largest, cudaStream_t stream);

/* Halves of z = scale (factor x - centre). */
enum Layout {
    ONE,      /* high */
    AS_QUERY, /* high, high, low */
    AS_OTHER  /* high, low, high */
};
struct Conversion {
    const double *factor, *centre; /* factor null: 1 */
    double scale, g;
    Layout layout;
    int64_t padded; /* columns; a row has as many halves, or three times as many */
    __half *out;
    pith_cuda_row *row; /* null: not wanted; delta is -1 without a direction, norm NaN if not finite */
    float *weight;      /* null: not wanted; +inf without a direction */
};
void convert(const double *x, int64_t rows, int64_t p, const Conversion &to, cudaStream_t stream);

/* Lists of candidates, one for each query. */
struct Lists {
    unsigned long long *entry; /* `room` of each: the ordered key in the high bits, the row in the low ones */
    int *count;
    float *threshold;
    const int *self; /* the query's own row; -1: padding */
    int keep, room;
};
void clear_lists(const Lists &lists, int64_t queries, int64_t padded, cudaStream_t stream);
/* Sorts the lists and cuts them to `keep`. */
void finish_lists(const Lists &lists, int64_t queries, cudaStream_t stream);

/* Products (queries x rows, `ld` apart) become keys, and keys below the threshold become candidates. Row r is
 * first + r of the data. */
void select_tile(const float *product, int64_t ld, int64_t queries, int64_t rows, const float *weight,
                 int first, const Lists &lists, cudaStream_t stream);

/* Products and selection in one kernel. queries and rows are padded to tiles; width 64, 128, 192 or 256. */
void search_narrow(const __half *query, int64_t queries, const __half *other, int64_t rows, int64_t width,
                   const float *weight, int first, const Lists &lists, cudaStream_t stream);
/* To be called once for a device. */
cudaError_t prepare_narrow(int shared_bytes);
/* Does a block fit its shared memory? */
bool narrow_fits(int64_t width, int shared_bytes);

/* ---- In double, as pith computes it (exact.h) ---- */

struct ExactRows {
    const double *x;
    int64_t count;
    Directions direction;
};
void exact_tile(const ExactRows &query, const ExactRows &other, int64_t p, bool cosine, double *distance2,
                int64_t ld, cudaStream_t stream);

struct Near {
    double distance2;
    int id, unused;
};
struct ExactLists {
    Near *entry;
    int *count;
    const int *self;
    int keep, room;
};
void select_exact(const double *distance2, int64_t ld, int64_t queries, int64_t rows, int first,
                  const ExactLists &lists, cudaStream_t stream);

#endif
