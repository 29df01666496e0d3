#include "core/porter.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The word so far. Rules look at the stem that is left when an ending goes. */
typedef struct word {
    char *at;
    size_t length;
} word;

static bool is_consonant(const word *w, size_t i)
{
    switch (w->at[i]) {
    case 'a':
    case 'e':
    case 'i':
    case 'o':
    case 'u': return false;
    case 'y': return i == 0 || !is_consonant(w, i - 1);
    default: return true;
    }
}

/* m of [C](VC)^m[V]: how often a consonant follows a vowel in the first `length` letters. */
static int measure(const word *w, size_t length)
{
    int m = 0;
    for (size_t i = 1; i < length; i++)
        m += is_consonant(w, i) && !is_consonant(w, i - 1);
    return m;
}

static bool has_vowel(const word *w, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!is_consonant(w, i))
            return true;
    return false;
}

static bool ends_double(const word *w)
{
    const size_t n = w->length;
    return n >= 2 && w->at[n - 1] == w->at[n - 2] && is_consonant(w, n - 1);
}

/* Consonant, vowel, consonant at the end, the last not w, x or y: "hop". */
static bool ends_cvc(const word *w, size_t n)
{
    return n >= 3 && is_consonant(w, n - 1) && !is_consonant(w, n - 2) && is_consonant(w, n - 3) &&
           strchr("wxy", w->at[n - 1]) == NULL;
}

static bool ends(const word *w, const char *ending)
{
    const size_t n = strlen(ending);
    return w->length >= n && memcmp(w->at + w->length - n, ending, n) == 0;
}

/* What is left of the word without the ending. */
static size_t before(const word *w, const char *ending)
{
    return w->length - strlen(ending);
}

static void put(word *w, size_t stem, const char *ending)
{
    memcpy(w->at + stem, ending, strlen(ending));
    w->length = stem + strlen(ending);
}

typedef struct rule {
    const char *from, *to;
} rule;

/* The first rule whose ending is there decides: it is applied if the stem's measure is above `least`. */
static void apply(word *w, const rule *rules, int least)
{
    for (; rules->from != NULL; rules++)
        if (ends(w, rules->from)) {
            if (measure(w, before(w, rules->from)) > least)
                put(w, before(w, rules->from), rules->to);
            return;
        }
}

/* Plurals, -ed and -ing. */
static void step1(word *w)
{
    if (ends(w, "sses") || ends(w, "ies"))
        w->length -= 2;
    else if (!ends(w, "ss") && ends(w, "s"))
        w->length -= 1;
    bool cut = false;
    if (ends(w, "eed")) {
        if (measure(w, before(w, "eed")) > 0)
            w->length -= 1;
    } else if (ends(w, "ed") && has_vowel(w, before(w, "ed"))) {
        w->length -= 2;
        cut = true;
    } else if (ends(w, "ing") && has_vowel(w, before(w, "ing"))) {
        w->length -= 3;
        cut = true;
    }
    if (cut) {
        if (ends(w, "at") || ends(w, "bl") || ends(w, "iz"))
            put(w, w->length, "e");
        else if (ends_double(w) && strchr("lsz", w->at[w->length - 1]) == NULL)
            w->length -= 1;
        else if (measure(w, w->length) == 1 && ends_cvc(w, w->length))
            put(w, w->length, "e");
    }
    if (ends(w, "y") && has_vowel(w, w->length - 1))
        w->at[w->length - 1] = 'i';
}

static void step4(word *w)
{
    /* Longer endings first where one ends the other. */
    static const char *const endings[] = {"ement", "ance", "ence", "able", "ible", "ment", "ant",
                                          "ent",   "ion",  "ism",  "ate",  "iti",  "ous",  "ive",
                                          "ize",   "al",   "er",   "ic",   "ou",   NULL};
    for (size_t i = 0; endings[i] != NULL; i++)
        if (ends(w, endings[i])) {
            const size_t stem = before(w, endings[i]);
            const bool whole = strcmp(endings[i], "ion") != 0 ||
                               (stem > 0 && (w->at[stem - 1] == 's' || w->at[stem - 1] == 't'));
            if (whole && measure(w, stem) > 1)
                w->length = stem;
            return;
        }
}

static void step5(word *w)
{
    if (ends(w, "e")) {
        const int m = measure(w, w->length - 1);
        if (m > 1 || (m == 1 && !ends_cvc(w, w->length - 1)))
            w->length -= 1;
    }
    if (measure(w, w->length) > 1 && ends_double(w) && ends(w, "l"))
        w->length -= 1;
}

size_t pith_i_porter(char *at, size_t length)
{
    static const rule step2[] = {
        {"ational", "ate"}, {"ization", "ize"}, {"iveness", "ive"}, {"fulness", "ful"}, {"ousness", "ous"},
        {"tional", "tion"}, {"biliti", "ble"},  {"entli", "ent"},   {"ousli", "ous"},   {"ation", "ate"},
        {"alism", "al"},    {"aliti", "al"},    {"iviti", "ive"},   {"enci", "ence"},   {"anci", "ance"},
        {"izer", "ize"},    {"abli", "able"},   {"alli", "al"},     {"ator", "ate"},    {"eli", "e"},
        {NULL, NULL}};
    static const rule step3[] = {{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"},
                                 {"ical", "ic"},  {"ness", ""},  {"ful", ""},     {NULL, NULL}};
    word w = {at, length};
    if (length <= 2)
        return length;
    step1(&w);
    apply(&w, step2, 0);
    apply(&w, step3, 0);
    step4(&w);
    step5(&w);
    return w.length;
}
