/* What the tests of the binary formats share: files to write to, the seeds that make_seeds.py made,
 * comparisons. */
#ifndef PITH_TESTS_UNIT_BINARY_H
#define PITH_TESTS_UNIT_BINARY_H

#include "io/io.h"
#include "unit/support.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct tested {
    const char *name; /* "npy": the ending, and the folder of its seeds */
    pith_i_read_fn *read;
    pith_i_write_fn *write;
} tested;

/* Reads into a matrix of its own, which is freed and NULL where that fails. */
static inline pith_status read_as(pith_ctx *ctx, const tested *format, const char *path,
                                  const pith_read_options *options, pith_matrix **out)
{
    static const pith_read_options defaults = {0};
    pith_status st = PITH_OK;
    *out = NULL;
    TRY(pith_i_matrix_new(ctx, out));
    TRY(format->read(ctx, path, options != NULL ? options : &defaults, *out));
    TRY(pith_i_data_check(ctx, &(*out)->data));
    return PITH_OK;
done:
    pith_matrix_free(*out);
    *out = NULL;
    return st;
}

static inline pith_status write_as(pith_ctx *ctx, const tested *format, const pith_matrix *m,
                                   const char *path)
{
    pith_i_file file = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_file_create(ctx, path, &file));
    TRY(format->write(ctx, m, &file));
    TRY(pith_i_file_commit(ctx, &file));
done:
    pith_i_file_discard(&file);
    return st;
}

/* A path in a folder that goes away with the test program. */
static char test_folder[64];
static inline const char *test_path(const char *name)
{
    static char path[4][256];
    static int next;
    char *at = path[next++ % 4];
    (void)snprintf(at, sizeof path[0], "%s/%s", test_folder, name);
    return at;
}
static inline int make_folder(void **state)
{
    (void)state;
    (void)snprintf(test_folder, sizeof test_folder, "/tmp/pith-test-XXXXXX");
    return mkdtemp(test_folder) != NULL ? 0 : -1;
}
static inline int remove_folder(void **state)
{
    (void)state;
    DIR *folder = opendir(test_folder);
    for (const struct dirent *e = readdir(folder); e != NULL; e = readdir(folder))
        (void)unlinkat(dirfd(folder), e->d_name, 0);
    (void)closedir(folder);
    return rmdir(test_folder);
}

static inline void put_bytes(const char *path, const void *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

/* ---- Matrices to compare ------------------------------------------------------------------------- */

/* 5 x 3 with awkward values; sparse ones have an empty row and an empty column. */
static inline void make_matrix(pith_ctx *ctx, bool sparse, pith_dtype dtype, bool named, pith_matrix **out)
{
    static const double dense[15] = {0.1, -0.0, 1e300, 5e-324, 3,    -7, INFINITY, 1 / 3.0,
                                     NAN, 2,    1e-40, 4,      -0.5, 6,  1e15};
    static const char *const features[] = {"plain", "with, comma \"and\" quotes", "\xC3\xA7\xF0\x9F\x98\x80"};
    static const char *const samples[] = {"one", "", "three", "four", "five"};
    static const char *const labels[] = {"10", "9", "10", "2.5", "9"};
    static const char *const words[] = {"b", "a", "b", "1", "a"};
    assert_ok(ctx, pith_i_matrix_new(ctx, out));
    pith_i_data *X = &(*out)->data;
    if (sparse) {
        assert_ok(ctx, pith_i_data_new_csr(ctx, 5, 4, 6, dtype, X));
        static const int64_t start[] = {0, 2, 2, 3, 5, 6};
        static const int32_t cols[] = {0, 3, 1, 0, 1, 3};
        memcpy(pith_i_data_indptr(X), start, sizeof start);
        memcpy(pith_i_data_indices(X), cols, sizeof cols);
        for (int64_t e = 0; e < 6; e++)
            pith_i_set_value(pith_i_data_values(X), dtype, e, dense[e]);
    } else {
        assert_ok(ctx, pith_i_data_new_dense(ctx, 5, 3, dtype, X));
        for (int64_t e = 0; e < 15; e++)
            pith_i_set_value(pith_i_data_x(X), dtype, e, dense[e]);
    }
    if (named && !sparse)
        assert_ok(ctx, pith_matrix_set_feature_names(ctx, *out, features));
    if (named)
        assert_ok(ctx, pith_matrix_set_sample_names(ctx, *out, samples));
    if (named)
        assert_ok(ctx, pith_matrix_set_labels(ctx, *out, sparse ? words : labels));
}

static inline void assert_same_names(const pith_i_names *a, const pith_i_names *b)
{
    assert_int_equal(a->start != NULL, b->start != NULL);
    assert_int_equal(a->count, b->count);
    for (int64_t i = 0; i < a->count; i++)
        assert_string_equal(pith_i_name(a, i), pith_i_name(b, i));
}

/* Bit by bit, NaN and -0 included; a sparse one may have widened to double. */
static inline void assert_same(const pith_matrix *a, const pith_matrix *b, bool widened)
{
    const pith_i_data *X = &a->data, *Y = &b->data;
    assert_int_equal(X->n, Y->n);
    assert_int_equal(X->p, Y->p);
    assert_int_equal(X->sparse, Y->sparse);
    assert_int_equal(widened ? PITH_F64 : X->dtype, Y->dtype);
    if (X->sparse) {
        assert_memory_equal(X->indptr, Y->indptr, (size_t)(X->n + 1) * sizeof *X->indptr);
        assert_memory_equal(X->indices, Y->indices, (size_t)X->indptr[X->n] * sizeof *X->indices);
    }
    for (int64_t e = 0; e < pith_i_stored(X); e++) {
        const double x = pith_i_value(X->sparse ? X->values : X->x, X->dtype, e);
        const double y = pith_i_value(Y->sparse ? Y->values : Y->x, Y->dtype, e);
        assert_memory_equal(&x, &y, sizeof x);
    }
    assert_same_names(&a->features, &b->features);
    assert_same_names(&a->samples, &b->samples);
    assert_same_names(&a->classes, &b->classes);
    for (int64_t i = 0; i < X->n; i++)
        assert_int_equal(pith_matrix_label(a, i), pith_matrix_label(b, i));
}

static inline void assert_round_trip(pith_ctx *ctx, const tested *format, bool sparse, pith_dtype dtype,
                                     bool named, bool widened)
{
    char name[32];
    pith_matrix *m = NULL, *back = NULL;
    (void)snprintf(name, sizeof name, "trip.%s", format->name);
    make_matrix(ctx, sparse, dtype, named, &m);
    assert_ok(ctx, write_as(ctx, format, m, test_path(name)));
    assert_ok(ctx, read_as(ctx, format, test_path(name), NULL, &back));
    assert_same(m, back, widened);
    pith_matrix_free(m);
    pith_matrix_free(back);
}

/* All of dense and sparse, float and double, with names and labels and without. */
static inline void assert_all_round_trips(pith_ctx *ctx, const tested *format, bool sparse_widens)
{
    for (int sparse = 0; sparse < 2; sparse++)
        for (int dtype = 0; dtype < 2; dtype++)
            for (int named = 0; named < 2; named++)
                assert_round_trip(ctx, format, sparse, dtype == 0 ? PITH_F32 : PITH_F64, named,
                                  sparse && sparse_widens);
}

/* Column-major memory of the caller, and a window of rows of a sparse matrix. */
static inline void assert_writes_views(pith_ctx *ctx, const tested *format)
{
    static const double x[6] = {1, 2, 3, 4, 5, 6}; /* 3 x 2 by columns */
    pith_matrix *m = NULL, *window = NULL, *back = NULL;
    char name[32];
    double rows[6];
    (void)snprintf(name, sizeof name, "view.%s", format->name);
    assert_ok(ctx, pith_matrix_dense(ctx, 3, 2, PITH_F64, x, 1, 3, &m));
    assert_ok(ctx, write_as(ctx, format, m, test_path(name)));
    assert_ok(ctx, read_as(ctx, format, test_path(name), NULL, &back));
    assert_ok(ctx, pith_matrix_get_rows(ctx, back, 0, 3, rows));
    for (int k = 0; k < 6; k++)
        assert_true(rows[k] == x[k % 2 * 3 + k / 2]);
    pith_matrix_free(m);
    pith_matrix_free(back);
    make_matrix(ctx, true, PITH_F64, false, &m);
    assert_ok(ctx, pith_i_matrix_new(ctx, &window));
    window->data = pith_i_data_rows(&m->data, 2, 3);
    assert_ok(ctx, write_as(ctx, format, window, test_path(name)));
    assert_ok(ctx, read_as(ctx, format, test_path(name), NULL, &back));
    double from[12], to[12];
    assert_ok(ctx, pith_matrix_get_rows(ctx, m, 2, 3, from));
    assert_ok(ctx, pith_matrix_get_rows(ctx, back, 0, 3, to));
    assert_memory_equal(from, to, sizeof from);
    pith_matrix_free(back);
    pith_matrix_free(window);
    pith_matrix_free(m);
}

/* ---- Seeds --------------------------------------------------------------------------------------- */

typedef void seed_fn(pith_ctx *ctx, const tested *format, const char *name, const char *path);

/* Every seed whose name begins so; there must be at least as many. */
static inline void for_each_seed(pith_ctx *ctx, const tested *format, const char *beginning, int least,
                                 seed_fn *check)
{
    char folder[256], path[600];
    int count = 0;
    (void)snprintf(folder, sizeof folder, "%s/fuzz/corpus/%s", PITH_TESTS, format->name);
    DIR *seeds = opendir(folder);
    if (seeds == NULL)
        fail_msg("no folder %s", folder);
    for (const struct dirent *e = readdir(seeds); e != NULL; e = readdir(seeds)) {
        if (strncmp(e->d_name, beginning, strlen(beginning)) != 0)
            continue;
        (void)snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        check(ctx, format, e->d_name, path);
        count++;
    }
    (void)closedir(seeds);
    if (count < least)
        fail_msg("%d seeds %s* in %s where %d are needed", count, beginning, folder, least);
}

static inline const char *seed_path(const tested *format, const char *name)
{
    static char path[512];
    (void)snprintf(path, sizeof path, "%s/fuzz/corpus/%s/%s.%s", PITH_TESTS, format->name, name,
                   format->name);
    return path;
}

static inline void check_seed_names(const pith_matrix *m, const char *name)
{
    static const char *const features[] = {"a", "b", "\xC3\xA7"};
    char sample[] = "s1";
    const bool named = strstr(name, "-names") != NULL;
    for (int64_t j = 0; j < 3; j++) {
        const char *feature = pith_matrix_feature_name(m, j);
        if (named != (feature != NULL) || (named && strcmp(feature, features[j]) != 0))
            fail_msg("%s: feature %lld is named %s", name, (long long)j, feature);
    }
    for (int64_t i = 0; i < 4; i++, sample[1]++)
        if (named)
            assert_string_equal(pith_matrix_sample_name(m, i), sample);
}

/* What every good seed holds; see make_seeds.py. */
static inline void seed_reads_as_the_matrix(pith_ctx *ctx, const tested *format, const char *name,
                                            const char *path)
{
    static const double wanted[12] = {1, 0, 2, 0, 3, 0, 4, 0, 0, 0, 5, 6};
    pith_matrix *m = NULL;
    double rows[12];
    const pith_status st = read_as(ctx, format, path, NULL, &m);
    if (st != PITH_OK)
        fail_msg("%s: %s", pith_strerror(st), pith_ctx_message(ctx));
    if (pith_matrix_rows(m) != 4 || pith_matrix_cols(m) != 3)
        fail_msg("%s: %lld x %lld", name, (long long)pith_matrix_rows(m), (long long)pith_matrix_cols(m));
    assert_ok(ctx, pith_matrix_get_rows(ctx, m, 0, 4, rows));
    for (int k = 0; k < 12; k++)
        if (rows[k] != wanted[k])
            fail_msg("%s: value %d is %g, not %g", name, k, rows[k], wanted[k]);
    const bool labelled = strstr(name, "-y") != NULL, single = strstr(name, "f4") != NULL;
    if (pith_matrix_classes(m) != (labelled ? 2 : 0))
        fail_msg("%s: %d classes", name, pith_matrix_classes(m));
    for (int64_t i = 0; labelled && i < 4; i++)
        assert_int_equal(pith_matrix_label(m, i), i % 2);
    if (labelled)
        assert_string_equal(pith_matrix_class_name(m, 1), "2");
    if (single && pith_matrix_dtype(m) != PITH_F32)
        fail_msg("%s: floats became double", name);
    check_seed_names(m, name);
    pith_matrix_free(m);
}

static inline void seed_is_refused(pith_ctx *ctx, const tested *format, const char *name, const char *path)
{
    pith_matrix *m = NULL;
    const pith_status st = read_as(ctx, format, path, NULL, &m);
    const char *message = pith_ctx_message(ctx);
    if (st != PITH_E_DATA)
        fail_msg("%s: status %d, %s", name, st, message);
    if (strncmp(message, path, strlen(path)) != 0 || strchr(message, '\n') != NULL ||
        strlen(message) < strlen(path) + 12)
        fail_msg("%s: a poor message: %s", name, message);
    if (pith_ctx_peak_bytes(ctx) > 8 << 20)
        fail_msg("%s: took %lld bytes", name, (long long)pith_ctx_peak_bytes(ctx));
    pith_ctx_reset_peak(ctx);
}

/* Truth values are 1 and 0. */
static inline void seed_reads_as_truth(pith_ctx *ctx, const tested *format, const char *name,
                                       const char *path)
{
    static const double wanted[12] = {1, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 1};
    pith_matrix *m = NULL;
    double rows[12];
    (void)name;
    assert_ok(ctx, read_as(ctx, format, path, NULL, &m));
    assert_ok(ctx, pith_matrix_get_rows(ctx, m, 0, 4, rows));
    assert_memory_equal(rows, wanted, sizeof rows);
    pith_matrix_free(m);
}

/* Reading a good seed with every allocation failing in turn. */
typedef struct seed_of {
    const tested *format;
    const char *path;
} seed_of;
static inline pith_status read_seed(pith_ctx *ctx, void *arg)
{
    const seed_of *seed = arg;
    pith_matrix *m = NULL;
    const pith_status st = read_as(ctx, seed->format, seed->path, NULL, &m);
    pith_matrix_free(m);
    return st;
}
static inline void seed_survives_failing_allocations(pith_ctx *ctx, const tested *format, const char *name,
                                                     const char *path)
{
    seed_of seed = {format, path};
    (void)name;
    assert_survives_failing_allocations(ctx, read_seed, &seed, 1);
}

typedef struct write_of {
    const tested *format;
    const pith_matrix *m;
    const char *path;
} write_of;
static inline pith_status write_once(pith_ctx *ctx, void *arg)
{
    const write_of *w = arg;
    return write_as(ctx, w->format, w->m, w->path);
}
static inline void assert_writing_survives_failing_allocations(pith_ctx *ctx, const tested *format)
{
    char name[32];
    (void)snprintf(name, sizeof name, "failing.%s", format->name);
    for (int sparse = 0; sparse < 2; sparse++) {
        pith_matrix *m = NULL;
        make_matrix(ctx, sparse, PITH_F32, true, &m);
        write_of w = {format, m, test_path(name)};
        assert_survives_failing_allocations(ctx, write_once, &w, 1);
        pith_matrix_free(m);
    }
}

/* The message of a failure, which must have this status. */
static inline const char *refusal(pith_ctx *ctx, const tested *format, const char *path,
                                  const pith_read_options *options, pith_status wanted)
{
    pith_matrix *m = NULL;
    const pith_status st = read_as(ctx, format, path, options, &m);
    if (st != wanted)
        fail_msg("status %d where %d was expected: %s", st, wanted, pith_ctx_message(ctx));
    return pith_ctx_message(ctx);
}

static inline void assert_says(const char *message, const char *part)
{
    if (strstr(message, part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", message, part);
}

/* What all readers say of files that are none. */
static inline void assert_refuses_what_is_no_file(pith_ctx *ctx, const tested *format)
{
    assert_says(refusal(ctx, format, test_path("absent"), NULL, PITH_E_FILE),
                "absent: cannot be read: No such file");
    assert_says(refusal(ctx, format, test_folder, NULL, PITH_E_FILE), "is a directory");
}

#endif
