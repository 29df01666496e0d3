/* What pith-hdf5 may not do: see limits.c. */
#ifndef PITH_HDF5_LIMITS_H
#define PITH_HDF5_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

/* Once at the start: time by the size of the file, memory by that of the machine; nothing is written. */
void limit_resources(int64_t file_bytes);
/* System calls, as far as this kernel can refuse them. Files may be opened for reading while `may_open`. */
void limit_calls(bool may_open);

#endif
