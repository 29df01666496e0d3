#include "prep/split.h"

#include "core/bytes.h"

/* Gathers the highest bits of eight bytes into the lowest eight bits: that of byte i is bit 8 i + 7, which is
 * shifted to 8 i, and 8 i + (56 - 7 i) = 56 + i. */
static inline uint64_t gather(uint64_t high)
{
    return ((high & PITH_I_EIGHT(0x80)) >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

/* Sets the highest bit of every byte that is in lo..hi, if all bytes are below 128. */
static inline uint64_t between(uint64_t bytes, unsigned lo, unsigned hi)
{
    return (bytes + PITH_I_EIGHT(0x80 - lo)) & ~(bytes + PITH_I_EIGHT(0x80 - hi - 1));
}

/* Which of 64 bytes are ASCII letters or digits, and which need a closer look: apostrophes and non-ASCII
 * bytes. */
static void classify(const char *at, uint64_t *plain, uint64_t *special)
{
    *plain = *special = 0;
    for (int i = 0; i < PITH_I_SPLIT_BYTES; i += 8) {
        const uint64_t bytes = pith_i_load_eight(at + i), low = bytes & PITH_I_EIGHT(0x7F);
        const uint64_t words = between(low | PITH_I_EIGHT(0x20), 'a', 'z') | between(low, '0', '9');
        *plain |= gather(words & ~bytes) << i;
        *special |= gather(between(low, '\'', '\'') | bytes) << i;
    }
}

static bool is_letter_before(const pith_i_split *s, const char *at)
{
    return at == s->letter_end || (at > s->text && (unsigned char)at[-1] < 0x80 &&
                                   pith_i_ascii_kind[(unsigned char)at[-1]] == CHAR_LETTER);
}

static inline pith_i_char kind_at(const pith_i_split *s, const char *at, int *bytes)
{
    if (s->end - at >= 2 && pith_i_is_pair(at)) {
        const uint32_t c = ((unsigned char)at[0] & 0x1Fu) << 6 | ((unsigned char)at[1] & 0x3Fu);
        unsigned char *known = &s->kinds->of[c];
        if (*known == 0)
            *known = (unsigned char)(1 + pith_i_char_kind(c));
        *bytes = 2;
        return (pith_i_char)(*known - 1);
    }
    return pith_i_char_at(at, s->end, bytes);
}

/* Sets bits from n on; some of them may belong to the next block. */
static inline void put(uint64_t bits, int n, uint64_t *here, uint64_t *next)
{
    *here |= bits << n;
    *next |= n > 0 ? bits >> (PITH_I_SPLIT_BYTES - n) : 0;
}

/* Looks at the special bytes: adds those that belong to words to `inside`, and word boundaries to `cut`.
 * False: not UTF-8. */
static bool resolve(pith_i_split *s, uint64_t special, uint64_t *inside, uint64_t *cut)
{
    for (; special != 0; special &= special - 1) {
        const int n = __builtin_ctzll(special);
        const char *at = s->block + n;
        int bytes = 0, next = 0;
        if (at < s->char_end)
            continue;
        pith_i_char kind = kind_at(s, at, &bytes);
        if (bytes == 0) {
            s->bad = at;
            return false;
        }
        s->char_end = at + bytes;
        if (kind == CHAR_APOSTROPHE && is_letter_before(s, at) && s->char_end < s->end &&
            kind_at(s, s->char_end, &next) == CHAR_LETTER)
            kind = CHAR_LETTER;
        if (kind == CHAR_OTHER || kind == CHAR_APOSTROPHE)
            continue;
        put((UINT64_C(1) << bytes) - 1, n, inside, &s->inside_next);
        if (kind == CHAR_ALONE)
            put(UINT64_C(1) | UINT64_C(1) << bytes, n, cut, &s->cut_next);
        if (kind == CHAR_LETTER)
            s->letter_end = s->char_end;
    }
    return true;
}

bool pith_i_split_next(pith_i_split *s)
{
    char last[PITH_I_SPLIT_BYTES] = {0};
    uint64_t plain, special;
    const int64_t left = s->end - s->text - s->done;
    if (left < 0)
        return false;
    s->block = s->text + s->done;
    s->done += PITH_I_SPLIT_BYTES;
    if (left < PITH_I_SPLIT_BYTES && left > 0)
        memcpy(last, s->block, (size_t)left);
    classify(left < PITH_I_SPLIT_BYTES ? last : s->block, &plain, &special);
    uint64_t inside = plain | s->inside_next, cut = s->cut_next;
    s->inside_next = s->cut_next = 0;
    if (special != 0 && !resolve(s, special, &inside, &cut))
        return false;
    const uint64_t before = inside << 1 | s->open;
    s->starts = inside & (~before | cut);
    s->ends = before & (~inside | cut);
    s->open = inside >> (PITH_I_SPLIT_BYTES - 1);
    return true;
}
