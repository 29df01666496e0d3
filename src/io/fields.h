/* Rows and fields of delimited text, with quotes, and lists with one text per line. */
#ifndef PITH_IO_FIELDS_H
#define PITH_IO_FIELDS_H

#include "io/io.h"

typedef struct pith_i_dialect {
    char delimiter;
    bool blanks; /* runs of spaces and tabs are one delimiter; `delimiter` is then a space */
    bool quotes; /* there may be quoted fields */
    bool comma;  /* decimals are written 1,5 */
} pith_i_dialect;

/* A piece of the file, quotes and blanks around it left out. doubled: "" inside stands for one quote. */
typedef struct pith_i_field {
    const char *at;
    int64_t length;
    bool quoted, doubled;
} pith_i_field;

/*
 * The end of the row that begins at `at`: its newline, or end. Newlines inside quotes do not count.
 * *open (may be NULL) tells whether a quote was still open at the end.
 */
const char *pith_i_row_end(const pith_i_dialect *d, const char *at, const char *end, bool *open);
/* Nothing but blanks and CR between at and end? A tab that is the delimiter is not blank. */
bool pith_i_row_is_blank(const pith_i_dialect *d, const char *at, const char *end);
/* Reads the field at `at` of a row, which ends before its newline. Returns what follows the field's
 * delimiter; NULL: it was the last. */
const char *pith_i_field_next(const pith_i_dialect *d, const char *at, const char *end, pith_i_field *out);
int64_t pith_i_field_count(const pith_i_dialect *d, const char *at, const char *end);
/* Is the whole field a number? *out may be NaN or infinite. */
bool pith_i_field_number(const pith_i_field *f, double *out);
/* The same in the dialect's notation; true and false, in any case, are 1 and 0. */
bool pith_i_cell_number(const pith_i_dialect *d, const pith_i_field *f, double *out);
/* A number in a notation that is not the dialect's. */
typedef enum pith_i_notation {
    PITH_I_NO_NUMBER,
    PITH_I_OTHER_DECIMAL, /* 1,5 where decimals are written 1.5, or the other way round */
    PITH_I_GROUPED        /* with thousands separators: 1.234,56 or 1 234; 1,234 may be this, too */
} pith_i_notation;
pith_i_notation pith_i_cell_notation(const pith_i_dialect *d, const pith_i_field *f);
/* Could it be a whole number with `mark` as its thousands separator: 12,345? */
bool pith_i_may_be_grouped(const pith_i_field *f, char mark);
/* Copies what the field stands for, without a NUL: "" becomes one quote if it is doubled. `to` has room for
 * f->length bytes; returns how many there are. */
int64_t pith_i_field_copy(const pith_i_field *f, char *to);
bool pith_i_field_is(const pith_i_field *f, const char *text); /* does it stand for this text? */
/* Newlines from at to end: quoted fields may hold some. */
int64_t pith_i_newlines(const char *at, const char *end);

/* Copies of the fields' texts, in UTF-8. A NUL byte in one of them is an error that names path. */
pith_status pith_i_names_of_fields(pith_ctx *ctx, const char *path, int64_t count, const pith_i_field *fields,
                                   pith_i_names *out);
/*
 * One text per line, blanks around it and CR left out, blank lines at the end ignored. quoted: as
 * pith_i_sink_text wrote it. *fields is scratch and points into bytes.
 */
pith_status pith_i_lines(pith_ctx *ctx, const pith_i_bytes *bytes, bool quoted, int64_t *count,
                         pith_i_field **fields);

/* For messages: printable, at most 40 bytes and "...", between quotes. UTF-8 is cut between characters. */
enum { PITH_I_SHOWN = 64 };
const char *pith_i_show(const char *at, int64_t length, char text[PITH_I_SHOWN]);

#endif
