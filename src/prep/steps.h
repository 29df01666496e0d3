/* The steps of a preparation by their names, and a list of them as a user writes it. */
#ifndef PITH_PREP_STEPS_H
#define PITH_PREP_STEPS_H

#include "methods/params.h"
#include "prep/row_steps.h"
#include "prep/step.h"

enum { PITH_I_MOST_STEPS = 64 };

struct pith_step {
    const pith_i_step *plain;    /* it changes values, or drops what it can tell from the values themselves */
    const pith_i_row_step *rows; /* it chooses samples by their neighbours */
};

typedef struct pith_i_step_list {
    size_t count;
    struct {
        const pith_step *step;
        double values[PITH_I_STEP_PARAMS]; /* of a plain step, */
        char *texts[PITH_I_STEP_PARAMS];   /* its files and names; NULL: auto */
        pith_params *params;               /* of one that chooses samples */
    } item[PITH_I_MOST_STEPS];
} pith_i_step_list;

/* out must be freed whatever comes of it. */
pith_status pith_i_step_list_read(pith_ctx *ctx, const char *text, pith_i_step_list *out);
void pith_i_step_list_free(pith_i_step_list *list);
/* The steps from number `first` on, of m, which stays as it is. */
pith_status pith_i_take_steps(pith_ctx *ctx, const pith_i_step_list *list, size_t first, const pith_matrix *m,
                              pith_matrix **out);
/* The list as text with every parameter, behind what is in `before` (NULL: nothing); owned. */
pith_status pith_i_step_list_text(pith_ctx *ctx, const pith_i_step_list *list, const char *before,
                                  char **out);

#endif
