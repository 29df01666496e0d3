#include "core/words.h"

enum { MOST = INT32_MAX / 4, FIRST_SLOTS = 64 };

void pith_i_words_free(pith_i_words *words)
{
    pith_i_free(words->word);
    pith_i_free(words->start);
    pith_i_free(words->bytes);
    pith_i_free(words->slot);
    *words = (pith_i_words){0};
}

static void place(pith_i_words *t, pith_i_word_slot slot)
{
    uint32_t s = slot.hash & (t->slots - 1);
    while (t->slot[s].word != 0)
        s = (s + 1) & (t->slots - 1);
    t->slot[s] = slot;
}

/* Doubles the slots, so that at most three quarters of them are taken. */
static pith_status more_slots(pith_ctx *ctx, pith_i_words *t)
{
    pith_i_words larger = {.slots = t->slots > 0 ? 2 * t->slots : FIRST_SLOTS};
    pith_status st = PITH_OK;
    TRY(NEW_ZERO(ctx, larger.slot, larger.slots));
    for (uint32_t s = 0; s < t->slots; s++)
        if (t->slot[s].word != 0)
            place(&larger, t->slot[s]);
    pith_i_free(t->slot);
    t->slot = larger.slot;
    t->slots = larger.slots;
done:
    return st;
}

pith_status pith_i_words_open(pith_ctx *ctx, pith_i_words *words)
{
    return words->slots > 0 ? PITH_OK : more_slots(ctx, words);
}

pith_status pith_i_key_add(pith_ctx *ctx, pith_i_words *words, const pith_i_key *k, pith_i_word **out)
{
    pith_status st = PITH_OK;
    if (words->count == MOST)
        FAIL(ctx, PITH_E_DATA, "more than %d different words", MOST);
    TRY(GROW(ctx, words->word, words->word_room, words->count + 1));
    TRY(GROW(ctx, words->start, words->start_room, words->count + 1));
    TRY(GROW(ctx, words->bytes, words->bytes_room, words->used + k->length));
    if (4 * (words->count + 1) > 3 * (int64_t)words->slots)
        TRY(more_slots(ctx, words));
    pith_i_word *w = &words->word[words->count];
    *w = (pith_i_word){.head = {k->head[0], k->head[1]}, .length = k->length};
    words->start[words->count++] = words->used;
    if (k->length > 0)
        memcpy(words->bytes + words->used, k->at, (size_t)k->length);
    words->used += k->length;
    place(words, (pith_i_word_slot){k->hash, (int32_t)words->count});
    *out = w;
done:
    return st;
}

pith_i_word *pith_i_words_find(const pith_i_words *words, const char *at, int64_t length)
{
    if (words->slots == 0 || length > INT32_MAX)
        return NULL;
    const pith_i_key k = pith_i_word_key(at, (int32_t)length, at + length);
    return pith_i_key_find(words, &k);
}

pith_status pith_i_words_add(pith_ctx *ctx, pith_i_words *words, const char *at, int64_t length,
                             int64_t value, bool *added, pith_i_word **out)
{
    pith_status st = PITH_OK;
    if (length > INT32_MAX)
        FAIL(ctx, PITH_E_DATA, "a word of %lld bytes is too long", (long long)length);
    const pith_i_key k = pith_i_word_key(at, (int32_t)length, at + length);
    pith_i_word *w = words->slots > 0 ? pith_i_key_find(words, &k) : NULL;
    if (added != NULL)
        *added = w == NULL;
    if (w == NULL) {
        TRY(pith_i_key_add(ctx, words, &k, &w));
        w->value = value;
    }
    if (out != NULL)
        *out = w;
done:
    return st;
}
