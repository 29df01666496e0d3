/* Building trees: from the shape of an image, from the data, from a dictionary. */
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

/* A builder with its settings, as read from "grid:32x32:leaf=16". Settings of other builders are ignored. */
typedef struct pith_i_recipe {
    enum { PITH_I_ROOT, PITH_I_GRID, PITH_I_CLUSTER, PITH_I_WORDNET, PITH_I_ANY } kind;
    int64_t height, width; /* grid: of the image; 0: a square. PITH_I_ANY ("auto"): 0: no image */
    pith_i_order order;    /* auto: by column for data of MATLAB files */
    int64_t channels;      /* 1 */
    int64_t leaf;   /* nodes of at most this many pixels or features are not split: grid 16, cluster 4 */
    int64_t depth;  /* most levels: grid 6, wordnet 0, which is all */
    int64_t branch; /* cluster: 4 */
    pith_i_linkage linkage;
    bool absolute; /* cluster: by 1 - |corr| */
    pith_i_stemmed stemmed;
    int64_t top;     /* wordnet: synsets skipped at the top of each path; 0 */
    char dict[4096]; /* wordnet: its folder; "": the usual one */
} pith_i_recipe;

/* Does the text name a builder, with or without settings? If not, it is the path of a file. */
bool pith_i_recipe_is_one(const char *text);
pith_status pith_i_recipe_read(pith_ctx *ctx, const char *text, pith_i_recipe *out);

/* What a builder may know about the table. */
typedef struct pith_i_table {
    const pith_i_data *X;
    const pith_i_data *T;      /* X' of sparse data; NULL: made if needed */
    const pith_i_names *names; /* of the features; NULL: none */
    bool by_columns;           /* pixels are counted down the columns */
} pith_i_table;

/*
 * Replaces the recipe "auto" by a builder, which is also written to text: a grid if the shape of the images
 * is known; wordnet if it is installed and knows more than half of the features; else cluster. Other recipes
 * are unchanged, and text becomes "".
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
/* The number of features that are words in WordNet; PITH_E_FILE: it is not installed. */
pith_status pith_i_wordnet_known(pith_ctx *ctx, const pith_i_table *table, int64_t *out);

#endif
