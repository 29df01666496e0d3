/* pith: the command line over libpith. Finds the command, reads its options, runs it. */
#include "commands.h"
#include "help.h"
#include "print.h"
#include "progress.h"

#include <pith.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * OpenBLAS starts its threads when it is loaded, each with 128 MB of address space, and waits for ever if it
 * cannot get that memory. The library runs BLAS on one thread, so these threads would be of no use. OpenBLAS
 * gets the value of OPENBLAS_NUM_THREADS from a function of this name; the dynamic linker takes ours instead.
 * Weak: a static OpenBLAS keeps its own.
 */
__attribute__((weak, visibility("default"))) int openblas_num_threads_env(void);
int openblas_num_threads_env(void)
{
    return 1;
}

static const command *const commands[] = {
    &command_demo, &command_info,  &command_rank,    &command_select,  &command_compare, &command_prep,
    &command_tree, &command_synth, &command_convert, &command_methods, &command_bench,   &command_help,
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

const command *command_at(size_t i)
{
    return i < COMMANDS ? commands[i] : NULL;
}

const command *command_find(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

int unknown_command(const char *name)
{
    const char *names[COMMANDS + 1] = {0};
    for (size_t i = 0; i < COMMANDS; i++)
        names[i] = commands[i]->name;
    const char *near = pith_nearest(name, names);
    if (near != NULL)
        complain("unknown command '%s'; did you mean '%s'?", name, near);
    else
        complain("unknown command '%s'; 'pith --help' lists them", name);
    return USAGE;
}

static int run_command(const command *c, int count, char *const *words)
{
    settings s;
    int status = settings_parse(c, count, words, &s);
    if (status == DONE && s.help)
        put_command_help(stdout, c);
    else if (status == DONE)
        status = c->run(&s);
    settings_free(&s);
    return status;
}

static int run(int count, char *const *words)
{
    if (count == 0) {
        complain("no command given; 'pith --help' lists them");
        return USAGE;
    }
    if (strcmp(words[0], "--version") == 0) {
        (void)printf("pith %s\n", pith_version());
        return DONE;
    }
    if (strcmp(words[0], "--help") == 0 || strcmp(words[0], "-h") == 0) {
        put_help(stdout);
        return DONE;
    }
    if (words[0][0] == '-') {
        static const char *const options[] = {"--help", "--version", NULL};
        return unknown_word("option", words[0], options);
    }
    const command *c = command_find(words[0]);
    return c != NULL ? run_command(c, count - 1, words + 1) : unknown_command(words[0]);
}

/*
 * The stack grows when it is used, and a process that cannot get more memory for it dies without a message.
 * So the stack that commands need is touched first, where an error can still be reported.
 */
static bool take_stack(void)
{
    enum { STACK = 1 << 20 };
    void *volatile room = malloc(STACK);
    free(room);
    if (room == NULL)
        return false;
    volatile char stack[STACK];
    for (size_t i = 0; i < STACK; i += 1024)
        stack[i] = 0;
    return stack[0] == 0; /* always true, but the compiler cannot know */
}

/*
 * OpenBLAS chooses its kernels when it is loaded, and on a processor that it does not know it chooses slow
 * ones: the command restarts itself with OPENBLAS_CORETYPE, which names a better one; since that is then set,
 * it restarts only once. Nothing has been read or written yet. If this is not possible, it goes on with the
 * slow ones, and the library says so.
 */
static void start_with_better_kernel(char **words)
{
    const char *better = pith_blas_better_kernel();
    char path[4096];
    const ssize_t length = better != NULL ? readlink("/proc/self/exe", path, sizeof path - 1) : -1;
    if (length <= 0)
        return;
    path[length] = '\0';
    if (setenv("OPENBLAS_CORETYPE", better, 1) != 0)
        return;
    (void)execv(path, words);
    (void)unsetenv("OPENBLAS_CORETYPE");
}

int main(int count, char **words)
{
    start_with_better_kernel(words);
    if (!take_stack()) {
        complain("out of memory");
        return FAILED;
    }
    int status = run(count - 1, words + 1);
    errno = 0;
    const bool failed = fflush(stdout) != 0 || ferror(stdout);
    die_as_asked();
    if (failed && status == DONE) {
        complain("standard output: cannot be written: %s", strerror(errno != 0 ? errno : EIO));
        status = FAILED;
    }
    say_noted(status == DONE);
    return status;
}
