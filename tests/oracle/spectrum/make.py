"""Spectra of small kNN graphs by numpy's dense solver.

Writes numbers.txt: for every graph its edges (upper triangle, weights in full), m and the gap behind the m-th
eigenvalue, the m smallest eigenvalues of Ln = I - D^-1/2 S D^-1/2, and three columns of the projector on the
span of their vectors, which has no signs and no choice of basis. The gap says how well the span is
determined: the test's tolerance for the projector is residual over gap. Run it with Debian's Python
(python3-numpy): python3 tests/oracle/spectrum/make.py
"""
import os

import numpy as np


def graph(X, k, weight):
    n = len(X)
    d2 = ((X[:, None, :] - X[None, :, :]) ** 2).sum(axis=2)
    width = np.sqrt(d2[np.triu_indices(n, 1)]).mean() ** 2
    S = np.zeros((n, n))
    for i in range(n):
        order = sorted((j for j in range(n) if j != i), key=lambda j: (d2[i, j], j))
        for j in order[:k]:
            S[i, j] = S[j, i] = np.exp(-d2[i, j] / width) if weight == "heat" else 1.0
    return S


def spectrum(S):
    d = S.sum(axis=1)
    r = np.divide(1, np.sqrt(d), out=np.zeros(len(d)), where=d > 0)
    return np.linalg.eigh(np.eye(len(d)) - r[:, None] * S * r[None, :])


def moons(rng, n):
    t = rng.uniform(0, np.pi, n)
    upper = rng.uniform(size=n) < 0.5
    X = np.where(upper[:, None], np.c_[np.cos(t), np.sin(t)], np.c_[1 - np.cos(t), 0.4 - np.sin(t)])
    return X + 0.05 * rng.normal(size=(n, 2))


def cases():
    rng = np.random.RandomState(7)
    yield "normal cloud, dense solver", graph(rng.normal(size=(60, 4)), 5, "heat"), 8
    yield "normal cloud, Lanczos", graph(rng.normal(size=(180, 5)), 5, "heat"), 8
    centres = 3 * rng.normal(size=(4, 6))
    yield "four blobs", graph(centres[np.arange(160) % 4] + rng.normal(size=(160, 6)), 6, "binary"), 6
    yield "two moons", graph(moons(rng, 200), 4, "heat"), 10
    far = 50 * rng.normal(size=(5, 3))
    sizes = np.repeat(np.arange(5), [50, 40, 30, 20, 10])
    S = graph(far[sizes] + rng.normal(size=(150, 3)), 4, "heat")
    yield "five components", S, 9
    S = graph(rng.normal(size=(120, 3)), 4, "binary")
    S[[3, 17], :] = 0
    S[:, [3, 17]] = 0
    yield "two rows without a neighbour", S, 7


def line(numbers):
    return " ".join("%.17g" % x for x in numbers) + "\n"


def main():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "numbers.txt"), "w") as out:
        for name, S, m in cases():
            values, vectors = spectrum(S)
            V = vectors[:, :m]
            out.write("graph %s\n" % name)
            i, j = np.nonzero(np.triu(S))
            out.write("%d %d %d %.17g\n" % (len(S), len(i), m, values[m] - values[m - 1]))
            for edge in zip(i, j, S[i, j]):
                out.write("%d %d %.17g\n" % edge)
            out.write(line(values[:m]))
            for column in (0, len(S) // 2, len(S) - 1):
                out.write(line(V @ V[column]))


main()
