"""EVSC by the derivatives of the eigenvalues of L y = lambda D y, summed over all pairs of a dense graph.

The script checks its own formula against central differences before it writes anything.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import common as o
import numpy as np
import scipy.linalg


def eigen(S):
    """All pairs of L y = lambda D y, y'Dy = 1, ascending."""
    d = S.sum(axis=1)
    return scipy.linalg.eigh(np.diag(d) - S, np.diag(d))


def derivatives(Y, S, t, lam, y):
    """d lambda / d w_r for every r."""
    C = S * ((y[:, None] - y[None, :]) ** 2 - lam * (y[:, None] ** 2 + y[None, :] ** 2))
    return np.array([-(C * (f[:, None] - f[None, :]) ** 2).sum() / (2 * t) for f in Y.T])


def central(Y, S, t, r, step=1e-4):
    """The eigenvalues' change with the weight of feature r, edges and width held."""
    change = (Y[:, r][:, None] - Y[:, r][None, :]) ** 2 / t
    up, down = (eigen(S * np.exp(-w * change))[0] for w in (step, -step))
    return (up - down) / (2 * step)


def evsc(X, standardize="zscore", neighbors=5, t_factor=0.25, clusters=3, sign="abs", check=False):
    Y = o.standardize(X, standardize)
    t = t_factor * o.mean_distance(Y, "euclidean") ** 2
    S = o.graph(Y, neighbors=neighbors, t_factor=t_factor)
    values, vectors = eigen(S)
    first = len(o.components(S))
    last = first + clusters
    groups = [[first]]
    for l in range(first + 1, len(values)):
        if values[l] - values[l - 1] < 1e-8:
            groups[-1].append(l)
        elif l >= last:
            break
        else:
            groups.append([l])
    sums = np.array([sum(derivatives(Y, S, t, values[l], vectors[:, l]) for l in g) for g in groups])
    for r in range(Y.shape[1] if check else 0):  # the formula against differences, group by group
        slope = central(Y, S, t, r)
        for g, want in zip(groups, sums[:, r]):
            assert abs(slope[g].sum() - want) < 1e-6 * (1 + abs(want))
    scores = np.abs(sums).sum(axis=0) if sign == "abs" else -sums.sum(axis=0)
    scores[o.constant(X)] = np.nan
    return scores


def checked(X, **options):
    return evsc(X, check=True, **options)


def twins(seed=5):
    """Three copies of one group, far apart: every eigenvalue of the graph comes three times."""
    rng = np.random.RandomState(seed)
    group = rng.normal(size=(9, 5))
    return np.round(np.vstack([np.hstack([group, np.full((9, 2), v)]) for v in (0, 90, 230)]), 6)


numbers = o.Numbers(__file__)
# Two solvers agree to about 1e-14 over the gaps between the eigenvalues taken.
X = numbers.data(o.blobs())
numbers.case(checked(X), 1e-10, clusters=3)
numbers.case(checked(X, sign="down"), 1e-10, clusters=3, sign="down")
numbers.case(checked(X, neighbors=3, t_factor=1, clusters=6), 1e-10, neighbors=3, t_factor=1, clusters=6)
numbers.case(checked(X, standardize="minmax"), 1e-10, standardize="minmax", clusters=3)
X = numbers.data(o.counts(empty=False))
numbers.case(checked(X, standardize="tfidf-center", t_factor=1), 1e-10, t_factor=1, clusters=3)
numbers.case(checked(X, standardize="zscore", t_factor=1), 1e-10, standardize="zscore", t_factor=1, clusters=3)
X = numbers.data(o.groups_apart())  # several components: their zeros are left out
numbers.case(checked(X, standardize="none", t_factor=16), 1e-10, standardize="none", t_factor=16, clusters=3)
X = numbers.data(twins())  # groups of three, the last one cut through by the number of clusters
for clusters in (2, 3, 4):
    numbers.case(checked(X, standardize="none", t_factor=1, clusters=clusters), 1e-10, standardize="none", t_factor=1,
                 clusters=clusters)
numbers.write()
