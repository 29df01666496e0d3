#include "report/text.h"

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

/* Bytes of the UTF-8 character at s; 0: what stands there is none (overlong, surrogate, cut). */
static size_t character(const unsigned char *s)
{
    static const struct {
        unsigned char first, last, low, high; /* lead bytes, and what the second byte may be */
        size_t length;
    } kinds[] = {
        {0x00, 0x7F, 0x00, 0x00, 1}, {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
        {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3},
        {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
    };
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        if (s[0] < kinds[k].first || s[0] > kinds[k].last)
            continue;
        if (kinds[k].length > 1 && (s[1] < kinds[k].low || s[1] > kinds[k].high))
            return 0;
        for (size_t i = 2; i < kinds[k].length; i++)
            if ((s[i] & 0xC0) != 0x80)
                return 0;
        return kinds[k].length;
    }
    return 0;
}

void pith_i_put_string(FILE *out, const char *text)
{
    (void)fputc('"', out);
    for (const unsigned char *s = (const unsigned char *)text; *s != '\0';) {
        const size_t length = character(s);
        if (length == 0)
            (void)fputs("\xEF\xBF\xBD", out);
        else if (*s == '"' || *s == '\\')
            (void)fprintf(out, "\\%c", *s);
        else if (*s < 0x20)
            (void)fprintf(out, "\\u%04x", *s);
        else
            (void)fwrite(s, 1, length, out);
        s += length == 0 ? 1 : length;
    }
    (void)fputc('"', out);
}

void pith_i_put_number(FILE *out, double v)
{
    char text[PITH_I_NUMBER_TEXT];
    (void)fputs(isfinite(v) ? pith_i_format_double(v, text) : "null", out);
}
