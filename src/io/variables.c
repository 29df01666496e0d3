#include "io/variables.h"

#include "core/number.h"
#include "io/io.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const pith_i_usual_labels[] = {"Y", "gnd", "label", NULL};

const char *pith_i_printable(const char *name, char *text, size_t size)
{
    size_t at = 0;
    for (; name[at] != '\0' && at + 1 < size; at++)
        text[at] = (unsigned char)name[at] < 32 || name[at] == 127 ? '?' : name[at];
    text[at] = '\0';
    return text;
}

pith_status pith_i_check_shape(pith_ctx *ctx, const char *where, int64_t n, int64_t p)
{
    if (n < 1 || p < 1)
        return pith_i_error(ctx, PITH_E_DATA, "%s: is empty: %lld x %lld", where, (long long)n, (long long)p);
    if (p > INT32_MAX)
        return pith_i_error(ctx, PITH_E_DATA, "%s: %lld columns are too many: at most %d are allowed", where,
                            (long long)p, INT32_MAX);
    return PITH_OK;
}

/* "X (double 72 x 7129), Y (uint8 72 x 1) and 3 more" */
static const char *list(const pith_i_variable *vars, int64_t count, char *text, size_t size)
{
    enum { MOST = 8 };
    char name[64];
    size_t at = 0;
    text[0] = '\0';
    for (int64_t v = 0; v < count && v < MOST && at + 128 < size; v++)
        at += (size_t)snprintf(text + at, size - at, "%s%s (%s %lld x %lld%s)", v > 0 ? ", " : "",
                               pith_i_printable(vars[v].name, name, sizeof name), vars[v].type,
                               (long long)vars[v].rows, (long long)vars[v].cols,
                               vars[v].rank > 2 ? " x ..." : "");
    if (count > MOST)
        (void)snprintf(text + at, size - at, " and %lld more", (long long)count - MOST);
    return text;
}

static int64_t find(const pith_i_variable *vars, int64_t count, const char *name)
{
    for (int64_t v = 0; v < count; v++)
        if (strcmp(vars[v].name, name) == 0)
            return v;
    return -1;
}

static bool is_matrix(const pith_i_variable *v)
{
    return v->is_number && v->rank == 2;
}

pith_status pith_i_no_variable(pith_ctx *ctx, const char *path, const pith_i_variable *vars, int64_t count,
                               const char *name, const char *what)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const char *nearest = NULL;
    const char **words = NULL;
    char all[600], near[64], hint[96] = "";
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, words, count + 1));
    for (int64_t v = 0; v < count; v++)
        words[v] = vars[v].name;
    nearest = pith_nearest(name, words);
    if (nearest != NULL)
        (void)snprintf(hint, sizeof hint, "; did you mean %s?", pith_i_printable(nearest, near, sizeof near));
    st = pith_i_error(ctx, PITH_E_DATA, "%s: no %s %s%s It holds %s", path, what, name,
                      nearest != NULL ? hint : ".",
                      count > 0 ? list(vars, count, all, sizeof all) : "nothing");
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status wanted_matrix(pith_ctx *ctx, const char *path, const pith_i_variable *vars, int64_t count,
                                 const char *name, int64_t *chosen)
{
    const int64_t v = find(vars, count, name);
    if (v < 0)
        return pith_i_no_variable(ctx, path, vars, count, name, "variable");
    if (!is_matrix(&vars[v]))
        return pith_i_error(ctx, PITH_E_DATA, "%s: %s is not a matrix of real numbers but a %s%s", path, name,
                            vars[v].rank != 2 && vars[v].is_number ? "number array of another rank: " : "",
                            vars[v].type);
    *chosen = v;
    return PITH_OK;
}

pith_status pith_i_choose_matrix(pith_ctx *ctx, const char *path, const pith_i_variable *vars, int64_t count,
                                 const pith_read_options *options, const char *const *usual, int64_t *chosen)
{
    char all[600];
    int64_t only[2] = {-1, -1}, many[2] = {0, 0}; /* without vectors; with them */
    if (options->var != NULL)
        return wanted_matrix(ctx, path, vars, count, options->var, chosen);
    for (size_t u = 0; usual[u] != NULL; u++) {
        const int64_t v = find(vars, count, usual[u]);
        if (v >= 0 && is_matrix(&vars[v])) {
            *chosen = v;
            return PITH_OK;
        }
    }
    for (int64_t v = 0; v < count; v++)
        for (int kind = 0; kind < 2; kind++)
            if (is_matrix(&vars[v]) && (kind == 1 || (vars[v].rows > 1 && vars[v].cols > 1))) {
                only[kind] = v;
                many[kind]++;
            }
    *chosen = many[0] == 1 ? only[0] : only[1];
    if (many[0] == 1 || (many[0] == 0 && many[1] == 1))
        return PITH_OK;
    if (many[1] == 0)
        return pith_i_error(ctx, PITH_E_DATA, "%s: holds no matrix of real numbers, only %s", path,
                            count > 0 ? list(vars, count, all, sizeof all) : "nothing");
    return pith_i_error(ctx, PITH_E_DATA, "%s: which variable is the matrix? Choose with --var from %s", path,
                        list(vars, count, all, sizeof all));
}

/* Vectors are n x 1, 1 x n or of one dimension; 1 x 1 is a vector of one. */
static bool is_vector(const pith_i_variable *v, int64_t n)
{
    return (v->rank == 1 && v->rows == n) ||
           (v->rank == 2 && ((v->rows == n && v->cols == 1) || (v->rows == 1 && v->cols == n)));
}

pith_status pith_i_choose_labels(pith_ctx *ctx, const char *path, const pith_i_variable *vars, int64_t count,
                                 const pith_read_options *options, int64_t matrix, int64_t n, int64_t *chosen)
{
    const char *const one[] = {options->labels, NULL};
    const char *const *names = options->labels != NULL ? one : pith_i_usual_labels;
    int64_t v = -1;
    *chosen = -1;
    if (options->no_labels)
        return PITH_OK;
    for (size_t u = 0; names[u] != NULL && (v < 0 || v == matrix); u++)
        v = find(vars, count, names[u]);
    if (v < 0 && options->labels != NULL)
        return pith_i_no_variable(ctx, path, vars, count, options->labels, "label variable");
    if (v < 0 || (v == matrix && options->labels == NULL))
        return PITH_OK;
    if (!(vars[v].is_number || vars[v].is_text) || !is_vector(&vars[v], n))
        return pith_i_error(ctx, PITH_E_DATA,
                            "%s: the labels %s are a %s of %lld x %lld where a vector of %lld is needed; "
                            "choose others with --labels, or ignore them with --no-labels",
                            path, vars[v].name, vars[v].type, (long long)vars[v].rows,
                            (long long)vars[v].cols, (long long)n);
    *chosen = v;
    return PITH_OK;
}

pith_status pith_i_find_names(pith_ctx *ctx, const char *path, const pith_i_variable *vars, int64_t count,
                              const char *name, int64_t n, int64_t *chosen)
{
    *chosen = find(vars, count, name);
    if (*chosen < 0)
        return PITH_OK;
    const pith_i_variable *v = &vars[*chosen];
    if (!v->is_text) {
        *chosen = -1;
        return PITH_OK;
    }
    if (!is_vector(v, n))
        return pith_i_error(ctx, PITH_E_DATA, "%s: %s holds %lld x %lld names where %lld are needed", path,
                            name, (long long)v->rows, (long long)v->cols, (long long)n);
    return PITH_OK;
}

/* Variable v as labels; it is a vector of numbers or texts. */
static pith_status label_by(pith_i_container *c, int64_t v, pith_matrix *out)
{
    const size_t mark = pith_i_scratch_mark(c->ctx);
    pith_status st = PITH_OK;
    pith_i_names labels = {0};
    double *values = NULL;
    if (c->vars[v].is_text) {
        TRY(c->texts(c, v, &labels));
        TRY(pith_i_matrix_label(c->ctx, out, &labels));
    } else {
        TRY(SCRATCH(c->ctx, values, out->data.n));
        TRY(c->numbers(c, v, values));
        TRY(pith_i_label_numbers(c->ctx, out, values));
    }
done:
    pith_i_names_free(&labels);
    pith_i_scratch_release(c->ctx, mark);
    return st;
}

static pith_status read_labels(pith_i_container *c, const pith_read_options *options, int64_t matrix,
                               pith_matrix *out)
{
    int64_t v = -1;
    const pith_status st =
        pith_i_choose_labels(c->ctx, c->path, c->vars, c->count, options, matrix, out->data.n, &v);
    return st == PITH_OK && v >= 0 ? label_by(c, v, out) : st;
}

static pith_status read_batches(pith_i_container *c, const char *name, pith_matrix *out)
{
    pith_matrix *labelled = NULL;
    const char *where = NULL;
    pith_status st = PITH_OK;
    if (name == NULL)
        return PITH_OK;
    const int64_t v = find(c->vars, c->count, name);
    if (v < 0)
        return pith_i_no_variable(c->ctx, c->path, c->vars, c->count, name, "batch variable");
    if (!(c->vars[v].is_number || c->vars[v].is_text) || !is_vector(&c->vars[v], out->data.n))
        return pith_i_error(c->ctx, PITH_E_DATA,
                            "%s: the batches %s are a %s of %lld x %lld where a vector of %lld is needed",
                            c->path, c->vars[v].name, c->vars[v].type, (long long)c->vars[v].rows,
                            (long long)c->vars[v].cols, (long long)out->data.n);
    const size_t mark = pith_i_scratch_mark(c->ctx);
    TRY(pith_i_where(c->ctx, c->path, name, &where));
    TRY(pith_i_matrix_new(c->ctx, &labelled));
    labelled->data.n = out->data.n;
    TRY(label_by(c, v, labelled));
    TRY(pith_i_matrix_batch_by(c->ctx, out, where, labelled));
done:
    pith_matrix_free(labelled);
    pith_i_scratch_release(c->ctx, mark);
    return st;
}

static pith_status read_names(pith_i_container *c, const char *name, int64_t count, pith_i_names *out)
{
    int64_t v = -1;
    const pith_status st = pith_i_find_names(c->ctx, c->path, c->vars, c->count, name, count, &v);
    return st == PITH_OK && v >= 0 ? c->texts(c, v, out) : st;
}

pith_status pith_i_read_labels_and_names(pith_i_container *c, const pith_read_options *options,
                                         int64_t matrix, pith_matrix *out)
{
    pith_status st = PITH_OK;
    TRY(read_labels(c, options, matrix, out));
    TRY(read_batches(c, options->batch, out));
    TRY(read_names(c, "feature_names", out->data.p, &out->features));
    TRY(read_names(c, "sample_names", out->data.n, &out->samples));
done:
    return st;
}

pith_status pith_i_read_variables(pith_i_container *c, const pith_read_options *options,
                                  const char *const *usual, pith_matrix *out)
{
    pith_status st = PITH_OK;
    int64_t v = -1;
    TRY(pith_i_choose_matrix(c->ctx, c->path, c->vars, c->count, options, usual, &v));
    TRY(c->matrix(c, v, &out->data));
    TRY(pith_i_read_labels_and_names(c, options, v, out));
done:
    return st;
}

pith_status pith_i_where(pith_ctx *ctx, const char *path, const char *name, const char **out)
{
    char shown[64], *text = NULL;
    const int64_t size = (int64_t)(strlen(path) + sizeof shown) + 2;
    const pith_status st = SCRATCH(ctx, text, size);
    if (st != PITH_OK)
        return st;
    (void)snprintf(text, (size_t)size, "%s: %s", path, pith_i_printable(name, shown, sizeof shown));
    *out = text;
    return PITH_OK;
}

static int print_label(double v, char text[32])
{
    if (v == floor(v) && fabs(v) <= 9007199254740992.0)
        return snprintf(text, 32, "%lld", (long long)v);
    return pith_i_print_double(v, text);
}

pith_status pith_i_label_numbers(pith_ctx *ctx, pith_matrix *m, const double *values)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = m->data.n;
    pith_i_names labels = {.count = n};
    pith_status st = PITH_OK;
    char(*text)[32] = NULL;
    const char **at = NULL;
    int64_t *length = NULL;
    TRY(SCRATCH(ctx, text, n));
    TRY(SCRATCH(ctx, at, n));
    TRY(SCRATCH(ctx, length, n));
    for (int64_t i = 0; i < n; i++) {
        at[i] = text[i];
        length[i] = print_label(values[i], text[i]);
    }
    TRY(pith_i_names_slices(ctx, n, at, length, &labels));
    TRY(pith_i_matrix_label(ctx, m, &labels));
done:
    pith_i_names_free(&labels);
    pith_i_scratch_release(ctx, mark);
    return st;
}

bool pith_i_classes_are_numbers(const pith_matrix *m, double *values)
{
    for (int64_t c = 0; c < m->classes.count; c++) {
        const char *name = pith_i_name(&m->classes, c), *end = name + strlen(name);
        char text[32];
        if (pith_i_scan_double(name, end, &values[c]) != end || !isfinite(values[c]))
            return false;
        text[print_label(values[c], text)] = '\0';
        if (strcmp(text, name) != 0)
            return false;
    }
    return true;
}
