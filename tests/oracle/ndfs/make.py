"""NDFS as the paper writes it: D x D inverses and the n x n matrix Ln + a (I - X (X'X + bQ)^-1 X')."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import common as o
import numpy as np


def ndfs(X, labels, standardize="zscore", a=1.0, rho=0.4, g=1e8, max_iter=30, **graph):
    Y = o.standardize(X, standardize)
    Y = Y - Y.mean(axis=0)
    Y[:, o.constant(X)] = 0
    n, D = Y.shape
    Ln = o.normalized_laplacian(o.graph(o.standardize(X, standardize), **graph))
    F = (np.asarray(labels)[:, None] == np.unique(labels)) + 0.2
    F = F / np.linalg.norm(F, axis=0)
    b = rho * 2 * np.linalg.norm(Y, axis=0).max()
    Q = np.eye(D)
    for _ in range(max_iter):
        inverse = np.linalg.inv(Y.T @ Y + b * Q)
        W = inverse @ Y.T @ F
        M = Ln + a * (np.eye(n) - Y @ inverse @ Y.T)
        # The sign split is that of the products, Ln's and the regression's part each by itself.
        residual = a * (F - Y @ W)
        smooth = F - Ln @ F
        assert np.allclose(M @ F, F - smooth + residual, atol=1e-10)
        top = g * F + smooth + np.maximum(-residual, 0)
        bottom = F + np.maximum(residual, 0) + g * F @ (F.T @ F)
        F = np.maximum(F * top / bottom, 1e-12)
        F = F / np.linalg.norm(F, axis=0)
        norm = np.linalg.norm(W, axis=1)
        Q = np.diag(1 / (2 * np.maximum(norm, 1e-12 * norm.max())))
    norm[o.constant(X)] = np.nan
    return norm


numbers = o.Numbers(__file__)
# Inverses of matrices whose condition is about 1e4, thirty times: 1e-10 leaves room for it. Few sweeps leave more
# rows of W above the largest's rounding.
X = numbers.data(o.blobs())
labels = (np.arange(len(X)) * 7) % 3
numbers.case(ndfs(X, labels), 1e-10, init_labels=labels)
for case in (dict(g=10.0), dict(g=10.0, a=20.0, rho=0.05), dict(rho=0.9), dict(rho=0.1, max_iter=3),
             dict(g=5.0, neighbors=3, weight="binary", max_iter=10), dict(standardize="minmax", g=10.0, rho=0.05),
             dict(standardize="none", rho=0.01, max_iter=5)):
    numbers.case(ndfs(X, labels, **case), 1e-10, init_labels=labels, **case)
X = numbers.data(o.blobs()[:20].repeat(2, axis=1)[:, :23] + 0.01 * np.round(np.sin(np.arange(460)).reshape(20, 23), 6))
labels = np.arange(20) % 4
for case in (dict(), dict(g=10.0, a=5.0), dict(rho=0.05, max_iter=10)):  # fewer samples than features
    numbers.case(ndfs(X, labels, **case), 1e-10, init_labels=labels, **case)
X = numbers.data(o.counts(empty=False))
labels = np.arange(len(X)) % 3
numbers.case(ndfs(X, labels, standardize="tfidf-unit"), 1e-10, init_labels=labels)
numbers.case(ndfs(X, labels, standardize="zscore", g=10.0), 1e-10, standardize="zscore", g=10.0, init_labels=labels)
# No labels: the graph falls into as many parts as there are clusters, so that k-means has no choice.
X = numbers.data(o.groups_apart())
S = o.graph(o.standardize(X, "zscore"))
parts = o.components(S)
labels = np.zeros(len(X), int)
for k, rows in enumerate(parts):
    labels[rows] = k
assert len(parts) == 3
numbers.case(ndfs(X, labels), 1e-10, clusters=3)
numbers.write()
