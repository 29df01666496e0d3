/* pith convert: from one file format to another. */
#include "commands.h"
#include "session.h"

static int convert(const settings *s)
{
    session w;
    int status = DONE;
    STEP(session_open(s, &w));
    STEP(check_table_output(&w, s->arguments[1], s->format));
    STEP(check_spared(&w, 1, s->arguments, s->arguments[1], NULL));
    w.streamed = true;
    STEP(session_read(&w, s->arguments[0], PITH_MISSING_ERROR));
    STEP(session_write_table(&w, w.matrix, s->arguments[1]));
done:
    session_close(&w);
    return status;
}

static const option *const options[] = {
    &option_table_format, &option_force, &option_threads, SIZE_OPTIONS, DATA_OPTIONS, TALK_OPTIONS, NULL,
};

static const example examples[] = {
    {"pith convert faces.mat faces.csv", "a MATLAB matrix with its labels as text"},
    {"pith convert cells.h5ad cells.mtx.gz --no-labels", "a sparse matrix, compressed, without its labels"},
    {"pith convert atlas.h5ad atlas.npz --scratch /data/tmp",
     "data larger than memory, in a format that is used without being read"},
    {NULL, NULL},
};

const command command_convert = {
    .name = "convert",
    .arguments = "IN OUT",
    .purpose = "writes data in another file format",
    .about =
        "The file endings select both formats. Values are kept exactly; names and labels are kept if "
        "the format can hold them. From .h5ad to .h5ad everything in the file is kept. OUT may be '-' "
        "for standard output (CSV, or TSV with --format tsv).\n"
        "Data of any size can be converted to .npz, .npy, .mtx, .svm or text: beyond 256 MB it goes through "
        "files in --scratch, and only names and labels are held in memory.\n",
    .options = options,
    .examples = examples,
    .fewest = 2,
    .most = 2,
    .run = convert,
};
