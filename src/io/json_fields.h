/*
 * Values of an object in one line of JSON, by their keys, in place and without a tree in memory. It accepts
 * only the usual forms. What it rejects may still be JSON: use a full reader then, which also reports what is
 * wrong.
 */
#ifndef PITH_IO_JSON_FIELDS_H
#define PITH_IO_JSON_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum pith_i_json_kind {
    JSON_FIELD_NONE, /* the object does not have the key */
    JSON_FIELD_STRING,
    JSON_FIELD_INTEGER, /* in canonical form, or true or false: the bytes in the line are its text */
    JSON_FIELD_OTHER
} pith_i_json_kind;

typedef struct pith_i_json_value {
    pith_i_json_kind kind;
    bool escaped;
    const char *at; /* in the line; a string without its quotes */
    int64_t length;
} pith_i_json_value;

typedef struct pith_i_json_wanted {
    const char *key; /* NUL-terminated */
    pith_i_json_value value;
} pith_i_json_wanted;

/* Finds the values of the wanted keys; of a repeated key, the last. False: the line is not an object, not
 * JSON, or not for this reader: a key with an escape, a number of many digits, values nested 16 deep. */
bool pith_i_json_fields(const char *at, const char *end, int count, pith_i_json_wanted *wanted);
/* Copies a string without its escapes to `to`, which has room for value->length bytes; its new length. */
int64_t pith_i_json_unescape(const pith_i_json_value *value, char *to);

#endif
