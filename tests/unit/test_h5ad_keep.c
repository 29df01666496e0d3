/* .h5ad out of .h5ad, as far as libpith sees it; tests/cli/test_h5ad.py holds it against anndata. */
#include "unit/binary.h"

static const tested h5ad = {"h5ad", pith_i_h5ad_read, pith_i_h5ad_write};
static const int64_t outer[] = {0, 2}, turned[] = {2, 0}, later[] = {1, 3};

/* Columns 0 and 2, or rows 1 and 3 of them, out of a good seed. */
static pith_matrix *part_of(pith_ctx *ctx, const char *path, bool some_rows)
{
    pith_matrix *m = NULL, *part = NULL;
    assert_ok(ctx, pith_matrix_read(ctx, path, NULL, &m));
    assert_ok(ctx, pith_matrix_select(ctx, m, 2, outer, &part));
    if (some_rows)
        assert_ok(ctx, pith_i_matrix_keep_rows(ctx, part, 2, later));
    pith_matrix_free(m);
    return part;
}

static void assert_same_table(pith_ctx *ctx, const pith_matrix *a, const pith_matrix *b, bool named)
{
    double rows[2][8] = {{0}};
    assert_int_equal(a->data.n, b->data.n);
    assert_int_equal(a->data.p, b->data.p);
    assert_int_equal(a->data.dtype, b->data.dtype);
    assert_int_equal(a->data.sparse, b->data.sparse);
    assert_ok(ctx, pith_matrix_get_rows(ctx, a, 0, a->data.n, rows[0]));
    assert_ok(ctx, pith_matrix_get_rows(ctx, b, 0, a->data.n, rows[1]));
    assert_memory_equal(rows[0], rows[1], sizeof rows[0]);
    if (named)
        assert_same_names(&a->features, &b->features);
    assert_same_names(&a->samples, &b->samples);
    for (int64_t i = 0; i < a->data.n; i++)
        assert_int_equal(pith_matrix_label(a, i) >= 0, pith_matrix_label(b, i) >= 0);
}

static void seed_is_cut(pith_ctx *ctx, const tested *format, const char *name, const char *path)
{
    (void)format;
    for (int way = 0; way < 4; way++) {
        pith_matrix *part = part_of(ctx, path, way % 2 == 1), *back = NULL;
        part->place->changed = way >= 2; /* then X comes from memory */
        const pith_status st = pith_matrix_write_with(ctx, part, path, test_path("kept.h5ad"));
        if (st != PITH_OK)
            fail_msg("%s: %s", name, pith_ctx_message(ctx));
        assert_ok(ctx, pith_matrix_read(ctx, test_path("kept.h5ad"), NULL, &back));
        assert_same_table(ctx, part, back, strstr(name, "-names") != NULL);
        pith_matrix_free(part);
        pith_matrix_free(back);
    }
}

static void all_kinds_of_files_are_cut(void **state)
{
    for_each_seed(*state, &h5ad, "good-", 9, seed_is_cut);
}

static void a_place_goes_through_choices_of_rows_and_columns(void **state)
{
    pith_ctx *ctx = *state;
    const int64_t last[] = {1};
    pith_matrix *part = part_of(ctx, seed_path(&h5ad, "good-csr-names"), true), *one = NULL, *made = NULL;
    assert_ok(ctx, pith_matrix_select(ctx, part, 1, last, &one));
    assert_string_equal(one->place->matrix, "X");
    assert_int_equal(one->place->rows, 4);
    assert_int_equal(one->place->columns, 3);
    assert_int_equal(one->place->column[0], 2);
    assert_memory_equal(one->place->row, later, sizeof later);
    assert_false(one->place->changed);
    assert_ok(ctx, pith_prep(ctx, part, "center", &made));
    assert_true(made->place->changed);
    assert_memory_equal(made->place->column, outer, sizeof outer);
    pith_matrix_free(made);
    pith_matrix_free(one);
    pith_matrix_free(part);
}

static void the_order_must_be_that_of_the_file(void **state)
{
    pith_ctx *ctx = *state;
    const char *source = seed_path(&h5ad, "good-csr-names");
    pith_matrix *m = NULL, *part = NULL;
    assert_ok(ctx, pith_matrix_read(ctx, source, NULL, &m));
    assert_ok(ctx, pith_matrix_select(ctx, m, 2, turned, &part));
    assert_int_equal(pith_matrix_write_with(ctx, part, source, test_path("turned.h5ad")), PITH_E_ARGUMENT);
    assert_says(pith_ctx_message(ctx), "its columns must be in the same order as in");
    assert_int_equal(access(test_path("turned.h5ad"), F_OK), -1);
    pith_matrix_free(part);
    pith_matrix_free(m);
}

static void a_source_that_has_changed_is_refused(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = NULL, *other = NULL;
    make_matrix(ctx, false, PITH_F32, true, &other);
    assert_ok(ctx, pith_matrix_write(ctx, other, test_path("source.h5ad")));
    assert_ok(ctx, pith_matrix_read(ctx, seed_path(&h5ad, "good-dense-f4-y-names"), NULL, &m));
    assert_int_equal(pith_matrix_write_with(ctx, m, test_path("source.h5ad"), test_path("out.h5ad")),
                     PITH_E_DATA);
    assert_says(pith_ctx_message(ctx), "X: has changed its shape since it was read");
    assert_int_equal(pith_matrix_write_with(ctx, m, test_path("gone.h5ad"), test_path("out.h5ad")),
                     PITH_E_FILE);
    assert_int_equal(access(test_path("out.h5ad"), F_OK), -1);
    pith_matrix_free(other);
    pith_matrix_free(m);
}

static void a_matrix_from_elsewhere_is_written_as_ever(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = NULL, *back = NULL;
    make_matrix(ctx, false, PITH_F32, true, &m);
    assert_ok(ctx, pith_matrix_write_with(ctx, m, "nowhere.h5ad", test_path("plain.h5ad")));
    assert_ok(ctx, pith_matrix_write_with(ctx, m, "nowhere.csv", test_path("plain.h5ad")));
    assert_ok(ctx, read_as(ctx, &h5ad, test_path("plain.h5ad"), NULL, &back));
    assert_same(m, back, false);
    assert_int_equal(pith_matrix_write_with(ctx, m, NULL, test_path("plain.h5ad")), PITH_E_ARGUMENT);
    pith_matrix_free(back);
    pith_matrix_free(m);
}

static void stopping_leaves_no_file(void **state)
{
    pith_ctx *ctx = *state;
    const char *source = seed_path(&h5ad, "good-csr-names");
    pith_matrix *part = part_of(ctx, source, false);
    (void)usleep(30000); /* progress is asked about no more often */
    pith_ctx_set_progress(ctx, stop_progress, NULL);
    assert_int_equal(pith_matrix_write_with(ctx, part, source, test_path("stopped.h5ad")), PITH_E_STOPPED);
    assert_int_equal(access(test_path("stopped.h5ad"), F_OK), -1);
    pith_matrix_free(part);
}

/* Reading, choosing and writing. */
static pith_status keep_once(pith_ctx *ctx, void *arg)
{
    const bool *changed = arg;
    const char *source = seed_path(&h5ad, "good-csr-f4-y-names");
    pith_matrix *m = NULL, *part = NULL;
    pith_status st = PITH_OK;
    TRY(pith_matrix_read(ctx, source, NULL, &m));
    TRY(pith_matrix_select(ctx, m, 2, outer, &part));
    TRY(pith_i_matrix_keep_rows(ctx, part, 2, later));
    part->place->changed = part->place->labelled = *changed;
    TRY(pith_matrix_write_with(ctx, part, source, test_path("failing.h5ad")));
done:
    pith_matrix_free(part);
    pith_matrix_free(m);
    return st;
}

static void every_failing_allocation_is_survived(void **state)
{
    for (int way = 0; way < 2; way++) {
        bool changed = way == 1;
        assert_survives_failing_allocations(*state, keep_once, &changed, 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(all_kinds_of_files_are_cut),
        TEST(a_place_goes_through_choices_of_rows_and_columns),
        TEST(the_order_must_be_that_of_the_file),
        TEST(a_source_that_has_changed_is_refused),
        TEST(a_matrix_from_elsewhere_is_written_as_ever),
        TEST(stopping_leaves_no_file),
        TEST(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests_name("h5ad_keep", tests, make_folder, remove_folder);
}
