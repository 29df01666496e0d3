/*
 * The layout of delimited text, from its first rows.
 *
 * Delimiter: the first candidate, in the order that the ending suggests, that cuts the first rows into the
 * same number of fields, more than one.
 * Header: the first row holds text, or anything in quotes, over a column of plain numbers; or it is one field
 * shorter than the rows below it; or its first cell alone is empty.
 * Row names: the first column, if its header cell is empty or missing or if it holds no number.
 * Labels: the column that the user names, else the last one called Y, gnd or label.
 */
#include "io/delimited.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { ROWS_LOOKED_AT = 32 };

typedef enum kind { EMPTY, MISSING, NUMBER, TEXT } kind;

static kind kind_of(const pith_i_field *f)
{
    static const char *const missing[] = {"NA", "N/A", "#N/A", "null", "None", "?", "-", "."};
    double v = 0;
    if (f->length == 0)
        return EMPTY;
    if (pith_i_field_number(f, &v))
        return v - v == 0 ? NUMBER : MISSING;
    for (size_t i = 0; i < COUNT(missing); i++)
        if ((size_t)f->length == strlen(missing[i]) && strncasecmp(f->at, missing[i], (size_t)f->length) == 0)
            return MISSING;
    return TEXT;
}

bool pith_i_is_text(const char *text)
{
    const pith_i_field f = {.at = text, .length = (int64_t)strlen(text)};
    return kind_of(&f) == TEXT;
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

/* ---- The delimiter --------------------------------------------------------------------------------- */

/* The next row that is not blank, at or after *at: its end, or NULL. *line moves along. */
static const char *next_row(const pith_i_dialect *d, const char **at, const char *end, int64_t *line)
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

/* Fields of a row if the first rows agree (the first may be one shorter), else 0. *first: in the first. */
static int64_t agreed_fields(const pith_i_dialect *d, const char *at, const char *end, int64_t *first)
{
    enum { ROWS = 8 };
    int64_t agreed = 0, line = 0;
    bool agree = true;
    *first = 0;
    for (int row = 0; row < ROWS; row++) {
        const char *stop = next_row(d, &at, end, &line);
        if (stop == NULL)
            break;
        const int64_t count = pith_i_field_count(d, at, stop);
        if (row == 0)
            *first = count;
        else if (row > 1 || count != *first + 1)
            agree = agree && count == agreed;
        agreed = row < 2 ? count : agreed;
        at = stop < end ? stop + 1 : end;
    }
    return agree ? agreed : 0;
}

static pith_i_dialect find_dialect(const char *path, const char *at, const char *end)
{
    const char *order = pith_i_has_ending(path, ".tsv")   ? "\t,;"
                        : pith_i_has_ending(path, ".txt") ? "\t,; "
                                                          : ",;\t";
    pith_i_dialect best = {.delimiter = order[0], .quotes = true};
    int64_t most = 1, first = 0;
    for (const char *c = order; *c != '\0'; c++) {
        const pith_i_dialect d = {.delimiter = *c, .blanks = *c == ' ', .quotes = true};
        if (agreed_fields(&d, at, end, &first) > 1)
            return d;
        if (first > most) { /* nothing agrees: cut as finely as possible, and say which row is ragged */
            most = first;
            best = d;
        }
    }
    return best;
}

/* ---- Header and row names -------------------------------------------------------------------------- */

/* SAW_PLAIN, SAW_QUOTED: numbers and words for missing ones, without and in quotes. */
enum { SAW_NUMBER = 1, SAW_PLAIN = 2, SAW_QUOTED = 4, SAW_TEXT = 8 };

static void look_at_row(const pith_i_dialect *d, const char *at, const char *end, int64_t cols,
                        unsigned char *saw)
{
    pith_i_field f;
    for (int64_t j = 0; at != NULL && j < cols; j++) {
        at = pith_i_field_next(d, at, end, &f);
        const kind k = kind_of(&f);
        if (k == NUMBER || k == MISSING)
            saw[j] |= (f.quoted ? SAW_QUOTED : SAW_PLAIN) | (k == NUMBER ? SAW_NUMBER : 0);
        saw[j] |= k == TEXT ? SAW_TEXT : 0;
    }
}

/* What the rows after the first hold in each of cols columns; how many there were. */
static int look_at_rows(const pith_i_dialect *d, const char *at, const char *end, int64_t cols,
                        unsigned char *saw)
{
    int64_t line = 0;
    int rows = 0;
    for (; rows < ROWS_LOOKED_AT; rows++) {
        const char *stop = next_row(d, &at, end, &line);
        if (stop == NULL)
            break;
        look_at_row(d, at, stop, cols, saw);
        at = stop < end ? stop + 1 : end;
    }
    return rows;
}

/* The `count` cells of the first row stand over the last `count` of cols columns. */
static bool is_header(const pith_i_field *first, int64_t count, int64_t cols, const unsigned char *saw,
                      int rows)
{
    bool all_text = true, filled = count > 1;
    for (int64_t j = 0; j < count; j++) {
        const unsigned char below = saw[j + cols - count];
        const kind k = kind_of(&first[j]);
        /* A slip in a column of numbers does not hide its header; in the first one names may mix with them.
         */
        if (k == TEXT && below & (SAW_PLAIN | SAW_QUOTED) &&
            (!(below & SAW_TEXT) || (below & SAW_NUMBER && (j > 0 || cols == 1))))
            return true;
        if (k != EMPTY && first[j].quoted && below & SAW_PLAIN && !(below & (SAW_QUOTED | SAW_TEXT)))
            return true;
        all_text = all_text && k == TEXT;
        filled = filled && (j == 0) == (k == EMPTY);
    }
    if (rows == 0)
        return all_text;
    return filled && count == cols && saw[0] != 0;
}

static bool any_text(const pith_i_field *first, int64_t count)
{
    for (int64_t j = 0; j < count; j++)
        if (kind_of(&first[j]) == TEXT || (first[j].quoted && first[j].length > 0))
            return true;
    return false;
}

/* Header, row names and number of columns, from the first row and those after it. */
static pith_status find_shape(pith_ctx *ctx, const char *end, pith_i_layout *l)
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
    first[0].at = ""; /* stands over row names that have no cell of their own */
    for (int64_t j = 1; j <= count; j++)
        at = pith_i_field_next(d, at, stop, &first[j]);
    for (const char *p = l->first; p < stop && (p = memchr(p, '\n', (size_t)(stop - p))) != NULL; p++)
        lines++;
    line += lines;
    const char *second_end = next_row(d, &second, end, &line);
    const bool shorter = second_end != NULL && any_text(first + 1, count) &&
                         pith_i_field_count(d, second, second_end) == count + 1;
    l->cols = count + shorter;
    TRY(SCRATCH_ZERO(ctx, saw, l->cols));
    TRY(SCRATCH_ZERO(ctx, l->text, l->cols));
    const int rows = look_at_rows(d, second, end, l->cols, saw);
    l->header = shorter || is_header(first + 1, count, l->cols, saw, rows);
    if (l->header) {
        l->names = shorter ? first : first + 1;
        l->first = second;
        l->first_line = line;
    } else {
        look_at_row(d, l->first, stop, l->cols, saw);
    }
    for (int64_t j = 0; j < l->cols; j++)
        l->text[j] = saw[j] & SAW_TEXT && !(saw[j] & SAW_NUMBER);
    l->row_names = shorter || l->text[0] || (l->header && l->names[0].length == 0);
done:
    return st;
}

/* ---- Labels ---------------------------------------------------------------------------------------- */

/* Column of that name; without a header columns are called as pith calls them, f0, f1, ... */
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

static pith_status find_labels(pith_ctx *ctx, const char *path, const pith_read_options *options,
                               pith_i_layout *l)
{
    l->label = -1;
    if (options->labels != NULL) {
        l->label = named_column(l, options->labels);
        if (l->label < 0)
            return pith_i_error(ctx, PITH_E_DATA, "%s: no column is called '%s'%s", path, options->labels,
                                l->header ? "" : "; the file has no header, so they are f0, f1, ...");
    } else if (l->header) {
        for (int64_t j = 0; j < l->cols; j++)
            if (pith_i_is_label_name(l->names[j].at, l->names[j].length))
                l->label = j;
    }
    if (l->label == 0) /* text in it is no name then */
        l->row_names = false;
    return PITH_OK;
}

pith_status pith_i_layout_find(pith_ctx *ctx, const char *path, const pith_i_bytes *bytes,
                               const pith_read_options *options, pith_i_layout *out)
{
    const char *at = bytes->at, *end = at + bytes->size;
    pith_i_layout l = {.label = -1};
    pith_status st = PITH_OK;
    int64_t line = 1;
    if (bytes->size >= 2 && (memcmp(at, "\xff\xfe", 2) == 0 || memcmp(at, "\xfe\xff", 2) == 0))
        FAIL(ctx, PITH_E_DATA, "%s: is UTF-16 text; save it as UTF-8", path);
    if (bytes->size >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
        at += 3;
    l.dialect = find_dialect(path, at, end);
    if (next_row(&l.dialect, &at, end, &line) == NULL)
        FAIL(ctx, PITH_E_DATA, "%s: is empty", path);
    l.first = at;
    l.first_line = line;
    TRY(find_shape(ctx, end, &l));
    TRY(find_labels(ctx, path, options, &l));
    if (l.cols > INT32_MAX)
        FAIL(ctx, PITH_E_DATA, "%s: %lld columns are more than pith can hold", path, (long long)l.cols);
    *out = l;
done:
    return st;
}
