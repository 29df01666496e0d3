#include "progress.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* One process, one terminal, one bar. */
static struct {
    bool shown;          /* may it be drawn at all */
    double wait;         /* seconds of work before it is */
    double began, stage; /* when the work and this pass over 0..1 began */
    double last;         /* when it was drawn last */
    double lo, hi;       /* the part of the bar that this pass covers */
    double expected;     /* seconds that this pass will take; 0: unknown */
    int length;          /* characters on the screen */
} bar;

static volatile sig_atomic_t caught, sender; /* a signal, and the process that sent it */

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
    (void)context;
    caught = signal;
    sender = info->si_pid;
}

/* A mapped file became shorter, or its disk fails: the access that caused the signal cannot be completed, so
 * this cannot return. */
static void on_bus_error(int signal)
{
    static const char text[] =
        "\npith: a data file became shorter while it was in use, or cannot be read from its "
        "disk\n";
    (void)signal;
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    _exit(UNFIT);
}

/* flags: in addition to SA_RESTART. */
static void catch_signal(int signal, int flags)
{
    struct sigaction old, wish = {.sa_sigaction = on_signal, .sa_flags = flags | SA_RESTART | SA_SIGINFO};
    (void)sigemptyset(&wish.sa_mask);
    /* A signal that was ignored from the start (nohup, a shell's background job) stays ignored. */
    if (sigaction(signal, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        (void)sigaction(signal, &wish, NULL);
}

void progress_start(const settings *s)
{
    const bool always = s->progress != NULL && strcmp(s->progress, "always") == 0;
    const bool never = s->progress != NULL && strcmp(s->progress, "never") == 0;
    bar.shown = always || (!never && !s->quiet && isatty(STDERR_FILENO) == 1);
    bar.wait = always ? 0 : 1;
    bar.began = bar.stage = now();
    bar.hi = 1;
    /* A second signal from the keyboard kills at once. The others may be sent twice by programs (timeout,
     * shells). */
    catch_signal(SIGINT, (int)SA_RESETHAND);
    catch_signal(SIGQUIT, (int)SA_RESETHAND);
    catch_signal(SIGTERM, 0);
    catch_signal(SIGHUP, 0);
    catch_signal(SIGXCPU, 0);
    catch_signal(SIGPIPE, 0); /* the reader of the bar may end while a file is being written */
    (void)signal(SIGBUS, on_bus_error);
    (void)signal(SIGXFSZ, SIG_IGN); /* a write beyond the limit then fails, which is reported */
}

bool reader_is_gone(void)
{
    return caught == SIGPIPE;
}

void die_as_asked(void)
{
    if (!reader_is_gone())
        return;
    (void)signal(SIGPIPE, SIG_DFL);
    (void)raise(SIGPIPE);
}

int stop_asked(void)
{
    return caught != 0 ? 128 + (int)caught : DONE;
}

bool parent_asked(void)
{
    return caught != 0 && sender == getppid();
}

void progress_up_to(double end)
{
    bar.lo = bar.hi < 1 ? bar.hi : 0;
    bar.hi = end;
    bar.stage = now();
}

static int screen_width(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

static void time_left(double seconds, char text[32])
{
    const long s = seconds < 1e8 ? (long)(seconds + 0.5) : 100000000;
    if (s >= 3600)
        (void)snprintf(text, 32, "%ld:%02ld:%02ld left", s / 3600, s / 60 % 60, s % 60);
    else
        (void)snprintf(text, 32, "%ld:%02ld left", s / 60, s % 60);
}

void progress_expect(double seconds)
{
    bar.expected = seconds;
}

/* The forecast at first, going over to what the pass so far predicts. */
static double seconds_left(double done, double elapsed)
{
    const double shown = elapsed * (1 - done) / (done > 0.01 ? done : 0.01);
    if (bar.expected <= 0)
        return shown;
    const double planned = bar.expected > elapsed ? bar.expected - elapsed : 0;
    return planned > 0 ? (1 - done) * planned + done * shown : shown;
}

/* done and the time left are those of this pass. */
static void draw(double done, const char *what, double elapsed)
{
    enum { CELLS = 24 };
    char cells[CELLS + 1], left[32] = "", line[256];
    const double whole = bar.lo + (bar.hi - bar.lo) * done;
    const int full = (int)(whole * CELLS);
    for (int i = 0; i < CELLS; i++)
        cells[i] = i < full ? '=' : i == full ? '>' : ' ';
    cells[CELLS] = '\0';
    if (done > 0.01 || bar.expected > 0)
        time_left(seconds_left(done, elapsed), left);
    int length =
        snprintf(line, sizeof line, "%-28.40s [%s] %3d %%  %s", what, cells, (int)(100 * whole), left);
    const int most = screen_width() - 1;
    length = length > most ? most : length;
    (void)fprintf(stderr, "\r%.*s%*s", length, line, bar.length > length ? bar.length - length : 0, "");
    (void)fflush(stderr);
    bar.length = length;
}

bool progress_step(double done, const char *what, void *user)
{
    (void)user;
    if (!bar.shown)
        return caught == 0;
    const double t = now();
    done = done > 1 ? 1 : done > 0 ? done : 0;
    if (t - bar.began >= bar.wait && t - bar.last >= 0.1) {
        draw(done, what, t - bar.stage);
        bar.last = t;
    }
    return caught == 0;
}

void progress_hide(void)
{
    bar.shown = false;
}

void progress_clear(void)
{
    if (bar.length > 0)
        (void)fprintf(stderr, "\r%*s\r", bar.length, "");
    bar.length = 0;
}
