/* A tree file in either form: it is refused in one line, or it is a tree that is written and read unchanged.
 */
#include "fuzz/fuzz.h"

#include <pith.h>

#include <string.h>

/* More features than this are legal, and only slow: a root takes them all. */
enum { MOST_FEATURES = 2000 };

static bool is_large(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i + 9 < size; i++)
        if (memcmp(data + i, "features", 8) == 0) {
            long long count = 0;
            for (i += 8; i < size && (data[i] == ' ' || data[i] == '\t'); i++)
                ;
            for (; i < size && data[i] >= '0' && data[i] <= '9' && count <= MOST_FEATURES; i++)
                count = 10 * count + (data[i] - '0');
            return count > MOST_FEATURES;
        }
    return false;
}

static void check_node(const pith_tree *t, int64_t g)
{
    const int32_t *feature = NULL, *above = NULL;
    const int64_t count = pith_tree_node(t, g, &feature), up = pith_tree_parent(t, g),
                  room = up >= 0 ? pith_tree_node(t, up, &above) : 0;
    if (count < 1 || (up < 0) != (g == 0) || up >= g || (g == 0 && count != pith_tree_features(t)))
        fuzz_fail("a node out of place", "");
    for (int64_t e = 0, f = 0; e < count; e++) {
        if (feature[e] < 0 || feature[e] >= pith_tree_features(t) || (e > 0 && feature[e - 1] >= feature[e]))
            fuzz_fail("features out of order", "");
        while (f < room && above[f] < feature[e])
            f++;
        if (up >= 0 && (f == room || above[f] != feature[e]))
            fuzz_fail("a child outside its parent", "");
    }
}

static void read_one(pith_ctx *ctx, const char *path, pith_tree **out)
{
    *out = NULL;
    const pith_status st = pith_tree_read(ctx, path, NULL, out);
    if (st == PITH_OK)
        for (int64_t g = 0; g < pith_tree_nodes(*out); g++)
            check_node(*out, g);
    else if (strncmp(pith_ctx_message(ctx), path, strlen(path)) != 0)
        fuzz_fail("a message that does not begin with the path", pith_ctx_message(ctx));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const endings[] = {".tree", ".csv"};
    pith_ctx *ctx = NULL;
    if (is_large(data, size) || pith_ctx_new(&ctx) != PITH_OK)
        return 0;
    for (size_t e = 0; e < COUNT(endings); e++) {
        char path[128], again[128];
        pith_tree *a = NULL, *b = NULL;
        fuzz_put(fuzz_path("in", endings[e], path), data, size);
        read_one(ctx, path, &a);
        if (a != NULL) {
            if (pith_tree_write(ctx, a, fuzz_path("out", ".tree", again)) != PITH_OK)
                fuzz_fail("cannot be written", pith_ctx_message(ctx));
            read_one(ctx, again, &b);
            if (b == NULL || pith_tree_nodes(a) != pith_tree_nodes(b))
                fuzz_fail("another tree when read again", pith_ctx_message(ctx));
        }
        for (int64_t g = 0; a != NULL && g < pith_tree_nodes(a); g++) {
            const int32_t *x = NULL, *y = NULL;
            const int64_t count = pith_tree_node(a, g, &x);
            if (pith_tree_node(b, g, &y) != count || memcmp(x, y, (size_t)count * sizeof *x) != 0 ||
                pith_tree_parent(a, g) != pith_tree_parent(b, g))
                fuzz_fail("another tree when read again", "");
        }
        pith_tree_free(a);
        pith_tree_free(b);
        if (pith_i_bytes_in_use(ctx) != 0)
            fuzz_fail("memory is kept after", pith_ctx_message(ctx));
    }
    pith_ctx_free(ctx);
    return 0;
}
