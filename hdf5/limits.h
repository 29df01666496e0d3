/* Limits on what pith-hdf5 can do: see limits.c. */
#ifndef PITH_HDF5_LIMITS_H
#define PITH_HDF5_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

/* Called once at the start. Limits CPU time by the size of the file, memory by that of the machine, and the
 * size of files that are written to output_bytes. */
void limit_resources(int64_t file_bytes, int64_t output_bytes);
/* Limits system calls, if the kernel supports it. Files can be opened for reading only if `may_open`;
 * `output` is the descriptor that can be written to, or -1. */
void limit_calls(bool may_open, int output);

#endif
