"""Relevance and greedy order on data whose clusterings are beyond doubt, in whatever part of the features.

Four groups lie so far apart in every feature that any half of the features gives a graph of four components. With
clusters=2 the draws make two groups (one eigenvector: the largest component against the rest) and four (the
components) in turn, so no random number decides anything. Then, written out slowly:

    relevance(f) = mean over draws of between(f) / total(f)^p, each draw scaled to mean 1;  p = 1, counts 1/2
    order: repeatedly the largest relevance (1 - max over the chosen of corr^2)^a
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import common as o
import numpy as np

SIZES = [14, 11, 9, 7]


def check(Y, metric, weight, rng):
    """The four groups are the components of the graph in a hundred random halves."""
    for _ in range(100):
        part = Y[:, rng.uniform(size=Y.shape[1]) < 0.5]
        found = o.components(o.graph(part, metric=metric, weight=weight))
        assert [len(rows) for rows in found] == SIZES, [len(rows) for rows in found]
        assert all(len(set(groups[rows])) == 1 for rows in found)


def between(f, labels):
    return sum((labels == k).sum() * (f[labels == k].mean() - f.mean()) ** 2 for k in set(labels))


def relevance(Y, power, draws):
    p, total = Y.shape[1], np.zeros(Y.shape[1])
    varies = ~o.constant(Y)
    for b in range(draws):
        labels = (groups > 0).astype(int) if b % 22 // 2 % 2 == 0 else groups  # both halves of a split alike
        r = np.array([between(Y[:, j], labels) / (len(Y) * Y[:, j].var()) ** power if varies[j] else 0 for j in range(p)])
        total += r / r[varies].mean() / draws
    return np.where(varies, total, np.nan)


def greedy(Y, relevance, a, top=300):
    left, chosen = [j for j in range(Y.shape[1]) if not np.isnan(relevance[j])], []
    with np.errstate(invalid="ignore"):
        square = np.corrcoef(Y.T) ** 2
    while left and len(chosen) < top:
        def worth(j):
            most = max([square[j, g] for g in chosen], default=0)
            return relevance[j] * (1 - most if 1 - most > 1e-12 else 0) ** a  # a copy is worth nothing
        best = max(left, key=lambda j: (worth(j), -j))
        chosen.append(best)
        left.remove(best)
    chosen += sorted(left, key=lambda j: (-relevance[j], j))
    return chosen + [j for j in range(Y.shape[1]) if np.isnan(relevance[j])]


rng = np.random.RandomState(11)
groups = rng.permutation(np.repeat(np.arange(4), SIZES))
numbers = o.Numbers(__file__)

levels = np.array([rng.permutation(4) for _ in range(24)]).T  # of every group in every feature
X = np.round(rng.normal(size=(41, 24)) * rng.uniform(0.5, 4, size=24) + 60 * levels[groups], 6)
X[:, 5] = 3
X[:, 9] = X[:, 2]  # says the same
Z = o.standardize(X, "zscore")
check(Z[:, ~o.constant(X)], "euclidean", "heat", rng)
numbers.data(X)
for draws in (1, 3, 22):
    R = relevance(Z, 1, draws)
    # Sums of 41 terms and ratios of them: rounding only.
    numbers.case(R, 1e-12, clusters=2, draws=draws, diversity=0)
    numbers.case(R, 1e-12, clusters=2, draws=draws)
    numbers.order(greedy(Z, R, 0.5))
numbers.case(R, 1e-12, clusters=2, diversity=2)
numbers.order(greedy(Z, R, 2))

# Groups in few features that vary much, among many that hardly vary: z-scores do not show them, pareto does.
S = np.round(np.hstack([60 * levels[groups][:, :12] + rng.normal(size=(41, 12)), 0.05 * rng.normal(size=(41, 200))])[:, rng.permutation(212)], 4)
Z = o.standardize(S, "pareto")
check(Z, "euclidean", "heat", rng)
assert len(o.components(o.graph(o.standardize(S, "zscore")))) == 1
numbers.data(S)
R = relevance(Z, 1, 22)
numbers.case(R, 1e-12, clusters=2, scaling="pareto")
numbers.order(greedy(Z, R, 0.5))

C = np.zeros((41, 320))
for i in range(41):
    words = groups[i] * 80 + rng.permutation(79)[:30]
    C[i, words] = rng.randint(1, 5, size=30)
Y = o.standardize(C, "sqrt-idf")
check(Y, "cosine", "cosine", rng)
numbers.data(C)
R = relevance(Y, 0.5, 22)
numbers.case(R, 1e-12, clusters=2, diversity=0)
numbers.case(R, 1e-12, clusters=2)
numbers.order(greedy(Y, R, 0.5))
numbers.write()
