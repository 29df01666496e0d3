/*
 * Which character separates the columns of delimited text, and how decimals are written, from its first rows.
 *
 * Each separator that occurs is tried, with decimal points and, if that costs anything, with decimal commas.
 * The cost of a reading is the share of rows without the most frequent number of fields, plus the share of
 * suspect cells: text that holds another separator, two numbers in one cell, a number in another notation.
 * The cheapest reading wins; one that splits the rows at no cost is accepted at once. If two readings have
 * the same cost above 0, the user must say which is meant.
 */
#include "io/delimited.h"

#include <string.h>

enum { ROWS = 100, FEW_ROWS = 8, ENOUGH_BYTES = 1 << 15, MANY_BYTES = 1 << 22 };

/* The rows that are looked at. */
typedef struct sample {
    const char *path, *at, *end;
    int64_t line; /* number of the first line */
} sample;

typedef struct reading {
    pith_i_dialect d;
    int64_t cols;       /* fields of most rows */
    int64_t first;      /* fields of the first row */
    int64_t rows, text; /* text: cells of text, without the first row and the first column */
    double cost;
    pith_i_field comma; /* the first number with a decimal comma, if any */
    bool grouped;       /* all numbers with a comma may be thousands: 1,234 */
} reading;

/* ---- One reading ----------------------------------------------------------------------------------- */

bool pith_i_holds_numbers(const pith_i_dialect *d, const pith_i_field *f)
{
    const pith_i_dialect words = {.delimiter = ' ', .blanks = true, .comma = d->comma};
    const char *at = f->at;
    int64_t count = 0;
    for (pith_i_field word; at != NULL; count++) {
        double v = 0;
        at = pith_i_field_next(&words, at, f->at + f->length, &word);
        if (!pith_i_cell_number(d, &word, &v))
            return false;
    }
    return count > 1;
}

static bool has_separator(const pith_i_field *f)
{
    for (int64_t i = 0; i < f->length; i++)
        if (f->at[i] == ',' || f->at[i] == ';' || f->at[i] == '\t' || f->at[i] == '|')
            return true;
    return false;
}

static void look_at_number(const pith_i_field *f, reading *r)
{
    const char *comma = r->d.comma ? memchr(f->at, ',', (size_t)f->length) : NULL;
    if (comma == NULL) {
        int64_t digits = 0; /* 1234 without a mark: this file does not group thousands */
        while (digits < f->length && f->at[digits] >= '0' && f->at[digits] <= '9')
            digits++;
        r->grouped = r->grouped && digits < 4;
        return;
    }
    r->grouped = r->grouped && pith_i_may_be_grouped(f, ',');
    if (r->comma.at == NULL)
        r->comma = *f;
}

/* Is the cell suspect? Counts text if `counts`, and looks at numbers for decimal commas. */
static bool look_at_cell(const pith_i_field *f, bool counts, reading *r)
{
    const pith_i_kind k = pith_i_kind_of(&r->d, f);
    if (k == PITH_I_NUMBER)
        look_at_number(f, r);
    if (k == PITH_I_FOREIGN)
        return true;
    if (k != PITH_I_TEXT)
        return false;
    r->text += counts;
    return !f->quoted && (has_separator(f) || pith_i_holds_numbers(&r->d, f));
}

/* *most is the most frequent of the counts, ties to the first; returns how often it occurs. */
static int64_t agreeing(const int64_t *count, int64_t rows, int64_t *most)
{
    int64_t best = 0;
    for (int64_t i = 0; i < rows; i++) {
        int64_t same = 0;
        for (int64_t k = 0; k < rows; k++)
            same += count[k] == count[i];
        if (same > best) {
            best = same;
            *most = count[i];
        }
    }
    return best;
}

static reading look(const sample *s, pith_i_dialect d)
{
    reading r = {.d = d, .grouped = true};
    int64_t count[ROWS], line = 0, cells = 0, odd = 0;
    const char *at = s->at;
    for (const char *stop; r.rows < ROWS && (stop = pith_i_next_row(&d, &at, s->end, &line)) != NULL;) {
        int64_t fields = 0;
        for (pith_i_field f; at != NULL; fields++) {
            at = pith_i_field_next(&d, at, stop, &f);
            /* A quoted cell of the header or the first column may be a name, and names tell nothing about the
             * dialect. */
            if (!f.quoted || (r.rows > 0 && (fields > 0 || at == NULL)))
                odd += look_at_cell(&f, r.rows > 0 && fields > 0, &r);
        }
        count[r.rows++] = fields;
        cells += fields;
        at = stop < s->end ? stop + 1 : s->end;
    }
    if (r.rows == 0)
        return r;
    /* The first row may be a header with one field less. */
    const int64_t skipped = r.rows > 1;
    int64_t agreed = agreeing(count + skipped, r.rows - skipped, &r.cols);
    r.first = count[0];
    agreed += skipped && (r.first == r.cols || r.first + 1 == r.cols);
    r.cost = (double)(r.rows - agreed) / (double)r.rows + (double)odd / (double)cells;
    return r;
}

/* With the decimal mark that the user gives, else with points or, if that costs less, commas. */
static reading look_at_both(const sample *s, const pith_read_options *o, pith_i_dialect d)
{
    d.comma = o->decimal == ',';
    const reading r = look(s, d);
    if (o->decimal != 0 || r.cost == 0)
        return r;
    d.comma = true;
    const reading other = look(s, d);
    return other.cost < r.cost ? other : r;
}

/* ---- Messages -------------------------------------------------------------------------------------- */

/* "'A' and '1,5'": the first fields of the row. */
static void show_fields(const pith_i_dialect *d, const char *at, const char *end, char *text, size_t size)
{
    enum { SHOWN = 3 };
    char shown[PITH_I_SHOWN];
    int64_t count = 0;
    text[0] = '\0';
    for (pith_i_field f; at != NULL && count < SHOWN; count++) {
        at = pith_i_field_next(d, at, end, &f);
        const size_t used = strlen(text);
        (void)snprintf(text + used, size - used, "%s%s",
                       count == 0   ? ""
                       : at == NULL ? " and "
                                    : ", ",
                       pith_i_show(f.at, f.length, shown));
    }
    if (at != NULL)
        (void)snprintf(text + strlen(text), size - strlen(text), ", ...");
}

static const char *separator_text(const pith_i_dialect *d, char text[8])
{
    if (d->blanks || d->delimiter == '\t')
        return d->blanks ? "blanks" : "tabs";
    (void)snprintf(text, 8, "'%c'", d->delimiter);
    return text;
}

/* The row to quote in a message: the second, which is not a header, or the only one. Returns its line. */
static int64_t row_to_show(const sample *s, const char **at, const char **stop)
{
    const pith_i_dialect plain = {.delimiter = '\0'};
    int64_t line = s->line;
    const char *next = *at = s->at;
    *stop = pith_i_next_row(&plain, at, s->end, &line);
    if (*stop == NULL)
        return line;
    int64_t second = line + 1;
    next = *stop < s->end ? *stop + 1 : s->end;
    const char *end = pith_i_next_row(&plain, &next, s->end, &second);
    if (end == NULL)
        return line;
    *at = next;
    *stop = end;
    return second;
}

static pith_status two_separators(pith_ctx *ctx, const sample *s, const reading *a, const reading *b)
{
    const char *at = NULL, *stop = NULL;
    char first[300], second[300], by[2][8];
    const int64_t line = row_to_show(s, &at, &stop);
    show_fields(&a->d, at, stop, first, sizeof first);
    show_fields(&b->d, at, stop, second, sizeof second);
    return pith_i_error(
        ctx, PITH_E_DATA,
        "%s:%lld: what separates the columns? By %s they are %s; by %s they are %s; say which "
        "with --sep",
        s->path, (long long)line, separator_text(&a->d, by[0]), first, separator_text(&b->d, by[1]), second);
}

/* ---- The choice ------------------------------------------------------------------------------------ */

/* The first rows; a newline in quotes does not end a row. */
static sample take_sample(const char *path, const char *at, const char *end, int64_t line)
{
    const pith_i_dialect any = {.delimiter = '\0', .quotes = true};
    sample s = {.path = path, .at = at, .end = end, .line = line};
    const char *stop = at;
    for (int rows = 0; stop < end && rows < ROWS; rows++) {
        const int64_t size = stop - at;
        if (size >= MANY_BYTES ? rows > 2 : size >= ENOUGH_BYTES && rows > FEW_ROWS)
            break;
        stop = pith_i_row_end(&any, stop, end, NULL);
        stop = stop < end ? stop + 1 : end;
    }
    s.end = stop;
    return s;
}

static bool holds(const sample *s, char c)
{
    return s->end > s->at && memchr(s->at, c, (size_t)(s->end - s->at)) != NULL;
}

/* Is it a single column of numbers with decimal commas under a name? Split at commas, its header would be
 * short and its rows ragged. */
static bool is_column(const reading *r)
{
    return r->cols == 1 && r->rows > 1 && r->cost == 0 && r->comma.at != NULL;
}

static bool first_is_text(const sample *s)
{
    const pith_i_dialect d = {.delimiter = '\0', .quotes = true};
    const char *at = s->at;
    int64_t line = 0;
    const char *stop = pith_i_next_row(&d, &at, s->end, &line);
    pith_i_field f;
    if (stop == NULL)
        return false;
    (void)pith_i_field_next(&d, at, stop, &f);
    return pith_i_kind_of(&d, &f) == PITH_I_TEXT && !has_separator(&f);
}

/* May blanks separate columns? In a .txt; elsewhere only if all cells but the first row and column are
 * numbers. */
static bool takes_blanks(const char *path, const reading *r)
{
    return r->cols > 1 && (pith_i_has_ending(path, ".txt") || (r->cost == 0 && r->text == 0 && r->rows > 1));
}

static pith_status check_meaning(pith_ctx *ctx, const sample *s, const pith_read_options *o, const reading *r)
{
    const pith_i_dialect alone = {.delimiter = ';', .quotes = true, .comma = true};
    const char *at = NULL, *stop = NULL;
    char shown[PITH_I_SHOWN];
    const int64_t line = row_to_show(s, &at, &stop);
    if (o->decimal == 0 && r->comma.at != NULL && r->grouped)
        return pith_i_error(ctx, PITH_E_DATA,
                            "%s: is %s a number with a decimal comma, or with a thousands separator? For a "
                            "decimal comma use --decimal , and otherwise remove the commas",
                            s->path, pith_i_show(r->comma.at, r->comma.length, shown));
    if (o->sep != 0 || o->decimal != 0 || r->d.delimiter != ',' || r->cols != 2 || r->first != 1)
        return PITH_OK;
    const reading column = look(s, alone);
    if (!is_column(&column) || !first_is_text(s))
        return PITH_OK;
    return pith_i_error(ctx, PITH_E_DATA,
                        "%s:%lld: is %s one number with a decimal comma, or a row name and a number? Use "
                        "--decimal , for the first or --sep , for the second",
                        s->path, (long long)line, pith_i_show(at, stop - at, shown));
}

/* The cheapest reading with the separators in `order`, ties to the earlier; one that splits the rows beats
 * one that does not. *rival: another that splits them at the same cost. */
static reading cheapest(const sample *s, const pith_read_options *o, const char *order, reading *rival)
{
    reading best = {.cost = 3};
    for (const char *c = order; *c != '\0'; c++) {
        if (c > order && !holds(s, *c))
            continue;
        const reading r = look_at_both(s, o, (pith_i_dialect){.delimiter = *c, .quotes = true});
        /* If the user says that commas are decimal marks, they separate columns only if the numbers are
         * quoted. */
        if (*c == ',' && o->decimal == ',' && !r.comma.quoted)
            continue;
        if (r.cols > 1 && best.cols > 1 && r.cost == best.cost)
            *rival = r;
        if ((r.cols > 1) > (best.cols > 1) || ((r.cols > 1) == (best.cols > 1) && r.cost < best.cost)) {
            best = r;
            *rival = (reading){0};
        }
    }
    return best;
}

static pith_status choose(pith_ctx *ctx, const sample *s, const pith_read_options *o, reading *out)
{
    const char *order = !pith_i_has_ending(s->path, ".csv") ? "\t,;|" : o->decimal == ',' ? ";,\t|" : ",;\t|";
    pith_status st = PITH_OK;
    reading rival = {0}, best = cheapest(s, o, order, &rival);
    const bool clean = best.cols > 1 && best.cost == 0;
    if (rival.cols > 1 && best.cost > 0)
        TRY(two_separators(ctx, s, &best, &rival));
    if (!clean && o->decimal != '.' && holds(s, ',') && first_is_text(s)) {
        const reading column = look(s, (pith_i_dialect){.delimiter = ';', .quotes = true, .comma = true});
        best = is_column(&column) ? column : best;
    }
    if ((!clean && best.comma.at == NULL) ||
        (pith_i_has_ending(s->path, ".txt") && best.d.delimiter == ',')) {
        const reading blanks =
            look_at_both(s, o, (pith_i_dialect){.delimiter = ' ', .blanks = true, .quotes = true});
        if (takes_blanks(s->path, &blanks) && clean && blanks.cost == 0 && blanks.comma.at != NULL)
            TRY(two_separators(ctx, s, &best, &blanks));
        if (takes_blanks(s->path, &blanks) && !clean && (best.cols < 2 || blanks.cost < best.cost))
            best = blanks;
    }
    *out = best;
done:
    return st;
}

pith_status pith_i_dialect_find(pith_ctx *ctx, const char *path, const char *at, const char *end,
                                int64_t line, const pith_read_options *options, pith_i_dialect *out)
{
    const sample s = take_sample(path, at, end, line);
    pith_status st = PITH_OK;
    reading r;
    if (options->sep != 0)
        r = look_at_both(
            &s, options,
            (pith_i_dialect){.delimiter = options->sep, .blanks = options->sep == ' ', .quotes = true});
    else
        TRY(choose(ctx, &s, options, &r));
    TRY(check_meaning(ctx, &s, options, &r));
    *out = r.d;
done:
    return st;
}
