"""scanpy's highly_variable_genes(flavor="seurat_v3"): loess (span 0.3, degree 2) of log10 variance on log10 mean, then the
variance of the counts standardised by it and clipped at sqrt(n).

The loess is written out as dloess computes it, which skmisc wraps: weighted least squares at the knots of a k-d tree, and
cubics between them. Where skmisc is at hand, `python3 make.py --check` holds it against that.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import common as o
import numpy as np


def fit_at(x, y, at, q):
    """Value and slope at `at` of the quadratic through the q nearest points, tricube weights."""
    d = np.abs(x - at)
    h = np.sort(d)[q - 1]
    rows, right = [], []
    for xi, yi, di in zip(x, y, d):
        if di < 0.999 * h:
            w = (1 - (di / h) ** 3) ** 3 if di > 0.001 * h else 1.0
            rows.append(np.sqrt(w) * np.array([1, (xi - at) / h, ((xi - at) / h) ** 2]))
            right.append(np.sqrt(w) * yi)
    beta = np.linalg.lstsq(np.array(rows), np.array(right), rcond=1e-12)[0]
    return beta[0], beta[1] / h


def cut(x, lo, hi):
    """The median, or the nearest point that a larger one follows: one up, one down, two up, two down."""
    m = (lo + hi) // 2
    for step in sum(([k, -k] for k in range(1, hi - lo + 2)), [0]):
        if not lo <= m + step < hi:
            return m
        if x[m + step] < x[m + step + 1]:
            return m + step
    return m


def split(x, lo, hi, left, right, leaf):
    """The knots inside a cell."""
    if hi - lo + 1 <= leaf:
        return []
    m = cut(x, lo, hi)
    if not left < x[m] < right:
        return []
    return split(x, lo, m, left, x[m], leaf) + [x[m]] + split(x, m + 1, hi, x[m], right, leaf)


def loess(x, y, span):
    n, ordered = len(x), np.sort(x)
    margin = 0.005 * (ordered[-1] - ordered[0])
    left, right = ordered[0] - margin, ordered[-1] + margin
    at = [left] + split(ordered, 0, n - 1, left, right, int(n * span * 0.2)) + [right]
    fits = [fit_at(x, y, a, int(n * span + 1e-5)) for a in at]
    result = []
    for v in x:
        k = max(i for i in range(len(at) - 1) if at[i] <= v)
        h = at[k + 1] - at[k]
        t = (v - at[k]) / h
        (f0, s0), (f1, s1) = fits[k], fits[k + 1]
        result.append(f0 * (1 + 2 * t) * (1 - t) ** 2 + f1 * t ** 2 * (3 - 2 * t)
                      + h * (s0 * t * (1 - t) ** 2 - s1 * t ** 2 * (1 - t)))
    return np.array(result)


def seurat_v3(X, span=0.3, fit=loess):
    n = len(X)
    kept = np.flatnonzero(~o.constant(X))
    mean, variance = X.mean(axis=0), X.var(axis=0, ddof=1)
    sd = np.sqrt(10 ** fit(np.log10(mean[kept]), np.log10(variance[kept]), span))
    scores = np.full(X.shape[1], np.nan)
    for j, s in zip(kept, sd):
        clipped = np.minimum(X[:, j], mean[j] + s * np.sqrt(n))
        scores[j] = (n * mean[j] ** 2 + (clipped ** 2).sum() - 2 * clipped.sum() * mean[j]) / ((n - 1) * s ** 2)
    return scores


def skmisc_loess(x, y, span):
    from skmisc.loess import loess as theirs
    model = theirs(x, y, span=span, degree=2)
    model.fit()
    return model.outputs.fitted_values


tables = [o.cells(), o.cells(n=25, p=150, seed=6)]
if "--check" in sys.argv:
    for X in tables:
        for span in (0.3, 0.5):
            print(np.nanmax(np.abs(seurat_v3(X, span) / seurat_v3(X, span, skmisc_loess) - 1)))
    sys.exit()
numbers = o.Numbers(__file__)
# Least squares by another factorisation, then a power of ten: 1e-10 of the largest score.
for X in tables:
    numbers.data(X)
    numbers.case(seurat_v3(X), 1e-10)
    numbers.case(seurat_v3(X, 0.5), 1e-10, span=0.5)
numbers.write()
