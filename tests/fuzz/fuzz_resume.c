/* The JSON that --resume takes up. Whatever it holds, the comparison is refused in one line or ends whole. */
#include "fuzz/fuzz.h"

#include "evaluate/comparison.h"

#include <math.h>
#include <string.h>

static void check_comparison(const pith_comparison *c)
{
    for (int64_t e = 0; e < c->n_entries; e++) {
        const int64_t *ranking = c->entries[e].ranking;
        if (!c->entries[e].done || c->entries[e].error != NULL)
            fuzz_fail("an entry that was not run", c->entries[e].method);
        for (int64_t r = 0; ranking != NULL && r < c->n_kept; r++)
            if (ranking[r] < 0 || ranking[r] >= c->m->data.p)
                fuzz_fail("a feature out of range", c->entries[e].method);
        for (int64_t k = 0; k < c->entries[e].n_rows; k++)
            for (int m = 0; m < MEASURES; m++) {
                const pith_i_figure *f = &c->entries[e].rows[k].figure[m];
                if (!isnan(f->mean) && (isnan(f->sd) || f->runs < 1))
                    fuzz_fail("half a figure", pith_i_measure_names[m]);
            }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const double x[] = {1, 0, 2, 1, 1, 3, 5, 4, 1, 6, 5, 0};
    static const char *const labels[] = {"a", "a", "b", "b"};
    char path[128];
    pith_ctx *ctx = NULL;
    pith_matrix *m = NULL;
    pith_comparison *c = NULL;
    const pith_compare_options options = {
        .methods = "variance", .features = "1,2", .restarts = 1, .resume = fuzz_path("in", ".json", path)};
    fuzz_put(path, data, size);
    if (pith_ctx_new(&ctx) != PITH_OK || pith_ctx_set_threads(ctx, 1) != PITH_OK ||
        pith_matrix_dense(ctx, 4, 3, PITH_F64, x, 3, 1, &m) != PITH_OK ||
        pith_matrix_set_labels(ctx, m, labels) != PITH_OK)
        fuzz_fail("no table", "");
    const pith_status st = pith_compare(ctx, m, &options, &c);
    const char *said = pith_ctx_message(ctx);
    if (st == PITH_OK)
        check_comparison(c);
    else if ((st != PITH_E_DATA && st != PITH_E_FILE) || strncmp(said, path, strlen(path)) != 0 ||
             strchr(said, '\n') != NULL)
        fuzz_fail("not one line that begins with the path", said);
    pith_comparison_free(c);
    pith_matrix_free(m);
    if (pith_i_bytes_in_use(ctx) != 0)
        fuzz_fail("memory is kept after", said);
    pith_ctx_free(ctx);
    return 0;
}
