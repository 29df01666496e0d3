/* The table of words: numbers by first appearance, whatever the bytes and wherever they lie. */
#include "core/words.h"

#include "support.h"

#include <stdio.h>

static void words_are_numbered_as_they_come(void **state)
{
    pith_ctx *ctx = *state;
    pith_i_words words = {0};
    pith_i_word *w = NULL;
    bool added = false;
    assert_null(pith_i_words_find(&words, "pear", 4));
    assert_ok(ctx, pith_i_words_add(ctx, &words, "pear", 4, 7, &added, &w));
    assert_true(added);
    assert_int_equal(w->value, 7);
    assert_int_equal(w->other, 0);
    w->other = 5;
    assert_ok(ctx, pith_i_words_add(ctx, &words, "fig", 3, 8, NULL, NULL));
    assert_ok(ctx, pith_i_words_add(ctx, &words, "pear", 4, 9, &added, &w));
    assert_false(added);
    assert_int_equal(w->value, 7);
    assert_int_equal(w->other, 5);
    assert_int_equal(pith_i_word_number(&words, w), 0);
    assert_int_equal(pith_i_word_number(&words, pith_i_words_find(&words, "fig", 3)), 1);
    assert_null(pith_i_words_find(&words, "figs", 4));
    assert_null(pith_i_words_find(&words, "fi", 2));
    assert_int_equal(words.count, 2);
    pith_i_words_free(&words);
}

/* Every length, the same bytes before and behind another one, zeros among them: all differ, and all are
 * found, with as much or as little behind them as there is. */
static void any_bytes_of_any_length_are_a_word(void **state)
{
    enum { LONGEST = 50 };
    pith_ctx *ctx = *state;
    pith_i_words words = {0};
    for (int round = 0; round < 2; round++) {
        int64_t number = 0;
        for (int length = 0; length <= LONGEST; length++)
            for (int odd = -1; odd < length; odd++) {
                /* Its own block, so that the sanitizers see what is read behind it. */
                char *text = malloc((size_t)length + 1), *wide = calloc(1, LONGEST + PITH_I_HEAD);
                memset(text, 'a', (size_t)length + 1);
                if (odd >= 0)
                    text[odd] = odd % 2 == 0 ? '\0' : 'b';
                text = realloc(text, length > 0 ? (size_t)length : 1);
                memset(wide, 'z', LONGEST + PITH_I_HEAD);
                memcpy(wide, text, (size_t)length);
                if (round == 0)
                    assert_ok(ctx, pith_i_words_add(ctx, &words, text, length, number, NULL, NULL));
                const pith_i_word *w = pith_i_words_find(&words, text, length);
                const pith_i_key k = pith_i_word_key(wide, length, wide + LONGEST + PITH_I_HEAD);
                assert_non_null(w);
                assert_int_equal(w->value, number);
                assert_int_equal(w->length, length);
                assert_memory_equal(pith_i_word_text(&words, w), text, (size_t)length);
                assert_ptr_equal(pith_i_key_find(&words, &k), w);
                number++;
                free(text);
                free(wide);
            }
        assert_int_equal(words.count, number);
    }
    pith_i_words_free(&words);
}

static void an_open_table_may_be_searched_by_keys(void **state)
{
    pith_ctx *ctx = *state;
    pith_i_words words = {0};
    pith_i_word *w = NULL;
    const char *text = "vote";
    const pith_i_key k = pith_i_word_key(text, 4, text + 4);
    assert_ok(ctx, pith_i_words_open(ctx, &words));
    assert_null(pith_i_key_find(&words, &k));
    assert_int_equal(pith_i_key_slot(&words, k.hash)->word, 0);
    assert_ok(ctx, pith_i_key_add(ctx, &words, &k, &w));
    assert_ptr_equal(pith_i_key_find(&words, &k), w);
    assert_int_equal(pith_i_key_slot(&words, k.hash)->word, 1);
    pith_i_words_free(&words);
}

/* Words that share their hash and more: keys made by hand. */
static void a_hash_is_not_enough(void **state)
{
    static const char *const texts[] = {
        "word", "ward", "word\0", "sixteen letters!", "sixteen letters! and", "sixteen letters! but"};
    pith_ctx *ctx = *state;
    pith_i_words words = {0};
    pith_i_word *w = NULL;
    assert_ok(ctx, pith_i_words_open(ctx, &words));
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < COUNT(texts); i++) {
            const int32_t length = (int32_t)strlen(texts[i]) + (i == 2); /* with its zero */
            pith_i_key k = pith_i_word_key(texts[i], length, texts[i] + length);
            k.hash = 12345;
            w = pith_i_key_find(&words, &k);
            assert_int_equal(w != NULL, round);
            if (round == 0)
                assert_ok(ctx, pith_i_key_add(ctx, &words, &k, &w));
            assert_int_equal(pith_i_word_number(&words, w), i);
        }
    pith_i_words_free(&words);
}

static pith_status act(pith_ctx *ctx, void *arg)
{
    enum { WORDS = 2000 };
    pith_i_words words = {0};
    char text[32];
    pith_status st = PITH_OK;
    (void)arg;
    for (int i = 0; i < WORDS; i++) {
        const int length = snprintf(text, sizeof text, "%d", i * 7919);
        TRY(pith_i_words_add(ctx, &words, text, length, i, NULL, NULL));
    }
    for (int i = 0; i < WORDS; i++) {
        const int length = snprintf(text, sizeof text, "%d", i * 7919);
        assert_int_equal(pith_i_words_find(&words, text, length)->value, i);
    }
done:
    pith_i_words_free(&words);
    return st;
}

static void it_grows_and_every_failing_allocation_is_survived(void **state)
{
    assert_survives_failing_allocations(*state, act, NULL, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(words_are_numbered_as_they_come),
        TEST(any_bytes_of_any_length_are_a_word),
        TEST(an_open_table_may_be_searched_by_keys),
        TEST(a_hash_is_not_enough),
        TEST(it_grows_and_every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
