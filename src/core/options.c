#include "core/options.h"

#include <string.h>

/* More than any struct of pith.h will ever have: such a size was never set. */
enum { MOST = 65536 };

pith_status pith_i_options_take(pith_ctx *ctx, const char *what, const void *given, size_t first, size_t size,
                                void *out)
{
    size_t theirs = 0;
    memset(out, 0, size);
    if (given == NULL)
        return PITH_OK;
    memcpy(&theirs, given, sizeof theirs);
    if (theirs == 0)
        theirs = first;
    if (theirs < first)
        return pith_i_error(ctx, PITH_E_ARGUMENT,
                            "%s: its size is given as %zu bytes, but it has at least %zu", what, theirs,
                            first);
    if (theirs > MOST)
        return pith_i_error(ctx, PITH_E_ARGUMENT,
                            "%s: its size is given as %zu bytes; set it to sizeof, as PITH_OPTIONS does",
                            what, theirs);
    for (size_t i = size; i < theirs; i++)
        if (((const char *)given)[i] != 0)
            return pith_i_error(
                ctx, PITH_E_ARGUMENT,
                "%s: a field is set that libpith %s does not have; the program was built for a "
                "newer one",
                what, pith_version());
    memcpy(out, given, theirs < size ? theirs : size);
    return PITH_OK;
}
