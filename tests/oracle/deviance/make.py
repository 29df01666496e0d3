"""Binomial deviance, sample by sample, from the equation of Townes et al. (Genome Biology 2019)."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import common as o
import numpy as np


def deviance(X):
    total = X.sum(axis=1)
    scores = np.full(X.shape[1], np.nan)
    for j in np.flatnonzero(~o.constant(X)):
        q, sum_ = X[:, j].sum() / total.sum(), 0.0
        for x, n in zip(X[:, j], total):
            if x > 0:
                sum_ += x * np.log(x / (n * q))
            if n > x:
                sum_ += (n - x) * np.log((n - x) / (n * (1 - q)))
        scores[j] = 2 * sum_
    return scores


numbers = o.Numbers(__file__)
# Terms of opposite signs, each some times larger than the sum: 1e-11.
for X in (o.counts(), o.counts(empty=False), o.cells()):
    numbers.data(X)
    numbers.case(deviance(X), 1e-11)
numbers.write()
