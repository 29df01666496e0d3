#include "methods/fsasl/self_expression.h"

#include "core/engine.h"
#include "core/parallel.h"
#include "matrix/blas.h"
#include "matrix/gather.h"
#include "methods/fsasl/candidate_gram.h"
#include "methods/fsasl/elastic_net.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct setting {
    const pith_i_design *Z;
    const pith_i_knn *knn;
    int64_t n, p, m; /* samples held here, columns, candidates */
    double ratio, mu;
    pith_i_self_way way;
    int64_t at_a_time;    /* samples whose candidates are in X together */
    const pith_i_data *X; /* the rows of samples and candidates: the data itself, or */
    pith_i_data fetched;  /* some, fetched from all processes, */
    pith_i_halo halo;     /* and their numbers */
    double *products;     /* n x n, its lower triangle */
    pith_i_candidates gram;
    /* of each thread: */
    int64_t *row;  /* m + 1: the candidates' rows of X in ascending order, then the sample's */
    double *rows;  /* (m + 1) x p, in this order */
    char *entries; /* of the gram */
    int64_t entries_size;
    double *G;  /* (m + 1) x (m + 1), then m x m */
    double *c;  /* m */
    char *room; /* of the solver */
    int64_t room_size;
    /* of each sample: */
    double *value; /* m, by the candidates in ascending order */
    double *violation;
} setting;

static int ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The candidates of sample i, by their numbers in the whole table. */
static void list_candidates(const setting *s, int64_t i, int64_t *id)
{
    memcpy(id, s->knn->index + i * s->knn->k, (size_t)s->m * sizeof *id);
    qsort(id, (size_t)s->m, sizeof *id, ascending);
}

/* ---- Inner products ------------------------------------------------------------------------------------ */

/* Row i of X with its shift taken off. */
static void load_row(const setting *s, int64_t i, double *out)
{
    const pith_i_design *Z = s->Z;
    pith_i_block(s->X, i, 1, 0, s->p, out, s->p);
    for (int64_t j = 0; j < s->p; j++)
        if (Z->left_out != NULL && Z->left_out[j])
            out[j] = 0;
        else
            out[j] -= Z->shift != NULL ? Z->shift[j] : 0;
}

/* G, both triangles, of the m + 1 given rows of X. */
static void products_of_rows(const setting *s, const int64_t *row, double *rows, double *G)
{
    const int64_t size = s->m + 1;
    for (int64_t a = 0; a < size; a++)
        load_row(s, row[a], rows + a * s->p);
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, (int)size, (int)s->p, 1, rows, (int)s->p, 0, G,
                (int)size);
    for (int64_t a = 0; a < size; a++)
        for (int64_t b = 0; b < a; b++)
            G[b * size + a] = G[a * size + b];
}

static void take_products(const setting *s, const int64_t *row, double *G)
{
    const int64_t size = s->m + 1;
    for (int64_t a = 0; a < size; a++)
        for (int64_t b = 0; b < size; b++) {
            const int64_t r = row[a], q = row[b];
            G[a * size + b] = s->products[(r > q ? r : q) * s->n + (r > q ? q : r)];
        }
}

static void find_products(const setting *s, int64_t t, const int64_t *row, double *G)
{
    if (s->way == PITH_I_SELF_BY_ALL)
        take_products(s, row, G);
    else if (s->way == PITH_I_SELF_BY_ENTRIES)
        pith_i_candidate_gram(&s->gram, row, G, s->entries + t * s->entries_size);
    else
        products_of_rows(s, row, s->rows + t * (s->m + 1) * s->p, G);
}

/* ---- Solving ------------------------------------------------------------------------------------------- */

static void express(const setting *s, int64_t i)
{
    const int64_t m = s->m, t = pith_i_thread();
    int64_t *row = s->row + t * (m + 1);
    double *G = s->G + t * (m + 1) * (m + 1), *c = s->c + t * m, largest = 0;
    list_candidates(s, i, row);
    row[m] = i;
    if (s->X == &s->fetched) {
        row[m] += s->Z->X->offset;
        for (int64_t a = 0; a <= m; a++)
            row[a] = pith_i_halo_place(&s->halo, row[a]);
    }
    find_products(s, t, row, G);
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

static pith_status express_all(pith_ctx *ctx, const setting *s, int64_t first, int64_t end)
{
    pith_i_blas_enter();
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic)
    for (int64_t i = first; i < end; i++)
        if (!pith_i_progress_stop(ctx, i, s->n))
            express(s, i);
    pith_i_blas_leave();
    return pith_i_stop_status(ctx);
}

/* The samples first .. end-1 by the rows of X. */
static pith_status express_some(pith_ctx *ctx, setting *s, int64_t first, int64_t end)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t threads = pith_ctx_threads(ctx);
    pith_status st = PITH_OK;
    if (s->way == PITH_I_SELF_BY_ENTRIES) {
        TRY(pith_i_candidate_gram_rows(ctx, s->X, &s->gram));
        s->entries_size = pith_i_candidate_gram_room(&s->gram);
        TRY(SCRATCH(ctx, s->entries, threads * s->entries_size));
        for (int64_t t = 0; t < threads; t++)
            pith_i_candidate_gram_start(&s->gram, s->entries + t * s->entries_size);
    }
    TRY(express_all(ctx, s, first, end));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- Rows that are spread ------------------------------------------------------------------------------ */

static void drop_fetched(setting *s)
{
    pith_i_halo_free(&s->halo);
    pith_i_data_free(&s->fetched);
}

/* The rows of samples first .. end-1 and of their candidates. */
static pith_status fetch(pith_ctx *ctx, setting *s, int64_t first, int64_t end)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_data *X = s->Z->X;
    int64_t *id = NULL, count = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, id, (end - first) * (s->m + 1)));
    for (int64_t i = first; i < end; i++, count += s->m + 1) {
        list_candidates(s, i, id + count);
        id[count + s->m] = X->offset + i;
    }
    drop_fetched(s);
    TRY(pith_i_fetch_new(ctx, X->n, X->offset, count, id, &s->halo));
    TRY(pith_i_fetch_rows(ctx, &s->halo, X, &s->fetched));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* All processes fetch as often as the one with the most samples. */
static pith_status express_by_pieces(pith_ctx *ctx, setting *s)
{
    double pieces = ceil((double)s->n / (double)s->at_a_time);
    pith_status st = PITH_OK;
    TRY(pith_i_sum_by(ctx, PITH_ENGINE_MOST, 1, &pieces));
    s->X = &s->fetched;
    for (int64_t piece = 0; piece < (int64_t)pieces; piece++) {
        const int64_t first = pith_i_min(piece * s->at_a_time, s->n),
                      end = pith_i_min(first + s->at_a_time, s->n);
        TRY(fetch(ctx, s, first, end));
        TRY(express_some(ctx, s, first, end));
    }
done:
    drop_fetched(s);
    return st;
}

/* ---- The whole ----------------------------------------------------------------------------------------- */

/* MANY: above it, n x n numbers are too many, and sparse rows share few entries. */
static pith_i_self_way choose_way(const setting *s)
{
    enum { MANY = 5000 };
    const pith_i_data *X = s->Z->X;
    if (pith_i_is_spread(X) || s->n > MANY)
        return X->sparse ? PITH_I_SELF_BY_ENTRIES : PITH_I_SELF_BY_ROWS;
    return s->n < s->p ? PITH_I_SELF_BY_ALL : PITH_I_SELF_BY_ROWS;
}

/* How many samples may have all their candidates' rows here at once: the same in all processes. */
static pith_status choose_pieces(pith_ctx *ctx, setting *s)
{
    static const double most = 1 << 26; /* bytes */
    const pith_i_data *X = s->Z->X;
    const double each = (double)pith_i_dtype_size(X->dtype) + (X->sparse ? sizeof(int32_t) : 0);
    double stored = (double)pith_i_stored(X);
    pith_status st = PITH_OK;
    TRY(pith_i_sum_over(ctx, X, 1, &stored));
    const double bytes = fmax(each * stored / (double)pith_i_all(X), 1) * (double)(s->m + 1);
    s->at_a_time = (int64_t)fmax(most / bytes, 1);
done:
    return st;
}

static pith_status find_mu(pith_ctx *ctx, setting *s)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    double *square = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, square, s->n));
    pith_i_design_row_squares(ctx, s->Z, square);
    for (int64_t i = 0; i < s->n; i++)
        s->mu += 1e-6 * square[i] / (double)pith_i_all(s->Z->X);
    TRY(pith_i_sum_over(ctx, s->Z->X, 1, &s->mu));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status open_setting(pith_ctx *ctx, setting *s)
{
    const int64_t threads = pith_ctx_threads(ctx), n = s->n, m = s->m;
    pith_status st = PITH_OK;
    TRY(find_mu(ctx, s));
    TRY(SCRATCH(ctx, s->row, threads * (m + 1)));
    TRY(SCRATCH(ctx, s->G, threads * (m + 1) * (m + 1)));
    TRY(SCRATCH(ctx, s->c, threads * m));
    s->room_size = ((int64_t)pith_i_elastic_net_room(m) + 63) / 64 * 64;
    TRY(SCRATCH(ctx, s->room, threads * s->room_size));
    TRY(SCRATCH(ctx, s->value, n * m));
    TRY(SCRATCH(ctx, s->violation, n));
    if (s->way == PITH_I_SELF_BY_ALL) {
        TRY(SCRATCH(ctx, s->products, n * n));
        TRY(pith_i_design_rows_gram(ctx, s->Z, NULL, s->products));
    } else if (s->way == PITH_I_SELF_BY_ENTRIES) {
        TRY(pith_i_candidate_gram_open(ctx, s->Z, m + 1, &s->gram));
    } else {
        TRY(SCRATCH(ctx, s->rows, threads * (m + 1) * s->p));
    }
done:
    return st;
}

static pith_status collect(pith_ctx *ctx, const setting *s, pith_i_combinations *S, int64_t *unsolved)
{
    int64_t stored = 0, at = 0, *id = NULL, *candidate = s->row;
    pith_status st = PITH_OK;
    for (int64_t e = 0; e < s->n * s->m; e++)
        stored += s->value[e] != 0;
    TRY(SCRATCH(ctx, id, stored));
    for (int64_t i = 0; i < s->n; i++) {
        list_candidates(s, i, candidate);
        for (int64_t a = 0; a < s->m; a++)
            if (s->value[i * s->m + a] != 0)
                id[at++] = candidate[a];
    }
    TRY(pith_i_combinations_new(ctx, s->Z->X, stored, id, S));
    *unsolved = at = 0;
    for (int64_t i = 0; i < s->n; i++) {
        pith_i_data_indptr(&S->M)[i] = at;
        *unsolved += s->violation[i] > 1e-11;
        for (int64_t e = i * s->m; e < (i + 1) * s->m; e++)
            if (s->value[e] != 0)
                ((double *)pith_i_data_values(&S->M))[at++] = s->value[e];
    }
    pith_i_data_indptr(&S->M)[s->n] = at;
    if (pith_i_is_spread(s->Z->X))
        TRY(pith_i_sum_counts(ctx, 1, unsolved));
done:
    return st;
}

pith_status pith_i_self_expression(pith_ctx *ctx, const pith_i_design *Z, const pith_i_knn *knn,
                                   const pith_i_self_options *options, pith_i_combinations *S,
                                   int64_t *unsolved)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    setting s = {.Z = Z, .knn = knn, .n = knn->n, .p = Z->X->p, .X = Z->X, .ratio = options->ratio};
    pith_status st = PITH_OK;
    s.m = options->candidates < knn->k ? options->candidates : knn->k;
    s.way = options->way != PITH_I_SELF_BY_SIZE ? options->way : choose_way(&s);
    s.at_a_time = options->at_a_time;
    if (s.at_a_time == 0)
        TRY(choose_pieces(ctx, &s));
    TRY(open_setting(ctx, &s));
    TRY(pith_i_is_spread(Z->X) ? express_by_pieces(ctx, &s) : express_some(ctx, &s, 0, s.n));
    TRY(collect(ctx, &s, S, unsolved));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
