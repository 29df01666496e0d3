/*
 * Delimited text. The rows are counted first, so memory is taken once; then blocks of rows are parsed in
 * parallel, each into its own place. Of several errors the first in the file is reported, whichever thread
 * found its own first.
 */
#include "io/delimited.h"

#include "core/number.h"
#include "core/parallel.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>

enum { BLOCK_BYTES = 1 << 18 };

/* Rows that one thread parses at a time. */
typedef struct block {
    const char *at;
    int64_t row, line; /* of the first row: its index from 0, its line from 1 */
} block;

typedef struct problem {
    enum { NONE, RAGGED, BAD_VALUE } what;
    int64_t line, col, found; /* found: fields of a ragged row */
    pith_i_field field;
} problem;

typedef struct table {
    const char *path, *end;
    pith_i_layout layout;
    bool strict; /* values that are not finite numbers are errors, not NaN */
    int64_t rows, blocks;
    block *block;
    problem *problem; /* one per block */
    double *x;        /* rows x features, row-major */
    pith_i_field *sample, *label, *batch;
} table;

static const char *after(const char *stop, const char *end)
{
    return stop < end ? stop + 1 : end;
}

/* Number of lines in a row: quoted fields may hold newlines. */
static int64_t lines_of(const pith_i_dialect *d, const char *at, const char *stop)
{
    return d->quotes ? pith_i_newlines(at, stop) + 1 : 1;
}

/* Counts the rows and cuts them into blocks. Quotes are looked for here, while a row is in the cache. */
static pith_status find_rows(pith_ctx *ctx, table *t)
{
    pith_i_dialect *d = &t->layout.dialect;
    const char *at = t->layout.first, *begin = NULL;
    int64_t line = t->layout.first_line;
    pith_status st = PITH_OK;
    bool open = false, quotes = false;
    const char *seen = at;
    TRY(SCRATCH(ctx, t->block, (t->end - at) / BLOCK_BYTES + 1));
    for (const char *stop; at < t->end; at = after(stop, t->end)) {
        stop = pith_i_row_end(d, at, t->end, &open);
        if (open)
            FAIL(ctx, PITH_E_DATA, "%s:%lld: a quoted field opens in this row and never closes", t->path,
                 (long long)line);
        if (!pith_i_row_is_blank(d, at, stop)) {
            if (begin == NULL || at - begin >= BLOCK_BYTES) {
                begin = at;
                t->block[t->blocks++] = (block){at, t->rows, line};
                pith_i_touched(ctx, at - seen);
                seen = at;
            }
            t->rows++;
        }
        quotes = quotes || memchr(at, '"', (size_t)(stop - at)) != NULL;
        line += quotes ? lines_of(d, at, stop) : 1;
    }
    d->quotes = quotes;
done:
    return st;
}

/* Does the cell end at `stop`? Then *next is where the next one begins; NULL: the row ends, too. */
static inline bool cell_ends(const pith_i_dialect *d, const char *stop, const char *end, const char **next)
{
    if (stop == end) {
        *next = NULL;
        return true;
    }
    if (!d->blanks) {
        *next = stop + 1;
        return *stop == d->delimiter;
    }
    const char *p = stop;
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    *next = p < end ? p : NULL;
    return p > stop;
}

/* A cell of any form: an exponent, many digits, blanks around it, quotes, empty, text. NaN if it is not a
 * finite number. Returns where the next cell begins, as in cell_ends. */
static const char *slow_number(const pith_i_dialect *d, const char *at, const char *end, double *out,
                               pith_i_field *f)
{
    const char *next = NULL;
    if (at < end && (*at == '-' || *at == '.' || (*at >= '0' && *at <= '9'))) {
        const char *stop = pith_i_scan_double(at, end, out);
        if (stop != NULL && isfinite(*out) && cell_ends(d, stop, end, &next))
            return next;
    }
    next = pith_i_field_next(d, at, end, f);
    if (!pith_i_cell_number(d, f, out) || !isfinite(*out))
        *out = (double)NAN;
    return next;
}

/* Scans a number such as 12,5 of at most 15 digits and returns its end; NULL: not of this form. */
static const char *scan_comma(const char *at, const char *end, double *out)
{
    const bool negative = at < end && *at == '-';
    const char *first = at + negative;
    uint64_t m = 0;
    const char *p = pith_i_scan_digits(first, end, &m), *point = p;
    ptrdiff_t digits = p - first, places = 0;
    if (point < end && *point == ',') {
        p = pith_i_scan_digits(point + 1, end, &m);
        places = p - point - 1;
        if (places == 0)
            return NULL;
    }
    if (digits < 1 || digits + places > 15)
        return NULL;
    *out = pith_i_short_value(negative, m, places);
    return p;
}

/* The cell at `at` of text with decimal commas; see slow_number. */
static const char *comma_number(const pith_i_dialect *d, const char *at, const char *end, double *out,
                                pith_i_field *f)
{
    const char *next = NULL, *stop = d->delimiter != ',' ? scan_comma(at, end, out) : NULL;
    if (stop != NULL && cell_ends(d, stop, end, &next))
        return next;
    next = pith_i_field_next(d, at, end, f);
    if (!pith_i_cell_number(d, f, out) || !isfinite(*out))
        *out = (double)NAN;
    return next;
}

/* Is a cell that did not parse an error? A number in another notation always is: it is not missing. */
static bool is_bad(const table *t, const pith_i_field *f)
{
    return t->strict || pith_i_cell_notation(&t->layout.dialect, f) != PITH_I_NO_NUMBER;
}

/*
 * Parses up to `count` cells from *at on into x and returns how many. *at moves along and is NULL at the end
 * of the row. It also stops at a cell that is an error (is_bad), which becomes *bad.
 */
static int64_t numbers(const table *t, const char **at, const char *end, int64_t count, double *x,
                       pith_i_field *bad)
{
    const pith_i_dialect d = t->layout.dialect;
    const char *p = *at;
    int64_t k = 0;
    for (; k < count && p != NULL; k++) {
        const char *next = NULL, *stop = pith_i_scan_short(p, end, &x[k]);
        if (stop != NULL && cell_ends(&d, stop, end, &next)) {
            p = next;
            continue;
        }
        pith_i_field f = {0};
        p = slow_number(&d, p, end, &x[k], &f);
        if (isnan(x[k]) && is_bad(t, &f)) {
            *bad = f;
            break;
        }
    }
    *at = p;
    return k;
}

/* The same for decimal commas: a separate loop, so that the usual one has no test for them at every cell. */
static int64_t comma_numbers(const table *t, const char **at, const char *end, int64_t count, double *x,
                             pith_i_field *bad)
{
    int64_t k = 0;
    for (; k < count && *at != NULL; k++) {
        pith_i_field f = {0};
        *at = comma_number(&t->layout.dialect, *at, end, &x[k], &f);
        if (isnan(x[k]) && is_bad(t, &f)) {
            *bad = f;
            break;
        }
    }
    return k;
}

/* The number of consecutive feature columns from `col` on: up to the labels, the batches, or the end. */
static int64_t run_from(const pith_i_layout *l, int64_t col)
{
    int64_t end = l->cols;
    end = l->label > col ? l->label : end;
    end = l->batch > col && l->batch < end ? l->batch : end;
    return end - col;
}

/* One row, without its newline. False: *p tells what is wrong with it. */
static bool parse_row(const table *t, const char *at, const char *end, int64_t row, problem *p)
{
    const pith_i_layout *l = &t->layout;
    const char *next = at;
    double *x = t->x + row * pith_i_layout_features(l);
    int64_t col = 0;
    if (end > at && end[-1] == '\r')
        end--;
    while (col < l->cols && next != NULL && p->field.at == NULL) {
        if (!pith_i_layout_is_feature(l, col)) {
            next =
                pith_i_field_next(&l->dialect, next, end, col == l->label ? &t->label[row] : &t->batch[row]);
            col++;
        } else if (col == 0 && l->row_names) {
            next = pith_i_field_next(&l->dialect, next, end, &t->sample[row]);
            col++;
        } else {
            const int64_t got =
                (l->dialect.comma ? comma_numbers : numbers)(t, &next, end, run_from(l, col), x, &p->field);
            x += got;
            col += got;
        }
    }
    if (col == l->cols && next == NULL && p->field.at == NULL)
        return true;
    /* A row with a field too many or too few has its text in the wrong places: tell the cause first. */
    p->found = pith_i_field_count(&l->dialect, at, end);
    p->what = p->found != l->cols ? RAGGED : BAD_VALUE;
    p->col = col;
    return false;
}

/* Faults in the memory of a block's rows by one call: page by page, the faults cost as much as parsing. */
static void touch_rows(const table *t, int64_t row, int64_t rows)
{
#ifdef MADV_POPULATE_WRITE
    const int64_t p = pith_i_layout_features(&t->layout);
    const uintptr_t page = 4096, from = ((uintptr_t)(t->x + row * p) + page - 1) & ~(page - 1);
    const uintptr_t to = (uintptr_t)(t->x + (row + rows) * p) & ~(page - 1);
    if (to > from)
        (void)madvise((void *)from, to - from, MADV_POPULATE_WRITE);
#else
    (void)t, (void)row, (void)rows;
#endif
}

static void parse_block(const table *t, int64_t b)
{
    const pith_i_dialect *d = &t->layout.dialect;
    touch_rows(t, t->block[b].row, (b + 1 < t->blocks ? t->block[b + 1].row : t->rows) - t->block[b].row);
    const char *at = t->block[b].at, *end = b + 1 < t->blocks ? t->block[b + 1].at : t->end;
    int64_t row = t->block[b].row, line = t->block[b].line;
    problem *p = &t->problem[b];
    for (const char *stop; at < end; at = after(stop, end)) {
        stop = pith_i_row_end(d, at, end, NULL);
        if (!pith_i_row_is_blank(d, at, stop) && !parse_row(t, at, stop, row++, p)) {
            p->line = line;
            return;
        }
        line += lines_of(d, at, stop);
    }
}

/* Several words in a cell, or a .txt, whose lines are split at blanks. */
static bool may_be_document(const char *path, const pith_i_field *f)
{
    return memchr(f->at, ' ', (size_t)f->length) != NULL || pith_i_has_ending(path, ".txt");
}

/* " f64" for a column whose name the file does not show, else "". */
static const char *made_name(const pith_i_layout *l, int64_t col, char text[32])
{
    text[0] = '\0';
    if (!l->header)
        (void)snprintf(text, 32, " f%lld", (long long)(col - l->row_names));
    return text;
}

/* Units beside the numbers, another separator, and documents leave columns of text alone. */
static bool is_all_text(const pith_i_layout *l)
{
    for (int64_t j = 0; j < l->cols; j++)
        if (!l->text[j])
            return false;
    return true;
}

static pith_status has_no_numbers(pith_ctx *ctx, const char *path)
{
    return pith_i_error(
        ctx, PITH_E_DATA,
        "%s: has no column of numbers: a cell must hold a number alone, without a unit; --sep "
        "sets the separator of columns, --prep text counts the words of documents",
        path);
}

/* Is it what a separator at the end of every line makes: a last column without a name? */
static bool ends_every_line(const pith_i_layout *l, int64_t col)
{
    return l->header && col > 0 && col == l->cols - 1 && l->names[col].length == 0;
}

/* Has the line below the header text over columns of numbers, and no number itself? *col, *cell: its first.
 */
static bool begins_with_units(const table *t, int64_t *col, pith_i_field *cell)
{
    const pith_i_layout *l = &t->layout;
    const char *at = t->block[0].at, *end = pith_i_row_end(&l->dialect, at, t->end, NULL);
    pith_i_field f;
    double v = 0;
    *col = -1;
    for (int64_t j = 0; j < l->cols && at != NULL; j++) {
        at = pith_i_field_next(&l->dialect, at, end, &f);
        if (j < l->row_names || l->text[j] || !pith_i_layout_is_feature(l, j))
            continue;
        if (pith_i_cell_number(&l->dialect, &f, &v) ||
            pith_i_cell_notation(&l->dialect, &f) != PITH_I_NO_NUMBER)
            return false;
        if (*col < 0 && f.length > 0 && !pith_i_field_is(&f, "NA")) {
            *col = j;
            *cell = f;
        }
    }
    return l->header && *col >= 0;
}

static pith_status tell_units(pith_ctx *ctx, const table *t, int64_t col, const pith_i_field *cell)
{
    char column[PITH_I_SHOWN + 16], shown[PITH_I_SHOWN];
    return pith_i_error(
        ctx, PITH_E_DATA,
        "%s:%lld: no cell of this line is a number (%s: %s), as in a row of units; delete the "
        "line (sed %lldd), or choose --missing drop-rows",
        t->path, (long long)t->block[0].line, pith_i_layout_column(&t->layout, col, column),
        pith_i_show(cell->at, cell->length, shown), (long long)t->block[0].line);
}

static pith_status tell(pith_ctx *ctx, const table *t, const problem *p)
{
    static const char *const choose = "correct it, or choose --missing drop-rows, mean or zero";
    char column[PITH_I_SHOWN + 16], shown[PITH_I_SHOWN], made[32];
    pith_i_field cell;
    int64_t col = 0;
    double v = 0;
    if (p->what == RAGGED && t->layout.cols == 1)
        return pith_i_error(ctx, PITH_E_DATA,
                            "%s:%lld: 1 column expected, %lld found; delete lines above the table, or set "
                            "its separator with --sep",
                            t->path, (long long)p->line, (long long)p->found);
    if (p->what == RAGGED)
        return pith_i_error(ctx, PITH_E_DATA, "%s:%lld: %lld columns expected, %lld found", t->path,
                            (long long)p->line, (long long)t->layout.cols, (long long)p->found);
    if (p->line == t->block[0].line && begins_with_units(t, &col, &cell))
        return tell_units(ctx, t, col, &cell);
    (void)pith_i_layout_column(&t->layout, p->col, column);
    if (p->field.length == 0 && ends_every_line(&t->layout, p->col))
        return pith_i_error(ctx, PITH_E_DATA,
                            "%s:%lld: %s is empty, and has no name: if every line ends with a separator, "
                            "delete it there",
                            t->path, (long long)p->line, column);
    if (p->field.length == 0)
        return pith_i_error(ctx, PITH_E_DATA,
                            "%s:%lld: %s is empty; fill it in, or choose --missing "
                            "drop-rows, mean or zero",
                            t->path, (long long)p->line, column);
    (void)pith_i_show(p->field.at, p->field.length, shown);
    const pith_i_dialect *d = &t->layout.dialect;
    switch (pith_i_cell_notation(d, &p->field)) {
    case PITH_I_GROUPED:
        return pith_i_error(ctx, PITH_E_DATA, "%s:%lld: %s: %s has thousands separators; remove them",
                            t->path, (long long)p->line, column, shown);
    case PITH_I_OTHER_DECIMAL:
        return pith_i_error(ctx, PITH_E_DATA,
                            "%s:%lld: %s: %s has a decimal %s, but numbers are read with a decimal %s; use "
                            "one decimal mark throughout, or choose with --decimal",
                            t->path, (long long)p->line, column, shown, d->comma ? "point" : "comma",
                            d->comma ? "comma" : "point");
    case PITH_I_NO_NUMBER: break;
    }
    if (is_all_text(&t->layout))
        return has_no_numbers(ctx, t->path);
    if (t->layout.text[p->col])
        return pith_i_error(
            ctx, PITH_E_DATA,
            "%s:%lld: %s holds text (%s), not numbers; leave it out, or "
            "name it with --labels%s if it holds the classes%s",
            t->path, (long long)p->line, column, shown, made_name(&t->layout, p->col, made),
            may_be_document(t->path, &p->field) ? "; --prep text counts the words of documents" : "");
    return pith_i_error(ctx, PITH_E_DATA, "%s:%lld: %s: %s is not a %snumber; %s", t->path,
                        (long long)p->line, column, shown,
                        pith_i_cell_number(d, &p->field, &v) ? "finite " : "", choose);
}

/* A file cannot hold more cells than bytes. If it claims to, some row is short: reported before memory is
 * taken. */
static pith_status check_size(pith_ctx *ctx, const table *t)
{
    const pith_i_dialect *d = &t->layout.dialect;
    problem p = {.what = RAGGED, .line = t->layout.first_line};
    int64_t cells = 0;
    if (!__builtin_mul_overflow(t->rows, t->layout.cols, &cells) && cells <= t->end - t->layout.first + 1)
        return PITH_OK;
    for (const char *at = t->layout.first, *stop; at < t->end; at = after(stop, t->end)) {
        stop = pith_i_row_end(d, at, t->end, NULL);
        p.found = pith_i_field_count(d, at, stop);
        if (p.found != t->layout.cols && !pith_i_row_is_blank(d, at, stop))
            break;
        p.line += lines_of(d, at, stop);
    }
    return tell(ctx, t, &p);
}

static pith_status parse(pith_ctx *ctx, table *t, pith_i_data *X)
{
    const int64_t p = pith_i_layout_features(&t->layout);
    pith_status st = PITH_OK;
    int64_t done = 0;
    TRY(check_size(ctx, t));
    TRY(SCRATCH_ZERO(ctx, t->problem, t->blocks));
    TRY(SCRATCH(ctx, t->sample, t->layout.row_names ? t->rows : 0));
    TRY(SCRATCH(ctx, t->label, t->layout.label >= 0 ? t->rows : 0));
    TRY(SCRATCH(ctx, t->batch, t->layout.batch >= 0 ? t->rows : 0));
    TRY(pith_i_data_new_dense(ctx, t->rows, p, PITH_F64, X));
    t->x = pith_i_data_x(X);
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic)
    for (int64_t b = 0; b < t->blocks; b++) {
        int64_t before;
#pragma omp atomic capture
        before = done++;
        if (!pith_i_progress_stop(ctx, before, t->blocks))
            parse_block(t, b);
        pith_i_touched(ctx, 5 * (int64_t)BLOCK_BYTES); /* the text, and 8 bytes for every 2 of it */
    }
    TRY(pith_i_stop_status(ctx));
    for (int64_t b = 0; b < t->blocks; b++)
        if (t->problem[b].what != NONE)
            TRY(tell(ctx, t, &t->problem[b]));
done:
    return st;
}

/* Text that stands for missing values becomes NaN, but a column of text without any number is an error. */
static pith_status check_text_columns(pith_ctx *ctx, const table *t)
{
    const pith_i_layout *l = &t->layout;
    const int64_t p = pith_i_layout_features(l);
    char column[PITH_I_SHOWN + 16], made[32];
    for (int64_t col = l->row_names, j = 0; col < l->cols; col++) {
        if (!pith_i_layout_is_feature(l, col))
            continue;
        int64_t i = l->text[col] ? 0 : t->rows;
        while (i < t->rows && isnan(t->x[i * p + j]))
            i++;
        if (is_all_text(l) && i == t->rows)
            return has_no_numbers(ctx, t->path);
        if (l->text[col] && i == t->rows)
            return pith_i_error(ctx, PITH_E_DATA,
                                "%s: %s holds text, not numbers; leave it out, or name it "
                                "with --labels%s if it holds the classes",
                                t->path, pith_i_layout_column(l, col, column), made_name(l, col, made));
        j++;
    }
    return PITH_OK;
}

static pith_status take_names(pith_ctx *ctx, const table *t, bool no_labels, pith_matrix *m)
{
    const pith_i_layout *l = &t->layout;
    pith_i_names labels = {0}, batches = {0};
    pith_status st = PITH_OK;
    if (l->header) {
        int64_t j = 0;
        for (int64_t col = l->row_names; col < l->cols; col++)
            if (pith_i_layout_is_feature(l, col))
                l->names[j++] = l->names[col]; /* in place: j <= col, so none is overwritten unread */
        TRY(pith_i_names_of_fields(ctx, t->path, j, l->names, &m->features));
    }
    if (l->row_names)
        TRY(pith_i_names_of_fields(ctx, t->path, t->rows, t->sample, &m->samples));
    if (l->label >= 0 && l->unlabelled < 0 && !no_labels) {
        TRY(pith_i_names_of_fields(ctx, t->path, t->rows, t->label, &labels));
        TRY(pith_i_matrix_label(ctx, m, &labels));
    }
    if (l->batch >= 0) {
        TRY(pith_i_names_of_fields(ctx, t->path, t->rows, t->batch, &batches));
        TRY(pith_i_matrix_batch(ctx, m, t->path, &batches));
    }
done:
    pith_i_names_free(&labels);
    pith_i_names_free(&batches);
    return st;
}

/* "; between columns, decimal commas, ": what differs from the plain CSV or TSV that the ending promises. */
static void put_dialect(const table *t, char *text, size_t size)
{
    const pith_i_dialect *d = &t->layout.dialect;
    const char usual = pith_i_has_ending(t->path, ".csv") ? ',' : '\t';
    text[0] = '\0';
    if (d->blanks || (d->delimiter == '\t' && usual != '\t'))
        (void)snprintf(text, size, "%s between columns, ", d->blanks ? "blanks" : "tabs");
    else if (d->delimiter != usual && t->layout.cols > 1)
        (void)snprintf(text, size, "'%c' between columns, ", d->delimiter);
    if (d->comma)
        (void)snprintf(text + strlen(text), size - strlen(text), "decimal commas, ");
}

/* A sentence for the user on how the file was read: dialect, header, row names, labels, batches. */
static pith_status describe(pith_ctx *ctx, const table *t, const pith_read_options *o, pith_matrix *m)
{
    const pith_i_layout *l = &t->layout;
    char dialect[64], column[PITH_I_SHOWN + 16] = "", labels[2 * PITH_I_SHOWN + 64] = "no labels", text[640],
                                            batches[PITH_I_SHOWN + 64] = "", units[96] = "";
    const int64_t size = (int64_t)sizeof text;
    pith_i_field cell;
    int64_t col = 0;
    pith_status st = PITH_OK;
    put_dialect(t, dialect, sizeof dialect);
    if (l->label >= 0 || l->unlabelled >= 0)
        (void)pith_i_layout_column(l, l->label >= 0 ? l->label : l->unlabelled, column);
    if (l->unlabelled >= 0)
        (void)snprintf(labels, sizeof labels, "no labels (%s is %s: %s)", column,
                       l->label >= 0                        ? "left out"
                       : l->unlabelled == 0 && l->row_names ? "the row names"
                                                            : "a feature",
                       l->why);
    else if (l->label >= 0)
        (void)snprintf(labels, sizeof labels, o->no_labels ? "%s left out" : "labels in %s", column);
    if (l->batch >= 0)
        (void)snprintf(batches, sizeof batches, ", batches in %s", pith_i_layout_column(l, l->batch, column));
    if (!t->strict && o->missing != PITH_MISSING_DROP_ROWS && begins_with_units(t, &col, &cell))
        (void)snprintf(units, sizeof units,
                       ", and line %lld, which has no number (is it units?), as a sample",
                       (long long)t->block[0].line);
    (void)snprintf(text, sizeof text,
                   "read with %s%s, %s, %s%s%s (to change: --header, --row-names, --labels, --no-labels)",
                   dialect, l->header ? "a header" : "no header", l->row_names ? "row names" : "no row names",
                   labels, batches, units);
    TRY(NEW(ctx, m->reading, size));
    memcpy(m->reading, text, sizeof text);
done:
    return st;
}

pith_status pith_i_delimited_read(pith_ctx *ctx, const char *path, const pith_read_options *options,
                                  pith_matrix *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    table t = {.path = path, .strict = options->missing == PITH_MISSING_ERROR};
    pith_i_bytes bytes = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_text_load(ctx, path, &bytes));
    t.end = bytes.at + bytes.size;
    TRY(pith_i_layout_find(ctx, path, &bytes, options, &t.layout));
    TRY(find_rows(ctx, &t));
    if (t.rows == 0)
        FAIL(ctx, PITH_E_DATA, "%s: has no data rows", path);
    if (is_all_text(&t.layout) && pith_i_layout_features(&t.layout) == 0)
        TRY(has_no_numbers(ctx, path));
    TRY(parse(ctx, &t, &out->data));
    out->known_finite = t.strict;
    if (!t.strict)
        TRY(check_text_columns(ctx, &t));
    TRY(describe(ctx, &t, options, out)); /* before take_names moves the header's cells */
    TRY(take_names(ctx, &t, options->no_labels, out));
done:
    pith_i_bytes_free(&bytes);
    pith_i_scratch_release(ctx, mark);
    return st;
}
