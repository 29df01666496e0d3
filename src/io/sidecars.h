/*
 * Names and labels beside a Matrix Market file, as text collections ship them: base.terms or base.cols for
 * the features, base.docs or base.rows for the samples, base.classes for the labels.
 */
#ifndef PITH_IO_SIDECARS_H
#define PITH_IO_SIDECARS_H

#include "io/fields.h"

typedef struct pith_i_sidecar {
    char *path; /* NULL: there is no such file */
    pith_i_bytes bytes;
    pith_i_field *fields; /* scratch, pointing into bytes */
    int64_t count;
} pith_i_sidecar;

typedef struct pith_i_sidecars {
    pith_i_sidecar features, samples, labels;
    bool terms; /* the features came as .terms, which may be the rows of the file */
} pith_i_sidecars;

/*
 * own: the list of sidecars in the file itself (after PITH_I_SIDECARS), if pith wrote it: these are quoted,
 * and no others are looked for. NULL: take whatever lies beside the file.
 */
#define PITH_I_SIDECARS "% sidecars of pith:"
pith_status pith_i_sidecars_load(pith_ctx *ctx, const char *path, const char *own, int64_t own_length,
                                 bool no_labels, pith_i_sidecars *out);
/* Into the matrix, whose shape is known; counts that do not fit are errors. */
pith_status pith_i_sidecars_take(pith_ctx *ctx, const char *path, const pith_i_sidecars *s, bool own,
                                 pith_matrix *m);
void pith_i_sidecars_free(pith_i_sidecars *s);

/* Endings of the files beside a .mtx that pith looks for, and of those it writes; NULL-terminated. */
extern const char *const pith_i_sidecars_read[], *const pith_i_sidecars_written[];
/* path with `ending` in place of its .mtx or .mtx.gz; owned by the caller. */
char *pith_i_sidecar_path(pith_ctx *ctx, const char *path, const char *ending);
/* Does the .mtx at path record that pith wrote its sidecar with this ending? */
bool pith_i_sidecar_is_own(const char *path, const char *ending);

/* The sidecars that m needs, written to temporary files; commit puts them into place. */
typedef struct pith_i_sidecar_files {
    pith_i_file file[3];
} pith_i_sidecar_files;
pith_status pith_i_sidecars_write(pith_ctx *ctx, const pith_matrix *m, const char *path,
                                  pith_i_sidecar_files *out);
pith_status pith_i_sidecars_commit(pith_ctx *ctx, pith_i_sidecar_files *files);
void pith_i_sidecars_discard(pith_i_sidecar_files *files);
/* " .cols .classes" or " none": the list of sidecars that m needs, for the file itself. */
const char *pith_i_sidecars_needed(const pith_matrix *m, char text[32]);

#endif
