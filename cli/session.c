#include "session.h"

#include "print.h"
#include "progress.h"

#include <pith-engine.h>

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static void tell_user(const char *text, void *user)
{
    (void)user;
    progress_clear();
    note("%s", text);
}

/* An engine that cannot be used is a wrong option, whatever the reason. */
static int set_engine(const session *w)
{
    const pith_status st = pith_ctx_set_engine(w->ctx, w->s->engine);
    if (st == PITH_E_STOPPED && stop_asked() == DONE)
        return USAGE; /* in all processes; another one says why */
    const int status = session_status(w, st, READING);
    return status == UNFIT ? USAGE : status;
}

static void tell_engine(const session *w)
{
    const unsigned promises = pith_ctx_engine_promises(w->ctx);
    if (w->s->verbose && strcmp(pith_ctx_engine(w->ctx), "local") != 0)
        note("engine %s: %s", pith_ctx_engine(w->ctx),
             (promises & PITH_ENGINE_SAME_BYTES) != 0
                 ? "every number is the same as with local, to the last bit"
             : (promises & PITH_ENGINE_EXACT) != 0
                 ? "the neighbours are those of local; other numbers may differ in the last digits"
                 : "the neighbours may be approximate");
}

/* A context with all settings except the engine. */
static int new_context(session *w)
{
    const settings *s = w->s;
    int status = DONE;
    if (pith_ctx_new(&w->ctx) != PITH_OK) {
        complain("out of memory");
        return FAILED;
    }
    pith_ctx_set_progress(w->ctx, progress_step, NULL);
    if (!s->quiet)
        pith_ctx_set_note(w->ctx, tell_user, NULL);
    pith_ctx_set_seed(w->ctx, s->seed);
    STEP(session_status(w, pith_ctx_set_threads(w->ctx, (int)s->threads), WORKING));
    STEP(session_status(w, pith_ctx_set_memory(w->ctx, s->memory), WORKING));
    STEP(session_status(w, pith_ctx_set_scratch(w->ctx, s->scratch), WORKING));
done:
    return status;
}

int session_open(const settings *s, session *out)
{
    int status = DONE;
    *out = (session){.s = s};
    progress_start(s);
    STEP(new_context(out));
    STEP(set_engine(out));
    if (pith_ctx_processes(out->ctx) > 1) {
        print_as_process(pith_ctx_process(out->ctx));
        if (!is_speaker())
            progress_hide();
        if (s->threads == 0) /* there may be as many processes as cores */
            STEP(session_status(out, pith_ctx_set_threads(out->ctx, 1), WORKING));
    }
    tell_engine(out);
done:
    return status;
}

int session_agree(session *w, int status)
{
    bool alone = false;
    if (w->settled || pith_ctx_processes(w->ctx) == 1)
        return status;
    const int speaker = pith_ctx_settle(w->ctx, &status, &alone);
    w->settled = status != DONE;
    if (speaker == pith_ctx_process(w->ctx))
        say_held();
    if (alone)
        pith_ctx_end(w->ctx, status);
    return status;
}

int session_end(session *w, int status)
{
    const int agreed = session_agree(w, status);
    session_close(w);
    return agreed;
}

/* -v: how much did not fit into memory. */
static void tell_scratch(const session *w)
{
    const int64_t bytes = pith_ctx_scratch_bytes(w->ctx);
    if (w->s->verbose && bytes > 0)
        note("%.1f %s did not fit into memory and went to files in %s",
             (double)bytes * (bytes < 1000000000 ? 1e-6 : 1e-9), bytes < 1000000000 ? "MB" : "GB",
             pith_ctx_scratch(w->ctx));
}

void session_close(session *w)
{
    progress_clear();
    tell_scratch(w);
    pith_result_free(w->result);
    pith_params_free(w->params);
    pith_matrix_free(w->matrix);
    pith_matrix_free(w->part);
    pith_ctx_free(w->alone);
    pith_ctx_free(w->ctx);
}

static bool begins_with_file(const char *message, const char *path)
{
    const size_t length = path != NULL ? strlen(path) : 0;
    return length > 0 && strncmp(message, path, length) == 0 && message[length] == ':';
}

/* Does the message begin with the name of a file that an option named? */
static bool is_about_option(const session *w, const char *message)
{
    for (size_t i = 0; i < w->s->n_parameters; i++)
        if (begins_with_file(message, w->s->parameters[i].value))
            return true;
    return begins_with_file(message, w->s->resume) || begins_with_file(message, w->s->batch);
}

/* What to add to a message about a name that the library does not know and that resembles none it does. */
static const char *where_names_are(const char *message)
{
    if (strstr(message, "did you mean") != NULL)
        return "";
    return strncmp(message, "unknown step '", 14) == 0          ? "; 'pith prep --help' lists them"
           : strncmp(message, "no method is called '", 21) == 0 ? "; 'pith methods' lists them"
                                                                : "";
}

int session_status(const session *w, pith_status st, activity what)
{
    const int stop = stop_asked();
    if (reader_is_gone())
        return st == PITH_OK && what == WRITING ? DONE : FAILED;
    if (st == PITH_E_STOPPED || (st == PITH_OK && what != WRITING && stop != DONE)) {
        /* mpirun stops all processes when one has failed; that one has said why. */
        if (pith_ctx_processes(w->ctx) == 1 || !parent_asked())
            complain("stopped");
        return stop != DONE ? stop : FAILED;
    }
    if (st == PITH_OK)
        return DONE;
    const char *message = pith_ctx_message(w->ctx);
    message = message[0] != '\0' ? message : pith_strerror(st);
    if (st == PITH_E_PARAMETER && strstr(message, "parameter 'memory'") != NULL)
        complain("%s; a limit of memory needs a unit, such as --memory 10GB", message);
    else if (st == PITH_E_DATA && what == WORKING && w->path != NULL &&
             !is_about_option(w, message)) /* a method does not know the file */
        complain("%s: %s", w->path, message);
    else
        complain("%s%s", message, where_names_are(message));
    switch (st) {
    case PITH_E_ARGUMENT:
    case PITH_E_PARAMETER: return USAGE;
    case PITH_E_DATA: return UNFIT;
    case PITH_E_FILE: return what == WRITING ? FAILED : UNFIT;
    default: return FAILED;
    }
}

int unknown_method(const char *name)
{
    const char *names[256] = {"auto"};
    const pith_method *m;
    for (size_t i = 0; i + 2 < sizeof names / sizeof *names && (m = pith_method_at(i)) != NULL; i++)
        names[i + 1] = pith_method_name(m);
    const char *near = pith_nearest(name, names);
    if (near != NULL)
        complain("unknown method '%s'; did you mean '%s'?", name, near);
    else
        complain("unknown method '%s'; 'pith methods' lists them", name);
    return USAGE;
}

bool method_has(const pith_method *m, const char *parameter)
{
    const pith_param *p;
    for (size_t k = 0; (p = pith_method_param(m, k)) != NULL; k++)
        if (strcmp(p->name, parameter) == 0)
            return true;
    return false;
}

/* A shared parameter that this method does not use: its value is checked anyway, by a method that has it. */
static int check_unused(session *w, const pith_method *method, const assignment *a)
{
    const pith_method *other;
    pith_params *params = NULL;
    size_t i = 0;
    while ((other = pith_method_at(i)) != NULL && !method_has(other, a->name))
        i++;
    pith_status st = pith_params_new(w->ctx, other, &params);
    if (st == PITH_OK)
        st = pith_params_set(w->ctx, params, a->name, a->value);
    pith_params_free(params);
    const int status = session_status(w, st, READING); /* it may be a file */
    char *shown = swapped(a->name, '_', '-');
    if (status == DONE && !w->s->quiet)
        note("%s does not use --%s; it has no effect", pith_method_name(method), shown);
    free(shown);
    return status;
}

int read_image_shape(const settings *s, int64_t *rows, int64_t *cols)
{
    char *end = NULL;
    *rows = *cols = 0;
    if (s->image_shape == NULL)
        return DONE;
    *rows = strtoll(s->image_shape, &end, 10);
    if (end != s->image_shape && (*end == 'x' || *end == 'X')) {
        const char *second = end + 1;
        *cols = strtoll(second, &end, 10);
        if (end != second && *end == '\0' && *rows > 0 && *cols > 0)
            return DONE;
    }
    complain("--image-shape: HEIGHTxWIDTH expected, such as 32x32, not '%s'", s->image_shape);
    return USAGE;
}

int read_image_tree(const settings *s, char text[IMAGE_TREE])
{
    int64_t rows = 0, cols = 0;
    const int status = read_image_shape(s, &rows, &cols);
    text[0] = '\0';
    for (size_t i = 0; i < s->n_parameters; i++)
        if (strcmp(s->parameters[i].name, "tree") == 0)
            return status;
    if (status == DONE && rows > 0)
        (void)snprintf(text, IMAGE_TREE, "auto:%lldx%lld%s%s", (long long)rows, (long long)cols,
                       s->image_order != NULL ? ":" : "", s->image_order != NULL ? s->image_order : "");
    return status;
}

/* The shape of an image is used by methods that have a tree over the features. */
static int set_image_tree(session *w, const pith_method *method)
{
    char text[IMAGE_TREE];
    int status = DONE;
    STEP(read_image_tree(w->s, text));
    if (w->s->image_shape != NULL && !method_has(method, "tree") && !w->s->quiet)
        note("%s does not use --image-shape; it has no effect", pith_method_name(method));
    if (text[0] != '\0' && method_has(method, "tree"))
        STEP(session_status(w, pith_params_set(w->ctx, w->params, "tree", text), READING));
done:
    return status;
}

static int set_parameters(session *w, const pith_method *method)
{
    int status = DONE;
    STEP(session_status(w, pith_params_new(w->ctx, method, &w->params), WORKING));
    for (size_t i = 0; i < w->s->n_parameters; i++) {
        const assignment *a = &w->s->parameters[i];
        if (!method_has(method, a->name) && may_be_unused(a->name))
            STEP(check_unused(w, method, a));
        else
            STEP(session_status(w, pith_params_set(w->ctx, w->params, a->name, a->value), READING));
    }
    STEP(set_image_tree(w, method));
    STEP(session_status(w, pith_params_set_batch_graph(w->ctx, w->params, w->s->batch_graph), WORKING));
done:
    return status;
}

/* The library would say so too, but only after the data has been read. */
static int check_spreads(const session *w, const pith_method *method)
{
    const int processes = pith_ctx_processes(w->ctx);
    if (processes == 1 || (method != NULL && pith_method_spreads(method)))
        return DONE;
    if (method != NULL)
        complain(
            "%s needs all samples in one process, but engine %s spreads them over %d: use another method "
            "(see 'pith methods'), or one process",
            pith_method_name(method), pith_ctx_engine(w->ctx), processes);
    else
        complain("method auto needs all samples in one process, but engine %s spreads them over %d: choose a "
                 "method with -m",
                 pith_ctx_engine(w->ctx), processes);
    return USAGE;
}

int session_method(session *w)
{
    int status = DONE;
    const pith_method *method = pith_method_find(w->s->method);
    const bool automatic = strcmp(w->s->method, "auto") == 0;
    if (method == NULL && !automatic)
        return unknown_method(w->s->method);
    STEP(check_spreads(w, automatic ? NULL : method));
    if (!automatic)
        STEP(set_parameters(w, method));
done:
    return status;
}

static int choose_method(session *w)
{
    const pith_method *method = NULL;
    const char *why = "";
    const int status = session_status(w, pith_method_auto(w->ctx, w->matrix, &method, &why), WORKING);
    if (status != DONE)
        return status;
    if (!w->s->quiet)
        note("using the method %s: %s", pith_method_name(method), why);
    const int set = set_parameters(w, method);
    if (set == DONE)
        pith_params_by_auto(w->params);
    return set;
}

static pith_answer answer_of(const char *word)
{
    return word == NULL ? PITH_AUTO : strcmp(word, "yes") == 0 ? PITH_YES : PITH_NO;
}

/* One character, or its name: a shell makes some of them hard to type. 0: none. */
static char separator_of(const char *word)
{
    static const char *const names[] = {"tab", "\\t", "comma", "semicolon", "pipe", "blank", "space"};
    static const char meant[] = "\t\t,;|  ";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], word) == 0)
            return meant[i];
    return word[0] != '\0' && word[1] == '\0' ? word[0] : '\0';
}

static pith_read_options read_options(const settings *s, pith_missing standard)
{
    static const char *const words[] = {"error", "drop-rows", "mean", "zero"};
    pith_read_options options = {.var = s->var,
                                 .labels = s->labels,
                                 .batch = s->batch,
                                 .no_labels = s->no_labels,
                                 .missing = standard,
                                 .sep = s->sep != NULL ? separator_of(s->sep) : '\0',
                                 .decimal = s->decimal != NULL ? s->decimal[0] : '\0',
                                 .header = answer_of(s->header),
                                 .row_names = answer_of(s->row_names),
                                 .transpose = s->transpose};
    for (size_t i = 0; s->missing != NULL && i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], s->missing) == 0)
            options.missing = (pith_missing)i;
    return options;
}

/* -v: the shape, of what this process holds where several share the samples. */
static void tell_shape(const session *w)
{
    const int processes = pith_ctx_processes(w->ctx);
    char where[64] = "";
    if (processes > 1)
        (void)snprintf(where, sizeof where, " in process %d of %d", pith_ctx_process(w->ctx), processes);
    note("%s: %lld samples%s, %lld features, %s", w->path, (long long)pith_matrix_rows(w->matrix), where,
         (long long)pith_matrix_cols(w->matrix), pith_matrix_is_sparse(w->matrix) ? "sparse" : "dense");
}

int session_read(session *w, const char *path, pith_missing standard)
{
    pith_read_options options = read_options(w->s, standard);
    options.keep_columns = w->keep_columns;
    options.streamed = w->streamed;
    options.spread = w->spread;
    w->path = path;
    if (w->s->sep != NULL && options.sep == '\0') {
        complain("--sep: one character, 'tab' or 'blank' expected, not '%s'", w->s->sep);
        return USAGE;
    }
    const int status = session_status(w, pith_matrix_read(w->ctx, path, &options, &w->matrix), READING);
    if (status == DONE && w->s->verbose)
        tell_shape(w);
    if (status == DONE && !w->s->quiet && pith_matrix_reading(w->matrix) != NULL)
        note_if_done("%s: %s", path, pith_matrix_reading(w->matrix));
    return status;
}

static void tell_documents(const session *w)
{
    if (w->s->verbose)
        note("%s: %lld documents, %lld words after %s", w->path, (long long)pith_matrix_rows(w->matrix),
             (long long)pith_matrix_cols(w->matrix), pith_matrix_steps(w->matrix));
}

int session_documents(session *w, int files, const char *const *paths, const char *steps)
{
    const pith_read_options options = read_options(w->s, PITH_MISSING_ERROR);
    w->path = paths[0];
    const int status =
        session_status(w, pith_prep_read_files(w->ctx, files, paths, steps, &options, &w->matrix), READING);
    if (status == DONE)
        tell_documents(w);
    return status;
}

/* What --prep auto means for this data and for the method that is run; compare and prep have no method. */
static int settle_steps(session *w, const char **steps)
{
    const pith_method *method = w->params != NULL ? pith_params_method(w->params) : NULL;
    const char *why = "";
    int status = DONE;
    if (w->s->method != NULL && strcmp(w->s->method, "auto") == 0)
        STEP(session_status(w, pith_method_auto(w->ctx, w->matrix, &method, &why), WORKING));
    STEP(session_status(w, pith_prep_auto(w->ctx, w->matrix, method, steps), WORKING));
    if (!w->s->quiet)
        note("prep auto: %s", *steps == NULL ? "the data is used as it is"
                              : strncmp(*steps, "log10", 5) == 0
                                  ? "values become logarithms of equal quantiles, with means removed"
                              : strncmp(*steps, "size", 4) == 0
                                  ? "values become ln(1 + values per 10,000), at the same depth"
                                  : "counts become ln(1 + counts per 10,000)");
done:
    return status;
}

int session_prepared(session *w, const char *path, const char *steps)
{
    const pith_read_options options = read_options(w->s, PITH_MISSING_ERROR);
    pith_matrix *made = NULL;
    int status = DONE;
    if (steps != NULL)
        STEP(session_status(w, pith_prep_check(w->ctx, steps), WORKING));
    if (steps != NULL && pith_prep_reads_text(path, steps)) {
        progress_up_to(0.2);
        STEP(session_status(w, pith_prep_read(w->ctx, path, steps, &options, &w->matrix), READING));
        w->path = path;
        tell_documents(w);
        return DONE;
    }
    progress_up_to(0.1);             /* the run itself takes longest */
    w->keep_columns = steps == NULL; /* a preparation makes another table */
    STEP(session_read(w, path, PITH_MISSING_ERROR));
    if (steps != NULL && strcmp(steps, "auto") == 0)
        STEP(settle_steps(w, &steps));
    progress_up_to(0.2);
    if (steps == NULL)
        return DONE;
    STEP(session_status(w, pith_prep(w->ctx, w->matrix, steps, &made), WORKING));
    if (w->s->verbose)
        note("%lld of %lld samples and %lld of %lld features are left", (long long)pith_matrix_rows(made),
             (long long)pith_matrix_rows(w->matrix), (long long)pith_matrix_cols(made),
             (long long)pith_matrix_cols(w->matrix));
    pith_matrix_free(w->matrix);
    w->matrix = made;
done:
    return status;
}

int session_whole(session *w, const char *path, const char *steps)
{
    session alone = {.s = w->s, .params = w->params};
    int status = DONE;
    if (pith_ctx_processes(w->ctx) == 1)
        return DONE;
    w->part = w->matrix;
    w->matrix = NULL;
    if (!is_speaker())
        return DONE;
    status = new_context(&alone);
    w->alone = alone.ctx;
    if (status == DONE)
        status = session_prepared(&alone, path, steps);
    w->matrix = alone.matrix;
    return status;
}

session session_alone(const session *w)
{
    session alone = *w;
    alone.ctx = w->alone != NULL ? w->alone : w->ctx;
    return alone;
}

int session_count(session *w)
{
    const int64_t p = pith_matrix_cols(w->matrix);
    const int status = parse_count("features", w->s->features, 1, INT32_MAX, &w->count);
    if (status == DONE && w->count > p) {
        complain("-n %lld: more features than %s has%s: %lld", (long long)w->count, w->s->arguments[0],
                 w->s->prep != NULL ? " after --prep" : "", (long long)p);
        return USAGE;
    }
    return status;
}

/* --fdr is about q-values, which most methods give on demand only. */
static int ask_for_evidence(session *w)
{
    char asked[32] = "";
    (void)pith_params_get(w->ctx, w->params, "evidence", asked, sizeof asked);
    if (strcmp(asked, "none") == 0) {
        complain("--fdr needs evidence: remove --evidence none");
        return USAGE;
    }
    return strcmp(asked, "auto") != 0
               ? DONE
               : session_status(w, pith_params_set(w->ctx, w->params, "evidence", "groups"), WORKING);
}

int session_run(session *w)
{
    int status = DONE;
    if (w->params == NULL)
        STEP(choose_method(w));
    if (w->count > 0)
        STEP(session_status(w, pith_params_set_counts(w->ctx, w->params, 1, &w->count), WORKING));
    if (w->keep)
        pith_params_want_keep(w->params);
    if (w->s->fdr > 0)
        STEP(ask_for_evidence(w));
    STEP(session_forecast(w));
    progress_up_to(1);
    STEP(session_status(w, pith_run(w->ctx, w->matrix, w->params, &w->result), WORKING));
    session_tell(w);
done:
    return status;
}

/* The evidence, in one line. */
static void tell_evidence(const session *w)
{
    const pith_evidence *e = pith_result_evidence(w->result);
    char text[PITH_EVIDENCE_TEXT];
    if (e != NULL)
        note("%s", pith_evidence_text(e, text, sizeof text));
}

/* Appends "constant (f3, f17, f40)" to the line; of many features, only the first ones. */
static void list_unscored(const session *w, const char *reason, char *line, size_t size)
{
    enum { SHOWN = 5 };
    int64_t found = 0;
    size_t used = strlen(line);
    used += (size_t)snprintf(line + used, size - used, "%s%s (", line[0] != '\0' ? "; " : "", reason);
    for (int64_t j = 0; j < pith_result_features(w->result); j++) {
        const char *why = pith_result_reason(w->result, j), *name = pith_matrix_feature_name(w->matrix, j);
        if (why == NULL || strcmp(why, reason) != 0 || found++ >= SHOWN || used >= size)
            continue;
        char made[24];
        (void)snprintf(made, sizeof made, "f%lld", (long long)j);
        used += (size_t)snprintf(line + used, size - used, "%s%.100s", found > 1 ? ", " : "",
                                 name != NULL ? name : made);
    }
    if (used < size && found > SHOWN)
        used += (size_t)snprintf(line + used, size - used, " and %lld more", (long long)(found - SHOWN));
    if (used < size)
        (void)snprintf(line + used, size - used, ")");
}

/* The library proposes prep auto, which cannot follow other steps: there, the recipe that does the same. What
 * the evidence says has been told already. */
static void tell_warning(const settings *s, const char *warning)
{
    static const char automatic[] = "prep auto takes";
    char text[2000], steps[1000] = "auto";
    (void)snprintf(text, sizeof text, "%s", warning);
    char *told = strstr(text, "no feature stands out from chance");
    if (told != NULL)
        *(told == text ? told : told - strlen("; ")) = '\0';
    if (text[0] == '\0')
        return;
    char *at = strstr(text, automatic);
    if (at == NULL) {
        note("warning: %s", text);
        return;
    }
    *at = '\0';
    const char *takes = at + sizeof automatic - 1;
    if (s->prep != NULL)
        (void)snprintf(steps, sizeof steps, "%s,%s", s->prep,
                       strcmp(takes, " their logarithms") == 0 ? "microarray" : "counts");
    note("warning: %s--prep %s takes%s", text, steps, takes);
}

/* One line on all features without a score, and why; then the result's own warning, unless no feature has a
 * score: it would say the same. */
static void tell_doubts(const session *w)
{
    const int64_t p = pith_result_features(w->result);
    const char *seen[16];
    char line[2000] = "";
    int64_t unscored = 0;
    size_t reasons = 0;
    for (int64_t j = 0; j < p; j++) {
        const char *why = pith_result_reason(w->result, j);
        size_t r = 0;
        unscored += why != NULL;
        while (why != NULL && r < reasons && strcmp(seen[r], why) != 0)
            r++;
        if (why == NULL || r < reasons || reasons == sizeof seen / sizeof *seen)
            continue;
        seen[reasons++] = why;
        list_unscored(w, why, line, sizeof line);
    }
    if (unscored == p)
        note("warning: no feature has a score, so the ranking is meaningless: %s", line);
    else if (unscored > 0)
        note("%lld of %lld features %s no score: %s", (long long)unscored, (long long)p,
             unscored == 1 ? "has" : "have", line);
    const char *warning = pith_result_warning(w->result);
    if (unscored < p && warning != NULL)
        tell_warning(w->s, warning);
}

/* "auto", or with what is known already, as "auto:32x32". */
static bool is_auto_word(const char *text)
{
    return strncmp(text, "auto", 4) == 0 && (text[4] == '\0' || text[4] == ':');
}

/* Says what pith chose for a parameter that was left to it, and why. */
static void tell_choice(const session *w, const char *name, const char *became)
{
    char labels[4096] = "";
    if (strcmp(name, "clusters") == 0) {
        if (method_has(pith_params_method(w->params), "init_labels"))
            (void)pith_params_get(w->ctx, w->params, "init_labels", labels, sizeof labels);
        note("using %s clusters (%s)", became,
             labels[0] != '\0' ? "as many as the initial labels have" : "largest gap between eigenvalues");
    } else if (strcmp(name, "tree") == 0) {
        note("using the tree %s (%s)", became,
             strncmp(became, "grid:", 5) == 0 ? "the features are pixels of an image"
             : strcmp(became, "wordnet") == 0 ? "most feature names are words in WordNet"
                                              : "features grouped by similarity");
    } else {
        note("using %s = %s (chosen automatically)", name, became);
    }
}

/* A measured fact may have the name of a parameter, as recall does. */
static bool is_param(const pith_method *method, const char *name)
{
    const pith_param *p = NULL;
    for (size_t k = 0; (p = pith_method_param(method, k)) != NULL; k++)
        if (strcmp(p->name, name) == 0)
            return true;
    return false;
}

void session_tell(const session *w)
{
    const pith_params *ran = pith_result_params(w->result);
    const pith_method *method = pith_params_method(ran);
    const pith_param *p;
    for (size_t k = 0; !w->s->quiet && (p = pith_method_param(method, k)) != NULL; k++) {
        char asked[4096] = "", became[4096] = "";
        (void)pith_params_get(w->ctx, w->params, p->name, asked, sizeof asked);
        (void)pith_params_get(w->ctx, ran, p->name, became, sizeof became);
        const bool chosen = is_auto_word(asked) && strcmp(became, asked) != 0;
        if (chosen && (p->type != PITH_CHOICE || w->s->verbose))
            tell_choice(w, p->name, became);
        else if (w->s->verbose && became[0] != '\0')
            note("%s: %s", p->name, became);
    }
    if (!w->s->quiet && pith_result_note(w->result) != NULL)
        note("%s", pith_result_note(w->result));
    if (!w->s->quiet) {
        tell_evidence(w);
        tell_doubts(w);
    }
    if (!w->s->verbose)
        return;
    const char *fact;
    double value = 0;
    for (size_t i = 0; (fact = pith_result_fact(w->result, i, &value)) != NULL; i++)
        note("%s%s: %g", is_param(method, fact) ? "measured " : "", fact, value);
    note("%s took %.2f s and %.1f MB beyond the data", pith_method_name(method),
         pith_result_seconds(w->result), (double)pith_result_peak_bytes(w->result) / 1e6);
}

const char *file_of(const char *path)
{
    return path == NULL || strcmp(path, "-") == 0 ? NULL : path;
}

bool has_ending(const char *path, const char *ending)
{
    const size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && strcasecmp(path + length - tail, ending) == 0;
}

/* First the folder, for a message that names it; then all that the library checks. */
static int check_output(session *w, const char *path, const char *ending)
{
    struct stat place;
    if (file_of(path) == NULL || !is_speaker())
        return DONE;
    char *folder = take_copy(path);
    char *slash = strrchr(folder, '/');
    const char *where = slash == NULL ? "." : slash == folder ? "/" : folder;
    if (slash != NULL && slash != folder)
        *slash = '\0';
    int status = DONE;
    if (stat(where, &place) != 0 || !S_ISDIR(place.st_mode)) {
        complain("%s: cannot be written: there is no folder %s", path, where);
        status = FAILED;
    }
    free(folder);
    return status != DONE ? status : session_status(w, pith_output_check(w->ctx, path, ending), WRITING);
}

int check_place(session *w, const char *path)
{
    return check_output(w, path, NULL);
}

/* A path for pith_outputs_spare. */
static const char *place_of(const char *path)
{
    return file_of(path) != NULL ? path : "/dev/stdout";
}

static int tell_spared(session *w, const char *const *inputs, const char *const *outputs)
{
    const pith_status st = pith_outputs_spare(w->ctx, inputs, outputs);
    if (st != PITH_E_ARGUMENT)
        return session_status(w, st, WRITING);
    complain("%s; choose another name, or use --force", pith_ctx_message(w->ctx));
    return USAGE;
}

int check_spared(session *w, int n, const char *const *data, const char *output, const char *report)
{
    const settings *s = w->s;
    const char *const outputs[] = {place_of(output), report, NULL}, *const resumed[] = {s->resume, NULL};
    if (s->force || !is_speaker())
        return DONE;
    const char **inputs = take(((size_t)n + 2 * s->n_parameters + 3) * sizeof *inputs);
    char **files = take((s->n_parameters + 1) * sizeof *files);
    size_t count = 0;
    for (int i = 0; i < n; i++)
        inputs[count++] = data[i];
    for (size_t i = 0; i < s->n_parameters; i++) { /* those that are paths: --tree, --graph FILE:KEY */
        files[i] = take_copy(s->parameters[i].value);
        char *colon = strrchr(files[i], ':');
        if (colon != NULL)
            *colon = '\0';
        inputs[count++] = s->parameters[i].value;
        inputs[count++] = files[i];
    }
    if (s->labels != NULL)
        inputs[count++] = s->labels;
    if (s->batch != NULL)
        inputs[count++] = s->batch;
    inputs[count] = NULL;
    int status = tell_spared(w, inputs, outputs);
    for (size_t i = 0; i < s->n_parameters; i++)
        free(files[i]);
    free(files);
    free(inputs);
    if (status == DONE && report != NULL) /* the output itself may be what is resumed */
        status = tell_spared(w, resumed, outputs + 1);
    return status;
}

/* ".csv" for "csv". */
static const char *ending_of(const char *format)
{
    return format != NULL && strcmp(format, "tsv") == 0 ? ".tsv" : ".csv";
}

static void list_endings(char *list, size_t size)
{
    const char *endings, *name;
    list[0] = '\0';
    for (size_t i = 0; (endings = pith_format_endings(i, &name)) != NULL; i++)
        (void)snprintf(list + strlen(list), size - strlen(list), "%s%s", i > 0 ? " " : "", endings);
}

/* From the last dot on: enough to recognise formats that cannot be written to a pipe. */
static const char *path_ending(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL ? dot : "";
}

int check_table_output(session *w, const char *path, const char *format)
{
    char list[512];
    if (file_of(path) == NULL)
        return DONE;
    if (format == NULL && !pith_path_is_known(path)) {
        list_endings(list, sizeof list);
        complain("%s: unknown ending; the ending selects the format: %s", path, list);
        return USAGE;
    }
    if (format != NULL && pith_path_is_known(path) && !has_ending(path, ending_of(format))) {
        complain("%s: the ending contradicts --format %s", path, format);
        return USAGE;
    }
    return check_output(w, path, format == NULL ? path_ending(path) : NULL);
}

int session_write_table(session *w, const pith_matrix *m, const char *path)
{
    const char *file = file_of(path);
    pith_status st = PITH_OK;
    if (file == NULL || w->s->format != NULL)
        st = pith_matrix_write_as(w->ctx, m, file, ending_of(w->s->format));
    else if (w->path != NULL)
        st = pith_matrix_write_with(w->ctx, m, w->path, file);
    else
        st = pith_matrix_write(w->ctx, m, file);
    return session_status(w, st, WRITING);
}

int session_write_parts(session *w, const pith_matrix *m, const char *path, bool *written)
{
    *written = false;
    if (pith_ctx_processes(w->ctx) == 1 || file_of(path) == NULL || w->s->format != NULL ||
        !pith_path_takes_parts(path))
        return DONE;
    return session_status(w, pith_matrix_write_parts(w->ctx, m, path, written), WRITING);
}
