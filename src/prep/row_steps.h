/* Steps of pith prep that choose which samples, rows of a table, to keep. They are described like methods, so
 * that their parameters are set and shown in the same way. */
#ifndef PITH_PREP_ROW_STEPS_H
#define PITH_PREP_ROW_STEPS_H

#include "methods/method.h"

typedef struct pith_i_row_step {
    pith_method about; /* name, title and parameters; it scores nothing */
    /* Writes the rows to keep, ascending, to `rows`, which has room for all. params are filled and valid. */
    pith_status (*choose)(pith_ctx *ctx, const pith_i_data *X, void *params, int64_t *rows, int64_t *count);
} pith_i_row_step;

/* The two parts of NRFS's sampling (graph/sampling.h). */
extern const pith_i_row_step pith_i_step_drop_noisy, pith_i_step_representatives;

#endif
