/* How much memory and how many cores there are: of the machine, or of the control group that a container or a
 * job runs in. */
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

/* What a folder of a group allows; INT64_MAX: no limit. */
typedef int64_t limit_fn(const char *folder);

static int64_t number_beside(const char *folder, const char *name)
{
    char path[PATH_MAX];
    return snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path ? number_in(path)
                                                                                 : INT64_MAX;
}

static int64_t memory_max(const char *folder)
{
    return number_beside(folder, "memory.max");
}

static int64_t memory_limit(const char *folder)
{
    return number_beside(folder, "memory.limit_in_bytes");
}

/* Cores that may be busy all the time, rounded up: each period has `quota` of their time. */
static int64_t cores(int64_t quota, int64_t period)
{
    return quota == INT64_MAX || period == INT64_MAX ? INT64_MAX : (quota - 1) / period + 1;
}

/* One line: "150000 100000", or "max 100000". */
static int64_t cpu_max(const char *folder)
{
    char path[PATH_MAX], text[64] = "", *end = NULL;
    FILE *file =
        snprintf(path, sizeof path, "%s/cpu.max", folder) < (int)sizeof path ? fopen(path, "re") : NULL;
    if (file == NULL)
        return INT64_MAX;
    const bool got = fgets(text, sizeof text, file) != NULL;
    (void)fclose(file);
    const long long quota = got ? strtoll(text, &end, 10) : 0;
    const long long period = got && end != text ? strtoll(end, NULL, 10) : 0;
    return quota > 0 && period > 0 ? cores(quota, period) : INT64_MAX;
}

static int64_t cpu_quota(const char *folder)
{
    return cores(number_beside(folder, "cpu.cfs_quota_us"), number_beside(folder, "cpu.cfs_period_us"));
}

/* The lowest limit of a group and those above it; group begins with a slash, and is written to. */
static int64_t lowest_in(const char *root, limit_fn *limit, char *group)
{
    char folder[PATH_MAX];
    int64_t lowest = INT64_MAX;
    for (;;) {
        if (snprintf(folder, sizeof folder, "%s%s", root, group) < (int)sizeof folder) {
            const int64_t found = limit(folder);
            lowest = found < lowest ? found : lowest;
        }
        char *slash = strrchr(group, '/');
        if (slash == NULL)
            return lowest;
        *slash = '\0';
    }
}

/* Is the word one of those between commas? */
static bool lists(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = words; *at != '\0'; at += at[0] == ',') {
        const size_t here = strcspn(at, ",");
        if (here == length && memcmp(at, word, length) == 0)
            return true;
        at += here;
    }
    return false;
}

/*
 * The lowest limit of the groups in `list`, whose lines are "0::/user.slice" (version 2) and
 * "4:memory:/docker/1f" (version 1): by `newer` in root, and by `older` in root/controller.
 */
static int64_t group_limit(const char *list, const char *root, const char *controller, limit_fn *newer,
                           limit_fn *older)
{
    char line[PATH_MAX], own[PATH_MAX];
    int64_t lowest = INT64_MAX;
    FILE *file = fopen(list, "re");
    (void)snprintf(own, sizeof own, "%s/%s", root, controller);
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':'),
             *group = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
        if (group == NULL)
            continue;
        *group++ = '\0';
        int64_t found = INT64_MAX;
        if (controllers[1] == '\0')
            found = lowest_in(root, newer, group);
        else if (lists(controllers + 1, controller))
            found = lowest_in(own, older, group);
        lowest = found < lowest ? found : lowest;
    }
    if (file != NULL)
        (void)fclose(file);
    return lowest;
}

int64_t pith_i_group_memory(const char *list, const char *root)
{
    return group_limit(list, root, "memory", memory_max, memory_limit);
}

int64_t pith_i_group_cores(const char *list, const char *root)
{
    return group_limit(list, root, "cpu", cpu_max, cpu_quota);
}

int64_t pith_i_machine_memory(void)
{
    const int64_t machine = physical_memory(),
                  group = pith_i_group_memory(PITH_I_GROUPS_OF_PROCESS, PITH_I_GROUPS);
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
                            "memory must be 0 (three quarters of what there is) or at least 1 MiB (2^20 "
                            "bytes), not %lld",
                            (long long)bytes);
    atomic_store(&ctx->account->limit, bytes);
    return PITH_OK;
}

int64_t pith_ctx_memory(const pith_ctx *ctx)
{
    return ctx == NULL ? pith_i_machine_memory() / 4 * 3 : pith_i_memory_limit(ctx->account);
}
