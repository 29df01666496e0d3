/* Which kernels OpenBLAS chose for this processor, and whether better ones would run. */
#include "matrix/blas.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

extern char *openblas_get_corename(void) __attribute__((weak));

/* The kernels that the user asked OpenBLAS for; NULL: none. */
static const char *asked_for(void)
{
    const char *asked = getenv("OPENBLAS_CORETYPE");
    return asked != NULL && asked[0] != '\0' ? asked : NULL;
}

const char *pith_blas_kernel(void)
{
    const char *faked = getenv("PITH_TEST_BLAS_KERNEL"); /* tests pretend that OpenBLAS chose these */
    if (faked != NULL && asked_for() == NULL)
        return faked;
    return openblas_get_corename != NULL ? openblas_get_corename() : NULL;
}

/* Kernels for processors before AVX2. OpenBLAS uses Prescott's for processors that it does not know, or
 * Barcelona's for those of AMD. */
static bool is_old(const char *kernel)
{
    static const char *const old[] = {
        "Prescott", "Core2",      "Penryn",    "Dunnington",   "Nehalem",   "Sandybridge",
        "Atom",     "Nano",       "Opteron",   "Opteron_SSE3", "Barcelona", "Bobcat",
        "Katmai",   "Coppermine", "Northwood", "Banias",       "Athlon",    "Unknown",
    };
    for (size_t i = 0; i < COUNT(old); i++)
        if (strcasecmp(kernel, old[i]) == 0)
            return true;
    return false;
}

/* Does the processor have the instructions that the Haswell kernels use? */
static bool runs_haswell(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

const char *pith_blas_better_kernel(void)
{
    const char *kernel = pith_blas_kernel();
    return kernel != NULL && asked_for() == NULL && is_old(kernel) && runs_haswell() ? "Haswell" : NULL;
}

void pith_i_blas_tell_kernel(pith_ctx *ctx)
{
    static atomic_bool told; /* once in a process, which has one OpenBLAS */
    const char *better = pith_blas_better_kernel();
    if (better == NULL || !pith_i_has_note(ctx) || atomic_exchange(&told, true))
        return;
    pith_i_note(ctx,
                "OpenBLAS does not know this processor and uses its %s kernels, which are slow; set "
                "OPENBLAS_CORETYPE=%s in the environment before the program starts",
                pith_blas_kernel(), better);
}
