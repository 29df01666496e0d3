#include "prep/word_table.h"

pith_status pith_i_grow(pith_ctx *ctx, void **block, int64_t *room, int64_t count, size_t size)
{
    const int64_t wanted = 2 * *room > count ? 2 * *room : count + 64;
    void *larger = pith_i_realloc(ctx, *block, wanted, size);
    if (larger == NULL)
        return PITH_E_NOMEM;
    *block = larger;
    *room = wanted;
    return PITH_OK;
}

pith_status pith_i_word_table_new(pith_ctx *ctx, pith_i_word_table *out)
{
    enum { FIRST = 1024 };
    pith_i_word_table t = {.room = FIRST / 2, .slots = FIRST};
    pith_status st = PITH_OK;
    TRY(NEW(ctx, t.word, t.room));
    TRY(NEW_ZERO(ctx, t.slot, t.slots));
done:
    *out = t;
    return st;
}

void pith_i_word_table_free(pith_i_word_table *t)
{
    pith_i_free(t->word);
    pith_i_free(t->bytes);
    pith_i_free(t->slot);
    *t = (pith_i_word_table){0};
}

static void place(pith_i_word_table *t, uint32_t hash, int32_t word)
{
    uint32_t s = pith_i_word_slot_of(t, hash);
    while (t->slot[s].word != 0)
        s = (s + 1) & (t->slots - 1);
    t->slot[s] = (pith_i_word_slot){hash, word + 1};
}

static pith_status more_slots(pith_ctx *ctx, pith_i_word_table *t)
{
    pith_i_word_slot *slot = pith_i_alloc_zero(ctx, 2 * (int64_t)t->slots, sizeof *slot);
    if (slot == NULL)
        return PITH_E_NOMEM;
    pith_i_free(t->slot);
    t->slot = slot;
    t->slots *= 2;
    for (int32_t w = 0; w < t->count; w++)
        place(t, t->word[w].hash, w);
    return PITH_OK;
}

pith_status pith_i_word_add(pith_ctx *ctx, pith_i_word_table *t, const char *at, int64_t length,
                            uint32_t hash, pith_i_word **out)
{
    pith_status st = PITH_OK;
    if (t->count == INT32_MAX / 4)
        FAIL(ctx, PITH_E_DATA, "more than %d different words", INT32_MAX / 4);
    TRY(GROW(ctx, t->word, t->room, t->count + 1));
    if (length > PITH_I_WORD_INSIDE)
        TRY(GROW(ctx, t->bytes, t->bytes_room, t->used + length));
    if (2 * (t->count + 1) > (int64_t)t->slots)
        TRY(more_slots(ctx, t));
    pith_i_word *w = &t->word[t->count];
    *w = (pith_i_word){.length = (int32_t)length, .hash = hash};
    if (length <= PITH_I_WORD_INSIDE) {
        memcpy(w->at.inside, at, (size_t)length);
    } else {
        w->at.start = t->used;
        memcpy(t->bytes + t->used, at, (size_t)length);
        t->used += length;
    }
    place(t, hash, (int32_t)t->count++);
    *out = w;
done:
    return st;
}
