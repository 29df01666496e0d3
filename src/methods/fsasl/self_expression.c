#include "methods/fsasl/self_expression.h"

#include "core/parallel.h"
#include "matrix/blas.h"
#include "methods/fsasl/candidate_gram.h"
#include "methods/fsasl/elastic_net.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct setting {
    const pith_i_design *Z;
    const pith_i_knn *knn;
    int64_t n, p, m; /* m candidates */
    double ratio, mu;
    pith_i_self_way way;
    double *products; /* n x n, its lower triangle */
    pith_i_candidates gram;
    /* of each thread: */
    double *rows;  /* (m + 1) x p, the sample's last */
    int64_t *row;  /* m + 1: numbers of entries' rows, likewise */
    char *entries; /* of the gram */
    int64_t entries_size;
    double *G;  /* (m + 1) x (m + 1), then m x m */
    double *c;  /* m */
    char *room; /* of the solver */
    int64_t room_size;
    /* of each sample: */
    int32_t *col;  /* m, ascending */
    double *value; /* m */
    double *violation;
} setting;

static int ascending(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Row i with its shift taken off. */
static void load_row(const pith_i_design *Z, int64_t i, double *out)
{
    const int64_t p = Z->X->p;
    pith_i_block(Z->X, i, 1, 0, p, out, p);
    for (int64_t j = 0; j < p; j++)
        if (Z->left_out != NULL && Z->left_out[j])
            out[j] = 0;
        else
            out[j] -= Z->shift != NULL ? Z->shift[j] : 0;
}

/* G, both triangles, of the candidates col[0..m-1] and, last, of sample i. */
static void products_of_rows(const setting *s, int64_t i, const int32_t *col, double *rows, double *G)
{
    const int64_t size = s->m + 1;
    for (int64_t a = 0; a < s->m; a++)
        load_row(s->Z, col[a], rows + a * s->p);
    load_row(s->Z, i, rows + s->m * s->p);
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, (int)size, (int)s->p, 1, rows, (int)s->p, 0, G,
                (int)size);
    for (int64_t a = 0; a < size; a++)
        for (int64_t b = 0; b < a; b++)
            G[b * size + a] = G[a * size + b];
}

static void take_products(const setting *s, int64_t i, const int32_t *col, double *G)
{
    const int64_t size = s->m + 1;
    for (int64_t a = 0; a < size; a++)
        for (int64_t b = 0; b < size; b++) {
            const int64_t r = a < s->m ? col[a] : i, q = b < s->m ? col[b] : i;
            G[a * size + b] = s->products[(r > q ? r : q) * s->n + (r > q ? q : r)];
        }
}

static void products_of_entries(const setting *s, int64_t i, const int32_t *col, int64_t t, double *G)
{
    int64_t *row = s->row + t * (s->m + 1);
    for (int64_t a = 0; a < s->m; a++)
        row[a] = col[a];
    row[s->m] = i;
    pith_i_candidate_gram(&s->gram, row, G, s->entries + t * s->entries_size);
}

static void express(const setting *s, int64_t i)
{
    const int64_t m = s->m, t = pith_i_thread();
    int32_t *col = s->col + i * m;
    double *G = s->G + t * (m + 1) * (m + 1), *c = s->c + t * m, largest = 0;
    for (int64_t a = 0; a < m; a++)
        col[a] = (int32_t)s->knn->index[i * s->knn->k + a];
    qsort(col, (size_t)m, sizeof *col, ascending);
    if (s->way == PITH_I_SELF_BY_ALL)
        take_products(s, i, col, G);
    else if (s->way == PITH_I_SELF_BY_ENTRIES)
        products_of_entries(s, i, col, t, G);
    else
        products_of_rows(s, i, col, s->rows + t * (m + 1) * s->p, G);
    for (int64_t a = 0; a < m; a++) {
        c[a] = G[m * (m + 1) + a];
        largest = fmax(largest, fabs(c[a]));
        memmove(G + a * m, G + a * (m + 1), (size_t)m * sizeof *G);
    }
    for (int64_t a = 0; a < m; a++)
        G[a * m + a] += s->mu;
    s->violation[i] =
        pith_i_elastic_net(m, G, c, s->ratio * largest, s->value + i * m, s->room + t * s->room_size);
}

static pith_status open_products(pith_ctx *ctx, setting *s)
{
    const int64_t threads = pith_ctx_threads(ctx), n = s->n, size = s->m + 1;
    pith_status st = PITH_OK;
    if (s->way == PITH_I_SELF_BY_ALL) {
        TRY(SCRATCH(ctx, s->products, n * n));
        TRY(pith_i_design_rows_gram(ctx, s->Z, NULL, s->products));
    } else if (s->way == PITH_I_SELF_BY_ENTRIES) {
        TRY(pith_i_candidate_gram_open(ctx, s->Z, size, &s->gram));
        s->entries_size = pith_i_candidate_gram_room(&s->gram);
        TRY(SCRATCH(ctx, s->row, threads * size));
        TRY(SCRATCH(ctx, s->entries, threads * s->entries_size));
        for (int64_t t = 0; t < threads; t++)
            pith_i_candidate_gram_start(&s->gram, s->entries + t * s->entries_size);
    } else {
        TRY(SCRATCH(ctx, s->rows, threads * size * s->p));
    }
done:
    return st;
}

static pith_status open_setting(pith_ctx *ctx, setting *s)
{
    const int64_t threads = pith_ctx_threads(ctx), n = s->n, m = s->m;
    double *square = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, s->G, threads * (m + 1) * (m + 1)));
    TRY(SCRATCH(ctx, s->c, threads * m));
    s->room_size = ((int64_t)pith_i_elastic_net_room(m) + 63) / 64 * 64;
    TRY(SCRATCH(ctx, s->room, threads * s->room_size));
    TRY(SCRATCH(ctx, s->col, n * m));
    TRY(SCRATCH(ctx, s->value, n * m));
    TRY(SCRATCH(ctx, s->violation, n));
    TRY(SCRATCH(ctx, square, n));
    pith_i_design_row_squares(ctx, s->Z, square);
    for (int64_t i = 0; i < n; i++)
        s->mu += 1e-6 * square[i] / (double)n;
    TRY(open_products(ctx, s));
done:
    return st;
}

static pith_status collect(pith_ctx *ctx, const setting *s, pith_i_data *S, int64_t *unsolved)
{
    int64_t stored = 0, at = 0;
    pith_status st = PITH_OK;
    for (int64_t e = 0; e < s->n * s->m; e++)
        stored += s->value[e] != 0;
    TRY(pith_i_data_new_csr(ctx, s->n, s->n, stored, PITH_F64, S));
    *unsolved = 0;
    for (int64_t i = 0; i < s->n; i++) {
        pith_i_data_indptr(S)[i] = at;
        *unsolved += s->violation[i] > 1e-11;
        for (int64_t e = i * s->m; e < (i + 1) * s->m; e++)
            if (s->value[e] != 0) {
                pith_i_data_indices(S)[at] = s->col[e];
                ((double *)pith_i_data_values(S))[at++] = s->value[e];
            }
    }
    pith_i_data_indptr(S)[s->n] = at;
done:
    return st;
}

/* MANY: above it n x n numbers are too many, and sparse rows have few entries in common. */
static pith_i_self_way choose(const setting *s)
{
    enum { MANY = 5000 };
    if (s->n > MANY)
        return s->Z->X->sparse ? PITH_I_SELF_BY_ENTRIES : PITH_I_SELF_BY_ROWS;
    return s->n < s->p ? PITH_I_SELF_BY_ALL : PITH_I_SELF_BY_ROWS;
}

pith_status pith_i_self_expression(pith_ctx *ctx, const pith_i_design *Z, const pith_i_knn *knn,
                                   const pith_i_self_options *options, pith_i_data *S, int64_t *unsolved)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    setting s = {.Z = Z, .knn = knn, .n = knn->n, .p = Z->X->p, .ratio = options->ratio};
    pith_status st = PITH_OK;
    s.m = options->candidates < knn->k ? options->candidates : knn->k;
    s.way = options->way != PITH_I_SELF_BY_SIZE ? options->way : choose(&s);
    TRY(open_setting(ctx, &s));
    pith_i_blas_enter();
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic)
    for (int64_t i = 0; i < s.n; i++)
        if (!pith_i_progress_stop(ctx, i, s.n))
            express(&s, i);
    pith_i_blas_leave();
    TRY(pith_i_stop_status(ctx));
    TRY(collect(ctx, &s, S, unsolved));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
