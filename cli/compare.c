/* pith compare: methods side by side, judged by clustering. */
#include "commands.h"
#include "print.h"
#include "progress.h"
#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT(field) offsetof(settings, field)

/* Does any of the methods of -m have the parameter? */
static bool some_have(const settings *s, const char *parameter)
{
    const char *list = s->method != NULL ? s->method : "all";
    const pith_method *m;
    bool found = false;
    for (size_t i = 0; !found && (m = pith_method_at(i)) != NULL; i++) {
        const char *name = pith_method_name(m), *at = list;
        for (size_t length = 0; !found && *at != '\0'; at += length + (at[length] == ',')) {
            length = strcspn(at, ",");
            found = method_has(m, parameter) && ((length == 3 && strncmp(at, "all", 3) == 0) ||
                                                 (length == strlen(name) && strncmp(at, name, length) == 0));
        }
    }
    return found;
}

/* "tree=auto:32x32", if a shape is given and a method can use it; else "". */
static int image_setting(const settings *s, char text[IMAGE_TREE])
{
    const int status = read_image_tree(s, text);
    for (size_t i = 0; i < s->n_grids; i++)
        if (strncmp(s->grids[i], "tree=", 5) == 0)
            text[0] = '\0';
    if (!some_have(s, "tree"))
        text[0] = '\0';
    return status;
}

/* "neighbors=7" of every --neighbors 7, and the tree of an image, "": none; NULL-ended. */
static char **fixed_settings(const settings *s, const char *tree)
{
    char **texts = take((s->n_parameters + 2) * sizeof *texts);
    for (size_t i = 0; i < s->n_parameters; i++) {
        const assignment *a = &s->parameters[i];
        texts[i] = take(strlen(a->name) + strlen(a->value) + 2);
        (void)sprintf(texts[i], "%s=%s", a->name, a->value);
    }
    texts[s->n_parameters] = texts[s->n_parameters + 1] = NULL;
    if (tree[0] != '\0') {
        texts[s->n_parameters] = take(strlen(tree) + sizeof "tree=");
        (void)sprintf(texts[s->n_parameters], "tree=%s", tree);
    }
    return texts;
}

static void free_texts(char **texts)
{
    for (size_t i = 0; texts != NULL && texts[i] != NULL; i++)
        free(texts[i]);
    free(texts);
}

/* Rows and columns are 0 without --image-shape. */
static int read_shape(const settings *s, const char *data, pith_comparison_about *about)
{
    about->image_by_columns =
        s->image_order != NULL ? strcmp(s->image_order, "column") == 0 : has_ending(data, ".mat");
    return read_image_shape(s, &about->image_rows, &about->image_cols);
}

static bool plain_word(const char *word)
{
    for (; *word != '\0'; word++)
        if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=,:+@%", *word) == NULL)
            return false;
    return true;
}

/* The command as the user typed it, for the report: words with other than plain characters in quotes. */
static char *typed(const settings *s)
{
    size_t size = 16;
    for (int i = 0; i < s->n_words; i++)
        size += 4 * strlen(s->words[i]) + 3;
    char *text = take(size), *at = text + sprintf(text, "pith compare");
    for (int i = 0; i < s->n_words; i++) {
        const char *word = s->words[i];
        const bool plain = plain_word(word) && word[0] != '\0';
        at += sprintf(at, plain ? " " : " '");
        for (; *word != '\0'; word++)
            at += *word == '\'' ? sprintf(at, "'\\''") : sprintf(at, "%c", *word);
        at += sprintf(at, plain ? "" : "'");
    }
    return text;
}

/* The endings select the formats; wrong ones are reported before the work. */
static int check_outputs(session *w)
{
    const settings *s = w->s;
    const char *path = file_of(s->output);
    int status = DONE;
    if (path != NULL && !has_ending(path, ".csv") && !has_ending(path, ".tsv") &&
        !has_ending(path, ".json")) {
        complain("%s: unknown ending; the ending selects the format: .csv .tsv .json%s", path,
                 has_ending(path, ".html") ? "; for a page, use --report instead of -o" : "");
        return USAGE;
    }
    STEP(check_place(w, path));
    STEP(check_place(w, s->report));
    STEP(check_spared(w, 1, s->arguments, s->output, s->report));
done:
    return status;
}

static int write_outputs(session *w, const pith_comparison *c, const pith_comparison_about *about)
{
    static const struct {
        const char *word;
        pith_format format;
    } formats[] = {{"csv", PITH_CSV}, {"tsv", PITH_TSV}, {"json", PITH_JSON}};
    const settings *s = w->s;
    const char *path = file_of(s->output);
    pith_format format = PITH_TEXT;
    int status = DONE;
    if (path != NULL)
        format = has_ending(path, ".json") ? PITH_JSON : has_ending(path, ".tsv") ? PITH_TSV : PITH_CSV;
    for (size_t i = 0; path == NULL && s->format != NULL && i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i].word, s->format) == 0)
            format = formats[i].format;
    progress_clear();
    if (path != NULL)
        STEP(session_status(w, pith_comparison_write(w->ctx, c, about, format, path), WRITING));
    if (s->report != NULL)
        STEP(session_status(w, pith_comparison_write(w->ctx, c, about, PITH_HTML, s->report), WRITING));
    if (path == NULL || !s->quiet)
        STEP(session_status(
            w, pith_comparison_write(w->ctx, c, about, path == NULL ? format : PITH_TEXT, NULL), WRITING));
    if (s->report != NULL && !s->quiet)
        note("the report is %s", s->report);
done:
    return status;
}

/* --clusters C or auto. */
static int read_clusters(const settings *s, int64_t *out)
{
    if (s->cluster_count == NULL || strcmp(s->cluster_count, "auto") == 0)
        return DONE;
    return parse_count("clusters", s->cluster_count, 2, 1000000000, out);
}

/* "all" leaves out methods for counts if a value is negative, and says so. */
static void tell_no_counts(session *w)
{
    const settings *s = w->s;
    const pith_method *m;
    char names[128] = "";
    size_t used = 0, count = 0;
    pith_info info;
    if (s->quiet || (s->method != NULL && strcmp(s->method, "all") != 0) ||
        pith_matrix_info(w->ctx, w->matrix, &info) != PITH_OK || info.nonnegative)
        return;
    for (size_t i = 0; (m = pith_method_at(i)) != NULL && used < sizeof names; i++)
        if (pith_method_needs_counts(m))
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", count++ > 0 ? ", " : "",
                                     pith_method_name(m));
    note("left out: %s (for counts only, and the data has negative values)", names);
}

static int compare(const settings *s)
{
    pith_comparison_about about = {.data = s->arguments[0]};
    pith_compare_options options = {.methods = s->method,
                                    .features = s->features,
                                    .grids = s->n_grids > 0 ? s->grids : NULL,
                                    .protocol = s->protocol,
                                    .clusterer = s->clusterer,
                                    .metric = s->cluster_metric,
                                    .cluster_on = s->cluster_on,
                                    .start = s->start,
                                    .restarts = s->restarts,
                                    .stability = s->stability,
                                    .resume = s->resume,
                                    .control = s->control};
    char *command_line = typed(s), **fixed = NULL, tree[IMAGE_TREE];
    pith_comparison *c = NULL;
    session w;
    int status = DONE;
    about.command = command_line;
    STEP(session_open(s, &w));
    STEP(image_setting(s, tree));
    fixed = fixed_settings(s, tree);
    options.settings = (const char *const *)fixed;
    STEP(read_shape(s, s->arguments[0], &about));
    STEP(read_clusters(s, &options.clusters));
    STEP(check_outputs(&w));
    w.spread = true;
    STEP(session_prepared(&w, s->arguments[0], s->prep));
    STEP(session_whole(&w, s->arguments[0], s->prep));
    STEP(session_agree(&w, DONE));
    options.part = w.part;
    progress_up_to(1);
    status =
        session_status(&w, pith_compare(w.ctx, w.matrix != NULL ? w.matrix : w.part, &options, &c), WORKING);
    session own = session_alone(&w);
    if (status == DONE && is_speaker())
        tell_no_counts(&own);
    if (c != NULL) { /* also when it was stopped: what is finished is kept */
        pith_ctx_set_progress(own.ctx, NULL, NULL);
        const int written = write_outputs(&own, c, &about);
        if (status != DONE && file_of(s->output) != NULL && has_ending(s->output, ".json"))
            note("the finished part is in %s; continue with --resume %s", s->output, s->output);
        status = status != DONE ? status : written;
    }
done:
    pith_comparison_free(c);
    status = session_end(&w, status);
    free_texts(fixed);
    free(command_line);
    return status;
}

static const char *const clusterers[] = {"kmeans", "spectral", NULL},
                         *const metrics[] = {"euclidean", "cosine", NULL},
                         *const weighings[] = {"values", "tf-idf", NULL},
                         *const starts[] = {"k-means++", "random", NULL};

static const option option_methods = {.name = "method",
                                      .value = "NAMES",
                                      .letter = 'm',
                                      .kind = VALUE_TEXT,
                                      .at = AT(method),
                                      .standard = "all",
                                      .help = "the methods, separated by commas, or 'all'"};
static const option option_counts = {
    .name = "features",
    .value = "COUNTS",
    .letter = 'n',
    .kind = VALUE_TEXT,
    .at = AT(features),
    .help = "numbers of features, separated by commas (default: six, depending on the size of the data)"};
static const option option_grid = {
    .name = "grid",
    .value = "NAME=V,V|default",
    .kind = VALUE_GRID,
    .at = AT(grids),
    .help = "values of a parameter to try; 'default': each method's own grid; can be repeated"};
static const option option_protocol = {
    .name = "protocol",
    .value = "PAPER",
    .kind = VALUE_TEXT,
    .at = AT(protocol),
    .help = "evaluation protocol of a paper: des, snfs, nrfs, lgdfs or hufs; other options override it"};
static const option option_clusterer = {
    .name = "clusterer",
    .kind = VALUE_CHOICE,
    .at = AT(clusterer),
    .choices = clusterers,
    .help = "clustering algorithm used to judge a selection (default: kmeans)"};
static const option option_cluster_metric = {
    .name = "cluster-metric",
    .kind = VALUE_CHOICE,
    .at = AT(cluster_metric),
    .choices = metrics,
    .help = "distance used for clustering (default: cosine for counts, else euclidean)"};
static const option option_cluster_on = {
    .name = "cluster-on",
    .kind = VALUE_CHOICE,
    .at = AT(cluster_on),
    .choices = weighings,
    .help = "values to cluster on (default: tf-idf for counts; values otherwise and in protocols)"};
static const option option_start = {.name = "start",
                                    .kind = VALUE_CHOICE,
                                    .at = AT(start),
                                    .choices = starts,
                                    .help = "initialization of k-means (default: k-means++)"};
static const option option_restarts = {.name = "restarts",
                                       .value = "R",
                                       .kind = VALUE_INTEGER,
                                       .at = AT(restarts),
                                       .lo = 1,
                                       .hi = 10000,
                                       .help = "clustering runs for each selection (default: 20)"};
static const option option_stability = {
    .name = "stability",
    .value = "B",
    .kind = VALUE_INTEGER,
    .at = AT(stability),
    .lo = 2,
    .hi = 1000,
    .help = "also rank B subsamples of four fifths of the rows and measure how similar the selections are"};
static const option option_control = {
    .name = "control",
    .kind = VALUE_NONE,
    .at = AT(control),
    .help = "also test the features of similar data without structure, to show what chance looks like"};
static const option option_clusters = {
    .name = "clusters",
    .value = "C|auto",
    .kind = VALUE_TEXT,
    .at = AT(cluster_count),
    .standard = "auto",
    .help =
        "number of clusters; auto: the number of classes or, without labels, estimated from the eigengap"};
static const option option_resume = {.name = "resume",
                                     .value = "FILE.json",
                                     .kind = VALUE_TEXT,
                                     .at = AT(resume),
                                     .help = "continue the interrupted run that wrote this file"};

static const option *const options[] = {
    &option_methods,        &option_counts,      &option_prep,
    &option_grid,           &option_protocol,    &option_clusterer,
    &option_cluster_metric, &option_cluster_on,  &option_start,
    &option_restarts,       &option_stability,   &option_control,
    &option_clusters,       &option_output,      &option_format,
    &option_report,         &option_image_shape, &option_image_order,
    &option_resume,         &option_force,       &option_seed,
    &option_threads,        SIZE_OPTIONS,        &option_engine,
    DATA_OPTIONS,           TALK_OPTIONS,        NULL,
};

static const example examples[] = {
    {"pith compare faces.mat --report faces.html --image-shape 32x32", "all methods, with an HTML report"},
    {"pith compare news.mtx -m laplacian,spec -n 100,200,400 --grid neighbors=3,5,10 -o news.json",
     "two methods over a grid; everything in JSON"},
    {"pith compare genes.csv -m laplacian,spec --stability 20", "also measure how stable each selection is"},
    {"pith compare genes.csv --control --report genes.html",
     "is there structure, and what would chance show?"},
    {"pith compare genes.csv --protocol hufs -o genes.json --resume genes.json", "continue after Ctrl-C"},
    {NULL, NULL},
};

const command command_compare = {
    .name = "compare",
    .arguments = "DATA",
    .purpose = "compares methods by how well the data clusters on what they select",
    .about = "Ranks the features by each method, clusters the data on the best features for several numbers "
             "of features, and evaluates the clusters: against the labels if there are any (accuracy, mutual "
             "information), otherwise without them. Three baselines are always included: all features, "
             "random features, and kmeans-energy. A method that fails appears in the table with the reason. "
             "With 20 samples or more, one line says whether the features share any structure at all; "
             "--control shows what chance would give on similar data. Ctrl-C keeps what is finished. Batches "
             "are supported by 'pith rank' and 'pith select' only: there is no --batch here.\n",
    .options = options,
    .examples = examples,
    .fewest = 1,
    .most = 1,
    .takes_parameters = true,
    .run = compare,
};
