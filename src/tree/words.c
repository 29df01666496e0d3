#include "tree/words.h"

#include <string.h>

/* FNV-1a, 64 bits. */
static uint64_t hash(const char *at, int64_t length)
{
    uint64_t h = 14695981039346656037U;
    for (int64_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)at[i]) * 1099511628211U;
    return h ^ (h >> 32);
}

/* Its place, or the free one where it would go. There is always a free one. */
static pith_i_word *seek(const pith_i_words *w, const char *at, int64_t length)
{
    const int64_t mask = w->room - 1;
    int64_t i = (int64_t)(hash(at, length) & (uint64_t)mask);
    while (w->place[i].at != NULL &&
           (w->place[i].length != length || memcmp(w->place[i].at, at, (size_t)length) != 0))
        i = (i + 1) & mask;
    return &w->place[i];
}

pith_i_word *pith_i_words_find(const pith_i_words *words, const char *at, int64_t length)
{
    pith_i_word *found = words->room > 0 ? seek(words, at, length) : NULL;
    return found != NULL && found->at != NULL ? found : NULL;
}

/* Twice the room: at most half of it is taken. */
static pith_status grow(pith_ctx *ctx, pith_i_words *w)
{
    pith_i_words larger = {.room = w->room > 0 ? 2 * w->room : 64, .count = w->count};
    pith_status st = PITH_OK;
    TRY(NEW_ZERO(ctx, larger.place, larger.room));
    for (int64_t i = 0; i < w->room; i++)
        if (w->place[i].at != NULL)
            *seek(&larger, w->place[i].at, w->place[i].length) = w->place[i];
    pith_i_words_free(w);
    *w = larger;
done:
    return st;
}

pith_status pith_i_words_add(pith_ctx *ctx, pith_i_words *words, const char *at, int64_t length,
                             int64_t value, bool *added, pith_i_word **out)
{
    pith_status st = PITH_OK;
    if (2 * (words->count + 1) > words->room)
        TRY(grow(ctx, words));
    pith_i_word *place = seek(words, at, length);
    if (added != NULL)
        *added = place->at == NULL;
    if (place->at == NULL) {
        *place = (pith_i_word){.at = at, .length = length, .value = value};
        words->count++;
    }
    if (out != NULL)
        *out = place;
done:
    return st;
}

void pith_i_words_free(pith_i_words *words)
{
    pith_i_free(words->place);
    *words = (pith_i_words){0};
}
