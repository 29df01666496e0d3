/* Many weak clusterings of the samples, each made from a subset of the features. */
#ifndef PITH_METHODS_ENSEMBLE_H
#define PITH_METHODS_ENSEMBLE_H

#include "methods/cache.h"

/*
 * The balanced design: the features are dealt out into BLOCKS blocks by chance, and the columns of a Hadamard
 * matrix of that order cut the blocks into halves SPLITS times. Draws 2r and 2r + 1 see the two halves of
 * split r. Two blocks are apart in 6 of the 11 splits, and every block is missing in exactly 11 draws: what
 * these find was found without its features.
 */
enum { PITH_I_BLOCKS = 12, PITH_I_SPLITS = PITH_I_BLOCKS - 1, PITH_I_HALVES = 2 * PITH_I_SPLITS };
/* Does the half that is seen by this draw of the design have the block? */
bool pith_i_half_has(int64_t draw, int block);

/* The block of each of p features, by the seed. Constant ones have one, too: what varies must not decide
 * where others go. */
pith_status pith_i_deal_out(pith_ctx *ctx, int64_t p, int64_t design, uint8_t *block);

typedef struct pith_i_ensemble_options {
    int64_t draws, neighbors;
    double share;     /* of the features; 1/2: the design, anew after every 22 draws; else drawn freely */
    int64_t clusters; /* c; 0: unknown */
    bool tests;       /* with groups to test features on, too; for the design alone */
} pith_i_ensemble_options;

/* Are its draws those of the design? */
static inline bool pith_i_is_balanced(const pith_i_ensemble_options *o)
{
    return o->share == 0.5;
}

/* Runs of k-means, each with starts of its own: draws from 1 on, judges after them, tests after both. */
enum { PITH_I_JUDGE_RUNS = 1, PITH_I_TEST_RUNS = 16 };

typedef struct pith_i_ensemble {
    pith_i_ensemble_options options;
    bool counts;                /* cosine graphs of the view sqrt-idf; else Euclidean graphs of z-scores */
    const pith_i_data *samples; /* what was clustered: where its rows lie, not what they hold */
    int64_t n;                  /* rows held here, */
    int64_t all;                /* of so many */
    int64_t *groups;            /* of every draw */
    int32_t *label;             /* of draw b: label + b * n */
    bool *saw_all;  /* of every draw: its own subset had no feature that varies, so that it saw all of them */
    uint8_t *block; /* of every feature, in the last design */
    /* The same of the groups to test on, 4, 8 and 16 in turn; NULL: none. What stands in `label` if c is
     * unknown. */
    int64_t *test_groups;
    int32_t *test_label;
    pith_i_searching searching; /* how the neighbours were to be found, and what came of it */
    double seconds;
    double grouping;              /* the part of them that was not spent on graphs */
    struct pith_i_ensemble *twin; /* while it is made: another that is made from the same graphs; or NULL */
    struct pith_i_ensemble *next;
} pith_i_ensemble;

/*
 * A draw clusters the samples spectrally by its subset of the features that vary: the graph of the nearest
 * neighbours, the first k - 1 eigenvectors without the trivial one, rows to unit length, k-means with 5
 * starts into k groups. k is c and 2c in turn, 4, 8 and 16 where c is unknown, the same for both halves of a
 * split, at most n/3 and at least 2. No byte of it hangs on features outside the subset, but for the kind of
 * data that all of them make it (counts or not). Kept in the cache: who asks for the same again gets the
 * same. n >= 3. Where rows are spread over processes, each has the labels of its own; they are those of one
 * process.
 */
pith_status pith_i_ensemble_get(pith_ctx *ctx, pith_i_cache *cache, const pith_i_ensemble_options *options,
                                pith_i_reuse *reuse, const pith_i_ensemble **out);

/* The same of an ensemble that nobody asked for before, and with it, from the same graphs, of one that
 * somebody will ask for: it differs in the numbers of its groups alone, neither in draws nor in neighbors nor
 * in share. Where that one cannot be made, this is not the place to say so. */
pith_status pith_i_ensemble_get_both(pith_ctx *ctx, pith_i_cache *cache,
                                     const pith_i_ensemble_options *options,
                                     const pith_i_ensemble_options *later, const pith_i_ensemble **out);

/* What exact searches of all draws take, where one of all columns takes `all`. shared: a pass of dense data
 * multiplies every column once, and adds up tiles for each draw; others cost half a search of all columns a
 * draw. */
double pith_i_ensemble_work(const pith_i_data *X, double all, int64_t draws, bool shared);

/* Mean NMI (over the larger entropy) of a labelling with those of as many groups; NaN: there are none. */
pith_status pith_i_ensemble_agreement(pith_ctx *ctx, const pith_i_ensemble *e, int64_t groups,
                                      const int32_t *label, double *out);

/*
 * How well k-means on the given columns alone finds the ensemble's groups: the best by inertia of so many
 * starts, or the mean over `every` one of them; then the mean over all numbers of groups that stand for c. On
 * the data as given, counts on their view sqrt-idf.
 */
pith_status pith_i_ensemble_judge(pith_ctx *ctx, pith_i_cache *cache, const pith_i_ensemble *e,
                                  int64_t starts, bool every, int64_t count, const int64_t *columns,
                                  double *out);

void pith_i_ensembles_free(pith_i_ensemble *list);

#endif
