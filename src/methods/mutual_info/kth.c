#include "methods/mutual_info/kth.h"

#include "core/engine.h"

#include <math.h>
#include <string.h>

/* Maps doubles to whole numbers in the same order: all bits of negative ones are flipped, else the sign bit.
 */
static uint64_t key_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static double value_of(uint64_t key)
{
    const uint64_t bits = key >> 63 ? key & ~((uint64_t)1 << 63) : ~key;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* How many values of the column held here are at most x. */
static int64_t at_most(const pith_i_sorted *column, double x)
{
    int64_t lo = 0, hi = column->count;
    while (lo < hi) {
        const int64_t middle = lo + (hi - lo) / 2;
        if (column->value[middle] <= x)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo + (x >= 0 ? column->zeros : 0);
}

/* The smallest and largest value of every column. */
static pith_status find_ranges(pith_ctx *ctx, int64_t columns, const pith_i_sorted *column, double *least,
                               double *most)
{
    pith_status st = PITH_OK;
    for (int64_t c = 0; c < columns; c++) {
        const pith_i_sorted *of = &column[c];
        least[c] = of->count > 0 ? of->value[0] : (double)INFINITY;
        most[c] = of->count > 0 ? of->value[of->count - 1] : -(double)INFINITY;
        if (of->zeros > 0) {
            least[c] = fmin(least[c], 0);
            most[c] = fmax(most[c], 0);
        }
    }
    TRY(pith_i_sum_by(ctx, PITH_ENGINE_LEAST, columns, least));
    TRY(pith_i_sum_by(ctx, PITH_ENGINE_MOST, columns, most));
done:
    return st;
}

pith_status pith_i_kth_of_all(pith_ctx *ctx, int64_t columns, const pith_i_sorted *column, int64_t many,
                              const int64_t *k, double *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t total = columns * many;
    double *least = NULL, *most = NULL;
    uint64_t *lo = NULL, *hi = NULL;
    int64_t *count = NULL;
    bool open = true;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, least, columns));
    TRY(SCRATCH(ctx, most, columns));
    TRY(SCRATCH(ctx, lo, total));
    TRY(SCRATCH(ctx, hi, total));
    TRY(SCRATCH(ctx, count, total));
    TRY(find_ranges(ctx, columns, column, least, most));
    for (int64_t e = 0; e < total; e++) {
        lo[e] = key_of(least[e / many]);
        hi[e] = key_of(most[e / many]);
    }
    while (open) { /* the counts are the same in all processes, so all take the same number of rounds */
        open = false;
        for (int64_t e = 0; e < total; e++)
            count[e] = at_most(&column[e / many], value_of(lo[e] + (hi[e] - lo[e]) / 2));
        TRY(pith_i_sum_counts(ctx, total, count));
        for (int64_t e = 0; e < total; e++) {
            const uint64_t middle = lo[e] + (hi[e] - lo[e]) / 2;
            if (count[e] >= k[e % many])
                hi[e] = middle;
            else
                lo[e] = middle + 1;
            lo[e] = lo[e] < hi[e] ? lo[e] : hi[e];
            open = open || lo[e] < hi[e];
        }
    }
    for (int64_t e = 0; e < total; e++)
        out[e] = value_of(hi[e]);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
