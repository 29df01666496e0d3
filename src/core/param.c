#include "core/param.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *auto_word(const pith_param *p)
{
    return p->auto_word != NULL ? p->auto_word : "auto";
}

static pith_status parse_choice(pith_ctx *ctx, const pith_param *p, const char *word, double *out)
{
    char list[512] = "";
    size_t used = 0;
    for (int i = 0; p->choices[i] != NULL; i++) {
        if (strcmp(p->choices[i], word) == 0) {
            *out = i;
            return PITH_OK;
        }
        if (used < sizeof list)
            used +=
                (size_t)snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", p->choices[i]);
    }
    const char *near = pith_nearest(word, p->choices);
    return pith_i_error(ctx, PITH_E_PARAMETER, "%s: '%s' is not one of %s%s%s%s", p->name, word, list,
                        near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                        near != NULL ? "'?" : "");
}

static pith_status parse_bool(pith_ctx *ctx, const pith_param *p, const char *word, double *out)
{
    static const char *const yes[] = {"yes", "true", "1"}, *const no[] = {"no", "false", "0"};
    for (size_t i = 0; i < COUNT(yes); i++)
        if (strcmp(word, yes[i]) == 0 || strcmp(word, no[i]) == 0) {
            *out = strcmp(word, yes[i]) == 0;
            return PITH_OK;
        }
    return pith_i_error(ctx, PITH_E_PARAMETER, "%s: 'yes' or 'no' expected, not '%s'", p->name, word);
}

static pith_status parse_number(pith_ctx *ctx, const pith_param *p, const char *word, double *out)
{
    char lo[PITH_I_NUMBER_TEXT], hi[PITH_I_NUMBER_TEXT];
    double v = 0;
    const bool number = pith_i_parse_double(word, &v) && (p->type == PITH_REAL || v == floor(v));
    if (!number || !(v >= p->lo && v <= p->hi))
        return pith_i_error(ctx, PITH_E_PARAMETER, "%s: %s in %s..%s%s%s%s expected, not '%s'", p->name,
                            p->type == PITH_INT ? "a whole number" : "a number",
                            pith_i_format_double(p->lo, lo), pith_i_format_double(p->hi, hi),
                            p->can_be_auto ? " or '" : "", p->can_be_auto ? auto_word(p) : "",
                            p->can_be_auto ? "'" : "", word);
    *out = v;
    return PITH_OK;
}

pith_status pith_i_param_parse(pith_ctx *ctx, const pith_param *p, const char *text, double *out)
{
    if (p->can_be_auto && (strcmp(text, "auto") == 0 || strcmp(text, auto_word(p)) == 0)) {
        *out = (double)NAN;
        return PITH_OK;
    }
    return p->type == PITH_CHOICE ? parse_choice(ctx, p, text, out)
           : p->type == PITH_BOOL ? parse_bool(ctx, p, text, out)
                                  : parse_number(ctx, p, text, out);
}

const char *pith_i_param_text(const pith_param *p, double v, char number[PITH_I_NUMBER_TEXT])
{
    return p->type == PITH_CHOICE ? p->choices[(int)v]
           : p->type == PITH_BOOL ? v != 0 ? "yes" : "no"
           : isnan(v)             ? auto_word(p)
                                  : pith_i_format_double(v, number);
}
