/* Writes labels that libpith read from another file as the categorical column obs/label of the output. */
#include "cut.h"

#include <stdlib.h>
#include <string.h>

/* Adds "label" to the attribute that lists the columns of the table in their order, unless it is there. */
static bool list_column(hid_t obs)
{
    static const char order[] = "column-order", label[] = "label";
    const hid_t a = H5Aexists(obs, order) > 0 ? H5Aopen(obs, order, H5P_DEFAULT) : -1;
    const hid_t space = a >= 0 ? H5Aget_space(a) : -1, stored = a >= 0 ? H5Aget_type(a) : -1;
    const hid_t text = text_of_any_length();
    const hssize_t count = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    const char **names = count >= 0 ? calloc((size_t)count + 1, sizeof *names) : NULL;
    bool listed = false;
    bool good = names != NULL &&
                (count == 0 || (H5Tis_variable_str(stored) > 0 && H5Aread(a, stored, (void *)names) >= 0));
    for (hssize_t k = 0; good && k < count; k++)
        listed = listed || (names[k] != NULL && strcmp(names[k], label) == 0);
    release(a);
    if (good && !listed) {
        names[count] = label;
        good = H5Adelete(obs, order) >= 0 &&
               put_attribute(obs, order, text, (hsize_t)count + 1, (const void *)names);
    }
    if (names != NULL && count > 0 && space >= 0 && stored >= 0)
        (void)H5Dvlen_reclaim(stored, space, H5P_DEFAULT, (void *)names);
    free(names);
    release(text);
    release(stored);
    release(space);
    return good;
}

static bool put_array(hid_t at, const char *name, hid_t type, hid_t memory, hsize_t count, const void *values,
                      const char *encoding)
{
    const hid_t plan = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, &count, NULL);
    (void)H5Pset_obj_track_times(plan, false);
    const hid_t d = H5Dcreate2(at, name, type, space, H5P_DEFAULT, plan, H5P_DEFAULT);
    const bool good = d >= 0 && H5Dwrite(d, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0 &&
                      put_encoding(d, encoding, "0.2.0");
    release(d);
    release(space);
    release(plan);
    return good;
}

/* False, as h5py writes booleans: an enumeration. */
static bool put_false(hid_t at, const char *name)
{
    const hid_t type = H5Tenum_create(H5T_NATIVE_INT8);
    const int8_t no = 0, yes = 1;
    const bool good = H5Tenum_insert(type, "FALSE", &no) >= 0 && H5Tenum_insert(type, "TRUE", &yes) >= 0 &&
                      put_attribute(at, name, type, 0, &no);
    release(type);
    return good;
}

/* The beginnings of texts that lie one after the other, each with its NUL. */
static const char **split(const char *packed, int64_t count)
{
    const char **texts = calloc((size_t)count + 1, sizeof *texts);
    for (int64_t k = 0; texts != NULL && k < count; k++) {
        texts[k] = packed;
        packed += strlen(packed) + 1;
    }
    return texts;
}

static bool put_column(hid_t obs, const int32_t *codes, int64_t rows, const char **classes, int64_t count)
{
    const hid_t type = count <= INT8_MAX ? H5T_STD_I8LE : count <= INT16_MAX ? H5T_STD_I16LE : H5T_STD_I32LE;
    const hid_t plan = H5Pcreate(H5P_GROUP_CREATE), text = text_of_any_length();
    (void)H5Pset_obj_track_times(plan, false);
    const bool vacant =
        H5Lexists(obs, "label", H5P_DEFAULT) <= 0 || H5Ldelete(obs, "label", H5P_DEFAULT) >= 0;
    const hid_t g = vacant ? H5Gcreate2(obs, "label", H5P_DEFAULT, plan, H5P_DEFAULT) : -1;
    const bool good =
        g >= 0 && put_encoding(g, "categorical", "0.2.0") && put_false(g, "ordered") &&
        put_array(g, "categories", text, text, (hsize_t)count, (const void *)classes, "string-array") &&
        put_array(g, "codes", type, H5T_NATIVE_INT32, (hsize_t)rows, codes, "array");
    release(g);
    release(text);
    release(plan);
    return good;
}

void put_labels(session *s, const request *q, reply *r)
{
    const int32_t *codes = (const int32_t *)(const void *)(s->window + q->from);
    const char **classes = split(s->window + q->from + q->first * (int64_t)sizeof *codes, q->count);
    const bool there = H5Lexists(s->output, "obs", H5P_DEFAULT) > 0;
    const hid_t obs = there ? H5Oopen(s->output, "obs", H5P_DEFAULT) : -1;
    if (classes == NULL) {
        r->problem = PITH_I_HDF5_NO_MEMORY;
    } else if (obs >= 0 && H5Iget_type(obs) == H5I_GROUP && list_column(obs)) {
        r->count = 1;
        if (!put_column(obs, codes, q->first, classes, q->count))
            note_failure(r);
    }
    free(classes);
    release(obs);
}
