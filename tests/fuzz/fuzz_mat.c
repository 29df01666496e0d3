#include "fuzz/fuzz.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    /* Version 7.3 is read by another process, which libFuzzer cannot look into. */
    for (size_t at = 0; at + 8 <= size && at <= 512; at += 512)
        if (memcmp(data + at, "\x89HDF\r\n\x1a\n", 8) == 0)
            return 0;
#endif
    fuzz_reader(data, size, ".mat", FUZZ_NAMES);
    return 0;
}
