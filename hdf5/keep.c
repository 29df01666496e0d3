/*
 * Copies an AnnData file to the output with fewer rows or columns. Objects that have neither, or whose rows
 * and columns are all kept, are copied unchanged by H5Ocopy; the others are reduced. What cannot be reduced
 * is left out, and the reply says so.
 */
#include "cut.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum belongs { NEITHER, ROWS, COLUMNS } belongs;

/* AnnData's elements, and what their first two dimensions are; `members`: of the objects in the group, not of
 * the group. */
typedef struct element {
    const char *name;
    belongs axes[2];
    bool members;
} element;

static const element known[] = {
    {"obs", {ROWS, NEITHER}, false},    {"var", {COLUMNS, NEITHER}, false},
    {"layers", {ROWS, COLUMNS}, true},  {"obsm", {ROWS, NEITHER}, true},
    {"varm", {COLUMNS, NEITHER}, true}, {"obsp", {ROWS, ROWS}, true},
    {"varp", {COLUMNS, COLUMNS}, true}, {"raw", {ROWS, NEITHER}, true},
    {"raw.X", {ROWS, NEITHER}, false}, /* before anndata 0.7 */
};

static const axis *axis_of(const session *s, belongs to)
{
    return to == ROWS ? &s->rows : to == COLUMNS ? &s->columns : NULL;
}

static const element *element_of(const char *name)
{
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        if (strcmp(known[k].name, name) == 0)
            return &known[k];
    return NULL;
}

/* ---- One object ---------------------------------------------------------------------------------- */

/* The path of an object in the file, for messages. */
typedef struct place {
    const struct place *above; /* NULL: the root */
    const char *name;
} place;

static size_t write_path(const place *p, char *text, size_t size)
{
    size_t used = p->above != NULL ? write_path(p->above, text, size) : 0;
    if (used < size)
        used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? "/" : "", p->name);
    return used;
}

static void leave_out(const cutting *c, const place *p)
{
    char path[PITH_I_HDF5_NAME];
    reply *r = c->r;
    const size_t used = strlen(r->text), length = write_path(p, path, sizeof path);
    if (used + length + sizeof ", ..." < sizeof r->text)
        (void)snprintf(r->text + used, sizeof r->text - used, "%s%s", used > 0 ? ", " : "", path);
    else if (used < 4 || strcmp(r->text + used - 3, "...") != 0)
        (void)snprintf(r->text + used, sizeof r->text - used, "%s...", used > 0 ? ", " : "");
    r->count++;
}

/* Groups in which only these members have the lines; NULL-terminated. */
static const char *const of_column[] = {"codes", "values", "mask", NULL}, *const of_raw[] = {"X", NULL};

static bool is_listed(const char *const *list, const char *name)
{
    while (*list != NULL && strcmp(*list, name) != 0)
        list++;
    return *list != NULL;
}

static bool cut_thing(const cutting *c, hid_t at, const place *p, hid_t to, const char *as);

typedef struct members {
    const cutting *c;
    hid_t to;
    const place *above;
    const char *const *cut; /* the members to reduce; NULL: all */
    bool table;             /* it lists its members in an attribute, so none can be left out */
} members;

static herr_t cut_member(hid_t at, const char *name, const H5L_info_t *info, void *user)
{
    const members *m = user;
    const place p = {m->above, name};
    reply *r = m->c->r;
    const int64_t before = r->count;
    bool good = true;
    if (H5Lexists(m->to, name, H5P_DEFAULT) > 0)
        return 0; /* was copied before the others */
    if (info->type == H5L_TYPE_SOFT)
        good = H5Lcopy(at, name, m->to, name, H5P_DEFAULT, H5P_DEFAULT) >= 0;
    else if (info->type != H5L_TYPE_HARD)
        leave_out(m->c, &p); /* in another file: it cannot be reduced */
    else if (m->cut != NULL && !is_listed(m->cut, name))
        good = copy_object(at, name, m->to, name, r);
    else
        good = cut_thing(m->c, at, &p, m->to, name);
    if (good && m->table && r->count > before) {
        r->problem = PITH_I_HDF5_NO_COLUMN;
        good = false;
    }
    if (!good)
        note_failure(r);
    if (!good && r->count >= 0) { /* the innermost object is named */
        (void)write_path(&p, r->text, sizeof r->text);
        r->count = -1;
    }
    return good ? 0 : -1;
}

static const char unnamed[] = "pith-unnamed"; /* marks a table whose index pith made up */

/* Once some columns are dropped, unnamed ones are called by their old numbers: "f412". */
static bool name_columns(const cutting *c, hid_t table, hid_t to)
{
    enum { LONGEST = 24 };
    const int64_t count = c->lines->count;
    const hsize_t size = (hsize_t)count;
    const hid_t from = H5Dopen2(table, "_index", H5P_DEFAULT), type = text_of_any_length();
    const hid_t made = from >= 0 ? array_like(from, to, "_index", &size, c->r) : -1;
    char **texts = calloc((size_t)count, sizeof *texts), *names = calloc((size_t)count, LONGEST);
    bool good = made >= 0 && texts != NULL && names != NULL && copy_attributes(from, made, NULL, c->r);
    for (int64_t k = 0; good && k < count; k++) {
        texts[k] = names + k * LONGEST;
        (void)snprintf(texts[k], LONGEST, "f%lld", (long long)c->lines->kept[k]);
    }
    good = good && write_range(made, 0, count, type, texts, c->r);
    free(texts);
    free(names);
    release(made);
    release(type);
    release(from);
    return good;
}

/* Copies a group and its attributes, and reduces its members. */
static bool cut_members(const cutting *c, hid_t from, const place *p, hid_t to, const char *as,
                        const char *const *cut, bool table)
{
    static const char old[] = "__categories"; /* attributes of columns refer to it */
    const bool names = c->lines == &c->s->columns && H5Aexists(from, unnamed) > 0;
    members m = {c, copy_group(from, to, as, names ? unnamed : NULL, c->r), p, cut, table};
    bool good = m.to >= 0 && (!names || name_columns(c, from, m.to));
    if (good && H5Lexists(from, old, H5P_DEFAULT) > 0)
        good = copy_object(from, old, m.to, old, c->r);
    good = good && H5Literate(from, H5_INDEX_NAME, H5_ITER_INC, NULL, cut_member, &m) >= 0;
    if (!good)
        note_failure(c->r);
    release(m.to);
    return good;
}

/* Groups that are one object with lines. */
typedef enum shape_of_group { UNKNOWN, TABLE, COLUMN } shape_of_group;

static shape_of_group group_kind(hid_t group, const place *p)
{
    char type[64] = "";
    (void)get_text(group, "encoding-type", type, sizeof type);
    if (strcmp(type, "dataframe") == 0 ||
        (p->above == NULL && (strcmp(p->name, "obs") == 0 || strcmp(p->name, "var") == 0)))
        return TABLE;
    if (strcmp(type, "categorical") == 0 || strncmp(type, "nullable-", 9) == 0)
        return COLUMN;
    const bool coded =
        H5Lexists(group, "codes", H5P_DEFAULT) > 0 && H5Lexists(group, "categories", H5P_DEFAULT) > 0;
    return type[0] == '\0' && coded ? COLUMN : UNKNOWN; /* as h5ad.c reads it */
}

/* Nothing is deeper than a column of a table in an element, "varm/frame/cluster"; but a group may hold
 * itself. */
static bool is_too_deep(const place *p)
{
    return p->above != NULL && p->above->above != NULL && p->above->above->above != NULL;
}

static bool cut_group(const cutting *c, hid_t group, const place *p, hid_t to, const char *as)
{
    bool by_columns = false;
    const shape_of_group kind = c->columns == NULL && !is_too_deep(p) ? group_kind(group, p) : UNKNOWN;
    if (sparse_fits(c, group, &by_columns))
        return cut_sparse(c, group, by_columns, to, as);
    if (kind != UNKNOWN)
        return cut_members(c, group, p, to, as, kind == COLUMN ? of_column : NULL, kind == TABLE);
    leave_out(c, p);
    return true;
}

static bool cut_thing(const cutting *c, hid_t at, const place *p, hid_t to, const char *as)
{
    if (stays_whole(c->lines) && stays_whole(c->columns))
        return copy_object(at, p->name, to, as, c->r);
    bool good = true;
    const hid_t id = open_with_room(at, p->name);
    if (id < 0)
        note_failure(c->r);
    else if (H5Iget_type(id) == H5I_GROUP)
        good = cut_group(c, id, p, to, as);
    else if (H5Iget_type(id) == H5I_DATASET && array_fits(c, id))
        good = cut_array(c, id, to, as);
    else
        leave_out(c, p);
    release(id);
    return good && id >= 0;
}

/* ---- The whole file ------------------------------------------------------------------------------ */

static bool keep_element(const session *s, const element *k, hid_t at, const place *p, hid_t to, reply *r)
{
    const cutting c = {s, axis_of(s, k->axes[0]), axis_of(s, k->axes[1]), r};
    if (stays_whole(c.lines) && stays_whole(c.columns))
        return copy_object(at, p->name, to, k->name, r);
    const hid_t id = k->members ? H5Oopen(at, p->name, H5P_DEFAULT) : -1;
    bool good = true;
    if (!k->members || (id >= 0 && H5Iget_type(id) != H5I_GROUP)) /* before anndata 0.7: a table */
        good = cut_thing(&c, at, p, to, k->name);
    else if (id < 0)
        good = false;
    else
        good = cut_members(&c, id, p, to, k->name, strcmp(k->name, "raw") == 0 ? of_raw : NULL, false);
    release(id);
    return good;
}

typedef struct root {
    const session *s;
    const char *matrix; /* the path of the matrix that becomes X */
    reply *r;
} root;

/* If raw/X becomes X, the elements of the old columns are dropped: raw has its own tables, and no layers. */
static bool is_replaced(const root *f, const char *name)
{
    const element *k = element_of(name);
    const bool of_columns = k != NULL && (k->axes[0] == COLUMNS || k->axes[1] == COLUMNS);
    return strcmp(name, "X") == 0 || (strcmp(f->matrix, "raw/X") == 0 && of_columns);
}

static herr_t keep_root_member(hid_t at, const char *name, const H5L_info_t *info, void *user)
{
    const root *f = user;
    const element *k = element_of(name);
    const place p = {NULL, name};
    reply *r = f->r;
    bool good = true;
    if (is_replaced(f, name))
        return 0;
    if (info->type != H5L_TYPE_HARD)
        good = H5Lcopy(at, name, f->s->output, name, H5P_DEFAULT, H5P_DEFAULT) >= 0;
    else if (k != NULL)
        good = keep_element(f->s, k, at, &p, f->s->output, r);
    else
        good = copy_object(at, name, f->s->output, name, r);
    if (!good)
        note_failure(r);
    if (!good && r->count >= 0)
        (void)snprintf(r->text, sizeof r->text, "%s", name);
    return good ? 0 : -1;
}

/* Copies the matrix, after checking that it has the shape of the one that was read. */
static bool keep_matrix(const root *f)
{
    const session *s = f->s;
    const place p = {NULL, f->matrix};
    const cutting c = {s, &s->rows, &s->columns, f->r};
    bool by_columns = false, fits = false;
    const hid_t id = H5Oopen(s->file, f->matrix, H5P_DEFAULT);
    if (id >= 0 && H5Iget_type(id) == H5I_DATASET)
        fits = array_fits(&c, id);
    else if (id >= 0 && H5Iget_type(id) == H5I_GROUP)
        fits = sparse_fits(&c, id, &by_columns);
    release(id);
    if (!fits)
        f->r->problem = PITH_I_HDF5_OTHER_SHAPE;
    const bool good = fits && cut_thing(&c, s->file, &p, s->output, "X");
    if (!good) {
        note_failure(f->r);
        (void)snprintf(f->r->text, sizeof f->r->text, "%s", f->matrix);
    }
    return good;
}

/* The tables of the columns of raw/X, which lie in raw. */
static bool keep_raw_tables(const root *f)
{
    static const char *const names[] = {"raw/var", "raw/varm"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        const place p = {NULL, names[k]};
        if (H5Lexists(f->s->file, names[k], H5P_DEFAULT) > 0 &&
            !keep_element(f->s, element_of(names[k] + sizeof "raw/" - 1), f->s->file, &p, f->s->output,
                          f->r)) {
            note_failure(f->r);
            (void)snprintf(f->r->text, sizeof f->r->text, "%s", names[k]);
            return false;
        }
    }
    return true;
}

void keep_file(session *s, const request *q, reply *r)
{
    root f = {s, q->name, r};
    const hid_t to = s->output >= 0 ? H5Gopen2(s->output, "/", H5P_DEFAULT) : -1;
    const hid_t from = H5Gopen2(s->file, "/", H5P_DEFAULT);
    bool good = to >= 0 && from >= 0 && copy_attributes(from, to, NULL, r);
    good = good && H5Literate(from, H5_INDEX_NAME, H5_ITER_INC, NULL, keep_root_member, &f) >= 0;
    if (good && q->type == PITH_I_HDF5_AS_STORED)
        good = keep_matrix(&f);
    if (good && strcmp(q->name, "raw/X") == 0)
        good = keep_raw_tables(&f);
    if (!good)
        note_failure(r);
    release(from);
    release(to);
}
