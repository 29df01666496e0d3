/*
 * What 10x Genomics' Cell Ranger writes: a folder of matrix.mtx, features.tsv (version 2: genes.tsv) and
 * barcodes.tsv, each perhaps gzipped; or one .h5. Both have genes in rows; pith transposes them, so that
 * cells are rows.
 */
#ifndef PITH_IO_TENX_H
#define PITH_IO_TENX_H

#include "io/io.h"

/*
 * Is path such a folder, or a PREFIXmatrix.mtx in one, with its lists beside it? Then prefix becomes the
 * common start of the files' names: "FOLDER/" or "FOLDER/GSM1_".
 */
bool pith_i_tenx_find(const char *path, char *prefix, size_t room);
/* Takes the prefix as path. */
pith_i_read_fn pith_i_tenx_folder_read;
pith_i_read_fn pith_i_tenx_read; /* the .h5 */

#endif
