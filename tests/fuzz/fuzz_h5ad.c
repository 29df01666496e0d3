#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_reader(data, size, ".h5ad", FUZZ_NAMES);
    return 0;
}
