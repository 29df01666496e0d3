/* Rows that are spread over the processes of an engine. */
#ifndef PITH_SELECT_SPREAD_H
#define PITH_SELECT_SPREAD_H

#include "select/result.h"

/*
 * X, the rows that this process holds, learns which of all rows they are. What cannot be done with rows apart
 * from each other is PITH_E_PARAMETER, before any work. Nothing happens where there is one process.
 */
pith_status pith_i_spread_rows(pith_ctx *ctx, const pith_matrix *m, const pith_params *params,
                               pith_i_data *X);
/* Its two parts: what cannot be done, without a word to other processes; and which rows these are. */
pith_status pith_i_spread_check(pith_ctx *ctx, const pith_matrix *m, const pith_params *params);
pith_status pith_i_spread_place(pith_ctx *ctx, pith_i_data *X);
/*
 * What process 0 knows about the columns, which may be the only one that has read the file: their names,
 * owned in *names, and whether images are counted down their columns. A tree of them is the same in all
 * processes then. Nothing happens where there is one process.
 */
pith_status pith_i_spread_columns(pith_ctx *ctx, const pith_matrix *m, pith_i_names *names, bool *by_columns);
/* The names that process 0 has, in all processes: owned in *out, none where it has none. */
pith_status pith_i_spread_names(pith_ctx *ctx, const pith_i_names *names, pith_i_names *out);
/* The rows that have a class as a matrix of their own; *out stays NULL where all held here have one, or none
 * of all processes' has. */
pith_status pith_i_spread_labelled(pith_ctx *ctx, const pith_matrix *m, pith_matrix **out);
/* The classes of the rows held here and their number, the same ones in all processes; label in scratch, or
 * m's own where there is one process. NULL: no process has any. Each row held here has a class, or none has.
 */
pith_status pith_i_spread_classes(pith_ctx *ctx, const pith_matrix *m, const int32_t **label,
                                  int32_t *classes);

#endif
