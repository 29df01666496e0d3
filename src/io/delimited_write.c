/*
 * Writing delimited text so that it reads back the same. Numbers alone make a file without a header. With
 * names or labels there is one: row names under an empty cell, then the features, labels last under
 * "label". Features without names, or with empty ones, are called f0, f1, ... there, as everywhere.
 */
#include "core/text.h"
#include "io/delimited.h"
#include "io/sink.h"

#include <math.h>
#include <string.h>
#include <strings.h>

typedef struct writer {
    pith_i_sink sink;
    const pith_matrix *m;
    char delimiter[2];
    const char *special; /* characters that a reader might take for a delimiter */
    bool header, row_names, labels;
    bool quote_labels; /* all labels differ: unquoted, the reader would not accept them as labels */
} writer;

/* A feature called Y or label would be read as the labels; an empty label column after it prevents that. */
static bool needs_label_column(const pith_matrix *m)
{
    if (m->label != NULL)
        return true;
    for (int64_t j = 0; m->features.start != NULL && j < m->data.p; j++) {
        const char *name = pith_i_name(&m->features, j);
        if (pith_i_is_label_name(name, (int64_t)strlen(name)))
            return true;
    }
    return false;
}

/* A name or a label. It is quoted if it looks like a formula, so that spreadsheets can import it as text, and
 * if it holds several numbers, which a reader might take for columns. */
static void write_cell(writer *w, const char *text)
{
    const pith_i_field f = {.at = text, .length = (int64_t)strlen(text)};
    const pith_i_dialect point = {.delimiter = ','}, comma = {.delimiter = ';', .comma = true};
    if (pith_i_is_formula(text) || pith_i_holds_numbers(&point, &f) || pith_i_holds_numbers(&comma, &f))
        pith_i_sink_quoted(&w->sink, text);
    else
        pith_i_sink_text(&w->sink, text, w->special);
}

/* Names that look like numbers, or missing ones, go in quotes, which tells the header from the data. */
static void write_header(writer *w)
{
    const pith_matrix *m = w->m;
    pith_i_sink *s = &w->sink;
    for (int64_t j = 0; j < m->data.p; j++) {
        char made[24];
        const char *name = pith_i_feature_label(m, j, made);
        if (j > 0 || w->row_names)
            pith_i_sink_string(s, w->delimiter);
        if (*name == '\0') { /* an empty cell would announce row names, or hide the header */
            (void)snprintf(made, sizeof made, "f%lld", (long long)j);
            name = made;
        }
        if (m->data.p == 1 && strncasecmp(name, "sep=", 4) == 0) /* else read as Excel's separator line */
            pith_i_sink_string(s, " ");
        if (pith_i_is_text(name))
            write_cell(w, name);
        else
            pith_i_sink_quoted(s, name);
    }
    if (w->labels) {
        pith_i_sink_string(s, w->delimiter);
        pith_i_sink_string(s, "label");
    }
    pith_i_sink_string(s, "\n");
}

/* Would the first row, without a header above it, be taken for the names 0, 1, 2, ... that pandas writes? */
static bool begins_like_names(const pith_matrix *m, double *row)
{
    int64_t j = 0;
    if (m->data.n < 2 || m->data.p < 2)
        return false;
    pith_i_block(&m->data, 0, 1, 0, m->data.p, row, m->data.p);
    while (j < m->data.p && row[j] == (double)j && !signbit(row[j]))
        j++;
    return j == m->data.p;
}

/* row: work space of p doubles. */
static void write_row(writer *w, int64_t i, double *row)
{
    const pith_matrix *m = w->m;
    pith_i_sink *s = &w->sink;
    pith_i_block(&m->data, i, 1, 0, m->data.p, row, m->data.p);
    if (w->row_names)
        write_cell(w, pith_i_name(&m->samples, i));
    for (int64_t j = 0; j < m->data.p; j++) {
        if (j > 0 || w->row_names)
            pith_i_sink_string(s, w->delimiter);
        pith_i_sink_number(s, row[j]);
    }
    if (w->labels)
        pith_i_sink_string(s, w->delimiter);
    if (m->label != NULL && w->quote_labels)
        pith_i_sink_quoted(s, pith_i_label_text(m, i));
    else if (m->label != NULL && m->label[i] >= 0)
        write_cell(w, pith_i_label_text(m, i));
    pith_i_sink_string(s, "\n");
}

pith_status pith_i_delimited_write(pith_ctx *ctx, const pith_matrix *m, pith_i_file *file)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const char *ending = file->ending != NULL ? file->ending : ".csv";
    writer w = {.m = m, .delimiter = ",", .special = ",;\t|"};
    pith_status st = PITH_OK;
    double *row = NULL;
    if (strncmp(ending, ".csv", 4) != 0)
        w.delimiter[0] = '\t';
    if (strncmp(ending, ".txt", 4) == 0)
        w.special = ",;\t| ";
    w.row_names = m->samples.start != NULL;
    w.labels = needs_label_column(m);
    w.quote_labels = m->label != NULL && m->classes.count == pith_i_labelled(m);
    w.header = w.row_names || w.labels || m->features.start != NULL;
    TRY(SCRATCH(ctx, row, m->data.p));
    w.header = w.header || begins_like_names(m, row);
    TRY(pith_i_sink_open(ctx, file, &w.sink));
    if (w.header)
        write_header(&w);
    for (int64_t i = 0; i < m->data.n && w.sink.status == PITH_OK; i++) {
        TRY(pith_i_progress(ctx, i, m->data.n));
        pith_i_touched(ctx, 8 * m->data.p);
        write_row(&w, i, row);
    }
    TRY(pith_i_sink_finish(&w.sink));
done:
    pith_i_sink_free(&w.sink);
    pith_i_scratch_release(ctx, mark);
    return st;
}
