"""Dispersion of scanpy's highly_variable_genes(flavor="seurat", n_bins=20) on log1p of counts per 10,000, which that
undoes by expm1: log(variance / mean) with n - 1, held against the features in the same bin of log1p(mean)."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import common as o
import numpy as np


def dispersion(X, bins=20):
    total = X.sum(axis=1, keepdims=True)
    Y = X * 1e4 / np.where(total > 0, total, 1)
    kept = np.flatnonzero(~o.constant(X))
    mean = np.log1p(Y[:, kept].mean(axis=0))
    value = np.log(Y[:, kept].var(axis=0, ddof=1) / Y[:, kept].mean(axis=0))
    edges = np.linspace(mean.min(), mean.max(), bins + 1)  # bins are closed on the right, the first on both sides
    scores = np.full(X.shape[1], np.nan)
    for j, m, v in zip(kept, mean, value):
        b = max(1, int((edges < m).sum()))
        same = value[[max(1, int((edges < other).sum())) == b for other in mean]]
        scores[j] = (v - same.mean()) / same.std(ddof=1) if len(same) > 1 else 1.0  # alone: v / v
    return scores


numbers = o.Numbers(__file__)
# A bin of two alike features divides by a small deviation: 1e-9 of the largest score.
for X in (o.counts(empty=False), o.cells()):
    numbers.data(X)
    numbers.case(dispersion(X), 1e-9)
    numbers.case(dispersion(X, bins=5), 1e-9, bins=5)
numbers.write()
