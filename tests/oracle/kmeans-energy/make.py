"""Between-cluster energy on data whose best k-means clustering is beyond doubt: groups far apart.

Lloyd's rounds start from the planted groups and must not leave them; that no other start does better is checked
by 200 random ones. Then score(f) = sum_k n_k mean_k(f)^2.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import common as o
import numpy as np


def lloyd(X, labels, cosine):
    for _ in range(300):
        centres = np.array([X[labels == k].sum(axis=0) for k in range(labels.max() + 1)])
        if cosine:
            centres /= np.linalg.norm(centres, axis=1, keepdims=True)
            cost = 1 - X @ centres.T
        else:
            centres /= np.bincount(labels)[:, None]
            cost = ((X[:, None, :] - centres[None]) ** 2).sum(axis=2)
        new = cost.argmin(axis=1)
        if (new == labels).all() or len(set(new)) < len(centres):
            break
        labels = new
    return labels, cost[np.arange(len(X)), labels].sum()


def energy(X, kind, groups):
    Y, cosine = o.standardize(X, kind), kind == "tfidf"
    labels, least = lloyd(Y, groups, cosine)
    assert (labels == groups).all()
    rng = np.random.RandomState(0)
    for _ in range(200):
        start = rng.permutation(np.arange(len(X)) % (groups.max() + 1))
        assert lloyd(Y, start, cosine)[1] > least - 1e-9
    scores = sum((groups == k).sum() * Y[groups == k].mean(axis=0) ** 2 for k in range(groups.max() + 1))
    scores[o.constant(X)] = np.nan
    return scores


rng = np.random.RandomState(5)
groups = np.arange(45) % 3
X = np.round(rng.normal(size=(45, 9)) + 20 * rng.normal(size=(3, 9))[groups], 6)
X[:, 2] = 4
numbers = o.Numbers(__file__)
# Sums of 45 terms, and a mean and deviation each: rounding only.
numbers.data(X)
numbers.case(energy(X, "zscore", groups), 1e-12, clusters=3)
numbers.case(energy(X, "none", groups), 1e-12, clusters=3, standardize="none")
topics = np.zeros((3, 60))
for k in range(3):
    topics[k, 20 * k:20 * k + 18] = 0.35
C = rng.poisson(topics[groups]).astype(float)
C[np.arange(45), 20 * groups] += 1  # no document is empty
C[::7, 59] = 1
numbers.data(C)
assert (C != 0).mean() <= 0.1 + 0.05
numbers.case(energy(C, "tfidf", groups), 1e-12, clusters=3, standardize="tfidf")
numbers.write()
