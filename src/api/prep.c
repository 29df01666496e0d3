/* Preparing data: a list of steps, one after the other. */
#include "core/engine.h"
#include "matrix/blas.h"
#include "matrix/matrix.h"
#include "matrix/scale.h"
#include "matrix/stats.h"
#include "prep/steps.h"
#include "select/spread.h"

#include <string.h>

/* ---- What a step leaves ----------------------------------------------------------------------------------
 */

static pith_status copy_origin(pith_ctx *ctx, const pith_matrix *from, pith_matrix *to)
{
    pith_status st = PITH_OK;
    if (from->origin == NULL)
        return PITH_OK;
    TRY(NEW(ctx, to->origin, from->data.p));
    memcpy(to->origin, from->origin, (size_t)from->data.p * sizeof *from->origin);
    to->origins = from->origins;
done:
    return st;
}

/* Some rows of m, with all names and labels. */
static pith_status keep_rows(pith_ctx *ctx, const pith_matrix *m, int64_t count, const int64_t *rows,
                             pith_matrix **out)
{
    pith_matrix *kept = NULL;
    pith_status st = PITH_OK;
    TRY(pith_i_matrix_take_rows(ctx, m, count, rows, &kept));
    TRY(pith_i_names_take(ctx, &m->features, m->data.p, NULL, &kept->features));
    TRY(pith_i_names_take(ctx, &m->samples, count, rows, &kept->samples));
    TRY(copy_origin(ctx, m, kept));
    TRY(pith_i_place_take(ctx, m->place, count, rows, m->data.p, NULL, &kept->place));
    *out = kept;
    kept = NULL;
done:
    pith_matrix_free(kept);
    return st;
}

static pith_status keep_columns(pith_ctx *ctx, const pith_matrix *m, int64_t count, const int64_t *columns,
                                pith_matrix **out)
{
    pith_matrix *kept = NULL;
    pith_status st = PITH_OK;
    TRY(pith_matrix_select(ctx, m, count, columns, &kept));
    TRY(NEW(ctx, kept->origin, count));
    for (int64_t c = 0; c < count; c++)
        kept->origin[c] = pith_matrix_origin(m, columns[c]);
    kept->origins = m->origin != NULL ? m->origins : m->data.p;
    *out = kept;
    kept = NULL;
done:
    pith_matrix_free(kept);
    return st;
}

/* An owned copy: dense row-major, or CSR. */
static pith_status copy_whole(pith_ctx *ctx, const pith_matrix *m, pith_matrix **out)
{
    pith_matrix *copy = NULL;
    pith_status st = PITH_OK;
    TRY(pith_i_matrix_new(ctx, &copy));
    TRY(pith_i_scaled(ctx, &m->data, m->data.dtype, NULL, NULL, NULL, &copy->data));
    TRY(pith_i_names_take(ctx, &m->features, m->data.p, NULL, &copy->features));
    TRY(pith_i_names_take(ctx, &m->samples, m->data.n, NULL, &copy->samples));
    TRY(pith_i_labels_copy(ctx, m, copy));
    TRY(pith_i_samples_copy(ctx, m, copy));
    TRY(copy_origin(ctx, m, copy));
    TRY(pith_i_place_take(ctx, m->place, m->data.n, NULL, m->data.p, NULL, &copy->place));
    *out = copy;
    copy = NULL;
done:
    pith_matrix_free(copy);
    return st;
}

/* ---- One step --------------------------------------------------------------------------------------------
 */

static pith_status choose_rows(pith_ctx *ctx, const pith_i_row_step *step, const pith_params *params,
                               const pith_matrix *m, pith_matrix **out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    int64_t *rows = NULL, count = 0;
    int claim = 0;
    pith_status st = PITH_OK;
    TRY(pith_i_blas_begin(ctx, &claim));
    TRY(SCRATCH(ctx, rows, m->data.n));
    TRY(step->choose(ctx, &m->data, params->values, rows, &count));
    TRY(keep_rows(ctx, m, count, rows, out));
done:
    pith_i_blas_end(ctx, claim);
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status choose_plain(pith_ctx *ctx, const pith_i_step *step, const double *values,
                                const pith_matrix *m, pith_matrix **out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_kept kept = {0};
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, kept.index, m->data.n > m->data.p ? m->data.n : m->data.p));
    TRY(step->choose(ctx, &m->data, values, &kept));
    if (kept.count == 0)
        FAIL(ctx, PITH_E_DATA, "%s leaves no %s", step->name, kept.rows ? "sample" : "feature");
    TRY(kept.rows ? keep_rows(ctx, m, kept.count, kept.index, out)
                  : keep_columns(ctx, m, kept.count, kept.index, out));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Applies step i to *made, the result so far, or to m if that is NULL. */
static pith_status take_step(pith_ctx *ctx, const pith_i_step_list *list, size_t i, const pith_matrix *m,
                             pith_matrix **made)
{
    const pith_step *step = list->item[i].step;
    const pith_matrix *from = *made != NULL ? *made : m;
    pith_matrix *next = NULL;
    pith_status st = PITH_OK;
    TRY(pith_i_progress_stage(ctx, "preparing", 0, 1));
    if (step->rows != NULL) {
        TRY(choose_rows(ctx, step->rows, list->item[i].params, from, &next));
    } else if (step->plain->choose != NULL) {
        TRY(choose_plain(ctx, step->plain, list->item[i].values, from, &next));
    } else {
        if (*made == NULL)
            TRY(copy_whole(ctx, m, made));
        TRY(step->plain->change(ctx, &(*made)->data, list->item[i].values));
        if ((*made)->place != NULL)
            (*made)->place->changed = true;
        return PITH_OK;
    }
    pith_matrix_free(*made);
    *made = next;
done:
    return st;
}

/* ---- Parts of the rows --------------------------------------------------------------------------------
 */

/* For rows that are spread over processes. PITH_E_PARAMETER names the first step that needs all in one. */
static pith_status check_parts(pith_ctx *ctx, const pith_i_step_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const pith_step *step = list->item[i].step;
        if (step->rows != NULL || !step->plain->spreads)
            return pith_i_one_process(ctx, pith_step_name(step));
    }
    return PITH_OK;
}

/* ---- The whole -------------------------------------------------------------------------------------------
 */

pith_status pith_i_take_steps(pith_ctx *ctx, const pith_i_step_list *list, size_t first, double end,
                              const pith_matrix *m, pith_matrix **out)
{
    const double part = end / (double)list->count;
    pith_matrix *made = NULL;
    pith_status st = PITH_OK;
    if (!m->known_finite)
        TRY(pith_i_data_check_finite(ctx, &m->data));
    if (first == 0)
        pith_i_progress_begin(ctx);
    if (pith_i_processes(ctx) > 1) {
        TRY(check_parts(ctx, list));
        TRY(copy_whole(ctx, m, &made));
    }
    for (size_t i = first; i < list->count; i++) {
        if (pith_i_processes(ctx) > 1)
            TRY(pith_i_spread_place(ctx, &made->data));
        pith_i_progress_scope(ctx, pith_step_name(list->item[i].step), (double)i * part,
                              (double)(i + 1) * part);
        TRY(take_step(ctx, list, i, m, &made));
    }
    TRY(pith_i_data_check_finite(ctx, &made->data)); /* large numbers may have overflowed */
    made->known_finite = true;
    made->data.offset = made->data.all = 0; /* as in a table that was read */
    TRY(pith_i_step_list_text(ctx, list, first == 0 ? m->steps : NULL, &made->steps));
    *out = made;
    made = NULL;
done:
    pith_i_progress_scope(ctx, NULL, 0, 1);
    pith_matrix_free(made);
    return st;
}

/* Are there features that size factors can be found by? */
static bool has_references(const pith_i_column_stats *stats, int64_t n, int64_t p)
{
    enum { ENOUGH = 20 };
    int64_t references = 0;
    for (int64_t j = 0; j < p; j++)
        references += 10 * stats->nonzeros[j] >= 9 * n;
    return references >= ENOUGH;
}

static bool is_negative(const pith_i_column_stats *stats, int64_t p)
{
    for (int64_t j = 0; j < p; j++)
        if (stats->min[j] < 0)
            return true;
    return false;
}

pith_status pith_prep_auto(pith_ctx *ctx, const pith_matrix *m, const pith_method *method, const char **steps)
{
    static const char logs[] = "counts-per-10k,log1p";
    pith_i_column_stats stats;
    pith_i_scale scale;
    bool unlogged = false;
    pith_status st = PITH_OK;
    if (ctx == NULL || m == NULL || steps == NULL)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "no context, matrix or place for the steps was given");
    const size_t mark = pith_i_scratch_mark(ctx);
    TRY(pith_i_one_process(ctx, "prep auto"));
    *steps = NULL;
    if (!m->known_finite)
        TRY(pith_i_data_check_finite(ctx, &m->data));
    TRY(pith_i_column_statistics(ctx, &m->data, NULL, &stats));
    if ((method == NULL || method->wants == WANTS_LOGS) && pith_i_is_counts(&m->data, &stats)) {
        TRY(pith_i_scale_find(ctx, &m->data, pith_i_largest(&stats, m->data.p), &scale));
        *steps = scale.kind == PITH_SCALE_COUNTS ? logs : NULL;
    }
    if (method == NULL || method->wants != WANTS_COUNTS)
        TRY(pith_i_is_unlogged(ctx, &m->data, &stats, &unlogged));
    if (unlogged) /* below 0 are intensities from which a background was subtracted */
        *steps = is_negative(&stats, m->data.p)                 ? "log10,quantile,double-center"
                 : has_references(&stats, m->data.n, m->data.p) ? "size-factors,log1p"
                                                                : logs;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Replaces "auto" by the steps that it stands for, which may be none: *steps NULL. */
static pith_status settle_steps(pith_ctx *ctx, const pith_matrix *m, const char **steps)
{
    return strcmp(*steps, "auto") == 0 ? pith_prep_auto(ctx, m, NULL, steps) : PITH_OK;
}

static pith_status copy_unprepared(pith_ctx *ctx, const pith_matrix *m, pith_matrix **out)
{
    pith_matrix *copy = NULL;
    pith_status st = PITH_OK;
    TRY(copy_whole(ctx, m, &copy));
    copy->known_finite = true;
    if (m->steps != NULL && (copy->steps = pith_i_strdup(ctx, m->steps)) == NULL)
        TRY(PITH_E_NOMEM);
    *out = copy;
    copy = NULL;
done:
    pith_matrix_free(copy);
    return st;
}

pith_status pith_prep(pith_ctx *ctx, const pith_matrix *m, const char *steps, pith_matrix **out)
{
    pith_i_step_list list = {0};
    pith_status st = PITH_OK;
    if (ctx == NULL || m == NULL || steps == NULL || out == NULL)
        return pith_i_error(ctx, PITH_E_ARGUMENT,
                            "no context, matrix, steps or place for the result was given");
    TRY(settle_steps(ctx, m, &steps));
    if (steps == NULL)
        return copy_unprepared(ctx, m, out);
    /* The whole list is read before any work, so that a mistake in the last step is found at once. */
    TRY(pith_i_step_list_read(ctx, steps, &list));
    TRY(pith_i_take_steps(ctx, &list, 0, 1, m, out));
done:
    pith_i_step_list_free(&list);
    return st;
}

pith_status pith_prep_check(pith_ctx *ctx, const char *steps)
{
    pith_i_step_list list = {0};
    if (ctx == NULL || steps == NULL)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "no context or steps were given");
    if (strcmp(steps, "auto") == 0)
        return PITH_OK;
    const pith_status st = pith_i_step_list_read(ctx, steps, &list);
    pith_i_step_list_free(&list);
    return st;
}

const char *pith_matrix_steps(const pith_matrix *m)
{
    return m->steps;
}
