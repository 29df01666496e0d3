/*
 * What a method is: one descriptor in its own file says everything about it. The command line, `pith
 * methods`, the Python keywords and the tables in the docs are read from it.
 */
#ifndef PITH_METHODS_METHOD_H
#define PITH_METHODS_METHOD_H

#include "core/search.h"
#include "methods/cache.h"

#include <math.h>

/* What run.c builds for a method, and the shared options that come with it. */
enum {
    NEEDS_GRAPH = 1,
    NEEDS_LABELS = 2,
    NEEDS_ALIKE = 4,  /* a graph of cosine weights, without negative ones, for any metric; no --weight */
    NEEDS_TREE = 8,   /* over the features; one is chosen where none is given */
    MAKES_GRAPHS = 16 /* builds graphs itself, balanced over the batches of the cache */
};

typedef enum pith_i_better { HIGHER, LOWER } pith_i_better;

/* The scale that a method expects: raw counts, or logarithms of counts normalised per sample. */
typedef enum pith_i_wants { WANTS_ANY, WANTS_COUNTS, WANTS_LOGS } pith_i_wants;

/* Why a feature has no score. The order is that of pith_i_reason_texts. */
typedef enum pith_i_reason {
    PITH_I_SCORED,
    PITH_I_CONSTANT,
    PITH_I_ROUNDING, /* its values differ by rounding only: pith_i_column_varies */
    PITH_I_FLAT,     /* it varies, but not where the graph has weight */
    PITH_I_OVERFLOW  /* the method came to no finite number */
} pith_i_reason;
extern const char *const pith_i_reason_texts[]; /* NULL for PITH_I_SCORED */

/* The user's initial clustering of the samples; n = 0: none. The params own its arrays. */
typedef struct pith_i_start {
    char *path; /* where it was read; NULL: it was given in memory */
    int64_t n;
    int32_t clusters, *label; /* labels lie in 0..clusters-1, and each occurs */
} pith_i_start;

/* A tree over the features. The params own both fields. */
typedef struct pith_i_tree_choice {
    char *text;       /* a builder with its settings (tree/build.h), or a file; NULL: auto */
    pith_tree *given; /* in memory */
} pith_i_tree_choice;

/* Every parameter struct begins with this; a table lists the rows that its method has. */
typedef struct pith_i_shared {
    int64_t neighbors, clusters;
    int metric, weight, standardize, graph;
    int search;    /* pith_i_search_mode; it and recall are rows of methods with neighbors */
    double recall; /* that an approximate search is to reach */
    double t_factor;
    int evidence;     /* methods/evidence.h */
    double diversity; /* redundancy control of the first `top` features: select/diverse.h */
    int64_t top;
    pith_i_start start;
    pith_i_tree_choice tree;
    pith_i_given *own_graph, *graph_rows; /* at most one of them is set; the params hold a reference */
} pith_i_shared;

enum { METRIC_AUTO, METRIC_EUCLIDEAN, METRIC_COSINE };
enum { WEIGHT_BINARY, WEIGHT_HEAT, WEIGHT_COSINE };
enum { GRAPH_KNN, GRAPH_FULL };
enum { EVIDENCE_AUTO, EVIDENCE_GROUPS, EVIDENCE_LINEAR, EVIDENCE_NONE };

#define PITH_I_AUTO INT64_MIN /* an integer left to pith; a real one is NaN */

typedef struct pith_i_param {
    pith_param shown;
    size_t offset; /* of the field in the method's struct */
} pith_i_param;

/* Facts that a run found, for the result: at most this many. */
enum { PITH_I_FACTS = 16, PITH_I_ROUNDS = 200 };
typedef struct pith_i_facts {
    size_t count;
    const char *name[PITH_I_FACTS];
    double value[PITH_I_FACTS];
    int64_t keep;                    /* features that the method itself would keep, where it says so */
    const char *note;                /* a remark on the result, a sentence of static text; NULL: none */
    const char *warning;             /* what makes the scores doubtful, likewise; NULL: nothing */
    char said[512];                  /* or a warning with numbers, by pith_i_warn; "": nothing */
    int64_t rounds;                  /* entries of objective: of a method that minimises one, */
    double objective[PITH_I_ROUNDS]; /* its value after each of the first PITH_I_ROUNDS rounds */
} pith_i_facts;
void pith_i_fact(pith_i_facts *facts, const char *name, double value);
/* How many features the method recommends to keep, best first: `-n auto`. For descriptors with .keeps. */
void pith_i_keep(pith_i_facts *facts, int64_t count);
void pith_i_round(pith_i_facts *facts, double objective);
__attribute__((format(printf, 2, 3))) void pith_i_warn(pith_i_facts *facts, const char *format, ...);

/* Warns if one column or a few outweigh all others (pith_i_heavy_find), of a method that compares samples by
 * the values as they are; those with NEEDS_GRAPH leave it to run.c. */
void pith_i_warn_of_units(const pith_i_cache *cache, const char *method, pith_i_facts *facts);

/* What a method asks to be done with its ranking. */
typedef struct pith_i_after {
    const struct pith_i_ensemble *ensemble; /* measure how well the first `top` features find its groups */
    const char *rival; /* the method whose ranking is taken instead if it does that better; NULL: none */
    bool thrifty;      /* keep the fewest features that nearly reach the best agreement: select/keep.h */
} pith_i_after;

/* What a method is given. Labels are NULL unless its descriptor says NEEDS_LABELS. */
typedef struct pith_i_input {
    int64_t n, p;                /* samples held here, features */
    int64_t all;                 /* samples of all processes: n, where one has them all */
    const pith_i_data *X;        /* as the method sees it, after its own preparation */
    const pith_i_data *T;        /* X' where X is sparse, else NULL */
    const double *shift;         /* sparse X stands for X - 1 shift'; NULL: it stands for itself */
    const bool *constant;        /* constant columns: they get no score */
    unsigned char *reason;       /* p, of pith_i_reason: by pith_i_unscored */
    const pith_i_graph *graph;   /* NEEDS_GRAPH */
    pith_i_cache *cache;         /* for the two functions below, */
    pith_i_cached_graph *cached; /* with the graph and its spectrum */
    pith_i_reuse *reuse;
    pith_i_shared *options; /* the run's copy: what was auto is filled in here */
    const int32_t *labels;  /* NEEDS_LABELS */
    int32_t classes;
    const pith_tree *tree; /* NEEDS_TREE */
    int64_t *order;        /* p; a method whose order is not that of its scores fills it, best first, */
    bool *ordered;         /* and says so here */
    int64_t n_counts;      /* feature counts that will be asked for, */
    const int64_t *counts;
    double *score_at; /* n_counts x p: a method whose choice depends on the count fills it too, */
    bool *scored_at;  /* and says so here; `score` then holds those for the largest count */
    pith_i_facts *facts;
    pith_i_after *after;
} pith_i_input;

/* The score of a feature that cannot have one, for this reason. Different features from different threads. */
static inline double pith_i_unscored(const pith_i_input *in, int64_t j, pith_i_reason why)
{
    in->reason[j] = (unsigned char)why;
    return (double)NAN;
}

/* At least the first m pairs of the graph's spectrum; cached for later calls. */
pith_status pith_i_input_spectrum(pith_ctx *ctx, const pith_i_input *in, int64_t m,
                                  const pith_i_spectrum **out);

/* The number of clusters, 2..n-1: the user's, that of the initial clustering, or estimated from the eigengap
 * of the method's graph (of five neighbours with heat weights, where it has none). Computed on request, so
 * that only methods that need it pay for it. */
pith_status pith_i_input_clusters(pith_ctx *ctx, const pith_i_input *in, int64_t *out);

struct pith_method {
    const char *name, *family, *reference;
    const char *title; /* what it does, one sentence */
    const char *notes; /* sign, where we leave the paper; NULL: nothing to say */
    unsigned needs;
    pith_i_better better;
    bool keeps;      /* says how many features to keep, by pith_i_keep */
    bool tests;      /* evidence auto is groups */
    bool spreads;    /* works where the samples are spread over processes */
    bool draws_rows; /* draws samples by index: reordering the samples changes the draws */
    bool by_rows; /* never looks at input.T, so the transpose of sparse data is not made for it beforehand */
    int dense_view, counts_view; /* what --standardize auto means for this method */
    bool counts_only;            /* refuses negative values */
    pith_i_wants wants;          /* the expected scale; another one gets a warning */
    bool order_matters;          /* ties in the data may be broken by the order of the samples */
    bool draws_features;         /* draws features by index: reordering the columns changes the draws */
    bool counts_matter;          /* the choice may depend on the number of features asked for */
    const pith_i_param *table;
    size_t n_table, params_size;
    const char *const *grid; /* what the papers tried, "t_factor=0.25,1,4"; NULL-ended; NULL: nothing */
    bool plain_relevance;    /* scores are >= 0 and 0 means irrelevant: diversity uses them as they are */
    /* Bytes held at once beside the data, as far as sizes and settings determine them: what must be in memory
     * and grows with n p, n^2 or p^2. A run without room for them is refused before it starts. NULL: few. */
    double (*need)(const pith_i_data *X, const void *params);
    /* score: p numbers, the paper's own; NaN: none. params are filled and in range. */
    pith_status (*score)(pith_ctx *ctx, const pith_i_input *in, const void *params, double *score);
};

/* Row i of the method's parameters: its own, then those that every method has; NULL past the end. A shared
 * row that the method's own table has is not repeated. */
const pith_i_param *pith_i_method_row(const pith_method *m, size_t i);
const pith_i_param *pith_i_method_row_named(const pith_method *m, const char *name); /* NULL: none */

/* ---- Rows of a table: name, type and offset are taken from the struct's field. ------------------------- */

#define TYPE_OF(record, field)                                                                               \
    _Generic(((record *)0)->field, int64_t                                                                   \
             : PITH_INT, double                                                                              \
             : PITH_REAL, bool                                                                               \
             : PITH_BOOL, int                                                                                \
             : PITH_CHOICE, pith_i_start                                                                     \
             : PITH_FILE, pith_i_tree_choice                                                                 \
             : PITH_FILE, pith_i_given *                                                                     \
             : PITH_FILE)
#define ROW(record, field, called, default_, low, high, can_auto, words, text)                               \
    {                                                                                                        \
        {.name = (called),                                                                                   \
         .help = (text),                                                                                     \
         .type = TYPE_OF(record, field),                                                                     \
         .def = (default_),                                                                                  \
         .lo = (low),                                                                                        \
         .hi = (high),                                                                                       \
         .can_be_auto = (can_auto),                                                                          \
         .choices = (words)},                                                                                \
            offsetof(record, field)                                                                          \
    }
#define PARAM(record, field, default_, low, high, text)                                                      \
    ROW(record, field, #field, default_, low, high, false, NULL, text)
extern const char *const pith_i_metric_words[],
    *const pith_i_weight_words[], *const pith_i_graph_words[], *const pith_i_search_words[],
                                                                   *const pith_i_evidence_words[];

#define GRAPH_PARAMS(record, neighbors_, weight_)                                                            \
    ROW(record, shared.neighbors, "neighbors", neighbors_, 1, 1e9, false, NULL,                              \
        "nearest neighbours of each sample in the graph, at most samples - 1"),                              \
        ROW(record, shared.metric, "metric", METRIC_AUTO, 0, 0, false, pith_i_metric_words,                  \
            "distance used to find neighbours; auto: cosine for untransformed counts, else euclidean"),      \
        ROW(record, shared.weight, "weight", weight_, 0, 0, false, pith_i_weight_words,                      \
            "edge weights: 1 (binary), exp(-d^2/t) (heat), or the cosine similarity"),                       \
        ROW(record, shared.t_factor, "t_factor", 1, 1e-6, 1e6, false, NULL,                                  \
            "scale of the heat kernel's width: t = t_factor * (mean distance over all pairs)^2")
/* The same for methods with NEEDS_ALIKE; the metric is cosine by default. */
#define ALIKE_PARAMS(record, neighbors_)                                                                     \
    ROW(record, shared.neighbors, "neighbors", neighbors_, 1, 1e9, false, NULL,                              \
        "nearest neighbours of each sample, at most samples - 1"),                                           \
        ROW(record, shared.metric, "metric", METRIC_COSINE, 0, 0, false, pith_i_metric_words,                \
            "distance used to find neighbours; auto: cosine for counts, else euclidean")
#define DIVERSITY_PARAM(record, default_)                                                                    \
    ROW(record, shared.diversity, "diversity", default_, 0, 100, false, NULL,                                \
        "redundancy control: 0 keeps the method's own order; larger values move features that correlate "    \
        "with better ones down")
#define CLUSTERS_PARAM(record)                                                                               \
    ROW(record, shared.clusters, "clusters", (double)NAN, 2, 1e9, true, NULL,                                \
        "number of clusters; auto: estimated from the eigengap of the graph")
/* With an initial clustering, clusters auto is its number of clusters. */
#define START_PARAM(record)                                                                                  \
    ROW(record, shared.start, "init_labels", 0, 0, 0, false, NULL,                                           \
        "a file with an initial clustering, one label per line; the labels of the data are never used")
#define TREE_PARAM(record)                                                                                   \
    ROW(record, shared.tree, "tree", (double)NAN, 0, 0, true, NULL,                                          \
        "a tree over the features: a file written by 'pith tree', or grid:HxW, cluster, wordnet, root; "     \
        "auto: grid "                                                                                        \
        "for images of known shape, wordnet for words, else cluster")
#define STANDARDIZE_PARAM(record)                                                                            \
    ROW(record, shared.standardize, "standardize", VIEW_AUTO, 0, 0, false, pith_i_view_words,                \
        "how the method scales its own view of the columns; the data itself is never changed")

#endif
