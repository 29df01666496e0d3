/* The functions that R sees. */
#include "pithr.h"

#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

#define FUNCTION(name, count)                                                                                \
    {                                                                                                        \
#name, (DL_FUNC) & (name), count                                                                     \
    }

static const R_CallMethodDef functions[] = {
    FUNCTION(pithr_methods, 0), FUNCTION(pithr_steps, 0), FUNCTION(pithr_nearest, 2),
    FUNCTION(pithr_version, 0), FUNCTION(pithr_run, 1),   FUNCTION(pithr_prep, 1),
    FUNCTION(pithr_compare, 1), {NULL, NULL, 0},
};

attribute_visible void R_init_pith(DllInfo *dll)
{
    R_registerRoutines(dll, NULL, functions, NULL, NULL);
    R_useDynamicSymbols(dll, FALSE);
    R_forceSymbols(dll, TRUE);
}
