/* Steps of preparation that choose samples: which rows of a table to keep. What pith prep offers by their
 * names; described as methods are, so that their parameters are set and shown in the same way. */
#ifndef PITH_PREP_ROW_STEPS_H
#define PITH_PREP_ROW_STEPS_H

#include "methods/method.h"

typedef struct pith_i_row_step {
    pith_method about; /* name, title and parameters; it scores nothing */
    /* The rows to keep, ascending, into rows, which has room for all; params are filled and in range. */
    pith_status (*choose)(pith_ctx *ctx, const pith_i_data *X, void *params, int64_t *rows, int64_t *count);
} pith_i_row_step;

/* The two halves of NRFS's sampling (graph/sampling.h). */
extern const pith_i_row_step pith_i_step_drop_noisy, pith_i_step_representatives;

#endif
