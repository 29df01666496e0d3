"""JELSR with D x D inverses and a dense n x n eigenproblem, as the paper writes it."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import common as o
import numpy as np


def lle(Y, k):
    n = len(Y)
    D = o.squared_distances(Y, "euclidean")
    A = np.zeros((n, n))
    for i in range(n):
        near = [j for j in np.lexsort((np.arange(n), np.round(D[i], 12))) if j != i][:min(k, n - 1)]
        Z = Y[near] - Y[i]
        G = Z @ Z.T
        if np.trace(G) > 0:
            w = np.linalg.solve(G + 1e-3 * np.trace(G) * np.eye(len(near)), np.ones(len(near)))
        else:
            w = np.ones(len(near))
        A[i, near] = w / w.sum()
    return (np.eye(n) - A).T @ (np.eye(n) - A)


def jelsr(X, clusters=3, standardize="zscore", rho=0.4, b=0.1, max_iter=20, laplacian="normalized", **graph):
    Y = o.standardize(X, standardize)
    L = lle(Y, graph.get("neighbors", 5)) if laplacian == "lle" else o.normalized_laplacian(o.graph(Y, **graph))
    Y = Y - Y.mean(axis=0)
    Y[:, o.constant(X)] = 0
    n, D = Y.shape
    a = rho * 2 * np.linalg.norm(Y, axis=0).max()
    Q, last = np.eye(D), np.inf
    for sweep in range(max_iter):
        inverse = np.linalg.inv(Y.T @ Y + a * Q)
        values, vectors = np.linalg.eigh(L + b * (np.eye(n) - Y @ inverse @ Y.T))
        assert values[clusters] - values[clusters - 1] > 1e-4, values[:clusters + 1]
        F = vectors[:, :clusters]
        W = inverse @ Y.T @ F
        norm = np.linalg.norm(W, axis=1)
        J = np.trace(F.T @ L @ F) + b * (((Y @ W - F) ** 2).sum() + a * norm.sum())
        assert J <= last * (1 + 1e-12), "the objective falls in every sweep"
        last = J
        Q = np.diag(1 / (2 * np.maximum(norm, 1e-12 * norm.max())))
    norm[o.constant(X)] = np.nan
    return norm


numbers = o.Numbers(__file__)
# Eigenvectors by two solvers agree to about 1e-13 over the gap, which the script keeps above 1e-4.
X = numbers.data(o.blobs())
for case in (dict(clusters=3), dict(clusters=3, laplacian="lle"), dict(clusters=2, rho=0.1, b=10.0),
             dict(clusters=4, rho=0.05, b=0.01, neighbors=7, weight="binary"), dict(clusters=3, rho=0.9, max_iter=4),
             dict(clusters=3, laplacian="lle", neighbors=3, rho=0.1), dict(clusters=3, standardize="minmax", rho=0.1)):
    numbers.case(jelsr(X, **case), 1e-9, **case)
X = numbers.data(np.round(np.random.RandomState(8).normal(size=(25, 40)) + 2 * np.sin(np.arange(25) % 3 * 2.0)[:, None]
                          * (np.arange(40) < 8), 6))
for case in (dict(clusters=3), dict(clusters=3, rho=0.1, b=1.0), dict(clusters=5, laplacian="lle")):
    numbers.case(jelsr(X, **case), 1e-9, **case)
X = numbers.data(o.counts(empty=False))
numbers.case(jelsr(X, standardize="tfidf-unit"), 1e-9, clusters=3)
numbers.case(jelsr(X, standardize="zscore"), 1e-9, clusters=3, standardize="zscore")
X = numbers.formula(130, 20)  # large enough for Lanczos
numbers.case(jelsr(X, clusters=2, max_iter=3), 1e-8, clusters=2, max_iter=3)
numbers.write()
