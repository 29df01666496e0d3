/* How much memory there is: of the machine, or of the control group that a container or a job runs in. */
#include "core/ctx.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int64_t physical_memory(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (int64_t)pages * page : INT64_MAX / 4;
}

/* The number in the file; INT64_MAX if there is no file, or no number but the word "max". */
static int64_t number_in(const char *path)
{
    char text[32] = "", *end = NULL;
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return INT64_MAX;
    const bool got = fgets(text, sizeof text, file) != NULL;
    (void)fclose(file);
    const long long value = got ? strtoll(text, &end, 10) : 0;
    return got && end != text && value > 0 ? value : INT64_MAX;
}

/* The lowest limit of a group and those above it; group begins with a slash, and is written to. */
static int64_t lowest_in(const char *root, const char *limit, char *group)
{
    char path[PATH_MAX];
    int64_t lowest = INT64_MAX;
    for (;;) {
        if (snprintf(path, sizeof path, "%s%s/%s", root, group, limit) < (int)sizeof path) {
            const int64_t found = number_in(path);
            lowest = found < lowest ? found : lowest;
        }
        char *slash = strrchr(group, '/');
        if (slash == NULL)
            return lowest;
        *slash = '\0';
    }
}

/* Lines are "0::/user.slice" (version 2) and "4:memory:/docker/1f" (version 1). */
static int64_t group_memory(void)
{
    char line[PATH_MAX];
    int64_t lowest = INT64_MAX;
    FILE *file = fopen("/proc/self/cgroup", "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':'),
             *group = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
        if (group == NULL)
            continue;
        *group++ = '\0';
        int64_t found = INT64_MAX;
        if (controllers[1] == '\0')
            found = lowest_in("/sys/fs/cgroup", "memory.max", group);
        else if (strcmp(controllers + 1, "memory") == 0)
            found = lowest_in("/sys/fs/cgroup/memory", "memory.limit_in_bytes", group);
        lowest = found < lowest ? found : lowest;
    }
    if (file != NULL)
        (void)fclose(file);
    return lowest;
}

int64_t pith_i_machine_memory(void)
{
    const int64_t machine = physical_memory(), group = group_memory();
    return group < machine ? group : machine;
}

int64_t pith_i_memory_limit(pith_i_account *a)
{
    int64_t limit = atomic_load(&a->limit);
    if (limit == 0) {
        limit = pith_i_machine_memory() / 4 * 3;
        atomic_store(&a->limit, limit);
    }
    return limit;
}

pith_status pith_ctx_set_memory(pith_ctx *ctx, int64_t bytes)
{
    enum { LEAST = 1 << 20 };
    if (ctx == NULL || bytes < 0 || (bytes > 0 && bytes < LEAST))
        return pith_i_error(ctx, PITH_E_ARGUMENT,
                            "memory must be 0 (three quarters of what there is) or at least 1 MB");
    atomic_store(&ctx->account->limit, bytes);
    return PITH_OK;
}

int64_t pith_ctx_memory(const pith_ctx *ctx)
{
    return ctx == NULL ? pith_i_machine_memory() / 4 * 3 : pith_i_memory_limit(ctx->account);
}
