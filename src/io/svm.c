/*
 * svmlight: one line per sample, `label index:value index:value ...`, indices ascending, from 1 unless a 0 is
 * seen. `qid:` pairs and comments after # are skipped. Lines without any label make data without labels.
 *
 * Files that pith writes keep to that, so that other tools can read them: classes that are not numbers are
 * numbered, and comments tell their names, or that there are no labels; a stored zero in the last column
 * preserves the number of columns. Names of features and samples have no place in the format.
 */
#include "io/assemble.h"
#include "io/cursor.h"
#include "io/fields.h"
#include "io/sink.h"

#include <math.h>
#include <stdlib.h>

#define UNLABELLED "# pith: no labels"
#define CLASS_NAME "# pith: class "

typedef struct samples {
    const char *path;
    pith_i_cursor text;
    bool strict;
    int64_t rows, labelled, entries;
    int64_t lowest, highest; /* indices seen */
    bool unlabelled;         /* the file says so */
    int64_t classes;         /* number of class names in comments */
} samples;

static pith_status wrong(pith_ctx *ctx, const samples *s, const char *at, const char *stop, const char *what)
{
    char shown[PITH_I_SHOWN];
    return pith_i_error(ctx, PITH_E_DATA, "%s:%lld: %s %s", s->path, (long long)s->text.line,
                        pith_i_show(at, stop - at, shown), what);
}

/* The next line with a sample; its comment is cut off. Pith's own comments are noted. */
static bool next_sample(samples *s)
{
    while (pith_i_next_line(&s->text)) {
        pith_i_cursor *c = &s->text;
        const size_t length = (size_t)(c->to - c->from);
        if (length == strlen(UNLABELLED) && memcmp(c->from, UNLABELLED, length) == 0)
            s->unlabelled = true;
        if (length > strlen(CLASS_NAME) && memcmp(c->from, CLASS_NAME, strlen(CLASS_NAME)) == 0)
            s->classes++;
        const char *comment = memchr(c->from, '#', length);
        if (comment != NULL)
            c->to = comment;
        while (c->to > c->from && pith_i_is_space(c->to[-1]))
            c->to--;
        if (c->from < c->to)
            return true;
    }
    return false;
}

/* The label at the start of the line, unless its first word is a pair; a leading plus sign is dropped. */
static bool take_label(samples *s, pith_i_field *label)
{
    const pith_i_cursor before = s->text;
    label->length = pith_i_next_word(&s->text, &label->at);
    if (memchr(label->at, ':', (size_t)label->length) != NULL) {
        s->text = before;
        return false;
    }
    if (label->length > 1 && label->at[0] == '+') {
        label->at++;
        label->length--;
    }
    return true;
}

/* The next pair of the line; *more is false when there is none. */
static pith_status next_pair(pith_ctx *ctx, samples *s, int64_t *index, double *value, bool *more)
{
    uint64_t number = 0;
    const char *at, *end;
    do {
        const int64_t length = pith_i_next_word(&s->text, &at);
        end = at + length;
        *more = length > 0;
    } while (*more && end - at > 4 && memcmp(at, "qid:", 4) == 0);
    if (!*more)
        return PITH_OK;
    const char *p = pith_i_scan_digits(at, end, &number);
    if (p == at || p - at > 10 || p == end || *p != ':')
        return wrong(ctx, s, at, end, "is not index:value");
    if (number >= INT32_MAX)
        return wrong(ctx, s, at, p, "is too large an index");
    p++;
    if (p == end || pith_i_is_space(*p) || pith_i_scan_double(p, end, value) != end)
        return wrong(ctx, s, at, end, "is not index:value");
    if (s->strict && !isfinite(*value))
        return wrong(ctx, s, at, end,
                     "is not a finite number; correct it, or choose --missing drop-rows, mean or zero");
    *index = (int64_t)number;
    return PITH_OK;
}

/* Reads and checks all lines; counts rows, entries and columns. */
static pith_status survey(pith_ctx *ctx, samples *s)
{
    const char *begin = s->text.at, *from = begin;
    pith_i_field label;
    pith_status st = PITH_OK;
    s->lowest = INT32_MAX;
    s->highest = -1;
    while (next_sample(s)) {
        int64_t index = 0, last = -1;
        bool more = true;
        double v = 0;
        if (s->rows++ % 256 == 0) {
            TRY(pith_i_progress(ctx, s->text.at - begin, 2 * (s->text.end - begin)));
            pith_i_touched(ctx, s->text.at - from);
            from = s->text.at;
        }
        const bool labelled = take_label(s, &label);
        s->labelled += labelled;
        if (s->labelled != (labelled ? s->rows : 0))
            FAIL(ctx, PITH_E_DATA, "%s:%lld: has %s label, unlike the lines before", s->path,
                 (long long)s->text.line, labelled ? "a" : "no");
        for (;; s->entries++) {
            TRY(next_pair(ctx, s, &index, &v, &more));
            if (!more)
                break;
            if (index <= last)
                FAIL(ctx, PITH_E_DATA, "%s:%lld: index %lld after %lld: indices must increase", s->path,
                     (long long)s->text.line, (long long)index, (long long)last);
            last = index;
            s->lowest = index < s->lowest ? index : s->lowest;
        }
        s->highest = last > s->highest ? last : s->highest;
    }
done:
    return st;
}

static pith_status fill(pith_ctx *ctx, samples *s, pith_i_data *X, pith_i_field *labels)
{
    const int64_t base = s->lowest == 0 ? 0 : 1;
    int64_t e = 0, row = 0;
    const char *from = s->text.at;
    pith_i_field label = {0};
    pith_status st = PITH_OK;
    while (next_sample(s)) {
        int64_t index = 0;
        bool more = true;
        double v = 0;
        if (row % 256 == 0) {
            TRY(pith_i_progress(ctx, s->rows + row, 2 * s->rows));
            pith_i_touched(ctx,
                           4 * (s->text.at - from)); /* 12 bytes for an entry, of 3 or more bytes of text */
            from = s->text.at;
        }
        if (take_label(s, &label))
            labels[row] = label;
        for (;; e++) {
            TRY(next_pair(ctx, s, &index, &v, &more));
            if (!more)
                break;
            pith_i_data_indices(X)[e] = (int32_t)(index - base);
            pith_i_set_value(pith_i_data_values(X), PITH_F64, e, v);
        }
        pith_i_data_indptr(X)[++row] = e;
    }
done:
    return st;
}

/* "# pith: class 3 cricket" names class 3: labels that are numbers of named classes become names. */
static pith_status name_classes(pith_ctx *ctx, const pith_i_bytes *bytes, int64_t classes, int64_t rows,
                                pith_i_field *labels)
{
    static const pith_i_dialect whole = {.delimiter = '\0', .quotes = true};
    pith_i_cursor c = {.at = bytes->at, .end = bytes->at + bytes->size};
    const char *from = c.at;
    const size_t marker = strlen(CLASS_NAME);
    pith_i_field *names = NULL;
    pith_status st = PITH_OK;
    int64_t k = 0;
    TRY(SCRATCH_ZERO(ctx, names, classes));
    while (pith_i_next_line(&c)) {
        if (c.at - from >= 1 << 20) {
            pith_i_touched(ctx, c.at - from);
            from = c.at;
        }
        if ((size_t)(c.to - c.from) <= marker || memcmp(c.from, CLASS_NAME, marker) != 0)
            continue;
        c.from += marker;
        if (pith_i_next_integer(&c, &k) && k < classes)
            (void)pith_i_field_next(&whole, c.from, c.to, &names[k]);
    }
    from = bytes->at;
    for (int64_t i = 0; i < rows; i++) {
        if (labels[i].at - from >= 1 << 20) {
            pith_i_touched(ctx, labels[i].at - from);
            from = labels[i].at;
        }
        c = (pith_i_cursor){.from = labels[i].at, .to = labels[i].at + labels[i].length};
        if (pith_i_next_integer(&c, &k) && c.from == c.to && k < classes && names[k].at != NULL)
            labels[i] = names[k];
    }
done:
    return st;
}

pith_status pith_i_svm_read(pith_ctx *ctx, const char *path, const pith_read_options *options,
                            pith_matrix *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    samples s = {.path = path, .strict = options->missing == PITH_MISSING_ERROR};
    pith_i_bytes bytes = {0};
    pith_i_names names = {0};
    pith_i_field *labels = NULL;
    pith_status st = PITH_OK;
    if (options->labels != NULL)
        FAIL(ctx, PITH_E_DATA, "%s: has no labels called '%s'; give a file with one label per line", path,
             options->labels);
    TRY(pith_i_bytes_load(ctx, path, &bytes));
    s.text = (pith_i_cursor){.at = bytes.at, .end = bytes.at + bytes.size};
    const pith_i_cursor begin = s.text;
    TRY(survey(ctx, &s));
    if (s.rows == 0)
        FAIL(ctx, PITH_E_DATA, "%s: %s", path, bytes.size == 0 ? "is empty" : "has no data rows");
    if (s.entries == 0)
        FAIL(ctx, PITH_E_DATA, "%s: has no data columns", path);
    const int64_t cols = s.highest + (s.lowest == 0);
    TRY(pith_i_check_sparse_shape(ctx, path, s.rows, cols, s.entries));
    TRY(pith_i_data_new_csr(ctx, s.rows, cols, s.entries, PITH_F64, &out->data));
    TRY(SCRATCH(ctx, labels, s.rows));
    const int64_t classes = s.classes;
    s.text = begin;
    TRY(fill(ctx, &s, &out->data, labels));
    if (s.labelled > 0 && !s.unlabelled && !options->no_labels) {
        if (classes > 0)
            TRY(name_classes(ctx, &bytes, classes, s.rows, labels));
        TRY(pith_i_names_of_fields(ctx, path, s.rows, labels, &names));
        TRY(pith_i_matrix_label(ctx, out, &names));
    }
done:
    pith_i_names_free(&names);
    pith_i_bytes_free(&bytes);
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- Writing --------------------------------------------------------------------------------------- */

/* Does any row have an entry in the last column? If not, the number of columns would be lost. */
static bool last_column_is_used(const pith_i_data *X)
{
    for (int64_t i = 0; i < X->n; i++) {
        if (X->sparse) {
            if (X->indptr[i + 1] > X->indptr[i] && X->indices[X->indptr[i + 1] - 1] == X->p - 1)
                return true;
        } else if (pith_i_value(X->x, X->dtype, i * X->row_stride + (X->p - 1) * X->col_stride) != 0) {
            return true;
        }
    }
    return false;
}

/* Would every class name, written as the label, read back as itself? */
static bool all_numbers(const pith_i_names *classes)
{
    for (int64_t k = 0; k < classes->count; k++) {
        const char *name = pith_i_name(classes, k), *end = name + strlen(name);
        double v = 0;
        if (*name == '\0' || pith_i_is_space(*name) || *name == '+' ||
            pith_i_scan_double(name, end, &v) != end || !isfinite(v))
            return false;
    }
    return true;
}

static void write_comments(const pith_matrix *m, bool numbers, pith_i_sink *s)
{
    if (m->label == NULL)
        pith_i_sink_string(s, UNLABELLED "\n");
    for (int64_t k = 0; m->label != NULL && !numbers && k < m->classes.count; k++) {
        pith_i_sink_string(s, CLASS_NAME);
        pith_i_sink_integer(s, k);
        pith_i_sink_string(s, " ");
        pith_i_sink_text(s, pith_i_name(&m->classes, k), "");
        pith_i_sink_string(s, "\n");
    }
}

static void write_pair(int64_t j, double v, pith_i_sink *s)
{
    pith_i_sink_string(s, " ");
    pith_i_sink_integer(s, j + 1);
    pith_i_sink_string(s, ":");
    pith_i_sink_number(s, v);
}

/* row: p doubles for dense data. The last column is written if keep_width is set, even if it is zero. */
static void write_pairs(const pith_i_data *X, int64_t i, double *row, bool keep_width, pith_i_sink *s)
{
    int64_t last = -1;
    if (X->sparse) {
        for (int64_t e = X->indptr[i]; e < X->indptr[i + 1]; e++)
            write_pair(last = X->indices[e], pith_i_value(X->values, X->dtype, e), s);
    } else {
        pith_i_block(X, i, 1, 0, X->p, row, X->p);
        for (int64_t j = 0; j < X->p; j++)
            if (row[j] != 0 || signbit(row[j]))
                write_pair(last = j, row[j], s);
    }
    if (keep_width && last < X->p - 1)
        write_pair(X->p - 1, 0, s);
}

pith_status pith_i_svm_write(pith_ctx *ctx, const pith_matrix *m, pith_i_file *file)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_data *X = &m->data;
    const bool numbers = m->label != NULL && all_numbers(&m->classes);
    const bool keep_width = !last_column_is_used(X);
    pith_i_sink s = {0};
    double *row = NULL;
    pith_status st = PITH_OK;
    for (int64_t k = 0; k < m->classes.count; k++)
        if (strpbrk(pith_i_name(&m->classes, k), "\r\n") != NULL)
            FAIL(ctx, PITH_E_DATA, "svmlight files cannot hold class names that contain line breaks");
    TRY(SCRATCH(ctx, row, X->sparse ? 0 : X->p));
    TRY(pith_i_sink_open(ctx, file, &s));
    write_comments(m, numbers, &s);
    for (int64_t i = 0; i < X->n && s.status == PITH_OK; i++) {
        TRY(pith_i_progress(ctx, i, X->n));
        pith_i_touched(ctx, X->sparse ? 12 * (X->indptr[i + 1] - X->indptr[i]) : 8 * X->p);
        if (m->label != NULL && m->label[i] < 0)
            pith_i_sink_string(&s, "nan");
        else if (numbers)
            pith_i_sink_string(&s, pith_i_label_text(m, i));
        else
            pith_i_sink_integer(&s, m->label != NULL ? m->label[i] : 0);
        write_pairs(X, i, row, keep_width && i == 0, &s);
        pith_i_sink_string(&s, "\n");
    }
    TRY(pith_i_sink_finish(&s));
done:
    pith_i_sink_free(&s);
    pith_i_scratch_release(ctx, mark);
    return st;
}
