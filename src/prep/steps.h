/* The steps of a preparation by name, and lists of steps as users write them. */
#ifndef PITH_PREP_STEPS_H
#define PITH_PREP_STEPS_H

#include "methods/params.h"
#include "prep/row_steps.h"
#include "prep/step.h"

enum { PITH_I_MOST_STEPS = 64 };

struct pith_step {
    const pith_i_step *plain;    /* changes values, or drops rows or columns by their values alone */
    const pith_i_row_step *rows; /* chooses samples by the distances between them */
};

typedef struct pith_i_step_list {
    size_t count;
    struct {
        const pith_step *step;
        double values[PITH_I_STEP_PARAMS]; /* of a plain step */
        char *texts[PITH_I_STEP_PARAMS];   /* of a plain step: files and names; NULL: auto */
        pith_params *params;               /* of a step that chooses samples */
    } item[PITH_I_MOST_STEPS];
} pith_i_step_list;

/* out must be freed, even after a failure. */
pith_status pith_i_step_list_read(pith_ctx *ctx, const char *text, pith_i_step_list *out);
void pith_i_step_list_free(pith_i_step_list *list);
/* Applies the steps from number `first` on to m, which is not changed. Progress goes from 0, or from where it
 * is if `first` is not 0, to `end`. */
pith_status pith_i_take_steps(pith_ctx *ctx, const pith_i_step_list *list, size_t first, double end,
                              const pith_matrix *m, pith_matrix **out);
/* The list as text with every parameter, after the text `before` (NULL: nothing); owned by the caller. */
pith_status pith_i_step_list_text(pith_ctx *ctx, const pith_i_step_list *list, const char *before,
                                  char **out);

#endif
