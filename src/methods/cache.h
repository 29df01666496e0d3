/*
 * A cache of what methods share on one table, built when first asked for: its statistics, the views that
 * --standardize asks for, graphs and their spectra, ensembles, trees. One run makes its own cache; a
 * comparison hands the same one to all its runs.
 */
#ifndef PITH_METHODS_CACHE_H
#define PITH_METHODS_CACHE_H

#include "core/search.h"
#include "graph/graph.h"
#include "graph/spectrum.h"
#include "matrix/scale.h"
#include "matrix/stats.h"
#include "matrix/view.h"
#include "methods/given.h"
#include "tree/tree.h"

/* A view of the data and, if it is sparse, its transpose once that was asked for. One view at a time is kept
 * beside the data as given. */
typedef struct pith_i_viewed {
    int kind; /* of pith_i_view_words; VIEW_AUTO: none made yet */
    pith_i_view view;
    pith_i_data T;
} pith_i_viewed;

/* What a graph is made from: the user's graph, the user's rows, or else a view of the data. */
typedef struct pith_i_source {
    int view;
    pith_i_given *graph, *rows;
} pith_i_source;

/* A graph, with as much of its spectrum as was asked for, and what they cost. */
typedef struct pith_i_cached_graph {
    pith_i_source source; /* holds a reference to the user's graph or rows */
    pith_i_graph_options options;
    pith_i_graph *graph;
    pith_i_spectrum spectrum;
    double graph_seconds, spectrum_seconds;
    pith_i_searching searching; /* search settings, and the recall reached */
    int64_t graph_peak;         /* most bytes held beyond the data and the view while the graph was built */
    struct pith_i_cached_graph *next;
} pith_i_cached_graph;

/* A tree over the features, by the text that asked for it. */
typedef struct pith_i_cached_tree {
    char *text;
    char became[PITH_I_CHOSEN]; /* what was chosen for auto; "": nothing */
    pith_tree *tree;
    struct pith_i_cached_tree *next;
} pith_i_cached_tree;

typedef struct pith_i_cache {
    const pith_i_data *X;
    const pith_i_names *features;  /* for trees; NULL: none. Set by the caller, as the next */
    bool by_columns;               /* pixels of images are numbered down the columns */
    const pith_i_batches *batches; /* graphs are balanced over them; NULL: none */
    pith_i_column_stats stats;
    bool *constant;     /* columns that vary by rounding at most: they are left out of everything */
    bool counts;        /* no negative value, fewer than half of all entries nonzero */
    double density;     /* share of entries that are not 0 */
    pith_i_heavy heavy; /* columns that outweigh all others */
    pith_i_scale scale; /* by pith_i_cache_scale, */
    bool scaled;        /* once this is set */
    pith_i_viewed given, other;
    pith_i_cached_graph *graphs;       /* most recently used first */
    int64_t built;                     /* graphs built so far, those of ensembles among them */
    struct pith_i_ensemble *ensembles; /* methods/ensemble.h */
    pith_i_cached_tree *trees;
} pith_i_cache;

/*
 * Statistics and constants are scratch: take a mark before this, and free the cache before releasing it.
 * Data with fewer than two rows, no column, or nothing but constants is PITH_E_DATA.
 */
pith_status pith_i_cache_new(pith_ctx *ctx, const pith_i_data *X, pith_i_cache *out);
void pith_i_cache_free(pith_i_cache *cache);

/* The scale of the values; unknown if one is negative. */
pith_status pith_i_cache_scale(pith_ctx *ctx, pith_i_cache *cache, const pith_i_scale **out);
/* Valid until another view is asked for; kind is not VIEW_AUTO. */
pith_status pith_i_cache_view(pith_ctx *ctx, pith_i_cache *cache, int kind, const pith_i_viewed **out);
/* X' of a sparse view, made on first request and valid as long as the view; NULL for a dense one. */
pith_status pith_i_cache_columns(pith_ctx *ctx, pith_i_cache *cache, int kind, const pith_i_data **out);
/* The cost of what a run got from the cache: its own cost and this add up to that of the same run alone. */
typedef struct pith_i_reuse {
    double seconds;
    int64_t peak;
} pith_i_reuse;

/*
 * A second request for the same graph gets the same one. It is valid until pith_i_cache_trim, which a
 * comparison calls between two runs: a run may hold as many graphs as it likes while it runs, and none
 * afterwards. For a graph that the user gave, the options are ignored.
 */
pith_status pith_i_cache_graph_of(pith_ctx *ctx, pith_i_cache *cache, pith_i_source source,
                                  const pith_i_graph_options *options, pith_i_reuse *reuse,
                                  pith_i_cached_graph **out);
/*
 * Keeps the PITH_I_GRAPHS_KEPT most recently used graphs. All methods at their own settings, the judge and
 * the map ask for 7 different ones of dense data and for 10 of counts, so that a comparison without a grid
 * builds each once. A grid over what makes a graph (neighbors, t_factor) builds more: as long as they fit,
 * all methods share them; beyond that every method builds its own again, and memory does not grow with the
 * grid.
 */
enum { PITH_I_GRAPHS_KEPT = 12 };
void pith_i_cache_trim(pith_i_cache *cache);
/* pith_i_cache_graph_of a view of the data. */
pith_status pith_i_cache_graph(pith_ctx *ctx, pith_i_cache *cache, int view,
                               const pith_i_graph_options *options, pith_i_reuse *reuse,
                               pith_i_cached_graph **out);
/* The tree of a builder's text, or of a file; kept as long as the cache. */
pith_status pith_i_cache_tree(pith_ctx *ctx, pith_i_cache *cache, const char *text,
                              const pith_i_cached_tree **out);
/* At least the first m pairs of the graph's spectrum. */
pith_status pith_i_cached_spectrum(pith_ctx *ctx, pith_i_cached_graph *cached, int64_t m,
                                   pith_i_reuse *reuse);

#endif
