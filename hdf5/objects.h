/* The handlers of requests: see io/hdf5_protocol.h. Each fills in a reply that is 0, except id, which is -1.
 */
#ifndef PITH_HDF5_OBJECTS_H
#define PITH_HDF5_OBJECTS_H

#include "io/hdf5_protocol.h"

#include <hdf5.h>

/* Rows or columns of the matrix, and which of them are kept. */
typedef struct axis {
    int64_t size, count;
    int64_t *kept; /* ascending; NULL: all */
} axis;

typedef struct session {
    hid_t file, output; /* negative: none */
    axis rows, columns; /* kept in the output */
    int64_t file_bytes;
    char *window; /* shared with libpith */
    int64_t window_bytes;
} session;

typedef struct pith_i_hdf5_request request;
typedef struct pith_i_hdf5_reply reply;
typedef void handler(session *s, const request *q, reply *r);

handler find_kind, open_object, close_object, follow_attribute, has_attribute, attribute_text,
    attribute_integers, list_links;
handler check_dataset, read_lines, read_texts, read_cells;
handler set_axis, keep_file, put_sparse, put_dense, put_labels, write_lines, finish_output;

/* Of objects.c, for arrays.c. */
hid_t object_of(const session *s, int64_t id); /* 0 is the root; negative: not an open object */
/* Opens an object with a chunk cache so large that reading by lines unpacks each chunk once. */
hid_t open_with_room(hid_t at, const char *name);
/* The same cache for a dataset that is to be created. */
hid_t access_with_room(int rank, const hsize_t *dims, const hsize_t *chunk, size_t size);
void describe_dataset(hid_t id, reply *r);
void check_storage(const session *s, hid_t id, reply *r);
/* Why a call of libhdf5 failed: a damaged file, or too little memory. */
int32_t failure(void);
bool get_text(hid_t at, const char *name, char *text, size_t size); /* of an attribute; false: none */
bool is_empty_array(hid_t id); /* by MATLAB's attribute; its values are then its dimensions */

/* Of put.c. */
bool put_attribute(hid_t at, const char *name, hid_t type, hsize_t count,
                   const void *value); /* 0: a scalar */
bool put_encoding(hid_t at, const char *type, const char *version);
hid_t text_of_any_length(void); /* a type, to be released */

/* Of arrays.c: lines first..first+count-1 (the first dimension), the other dimensions whole, as elements of
 * `type` and `size` bytes, to `out`, which has `room` bytes. */
bool read_range(hid_t id, int64_t first, int64_t count, hid_t type, int64_t size, char *out, int64_t room);
hid_t memory_type(int32_t type, int64_t *size);

#endif
