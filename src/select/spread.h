/* Rows that are spread over the processes of an engine. */
#ifndef PITH_SELECT_SPREAD_H
#define PITH_SELECT_SPREAD_H

#include "select/result.h"

/*
 * Sets the place of X, the rows that this process holds, among all rows. Settings that need all rows in one
 * process are PITH_E_PARAMETER, before any work. With one process it does nothing.
 */
pith_status pith_i_spread_rows(pith_ctx *ctx, const pith_matrix *m, const pith_params *params,
                               pith_i_data *X);
/* Its two parts: the check, which does not communicate, and the place of the rows. */
pith_status pith_i_spread_check(pith_ctx *ctx, const pith_matrix *m, const pith_params *params);
pith_status pith_i_spread_place(pith_ctx *ctx, pith_i_data *X);
/*
 * Gives all processes what process 0 knows about the columns, since it may be the only one that has read the
 * file: their names, owned in *names, and whether pixels are numbered down the columns of an image. A tree
 * over them is then the same in all processes. With one process it does nothing.
 */
pith_status pith_i_spread_columns(pith_ctx *ctx, const pith_matrix *m, pith_i_names *names, bool *by_columns);
/* Gives all processes the names that process 0 has: owned in *out, none if it has none. */
pith_status pith_i_spread_names(pith_ctx *ctx, const pith_i_names *names, pith_i_names *out);
/* The rows that have a class, as a new matrix; *out stays NULL if all rows held here have one, or if no row
 * of any process has one. */
pith_status pith_i_spread_labelled(pith_ctx *ctx, const pith_matrix *m, pith_matrix **out);
/* The classes of the rows held here and their number, the same ones in all processes; label in scratch, or
 * m's own where there is one process. NULL: no process has any. Each row held here has a class, or none has.
 */
pith_status pith_i_spread_classes(pith_ctx *ctx, const pith_matrix *m, const int32_t **label,
                                  int32_t *classes);

#endif
