/* pith select: keeps the best features of the data. */
#include "commands.h"
#include "print.h"
#include "session.h"

#include <stdlib.h>
#include <string.h>

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static bool is_auto(const settings *s)
{
    return s->features != NULL && strcmp(s->features, "auto") == 0;
}

/* Does this method say how many features to keep? If not, those that do are named. */
static int check_keeps(const pith_method *method)
{
    char list[512] = "";
    size_t used = 0;
    const pith_method *m;
    if (pith_method_keeps(method))
        return DONE;
    for (size_t i = 0; (m = pith_method_at(i)) != NULL; i++)
        if (pith_method_keeps(m) && used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "",
                                     pith_method_name(m));
    complain("-n auto: %s cannot choose the number of features; give a number, or use one of: %s",
             pith_method_name(method), list);
    return USAGE;
}

static int check_count(const settings *s)
{
    const pith_method *method = pith_method_find(s->method);
    int64_t count = 0;
    if (s->features == NULL && s->fdr > 0)
        return DONE;
    if (s->features == NULL) {
        complain("select needs -n COUNT, the number of features to keep, or --fdr RATE");
        return USAGE;
    }
    if (is_auto(s) && s->batch != NULL && !s->batch_graph) {
        complain(
            "-n auto cannot be used with --batch: every batch would keep a different number of features");
        return USAGE;
    }
    if (is_auto(s)) /* a method that is unknown, or not yet chosen, is checked later */
        return method != NULL ? check_keeps(method) : DONE;
    return parse_count("features", s->features, 1, INT32_MAX, &count);
}

/* -n auto: the number that the method chose. */
static int take_auto_count(const session *w, int64_t *out)
{
    const pith_method *method = pith_params_method(pith_result_params(w->result));
    const int status = check_keeps(method);
    if (status != DONE)
        return status;
    *out = pith_result_keep(w->result);
    if (*out == 0) {
        complain("-n auto: %s would keep no feature of %s; give a number", pith_method_name(method),
                 w->s->arguments[0]);
        return FAILED;
    }
    if (!w->s->quiet)
        note("keeping %lld features (the number that %s chose)", (long long)*out, pith_method_name(method));
    return DONE;
}

/* The features to keep, best first: at most *count (0: no limit), of those that --fdr calls; *count becomes
 * their number. */
static int find_kept(const session *w, int64_t *count, int64_t **kept)
{
    const int64_t p = pith_result_features(w->result);
    int64_t found = p;
    *kept = take((size_t)p * sizeof **kept);
    memcpy(*kept, pith_result_ranking_for(w->result, *count), (size_t)p * sizeof **kept);
    if (w->s->fdr > 0)
        found = pith_result_called(w->result, w->s->fdr, *kept);
    *count = *count > 0 && *count < found ? *count : found;
    if (found > 0) {
        if (w->s->fdr > 0 && !w->s->quiet)
            note("keeping %lld features with q at most %g", (long long)*count, w->s->fdr);
        return DONE;
    }
    complain("--fdr %g: no feature of %s has a q-value this small, so nothing is written", w->s->fdr,
             w->s->arguments[0]);
    return FAILED;
}

/* In the order of the data, as scikit-learn keeps them: column names and neighbours stay familiar. Where
 * processes share the samples, each writes its own if the format allows it, else process 0 all of them. */
static int keep_best(session *w, int64_t count)
{
    int64_t *kept = NULL;
    pith_matrix *reduced = NULL;
    bool written = false;
    int status = DONE;
    STEP(find_kept(w, &count, &kept));
    qsort(kept, (size_t)count, sizeof *kept, by_number);
    if (pith_ctx_processes(w->ctx) > 1) {
        STEP(session_status(w, pith_matrix_select(w->ctx, w->matrix, count, kept, &reduced), WORKING));
        STEP(session_write_parts(w, reduced, w->s->output, &written));
        pith_matrix_free(reduced);
        reduced = NULL;
    }
    if (!written) {
        STEP(session_whole(w, w->s->arguments[0], w->s->prep));
        session own = session_alone(w);
        if (is_speaker()) {
            STEP(session_status(&own, pith_matrix_select(own.ctx, own.matrix, count, kept, &reduced),
                                WORKING));
            STEP(session_write_table(&own, reduced, w->s->output));
        }
    }
done:
    pith_matrix_free(reduced);
    free(kept);
    return status;
}

static int select_features(const settings *s)
{
    int64_t count = 0;
    session w;
    int status = DONE;
    STEP(session_open(s, &w));
    w.spread = true;
    STEP(check_count(s));
    STEP(check_table_output(&w, s->output, s->format));
    STEP(check_spared(&w, 1, s->arguments, s->output, NULL));
    STEP(session_method(&w));
    STEP(session_prepared(&w, s->arguments[0], s->prep));
    STEP(session_agree(&w, DONE));
    if (s->features != NULL && !is_auto(s))
        STEP(session_count(&w));
    w.keep = is_auto(s);
    count = w.count;
    STEP(session_run(&w));
    if (is_auto(s))
        STEP(take_auto_count(&w, &count));
    STEP(keep_best(&w, count));
done:
    return session_end(&w, status);
}

static const option option_features = {"features",
                                       "COUNT",
                                       'n',
                                       VALUE_TEXT,
                                       offsetof(settings, features),
                                       0,
                                       0,
                                       NULL,
                                       NULL,
                                       "how many features to keep; 'auto' lets the method decide, if it can"};

static const option option_fdr = {
    .name = "fdr",
    .value = "RATE",
    .kind = VALUE_REAL,
    .at = offsetof(settings, fdr),
    .lo = 1e-300,
    .hi = 1,
    .help = "keep the features with a q-value of at most RATE, such as 0.05; with -n: at most COUNT of them"};

static const option *const options[] = {
    &option_features,    &option_fdr,         &option_method,
    &option_prep,        &option_output,      &option_table_format,
    &option_force,       &option_seed,        &option_threads,
    SIZE_OPTIONS,        &option_engine,      &option_batch,
    &option_batch_graph, &option_image_shape, &option_image_order,
    DATA_OPTIONS,        TALK_OPTIONS,        NULL,
};

static const example examples[] = {
    {"pith select counts.mtx -m laplacian -n 500 -o reduced.mtx", "the 500 best columns, in the same format"},
    {"pith select genes.csv -n 50 -o genes50.npz", "method chosen for the kind of data, other output format"},
    {"pith select cells.h5ad -n 2000 -o genes.h5ad",
     "the same file with 2000 genes, including layers, obs and uns"},
    {"pith select cells.h5ad --batch donor -m seurat-v3 -n 2000 -o genes.h5ad",
     "genes that are among the 2000 best in most donors"},
    {"pith select counts.mtx -m cl-des -n auto -o reduced.mtx",
     "as many features as the method itself would keep"},
    {"pith select genes.csv -m consensus --fdr 0.05 -o called.csv",
     "those that stand out from chance, at a false discovery rate of 5 %"},
    {NULL, NULL},
};

const command command_select = {
    .name = "select",
    .arguments = "DATA",
    .purpose = "keeps the COUNT best features of the data",
    .about = "Ranks the features as 'pith rank' does and writes the data with the COUNT best of them. The "
             "selected columns are in the order of the data, not of the ranking. Names of features and "
             "samples, and the labels, are kept. With --prep the data is prepared first, and the prepared "
             "data is written, as by 'pith prep' followed by 'pith select'. From .h5ad to .h5ad everything "
             "else in the file is kept: obs, obsm, obsp, uns and raw unchanged; var, varm, varp and layers "
             "reduced to the selected features.\nWith --batch, features that are among the COUNT best in the "
             "most batches are selected first: see 'pith rank --help' for the rule. The batch column is not "
             "a feature and is not written to a table.\nWith --fdr, the features with a small enough q-value "
             "are kept: those that share structure with other features, of which at most that fraction is "
             "expected to be false. With consensus, -n auto keeps the number of features that agrees best "
             "with the groups found in halves of the features.\n",
    .options = options,
    .examples = examples,
    .fewest = 1,
    .most = 1,
    .takes_parameters = true,
    .run = select_features,
};
