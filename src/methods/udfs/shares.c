#include "methods/udfs/shares.h"

#include "core/engine.h"
#include "matrix/blas.h"
#include "matrix/halo.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 32 };

typedef struct span {
    int64_t p;
    double *rows;  /* B X of the samples held here; in its first rows, what became of those that are done: */
    int64_t found; /* so many, orthonormal */
    double *block; /* BLOCK x p: rows of the process whose turn it is, the same in all processes */
    double *part;  /* BLOCK x p */
    double *C;     /* BLOCK x n */
} span;

/* B X, some columns at a time. */
static pith_status make_rows(pith_ctx *ctx, const pith_i_design *X, const pith_i_operator *B, double *rows)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = X->X->n, p = X->X->p;
    double *column = NULL, *moved = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, column, n * BLOCK));
    TRY(SCRATCH(ctx, moved, n * BLOCK));
    for (int64_t j = 0; j < p; j += BLOCK) {
        const int64_t m = pith_i_min(BLOCK, p - j);
        TRY(pith_i_stop_status(ctx));
        for (int64_t t = 0; t < m; t++)
            pith_i_design_column(X, j + t, column + t * n);
        TRY(B->apply(ctx, B->self, m, column, moved));
        for (int64_t i = 0; i < n; i++)
            for (int64_t t = 0; t < m; t++)
                rows[i * p + j + t] = moved[t * n + i];
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* The block without its part in the rows that are done, in all processes. */
static pith_status project(pith_ctx *ctx, span *s, int64_t count)
{
    const int p = (int)s->p, m = (int)count, found = (int)s->found;
    pith_status st = PITH_OK;
    memset(s->part, 0, (size_t)(count * s->p) * sizeof *s->part);
    if (found > 0) {
        pith_i_blas_enter();
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, found, p, 1, s->block, p, s->rows, p, 0, s->C,
                    found);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, p, found, 1, s->C, found, s->rows, p, 0,
                    s->part, p);
        pith_i_blas_leave();
    }
    TRY(pith_i_sum(ctx, count * s->p, s->part));
    for (int64_t e = 0; e < count * s->p; e++)
        s->block[e] -= s->part[e];
done:
    return st;
}

/* The rows of the block, made orthonormal one after the other; those of which others leave nothing are left
 * out. before: their lengths before any projection. Returns how many there are. */
static int64_t orthonormalize(span *s, int64_t count, const double *before)
{
    const int p = (int)s->p;
    int64_t kept = 0;
    for (int64_t a = 0; a < count; a++) {
        double *row = s->block + a * s->p, *to = s->block + kept * s->p;
        for (int pass = 0; pass < 2; pass++) /* the first leaves rounding */
            for (int64_t b = 0; b < kept; b++) {
                const double *other = s->block + b * s->p;
                cblas_daxpy(p, -cblas_ddot(p, other, 1, row, 1), other, 1, row, 1);
            }
        const double length = cblas_dnrm2(p, row, 1);
        if (!(length > 1e-10 * before[a]))
            continue;
        for (int64_t j = 0; j < s->p; j++)
            to[j] = row[j] / length;
        kept++;
    }
    return kept;
}

/* The next `count` samples of process `turn`, there from row `first` on. */
static pith_status do_block(pith_ctx *ctx, span *s, int turn, int64_t first, int64_t count, double *share,
                            int64_t *rank)
{
    const bool own = turn == pith_i_process(ctx);
    double before[BLOCK];
    pith_status st = PITH_OK;
    memset(s->block, 0, (size_t)(count * s->p) * sizeof *s->block);
    if (own)
        memcpy(s->block, s->rows + first * s->p, (size_t)(count * s->p) * sizeof *s->block);
    TRY(pith_i_sum(ctx, count * s->p, s->block));
    for (int64_t a = 0; a < count; a++)
        before[a] = cblas_dnrm2((int)s->p, s->block + a * s->p, 1);
    for (int pass = 0; pass < 2; pass++)
        TRY(project(ctx, s, count));
    const int64_t kept = orthonormalize(s, count, before);
    for (int64_t a = 0; a < kept; a++)
        for (int64_t j = 0; j < s->p; j++)
            share[j] += s->block[a * s->p + j] * s->block[a * s->p + j];
    *rank += kept;
    if (own) {
        memcpy(s->rows + s->found * s->p, s->block, (size_t)(kept * s->p) * sizeof *s->block);
        s->found += kept;
    }
done:
    return st;
}

pith_status pith_i_range_shares(pith_ctx *ctx, const pith_i_design *X, const pith_i_operator *B,
                                double *share, int64_t *rank)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int processes = pith_i_processes(ctx);
    const int64_t n = X->X->n, p = X->X->p;
    span s = {.p = p};
    int64_t *start = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, start, processes + 1));
    TRY(SCRATCH(ctx, s.rows, n * p));
    TRY(SCRATCH(ctx, s.block, BLOCK * p));
    TRY(SCRATCH(ctx, s.part, BLOCK * p));
    TRY(SCRATCH(ctx, s.C, BLOCK * n));
    TRY(pith_i_row_starts(ctx, n, start));
    TRY(make_rows(ctx, X, B, s.rows));
    memset(share, 0, (size_t)p * sizeof *share);
    *rank = 0;
    for (int turn = 0; turn < processes; turn++)
        for (int64_t i = 0, all = start[turn + 1] - start[turn]; i < all; i += BLOCK) {
            TRY(pith_i_stop_status(ctx));
            TRY(do_block(ctx, &s, turn, i, pith_i_min(BLOCK, all - i), share, rank));
        }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
