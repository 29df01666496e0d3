#include "io/sidecars.h"

#include "io/cursor.h"
#include "io/deflate.h"
#include "io/sink.h"

#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const pith_i_sidecars_written[] = {".cols", ".rows", ".classes", NULL};
const char *const pith_i_sidecars_read[] = {".terms", ".docs", ".cols", ".rows", ".classes", NULL};

char *pith_i_sidecar_path(pith_ctx *ctx, const char *path, const char *ending)
{
    size_t length = strlen(path);
    if (length > 3 && strcasecmp(path + length - 3, ".gz") == 0)
        length -= 3;
    if (length > 4 && strncasecmp(path + length - 4, ".mtx", 4) == 0)
        length -= 4;
    char *beside = pith_i_alloc(ctx, (int64_t)(length + strlen(ending) + 1), 1);
    if (beside != NULL) {
        memcpy(beside, path, length);
        memcpy(beside + length, ending, strlen(ending) + 1);
    }
    return beside;
}

/* Is `word` one of the words of the text? */
static bool lists(const char *text, int64_t length, const char *word)
{
    pith_i_cursor c = {.from = text, .to = text + length};
    const char *at;
    while (c.from < c.to && pith_i_is_space(*c.from))
        c.from++;
    for (int64_t size; (size = pith_i_next_word(&c, &at)) > 0;)
        if ((size_t)size == strlen(word) && memcmp(at, word, (size_t)size) == 0)
            return true;
    return false;
}

bool pith_i_sidecar_is_own(const char *path, const char *ending)
{
    char head[512];
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) /* a pipe would wait for its writer */
        return false;
    head[pith_i_gunzip_head(path, head, sizeof head - 1)] = '\0';
    const char *said = strstr(head, "\n" PITH_I_SIDECARS);
    if (said == NULL)
        return false;
    said += strlen("\n" PITH_I_SIDECARS);
    return lists(said, (int64_t)strcspn(said, "\n"), ending);
}

static pith_status load_one(pith_ctx *ctx, const char *path, const char *ending, bool quoted,
                            pith_i_sidecar *out)
{
    pith_status st = PITH_OK;
    char *beside = pith_i_sidecar_path(ctx, path, ending);
    if (beside == NULL)
        return PITH_E_NOMEM;
    if (access(beside, F_OK) != 0)
        goto done;
    TRY(pith_i_bytes_load(ctx, beside, &out->bytes));
    TRY(pith_i_lines(ctx, &out->bytes, quoted, &out->count, &out->fields));
    out->path = beside;
    beside = NULL;
done:
    pith_i_free(beside);
    return st;
}

pith_status pith_i_sidecars_load(pith_ctx *ctx, const char *path, const char *own, int64_t own_length,
                                 bool no_labels, pith_i_sidecars *out)
{
    pith_status st = PITH_OK;
    if (own == NULL) {
        TRY(load_one(ctx, path, ".terms", false, &out->features));
        out->terms = out->features.path != NULL;
        TRY(load_one(ctx, path, ".docs", false, &out->samples));
    }
    if (out->features.path == NULL && (own == NULL || lists(own, own_length, ".cols")))
        TRY(load_one(ctx, path, ".cols", own != NULL, &out->features));
    if (out->samples.path == NULL && (own == NULL || lists(own, own_length, ".rows")))
        TRY(load_one(ctx, path, ".rows", own != NULL, &out->samples));
    if (!no_labels && (own == NULL || lists(own, own_length, ".classes")))
        TRY(load_one(ctx, path, ".classes", own != NULL, &out->labels));
done:
    return st;
}

void pith_i_sidecars_free(pith_i_sidecars *s)
{
    pith_i_sidecar *all[] = {&s->features, &s->samples, &s->labels};
    for (size_t i = 0; i < COUNT(all); i++) {
        pith_i_free(all[i]->path);
        pith_i_bytes_free(&all[i]->bytes);
        *all[i] = (pith_i_sidecar){0};
    }
}

static pith_status count_must_be(pith_ctx *ctx, const pith_i_sidecar *s, int64_t want, const char *what,
                                 const char *path)
{
    if (s->count == want)
        return PITH_OK;
    return pith_i_error(ctx, PITH_E_DATA, "%s: %lld lines for the %lld %s of %s", s->path,
                        (long long)s->count, (long long)want, what, path);
}

/* ---- Labels as the BBC collections have them ------------------------------------------------------ */

/* "%Clusters 3 cricket,rugby,tennis": the names of classes 0, 1, 2 into `names`; their number, or 0. */
static int64_t class_names(const pith_i_field *line, int64_t most, pith_i_field *names)
{
    static const pith_i_dialect commas = {.delimiter = ','};
    pith_i_cursor c = {.from = line->at, .to = line->at + line->length};
    const char *word;
    int64_t count = 0, found = 0;
    const int64_t length = pith_i_next_word(&c, &word);
    if (length != 9 || strncasecmp(word, "%Clusters", 9) != 0 || !pith_i_next_integer(&c, &count) ||
        count > most || count != pith_i_field_count(&commas, c.from, c.to))
        return 0;
    for (const char *at = c.from; at != NULL;)
        at = pith_i_field_next(&commas, at, c.to, &names[found++]);
    return found;
}

/* "12 3": document 12 is of class 3. */
static bool pair_of(const pith_i_field *line, int64_t *doc, pith_i_field *klass)
{
    pith_i_cursor c = {.from = line->at, .to = line->at + line->length};
    if (!pith_i_next_integer(&c, doc))
        return false;
    klass->length = pith_i_next_word(&c, &klass->at);
    return klass->length > 0 && c.from == c.to;
}

/*
 * If every line is a pair and the documents are 0..n-1 or 1..n in any order, the labels are the classes,
 * each at its document; else every line is a label as it is. `placed` has n zeroed fields.
 */
static bool place_pairs(const pith_i_field *lines, int64_t n, pith_i_field *placed)
{
    int64_t doc = 0, base = 1;
    pith_i_field klass = {0};
    for (int64_t i = 0; i < n; i++) {
        if (!pair_of(&lines[i], &doc, &klass))
            return false;
        base = doc == 0 ? 0 : base;
    }
    for (int64_t i = 0; i < n; i++) {
        (void)pair_of(&lines[i], &doc, &klass);
        if (doc - base >= n || placed[doc - base].at != NULL)
            return false;
        placed[doc - base] = klass;
    }
    return true;
}

/* Drops comments, places pairs, and replaces class numbers by their names if a comment tells them. */
static pith_status read_classes(pith_ctx *ctx, pith_i_sidecar *s)
{
    pith_i_field *names = NULL, *placed = NULL;
    pith_status st = PITH_OK;
    int64_t n = 0, classes = 0, most = 1;
    for (int64_t i = 0; i < s->count; i++)
        for (int64_t b = 0; s->fields[i].length > 0 && s->fields[i].at[0] == '%' && b < s->fields[i].length;
             b++)
            most += s->fields[i].at[b] == ',';
    TRY(SCRATCH(ctx, names, most));
    for (int64_t i = 0; i < s->count; i++) {
        const pith_i_field *line = &s->fields[i];
        if (line->length == 0 || line->at[0] != '%')
            s->fields[n++] = *line;
        else if (classes == 0)
            classes = class_names(line, most, names);
    }
    s->count = n;
    TRY(SCRATCH_ZERO(ctx, placed, n));
    if (place_pairs(s->fields, n, placed))
        s->fields = placed;
    for (int64_t i = 0; i < n; i++) {
        pith_i_cursor c = {.from = s->fields[i].at, .to = s->fields[i].at + s->fields[i].length};
        int64_t k = 0;
        if (pith_i_next_integer(&c, &k) && c.from == c.to && k < classes)
            s->fields[i] = names[k];
    }
done:
    return st;
}

/* ---- Into the matrix ------------------------------------------------------------------------------- */

pith_status pith_i_sidecars_take(pith_ctx *ctx, const char *path, const pith_i_sidecars *s, bool own,
                                 pith_matrix *m)
{
    pith_i_names labels = {0};
    pith_status st = PITH_OK;
    if (s->features.path != NULL) {
        TRY(count_must_be(ctx, &s->features, m->data.p, "columns", path));
        TRY(pith_i_names_of_fields(ctx, s->features.path, m->data.p, s->features.fields, &m->features));
    }
    if (s->samples.path != NULL) {
        TRY(count_must_be(ctx, &s->samples, m->data.n, "rows", path));
        TRY(pith_i_names_of_fields(ctx, s->samples.path, m->data.n, s->samples.fields, &m->samples));
    }
    if (s->labels.path != NULL) {
        pith_i_sidecar classes = s->labels;
        if (!own)
            TRY(read_classes(ctx, &classes));
        TRY(count_must_be(ctx, &classes, m->data.n, "rows", path));
        TRY(pith_i_names_of_fields(ctx, classes.path, m->data.n, classes.fields, &labels));
        TRY(pith_i_matrix_label(ctx, m, &labels));
    }
done:
    pith_i_names_free(&labels);
    return st;
}

/* ---- Writing --------------------------------------------------------------------------------------- */

/* Text i of the features, samples or labels. */
static const char *text_of(const pith_matrix *m, int which, int64_t i)
{
    return which == 0   ? pith_i_name(&m->features, i)
           : which == 1 ? pith_i_name(&m->samples, i)
                        : pith_i_label_text(m, i);
}

static bool is_needed(const pith_matrix *m, int which)
{
    return which == 0 ? m->features.start != NULL : which == 1 ? m->samples.start != NULL : m->label != NULL;
}

const char *pith_i_sidecars_needed(const pith_matrix *m, char text[32])
{
    text[0] = '\0';
    for (int which = 0; which < 3; which++)
        if (is_needed(m, which)) {
            strcat(text, " ");
            strcat(text, pith_i_sidecars_written[which]);
        }
    return text[0] != '\0' ? text : strcpy(text, " none");
}

pith_status pith_i_sidecars_write(pith_ctx *ctx, const pith_matrix *m, const char *path,
                                  pith_i_sidecar_files *out)
{
    pith_i_sink sink = {0};
    char *beside = NULL;
    pith_status st = PITH_OK;
    for (int which = 0; which < 3; which++) {
        if (!is_needed(m, which))
            continue;
        beside = pith_i_sidecar_path(ctx, path, pith_i_sidecars_written[which]);
        TRY(beside != NULL ? PITH_OK : PITH_E_NOMEM);
        TRY(pith_i_file_create(ctx, beside, &out->file[which]));
        TRY(pith_i_sink_open(ctx, &out->file[which], &sink));
        for (int64_t i = 0; i < (which == 0 ? m->data.p : m->data.n); i++) {
            pith_i_sink_text(&sink, text_of(m, which, i), "");
            pith_i_sink_string(&sink, "\n");
        }
        TRY(pith_i_sink_finish(&sink));
        pith_i_sink_free(&sink);
        pith_i_free(beside);
        beside = NULL;
    }
done:
    pith_i_sink_free(&sink);
    pith_i_free(beside);
    return st;
}

pith_status pith_i_sidecars_commit(pith_ctx *ctx, pith_i_sidecar_files *files)
{
    pith_status st = PITH_OK;
    for (int which = 0; which < 3; which++)
        if (files->file[which].stream != NULL)
            TRY(pith_i_file_commit(ctx, &files->file[which]));
done:
    return st;
}

void pith_i_sidecars_discard(pith_i_sidecar_files *files)
{
    for (int which = 0; which < 3; which++)
        pith_i_file_discard(&files->file[which]);
}
