/*
 * Structs of pith.h that callers fill. They begin with their size, as the caller's header has it, and grow at
 * the end only: so a program and a library of different versions agree on the fields that both have.
 */
#ifndef PITH_CORE_OPTIONS_H
#define PITH_CORE_OPTIONS_H

#include "core/core.h"

/* Copies the caller's struct into one of this library's size; NULL: all zero. Size 0 means `first`, the size
 * in the first version that had one. PITH_E_ARGUMENT if the size is smaller, or if it cannot be (a pointer,
 * or never set: nothing is read behind it then), or if a field is set that this library does not know. */
pith_status pith_i_options_take(pith_ctx *ctx, const char *what, const void *given, size_t first, size_t size,
                                void *out);
/* For structs that have not grown since their first version, as all so far. For one that has, `first` is the
 * end of what was its last field. */
#define TAKE_OPTIONS(ctx, type, given, out)                                                                  \
    pith_i_options_take((ctx), #type, (given), sizeof(type), sizeof(type), (out))

#endif
