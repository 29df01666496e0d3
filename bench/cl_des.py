#!/usr/bin/env python3
"""CL-DES on a text collection by a plain script of its equations, beside the command.

usage: cl_des.py PITH DATA.mat

For three seeds: how many of the best 100 features the two share (the pairs are drawn alike, so nearly all), and the NMI
of spherical k-means on the script's own columns, by a k-means of its own: nothing here but the ranking that
is compared comes from pith. Mean and standard error over 100 starts.
"""
import csv
import io
import subprocess
import sys

import numpy as np
import scipy.io
import scipy.sparse as sparse

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
COUNTS = (100, 200, 300, 400, 600)
NEIGHBORS, PAIRS, STEP, LAMBDA, STARTS = 5, 40000, 0.3, 1e-4, 100


def mix(z):
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


def uniform(seed, stream, count):
    key = mix(seed + (stream + 1) * GOLDEN & MASK)
    return (mix(key + (count + 1) * GOLDEN & MASK) >> 11) * 2.0 ** -53


def unit_rows(X):
    norm = np.sqrt(X.multiply(X).sum(axis=1)).A1
    return sparse.csr_matrix(sparse.diags(1 / np.where(norm > 0, norm, 1)) @ X)


def nearest(X):
    U = unit_rows(X)
    cosine = (U @ U.T).toarray()
    np.fill_diagonal(cosine, -1)
    order = np.argsort(-cosine, axis=1, kind="stable")[:, :NEIGHBORS]
    return [[j for j in order[i] if cosine[i, j] > 0] for i in range(len(order))]


def far_pair(near, seed, t):
    for r in range(64):
        i, j = (int(uniform(seed, stream, 64 * t + r) * len(near)) for stream in (3, 4))
        if i != j and j not in near[i] and i not in near[j]:
            return [(i, j, -1)]
    return []


def draw(near, seed):
    pairs, able = [], [i for i in range(len(near)) if near[i]]
    for t in range(PAIRS):
        if uniform(seed, 0, t) > 0.5:
            i = able[int(uniform(seed, 1, t) * len(able))]
            pairs.append((i, near[i][int(uniform(seed, 2, t) * len(near[i]))], 1))
        else:
            pairs += far_pair(near, seed, t)
    return pairs


def weights(V, pairs):
    """Every weight is shrunk at every step."""
    square = np.mean([V[i] @ V[j] for i, j, _ in pairs])
    w = np.zeros(V.shape[1])
    for t, (i, j, sign) in enumerate(pairs):
        eta = STEP / square / np.sqrt(1 + 10 * t / len(pairs))
        f = V[i] * V[j]
        if sign * (w @ f) < 1:
            w += eta * sign * f
        w = np.sign(w) * np.maximum(np.abs(w) - eta * LAMBDA, 0)
    return w


def cluster(U, k, rng):
    centres = U[rng.choice(U.shape[0], k, replace=False)].toarray()
    last = None
    while True:
        group = (U @ centres.T).argmax(axis=1)
        if last is not None and (group == last).all():
            return group
        last = group
        for c in range(k):
            members = group == c
            centre = U[members].sum(axis=0).A1 if members.any() else U[rng.integers(U.shape[0])].toarray()[0]
            centres[c] = centre / max(np.linalg.norm(centre), 1e-300)


def entropy(p):
    return -(p[p > 0] * np.log(p[p > 0])).sum()


def nmi(a, b):
    table = np.zeros((a.max() + 1, b.max() + 1))
    np.add.at(table, (a, b), 1 / len(a))
    ha, hb = entropy(table.sum(axis=1)), entropy(table.sum(axis=0))
    return (ha + hb - entropy(table.ravel())) / max(ha, hb)


def ranking_of(pith, data, seed):
    run = subprocess.run([pith, "rank", data, "-m", "cl-des", "--seed", str(seed)], capture_output=True, text=True,
                         check=True)
    return [int(row["index"]) for row in csv.DictReader(io.StringIO(run.stdout))]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    pith, data = sys.argv[1:]
    held = scipy.io.loadmat(data)
    X = sparse.csr_matrix(held["X"] if "X" in held else held["fea"]).astype(float)
    labels = np.unique(held["Y"] if "Y" in held else held["gnd"], return_inverse=True)[1]
    V, near = (X.toarray() != 0).astype(float), nearest(X)
    for seed in (1, 2, 3):
        w = weights(V, draw(near, seed))
        order = np.argsort(-w, kind="stable")
        shared = len(set(order[:100]) & set(ranking_of(pith, data, seed)[:100]))
        print(f"seed {seed}: {shared} of the best 100 shared;", end="", flush=True)
        for count in COUNTS:
            U, rng = unit_rows(X[:, order[:count]]), np.random.default_rng(seed)
            runs = [nmi(cluster(U, labels.max() + 1, rng), labels) for _ in range(STARTS)]
            print(f"  {count}: {np.mean(runs):.3f} ({np.std(runs) / np.sqrt(STARTS):.3f})", end="", flush=True)
        print()


main()
