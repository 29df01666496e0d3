#include "evaluate/agreement.h"

static double purity(const pith_i_contingency *t) /* rows are clusters */
{
    int64_t sum = 0;
    for (int64_t a = 0; a < t->rows; a++) {
        int64_t top = 0;
        for (int64_t e = t->start[a]; e < t->start[a + 1]; e++)
            top = t->count[e] > top ? t->count[e] : top;
        sum += top;
    }
    return (double)sum / (double)t->n;
}

static double pairs_of(int64_t groups, const int64_t *size)
{
    double pairs = 0;
    for (int64_t g = 0; g < groups; g++)
        pairs += (double)size[g] * (double)(size[g] - 1) / 2;
    return pairs;
}

/* (both - expected) / ((first + second) / 2 - expected), in pairs of samples that share a group (Hubert &
 * Arabie 1985). Both partitions trivial in the same way: 1. */
static double adjusted_rand(const pith_i_contingency *t)
{
    const double both = pairs_of(t->start[t->rows], t->count);
    const double first = pairs_of(t->rows, t->row_sum), second = pairs_of(t->cols, t->col_sum);
    if (first == both && second == both)
        return 1;
    const double expected = first * second / ((double)t->n * (double)(t->n - 1) / 2);
    return (both - expected) / ((first + second) / 2 - expected);
}

/* Class and cluster of the samples that have a class, and how many these are. */
static pith_status keep_known(pith_ctx *ctx, int64_t n, const int32_t **classes, const int32_t **clusters,
                              int64_t *count)
{
    int32_t *klass = NULL, *cluster = NULL;
    pith_status st = PITH_OK;
    *count = 0;
    for (int64_t i = 0; i < n; i++)
        *count += (*classes)[i] != -1;
    if (*count == 0)
        FAIL(ctx, PITH_E_DATA, "no sample has a class to measure against");
    if (*count == n)
        return PITH_OK;
    TRY(SCRATCH(ctx, klass, *count));
    TRY(SCRATCH(ctx, cluster, *count));
    *count = 0;
    for (int64_t i = 0; i < n; i++)
        if ((*classes)[i] != -1) {
            klass[*count] = (*classes)[i];
            cluster[(*count)++] = (*clusters)[i];
        }
    *classes = klass;
    *clusters = cluster;
done:
    return st;
}

pith_status pith_i_agreement_measure(pith_ctx *ctx, int64_t n, const int32_t *classes,
                                     const int32_t *clusters, pith_i_agreement *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_contingency t = {0};
    pith_status st = PITH_OK;
    int64_t matched = 0;
    TRY(keep_known(ctx, n, &classes, &clusters, &n));
    TRY(pith_i_contingency_make(ctx, n, clusters, classes, &t));
    TRY(pith_i_best_matching(ctx, &t, &matched, NULL));
    *out = (pith_i_agreement){
        .acc = (double)matched / (double)n,
        .nmi = pith_i_nmi(&t, PITH_I_NMI_MAX),
        .nmi_mean = pith_i_nmi(&t, PITH_I_NMI_ARITHMETIC),
        .nmi_geometric = pith_i_nmi(&t, PITH_I_NMI_GEOMETRIC),
        .ari = adjusted_rand(&t),
        .purity = purity(&t),
    };
done:
    pith_i_contingency_free(&t);
    pith_i_scratch_release(ctx, mark);
    return st;
}
