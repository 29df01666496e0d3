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


def parts(M):
    return np.maximum(M, 0), np.maximum(-M, 0)


class Falling:
    """The objective must fall in every step, or the script stops."""

    def __init__(self):
        self.last = np.inf

    def __call__(self, value):
        assert value <= self.last * (1 + 1e-12), (value, self.last)
        self.last = value
