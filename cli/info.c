/* pith info: what is in a file. */
#include "commands.h"
#include "print.h"
#include "progress.h"
#include "session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef const char *name_fn(const pith_matrix *m, int64_t i);

static void put_row(const char *what)
{
    (void)printf("  %-18s ", what);
}

/* In one line, whatever is in it: file names may hold newlines. */
static void put_name(const char *name)
{
    for (; *name != '\0'; name++)
        (void)putchar((unsigned char)*name < 32 || *name == 127 ? '?' : *name);
}

/* "f1, f2, f3, ... f34", or "none". */
static void put_names(const char *what, const pith_matrix *m, int64_t count, name_fn *name)
{
    enum { SHOWN = 3 };
    put_row(what);
    if (count == 0 || name(m, 0) == NULL) {
        (void)puts("none");
        return;
    }
    for (int64_t i = 0; i < count && i < SHOWN; i++) {
        (void)printf("%s", i > 0 ? ", " : "");
        put_name(name(m, i));
    }
    if (count > SHOWN) {
        (void)printf("%s", count > SHOWN + 1 ? ", ... " : ", ");
        put_name(name(m, count - 1));
    }
    (void)putchar('\n');
}

/* The samples of every class; the caller frees. */
static int64_t *class_sizes(const pith_matrix *m)
{
    const int32_t classes = pith_matrix_classes(m);
    int64_t *size = take((size_t)classes * sizeof *size);
    memset(size, 0, (size_t)classes * sizeof *size);
    for (int64_t i = 0; classes > 0 && i < pith_matrix_rows(m); i++)
        if (pith_matrix_label(m, i) >= 0)
            size[pith_matrix_label(m, i)]++;
    return size;
}

/* Samples without a label, in data that has labels. */
static int64_t unlabelled(const pith_matrix *m)
{
    int64_t count = 0;
    for (int64_t i = 0; pith_matrix_classes(m) > 0 && i < pith_matrix_rows(m); i++)
        count += pith_matrix_label(m, i) < 0;
    return count;
}

static void put_labels(const pith_matrix *m)
{
    enum { SHOWN = 12 };
    const int32_t classes = pith_matrix_classes(m);
    int64_t *size = class_sizes(m);
    put_row("labels");
    if (classes == 0)
        (void)printf("none");
    else
        (void)printf("%d class%s: ", classes, classes == 1 ? "" : "es");
    for (int32_t c = 0; c < classes && c < SHOWN; c++) {
        (void)printf("%s", c > 0 ? ", " : "");
        put_name(pith_matrix_class_name(m, c));
        (void)printf(" (%lld)", (long long)size[c]);
    }
    if (classes > SHOWN)
        (void)printf(", and %d more", classes - SHOWN);
    if (unlabelled(m) > 0)
        (void)printf("; %lld sample%s without a label", (long long)unlabelled(m),
                     unlabelled(m) == 1 ? "" : "s");
    (void)putchar('\n');
    free(size);
}

static double share_of(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

static void put_values(const pith_info *info)
{
    char lo[NUMBER_TEXT], hi[NUMBER_TEXT];
    put_row("values");
    if (!(info->min <= info->max))
        (void)puts("none is finite");
    else
        (void)printf("%s to %s, %s\n", number_text(info->min, lo), number_text(info->max, hi),
                     info->integers ? "whole numbers" : "real numbers");
}

static const char *const scale_words[] = {[PITH_SCALE_UNKNOWN] = "unknown",
                                          [PITH_SCALE_COUNTS] = "counts",
                                          [PITH_SCALE_NORMALISED] = "normalised",
                                          [PITH_SCALE_LOGGED] = "logged",
                                          [PITH_SCALE_ROOTS] = "roots"};

/* The scale of the values, as far as it can be told: "ln(1 + counts per 10000)". */
static void put_scale(const pith_info *info)
{
    char base[NUMBER_TEXT];
    const bool logged = info->scale == PITH_SCALE_LOGGED;
    put_row("scale");
    if (info->scale != PITH_SCALE_NORMALISED && !logged) {
        (void)puts(info->scale == PITH_SCALE_UNKNOWN ? "unknown"
                   : info->scale == PITH_SCALE_ROOTS ? "square roots of counts"
                   : info->counts                    ? "raw counts"
                                                     : "whole numbers");
        return;
    }
    if (logged)
        (void)printf("%s%s(1 + ", info->log_base == 2 || info->log_base == 10 ? "log" : "ln",
                     info->log_base == 2 || info->log_base == 10 ? number_text(info->log_base, base) : "");
    if (isnan(info->row_sum))
        (void)printf("normalised counts");
    else
        (void)printf("counts per %.7g", info->row_sum);
    (void)puts(logged ? ")" : "");
}

/* Where --prep auto takes logarithms of what is not counts. */
static void put_span(const pith_info *info)
{
    if (!info->unlogged)
        return;
    put_row("span");
    (void)puts("orders of magnitude, as reads and intensities have: --prep auto takes their logarithms");
}

static void put_text(const pith_matrix *m, const pith_info *info, const char *path)
{
    const double cells = (double)info->rows * (double)info->cols;
    (void)printf("%s\n", path);
    put_row("samples");
    (void)printf("%lld\n", (long long)info->rows);
    put_row("features");
    (void)printf("%lld\n", (long long)info->cols);
    put_row("storage");
    (void)printf("%s, %s precision\n", pith_matrix_is_sparse(m) ? "sparse" : "dense",
                 pith_matrix_dtype(m) == PITH_F64 ? "double" : "single");
    put_row("density");
    (void)printf("%.6g %% (%lld nonzero values)\n", share_of((double)info->nonzeros, cells),
                 (long long)info->nonzeros);
    put_values(info);
    put_row("kind");
    (void)puts(info->counts ? "counts (nothing negative, fewer than half nonzero)" : "dense measurements");
    put_scale(info);
    put_span(info);
    put_row("missing values");
    (void)printf("%lld\n", (long long)info->nonfinite);
    put_row("constant features");
    (void)printf("%lld\n", (long long)info->constant_cols);
    put_row("empty samples");
    (void)printf("%lld\n", (long long)info->empty_rows);
    put_names("feature names", m, info->cols, pith_matrix_feature_name);
    put_names("sample names", m, info->rows, pith_matrix_sample_name);
    put_labels(m);
}

static void put_json_names(const char *key, const pith_matrix *m, int64_t count, name_fn *name)
{
    enum { SHOWN = 3 };
    (void)printf(",\"%s\":", key);
    if (count == 0 || name(m, 0) == NULL) {
        (void)printf("null");
        return;
    }
    for (int64_t i = 0; i < count && i < SHOWN; i++) {
        (void)putchar(i == 0 ? '[' : ',');
        put_json_text(stdout, name(m, i));
    }
    (void)putchar(']');
}

static const char *truth(bool is)
{
    return is ? "true" : "false";
}

static void put_json_labels(const pith_matrix *m)
{
    int64_t *size = class_sizes(m);
    (void)printf(",\"classes\":[");
    for (int32_t c = 0; c < pith_matrix_classes(m); c++) {
        (void)printf("%s{\"name\":", c > 0 ? "," : "");
        put_json_text(stdout, pith_matrix_class_name(m, c));
        (void)printf(",\"samples\":%lld}", (long long)size[c]);
    }
    (void)printf("],\"unlabelled\":%lld", (long long)unlabelled(m));
    free(size);
}

static void put_json(const pith_matrix *m, const pith_info *info, const char *path)
{
    (void)printf("{\"name\":");
    put_json_text(stdout, path);
    (void)printf(",\"samples\":%lld,\"features\":%lld,\"sparse\":%s,\"type\":\"%s\",\"stored\":%lld",
                 (long long)info->rows, (long long)info->cols, truth(pith_matrix_is_sparse(m)),
                 pith_matrix_dtype(m) == PITH_F64 ? "double" : "single", (long long)pith_matrix_stored(m));
    (void)printf(",\"nonzeros\":%lld,\"density\":", (long long)info->nonzeros);
    put_json_number(stdout, share_of((double)info->nonzeros, (double)info->rows * (double)info->cols) / 100);
    (void)printf(",\"min\":");
    put_json_number(stdout, info->min);
    (void)printf(",\"max\":");
    put_json_number(stdout, info->max);
    (void)printf(",\"integers\":%s,\"nonnegative\":%s,\"counts\":%s", truth(info->integers),
                 truth(info->nonnegative), truth(info->counts));
    (void)printf(",\"scale\":\"%s\",\"log_base\":", scale_words[info->scale]);
    put_json_number(stdout, info->log_base > 0 ? info->log_base : (double)NAN);
    (void)printf(",\"sample_sum\":");
    put_json_number(stdout, info->row_sum);
    (void)printf(",\"unlogged\":%s", truth(info->unlogged));
    (void)printf(",\"missing\":%lld,\"constant_features\":%lld,\"empty_samples\":%lld",
                 (long long)info->nonfinite, (long long)info->constant_cols, (long long)info->empty_rows);
    put_json_names("feature_names", m, info->cols, pith_matrix_feature_name);
    put_json_names("sample_names", m, info->rows, pith_matrix_sample_name);
    put_json_labels(m);
    (void)printf("}\n");
}

static int show_info(const settings *s)
{
    const char *path = s->arguments[0];
    pith_info info;
    session w;
    int status = DONE;
    STEP(session_open(s, &w));
    STEP(session_read(&w, path, PITH_MISSING_KEEP));
    STEP(session_status(&w, pith_matrix_info(w.ctx, w.matrix, &info), WORKING));
    progress_clear();
    if (s->json || strcmp(s->format, "json") == 0)
        put_json(w.matrix, &info, path);
    else
        put_text(w.matrix, &info, path);
done:
    session_close(&w);
    return status;
}

static const char *const missing_rules[] = {"error", "drop-rows", "mean", "zero", NULL};
static const option option_info_missing = {
    "missing",
    NULL,
    0,
    VALUE_CHOICE,
    offsetof(settings, missing),
    0,
    0,
    missing_rules,
    NULL,
    "what to do with values that are missing or not numbers (default: count them)"};

static const option *const options[] = {
    &option_text_format, &option_json,         &option_threads, SIZE_OPTIONS, &option_var, &option_labels,
    &option_no_labels,   &option_info_missing, TEXT_OPTIONS,    TALK_OPTIONS, NULL,
};

static const example examples[] = {
    {"pith info cells.h5ad", "what is in the file, before any method runs on it"},
    {"pith info table.csv --labels species --json", "the same in JSON, naming the label column"},
    {NULL, NULL},
};

const command command_info = {
    .name = "info",
    .arguments = "DATA",
    .purpose = "shows what is in a file: shape, values, names, missing values, labels",
    .about = "In JSON, feature_names and sample_names list the first three names.\n",
    .options = options,
    .examples = examples,
    .fewest = 1,
    .most = 1,
    .run = show_info,
};
