/*
 * pith-hdf5 reads untrusted files with a library that such files can break. Whatever happens, its time and
 * memory are limited; it can write only to the output file, up to a given size; it can start no program and
 * open no connection. Limits that the kernel does not support are left out: a separate process is a
 * protection by itself.
 */
#include "limits.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

static void lower(int what, rlim_t most)
{
    struct rlimit limit;
    if (getrlimit((__rlimit_resource_t)what, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max = most < limit.rlim_max ? most : limit.rlim_max;
    (void)setrlimit((__rlimit_resource_t)what, &limit);
}

void limit_resources(int64_t file_bytes, int64_t output_bytes)
{
    /* A byte of gzip can unpack to a thousand, which takes some microseconds: in the worst case a second
     * unpacks 200 kB. Packing it again takes about ten times as long. This limits CPU time: a slow disk and a
     * busy machine do not count. */
    const int64_t seconds = 2 + file_bytes / (output_bytes > 0 ? 20000 : 200000);
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    /* The first ones also reach libpith, which ends this process; without the last one, write calls fail. */
    static const int ignored[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGXFSZ};
    for (size_t k = 0; k < sizeof ignored / sizeof ignored[0]; k++)
        (void)signal(ignored[k], SIG_IGN);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
#ifdef SYS_close_range
    (void)syscall(SYS_close_range, 6u, ~0u, 0u); /* files that the program that uses libpith has open */
#endif
    lower(RLIMIT_CORE, 0);
    lower(RLIMIT_FSIZE, (rlim_t)output_bytes);
    lower(RLIMIT_CPU, (rlim_t)seconds);
#ifndef SANITIZED /* shadow memory is larger than any limit */
    if (pages > 0 && page > 0)
        lower(RLIMIT_AS, (rlim_t)pages / 4 * 3 * (rlim_t)page);
#else
    (void)pages;
    (void)page;
#endif
}

#if defined(__x86_64__)
#define OUR_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OUR_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#if defined(OUR_ARCHITECTURE) && !defined(SANITIZED)

#define ALLOW(call)                                                                                          \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* pwrite64(fd, ...) and ftruncate(fd, ...), on the output alone. */
#define ALLOW_ON(call, fd)                                                                                   \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 4),                                                   \
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),                          \
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)(fd), 0, 1),                                           \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

void limit_calls(bool may_open, int output)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OUR_ARCHITECTURE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        /* openat(folder, name, flags): only for reading, and only while may_open. */
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, may_open ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | EACCES),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
        ALLOW_ON(pwrite64, output), /* -1: no file has this number */
        ALLOW_ON(ftruncate, output),
        ALLOW(pread64),
        ALLOW(read),
        ALLOW(lseek),
        ALLOW(recvfrom),
        ALLOW(sendto),
        ALLOW(fstat),
        ALLOW(newfstatat),
        ALLOW(statx),
        ALLOW(close),
        ALLOW(mmap),
        ALLOW(munmap),
        ALLOW(mremap),
        ALLOW(mprotect),
        ALLOW(madvise),
        ALLOW(brk),
        ALLOW(futex),
        ALLOW(flock),
        ALLOW(fcntl),
        ALLOW(getpid),
        ALLOW(gettid),
        ALLOW(getuid),
        ALLOW(geteuid),
        ALLOW(getrandom),
        ALLOW(getdents64),
        ALLOW(clock_gettime),
        ALLOW(gettimeofday),
        ALLOW(prctl), /* for the second filter */
        ALLOW(rt_sigaction),
        ALLOW(rt_sigprocmask),
        ALLOW(rt_sigreturn),
        ALLOW(tgkill), /* abort() */
        ALLOW(exit),
        ALLOW(exit_group),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    };
    const struct sock_fprog program = {.len = sizeof filter / sizeof filter[0], .filter = filter};
    (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    (void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

#else

void limit_calls(bool may_open, int output)
{
    (void)may_open;
    (void)output;
}

#endif
