/* A call into the library: its context, how it ends, and its callbacks. */
#include "pithr.h"

#include <R_ext/Utils.h>

#include <math.h>
#include <setjmp.h>
#include <string.h>
#include <unistd.h>

/* ---- Lists and texts -------------------------------------------------------------------------------- */

SEXP item(SEXP list, const char *name)
{
    SEXP names = Rf_getAttrib(list, R_NamesSymbol);
    for (R_xlen_t i = 0; i < Rf_xlength(names); i++)
        if (strcmp(CHAR(STRING_ELT(names, i)), name) == 0)
            return VECTOR_ELT(list, i);
    return R_NilValue;
}

int64_t item_int(call *c, const char *name)
{
    SEXP value = item(c->given, name);
    return Rf_isNull(value) ? 0 : (int64_t)Rf_asReal(value);
}

const char *item_text(call *c, const char *name)
{
    SEXP value = item(c->given, name);
    return Rf_isString(value) && Rf_xlength(value) == 1 ? Rf_translateCharUTF8(STRING_ELT(value, 0)) : NULL;
}

const char **texts_of(SEXP strings)
{
    if (!Rf_isString(strings))
        return NULL;
    const R_xlen_t n = Rf_xlength(strings);
    const char **texts = (const char **)R_alloc((size_t)n + 1, sizeof *texts);
    for (R_xlen_t i = 0; i < n; i++) {
        SEXP one = STRING_ELT(strings, i);
        texts[i] = one == NA_STRING ? "" : Rf_translateCharUTF8(one);
    }
    texts[n] = NULL;
    return texts;
}

list list_new(int size)
{
    list l = {.values = PROTECT(Rf_allocVector(VECSXP, size))};
    l.names = PROTECT(Rf_allocVector(STRSXP, size));
    return l;
}

void list_put(list *l, const char *name, SEXP value)
{
    SET_VECTOR_ELT(l->values, l->used, value); /* first, so that it is protected */
    SET_STRING_ELT(l->names, l->used++, Rf_mkChar(name));
}

SEXP list_done(list *l)
{
    Rf_setAttrib(l->values, R_NamesSymbol, l->names);
    UNPROTECT(2);
    return l->values;
}

SEXP text_of(const char *text)
{
    return text == NULL ? R_NilValue : Rf_ScalarString(Rf_mkCharCE(text, CE_UTF8));
}

SEXP doubles_of(const double *v, int64_t count)
{
    SEXP out = Rf_allocVector(REALSXP, (R_xlen_t)count);
    if (count > 0)
        memcpy(REAL(out), v, (size_t)count * sizeof *v);
    return out;
}

SEXP places_of(const int64_t *v, int64_t count)
{
    SEXP out = Rf_allocVector(INTSXP, (R_xlen_t)count);
    for (R_xlen_t i = 0; i < count; i++)
        INTEGER(out)[i] = (int)v[i] + 1;
    return out;
}

/* ---- What the library calls ------------------------------------------------------------------------- */

/*
 * R functions may jump: on an error, on an interrupt, to a handler. They must not jump over the library's
 * frames, so the jump is held up (R_UnwindProtect calls `held`, which returns to `guarded`), the library is
 * told to stop, frees everything and returns, and call_good continues the jump. So an interrupt arrives in
 * tryCatch(interrupt = ) as from any R function.
 */
typedef struct guard {
    call *c;
    double done;
    const char *text;
    bool note;
    jmp_buf back;
} guard;

static SEXP ask_r(void *data)
{
    guard *g = data;
    if (g->note) {
        SEXP text = PROTECT(text_of(g->text)), made = PROTECT(Rf_lang2(g->c->tell, text));
        Rf_eval(made, R_GlobalEnv);
        UNPROTECT(2);
        return R_NilValue;
    }
    R_CheckUserInterrupt();
    if (g->c->watch != NULL) {
        SEXP done = PROTECT(Rf_ScalarReal(g->done)), text = PROTECT(text_of(g->text));
        SEXP made = PROTECT(Rf_lang3(g->c->watch, done, text));
        Rf_eval(made, R_GlobalEnv);
        UNPROTECT(3);
    }
    return R_NilValue;
}

static void held(void *data, Rboolean jump)
{
    guard *g = data;
    if (jump)
        longjmp(g->back, 1);
}

/* False: R wants to jump. */
static bool guarded(guard *g)
{
    call *c = g->c;
    if (c->jumping)
        return false;
    if (setjmp(g->back) != 0)
        c->jumping = true;
    else
        R_UnwindProtect(ask_r, g, held, g, c->token);
    return !c->jumping;
}

/* Both are called by the library from the thread that called it, which is R's. */
static bool step(double done, const char *what, void *user)
{
    guard g = {.c = user, .done = done, .text = what};
    return guarded(&g);
}

static void note(const char *text, void *user)
{
    guard g = {.c = user, .text = text, .note = true};
    if (g.c->tell != NULL)
        (void)guarded(&g);
}

/* ---- From the beginning to the end ------------------------------------------------------------------ */

bool call_good(call *c, pith_status st)
{
    c->st = st;
    if (c->jumping)
        R_ContinueUnwind(c->token);
    return st == PITH_OK;
}

/* The threads of OpenMP do not survive a fork (parallel::mclapply), and libgomp waits for them for ever. So a
 * forked child of a process that may have used them gets one thread. */
static int threads_here(int wanted)
{
    static pid_t user;
    if (user == 0)
        user = getpid();
    return user == getpid() ? wanted : 1;
}

bool call_open(call *c)
{
    SEXP watch = item(c->given, "watch"), tell = item(c->given, "tell");
    c->watch = Rf_isFunction(watch) ? watch : NULL;
    c->tell = Rf_isFunction(tell) ? tell : NULL;
    if (!call_good(c, pith_ctx_new(&c->ctx)))
        return false;
    pith_ctx_set_seed(c->ctx, (uint64_t)item_int(c, "seed"));
    pith_ctx_set_progress(c->ctx, step, c);
    pith_ctx_set_note(c->ctx, note, c);
    return call_good(c, pith_ctx_set_threads(c->ctx, threads_here((int)item_int(c, "threads")))) &&
           call_good(c, pith_ctx_set_memory(c->ctx, item_int(c, "memory"))) &&
           call_good(c, pith_ctx_set_scratch(c->ctx, item_text(c, "scratch"))) &&
           call_good(c, pith_ctx_set_engine(c->ctx, item_text(c, "engine")));
}

static void call_close(void *data)
{
    call *c = data;
    pith_comparison_free(c->comparison);
    pith_result_free(c->result);
    pith_params_free(c->params);
    pith_matrix_free(c->rows);
    pith_matrix_free(c->own);
    pith_matrix_free(c->m);
    pith_ctx_free(c->ctx);
}

/* The failure from which the R code makes a condition. */
static SEXP failure_of(const call *c)
{
    const char *said = c->ctx != NULL ? pith_ctx_message(c->ctx) : "";
    list l = list_new(2);
    list_put(&l, "status", Rf_ScalarInteger(c->st));
    list_put(&l, "message", text_of(said[0] != '\0' ? said : pith_strerror(c->st)));
    SEXP made = PROTECT(list_done(&l)), name = PROTECT(Rf_mkString("pith_failure"));
    Rf_classgets(made, name);
    UNPROTECT(2);
    return made;
}

typedef struct task {
    call *c;
    SEXP (*body)(call *c);
} task;

static SEXP perform(void *data)
{
    task *t = data;
    SEXP made = PROTECT(t->body(t->c));
    if (t->c->st != PITH_OK)
        made = failure_of(t->c);
    UNPROTECT(1);
    return made;
}

SEXP call_run(SEXP given, SEXP (*body)(call *c))
{
    call c = {.given = given, .token = PROTECT(R_MakeUnwindCont())};
    task t = {&c, body};
    SEXP made = R_ExecWithCleanup(perform, &t, call_close, &c);
    UNPROTECT(1);
    return made;
}
