/* The progress bar on stderr, and the wish to stop (Ctrl-C). */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "options.h"

/* Catches SIGINT and SIGTERM: the first one asks the library to stop, the second one kills. */
void progress_start(const settings *s);
bool progress_step(double done, const char *what, void *user); /* a pith_progress_fn */
void progress_clear(void);                                     /* takes the bar off the screen */
/* 0, or the exit status of a command that was asked to stop: 128 + the signal. */
int stop_asked(void);

#endif
