/*
 * pith-hdf5 FILE [OUTPUT BYTES]: reads one HDF5 file for libpith, which starts it, talks to it by the
 * protocol of io/hdf5_protocol.h, and ends it. With OUTPUT it can copy FILE to OUTPUT, at most BYTES bytes.
 * Not a command for users.
 */
#include "filters.h"
#include "limits.h"
#include "objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static handler *const handlers[] = {
    [PITH_I_HDF5_KIND] = find_kind,
    [PITH_I_HDF5_OPEN] = open_object,
    [PITH_I_HDF5_CLOSE] = close_object,
    [PITH_I_HDF5_FOLLOW] = follow_attribute,
    [PITH_I_HDF5_HAS_ATTRIBUTE] = has_attribute,
    [PITH_I_HDF5_ATTRIBUTE_TEXT] = attribute_text,
    [PITH_I_HDF5_ATTRIBUTE_INTEGERS] = attribute_integers,
    [PITH_I_HDF5_LIST] = list_links,
    [PITH_I_HDF5_CHECK] = check_dataset,
    [PITH_I_HDF5_READ] = read_lines,
    [PITH_I_HDF5_TEXTS] = read_texts,
    [PITH_I_HDF5_CELLS] = read_cells,
    [PITH_I_HDF5_AXIS] = set_axis,
    [PITH_I_HDF5_KEEP] = keep_file,
    [PITH_I_HDF5_SPARSE] = put_sparse,
    [PITH_I_HDF5_DENSE] = put_dense,
    [PITH_I_HDF5_WRITE] = write_lines,
    [PITH_I_HDF5_LABELS] = put_labels,
    [PITH_I_HDF5_FINISH] = finish_output,
};

static bool say(const reply *r)
{
    return send(PITH_I_HDF5_SOCKET, r, sizeof *r, MSG_NOSIGNAL) == sizeof *r;
}

/* libpith enlarges the window before it asks for more than fits: map it again. */
static bool map_window(session *s, int64_t bytes)
{
    if (bytes == s->window_bytes)
        return true;
    if (s->window != NULL)
        (void)munmap(s->window, (size_t)s->window_bytes);
    s->window = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, PITH_I_HDF5_WINDOW, 0);
    s->window_bytes = s->window != MAP_FAILED ? bytes : 0;
    s->window = s->window != MAP_FAILED ? s->window : NULL;
    return s->window != NULL;
}

/* Opens the descriptor from libpith, so that both read the same file; without /proc, opens it by its path. */
static hid_t open_file(const char *path)
{
    char same[64];
    (void)snprintf(same, sizeof same, "/proc/self/fd/%d", PITH_I_HDF5_FILE);
    const hid_t file = H5Fopen(same, H5F_ACC_RDONLY, H5P_DEFAULT);
    return file >= 0 || access(same, R_OK) == 0 ? file : H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
}

/* Called before the input is read, while files can still be opened for writing. Returns the output's
 * descriptor, or -1. */
static int open_output(session *s, const char *path)
{
    void *handle = NULL;
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    (void)H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    s->output = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    (void)H5Pclose(access);
    const bool good = s->output >= 0 && H5Fget_vfd_handle(s->output, H5P_DEFAULT, &handle) >= 0;
    return good ? *(const int *)handle : -1;
}

int main(int argc, char **argv)
{
    session s = {.file = -1, .output = -1};
    struct stat info;
    reply r = {.count = PITH_I_HDF5_PROTOCOL};
    request q;
    int output = -1;
    if ((argc != 2 && argc != 4) || fstat(PITH_I_HDF5_FILE, &info) != 0 || !say(&r)) {
        (void)fputs("pith-hdf5: a part of libpith, which runs it to read HDF5 files; not a command\n",
                    stderr);
        return 2;
    }
    s.file_bytes = info.st_size;
    limit_resources(s.file_bytes, argc == 4 ? strtoll(argv[3], NULL, 10) : 0);
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    add_filters();
    if (argc == 4)
        output = open_output(&s, argv[2]);
    limit_calls(true, output);
    s.file = open_file(argv[1]);
    limit_calls(false, output);
    r.problem = s.file < 0                ? PITH_I_HDF5_NOT_HDF5
                : argc == 4 && output < 0 ? PITH_I_HDF5_UNWRITTEN
                                          : PITH_I_HDF5_FINE;
    while (say(&r) && recv(PITH_I_HDF5_SOCKET, &q, sizeof q, 0) == sizeof q) {
        r = (reply){.id = -1};
        q.name[sizeof q.name - 1] = '\0';
        if (!map_window(&s, q.window))
            r.problem = PITH_I_HDF5_NO_MEMORY;
        else if (q.op > 0 && (size_t)q.op < sizeof handlers / sizeof handlers[0])
            handlers[q.op](&s, &q, &r);
        (void)H5Eclear2(H5E_DEFAULT);
    }
    _exit(0); /* at exit, libhdf5 might crash on a broken file when it cleans up */
}
