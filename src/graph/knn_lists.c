#include "graph/knn_lists.h"
#include "matrix/simd.h"

#include <math.h>
#include <omp.h>

void pith_i_lists_set_norm(pith_i_lists *L, const pith_i_rows *R, int64_t i, int64_t terms)
{
    const bool zero = pith_i_row_is_zero(R, i);
    L->norm[i] = zero ? INFINITY : (float)pith_i_shrunk(R, R->square[i], terms, false);
    L->threshold[i] = zero ? -INFINITY : INFINITY;
}

pith_status pith_i_lists_open(pith_ctx *ctx, const pith_i_rows *R, int64_t m, int64_t block,
                              pith_i_lists *out)
{
    const int64_t n = R->X.n;
    pith_i_lists L = {.n = n, .m = m, .block = block, .blocks = (n + block - 1) / block, .scale = R->scale};
    pith_status st = PITH_OK;
    omp_lock_t *locks = NULL;
    TRY(NEW(ctx, L.norm, L.blocks * block));
    TRY(NEW(ctx, L.threshold, L.blocks * block));
    TRY(NEW_ZERO(ctx, L.count, n));
    TRY(NEW(ctx, L.near, n * m));
    TRY(NEW(ctx, locks, L.blocks));
    for (int64_t b = 0; b < L.blocks; b++)
        omp_init_lock(&locks[b]);
    L.locks = locks;
    for (int64_t i = n; i < L.blocks * block; i++) {
        L.norm[i] = INFINITY;
        L.threshold[i] = -INFINITY;
    }
    *out = L;
    return PITH_OK;
done:
    pith_i_lists_close(&L);
    return st;
}

void pith_i_lists_close(pith_i_lists *L)
{
    omp_lock_t *locks = L->locks;
    for (int64_t b = 0; locks != NULL && b < L->blocks; b++)
        omp_destroy_lock(&locks[b]);
    pith_i_free(locks);
    pith_i_free(L->norm);
    pith_i_free(L->threshold);
    pith_i_free(L->count);
    pith_i_free(L->near);
    pith_i_knn_free(&L->known);
    *L = (pith_i_lists){0};
}

/*
 * The first group of PITH_I_MERGE columns from `at` on that holds candidates for row or column, or end;
 * bit c of hits tells which.
 */
PITH_I_CLONES static int64_t next_hit(const float *g, const float *norm, const float *threshold,
                                      float row_norm, float row_threshold, int64_t at, int64_t end,
                                      uint32_t *hits)
{
    for (; at < end; at += PITH_I_MERGE) {
        const float *v = g + at, *n = norm + at, *t = threshold + at;
        uint32_t bits = 0;
#pragma omp simd reduction(| : bits)
        for (uint32_t c = 0; c < PITH_I_MERGE; c++)
            bits |= ((v[c] + n[c] < row_threshold) | (v[c] + row_norm < t[c])) != 0 ? UINT32_C(1) << c : 0;
        if (bits != 0) {
            *hits = bits;
            break;
        }
    }
    return at;
}

static void merge_row(pith_i_lists *L, const float *g, int64_t i, int64_t col, int64_t cols)
{
    const float *norm = L->norm + col, *threshold = L->threshold + col;
    const int64_t end = (cols + PITH_I_MERGE - 1) / PITH_I_MERGE * PITH_I_MERGE;
    int64_t at = i < col ? 0 : (i + 1 - col) / PITH_I_MERGE * PITH_I_MERGE;
    uint32_t hits = 0;
    for (;; at += PITH_I_MERGE) {
        at = next_hit(g, norm, threshold, L->norm[i], L->threshold[i], at, end, &hits);
        if (at >= end)
            return;
        for (; hits != 0; hits &= hits - 1) {
            const int64_t c = at + __builtin_ctz(hits);
            const float for_row = g[c] + norm[c], for_col = g[c] + L->norm[i];
            if (c >= cols || col + c <= i)
                continue;
            if (for_row < L->threshold[i]) /* which an earlier hit may have lowered */
                pith_i_lists_push(L, i, col + c, for_row);
            if (for_col < threshold[c])
                pith_i_lists_push(L, col + c, i, for_col);
        }
    }
}

void pith_i_lists_merge(pith_i_lists *L, const float *tile, int64_t ld, int64_t row, int64_t rows,
                        int64_t col, int64_t cols)
{
    omp_lock_t *locks = L->locks, *own = &locks[row / L->block], *other = &locks[col / L->block];
    /* Always the lower block first: two threads cannot wait for each other. */
    omp_set_lock(own < other ? own : other);
    if (own != other)
        omp_set_lock(own < other ? other : own);
    for (int64_t r = 0; r < rows; r++)
        merge_row(L, tile + r * ld, row + r, col, cols);
    omp_unset_lock(own);
    if (own != other)
        omp_unset_lock(other);
}
