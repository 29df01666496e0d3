/*
 * MATLAB's version 7.3: HDF5. A full matrix is a dataset whose dimensions are turned round, because MATLAB
 * stores columns; a sparse one is a group of data, ir and jc with the attribute MATLAB_sparse, the number of
 * rows; texts are numbers of class char, cells are references to them.
 */
#include "io/hdf5.h"
#include "io/mat.h"
#include "io/text.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_VARIABLES = 4096 };

static const char *const sparse_parts[3] = {"data", "ir", "jc"};

typedef struct seen {
    char name[256], klass[32];
    bool sparse;
} seen;

typedef struct mat73 {
    pith_i_hdf5 f;
    seen *seen;
} mat73;

/* ---- What there is ------------------------------------------------------------------------------- */

static bool is_class(const char *klass, const char *name)
{
    return strcmp(klass, name) == 0;
}

/* Empty arrays are marked; their values are their dimensions. */
static bool is_empty(hid_t at)
{
    int64_t empty = 0;
    return pith_i_attribute_integers(at, "MATLAB_empty", 1, &empty) && empty != 0;
}

static void describe_dataset(mat73 *m, const char *name, seen *s, pith_i_variable *v)
{
    pith_i_dataset d;
    if (pith_i_dataset_open(&m->f, m->f.file, name, &d) == PITH_OK) {
        if (!pith_i_attribute_text(d.id, "MATLAB_class", s->klass, sizeof s->klass))
            (void)strcpy(s->klass, "array");
        const bool text = is_class(s->klass, "char"), cell = is_class(s->klass, "cell") && d.is_reference;
        v->rank = d.rank;
        v->rows = d.rank > 1 ? d.dims[1] : 1; /* turned round */
        v->cols = d.dims[0];
        v->is_number = d.element.kind != 0 && !text && !is_empty(d.id);
        v->is_text = (cell || text) && !is_empty(d.id);
        if (text)
            v->cols = 1;
    } else {
        (void)strcpy(s->klass, "unreadable");
    }
    pith_i_dataset_close(&d);
}

static void describe_group(mat73 *m, const char *name, seen *s, pith_i_variable *v)
{
    int64_t rows = 0;
    pith_i_dataset d;
    const hid_t g = H5Gopen2(m->f.file, name, H5P_DEFAULT);
    (void)strcpy(s->klass, "struct");
    if (g >= 0 && pith_i_attribute_integers(g, "MATLAB_sparse", 1, &rows)) {
        s->sparse = true;
        (void)strcpy(s->klass, "sparse");
        v->rank = 2;
        v->rows = rows;
        if (pith_i_dataset_open(&m->f, g, "jc", &d) == PITH_OK)
            v->cols = d.count - 1;
        v->is_number = v->cols >= 0;
        pith_i_dataset_close(&d);
    }
    if (g >= 0)
        (void)H5Gclose(g);
}

typedef struct listing {
    mat73 *m;
    pith_i_container *c;
} listing;

static herr_t add_variable(hid_t at, const char *name, const H5L_info_t *info, void *user)
{
    const listing *l = user;
    seen *s = &l->m->seen[l->c->count];
    pith_i_variable *v = &l->c->vars[l->c->count];
    (void)at;
    if (info->type != H5L_TYPE_HARD || name[0] == '#' || strlen(name) >= sizeof s->name)
        return 0; /* #refs# and #subsystem# are MATLAB's own */
    *s = (seen){0};
    (void)strcpy(s->name, name);
    *v = (pith_i_variable){.name = s->name, .type = s->klass};
    if (pith_i_hdf5_is_group(l->m->f.file, name))
        describe_group(l->m, name, s, v);
    else
        describe_dataset(l->m, name, s, v);
    l->c->count++;
    return l->c->count == MOST_VARIABLES;
}

/* ---- Its values ---------------------------------------------------------------------------------- */

static pith_status read_matrix(pith_i_container *c, int64_t k, pith_i_data *out)
{
    const mat73 *m = c->self;
    const pith_i_variable *v = &c->vars[k];
    pith_i_dataset d = {.id = -1};
    pith_status st = PITH_OK;
    if (m->seen[k].sparse)
        return pith_i_hdf5_sparse(&m->f, m->f.file, v->name, sparse_parts, true, v->rows, v->cols, out);
    TRY(pith_i_dataset_open(&m->f, m->f.file, v->name, &d));
    TRY(pith_i_dataset_matrix(&m->f, &d, true, pith_i_element_dtype(d.element), out));
done:
    pith_i_dataset_close(&d);
    return st;
}

static pith_status read_numbers(pith_i_container *c, int64_t k, double *out)
{
    const mat73 *m = c->self;
    pith_i_dataset d = {.id = -1};
    pith_status st = PITH_OK;
    if (m->seen[k].sparse)
        FAIL(c->ctx, PITH_E_DATA, "%s: %s: sparse labels: save them full", c->path, c->vars[k].name);
    TRY(pith_i_dataset_open(&m->f, m->f.file, c->vars[k].name, &d));
    TRY(pith_i_dataset_check(&m->f, &d));
    TRY(pith_i_dataset_read(&m->f, &d, H5T_NATIVE_DOUBLE, out));
done:
    pith_i_dataset_close(&d);
    return st;
}

/* Characters of a char array in scratch: 16-bit units. */
static pith_status read_units(const mat73 *m, const pith_i_dataset *d, uint32_t **out)
{
    pith_status st = PITH_OK;
    if (d->element.kind != 'u' || d->rank > 2)
        FAIL(m->f.ctx, PITH_E_DATA, "%s: %s is no text", m->f.path, d->name);
    TRY(pith_i_dataset_check(&m->f, d));
    TRY(SCRATCH(m->f.ctx, *out, d->count));
    TRY(pith_i_dataset_read(&m->f, d, H5T_NATIVE_UINT32, *out));
done:
    return st;
}

/* The text behind a reference. */
static pith_status read_cell(const mat73 *m, hobj_ref_t ref, const char *name, pith_i_text_list *list)
{
    const size_t mark = pith_i_scratch_mark(m->f.ctx);
    pith_i_dataset d = {.id = -1};
    pith_status st = PITH_OK;
    uint32_t *units = NULL;
    char *text = NULL;
    int64_t length = 0;
    TRY(pith_i_dataset_adopt(&m->f, pith_i_hdf5_follow(&m->f, ref), name, &d));
    if (!is_empty(d.id)) {
        TRY(read_units(m, &d, &units));
        TRY(SCRATCH(m->f.ctx, text, 4 * d.count));
        length = pith_i_mat_text(units, d.count, 1, text);
    }
    st = pith_i_text_list_add(m->f.ctx, list, length > 0 ? text : "", length);
    if (st == PITH_E_DATA)
        FAIL(m->f.ctx, PITH_E_DATA, "%s: %s: holds more text than the file has bytes", m->f.path, name);
done:
    pith_i_dataset_close(&d);
    pith_i_scratch_release(m->f.ctx, mark);
    return st;
}

static pith_status read_cells(const mat73 *m, const pith_i_dataset *d, pith_i_names *out)
{
    const size_t mark = pith_i_scratch_mark(m->f.ctx);
    pith_i_text_list list = {0};
    pith_status st = PITH_OK;
    hobj_ref_t *refs = NULL;
    TRY(pith_i_dataset_check(&m->f, d));
    TRY(SCRATCH(m->f.ctx, refs, d->count));
    TRY(pith_i_dataset_read(&m->f, d, H5T_STD_REF_OBJ, refs));
    /* Cells may all refer to one long text: 16 bits make 3 bytes at most. */
    TRY(pith_i_text_list_new(m->f.ctx, d->count, 2 * m->f.size + d->count, &list));
    for (int64_t k = 0; k < d->count; k++)
        TRY(read_cell(m, refs[k], d->name, &list));
    *out = list.names;
    list = (pith_i_text_list){0};
done:
    pith_i_text_list_free(&list);
    pith_i_scratch_release(m->f.ctx, mark);
    return st;
}

static pith_status read_texts(pith_i_container *c, int64_t k, pith_i_names *out)
{
    const size_t mark = pith_i_scratch_mark(c->ctx);
    const mat73 *m = c->self;
    pith_i_dataset d = {.id = -1};
    pith_status st = PITH_OK;
    uint32_t *units = NULL;
    TRY(pith_i_dataset_open(&m->f, m->f.file, c->vars[k].name, &d));
    if (d.is_reference) {
        TRY(read_cells(m, &d, out));
    } else {
        TRY(read_units(m, &d, &units));
        TRY(pith_i_mat_char_rows(c->ctx, d.dims[1], d.dims[0], units, out));
    }
done:
    pith_i_dataset_close(&d);
    pith_i_scratch_release(c->ctx, mark);
    return st;
}

pith_status pith_i_mat73_read(pith_ctx *ctx, const char *path, const pith_i_bytes *bytes,
                              const pith_read_options *options, const char *const *usual, pith_matrix *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_container c = {
        .ctx = ctx, .path = path, .matrix = read_matrix, .numbers = read_numbers, .texts = read_texts};
    pith_i_hdf5_guard guard;
    pith_status st = PITH_OK;
    mat73 m = {.f = {.file = -1}};
    listing l = {&m, &c};
    pith_i_hdf5_enter(&guard);
    c.self = &m;
    TRY(pith_i_hdf5_open(ctx, path, bytes, &m.f));
    TRY(SCRATCH(ctx, m.seen, MOST_VARIABLES));
    TRY(SCRATCH(ctx, c.vars, MOST_VARIABLES));
    if (H5Literate(m.f.file, H5_INDEX_NAME, H5_ITER_INC, NULL, add_variable, &l) < 0)
        FAIL(ctx, PITH_E_DATA, "%s: damaged MATLAB file: its variables cannot be listed", path);
    TRY(pith_i_read_variables(&c, options, usual, out));
done:
    pith_i_hdf5_close(&m.f);
    pith_i_hdf5_leave(&guard);
    pith_i_scratch_release(ctx, mark);
    return st;
}
