/*
 * JELSR (Hou, Nie, Yi & Wu, IJCAI 2011): embedding and sparse regression learnt together,
 *
 *     min_{Y, W} tr(Y'LY) + b (||XW - Y||_F^2 + a ||W||_{2,1}),   Y'Y = I
 *
 * For fixed weights Q of the reweighted penalty, both are found together. The best W for Y leaves the
 * residual R Y, R = a (X Q^-1 X' + a I)^-1, and the objective tr(Y'(L + b R)Y), so that Y are the c lowest
 * eigenvectors of L + b R. R is applied by triangular solves; on large data no product with R is needed
 * (embedding.h). A feature's score is the norm of its row of W, which does not change when Y is
 * rotated.
 */
#include "core/engine.h"
#include "graph/local_fit.h"
#include "linalg/eigen.h"
#include "linalg/row_sparse.h"
#include "matrix/gather.h"
#include "methods/jelsr/embedding.h"
#include "methods/regression.h"

#include <string.h>

enum { PRODUCTS = 20 }; /* with R, about as many for each eigenvector */
enum { NORMALIZED, LLE };
static const char *const laplacian_words[] = {"normalized", "lle", NULL};

struct jelsr {
    pith_i_shared shared;
    double rho, b, tol;
    int64_t max_iter;
    int laplacian;
};

static const pith_i_param jelsr_table[] = {
    RHO_PARAM(struct jelsr, 0.4),
    PARAM(struct jelsr, b, 0.1, 1e-4, 1e4, "weight of the regression relative to the embedding"),
    MAX_ITER_PARAM(struct jelsr, 20),
    TOL_PARAM(struct jelsr),
    ROW(struct jelsr, laplacian, "laplacian", NORMALIZED, 0, 0, false, laplacian_words,
        "normalized graph Laplacian, or the one of locally linear embedding (Euclidean neighbours)"),
    GRAPH_PARAMS(struct jelsr, 5, WEIGHT_HEAT),
    CLUSTERS_PARAM(struct jelsr),
    STANDARDIZE_PARAM(struct jelsr),
};

/* The paper's grid for both of its weights is 0.01 .. 100; its a has the unit of the data. */
static const char *const jelsr_grid[] = {"rho=0.1,0.2,0.4,0.6", "b=0.01,0.1,1,10,100", NULL};

typedef struct work {
    const pith_i_input *in;
    const struct jelsr *o;
    int64_t c;
    double a;
    pith_i_operator L;
    double bound; /* upper bound of the eigenvalues of L + b R, which are not negative */
    pith_i_row_sparse fit;
    bool by_steps; /* by embedding.h, since a factor would cost too much */
    pith_i_embedding embedding;
    double *value, *vector; /* c + 1 pairs */
    double *Y, *R, *W;      /* n x c, n x c, p x c, row-major */
    bool has_weights;       /* W is set: a sweep was made */
    double *norm;           /* p */
} work;

/* y = (I - 2/bound (L + b R)) x, whose largest eigenvalues, within [-1, 1], are the lowest of L + b R. */
static pith_status shifted_laplacian(pith_ctx *ctx, const void *self, int64_t m, const double *x, double *y)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const work *w = self;
    const int64_t n = w->in->n;
    double *rows = NULL, *rest = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, rows, n * m));
    TRY(SCRATCH(ctx, rest, n * m));
    pith_i_transpose_panel(m, n, x, rows);
    TRY(pith_i_row_sparse_solve(ctx, &w->fit, m, rows, NULL, rest));
    pith_i_transpose_panel(n, m, rest, rows);
    TRY(w->L.apply(ctx, w->L.self, m, x, y));
    for (int64_t e = 0; e < n * m; e++)
        y[e] = x[e] - 2 / w->bound * (y[e] + w->o->b * rows[e]);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status take_memory(pith_ctx *ctx, work *w)
{
    const int64_t n = w->in->n, p = w->in->p, c = w->c;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, w->value, c + 1));
    TRY(SCRATCH(ctx, w->vector, (c + 1) * n));
    TRY(SCRATCH(ctx, w->Y, n * c));
    TRY(SCRATCH(ctx, w->R, n * c));
    TRY(SCRATCH(ctx, w->W, p * c));
    TRY(SCRATCH(ctx, w->norm, p));
done:
    return st;
}

/* tr(Y'LY) + b (||R||^2 + a ||W||_{2,1}) = tr(Y'(L + b R)Y) + b (||R||^2 - tr(Y'R) + a ||W||_{2,1}). */
static pith_status objective(pith_ctx *ctx, const work *w, double *out)
{
    double J = 0, misfit = 0, rows = 0;
    pith_status st = PITH_OK;
    for (int64_t v = 0; v < w->c; v++)
        J += (1 - w->value[v]) * w->bound / 2;
    for (int64_t e = 0; e < w->in->n * w->c; e++)
        misfit += w->R[e] * (w->R[e] - w->Y[e]);
    for (int64_t j = 0; j < w->in->p; j++)
        rows += w->norm[j];
    TRY(pith_i_sum_over(ctx, w->in->X, 1, &misfit));
    *out = J + w->o->b * (misfit + w->a * rows);
done:
    return st;
}

/* The m >= c lowest eigenpairs of L + b R: value, as eigenvalues of the map above; vector, unless
 * by_steps. */
static pith_status find_lowest(pith_ctx *ctx, work *w, int64_t m, double tolerance)
{
    const pith_i_data *X = w->in->X;
    const pith_i_operator low = {
        .n = X->n, .offset = X->offset, .all = X->all, .self = w, .apply = shifted_laplacian};
    const pith_i_eigen_options want = {
        .m = m, .tolerance = tolerance, .basis = pith_i_eigen_lowest_basis(w->in->n, w->c)};
    pith_i_embedding *e = &w->embedding;
    pith_status st = PITH_OK;
    if (!w->by_steps)
        return pith_i_eigen_largest(ctx, &low, &want, w->value, w->vector);
    TRY(pith_i_embedding_find(ctx, e, m, tolerance * w->bound));
    for (int64_t v = 0; v < m; v++)
        w->value[v] = 1 - 2 / w->bound * e->value[v];
done:
    return st;
}

/* Y, and by_steps the starting point of the regression. */
static void take_vectors(work *w)
{
    const pith_i_embedding *e = &w->embedding;
    const int64_t n = w->in->n, c = w->c;
    if (!w->by_steps) {
        pith_i_transpose_panel(c, n, w->vector, w->Y);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        memcpy(w->Y + i * c, e->Y + i * e->width, (size_t)c * sizeof *w->Y);
    pith_i_row_sparse_begin(&w->fit, e->width, e->U);
}

static pith_status sweep(pith_ctx *ctx, void *self, double *J)
{
    work *w = self;
    const int64_t c = w->c;
    pith_status st = PITH_OK;
    if (w->has_weights) /* of the sweep before */
        pith_i_row_sparse_reweight(&w->fit, c, w->W);
    TRY(pith_i_row_sparse_factor(ctx, &w->fit, w->a, NULL));
    TRY(find_lowest(ctx, w, c, 1e-11));
    take_vectors(w);
    TRY(pith_i_row_sparse_solve(ctx, &w->fit, c, w->Y, w->W, w->R));
    pith_i_row_norms(w->in->p, c, w->W, w->norm);
    w->has_weights = true;
    TRY(objective(ctx, w, J));
done:
    return st;
}

/* Only the span of Y matters, and it is unique only if there is a gap after the c-th eigenvalue. */
static pith_status report_gap(pith_ctx *ctx, work *w)
{
    pith_status st = PITH_OK;
    TRY(find_lowest(ctx, w, w->c + 1, 1e-8));
    const double gap = (w->value[w->c - 1] - w->value[w->c]) * w->bound / 2;
    pith_i_fact(w->in->facts, "eigengap", gap);
    if (gap < 1e-8)
        w->in->facts->warning = "the embedding is not unique: the next eigenvalue equals its last one; try "
                                "another number of clusters";
done:
    return st;
}

static pith_status open_fit(pith_ctx *ctx, const pith_i_design *X, work *w)
{
    pith_status st = PITH_OK;
    TRY(pith_i_row_sparse_open(ctx, X, PRODUCTS * w->c, &w->fit));
    w->fit.tolerance = 1e-12; /* below that of the eigenpairs, whose operator uses it */
    /* Where samples are spread, the engine finds the eigenvectors, from products alone. */
    w->by_steps = pith_i_row_sparse_is_large(&w->fit) && !pith_i_is_spread(X->X);
    if (w->by_steps) {
        w->fit.way = PITH_I_ITERATIVE;
        w->fit.columns = w->c;
        TRY(pith_i_embedding_open(ctx, &w->L, &w->fit, w->o->b, w->bound, w->c, &w->embedding));
    }
done:
    return st;
}

static pith_status jelsr_score(pith_ctx *ctx, const pith_i_input *in, const void *params, double *score)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    work w = {.in = in, .o = params, .bound = 2};
    pith_i_local_sum lle = {0};
    pith_i_design X;
    pith_status st = PITH_OK;
    if (w.o->laplacian == LLE && (w.o->shared.own_graph != NULL || w.o->shared.graph_rows != NULL))
        FAIL(ctx, PITH_E_PARAMETER,
             "jelsr: laplacian lle fits each sample by its own neighbours and cannot use a graph; use "
             "laplacian normalized");
    TRY(pith_i_input_clusters(ctx, in, &w.c));
    TRY(pith_i_input_design(ctx, in, &X));
    TRY(pith_i_penalty_bound(ctx, &X, &w.a));
    w.a *= w.o->rho;
    if (w.o->laplacian == LLE) {
        TRY(pith_i_local_linear(ctx, in->X, w.o->shared.neighbors, &lle));
        w.bound = pith_i_row_sum_bound(lle.n, lle.row, lle.value, 0);
        if (pith_i_is_spread(in->X))
            TRY(pith_i_sum_by(ctx, PITH_ENGINE_MOST, 1, &w.bound));
    }
    w.L = w.o->laplacian == LLE ? pith_i_local_sum_operator(&lle) : pith_i_laplacian(in->graph);
    w.bound += w.o->b;
    TRY(take_memory(ctx, &w));
    TRY(open_fit(ctx, &X, &w));
    TRY(pith_i_sweeps_run(ctx, &(pith_i_sweeps){w.o->max_iter, w.o->tol, sweep, &w}, in->facts));
    pith_i_fact(in->facts, "penalty", w.a);
    TRY(report_gap(ctx, &w));
    memcpy(score, w.norm, (size_t)in->p * sizeof *score);
done:
    pith_i_local_sum_free(&lle);
    pith_i_scratch_release(ctx, mark);
    return st;
}

const pith_method pith_i_method_jelsr = {
    .name = "jelsr",
    .family = "spectral embedding, row-sparse regression",
    .reference = "Hou, Nie, Yi & Wu, Feature selection via joint embedding learning and sparse regression, "
                 "IJCAI 2011",
    .title =
        "Learns a spectral embedding of the samples jointly with a row-sparse regression that predicts it.",
    .notes =
        "rho is relative to 2 max ||f||, a penalty above which no feature would be left. By default columns "
        "are z-scored; counts become tf-idf rows of unit norm with centred columns and one common scale.",
    .needs = NEEDS_GRAPH,
    .better = HIGHER,
    .spreads = true,
    .dense_view = VIEW_ZSCORE,
    .counts_view = VIEW_TFIDF_UNIT,
    .table = jelsr_table,
    .n_table = COUNT(jelsr_table),
    .params_size = sizeof(struct jelsr),
    .grid = jelsr_grid,
    .score = jelsr_score,
};
