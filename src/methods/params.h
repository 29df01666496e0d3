/* The settings of one method: its struct, filled from its table. */
#ifndef PITH_METHODS_PARAMS_H
#define PITH_METHODS_PARAMS_H

#include "methods/method.h"

struct pith_params {
    const pith_method *method;
    void *values;              /* the method's struct; begins with a pith_i_shared */
    int64_t n_counts, *counts; /* feature counts that will be asked for; none: 0, NULL */
    bool by_auto;              /* the method may be replaced */
    bool wants_keep;           /* how many features to keep will be asked for */
    bool batch_graph;          /* balance the graph over the batches, instead of ranking each batch */
};

/* The clustering to start from: n labels, renumbered 0.. in the order of their values. path may be NULL. Both
 * are copied. PITH_E_PARAMETER if the method does not use one. */
pith_status pith_i_params_start(pith_ctx *ctx, pith_params *params, const char *path, int64_t n,
                                const int32_t *labels);
/* The tree: a builder or a file by its text, or one in memory; both NULL reset it to auto. Copied. */
pith_status pith_i_params_tree(pith_ctx *ctx, pith_params *params, const char *text, const pith_tree *given);
bool pith_i_params_is_tree(const pith_params *params, const char *name);
/* The graph, or the rows it is built from: data is checked and owned from here on, also on failure. NULL
 * removes it. path may be NULL. Methods without a graph of the samples refuse it, PITH_E_PARAMETER. */
pith_status pith_i_params_graph(pith_ctx *ctx, pith_params *params, const char *path, pith_i_data *data);
pith_status pith_i_params_graph_rows(pith_ctx *ctx, pith_params *params, const char *path, pith_i_data *data);
/* Is it "graph" or "graph_rows"? */
bool pith_i_is_graph_name(const char *name);
/* PITH_E_PARAMETER if the method takes no such parameter, or if the other of the two is set. For use before a
 * file is read. */
pith_status pith_i_params_takes_graph(pith_ctx *ctx, const pith_params *params, const char *name);
/* Is it one of the words for graphs that pith builds (knn, full)? */
bool pith_i_is_graph_word(const char *text);
/* pith_params_set for all but files, which the library's outer layer reads. */
pith_status pith_i_params_set(pith_ctx *ctx, pith_params *params, const char *name, const char *value);
/* Is the parameter of that name a file? */
bool pith_i_params_is_file(const pith_params *params, const char *name);
/* Would this text be taken for a file name? If the parameter also takes words, any other text is a file. */
bool pith_i_params_names_file(const pith_params *params, const char *name, const char *text);

/* Do a and b, of the same method, agree in row i of its parameters? Files are not compared. */
bool pith_i_params_same(const pith_params *a, const pith_params *b, size_t i);
/* Copies row i from `from`; files are left alone. */
void pith_i_params_take(pith_params *to, const pith_params *from, size_t i);

pith_status pith_i_params_copy(pith_ctx *ctx, const pith_params *from, pith_params **out);
static inline pith_i_shared *pith_i_params_shared(const pith_params *params)
{
    return params->values;
}

#endif
