/* The list of methods and what can be asked about them. */
#include "methods/method.h"

#include <string.h>

const char *const pith_i_metric_words[] = {"auto", "euclidean", "cosine", NULL};
const char *const pith_i_weight_words[] = {"binary", "heat", "cosine", NULL};
const char *const pith_i_graph_words[] = {"knn", "full", NULL};

#define METHOD(name) extern const pith_method pith_i_method_##name;
#include "methods/methods.def"
#undef METHOD

static const pith_method *const methods[] = {
#define METHOD(name) &pith_i_method_##name,
#include "methods/methods.def"
#undef METHOD
};

const pith_method *pith_method_at(size_t i)
{
    return i < COUNT(methods) ? methods[i] : NULL;
}

const pith_method *pith_method_find(const char *name)
{
    for (size_t i = 0; name != NULL && i < COUNT(methods); i++)
        if (strcmp(methods[i]->name, name) == 0)
            return methods[i];
    return NULL;
}

const char *pith_method_name(const pith_method *m)
{
    return m->name;
}

const char *pith_method_title(const pith_method *m)
{
    return m->title;
}

const char *pith_method_family(const pith_method *m)
{
    return m->family;
}

const char *pith_method_reference(const pith_method *m)
{
    return m->reference;
}

const char *pith_method_notes(const pith_method *m)
{
    return m->notes != NULL ? m->notes : "";
}

bool pith_method_needs_labels(const pith_method *m)
{
    return (m->needs & NEEDS_LABELS) != 0;
}

const pith_param *pith_method_param(const pith_method *m, size_t i)
{
    return i < m->n_table ? &m->table[i].shown : NULL;
}

bool pith_method_keeps(const pith_method *m)
{
    return m->keeps;
}

void pith_i_fact(pith_i_facts *facts, const char *name, double value)
{
    if (facts->count < PITH_I_FACTS) {
        facts->name[facts->count] = name;
        facts->value[facts->count++] = value;
    }
}

void pith_i_keep(pith_i_facts *facts, int64_t count)
{
    facts->keep = count;
    pith_i_fact(facts, "auto_features", (double)count);
}

void pith_i_round(pith_i_facts *facts, double objective)
{
    if (facts->rounds < PITH_I_ROUNDS)
        facts->objective[facts->rounds++] = objective;
}
