"""NRFS from the paper's equations with the readings of docs/methods/nrfs.md: the whole similarity cube, dense
solves, density-preserving splits by sorting all pairs, widths by sorting all distances."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import common as o
import numpy as np


def distances(X, cosine):
    """Near 0 a cosine distance is all rounding: unit rows are subtracted there."""
    if not cosine:
        return np.sqrt(o.squared_distances(X, "euclidean"))
    norm = np.sqrt((X ** 2).sum(axis=1, keepdims=True))
    return np.sqrt(o.squared_distances(X / np.where(norm > 0, norm, 1), "euclidean"))


def width(D, k):
    """D: some rows' distances to all, themselves included."""
    kth = np.sort(D, axis=1)[:, k].mean()
    return kth if kth > 1e-6 * D.mean() else D.mean()


def graph(X, D, sigma, cosine, neighbors):
    n = len(X)
    norm = np.sqrt((X ** 2).sum(axis=1))
    if cosine:
        full = np.maximum(0, X @ X.T / np.outer(norm, norm))
    else:
        full = np.exp(-D ** 2 / (2 * sigma ** 2))
    while True:
        W = np.zeros((n, n))
        for a in range(n):
            near = [b for b in np.lexsort((np.arange(n), np.round(D[a], 12))) if b != a][:neighbors]
            W[a, near] = W[near, a] = full[a, near]
        parts = o.components(W)
        if neighbors >= n - 1 or (len(parts) == 1 and len(parts[0]) == n):
            return W
        neighbors = min(2 * neighbors, n - 1)


def density(W, mu, temperature):
    e, V = o.spectrum(W, len(W))
    level = mu * np.median(e)
    return (1 / (1 + np.exp((e - level) / (temperature * level)))) @ V ** 2


def halves(rows, D):
    """Greedy matching over all pairs in order of distance; the pair goes where it lies farther from its own."""
    pairs = sorted((D[i, j], i, j) for i in rows for j in rows if i < j)
    half, free = ([], []), set(rows)
    for _, i, j in pairs:
        if i in free and j in free:
            s = [[D[x, h].sum() for h in half] for x in (i, j)]
            if s[0][0] + s[1][1] < s[0][1] + s[1][0]:
                i, j = j, i
            half[0].append(i)
            half[1].append(j)
            free -= {i, j}
    for i in free:
        half[0 if D[i, half[0]].sum() >= D[i, half[1]].sum() else 1].append(i)
    return [sorted(h) for h in half]


def sample(rows, D, levels, fold):
    folds = [list(rows)]
    for _ in range(levels):
        folds = [h for rows in folds for h in halves(rows, D)]
    return folds[fold]


def subspaces(X, live, q):
    N = []
    for j in live:
        d = [np.round(((X[:, j] - X[:, f]) ** 2).sum(), 12) for f in live]
        others = [live[t] for t in np.lexsort((live, d)) if live[t] != j]
        N.append([j] + others[:q - 1])
    return N


def layer(X, i, N, s, cosine):
    B = np.zeros((len(X), len(N)))
    for j, f in enumerate(N):
        if cosine:
            for a in range(len(X)):
                B[a, j] = o.cosine(X[a, f], X[i, f])
        elif s[j] > 0:
            B[:, j] = np.exp(-((X[:, f] - X[i, f]) ** 2).sum(axis=1) / (2 * s[j] ** 2))
    return B - B.mean(axis=0)


def turns(A, live, constant, per_turn=1):
    order, A = [], np.round(A * 2.0 ** 40)  # equal layers have equal weights but for rounding
    while len(order) < len(live):
        for k in range(A.shape[1]):
            for _ in range(per_turn):
                left = [j for j in range(len(live)) if live[j] not in order]
                if left:
                    order.append(live[max(left, key=lambda j: (A[j, k], -j))])
        per_turn = 1
    return order + list(np.flatnonzero(constant))


def nrfs(X, clusters=3, standardize="zscore", kernel="gaussian", q=1, ridge=1.0, sampling="representatives",
         remove=0.1, levels=2, fold=0, mu=0.25, temperature=0.1, k_prime=None, sigma_from=None, agg="max",
         rank="rounds", h=None, neighbors=10):
    constant, cosine = o.constant(X), kernel == "cosine"
    live = np.flatnonzero(~constant)
    Z, n = o.standardize(X, standardize), len(X)
    k = k_prime or int(np.floor(n / clusters + 0.5))
    D = distances(Z, cosine)
    W = graph(Z, D, width(D, k), cosine, neighbors)
    Y = o.spectrum(W, clusters)[1][1:].T
    Y = Y - Y.mean(axis=0)
    reps = np.arange(n)
    if sampling != "none":
        rho = density(W, mu, temperature)
        dropped = np.lexsort((np.arange(n), rho))[:int(np.floor(remove * n + 0.5))]
        reps = sample([i for i in range(n) if i not in dropped], D, levels, fold)
    N = subspaces(Z, live, min(q, len(live)))
    rows = reps if (sigma_from or ("reps" if q > 1 else "all")) == "reps" else np.arange(n)
    s = [width(distances(Z[:, f], False)[rows], k) for f in N]
    layers = []
    for i in reps:
        B = layer(Z, i, N, s, cosine)
        if not B.any():
            continue
        G = B @ B.T
        A = B.T @ np.linalg.solve(G + ridge * np.trace(G) / n * np.eye(n), Y)
        A = np.abs(A)
        layers.append(A / np.sqrt((A ** 2).sum(axis=0)))
    best = np.max(layers, axis=0) if agg == "max" else np.sum(layers, axis=0) / len(reps)
    scores = np.full(X.shape[1], np.nan)
    scores[live] = best.max(axis=1)
    if rank == "score":
        return scores, None
    share = min(h or len(live), len(live)) // (clusters - 1) if rank == "paper" else 1
    return scores, turns(best, live, constant, max(share, 1))


numbers = o.Numbers(__file__)


def case(X, tolerance=1e-9, **params):
    """A spectrum's vectors are known to 1e-13 over the gap behind them; the cases keep that above 1e-3."""
    scores, order = nrfs(X, **params)
    numbers.case(scores, tolerance, **params)
    if order is not None:
        numbers.order(order)


X = numbers.data(o.blobs())
case(X, clusters=3)
case(X, clusters=4, ridge=0.01, rank="score")
case(X, clusters=3, q=4)
case(X, clusters=3, q=4, sigma_from="all", ridge=10.0)
case(X, clusters=3, q=100, kernel="gaussian")
case(X, clusters=3, sigma_from="reps")
case(X, clusters=3, sampling="none", agg="mean")
case(X, clusters=3, agg="mean")
case(X, clusters=4, rank="paper", h=7)
case(X, clusters=3, rank="paper")
case(X, clusters=3, remove=0.3, levels=1, fold=1)
case(X, clusters=3, remove=0.0, levels=3, fold=5, mu=0.5, temperature=0.3)
case(X, clusters=3, k_prime=3, neighbors=1)
case(X, clusters=3, neighbors=100)
case(X, clusters=3, standardize="none", kernel="cosine", q=3)
X = numbers.data(o.blobs(n=21, p=40, seed=9))
case(X, clusters=3)
case(X, clusters=3, q=6, ridge=100.0)
case(X, clusters=2, remove=0.0, levels=0)
X = numbers.data(o.integers())  # ties: the width of a column falls back to its mean distance
case(X, clusters=3, sampling="none", standardize="none", kernel="gaussian")
X = numbers.data(o.counts(empty=False))
for q in (1, 4):
    case(X, clusters=3, standardize="tfidf", kernel="cosine", q=q)
case(X, clusters=3, standardize="tfidf", kernel="gaussian", q=2)
case(X, clusters=3, standardize="zscore")
numbers.write()
