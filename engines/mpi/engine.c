/*
 * The engine for rows that are spread over the processes of an MPI job: ranks, sums, exchanges, and the end
 * of a job. pith itself never links to MPI. The engine does not search for neighbours: pith does, and passes
 * blocks of rows round by `begin` and `finish`.
 */
#include "engine.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define STRINGIFY(x) #x
#define TEXT(x)      STRINGIFY(x)
#ifndef PITH_MPI_BUILD /* tests build one with another version */
#define PITH_MPI_BUILD                                                                                       \
    TEXT(PITH_VERSION_MAJOR)                                                                                 \
    "." TEXT(PITH_VERSION_MINOR) "." TEXT(PITH_VERSION_PATCH) "-" TEXT(PITH_ENGINE_VERSION)
#endif

enum { PIECE = 1 << 30 }; /* bytes of a message: MPI counts in int */

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void rest(long microseconds)
{
    const struct timespec t = {.tv_nsec = microseconds * 1000}; /* less than a second */
    (void)nanosleep(&t, NULL);
}

pith_status pith_mpi_failed(pith_engine_call *call, const char *what, int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    (void)MPI_Error_string(code, text, &length);
    (void)snprintf(call->message, sizeof call->message, "%s: %.300s", what, text);
    return PITH_E_FILE;
}

/* ---- Waiting ------------------------------------------------------------------------------------------- */

/* Messages were left unfinished in memory that pith may free: MPI is not called any more. */
static bool broken;

pith_status pith_mpi_wait(pith_engine_call *call, int count, MPI_Request *request)
{
    static const double soon = 2e-4, asked = 0.05; /* seconds */
    const double began = now();
    double last = began;
    int done = 0;
    for (;;) {
        const int code = MPI_Testall(count, request, &done, MPI_STATUSES_IGNORE);
        if (code != MPI_SUCCESS) {
            broken = true;
            return pith_mpi_failed(call, "a message was lost", code);
        }
        if (done)
            return PITH_OK;
        const double t = now();
        if (t - began < soon)
            (void)sched_yield();
        else
            rest(t - began < 0.01 ? 50 : 500);
        if (t - last > asked) {
            last = t;
            if (call->stop(call, 0)) {
                broken = true;
                return PITH_E_STOPPED;
            }
        }
    }
}

/* ---- Opening ------------------------------------------------------------------------------------------- */

/* All processes must run the same build: others would misread each other's bytes. */
static pith_status check_builds(pith_engine_call *call, const engine *e)
{
    char own[64] = PITH_MPI_BUILD;
    char *all = calloc((size_t)e->ranks, sizeof own);
    pith_status st = PITH_OK;
    if (all == NULL)
        return PITH_E_NOMEM;
    (void)MPI_Allgather(own, sizeof own, MPI_CHAR, all, sizeof own, MPI_CHAR, e->work);
    for (int r = 1; r < e->ranks && st == PITH_OK; r++) {
        char *other = all + (size_t)r * sizeof own;
        other[sizeof own - 1] = '\0';
        if (strcmp(all, other) == 0)
            continue;
        st = e->rank == 0 ? PITH_E_FILE : PITH_E_STOPPED; /* one report is enough */
        if (e->rank == 0)
            (void)snprintf(
                call->message, sizeof call->message,
                "process 0 has version %s of libpith-mpi.so and process %d has version %s: install "
                "the same pith on all machines",
                all, r, other);
    }
    free(all);
    return st;
}

static pith_status begin_mpi(pith_engine_call *call)
{
    int begun = 0, ended = 0, level = 0, code = MPI_SUCCESS;
    (void)MPI_Finalized(&ended);
    if (ended) {
        (void)snprintf(call->message, sizeof call->message, "MPI has ended in this process");
        return PITH_E_FILE;
    }
    (void)MPI_Initialized(&begun);
    if (begun)
        (void)MPI_Query_thread(&level);
    else {
        /* MPI's plugins look up its functions among the global symbols. */
        Dl_info here;
        if (dladdr((const void *)(uintptr_t)&MPI_Init_thread, &here) != 0 && here.dli_fname != NULL)
            (void)dlopen(here.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
        code = MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
    }
    if (code != MPI_SUCCESS)
        return pith_mpi_failed(call, "MPI cannot be started", code);
    if (level < MPI_THREAD_MULTIPLE) {
        (void)snprintf(call->message, sizeof call->message,
                       "this MPI does not let several threads send (MPI_THREAD_MULTIPLE)");
        return PITH_E_FILE;
    }
    return PITH_OK;
}

static pith_status open_engine(pith_engine_call *call, void **self)
{
    engine *e = calloc(1, sizeof *e);
    pith_status st = e != NULL ? begin_mpi(call) : PITH_E_NOMEM;
    if (st == PITH_OK) {
        MPI_Comm *const comm[] = {&e->work, &e->behind, &e->settle};
        for (int c = 0; c < 3; c++) {
            (void)MPI_Comm_dup(MPI_COMM_WORLD, comm[c]);
            (void)MPI_Comm_set_errhandler(*comm[c], MPI_ERRORS_RETURN);
        }
        (void)MPI_Comm_rank(e->work, &e->rank);
        (void)MPI_Comm_size(e->work, &e->ranks);
        st = check_builds(call, e);
    }
    if (st != PITH_OK) {
        free(e);
        return st;
    }
    *self = e;
    return PITH_OK;
}

/* For measurements: the bytes that this process has sent. */
static void tell_count(const engine *e)
{
    const char *path = getenv("PITH_MPI_COUNT");
    char name[4096];
    if (path == NULL || snprintf(name, sizeof name, "%s.%d", path, e->rank) >= (int)sizeof name)
        return;
    FILE *out = fopen(name, "w");
    if (out == NULL)
        return;
    (void)fprintf(out, "%lld %lld\n", (long long)e->sent, (long long)e->blocks);
    (void)fclose(out);
}

/* At the end of the program and not before, since MPI cannot be started twice. */
static void end_mpi(void)
{
    int begun = 0, ended = 0;
    (void)MPI_Initialized(&begun);
    (void)MPI_Finalized(&ended);
    if (begun && !ended)
        (void)MPI_Finalize();
}

static void close_engine(void *self)
{
    static bool told = false;
    engine *e = self;
    tell_count(e);
    if (broken)
        return;
    pith_mpi_eigen_end(e);
    (void)MPI_Comm_free(&e->work);
    (void)MPI_Comm_free(&e->behind);
    (void)MPI_Comm_free(&e->settle);
    free(e);
    if (!told)
        (void)atexit(end_mpi);
    told = true;
}

static void place(void *self, int *rank, int *ranks)
{
    const engine *e = self;
    *rank = e->rank;
    *ranks = e->ranks;
}

/* ---- Sums ---------------------------------------------------------------------------------------------- */

/* Added up in process 0 and sent to all from there: every process gets the same bytes, in whatever order MPI
 * adds. */
static pith_status sum(void *self, pith_engine_call *call, pith_engine_how how, int64_t count, double *values)
{
    engine *e = self;
    const MPI_Op op = how == PITH_ENGINE_TOTAL ? MPI_SUM : how == PITH_ENGINE_LEAST ? MPI_MIN : MPI_MAX;
    pith_status st = PITH_OK;
    for (int64_t from = 0; from < count && st == PITH_OK; from += PIECE / 8) {
        const int some = (int)(count - from < PIECE / 8 ? count - from : PIECE / 8);
        MPI_Request request = MPI_REQUEST_NULL;
        int code = e->rank == 0
                       ? MPI_Ireduce(MPI_IN_PLACE, values + from, some, MPI_DOUBLE, op, 0, e->work, &request)
                       : MPI_Ireduce(values + from, NULL, some, MPI_DOUBLE, op, 0, e->work, &request);
        if (code != MPI_SUCCESS)
            return pith_mpi_failed(call, "a sum failed", code);
        st = pith_mpi_wait(call, 1, &request);
        if (st == PITH_OK &&
            (code = MPI_Ibcast(values + from, some, MPI_DOUBLE, 0, e->work, &request)) != MPI_SUCCESS)
            return pith_mpi_failed(call, "a sum failed", code);
        if (st == PITH_OK)
            st = pith_mpi_wait(call, 1, &request);
        e->sent += 8 * (int64_t)some;
    }
    return st;
}

/* ---- Exchanges ----------------------------------------------------------------------------------------- */

typedef struct exchanging {
    int count;
    MPI_Request *request;
    pthread_t thread; /* that keeps them going */
    atomic_bool drop;
    int code;
} exchanging;

static int pieces(int64_t bytes)
{
    return (int)((bytes + PIECE - 1) / PIECE);
}

/* Posts receives, then sends, in pieces. What a process sends to itself is copied. */
static int post(engine *e, MPI_Comm comm, int tag, const int64_t *send_at, const void *send,
                const int64_t *receive_at, void *receive, exchanging *x)
{
    int count = 0, code = MPI_SUCCESS;
    for (int r = 0; r < e->ranks; r++)
        count += pieces(receive_at[r + 1] - receive_at[r]) + pieces(send_at[r + 1] - send_at[r]);
    x->request = calloc((size_t)count + 1, sizeof *x->request);
    if (x->request == NULL)
        return MPI_ERR_NO_MEM;
    const int64_t own = send_at[e->rank + 1] - send_at[e->rank];
    if (own > 0)
        memcpy((char *)receive + receive_at[e->rank], (const char *)send + send_at[e->rank], (size_t)own);
    for (int turn = 1; turn < e->ranks && code == MPI_SUCCESS;
         turn++) { /* so that not all send to the same process */
        const int from = (e->rank + turn) % e->ranks;
        for (int64_t at = receive_at[from]; at < receive_at[from + 1] && code == MPI_SUCCESS; at += PIECE) {
            const int64_t left = receive_at[from + 1] - at;
            code = MPI_Irecv((char *)receive + at, (int)(left < PIECE ? left : PIECE), MPI_BYTE, from, tag,
                             comm, &x->request[x->count++]);
        }
    }
    for (int turn = 1; turn < e->ranks && code == MPI_SUCCESS; turn++) {
        const int to = (e->rank + e->ranks - turn) % e->ranks;
        for (int64_t at = send_at[to]; at < send_at[to + 1] && code == MPI_SUCCESS; at += PIECE) {
            const int64_t left = send_at[to + 1] - at;
            code = MPI_Isend((const char *)send + at, (int)(left < PIECE ? left : PIECE), MPI_BYTE, to, tag,
                             comm, &x->request[x->count++]);
        }
        e->sent += send_at[to + 1] - send_at[to];
        e->blocks += comm == e->behind ? send_at[to + 1] - send_at[to] : 0;
    }
    return code;
}

static pith_status exchange(void *self, pith_engine_call *call, const int64_t *send_at, const void *send,
                            const int64_t *receive_at, void *receive)
{
    engine *e = self;
    exchanging x = {0};
    const int code = post(e, e->work, 1, send_at, send, receive_at, receive, &x);
    const pith_status st = code == MPI_SUCCESS ? pith_mpi_wait(call, x.count, x.request)
                                               : pith_mpi_failed(call, "an exchange failed", code);
    free(x.request);
    return st;
}

/* MPI makes progress only while it is called: this thread calls it while pith computes. */
static void *let_go_on(void *arg)
{
    exchanging *x = arg;
    int done = 0;
    while (!atomic_load(&x->drop)) {
        x->code = MPI_Testall(x->count, x->request, &done, MPI_STATUSES_IGNORE);
        if (done || x->code != MPI_SUCCESS)
            break;
        rest(200);
    }
    return NULL;
}

static pith_status begin(void *self, pith_engine_call *call, const int64_t *send_at, const void *send,
                         const int64_t *receive_at, void *receive, void **under_way)
{
    engine *e = self;
    exchanging *x = calloc(1, sizeof *x);
    if (x == NULL)
        return PITH_E_NOMEM;
    e->begun = e->begun % 1000 + 1;
    const int code = post(e, e->behind, e->begun, send_at, send, receive_at, receive, x);
    if (code == MPI_SUCCESS && pthread_create(&x->thread, NULL, let_go_on, x) == 0) {
        *under_way = x;
        return PITH_OK;
    }
    if (code != MPI_SUCCESS)
        return pith_mpi_failed(call, "an exchange failed", code);
    (void)snprintf(call->message, sizeof call->message, "no thread for messages can be started");
    return PITH_E_FILE;
}

static pith_status finish(void *self, pith_engine_call *call, void *under_way)
{
    exchanging *x = under_way;
    struct timespec until;
    (void)self;
    for (;;) {
        (void)clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 50 * 1000 * 1000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (pthread_timedjoin_np(x->thread, NULL, &until) == 0)
            break;
        if (call->stop(call, 0)) { /* the job is about to end: the messages stay unfinished */
            broken = true;
            atomic_store(&x->drop, true);
            (void)pthread_join(x->thread, NULL);
            return PITH_E_STOPPED;
        }
    }
    const int code = x->code;
    free(x->request);
    free(x);
    return code == MPI_SUCCESS ? PITH_OK : pith_mpi_failed(call, "an exchange failed", code);
}

/* ---- The end ------------------------------------------------------------------------------------------- */

/* The smallest key is that of the lowest process that failed. */
static int settle(void *self, int *status, bool *alone)
{
    enum { WELL = 1 << 30, STATUSES = 256 };
    static const double patience = 2; /* seconds that a failed process waits for the others */
    const engine *e = self;
    int own = *status == 0 ? WELL : e->rank * STATUSES + *status % STATUSES, least = WELL, done = 0;
    const bool failed = *status != 0;
    const double began = now();
    MPI_Request request = MPI_REQUEST_NULL;
    *alone = false;
    if (broken) { /* if all were told to stop, all are here: process 0 speaks for them */
        rest(e->rank == 0 ? 0 : (long)(patience * 0.4e6));
        *alone = true;
        return e->rank;
    }
    if (MPI_Iallreduce(&own, &least, 1, MPI_INT, MPI_MIN, e->settle, &request) != MPI_SUCCESS)
        done = -1;
    while (done == 0 && MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done) {
        if (failed && now() - began > patience)
            break;
        rest(now() - began < 0.05 ? 100 : 1000);
    }
    if (done != 1) {
        *alone = true;
        return e->rank;
    }
    if (least == WELL)
        return -1;
    *status = least % STATUSES;
    return least / STATUSES;
}

static void end(void *self, int status)
{
    const engine *e = self;
    (void)MPI_Abort(e->work, status);
    _exit(status);
}

const pith_engine *pith_engine_get(void)
{
    static const pith_engine table = {.version = PITH_ENGINE_VERSION,
                                      .name = "mpi",
                                      .promises = PITH_ENGINE_EXACT,
                                      .open = open_engine,
                                      .close = close_engine,
                                      .eigen = pith_mpi_eigen,
                                      .place = place,
                                      .sum = sum,
                                      .exchange = exchange,
                                      .begin = begin,
                                      .finish = finish,
                                      .settle = settle,
                                      .end = end};
    return &table;
}
