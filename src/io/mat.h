/* MATLAB's three file formats, each opened as a container of variables. Everything is taken from scratch. */
#ifndef PITH_IO_MAT_H
#define PITH_IO_MAT_H

#include "io/io.h"
#include "io/variables.h"

/* bytes must outlive the container. */
bool pith_i_mat4_is(const pith_i_bytes *bytes);
pith_status pith_i_mat4_open(pith_ctx *ctx, const char *path, const pith_i_bytes *bytes,
                             pith_i_container *out);
bool pith_i_mat5_is(const pith_i_bytes *bytes);
pith_status pith_i_mat5_open(pith_ctx *ctx, const char *path, const pith_i_bytes *bytes,
                             pith_i_container *out);
/* Version 7.3 is HDF5: opened, read and closed at once. */
pith_status pith_i_mat73_read(pith_ctx *ctx, const char *path, const pith_i_bytes *bytes,
                              const pith_read_options *options, const char *const *usual, pith_matrix *out);

/*
 * MATLAB's characters (UTF-16 units, or what a UTF-8 text decodes to) as names: a matrix of rows x cols
 * units, column by column, one name per row, without trailing blanks.
 */
pith_status pith_i_mat_char_rows(pith_ctx *ctx, int64_t rows, int64_t cols, const uint32_t *units,
                                 pith_i_names *out);
/* One text of count units, `stride` apart, as UTF-8 into out, which has room for 4 bytes each. Returns its
 * length in bytes. */
int64_t pith_i_mat_text(const uint32_t *units, int64_t count, int64_t stride, char *out);

#endif
