/*
 * What methods share on one table, built when first asked for and kept: its statistics, the views that
 * --standardize asks for, graphs and their spectra. One run makes its own; a comparison hands the same
 * parts to all its runs.
 */
#ifndef PITH_METHODS_PARTS_H
#define PITH_METHODS_PARTS_H

#include "graph/graph.h"
#include "graph/spectrum.h"
#include "matrix/scale.h"
#include "matrix/stats.h"
#include "matrix/view.h"
#include "methods/given.h"
#include "tree/tree.h"

/* A view with its transpose if it is sparse. One at a time is kept beside the data as given. */
typedef struct pith_i_seen {
    int kind; /* of pith_i_view_words; VIEW_AUTO: none made yet */
    pith_i_view view;
    pith_i_data T;
} pith_i_seen;

/* What a graph is made from: a graph that the user gave, or rows, or where there is neither a view. */
typedef struct pith_i_source {
    int view;
    pith_i_given *graph, *rows;
} pith_i_source;

/* A graph, with as much of its spectrum as was asked for, and what they cost. */
typedef struct pith_i_net {
    pith_i_source source; /* holds what was given */
    pith_i_graph_options options;
    pith_i_graph *graph;
    pith_i_spectrum spectrum;
    double graph_seconds, spectrum_seconds;
    int64_t graph_peak; /* most bytes held beyond the data and the view while the graph was built */
    struct pith_i_net *next;
} pith_i_net;

/* A tree over the features, by the text that asked for it. */
typedef struct pith_i_grown {
    char *text;
    char became[PITH_I_CHOSEN]; /* what was chosen for auto; "": nothing */
    pith_tree *tree;
    struct pith_i_grown *next;
} pith_i_grown;

typedef struct pith_i_parts {
    const pith_i_data *X;
    const pith_i_names *features;  /* for trees; NULL: none. Set by the caller, as the next */
    bool by_columns;               /* images are counted down their columns */
    const pith_i_batches *batches; /* over which graphs are balanced; NULL: they are not */
    pith_i_column_stats stats;
    bool *constant;     /* columns that take part in nothing: they do not vary, but for rounding */
    bool counts;        /* no negative value, fewer than half of all entries nonzero */
    double density;     /* share of entries that are not 0 */
    pith_i_scale scale; /* by pith_i_parts_scale; */
    bool scaled;        /* found already */
    pith_i_seen given, other;
    pith_i_net *nets;                  /* the one that was asked for last comes first */
    int64_t built;                     /* graphs, for nets and ensembles, since the parts were made */
    struct pith_i_ensemble *ensembles; /* methods/ensemble.h */
    pith_i_grown *trees;
} pith_i_parts;

/*
 * Statistics and constants are scratch: take a mark before this, and free the parts before releasing it.
 * Data with fewer than two rows, no column, or nothing but constants is PITH_E_DATA.
 */
pith_status pith_i_parts_new(pith_ctx *ctx, const pith_i_data *X, pith_i_parts *out);
void pith_i_parts_free(pith_i_parts *parts);

/* What the values are; unknown where one is negative. */
pith_status pith_i_parts_scale(pith_ctx *ctx, pith_i_parts *parts, const pith_i_scale **out);
/* Valid until another view is asked for; kind is not VIEW_AUTO. */
pith_status pith_i_parts_view(pith_ctx *ctx, pith_i_parts *parts, int kind, const pith_i_seen **out);
/* What a run got from the parts without building it: added to its own, it is the cost of a run alone. */
typedef struct pith_i_reuse {
    double seconds;
    int64_t peak;
} pith_i_reuse;

/*
 * Who asks for the same again gets the same net. It is valid until pith_i_parts_trim, which a comparison
 * calls between two runs: a run may hold as many nets as it likes for as long as it runs, and none beyond.
 * The options mean nothing to a graph that was given.
 */
pith_status pith_i_parts_net_of(pith_ctx *ctx, pith_i_parts *parts, pith_i_source source,
                                const pith_i_graph_options *options, pith_i_reuse *reuse, pith_i_net **out);
/*
 * Of all nets the PITH_I_NETS_KEPT that were asked for last stay. All methods at their own settings, the
 * judge and the map ask for 7 different ones of dense data and for 10 of counts, so that a comparison without
 * a grid builds each once. A grid over what makes a graph (neighbors, t_factor) builds more: up to so many
 * values they are shared by all methods; beyond that every method builds its own again, and memory does not
 * grow with the grid.
 */
enum { PITH_I_NETS_KEPT = 12 };
void pith_i_parts_trim(pith_i_parts *parts);
/* Of a view of the data. */
pith_status pith_i_parts_net(pith_ctx *ctx, pith_i_parts *parts, int view,
                             const pith_i_graph_options *options, pith_i_reuse *reuse, pith_i_net **out);
/* The tree of a builder's text, or of a file; kept as long as the parts. */
pith_status pith_i_parts_tree(pith_ctx *ctx, pith_i_parts *parts, const char *text, const pith_i_grown **out);
/* At least the first m pairs of the net's spectrum. */
pith_status pith_i_net_spectrum(pith_ctx *ctx, pith_i_net *net, int64_t m, pith_i_reuse *reuse);

#endif
