"""Energy on the graph by dense matrices: f_c' A A f_c with A = D^-1/2 W D^-1/2, f_c the centred column."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import common as o
import numpy as np


def energy(X, standardize="none", neighbors=10, metric="cosine", idf=1):
    Y = o.standardize(X, standardize)
    df = (X != 0).sum(axis=0)
    W = o.graph(Y, neighbors=neighbors, metric=metric, weight="cosine")
    d = W.sum(axis=1)
    root = np.where(d > 0, 1 / np.sqrt(np.where(d > 0, d, 1)), 0)
    A = root[:, None] * W * root[None, :]
    scores = np.full(X.shape[1], np.nan)
    for r in np.flatnonzero(~o.constant(X)):
        f = Y[:, r] - Y[:, r].mean()
        if standardize in ("sqrt-idf", "tfidf") and df[r] < len(X):
            f = f * np.log(len(X) / df[r]) ** (idf - 1)
        scores[r] = f @ A @ A @ f
    return scores


numbers = o.Numbers(__file__)
# Sums of some hundred products: 1e-12 of the largest score leaves a factor of ten.
X = numbers.data(o.counts(empty=False))
numbers.case(energy(X, "sqrt-idf"), 1e-12)  # counts are seen so without being told
numbers.case(energy(X, "sqrt-idf", neighbors=3), 1e-12, neighbors=3)
for power in (0.5, 2):
    numbers.case(energy(X, "sqrt-idf", idf=power), 1e-12, idf=power)
numbers.case(energy(X, "tfidf"), 1e-12, standardize="tfidf")
numbers.case(energy(X, "none"), 1e-12, standardize="none")
X = numbers.data(o.counts())  # a document without words has no edge
numbers.case(energy(X, "sqrt-idf"), 1e-12)
X = numbers.data(o.cells())
numbers.case(energy(X), 1e-12)  # more than half of the entries are nonzero: taken as they are
numbers.case(energy(X, "sqrt-idf"), 1e-12, standardize="sqrt-idf")
X = numbers.data(o.blobs())
numbers.case(energy(X), 1e-12)
numbers.write()
