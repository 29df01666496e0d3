/* Trees that are made: from the shape of an image, from the data, from a dictionary. */
#ifndef PITH_TREE_BUILD_H
#define PITH_TREE_BUILD_H

#include "tree/tree.h"

typedef enum pith_i_linkage {
    PITH_I_LINKAGE_AUTO, /* average up to 12000 features, bisecting above */
    PITH_I_AVERAGE,
    PITH_I_WARD,
    PITH_I_BISECT
} pith_i_linkage;
typedef enum pith_i_order { PITH_I_ORDER_AUTO, PITH_I_BY_COLUMN, PITH_I_BY_ROW } pith_i_order;
typedef enum pith_i_stemmed { PITH_I_STEMMED_AUTO, PITH_I_STEMMED, PITH_I_NOT_STEMMED } pith_i_stemmed;

/* A builder with its settings, as read from "grid:32x32:leaf=16". Those of other builders are not looked at.
 */
typedef struct pith_i_recipe {
    enum { PITH_I_ROOT, PITH_I_GRID, PITH_I_CLUSTER, PITH_I_WORDNET, PITH_I_ANY } kind;
    int64_t height, width; /* grid; 0: the number of features is a square. Any ("auto"): 0: no image */
    pith_i_order order;    /* auto: by column for data of MATLAB files */
    int64_t channels;      /* 1 */
    int64_t leaf;          /* a node of so many pixels or features is not split: grid 16, cluster 4 */
    int64_t depth;         /* most levels: grid 6, wordnet all, which is 0 */
    int64_t branch;        /* cluster: 4 */
    pith_i_linkage linkage;
    bool absolute; /* cluster: by 1 - |corr| */
    pith_i_stemmed stemmed;
    int64_t top;     /* wordnet: synsets skipped at the top of each path; 0 */
    char dict[4096]; /* wordnet: its folder; "": where it usually is */
} pith_i_recipe;

/* Is the text the name of a builder, with or without settings? Else it is a file. */
bool pith_i_recipe_is_one(const char *text);
pith_status pith_i_recipe_read(pith_ctx *ctx, const char *text, pith_i_recipe *out);

/* What a builder may know about the table. */
typedef struct pith_i_table {
    const pith_i_data *X;
    const pith_i_data *T;      /* X' of sparse data; NULL: made where it is needed */
    const pith_i_names *names; /* of the features; NULL: none */
    bool by_columns;           /* pixels are counted down the columns */
} pith_i_table;

/*
 * A builder for "auto", in place of recipe and as text: a grid if the shape of the images is known; wordnet
 * if it is installed and knows more than half of the features; else cluster. Other recipes stay, and text is
 * "".
 */
pith_status pith_i_recipe_settle(pith_ctx *ctx, const pith_i_table *table, pith_i_recipe *recipe,
                                 char text[PITH_I_CHOSEN]);

pith_status pith_i_tree_build(pith_ctx *ctx, const pith_i_table *table, const pith_i_recipe *recipe,
                              pith_tree **out);

/* The builders, one per file. */
pith_status pith_i_tree_root(pith_ctx *ctx, int32_t n_features, pith_tree **out);
pith_status pith_i_tree_grid(pith_ctx *ctx, const pith_i_table *table, const pith_i_recipe *recipe,
                             pith_tree **out);
pith_status pith_i_tree_cluster(pith_ctx *ctx, const pith_i_table *table, const pith_i_recipe *recipe,
                                pith_tree **out);
pith_status pith_i_tree_wordnet(pith_ctx *ctx, const pith_i_table *table, const pith_i_recipe *recipe,
                                pith_tree **out);
/* How many of the features are words in WordNet; PITH_E_FILE: it is not installed. */
pith_status pith_i_wordnet_known(pith_ctx *ctx, const pith_i_table *table, int64_t *out);

#endif
