#include "core/text.h"

#include "pith.h"

#include <ctype.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool pith_i_parse_double(const char *text, double *out)
{
    const locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c == (locale_t)0)
        return false;
    char *end = NULL;
    const double v = strtod_l(text, &end, c);
    freelocale(c);
    if (end == text || *end != '\0' || isspace((unsigned char)text[0]))
        return false;
    *out = v;
    return true;
}

bool pith_i_is_formula(const char *text)
{
    double number;
    return text[0] != '\0' && strchr("=+-@\t\r", text[0]) != NULL && !pith_i_parse_double(text, &number);
}

enum { LONGEST_WORD = 64 };

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Edit distance (change, insert, delete, swap of adjacent letters) from a to b. Case is ignored: papers write
 * NDFS where we write ndfs. Words longer than LONGEST_WORD are far from all others. */
static size_t distance(const char *a, const char *b)
{
    const size_t la = strlen(a), lb = strlen(b);
    size_t row[3][LONGEST_WORD + 1];
    if (la > LONGEST_WORD || lb > LONGEST_WORD)
        return SIZE_MAX;
    for (size_t j = 0; j <= lb; j++)
        row[1][j] = j;
    for (size_t i = 1; i <= la; i++) {
        size_t *now = row[(i + 1) % 3], *last = row[i % 3], *before = row[(i + 2) % 3];
        now[0] = i;
        for (size_t j = 1; j <= lb; j++) {
            const char x = lower(a[i - 1]), y = lower(b[j - 1]);
            size_t best = last[j - 1] + (x != y);
            best = last[j] + 1 < best ? last[j] + 1 : best;
            best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
            if (i > 1 && j > 1 && x == lower(b[j - 2]) && lower(a[i - 2]) == y && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
    }
    return row[(la + 1) % 3][lb];
}

const char *pith_nearest(const char *word, const char *const *words)
{
    const char *best = NULL;
    if (word == NULL || words == NULL)
        return NULL;
    const size_t length = strlen(word);
    size_t least = length / 3 + 2; /* with this many edits or more it is another word */
    for (; *words != NULL; words++) {
        size_t d = distance(word, *words);
        /* The usual abbreviation is a prefix. */
        if (length >= 2 && strncmp(word, *words, length) == 0 && d > 1)
            d = 1;
        const size_t other = strlen(*words);
        /* Of two words without a common letter, such as k and p, neither is a slip for the other. */
        if (d < least && d < (other > length ? other : length)) {
            least = d;
            best = *words;
        }
    }
    return best;
}

const char *pith_i_count_text(int64_t v, char text[PITH_I_NUMBER_TEXT])
{
    char digits[24];
    const int length = snprintf(digits, sizeof digits, "%lld", (long long)v);
    int at = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            text[at++] = ',';
        text[at++] = digits[i];
    }
    text[at] = '\0';
    return text;
}
