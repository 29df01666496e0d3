#include "evaluate/summary.h"

#include <stdlib.h>
#include <string.h>

bool pith_i_measure_higher(pith_i_measure measure)
{
    return measure != MEASURE_REDUNDANCY;
}

static bool is_supervised(const char *method)
{
    const pith_method *m = pith_method_find(method);
    return m != NULL && (m->needs & NEEDS_LABELS) != 0;
}

bool pith_i_is_yardstick(const char *method)
{
    return is_supervised(method) || strcmp(method, "all-features") == 0 || strcmp(method, "random") == 0 ||
           strcmp(method, "kmeans-energy") == 0;
}

static bool better(pith_i_measure measure, double a, double b)
{
    return !isnan(a) && (isnan(b) || (pith_i_measure_higher(measure) ? a > b : a < b));
}

static const pith_i_row *row_at(const pith_i_entry *e, int64_t features)
{
    for (int64_t k = 0; k < e->n_rows; k++)
        if (e->rows[k].features == features)
            return &e->rows[k];
    return NULL;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Median over the method's settings at one number of features; values has room for all entries. */
static double median_at(const pith_comparison *c, const char *method, pith_i_measure measure,
                        int64_t features, double *values)
{
    int64_t count = 0;
    for (int64_t i = 0; i < c->n_entries; i++) {
        const pith_i_row *row = row_at(&c->entries[i], features);
        if (strcmp(c->entries[i].method, method) == 0 && row != NULL && !isnan(row->figure[measure].mean))
            values[count++] = row->figure[measure].mean;
    }
    if (count == 0)
        return (double)NAN;
    qsort(values, (size_t)count, sizeof *values, by_value);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* The best row of the method by the measure, among all counts or at one. */
static void find_best(const pith_comparison *c, const char *method, pith_i_measure measure, int64_t features,
                      pith_i_best *out)
{
    *out = (pith_i_best){.figure = {(double)NAN, (double)NAN, 0}, .entry = -1, .median = (double)NAN};
    for (int64_t i = 0; i < c->n_entries; i++) {
        const pith_i_entry *e = &c->entries[i];
        for (int64_t k = 0; strcmp(e->method, method) == 0 && k < e->n_rows; k++) {
            const pith_i_row *row = &e->rows[k];
            if ((features != 0 && row->features != features) ||
                !better(measure, row->figure[measure].mean, out->figure.mean))
                continue;
            out->figure = row->figure[measure];
            out->features = row->features;
            out->entry = i;
        }
    }
}

/* The measure of the row that is best by the protocol's: one line of a table is about one selection. */
static void take_same(const pith_comparison *c, const char *method, pith_i_measure measure, pith_i_best *out)
{
    find_best(c, method, c->protocol.sort, 0, out);
    if (out->entry < 0)
        return;
    out->figure = row_at(&c->entries[out->entry], out->features)->figure[measure];
    if (isnan(out->figure.mean))
        out->entry = -1;
}

static void mark_winner(pith_i_measure measure, int64_t count, pith_i_standing *s)
{
    int64_t winner = -1;
    for (int64_t i = 0; i < count; i++)
        if (s[i].by[measure].entry >= 0 && !s[i].supervised &&
            (winner < 0 || better(measure, s[i].by[measure].figure.mean, s[winner].by[measure].figure.mean)))
            winner = i;
    for (int64_t i = 0; winner >= 0 && i < count; i++) {
        pith_i_best *b = &s[i].by[measure];
        const pith_i_best *w = &s[winner].by[measure];
        if (b->entry < 0 || s[i].supervised)
            continue;
        const double error = sqrt(b->figure.sd * b->figure.sd / (double)b->figure.runs +
                                  w->figure.sd * w->figure.sd / (double)w->figure.runs);
        b->wins = i == winner;
        b->ties = i != winner && fabs(b->figure.mean - w->figure.mean) <= 2 * error;
    }
}

static void sort_standings(pith_i_measure measure, int64_t count, pith_i_standing *s)
{
    for (int64_t i = 1; i < count; i++) { /* by insertion: stable, and there are few */
        const pith_i_standing moved = s[i];
        int64_t at = i;
        for (; at > 0 && better(measure, moved.by[measure].figure.mean, s[at - 1].by[measure].figure.mean);
             at--)
            s[at] = s[at - 1];
        s[at] = moved;
    }
}

static bool seen_before(const pith_comparison *c, int64_t entry)
{
    for (int64_t i = 0; i < entry; i++)
        if (strcmp(c->entries[i].method, c->entries[entry].method) == 0)
            return true;
    return false;
}

pith_status pith_i_standings(pith_ctx *ctx, const pith_comparison *c, int64_t features, int64_t *count,
                             pith_i_standing **out)
{
    pith_i_standing *s = NULL;
    double *values = NULL;
    int64_t methods = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, s, c->n_entries));
    TRY(SCRATCH(ctx, values, c->n_entries));
    for (int64_t i = 0; i < c->n_entries; i++) {
        if (seen_before(c, i))
            continue;
        pith_i_standing *method = &s[methods++];
        method->method = c->entries[i].method;
        method->supervised = is_supervised(method->method);
        method->yardstick = pith_i_is_yardstick(method->method);
        for (int measure = 0; measure < MEASURES; measure++) {
            pith_i_best *b = &method->by[measure];
            if (features != 0)
                find_best(c, method->method, (pith_i_measure)measure, features, b);
            else
                take_same(c, method->method, (pith_i_measure)measure, b);
            b->median = median_at(c, method->method, (pith_i_measure)measure, b->features, values);
        }
        const int64_t best = method->by[c->protocol.sort].entry;
        method->seconds = best >= 0 ? c->entries[best].seconds : (double)NAN;
        method->peak_bytes = best >= 0 ? c->entries[best].peak_bytes : 0;
    }
    for (int measure = 0; measure < MEASURES; measure++)
        mark_winner((pith_i_measure)measure, methods, s);
    sort_standings(c->protocol.sort, methods, s);
    *count = methods;
    *out = s;
done:
    return st;
}
