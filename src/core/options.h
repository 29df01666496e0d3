/*
 * Structs of pith.h that callers fill. They begin with their size, as the caller's header has it, and grow at
 * the end only: so a program and a library of different versions agree on the fields that both have.
 */
#ifndef PITH_CORE_OPTIONS_H
#define PITH_CORE_OPTIONS_H

#include "core/core.h"

/* What is given, in a struct of this library; NULL: all zero. Size 0 is `first`, that of the version which
 * had the size first. PITH_E_ARGUMENT where it is smaller, or where a field is set that this library does not
 * know. */
pith_status pith_i_options_take(pith_ctx *ctx, const char *what, const void *given, size_t first, size_t size,
                                void *out);
/* Where a struct has grown, `first` is the end of its last field of then. All are still what they were first.
 */
#define TAKE_OPTIONS(ctx, type, given, out)                                                                  \
    pith_i_options_take((ctx), #type, (given), sizeof(type), sizeof(type), (out))

#endif
