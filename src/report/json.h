/* JSON, written piece by piece; commas, brackets and escapes are taken care of here. */
#ifndef PITH_REPORT_JSON_H
#define PITH_REPORT_JSON_H

#include "core/core.h"

#include <stdio.h>

enum { PITH_I_JSON_DEPTH = 16 };

typedef struct pith_i_json {
    FILE *out;
    int depth;
    char close[PITH_I_JSON_DEPTH]; /* the bracket that ends each open level */
    bool some[PITH_I_JSON_DEPTH];  /* has the level a member yet? */
} pith_i_json;

/* key is NULL within arrays and for the outermost value. */
void pith_i_json_object(pith_i_json *j, const char *key);
void pith_i_json_array(pith_i_json *j, const char *key);
void pith_i_json_end(pith_i_json *j);
void pith_i_json_text(pith_i_json *j, const char *key, const char *text); /* NULL: null */
void pith_i_json_number(pith_i_json *j, const char *key, double v);       /* not finite: null */
void pith_i_json_count(pith_i_json *j, const char *key, int64_t v);
void pith_i_json_unsigned(pith_i_json *j, const char *key, uint64_t v);
void pith_i_json_bool(pith_i_json *j, const char *key, bool v);
void pith_i_json_null(pith_i_json *j, const char *key);
/* The next member begins a new line. */
void pith_i_json_line(pith_i_json *j);

/* The data's name (NULL: none), shape and preparation, into the object that is open. */
void pith_i_json_data_members(pith_i_json *j, const pith_matrix *m, const char *name);
/* Every parameter with its value, into the object that is open. */
void pith_i_json_param_members(pith_ctx *ctx, pith_i_json *j, const pith_params *params);
/* "key":{every parameter with its value}; params NULL: {}. */
void pith_i_json_params(pith_ctx *ctx, pith_i_json *j, const char *key, const pith_params *params);

#endif
