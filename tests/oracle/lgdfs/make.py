"""LGDFS with every regression matrix written out: W = (Xc'Xc + lam diag(1/z))^-1 Xc'Y for all samples and for every
region, A summed up from dense n x n pieces, z from the norms of their rows."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import common as o
import numpy as np


def centring(n):
    return np.eye(n) - 1.0 / n


def laplacian(X, z, lam):
    """What is left of Y'HY after the best regression: Y'LY."""
    n = len(X)
    Xc = centring(n) @ X
    inverse = np.linalg.inv(Xc.T @ Xc + lam * np.diag(1 / z))
    return centring(n) - Xc @ inverse @ Xc.T


def regression(X, z, lam, Y):
    Xc = centring(len(X)) @ X
    return np.linalg.solve(Xc.T @ Xc + lam * np.diag(1 / z), Xc.T @ Y)


def lgdfs(X, clusters=3, standardize="zscore", k=5, alpha=1.0, lam=1.0, lam_l=1.0, iters=20, tol=1e-4):
    constant = o.constant(X)
    Z, n, p = o.standardize(X, standardize), len(X), X.shape[1]
    k = min(k, n)
    z = np.full(p, 1.0 / p)
    for _ in range(iters):
        live = np.flatnonzero((z > 0) & ~constant)
        V, w = Z[:, live], z[live]
        D = np.array([((V - x) ** 2 * w).sum(axis=1) for x in V])
        regions = [[i] + [b for b in np.lexsort((np.arange(n), np.round(D[i], 13))) if b != i][:k - 1]
                   for i in range(n)]
        A = alpha * laplacian(V, w, lam)
        for r in regions:
            A[np.ix_(r, r)] += laplacian(V[r], w, lam_l)
        values, vectors = np.linalg.eigh(A + n * (1 + alpha) / n * np.ones((n, n)))
        Y = vectors[:, :clusters - 1]
        s = alpha * lam * (regression(V, w, lam, Y) ** 2).sum(axis=1)
        for r in regions:
            s += lam_l * (regression(V[r], w, lam_l, Y[r]) ** 2).sum(axis=1)
        new = np.zeros(p)
        new[live] = np.sqrt(s) / np.sqrt(s).sum()
        moved, z = np.abs(new - z).sum(), new
        if moved < tol:
            break
    return np.where(constant, np.nan, z)


numbers = o.Numbers(__file__)


def case(X, tolerance, **params):
    """A round multiplies errors of Y by about the inverse of the gap behind it, and rounds follow on each other."""
    numbers.case(lgdfs(X, **params), tolerance, **params)


X = numbers.data(o.blobs())
case(X, 1e-9, clusters=3)
case(X, 1e-9, clusters=2, iters=1)
case(X, 1e-9, clusters=4, iters=7)
case(X, 1e-9, clusters=3, k=2)
case(X, 1e-9, clusters=3, k=9, alpha=0.1, lam=10.0, lam_l=0.1)
case(X, 1e-9, clusters=3, k=100, iters=3)
case(X, 1e-9, clusters=3, alpha=100.0, lam=0.01, lam_l=100.0, iters=5)
case(X, 1e-9, clusters=3, tol=0.5)
case(X, 1e-9, clusters=3, standardize="center", iters=5)
case(X, 1e-9, clusters=3, standardize="none", iters=5)
X = numbers.data(o.blobs(n=21, p=40, seed=9))
case(X, 1e-9, clusters=3)
X = numbers.data(o.blobs(n=150, p=10, clusters=4, seed=5))  # beyond the size at which all eigenvectors are found
case(X, 1e-9, clusters=4, iters=4)
case(X, 1e-8, clusters=4, iters=4, alpha=0.001, lam=0.001)
X = numbers.data(o.counts(empty=False))
case(X, 1e-9, standardize="zscore", clusters=3, iters=6)
numbers.case(lgdfs(X, standardize="tfidf", iters=6), 1e-9, clusters=3, iters=6)  # what counts get by default
numbers.write()
