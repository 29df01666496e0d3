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
        complain("%s: the ending picks the format, and this is none of .csv .tsv .json", path);
        return USAGE;
    }
    ending = has_ending(path, ".json") ? PITH_JSON : has_ending(path, ".tsv") ? PITH_TSV : PITH_CSV;
    if (known && s->format != NULL && asked != ending) {
        complain("%s: its ending and --format %s disagree", path, s->format);
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
        complain(
            "-n COUNT says how many features are the best of a batch, and goes with --batch alone: every "
            "feature is ranked; -n auto asks how many to keep");
        return USAGE;
    }
    return parse_count("features", s->features, 1, INT32_MAX, &count);
}

static int rank(const settings *s)
{
    const char *data = s->arguments[0];
    pith_format format = PITH_CSV;
    session w;
    int status = DONE;
    STEP(session_open(s, &w));
    STEP(check_batch_count(s));
    STEP(choose_format(&w, &format));
    STEP(check_spared(&w, 1, &data, s->output, NULL));
    STEP(session_method(&w));
    STEP(session_prepared(&w, data, s->prep));
    if (s->features != NULL && !is_auto(s))
        STEP(session_count(&w));
    w.keep = is_auto(s) || format == PITH_JSON;
    STEP(session_run(&w));
    STEP(session_status(&w, pith_result_write(w.ctx, w.result, w.matrix, data, format, file_of(s->output)),
                        WRITING));
done:
    session_close(&w);
    return status;
}

static const option option_best = {
    .name = "features",
    .value = "COUNT",
    .letter = 'n',
    .kind = VALUE_TEXT,
    .at = offsetof(settings, features),
    .help =
        "'auto': say how many features to keep, where the method can; with --batch: how many features are "
        "the best of a batch (default: 2000, or all if there are fewer)"};

static const option *const options[] = {
    &option_method,      &option_prep,        &option_output,  &option_format,
    &option_force,       &option_seed,        &option_threads, &option_engine,
    &option_batch,       &option_batch_graph, &option_best,    &option_image_shape,
    &option_image_order, DATA_OPTIONS,        TALK_OPTIONS,    NULL,
};

static const example examples[] = {
    {"pith rank counts.mtx -m laplacian -o ranking.csv", "the ranking of one method, best feature first"},
    {"pith rank genes.csv -m spec --neighbors 10 --standardize zscore | head",
     "the first rows of a ranking, with parameters of the method"},
    {"pith rank cells.h5ad --batch donor -n 2000 -m seurat-v3", "genes that vary within most donors first"},
    {"pith rank cells.h5ad --prep counts,top-variance=2000 -m laplacian", "prepared on the way"},
    {"pith rank genes.csv -m laplacian --evidence groups",
     "with q-values of the features beside the ranking"},
    {"pith rank cells.h5ad -m laplacian --graph cells.h5ad:connectivities",
     "with the graph of neighbours that scanpy left in the file"},
    {NULL, NULL},
};

const command command_rank = {
    .name = "rank",
    .arguments = "DATA",
    .purpose = "scores and ranks every feature",
    .about =
        "Writes one row per feature, best first: rank, index (from 0), name and score. A higher score is "
        "better for every method. A feature that cannot be scored, such as a constant one, comes last "
        "with an empty score; a line on standard error sums up which and why, and JSON has the reason of "
        "each. "
        "Features without a score are in order of variance, constant ones at the end. The same data, seed "
        "and parameters give the same bytes, whatever the "
        "number of threads. Labels in the data are never seen by an unsupervised method.\n"
        "With --prep the data is prepared first, as 'pith prep' would do it; features that a step drops are "
        "not "
        "ranked, and the index of the others is that of the data as it was.\n"
        "With --batch every batch of at least 20 samples is ranked by itself, by the same method and "
        "settings. Features that are among the COUNT best (-n) of more batches come first, then those with a "
        "better median rank there; features that are among the best of no batch follow by their median rank "
        "in all. The score is the number of batches plus 1 - (median rank) / (features + 1), and two more "
        "columns tell the number of batches and whether it is all of them. Smaller batches are left out, and "
        "named. With --batch-graph a method that builds a graph of neighbours runs once, on a graph in which "
        "every sample has as many neighbours in one batch as in another.\n"
        "Every parameter of the method is an option, too. One that many methods share may be given to a "
        "method that has no use for it: pith says so and goes on.\n"
        "With --evidence (the default of consensus) three more columns tell whether a feature is more than "
        "chance: lift, the share of its variation between groups of samples that were found without it, over "
        "what chance gives; p; and q, the false discovery rate. Features that cannot be tested have empty "
        "cells, and JSON the reason. docs/evidence.md says what it means and what it does not.\n"
        "Methods with a graph of the samples build it from the columns. --graph FILE takes yours instead, a "
        "matrix of similarities between samples; --graph-rows FILE searches the neighbours among other rows, "
        "such as principal components. A method that has no use for them refuses them.\n",
    .options = options,
    .examples = examples,
    .fewest = 1,
    .most = 1,
    .takes_parameters = true,
    .run = rank,
};
