/* In place of utf8proc's header where PITH_TEXT is off: ASCII alone, and who asks for words is told before.
 */
#ifndef PITH_ABSENT_UTF8PROC_H
#define PITH_ABSENT_UTF8PROC_H

#include <stdint.h>

typedef int32_t utf8proc_int32_t;
typedef uint8_t utf8proc_uint8_t;
typedef int64_t utf8proc_ssize_t;
typedef enum {
    UTF8PROC_CATEGORY_CN,
    UTF8PROC_CATEGORY_LU,
    UTF8PROC_CATEGORY_ME = 8,
    UTF8PROC_CATEGORY_ND,
    UTF8PROC_CATEGORY_NO = 11
} utf8proc_category_t;
enum { UTF8PROC_STABLE = 2, UTF8PROC_COMPOSE = 8 };

static inline utf8proc_category_t utf8proc_category(utf8proc_int32_t c)
{
    (void)c;
    return UTF8PROC_CATEGORY_CN;
}
static inline utf8proc_ssize_t utf8proc_decompose(const utf8proc_uint8_t *text, utf8proc_ssize_t length,
                                                  utf8proc_int32_t *out, utf8proc_ssize_t room, int how)
{
    (void)text, (void)length, (void)out, (void)room, (void)how;
    return 0;
}
static inline utf8proc_int32_t utf8proc_tolower(utf8proc_int32_t c)
{
    return c;
}
static inline utf8proc_ssize_t utf8proc_reencode(utf8proc_int32_t *out, utf8proc_ssize_t length, int how)
{
    (void)out, (void)length, (void)how;
    return 0;
}

#endif
