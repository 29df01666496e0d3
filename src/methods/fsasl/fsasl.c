/*
 * FSASL (Du & Shen, KDD 2015): learns the structure of the samples and the features that show it in turn.
 * With Z = XW, the samples as the selected features show them (Z = X at first), a sweep finds
 *
 *     S   every sample as a sparse combination of samples near it:  min ||Z' - Z'S||_F^2 + lasso on S
 *     P   adaptive neighbours:  min sum_ij ||z_i - z_j||^2 P_ij + m P_ij^2,  rows of P on the simplex
 *     Y   the c eigenvectors of L = (I - S)(I - S)' + l2 (diag(A1) - A) with the smallest eigenvalues,
 *         A = (P + P')/2
 *     W   min ||XW - Y||_F^2 + b ||W||_{2,1},  b = rho 2 max_r ||f_r'Y||:  a ridge, then reweightings
 *
 * Each part is solved to its own optimum. Eigenvectors and a regression stand in for the joint problem in W,
 * as in the authors' code; so no joint objective is guaranteed to decrease.
 */
#include "core/engine.h"
#include "linalg/eigen.h"
#include "linalg/row_sparse.h"
#include "methods/fsasl/adaptive.h"
#include "methods/fsasl/self_expression.h"
#include "methods/regression.h"

struct fsasl {
    pith_i_shared shared;
    double ratio, l2, rho;
    int64_t cand, max_iter, inner_iter;
};

static const pith_i_param fsasl_table[] = {
    RHO_PARAM(struct fsasl, 0.2),
    PARAM(struct fsasl, ratio, 0.01, 1e-6, 1,
          "sparsity of the self-representation: the lasso penalty, relative to the one that leaves nothing"),
    PARAM(struct fsasl, l2, 1, 0, 1e6,
          "weight of the adaptive neighbours relative to the self-representation"),
    PARAM(struct fsasl, cand, 100, 1, 1000, "nearest samples that may represent a sample"),
    ROW(struct fsasl, shared.neighbors, "neighbors", 5, 1, 100, false, NULL,
        "adaptive neighbours of each sample, at most samples - 2"),
    PARAM(struct fsasl, max_iter, 5, 1, 100, "number of sweeps; it is part of the method"),
    PARAM(struct fsasl, inner_iter, 10, 1, 200, "reweighting steps of the regression in each sweep"),
    CLUSTERS_PARAM(struct fsasl),
    STANDARDIZE_PARAM(struct fsasl),
};

static const char *const fsasl_grid[] = {"rho=0.05,0.1,0.2,0.3,0.5", "l2=0.1,1,10", NULL};

typedef struct state {
    const struct fsasl *o;
    int64_t n, p, c, neighbors;
    pith_i_design X;
    pith_i_row_sparse solver;
    double b;
    double *value, *vector; /* of the operator: c pairs */
    double *Y, *left;       /* n x c: targets, what W leaves of them */
    double *W, *norm;       /* p x c, p */
    double *Z;              /* n x c: XW */
    pith_i_combinations S;  /* S' of the above: row i is the combination for sample i */
    pith_i_combinations T;  /* its transpose */
    pith_i_local_sum A;     /* diag(A1) - A */
    double bound;           /* the operator below is I - 2 L / bound */
    double *once, *twice;   /* n: (I - S)'x, (I - S)(I - S)'x */
    int64_t unsolved;
} state;

static pith_status open_state(pith_ctx *ctx, const pith_i_input *in, state *w)
{
    const int64_t n = w->n, p = w->p, c = w->c;
    pith_status st = PITH_OK;
    TRY(pith_i_input_design(ctx, in, &w->X));
    TRY(SCRATCH(ctx, w->value, c));
    TRY(SCRATCH(ctx, w->vector, c * n));
    TRY(SCRATCH(ctx, w->Y, n * c));
    TRY(SCRATCH(ctx, w->left, n * c));
    TRY(SCRATCH(ctx, w->W, p * c));
    TRY(SCRATCH(ctx, w->norm, p));
    TRY(SCRATCH(ctx, w->Z, n * c));
    TRY(SCRATCH(ctx, w->once, n));
    TRY(SCRATCH(ctx, w->twice, n));
    TRY(pith_i_row_sparse_open(ctx, &w->X, c, &w->solver));
done:
    return st;
}

static void free_structure(state *w)
{
    pith_i_combinations_free(&w->S);
    pith_i_combinations_free(&w->T);
    pith_i_local_sum_free(&w->A);
}

/* ---- The structure of the samples ---------------------------------------------------------------------- */

/* S and P from the rows of Z; `rows` are the same for the search of neighbours. */
static pith_status find_structure(pith_ctx *ctx, state *w, const pith_i_data *rows, const pith_i_design *Z)
{
    const pith_i_self_options options = {.candidates = w->o->cand, .ratio = w->o->ratio};
    const int64_t k = w->o->cand > w->neighbors ? w->o->cand : w->neighbors + 1;
    pith_i_knn knn = {0};
    pith_status st = PITH_OK;
    free_structure(w);
    TRY(pith_i_knn_find(ctx, rows, k, PITH_I_EUCLIDEAN, &knn));
    TRY(pith_i_self_expression(ctx, Z, &knn, &options, &w->S, &w->unsolved));
    TRY(pith_i_combinations_transpose(ctx, &w->S, &w->T));
    TRY(pith_i_adaptive_laplacian(ctx, rows, &knn, w->neighbors, &w->A));
done:
    pith_i_knn_free(&knn);
    return st;
}

/* y = (I - 2 L / bound) x, L = (I - S)(I - S)' + l2 (diag(A1) - A). The rows of w->S are the columns of S. */
static pith_status apply(pith_ctx *ctx, const void *self, int64_t m, const double *x, double *y)
{
    const state *w = self;
    const pith_i_operator A = pith_i_local_sum_operator(&w->A);
    const int64_t n = w->n;
    pith_status st = PITH_OK;
    TRY(A.apply(ctx, A.self, m, x, y));
    for (int64_t v = 0; v < m; v++, x += n, y += n) {
        TRY(pith_i_combinations_rest(ctx, &w->S, x, w->once));
        TRY(pith_i_combinations_rest(ctx, &w->T, w->once, w->twice));
        for (int64_t i = 0; i < n; i++)
            y[i] = x[i] - 2 / w->bound * (w->twice[i] + w->o->l2 * y[i]);
    }
done:
    return st;
}

/* At least the largest eigenvalue of L: ||I - S||_1 ||I - S||_inf + l2 2 max_i A_i1. */
static pith_status find_bound(pith_ctx *ctx, state *w)
{
    double degree = 0, rows = 0, columns = 0;
    pith_status st = PITH_OK;
    for (int64_t i = 0; i < w->n; i++)
        for (int64_t e = w->A.row[i]; e < w->A.row[i + 1]; e++)
            if (w->A.col[e] == i)
                degree = fmax(degree, w->A.value[e]);
    if (w->A.all > 0)
        TRY(pith_i_sum_by(ctx, PITH_ENGINE_MOST, 1, &degree));
    TRY(pith_i_combinations_bound(ctx, &w->S, &columns));
    TRY(pith_i_combinations_bound(ctx, &w->T, &rows));
    w->bound = columns * rows + 2 * w->o->l2 * degree;
done:
    return st;
}

/* Y: the c eigenvectors of L with the smallest eigenvalues. These are close together compared to the width of
 * the spectrum, so the basis is large from the start. If the last of them lies in a dense part of the
 * spectrum, Lanczos may not find it, and a regression on it would mean nothing. */
static pith_status find_targets(pith_ctx *ctx, state *w)
{
    const int64_t n = w->n, c = w->c;
    const pith_i_eigen_options want = {
        .m = c, .tolerance = 1e-11, .basis = pith_i_eigen_lowest_basis(n, c), .cheap = true};
    const pith_i_operator M = {.n = n, .offset = w->A.offset, .all = w->A.all, .self = w, .apply = apply};
    pith_status st = PITH_OK;
    TRY(find_bound(ctx, w));
    st = pith_i_eigen_largest(ctx, &M, &want, w->value, w->vector);
    if (st == PITH_E_NUMERIC)
        FAIL(ctx, st,
             "fsasl: %lld eigenvectors cannot be separated from the next ones; try fewer clusters (%s)",
             (long long)c, pith_ctx_message(ctx));
    TRY(st);
    pith_i_transpose_panel(c, n, w->vector, w->Y);
done:
    return st;
}

/* ---- The features that show it ------------------------------------------------------------------------- */

static pith_status regress(pith_ctx *ctx, state *w)
{
    double e = 0;
    pith_status st = PITH_OK;
    TRY(pith_i_design_multiply_t(ctx, &w->X, w->c, w->Y, w->W));
    w->b = 2 * w->o->rho * pith_i_row_norms(w->p, w->c, w->W, w->norm);
    if (!(w->b > 0 && isfinite(w->b)))
        FAIL(ctx, PITH_E_DATA, "fsasl: no feature is related to the structure of the samples");
    for (int64_t j = 0; j < w->p; j++)
        w->solver.inverse_q[j] = w->X.left_out[j] ? 0 : 1;
    for (int64_t k = 0; k <= w->o->inner_iter; k++) {
        TRY(pith_i_row_sparse_factor(ctx, &w->solver, w->b, NULL));
        TRY(pith_i_row_sparse_solve(ctx, &w->solver, w->c, w->Y, w->W, w->left));
        if (k == 0) /* smoothing is relative to the largest row norm of the ridge solution */
            e = 1e-6 * pith_i_row_norms(w->p, w->c, w->W, w->norm);
        pith_i_row_sparse_reweight_smooth(&w->solver, w->c, w->W, e);
    }
    /* Next comes the search for the nearest rows of Z. Of equal rows it has to find the first. */
    TRY(pith_i_design_multiply_alike(ctx, &w->X, w->c, w->W, w->Z));
done:
    return st;
}

/* ---- Sweeps -------------------------------------------------------------------------------------------- */

static pith_status sweep(pith_ctx *ctx, const pith_i_input *in, int64_t number, state *w)
{
    const pith_i_data shown = {.n = w->n,
                               .p = w->c,
                               .offset = in->X->offset,
                               .all = in->X->all,
                               .dtype = PITH_F64,
                               .x = w->Z,
                               .row_stride = w->c,
                               .col_stride = 1};
    const pith_i_design Z = {.X = &shown};
    const double from = (double)number / (double)w->o->max_iter,
                 to = (double)(number + 1) / (double)w->o->max_iter;
    pith_status st = PITH_OK;
    TRY(pith_i_progress_stage(ctx, "learning the samples' structure", from, (from + 2 * to) / 3));
    TRY(number == 0 ? find_structure(ctx, w, in->X, &w->X) : find_structure(ctx, w, &shown, &Z));
    TRY(pith_i_progress_stage(ctx, "learning features", (from + 2 * to) / 3, to));
    TRY(find_targets(ctx, w));
    TRY(regress(ctx, w));
done:
    return st;
}

static void report(const pith_i_input *in, const state *w)
{
    pith_i_fact(in->facts, "penalty", w->b);
    pith_i_fact(in->facts, "iterations", (double)w->o->max_iter);
    pith_i_fact(in->facts, "smallest_eigenvalue", (1 - w->value[0]) * w->bound / 2);
    pith_i_fact(in->facts, "last_eigenvalue", (1 - w->value[w->c - 1]) * w->bound / 2);
    pith_i_fact(in->facts, "unsolved_samples", (double)w->unsolved);
}

/* score(f) = ||w_f||. A sweep takes O(n^2 p + n^3 + n cand^3) if n < p, else O(n^2 p + p^3 + n cand^3). */
static pith_status fsasl_score(pith_ctx *ctx, const pith_i_input *in, const void *params, double *score)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    state w = {.o = params, .n = in->n, .p = in->p};
    pith_status st = PITH_OK;
    TRY(pith_i_input_clusters(ctx, in, &w.c));
    if (in->options->neighbors > in->all - 2)
        in->options->neighbors = in->all - 2;
    w.neighbors = in->options->neighbors;
    TRY(open_state(ctx, in, &w));
    for (int64_t number = 0; number < w.o->max_iter; number++)
        TRY(sweep(ctx, in, number, &w));
    pith_i_row_norms(w.p, w.c, w.W, score);
    report(in, &w);
done:
    free_structure(&w);
    pith_i_scratch_release(ctx, mark);
    return st;
}

const pith_method pith_i_method_fsasl = {
    .name = "fsasl",
    .family = "structure learning and sparse regression",
    .reference = "Du & Shen, Unsupervised feature selection with adaptive structure learning, KDD 2015",
    .title = "Alternates between learning the structure of the samples (sparse self-representation, adaptive "
             "neighbours) and a sparse regression that selects the features showing it.",
    .notes = "rho is relative to the penalty that removes every feature. As in the authors' code, "
             "eigenvectors and a regression stand in for the joint problem, so no joint objective is "
             "guaranteed to decrease. By default columns are z-scored; counts become tf-idf rows of unit "
             "norm with centred columns and one common scale.",
    .better = HIGHER,
    .spreads = true,
    .dense_view = VIEW_ZSCORE,
    .counts_view = VIEW_TFIDF_UNIT,
    .table = fsasl_table,
    .n_table = COUNT(fsasl_table),
    .params_size = sizeof(struct fsasl),
    .grid = fsasl_grid,
    .score = fsasl_score,
};
