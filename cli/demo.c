/* pith demo: every method on data whose informative features are known. */
#include "commands.h"
#include "print.h"
#include "progress.h"
#include "session.h"

#include <string.h>

enum { INFORMATIVE = 4 }; /* of the nrfs data: f1..f4 */

static void put_row(const session *w, const pith_method *method)
{
    const int64_t *ranking = pith_result_ranking(w->result);
    char chosen[128] = "";
    int found = 0;
    for (int i = 0; i < INFORMATIVE; i++) {
        found += ranking[i] < INFORMATIVE;
        (void)snprintf(chosen + strlen(chosen), sizeof chosen - strlen(chosen), "%s%s", i > 0 ? " " : "",
                       pith_matrix_feature_name(w->matrix, ranking[i]));
    }
    progress_clear();
    (void)printf("%-16s %-20s %d of %d      %8.3f\n", pith_method_name(method), chosen, found, INFORMATIVE,
                 pith_result_seconds(w->result));
    (void)fflush(stdout);
}

static int try_method(session *w, const pith_method *method)
{
    int status = DONE;
    STEP(session_status(w, pith_params_new(w->ctx, method, &w->params), WORKING));
    STEP(session_status(w, pith_run(w->ctx, w->matrix, w->params, &w->result), WORKING));
    put_row(w, method);
done:
    pith_result_free(w->result);
    pith_params_free(w->params);
    w->result = NULL;
    w->params = NULL;
    return status;
}

static int demo(const settings *s)
{
    const pith_method *method;
    session w;
    int status = DONE;
    STEP(session_open(s, &w));
    STEP(session_status(&w, pith_synth_nrfs(w.ctx, 11, &w.matrix), WORKING));
    (void)printf("%lld samples in four clusters, some of them noise; only f1 to f4 of %lld features matter.\n"
                 "Every method, with its defaults, names the four features it finds best:\n\n",
                 (long long)pith_matrix_rows(w.matrix), (long long)pith_matrix_cols(w.matrix));
    (void)printf("%-16s %-20s %-11s %8s\n", "method", "features chosen", "informative", "seconds");
    for (size_t i = 0; (method = pith_method_at(i)) != NULL; i++)
        if (!pith_method_needs_labels(method))
            STEP(try_method(&w, method));
done:
    session_close(&w);
    return status;
}

static const option *const options[] = {&option_seed, &option_threads, TALK_OPTIONS, NULL};

static const example examples[] = {
    {"pith demo", "all methods on the built-in data"},
    {"pith demo --seed 7", "the same on another draw of the data"},
    {NULL, NULL},
};

const command command_demo = {
    .name = "demo",
    .arguments = "",
    .purpose = "runs every method on built-in data with known informative features",
    .about = "The data is that of 'pith synth nrfs': 34 features, four of which matter, and noisy samples.\n",
    .options = options,
    .examples = examples,
    .run = demo,
};
