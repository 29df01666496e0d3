/*
 * The layout of delimited text, from its first rows.
 *
 * Delimiter and decimals: see dialect.c.
 * Header: the first row holds text, or anything in quotes, over a column of plain numbers; or it is one field
 * shorter than the rows below it; or its first cell alone is empty; or it counts 0, 1, 2, ... as pandas does
 * for unnamed columns.
 * Row names: the first column, if its header cell is empty or missing or if it holds no number.
 * Labels: the column that the user names, else the last one called Y, gnd or label, unless its values are
 * those of a measurement: all different, or fractions beside a column x.
 */
#include "io/delimited.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { ROWS_LOOKED_AT = 32 };

pith_i_kind pith_i_kind_of(const pith_i_dialect *d, const pith_i_field *f)
{
    static const char *const missing[] = {"NA", "N/A", "#N/A", "null", "None", "?", "-", "."};
    double v = 0;
    if (f->length == 0)
        return PITH_I_EMPTY;
    if (pith_i_cell_number(d, f, &v))
        return v - v == 0 ? PITH_I_NUMBER : PITH_I_MISSING;
    for (size_t i = 0; i < COUNT(missing); i++)
        if ((size_t)f->length == strlen(missing[i]) && strncasecmp(f->at, missing[i], (size_t)f->length) == 0)
            return PITH_I_MISSING;
    return pith_i_cell_notation(d, f) != PITH_I_NO_NUMBER ? PITH_I_FOREIGN : PITH_I_TEXT;
}

bool pith_i_is_text(const char *text)
{
    const pith_i_dialect plain = {.delimiter = ','};
    const pith_i_field f = {.at = text, .length = (int64_t)strlen(text)};
    return pith_i_kind_of(&plain, &f) == PITH_I_TEXT;
}

bool pith_i_is_label_name(const char *at, int64_t length)
{
    static const char *const names[] = {"Y", "gnd", "label"};
    for (size_t i = 0; i < COUNT(names); i++)
        if ((size_t)length == strlen(names[i]) && strncasecmp(at, names[i], (size_t)length) == 0)
            return true;
    return false;
}

const char *pith_i_layout_column(const pith_i_layout *l, int64_t col, char text[PITH_I_SHOWN + 16])
{
    char shown[PITH_I_SHOWN];
    if (l->names != NULL && l->names[col].length > 0)
        (void)snprintf(text, PITH_I_SHOWN + 16, "column %s",
                       pith_i_show(l->names[col].at, l->names[col].length, shown));
    else
        (void)snprintf(text, PITH_I_SHOWN + 16, "column %lld", (long long)col + 1);
    return text;
}

const char *pith_i_next_row(const pith_i_dialect *d, const char **at, const char *end, int64_t *line)
{
    while (*at < end) {
        const char *stop = pith_i_row_end(d, *at, end, NULL);
        if (!pith_i_row_is_blank(d, *at, stop))
            return stop;
        *at = stop < end ? stop + 1 : end;
        *line += 1;
    }
    return NULL;
}

/* ---- Header and row names -------------------------------------------------------------------------- */

/* SAW_PLAIN, SAW_QUOTED: numbers and words for missing values, unquoted and quoted. */
enum { SAW_NUMBER = 1, SAW_PLAIN = 2, SAW_QUOTED = 4, SAW_TEXT = 8, SAW_WHOLE = 16 };

/* Is it an integer, written with digits alone? */
static bool is_whole(const pith_i_field *f)
{
    int64_t i = f->length > 1 && f->at[0] == '-';
    while (i < f->length && f->at[i] >= '0' && f->at[i] <= '9')
        i++;
    return i == f->length;
}

static void look_at_row(const pith_i_dialect *d, const char *at, const char *end, int64_t cols,
                        unsigned char *saw)
{
    pith_i_field f;
    for (int64_t j = 0; at != NULL && j < cols; j++) {
        at = pith_i_field_next(d, at, end, &f);
        const pith_i_kind k = pith_i_kind_of(d, &f);
        const bool number = k == PITH_I_NUMBER || k == PITH_I_FOREIGN;
        if (number || k == PITH_I_MISSING)
            saw[j] |= (f.quoted ? SAW_QUOTED : SAW_PLAIN) | (number ? SAW_NUMBER : 0);
        saw[j] |= (k == PITH_I_TEXT ? SAW_TEXT : 0) | (number && is_whole(&f) ? SAW_WHOLE : 0);
    }
}

/* What the first rows from `at` on hold in each of cols columns; returns the number of rows looked at. */
static int look_at_rows(const pith_i_dialect *d, const char *at, const char *end, int64_t cols,
                        unsigned char *saw)
{
    int64_t line = 0;
    int rows = 0;
    for (; rows < ROWS_LOOKED_AT; rows++) {
        const char *stop = pith_i_next_row(d, &at, end, &line);
        if (stop == NULL)
            break;
        look_at_row(d, at, stop, cols, saw);
        at = stop < end ? stop + 1 : end;
    }
    return rows;
}

/* Are the cells the numbers from, from + 1, ...? */
static bool counts_up(const pith_i_field *cells, int64_t count, int64_t from)
{
    char want[24];
    for (int64_t j = 0; j < count; j++) {
        (void)snprintf(want, sizeof want, "%lld", (long long)(from + j));
        if (!pith_i_field_is(&cells[j], want))
            return false;
    }
    return true;
}

/*
 * 0,1,2,... are the names that pandas writes for columns without names. Two columns 0,1 are as likely to be
 * data, unless all numbers below have a decimal point; more columns are data if the second row goes on
 * counting.
 */
static pith_status is_count(pith_ctx *ctx, const pith_i_layout *l, const char *second, const char *end,
                            const pith_i_field *first, const unsigned char *saw, bool *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_field *cells = NULL;
    bool whole = false;
    pith_status st = PITH_OK;
    *out = false;
    if (l->cols < 2 || end == NULL || !counts_up(first, l->cols, 0))
        return PITH_OK;
    for (int64_t j = 0; j < l->cols; j++)
        whole = whole || saw[j] & SAW_WHOLE;
    TRY(SCRATCH_ZERO(ctx, cells, l->cols));
    for (int64_t j = 0; j < l->cols && second != NULL; j++)
        second = pith_i_field_next(&l->dialect, second, end, &cells[j]);
    *out = l->cols == 2 ? !whole : !counts_up(cells, l->cols, l->cols);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Is the first row a header? Its `count` cells stand over the last `count` of cols columns. */
static bool is_header(const pith_i_dialect *d, const pith_i_field *first, int64_t count, int64_t cols,
                      const unsigned char *saw, int rows)
{
    bool all_text = true, filled = count > 1;
    for (int64_t j = 0; j < count; j++) {
        const unsigned char below = saw[j + cols - count];
        const pith_i_kind k = pith_i_kind_of(d, &first[j]);
        /* Stray text in a column of numbers does not hide its header; in the first column it may be row
         * names. */
        if (k == PITH_I_TEXT && below & (SAW_PLAIN | SAW_QUOTED) &&
            (!(below & SAW_TEXT) || (below & SAW_NUMBER && (j > 0 || cols == 1))))
            return true;
        if (k != PITH_I_EMPTY && first[j].quoted && below & SAW_PLAIN && !(below & (SAW_QUOTED | SAW_TEXT)))
            return true;
        all_text = all_text && k == PITH_I_TEXT;
        filled = filled && (j == 0) == (k == PITH_I_EMPTY);
    }
    if (rows == 0)
        return all_text;
    return filled && count == cols && saw[0] != 0;
}

static bool any_text(const pith_i_dialect *d, const pith_i_field *first, int64_t count)
{
    for (int64_t j = 0; j < count; j++)
        if (pith_i_kind_of(d, &first[j]) == PITH_I_TEXT || (first[j].quoted && first[j].length > 0))
            return true;
    return false;
}

/* Does the cell stand over row names: empty, or the name that pandas gives such a column when it reads it? */
static bool is_index(const pith_i_field *name)
{
    return name->length == 0 || pith_i_field_is(name, "Unnamed: 0");
}

/* Header, row names and number of columns, from the first row and those after it. */
static pith_status find_shape(pith_ctx *ctx, const char *path, const char *end, const pith_read_options *o,
                              pith_i_layout *l)
{
    const pith_i_dialect *d = &l->dialect;
    const char *at = l->first, *stop = pith_i_row_end(d, at, end, NULL);
    const char *second = stop < end ? stop + 1 : end;
    pith_i_field *first = NULL;
    unsigned char *saw = NULL;
    int64_t line = l->first_line, lines = 1;
    pith_status st = PITH_OK;
    const int64_t count = pith_i_field_count(d, at, stop);
    TRY(SCRATCH_ZERO(ctx, first, count + 1));
    first[0].at = ""; /* stands over row names if the header has no cell for them */
    for (int64_t j = 1; j <= count; j++)
        at = pith_i_field_next(d, at, stop, &first[j]);
    for (const char *p = l->first; p < stop && (p = memchr(p, '\n', (size_t)(stop - p))) != NULL; p++)
        lines++;
    line += lines;
    const char *second_end = pith_i_next_row(d, &second, end, &line);
    const bool shorter = second_end != NULL && o->header != PITH_NO &&
                         (o->header == PITH_YES || any_text(d, first + 1, count)) &&
                         pith_i_field_count(d, second, second_end) == count + 1;
    bool counted = false;
    l->cols = count + shorter;
    TRY(SCRATCH_ZERO(ctx, saw, l->cols));
    TRY(SCRATCH_ZERO(ctx, l->text, l->cols));
    const int rows = look_at_rows(d, second, end, l->cols, saw);
    if (shorter && o->row_names == PITH_AUTO && saw[count] == 0 && !(saw[0] & (SAW_TEXT | SAW_QUOTED)))
        FAIL(ctx, PITH_E_DATA,
             "%s:%lld: every line but the header ends with a separator: delete it there, or, if the first "
             "column holds row names, add --row-names yes",
             path, (long long)line);
    TRY(is_count(ctx, l, second, second_end, first + 1, saw, &counted));
    l->header = shorter || o->header == PITH_YES ||
                (o->header == PITH_AUTO && (counted || is_header(d, first + 1, count, l->cols, saw, rows)));
    if (l->header) {
        l->names = shorter ? first : first + 1;
        l->first = second;
        l->first_line = line;
    } else {
        look_at_row(d, l->first, stop, l->cols, saw);
    }
    for (int64_t j = 0; j < l->cols; j++)
        l->text[j] = saw[j] & SAW_TEXT && !(saw[j] & SAW_NUMBER);
    l->row_names = o->row_names == PITH_AUTO ? shorter || l->text[0] || (l->header && is_index(&l->names[0]))
                                             : o->row_names == PITH_YES;
done:
    return st;
}

/* ---- Labels ---------------------------------------------------------------------------------------- */

/* The column of that name; -1: none. Without a header columns are called f0, f1, ..., as everywhere. */
static int64_t named_column(const pith_i_layout *l, const char *name)
{
    char made[32];
    for (int64_t j = 0; l->header && j < l->cols; j++)
        if (pith_i_field_is(&l->names[j], name))
            return j;
    if (l->header || name[0] != 'f' || name[1] == '\0' || strspn(name + 1, "0123456789") != strlen(name + 1))
        return -1;
    const long long j = strtoll(name + 1, NULL, 10) + l->row_names;
    (void)snprintf(made, sizeof made, "f%lld", j - l->row_names);
    return strcmp(made, name) == 0 && j < l->cols ? j : -1;
}

static int by_bytes(const void *a, const void *b)
{
    const pith_i_field *x = a, *y = b;
    const int64_t shorter = x->length < y->length ? x->length : y->length;
    const int order = memcmp(x->at, y->at, (size_t)shorter);
    return order != 0 ? order : (x->length > y->length) - (x->length < y->length);
}

/* The cells of column `col` in row order, at most `room`, without missing labels. Returns their number. */
static int64_t column_cells(const pith_i_layout *l, const char *end, int64_t col, int64_t room,
                            pith_i_field *cells)
{
    const char *at = l->first;
    int64_t line = 0, count = 0;
    for (const char *stop; count < room && (stop = pith_i_next_row(&l->dialect, &at, end, &line)) != NULL;
         at = stop < end ? stop + 1 : end) {
        pith_i_field f = {.at = ""};
        for (int64_t j = 0; j <= col && at != NULL; j++)
            at = pith_i_field_next(&l->dialect, at, stop, &f);
        if (!pith_i_label_is_missing(f.at, f.length))
            cells[count++] = f;
    }
    return count;
}

/* Is it y of coordinates x and y? */
static bool is_beside_x(const pith_i_layout *l, int64_t col)
{
    bool x = false;
    for (int64_t j = 0; j < l->cols; j++)
        x = x || (l->names[j].length == 1 && (l->names[j].at[0] == 'x' || l->names[j].at[0] == 'X'));
    return x && l->names[col].length == 1;
}

static bool is_fraction(const pith_i_layout *l, const pith_i_field *f)
{
    double v = 0;
    return !f->quoted && pith_i_cell_number(&l->dialect, f, &v) && v != floor(v);
}

/* Why these are measurements rather than classes: more than two values that all differ, or fractions beside a
 * column x. NULL: they are classes, as they also are if all are quoted. */
static pith_status measured(pith_ctx *ctx, const pith_i_layout *l, const char *end, int64_t col,
                            const char **out)
{
    enum { FIRST_ROWS = 4096 }; /* classes soon repeat: then the rest of the file need not be read */
    const size_t mark = pith_i_scratch_mark(ctx);
    const bool coordinate = is_beside_x(l, col);
    pith_i_field *cells = NULL;
    int64_t rooms[2] = {FIRST_ROWS, 1};
    bool differ = true, fraction = false;
    pith_status st = PITH_OK;
    for (int round = 0; round < 2 && differ; round++) {
        bool plain = false;
        for (const char *p = l->first; round == 1 && (p = memchr(p, '\n', (size_t)(end - p))) != NULL; p++)
            rooms[1]++;
        TRY(SCRATCH(ctx, cells, rooms[round]));
        const int64_t count = column_cells(l, end, col, rooms[round], cells);
        qsort(cells, (size_t)count, sizeof *cells, by_bytes);
        for (int64_t i = 0; i < count; i++) {
            plain = plain || !cells[i].quoted;
            differ = differ && (i == 0 || by_bytes(&cells[i - 1], &cells[i]) != 0);
            fraction = fraction || (coordinate && is_fraction(l, &cells[i]));
        }
        differ = differ && plain && count > 2;
        if (count < rooms[round])
            break;
    }
    *out = differ     ? "all its values differ"
           : fraction ? "it has fractions, and stands beside a column x"
                      : NULL;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* The column that the user names; if there is none, an error with the most similar name. */
static pith_status wanted_column(pith_ctx *ctx, const char *path, const pith_i_layout *l, const char *name,
                                 int64_t *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const char **words = NULL, *near = NULL;
    pith_i_names names = {0};
    pith_status st = PITH_OK;
    *out = named_column(l, name);
    if (*out >= 0)
        return PITH_OK;
    if (!l->header)
        FAIL(ctx, PITH_E_DATA,
             "%s: no column is called '%s'; the file has no header, so they are f0, f1, ...", path, name);
    TRY(pith_i_names_of_fields(ctx, path, l->cols, l->names, &names));
    TRY(SCRATCH_ZERO(ctx, words, l->cols + 1));
    for (int64_t j = 0; j < l->cols; j++)
        words[j] = pith_i_name(&names, j);
    near = pith_nearest(name, words);
    FAIL(ctx, PITH_E_DATA, "%s: no column is called '%s'%s%s%s", path, name,
         near != NULL ? "; did you mean '" : ", and there is no file of that name", near != NULL ? near : "",
         near != NULL ? "'?" : "");
done:
    pith_i_names_free(&names);
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status find_batches(pith_ctx *ctx, const char *path, const pith_read_options *options,
                                pith_i_layout *l)
{
    pith_status st = PITH_OK;
    l->batch = -1;
    if (options->batch == NULL)
        return PITH_OK;
    TRY(wanted_column(ctx, path, l, options->batch, &l->batch));
    if (options->labels != NULL && strcmp(options->labels, options->batch) == 0)
        FAIL(ctx, PITH_E_DATA, "%s: column '%s' cannot hold both the labels and the batches", path,
             options->batch);
    if (l->batch == 0) /* then its text is not row names */
        l->row_names = false;
done:
    return st;
}

static pith_status find_labels(pith_ctx *ctx, const char *path, const char *end,
                               const pith_read_options *options, pith_i_layout *l)
{
    pith_status st = PITH_OK;
    l->label = l->unlabelled = -1;
    if (options->labels != NULL) {
        TRY(wanted_column(ctx, path, l, options->labels, &l->label));
    } else if (l->header) {
        for (int64_t j = 0; j < l->cols; j++)
            if (j != l->batch && pith_i_is_label_name(l->names[j].at, l->names[j].length))
                l->label = j;
    }
    if (l->label == 0 && options->row_names == PITH_YES) /* then it holds row names, not labels */
        l->label = -1;
    if (options->labels == NULL && l->label >= 0)
        TRY(measured(ctx, l, end, l->label, &l->why));
    if (l->why != NULL) {
        l->unlabelled = l->label;
        l->label = l->text[l->label] && l->label > 0 ? l->label : -1;
    }
    if (l->label == 0) /* then its text is not row names */
        l->row_names = false;
done:
    return st;
}

/* Skips Excel's line "sep=;", which sets *sep unless the user did. Returns the number of lines skipped. */
static int64_t skip_declaration(const char **at, const char *end, char *sep)
{
    const char *newline = memchr(*at, '\n', (size_t)(end - *at)), *stop = newline != NULL ? newline : end;
    pith_i_field f = {.at = *at, .length = stop - *at};
    f.length -= f.length > 0 && stop[-1] == '\r';
    if (f.length == 7 && f.at[0] == '"' && f.at[6] == '"')
        f = (pith_i_field){.at = f.at + 1, .length = 5};
    if (f.length != 5 || strncasecmp(f.at, "sep=", 4) != 0)
        return 0;
    *sep = *sep != 0 ? *sep : f.at[4];
    *at = stop < end ? stop + 1 : end;
    return 1;
}

pith_status pith_i_layout_find(pith_ctx *ctx, const char *path, const pith_i_bytes *bytes,
                               const pith_read_options *options, pith_i_layout *out)
{
    const char *at = bytes->at, *end = at + bytes->size;
    pith_i_layout l = {.label = -1, .batch = -1};
    pith_read_options o = *options;
    pith_status st = PITH_OK;
    int64_t line = 1;
    if (bytes->size >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
        at += 3;
    line += skip_declaration(&at, end, &o.sep);
    TRY(pith_i_dialect_find(ctx, path, at, end, line, &o, &l.dialect));
    if (pith_i_next_row(&l.dialect, &at, end, &line) == NULL)
        FAIL(ctx, PITH_E_DATA, "%s: is empty", path);
    l.first = at;
    l.first_line = line;
    TRY(find_shape(ctx, path, end, &o, &l));
    TRY(find_batches(ctx, path, &o, &l));
    TRY(find_labels(ctx, path, end, &o, &l));
    if (l.cols > INT32_MAX)
        FAIL(ctx, PITH_E_DATA, "%s: %lld columns are more than pith can hold", path, (long long)l.cols);
    *out = l;
done:
    return st;
}
