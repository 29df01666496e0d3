#include "conformance/spread.h"

#include "engines/lockstep.h"
#include "matrix/matrix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMBERS = 3 };

typedef struct job {
    pith_ctx *ctx;
    const pith_matrix *m;
    const pith_params *params;
    pith_status status[MEMBERS];
    char message[MEMBERS][512];
    pith_result *result[MEMBERS];
} job;

/* A third, nothing, the rest. */
static int64_t first_row(int64_t n, int rank)
{
    return rank == 0 ? 0 : rank < MEMBERS ? n / MEMBERS : n;
}

/* Dense rows stay where they are, as they lie. */
static pith_status take_block(pith_ctx *ctx, const pith_matrix *m, int rank, pith_matrix **out)
{
    const pith_i_data *X = &m->data;
    const int64_t first = first_row(X->n, rank), count = first_row(X->n, rank + 1) - first;
    int64_t *rows = calloc((size_t)count + 1, sizeof *rows);
    must(rows != NULL);
    for (int64_t i = 0; i < count; i++)
        rows[i] = first + i;
    pith_status st = PITH_OK;
    if (X->sparse) {
        st = pith_i_matrix_take_rows(ctx, m, count, rows, out);
    } else {
        const char *x = (const char *)X->x + first * X->row_stride * (int64_t)pith_i_dtype_size(X->dtype);
        st = pith_matrix_dense(ctx, count, X->p, X->dtype, x, X->row_stride, X->col_stride, out);
        if (st == PITH_OK)
            st = pith_i_labels_take(ctx, m, count, rows, *out);
    }
    free(rows);
    return st;
}

static void run_block(pith_ctx *ctx, int rank, void *arg)
{
    job *j = arg;
    pith_matrix *block = NULL;
    pith_ctx_set_seed(ctx, pith_ctx_seed(j->ctx));
    must(pith_ctx_set_threads(ctx, pith_ctx_threads(j->ctx)) == PITH_OK);
    must(take_block(ctx, j->m, rank, &block) == PITH_OK);
    j->status[rank] = pith_run(ctx, block, j->params, &j->result[rank]);
    (void)snprintf(j->message[rank], sizeof j->message[rank], "%s", pith_ctx_message(ctx));
    if (j->status[rank] != PITH_OK)
        leave_lockstep();
    must((j->status[rank] == PITH_OK) == (j->result[rank] != NULL));
    pith_matrix_free(block);
}

static void must_be_same(const pith_result *a, const pith_result *b)
{
    const size_t p = (size_t)pith_result_features(a);
    must(pith_result_features(b) == pith_result_features(a));
    must(memcmp(pith_result_scores(a), pith_result_scores(b), p * sizeof(double)) == 0);
    must(memcmp(pith_result_ranking(a), pith_result_ranking(b), p * sizeof(int64_t)) == 0);
}

/* Who was stopped because another failed has nothing to say. */
static int who_failed(const job *j)
{
    int found = -1;
    for (int r = MEMBERS - 1; r >= 0; r--)
        if (j->status[r] != PITH_OK && (found < 0 || j->status[r] != PITH_E_STOPPED))
            found = r;
    return found;
}

pith_status run_spread(pith_ctx *ctx, const pith_matrix *m, const pith_params *params, pith_result **out)
{
    job j = {.ctx = ctx, .m = m, .params = params};
    in_ring(MEMBERS, run_block, &j);
    const int failed = who_failed(&j);
    for (int r = 1; r < MEMBERS && failed < 0; r++)
        must_be_same(j.result[0], j.result[r]);
    for (int r = failed < 0 ? 1 : 0; r < MEMBERS; r++)
        pith_result_free(j.result[r]);
    if (failed >= 0)
        return pith_i_error(ctx, j.status[failed], "%s", j.message[failed]);
    *out = j.result[0];
    return PITH_OK;
}
