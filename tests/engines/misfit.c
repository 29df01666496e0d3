/* Shared objects that cannot be used: of a VERSION that never was, called NAME, or with nothing in them. */
#include <pith-engine.h>

#ifdef NAME
const pith_engine *pith_engine_get(void)
{
    static const pith_engine table = {.version = VERSION, .name = NAME};
    return &table;
}
#endif
