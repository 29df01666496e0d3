/* Porter's stemmer on the examples of his paper. */
#include "support.h"

#include <stdio.h>

#include "core/porter.h"

static const char *const pairs[][2] = {
    {"caresses", "caress"},
    {"ponies", "poni"},
    {"ties", "ti"},
    {"cats", "cat"},
    {"feed", "feed"},
    {"agreed", "agre"},
    {"plastered", "plaster"},
    {"bled", "bled"},
    {"motoring", "motor"},
    {"sing", "sing"},
    {"conflated", "conflat"},
    {"troubled", "troubl"},
    {"sized", "size"},
    {"hopping", "hop"},
    {"falling", "fall"},
    {"hissing", "hiss"},
    {"failing", "fail"},
    {"filing", "file"},
    {"happy", "happi"},
    {"sky", "sky"},
    {"relational", "relat"},
    {"conditional", "condit"},
    {"rational", "ration"},
    {"digitizer", "digit"},
    {"radically", "radic"},
    {"vietnamization", "vietnam"},
    {"predication", "predic"},
    {"operator", "oper"},
    {"feudalism", "feudal"},
    {"hopefulness", "hope"},
    {"callousness", "callous"},
    {"formality", "formal"},
    {"sensitivity", "sensit"},
    {"sensibility", "sensibl"},
    {"triplicate", "triplic"},
    {"formative", "form"},
    {"formalize", "formal"},
    {"electrical", "electr"},
    {"goodness", "good"},
    {"revival", "reviv"},
    {"allowance", "allow"},
    {"inference", "infer"},
    {"airliner", "airlin"},
    {"adjustable", "adjust"},
    {"replacement", "replac"},
    {"adjustment", "adjust"},
    {"dependent", "depend"},
    {"adoption", "adopt"},
    {"homologous", "homolog"},
    {"effective", "effect"},
    {"probate", "probat"},
    {"rate", "rate"},
    {"cease", "ceas"},
    {"controll", "control"},
    {"roll", "roll"},
    {"generalizations", "gener"},
    {"oscillators", "oscil"},
    {"athletics", "athlet"},
    {"confidence", "confid"},
    {"is", "is"},
    {"a", "a"},
    {"", ""},
};

static void words_lose_the_endings_of_the_paper(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(pairs); i++) {
        char word[32];
        (void)snprintf(word, sizeof word, "%s", pairs[i][0]);
        word[pith_i_porter(word, strlen(word))] = '\0';
        assert_string_equal(word, pairs[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(words_lose_the_endings_of_the_paper)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
