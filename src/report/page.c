/* The report page: page.html with the comparison's JSON in its middle. It loads nothing from elsewhere. */
#include "report/report.h"

#include "report/page.h"

#include <stdlib.h>
#include <string.h>

/* JSON inside a script element: "<" could end it, so it is written as an escape, which JSON allows. */
static void put_escaped(FILE *out, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (text[i] == '<')
            (void)fputs("\\u003c", out);
        else
            (void)fputc(text[i], out);
}

pith_status pith_i_put_page(pith_ctx *ctx, FILE *out, const pith_comparison *c,
                            const pith_comparison_about *about)
{
    static const char marker[] = "@DATA@";
    const char *middle = strstr(pith_i_page, marker);
    char *json = NULL;
    size_t size = 0;
    pith_status st = PITH_OK;
    FILE *memory = open_memstream(&json, &size);
    if (memory == NULL)
        FAIL(ctx, PITH_E_NOMEM, "out of memory: the page could not be written");
    st = pith_i_put_json(ctx, memory, c, about);
    if (fclose(memory) != 0 && st == PITH_OK)
        st = pith_i_error(ctx, PITH_E_NOMEM, "out of memory: the page could not be written");
    TRY(st);
    (void)fwrite(pith_i_page, 1, (size_t)(middle - pith_i_page), out);
    put_escaped(out, json, size);
    (void)fputs(middle + strlen(marker), out);
done:
    free(json);
    return st;
}
