#!/usr/bin/env python3
"""How well hufs selects: pith beside a NumPy program that shares nothing with it, over many seeds and by the same judge.

    python3 bench/hufs_quality.py [--build build/release] [--seeds 20] [--start rows|partition|plus] DATA

NumPy's method is the oracle's mm (tests/oracle/factor.py) from the best of ten runs of k-means++; the judge of both is NumPy's k-means on
the first 50, 100 .. 300 features, ten runs from each seed. `--start` is where the judge starts: from random rows (what pith calls random), from a
random partition, or by k-means++ as it was first published. Printed are accuracy and NMI at the best count with the standard error over
the seeds, and what the best of six counts is, on average and in spread, where only three seeds are taken. KM ranks by the start alone.

Images (Yale, COIL20: 32 x 32) are z-scored for the method and clustered as they are, with a quad-tree; other data is taken for
texts: tf-idf rows of unit norm, no tree (alpha 0), rows of unit norm again after the selection.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np
import scipy.io
import scipy.optimize

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/oracle"))
import factor
import hufs

COUNTS = (50, 100, 150, 200, 250, 300)
IMAGES = ("Yale", "COIL20")


def kmeans(X, k, rng, start):
    n, square = len(X), (X ** 2).sum(axis=1)
    if start == "rows":
        C = X[rng.choice(n, k, replace=False)]
    elif start == "partition":
        labels = rng.permutation(np.arange(n) % k)
        C = np.array([X[labels == c].mean(axis=0) for c in range(k)])
    else:
        C = [X[rng.integers(n)]]
        near = ((X - C[0]) ** 2).sum(axis=1)
        for _ in range(k - 1):
            C.append(X[rng.choice(n, p=near / near.sum())])
            near = np.minimum(near, ((X - C[-1]) ** 2).sum(axis=1))
        C = np.array(C)
    last = None
    for _ in range(300):
        D = square[:, None] - 2 * X @ C.T + (C ** 2).sum(axis=1)
        labels = D.argmin(axis=1)
        for c in range(k):  # an empty cluster gets the farthest row
            if not (labels == c).any():
                far = D[np.arange(n), labels].argmax()
                labels[far], D[far, c] = c, 0
        if last is not None and (labels == last).all():
            break
        last, C = labels, np.array([X[labels == c].mean(axis=0) for c in range(k)])
    return labels, D[np.arange(n), labels].sum()


def agreement(y, labels, k):
    """Accuracy by the best matching, and mutual information over the larger entropy."""
    M = np.zeros((k, k))
    np.add.at(M, (y, labels), 1)
    matched = M[scipy.optimize.linear_sum_assignment(-M)].sum() / M.sum()
    P = M / M.sum()
    a, b = P.sum(axis=1), P.sum(axis=0)

    def entropy(q):
        return -(q[q > 0] * np.log(q[q > 0])).sum()

    return matched, (entropy(a) + entropy(b) - entropy(P.ravel())) / max(entropy(a), entropy(b))


def unit(A):
    norm = np.linalg.norm(A, axis=1, keepdims=True)
    return A / np.where(norm > 0, norm, 1)


def judged(X, y, image, scores, rng, start):
    k, out = y.max() + 1, {}
    for name, score in scores.items():
        order = np.argsort(-np.nan_to_num(score, nan=-np.inf), kind="stable")
        chosen = [X[:, order[:c]] if image else unit(X[:, order[:c]]) for c in COUNTS]
        out[name] = [np.mean([agreement(y, kmeans(A, k, rng, start)[0], k) for _ in range(10)], axis=0) for A in chosen]
    return out


def by_numpy(X, k, image, rng):
    view = X
    if image:
        spread = X.std(axis=0)
        view = np.where(spread > 0, (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1), 0)
    labels = min((kmeans(view, k, rng, "plus") for _ in range(10)), key=lambda run: run[1])[0]
    options = dict(tree=hufs.quad(32, 16), groups=0.001) if image else {}
    problem = factor.Problem(X, labels, "zscore" if image else "none", 0.01, **options)
    return {"KM": np.linalg.norm(problem.V, axis=1), "hufs": factor.mm(problem)}


def by_pith(program, path, k, image, seed):
    prepared = () if image else ("--prep", "tfidf,l2", "--standardize", "none")
    scores = {}
    for name, method in (("KM", "kmeans-energy"), ("hufs", "hufs")):
        words = ("--tree", "grid:32x32" if image else "root", *(() if image else ("--alpha", "0"))) if name == "hufs" else ()
        out = subprocess.run([program, "rank", path, "-qm", method, "--clusters", str(k), "--seed", str(seed), "--threads", "1",
                              "--format", "json", *prepared, *words], check=True, stdout=subprocess.PIPE).stdout
        score = {f["index"]: f["score"] for f in json.loads(out)["features"]}
        scores[name] = np.array([score[j] for j in range(len(score))], float)
    return scores


def report(who, runs):
    rng = np.random.default_rng(0)
    for name in runs[0]:
        A = 100 * np.array([run[name] for run in runs])
        mean = A.mean(axis=0)
        best = mean[:, 0].argmax()
        three = [A[rng.integers(len(A), size=3), :, 0].mean(axis=0).max() for _ in range(4000)]
        print(f"{who:6} {name:5} {len(A)} seeds: {mean[best, 0]:.1f} +- {A[:, best, 0].std(ddof=1) / len(A) ** 0.5:.1f} / "
              f"{mean[:, 1].max() / 100:.3f} at {COUNTS[best]} features; of three seeds the best of six counts is {np.mean(three):.1f} +- "
              f"{np.std(three):.1f}, in 99 of 100 draws below {np.percentile(three, 99):.1f}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--start", choices=("rows", "partition", "plus"), default="rows")
    parser.add_argument("name")
    options = parser.parse_args()
    path = hufs.DATA / f"{options.name}.mat"
    data, image = scipy.io.loadmat(path), options.name in IMAGES
    X = (data["X"].toarray() if hasattr(data["X"], "toarray") else data["X"]).astype(float)
    y = np.unique(data["Y"].ravel(), return_inverse=True)[1]
    if not image:
        X = unit(X * np.log(len(X) / np.maximum((X > 0).sum(axis=0), 1)))
    runs = {"numpy": [], "pith": []}
    for seed in range(options.seeds):
        rng = np.random.default_rng(seed)
        runs["numpy"].append(judged(X, y, image, by_numpy(X, y.max() + 1, image, rng), rng, options.start))
        scores = by_pith(options.build / "pith", path, y.max() + 1, image, seed + 1)
        runs["pith"].append(judged(X, y, image, scores, rng, options.start))
    for who, found in runs.items():
        report(who, found)


if __name__ == "__main__":
    main()
