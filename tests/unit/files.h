/* For tests of readers and writers: files in a folder of their own, what a read must say, equal tables. */
#ifndef PITH_TESTS_UNIT_FILES_H
#define PITH_TESTS_UNIT_FILES_H

#include "support.h"

#include "matrix/matrix.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static char folder[64];

static inline int remove_one(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)info, (void)type, (void)walk;
    return remove(path);
}

/* Group setup and teardown: an empty folder, gone afterwards. */
static inline int make_folder(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof folder, "/tmp/pith-test-XXXXXX");
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static inline int remove_folder(void **state)
{
    (void)state;
    return nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* The path of a file in the folder; good until the eighth call from now. */
static inline const char *path_of(const char *name)
{
    static char paths[8][256];
    static int next;
    char *path = paths[next++ % 8];
    (void)snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static inline const char *put_bytes(const char *name, const void *bytes, size_t count)
{
    const char *path = path_of(name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, count, f), count);
    assert_int_equal(fclose(f), 0);
    return path;
}

static inline const char *put(const char *name, const char *text)
{
    return put_bytes(name, text, strlen(text));
}

static inline const char *put_gz(const char *name, const char *text)
{
    const char *path = path_of(name);
    gzFile f = gzopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(gzwrite(f, text, (unsigned)strlen(text)), strlen(text));
    assert_int_equal(gzclose(f), Z_OK);
    return path;
}

/* The whole text of a small file, in memory that the next call takes back. */
static inline const char *text_of_file(const char *path)
{
    static char text[1 << 16];
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    const size_t got = fread(text, 1, sizeof text - 1, f);
    (void)fclose(f);
    text[got] = '\0';
    return text;
}

static inline pith_matrix *read_with(pith_ctx *ctx, const char *path, const pith_read_options *options)
{
    pith_matrix *m = NULL;
    assert_ok(ctx, pith_matrix_read(ctx, path, options, &m));
    return m;
}

static inline pith_matrix *read_ok(pith_ctx *ctx, const char *path)
{
    return read_with(ctx, path, NULL);
}

/* Reading fails with this status and this message, in which @ stands for the path. */
static inline void read_fails(pith_ctx *ctx, const char *path, const pith_read_options *options,
                              pith_status status, const char *message)
{
    char want[1024];
    pith_matrix *m = NULL;
    const char *at = strchr(message, '@');
    const int before = at != NULL ? (int)(at - message) : 0;
    (void)snprintf(want, sizeof want, "%.*s%s%s", before, message, at != NULL ? path : "",
                   at != NULL ? at + 1 : message);
    const int64_t in_use = pith_i_bytes_in_use(ctx);
    assert_int_equal(pith_matrix_read(ctx, path, options, &m), status);
    assert_string_equal(pith_ctx_message(ctx), want);
    assert_null(m);
    assert_true(pith_i_bytes_in_use(ctx) == in_use);
}

static inline double at(const pith_matrix *m, int64_t i, int64_t j)
{
    double v = 0;
    pith_i_block(&m->data, i, 1, j, 1, &v, 1);
    return v;
}

static inline void same_text(const char *a, const char *b)
{
    if (a == NULL || b == NULL)
        assert_true(a == b);
    else
        assert_string_equal(a, b);
}

/* The same values to the bit, the same names and labels. Storage may differ. */
static inline void same_table(const pith_matrix *a, const pith_matrix *b)
{
    assert_int_equal(a->data.n, b->data.n);
    assert_int_equal(a->data.p, b->data.p);
    for (int64_t i = 0; i < a->data.n; i++)
        for (int64_t j = 0; j < a->data.p; j++) {
            const double x = at(a, i, j), y = at(b, i, j);
            if (memcmp(&x, &y, sizeof x) != 0)
                fail_msg("row %d, column %d: %.17g is not %.17g", (int)i, (int)j, x, y);
        }
    for (int64_t j = 0; j < a->data.p; j++)
        same_text(pith_matrix_feature_name(a, j), pith_matrix_feature_name(b, j));
    for (int64_t i = 0; i < a->data.n; i++) {
        same_text(pith_matrix_sample_name(a, i), pith_matrix_sample_name(b, i));
        same_text(pith_matrix_class_name(a, pith_matrix_label(a, i)),
                  pith_matrix_class_name(b, pith_matrix_label(b, i)));
    }
    assert_int_equal(pith_matrix_classes(a), pith_matrix_classes(b));
}

/* With the 1st, 2nd, 3rd ... allocation failing, reading says so and keeps nothing. */
static inline void read_survives_failing_allocations(pith_ctx *ctx, const char *path,
                                                     const pith_read_options *options)
{
    const int64_t before = pith_i_bytes_in_use(ctx);
    pith_status st = PITH_E_NOMEM;
    int64_t nth = 0;
    while (st != PITH_OK) {
        pith_matrix *m = NULL;
        assert_true(++nth < 1000);
        pith_i_fail_allocation(ctx, nth);
        st = pith_matrix_read(ctx, path, options, &m);
        pith_i_fail_allocation(ctx, 0);
        if (st != PITH_OK)
            assert_int_equal(st, PITH_E_NOMEM);
        pith_matrix_free(m);
        assert_true(pith_i_bytes_in_use(ctx) == before);
    }
    assert_true(nth > 3);
}

/* The same for writing; the old file is as it was after every failure, and nothing else is left over. */
static inline void write_survives_failing_allocations(pith_ctx *ctx, const pith_matrix *m, const char *name)
{
    const char *path = put(name, "old");
    const int64_t before = pith_i_bytes_in_use(ctx);
    pith_status st = PITH_E_NOMEM;
    int64_t nth = 0;
    while (st != PITH_OK) {
        assert_true(++nth < 1000);
        pith_i_fail_allocation(ctx, nth);
        st = pith_matrix_write(ctx, m, path);
        pith_i_fail_allocation(ctx, 0);
        if (st != PITH_OK) {
            assert_int_equal(st, PITH_E_NOMEM);
            assert_string_equal(text_of_file(path), "old");
        }
        assert_true(pith_i_bytes_in_use(ctx) == before);
    }
    assert_true(nth > 1);
    assert_int_equal(unlink(path), 0);
}

#endif
