#include "methods/factor/factor.h"

#include "cluster/kmeans.h"
#include "core/parallel.h"
#include "matrix/gather.h"
#include "methods/factor/prox.h"
#include "methods/factor/thin.h"

#include <string.h>

const char *const pith_i_factor_solvers[] = {"mm", "admm", "admm-tree", NULL},
                  *const pith_i_factor_solvers_plain[] = {"mm", "admm", NULL};

/* ---- Products with the data ---------------------------------------------------------------------------- */

static void divide(int64_t count, double by, double *x)
{
    for (int64_t e = 0; e < count; e++)
        x[e] /= by;
}

pith_status pith_i_factor_times(pith_ctx *ctx, const pith_i_factor *f, int64_t m, const double *B,
                                double *out)
{
    const pith_status st = pith_i_design_multiply(ctx, &f->X, m, B, out);
    if (st == PITH_OK)
        divide(f->n * m, f->scale, out);
    return st;
}

pith_status pith_i_factor_times_t(pith_ctx *ctx, const pith_i_factor *f, int64_t m, const double *B,
                                  double *out)
{
    const pith_status st = pith_i_design_multiply_t(ctx, &f->X, m, B, out);
    if (st == PITH_OK)
        divide(f->p * m, f->scale, out);
    return st;
}

pith_status pith_i_factor_neighbours(pith_ctx *ctx, const pith_i_factor *f, double c, const double *B,
                                     double *out)
{
    if (f->in->graph == NULL || !(f->graph > 0))
        return PITH_OK;
    return pith_i_affinity_add(ctx, f->in->graph, c, f->k, B, out);
}

static pith_status measure_rows(pith_ctx *ctx, pith_i_factor *f)
{
    double sum = 0;
    pith_status st = PITH_OK;
    pith_i_design_row_squares(ctx, &f->X, f->square);
    for (int64_t i = 0; i < f->n; i++)
        sum += sqrt(f->square[i]);
    TRY(pith_i_sum_over(ctx, f->in->X, 1, &sum));
    f->scale = sum / (double)f->all;
    if (!(f->scale > 0) || !isfinite(f->scale))
        FAIL(ctx, PITH_E_DATA, "the rows are %s: there is nothing to factorise",
             f->scale > 0 ? "so large that their squares overflow" : "all zero");
    f->mean_square = 0;
    for (int64_t i = 0; i < f->n; i++) {
        f->square[i] /= f->scale * f->scale;
        f->mean_square += f->square[i] / (double)f->all;
    }
    TRY(pith_i_sum_over(ctx, f->in->X, 1, &f->mean_square));
done:
    return st;
}

/* ---- The start ----------------------------------------------------------------------------------------- */

/* Unlike pith_i_input_clusters, allows as many clusters as samples if they are asked for. */
static pith_status choose_clusters(pith_ctx *ctx, pith_i_factor *f)
{
    pith_i_shared *o = f->in->options;
    if (o->start.n == 0 && o->clusters == f->all) {
        f->k = f->all;
        return PITH_OK;
    }
    if (o->start.n > 0 && o->start.clusters == f->all &&
        (o->clusters == PITH_I_AUTO || o->clusters == f->all)) {
        f->k = o->clusters = f->all;
        return PITH_OK;
    }
    return pith_i_input_clusters(ctx, f->in, &f->k);
}

/* U_ic = 1 / sqrt(n_c) where sample i is in cluster c: it satisfies both constraints. */
static pith_status set_indicator(pith_ctx *ctx, pith_i_factor *f, const int32_t *label)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t offset = f->in->X->offset;
    double *size = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, size, f->k));
    for (int64_t i = 0; i < f->n; i++)
        size[label != NULL ? label[i] : offset + i]++;
    TRY(pith_i_sum_over(ctx, f->in->X, f->k, size));
    memset(f->U, 0, (size_t)(f->n * f->k) * sizeof *f->U);
    for (int64_t i = 0; i < f->n; i++) {
        const int64_t c = label != NULL ? label[i] : offset + i;
        f->U[i * f->k + c] = 1 / sqrt(size[c]);
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status cluster(pith_ctx *ctx, pith_i_factor *f)
{
    const pith_i_start *start = &f->in->options->start;
    const pith_i_kmeans_options options = {.clusters = f->k,
                                           .restarts = f->o.starts,
                                           .cosine = pith_i_view_unit_rows(f->in->options->standardize)};
    pith_i_kmeans runs = {0};
    pith_status st = PITH_OK;
    if (start->n > 0 || f->k == f->all)
        return set_indicator(ctx, f, start->n > 0 ? start->label : NULL);
    TRY(pith_i_kmeans_run(ctx, f->in->X, &options, &runs));
    TRY(set_indicator(ctx, f, pith_i_kmeans_best(&runs)));
done:
    pith_i_kmeans_free(&runs);
    return st;
}

pith_status pith_i_factor_start(pith_ctx *ctx, pith_i_factor *f)
{
    double sum = 0;
    pith_status st = PITH_OK;
    f->n = f->in->n;
    f->all = f->in->all;
    f->p = f->in->p;
    f->X = (pith_i_design){.X = f->in->X, .T = f->in->T, .shift = f->in->shift, .left_out = f->in->constant};
    TRY(SCRATCH(ctx, f->square, f->n));
    TRY(measure_rows(ctx, f));
    TRY(choose_clusters(ctx, f));
    TRY(SCRATCH(ctx, f->U, f->n * f->k));
    TRY(SCRATCH(ctx, f->Z, f->n * f->k));
    TRY(SCRATCH(ctx, f->V, f->p * f->k));
    TRY(SCRATCH(ctx, f->norm, f->p));
    TRY(cluster(ctx, f));
    memcpy(f->Z, f->U, (size_t)(f->n * f->k) * sizeof *f->U);
    TRY(pith_i_factor_times_t(ctx, f, f->k, f->U, f->V));
    TRY(pith_i_row_norm_sum(ctx, f->p, f->k, f->V, &sum, &f->largest_start));
done:
    return st;
}

/* ---- The objective ------------------------------------------------------------------------------------- */

pith_status pith_i_factor_penalties(pith_ctx *ctx, const pith_i_factor *f, double *room, double *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    double sum = 0, smooth = 0, *AU = NULL;
    pith_status st = PITH_OK;
    TRY(pith_i_row_norm_sum(ctx, f->p, f->k, f->V, &sum, NULL));
    *out = f->rows * sum;
    if (f->tree != NULL && f->groups > 0)
        *out += f->groups * pith_i_tree_penalty(ctx, f->tree, f->k, f->weight, f->V, room);
    if (f->in->graph != NULL && f->graph > 0) {
        TRY(SCRATCH_ZERO(ctx, AU, f->n * f->k));
        TRY(pith_i_factor_neighbours(ctx, f, 1, f->U, AU));
        TRY(pith_i_dot(ctx, f->n * f->k, f->U, AU, &smooth));
        *out += f->graph * ((double)f->k - smooth);
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_factor_measure(pith_ctx *ctx, pith_i_factor *f)
{
    double sum[2] = {0}; /* gap, negative */
    pith_status st = PITH_OK;
    for (int64_t e = 0; e < f->n * f->k; e++) {
        const double d = f->Z[e] - f->U[e], u = f->U[e] < 0 ? f->U[e] : 0;
        sum[0] += d * d;
        sum[1] += u * u;
    }
    TRY(pith_i_sum_over(ctx, f->in->X, COUNT(sum), sum));
    f->gap = sqrt(sum[0] / (double)f->k);
    f->negative = sqrt(sum[1] / (double)f->k);
done:
    return st;
}

/* ---- Scores -------------------------------------------------------------------------------------------- */

/* ||sum_i u_i x_ij / ||x_i|| || of every feature: above all of them, `rows` removes every feature. */
static pith_status entry_norms(pith_ctx *ctx, const pith_i_factor *f, const double *U, double *norm,
                               double *largest)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    double *B = NULL, *G = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, B, f->n * f->k));
    TRY(SCRATCH(ctx, G, f->p * f->k));
    for (int64_t i = 0; i < f->n; i++)
        for (int64_t c = 0; c < f->k; c++)
            B[i * f->k + c] = f->square[i] > 0 ? U[i * f->k + c] / sqrt(f->square[i]) : 0;
    TRY(pith_i_factor_times_t(ctx, f, f->k, B, G));
    *largest = 0;
    for (int64_t j = 0; j < f->p; j++) {
        double sum = 0;
        for (int64_t c = 0; c < f->k; c++)
            sum += G[j * f->k + c] * G[j * f->k + c];
        norm[j] = sqrt(sum);
        *largest = norm[j] > *largest ? norm[j] : *largest;
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static void score_vanished(const pith_i_factor *f, double largest, double *score)
{
    const double above = largest > f->rows ? largest : f->rows; /* the groups alone may have removed all */
    for (int64_t j = 0; j < f->p; j++)
        score[j] = f->scale * (score[j] - above);
}

pith_status pith_i_factor_score(pith_ctx *ctx, pith_i_factor *f, double *score)
{
    pith_i_facts *facts = f->in->facts;
    double sum = 0, largest = 0, bound = 0;
    pith_status st = PITH_OK;
    TRY(entry_norms(ctx, f, f->U, score, &bound));
    TRY(pith_i_row_norm_sum(ctx, f->p, f->k, f->V, &sum, &largest));
    const bool vanished = !(largest >= 1e-6 * f->largest_start);
    if (vanished)
        score_vanished(f, bound, score);
    for (int64_t j = 0; j < f->p && !vanished; j++)
        score[j] =
            f->scale * (f->norm[j] - f->threshold) / (f->divisor != NULL ? (double)(1 + f->divisor[j]) : 1);
    if (f->rows >= bound)
        pith_i_warn(facts, "%s %g removes every feature (largest useful value %.2g)", f->rows_name, f->rows,
                    bound);
    else if (vanished)
        pith_i_warn(facts, "the penalties removed every feature: smaller weights are needed");
    pith_i_fact(facts, "iterations", (double)f->iterations);
    pith_i_fact(facts, "objective", f->objective);
    pith_i_fact(facts, "constraint_gap", f->gap);
    pith_i_fact(facts, "negative_part", f->negative);
    pith_i_fact(facts, "mean_row_norm", f->scale);
    pith_i_fact(facts, "largest_row_weight", bound);
done:
    return st;
}
