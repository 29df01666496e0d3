/* What pith-hdf5 may not do: see limits.c. */
#ifndef PITH_HDF5_LIMITS_H
#define PITH_HDF5_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

/* Once at the start: time by the size of the file, memory by that of the machine; so much may be written to a
 * file. */
void limit_resources(int64_t file_bytes, int64_t output_bytes);
/* System calls, as far as this kernel can refuse them. Files may be opened for reading while `may_open`;
 * `output` is the descriptor that may be written to, or -1. */
void limit_calls(bool may_open, int output);

#endif
