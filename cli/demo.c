/* pith demo: every method on data whose informative features are known. */
#include "commands.h"
#include "print.h"
#include "progress.h"
#include "session.h"

#include <stdio.h>
#include <string.h>

enum { INFORMATIVE = 4 }; /* of the nrfs data: f1..f4 */

/* The features of an entry by name; baselines that rank none are described instead. */
static void chosen_features(const session *w, const pith_comparison *c, int64_t entry, char *text,
                            size_t size)
{
    int64_t count = 0;
    const int64_t *ranking = pith_comparison_ranking(c, entry, &count);
    const char *method = pith_comparison_method(c, entry);
    if (ranking == NULL) {
        (void)snprintf(text, size, "%s", strcmp(method, "random") == 0 ? "(20 draws)" : "(all 34)");
        return;
    }
    text[0] = '\0';
    for (int64_t i = 0; i < INFORMATIVE && i < count; i++)
        (void)snprintf(text + strlen(text), size - strlen(text), "%s%s", i > 0 ? " " : "",
                       pith_matrix_feature_name(w->matrix, ranking[i]));
}

static void put_entry(const session *w, const pith_comparison *c, int64_t entry)
{
    char chosen[128];
    double acc = 0, nmi = 0, sd = 0;
    const char *error = pith_comparison_error(c, entry);
    if (error != NULL) {
        (void)printf("%-15s failed: %s\n", pith_comparison_method(c, entry), error);
        return;
    }
    chosen_features(w, c, entry, chosen, sizeof chosen);
    (void)pith_comparison_figure(c, entry, 0, "acc", &acc, &sd);
    (void)pith_comparison_figure(c, entry, 0, "nmi", &nmi, &sd);
    (void)printf("%-15s %-20s %7.3f %7.3f", pith_comparison_method(c, entry), chosen, acc, nmi);
    if (pith_comparison_ranking(c, entry, NULL) != NULL)
        (void)printf(" %9.3f", pith_comparison_seconds(c, entry));
    (void)printf("\n");
}

static int demo(const settings *s)
{
    static const char *const fixed[] = {"tree=cluster", NULL}; /* for those that need one */
    static const pith_compare_options options = {
        .methods = "all", .features = "4", .restarts = 10, .clusters = 4, .settings = fixed};
    const pith_comparison_about about = {.data = "the data of pith synth nrfs",
                                         .command = s->report != NULL ? "pith demo --report FILE.html"
                                                                      : "pith demo"};
    pith_comparison *c = NULL;
    session w;
    int status = DONE;
    STEP(session_open(s, &w));
    STEP(check_place(&w, s->report));
    STEP(check_spared(&w, 0, NULL, NULL, s->report));
    STEP(session_status(&w, pith_synth_nrfs(w.ctx, 11, &w.matrix), WORKING));
    (void)printf("1280 samples: four clusters, and 80 samples of noise. Of the 34 features, only f1 to f4 "
                 "separate the\nclusters. Each method, with its default parameters, picks the four features "
                 "it ranks best; k-means on\nthese four is then compared with the true clusters. 1 is "
                 "perfect, except that the noise limits ACC to 0.94.\n\n");
    (void)printf("%-15s %-20s %7s %7s %9s\n", "method", "features chosen", "ACC", "NMI", "seconds");
    (void)fflush(stdout);
    STEP(session_status(&w, pith_compare(w.ctx, w.matrix, &options, &c), WORKING));
    progress_clear();
    for (int64_t i = 0; i < pith_comparison_entries(c); i++)
        put_entry(&w, c, i);
    (void)printf("\nSee which methods find f1 to f4: those that use the columns unscaled follow the noise of "
                 "largest variance.\n");
    if (s->report != NULL) {
        STEP(session_status(&w, pith_comparison_write(w.ctx, c, &about, PITH_HTML, s->report), WRITING));
        note("the report is %s", s->report);
    }
done:
    pith_comparison_free(c);
    return session_end(&w, status);
}

static const option *const options[] = {&option_report, &option_force, &option_seed, &option_threads,
                                        &option_engine, TALK_OPTIONS,  NULL};

static const example examples[] = {
    {"pith demo", "all methods on the built-in data"},
    {"pith demo --report demo.html", "the same as an HTML report"},
    {NULL, NULL},
};

const command command_demo = {
    .name = "demo",
    .arguments = "",
    .purpose = "runs every method on built-in data with known informative features",
    .about = "The data is that of 'pith synth nrfs': 34 features, four of which matter, and noisy samples. "
             "It shows the whole workflow on a small scale: create data, rank, select, cluster, evaluate.\n",
    .options = options,
    .examples = examples,
    .run = demo,
};
