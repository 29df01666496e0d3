"""FSASL by its equations, densely: S by feature-sign search, L as a matrix, W in the p x p form."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import common as o
import numpy as np
import robust as r_


def elastic_net(G, c, lam):
    """min 1/2 s'Gs - c's + lam |s|_1 by feature-sign search (Lee et al., NIPS 2006), to 1e-12 of max |c|."""
    s, small = np.zeros(len(c)), 1e-12 * np.abs(c).max()
    sign = np.sign(s)

    def value(x):
        return x @ G @ x / 2 - c @ x + lam * np.abs(x).sum()

    for _ in range(10000):
        left = c - G @ s
        if (np.abs(left - lam * sign)[sign != 0] <= small).all():  # the active are done: let one more in
            j = np.argmax(np.where(sign == 0, np.abs(left), 0))
            if sign[j] != 0 or abs(left[j]) <= lam + small:
                return s
            sign[j] = np.sign(left[j])
        on = np.flatnonzero(sign)
        goal = np.zeros(len(c))
        goal[on] = np.linalg.solve(G[np.ix_(on, on)], c[on] - lam * sign[on])
        stops = [1.0] + [s[a] / (s[a] - goal[a]) for a in on if s[a] * goal[a] < 0]
        points = [np.where(np.abs(s + t * (goal - s)) < 1e-15, 0, s + t * (goal - s)) for t in stops]
        for t, a in zip(stops[1:], [a for a in on if s[a] * goal[a] < 0]):
            points[stops.index(t)][a] = 0
        s = min(points, key=value)
        sign = np.sign(s)
    raise AssertionError("no convergence")


def nearest(D, i, count):
    n = len(D)
    return [j for j in np.lexsort((np.arange(n), np.round(D[i], 12))) if j != i][:count]


def combinations(Z, D, ratio, cand):
    n = len(Z)
    mu = 1e-6 * (Z ** 2).sum(axis=1).mean()
    S = np.zeros((n, n))
    for i in range(n):
        N = nearest(D, i, cand)
        c = Z[N] @ Z[i]
        S[N, i] = elastic_net(Z[N] @ Z[N].T + mu * np.eye(len(N)), c, ratio * np.abs(c).max())
    return S


def simplex(y):
    """By bisection for theta: sum max(y - theta, 0) = 1."""
    lo, hi = y.min() - 2, y.max()
    for _ in range(200):
        theta = (lo + hi) / 2
        lo, hi = (theta, hi) if np.maximum(y - theta, 0).sum() > 1 else (lo, theta)
    x = np.maximum(y - theta, 0)
    on = x > 0
    return np.where(on, y - (y[on].sum() - 1) / on.sum(), 0)


def neighbours(D, k):
    n = len(D)
    N = [nearest(D, i, k + 1) for i in range(n)]
    m = np.mean([k * D[i, N[i][k]] - D[i, N[i][:k]].sum() for i in range(n)]) / 2
    P = np.zeros((n, n))
    for i in range(n):
        P[i, N[i][:k]] = simplex(-D[i, N[i][:k]] / (2 * m)) if m > 0 else 1 / k
    return (P + P.T) / 2


def fsasl(X, clusters, standardize="zscore", ratio=0.01, l2=1.0, rho=0.2, neighbors=5, cand=100, max_iter=5,
          inner_iter=10):
    kept = np.flatnonzero(~o.constant(X))
    V = o.standardize(X, standardize)[:, kept]
    V = V - V.mean(axis=0)  # whatever the view
    n, Z = len(V), V
    for _ in range(max_iter):
        D = o.squared_distances(Z, "euclidean")
        S = combinations(Z, D, ratio, cand)
        A = neighbours(D, min(neighbors, n - 2))
        L = (np.eye(n) - S) @ (np.eye(n) - S).T + l2 * (np.diag(A.sum(axis=1)) - A)
        values, vectors = np.linalg.eigh(L)
        assert values[clusters] - values[clusters - 1] > 1e-3, values[:clusters + 1]
        Y = vectors[:, :clusters]
        b = rho * 2 * np.sqrt(((V.T @ Y) ** 2).sum(axis=1)).max()
        W = r_.weighted_ridge(V, np.ones(n), b, np.ones(len(kept)), Y)
        e = 1e-6 * np.sqrt((W ** 2).sum(axis=1)).max()
        for _ in range(inner_iter):
            W = r_.weighted_ridge(V, np.ones(n), b, 1 / (2 * r_.smooth(W, e)), Y)
        Z = V @ W
    return r_.scores(X, kept, W)


# Gaps between eigenvalues are above 1e-3, and mu bounds how ill S may be posed; what rounding makes of that in five
# sweeps stayed below 1e-11.
TOLERANCE = 1e-9
numbers = o.Numbers(__file__)


def case(X, clusters, **options):
    numbers.case(fsasl(X, clusters, **options), TOLERANCE, clusters=clusters, **options)


X = numbers.data(o.blobs(n=30))  # n > p
case(X, 3)
case(X, 3, max_iter=1)
case(X, 4, l2=10, ratio=0.1, rho=0.5, cand=8, neighbors=3, max_iter=3, inner_iter=2)
X = numbers.data(o.blobs(n=20, p=33, seed=7))  # n < p
case(X, 3)
case(X, 2, rho=0.02, cand=7, max_iter=2)
X = numbers.data(o.counts(n=24, empty=False))
numbers.case(fsasl(X, 3, standardize="tfidf-unit", max_iter=2), TOLERANCE, clusters=3, max_iter=2)
case(X, 3, standardize="none", max_iter=2)
numbers.write()
