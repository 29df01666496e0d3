"""What the oracle scripts share: small data, and slow dense forms of the equations that pith computes fast.

Nothing here calls pith. Every script writes numbers.txt beside itself; test_oracle.c reads it. Run one with
Debian's Python (python3-numpy): python3 tests/oracle/laplacian/make.py
"""
import os
import sys
from fractions import Fraction

import numpy as np


def blobs(n=48, p=14, clusters=3, seed=1):
    """Gaussian groups of unequal scale, a constant column, a duplicated row and a column far from 0."""
    rng = np.random.RandomState(seed)
    centres = rng.normal(size=(clusters, p)) * 2
    centres[:, p // 2:] = 0
    X = centres[np.arange(n) % clusters] + rng.normal(size=(n, p)) * rng.uniform(0.5, 2, size=p)
    X[:, 3] = 7.25
    X[:, 5] += 1000
    X[10] = X[4]
    return np.round(X, 6)


def counts(n=40, p=30, seed=2, empty=True):
    """Term counts of three topics; one document may be empty, one term occurs nowhere, one nearly everywhere.

    An empty document is at the same distance from every row of unit norm, so that rounding alone would choose
    its neighbours: tf-idf cases leave it out. By cosine, and on the counts themselves, its ties are exact.
    """
    rng = np.random.RandomState(seed)
    topics = rng.gamma(0.3, size=(3, p))
    X = rng.poisson(2.5 * topics[np.arange(n) % 3]).astype(float)
    X[:, 4] = 0
    X[:, 9] += 1
    X[7, 9] = 0
    if empty:
        X[7] = 0
    return X


def cells(n=60, p=90, seed=5):
    """Transcripts in cells of three kinds and of differing depth; genes from rare to in every cell. Several genes have
    the same mean; one is in no cell, one has a single cell with very many."""
    rng = np.random.RandomState(seed)
    level = rng.gamma(0.5, 3, size=p) * np.where(rng.rand(3, p) < 0.2, 5, 1)
    X = rng.poisson(rng.gamma(4, 0.25, size=(n, 1)) * level[np.arange(n) % 3]).astype(float)
    X[:, 6] = 0
    X[:, 11] = 0
    X[17, 11] = 400
    return X


def groups_apart(seed=3):
    """Three groups so far apart that the graph falls into components of 14, 10 and 6 rows."""
    rng = np.random.RandomState(seed)
    X = rng.normal(size=(30, 8))
    X[14:24, :3] += 500
    X[24:, 2:5] -= 700
    return np.round(X[rng.permutation(30)], 6)


def integers(seed=4):
    """Small whole numbers: many distances tie."""
    return np.random.RandomState(seed).randint(0, 3, size=(36, 6)).astype(float)


def far_from_zero(n=40, seed=5):
    """Groups in columns of spread about 1 whose means are 0, 1e3, 1e4 .. 1e14: times, positions, serial numbers."""
    rng = np.random.RandomState(seed)
    means = np.concatenate([[0.0, 0.0], 10.0 ** np.arange(3, 15)])
    centres = rng.normal(size=(3, len(means))) * 2
    return centres[np.arange(n) % 3] + rng.normal(size=(n, len(means))) + means


def centred_exactly(X):
    """Columns minus their means, in rational arithmetic, each value rounded once."""
    columns = []
    for x in X.T:
        values = [Fraction(float(v)) for v in x]
        mean = sum(values) / len(values)
        columns.append([float(v - mean) for v in values])
    return np.array(columns).T


def formula(n, p):
    """Data that the test makes itself, too large to write down."""
    i, j = np.meshgrid(np.arange(n), np.arange(p), indexing="ij")
    return ((i * 7919 + j * 104729 + i * i * (j + 1)) % 1009).astype(float)


def standardize(X, kind):
    if kind == "none":
        return X
    if kind in ("center-unit", "tfidf-unit"):
        Y = standardize(X, {"center-unit": "center", "tfidf-unit": "tfidf-center"}[kind])
        return Y / np.sqrt(Y.var(axis=0)[~constant(X)].mean())
    if kind in ("tfidf", "tfidf-center", "sqrt-idf"):
        df = (X != 0).sum(axis=0)
        idf = np.where(df > 0, np.log(len(X) / np.maximum(df, 1)), 0)
        Y = (np.sqrt(X) if kind == "sqrt-idf" else X) * idf
        norm = np.sqrt((Y ** 2).sum(axis=1, keepdims=True))
        Y = Y / np.where(norm > 0, norm, 1)
        return Y - Y.mean(axis=0) if kind == "tfidf-center" else Y
    shift, spread = X.mean(axis=0), np.ones(X.shape[1])
    if kind == "zscore":
        spread = X.std(axis=0)
    elif kind == "pareto":
        spread = np.sqrt(X.std(axis=0))
    elif kind == "minmax":
        shift, spread = X.min(axis=0), X.max(axis=0) - X.min(axis=0)
    varies = X.max(axis=0) > X.min(axis=0)
    return np.where(varies, (X - shift) / np.where(varies, spread, 1), 0)


def squared_distances(X, metric):
    """By direct differences. Cosine: 2 - 2 cos, a zero row having cosine 0 with every other."""
    if metric == "cosine":
        norm = np.sqrt((X ** 2).sum(axis=1, keepdims=True))
        U = X / np.where(norm > 0, norm, 1)
        D = 2 - 2 * (U @ U.T)
        D[D < 0] = 0
        return D
    return np.array([((X - x) ** 2).sum(axis=1) for x in X])


def mean_distance(X, metric):
    n = len(X)
    rows = X if n <= 3000 else X[(np.arange(3000) * n) // 3000]
    D = np.sqrt(squared_distances(rows, metric))
    return D[np.triu_indices(len(rows), 1)].mean()


def graph(X, neighbors=5, metric="euclidean", weight="heat", t_factor=1.0, full=False):
    """Dense symmetric weights, zero diagonal: an edge exists if either end chose it."""
    n = len(X)
    D = squared_distances(X, metric)
    S = np.zeros((n, n))
    t = t_factor * mean_distance(X, metric) ** 2 if weight == "heat" else None
    for i in range(n):
        # numpy sorts ties by index when told to be stable; rounding hides ties of equal rows
        order = [j for j in np.lexsort((np.arange(n), np.round(D[i], 12))) if j != i]
        for j in order if full else order[:min(neighbors, n - 1)]:
            w = {"binary": lambda: 1.0, "heat": lambda: np.exp(-D[i, j] / t),
                 "cosine": lambda: max(0.0, cosine(X[i], X[j]))}[weight]()
            S[i, j] = S[j, i] = max(S[i, j], w)
    return S


def cosine(a, b):
    norm = np.sqrt((a ** 2).sum() * (b ** 2).sum())
    return a @ b / norm if norm > 0 else 0.0


def choices(X, neighbors=5, metric="cosine"):
    """The rows that each row chooses, nearest first, ties to the lower; a cosine of 0 or less is never chosen."""
    n, D = len(X), squared_distances(X, metric)
    lists = []
    for i in range(n):
        order = [j for j in np.lexsort((np.arange(n), np.round(D[i], 12))) if j != i]
        lists.append([j for j in order[:min(neighbors, n - 1)] if cosine(X[i], X[j]) > 0])
    return lists


def splitmix(seed, stream, counter):
    """Number `counter` of a stream, in [0, 1)."""
    full, golden = 2 ** 64 - 1, 0x9E3779B97F4A7C15

    def mix(z):
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & full
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & full
        return z ^ (z >> 31)

    key = mix((seed + (stream + 1) * golden) & full)
    return (mix((key + (counter + 1) * golden) & full) >> 11) * 2.0 ** -53


def sample_pairs(lists, draws, sampling="coin", seed=1):
    """(i, j, +1 near or -1 far) in the order of the draws; a draw that meets no far pair in 64 tries is dropped."""
    n, pairs = len(lists), []
    choosers = [i for i in range(n) if lists[i]]
    for t in range(draws):
        if t % 2 == 0 if sampling == "alternate" else splitmix(seed, 0, t) > 0.5:
            i = choosers[int(splitmix(seed, 1, t) * len(choosers))]
            pairs.append((i, lists[i][int(splitmix(seed, 2, t) * len(lists[i]))], 1))
            continue
        for r in range(64):
            i, j = int(splitmix(seed, 3, 64 * t + r) * n), int(splitmix(seed, 4, 64 * t + r) * n)
            if i != j and j not in lists[i] and i not in lists[j]:
                pairs.append((i, j, -1))
                break
    return pairs


def normalized_laplacian(S):
    d = S.sum(axis=1)
    root = np.where(d > 0, 1 / np.sqrt(np.where(d > 0, d, 1)), 0)
    return np.eye(len(S)) - root[:, None] * S * root[None, :]


def components(S):
    """Sets of rows joined by edges, largest first, ties by the lowest row; isolated rows are in none."""
    left, found = set(np.flatnonzero(S.sum(axis=1) > 0)), []
    while left:
        todo, seen = [min(left)], set()
        while todo:
            i = todo.pop()
            if i not in seen:
                seen.add(i)
                todo += list(np.flatnonzero(S[i]))
        found.append(sorted(seen))
        left -= seen
    return sorted(found, key=lambda rows: (-len(rows), rows[0]))


def spectrum(S, m):
    """The first m pairs of the normalised Laplacian; its null space is taken from the components."""
    n, d = len(S), S.sum(axis=1)
    V = [np.sqrt(d) / np.sqrt(d.sum())]
    parts = components(S)
    for rows in parts[:-1]:
        v = np.zeros(n)
        v[rows] = np.sqrt(d[rows])
        for _ in range(2):
            for u in V:
                v -= (u @ v) * u
        V.append(v / np.linalg.norm(v))
    values = [0.0] * len(V)
    A = np.eye(n) - normalized_laplacian(S)
    A[d == 0, d == 0] = 0
    for v in V:
        A = A - 2 * np.outer(v, v)
    mu, U = np.linalg.eigh(A)
    for k in np.argsort(-mu)[:max(0, m - len(V))]:
        values.append(1 - mu[k])
        V.append(U[:, k])
    return np.array(values[:m]), np.array(V[:m])


def constant(X):
    return X.max(axis=0) == X.min(axis=0)


class Numbers:
    """numbers.txt: blocks of data, then cases `case key=value ...` with a score a feature."""

    def __init__(self, script):
        self.path = os.path.join(os.path.dirname(os.path.abspath(script)), "numbers.txt")
        self.lines = ["# Made by make.py beside this file; do not edit."]

    def data(self, X):
        self.lines.append("data %d %d" % X.shape)
        self.lines += [" ".join(repr(float(v)) for v in row) for row in X]
        return X

    def labels(self, y):
        """Of the rows of the data before it, for the cases that follow."""
        self.lines += ["labels", " ".join("%d" % v for v in y)]
        return y

    def formula(self, n, p):
        self.lines.append("formula %d %d" % (n, p))
        return formula(n, p)

    def case(self, scores, tolerance, **params):
        """tolerance is relative to the largest score in modulus; init_labels are a list."""
        if "init_labels" in params:
            params["init_labels"] = ",".join("%d" % l for l in params["init_labels"])
        self.lines.append("case %r %s" % (tolerance, " ".join("%s=%s" % kv for kv in params.items())))
        self.lines.append(" ".join("nan" if np.isnan(v) else repr(float(v)) for v in scores))

    def order(self, ranking):
        """Of the case before it, best first, where it is not that of the scores."""
        self.lines.append("order " + " ".join("%d" % j for j in ranking))

    def write(self):
        with open(self.path, "w") as f:
            f.write("\n".join(self.lines) + "\n")
        print("%s: %d lines" % (os.path.relpath(self.path), len(self.lines)), file=sys.stderr)
