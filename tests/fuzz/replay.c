/* Runs a fuzz target over files and folders of files, where there is no libFuzzer to do it. */
#include "fuzz/fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void replay_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL || fseek(f, 0, SEEK_END) != 0)
        fuzz_fail("cannot read", path);
    const long size = ftell(f);
    uint8_t *data = size >= 0 ? malloc((size_t)size + 1) : NULL; /* its own block: overruns show */
    rewind(f);
    if (data == NULL || fread(data, 1, (size_t)size, f) != (size_t)size)
        fuzz_fail("cannot read", path);
    (void)fclose(f);
    (void)LLVMFuzzerTestOneInput(data, (size_t)size);
    free(data);
}

static int replay_folder(const char *path)
{
    struct dirent **names = NULL;
    const int count = scandir(path, &names, NULL, alphasort);
    int files = 0;
    for (int i = 0; i < count; i++) {
        char file[4096];
        (void)snprintf(file, sizeof file, "%s/%s", path, names[i]->d_name);
        if (names[i]->d_name[0] != '.') {
            (void)fprintf(stderr, "%s\n", file);
            replay_file(file);
            files++;
        }
        free(names[i]);
    }
    free(names);
    return files;
}

/* Folders that are not there are empty; a replay of nothing proves nothing. */
int main(int argc, char **argv)
{
    int files = 0;
    for (int a = 1; a < argc; a++)
        files += replay_folder(argv[a]);
    (void)printf("%d files replayed\n", files);
    return files > 0 ? 0 : 1;
}
