/* One command at work: the library's handles, and the steps that commands share. */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include "options.h"

#include <pith.h>

#define STEP(call)                                                                                           \
    do {                                                                                                     \
        status = (call);                                                                                     \
        if (status != DONE)                                                                                  \
            goto done;                                                                                       \
    } while (0)

typedef struct session {
    const settings *s;
    const char *path; /* of the data, for messages */
    pith_ctx *ctx;
    pith_matrix *matrix;
    pith_params *params;
    int64_t count;     /* of features that will be selected; 0: not known */
    bool keep;         /* the number of features to keep is wanted */
    bool keep_columns; /* of pith_read_options, for the next file */
    bool streamed;     /* the same */
    bool spread;       /* the same: several processes may share the rows */
    bool settled;      /* all processes know how this one ended */
    pith_result *result;
    pith_matrix *part; /* this process's samples, if processes share them and `matrix` has all */
    pith_ctx *alone;   /* in process 0 then: a context without the other processes */
} session;

/* Every step returns an exit status; if it is not DONE, the error has been printed. */
int session_open(const settings *s, session *out);
void session_close(session *w);
/* With an engine of several processes, waits until all have come this far. If one has failed, it says why,
 * and all get its exit status. With one process, returns `status`. */
int session_agree(session *w, int status);
/* Agrees, closes, and returns what the command should return. */
int session_end(session *w, int status);

/* Prints the library's message. A file that cannot be written is a failure (exit 1), one that cannot be read
 * is unfit data (exit 3). */
typedef enum activity { READING, WORKING, WRITING } activity;
int session_status(const session *w, pith_status st, activity what);

/* The method of -m with its parameters; `auto` waits for the data. Call before reading: it fails early. */
int session_method(session *w);
int session_read(session *w, const char *path, pith_missing standard);
/* Documents of several files; the list begins with 'text'. */
int session_documents(session *w, int files, const char *const *paths, const char *steps);
/* session_read, or documents where the first step is to read those, and then the other steps; NULL: none. The
 * list is checked first. */
int session_prepared(session *w, const char *path, const char *steps);
/* To be called after the samples of each process have been read. With several processes, these become `part`,
 * and process 0 reads all samples into `matrix`, for what it does alone. */
int session_whole(session *w, const char *path, const char *steps);
/* A session for what this process does alone, without the other processes. Not to be closed. */
session session_alone(const session *w);
/* The number of -n, between 1 and the features of the data, known only once it has been read. */
int session_count(session *w);
int session_run(session *w);
/* For many samples, notes how long the run will take and how much memory it will need; forecast.c. */
int session_forecast(session *w);
/* The error for an unknown method, with the nearest match. Returns USAGE. */
int unknown_method(const char *name);
/* Prints what `auto` became, notes and warnings, unless -q; with -v, all settings and facts. */
void session_tell(const session *w);

/* --image-shape 32x32: rows and columns, 0 without the option. */
int read_image_shape(const settings *s, int64_t *rows, int64_t *cols);
/* "auto:32x32" for the parameter `tree`, if the option gives the shape and there is no --tree; else "". */
enum { IMAGE_TREE = 64 };
int read_image_tree(const settings *s, char text[IMAGE_TREE]);
bool method_has(const pith_method *m, const char *parameter);

/* Can the table be written there? Checked before the work, so that a typo does not cost hours. */
int check_table_output(session *w, const char *path, const char *format);
int session_write_table(session *w, const pith_matrix *m, const char *path);
/* By all processes, each its own rows; *written is false if one process has to write instead. */
int session_write_parts(session *w, const pith_matrix *m, const char *path, bool *written);
/* The same for text that is no table. */
int check_place(session *w, const char *path);
/*
 * USAGE if an output (NULL: none; "-": standard output) would overwrite one of the n data files, another file
 * that the options name, or the other output. Not checked with --force.
 */
int check_spared(session *w, int n, const char *const *data, const char *output, const char *report);
bool has_ending(const char *path, const char *ending);
/* NULL: standard output, also for "-". */
const char *file_of(const char *path);

#endif
