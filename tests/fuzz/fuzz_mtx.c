/* A Matrix Market file and its sidecars in one: a line "@@.terms" begins the one of that ending. */
#include "fuzz/fuzz.h"

#include <string.h>
#include <unistd.h>

static const char *const sidecars[] = {".terms", ".cols", ".docs", ".rows", ".classes"};

/* The next line of the form @@.ending in [at, end), or end; its sidecar, and where its text begins. */
static const char *next_part(const char *at, const char *end, size_t *which, const char **text)
{
    for (; at < end; at++) {
        at = memmem(at, (size_t)(end - at), "\n@@", 3);
        if (at == NULL)
            return end;
        for (size_t s = 0; s < COUNT(sidecars); s++) {
            const size_t length = strlen(sidecars[s]);
            if ((size_t)(end - at) > length + 3 && memcmp(at + 3, sidecars[s], length) == 0 &&
                at[3 + length] == '\n') {
                *which = s;
                *text = at + 4 + length;
                return at + 1;
            }
        }
    }
    return end;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[128], beside[128];
    const char *end = (const char *)data + size, *text = NULL;
    size_t which = 0, next = 0;
    for (size_t s = 0; s < COUNT(sidecars); s++)
        (void)unlink(fuzz_path("in", sidecars[s], beside));
    const char *at = next_part((const char *)data, end, &which, &text);
    fuzz_put(fuzz_path("in", ".mtx", path), data, (size_t)(at - (const char *)data));
    while (at < end) {
        const char *from = text;
        at = next_part(from > (const char *)data ? from - 1 : from, end, &next, &text);
        fuzz_put(fuzz_path("in", sidecars[which], beside), (const uint8_t *)from,
                 (size_t)(at > from ? at - from : 0));
        which = next;
    }
    fuzz_path_reader(path, ".mtx", FUZZ_NAMES);
    return 0;
}
