/* The forecast of a long run, printed before it begins. */
#include "print.h"
#include "progress.h"
#include "session.h"

#include <math.h>
#include <stdio.h>

/* "45 s", "12 min", "3 h 20 min": no more digits than a forecast has. */
static void duration(double seconds, char text[32])
{
    const long minutes = seconds < 1e9 ? (long)(seconds / 60 + 0.5) : 16666667;
    if (seconds < 90)
        (void)snprintf(text, 32, "%.0f s", seconds);
    else if (minutes < 90)
        (void)snprintf(text, 32, "%ld min", minutes);
    else if (minutes < 6000)
        (void)snprintf(text, 32, "%ld h %ld min", minutes / 60, minutes % 60);
    else
        (void)snprintf(text, 32, "%ld days", minutes / 1440);
}

int session_forecast(session *w)
{
    enum { MANY_SAMPLES = 50000, LONG_SECONDS = 10 };
    const int64_t n = pith_matrix_rows(w->matrix), p = pith_matrix_cols(w->matrix);
    pith_forecast ahead;
    char time[32];
    int status = DONE;
    if (w->s->quiet || n < MANY_SAMPLES)
        return DONE;
    STEP(session_status(w, pith_run_forecast(w->ctx, w->matrix, w->params, 2, &ahead), WORKING));
    if (isnan(ahead.seconds))
        return DONE;
    progress_expect(ahead.seconds);
    duration(ahead.seconds, time);
    if (ahead.seconds >= LONG_SECONDS || w->s->verbose)
        note("%s on %lld samples x %lld features: about %s and up to %.1f GB of memory beyond the data "
             "(estimated from %lld samples)",
             pith_method_name(pith_params_method(w->params)), (long long)n, (long long)p, time,
             (double)ahead.bytes / 1e9, (long long)ahead.samples);
done:
    return status;
}
