/* pith synth: synthetic data whose informative features are known, and controls that have none. */
#include "commands.h"
#include "print.h"
#include "session.h"

#include <string.h>

static int make_blobs(session *w)
{
    const settings *s = w->s;
    pith_blobs blobs = {.n = s->samples,
                        .clusters = s->clusters,
                        .informative = s->informative,
                        .separation = s->separation,
                        .density = s->density,
                        .single = s->single};
    const int status = parse_count("features", s->features, 1, INT32_MAX, &blobs.p);
    return status != DONE ? status : session_status(w, pith_synth_blobs(w->ctx, &blobs, &w->matrix), WORKING);
}

static int make_null(session *w)
{
    pith_matrix *made = NULL;
    int status = DONE;
    STEP(session_read(w, w->s->arguments[1], PITH_MISSING_ERROR));
    STEP(session_status(w, pith_synth_null(w->ctx, w->matrix, &made), WORKING));
    pith_matrix_free(w->matrix);
    w->matrix = made;
    w->path = NULL; /* nothing else in the file belongs to these rows */
done:
    return status;
}

static int check_arguments(const settings *s)
{
    const bool null = strcmp(s->arguments[0], "null") == 0;
    if (null == (s->n_arguments == 2))
        return DONE;
    if (null)
        complain("synth null needs the data to make a control for: pith synth null DATA");
    else
        complain("synth %s reads no data: only 'synth null DATA' does", s->arguments[0]);
    return USAGE;
}

static int synth(const settings *s)
{
    static const char *const names[] = {"nrfs", "blobs", "null", NULL};
    const char *name = s->arguments[0];
    session w;
    int status = DONE;
    STEP(session_open(s, &w));
    STEP(check_arguments(s));
    STEP(check_table_output(&w, s->output, s->format));
    STEP(check_spared(&w, s->n_arguments - 1, s->arguments + 1, s->output, NULL));
    if (strcmp(name, "nrfs") == 0)
        STEP(session_status(&w, pith_synth_nrfs(w.ctx, s->half_width, &w.matrix), WORKING));
    else if (strcmp(name, "blobs") == 0)
        STEP(make_blobs(&w));
    else if (strcmp(name, "null") == 0)
        STEP(make_null(&w));
    else
        STEP(unknown_word("data set", name, names));
    STEP(session_write_table(&w, w.matrix, s->output));
done:
    session_close(&w);
    return status;
}

#define AT(field) offsetof(settings, field)

static const option option_samples = {"samples", "N",  0,    VALUE_INTEGER, AT(samples),
                                      2,         1e12, NULL, "1000",        "blobs: number of samples"};
static const option option_features = {"features", "P", 'n',  VALUE_TEXT, AT(features),
                                       0,          0,   NULL, "100",      "blobs: number of features"};
static const option option_clusters = {
    "clusters", "C",  0,    VALUE_INTEGER, AT(clusters),
    2,          1e12, NULL, "5",           "blobs: number of clusters, of equal size"};
static const option option_informative = {"informative",
                                          "SHARE",
                                          0,
                                          VALUE_REAL,
                                          AT(informative),
                                          0,
                                          1,
                                          NULL,
                                          "0.1",
                                          "blobs: share of informative features, spread over the columns"};
static const option option_separation = {
    "separation",
    "D",
    0,
    VALUE_REAL,
    AT(separation),
    0,
    1e6,
    NULL,
    "3",
    "blobs: distance between the two levels of an informative feature, in standard deviations of the noise; "
    "for counts, the high level is present 1 + D times as often as the low one"};
static const option option_density = {
    "density",
    "SHARE",
    0,
    VALUE_REAL,
    AT(density),
    1e-12,
    1,
    NULL,
    "1",
    "blobs: 1 gives dense Gaussian data; less gives sparse counts with this share of nonzero values"};
static const option option_single = {
    "float32", NULL, 0, VALUE_NONE, AT(single), 0, 0, NULL, NULL, "blobs: single precision, half the size"};
static const option option_half_width = {
    "half-width", "W", 0,    VALUE_REAL, AT(half_width),
    1e-6,         1e6, NULL, "11",       "nrfs: the noise features are uniform on -W..W"};

static const option *const options[] = {
    &option_output,   &option_table_format, &option_force,       &option_samples,
    &option_features, &option_clusters,     &option_informative, &option_separation,
    &option_density,  &option_single,       &option_half_width,  &option_seed,
    &option_threads,  DATA_OPTIONS,         TALK_OPTIONS,        NULL,
};

static const example examples[] = {
    {"pith synth nrfs -o noisy.csv", "1280 samples of 34 features, of which f1 to f4 matter"},
    {"pith synth blobs --samples 100000 --features 20000 --density 0.005 -o big.npz",
     "sparse counts; the columns named info_... separate the clusters"},
    {"pith synth null genes.csv -o null.csv && pith rank null.csv", "what a method makes of noise"},
    {NULL, NULL},
};

const command command_synth = {
    .name = "synth",
    .arguments = "NAME [DATA]",
    .purpose = "writes synthetic data with known informative features, or a null control",
    .about = "NAME is 'nrfs', 'blobs' or 'null'.\nnrfs: four clusters of 300 samples (labels 1 to 4), two of "
             "them separated in f1 and f2 and two in f3 and f4, 30 features of uniform noise, and 80 noisy "
             "samples (label 0) scattered everywhere.\nblobs: clusters of equal size (labels 1 to C); the "
             "informative features are named info_J, the others noise_J, where J is the index of the column "
             "from 0.\nnull: a control for DATA in which the features have nothing in common: each column is "
             "shuffled independently. Raw counts become Poisson counts with the same expected total per "
             "sample and share per feature. Feature names are kept; sample names and labels are dropped, "
             "since the rows are no longer those samples. Whatever a method finds here is noise.\n",
    .options = options,
    .examples = examples,
    .fewest = 1,
    .most = 2,
    .run = synth,
};
