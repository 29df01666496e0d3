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

/* OpenBLAS chooses its kernels when it is loaded, and on a processor that it does not know it chooses slow
 * ones; the variable names better ones. */
static bool ask_for_better_kernel(void)
{
    const char *better = pith_blas_better_kernel();
    return better != NULL && setenv("OPENBLAS_CORETYPE", better, 1) == 0;
}

/* The threads of GCC's OpenMP wait for each other by turning 300,000 times before they sleep. Where other
 * work keeps the cores busy, they keep away the very thread that they wait for. 10,000 turns, some ten
 * microseconds, cost nothing on a free machine: bench/busy.py. */
static bool ask_for_short_waits(void)
{
    return getenv("OMP_WAIT_POLICY") == NULL && getenv("GOMP_SPINCOUNT") == NULL &&
           setenv("GOMP_SPINCOUNT", "10000", 1) == 0;
}

/*
 * Both are asked for by environment variables that libraries read when they are loaded. So the command
 * restarts itself with them, once, since they are then set. Nothing has been read or written yet. If this is
 * not possible, it goes on as it is.
 */
static void start_with_better_settings(char **words)
{
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0)
        return;
    path[length] = '\0';
    const bool kernel = ask_for_better_kernel(), waits = ask_for_short_waits();
    if (!kernel && !waits)
        return;
    (void)execv(path, words);
    if (kernel)
        (void)unsetenv("OPENBLAS_CORETYPE");
    if (waits)
        (void)unsetenv("GOMP_SPINCOUNT");
}

int main(int count, char **words)
{
    start_with_better_settings(words);
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
