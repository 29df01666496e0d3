/* What libpith sends for the output: which lines are kept, and X if its values have changed. */
#include "cut.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Replaces the C library's function for libhdf5, which crashes if it cannot write: a full disk, or a file
 * that is too large. libpith is told the reason, and the process ends.
 */
__attribute__((visibility("default"))) ssize_t pwrite(int fd, const void *buf, size_t n, off_t offset)
{
    const ssize_t done = syscall(SYS_pwrite64, fd, buf, n, offset);
    if (done < 0 && errno != EINTR) {
        const reply r = {.problem = PITH_I_HDF5_UNWRITTEN, .id = -1, .number = {errno}};
        (void)send(PITH_I_HDF5_SOCKET, &r, sizeof r, MSG_NOSIGNAL);
        _exit(1);
    }
    return done;
}

void set_axis(session *s, const request *q, reply *r)
{
    axis *a = q->type == 0 ? &s->rows : &s->columns;
    const int64_t *given = (const int64_t *)(const void *)(s->window + q->from);
    free(a->kept);
    *a = (axis){q->first, q->count, NULL};
    if (q->count == q->first)
        return;
    a->kept = malloc((size_t)q->count * sizeof *a->kept + 1);
    if (a->kept != NULL)
        memcpy(a->kept, given, (size_t)q->count * sizeof *a->kept);
    else
        r->problem = PITH_I_HDF5_NO_MEMORY;
}

bool put_attribute(hid_t at, const char *name, hid_t type, hsize_t count, const void *value)
{
    const hid_t space = count == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, NULL);
    const hid_t a = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    const bool good = a >= 0 && H5Awrite(a, type, value) >= 0;
    release(a);
    release(space);
    return good;
}

hid_t text_of_any_length(void)
{
    const hid_t text = H5Tcopy(H5T_C_S1);
    (void)H5Tset_size(text, H5T_VARIABLE);
    (void)H5Tset_cset(text, H5T_CSET_UTF8);
    return text;
}

bool put_encoding(hid_t at, const char *type, const char *version)
{
    const hid_t text = text_of_any_length();
    const bool good = put_attribute(at, "encoding-type", text, 0, (const void *)&type) &&
                      put_attribute(at, "encoding-version", text, 0, (const void *)&version);
    release(text);
    return good;
}

void put_sparse(session *s, const request *q, reply *r)
{
    const int64_t shape[2] = {q->first, q->count};
    const hid_t plan = H5Pcreate(H5P_GROUP_CREATE);
    (void)H5Pset_obj_track_times(plan, false);
    const hid_t g = H5Gcreate2(s->output, q->name, H5P_DEFAULT, plan, H5P_DEFAULT);
    if (g < 0 || !put_encoding(g, "csr_matrix", "0.1.0") ||
        !put_attribute(g, "shape", H5T_NATIVE_INT64, 2, shape))
        note_failure(r);
    release(g);
    release(plan);
}

static hid_t stored_type(int32_t type)
{
    return type == PITH_I_HDF5_F32   ? H5T_IEEE_F32LE
           : type == PITH_I_HDF5_F64 ? H5T_IEEE_F64LE
           : type == PITH_I_HDF5_I32 ? H5T_STD_I32LE
                                     : H5T_STD_I64LE;
}

void put_dense(session *s, const request *q, reply *r)
{
    const hsize_t dims[2] = {(hsize_t)q->first, (hsize_t)q->count};
    const hid_t plan = H5Pcreate(H5P_DATASET_CREATE),
                space = H5Screate_simple(q->count < 0 ? 1 : 2, dims, NULL);
    (void)H5Pset_obj_track_times(plan, false);
    r->id = H5Dcreate2(s->output, q->name, stored_type(q->type), space, H5P_DEFAULT, plan, H5P_DEFAULT);
    if (r->id < 0 || (q->count >= 0 && !put_encoding(r->id, "array", "0.2.0")))
        note_failure(r);
    release(space);
    release(plan);
}

void write_lines(session *s, const request *q, reply *r)
{
    int64_t size = 0;
    const hid_t type = memory_type(q->type, &size);
    (void)write_range(object_of(s, q->id), q->first, q->count, type, s->window + q->from, r);
}

void finish_output(session *s, const request *q, reply *r)
{
    (void)q;
    if (s->output < 0 || H5Fflush(s->output, H5F_SCOPE_GLOBAL) < 0 || H5Fclose(s->output) < 0)
        r->problem = PITH_I_HDF5_UNWRITTEN;
    s->output = -1;
}
