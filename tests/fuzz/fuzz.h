/*
 * What the fuzz targets share. A target hands over bytes as a file of its format; whatever they are, reading
 * must end with a table or with one line that says what is wrong, and a table that was read must come back
 * the same when it is written and read again. Anything else is told on stderr and aborts.
 */
#ifndef PITH_TESTS_FUZZ_FUZZ_H
#define PITH_TESTS_FUZZ_FUZZ_H

#include "matrix/matrix.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FUZZ_VALUES = 0, FUZZ_LABELS = 1, FUZZ_NAMES = 2 }; /* what the format keeps beside the values */
void fuzz_reader(const uint8_t *data, size_t size, const char *ending, int keeps);

/* For targets of several files: base + ending, in memory where that can be had, removed at exit. */
const char *fuzz_path(const char *base, const char *ending, char path[128]);
void fuzz_put(const char *path, const uint8_t *data, size_t size);
void fuzz_path_reader(const char *path, const char *ending, int keeps);
/* A refusal is a code of its kind and one line that begins with the path; a table fits together. */
void fuzz_check_refusal(const pith_ctx *ctx, pith_status st, const char *path);
void fuzz_check_table(pith_ctx *ctx, const pith_matrix *m, bool finite);
_Noreturn void fuzz_fail(const char *what, const char *detail);

#endif
