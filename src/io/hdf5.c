#include "io/hdf5.h"

#include "io/assemble.h"
#include "io/text.h"
#include "io/variables.h"

#include <inttypes.h>
#include <string.h>

bool pith_i_hdf5_is(const pith_i_bytes *bytes)
{
    static const char signature[] = "\x89HDF\r\n\x1a\n";
    const int64_t size = sizeof signature - 1;
    return (bytes->size >= size && memcmp(bytes->at, signature, sizeof signature - 1) == 0) ||
           (bytes->size >= 512 + size && memcmp(bytes->at + 512, signature, sizeof signature - 1) == 0);
}

/* ---- Finding things ------------------------------------------------------------------------------ */

/* Puts the name into the request. False: it is too long, and the object counts as absent. */
static bool name_fits(pith_i_hdf5_request *q, const char *name)
{
    const size_t length = strlen(name);
    if (length >= sizeof q->name)
        return false;
    memcpy(q->name, name, length + 1);
    return true;
}

static pith_status ask_name(pith_i_hdf5 *f, pith_i_hdf5_op op, int64_t at, const char *name, int64_t count,
                            pith_i_hdf5_reply *r)
{
    pith_i_hdf5_request q = {.op = op, .id = at, .count = count};
    *r = (pith_i_hdf5_reply){.problem = PITH_I_HDF5_ABSENT, .id = -1};
    return name_fits(&q, name) ? pith_i_hdf5_ask(f, &q, r) : PITH_OK;
}

pith_status pith_i_hdf5_kind(pith_i_hdf5 *f, int64_t at, const char *path, int32_t *kind)
{
    pith_i_hdf5_reply r;
    const pith_status st = ask_name(f, PITH_I_HDF5_KIND, at, path, 0, &r);
    *kind = r.kind;
    return st;
}

pith_status pith_i_hdf5_group(pith_i_hdf5 *f, int64_t at, const char *path, int64_t *id)
{
    pith_i_hdf5_reply r;
    pith_status st = PITH_OK;
    char shown[64];
    TRY(ask_name(f, PITH_I_HDF5_OPEN, at, path, 0, &r));
    if (r.kind != PITH_I_HDF5_GROUP || r.id <= 0)
        FAIL(f->ctx, PITH_E_DATA, "%s: %s: damaged", f->path, pith_i_printable(path, shown, sizeof shown));
    *id = r.id;
done:
    return st;
}

void pith_i_hdf5_release(pith_i_hdf5 *f, int64_t id)
{
    pith_i_hdf5_request q = {.op = PITH_I_HDF5_CLOSE, .id = id};
    pith_i_hdf5_reply r;
    char message[1024];
    if (id <= 0)
        return;
    /* Often called after a failure, whose message must be kept. */
    (void)snprintf(message, sizeof message, "%s", pith_ctx_message(f->ctx));
    const pith_status st = pith_i_hdf5_ask(f, &q, &r);
    if (st != PITH_OK && message[0] != '\0')
        (void)pith_i_error(f->ctx, st, "%s", message);
}

pith_status pith_i_hdf5_list(pith_i_hdf5 *f, int64_t group, int64_t most, const char ***names, bool **hard,
                             int64_t *count)
{
    pith_i_hdf5_request q = {.op = PITH_I_HDF5_LIST, .id = group};
    pith_i_hdf5_reply r;
    pith_status st = PITH_OK;
    char *copy = NULL;
    TRY(pith_i_hdf5_ask(f, &q, &r));
    if (r.problem != PITH_I_HDF5_FINE)
        FAIL(f->ctx, PITH_E_DATA, "%s: damaged: what it holds cannot be listed", f->path);
    if (r.count < 0 || f->window == NULL)
        TRY(pith_i_hdf5_failed(f));
    *count = r.count < most ? r.count : most;
    const char *at = f->window, *end = f->window + f->window_bytes;
    for (int64_t k = 0; k < *count; k++) { /* are all names complete? */
        const char *stop = end - at > 1 ? memchr(at + 1, '\0', (size_t)(end - at - 1)) : NULL;
        if (stop == NULL)
            TRY(pith_i_hdf5_failed(f));
        at = stop + 1;
    }
    TRY(SCRATCH(f->ctx, copy, at - f->window + 1));
    TRY(SCRATCH(f->ctx, *names, *count));
    TRY(SCRATCH(f->ctx, *hard, *count));
    memcpy(copy, f->window, (size_t)(at - f->window));
    for (int64_t k = 0; k < *count; k++) {
        (*hard)[k] = *copy != 0;
        (*names)[k] = copy + 1;
        copy += strlen(copy + 1) + 2;
    }
done:
    return st;
}

pith_status pith_i_attribute_exists(pith_i_hdf5 *f, int64_t at, const char *name, bool *found)
{
    pith_i_hdf5_reply r;
    const pith_status st = ask_name(f, PITH_I_HDF5_HAS_ATTRIBUTE, at, name, 0, &r);
    *found = r.problem == PITH_I_HDF5_FINE && r.count > 0;
    return st;
}

pith_status pith_i_attribute_text(pith_i_hdf5 *f, int64_t at, const char *name, char *text, size_t size,
                                  bool *found)
{
    pith_i_hdf5_reply r;
    const pith_status st = ask_name(f, PITH_I_HDF5_ATTRIBUTE_TEXT, at, name, 0, &r);
    *found = st == PITH_OK && r.problem == PITH_I_HDF5_FINE;
    (void)snprintf(text, size, "%s", *found ? r.text : "");
    return st;
}

pith_status pith_i_attribute_integers(pith_i_hdf5 *f, int64_t at, const char *name, int count, int64_t *out,
                                      bool *found)
{
    pith_i_hdf5_reply r;
    const pith_status st = ask_name(f, PITH_I_HDF5_ATTRIBUTE_INTEGERS, at, name, count, &r);
    *found = st == PITH_OK && r.problem == PITH_I_HDF5_FINE;
    for (int k = 0; k < count && *found; k++)
        out[k] = r.number[k];
    return st;
}

/* ---- Datasets ------------------------------------------------------------------------------------ */

static pith_status unfit(pith_i_hdf5 *f, const pith_i_dataset *d, const char *why)
{
    char name[64];
    return pith_i_error(f->ctx, PITH_E_DATA, "%s: %s: %s", f->path,
                        pith_i_printable(d->name, name, sizeof name), why);
}

pith_status pith_i_hdf5_explain(pith_i_hdf5 *f, const char *name_in_file, const pith_i_hdf5_reply *r)
{
    static const char *const words[] = {
        [PITH_I_HDF5_ABSENT] = "is not there",
        [PITH_I_HDF5_NO_ARRAY] = "is not an array, or is damaged",
        [PITH_I_HDF5_EMPTY] = "holds nothing",
        [PITH_I_HDF5_IMPOSSIBLE] = "claims an impossible size",
        [PITH_I_HDF5_ELSEWHERE] = "its values are stored in other files",
        [PITH_I_HDF5_DAMAGED] = "cannot be read: the file is damaged",
        [PITH_I_HDF5_NO_TEXTS] = "is not a list of text",
        [PITH_I_HDF5_OTHER_SHAPE] = "has changed its shape since it was read; was the file modified?",
        [PITH_I_HDF5_NO_COLUMN] =
            "is a column that pith cannot reduce to the selection; remove it from the table",
    };
    char name[64], shown[64], claim[32], stored[32];
    (void)pith_i_printable(name_in_file, name, sizeof name);
    if (r->problem == PITH_I_HDF5_FINE)
        return PITH_OK;
    if (r->problem == PITH_I_HDF5_UNFILLED)
        return pith_i_error(
            f->ctx, PITH_E_DATA,
            "%s: %s: claims %s but only %s are stored; the file is damaged or was never filled", f->path,
            name, pith_i_bytes_text(r->number[0], claim), pith_i_bytes_text(r->number[1], stored));
    if (r->problem == PITH_I_HDF5_FILTER)
        return pith_i_error(f->ctx, PITH_E_DATA,
                            "%s: %s: is compressed with the HDF5 filter %d%s%.31s%s, which is not installed; "
                            "install its plugin, or save the file with gzip compression",
                            f->path, name, (int)r->number[0], r->text[0] != '\0' ? " (" : "",
                            pith_i_printable(r->text, shown, sizeof shown), r->text[0] != '\0' ? ")" : "");
    if (r->problem < 0 || (size_t)r->problem >= COUNT(words) || words[r->problem] == NULL)
        return pith_i_hdf5_failed(f);
    return pith_i_error(f->ctx, PITH_E_DATA, "%s: %s: %s", f->path, name, words[r->problem]);
}

static pith_status explain(pith_i_hdf5 *f, const pith_i_dataset *d, const pith_i_hdf5_reply *r)
{
    return pith_i_hdf5_explain(f, d->name, r);
}

/* Takes the description of a dataset from a reply, after checking it. */
static pith_status adopt(pith_i_hdf5 *f, const pith_i_hdf5_reply *r, pith_i_dataset *out)
{
    pith_status st = PITH_OK;
    out->id = r->id > 0 ? r->id : -1;
    TRY(explain(f, out, r));
    if (r->kind != PITH_I_HDF5_DATASET || out->id < 0)
        TRY(unfit(f, out, "is not an array, or is damaged"));
    if (r->rank < 0 || r->rank > PITH_I_HDF5_RANK || r->bytes < 0 || r->chunk < 0)
        TRY(pith_i_hdf5_failed(f));
    out->element = (pith_i_element){(char)r->element, r->element_size, false};
    if (!pith_i_element_is_number(out->element))
        out->element.kind = 0;
    out->is_text = r->is_text != 0;
    out->is_reference = r->is_reference != 0;
    out->is_compound = r->is_compound != 0;
    out->is_categorical = r->is_categorical != 0;
    out->rank = r->rank;
    out->bytes = r->bytes;
    out->chunk = r->chunk;
    out->count = out->dims[0] = out->dims[1] = 1;
    for (int k = 0; k < r->rank; k++) {
        if (r->dims[k] < 0 || __builtin_mul_overflow(out->count, r->dims[k], &out->count))
            TRY(unfit(f, out, "claims an impossible size"));
        if (k < 2)
            out->dims[k] = r->dims[k];
    }
done:
    return st;
}

pith_status pith_i_dataset_open(pith_i_hdf5 *f, int64_t at, const char *path, pith_i_dataset *out)
{
    pith_i_hdf5_reply r;
    *out = (pith_i_dataset){.id = -1, .name = path};
    const pith_status st = ask_name(f, PITH_I_HDF5_OPEN, at, path, 0, &r);
    return st == PITH_OK ? adopt(f, &r, out) : st;
}

pith_status pith_i_dataset_follow(pith_i_hdf5 *f, int64_t at, const char *attribute, pith_i_dataset *out)
{
    pith_i_hdf5_reply r;
    *out = (pith_i_dataset){.id = -1, .name = attribute};
    const pith_status st = ask_name(f, PITH_I_HDF5_FOLLOW, at, attribute, 0, &r);
    return st == PITH_OK ? adopt(f, &r, out) : st;
}

pith_status pith_i_dataset_check(pith_i_hdf5 *f, const pith_i_dataset *d)
{
    pith_i_hdf5_request q = {.op = PITH_I_HDF5_CHECK, .id = d->id};
    pith_i_hdf5_reply r;
    pith_status st = PITH_OK;
    TRY(pith_i_hdf5_ask(f, &q, &r));
    TRY(explain(f, d, &r));
    if (d->count / PITH_I_HDF5_UNPACKED > f->size) /* no file can hold that, so the process did not check */
        TRY(pith_i_hdf5_failed(f));
done:
    return st;
}

void pith_i_dataset_close(pith_i_hdf5 *f, pith_i_dataset *d)
{
    pith_i_hdf5_release(f, d->id);
    d->id = -1;
}

/* ---- Numbers ------------------------------------------------------------------------------------- */

/* Called with `count` lines of a dataset from `first` on, while the process reads the next ones. */
typedef void take_fn(void *user, int64_t first, int64_t count, const char *lines);

static int64_t type_size(pith_i_hdf5_type type)
{
    return type == PITH_I_HDF5_F64 || type == PITH_I_HDF5_I64 ? 8 : 4;
}

/* Lines to read at once: as many as fit, in whole chunks if possible. */
static pith_status plan_pieces(pith_i_hdf5 *f, const pith_i_dataset *d, int64_t line, int64_t *half,
                               int64_t *step)
{
    const int64_t fit = line > 0 ? PITH_I_HDF5_HALF / line : d->dims[0];
    *step = fit < 1 ? 1 : fit;
    if (d->chunk > 0 && *step > d->chunk)
        *step -= *step % d->chunk;
    *half = line > PITH_I_HDF5_HALF ? line : PITH_I_HDF5_HALF;
    if (line > INT64_MAX / 4)
        return unfit(f, d, "claims an impossible size");
    return pith_i_hdf5_window(f, 2 * *half);
}

static pith_status read_pieces(pith_i_hdf5 *f, const pith_i_dataset *d, pith_i_hdf5_type type, take_fn *take,
                               void *user)
{
    const int64_t lines = d->rank > 0 ? d->dims[0] : 1, elements = lines > 0 ? d->count / lines : 0;
    pith_i_hdf5_request q = {.op = PITH_I_HDF5_READ, .type = type, .id = d->id};
    pith_i_hdf5_reply r;
    pith_status st = PITH_OK;
    int64_t half = 0, step = 0;
    if (elements > INT64_MAX / 8)
        return unfit(f, d, "claims an impossible size");
    TRY(plan_pieces(f, d, elements * type_size(type), &half, &step));
    f->total = lines;
    q.window = f->window_bytes;
    for (int64_t i = 0, half_used = 0; i - step < lines && lines > 0; i += step, half_used ^= 1) {
        if (i > 0) { /* the reply to the last request */
            TRY(pith_i_hdf5_receive(f, &r));
            TRY(explain(f, d, &r));
        }
        if (i < lines) {
            q.first = i;
            q.count = lines - i < step ? lines - i : step;
            q.from = half_used * half;
            q.to = q.from + half;
            TRY(pith_i_hdf5_send(f, &q));
        }
        if (i > 0) {
            take(user, i - step, lines - (i - step) < step ? lines - (i - step) : step,
                 f->window + (half_used ^ 1) * half);
            pith_i_touched(f->ctx, half);
        }
        f->done = i < lines ? i : lines;
    }
done:
    f->done = 0;
    f->total = 1;
    return st;
}

typedef struct copy {
    char *out;
    size_t line;
} copy;

static void take_copy(void *user, int64_t first, int64_t count, const char *lines)
{
    const copy *c = user;
    memcpy(c->out + (size_t)first * c->line, lines, (size_t)count * c->line);
}

pith_status pith_i_dataset_read(pith_i_hdf5 *f, const pith_i_dataset *d, pith_i_hdf5_type type, void *out)
{
    const int64_t lines = d->rank > 0 ? d->dims[0] : 1;
    copy c = {out, lines > 0 ? (size_t)(d->count / lines) * (size_t)type_size(type) : 0};
    return d->count > 0 ? read_pieces(f, d, type, take_copy, &c) : PITH_OK;
}

typedef struct transposing {
    pith_ctx *ctx;
    pith_dtype dtype;
    char *x;
    int64_t lines, line;
} transposing;

static void take_transposed(void *user, int64_t first, int64_t count, const char *lines)
{
    const transposing *t = user;
    const size_t size = pith_i_dtype_size(t->dtype);
    const pith_i_element element = {'f', (int)size, false};
    pith_i_elements_convert_columns(t->ctx, element, lines, t->line, count, t->dtype,
                                    t->x + (size_t)first * size, t->lines);
}

pith_status pith_i_dataset_matrix(pith_i_hdf5 *f, const pith_i_dataset *d, bool transposed, pith_dtype dtype,
                                  pith_i_data *out)
{
    const int64_t lines = d->dims[0], line = d->dims[1];
    const pith_i_hdf5_type type = dtype == PITH_F64 ? PITH_I_HDF5_F64 : PITH_I_HDF5_F32;
    pith_status st = PITH_OK;
    TRY(pith_i_dataset_check(f, d));
    TRY(pith_i_check_shape(f->ctx, f->path, transposed ? line : lines, transposed ? lines : line));
    TRY(pith_i_data_new_dense(f->ctx, transposed ? line : lines, transposed ? lines : line, dtype, out));
    transposing t = {f->ctx, dtype, pith_i_data_x(out), lines, line};
    if (transposed)
        TRY(read_pieces(f, d, type, take_transposed, &t));
    else
        TRY(pith_i_dataset_read(f, d, type, t.x));
done:
    return st;
}

/* ---- Texts --------------------------------------------------------------------------------------- */

/* The packed item at *at in the window, which moves past it. False: it exceeds the window. */
static bool next_item(const pith_i_hdf5 *f, int64_t *at, int64_t unit, uint32_t *length, const char **item)
{
    if (f->window_bytes - *at < (int64_t)sizeof *length)
        return false;
    memcpy(length, f->window + *at, sizeof *length);
    *item = f->window + *at + sizeof *length;
    *at += (int64_t)sizeof *length;
    if ((int64_t)*length > (f->window_bytes - *at) / unit)
        return false;
    *at += unit * *length;
    return true;
}

/* read_items asks for packed items until all have come, and passes each to `take`. */
typedef pith_status item_fn(void *user, const char *item, int64_t length);

static pith_status read_items(pith_i_hdf5 *f, const pith_i_dataset *d, pith_i_hdf5_request *q, int64_t unit,
                              item_fn *take, void *user)
{
    pith_i_hdf5_reply r;
    pith_status st = PITH_OK;
    const char *item = NULL;
    uint32_t length = 0;
    for (int64_t i = 0; i < d->count; i += r.count) {
        int64_t at = 0;
        q->first = i;
        q->count = d->count - i;
        TRY(pith_i_hdf5_ask(f, q, &r));
        TRY(explain(f, d, &r));
        if (r.count == 0)
            TRY(unfit(f, d, "holds a text that is too long"));
        if (r.count < 0 || r.count > q->count)
            TRY(pith_i_hdf5_failed(f));
        for (int64_t k = 0; k < r.count; k++) {
            if (!next_item(f, &at, unit, &length, &item))
                TRY(pith_i_hdf5_failed(f));
            TRY(take(user, item, length));
        }
    }
done:
    return st;
}

typedef struct text_taker {
    pith_i_hdf5 *f;
    const pith_i_dataset *d;
    pith_i_text_list *list;
} text_taker;

static pith_status take_text(void *user, const char *item, int64_t length)
{
    const text_taker *t = user;
    const pith_status st = pith_i_text_list_add(t->f->ctx, t->list, item, length);
    return st == PITH_E_DATA ? unfit(t->f, t->d, "holds more text than the file has bytes") : st;
}

/* Asks for no texts at all: the answer tells whether there are any. */
pith_status pith_i_dataset_has_texts(pith_i_hdf5 *f, const pith_i_dataset *d, const char *member, bool *found)
{
    pith_i_hdf5_request q = {.op = PITH_I_HDF5_TEXTS, .id = d->id};
    pith_i_hdf5_reply r;
    pith_status st = PITH_OK;
    *found = d->rank == 1 && name_fits(&q, member);
    if (!*found)
        return PITH_OK;
    TRY(pith_i_hdf5_ask(f, &q, &r));
    *found = r.problem != PITH_I_HDF5_NO_TEXTS;
    if (*found)
        TRY(explain(f, d, &r));
done:
    return st;
}

pith_status pith_i_dataset_texts(pith_i_hdf5 *f, const pith_i_dataset *d, const char *member,
                                 pith_i_names *out)
{
    pith_i_hdf5_request q = {.op = PITH_I_HDF5_TEXTS, .id = d->id};
    pith_status st = PITH_OK;
    pith_i_text_list list = {0};
    text_taker t = {f, d, &list};
    int64_t most = 0;
    if (d->rank != 1 || (member == NULL && !d->is_text) || (member != NULL && !name_fits(&q, member)))
        TRY(unfit(f, d, "is not a list of text"));
    TRY(pith_i_dataset_check(f, d));
    /* Texts of variable length may all point to one long text; those of fixed length are bounded by their
     * storage. */
    if (__builtin_mul_overflow(d->count, d->bytes, &most) ||
        __builtin_add_overflow(most, f->size + d->count, &most))
        most = INT64_MAX;
    TRY(pith_i_text_list_new(f->ctx, d->count, most, &list));
    TRY(read_items(f, d, &q, 1, take_text, &t));
    *out = list.names;
    list = (pith_i_text_list){0};
done:
    pith_i_text_list_free(&list);
    return st;
}

typedef struct cell_taker {
    pith_ctx *ctx;
    pith_i_cell_fn *take;
    void *user;
} cell_taker;

/* Copied, because the characters in the window may be unaligned. */
static pith_status take_cell(void *user, const char *item, int64_t length)
{
    const cell_taker *t = user;
    const size_t mark = pith_i_scratch_mark(t->ctx);
    pith_status st = PITH_OK;
    uint32_t *units = NULL;
    TRY(SCRATCH(t->ctx, units, length));
    memcpy(units, item, (size_t)length * sizeof *units);
    TRY(t->take(t->user, units, length));
done:
    pith_i_scratch_release(t->ctx, mark);
    return st;
}

pith_status pith_i_dataset_cells(pith_i_hdf5 *f, const pith_i_dataset *d, pith_i_cell_fn *take, void *user)
{
    pith_i_hdf5_request q = {.op = PITH_I_HDF5_CELLS, .id = d->id};
    cell_taker t = {f->ctx, take, user};
    const pith_status st = pith_i_dataset_check(f, d);
    return st == PITH_OK ? read_items(f, d, &q, sizeof(uint32_t), take_cell, &t) : st;
}

/* ---- Sparse matrices ----------------------------------------------------------------------------- */

pith_status pith_i_hdf5_sparse(pith_i_hdf5 *f, const char *group, const char *const arrays[3],
                               bool by_columns, int64_t n, int64_t p, pith_i_data *out)
{
    const size_t mark = pith_i_scratch_mark(f->ctx);
    pith_i_sparse s = {.n = n, .p = p, .by_columns = by_columns};
    pith_i_dataset d[3] = {{.id = -1}, {.id = -1}, {.id = -1}};
    pith_i_data X = {0};
    pith_status st = PITH_OK;
    int64_t g = -1;
    TRY(pith_i_hdf5_group(f, 0, group, &g));
    TRY(pith_i_where(f->ctx, f->path, group, &s.where));
    for (int k = 0; k < 3; k++) {
        TRY(pith_i_dataset_open(f, g, arrays[k], &d[k]));
        TRY(pith_i_dataset_check(f, &d[k]));
        if (d[k].rank != 1 || d[k].element.kind == 0 || (k > 0 && d[k].element.kind == 'f'))
            TRY(unfit(f, &d[k], k > 0 ? "is not a list of whole numbers" : "is not a list of real numbers"));
    }
    s.entries = d[0].count < d[1].count ? d[0].count : d[1].count;
    s.pointers = d[2].count;
    s.dtype = pith_i_element_dtype(d[0].element);
    if (d[0].count != d[1].count)
        FAIL(f->ctx, PITH_E_DATA, "%s: %" PRId64 " values for %" PRId64 " indices", s.where, d[0].count,
             d[1].count);
    TRY(pith_i_sparse_new(f->ctx, &s, s.entries, &X));
    TRY(pith_i_dataset_read(f, &d[2], PITH_I_HDF5_I64, pith_i_data_indptr(&X)));
    TRY(pith_i_dataset_read(f, &d[1], PITH_I_HDF5_I32, pith_i_data_indices(&X)));
    TRY(pith_i_dataset_read(f, &d[0], s.dtype == PITH_F64 ? PITH_I_HDF5_F64 : PITH_I_HDF5_F32,
                            pith_i_data_values(&X)));
    TRY(pith_i_sparse_finish(f->ctx, &s, &X, out));
done:
    pith_i_data_free(&X);
    for (int k = 0; k < 3; k++)
        pith_i_dataset_close(f, &d[k]);
    pith_i_hdf5_release(f, g);
    pith_i_scratch_release(f->ctx, mark);
    return st;
}
