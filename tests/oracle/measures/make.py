"""Numbers of scikit-learn, scipy and plain numpy for the measures, k-means and spectral clustering: numbers.h.

Run with Debian's Python (python3-sklearn): python3 tests/oracle/measures/make.py. The tests in tests/unit read
the header and hold pith to 1e-12 of it.
"""
import os
import sys

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist
from sklearn import metrics
from sklearn.cluster import KMeans

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import common as o

lines = ["/* Made by make.py beside this file; do not edit. */", "/* clang-format off */",
         "#ifndef PITH_TESTS_ORACLE_MEASURES_NUMBERS_H", "#define PITH_TESTS_ORACLE_MEASURES_NUMBERS_H", "",
         "#include <stdint.h>", ""]


def array(kind, name, values):
    values = list(values)
    text = [repr(float(v)) if kind == "double" else str(int(v)) for v in values] or ["0"]
    lines.append("static const %s %s[%d] = {" % (kind, name, len(text)))
    row = ""
    for t in text:
        if len(row) + len(t) > 105:
            lines.append(row)
            row = ""
        row += t + ","
    lines.append(row + "};")


def number(name, value):
    lines.append("static const double %s = %r;" % (name, float(value)))


# ---- Labels against labels ---------------------------------------------------------------------------------

rng = np.random.RandomState(1)


def noisy(n, classes, clusters, wrong):
    truth = rng.randint(classes, size=n)
    found = truth % clusters
    moved = rng.uniform(size=n) < wrong
    found[moved] = rng.randint(clusters, size=moved.sum())
    return truth, found


def agreement(truth, found):
    table = metrics.cluster.contingency_matrix(found, truth)
    rows, cols = linear_sum_assignment(table, maximize=True)
    nmi = [metrics.normalized_mutual_info_score(truth, found, average_method=kind)
           for kind in ("max", "arithmetic", "geometric")]
    return [table[rows, cols].sum() / len(truth)] + nmi + [
        metrics.adjusted_rand_score(truth, found), table.max(axis=1).sum() / len(truth)]


cases = [
    noisy(200, 4, 4, 0.3), noisy(150, 4, 7, 0.5), noisy(150, 9, 5, 0.2), noisy(300, 17, 23, 0.6),
    noisy(60, 3, 3, 1.0), (np.arange(30) % 5, (np.arange(30) % 5 * 3 + 1) % 5),
    (np.arange(20) // 10, np.zeros(20)), (np.zeros(20), np.arange(20) // 10), (np.zeros(9), np.zeros(9)),
    (np.arange(12) // 3, np.arange(12)), (np.arange(12), np.arange(12)[::-1]), (np.zeros(12), np.arange(12)),
    ([0], [0]), ([3], [7]), (np.arange(24) // 12 * 900, np.arange(24) % 2 * 70 + 5),
]
lines.append("struct agreement_case {\n    int64_t n;\n    const int32_t *classes, *clusters;\n"
             "    double acc, nmi, nmi_mean, nmi_geometric, ari, purity;\n};")
table = []
for k, (truth, found) in enumerate(cases):
    truth, found = np.asarray(truth, dtype=int), np.asarray(found, dtype=int)
    array("int32_t", "classes_%d" % k, truth)
    array("int32_t", "clusters_%d" % k, found)
    table.append("    {%d, classes_%d, clusters_%d, %s}," % (
        len(truth), k, k, ", ".join(repr(float(v)) for v in agreement(truth, found))))
lines += ["static const struct agreement_case agreement_cases[%d] = {" % len(cases)] + table + ["};"]

# ---- Data --------------------------------------------------------------------------------------------------

dense, dense_labels = o.blobs(), np.arange(48) % 3
dense_labels[5] = 3  # alone in its cluster
counts, counts_labels = o.counts(), np.arange(40) % 4 + 2  # labels with gaps; row 7 is empty
array("double", "dense_x", dense.ravel())
array("int32_t", "dense_labels", dense_labels)
array("double", "counts_x", counts.ravel())
array("int32_t", "counts_labels", counts_labels)


def unit_rows(X):
    norm = np.sqrt((X ** 2).sum(axis=1, keepdims=True))
    return X / np.where(norm > 0, norm, 1)


def silhouette(X, labels, cosine):
    D = cdist(X, X)
    if cosine:  # 1 - cos as half the squared distance of the unit rows, which does not cancel
        D = cdist(unit_rows(X), unit_rows(X), "sqeuclidean") / 2
        empty = ~X.any(axis=1)
        D[empty] = D[:, empty] = 1
        np.fill_diagonal(D, 0)
    return metrics.silhouette_score(D, labels, metric="precomputed")


def redundancy(X):
    X = X[:, X.max(axis=0) > X.min(axis=0)]
    R = np.abs(np.corrcoef(X.T))
    return R[np.triu_indices(len(R), 1)].mean()


for name, X, labels in (("dense", dense, dense_labels), ("counts", counts, counts_labels)):
    number(name + "_silhouette", silhouette(X, labels, False))
    number(name + "_silhouette_cosine", silhouette(X, labels, True))
    number(name + "_redundancy", redundancy(X))

# ---- Stability ---------------------------------------------------------------------------------------------

Z = rng.uniform(size=(15, 40)) < np.where(np.arange(40) < 10, 0.8, 0.1)
M, d = Z.shape
share, size = Z.mean(axis=0), Z.sum(axis=1)
q = size.mean() / d
index = 1 - (M / (M - 1) * share * (1 - share)).mean() / (q * (1 - q))
phi = ((Z * share).mean(axis=1) - size * q / d + index / 2 * (2 * q * size / d - size / d - q + 1)) / (q * (1 - q))
error = np.sqrt(4 / M ** 2 * ((phi - phi.mean()) ** 2).sum())
array("int64_t", "stability_size", size)
array("int64_t", "stability_members", np.concatenate([np.flatnonzero(row) for row in Z]))
number("stability_index", index)
number("stability_error", error)

# ---- k-means on groups apart -------------------------------------------------------------------------------

centres = rng.normal(size=(5, 6)) * 8 + 30
apart = np.round(centres[np.arange(75) * 7 % 5] + rng.normal(size=(75, 6)), 6)
found = KMeans(5, n_init=20, random_state=1).fit(apart)
array("double", "apart_x", apart.ravel())
array("int32_t", "apart_labels", found.labels_)
number("apart_inertia", ((apart - found.cluster_centers_[found.labels_]) ** 2).sum())
assert np.isclose(found.inertia_, ((apart - found.cluster_centers_[found.labels_]) ** 2).sum())
assert metrics.adjusted_rand_score(found.labels_, np.arange(75) * 7 % 5) == 1
U = unit_rows(apart)
number("apart_inertia_cosine",
       sum((1 - U[found.labels_ == k] @ unit_rows(U[found.labels_ == k].sum(axis=0, keepdims=True)).T).sum()
           for k in range(5)))

lines += ["", "#endif"]
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "numbers.h"), "w") as f:
    f.write("\n".join(lines) + "\n")
