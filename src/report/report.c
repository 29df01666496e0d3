/* pith_comparison_write: the one place where a comparison becomes a file. */
#include "report/report.h"
#include "core/file.h"
#include "core/options.h"

static pith_status check_image(pith_ctx *ctx, const pith_comparison *c, const pith_comparison_about *about)
{
    const int64_t p = c->m->origin != NULL ? c->m->origins : c->m->data.p; /* some may have been dropped */
    const int64_t rows = about->image_rows, cols = about->image_cols;
    if (rows == 0 && cols == 0)
        return PITH_OK;
    if (rows <= 0 || cols <= 0 || rows > p || cols > p || rows * cols != p)
        return pith_i_error(ctx, PITH_E_PARAMETER,
                            "an image of %lld x %lld pixels does not match the %lld features of the data",
                            (long long)rows, (long long)cols, (long long)p);
    return PITH_OK;
}

pith_status pith_comparison_write(pith_ctx *ctx, const pith_comparison *c, const pith_comparison_about *about,
                                  pith_format format, const char *path)
{
    pith_comparison_about a;
    pith_i_file file = {0};
    pith_status st = PITH_OK;
    if (ctx == NULL || c == NULL)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "no comparison was given");
    if ((int)format < PITH_CSV || (int)format > PITH_HTML)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "a comparison cannot be written in format %d", (int)format);
    TRY(TAKE_OPTIONS(ctx, pith_comparison_about, about, &a));
    TRY(check_image(ctx, c, &a));
    TRY(pith_i_file_create(ctx, path, &file));
    switch (format) {
    case PITH_CSV: pith_i_put_rows(file.stream, c, ','); break;
    case PITH_TSV: pith_i_put_rows(file.stream, c, '\t'); break;
    case PITH_JSON: TRY(pith_i_put_json(ctx, file.stream, c, &a)); break;
    case PITH_TEXT: TRY(pith_i_put_table(ctx, file.stream, c)); break;
    case PITH_HTML: TRY(pith_i_put_page(ctx, file.stream, c, &a)); break;
    }
    TRY(pith_i_file_commit(ctx, &file));
done:
    pith_i_file_discard(&file);
    return st;
}
