/*
 * A tree as a spreadsheet: one row per feature, columns from coarse to fine. Features with equal cells in a
 * column, and in all columns before it, form a node; an empty cell ends a feature's path.
 *
 *     feature,level2,level3
 *     goal,sport,football
 *     tax,money,
 */
#include "io/fields.h"
#include "tree/tree_reader.h"

#include <stdlib.h>
#include <string.h>

typedef struct row {
    int64_t line;
    pith_i_field feature; /* the first column */
    int32_t number;       /* of the feature */
    int32_t node;         /* the deepest so far */
    const char *at, *end; /* what follows the first column; NULL: nothing */
} row;

typedef struct sheet {
    pith_i_tree_reader *r;
    row *rows; /* scratch */
    int64_t count;
} sheet;

static const pith_i_dialect dialect = {.delimiter = ',', .quotes = true};

#define WRONG(s, ...) FAIL((s)->r->ctx, PITH_E_DATA, __VA_ARGS__)

/* ---- Lines and features ------------------------------------------------------------------------------- */

/* Reads the field at `at`, as pith_i_field_next does, and undoes its doubled quotes. All such fields together
 * are no longer than the file, as each is read once. */
static pith_status next_field(pith_i_tree_reader *r, const char **at, const char *end, pith_i_field *out)
{
    pith_status st = PITH_OK;
    *at = pith_i_field_next(&dialect, *at, end, out);
    if (!out->doubled)
        return PITH_OK;
    if (r->texts == NULL)
        TRY(NEW(r->ctx, r->texts, r->bytes.size));
    char *text = r->texts + r->texts_used;
    *out = (pith_i_field){.at = text, .length = pith_i_field_copy(out, text)};
    r->texts_used += out->length;
done:
    return st;
}

/* What follows the header; *line: the one on which the header ends. */
static const char *skip_head(const pith_i_tree_reader *r, int64_t *line)
{
    const char *at = r->bytes.at, *end = at + r->bytes.size;
    if (r->bytes.size >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
        at += 3;
    const char *stop = pith_i_row_end(&dialect, at, end, NULL);
    *line = 1 + pith_i_newlines(at, stop);
    return stop < end ? stop + 1 : end;
}

static pith_status read_rows(sheet *s)
{
    const char *end = s->r->bytes.at + s->r->bytes.size, *stop = NULL;
    int64_t line = 0, rows = 0;
    pith_status st = PITH_OK;
    for (const char *at = skip_head(s->r, &line); at < end; at = stop + 1) {
        stop = pith_i_row_end(&dialect, at, end, NULL);
        rows++;
    }
    TRY(SCRATCH(s->r->ctx, s->rows, rows));
    for (const char *at = skip_head(s->r, &line); at < end; at = stop + 1) {
        stop = pith_i_row_end(&dialect, at, end, NULL);
        const int64_t first = line + 1; /* of the row's lines */
        line = first + pith_i_newlines(at, stop);
        const char *last = stop;
        while (last > at && last[-1] == '\r')
            last--;
        if (pith_i_row_is_blank(&dialect, at, last))
            continue;
        row *x = &s->rows[s->count++];
        *x = (row){.line = first, .at = at, .end = last};
        TRY(next_field(s->r, &x->at, last, &x->feature));
    }
    if (s->count == 0)
        WRONG(s, "%s:%lld: no root", s->r->path, (long long)line);
    if (s->r->n_features >= 0 && s->count != s->r->n_features)
        WRONG(s, "%s:%lld: tree is for %lld features, the data has %lld", s->r->path, (long long)line,
              (long long)s->count, (long long)s->r->n_features);
    if (s->count > INT32_MAX)
        WRONG(s, "%s: more than 2147483647 features", s->r->path);
    s->r->n_features = s->count;
done:
    return st;
}

static bool whole_number(const pith_i_field *f, int64_t below, int32_t *out)
{
    double v = 0;
    if (!pith_i_field_number(f, &v) || !(v >= 0 && v < (double)below) || v != (double)(int32_t)v)
        return false;
    *out = (int32_t)v;
    return true;
}

static pith_status name_rows(sheet *s)
{
    char shown[PITH_I_SHOWN];
    pith_status st = PITH_OK;
    TRY(pith_i_tree_reader_names(s->r));
    for (int64_t i = 0; i < s->count; i++) {
        row *x = &s->rows[i];
        x->number = (int32_t)i;
        if (s->r->names == NULL)
            continue;
        const pith_i_word *word = pith_i_words_find(&s->r->features, x->feature.at, x->feature.length);
        if (word == NULL)
            WRONG(s, "%s:%lld: no feature is called %s", s->r->path, (long long)x->line,
                  pith_i_show(x->feature.at, x->feature.length, shown));
        x->number = (int32_t)word->value;
    }
done:
    return st;
}

/* If the first column holds whole numbers below D in every row, these are the features' numbers; else their
 * names. If the data's names are not known, row i is feature i. */
static pith_status number_rows(sheet *s)
{
    bool numbers = true;
    int64_t *line = NULL;
    pith_status st = PITH_OK;
    for (int64_t i = 0; i < s->count && numbers; i++)
        numbers = whole_number(&s->rows[i].feature, s->count, &s->rows[i].number);
    if (!numbers)
        TRY(name_rows(s));
    TRY(SCRATCH_ZERO(s->r->ctx, line, s->count));
    for (int64_t i = 0; i < s->count; i++) {
        const row *x = &s->rows[i];
        char shown[PITH_I_SHOWN];
        if (line[x->number] > 0)
            WRONG(s, "%s:%lld: feature %s given twice (first in line %lld)", s->r->path, (long long)x->line,
                  pith_i_show(x->feature.at, x->feature.length, shown), (long long)line[x->number]);
        line[x->number] = x->line;
    }
done:
    return st;
}

/* ---- Nodes, column by column -------------------------------------------------------------------------- */

typedef struct cell {
    pith_i_field text;
    int32_t above, number; /* the parent node; the feature */
    int64_t row;
} cell;

static int by_group(const void *a, const void *b)
{
    const cell *x = a, *y = b;
    if (x->above != y->above)
        return x->above < y->above ? -1 : 1;
    const int64_t least = x->text.length < y->text.length ? x->text.length : y->text.length;
    const int order = memcmp(x->text.at, y->text.at, (size_t)least);
    if (order != 0)
        return order;
    if (x->text.length != y->text.length)
        return x->text.length < y->text.length ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static bool same_group(const cell *a, const cell *b)
{
    return a->above == b->above && a->text.length == b->text.length &&
           memcmp(a->text.at, b->text.at, (size_t)a->text.length) == 0;
}

/* The cells of the next column that are not empty. A path that has ended must not go on. */
static pith_status next_column(sheet *s, cell *cells, int64_t *count)
{
    pith_status st = PITH_OK;
    *count = 0;
    for (int64_t i = 0; i < s->count; i++) {
        row *x = &s->rows[i];
        pith_i_field f = {0};
        if (x->at == NULL)
            continue;
        TRY(next_field(s->r, &x->at, x->end, &f));
        if (f.length > 0 && x->node < 0)
            WRONG(s, "%s:%lld: a cell follows an empty one, which ends the path", s->r->path,
                  (long long)x->line);
        if (f.length > 0)
            cells[(*count)++] = (cell){.text = f, .above = x->node, .number = x->number, .row = i};
        else
            x->node = -1;
    }
done:
    return st;
}

static pith_status add_groups(sheet *s, int64_t count, const cell *cells)
{
    pith_i_tree_nodes *n = &s->r->nodes;
    pith_status st = PITH_OK;
    for (int64_t from = 0, to = 0; from < count; from = to) {
        while (to < count && same_group(&cells[from], &cells[to]))
            to++;
        TRY(pith_i_tree_nodes_add(s->r->ctx, n, cells[from].above));
        TRY(pith_i_tree_nodes_reserve(s->r->ctx, n, to - from));
        const int32_t g = n->count - 1;
        for (int64_t e = from; e < to; e++) {
            n->feat[n->node_ptr[g + 1]++] = cells[e].number;
            s->rows[cells[e].row].node = g;
        }
        n->label[g] = cells[from].text.at;
        n->label_length[g] = cells[from].text.length;
        n->labelled = true;
    }
done:
    return st;
}

pith_status pith_i_tree_read_csv(pith_i_tree_reader *r)
{
    const size_t mark = pith_i_scratch_mark(r->ctx);
    sheet s = {.r = r};
    cell *cells = NULL;
    int64_t count = 1;
    pith_status st = PITH_OK;
    TRY(read_rows(&s));
    TRY(number_rows(&s));
    TRY(pith_i_tree_nodes_add(r->ctx, &r->nodes, -1));
    TRY(pith_i_tree_nodes_reserve(r->ctx, &r->nodes, s.count));
    for (int32_t j = 0; j < (int32_t)s.count; j++)
        r->nodes.feat[j] = j;
    r->nodes.node_ptr[1] = s.count;
    TRY(SCRATCH(r->ctx, cells, s.count));
    for (;;) {
        bool more = false;
        for (int64_t i = 0; i < s.count && !more; i++)
            more = s.rows[i].at != NULL;
        if (!more)
            break;
        TRY(pith_i_progress(r->ctx, 0, 1));
        TRY(next_column(&s, cells, &count));
        qsort(cells, (size_t)count, sizeof *cells, by_group);
        TRY(add_groups(&s, count, cells));
    }
done:
    pith_i_scratch_release(r->ctx, mark);
    return st;
}
