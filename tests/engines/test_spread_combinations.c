/*
 * Combinations of samples, as fsasl makes them, where the samples are spread over processes: those of one
 * table. Candidates are fetched a few samples at a time, so that processes need different numbers of pieces.
 */
#include "engines/lockstep.h"
#include "methods/fsasl/self_expression.h"
#include "unit/tables.h"

enum { N = 60, P = 12, K = 9, BLOCKS = 4, AT_A_TIME = 7 };
static const int64_t starts[BLOCKS + 1] = {0, 0, 1, 25, N}; /* no row, one row, and more */

/* What is to be found, by one table (blocks false) or by its blocks. */
typedef struct task {
    double x[N * P], shift[P], vector[N];
    bool left_out[P], sparse, blocks;
    double S[N * N];                 /* made dense */
    double rest[N], rest_of_rest[N]; /* (I - S) vector, and (I - S') of that */
    double bound, bound_of_transpose;
    int64_t unsolved;
} task;

/* Column 0 is heavy, with a mean far above its spread; column 2 is left out; row 7 is row 40, row 9 is 0. */
static void fill(task *q)
{
    pith_i_stream s = pith_i_stream_at(3, PITH_I_RANDOM_BENCH, 0);
    for (int64_t i = 0; i < N; i++) {
        q->vector[i] = pith_i_random_normal(&s);
        for (int64_t j = 0; j < P; j++) {
            const double v = pith_i_random_normal(&s) + (double)(i % 3 == j % 3);
            q->x[i * P + j] = j == 0 ? 100 + v : v > 0.9 && i != 9 ? v : 0;
        }
    }
    memcpy(q->x + 7 * P, q->x + 40 * P, P * sizeof *q->x);
    for (int64_t j = 0; j < P; j++) {
        q->shift[j] = j == 0 ? 100 : 0.1 * (double)j;
        q->left_out[j] = j == 2;
    }
}

static void keep(const pith_i_combinations *S, task *out)
{
    const pith_i_data *M = &S->M;
    for (int64_t i = 0; i < M->n; i++)
        for (int64_t e = M->indptr[i], last = -1; e < M->indptr[i + 1]; e++) {
            const int64_t l = M->indices[e], id = l < M->n ? M->offset + l : S->halo.id[l - M->n];
            must(id > last && id != M->offset + i);
            out->S[(M->offset + i) * N + id] = ((const double *)M->values)[e];
            last = id;
        }
}

static void find(pith_ctx *ctx, const task *q, int64_t first, int64_t count, task *out)
{
    const pith_i_self_options options = {.candidates = K,
                                         .ratio = 0.01,
                                         .way = q->sparse ? PITH_I_SELF_BY_ENTRIES : PITH_I_SELF_BY_ROWS,
                                         .at_a_time = AT_A_TIME};
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_data X = as_form(ctx, q->x + first * P, count, P, q->sparse ? CSR : ROW_MAJOR, PITH_F64), T = {0};
    pith_i_combinations S = {0}, turned = {0};
    pith_i_knn knn = {0};
    X.offset = first;
    X.all = q->blocks ? N : 0;
    must(!X.sparse || pith_i_transpose(ctx, &X, &T) == PITH_OK);
    const pith_i_design Z = {&X, X.sparse ? &T : NULL, q->shift, q->left_out};
    must(pith_i_knn_find(ctx, &X, K, PITH_I_EUCLIDEAN, &knn) == PITH_OK);
    must(pith_i_self_expression(ctx, &Z, &knn, &options, &S, &out->unsolved) == PITH_OK);
    must(pith_i_combinations_transpose(ctx, &S, &turned) == PITH_OK);
    keep(&S, out);
    must(pith_i_combinations_rest(ctx, &S, q->vector + first, out->rest + first) == PITH_OK);
    must(pith_i_combinations_rest(ctx, &turned, out->rest + first, out->rest_of_rest + first) == PITH_OK);
    must(pith_i_combinations_bound(ctx, &S, &out->bound) == PITH_OK);
    must(pith_i_combinations_bound(ctx, &turned, &out->bound_of_transpose) == PITH_OK);
    pith_i_combinations_free(&S);
    pith_i_combinations_free(&turned);
    pith_i_knn_free(&knn);
    pith_i_data_free(&T);
    pith_i_scratch_release(ctx, mark);
}

static void must_be_near(double a, double b)
{
    must(fabs(a - b) <= 1e-11 * fmax(1, fabs(b)));
}

static void find_block(pith_ctx *ctx, int rank, void *arg)
{
    const task *whole = arg;
    const int64_t first = starts[rank], end = starts[rank + 1];
    task *own = calloc(1, sizeof *own);
    must(own != NULL);
    find(ctx, whole, first, end - first, own);
    must(own->unsolved == whole->unsolved);
    must_be_near(own->bound, whole->bound);
    must_be_near(own->bound_of_transpose, whole->bound_of_transpose);
    for (int64_t e = first * N; e < end * N; e++) {
        must((own->S[e] == 0) == (whole->S[e] == 0));
        must_be_near(own->S[e], whole->S[e]);
    }
    for (int64_t i = first; i < end; i++) {
        must_be_near(own->rest[i], whole->rest[i]);
        must_be_near(own->rest_of_rest[i], whole->rest_of_rest[i]);
    }
    free(own);
}

/* That of one table, against its entries one by one. */
static void check_products(const task *q)
{
    for (int64_t i = 0; i < N; i++) {
        double rest = q->vector[i], back = q->rest[i];
        for (int64_t l = 0; l < N; l++) {
            rest -= q->S[i * N + l] * q->vector[l];
            back -= q->S[l * N + i] * q->rest[l];
        }
        must_be_near(q->rest[i], rest);
        must_be_near(q->rest_of_rest[i], back);
    }
}

static void blocks_find_the_combinations_of_one_table(void **state)
{
    for (int sparse = 0; sparse < 2; sparse++) {
        task *q = calloc(1, sizeof *q);
        assert_non_null(q);
        q->sparse = sparse;
        fill(q);
        find(*state, q, 0, N, q);
        check_products(q);
        q->blocks = true;
        in_lockstep(BLOCKS, find_block, q);
        free(q);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(blocks_find_the_combinations_of_one_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
