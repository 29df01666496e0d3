/*
 * MATLAB's version 7.3: HDF5. A full matrix is a dataset with its dimensions reversed, because MATLAB stores
 * columns; a sparse one is a group of data, ir and jc with the attribute MATLAB_sparse, the number of rows;
 * texts are numbers of class char, cells are references to them.
 */
#include "io/hdf5.h"
#include "io/mat.h"
#include "io/text.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_VARIABLES = 4096 };

static const char *const sparse_arrays[3] = {"data", "ir", "jc"};

typedef struct mat73 {
    pith_i_hdf5 f;
    bool *sparse; /* of each variable */
} mat73;

/* ---- The variables ------------------------------------------------------------------------------- */

/* An empty array has this attribute, and its dimensions are stored as its values. */
static pith_status is_empty(pith_i_hdf5 *f, int64_t at, bool *empty)
{
    int64_t value = 0;
    const pith_status st = pith_i_attribute_integers(f, at, "MATLAB_empty", 1, &value, empty);
    *empty = *empty && value != 0;
    return st;
}

static pith_status describe_dataset(mat73 *m, pith_i_variable *v)
{
    pith_i_hdf5 *f = &m->f;
    pith_i_dataset d;
    pith_status st = PITH_OK;
    bool found = false, empty = false;
    char klass[32], *kept = NULL;
    st = pith_i_dataset_open(f, 0, v->name, &d);
    if (st == PITH_E_DATA) { /* other variables may be readable */
        v->type = "unreadable";
        st = PITH_OK;
        goto done;
    }
    TRY(st);
    TRY(pith_i_attribute_text(f, d.id, "MATLAB_class", klass, sizeof klass, &found));
    TRY(is_empty(f, d.id, &empty));
    TRY(SCRATCH(f->ctx, kept, sizeof klass));
    v->type = strcpy(kept, found ? klass : "array");
    const bool text = strcmp(v->type, "char") == 0, cell = strcmp(v->type, "cell") == 0 && d.is_reference;
    v->rank = d.rank;
    v->rows = d.rank > 1 ? d.dims[1] : 1; /* reversed */
    v->cols = text ? 1 : d.dims[0];
    v->is_number = d.element.kind != 0 && !text && !empty;
    v->is_text = (cell || text) && !empty;
done:
    pith_i_dataset_close(f, &d);
    return st;
}

static pith_status describe_group(mat73 *m, pith_i_variable *v, bool *sparse)
{
    int64_t rows = 0, g = -1;
    pith_i_dataset d = {.id = -1};
    pith_status st = PITH_OK;
    v->type = "struct";
    TRY(pith_i_hdf5_group(&m->f, 0, v->name, &g));
    TRY(pith_i_attribute_integers(&m->f, g, "MATLAB_sparse", 1, &rows, sparse));
    if (!*sparse)
        goto done;
    v->type = "sparse";
    v->rank = 2;
    v->rows = rows;
    st = pith_i_dataset_open(&m->f, g, "jc", &d);
    v->cols = st == PITH_OK ? d.count - 1 : -1;
    v->is_number = v->cols >= 0;
    if (st == PITH_E_DATA)
        st = PITH_OK;
done:
    pith_i_dataset_close(&m->f, &d);
    pith_i_hdf5_release(&m->f, g);
    return st;
}

static pith_status list_variables(mat73 *m, pith_i_container *c)
{
    pith_status st = PITH_OK;
    const char **names = NULL;
    bool *hard = NULL;
    int64_t count = 0;
    TRY(pith_i_hdf5_list(&m->f, 0, MOST_VARIABLES, &names, &hard, &count));
    TRY(SCRATCH_ZERO(c->ctx, m->sparse, count));
    TRY(SCRATCH(c->ctx, c->vars, count));
    for (int64_t k = 0; k < count; k++) {
        pith_i_variable *v = &c->vars[c->count];
        int32_t kind = PITH_I_HDF5_NONE;
        if (!hard[k] || names[k][0] == '#')
            continue; /* #refs# and #subsystem# are MATLAB's own */
        *v = (pith_i_variable){.name = names[k]};
        TRY(pith_i_hdf5_kind(&m->f, 0, v->name, &kind));
        TRY(kind == PITH_I_HDF5_GROUP ? describe_group(m, v, &m->sparse[c->count]) : describe_dataset(m, v));
        c->count++;
    }
done:
    return st;
}

/* ---- Its values ---------------------------------------------------------------------------------- */

static pith_status read_matrix(pith_i_container *c, int64_t k, pith_i_data *out)
{
    mat73 *m = c->self;
    const pith_i_variable *v = &c->vars[k];
    pith_i_dataset d = {.id = -1};
    pith_status st = PITH_OK;
    if (m->sparse[k])
        return pith_i_hdf5_sparse(&m->f, v->name, sparse_arrays, true, v->rows, v->cols, out);
    TRY(pith_i_dataset_open(&m->f, 0, v->name, &d));
    TRY(pith_i_dataset_matrix(&m->f, &d, true, pith_i_element_dtype(d.element), out));
done:
    pith_i_dataset_close(&m->f, &d);
    return st;
}

static pith_status read_numbers(pith_i_container *c, int64_t k, double *out)
{
    mat73 *m = c->self;
    pith_i_dataset d = {.id = -1};
    pith_status st = PITH_OK;
    if (m->sparse[k])
        FAIL(c->ctx, PITH_E_DATA, "%s: %s: the labels are sparse: save them as a full matrix", c->path,
             c->vars[k].name);
    TRY(pith_i_dataset_open(&m->f, 0, c->vars[k].name, &d));
    TRY(pith_i_dataset_check(&m->f, &d));
    TRY(pith_i_dataset_read(&m->f, &d, PITH_I_HDF5_F64, out));
done:
    pith_i_dataset_close(&m->f, &d);
    return st;
}

/* The characters of a char array, in scratch: UTF-16 units. */
static pith_status read_units(mat73 *m, const pith_i_dataset *d, uint32_t **out)
{
    pith_status st = PITH_OK;
    if (d->element.kind != 'u' || d->rank > 2)
        FAIL(m->f.ctx, PITH_E_DATA, "%s: %s is not text", m->f.path, d->name);
    TRY(pith_i_dataset_check(&m->f, d));
    TRY(SCRATCH(m->f.ctx, *out, d->count));
    TRY(pith_i_dataset_read(&m->f, d, PITH_I_HDF5_U32, *out));
done:
    return st;
}

typedef struct cells {
    const mat73 *m;
    const char *name;
    pith_i_text_list list;
} cells;

static pith_status take_cell(void *user, const uint32_t *units, int64_t count)
{
    cells *c = user;
    pith_ctx *ctx = c->m->f.ctx;
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_status st = PITH_OK;
    char *text = NULL;
    TRY(SCRATCH(ctx, text, 4 * count));
    st = pith_i_text_list_add(ctx, &c->list, text, pith_i_mat_text(units, count, 1, text));
    if (st == PITH_E_DATA)
        FAIL(ctx, PITH_E_DATA, "%s: %s: holds more text than the file has bytes", c->m->f.path, c->name);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status read_cells(mat73 *m, const pith_i_dataset *d, pith_i_names *out)
{
    cells c = {.m = m, .name = d->name};
    pith_status st = PITH_OK;
    TRY(pith_i_dataset_check(&m->f, d));
    /* Cells may all refer to one long text, hence the limit: a unit of 16 bits makes 3 bytes of UTF-8 at
     * most. */
    TRY(pith_i_text_list_new(m->f.ctx, d->count, 2 * m->f.size + d->count, &c.list));
    TRY(pith_i_dataset_cells(&m->f, d, take_cell, &c));
    *out = c.list.names;
    c.list = (pith_i_text_list){0};
done:
    pith_i_text_list_free(&c.list);
    return st;
}

static pith_status read_texts(pith_i_container *c, int64_t k, pith_i_names *out)
{
    const size_t mark = pith_i_scratch_mark(c->ctx);
    mat73 *m = c->self;
    pith_i_dataset d = {.id = -1};
    pith_status st = PITH_OK;
    uint32_t *units = NULL;
    TRY(pith_i_dataset_open(&m->f, 0, c->vars[k].name, &d));
    if (d.is_reference) {
        TRY(read_cells(m, &d, out));
    } else {
        TRY(read_units(m, &d, &units));
        TRY(pith_i_mat_char_rows(c->ctx, d.dims[1], d.dims[0], units, out));
    }
done:
    pith_i_dataset_close(&m->f, &d);
    pith_i_scratch_release(c->ctx, mark);
    return st;
}

pith_status pith_i_mat73_read(pith_ctx *ctx, const char *path, const pith_i_bytes *bytes,
                              const pith_read_options *options, const char *const *usual, pith_matrix *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_container c = {
        .ctx = ctx, .path = path, .matrix = read_matrix, .numbers = read_numbers, .texts = read_texts};
    pith_status st = PITH_OK;
    mat73 m = {.f = {.socket = -1, .shared = -1}};
    c.self = &m;
    TRY(pith_i_hdf5_open(ctx, path, bytes, &m.f));
    TRY(list_variables(&m, &c));
    TRY(pith_i_read_variables(&c, options, usual, out));
done:
    pith_i_hdf5_close(&m.f);
    pith_i_scratch_release(ctx, mark);
    return st;
}
