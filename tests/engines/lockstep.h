/*
 * Several processes within one: every thread of a team has a context, a block of the rows and this engine,
 * and they meet at every operation. Slow and plain, for tests: results from blocks must equal those from one
 * table.
 */
#ifndef PITH_TESTS_LOCKSTEP_H
#define PITH_TESTS_LOCKSTEP_H

#include "core/engine.h"

/* A test's own assertions belong to its main thread; this one ends the program. */
void must_(bool holds, const char *what, const char *file, int line);
#define must(what) must_((what), #what, __FILE__, __LINE__)

enum { MOST_MEMBERS = 6 };

typedef void member_fn(pith_ctx *ctx, int rank, void *arg);
/* Runs `work` in so many threads at once, each with a context of its own that has the engine. */
void in_lockstep(int members, member_fn *work, void *arg);
/* The same with an engine that leaves neighbours to pith. */
void in_ring(int members, member_fn *work, void *arg);
/* Called by a member that has failed and comes to no more operations: those of the others fail from now on,
 * by PITH_E_STOPPED, as a job ends with one of its processes. */
void leave_lockstep(void);

#endif
