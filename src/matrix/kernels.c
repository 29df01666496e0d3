/* Which kernels OpenBLAS took for this processor, and whether better ones would run. */
#include "matrix/blas.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

extern char *openblas_get_corename(void) __attribute__((weak));

/* The user's word, for OpenBLAS to follow. */
static const char *asked_for(void)
{
    const char *asked = getenv("OPENBLAS_CORETYPE");
    return asked != NULL && asked[0] != '\0' ? asked : NULL;
}

const char *pith_blas_kernel(void)
{
    const char *faked = getenv("PITH_TEST_BLAS_KERNEL"); /* what tests have OpenBLAS say of itself */
    if (faked != NULL && asked_for() == NULL)
        return faked;
    return openblas_get_corename != NULL ? openblas_get_corename() : NULL;
}

/* Of processors from before AVX2; what OpenBLAS doesn't know gets Prescott's, or Barcelona's of AMD. */
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

/* The instructions that Haswell's kernels consist of. */
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
    static atomic_bool told; /* once in a process, as it is one OpenBLAS */
    const char *better = pith_blas_better_kernel();
    if (better == NULL || !pith_i_has_note(ctx) || atomic_exchange(&told, true))
        return;
    pith_i_note(ctx,
                "OpenBLAS does not know this processor and uses its %s kernels, which are slow; set "
                "OPENBLAS_CORETYPE=%s in the environment before the program starts",
                pith_blas_kernel(), better);
}
