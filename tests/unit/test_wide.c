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

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(more_than_2_to_the_31_entries_are_ranked),
    };
    return cmocka_run_group_tests_name("wide", tests, NULL, NULL);
}
