/* How long a run will take, and how much memory: measured on some of the samples and extrapolated. */
#ifndef PITH_SELECT_FORECAST_H
#define PITH_SELECT_FORECAST_H

#include "matrix/matrix.h"
#include "methods/params.h"

/*
 * Runs the method on random subsets of the samples, each twice as large as the one before, for about `budget`
 * seconds, a twentieth of what the run will take, or until a subset is a quarter of the data. With the times
 * t1, t2 of the last two, of m1 and m2 samples, the forecast for n samples is
 *
 *     t2 (n / m2)^e,   e = log(t2 / t1) / log(m2 / m1), not below 1 nor above 2
 *
 * since no method grows faster than the square of the samples; memory grows linearly. The result of the run
 * itself does not depend on it. out->seconds is NaN if there is no forecast: the samples are few, belong to
 * batches or are spread over processes, come with a graph or labels to start from that cannot be cut to a
 * subset, or the method fails on a subset.
 */
pith_status pith_i_forecast(pith_ctx *ctx, const pith_matrix *m, const pith_params *params, double budget,
                            pith_forecast *out);

/* The formula above. */
double pith_i_extrapolate(double m1, double t1, double m2, double t2, double n);

#endif
