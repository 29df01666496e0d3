#include "report/report.h"

/* As text: a JSON number may be read as a double, which does not hold 64 bits. */
static void put_fingerprint(pith_i_json *j, const pith_i_fingerprint *f)
{
    char text[24];
    pith_i_json_object(j, "fingerprint");
    for (int t = 0; t < TRAITS; t++) {
        (void)snprintf(text, sizeof text, "%016llx", (unsigned long long)f->of[t]);
        pith_i_json_text(j, pith_i_trait_keys[t], f->has[t] ? text : NULL);
    }
    pith_i_json_end(j);
}

static void put_data(pith_i_json *j, const pith_comparison *c, const char *name)
{
    const pith_matrix *m = c->m;
    pith_i_json_object(j, "data");
    pith_i_json_data_members(j, m, name);
    put_fingerprint(j, &c->fingerprint);
    if (m->label == NULL) {
        pith_i_json_null(j, "classes");
    } else {
        pith_i_json_array(j, "classes");
        for (int64_t k = 0; k < m->classes.count; k++) {
            int64_t size = 0;
            for (int64_t i = 0; i < m->data.n; i++)
                size += m->label[i] == k;
            pith_i_json_object(j, NULL);
            pith_i_json_text(j, "name", pith_i_name(&m->classes, k));
            pith_i_json_count(j, "size", size);
            pith_i_json_end(j);
        }
        pith_i_json_end(j);
    }
    pith_i_json_end(j);
}

static void put_subsets(pith_i_json *j, const pith_i_protocol *p)
{
    if (p->subset_draws == 0) {
        pith_i_json_null(j, "subsets");
        return;
    }
    pith_i_json_object(j, "subsets");
    pith_i_json_count(j, "classes", p->subset_classes);
    pith_i_json_count(j, "draws", p->subset_draws);
    pith_i_json_end(j);
}

static void put_protocol(pith_i_json *j, const pith_comparison *c)
{
    const pith_i_protocol *p = &c->protocol;
    pith_i_json_object(j, "protocol");
    pith_i_json_text(j, "name", p->name);
    pith_i_json_text(j, "clusterer", p->clusterer == CLUSTER_KMEANS ? "kmeans" : "spectral");
    pith_i_json_text(j, "metric", p->cosine ? "cosine" : "euclidean");
    pith_i_json_text(j, "cluster_on", p->tfidf ? "tf-idf" : "values");
    pith_i_json_text(j, "start", p->random_start ? "random" : "k-means++");
    pith_i_json_count(j, "restarts", p->restarts);
    pith_i_json_text(j, "runs_counted", p->best_inertia ? "the best by inertia" : "all");
    pith_i_json_count(j, "clusters", p->clusters);
    pith_i_json_text(j, "clusters_from", p->clusters_from);
    pith_i_json_array(j, "features");
    for (int64_t k = 0; k < c->n_counts; k++)
        pith_i_json_count(j, NULL, c->counts[k]);
    pith_i_json_end(j);
    pith_i_json_array(j, "measures");
    for (int m = c->m->label != NULL ? 0 : MEASURE_AGREEMENT; m < MEASURES; m++)
        if (m != MEASURE_STABILITY || p->subsamples > 0)
            pith_i_json_text(j, NULL, pith_i_measure_names[m]);
    pith_i_json_end(j);
    pith_i_json_text(j, "no_agreement", c->no_agreement);
    pith_i_json_text(j, "sort", pith_i_measure_names[p->sort]);
    pith_i_json_text(j, "settings", c->settings);
    pith_i_json_number(j, "seed", (double)c->seed);
    put_subsets(j, p);
    pith_i_json_count(j, "subsamples", p->subsamples);
    pith_i_json_end(j);
}

static void put_figure(pith_i_json *j, const char *key, const pith_i_figure *f)
{
    pith_i_json_object(j, key);
    pith_i_json_number(j, "mean", f->mean);
    pith_i_json_number(j, "sd", f->sd);
    pith_i_json_count(j, "runs", f->runs);
    pith_i_json_end(j);
}

/* row NULL: the entry failed. */
static void put_row(pith_ctx *ctx, pith_i_json *j, const pith_i_entry *e, const pith_i_row *row)
{
    pith_i_json_line(j);
    pith_i_json_object(j, NULL);
    pith_i_json_text(j, "method", e->method);
    pith_i_json_text(j, "setting", e->setting);
    pith_i_json_params(ctx, j, "parameters", e->params);
    if (row == NULL) {
        pith_i_json_null(j, "features");
        pith_i_json_text(j, "error", e->error);
    } else {
        pith_i_json_count(j, "features", row->features);
        for (int m = 0; m < MEASURES; m++)
            if (!isnan(row->figure[m].mean))
                put_figure(j, pith_i_measure_names[m], &row->figure[m]);
    }
    pith_i_json_number(j, "seconds", e->seconds);
    pith_i_json_count(j, "peak_bytes", e->peak_bytes);
    if (e->recall > 0)
        pith_i_json_number(j, "recall", e->recall);
    pith_i_json_end(j);
}

static void put_rows(pith_ctx *ctx, pith_i_json *j, const pith_comparison *c)
{
    pith_i_json_line(j);
    pith_i_json_array(j, "rows");
    for (int64_t i = 0; i < c->n_entries; i++) {
        const pith_i_entry *e = &c->entries[i];
        if (e->error != NULL)
            put_row(ctx, j, e, NULL);
        for (int64_t k = 0; e->error == NULL && k < e->n_rows; k++)
            put_row(ctx, j, e, &e->rows[k]);
    }
    pith_i_json_end(j);
}

static void put_best(pith_i_json *j, const pith_comparison *c, const pith_i_standing *s, bool overall)
{
    for (int m = 0; m < MEASURES; m++) {
        const pith_i_best *b = &s->by[m];
        if (b->entry < 0)
            continue;
        pith_i_json_object(j, pith_i_measure_names[m]);
        pith_i_json_number(j, "mean", b->figure.mean);
        pith_i_json_number(j, "sd", b->figure.sd);
        pith_i_json_text(j, "setting", c->entries[b->entry].setting);
        if (overall) {
            pith_i_json_count(j, "features", b->features);
            pith_i_json_count(j, "runs", b->figure.runs);
            pith_i_json_bool(j, "wins", b->wins);
            pith_i_json_bool(j, "ties", b->ties);
        }
        pith_i_json_end(j);
    }
}

static void put_medians(pith_i_json *j, const pith_i_standing *s)
{
    pith_i_json_object(j, "median");
    for (int m = 0; m < MEASURES; m++)
        if (s->by[m].entry >= 0)
            pith_i_json_number(j, pith_i_measure_names[m], s->by[m].median);
    pith_i_json_end(j);
}

/* Best and median over settings of every method at every count. */
static pith_status put_summary(pith_ctx *ctx, pith_i_json *j, const pith_comparison *c)
{
    pith_status st = PITH_OK;
    pith_i_json_line(j);
    pith_i_json_array(j, "summary");
    for (int64_t k = 0; k < c->n_counts; k++) {
        const size_t mark = pith_i_scratch_mark(ctx);
        pith_i_standing *s = NULL;
        int64_t count = 0;
        TRY(pith_i_standings(ctx, c, c->counts[k], &count, &s));
        for (int64_t i = 0; i < count; i++) {
            if (s[i].by[c->protocol.sort].entry < 0)
                continue;
            pith_i_json_line(j);
            pith_i_json_object(j, NULL);
            pith_i_json_text(j, "method", s[i].method);
            pith_i_json_count(j, "features", c->counts[k]);
            pith_i_json_object(j, "best");
            put_best(j, c, &s[i], false);
            pith_i_json_end(j);
            put_medians(j, &s[i]);
            pith_i_json_end(j);
        }
        pith_i_scratch_release(ctx, mark);
    }
    pith_i_json_end(j);
done:
    return st;
}

/* Every method at its best count and setting, best first. */
static void put_ranking(pith_i_json *j, const pith_comparison *c, int64_t count, const pith_i_standing *s)
{
    pith_i_json_line(j);
    pith_i_json_array(j, "ranking");
    for (int64_t i = 0; i < count; i++) {
        pith_i_json_line(j);
        pith_i_json_object(j, NULL);
        pith_i_json_text(j, "method", s[i].method);
        pith_i_json_bool(j, "yardstick", s[i].yardstick);
        pith_i_json_bool(j, "supervised", s[i].supervised);
        put_best(j, c, &s[i], true);
        put_medians(j, &s[i]);
        pith_i_json_number(j, "seconds", s[i].seconds);
        pith_i_json_count(j, "peak_bytes", s[i].peak_bytes);
        pith_i_json_end(j);
    }
    pith_i_json_end(j);
}

/* The entry whose selection stands for the method; -1: it has none. */
static int64_t selection_of(const pith_comparison *c, const pith_i_standing *s)
{
    const int64_t entry = s->by[c->protocol.sort].entry;
    return entry >= 0 && c->entries[entry].ranking != NULL ? entry : -1;
}

static void put_top(pith_i_json *j, const pith_comparison *c, int64_t count, const pith_i_standing *s)
{
    char made[24];
    pith_i_json_line(j);
    pith_i_json_array(j, "top");
    for (int64_t i = 0; i < count; i++) {
        if (selection_of(c, &s[i]) < 0)
            continue;
        const pith_i_entry *e = &c->entries[selection_of(c, &s[i])];
        pith_i_json_line(j);
        pith_i_json_object(j, NULL);
        pith_i_json_text(j, "method", e->method);
        pith_i_json_text(j, "setting", e->setting);
        pith_i_json_array(j, "features");
        for (int64_t r = 0; r < PITH_I_SHOWN && r < c->n_kept; r++) {
            pith_i_json_object(j, NULL);
            pith_i_json_count(j, "index", pith_matrix_origin(c->m, e->ranking[r]));
            pith_i_json_text(j, "name", pith_i_feature_label(c->m, e->ranking[r], made));
            pith_i_json_number(j, "score", e->score[r]);
            pith_i_json_end(j);
        }
        pith_i_json_end(j);
        pith_i_json_end(j);
    }
    pith_i_json_end(j);
}

/* The best features of every entry: what a resumed run needs to draw them again. */
static void put_rankings(pith_i_json *j, const pith_comparison *c)
{
    pith_i_json_line(j);
    pith_i_json_array(j, "rankings");
    for (int64_t i = 0; i < c->n_entries; i++) {
        const pith_i_entry *e = &c->entries[i];
        if (e->ranking == NULL)
            continue;
        pith_i_json_line(j);
        pith_i_json_object(j, NULL);
        pith_i_json_text(j, "method", e->method);
        pith_i_json_text(j, "setting", e->setting);
        pith_i_json_array(j, "index");
        for (int64_t r = 0; r < c->n_kept; r++)
            pith_i_json_count(j, NULL, pith_matrix_origin(c->m, e->ranking[r]));
        pith_i_json_end(j);
        pith_i_json_array(j, "score");
        for (int64_t r = 0; r < c->n_kept; r++)
            pith_i_json_number(j, NULL, e->score[r]);
        pith_i_json_end(j);
        pith_i_json_end(j);
    }
    pith_i_json_end(j);
}

static pith_status put_agreement(pith_ctx *ctx, pith_i_json *j, const pith_comparison *c, int64_t count,
                                 const pith_i_standing *s)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t features = pith_i_middle_count(c);
    bool *seen = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, seen, c->m->data.p));
    pith_i_json_line(j);
    pith_i_json_object(j, "agreement");
    pith_i_json_count(j, "features", features);
    pith_i_json_array(j, "methods");
    for (int64_t i = 0; i < count; i++)
        if (selection_of(c, &s[i]) >= 0)
            pith_i_json_text(j, NULL, s[i].method);
    pith_i_json_end(j);
    pith_i_json_array(j, "overlap");
    for (int64_t a = 0; a < count; a++) {
        if (selection_of(c, &s[a]) < 0)
            continue;
        pith_i_json_array(j, NULL);
        for (int64_t b = 0; b < count; b++)
            if (selection_of(c, &s[b]) >= 0)
                pith_i_json_number(
                    j, NULL,
                    pith_i_overlap(c, selection_of(c, &s[a]), selection_of(c, &s[b]), features, seen));
        pith_i_json_end(j);
    }
    pith_i_json_end(j);
    pith_i_json_end(j);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static void put_numbers(pith_i_json *j, const char *key, int64_t count, const double *v)
{
    pith_i_json_array(j, key);
    for (int64_t i = 0; i < count; i++) /* a map on a screen needs no more digits */
        pith_i_json_number(j, NULL, (double)(float)v[i]);
    pith_i_json_end(j);
}

static void put_map(pith_i_json *j, const pith_comparison *c, const pith_i_map *map)
{
    pith_i_json_object(j, "embedding");
    pith_i_json_text(j, "of", c->m->label != NULL ? "labels" : "clusters");
    pith_i_json_array(j, "names");
    for (int32_t k = 0; k < map->colours; k++)
        pith_i_json_text(j, NULL, pith_i_name(&c->m->classes, k));
    pith_i_json_end(j);
    pith_i_json_array(j, "samples");
    for (int64_t i = 0; i < map->count; i++)
        pith_i_json_count(j, NULL, map->sample[i]);
    pith_i_json_end(j);
    pith_i_json_array(j, "colour");
    for (int64_t i = 0; i < map->count; i++)
        pith_i_json_count(j, NULL, map->colour[i]);
    pith_i_json_end(j);
    pith_i_json_object(j, "all");
    put_numbers(j, "x", map->count, map->x);
    put_numbers(j, "y", map->count, map->y);
    pith_i_json_end(j);
    if (map->sx != NULL) {
        pith_i_json_object(j, "selected");
        pith_i_json_text(j, "method", c->entries[map->entry].method);
        pith_i_json_count(j, "features", map->features);
        put_numbers(j, "x", map->count, map->sx);
        put_numbers(j, "y", map->count, map->sy);
        pith_i_json_end(j);
    }
    pith_i_json_end(j);
}

static void put_embedding(pith_i_json *j, const pith_comparison *c)
{
    pith_i_json_line(j);
    if (c->map.count > 0)
        put_map(j, c, &c->map);
    else
        pith_i_json_null(j, "embedding");
}

static void put_image(pith_i_json *j, const pith_comparison *c, const pith_comparison_about *about,
                      int64_t count, const pith_i_standing *s)
{
    if (about->image_rows <= 0) {
        pith_i_json_null(j, "image");
        return;
    }
    pith_i_json_object(j, "image");
    pith_i_json_count(j, "rows", about->image_rows);
    pith_i_json_count(j, "cols", about->image_cols);
    pith_i_json_bool(j, "by_columns", about->image_by_columns);
    pith_i_json_array(j, "pixels");
    for (int64_t i = 0; i < count; i++) {
        if (selection_of(c, &s[i]) < 0)
            continue;
        const int64_t *ranking = c->entries[selection_of(c, &s[i])].ranking;
        pith_i_json_object(j, NULL);
        pith_i_json_text(j, "method", s[i].method);
        pith_i_json_array(j, "index");
        for (int64_t r = 0; r < s[i].by[c->protocol.sort].features; r++)
            pith_i_json_count(j, NULL, pith_matrix_origin(c->m, ranking[r]));
        pith_i_json_end(j);
        pith_i_json_end(j);
    }
    pith_i_json_end(j);
    pith_i_json_end(j);
}

pith_status pith_i_put_json(pith_ctx *ctx, FILE *out, const pith_comparison *c,
                            const pith_comparison_about *about)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_json j = {.out = out};
    pith_i_standing *s = NULL;
    int64_t count = 0;
    pith_status st = PITH_OK;
    TRY(pith_i_standings(ctx, c, 0, &count, &s));
    pith_i_json_object(&j, NULL);
    pith_i_json_text(&j, "version", pith_version());
    if (c->engine[0] != '\0')
        pith_i_json_text(&j, "engine", c->engine);
    if (c->recall > 0)
        pith_i_json_number(&j, "recall", c->recall);
    pith_i_json_text(&j, "command", about->command);
    pith_i_json_bool(&j, "complete", c->complete);
    put_data(&j, c, about->data);
    pith_i_json_line(&j);
    put_protocol(&j, c);
    put_rows(ctx, &j, c);
    put_rankings(&j, c);
    TRY(put_summary(ctx, &j, c));
    put_ranking(&j, c, count, s);
    put_top(&j, c, count, s);
    TRY(put_agreement(ctx, &j, c, count, s));
    TRY(pith_i_put_structure(ctx, &j, c));
    put_embedding(&j, c);
    put_image(&j, c, about, count, s);
    pith_i_json_end(&j);
    (void)fputc('\n', out);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
