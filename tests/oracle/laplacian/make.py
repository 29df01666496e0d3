"""Laplacian score by dense matrices: g'Lg / g'Dg with g = f - (f'd / 1'd) 1, the sign turned."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import common as o
import numpy as np


def laplacian(X, standardize="none", **graph):
    Y = o.standardize(X, standardize)
    S = o.graph(Y, **graph)
    d = S.sum(axis=1)
    L = np.diag(d) - S
    scores = np.full(X.shape[1], np.nan)
    for r in np.flatnonzero(~o.constant(X)):
        g = Y[:, r] - Y[0, r]
        g = g - (g @ d) / d.sum()
        scores[r] = -(g @ L @ g) / (g @ (d * g))
    return scores


numbers = o.Numbers(__file__)
# The dense form subtracts numbers of the size of g'Dg, and the graph's weights carry the rounding of the
# mean distance: 1e-12 of the largest score leaves a factor of ten.
X = numbers.data(o.blobs())
for weight in ("heat", "binary"):
    numbers.case(laplacian(X, weight=weight), 1e-12, weight=weight)
numbers.case(laplacian(X, neighbors=9, t_factor=0.25), 1e-12, neighbors=9, t_factor=0.25)
numbers.case(laplacian(X, metric="cosine", weight="cosine"), 1e-12, metric="cosine", weight="cosine")
for kind in ("zscore", "minmax", "center"):
    numbers.case(laplacian(X, standardize=kind), 1e-12, standardize=kind)
X = numbers.data(o.counts())
numbers.case(laplacian(X, metric="cosine"), 1e-12)  # counts are taken by cosine without being told
numbers.case(laplacian(X, metric="euclidean"), 1e-12, metric="euclidean")
X = numbers.data(o.counts(empty=False))
numbers.case(laplacian(X, standardize="tfidf"), 1e-12, standardize="tfidf")
X = numbers.data(o.groups_apart())
numbers.case(laplacian(X), 1e-12)
X = numbers.data(o.integers())
numbers.case(laplacian(X, weight="binary"), 1e-12, weight="binary")
# A mean moves neither the graph nor the score, but takes digits away from those who do not centre first.
X = numbers.data(o.far_from_zero())
for kind in ("none", "center", "zscore", "minmax"):
    numbers.case(laplacian(o.centred_exactly(X), standardize=kind), 1e-12, standardize=kind)
X = numbers.formula(3200, 4)  # above 3000 rows the width comes from an evenly spaced subset of the rows
numbers.case(laplacian(X), 1e-12)
numbers.write()
