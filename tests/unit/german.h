/* A locale that writes 1,5: what we read and write must not follow it. */
#ifndef PITH_TESTS_UNIT_GERMAN_H
#define PITH_TESTS_UNIT_GERMAN_H

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

/* Sets it, made for the occasion if it is not installed; false: it cannot be had here. */
static inline bool speak_german(void)
{
    static const char name[] = "de_DE.UTF-8";
    char folder[] = "/tmp/pith-locale-XXXXXX", command[256];
    if (setlocale(LC_ALL, name) != NULL)
        return true;
    if (mkdtemp(folder) == NULL)
        return false;
    (void)snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/%s >/dev/null 2>&1", folder,
                   name);
    const bool made = system(command) == 0 && setenv("LOCPATH", folder, 1) == 0;
    const bool set = made && setlocale(LC_ALL, name) != NULL;
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) == 0 && set;
}

/* To be called first: the test is skipped, visibly, where there is no such locale. */
#define skip_unless_german()                                                                                 \
    do {                                                                                                     \
        if (!speak_german())                                                                                 \
            skip_because("no locale with a decimal comma can be had here");                                  \
        char shown_[16];                                                                                     \
        (void)snprintf(shown_, sizeof shown_, "%.1f", 1.5);                                                  \
        assert_string_equal(shown_, "1,5"); /* else this would prove nothing */                              \
    } while (0)

#endif
