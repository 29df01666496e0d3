#include "report/text.h"

#include "core/bytes.h"
#include "core/text.h"

#include <math.h>
#include <string.h>

void pith_i_put_field(FILE *out, const char *text, char separator)
{
    const char special[] = {separator, '"', '\n', '\r', '\0'};
    if (strpbrk(text, special) == NULL && !pith_i_is_formula(text)) {
        (void)fputs(text, out);
        return;
    }
    (void)fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            (void)fputc('"', out);
        (void)fputc(*text, out);
    }
    (void)fputc('"', out);
}

void pith_i_put_string(FILE *out, const char *text)
{
    const char *end = text + strlen(text);
    uint32_t c = 0;
    (void)fputc('"', out);
    for (int bytes = 0; text<end; text += bytes> 0 ? bytes : 1) {
        bytes = pith_i_utf8(text, end, &c);
        if (bytes == 0)
            (void)fputs("\xEF\xBF\xBD", out);
        else if (c == '"' || c == '\\')
            (void)fprintf(out, "\\%c", (char)c);
        else if (c < 0x20)
            (void)fprintf(out, "\\u%04x", (unsigned)c);
        else
            (void)fwrite(text, 1, (size_t)bytes, out);
    }
    (void)fputc('"', out);
}

void pith_i_put_number(FILE *out, double v)
{
    char text[PITH_I_NUMBER_TEXT];
    (void)fputs(isfinite(v) ? pith_i_format_double(v, text) : "null", out);
}
