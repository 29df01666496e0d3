/* The progress bar on stderr, and requests to stop (Ctrl-C). */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "options.h"

/* Catches the signals that end a program: the library is asked to stop, and removes unfinished output. A
 * second one from the keyboard kills the process. */
void progress_start(const settings *s);
bool progress_step(double done, const char *what, void *user); /* a pith_progress_fn */
/* What the library reports from here on covers the bar from where it ended before to `end`; without a
 * call it covers all of it. */
void progress_up_to(double end);
/* The part that begins next is expected to take so many seconds. */
void progress_expect(double seconds);
void progress_clear(void); /* takes the bar off the screen */
void progress_hide(void);  /* from here on; another process shows it */
/* 0, or the exit status of a command that was asked to stop: 128 + the signal. */
int stop_asked(void);
bool parent_asked(void); /* did the process that started this one send the signal? */
/* Did a pipe break? Then nothing more is printed. */
bool reader_is_gone(void);
/* If a pipe broke, ends the program by SIGPIPE, so that its parent can see why. Else returns. */
void die_as_asked(void);

#endif
