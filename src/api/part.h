/* The part of a table's rows that a process keeps, if an engine spreads the samples over processes. */
#ifndef PITH_API_PART_H
#define PITH_API_PART_H

#include "matrix/matrix.h"

/*
 * Process 0 reads first and says what to do. All processes call tell together: process 0 with what follows,
 * the others with UNKNOWN, and all get what process 0 said:
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

/* m has all rows, in a mapped file: reduces it to those of this process. */
pith_status pith_i_part_keep(pith_ctx *ctx, pith_matrix *m);
/* Process 0's m has all rows, that of the others is empty: each gets the rows of its process. */
pith_status pith_i_part_deal(pith_ctx *ctx, pith_matrix *m);
/* Gives every part its labels, once process 0 has those of all samples. All processes call it. */
pith_status pith_i_part_label(pith_ctx *ctx, pith_matrix *m);

#endif
