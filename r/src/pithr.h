/*
 * The R package's functions in C: pith.h by .Call, for the package's own use.
 *
 * R leaves C by longjmp: on errors, when memory runs out, on interrupts. So every function here has a `call`,
 * which holds what must be freed, and runs inside call_run, which frees it on every way out. R must never
 * jump out of a callback of the library: see call.c.
 */
#ifndef PITH_R_H
#define PITH_R_H

#define R_NO_REMAP
#include <Rinternals.h>

#include <pith.h>

typedef struct call {
    SEXP given;           /* the named list of arguments */
    pith_ctx *ctx;        /* and what is freed at the end, or NULL: */
    pith_matrix *m, *own; /* the data, borrowed from R; a matrix that the library made */
    pith_matrix *rows;    /* a graph, or the rows to build one from */
    pith_params *params;
    pith_result *result;
    pith_comparison *comparison;
    pith_status st;   /* of the library's last call */
    SEXP watch, tell; /* functions of R, or NULL: called with (done, what) and with a note */
    SEXP token;       /* by which R continues a jump that was held up */
    bool jumping;
} call;

/* Runs body(c), whose arguments are `given`, and frees what c holds, however body ends. Returns the value of
 * body, or a list of class pith_failure if `c->st` is not PITH_OK. */
SEXP call_run(SEXP given, SEXP (*body)(call *c));
/* Makes the context from given: seed, threads, memory, scratch, engine, watch, tell. False: c->st says why.
 */
bool call_open(call *c);
/* Takes the status of a library call: true if it is PITH_OK. A jump that was held up continues here. */
bool call_good(call *c, pith_status st);

/* The element of that name; R's NULL: there is none. */
SEXP item(SEXP list, const char *name);
int64_t item_int(call *c, const char *name);      /* 0 if it is R's NULL */
const char *item_text(call *c, const char *name); /* in UTF-8; NULL if it is R's NULL */
/* NULL-ended UTF-8 of a character vector, in memory that R frees after .Call; NULL for R's NULL. NA is "". */
const char **texts_of(SEXP strings);

/* The data of given$table, with its names, labels and batches, into c->m. */
bool table_open(call *c);
/* A table in R's form as a matrix that borrows it: a list of x, a matrix of doubles, and by_rows, whether
 * its rows are samples; or of CSR's p, j, x and the number of columns. */
bool table_borrow(call *c, SEXP table, pith_matrix **out);
SEXP table_export(const pith_matrix *m); /* the other way, as a copy */

/* A named list under construction: protected once, by list_new. */
typedef struct list {
    SEXP values, names;
    R_xlen_t used;
} list;
list list_new(int size); /* two protections, which list_done takes back */
void list_put(list *l, const char *name, SEXP value);
SEXP list_done(list *l);

SEXP text_of(const char *text); /* a string; R's NULL for NULL */
SEXP doubles_of(const double *v, int64_t count);
SEXP places_of(const int64_t *v, int64_t count); /* counted from 1 */
SEXP evidence_of(const pith_evidence *e);

SEXP pithr_methods(void);
SEXP pithr_steps(void);
SEXP pithr_nearest(SEXP word, SEXP words);
SEXP pithr_version(void);
SEXP pithr_run(SEXP given);
SEXP pithr_prep(SEXP given);
SEXP pithr_compare(SEXP given);

#endif
