/* How long a run will take, and how much memory: measured on some of the samples and extrapolated. */
#ifndef PITH_SELECT_FORECAST_H
#define PITH_SELECT_FORECAST_H

#include "matrix/matrix.h"
#include "methods/params.h"

/*
 * Runs the method on random subsets of the samples, each twice as large as the one before, until they have
 * taken about `budget` seconds or a twentieth of the forecast (half a second at least), or until a subset
 * would exceed a quarter of the data. With the times t1, t2 of the last two, of m1 and m2 samples, the
 * forecast for n samples is
 *
 *     a n + b n^2,   a m1 + b m1^2 = t1,   a m2 + b m2^2 = t2,   a, b >= 0
 *
 * since parts of a run grow with the samples and others with their pairs, and none faster; if there are no
 * such a and b, the curve passes through t2 only. Where the run will search for neighbours approximately, so
 * do the subsets, and the forecast is the line through both times, no steeper than that from 0 and at least a
 * quarter as steep. Memory always grows along a line. The result of the run itself does not depend on it.
 * out->seconds is NaN if there is no forecast: the samples are few, belong to batches or are spread over
 * processes, come with a graph or initial labels, which are not cut to a subset, or the method fails on a
 * subset.
 */
pith_status pith_i_forecast(pith_ctx *ctx, const pith_matrix *m, const pith_params *params, double budget,
                            pith_forecast *out);

/* The formulas above. */
double pith_i_extrapolate(double m1, double t1, double m2, double t2, double n);
double pith_i_extrapolate_line(double m1, double t1, double m2, double t2, double n);

#endif
