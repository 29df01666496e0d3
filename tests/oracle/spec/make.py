"""SPEC by all eigenpairs of the dense normalised Laplacian, from the paper's definitions of phi1..phi3."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import common as o
import numpy as np


def spec(X, standardize="zscore", style=3, p=1.0, clusters=3, graph="knn", **options):
    Y = o.standardize(X, standardize)
    S = o.graph(Y, full=graph == "full", **options)
    d = S.sum(axis=1)
    lam, xi = np.linalg.eigh(o.normalized_laplacian(S))
    lam[:len(o.components(S))] = 0
    power = (xi * np.maximum(lam, 0) ** p) @ xi.T
    values, vectors = o.spectrum(S, clusters)
    scores = np.full(X.shape[1], np.nan)
    for r in np.flatnonzero(~o.constant(X)):
        u = np.sqrt(d) * Y[:, r]
        u = u / np.linalg.norm(u)
        trivial = np.sqrt(d) / np.sqrt(d.sum())
        rest = u - (u @ trivial) * trivial
        if style == 3:
            scores[r] = sum((2 ** p - values[j] ** p) * (u @ vectors[j]) ** 2 for j in range(1, clusters))
        else:
            phi = rest @ power @ rest  # the trivial vector adds 0 to u'g(Ln)u
            scores[r] = -phi if style == 1 else -phi / (1 - (u @ trivial) ** 2)
    return scores


numbers = o.Numbers(__file__)
# Eigenvectors by two solvers agree to about 1e-13 over the gap behind the last one taken; the cases keep that
# gap above 1e-3. Sums over the whole spectrum have no gap, but a power of 0.25 steepens small eigenvalues.
X = numbers.data(o.blobs())
for style in (1, 2, 3):
    numbers.case(spec(X, style=style), 1e-10, style=style, clusters=3)
    numbers.case(spec(X, style=style, p=4.0), 1e-10, style=style, p=4, clusters=3)
    numbers.case(spec(X, style=style, p=0.25), 1e-10, style=style, p=0.25, clusters=3)
for p in (2, 3):
    numbers.case(spec(X, style=1, p=p), 1e-10, style=1, p=p)
numbers.case(spec(X, clusters=5, neighbors=7, weight="binary"), 1e-10, clusters=5, neighbors=7, weight="binary")
numbers.case(spec(X, graph="full"), 1e-10, graph="full", clusters=3)
numbers.case(spec(X, graph="full", style=2), 1e-10, graph="full", style=2)
X = numbers.data(o.counts(empty=False))
for style in (1, 3):
    numbers.case(spec(X, style=style, standardize="tfidf-center"), 1e-10, style=style, clusters=3)
numbers.case(spec(X, standardize="zscore"), 1e-10, standardize="zscore", clusters=3)
X = numbers.data(o.far_from_zero())  # z-scores of columns that are centred before they lose digits
for style in (1, 2, 3):
    numbers.case(spec(o.centred_exactly(X), style=style), 1e-10, style=style, clusters=3)
X = numbers.data(o.groups_apart())
for clusters in (2, 3, 4):  # inside the null space, at its end, beyond it
    numbers.case(spec(X, clusters=clusters, standardize="none"), 1e-10, clusters=clusters, standardize="none")
numbers.case(spec(X, style=2, p=0.25), 1e-10, style=2, p=0.25)
numbers.write()
