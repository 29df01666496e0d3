/* pith rank: scores and ranks every feature. */
#include "commands.h"
#include "print.h"
#include "session.h"

#include <string.h>

static bool format_named(const char *word, pith_format *out)
{
    static const char *const words[] = {"csv", "tsv", "json"};
    for (int i = 0; i < 3; i++)
        if (strcmp(words[i], word) == 0) {
            *out = (pith_format)i;
            return true;
        }
    return false;
}

/* The format: that of the file's ending, else of --format, else CSV. A name without an ending has none. */
static int choose_format(session *w, pith_format *out)
{
    const settings *s = w->s;
    const char *path = file_of(s->output);
    const char *name = path == NULL ? NULL : strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
    const char *dot = name == NULL ? NULL : strrchr(name, '.');
    pith_format asked = PITH_CSV, ending = PITH_CSV;
    if (s->format != NULL)
        (void)format_named(s->format, &asked);
    *out = asked;
    if (dot == NULL)
        return check_place(w, path);
    const bool known = has_ending(path, ".csv") || has_ending(path, ".tsv") || has_ending(path, ".json");
    if (!known && s->format == NULL) {
        complain("%s: unknown ending; the ending selects the format: .csv .tsv .json", path);
        return USAGE;
    }
    ending = has_ending(path, ".json") ? PITH_JSON : has_ending(path, ".tsv") ? PITH_TSV : PITH_CSV;
    if (known && s->format != NULL && asked != ending) {
        complain("%s: the ending contradicts --format %s", path, s->format);
        return USAGE;
    }
    *out = known ? ending : asked;
    return check_place(w, path);
}

static bool is_auto(const settings *s)
{
    return s->features != NULL && strcmp(s->features, "auto") == 0;
}

static int check_batch_count(const settings *s)
{
    int64_t count = 0;
    if (s->features == NULL || (is_auto(s) && s->batch == NULL))
        return DONE;
    if (s->batch == NULL || s->batch_graph) {
        complain("-n COUNT works only with --batch, where it sets how many features count as the best of a "
                 "batch: rank always ranks every feature; -n auto says how many to keep");
        return USAGE;
    }
    return parse_count("features", s->features, 1, INT32_MAX, &count);
}

/* -n auto: how many features the method would keep. */
static void tell_count(const session *w)
{
    const pith_method *method = pith_params_method(pith_result_params(w->result));
    if (pith_method_keeps(method))
        note("%s would keep the %lld best features", pith_method_name(method),
             (long long)pith_result_keep(w->result));
    else
        note("%s cannot say how many features to keep; -n auto has no effect", pith_method_name(method));
}

static int rank(const settings *s)
{
    const char *data = s->arguments[0];
    pith_format format = PITH_CSV;
    session w;
    int status = DONE;
    STEP(session_open(s, &w));
    w.spread = true;
    STEP(check_batch_count(s));
    STEP(choose_format(&w, &format));
    STEP(check_spared(&w, 1, &data, s->output, NULL));
    STEP(session_method(&w));
    STEP(session_prepared(&w, data, s->prep));
    STEP(session_agree(&w, DONE));
    if (s->features != NULL && !is_auto(s))
        STEP(session_count(&w));
    w.keep = is_auto(s) || format == PITH_JSON;
    STEP(session_run(&w));
    if (is_auto(s) && !s->quiet)
        tell_count(&w);
    if (is_speaker())
        STEP(session_status(
            &w, pith_result_write(w.ctx, w.result, w.matrix, data, format, file_of(s->output)), WRITING));
done:
    return session_end(&w, status);
}

static const option option_best = {
    .name = "features",
    .value = "COUNT",
    .letter = 'n',
    .kind = VALUE_TEXT,
    .at = offsetof(settings, features),
    .help = "'auto': report how many features to keep, if the method can; with --batch: how many features "
            "count as the best of a batch (default: 2000, or all if there are fewer)"};

static const option *const options[] = {
    &option_method,
    &option_prep,
    &option_output,
    &option_format,
    &option_force,
    &option_seed,
    &option_threads,
    SIZE_OPTIONS,
    &option_engine,
    &option_batch,
    &option_batch_graph,
    &option_best,
    &option_image_shape,
    &option_image_order,
    DATA_OPTIONS,
    TALK_OPTIONS,
    NULL,
};

static const example examples[] = {
    {"pith rank counts.mtx -m laplacian -o ranking.csv", "the ranking of one method, best feature first"},
    {"pith rank genes.csv -m spec --neighbors 10 --standardize zscore | head",
     "the top of a ranking, with parameters of the method"},
    {"pith rank cells.h5ad --batch donor -n 2000 -m seurat-v3",
     "genes that vary within most donors come first"},
    {"pith rank cells.h5ad --prep counts,top-variance=2000 -m laplacian", "with the data prepared first"},
    {"pith rank genes.csv -m laplacian --evidence groups",
     "with q-values of the features beside the ranking"},
    {"pith rank cells.h5ad -m laplacian --graph cells.h5ad:connectivities",
     "with the nearest-neighbour graph that scanpy stored in the file"},
    {NULL, NULL},
};

const command command_rank = {
    .name = "rank",
    .arguments = "DATA",
    .purpose = "scores and ranks every feature",
    .about =
        "Writes one row per feature, best first: rank, index (from 0), name and score. A higher score is "
        "better for every method; with --diversity, which consensus uses by default, a feature that is "
        "redundant with better ones comes later than its score says. A feature that cannot be scored, such "
        "as a constant one, comes last with "
        "an empty score. A line on standard error says which and why, and JSON gives the reason for each. "
        "Features without a score are ordered by variance, with constant ones at the end. The same data, "
        "seed and parameters give the same bytes for any number of threads. Unsupervised methods never see "
        "the labels in the data.\nWith --prep the data is prepared first, as by 'pith prep'. Features that a "
        "step drops are not ranked; the index of the others refers to the original data.\nWith --batch every "
        "batch of at least 20 samples is ranked separately, by the same method and settings. Features are "
        "ordered by the number of batches in which they are among the COUNT best (-n), then by their median "
        "rank in those batches. Features that are among the best of no batch follow, by their median rank in "
        "all batches. The score is the number of batches plus 1 - (median rank) / (features + 1). Two more "
        "columns give the number of batches and whether that is all of them. Smaller batches are left out, "
        "with a message that names them. With --batch-graph a method that builds a nearest-neighbour graph "
        "runs once, on a graph in which every sample has equally many neighbours in each batch.\nEvery "
        "parameter of the method is also an option. Shared parameters may be given to a method that does not "
        "use them: pith says so and continues.\nWith --evidence (the default for consensus) three more "
        "columns say whether a feature stands out from chance: lift, how much of its variance lies between "
        "groups of samples that were found without it, relative to chance; p, the p-value; and q, the false "
        "discovery rate. Features that cannot be tested have empty cells; JSON gives the reason. "
        "docs/evidence.md explains what this means and what it does not.\nMethods that use a graph of the "
        "samples build it from the data. --graph FILE uses your own graph instead, a matrix of similarities "
        "between samples. --graph-rows FILE finds the neighbours in other coordinates, such as principal "
        "components. A method that cannot use them refuses them.\n",
    .options = options,
    .examples = examples,
    .fewest = 1,
    .most = 1,
    .takes_parameters = true,
    .run = rank,
};
