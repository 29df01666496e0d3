/* A stranger's program: knows the installed header and nothing else. Exits 0 if the library it got is the one
 * that the header belongs to, and works. */
#include <stdio.h>
#include <string.h>

#include <pith.h>

int main(void)
{
    static const float x[6] = {1, 2, 3, 4, 5, 6};
    char version[64];
    pith_ctx *ctx = NULL;
    pith_matrix *matrix = NULL;
    int right;

    snprintf(version, sizeof version, "%d.%d.%d", PITH_VERSION_MAJOR, PITH_VERSION_MINOR, PITH_VERSION_PATCH);
    if (strcmp(version, pith_version()) != 0)
        return 1;
    if (pith_ctx_new(&ctx) != PITH_OK)
        return 2;
    if (pith_matrix_dense(ctx, 3, 2, PITH_F32, x, 2, 1, &matrix) != PITH_OK) {
        fprintf(stderr, "%s\n", pith_ctx_message(ctx));
        pith_ctx_free(ctx);
        return 3;
    }
    right = pith_matrix_rows(matrix) == 3 && pith_matrix_cols(matrix) == 2;
    pith_matrix_free(matrix);
    pith_ctx_free(ctx);
    printf("pith %s\n", version);
    return right ? 0 : 4;
}
