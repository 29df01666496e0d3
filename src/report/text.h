/* Fields of CSV and JSON. Errors of the stream are seen when the file is committed. */
#ifndef PITH_REPORT_TEXT_H
#define PITH_REPORT_TEXT_H

#include <stdio.h>

/* Quoted where it holds the separator, a quote or a line end, or looks like a formula. */
void pith_i_put_field(FILE *out, const char *text, char separator);
/* As a JSON string; bytes that are not UTF-8 become U+FFFD, so that the file can always be read. */
void pith_i_put_string(FILE *out, const char *text);
/* Shortest text that reads back as the same double; what is not finite is null. */
void pith_i_put_number(FILE *out, double v);

#endif
