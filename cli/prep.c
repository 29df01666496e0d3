/* pith prep: steps of preparation, one after the other. */
#include "commands.h"
#include "print.h"
#include "session.h"

/* By all processes, or by the one that prints, which then prepares all samples itself. */
static int write_prepared(session *w, const char *out)
{
    bool written = false;
    int status = DONE;
    STEP(session_write_parts(w, w->matrix, out, &written));
    if (written)
        return DONE;
    STEP(session_whole(w, w->s->arguments[0], w->s->steps));
    session own = session_alone(w);
    if (is_speaker())
        STEP(session_write_table(&own, own.matrix, out));
done:
    return status;
}

static int prep(const settings *s)
{
    session w;
    int status = DONE;
    STEP(session_open(s, &w));
    w.spread = true;
    if (s->steps == NULL) {
        complain("prep needs --steps, such as 'log10,quantile' or 'microarray'");
        status = USAGE;
        goto done;
    }
    STEP(session_status(&w, pith_prep_check(w.ctx, s->steps), WORKING));
    const char *out = s->arguments[s->n_arguments - 1];
    STEP(check_table_output(&w, out, s->format));
    STEP(check_spared(&w, s->n_arguments - 1, s->arguments, out, NULL));
    if (s->n_arguments > 2)
        STEP(session_documents(&w, s->n_arguments - 1, s->arguments, s->steps));
    else
        STEP(session_prepared(&w, s->arguments[0], s->steps));
    STEP(write_prepared(&w, out));
done:
    return session_end(&w, status);
}

static const option option_steps = {
    .name = "steps",
    .value = "A,B,C",
    .kind = VALUE_TEXT,
    .at = offsetof(settings, steps),
    .help = "the steps, separated by commas, in the order in which they are applied; or 'auto': logarithms "
            "of raw counts, reads and intensities, other data unchanged"};

static const option *const options[] = {
    &option_steps, &option_table_format, &option_force, &option_seed, &option_threads,
    SIZE_OPTIONS,  &option_engine,       DATA_OPTIONS,  TALK_OPTIONS, NULL,
};

static const example examples[] = {
    {"pith prep counts.mtx weighted.mtx --steps min-df=3,tfidf=smooth,l2",
     "tf-idf as in scikit-learn, without the rarest words"},
    {"pith prep news/ news.mtx --steps text",
     "word counts of the files in a folder; its subfolders are the classes"},
    {"pith prep chips.csv clean.csv --steps microarray", "a recipe: log10, quantile, double-center"},
    {"pith prep noisy.csv clean.csv --steps drop-noisy",
     "drop the tenth of the samples with the lowest density"},
    {"pith prep cells.h5ad some.h5ad --steps drop-noisy:remove=0.05,representatives:levels=3",
     "an eighth of the samples, with the density of all but the noisy ones"},
    {NULL, NULL},
};

const command command_prep = {
    .name = "prep",
    .arguments = "IN... OUT",
    .purpose = "prepares data, step by step",
    .about = "Reads IN, applies the steps in order, and writes OUT. IN is a table or, with the step 'text', "
             "documents in one or more files or folders. Names and labels of the remaining rows and columns "
             "are kept; from .h5ad to .h5ad, so is everything else in the file. A step's parameters follow "
             "its name, each after a colon. Sparse data stays sparse if the step allows it; a step that does "
             "not says how much memory it needs before it starts. OUT may be '-' for standard output (CSV, "
             "or TSV with --format tsv).\n",
    .options = options,
    .examples = examples,
    .fewest = 2,
    .most = ANY_NUMBER,
    .takes_steps = true,
    .run = prep,
};
