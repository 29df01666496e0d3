/* Hashes that tell one table from another: of its values, its labels, and each kind of its names. */
#ifndef PITH_MATRIX_FINGERPRINT_H
#define PITH_MATRIX_FINGERPRINT_H

#include "matrix/matrix.h"

typedef enum pith_i_trait { TRAIT_VALUES, TRAIT_LABELS, TRAIT_SAMPLES, TRAIT_FEATURES, TRAITS } pith_i_trait;
extern const char *const pith_i_trait_names[TRAITS]; /* for messages: "values", "sample names" */
extern const char *const pith_i_trait_keys[TRAITS];  /* in files: "values", "samples" */

typedef struct pith_i_fingerprint {
    bool has[TRAITS]; /* names and labels may be missing */
    uint64_t of[TRAITS];
} pith_i_fingerprint;

/*
 * The same for the same numbers at the same places: dense or sparse, with stored zeros or without, float or
 * the doubles that equal them. Labels and names count as text, in their order. Not a cryptographic hash. One
 * pass over the stored values, at about the speed of memory; the same for any number of threads.
 */
void pith_i_fingerprint_make(const pith_ctx *ctx, const pith_matrix *m, pith_i_fingerprint *out);

#endif
