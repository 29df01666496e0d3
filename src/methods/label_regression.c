#include "methods/label_regression.h"

#include "linalg/indicator.h"
#include "matrix/gather.h"

static pith_status take_memory(pith_ctx *ctx, const pith_i_input *in, pith_i_label_regression *w)
{
    double **by_label[] = {&w->G, &w->fitted, &w->target, &w->left, &w->pos, &w->neg};
    pith_status st = PITH_OK;
    TRY(pith_i_input_design(ctx, in, &w->X));
    for (size_t i = 0; i < COUNT(by_label); i++)
        TRY(SCRATCH(ctx, *by_label[i], w->n * w->c));
    TRY(SCRATCH(ctx, w->W, w->p * w->c));
    TRY(SCRATCH(ctx, w->norm, w->p));
    TRY(SCRATCH(ctx, w->h, w->c));
    TRY(SCRATCH(ctx, w->room, pith_i_indicator_room(w->n, w->c)));
    TRY(pith_i_row_sparse_open(ctx, &w->X, w->c, &w->solver));
    w->solver.tolerance = pith_i_inner_tolerance(w->o->tol);
done:
    return st;
}

pith_status pith_i_label_regression_run(pith_ctx *ctx, const pith_i_input *in,
                                        const pith_i_label_steps *steps, pith_i_label_regression *w,
                                        double *score)
{
    const pith_i_sweeps sweeps = {w->o->max_iter, w->o->tol, steps->sweep, w};
    pith_status st = PITH_OK;
    w->n = in->n;
    w->p = in->p;
    TRY(pith_i_input_clusters(ctx, in, &w->c));
    if (in->options->neighbors > in->all - 1)
        in->options->neighbors = in->all - 1;
    TRY(take_memory(ctx, in, w));
    TRY(steps->start(ctx, in, w));
    TRY(pith_i_progress_stage(ctx, "sweeping", 0.2, 1));
    TRY(pith_i_sweeps_run(ctx, &sweeps, in->facts));
    pith_i_row_norms(w->p, w->c, w->W, score);
    pith_i_fact(in->facts, "penalty", w->b);
done:
    return st;
}

void pith_i_label_regression_free(pith_i_label_regression *w)
{
    pith_i_local_sum_free(&w->L);
}

pith_status pith_i_label_penalty(pith_ctx *ctx, pith_i_label_regression *w, const char *method, double factor)
{
    pith_status st = PITH_OK;
    TRY(pith_i_design_multiply_t(ctx, &w->X, w->c, w->target, w->W));
    w->b = factor * w->o->rho * w->o->a * pith_i_row_norms(w->p, w->c, w->W, w->norm);
    if (!(w->b > 0 && isfinite(w->b)))
        FAIL(ctx, PITH_E_DATA, "%s: no feature is related to the initial labels", method);
done:
    return st;
}

pith_status pith_i_label_weights(pith_ctx *ctx, pith_i_label_regression *w, const double *noise,
                                 const double *u)
{
    const int64_t c = w->c;
    pith_status st = PITH_OK;
    for (int64_t i = 0; i < w->n; i++)
        for (int64_t e = i * c; e < (i + 1) * c; e++)
            w->target[e] = w->G[e] - (noise != NULL ? noise[e] : 0) - w->h[e - i * c];
    TRY(pith_i_row_sparse_factor(ctx, &w->solver, w->b / w->o->a, u));
    TRY(pith_i_row_sparse_solve(ctx, &w->solver, c, w->target, w->W, w->left));
    for (int64_t e = 0; e < w->n * c; e++)
        w->fitted[e] = w->G[e] - (noise != NULL ? noise[e] : 0) - w->left[e];
done:
    return st;
}

pith_status pith_i_label_first_weights(pith_ctx *ctx, pith_i_label_regression *w)
{
    pith_status st = PITH_OK;
    TRY(pith_i_label_weights(ctx, w, NULL, NULL));
    w->e_weight = 1e-6 * pith_i_row_norms(w->p, w->c, w->W, w->norm);
done:
    return st;
}

pith_status pith_i_label_intercept(pith_ctx *ctx, pith_i_label_regression *w, const double *u)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = w->n, c = w->c;
    const double all = (double)pith_i_all(w->X.X);
    double total = 0, *step = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, step, c));
    for (int64_t i = 0; u != NULL && i < n; i++)
        total += u[i];
    TRY(pith_i_sum_over(ctx, w->X.X, 1, &total));
    for (int64_t t = 0; t < c; t++)
        for (int64_t i = 0; i < n; i++)
            step[t] += u != NULL ? u[i] / total * w->left[i * c + t] : w->left[i * c + t] / all;
    TRY(pith_i_sum_over(ctx, w->X.X, c, step));
    for (int64_t t = 0; t < c; t++) {
        w->h[t] += step[t];
        for (int64_t i = 0; i < n; i++)
            w->fitted[i * c + t] += step[t];
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

double pith_i_label_weight_norm(pith_i_label_regression *w)
{
    double sum = 0;
    pith_i_row_norms(w->p, w->c, w->W, w->norm);
    for (int64_t j = 0; j < w->p; j++)
        sum += hypot(w->norm[j], w->e_weight);
    return sum;
}
