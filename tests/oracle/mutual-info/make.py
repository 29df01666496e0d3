"""Mutual information with the labels by scikit-learn's mutual_info_score, one class against the rest at a time.

Needs python3-sklearn. Bins are counted for each value on its own: nothing is sorted.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import common as o
import numpy as np
from sklearn.metrics import mutual_info_score


def discretize(f, kind, bins):
    if kind == "presence":
        return (f != 0).astype(int)
    return np.array([bins * int((f < v).sum()) // len(f) for v in f])


def mutual_info(X, y, kind, bins=5):
    scores = np.full(X.shape[1], np.nan)
    for r in np.flatnonzero(~o.constant(X)):
        b = discretize(X[:, r], kind, bins)
        scores[r] = np.mean([mutual_info_score(b, y == c) for c in np.unique(y)])
    return scores


# The rounding to 12 decimals is the largest difference: half of the last one.
TOLERANCE = 1e-11
numbers = o.Numbers(__file__)

X = numbers.data(o.blobs())
y = numbers.labels(np.arange(len(X)) % 3)
numbers.case(mutual_info(X, y, "bins"), TOLERANCE)
numbers.case(mutual_info(X, y, "bins", 2), TOLERANCE, bins=2)
numbers.case(mutual_info(X, y, "bins", 13), TOLERANCE, bins=13)
numbers.case(mutual_info(X, y, "bins", 100), TOLERANCE, bins=100)  # more bins than samples

X = numbers.data(o.counts())
y = numbers.labels((np.arange(len(X)) * 7 // 5) % 4)  # four classes of unequal size across three topics
numbers.case(mutual_info(X, y, "presence"), TOLERANCE)
numbers.case(mutual_info(X, y, "bins"), TOLERANCE, discretize="bins")

X = numbers.data(o.integers() - 1)  # zeros between negative and positive values, every value tied
y = numbers.labels(np.arange(len(X)) * 2 // len(X))
numbers.case(mutual_info(X, y, "bins", 3), TOLERANCE, bins=3)
numbers.case(mutual_info(X, y, "presence"), TOLERANCE, discretize="presence")
numbers.write()
