/*
 * The protocol between libpith and pith-hdf5. Addresses and lengths in a damaged or crafted file lead libhdf5
 * into endless loops and out of its memory, and no check beforehand can rule this out. So it runs in a
 * process of its own, pith-hdf5, which libpith starts for each file: requests and replies go over a socket,
 * one packet each, arrays through shared memory. The process may crash, hang or lie: libpith checks every
 * number in a reply before it uses it.
 */
#ifndef PITH_IO_HDF5_PROTOCOL_H
#define PITH_IO_HDF5_PROTOCOL_H

#include <stdint.h>

enum {
    PITH_I_HDF5_PROTOCOL = 2, /* raised by any change of the protocol */
    PITH_I_HDF5_SOCKET = 3,   /* file descriptors that the process begins with */
    PITH_I_HDF5_WINDOW = 4,
    PITH_I_HDF5_FILE = 5,
    PITH_I_HDF5_HALF =
        1 << 24, /* initial bytes of half of the window: one half is read while the other is filled */
    PITH_I_HDF5_NAME = 512,
    PITH_I_HDF5_RANK = 32,          /* dimensions at most, as in libhdf5 */
    PITH_I_HDF5_DEFLATE = 1032,     /* most bytes that deflate can unpack from one */
    PITH_I_HDF5_UNPACKED = 1 << 15, /* most bytes that an array can have for each byte of the file: the ratio
                                       of zstd, whose blocks have up to 128 KB and take 4 bytes at least */
};

typedef enum pith_i_hdf5_op {
    PITH_I_HDF5_HELLO, /* no request: the process sends two replies of its own, at its start and once the file
                          is open */
    PITH_I_HDF5_KIND,  /* of the object `name` below `id` (0: the root) */
    PITH_I_HDF5_OPEN,  /* open it: its id and description */
    PITH_I_HDF5_CLOSE,
    PITH_I_HDF5_FOLLOW, /* open the object that the attribute `name` of `id` refers to */
    PITH_I_HDF5_HAS_ATTRIBUTE,
    PITH_I_HDF5_ATTRIBUTE_TEXT,
    PITH_I_HDF5_ATTRIBUTE_INTEGERS, /* `count` of them */
    PITH_I_HDF5_LIST,  /* the links of a group into the window: for each a byte (1: a hard link) and its name
                        */
    PITH_I_HDF5_CHECK, /* can the storage of a dataset hold what it claims? */
    PITH_I_HDF5_READ,  /* `count` of the dataset's lines from `first` on, as `type`, into the window */
    PITH_I_HDF5_TEXTS, /* texts from `first` on, of the member `name` if it is not "", into the window: for
                          each its length in 32 bits and its bytes */
    PITH_I_HDF5_CELLS, /* the texts that MATLAB's references point to: for each its length in units, then the
                          units, of 32 bits */
    /* Only for a process that was given an output, to which these write. */
    PITH_I_HDF5_AXIS, /* keep `count` of the `first` rows (type 0) or columns (1) of the matrix: the window
                         holds their numbers, ascending, unless all are kept */
    PITH_I_HDF5_KEEP, /* copy the AnnData file, reduced to what is kept; its matrix `name` becomes X, or, with
                         type PITH_I_HDF5_NEW_X, X is sent later. `count` in the reply: objects left out; text
                         names the first of them */
    PITH_I_HDF5_SPARSE, /* make X a group for CSR with `first` rows and `count` columns */
    PITH_I_HDF5_DENSE,  /* make `name` an array of `type`, `first` x `count`; count -1: of one dimension */
    PITH_I_HDF5_WRITE,  /* `count` lines of the array `id` from `first` on, from the window */
    PITH_I_HDF5_LABELS, /* the column label of obs: codes of the `first` rows in 32 bits each, then the
                           `count` classes, each with a NUL. `count` 0 in the reply: obs is not a table that
                           can hold them */
    PITH_I_HDF5_FINISH, /* the output is complete: close it */
} pith_i_hdf5_op;

enum { PITH_I_HDF5_AS_STORED, PITH_I_HDF5_NEW_X }; /* types of KEEP */

typedef enum pith_i_hdf5_type {
    PITH_I_HDF5_F32,
    PITH_I_HDF5_F64,
    PITH_I_HDF5_I32,
    PITH_I_HDF5_I64,
    PITH_I_HDF5_U32
} pith_i_hdf5_type;

typedef struct pith_i_hdf5_request {
    int32_t op, type;
    int64_t id, first, count;
    int64_t window;   /* bytes that the shared memory has now */
    int64_t from, to; /* the part of it that is for this reply */
    char name[PITH_I_HDF5_NAME];
} pith_i_hdf5_request;

typedef enum pith_i_hdf5_problem {
    PITH_I_HDF5_FINE,
    PITH_I_HDF5_NOT_HDF5,
    PITH_I_HDF5_ABSENT,
    PITH_I_HDF5_NO_ARRAY,
    PITH_I_HDF5_EMPTY,      /* a dataset with a null dataspace */
    PITH_I_HDF5_IMPOSSIBLE, /* claims a size that no file can hold */
    PITH_I_HDF5_ELSEWHERE,  /* its values lie in other files */
    PITH_I_HDF5_UNFILLED,   /* claims number[0] bytes, stores number[1] */
    PITH_I_HDF5_FILTER,     /* number[0] is the filter, text its name */
    PITH_I_HDF5_DAMAGED,
    PITH_I_HDF5_NO_TEXTS,
    PITH_I_HDF5_NO_MEMORY,
    PITH_I_HDF5_OTHER_SHAPE, /* the matrix is not the one that was read */
    PITH_I_HDF5_NO_COLUMN,   /* of a table: it can be neither reduced nor left out */
    PITH_I_HDF5_UNWRITTEN    /* number[0] is errno, or 0 */
} pith_i_hdf5_problem;

enum { PITH_I_HDF5_NONE, PITH_I_HDF5_GROUP, PITH_I_HDF5_DATASET, PITH_I_HDF5_OTHER }; /* kinds of objects */

typedef struct pith_i_hdf5_reply {
    int32_t problem;
    int32_t kind;
    int64_t id;    /* negative: none */
    int64_t count; /* items handled of those requested; HELLO: PITH_I_HDF5_PROTOCOL */
    int64_t number[8];
    char text[PITH_I_HDF5_NAME];
    /* Of a dataset. */
    int32_t element, element_size; /* as in pith_i_element */
    int32_t is_text, is_reference, is_compound, is_categorical, rank;
    int64_t dims[PITH_I_HDF5_RANK];
    int64_t bytes; /* of an element as stored */
    int64_t chunk; /* lines in a chunk; 0: not in chunks */
} pith_i_hdf5_reply;

#endif
