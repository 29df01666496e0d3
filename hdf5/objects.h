/* What pith-hdf5 can be asked: see io/hdf5_protocol.h. Each fills in a reply that begins as zeros. */
#ifndef PITH_HDF5_OBJECTS_H
#define PITH_HDF5_OBJECTS_H

#include "io/hdf5_protocol.h"

#include <hdf5.h>

typedef struct session {
    hid_t file;
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

/* Of objects.c, for arrays.c. */
hid_t object_of(const session *s, int64_t id); /* 0 is the root; negative: none of ours */
void describe_dataset(hid_t id, reply *r);
void check_storage(const session *s, hid_t id, reply *r);
/* What a call of libhdf5 that failed is due to: the file, or too little memory. */
int32_t failure(void);
bool is_empty_array(hid_t id); /* MATLAB marks these; their values are their dimensions */

#endif
