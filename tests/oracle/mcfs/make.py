"""MCFS with the D x D Gram matrix and plain solves; every point of a path is held to the lasso's conditions."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import common as o
import numpy as np


def is_minimum(G, c0, a, lam):
    """|f_r'(y - Xa)| = lam with a's sign where a is not 0, and at most lam elsewhere."""
    c = c0 - G @ a
    on = a != 0
    return np.allclose(c[on], lam * np.sign(a[on]), atol=1e-10) and (np.abs(c) <= lam + 1e-10).all()


def path_end(X, y, m):
    """The first breakpoint with m nonzero coefficients, or the path's end."""
    G, c0 = X.T @ X, X.T @ y
    a = np.zeros(X.shape[1])
    lam = np.abs(c0).max()
    active = [int(np.argmax(np.abs(c0)))]
    banned = None
    while True:
        c = c0 - G @ a
        sign = np.sign(c[active])
        w = np.linalg.solve(G[np.ix_(active, active)], sign)
        v = G[:, active] @ w
        events = [(lam, "end", None)]
        for r in range(X.shape[1]):
            if r in active:
                continue
            for side in (1, -1):
                if 1 - side * v[r] > 1e-9:
                    step = max(0.0, (lam - side * c[r]) / (1 - side * v[r]))
                    if not (r == banned and step < 1e-9 * lam):
                        events.append((step, "join", r))
        events += [(-a[r] / w[k], "drop", r) for k, r in enumerate(active) if -a[r] / w[k] > 0]
        step, what, r = min(events, key=lambda e: e[0])
        a[active] += step * w
        lam -= step
        banned = None
        if what == "drop":
            a[r] = 0
            active.remove(r)
            banned = r
        assert is_minimum(G, c0, a, lam)
        if what == "end" or (a != 0).sum() >= m:
            return a
        if what == "join":
            active.append(r)


def mcfs(X, clusters=3, mcfs_active=50, standardize="zscore", **graph):
    Y = o.standardize(X, standardize)
    S = o.graph(Y, **graph)
    d = S.sum(axis=1)
    Y = Y - Y.mean(axis=0)
    Y[:, o.constant(X)] = 0
    m = min(mcfs_active, (len(X) - 1) // 2, X.shape[1])
    V = o.spectrum(S, clusters + 1)[1][1:]
    T = V / np.sqrt(d)
    T = T - T.mean(axis=1, keepdims=True)
    T = T / np.linalg.norm(T, axis=1, keepdims=True)
    live = np.linalg.norm(Y, axis=0) > 0
    coef = np.array([path_end(Y[:, live], y, m) for y in T])
    scores = np.zeros(X.shape[1])
    scores[live] = np.abs(coef).max(axis=0)
    rest = live & (scores == 0)
    norm = np.linalg.norm(Y, axis=0)
    scores[rest] = 0.5 * scores[scores > 0].min() * np.abs(T @ Y[:, rest]).max(axis=0) / norm[rest]
    scores[o.constant(X)] = np.nan
    return scores


numbers = o.Numbers(__file__)
# A coefficient's error is that of the eigenvectors (1e-13 over a gap of 1e-2 at least) times the condition of the
# active columns, which the path keeps small.
X = numbers.data(o.blobs())
for case in (dict(clusters=3), dict(clusters=3, mcfs_active=1), dict(clusters=5, mcfs_active=4),
             dict(clusters=3, mcfs_active=7, neighbors=7, weight="binary"), dict(clusters=4, standardize="none", mcfs_active=5),
             dict(clusters=2, standardize="minmax", mcfs_active=8)):
    numbers.case(mcfs(X, **case), 1e-9, **case)
X = numbers.data(np.round(np.random.RandomState(8).normal(size=(25, 40)) + 2 * np.sin(np.arange(25) % 3 * 2.0)[:, None]
                          * (np.arange(40) < 8), 6))
for case in (dict(clusters=3), dict(clusters=3, mcfs_active=6), dict(clusters=8, mcfs_active=12, weight="binary")):
    numbers.case(mcfs(X, **case), 1e-9, **case)
X = numbers.data(o.counts(empty=False))
for case in (dict(clusters=3, mcfs_active=6),):
    numbers.case(mcfs(X, standardize="tfidf-unit", **case), 1e-9, **case)
    numbers.case(mcfs(X, standardize="zscore", **case), 1e-9, standardize="zscore", **case)
X = numbers.data(o.groups_apart())
for clusters in (2, 4):  # inside the null space, beyond it
    numbers.case(mcfs(X, clusters=clusters, mcfs_active=5), 1e-9, clusters=clusters, mcfs_active=5)
numbers.write()
