"""HT-DES by brute force: every pair of samples is looked at, or every drawn one, and the z statistic written out."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import common as o
import numpy as np


def z(ps, pd, ns, nd):
    q = (ps * ns + pd * nd) / (ns + nd)
    error = np.sqrt(q * (1 - q) * (1 / ns + 1 / nd))
    return (ps - pd) / error if error > 0 else 0.0


def ht_des(X, exact=True, pairs=40000, sampling="coin", threshold="zero", **options):
    n, p = X.shape
    lists = o.choices(X, **options)
    if exact:
        drawn = [(i, j, 1 if j in lists[i] or i in lists[j] else -1) for i in range(n) for j in range(i)]
    else:
        drawn = o.sample_pairs(lists, pairs, sampling)
    has = X != 0 if threshold == "zero" else X > X.mean(axis=0)
    both = np.array([has[i] & has[j] for i, j, _ in drawn])
    sign = np.array([s for _, _, s in drawn])
    near, far = both[sign > 0], both[sign < 0]
    counts = (pairs / 2, pairs / 2) if exact else (len(near), len(far))
    scores = [z(a, b, *counts) for a, b in zip(near.mean(axis=0), far.mean(axis=0))]
    return np.where(o.constant(X), np.nan, scores)


numbers = o.Numbers(__file__)
# Shares are ratios of whole numbers below 2^53; what is left is the rounding of a few operations.
cases = [{}, {"neighbors": 2}, {"neighbors": 9, "pairs": 1000}, {"metric": "euclidean"}, {"threshold": "mean"}]
sampled = [{"pairs": 3000}, {"pairs": 501, "sampling": "alternate"}, {"pairs": 500, "neighbors": 12, "threshold": "mean"}]
for X in (o.counts(), o.blobs(), o.counts(n=33, p=50, seed=7)):
    X = numbers.data(X)
    for case in cases:
        numbers.case(ht_des(X, **case), 1e-13, **case)
    for case in sampled:
        numbers.case(ht_des(X, exact=False, **case), 1e-13, exact="no", **case)
# Nearly all pairs are near: most draws of far ones come to nothing.
X = numbers.data(o.counts(n=14, p=20, seed=9, empty=False))
numbers.case(ht_des(X, exact=False, pairs=200, neighbors=9), 1e-13, exact="no", pairs=200, neighbors=9)
numbers.write()
