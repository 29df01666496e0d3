/*
 * M = sum_r w_r P_r of partitions. Off the diagonal
 *
 *     M'_ij = c + Q_ij,    Q_ij = sum over the groups k that hold i and j of v_k,    v_k = w_r / n_k,
 *
 * c = (tau - sum_r w_r) / n, and sums over all pairs are sums over the cells in which groups meet:
 *
 *     sum Q = sum n_k^2 v_k,    sum Q^2 = sum n_kl^2 v_k v_l,    sum Q^3 = sum n_klm^2 v_k v_l v_m
 *
 * over the groups, pairs and triples of groups of all partitions: no pair of samples is visited. Where rows
 * are spread over processes, sizes and cells are those of all rows.
 */
#include "cluster/chance_inside.h"
#include "core/engine.h"
#include "core/parallel.h"
#include "matrix/blas.h"

#include <math.h>
#include <string.h>

typedef struct frame {
    int64_t n, all;             /* rows held here, and in all processes */
    bool spread;                /* the rows are spread over processes */
    int64_t count, width, most; /* width: groups of all partitions together; most: of one */
    const pith_i_grouping *at;
    int64_t *first;  /* number of each partition's first group, in 0..width-1 */
    double *size;    /* of each group */
    double *value;   /* v of each group; 0: the partition has one group only */
    double *product; /* width x width */
    double *agreed;  /* n: Q_ii */
    double *diagonal, *square;
} frame;

static int64_t group_of(const frame *f, int64_t r, int64_t i)
{
    return f->first[r] + f->at[r].label[i];
}

static pith_status sum_all(pith_ctx *ctx, const frame *f, int64_t count, double *values)
{
    return f->spread ? pith_i_sum(ctx, count, values) : PITH_OK;
}

static pith_status frame_new(pith_ctx *ctx, int64_t n, int64_t all, int64_t count, const pith_i_grouping *at,
                             frame *f)
{
    pith_status st = PITH_OK;
    *f = (frame){.n = n, .all = all > 0 ? all : n, .spread = all > 0, .count = count, .at = at};
    TRY(SCRATCH(ctx, f->first, count + 1));
    for (int64_t r = 0; r < count; r++) {
        f->first[r] = f->width;
        f->width += at[r].groups;
        f->most = at[r].groups > f->most ? at[r].groups : f->most;
    }
    f->first[count] = f->width;
    TRY(SCRATCH_ZERO(ctx, f->size, f->width));
    TRY(SCRATCH_ZERO(ctx, f->value, f->width));
    TRY(SCRATCH_ZERO(ctx, f->product, f->width * f->width));
    TRY(SCRATCH_ZERO(ctx, f->agreed, n));
    TRY(SCRATCH(ctx, f->diagonal, n));
    TRY(SCRATCH_ZERO(ctx, f->square, n));
    for (int64_t r = 0; r < count; r++)
        for (int64_t i = 0; i < n; i++)
            f->size[group_of(f, r, i)]++;
    TRY(sum_all(ctx, f, f->width, f->size));
    for (int64_t r = 0; r < count; r++)
        for (int64_t k = f->first[r]; k < f->first[r + 1] && at[r].groups > 1; k++)
            f->value[k] = 1 / (f->size[k] * (double)(at[r].groups - 1));
done:
    return st;
}

/* A in `product`: inner products of the groups' vectors sqrt(w) (1_k / sqrt(n_k) - sqrt(n_k) 1 / n). M and A
 * have the same nonzero eigenvalues. */
static pith_status fill_product(pith_ctx *ctx, frame *f)
{
    pith_status st = PITH_OK;
    for (int64_t i = 0; i < f->n; i++)
        for (int64_t r = 0; r < f->count; r++)
            for (int64_t s = 0; s < f->count; s++)
                f->product[group_of(f, r, i) * f->width + group_of(f, s, i)]++;
    TRY(sum_all(ctx, f, f->width * f->width, f->product));
    for (int64_t k = 0; k < f->width; k++)
        for (int64_t l = 0; l < f->width; l++) {
            double *a = &f->product[k * f->width + l];
            *a = sqrt(f->value[k] * f->value[l]) * (*a - f->size[k] * f->size[l] / (double)f->all);
        }
done:
    return st;
}

/* Traces of M^2 and M^3, by A. */
static pith_status find_traces(pith_ctx *ctx, const frame *f, pith_i_null_terms *M)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int width = (int)f->width;
    double *twice = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, twice, f->width * f->width));
    pith_i_blas_enter();
    cblas_dsymm(CblasRowMajor, CblasLeft, CblasLower, width, width, 1, f->product, width, f->product, width,
                0, twice, width);
    pith_i_blas_leave();
    for (int64_t k = 0; k < f->width; k++) {
        double second = 0, third = 0; /* row by row: a long sum of small numbers loses digits */
        for (int64_t e = k * f->width; e < (k + 1) * f->width; e++) {
            second += f->product[e] * f->product[e];
            third += f->product[e] * twice[e];
        }
        M->second += second;
        M->third += third;
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Q_ii, and the diagonals of M and M^2. Overwrites A: its entries become those of M^2 between groups. */
static void fill_diagonals(frame *f, double weights)
{
    for (int64_t k = 0; k < f->width; k++)
        for (int64_t l = 0; l < f->width; l++)
            f->product[k * f->width + l] *= sqrt(f->value[k] * f->value[l]);
    for (int64_t i = 0; i < f->n; i++) {
        for (int64_t r = 0; r < f->count; r++) {
            const int64_t k = group_of(f, r, i);
            f->agreed[i] += f->value[k];
            for (int64_t s = 0; s < f->count; s++)
                f->square[i] += f->product[k * f->width + group_of(f, s, i)];
        }
        f->diagonal[i] = f->agreed[i] - weights / (double)f->all;
    }
}

/* d'Md of the diagonal of M; d is centred first, so that nothing cancels. */
static pith_status find_own(pith_ctx *ctx, const frame *f, double trace, double *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    double *sum = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, sum, f->width));
    for (int64_t i = 0; i < f->n; i++)
        for (int64_t r = 0; r < f->count; r++)
            sum[group_of(f, r, i)] += f->diagonal[i] - trace / (double)f->all;
    TRY(sum_all(ctx, f, f->width, sum));
    *out = 0;
    for (int64_t k = 0; k < f->width; k++)
        *out += f->value[k] * sum[k] * sum[k];
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- Sums over all pairs ------------------------------------------------------------------------------- */

/* Of one thread. */
typedef struct room {
    int64_t *start; /* most^2 + 1: where the rows of a cell begin */
    int32_t *row;   /* n, by cell */
    int64_t *count; /* most, 0 between calls */
} room;

/* Sorts the rows by the cells in which partitions r and s meet. */
static void sort_rows(const frame *f, int64_t r, int64_t s, const room *w)
{
    const int32_t *a = f->at[r].label, *b = f->at[s].label;
    const int64_t wide = f->at[s].groups, cells = f->at[r].groups * wide;
    memset(w->start, 0, (size_t)(cells + 1) * sizeof *w->start);
    for (int64_t i = 0; i < f->n; i++)
        w->start[a[i] * wide + b[i] + 1]++;
    for (int64_t e = 0; e < cells; e++)
        w->start[e + 1] += w->start[e];
    for (int64_t i = 0; i < f->n; i++)
        w->row[w->start[a[i] * wide + b[i]]++] = (int32_t)i;
    memmove(w->start + 1, w->start,
            (size_t)cells * sizeof *w->start); /* filling moved each start to its end */
    w->start[0] = 0;
}

/* sum_m n_m^2 v_m over the groups of t among these rows; the m-th row of a group adds m^2 - (m - 1)^2. */
static double squares_among(const frame *f, int64_t t, int64_t rows, const int32_t *row, int64_t *count)
{
    const int32_t *label = f->at[t].label;
    const double *value = f->value + f->first[t];
    double sum = 0;
    for (int64_t e = 0; e < rows; e++) {
        const int32_t m = label[row[e]];
        sum += (double)(2 * count[m]++ + 1) * value[m];
    }
    for (int64_t e = 0; e < rows; e++)
        count[label[row[e]]] = 0;
    return sum;
}

/* What the partitions r < s, alone and with each one after s, add to the sums of Q^2 and Q^3. */
static void meet(const frame *f, int64_t r, int64_t s, const room *w, double sums[2])
{
    double second = 0, third = 0;
    sort_rows(f, r, s, w);
    for (int64_t k = 0, e = 0; k < f->at[r].groups; k++)
        for (int64_t l = 0; l < f->at[s].groups; l++, e++) {
            const int64_t from = w->start[e], rows = w->start[e + 1] - from;
            const double v = f->value[f->first[r] + k], u = f->value[f->first[s] + l];
            double among = 0;
            for (int64_t t = s + 1; t < f->count && rows > 0; t++)
                among += squares_among(f, t, rows, w->row + from, w->count);
            const double pairs = (double)rows * (double)rows;
            second += 2 * pairs * v * u;
            third += v * u * (3 * pairs * (v + u) + 6 * among);
        }
    sums[0] = second;
    sums[1] = third;
}

static pith_status room_new(pith_ctx *ctx, const frame *f, room *w)
{
    const int64_t threads = pith_ctx_threads(ctx);
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, w->start, threads * (f->most * f->most + 1)));
    TRY(SCRATCH(ctx, w->row, threads * f->n));
    TRY(SCRATCH_ZERO(ctx, w->count, threads * f->most));
done:
    return st;
}

/* meet() of all pairs r < s, into of[r * count + s]. */
static pith_status meet_all(pith_ctx *ctx, const frame *f, double (*of)[2])
{
    room all;
    pith_status st = PITH_OK;
    TRY(room_new(ctx, f, &all));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic)
    for (int64_t pair = 0; pair < f->count * f->count; pair++) {
        const int64_t r = pair / f->count, s = pair % f->count, own = pith_i_thread();
        const room w = {all.start + own * (f->most * f->most + 1), all.row + own * f->n,
                        all.count + own * f->most};
        if (r < s)
            meet(f, r, s, &w, of[pair]);
    }
done:
    return st;
}

/* For every cell of r and s: how many of the rows held here it has, and then how many of these are in each
 * group of the partitions after s. */
static void count_cells(pith_ctx *ctx, const frame *f, int64_t r, int64_t s, int64_t each, double *cell)
{
    const int64_t wide = f->at[s].groups;
    memset(cell, 0, (size_t)(f->at[r].groups * wide * each) * sizeof *cell);
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic)
    for (int64_t t = s; t < f->count; t++) /* t = s counts the rows of the cell */
        for (int64_t i = 0; i < f->n; i++) {
            const int64_t at = f->at[r].label[i] * wide + f->at[s].label[i];
            cell[at * each + (t > s ? 1 + group_of(f, t, i) - f->first[s + 1] : 0)]++;
        }
}

/* meet() from the counts of count_cells(). */
static void meet_cells(const frame *f, int64_t r, int64_t s, int64_t each, const double *cell, double sums[2])
{
    for (int64_t k = 0; k < f->at[r].groups; k++)
        for (int64_t l = 0; l < f->at[s].groups; l++, cell += each) {
            const double v = f->value[f->first[r] + k], u = f->value[f->first[s] + l];
            double among = 0;
            for (int64_t m = 1; m < each; m++)
                among += cell[m] * cell[m] * f->value[f->first[s + 1] + m - 1];
            sums[0] += 2 * cell[0] * cell[0] * v * u;
            sums[1] += v * u * (3 * cell[0] * cell[0] * (v + u) + 6 * among);
        }
}

/* meet_all() where rows are spread: one pair after the other, in all processes. */
static pith_status meet_spread(pith_ctx *ctx, const frame *f, double (*of)[2])
{
    double *cell = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, cell, f->most * f->most * (1 + f->width)));
    for (int64_t r = 0; r < f->count; r++)
        for (int64_t s = r + 1; s < f->count; s++) {
            const int64_t each = 1 + f->width - f->first[s + 1];
            count_cells(ctx, f, r, s, each, cell);
            TRY(pith_i_sum(ctx, f->at[r].groups * f->at[s].groups * each, cell));
            meet_cells(f, r, s, each, cell, of[r * f->count + s]);
        }
done:
    return st;
}

/* The sums of Q^2 and Q^3 over all pairs of samples, (i, i) included. */
static pith_status sum_powers(pith_ctx *ctx, const frame *f, double sums[2])
{
    const size_t mark = pith_i_scratch_mark(ctx);
    double(*of)[2] = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, of, f->count * f->count));
    TRY(f->spread ? meet_spread(ctx, f, of) : meet_all(ctx, f, of));
    sums[0] = sums[1] = 0;
    for (int64_t pair = 0; pair < f->count * f->count; pair++) {
        sums[0] += of[pair][0];
        sums[1] += of[pair][1];
    }
    for (int64_t k = 0; k < f->width; k++) {
        const double both = f->size[k] * f->value[k];
        sums[0] += both * both;
        sums[1] += both * both * f->value[k];
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* The sum of the cubes of M' off the diagonal; rest: c. */
static pith_status find_cubes(pith_ctx *ctx, const frame *f, double weights, double rest, double *out)
{
    const double n = (double)f->all;
    double sums[2], left = 0;
    pith_status st = PITH_OK;
    TRY(sum_powers(ctx, f, sums));
    const double total =
        rest * rest * rest * n * n + 3 * rest * rest * n * weights + 3 * rest * sums[0] + sums[1];
    left = f->spread ? 0 : total;
    for (int64_t i = 0; i < f->n; i++) {
        const double own = rest + f->agreed[i];
        left -= own * own * own;
    }
    TRY(sum_all(ctx, f, 1, &left));
    *out = f->spread ? total + left : left;
done:
    return st;
}

pith_status pith_i_null_make(pith_ctx *ctx, int64_t n, int64_t all, int64_t count,
                             const pith_i_grouping *partitions, pith_i_null *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_null_terms M = {.n = n, .all = all};
    double weights = 0;
    frame f;
    pith_status st = PITH_OK;
    TRY(frame_new(ctx, n, all, count, partitions, &f));
    for (int64_t r = 0; r < count; r++)
        if (partitions[r].groups > 1) {
            M.trace++;
            weights += 1 / (double)(partitions[r].groups - 1);
        }
    TRY(fill_product(ctx, &f));
    TRY(find_traces(ctx, &f, &M));
    fill_diagonals(&f, weights);
    M.diagonal = f.diagonal;
    M.square = f.square;
    TRY(find_own(ctx, &f, M.trace, &M.own));
    TRY(find_cubes(ctx, &f, weights, (M.trace / (double)(f.all - 1) - weights) / (double)f.all, &M.cubes));
    TRY(pith_i_null_of_terms(ctx, &M, out));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
