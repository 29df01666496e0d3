/* Limits of control groups, from folders as the kernel shows them. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/ctx.h"
#include "core/parallel.h"
#include "unit/support.h"

static char root[] = "/tmp/pith-groups-XXXXXX";

static int make_root(void **state)
{
    (void)state;
    return mkdtemp(root) != NULL ? 0 : -1;
}

static int remove_root(void **state)
{
    char command[64];
    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf %s", root);
    return system(command); /* NOLINT(cert-env33-c): of our own folder */
}

/* Writes a file of root, whose folder is made if it is not there. */
static void put(const char *folder, const char *name, const char *text)
{
    char path[256];
    (void)snprintf(path, sizeof path, "%s/%s", root, folder);
    (void)mkdir(path, 0700);
    (void)snprintf(path, sizeof path, "%s/%s/%s", root, folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static int64_t cores_of(const char *groups)
{
    char list[256];
    put("", "list", groups);
    (void)snprintf(list, sizeof list, "%s/list", root);
    return pith_i_group_cores(list, root);
}

static int64_t memory_of(const char *groups)
{
    char list[256];
    put("", "list", groups);
    (void)snprintf(list, sizeof list, "%s/list", root);
    return pith_i_group_memory(list, root);
}

static void the_lowest_limit_of_a_group_and_those_above_holds(void **state)
{
    (void)state;
    put("slice", "cpu.max", "350000 100000\n"); /* three and a half cores */
    put("slice/job", "cpu.max", "max 100000\n");
    put("slice/small", "cpu.max", "50000 100000\n");
    put("slice", "memory.max", "9000\n");
    put("slice/job", "memory.max", "max\n");
    assert_int_equal(cores_of("0::/slice/job\n"), 4);
    assert_int_equal(cores_of("0::/slice/small\n"), 1);
    assert_int_equal(memory_of("0::/slice/job\n"), 9000);
    assert_int_equal(cores_of("0::/elsewhere\n"), INT64_MAX);
    assert_int_equal(memory_of("0::/\n"), INT64_MAX);
}

static void groups_of_the_first_version_are_read_by_their_controller(void **state)
{
    (void)state;
    put("cpu", "none", "");
    put("cpu/docker", "cpu.cfs_quota_us", "200000\n");
    put("cpu/docker", "cpu.cfs_period_us", "100000\n");
    put("cpu/free", "cpu.cfs_quota_us", "-1\n");
    put("cpu/free", "cpu.cfs_period_us", "100000\n");
    put("memory", "none", "");
    put("memory/docker", "memory.limit_in_bytes", "7000\n");
    assert_int_equal(cores_of("5:cpu,cpuacct:/docker\n4:memory:/docker\n"), 2);
    assert_int_equal(cores_of("5:cpuacct,cpu:/docker\n"), 2);
    assert_int_equal(cores_of("5:cpuset:/docker\n"), INT64_MAX);
    assert_int_equal(cores_of("5:cpu,cpuacct:/free\n"), INT64_MAX);
    assert_int_equal(memory_of("5:cpu,cpuacct:/docker\n4:memory:/docker\n"), 7000);
}

static void what_cannot_be_read_is_no_limit(void **state)
{
    (void)state;
    put("odd", "cpu.max", "many 100000\n");
    put("odd", "memory.max", "\n");
    assert_int_equal(cores_of("0::/odd\n"), INT64_MAX);
    assert_int_equal(memory_of("0::/odd\n"), INT64_MAX);
    assert_int_equal(cores_of("without colons\n0:\n"), INT64_MAX);
    assert_int_equal(pith_i_group_cores("/nowhere/list", root), INT64_MAX);
}

static void a_number_of_threads_that_is_asked_for_is_taken(void **state)
{
    (void)state;
    assert_int_equal(setenv("OMP_NUM_THREADS", "3", 1),
                     0); /* OpenMP has read it before, and so has its number */
    const int told = pith_i_cores();
    assert_int_equal(unsetenv("OMP_NUM_THREADS"), 0);
    const int own = pith_i_cores();
    assert_true(own >= 1 && own <= told);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lowest_limit_of_a_group_and_those_above_holds),
        cmocka_unit_test(groups_of_the_first_version_are_read_by_their_controller),
        cmocka_unit_test(what_cannot_be_read_is_no_limit),
        cmocka_unit_test(a_number_of_threads_that_is_asked_for_is_taken),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
