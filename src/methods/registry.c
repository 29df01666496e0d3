/* The list of methods, and the public functions that describe them. */
#include "methods/method.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const pith_i_metric_words[] = {"auto", "euclidean", "cosine", NULL};
const char *const pith_i_weight_words[] = {"binary", "heat", "cosine", NULL};
const char *const pith_i_graph_words[] = {"knn", "full", NULL};
const char *const pith_i_search_words[] = {"auto", "exact", "approximate", NULL};
const char *const pith_i_evidence_words[] = {"auto", "groups", "linear", "none", NULL};

/* What every parameter struct begins with. */
struct for_all {
    pith_i_shared shared;
};

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

bool pith_method_needs_counts(const pith_method *m)
{
    return m->counts_only;
}

bool pith_method_needs_tree(const pith_method *m)
{
    return (m->needs & NEEDS_TREE) != 0;
}

static const pith_i_param for_all[] = {
    DIVERSITY_PARAM(struct for_all, 0),
    ROW(struct for_all, shared.top, "diversity_top", 300, 1, 1e9, false, NULL,
        "number of top features that are ranked with diversity; the rest follow by score"),
    ROW(struct for_all, shared.evidence, "evidence", EVIDENCE_AUTO, 0, 0, false, pith_i_evidence_words,
        "q-value of each feature, tested against groups of samples (groups) or a linear kernel (linear) "
        "computed without it; auto: groups for consensus, else none"),
};

/* Parameters of methods with NEEDS_GRAPH. A method that has a choice `graph` of its own also takes a file
 * there. */
static const pith_i_param for_graphs[] = {
    ROW(struct for_all, shared.own_graph, "graph", 0, 0, 0, false, NULL,
        "a file with your own graph, samples x samples; FILE.h5ad:KEY takes it from obsp"),
    ROW(struct for_all, shared.graph_rows, "graph_rows", 0, 0, 0, false, NULL,
        "a file with other coordinates of the samples to find neighbours in, such as a PCA; FILE.h5ad:KEY "
        "takes them from obsm"),
};

/* Parameters of methods that search for neighbours. */
static const pith_i_param for_searches[] = {
    ROW(struct for_all, shared.search, "search", PITH_I_SEARCH_AUTO, 0, 0, false, pith_i_search_words,
        "how neighbours are searched: exact, or approximate with a measured recall; auto: approximate above "
        "10^14 operations"),
    ROW(struct for_all, shared.recall, "recall", PITH_I_RECALL, 0.01, 1, false, NULL,
        "share of the true neighbours that an approximate search must find, measured on 1,000 samples"),
};

/* Does the method's own table have this row, by its field or by its name? */
static bool has_row(const pith_method *m, const pith_i_param *row)
{
    for (size_t i = 0; i < m->n_table; i++)
        if (m->table[i].offset == row->offset || strcmp(m->table[i].shown.name, row->shown.name) == 0)
            return true;
    return false;
}

static bool searches(const pith_method *m)
{
    for (size_t i = 0; i < m->n_table; i++)
        if (strcmp(m->table[i].shown.name, "neighbors") == 0)
            return true;
    return false;
}

const pith_i_param *pith_i_method_row(const pith_method *m, size_t i)
{
    if (i < m->n_table)
        return &m->table[i];
    i -= m->n_table;
    for (size_t r = 0; (m->needs & NEEDS_GRAPH) != 0 && r < COUNT(for_graphs); r++)
        if (!has_row(m, &for_graphs[r]) && i-- == 0)
            return &for_graphs[r];
    for (size_t r = 0; searches(m) && r < COUNT(for_searches); r++)
        if (i-- == 0)
            return &for_searches[r];
    for (size_t r = 0; r < COUNT(for_all); r++)
        if (!has_row(m, &for_all[r]) && i-- == 0)
            return &for_all[r];
    return NULL;
}

const pith_i_param *pith_i_method_row_named(const pith_method *m, const char *name)
{
    const pith_i_param *row = NULL;
    for (size_t i = 0; (row = pith_i_method_row(m, i)) != NULL; i++)
        if (strcmp(row->shown.name, name) == 0)
            return row;
    return NULL;
}

const pith_param *pith_method_param(const pith_method *m, size_t i)
{
    const pith_i_param *row = pith_i_method_row(m, i);
    return row != NULL ? &row->shown : NULL;
}

bool pith_method_keeps(const pith_method *m)
{
    return m->keeps;
}

bool pith_method_spreads(const pith_method *m)
{
    return m->spreads;
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

void pith_i_warn(pith_i_facts *facts, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(facts->said, sizeof facts->said, format, args);
    va_end(args);
}
