/*
 * The best one-to-one matching (linear assignment) of a contingency table. Dual feasible potentials u, v with
 *
 *     u_a + v_b >= t_ab,  equal on matched pairs
 *
 * are kept while one line after another finds its shortest augmenting path (Jonker & Volgenant 1987). All in
 * integers, so the answer is exact.
 */
#include "evaluate/agreement.h"

#include <string.h>

/* Lines are the side of the table that has fewer labels, so that every line finds a place. */
typedef struct matching {
    int64_t lines, places;
    const int64_t *start; /* cells of a line, as CSR */
    const int32_t *place;
    const int64_t *count;
    int64_t *u, *v;               /* potentials of lines and places */
    int64_t *line_at;             /* line matched with a place; -1: none */
    int64_t *reach, *from, *gain; /* of a place: least slack so far, line it is reached from, its cells */
    bool *done;
} matching;

/* Counts of a line's places, 0 where there is no cell; `clear` wipes them again. */
static void spread(const matching *m, int64_t line, bool clear)
{
    for (int64_t e = m->start[line]; e < m->start[line + 1]; e++)
        m->gain[m->place[e]] = clear ? 0 : m->count[e];
}

/* Slacks by way of `line`, which is `base` away; returns the nearest place not done. */
static int64_t relax(const matching *m, int64_t line, int64_t base)
{
    int64_t nearest = -1;
    spread(m, line, false);
    for (int64_t b = 0; b < m->places; b++) {
        if (m->done[b])
            continue;
        const int64_t slack = base + m->u[line] + m->v[b] - m->gain[b];
        if (slack < m->reach[b]) {
            m->reach[b] = slack;
            m->from[b] = line;
        }
        if (nearest < 0 || m->reach[b] < m->reach[nearest])
            nearest = b;
    }
    spread(m, line, true);
    return nearest;
}

/* Finds a place for a line; those in its way move on along the path. place_of: of every line. */
static void augment(const matching *m, int64_t line, int64_t *place_of)
{
    int64_t at = line, base = 0, b;
    for (b = 0; b < m->places; b++) {
        m->reach[b] = INT64_MAX;
        m->done[b] = false;
    }
    for (;;) {
        b = relax(m, at, base);
        base = m->reach[b];
        if (m->line_at[b] < 0)
            break;
        m->done[b] = true;
        at = m->line_at[b];
    }
    m->u[line] -= base;
    for (int64_t d = 0; d < m->places; d++)
        if (m->done[d]) {
            m->u[m->line_at[d]] -= base - m->reach[d];
            m->v[d] += base - m->reach[d];
        }
    for (at = -1; at != line;) {
        at = m->from[b];
        m->line_at[b] = at;
        const int64_t left = place_of[at];
        place_of[at] = b;
        b = left;
    }
}

/* The table's columns as lines: CSR of its transpose. */
static pith_status transpose(pith_ctx *ctx, const pith_i_contingency *t, matching *m)
{
    const int64_t stored = t->start[t->rows];
    int64_t *start = NULL, *count = NULL;
    int32_t *place = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, start, t->cols + 2));
    TRY(SCRATCH(ctx, place, stored));
    TRY(SCRATCH(ctx, count, stored));
    for (int64_t e = 0; e < stored; e++)
        start[t->col[e] + 2]++;
    for (int64_t b = 0; b < t->cols; b++)
        start[b + 2] += start[b + 1];
    for (int64_t a = 0; a < t->rows; a++)
        for (int64_t e = t->start[a]; e < t->start[a + 1]; e++) {
            const int64_t at = start[t->col[e] + 1]++;
            place[at] = (int32_t)a;
            count[at] = t->count[e];
        }
    m->start = start;
    m->place = place;
    m->count = count;
done:
    return st;
}

static pith_status prepare(pith_ctx *ctx, const pith_i_contingency *t, matching *m)
{
    pith_status st = PITH_OK;
    *m = (matching){.start = t->start, .place = t->col, .count = t->count};
    if (t->rows > t->cols)
        TRY(transpose(ctx, t, m));
    m->lines = t->rows < t->cols ? t->rows : t->cols;
    m->places = t->rows < t->cols ? t->cols : t->rows;
    TRY(SCRATCH(ctx, m->u, m->lines));
    TRY(SCRATCH_ZERO(ctx, m->v, m->places));
    TRY(SCRATCH(ctx, m->line_at, m->places));
    TRY(SCRATCH(ctx, m->reach, m->places));
    TRY(SCRATCH(ctx, m->from, m->places));
    TRY(SCRATCH_ZERO(ctx, m->gain, m->places));
    TRY(SCRATCH(ctx, m->done, m->places));
    for (int64_t line = 0; line < m->lines; line++) {
        m->u[line] = 0;
        for (int64_t e = m->start[line]; e < m->start[line + 1]; e++)
            m->u[line] = m->count[e] > m->u[line] ? m->count[e] : m->u[line];
    }
    for (int64_t b = 0; b < m->places; b++)
        m->line_at[b] = -1;
done:
    return st;
}

pith_status pith_i_best_matching(pith_ctx *ctx, const pith_i_contingency *t, int64_t *total, int32_t *match)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_status st = PITH_OK;
    matching m;
    int64_t *place_of = NULL, sum = 0;
    TRY(prepare(ctx, t, &m));
    TRY(SCRATCH(ctx, place_of, m.lines));
    for (int64_t line = 0; line < m.lines; line++) {
        place_of[line] = -1;
        augment(&m, line, place_of);
    }
    for (int64_t line = 0; line < m.lines; line++)
        for (int64_t e = m.start[line]; e < m.start[line + 1]; e++)
            if (m.place[e] == place_of[line])
                sum += m.count[e];
    for (int64_t a = 0; match != NULL && a < t->rows; a++)
        match[a] = (int32_t)(t->rows > t->cols ? m.line_at[a] : place_of[a]);
    *total = sum;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
