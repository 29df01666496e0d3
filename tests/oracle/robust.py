"""What the oracles of rufs and rsfs share: the local learning Laplacian and row-sparse steps, densely."""
import common as o
import numpy as np


def local_learning(X, neighbors, r):
    """L = (I - A)'(I - A), row i of A predicting i from its nearest others by kernel regression."""
    n = len(X)
    D = o.squared_distances(X, "euclidean")
    K = np.exp(-D / o.mean_distance(X, "euclidean") ** 2)
    A = np.zeros((n, n))
    for i in range(n):
        N = [j for j in np.lexsort((np.arange(n), np.round(D[i], 12))) if j != i][:neighbors]
        A[i, N] = K[i, N] @ np.linalg.inv(K[np.ix_(N, N)] + r * np.eye(len(N)))
    return (np.eye(n) - A).T @ (np.eye(n) - A)


def start(labels, c):
    G = np.eye(c)[labels] + 0.2
    return G / np.sqrt((G ** 2).sum(axis=0))


def smooth(M, e):
    """The norm of every row, smoothed."""
    return np.sqrt((M ** 2).sum(axis=1) + e * e)


def weighted_ridge(X, u, penalty, Q, F):
    """W = (X'UX + penalty Q)^-1 X'U F: the p x p form, which pith never makes where n < p."""
    return np.linalg.solve(X.T @ (u[:, None] * X) + penalty * np.diag(Q), X.T @ (u[:, None] * F))


def scores(X, kept, W):
    """The norms of W's rows at their features, none for the others."""
    out = np.full(X.shape[1], np.nan)
    out[kept] = np.sqrt((W ** 2).sum(axis=1))
    return out


def parts(M):
    return np.maximum(M, 0), np.maximum(-M, 0)


class Falling:
    """The objective must fall in every step, or the script stops."""

    def __init__(self):
        self.last = np.inf

    def __call__(self, value):
        assert value <= self.last * (1 + 1e-12), (value, self.last)
        self.last = value


# Rounding is enlarged by a hundred steps or more, but by no chance: two orders of the same sums stayed within 1e-10.
TOLERANCE = 1e-9


def labels(n, c=3):
    """One label in four is wrong, so that the steps have something to move."""
    return np.where(np.arange(n) % 4 == 3, (np.arange(n) // 4) % c, np.arange(n) % c)


def write_cases(path, method, **unusual):
    """The numbers of rufs or rsfs; `unusual` are its settings far from the defaults."""
    numbers = o.Numbers(path)

    def case(X, c=3, **options):
        numbers.case(method(X, labels(len(X), c), **options), TOLERANCE, init_labels=labels(len(X), c), **options)

    X = numbers.data(o.blobs())  # n > p
    case(X)
    case(X, **unusual, rho=0.5, r=0.01, neighbors=3, max_iter=7)
    case(X, max_iter=3, inner_iter=1)
    case(X, 4, standardize="none", max_iter=5)
    X = numbers.data(o.blobs(n=20, p=33, seed=7))  # n < p
    case(X)
    case(X, rho=0.01)
    X = numbers.data(o.counts(empty=False))
    auto = method(X, labels(len(X)), standardize="tfidf-unit", max_iter=10)  # as counts are seen by default
    numbers.case(auto, TOLERANCE, init_labels=labels(len(X)), max_iter=10)
    case(X, standardize="zscore", max_iter=10)
    numbers.write()
