/* The process that reads an HDF5 file: finding, starting, asking and ending it. */
#include "io/hdf5.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- Finding it ---------------------------------------------------------------------------------- */

static bool is_program(const char *folder, size_t length, const char *name, char *out, size_t room)
{
    struct stat info;
    const int needed = snprintf(out, room, "%.*s%s", (int)length, folder, name);
    return needed > 0 && (size_t)needed < room && stat(out, &info) == 0 && S_ISREG(info.st_mode) &&
           access(out, X_OK) == 0;
}

/* PITH_HDF5_READER if it is set; else beside the library (or the program, if the library is part of it), in
 * the folder pith there, or where pith was installed. */
static pith_status find_program(pith_ctx *ctx, const char *path, char *out, size_t room)
{
    const char *given = secure_getenv("PITH_HDF5_READER");
    Dl_info here;
    if (given != NULL) {
        if (is_program(given, strlen(given), "", out, room))
            return PITH_OK;
        return pith_i_error(ctx, PITH_E_FILE, "%s: cannot be read: PITH_HDF5_READER names no program: %s",
                            path, given);
    }
    if (dladdr((const void *)(uintptr_t)pith_version, &here) != 0 && here.dli_fname != NULL) {
        const char *slash = strrchr(here.dli_fname, '/');
        const size_t folder = slash != NULL ? (size_t)(slash - here.dli_fname) + 1 : 0;
        if (is_program(here.dli_fname, folder, "pith-hdf5", out, room) ||
            is_program(here.dli_fname, folder, "pith/pith-hdf5", out, room))
            return PITH_OK;
    }
    if (is_program(PITH_PROGRAMS "/pith-hdf5", sizeof PITH_PROGRAMS "/pith-hdf5" - 1, "", out, room))
        return PITH_OK;
    return pith_i_error(ctx, PITH_E_FILE,
                        "%s: cannot be read: no executable file pith-hdf5, the program that reads HDF5, is "
                        "beside libpith or in %s; install it, or set PITH_HDF5_READER to its path",
                        path, PITH_PROGRAMS);
}

/* ---- Starting it --------------------------------------------------------------------------------- */

/* Moves fd to 16 or above, out of the way of the numbers that the process's descriptors will have. */
static int lift(int fd)
{
    const int high = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 16) : -1;
    if (fd >= 0)
        (void)close(fd);
    return high;
}

/* The file that the process may write, if any. */
typedef struct output {
    const char *path; /* NULL: nothing */
    int64_t most;     /* bytes */
} output;

static int spawn(const char *program, const char *path, const output *to, int socket, int shared, int file,
                 pid_t *process)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    char most[32];
    char *const words[] = {(char *)(uintptr_t)program, (char *)(uintptr_t)path, (char *)(uintptr_t)to->path,
                           most, NULL};
    (void)snprintf(most, sizeof most, "%" PRId64, to->most);
    int code = posix_spawn_file_actions_init(&actions);
    if (code != 0)
        return code;
    code = posix_spawnattr_init(&attributes);
    if (code == 0) {
        (void)sigemptyset(&none); /* the caller's thread may have blocked some */
        (void)posix_spawnattr_setsigmask(&attributes, &none);
        (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
        for (int fd = 0; fd < 3 && code == 0; fd++)
            code =
                posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", fd == 0 ? O_RDONLY : O_WRONLY, 0);
        code = code != 0 ? code : posix_spawn_file_actions_adddup2(&actions, socket, PITH_I_HDF5_SOCKET);
        code = code != 0 ? code : posix_spawn_file_actions_adddup2(&actions, shared, PITH_I_HDF5_WINDOW);
        code = code != 0 ? code : posix_spawn_file_actions_adddup2(&actions, file, PITH_I_HDF5_FILE);
        code = code != 0 ? code : posix_spawn(process, program, &actions, &attributes, words, environ);
        (void)posix_spawnattr_destroy(&attributes);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return code;
}

static pith_status no_start(const pith_i_hdf5 *f, const char *program, int code)
{
    if (code == ENOMEM || code == EAGAIN || code == EMFILE || code == ENFILE)
        return pith_i_error(f->ctx, PITH_E_NOMEM, "%s: out of memory: %s cannot be started (%s)", f->path,
                            program, strerror(code));
    return pith_i_error(f->ctx, PITH_E_FILE, "%s: cannot be read: %s cannot be started: %s", f->path, program,
                        strerror(code));
}

/* Its first reply, sent before it opens the file. */
static pith_status greet(pith_i_hdf5 *f, const char *program)
{
    pith_i_hdf5_reply r;
    pith_status st = pith_i_hdf5_receive(f, &r);
    if (st == PITH_E_DATA) /* it ended in the loader */
        return pith_i_error(f->ctx, PITH_E_NOMEM,
                            "%s: out of memory, or a library is missing: %s does not start", f->path,
                            program);
    if (st == PITH_OK && r.count != PITH_I_HDF5_PROTOCOL)
        return pith_i_error(f->ctx, PITH_E_FILE, "%s: cannot be read: %s belongs to another version of pith",
                            f->path, program);
    return st;
}

static pith_status start(pith_i_hdf5 *f, const char *program, const output *to, int file)
{
    int ends[2] = {-1, -1}, code = 0;
    pith_status st = PITH_OK;
    pith_i_hdf5_reply r;
    f->shared = lift(memfd_create("pith-hdf5", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    /* The process must not be able to shrink what we have mapped. */
    if (f->shared < 0 || fcntl(f->shared, F_ADD_SEALS, F_SEAL_SHRINK) != 0 ||
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        TRY(no_start(f, program, errno));
    f->socket = ends[0];
    ends[1] = lift(ends[1]);
    code = ends[1] < 0 ? errno : spawn(program, f->path, to, ends[1], f->shared, file, &f->process);
    if (code != 0) {
        f->process = 0;
        TRY(no_start(f, program, code));
    }
    (void)close(ends[1]);
    ends[1] = -1;
    TRY(greet(f, program));
    TRY(pith_i_hdf5_receive(f, &r));
    if (r.problem == PITH_I_HDF5_UNWRITTEN)
        FAIL(f->ctx, PITH_E_FILE, "%s: cannot be written", to->path);
    if (r.problem != PITH_I_HDF5_FINE)
        FAIL(f->ctx, PITH_E_DATA, "%s: is not an HDF5 file, or is damaged", f->path);
done:
    if (ends[1] >= 0)
        (void)close(ends[1]);
    return st;
}

pith_status pith_i_hdf5_open(pith_ctx *ctx, const char *path, const pith_i_bytes *bytes, pith_i_hdf5 *out)
{
    return pith_i_hdf5_open_both(ctx, path, bytes, NULL, 0, out);
}

pith_status pith_i_hdf5_open_both(pith_ctx *ctx, const char *path, const pith_i_bytes *bytes,
                                  const char *output_path, int64_t most, pith_i_hdf5 *out)
{
    const output to = {output_path, most};
    char program[4096];
    struct stat info;
    pith_status st = PITH_OK;
    int file = -1;
    *out = (pith_i_hdf5){.ctx = ctx, .path = path, .socket = -1, .shared = -1, .total = 1};
    if (bytes->mapped == NULL)
        FAIL(ctx, PITH_E_DATA,
             "%s: an HDF5 file must be a regular file, not a pipe and not compressed with gzip", path);
    if (!PITH_HDF5)
        FAIL(ctx, PITH_E_FILE, "%s: this build of pith has no HDF5", path);
    TRY(find_program(ctx, path, program, sizeof program));
    file = lift(open(path, O_RDONLY | O_CLOEXEC));
    if (file < 0 || fstat(file, &info) != 0)
        FAIL(ctx, PITH_E_FILE, "%s: cannot be read: %s", path, strerror(errno));
    out->size = info.st_size;
    TRY(start(out, program, &to, file));
done:
    if (file >= 0)
        (void)close(file);
    return st;
}

void pith_i_hdf5_close(pith_i_hdf5 *f)
{
    if (f->process > 0) {
        (void)kill(f->process, SIGKILL); /* by now an output is complete, or useless */
        while (waitpid(f->process, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    if (f->window != NULL)
        (void)munmap(f->window, (size_t)f->window_bytes);
    if (f->path != NULL && f->socket >= 0)
        (void)close(f->socket);
    if (f->path != NULL && f->shared >= 0)
        (void)close(f->shared);
    *f = (pith_i_hdf5){.socket = -1, .shared = -1};
}

/* ---- Talking to it ------------------------------------------------------------------------------- */

pith_status pith_i_hdf5_failed(pith_i_hdf5 *f)
{
    return pith_i_error(f->ctx, PITH_E_DATA, "%s: cannot be read as HDF5 (the reader failed)", f->path);
}

pith_status pith_i_hdf5_window(pith_i_hdf5 *f, int64_t bytes)
{
    if (bytes <= f->window_bytes)
        return PITH_OK;
    if (ftruncate(f->shared, bytes) != 0)
        return pith_i_error(f->ctx, PITH_E_NOMEM, "%s: out of memory while reading", f->path);
    void *larger = mmap(NULL, (size_t)bytes, PROT_READ, MAP_SHARED, f->shared, 0);
    if (larger == MAP_FAILED)
        return pith_i_error(f->ctx, PITH_E_NOMEM, "%s: out of memory while reading", f->path);
    if (f->window != NULL)
        (void)munmap(f->window, (size_t)f->window_bytes);
    f->window = larger;
    f->window_bytes = bytes;
    return PITH_OK;
}

pith_status pith_i_hdf5_fill(pith_i_hdf5 *f, int64_t at, const void *from, int64_t bytes)
{
    const char *next = from;
    while (bytes > 0) {
        const ssize_t done = pwrite(f->shared, next, (size_t)bytes, at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return pith_i_error(f->ctx, PITH_E_NOMEM, "%s: out of memory while copying", f->path);
        next += done;
        at += done;
        bytes -= done;
    }
    return PITH_OK;
}

pith_status pith_i_hdf5_send(pith_i_hdf5 *f, const pith_i_hdf5_request *q)
{
    return send(f->socket, q, sizeof *q, MSG_NOSIGNAL) == sizeof *q ? PITH_OK : pith_i_hdf5_failed(f);
}

pith_status pith_i_hdf5_receive(pith_i_hdf5 *f, pith_i_hdf5_reply *r)
{
    enum { TICK_MS = 50 };
    struct pollfd wait = {.fd = f->socket, .events = POLLIN};
    pith_status st = PITH_OK;
    int ready = 0;
    while (ready <= 0) {
        ready = poll(&wait, 1, TICK_MS);
        TRY(pith_i_progress(f->ctx, f->done, f->total));
        if (ready < 0 && errno != EINTR)
            return pith_i_hdf5_failed(f);
    }
    if (recv(f->socket, r, sizeof *r, MSG_DONTWAIT) != sizeof *r)
        return pith_i_hdf5_failed(f);
    r->text[sizeof r->text - 1] = '\0';
    if (r->problem == PITH_I_HDF5_NO_MEMORY)
        FAIL(f->ctx, PITH_E_NOMEM, "%s: out of memory while reading", f->path);
done:
    return st;
}

pith_status pith_i_hdf5_ask(pith_i_hdf5 *f, pith_i_hdf5_request *q, pith_i_hdf5_reply *r)
{
    const pith_status st = pith_i_hdf5_window(f, (int64_t)2 * PITH_I_HDF5_HALF);
    if (st != PITH_OK)
        return st;
    q->window = f->window_bytes;
    q->to = q->to > 0 ? q->to : f->window_bytes;
    const pith_status sent = pith_i_hdf5_send(f, q);
    return sent == PITH_OK ? pith_i_hdf5_receive(f, r) : sent;
}
