/* What the command prints beside its results: messages on stderr, tables and JSON on stdout. */
#ifndef CLI_PRINT_H
#define CLI_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* "pith: ..." as one line on stderr, whatever the names in it contain. */
__attribute__((format(printf, 1, 2))) void complain(const char *format, ...);
/* The same for what is not an error; the caller checks --quiet. */
__attribute__((format(printf, 1, 2))) void note(const char *format, ...);
/* The same for what may turn out not to matter: printed at once on a terminal, elsewhere only when the
 * command has succeeded, so that a failure stays one line. */
__attribute__((format(printf, 1, 2))) void note_if_done(const char *format, ...);
void say_noted(bool done);
/* This is one of several processes: from here on only process 0 prints notes, and complaints are held until
 * it is known which process speaks. */
void print_as_process(int process);
bool is_speaker(void); /* does this process print and write the output? */
void say_held(void);

/* Like malloc and strdup, but end the program with a message when memory runs out. */
void *take(size_t size);
char *take_copy(const char *text);

void put_json_text(FILE *out, const char *text);
void put_json_number(FILE *out, double v); /* null if it is not finite */
/* The shortest text that reads back as the same double. */
enum { NUMBER_TEXT = 32 };
const char *number_text(double v, char text[NUMBER_TEXT]);

/* The text, wrapped before `width`; the first line begins at `column`, the next ones are indented by
 * `indent`. */
void put_wrapped(FILE *out, const char *text, int column, int indent, int width);

/* Rows of texts under headings, columns as wide as their longest text. A row is a NULL-ended list. */
typedef struct table {
    int columns;
    size_t rows, room;
    char **cells;
} table;
void table_start(table *t, int columns);
void table_add(table *t, const char *const *cells);
/* Aligned, two spaces between columns, the first row above a rule, the last column wrapped before `width`;
 * or as a Markdown table. */
void table_put(FILE *out, const table *t, int width);
void table_put_markdown(FILE *out, const table *t);
void table_free(table *t);

#endif
