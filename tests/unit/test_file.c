#include "core/file.h"
#include "unit/support.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* A folder of its own for every test, and a context. */
typedef struct place {
    pith_ctx *ctx;
    char folder[64], path[128], other[128];
} place;

static int new_place(void **state)
{
    place *at = calloc(1, sizeof *at);
    (void)snprintf(at->folder, sizeof at->folder, "/tmp/pith-test-XXXXXX");
    if (mkdtemp(at->folder) == NULL || chmod(at->folder, 0777) != 0)
        return -1;
    (void)snprintf(at->path, sizeof at->path, "%s/out.csv", at->folder);
    (void)snprintf(at->other, sizeof at->other, "%s/other", at->folder);
    *state = at;
    return new_ctx((void **)&at->ctx);
}

static int free_place(void **state)
{
    place *at = *state;
    DIR *folder = opendir(at->folder);
    for (const struct dirent *e = readdir(folder); e != NULL; e = readdir(folder))
        (void)unlinkat(dirfd(folder), e->d_name, 0);
    (void)closedir(folder);
    const int left = rmdir(at->folder), held = free_ctx((void **)&at->ctx);
    free(at);
    return left != 0 ? left : held;
}

#define PLACE_TEST(name) cmocka_unit_test_setup_teardown(name, new_place, free_place)

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void assert_holds(const char *path, const char *text)
{
    char found[256] = {0};
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_true(fread(found, 1, sizeof found - 1, f) < sizeof found);
    (void)fclose(f);
    assert_string_equal(found, text);
}

static int entries(const char *folder)
{
    int count = 0;
    DIR *d = opendir(folder);
    for (const struct dirent *e = readdir(d); e != NULL; e = readdir(d))
        count += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    (void)closedir(d);
    return count;
}

static mode_t mode_of(const char *path)
{
    struct stat s;
    assert_int_equal(lstat(path, &s), 0);
    return s.st_mode;
}

static pith_status write_text(pith_ctx *ctx, const char *path, const char *text)
{
    pith_i_file file = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_file_create(ctx, path, &file));
    (void)fputs(text, file.stream);
    TRY(pith_i_file_commit(ctx, &file));
done:
    pith_i_file_discard(&file);
    return st;
}

static void the_old_file_stands_until_commit(void **state)
{
    place *at = *state;
    pith_i_file file = {0};
    put(at->path, "old");
    assert_ok(at->ctx, pith_i_file_create(at->ctx, at->path, &file));
    (void)fputs("new", file.stream);
    (void)fflush(file.stream);
    assert_holds(at->path, "old");
    assert_ok(at->ctx, pith_i_file_commit(at->ctx, &file));
    assert_holds(at->path, "new");
    assert_int_equal(entries(at->folder), 1);
    pith_i_file_discard(&file); /* safe after commit */
    assert_holds(at->path, "new");
}

static void discard_leaves_no_trace(void **state)
{
    place *at = *state;
    pith_i_file file = {0};
    assert_ok(at->ctx, pith_i_file_create(at->ctx, at->path, &file));
    (void)fputs("half", file.stream);
    pith_i_file_discard(&file);
    pith_i_file_discard(&file);
    assert_int_equal(entries(at->folder), 0);
    put(at->path, "old");
    assert_ok(at->ctx, pith_i_file_create(at->ctx, at->path, &file));
    (void)fputs("half", file.stream);
    pith_i_file_discard(&file);
    assert_holds(at->path, "old");
    assert_int_equal(entries(at->folder), 1);
}

static void a_new_file_obeys_the_umask(void **state)
{
    place *at = *state;
    const mode_t before = umask(027);
    assert_ok(at->ctx, write_text(at->ctx, at->path, "x"));
    (void)umask(before);
    assert_int_equal(mode_of(at->path) & 07777, 0640);
}

static void an_old_file_keeps_its_permissions_whatever_the_umask(void **state)
{
    place *at = *state;
    static const mode_t modes[] = {0664, 0600, 0777, 0646};
    const mode_t before = umask(077);
    for (size_t t = 0; t < COUNT(modes); t++) {
        put(at->path, "old");
        assert_int_equal(chmod(at->path, modes[t]), 0);
        assert_ok(at->ctx, write_text(at->ctx, at->path, "new"));
        assert_int_equal(mode_of(at->path) & 07777, modes[t]);
        assert_holds(at->path, "new");
    }
    (void)umask(before);
}

static void an_old_file_keeps_its_owner(void **state)
{
    place *at = *state;
    struct stat s;
    if (geteuid() != 0)
        skip_because("only root can give files away");
    put(at->path, "old");
    assert_int_equal(chown(at->path, 12345, 54321), 0);
    assert_ok(at->ctx, write_text(at->ctx, at->path, "new"));
    assert_int_equal(stat(at->path, &s), 0);
    assert_int_equal(s.st_uid, 12345);
    assert_int_equal(s.st_gid, 54321);
}

static void a_link_stays_a_link(void **state)
{
    place *at = *state;
    put(at->other, "old");
    assert_int_equal(symlink("other", at->path), 0);
    assert_ok(at->ctx, write_text(at->ctx, at->path, "new"));
    assert_true(S_ISLNK(mode_of(at->path)));
    assert_true(S_ISREG(mode_of(at->other)));
    assert_holds(at->other, "new");
}

/* A link to what is not there yet: as a shell's > does, and a chain of links, each from where it lies. */
static void a_dangling_link_is_followed(void **state)
{
    place *at = *state;
    char middle[160];
    (void)snprintf(middle, sizeof middle, "%s/middle", at->folder);
    assert_int_equal(symlink(middle, at->path), 0);
    assert_int_equal(symlink("other", middle), 0);
    assert_ok(at->ctx, write_text(at->ctx, at->path, "new"));
    assert_true(S_ISLNK(mode_of(at->path)) && S_ISLNK(mode_of(middle)));
    assert_true(S_ISREG(mode_of(at->other)));
    assert_holds(at->other, "new");
    assert_int_equal(entries(at->folder), 3);
}

static void links_in_a_circle_are_refused(void **state)
{
    place *at = *state;
    assert_int_equal(symlink("other", at->path), 0);
    assert_int_equal(symlink("out.csv", at->other), 0);
    assert_int_equal(write_text(at->ctx, at->path, "new"), PITH_E_FILE);
    assert_non_null(strstr(pith_ctx_message(at->ctx), "symbolic links"));
    assert_int_equal(entries(at->folder), 2);
}

static void the_longest_name_is_written_and_a_longer_one_refused_at_once(void **state)
{
    place *at = *state;
    char name[300], path[400];
    for (int wide = 0; wide < 2; wide++) { /* 255 bytes, also of two-byte characters */
        for (int i = 0; i < 256; i++)
            name[i] = wide ? "\xc3\xa9"[(i + 1) % 2] : 'n';
        name[255] = '\0';
        name[0] = 'x';
        (void)snprintf(path, sizeof path, "%s/%s", at->folder, name);
        assert_ok(at->ctx, write_text(at->ctx, path, "long"));
        assert_holds(path, "long");
        assert_int_equal(entries(at->folder), wide + 1);
    }
    (void)snprintf(path, sizeof path, "%s/%sy", at->folder, name);
    pith_i_file file = {0};
    assert_int_equal(pith_i_file_create(at->ctx, path, &file), PITH_E_FILE);
    assert_non_null(strstr(pith_ctx_message(at->ctx), "name too long"));
    assert_int_equal(entries(at->folder), 2);
}

/* Through a descriptor a file is neither replaced nor cut: what was written there before stays. */
static void a_descriptor_is_written_where_it_stands(void **state)
{
    place *at = *state;
    char path[64];
    struct stat before, after;
    put(at->path, "old ");
    assert_int_equal(stat(at->path, &before), 0);
    const int fd = open(at->path, O_WRONLY | O_APPEND | O_CLOEXEC);
    for (int form = 0; form < 2; form++) {
        (void)snprintf(path, sizeof path, form == 0 ? "/dev/fd/%d" : "/proc/self/fd/%d", fd);
        assert_ok(at->ctx, write_text(at->ctx, path, "new "));
    }
    assert_int_equal(symlink(path, at->other), 0);
    assert_ok(at->ctx, write_text(at->ctx, at->other, "linked"));
    (void)close(fd);
    assert_holds(at->path, "old new new linked");
    assert_int_equal(stat(at->path, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    assert_int_equal(write_text(at->ctx, path, "closed"), PITH_E_FILE);
    assert_int_equal(entries(at->folder), 2);
}

static void checking_finds_what_creating_would_and_leaves_no_trace(void **state)
{
    place *at = *state;
    assert_ok(at->ctx, pith_i_file_check(at->ctx, NULL, false));
    assert_int_equal(pith_i_file_check(at->ctx, NULL, true), PITH_E_FILE);
    assert_ok(at->ctx, pith_i_file_check(at->ctx, "/dev/stdout", false));
    assert_int_equal(pith_i_file_check(at->ctx, "/dev/stdout", true), PITH_E_FILE);
    assert_int_equal(pith_i_file_check(at->ctx, "/dev/null", true), PITH_E_FILE);
    assert_int_equal(pith_i_file_check(at->ctx, at->folder, false), PITH_E_FILE);
    assert_int_equal(pith_i_file_check(at->ctx, "/no/such/folder/x", false), PITH_E_FILE);
    assert_ok(at->ctx, pith_i_file_check(at->ctx, at->path, true));
    assert_int_equal(entries(at->folder), 0);
    put(at->path, "old");
    assert_ok(at->ctx, pith_i_file_check(at->ctx, at->path, true));
    assert_holds(at->path, "old");
    assert_int_equal(mkfifo(at->other, 0600), 0);
    assert_ok(at->ctx, pith_i_file_check(at->ctx, at->other, false)); /* does not wait for a reader */
    assert_int_equal(pith_i_file_check(at->ctx, at->other, true), PITH_E_FILE);
    assert_non_null(strstr(pith_ctx_message(at->ctx), "only be written to regular files"));
    assert_int_equal(entries(at->folder), 2);
}

static void a_socket_is_refused(void **state)
{
    place *at = *state;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%.*s", (int)sizeof address.sun_path - 1,
                   at->path);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(write_text(at->ctx, at->path, "new"), PITH_E_FILE);
    assert_non_null(strstr(pith_ctx_message(at->ctx), "it is a socket"));
    (void)close(fd);
    assert_int_equal(entries(at->folder), 1);
}

static void two_writers_of_one_path_do_not_meet(void **state)
{
    place *at = *state;
    pith_i_file a = {0}, b = {0};
    assert_ok(at->ctx, pith_i_file_create(at->ctx, at->path, &a));
    assert_ok(at->ctx, pith_i_file_create(at->ctx, at->path, &b));
    (void)fputs("first", a.stream);
    (void)fputs("second", b.stream);
    assert_ok(at->ctx, pith_i_file_commit(at->ctx, &b));
    assert_holds(at->path, "second");
    assert_ok(at->ctx, pith_i_file_commit(at->ctx, &a));
    assert_holds(at->path, "first");
    assert_int_equal(entries(at->folder), 1);
}

static void a_library_may_write_by_path(void **state)
{
    place *at = *state;
    pith_i_file file = {0};
    put(at->path, "old");
    assert_ok(at->ctx, pith_i_file_create(at->ctx, at->path, &file));
    const char *temporary = pith_i_file_path(at->ctx, &file);
    assert_non_null(temporary);
    assert_string_not_equal(temporary, at->path);
    put(temporary, "by path");
    assert_holds(at->path, "old");
    assert_ok(at->ctx, pith_i_file_commit(at->ctx, &file));
    assert_holds(at->path, "by path");
    assert_int_equal(entries(at->folder), 1);
}

static void what_was_written_by_path_is_discarded_too(void **state)
{
    place *at = *state;
    pith_i_file file = {0};
    assert_ok(at->ctx, pith_i_file_create(at->ctx, at->path, &file));
    put(pith_i_file_path(at->ctx, &file), "half");
    pith_i_file_discard(&file);
    assert_int_equal(entries(at->folder), 0);
}

static void a_library_that_removed_its_file_makes_commit_fail(void **state)
{
    place *at = *state;
    pith_i_file file = {0};
    put(at->path, "old");
    assert_ok(at->ctx, pith_i_file_create(at->ctx, at->path, &file));
    assert_int_equal(unlink(pith_i_file_path(at->ctx, &file)), 0);
    assert_int_equal(pith_i_file_commit(at->ctx, &file), PITH_E_FILE);
    assert_holds(at->path, "old");
}

static void devices_are_written_directly(void **state)
{
    place *at = *state;
    pith_i_file file = {0};
    assert_ok(at->ctx, pith_i_file_create(at->ctx, "/dev/null", &file));
    assert_null(pith_i_file_path(at->ctx, &file));
    assert_non_null(strstr(pith_ctx_message(at->ctx), "/dev/null: this format"));
    (void)fputs("gone", file.stream);
    assert_ok(at->ctx, pith_i_file_commit(at->ctx, &file));
    assert_true(S_ISCHR(mode_of("/dev/null")));
}

static void a_pipe_is_written_directly(void **state)
{
    place *at = *state;
    char found[16] = {0};
    assert_int_equal(mkfifo(at->path, 0600), 0);
    const int reader = open(at->path, O_RDONLY | O_NONBLOCK);
    assert_ok(at->ctx, write_text(at->ctx, at->path, "through"));
    assert_int_equal(read(reader, found, sizeof found - 1), 7);
    assert_string_equal(found, "through");
    (void)close(reader);
    assert_true(S_ISFIFO(mode_of(at->path)));
}

/* One byte fails at commit, many already while they are written: both are told, with the reason. */
static void a_full_device_is_an_error(void **state)
{
    place *at = *state;
    for (int many = 1; many <= 1000000; many *= 1000) {
        pith_i_file file = {0};
        assert_ok(at->ctx, pith_i_file_create(at->ctx, "/dev/full", &file));
        for (int i = 0; i < many; i++)
            (void)fputc('x', file.stream);
        assert_int_equal(pith_i_file_commit(at->ctx, &file), PITH_E_FILE);
        assert_string_equal(pith_ctx_message(at->ctx),
                            "/dev/full: cannot be written: No space left on device");
    }
}

static void what_cannot_be_a_file_is_refused_at_once(void **state)
{
    place *at = *state;
    pith_i_file file = {0};
    char inside[160];
    assert_int_equal(pith_i_file_create(at->ctx, at->folder, &file), PITH_E_FILE);
    assert_non_null(strstr(pith_ctx_message(at->ctx), "it is a directory"));
    (void)snprintf(inside, sizeof inside, "%s/no/such.csv", at->folder);
    assert_int_equal(pith_i_file_create(at->ctx, inside, &file), PITH_E_FILE);
    assert_non_null(strstr(pith_ctx_message(at->ctx), "No such file or directory"));
    assert_non_null(strstr(pith_ctx_message(at->ctx), inside));
    put(at->other, "a file");
    (void)snprintf(inside, sizeof inside, "%s/below.csv", at->other);
    assert_int_equal(pith_i_file_create(at->ctx, inside, &file), PITH_E_FILE);
    assert_int_equal(pith_i_file_create(at->ctx, "", &file), PITH_E_FILE);
    assert_null(file.stream);
}

/* True if `check` says so, run by a user without special rights. */
static bool as_nobody(bool (*check)(place *), place *at)
{
    if (geteuid() != 0)
        return check(at);
    const pid_t child = fork();
    if (child == 0)
        _exit(setgid(65534) == 0 && setuid(65534) == 0 && check(at) ? 0 : 1);
    int status = 0;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool is_denied(place *at)
{
    return write_text(at->ctx, at->path, "new") == PITH_E_FILE &&
           strstr(pith_ctx_message(at->ctx), "Permission denied") != NULL;
}

static void a_folder_without_permission_is_refused(void **state)
{
    place *at = *state;
    assert_int_equal(chmod(at->folder, 0555), 0);
    assert_true(as_nobody(is_denied, at));
    assert_int_equal(chmod(at->folder, 0777), 0);
    assert_int_equal(entries(at->folder), 0);
}

/* The folder would let a rename happen; the file says no. */
static void a_read_only_file_is_refused(void **state)
{
    place *at = *state;
    put(at->path, "old");
    assert_int_equal(chmod(at->path, 0444), 0);
    assert_true(as_nobody(is_denied, at));
    assert_holds(at->path, "old");
    assert_int_equal(entries(at->folder), 1);
}

static void a_place_that_went_away_makes_commit_fail_cleanly(void **state)
{
    place *at = *state;
    pith_i_file file = {0};
    assert_ok(at->ctx, pith_i_file_create(at->ctx, at->path, &file));
    (void)fputs("new", file.stream);
    assert_int_equal(mkdir(at->path, 0700), 0);
    assert_int_equal(pith_i_file_commit(at->ctx, &file), PITH_E_FILE);
    assert_non_null(strstr(pith_ctx_message(at->ctx), at->path));
    assert_int_equal(entries(at->folder), 1);
    assert_int_equal(rmdir(at->path), 0);
}

static pith_status create_and_discard(pith_ctx *ctx, void *arg)
{
    pith_i_file file = {0};
    const pith_status st = pith_i_file_create(ctx, arg, &file);
    pith_i_file_discard(&file);
    return st;
}

static void failing_allocations_leave_no_file(void **state)
{
    place *at = *state;
    assert_survives_failing_allocations(at->ctx, create_and_discard, at->path, 2);
    assert_survives_failing_allocations(at->ctx, create_and_discard, "/dev/null", 1);
    assert_int_equal(entries(at->folder), 0);
}

static void standard_output_is_flushed_and_stays_open(void **state)
{
    place *at = *state;
    const int kept = dup(STDOUT_FILENO);
    (void)fflush(stdout);
    const int fd = open(at->path, O_WRONLY | O_CREAT, 0600);
    (void)dup2(fd, STDOUT_FILENO);
    (void)close(fd);
    const pith_status st = write_text(at->ctx, NULL, "to stdout");
    const bool open_still = fcntl(STDOUT_FILENO, F_GETFD) >= 0;
    (void)dup2(kept, STDOUT_FILENO);
    (void)close(kept);
    assert_ok(at->ctx, st);
    assert_true(open_still);
    assert_holds(at->path, "to stdout");
}

/* In a namespace of its own, so that the mount is seen by nobody and goes with the process. */
static bool fill_a_small_disk(place *at)
{
    if (mount("none", at->folder, "tmpfs", 0, "size=64k") != 0)
        return false;
    put(at->path, "old");
    pith_i_file file = {0};
    bool good = pith_i_file_create(at->ctx, at->path, &file) == PITH_OK;
    for (int i = 0; good && i < 1000000; i++)
        (void)fputc('x', file.stream);
    good = good && pith_i_file_commit(at->ctx, &file) == PITH_E_FILE &&
           strstr(pith_ctx_message(at->ctx), "No space left on device") != NULL && entries(at->folder) == 1;
    assert_holds(at->path, "old");
    return umount(at->folder) == 0 && good;
}

static void a_full_disk_leaves_the_old_file(void **state)
{
    place *at = *state;
    const pid_t child = fork();
    if (child == 0) {
        if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
            _exit(77);
        _exit(fill_a_small_disk(at) ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip_because("a small tmpfs cannot be mounted here (needs root)");
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(the_old_file_stands_until_commit),
        PLACE_TEST(discard_leaves_no_trace),
        PLACE_TEST(a_new_file_obeys_the_umask),
        PLACE_TEST(an_old_file_keeps_its_permissions_whatever_the_umask),
        PLACE_TEST(an_old_file_keeps_its_owner),
        PLACE_TEST(a_link_stays_a_link),
        PLACE_TEST(a_dangling_link_is_followed),
        PLACE_TEST(links_in_a_circle_are_refused),
        PLACE_TEST(the_longest_name_is_written_and_a_longer_one_refused_at_once),
        PLACE_TEST(a_descriptor_is_written_where_it_stands),
        PLACE_TEST(checking_finds_what_creating_would_and_leaves_no_trace),
        PLACE_TEST(a_socket_is_refused),
        PLACE_TEST(two_writers_of_one_path_do_not_meet),
        PLACE_TEST(a_library_may_write_by_path),
        PLACE_TEST(what_was_written_by_path_is_discarded_too),
        PLACE_TEST(a_library_that_removed_its_file_makes_commit_fail),
        PLACE_TEST(devices_are_written_directly),
        PLACE_TEST(a_pipe_is_written_directly),
        PLACE_TEST(a_full_device_is_an_error),
        PLACE_TEST(what_cannot_be_a_file_is_refused_at_once),
        PLACE_TEST(a_folder_without_permission_is_refused),
        PLACE_TEST(a_read_only_file_is_refused),
        PLACE_TEST(a_place_that_went_away_makes_commit_fail_cleanly),
        PLACE_TEST(failing_allocations_leave_no_file),
        PLACE_TEST(standard_output_is_flushed_and_stays_open),
        PLACE_TEST(a_full_disk_leaves_the_old_file),
    };
    return cmocka_run_group_tests_name("file", tests, NULL, NULL);
}
