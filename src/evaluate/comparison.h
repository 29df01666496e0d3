/*
 * The inside of a pith_comparison: methods with their settings, each measured at several feature counts.
 *
 *   plan.c        what is to be run, from the user's options or a paper's protocol
 *   judge.c       how good a selection is: cluster the data on it, measure
 *   tables.c      the tables that are worked on: all of the data, or draws from it
 *   structure.c   do features share structure at all, and what does chance look like?
 *   run_entries.c the run itself
 *   summary.c     best and median over settings, the order of methods, ties
 *   picture.c     what the report draws: a map of the samples, made once, with the run; overlap of selections
 */
#ifndef PITH_EVALUATE_COMPARISON_H
#define PITH_EVALUATE_COMPARISON_H

#include "core/engine.h"
#include "matrix/fingerprint.h"
#include "methods/evidence.h"
#include "methods/run.h"
#include "select/keep.h"

typedef enum pith_i_measure {
    MEASURE_ACC,
    MEASURE_NMI,
    MEASURE_NMI_MEAN,
    MEASURE_NMI_GEOMETRIC,
    MEASURE_ARI,
    MEASURE_PURITY,
    MEASURE_AGREEMENT, /* this and what follows need no labels */
    MEASURE_SILHOUETTE,
    MEASURE_REDUNDANCY,
    MEASURE_STABILITY, /* where subsamples are asked for */
    MEASURES
} pith_i_measure;
extern const char *const pith_i_measure_names[MEASURES];

typedef struct pith_i_figure {
    double mean, sd; /* over runs; NaN: not measured */
    int64_t runs;
} pith_i_figure;

/* One selection, measured. */
typedef struct pith_i_row {
    int64_t features;
    pith_i_figure figure[MEASURES];
} pith_i_row;

/* One method with one setting of its parameters. */
typedef struct pith_i_entry {
    char *method;        /* of the registry, or a yardstick's name */
    char *setting;       /* "lambda=1e-4 alpha=1"; "": defaults */
    pith_params *params; /* resolved by the run; NULL: a yardstick without parameters */
    int64_t *ranking;    /* the first n_kept features, best first; NULL: none (yardsticks, failed) */
    double *score;       /* of those, in the same order */
    pith_i_row *rows;    /* one per count */
    int64_t n_rows;
    double seconds;
    int64_t peak_bytes;
    double recall; /* least of its approximate searches for neighbours; 0: there were none */
    char *error;   /* why it failed; NULL: it did not */
    bool done;
} pith_i_entry;

typedef enum pith_i_clusterer { CLUSTER_KMEANS, CLUSTER_SPECTRAL } pith_i_clusterer;

typedef struct pith_i_protocol {
    const char *name; /* of the paper; NULL: the user's own */
    pith_i_clusterer clusterer;
    bool tfidf; /* columns are weighted before they are clustered: x ln(n / df), rows to unit norm */
    bool cosine, random_start, best_inertia; /* best_inertia: the best run counts, not the mean over runs */
    int64_t restarts, clusters;
    const char *clusters_from;            /* "labels", "user", "eigengap" */
    bool grids;                           /* methods are tried over their own grids */
    bool clusters_to_methods;             /* methods are told the number of clusters */
    int64_t subset_classes, subset_draws; /* 0: the whole data */
    int64_t subsamples;                   /* for stability; 0: it is not measured */
    pith_i_measure sort;                  /* the measure that methods are ordered by */
} pith_i_protocol;

/* Of the first table that is judged. Owned. */
typedef struct pith_i_structure {
    int64_t samples;
    pith_i_evidence evidence; /* shown.features 0: none */
    pith_i_evidence control;  /* the same for similar data without structure; shown.features 0: none */
    bool control_counts;      /* the control is counts without topics; else each column is shuffled */
    pith_i_curve curve;       /* of consensus; count 0: none */
    int64_t keep;             /* features, by that curve */
} pith_i_structure;

/*
 * The first two non-trivial eigenvectors of the graph over the samples, divided by the roots of the degrees.
 * Owned.
 */
typedef struct pith_i_map {
    int64_t count;   /* 0: there is none */
    int64_t *sample; /* rows shown: all, or PITH_I_MAP_SAMPLES of them at even steps */
    double *x, *y;   /* on all features */
    double *sx, *sy; /* on the selection of the best method; NULL: nothing was selected */
    int64_t entry, features;
    int32_t *colour; /* class (-1: none), or cluster where there are no labels */
    int32_t colours;
} pith_i_map;

struct pith_comparison {
    const pith_matrix *m; /* borrowed: it must outlive the comparison */
    pith_i_protocol protocol;
    int64_t *counts;
    int64_t n_counts;
    pith_i_entry *entries;
    int64_t n_entries;
    int64_t n_kept;     /* features of a ranking that are kept: for the largest count, and to be shown */
    char *settings;     /* fixed by the user for all methods that have them: "neighbors=7 weight=binary" */
    char *no_agreement; /* why it could not be measured; NULL: it was */
    bool complete;
    bool wants_control;
    pith_i_structure structure;
    char engine[PITH_I_ENGINE_NAME]; /* that it ran with; "": local */
    pith_i_map map;
    double recall;  /* least of all approximate searches, also of the judges and the map; NaN: none */
    int64_t graphs; /* built by the plan and on the judged tables: for methods, ensembles and the map */
    uint64_t seed;
    pith_i_fingerprint fingerprint; /* of m */
};

enum { PITH_I_SHOWN = 30 }; /* features shown by name */

void pith_i_entry_clear(pith_i_entry *e); /* removes what a run has added */

#endif
