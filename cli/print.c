#include "print.h"

#include "options.h"
#include "progress.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((format(printf, 1, 0))) static void put_line(const char *format, va_list args)
{
    char line[2048];
    (void)vsnprintf(line, sizeof line, format, args);
    for (char *c = line; *c != '\0'; c++)
        if (iscntrl((unsigned char)*c)) /* file names may hold them: still one line, no escape codes */
            *c = '?';
    progress_clear();
    (void)fprintf(stderr, "pith: %s\n", line);
}

static int process = -1; /* of several; -1: there are no others */
static char held[2048];  /* its first complaint */

void print_as_process(int number)
{
    process = number;
}

bool is_speaker(void)
{
    return process <= 0;
}

void complain(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (process < 0)
        put_line(format, args);
    else if (held[0] == '\0')
        (void)vsnprintf(held, sizeof held, format, args);
    va_end(args);
}

void say_held(void)
{
    const int number = process;
    process = -1;
    if (held[0] != '\0' && number > 0)
        complain("process %d: %s", number, held);
    else if (held[0] != '\0')
        complain("%s", held);
    held[0] = '\0';
    process = number;
}

void note(const char *format, ...)
{
    va_list args;
    if (!is_speaker())
        return;
    va_start(args, format);
    put_line(format, args);
    va_end(args);
}

static char *noted; /* to be printed if the command succeeds */

void note_if_done(const char *format, ...)
{
    char line[2048];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (!is_speaker())
        return;
    if (isatty(STDERR_FILENO)) {
        note("%s", line);
        return;
    }
    free(noted);
    noted = take_copy(line);
}

void say_noted(bool done)
{
    if (noted != NULL && done)
        note("%s", noted);
    free(noted);
    noted = NULL;
}

void *take(size_t size)
{
    void *block = malloc(size > 0 ? size : 1);
    if (block == NULL) {
        complain("out of memory");
        say_held();
        exit(FAILED);
    }
    return block;
}

char *take_copy(const char *text)
{
    const size_t size = strlen(text) + 1;
    return memcpy(take(size), text, size);
}

void put_json_text(FILE *out, const char *text)
{
    (void)fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            (void)fprintf(out, "\\%c", *c);
        else if (*c < 0x20)
            (void)fprintf(out, "\\u%04x", *c);
        else
            (void)fputc(*c, out);
    }
    (void)fputc('"', out);
}

const char *number_text(double v, char text[NUMBER_TEXT])
{
    for (int digits = 6; digits <= 17; digits++) {
        (void)snprintf(text, NUMBER_TEXT, "%.*g", digits, v);
        if (strtod(text, NULL) == v)
            break;
    }
    return text;
}

void put_json_number(FILE *out, double v)
{
    char text[NUMBER_TEXT];
    (void)fputs(isfinite(v) ? number_text(v, text) : "null", out);
}

void put_wrapped(FILE *out, const char *text, int column, int indent, int width)
{
    bool first = true;
    while (*text != '\0') {
        const size_t word = strcspn(text, " \n");
        if (!first && column + 1 + (int)word > width) {
            (void)fprintf(out, "\n%*s", indent, "");
            column = indent;
            first = true;
        }
        column += (int)word + !first;
        (void)fprintf(out, "%s%.*s", first ? "" : " ", (int)word, text);
        first = false;
        text += word;
        text += strspn(text, " \n");
    }
    (void)fputc('\n', out);
}

void table_start(table *t, int columns)
{
    *t = (table){.columns = columns};
}

void table_add(table *t, const char *const *cells)
{
    const size_t columns = (size_t)t->columns;
    if (t->rows == t->room) {
        t->room = 2 * t->room + 16;
        char **more = take(t->room * columns * sizeof *more);
        for (size_t i = 0; i < t->rows * columns; i++)
            more[i] = t->cells[i];
        free(t->cells);
        t->cells = more;
    }
    for (size_t c = 0; c < columns; c++)
        t->cells[t->rows * columns + c] = take_copy(cells[c]);
    t->rows++;
}

static int width_of(const table *t, int column)
{
    size_t width = 0;
    for (size_t r = 0; r < t->rows; r++) {
        const size_t length = strlen(t->cells[r * (size_t)t->columns + (size_t)column]);
        width = length > width ? length : width;
    }
    return (int)width;
}

void table_put(FILE *out, const table *t, int width)
{
    for (size_t r = 0; r < t->rows; r++) {
        char *const *row = t->cells + r * (size_t)t->columns;
        int column = 0;
        for (int c = 0; c + 1 < t->columns; c++) {
            (void)fprintf(out, "%-*s  ", width_of(t, c), row[c]);
            column += width_of(t, c) + 2;
        }
        put_wrapped(out, row[t->columns - 1], column, column, width);
        for (int c = 0; r == 0 && c < t->columns; c++) {
            const int wide = c + 1 < t->columns ? width_of(t, c) : width - column;
            for (int i = 0; i < wide; i++)
                (void)fputc('-', out);
            (void)fputs(c + 1 < t->columns ? "  " : "\n", out);
        }
    }
}

void table_put_markdown(FILE *out, const table *t)
{
    for (size_t r = 0; r < t->rows; r++) {
        for (int c = 0; c < t->columns; c++) {
            (void)fputs("| ", out);
            for (const char *text = t->cells[r * (size_t)t->columns + (size_t)c]; *text != '\0'; text++)
                (void)fprintf(out, *text == '|' ? "\\%c" : "%c", *text);
            (void)fputc(' ', out);
        }
        (void)fputs("|\n", out);
        for (int c = 0; r == 0 && c < t->columns; c++)
            (void)fputs(c + 1 < t->columns ? "| --- " : "| --- |\n", out);
    }
}

void table_free(table *t)
{
    for (size_t i = 0; i < t->rows * (size_t)t->columns; i++)
        free(t->cells[i]);
    free(t->cells);
    *t = (table){0};
}
