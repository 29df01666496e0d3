#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_reader(data, size, ".npy", FUZZ_VALUES);
    return 0;
}
