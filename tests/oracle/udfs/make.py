"""UDFS with dense D x D matrices and full eigendecompositions of P^-1, formed as an inverse."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import common as o
import numpy as np


def scatter(Y, k, l):
    n = len(Y)
    D = o.squared_distances(Y, "euclidean")
    k = min(k, n - 1)
    H = np.eye(k + 1) - 1 / (k + 1)
    members = [[i] + [j for j in np.lexsort((np.arange(n), np.round(D[i], 12))) if j != i][:k] for i in range(n)]
    grams = [H @ Y[rows] @ Y[rows].T @ H for rows in members]
    ridge = l * np.mean([np.trace(G) for G in grams]) / k
    B = np.zeros((n, n))
    for rows, G in zip(members, grams):
        B[np.ix_(rows, rows)] += H @ np.linalg.inv(G + ridge * np.eye(k + 1)) @ H
    return B


def udfs(X, clusters=3, standardize="center-unit", l=1.0, g=0.1, max_iter=20, neighbors=5):
    Y = o.standardize(X, standardize)
    B = scatter(Y, neighbors, l)
    live = ~o.constant(X)
    Y = (Y - Y.mean(axis=0))[:, live]
    D = Y.shape[1]
    M = Y.T @ B @ Y
    mu, E = np.linalg.eigh(M)
    null = (mu <= 1e-10 * mu.max()).sum()
    if null >= clusters:
        norm = np.sqrt(clusters / null * np.maximum(1 - (E[:, null:] ** 2).sum(axis=1), 0))
    else:
        norm = np.linalg.norm(E[:, :clusters], axis=1)
    last = np.inf
    for sweep in range(max_iter):
        q = 1 / (2 * np.maximum(norm, 1e-12 * norm.max()))
        # Scaled before it is inverted: P itself spans a dozen decades.
        root = 1 / np.sqrt(q)
        inverse = root[:, None] * np.linalg.inv(root[:, None] * M * root + g * np.eye(D)) * root
        lam, V = np.linalg.eigh((inverse + inverse.T) / 2)
        assert lam[-clusters] / lam[-clusters - 1] > 1 + 1e-6
        W, _ = np.linalg.qr(inverse @ V[:, -clusters:])
        norm = np.linalg.norm(W, axis=1)
        J = np.trace(W.T @ M @ W) + g * norm.sum()
        assert sweep == 0 or J <= last * (1 + 1e-9), (J, last)
        last = J
    scores = np.full(X.shape[1], np.nan)
    scores[live] = norm
    return scores


numbers = o.Numbers(__file__)
# Two eigensolvers agree to about 1e-13 over the relative gap of P^-1, which can be small in the first sweep.
X = numbers.data(o.blobs())
for case in (dict(clusters=3), dict(clusters=2, g=0.01, l=0.1), dict(clusters=4, max_iter=3, neighbors=3),
             dict(clusters=3, g=1.0, max_iter=5), dict(clusters=3, standardize="zscore"),
             dict(clusters=3, standardize="minmax", max_iter=5)):
    numbers.case(udfs(X, **case), 1e-8, **case)
X = numbers.data(np.round(np.random.RandomState(8).normal(size=(25, 40)) + 2 * np.sin(np.arange(25) % 3 * 2.0)[:, None]
                          * (np.arange(40) < 8), 6))
for case in (dict(clusters=3), dict(clusters=5, g=0.01, max_iter=6), dict(clusters=15, max_iter=4)):
    numbers.case(udfs(X, **case), 1e-8, **case)
X = numbers.data(o.counts(empty=False))
numbers.case(udfs(X, standardize="tfidf-unit", max_iter=6), 1e-8, clusters=3, max_iter=6)
numbers.case(udfs(X, standardize="zscore", max_iter=6), 1e-8, clusters=3, max_iter=6, standardize="zscore")
X = numbers.formula(24, 130)  # large enough for Lanczos
numbers.case(udfs(X, clusters=2, max_iter=4), 1e-7, clusters=2, max_iter=4)
numbers.write()
