/* More stored entries than 32 bits count, in arrays that take hardly any memory: the same pages again and
 * again. */
#include "unit/support.h"

#include <sys/mman.h>
#include <unistd.h>

enum { P = 1 << 20, N = 2049, BYTES = 4 * P };

/* A page file of P numbers of 4 bytes. */
static int tile_of(const void *numbers)
{
    const int fd = memfd_create("tile", MFD_CLOEXEC);
    assert_true(fd >= 0 && write(fd, numbers, BYTES) == BYTES);
    return fd;
}

/* N tiles one behind the other: tile[i % 2], the last one tile[2]. */
static char *repeat(const int tile[3])
{
    char *all = mmap(NULL, (size_t)N * BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(all != MAP_FAILED);
    for (int64_t i = 0; i < N; i++)
        assert_true(mmap(all + i * BYTES, BYTES, PROT_READ, MAP_SHARED | MAP_FIXED,
                         tile[i == N - 1 ? 2 : i % 2], 0) != MAP_FAILED);
    for (int k = 0; k < 3; k++)
        (void)close(tile[k]);
    return all;
}

/* Every column has the values 1 and 2 in turn; the last value of the last row, entry N P - 1, is 100. */
static void more_than_2_to_the_31_entries_are_ranked(void **state)
{
    pith_ctx *ctx = *state;
    static int32_t columns[P];
    static float ones[P], twos[P], last[P];
    static int64_t start[N + 1];
    pith_matrix *m = NULL;
    pith_params *params = NULL;
    pith_result *r = NULL;
    if (!thorough())
        skip_because("goes through two thousand million entries: make check");
    for (int32_t j = 0; j < P; j++) {
        columns[j] = j;
        ones[j] = last[j] = 1;
        twos[j] = 2;
    }
    last[P - 1] = 100;
    for (int64_t i = 0; i <= N; i++)
        start[i] = i * P;
    assert_true(start[N] > INT64_C(1) << 31);
    char *indices = repeat((int[]){tile_of(columns), tile_of(columns), tile_of(columns)});
    char *values = repeat((int[]){tile_of(ones), tile_of(twos), tile_of(last)});
    assert_ok(
        ctx, pith_matrix_csr(ctx, N, P, PITH_F32, start, (const int32_t *)(const void *)indices, values, &m));
    assert_int_equal(pith_matrix_stored(m), start[N]);
    assert_ok(ctx, pith_params_new(ctx, pith_method_find("variance"), &params));
    assert_ok(ctx, pith_run(ctx, m, params, &r));
    assert_int_equal(pith_result_ranking(r)[0], P - 1);
    assert_near(pith_result_scores(r)[0], 1025.0 * 1024 / N / N, 1e-12);
    assert_true(pith_result_peak_bytes(r) < INT64_C(400) * P); /* numbers per feature, nothing per entry */
    pith_result_free(r);
    pith_params_free(params);
    pith_matrix_free(m);
    (void)munmap(indices, (size_t)N * BYTES);
    (void)munmap(values, (size_t)N * BYTES);
}

/* Few rows, each far from the next, so that the last one lies beyond 2^31 values: ranked as a small copy of
 * them is. */
static void rows_beyond_2_to_the_31_values_are_read(void **state)
{
    enum { ROWS = 12, COLUMNS = 5 };
    static const char *const methods[] = {"variance", "laplacian", "mcfs", "kmeans-energy"};
    const int64_t apart = INT64_C(1) << 28;
    const size_t bytes = (size_t)(ROWS * apart) * sizeof(float);
    float *far =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    float near[ROWS * COLUMNS];
    assert_true(far != MAP_FAILED && (ROWS - 1) * apart > INT64_C(1) << 31);
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t j = 0; j < COLUMNS; j++)
            near[i * COLUMNS + j] = far[i * apart + j] = (float)((3 * i + i * i * (j + 1)) % 17);
    for (size_t c = 0; c < COUNT(methods); c++) {
        pith_result *r[2] = {NULL};
        for (int k = 0; k < 2; k++) {
            pith_matrix *m = NULL;
            pith_params *params = NULL;
            assert_ok(*state, pith_matrix_dense(*state, ROWS, COLUMNS, PITH_F32, k == 0 ? near : far,
                                                k == 0 ? COLUMNS : apart, 1, &m));
            assert_ok(*state, pith_params_new(*state, pith_method_find(methods[c]), &params));
            assert_ok(*state, pith_run(*state, m, params, &r[k]));
            pith_params_free(params);
            pith_matrix_free(m);
        }
        assert_memory_equal(pith_result_scores(r[0]), pith_result_scores(r[1]), COLUMNS * sizeof(double));
        pith_result_free(r[0]);
        pith_result_free(r[1]);
    }
    (void)munmap(far, bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(more_than_2_to_the_31_entries_are_ranked),
        TEST(rows_beyond_2_to_the_31_values_are_read),
    };
    return cmocka_run_group_tests_name("wide", tests, NULL, NULL);
}
