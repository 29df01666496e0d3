/* The ending decides which delimiters are tried first, and the content whether it is packed. */
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const endings[] = {".csv", ".tsv", ".txt"};
    for (size_t e = 0; e < COUNT(endings); e++)
        fuzz_reader(data, size, endings[e], FUZZ_NAMES);
    return 0;
}
