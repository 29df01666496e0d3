/* Reading and writing tables, as pith.h offers it: the ending selects the format. */
#include "api/part.h"
#include "core/engine.h"
#include "core/options.h"
#include "io/documents.h"
#include "io/fields.h"
#include "io/spread_write.h"
#include "io/tenx.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum { ENDINGS_MOST = 64 };

/* All endings, as a NULL-ended list of words in `text`; for messages and the nearest match. */
static void list_endings(char *text, size_t size, const char *words[ENDINGS_MOST])
{
    size_t used = 0, count = 0;
    for (size_t f = 0; pith_i_format_at(f) != NULL; f++) {
        const char *endings = pith_i_format_at(f)->endings;
        const size_t length = strlen(endings);
        if (used + length + 1 > size)
            break;
        memcpy(text + used, endings, length + 1);
        for (char *at = text + used; at != NULL && count + 1 < ENDINGS_MOST;) {
            words[count++] = at;
            at = strchr(at, ' ');
            if (at != NULL)
                *at++ = '\0';
        }
        used += length + 1;
    }
    words[count] = NULL;
}

/* What a user would call the ending: from the last dot of the name, or the dot before a .gz. */
static const char *ending_shown(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    if (dot != NULL && dot > name && strcmp(dot, ".gz") == 0)
        for (const char *p = dot - 1; p >= name; p--)
            if (*p == '.')
                return p;
    return dot != NULL ? dot : "";
}

static pith_status unknown_ending(pith_ctx *ctx, const char *path)
{
    char text[512];
    const char *words[ENDINGS_MOST], *ending = ending_shown(path);
    list_endings(text, sizeof text, words);
    const char *nearest = *ending != '\0' ? pith_nearest(ending, words) : NULL;
    char known[512] = "";
    for (size_t w = 0; words[w] != NULL; w++)
        if (strstr(words[w], ".gz") == NULL)
            (void)snprintf(known + strlen(known), sizeof known - strlen(known), " %s", words[w]);
    return pith_i_error(ctx, PITH_E_FILE, "%s: %s%s%s is not a known format%s%s%s; known endings are%s", path,
                        *ending != '\0' ? "the ending '" : "a name without an ending", ending,
                        *ending != '\0' ? "'" : "", nearest != NULL ? " (did you mean '" : "",
                        nearest != NULL ? nearest : "", nearest != NULL ? "'?)" : "", known);
}

/* Why a path is not read as a table, where its ending is not that of one. */
static pith_status not_a_table(pith_ctx *ctx, const char *path)
{
    struct stat info;
    const bool exists = stat(path, &info) == 0;
    if (!exists && *ending_shown(path) == '\0')
        return pith_i_error(ctx, PITH_E_FILE, "%s: cannot be read: %s%s", path, strerror(errno),
                            pith_i_not_stdin(path));
    if (exists && pith_i_documents_are(path))
        return pith_i_error(
            ctx, PITH_E_FILE, "%s: is %s; documents are read by the step 'text' of pith prep and --prep",
            path, S_ISDIR(info.st_mode) ? "a directory, not a data file" : "not a table of numbers");
    return unknown_ending(ctx, path);
}

static bool is_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISDIR(info.st_mode);
}

/* Feature names from "data.terms.txt" beside "data.mat", one per line, if the file itself has none. Ignored
 * if the number of lines is not that of the features. */
static pith_status read_terms(pith_ctx *ctx, const char *path, pith_matrix *m)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    char beside[4096], ending[16];
    pith_i_bytes bytes = {0};
    pith_i_field *fields = NULL;
    int64_t count = 0;
    pith_status st = PITH_OK;
    if (m->features.start != NULL || pith_i_ending_of(path, ending) == NULL)
        return PITH_OK;
    const int length =
        snprintf(beside, sizeof beside, "%.*s.terms.txt", (int)(strlen(path) - strlen(ending)), path);
    if (length < 0 || (size_t)length >= sizeof beside || !is_file(beside))
        return PITH_OK;
    TRY(pith_i_bytes_load(ctx, beside, &bytes));
    TRY(pith_i_lines(ctx, &bytes, false, &count, &fields));
    if (count == m->data.p)
        TRY(pith_i_names_of_fields(ctx, beside, count, fields, &m->features));
done:
    pith_i_bytes_free(&bytes);
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* For a file whose rows are features. Labels in it would be those of features, and have not been read. */
static pith_status transpose(pith_ctx *ctx, pith_matrix *m)
{
    pith_i_data rows = m->data;
    const pith_i_names features = m->features;
    pith_status st = PITH_OK;
    m->data = (pith_i_data){0};
    if (rows.owned_transpose != NULL) { /* swap the two */
        m->data = *rows.owned_transpose;
        pith_i_free(rows.owned_transpose);
        rows.transpose = rows.owned_transpose = NULL;
    } else {
        TRY(pith_i_transpose(ctx, &rows, &m->data));
    }
    if (rows.sparse)
        TRY(pith_i_data_keep_transpose(ctx, &m->data, &rows));
    m->features = m->samples;
    m->samples = features;
    pith_i_place_free(m->place); /* nothing else in the file is transposed */
    m->place = NULL;
done:
    pith_i_data_free(&rows);
    return st;
}

const char *pith_matrix_reading(const pith_matrix *m)
{
    return m->reading;
}

/* Options of delimited text are an error for other formats: the user expects another kind of file. */
static pith_status check_options(pith_ctx *ctx, const char *path, pith_i_read_fn *read,
                                 const pith_read_options *o)
{
    if (o->decimal != 0 && o->decimal != '.' && o->decimal != ',')
        return pith_i_error(ctx, PITH_E_ARGUMENT, "decimal: '.' or ',' expected, not '%c'", o->decimal);
    if (o->sep != 0 && (strchr("\"\r\n.+-_", o->sep) != NULL || isalnum((unsigned char)o->sep)))
        return pith_i_error(ctx, PITH_E_ARGUMENT,
                            "sep: '%c' can be part of a number or name; choose another character", o->sep);
    if (read != pith_i_delimited_read &&
        (o->sep != 0 || o->decimal != 0 || o->header != PITH_AUTO || o->row_names != PITH_AUTO))
        return pith_i_error(ctx, PITH_E_ARGUMENT,
                            "%s: sep, decimal, header and row-names are for delimited text (.csv .tsv .txt)",
                            path);
    return PITH_OK;
}

/* Batches from a file of their own, or those that the reader found under the given name. */
static pith_status settle_batches(pith_ctx *ctx, const char *path, const char *batch, pith_matrix *m)
{
    if (batch != NULL && is_file(batch))
        return pith_i_batches_read(ctx, batch, path, m);
    if (batch != NULL && m->batch == NULL)
        return pith_i_error(ctx, PITH_E_DATA,
                            "%s: has no batches called '%s'; give a file with one batch per line", path,
                            batch);
    return PITH_OK;
}

/* Tells the user of labels that were found but not asked for, if the reader has not. */
static pith_status describe_labels(pith_ctx *ctx, pith_matrix *m)
{
    enum { SIZE = 128 };
    pith_status st = PITH_OK;
    if (m->reading != NULL || m->label == NULL)
        return PITH_OK;
    TRY(NEW(ctx, m->reading, SIZE));
    (void)snprintf(m->reading, SIZE, "read with labels of %lld class%s (to change: --labels, --no-labels)",
                   (long long)m->classes.count, m->classes.count == 1 ? "" : "es");
done:
    return st;
}

/* The whole file, with samples in rows. */
static pith_status read_rows(pith_ctx *ctx, const char *path, pith_i_read_fn *read,
                             const pith_read_options *o, pith_matrix *m)
{
    pith_status st = PITH_OK;
    TRY(read(ctx, path, o, m));
    if (o->transpose)
        TRY(transpose(ctx, m));
    if (!o->keep_columns || o->spread)
        pith_i_data_drop_transpose(&m->data);
    if (m->data.n == 0)
        FAIL(ctx, PITH_E_DATA, "%s: has no data rows", path);
    if (m->data.p == 0)
        FAIL(ctx, PITH_E_DATA, "%s: has no data columns", path);
done:
    return st;
}

/* This process's part of the rows. Process 0 reads first: only then is it known whether the others read, too.
 */
static pith_status read_part(pith_ctx *ctx, const char *path, pith_i_read_fn *read,
                             const pith_read_options *o, pith_matrix *m)
{
    const bool first = pith_i_process(ctx) == 0;
    pith_i_parting what = PITH_I_PART_UNKNOWN;
    pith_status st = first ? read_rows(ctx, path, read, o, m) : PITH_OK;
    if (first)
        what = st != PITH_OK            ? PITH_I_PART_FAILED
               : m->data.mapped != NULL ? PITH_I_PART_MAPPED
                                        : PITH_I_PART_DEALT;
    if (st == PITH_OK || first) {
        const pith_status told = pith_i_part_tell(ctx, &what);
        st = st == PITH_OK ? told : st;
    }
    TRY(st);
    if (what == PITH_I_PART_FAILED)
        FAIL(ctx, PITH_E_FILE, "%s: process 0 cannot read it", path);
    if (what == PITH_I_PART_MAPPED && !first) {
        TRY(read_rows(ctx, path, read, o, m));
        if (m->data.mapped == NULL)
            FAIL(ctx, PITH_E_DATA, "%s: is not the file that process 0 reads", path);
    }
    if (first && !o->no_labels)
        TRY(describe_labels(ctx, m));
    TRY(what == PITH_I_PART_MAPPED ? pith_i_part_keep(ctx, m) : pith_i_part_deal(ctx, m));
done:
    return st;
}

/* pith_matrix_read after its arguments have been checked. */
static pith_status read_table(pith_ctx *ctx, const char *path, const pith_read_options *options,
                              pith_matrix **out)
{
    pith_read_options o = *options;
    const char *labels_file = NULL;
    char prefix[4096];
    pith_matrix *m = NULL;
    pith_status st = PITH_OK;
    const pith_i_format *format = pith_i_format_of(path);
    const bool folder = pith_i_tenx_find(path, prefix, sizeof prefix);
    pith_i_read_fn *read = folder ? pith_i_tenx_folder_read : format != NULL ? format->read : NULL;
    if (read == NULL)
        return not_a_table(ctx, path);
    st = check_options(ctx, path, read, &o);
    if (st != PITH_OK)
        return st;
    o.spread = o.spread && pith_i_processes(ctx) > 1;
    if (o.spread && (o.batch != NULL || o.missing == PITH_MISSING_MEAN))
        return pith_i_one_process(ctx, o.batch != NULL ? "batches" : "replacing missing values by the mean");
    const bool named = o.labels != NULL;
    if (o.labels != NULL && is_file(o.labels)) {
        labels_file = o.no_labels ? NULL : o.labels;
        o.labels = NULL;
        o.no_labels = true; /* instead of those in the data file */
    }
    if (o.batch != NULL && (o.transpose || is_file(o.batch)))
        o.batch = NULL; /* not from the data file: its columns are samples, or there is another file */
    if (o.transpose)
        o.no_labels = true;
    pith_i_progress_begin(ctx);
    TRY(pith_i_progress_stage(ctx, "reading", 0, 1));
    TRY(pith_i_matrix_new(ctx, &m));
    TRY((o.spread ? read_part : read_rows)(ctx, folder ? prefix : path, read, &o, m));
    if (labels_file != NULL && (!o.spread || m->samples_of_all != NULL))
        TRY(pith_i_labels_read(ctx, labels_file, path, o.spread ? m->samples_of_all : m));
    if (o.spread)
        TRY(pith_i_part_label(ctx, m));
    if (labels_file != NULL && m->place != NULL)
        m->place->labelled = true;
    TRY(settle_batches(ctx, path, options->batch, m));
    if (!named && !o.spread)
        TRY(describe_labels(ctx, m));
    TRY(read_terms(ctx, path, m));
    m->by_columns = pith_i_has_ending(path, ".mat");
    TRY(pith_i_missing_apply(ctx, path, o.missing, m));
    *out = m;
    m = NULL;
done:
    pith_matrix_free(m);
    return st;
}

pith_status pith_matrix_read(pith_ctx *ctx, const char *path, const pith_read_options *options,
                             pith_matrix **out)
{
    enum { STREAMED = 256 << 20 };
    pith_read_options o;
    if (ctx == NULL || path == NULL || out == NULL)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "no path or no place for the table was given");
    pith_status st = TAKE_OPTIONS(ctx, pith_read_options, options, &o);
    if (st != PITH_OK)
        return st;
    const int64_t before = o.streamed ? pith_i_spill_beyond(ctx, STREAMED) : 0;
    st = read_table(ctx, path, &o, out);
    if (o.streamed)
        (void)pith_i_spill_beyond(ctx, before);
    return st;
}

/* source: an .h5ad whose other contents are written to the .h5ad, too, or NULL. */
static pith_status write_table(pith_ctx *ctx, const pith_matrix *m, const char *source, const char *path,
                               const char *ending)
{
    pith_i_file file = {0};
    pith_status st = PITH_OK;
    char name[64], known[16];
    (void)snprintf(name, sizeof name, "x%s", ending);
    const pith_i_format *format = pith_i_format_of(name);
    if (format == NULL || format->write == NULL || pith_i_ending_of(name, known) == NULL)
        return unknown_ending(ctx, name);
    pith_i_progress_begin(ctx);
    TRY(pith_i_progress_stage(ctx, "writing", 0, 1));
    TRY(pith_i_file_create(ctx, path, &file));
    file.name = path;
    file.ending = known;
    if (source != NULL)
        TRY(pith_i_h5ad_write_with(ctx, m, source, &file));
    else
        TRY(format->write(ctx, m, &file));
    TRY(pith_i_file_commit(ctx, &file));
done:
    pith_i_file_discard(&file);
    return st;
}

pith_status pith_matrix_write_as(pith_ctx *ctx, const pith_matrix *m, const char *path, const char *ending)
{
    if (ctx == NULL || m == NULL || ending == NULL)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "no table or no ending was given");
    return write_table(ctx, m, NULL, path, ending);
}

pith_status pith_matrix_write(pith_ctx *ctx, const pith_matrix *m, const char *path)
{
    char ending[16];
    if (ctx == NULL || m == NULL || path == NULL)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "no table or no path was given");
    if (pith_i_ending_of(path, ending) == NULL)
        return unknown_ending(ctx, path);
    return pith_matrix_write_as(ctx, m, path, ending);
}

/* Are the other contents of the source written, too? */
static bool is_kept(pith_ctx *ctx, const pith_matrix *m, const char *source, const char *path)
{
    if (!pith_i_has_ending(source, ".h5ad") || !pith_i_has_ending(path, ".h5ad"))
        return false;
    if (m->place == NULL)
        pith_i_note(
            ctx,
            "%s: only the matrix, names and labels are written; the other parts of %s do not fit this matrix",
            path, source);
    return m->place != NULL;
}

pith_status pith_matrix_write_with(pith_ctx *ctx, const pith_matrix *m, const char *source, const char *path)
{
    if (ctx == NULL || m == NULL || source == NULL || path == NULL)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "no table, no source or no path was given");
    if (!is_kept(ctx, m, source, path))
        return pith_matrix_write(ctx, m, path);
    return write_table(ctx, m, source, path, ".h5ad");
}

bool pith_path_takes_parts(const char *path)
{
    return path != NULL && pith_i_takes_parts(path);
}

pith_status pith_matrix_write_parts(pith_ctx *ctx, const pith_matrix *m, const char *path, bool *written)
{
    if (ctx == NULL || m == NULL || path == NULL || written == NULL)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "no table, no path or no place for the answer was given");
    *written = false;
    if (!pith_i_takes_parts(path))
        return PITH_OK;
    pith_i_progress_begin(ctx);
    const pith_status st = pith_i_progress_stage(ctx, "writing", 0, 1);
    return st != PITH_OK ? st : pith_i_write_parts(ctx, m, path, written);
}

bool pith_path_is_known(const char *path)
{
    const pith_i_format *format = path != NULL ? pith_i_format_of(path) : NULL;
    return format != NULL && format->write != NULL;
}

const char *pith_format_endings(size_t i, const char **name)
{
    const pith_i_format *format = pith_i_format_at(i);
    if (format != NULL && format->write == NULL)
        format = NULL;
    if (name != NULL)
        *name = format != NULL ? format->name : NULL;
    return format != NULL ? format->endings : NULL;
}
