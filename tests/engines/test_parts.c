/*
 * What several processes produce together from parts of the samples: a file that equals that of one process
 * to the byte, and a comparison with the same figures.
 */
#include "engines/lockstep.h"
#include "matrix/matrix.h"
#include "unit/support.h"

#include "core/random.h"

#include <stdio.h>
#include <unistd.h>

enum { N = 60, P = 9 };

typedef struct table {
    bool sparse;
    pith_dtype dtype;
    double x[N * P];
    float narrow[N * P];
    int64_t indptr[N + 1];
    int32_t indices[N * P];
    int64_t cuts[MOST_MEMBERS + 1];
    const char *path;
    const pith_matrix *whole;
    const pith_comparison *compared;
} table;

static void fill(table *t)
{
    int64_t at = 0;
    for (int64_t i = 0; i < N; i++) {
        pith_i_stream s = pith_i_stream_at(5, PITH_I_RANDOM_BENCH, (uint64_t)i);
        for (int64_t j = 0; j < P; j++) {
            const double v = (j < 5 && (i + j) % 3 == 0 ? 6 : 0) + pith_i_random_normal(&s);
            if (t->sparse && (v < 0.3 || i == 17))
                continue;
            t->indices[at] = (int32_t)j;
            t->narrow[at] = (float)v;
            t->x[at++] = v;
        }
        t->indptr[i + 1] = at;
    }
}

static pith_matrix *rows_of(pith_ctx *ctx, const table *t, int64_t first, int64_t count)
{
    static const int64_t all[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    const char *names[P] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
    const size_t size = pith_i_dtype_size(t->dtype);
    const char *x = t->dtype == PITH_F64 ? (const char *)t->x : (const char *)t->narrow;
    int64_t starts[N + 1];
    pith_matrix *m = NULL, *kept = NULL;
    for (int64_t i = 0; i <= count; i++)
        starts[i] = t->indptr[first + i] - t->indptr[first];
    if (!t->sparse)
        must(pith_matrix_dense(ctx, count, P, t->dtype, x + (size_t)(first * P) * size, P, 1, &m) == PITH_OK);
    else
        must(pith_matrix_csr(ctx, count, P, t->dtype, starts, t->indices + t->indptr[first],
                             x + (size_t)t->indptr[first] * size, &m) == PITH_OK);
    must(pith_matrix_set_feature_names(ctx, m, names) == PITH_OK);
    must(pith_matrix_select(ctx, m, P, all, &kept) == PITH_OK); /* with row starts of its own */
    pith_matrix_free(m);
    return kept;
}

static void label_rows(pith_ctx *ctx, int64_t first, int64_t count, pith_matrix *m)
{
    const char *label[N];
    for (int64_t i = 0; i < count; i++)
        label[i] = (first + i) % 3 == 0 ? "x" : (first + i) % 3 == 1 ? "yy" : "z";
    must(pith_matrix_set_labels(ctx, m, label) == PITH_OK);
}

static void label_all(pith_ctx *ctx, pith_matrix *m)
{
    label_rows(ctx, 0, N, m);
}

static void cut(table *t, int members, bool empty)
{
    for (int r = 0; r <= members; r++)
        t->cuts[r] = empty && r == 1 ? 0 : N * (int64_t)r / members;
}

/* ---- A file -------------------------------------------------------------------------------------------- */

static void write_part(pith_ctx *ctx, int rank, void *arg)
{
    const table *t = arg;
    pith_matrix *m = rows_of(ctx, t, t->cuts[rank], t->cuts[rank + 1] - t->cuts[rank]);
    bool written = false;
    if (rank == 0) { /* as a reader leaves it */
        must(pith_i_matrix_new(ctx, &m->samples_of_all) == PITH_OK);
        m->samples_of_all->data.n = N;
        label_all(ctx, m->samples_of_all);
    }
    must(pith_matrix_write_parts(ctx, m, t->path, &written) == PITH_OK);
    must(written);
    pith_matrix_free(m);
}

static char *bytes_of(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *bytes = malloc(1 << 16);
    assert_non_null(f);
    *size = fread(bytes, 1, 1 << 16, f);
    (void)fclose(f);
    return bytes;
}

static void the_file_of_parts_is_that_of_one_process(void **state)
{
    static const char *const endings[] = {".npy", ".npz"};
    for (int variant = 0; variant < 16; variant++) {
        table *t = calloc(1, sizeof *t);
        char one[128], many[128];
        size_t sizes[2];
        assert_non_null(t);
        t->sparse = variant % 2 != 0;
        t->dtype = variant / 2 % 2 != 0 ? PITH_F32 : PITH_F64;
        (void)snprintf(one, sizeof one, "/tmp/pith-parts-%d-one%s", (int)getpid(), endings[variant / 4 % 2]);
        (void)snprintf(many, sizeof many, "/tmp/pith-parts-%d-many%s", (int)getpid(),
                       endings[variant / 4 % 2]);
        fill(t);
        pith_matrix *m = rows_of(*state, t, 0, N);
        label_all(*state, m);
        assert_int_equal(pith_matrix_write(*state, m, one), PITH_OK);
        t->path = many;
        cut(t, 2 + variant % 3, variant / 8 != 0);
        in_ring(2 + variant % 3, write_part, t);
        char *a = bytes_of(one, &sizes[0]), *b = bytes_of(many, &sizes[1]);
        assert_int_equal(sizes[0], sizes[1]);
        assert_memory_equal(a, b, sizes[0]);
        (void)unlink(one);
        (void)unlink(many);
        pith_matrix_free(m);
        free(a);
        free(b);
        free(t);
    }
}

/* Nothing is written where labels that only some parts have would be lost, or where the format cannot be
 * written in parts. */
static void refuse_part(pith_ctx *ctx, int rank, void *arg)
{
    const table *t = arg;
    pith_matrix *m = rows_of(ctx, t, t->cuts[rank], t->cuts[rank + 1] - t->cuts[rank]);
    bool written = true;
    must(pith_matrix_write_parts(ctx, m, "never.csv", &written) == PITH_OK && !written);
    if (rank == 1) {
        const char *label[N];
        for (int64_t i = 0; i < N; i++)
            label[i] = "x";
        must(pith_matrix_set_labels(ctx, m, label) == PITH_OK);
    }
    written = true;
    must(pith_matrix_write_parts(ctx, m, "never.npz", &written) == PITH_OK && !written);
    must(access("never.csv", F_OK) != 0 && access("never.npz", F_OK) != 0);
    pith_matrix_free(m);
}

static void what_parts_cannot_hold_is_left_to_one_process(void **state)
{
    table *t = calloc(1, sizeof *t);
    (void)state;
    assert_non_null(t);
    fill(t);
    cut(t, 2, false);
    in_ring(2, refuse_part, t);
    free(t);
}

/* ---- A comparison -------------------------------------------------------------------------------------- */

static const pith_compare_options short_run_options = {.size = sizeof short_run_options,
                                                       .methods = "laplacian,mutual-info,lgdfs",
                                                       .features = "3",
                                                       .restarts = 3};

static void compare_part(pith_ctx *ctx, int rank, void *arg)
{
    const table *t = arg;
    pith_compare_options o = short_run_options;
    pith_comparison *c = NULL;
    pith_matrix *m = rows_of(ctx, t, t->cuts[rank], t->cuts[rank + 1] - t->cuts[rank]);
    label_rows(ctx, t->cuts[rank], t->cuts[rank + 1] - t->cuts[rank], m);
    o.part = m;
    must(pith_compare(ctx, rank == 0 ? t->whole : m, &o, &c) == PITH_OK);
    must((rank == 0) == (c != NULL));
    for (int64_t e = 0; rank == 0 && e < pith_comparison_entries(t->compared); e++) {
        const char *method = pith_comparison_method(t->compared, e), *measure = NULL;
        must(strcmp(method, pith_comparison_method(c, e)) == 0);
        if (pith_method_find(method) != NULL && !pith_method_spreads(pith_method_find(method))) {
            must(strstr(pith_comparison_error(c, e), "in one process") != NULL);
            continue;
        }
        must(pith_comparison_error(c, e) == NULL);
        for (size_t i = 0; (measure = pith_comparison_measure(i)) != NULL; i++) {
            double one = 0, many = 0, sd = 0;
            const bool has = pith_comparison_figure(t->compared, e, 0, measure, &one, &sd);
            must(has == pith_comparison_figure(c, e, 0, measure, &many, &sd));
            must(!has || one == many);
        }
    }
    pith_comparison_free(c);
    pith_matrix_free(m);
}

static void figures_are_those_of_one_process(void **state)
{
    for (int sparse = 0; sparse < 2; sparse++) {
        table *t = calloc(1, sizeof *t);
        pith_comparison *c = NULL;
        assert_non_null(t);
        t->sparse = sparse != 0;
        t->dtype = PITH_F64;
        fill(t);
        pith_matrix *m = rows_of(*state, t, 0, N);
        label_all(*state, m);
        assert_int_equal(pith_compare(*state, m, &short_run_options, &c), PITH_OK);
        t->whole = m;
        t->compared = c;
        cut(t, 2 + sparse, sparse != 0);
        in_ring(2 + sparse, compare_part, t);
        pith_comparison_free(c);
        pith_matrix_free(m);
        free(t);
    }
}

/* An error in process 0 ends the other processes, too. */
static void fail_part(pith_ctx *ctx, int rank, void *arg)
{
    const table *t = arg;
    pith_compare_options o = {.size = sizeof o, .methods = "laplacian", .features = "100"};
    pith_comparison *c = NULL;
    pith_matrix *m = rows_of(ctx, t, t->cuts[rank], t->cuts[rank + 1] - t->cuts[rank]);
    o.part = m;
    must(pith_compare(ctx, rank == 0 ? t->whole : m, &o, &c) == (rank == 0 ? PITH_E_PARAMETER : PITH_OK));
    must(c == NULL);
    must(rank != 0 || strstr(pith_ctx_message(ctx), "more than the 9") != NULL);
    o.stability = 3;
    must(pith_compare(ctx, rank == 0 ? t->whole : m, &o, &c) == PITH_E_PARAMETER);
    pith_matrix_free(m);
}

static void a_wrong_comparison_ends_everywhere(void **state)
{
    table *t = calloc(1, sizeof *t);
    assert_non_null(t);
    t->dtype = PITH_F64;
    fill(t);
    pith_matrix *m = rows_of(*state, t, 0, N);
    t->whole = m;
    cut(t, 3, false);
    in_ring(3, fail_part, t);
    pith_matrix_free(m);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_file_of_parts_is_that_of_one_process),
        TEST(what_parts_cannot_hold_is_left_to_one_process),
        TEST(figures_are_those_of_one_process),
        TEST(a_wrong_comparison_ends_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
