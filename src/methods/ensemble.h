/* Many weak clusterings of the samples, each made from a subset of the features. */
#ifndef PITH_METHODS_ENSEMBLE_H
#define PITH_METHODS_ENSEMBLE_H

#include "methods/cache.h"

/*
 * The balanced design: the features are dealt out at random into BLOCKS blocks, and the columns of a Hadamard
 * matrix of that order cut the blocks into halves SPLITS times. Draws 2r and 2r + 1 see the two halves of
 * split r. Two blocks are apart in 6 of the 11 splits, and every block is missing in exactly 11 draws: their
 * groups were found without its features.
 */
enum { PITH_I_BLOCKS = 12, PITH_I_SPLITS = PITH_I_BLOCKS - 1, PITH_I_HALVES = 2 * PITH_I_SPLITS };
/* Does the half of the features that this draw sees contain the block? */
bool pith_i_half_has(int64_t draw, int block);

/* The block of each of p features, drawn from the seed. Constant features have one too: which features vary
 * must not decide where the others go. */
pith_status pith_i_deal_out(pith_ctx *ctx, int64_t p, int64_t design, uint8_t *block);

typedef struct pith_i_ensemble_options {
    int64_t draws, neighbors;
    double share; /* of the features; 1/2: the design, dealt anew every 22 draws; else each drawn by itself */
    int64_t clusters; /* c; 0: unknown */
    bool pareto;      /* dense data as pareto shows it, not as z-scores */
    bool tests;       /* also make groups to test features on; with the design only */
} pith_i_ensemble_options;

/* Are its draws those of the design? */
static inline bool pith_i_is_balanced(const pith_i_ensemble_options *o)
{
    return o->share == 0.5;
}

/* Numbers of k-means runs, which key their random starts: draws count from 1, then judges, then tests. */
enum { PITH_I_JUDGE_RUNS = 1, PITH_I_TEST_RUNS = 16 };

typedef struct pith_i_ensemble {
    pith_i_ensemble_options options;
    bool counts;                /* cosine graphs of the view sqrt-idf; else Euclidean graphs */
    const pith_i_data *samples; /* the data clustered: for how its rows are spread, not for their values */
    int64_t n;                  /* rows held here, */
    int64_t all;                /* in all processes */
    int64_t *groups;            /* of every draw */
    int32_t *label;             /* of draw b: label + b * n */
    bool *saw_all;  /* of every draw: its own subset had no feature that varies, so that it saw all of them */
    uint8_t *block; /* of every feature, in the last design */
    /* The same of the groups to test on, 4, 8 and 16 in turn; NULL: none. If c is unknown, these are `groups`
     * and `label`. */
    int64_t *test_groups;
    int32_t *test_label;
    pith_i_searching searching; /* search settings, and the recall reached */
    double seconds;
    double grouping;              /* those of them that were spent on spectra and k-means */
    struct pith_i_ensemble *twin; /* only while it is made: another one made from the same graphs, or NULL */
    struct pith_i_ensemble *next;
} pith_i_ensemble;

/*
 * A draw clusters the samples spectrally by its subset of the features that vary: the graph of the nearest
 * neighbours, the first k - 1 eigenvectors without the trivial one, rows to unit length, k-means with 5
 * starts into k groups. k is c and 2c in turn, 4, 8 and 16 where c is unknown, the same for both halves of a
 * split, at most n/3 and at least 2. The result does not depend on features outside the subset, except that
 * all features decide whether the data is counts. Kept in the cache: a second request gets the same ensemble.
 * n >= 3. Where rows are spread over processes, each process has the labels of its own rows, the same as in
 * one process.
 */
pith_status pith_i_ensemble_get(pith_ctx *ctx, pith_i_cache *cache, const pith_i_ensemble_options *options,
                                pith_i_reuse *reuse, const pith_i_ensemble **out);

/* The same for an ensemble that is not in the cache. From the same graphs, a second one is made and cached
 * for a later request; it has the same draws, neighbors and share, but other numbers of groups. If only the
 * second one fails, it is dropped, and the later request reports the error. */
pith_status pith_i_ensemble_get_both(pith_ctx *ctx, pith_i_cache *cache,
                                     const pith_i_ensemble_options *options,
                                     const pith_i_ensemble_options *later, const pith_i_ensemble **out);

/* Operations of the exact searches of all draws, if a search over all columns takes `all`. shared: on dense
 * data one pass multiplies every column once and adds up tiles for each draw; otherwise each draw takes half
 * of `all`. */
double pith_i_ensemble_work(const pith_i_data *X, double all, int64_t draws, bool shared);

/* Mean NMI (over the larger entropy) of `label` with the draws of so many groups; NaN: there are none. */
pith_status pith_i_ensemble_agreement(pith_ctx *ctx, const pith_i_ensemble *e, int64_t groups,
                                      const int32_t *label, double *out);

/*
 * How well k-means on the given columns alone finds the ensemble's groups: the agreement of the start with
 * the lowest inertia or, with `every`, the mean over all starts; of c groups, or the mean over 4, 8 and 16 if
 * c is unknown. On the data as given, on z-scores where one column outweighs all others, counts on their view
 * sqrt-idf. Of more than PITH_I_JUDGED samples a random sample of that size is clustered and compared.
 */
enum { PITH_I_JUDGED = 20000 };
pith_status pith_i_ensemble_judge(pith_ctx *ctx, pith_i_cache *cache, const pith_i_ensemble *e,
                                  int64_t starts, bool every, int64_t count, const int64_t *columns,
                                  double *out);

void pith_i_ensembles_free(pith_i_ensemble *list);

#endif
