/* The part of a table's rows that a process keeps, where an engine's processes share the samples. */
#ifndef PITH_API_PART_H
#define PITH_API_PART_H

#include "matrix/matrix.h"

/*
 * Process 0 reads first and says what is to be done; all processes call tell together with what they know:
 *
 *     FAILED  process 0 could not read it: the others give up
 *     MAPPED  the file is mapped: every process maps it, too, and reads its part
 *     DEALT   process 0 has read all of it, and sends the parts
 */
typedef enum pith_i_parting {
    PITH_I_PART_UNKNOWN,
    PITH_I_PART_MAPPED,
    PITH_I_PART_DEALT,
    PITH_I_PART_FAILED
} pith_i_parting;
pith_status pith_i_part_tell(pith_ctx *ctx, pith_i_parting *what);

/* m has all rows: it keeps its own, in the mapped file. */
pith_status pith_i_part_keep(pith_ctx *ctx, pith_matrix *m);
/* Process 0's m has all rows, the others' is empty: each gets its own. */
pith_status pith_i_part_deal(pith_ctx *ctx, pith_matrix *m);
/* Once process 0 knows the labels of all samples: every part gets its own. All processes call it. */
pith_status pith_i_part_label(pith_ctx *ctx, pith_matrix *m);

#endif
