/*
 * Vector types of GCC and clang, and functions compiled once per instruction set, among which the loader
 * chooses: a portable binary that still uses wide registers. All sets do the same operations in the same
 * order (no contraction, sums in a fixed number of lanes), so the choice cannot change a result. For static
 * functions only: the clones of others would be visible outside the library.
 */
#ifndef PITH_MATRIX_SIMD_H
#define PITH_MATRIX_SIMD_H

#include <stdint.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define PITH_I_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PITH_I_SANITIZED
#endif

/* The choice runs before a sanitizer's runtime is ready, and needs glibc's loader. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) &&                 \
    !defined(PITH_I_SANITIZED)
#define PITH_I_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define PITH_I_CLONES
#endif

/* What a clone calls must be inlined: a call would go to the default version. */
#define PITH_I_INLINE __attribute__((always_inline))

/* Aligned and aliased as the scalars are, so that any array may be read through them. */
typedef double pith_i_double8 __attribute__((vector_size(64), aligned(8), may_alias));
typedef float pith_i_float8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t pith_i_int8 __attribute__((vector_size(32), aligned(4), may_alias));

/* The lanes' total, in a fixed order. A macro: vectors passed by value change the ABI between sets. */
#define PITH_I_SUM8(v) ((((v)[0] + (v)[4]) + ((v)[2] + (v)[6])) + (((v)[1] + (v)[5]) + ((v)[3] + (v)[7])))

#endif
