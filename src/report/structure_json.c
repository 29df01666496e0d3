/* The evidence of a comparison as JSON. */
#include "report/report.h"

/* A plot on a screen needs no more digits. */
static void put_short(pith_i_json *j, double v)
{
    pith_i_json_number(j, NULL, round(v * 1e4) / 1e4);
}

/* The points of the plot, from the smallest q on; names: for the data, not for the control. */
static pith_status put_points(pith_ctx *ctx, pith_i_json *j, const pith_comparison *c, const pith_evidence *e,
                              bool names)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    int64_t count = 0, *features = NULL;
    char made[24];
    pith_status st = PITH_OK;
    TRY(pith_i_points_pick(ctx, e, &count, &features));
    pith_i_json_object(j, "points");
    if (names) {
        pith_i_json_array(j, "name");
        for (int64_t i = 0; i < count; i++)
            pith_i_json_text(j, NULL, pith_i_feature_label(c->m, features[i], made));
        pith_i_json_end(j);
    }
    pith_i_json_array(j, "lift");
    for (int64_t i = 0; i < count; i++)
        put_short(j, e->lift[features[i]]);
    pith_i_json_end(j);
    pith_i_json_array(j, "minus_log10_q");
    for (int64_t i = 0; i < count; i++)
        put_short(j, fabs(log10(e->q[features[i]])));
    pith_i_json_end(j);
    pith_i_json_end(j);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static void put_sums(pith_i_json *j, const pith_evidence *e)
{
    pith_i_json_count(j, "called", e->called);
    pith_i_json_count(j, "tested", e->tested);
    pith_i_json_count(j, "features", e->features);
    pith_i_json_number(j, "smallest_q", e->smallest_q);
    pith_i_json_number(j, "halves", e->halves);
}

void pith_i_json_curve(pith_i_json *j, const pith_i_curve *curve)
{
    pith_i_json_array(j, "curve");
    for (int64_t i = 0; i < curve->count; i++) {
        pith_i_json_object(j, NULL);
        pith_i_json_count(j, "features", curve->features[i]);
        pith_i_json_number(j, "agreement", curve->agreement[i]);
        pith_i_json_end(j);
    }
    pith_i_json_end(j);
}

static pith_status put_control(pith_ctx *ctx, pith_i_json *j, const pith_comparison *c)
{
    const pith_evidence *e = &c->structure.control.shown;
    pith_status st = PITH_OK;
    if (e->features == 0) {
        pith_i_json_null(j, "control");
        return PITH_OK;
    }
    pith_i_json_object(j, "control");
    pith_i_json_text(j, "kind", pith_i_control_kind(c));
    put_sums(j, e);
    TRY(put_points(ctx, j, c, e, false));
    pith_i_json_end(j);
done:
    return st;
}

const char *pith_i_control_kind(const pith_comparison *c)
{
    return c->structure.control_counts ? "counts without topics" : "columns shuffled";
}

pith_status pith_i_put_structure(pith_ctx *ctx, pith_i_json *j, const pith_comparison *c)
{
    const pith_i_structure *s = &c->structure;
    char text[PITH_EVIDENCE_TEXT];
    pith_status st = PITH_OK;
    pith_i_json_line(j);
    if (s->evidence.shown.features == 0) {
        pith_i_json_null(j, "evidence");
        return PITH_OK;
    }
    pith_i_json_object(j, "evidence");
    pith_i_json_text(j, "sentence", pith_evidence_text(&s->evidence.shown, text, sizeof text));
    pith_i_json_count(j, "samples", s->samples);
    put_sums(j, &s->evidence.shown);
    pith_i_json_curve(j, &s->curve);
    if (s->curve.count > 0)
        pith_i_json_count(j, "keep", s->keep);
    else
        pith_i_json_null(j, "keep");
    TRY(put_points(ctx, j, c, &s->evidence.shown, true));
    TRY(put_control(ctx, j, c));
    pith_i_json_end(j);
done:
    return st;
}
