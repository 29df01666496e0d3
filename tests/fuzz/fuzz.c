#include "fuzz/fuzz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void fuzz_fail(const char *what, const char *detail)
{
    (void)fprintf(stderr, "fuzz: %s: %s\n", what, detail);
    abort();
}

static char made[16][128]; /* files to remove */
static size_t made_count;

static void remove_made(void)
{
    while (made_count > 0)
        (void)unlink(made[--made_count]);
}

const char *fuzz_path(const char *base, const char *ending, char path[128])
{
    const char *folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    (void)snprintf(path, 128, "%s/pith-fuzz-%ld-%s%s", folder, (long)getpid(), base, ending);
    if (made_count == 0)
        (void)atexit(remove_made);
    for (size_t i = 0; i < made_count; i++)
        if (strcmp(made[i], path) == 0)
            return path;
    if (made_count < COUNT(made))
        (void)snprintf(made[made_count++], sizeof made[0], "%s", path);
    return path;
}

void fuzz_put(const char *path, const uint8_t *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    if (f == NULL || fwrite(data, 1, size, f) != size || fclose(f) != 0)
        fuzz_fail("cannot write", path);
}

/* A refusal is a code of its kind and one line that begins with a path. */
void fuzz_check_refusal(const pith_ctx *ctx, pith_status st, const char *path)
{
    const char *said = pith_ctx_message(ctx);
    if (st != PITH_E_DATA && st != PITH_E_FILE && st != PITH_E_NOMEM)
        fuzz_fail("an unexpected status", pith_strerror(st));
    if (said[0] == '\0' || strchr(said, '\n') != NULL)
        fuzz_fail("not one line", said);
    if (st != PITH_E_NOMEM && strncmp(said, path, strcspn(path, ".")) != 0)
        fuzz_fail("a message that does not begin with the path", said);
}

static double value(const pith_matrix *m, int64_t i, int64_t j)
{
    double v = 0;
    pith_i_block(&m->data, i, 1, j, 1, &v, 1);
    return v;
}

void fuzz_check_table(pith_ctx *ctx, const pith_matrix *m, bool finite)
{
    const pith_i_data *X = &m->data;
    if (X->n < 1 || X->p < 1)
        fuzz_fail("an empty table", "");
    if (pith_i_data_check(ctx, X) != PITH_OK)
        fuzz_fail("a broken table", pith_ctx_message(ctx));
    if (m->known_finite != finite || (finite && pith_i_data_check_finite(ctx, X) != PITH_OK))
        fuzz_fail("values that are not finite", "");
    if ((m->features.start != NULL && m->features.count != X->p) ||
        (m->samples.start != NULL && m->samples.count != X->n))
        fuzz_fail("names that do not fit", "");
    for (int64_t i = 0; m->label != NULL && i < X->n; i++)
        if (m->label[i] < -1 || m->label[i] >= m->classes.count)
            fuzz_fail("a label out of range", "");
}

static void same_text(const char *a, const char *b, const char *what)
{
    if (a == NULL ? b != NULL : b == NULL || strcmp(a, b) != 0)
        fuzz_fail(what, a != NULL ? a : "(none)");
}

static void same_table(const pith_matrix *a, const pith_matrix *b, int keeps)
{
    if (a->data.n != b->data.n || a->data.p != b->data.p)
        fuzz_fail("another shape came back", "");
    for (int64_t i = 0; i < a->data.n; i++)
        for (int64_t j = 0; j < a->data.p; j++) {
            const double x = value(a, i, j), y = value(b, i, j);
            if (!(x == y && !signbit(x) == !signbit(y)) && !(isnan(x) && isnan(y)))
                fuzz_fail("another value came back", "");
        }
    for (int64_t i = 0; keeps >= FUZZ_LABELS && i < a->data.n; i++)
        same_text(pith_matrix_class_name(a, pith_matrix_label(a, i)),
                  pith_matrix_class_name(b, pith_matrix_label(b, i)), "another label came back");
    for (int64_t i = 0; keeps >= FUZZ_NAMES && i < a->data.n; i++)
        same_text(pith_matrix_sample_name(a, i), pith_matrix_sample_name(b, i), "another row name came back");
    for (int64_t j = 0; keeps >= FUZZ_NAMES && j < a->data.p; j++) {
        /* A feature without a name may be given the one that it is shown with. */
        char text[24];
        const char *name = pith_matrix_feature_name(a, j), *back = pith_matrix_feature_name(b, j);
        if (name == NULL || *name == '\0') {
            (void)snprintf(text, sizeof text, "f%lld", (long long)j);
            if (back == NULL || *back == '\0' || strcmp(back, text) == 0)
                continue;
        }
        same_text(name, back, "another feature came back");
    }
}

/* Written and read again, it is the same. Large claims of little data are left alone: they take long. */
static void check_round_trip(pith_ctx *ctx, const pith_matrix *m, const char *ending, int keeps)
{
    const pith_read_options options = {.missing = PITH_MISSING_KEEP};
    char path[128];
    pith_matrix *back = NULL;
    if (m->data.n > 2000 || m->data.p > 2000 || m->data.n * m->data.p > 20000)
        return;
    (void)fuzz_path("back", ending, path);
    const pith_status st = pith_matrix_write_as(ctx, m, path, ending);
    if (st == PITH_E_DATA) /* what the format cannot hold */
        return;
    if (st != PITH_OK || pith_matrix_read(ctx, path, &options, &back) != PITH_OK)
        fuzz_fail("cannot come back", pith_ctx_message(ctx));
    same_table(m, back, keeps);
    pith_matrix_free(back);
}

void fuzz_path_reader(const char *path, const char *ending, int keeps)
{
    static const pith_missing ways[] = {PITH_MISSING_ERROR, PITH_MISSING_KEEP, PITH_MISSING_MEAN,
                                        PITH_MISSING_DROP_ROWS};
    pith_ctx *ctx = NULL;
    if (pith_ctx_new(&ctx) != PITH_OK || pith_ctx_set_threads(ctx, 1) != PITH_OK)
        fuzz_fail("no context", "");
    for (size_t w = 0; w < COUNT(ways); w++) {
        const pith_read_options options = {.missing = ways[w]};
        pith_matrix *m = NULL;
        const pith_status st = pith_matrix_read(ctx, path, &options, &m);
        if (st == PITH_OK) {
            fuzz_check_table(ctx, m, ways[w] != PITH_MISSING_KEEP);
            if (ways[w] == PITH_MISSING_ERROR || ways[w] == PITH_MISSING_KEEP)
                check_round_trip(ctx, m, ending, keeps);
            pith_matrix_free(m);
        } else {
            fuzz_check_refusal(ctx, st, path);
            if (strstr(pith_ctx_message(ctx), "the reader failed") != NULL)
                w = COUNT(ways) - 1; /* it would again, in the time that it may take */
        }
        if (pith_i_bytes_in_use(ctx) != 0)
            fuzz_fail("memory is kept after", pith_ctx_message(ctx));
    }
    pith_ctx_free(ctx);
}

void fuzz_reader(const uint8_t *data, size_t size, const char *ending, int keeps)
{
    char path[128];
    fuzz_put(fuzz_path("in", ending, path), data, size);
    fuzz_path_reader(path, ending, keeps);
}
