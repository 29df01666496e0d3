/* The progress bar on stderr, and the wish to stop (Ctrl-C). */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "options.h"

/* Catches the signals that end a program: the library is asked to stop, and takes away what is half written.
 * A second one from the keyboard kills. */
void progress_start(const settings *s);
bool progress_step(double done, const char *what, void *user); /* a pith_progress_fn */
/* What the library reports from here on covers the bar from where it ended before to `end`; without a
 * call it covers all of it. */
void progress_up_to(double end);
void progress_clear(void); /* takes the bar off the screen */
/* 0, or the exit status of a command that was asked to stop: 128 + the signal. */
int stop_asked(void);
/* Did a pipe break? Its reader wants to hear nothing more, nor does anybody else. */
bool reader_is_gone(void);
/* Ends the program as a broken pipe does, if it was one: what started it can tell. Else returns. */
void die_as_asked(void);

#endif
