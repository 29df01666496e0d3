/* What the library says about its methods and steps. */
#include "pithr.h"

#include <math.h>

static const char *type_name(const pith_param *p)
{
    switch (p->type) {
    case PITH_INT: return "integer";
    case PITH_REAL: return "real";
    case PITH_BOOL: return "boolean";
    case PITH_CHOICE: return "choice";
    case PITH_FILE: return "file";
    case PITH_NAME: return "name";
    }
    return "";
}

static SEXP default_of(const pith_param *p)
{
    if (p->type == PITH_BOOL)
        return Rf_ScalarLogical(p->def != 0);
    if (p->type == PITH_CHOICE)
        return text_of(p->choices[(int)p->def]);
    if ((p->type == PITH_FILE && !p->can_be_auto) || p->type == PITH_NAME)
        return R_NilValue;
    return isnan(p->def) ? text_of("auto") : Rf_ScalarReal(p->def);
}

static SEXP choices_of(const pith_param *p)
{
    int count = 0;
    if (p->type != PITH_CHOICE)
        return R_NilValue;
    while (p->choices[count] != NULL)
        count++;
    SEXP out = PROTECT(Rf_allocVector(STRSXP, count));
    for (int i = 0; i < count; i++)
        SET_STRING_ELT(out, i, Rf_mkChar(p->choices[i]));
    UNPROTECT(1);
    return out;
}

static SEXP parameter_of(const pith_param *p)
{
    const bool number = p->type == PITH_INT || p->type == PITH_REAL;
    list l = list_new(9);
    list_put(&l, "name", text_of(p->name));
    list_put(&l, "type", text_of(type_name(p)));
    list_put(&l, "default", default_of(p));
    list_put(&l, "can_be_auto", Rf_ScalarLogical(p->can_be_auto));
    list_put(&l, "auto_word", text_of(p->auto_word != NULL ? p->auto_word : "auto"));
    list_put(&l, "choices", choices_of(p));
    list_put(&l, "low", number ? Rf_ScalarReal(p->lo) : R_NilValue);
    list_put(&l, "high", number ? Rf_ScalarReal(p->hi) : R_NilValue);
    list_put(&l, "help", text_of(p->help));
    return list_done(&l);
}

typedef const pith_param *param_fn(const void *owner, size_t i);

static const pith_param *method_param(const void *owner, size_t i)
{
    return pith_method_param(owner, i);
}

static const pith_param *step_param(const void *owner, size_t i)
{
    return pith_step_param(owner, i);
}

static SEXP parameters_of(const void *owner, param_fn *param)
{
    int count = 0;
    while (param(owner, (size_t)count) != NULL)
        count++;
    SEXP out = PROTECT(Rf_allocVector(VECSXP, count));
    for (int i = 0; i < count; i++)
        SET_VECTOR_ELT(out, i, parameter_of(param(owner, (size_t)i)));
    UNPROTECT(1);
    return out;
}

static SEXP method_of(const pith_method *m)
{
    list l = list_new(11);
    list_put(&l, "name", text_of(pith_method_name(m)));
    list_put(&l, "family", text_of(pith_method_family(m)));
    list_put(&l, "title", text_of(pith_method_title(m)));
    list_put(&l, "reference", text_of(pith_method_reference(m)));
    list_put(&l, "notes", text_of(pith_method_notes(m)));
    list_put(&l, "needs_labels", Rf_ScalarLogical(pith_method_needs_labels(m)));
    list_put(&l, "needs_tree", Rf_ScalarLogical(pith_method_needs_tree(m)));
    list_put(&l, "needs_counts", Rf_ScalarLogical(pith_method_needs_counts(m)));
    list_put(&l, "auto_features", Rf_ScalarLogical(pith_method_keeps(m)));
    list_put(&l, "spreads", Rf_ScalarLogical(pith_method_spreads(m)));
    list_put(&l, "parameters", parameters_of(m, method_param));
    return list_done(&l);
}

SEXP pithr_methods(void)
{
    int count = 0;
    while (pith_method_at((size_t)count) != NULL)
        count++;
    SEXP out = PROTECT(Rf_allocVector(VECSXP, count));
    for (int i = 0; i < count; i++)
        SET_VECTOR_ELT(out, i, method_of(pith_method_at((size_t)i)));
    UNPROTECT(1);
    return out;
}

/* A step; a recipe stands for other steps, and has no parameters of its own. */
static SEXP step_of(const char *name, const char *title, const char *stands_for, const pith_step *step)
{
    list l = list_new(4);
    list_put(&l, "name", text_of(name));
    list_put(&l, "title", text_of(title));
    list_put(&l, "stands_for", text_of(stands_for));
    list_put(&l, "parameters", step == NULL ? Rf_allocVector(VECSXP, 0) : parameters_of(step, step_param));
    return list_done(&l);
}

SEXP pithr_steps(void)
{
    const char *steps = NULL, *title = NULL;
    int count = 0, recipes = 0;
    while (pith_step_at((size_t)count) != NULL)
        count++;
    while (pith_recipe_at((size_t)recipes, NULL, NULL) != NULL)
        recipes++;
    SEXP out = PROTECT(Rf_allocVector(VECSXP, count + recipes));
    for (int i = 0; i < count; i++) {
        const pith_step *s = pith_step_at((size_t)i);
        SET_VECTOR_ELT(out, i, step_of(pith_step_name(s), pith_step_title(s), NULL, s));
    }
    for (int i = 0; i < recipes; i++) {
        const char *name = pith_recipe_at((size_t)i, &steps, &title);
        SET_VECTOR_ELT(out, count + i, step_of(name, title, steps, NULL));
    }
    UNPROTECT(1);
    return out;
}

/* The nearest of the words to a mistyped one, or NULL. */
SEXP pithr_nearest(SEXP word, SEXP words)
{
    return text_of(pith_nearest(Rf_translateCharUTF8(STRING_ELT(word, 0)), texts_of(words)));
}

SEXP pithr_version(void)
{
    return text_of(pith_version());
}
