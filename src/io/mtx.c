/*
 * Matrix Market: a header line, comments, the shape, then one entry per line (coordinate, from 1) or one
 * value per line, column by column (array). Names and labels are in files beside it (sidecars.h). Text
 * collections ship terms by documents: a file with as many .terms as rows, and not as many as columns, is
 * transposed while it is read.
 */
#include "io/assemble.h"
#include "io/cursor.h"
#include "io/sidecars.h"
#include "io/sink.h"
#include "io/variables.h"
#include "matrix/scatter.h"

#include <math.h>
#include <strings.h>

enum { SOME = 4096 }; /* entries between progress reports */

typedef struct market {
    const char *path;
    pith_i_cursor text;
    bool array, pattern, mirrored, skew;
    bool strict; /* values that are not finite are errors */
    int64_t rows, cols, entries;
    bool transposed; /* rows of the file are columns of the matrix */
    const char *own; /* the list of sidecars in a file that pith wrote; NULL: none */
    int64_t own_length;
} market;

static pith_status wrong(pith_ctx *ctx, const market *k, const char *wanted)
{
    char shown[PITH_I_SHOWN];
    return pith_i_error(ctx, PITH_E_DATA, "%s:%lld: %s, not %s", k->path, (long long)k->text.line, wanted,
                        pith_i_show(k->text.from, k->text.to - k->text.from, shown));
}

/* The index of the next word in the NULL-terminated words, in any case; -1: none. */
static int choose(pith_i_cursor *c, const char *const *words)
{
    const char *word;
    const int64_t length = pith_i_next_word(c, &word);
    for (int w = 0; words[w] != NULL; w++)
        if ((size_t)length == strlen(words[w]) && strncasecmp(word, words[w], (size_t)length) == 0)
            return w;
    return -1;
}

static pith_status read_header(pith_ctx *ctx, market *k)
{
    static const char *const banner[] = {"%%MatrixMarket", NULL}, *const object[] = {"matrix", NULL};
    static const char *const format[] = {"coordinate", "array", NULL};
    static const char *const field[] = {"real", "double", "integer", "pattern", NULL};
    static const char *const symmetry[] = {"general", "symmetric", "skew-symmetric", "hermitian", NULL};
    const char *from = NULL;
    pith_status st = PITH_OK;
    if (!pith_i_next_line(&k->text))
        FAIL(ctx, PITH_E_DATA, "%s: is empty", k->path);
    from = k->text.from;
    const int b = choose(&k->text, banner), o = choose(&k->text, object), f = choose(&k->text, format);
    const int v = choose(&k->text, field), s = choose(&k->text, symmetry);
    if (b < 0 || o < 0 || f < 0 || v < 0 || s < 0 || (f == 1 && v == 3)) {
        k->text.from = from;
        TRY(wrong(ctx, k,
                  "'%%MatrixMarket matrix coordinate|array real|integer|pattern "
                  "general|symmetric|skew-symmetric' expected"));
    }
    k->array = f == 1;
    k->pattern = v == 3;
    k->mirrored = s > 0;
    k->skew = s == 2;
done:
    return st;
}

/* Comments, up to the line of sizes; one of them may be pith's list of sidecars. */
static pith_status read_sizes(pith_ctx *ctx, market *k)
{
    const size_t marker = strlen(PITH_I_SIDECARS);
    pith_status st = PITH_OK;
    const char *from = NULL;
    while (pith_i_next_line(&k->text) && (k->text.from == k->text.to || *k->text.from == '%'))
        if ((size_t)(k->text.to - k->text.from) >= marker &&
            memcmp(k->text.from, PITH_I_SIDECARS, marker) == 0) {
            k->own = k->text.from + marker;
            k->own_length = k->text.to - k->own;
        }
    from = k->text.from;
    const bool good = from < k->text.to && *from != '%' && pith_i_next_integer(&k->text, &k->rows) &&
                      pith_i_next_integer(&k->text, &k->cols) &&
                      (k->array || pith_i_next_integer(&k->text, &k->entries)) && k->text.from == k->text.to;
    if (!good) {
        k->text.from = from;
        TRY(wrong(ctx, k, k->array ? "rows and columns expected" : "rows, columns and entries expected"));
    }
    if (k->mirrored && k->rows != k->cols)
        FAIL(ctx, PITH_E_DATA, "%s:%lld: a symmetric matrix cannot have %lld rows and %lld columns", k->path,
             (long long)k->text.line, (long long)k->rows, (long long)k->cols);
done:
    return st;
}

/* Can the file hold the entries? Each takes a line of at least `least` bytes; the last newline may be
 * missing. */
static pith_status check_claim(pith_ctx *ctx, const market *k, int64_t entries, int64_t least)
{
    const int64_t left = k->text.end - k->text.at;
    if (entries <= (left + 1) / least)
        return PITH_OK;
    return pith_i_error(ctx, PITH_E_DATA, "%s:%lld: %lld entries announced, but only %lld bytes follow",
                        k->path, (long long)k->text.line, (long long)entries, (long long)left);
}

static pith_status read_value(pith_ctx *ctx, market *k, double *out)
{
    const char *stop = pith_i_scan_double(k->text.from, k->text.to, out);
    char shown[PITH_I_SHOWN];
    if (stop == NULL || stop != k->text.to)
        return wrong(ctx, k, "a number expected");
    if (k->strict && !isfinite(*out))
        return pith_i_error(ctx, PITH_E_DATA,
                            "%s:%lld: %s is not a finite number; correct it, or choose --missing drop-rows, "
                            "mean or zero",
                            k->path, (long long)k->text.line,
                            pith_i_show(k->text.from, k->text.to - k->text.from, shown));
    return PITH_OK;
}

/* ---- Coordinates ----------------------------------------------------------------------------------- */

/* The next entry, row and column from 0 as the matrix will have them. */
static pith_status next_entry(pith_ctx *ctx, market *k, int64_t *i, int64_t *j, double *v)
{
    const char *from = k->text.from;
    *v = 1;
    if (!pith_i_next_integer(&k->text, i) || !pith_i_next_integer(&k->text, j) ||
        (k->pattern && k->text.from != k->text.to)) {
        k->text.from = from;
        return wrong(ctx, k, k->pattern ? "row and column expected" : "row, column and value expected");
    }
    if (*i < 1 || *i > k->rows || *j < 1 || *j > k->cols)
        return pith_i_error(ctx, PITH_E_DATA, "%s:%lld: entry %lld %lld lies outside of %lld x %lld", k->path,
                            (long long)k->text.line, (long long)*i, (long long)*j, (long long)k->rows,
                            (long long)k->cols);
    const int64_t row = *i - 1, col = *j - 1;
    *i = k->transposed ? col : row;
    *j = k->transposed ? row : col;
    return k->pattern ? PITH_OK : read_value(ctx, k, v);
}

/* Reads and checks all entries, and counts those of row i in start[i + 1]. */
static pith_status count_entries(pith_ctx *ctx, market *k, int64_t *start, int64_t *total)
{
    const char *begin = k->text.at, *from = begin;
    int64_t found = 0, i = 0, j = 0;
    pith_status st = PITH_OK;
    double v = 0;
    while (pith_i_next_content(&k->text, '%')) {
        if (found == k->entries)
            FAIL(ctx, PITH_E_DATA, "%s:%lld: more than the %lld entries announced", k->path,
                 (long long)k->text.line, (long long)k->entries);
        if (found % SOME == 0) {
            TRY(pith_i_progress(ctx, k->text.at - begin, 2 * (k->text.end - begin)));
            pith_i_touched(ctx, k->text.at - from);
            from = k->text.at;
        }
        TRY(next_entry(ctx, k, &i, &j, &v));
        found++;
        start[i + 1]++;
        if (k->mirrored && i != j)
            start[j + 1]++;
        *total += 1 + (k->mirrored && i != j);
    }
    if (found < k->entries)
        FAIL(ctx, PITH_E_DATA, "%s: %lld entries announced, %lld found; the file is truncated", k->path,
             (long long)k->entries, (long long)found);
done:
    return st;
}

/* Puts each entry into its row, whose start is known; entries may come in any order. */
static pith_status place_entries(pith_ctx *ctx, market *k, pith_i_data *X)
{
    int64_t found = 0, i = 0, j = 0;
    pith_i_scatter s = {0};
    pith_status st = PITH_OK;
    double v = 0;
    TRY(pith_i_scatter_begin(ctx, X, 0, &s));
    for (const char *from = k->text.at; pith_i_next_content(&k->text, '%'); found++) {
        if (found % SOME == 0) {
            TRY(pith_i_progress(ctx, k->entries + found, 2 * k->entries));
            pith_i_touched(ctx, k->text.at - from + SOME * 16);
            from = k->text.at;
        }
        TRY(next_entry(ctx, k, &i, &j, &v));
        pith_i_scatter_put(&s, i, j, v);
        if (k->mirrored && i != j)
            pith_i_scatter_put(&s, j, i, k->skew ? -v : v);
    }
    TRY(pith_i_scatter_end(ctx, &s, X));
done:
    pith_i_scatter_free(&s);
    return st;
}

/* Twice through the text: once to count, once to place, so that no list of entries is ever held. */
static pith_status read_coordinates(pith_ctx *ctx, market *k, pith_i_data *out)
{
    const int64_t n = k->transposed ? k->cols : k->rows, p = k->transposed ? k->rows : k->cols;
    pith_i_sparse s = {.where = k->path, .n = n, .p = p, .pointers = n + 1, .dtype = PITH_F64};
    pith_i_data X = {0};
    int64_t *start = NULL;
    pith_status st = PITH_OK;
    TRY(check_claim(ctx, k, k->entries, k->pattern ? 4 : 6));
    TRY(pith_i_check_sparse_shape(ctx, k->path, n, p, k->entries));
    start = pith_i_alloc_large_zero(ctx, n + 1, sizeof *start);
    if (start == NULL)
        TRY(PITH_E_NOMEM);
    const pith_i_cursor begin = k->text;
    TRY(count_entries(ctx, k, start, &s.entries));
    TRY(pith_i_sparse_new(ctx, &s, s.entries, &X));
    for (int64_t i = 0; i < n; i++)
        start[i + 1] += start[i];
    memcpy(pith_i_data_indptr(&X), start, (size_t)(n + 1) * sizeof *start);
    k->text = begin;
    TRY(place_entries(ctx, k, &X));
    TRY(pith_i_sparse_finish(ctx, &s, &X, out));
done:
    pith_i_data_free(&X);
    pith_i_free(start);
    return st;
}

/* ---- Arrays ---------------------------------------------------------------------------------------- */

static pith_status read_array(pith_ctx *ctx, market *k, pith_i_data *out)
{
    const int64_t n = k->transposed ? k->cols : k->rows, p = k->transposed ? k->rows : k->cols;
    int64_t values = 0, done_cols = 0;
    pith_status st = PITH_OK;
    /* Rows and columns must each fit into the bytes before their product is formed. */
    TRY(check_claim(ctx, k, k->rows > k->cols ? k->rows : k->cols, 2));
    TRY(pith_i_check_shape(ctx, k->path, n, p));
    if (__builtin_mul_overflow(k->rows, k->cols, &values))
        values = INT64_MAX;
    else if (k->mirrored)
        values = k->rows * (k->rows + (k->skew ? -1 : 1)) / 2;
    TRY(check_claim(ctx, k, values, 2));
    TRY(pith_i_data_new_dense(ctx, n, p, PITH_F64, out));
    double *x = pith_i_data_x(out);
    for (int64_t c = 0; c < k->cols; c++) {
        TRY(pith_i_progress(ctx, done_cols++, k->cols));
        pith_i_touched(ctx, k->rows * 16);
        if (k->skew)
            x[c * p + c] = 0;
        for (int64_t r = k->mirrored ? c + k->skew : 0; r < k->rows; r++) {
            double v = 0;
            if (!pith_i_next_content(&k->text, '%'))
                FAIL(ctx, PITH_E_DATA, "%s: %lld values announced; the file is truncated", k->path,
                     (long long)values);
            TRY(read_value(ctx, k, &v));
            x[k->transposed ? c * p + r : r * p + c] = v;
            if (k->mirrored)
                x[k->transposed ? r * p + c : c * p + r] = k->skew && r != c ? -v : v;
        }
    }
    if (pith_i_next_content(&k->text, '%'))
        FAIL(ctx, PITH_E_DATA, "%s:%lld: more than the %lld values announced", k->path,
             (long long)k->text.line, (long long)values);
done:
    return st;
}

/* ---- The format ------------------------------------------------------------------------------------ */

pith_status pith_i_mtx_read(pith_ctx *ctx, const char *path, const pith_read_options *options,
                            pith_matrix *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    market k = {.path = path, .strict = options->missing == PITH_MISSING_ERROR};
    pith_i_bytes bytes = {0};
    pith_i_sidecars beside = {0};
    pith_status st = PITH_OK;
    if (options->labels != NULL)
        FAIL(ctx, PITH_E_DATA, "%s: has no labels called '%s'; give a file with one label per line", path,
             options->labels);
    TRY(pith_i_bytes_load(ctx, path, &bytes));
    k.text = (pith_i_cursor){.at = bytes.at, .end = bytes.at + bytes.size};
    TRY(read_header(ctx, &k));
    TRY(read_sizes(ctx, &k));
    TRY(pith_i_sidecars_load(ctx, path, k.own, k.own_length, options->no_labels, &beside));
    k.transposed = beside.terms && beside.features.count == k.rows && k.rows != k.cols;
    TRY(k.array ? read_array(ctx, &k, &out->data) : read_coordinates(ctx, &k, &out->data));
    TRY(pith_i_sidecars_take(ctx, path, &beside, k.own != NULL, out));
done:
    pith_i_sidecars_free(&beside);
    pith_i_bytes_free(&bytes);
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status write_coordinates(pith_ctx *ctx, const pith_i_data *X, pith_i_sink *s)
{
    pith_status st = PITH_OK;
    for (int64_t i = 0; i < X->n && s->status == PITH_OK; i++) {
        TRY(pith_i_progress(ctx, i, X->n));
        pith_i_touched(ctx, 12 * (X->indptr[i + 1] - X->indptr[i]));
        for (int64_t e = X->indptr[i]; e < X->indptr[i + 1]; e++) {
            pith_i_sink_integer(s, i + 1);
            pith_i_sink_string(s, " ");
            pith_i_sink_integer(s, X->indices[e] + INT64_C(1));
            pith_i_sink_string(s, " ");
            pith_i_sink_number(s, pith_i_value(X->values, X->dtype, e));
            pith_i_sink_string(s, "\n");
        }
    }
done:
    return st;
}

static pith_status write_array(pith_ctx *ctx, const pith_i_data *X, pith_i_sink *s)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    double *column = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, column, X->n));
    for (int64_t j = 0; j < X->p && s->status == PITH_OK; j++) {
        TRY(pith_i_progress(ctx, j, X->p));
        pith_i_column(X, j, column);
        for (int64_t i = 0; i < X->n; i++) {
            pith_i_sink_number(s, column[i]);
            pith_i_sink_string(s, "\n");
        }
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* The sidecars are committed after the whole matrix has been written and before it is committed: a failure up
 * to then leaves all old files as they were. */
pith_status pith_i_mtx_write(pith_ctx *ctx, const pith_matrix *m, pith_i_file *file)
{
    const pith_i_data *X = &m->data;
    pith_i_sidecar_files beside = {0};
    pith_i_sink s = {0};
    char needed[32], head[256];
    pith_status st = PITH_OK;
    TRY(pith_i_sink_open(ctx, file, &s));
    (void)snprintf(head, sizeof head, "%%%%MatrixMarket matrix %s real general\n%s%s\n%lld %lld",
                   X->sparse ? "coordinate" : "array", PITH_I_SIDECARS,
                   file->name != NULL ? pith_i_sidecars_needed(m, needed) : " none", (long long)X->n,
                   (long long)X->p);
    pith_i_sink_string(&s, head);
    if (X->sparse) {
        pith_i_sink_string(&s, " ");
        pith_i_sink_integer(&s, pith_i_stored(X));
    }
    pith_i_sink_string(&s, "\n");
    TRY(X->sparse ? write_coordinates(ctx, X, &s) : write_array(ctx, X, &s));
    TRY(pith_i_sink_finish(&s));
    if (file->name != NULL)
        TRY(pith_i_sidecars_write(ctx, m, file->name, &beside));
    TRY(pith_i_sidecars_commit(ctx, &beside));
done:
    pith_i_sidecars_discard(&beside);
    pith_i_sink_free(&s);
    return st;
}
