#!/usr/bin/env python3
"""nrfs and lgdfs beside plain numpy scripts of the same equations: the same data, one thread each, CPU seconds; do
they rank alike, and does pith keep to the memory that its pages promise?

    cmake --preset release && cmake --build --preset release
    python3 bench/models.py [--program build/release/pith] [--data DIR] [DATA...]

Both use the BLAS of the machine, so where a Gram matrix is most of the work its speed is shared. Exit 1 where pith
takes more memory than its formula allows, or ranks otherwise than numpy does.
"""
import argparse
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np
import scipy.io

ROOT = pathlib.Path(__file__).resolve().parent.parent
CLUSTERS = {"COIL20": 20, "lung_181": 2, "ORL": 40, "warpPIE10P": 10, "Yale": 15, "lung_203_filtered": 5}


def standardised(X):
    spread = X.std(axis=0)
    return np.where(spread > 0, (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1), 0)


def squared(X):
    G = X @ X.T
    d = np.diag(G)
    D = np.maximum(d[:, None] + d[None, :] - 2 * G, 0)
    np.fill_diagonal(D, 0)
    return D


def width(D, k):
    kth = np.partition(D, k, axis=1)[:, k].mean()
    return kth if kth > 1e-6 * D.mean() else D.mean()


def connected(W):
    seen, todo = {0}, [0]
    while todo:
        for b in np.flatnonzero(W[todo.pop()]):
            if b not in seen:
                seen.add(b)
                todo.append(b)
    return len(seen) == len(W)


def halves(rows, D):
    S = D[np.ix_(rows, rows)]
    order = np.argsort(S[np.triu_indices(len(rows), 1)], kind="stable")
    first, second = np.triu_indices(len(rows), 1)
    half, sums = np.zeros(len(rows), int), np.zeros((2, len(rows)))
    for i, j in zip(first[order], second[order]):
        if half[i] == 0 and half[j] == 0:
            half[i] = 1 if sums[0, i] + sums[1, j] >= sums[1, i] + sums[0, j] else 2
            half[j] = 3 - half[i]
            sums[half[i] - 1] += S[i]
            sums[half[j] - 1] += S[j]
    for i in np.flatnonzero(half == 0):
        half[i] = 1 if sums[0, i] >= sums[1, i] else 2
    return [rows[half == h] for h in (1, 2)]


def nrfs(X, c):
    X = standardised(X)
    n, m = X.shape
    k = int(np.floor(n / c + 0.5))
    D2 = squared(X)
    D = np.sqrt(D2)
    sigma, neighbors, W = width(D, k), 10, None
    while W is None or (not connected(W) and neighbors < n - 1):
        neighbors = neighbors if W is None else min(2 * neighbors, n - 1)
        near = np.argsort(D + np.diag(np.full(n, np.inf)), axis=1)[:, :neighbors]
        W = np.zeros((n, n))
        rows = np.repeat(np.arange(n), neighbors)
        W[rows, near.ravel()] = np.exp(-D2[rows, near.ravel()] / (2 * sigma ** 2))
        W = np.maximum(W, W.T)
    root = 1 / np.sqrt(W.sum(axis=1))
    e, V = np.linalg.eigh(np.eye(n) - root[:, None] * W * root)
    Y = V[:, 1:c] - V[:, 1:c].mean(axis=0)
    level = 0.25 * np.median(e)
    rho = V ** 2 @ (1 / (1 + np.exp(np.minimum((e - level) / (0.1 * level), 700))))
    kept = np.sort(np.argsort(rho, kind="stable")[int(np.floor(0.1 * n + 0.5)):])
    reps = halves(halves(kept, D)[0], D)[0]
    g = np.zeros(m)
    for j in range(m):
        s = width(np.abs(X[:, j][:, None] - X[:, j][None, :]), k)
        g[j] = 1 / (2 * s * s) if s > 0 else 0
    best = np.zeros((m, c - 1))
    for i in reps:
        B = np.exp(-(X - X[i]) ** 2 * g)
        B -= B.mean(axis=0)
        G = B @ B.T if m > n else B.T @ B
        G[np.diag_indices(len(G))] += np.trace(G) / n
        A = np.abs(B.T @ np.linalg.solve(G, Y) if m > n else np.linalg.solve(G, B.T @ Y))
        best = np.maximum(best, A / np.sqrt((A ** 2).sum(axis=0)))
    return best.max(axis=1)


def lgdfs(X, c, k=5, iters=20):
    X = standardised(X)
    n, p = X.shape
    z = np.full(p, 1.0 / p)
    H, Hk = np.eye(n) - 1.0 / n, np.eye(k) - 1.0 / k
    for _ in range(iters):
        G = (X * z) @ X.T
        d = np.diag(G)
        D = d[:, None] + d[None, :] - 2 * G
        np.fill_diagonal(D, -np.inf)
        regions = np.argsort(D, axis=1, kind="stable")[:, :k]
        A = H @ np.linalg.inv(np.eye(n) + H @ G @ H) @ H
        Jg, J = A.copy(), []
        for r in regions:
            J.append(Hk @ np.linalg.inv(np.eye(k) + Hk @ G[np.ix_(r, r)] @ Hk) @ Hk)
            A[np.ix_(r, r)] += J[-1]
        Y = np.linalg.eigh(A)[1][:, 1:c]
        Q = np.zeros((n, n))
        for r, Ji in zip(regions, J):
            M = Ji @ Y[r]
            Q[np.ix_(r, r)] += M @ M.T
        s = (X * (Q @ X)).sum(axis=0) + (((Jg @ Y).T @ X) ** 2).sum(axis=0)
        z = z * np.sqrt(np.maximum(s, 0))
        z /= z.sum()
    return z


# Bytes beyond the data, one thread, as docs/methods/ has them: the z-scored copy is the first term. Up to 512 samples
# the weighted Gram matrix of lgdfs is summed up in four slices; a megabyte is packed for it.
MEMORY = {
    "nrfs": lambda n, p, c: 8 * n * p + max(40 * n * n, 8 * (2 * n * p + min(n, p) ** 2 + 2 * p * c)),
    "lgdfs": lambda n, p, c: (8 * n * p + 16 * n * n + (32 * n * n if n <= 512 else 0) + 2 ** 20 + 40 * n * 25 + 8 * p * c
                              + 8 * n * (4 * c + 40)),
}


def ours(program, path, method, c):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run([program, "rank", path, "-m", method, "--clusters", str(c), "--threads", "1", "-v", "--format",
                           "json"], check=True, capture_output=True, text=True)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    features = json.loads(done.stdout)["features"]
    scores = np.zeros(len(features))
    for f in features:
        scores[f["index"]] = f["score"] or 0
    return seconds, 1e6 * float(re.search(r"([\d.]+) MB beyond", done.stderr)[1]), scores


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default=ROOT / "build/release/pith")
    parser.add_argument("--data", default=os.environ.get("PITH_DATA", ROOT.parent / "shared" / "data"))
    parser.add_argument("--methods", default="nrfs,lgdfs")
    parser.add_argument("names", nargs="*", default=["COIL20", "lung_181"])
    options = parser.parse_args()
    good = True
    print(f"{'data':18} {'method':6} {'numpy':>8} {'pith':>8} {'times':>6} {'MB':>7} {'allowed':>7} {'scores':>8}")
    for name in options.names:
        path = pathlib.Path(options.data) / f"{name}.mat"
        X = np.asarray(scipy.io.loadmat(path)["X"], dtype=float)
        for method in options.methods.split(","):
            seconds, peak, scores = ours(options.program, path, method, CLUSTERS[name])
            start = time.process_time()
            theirs = globals()[method](X, CLUSTERS[name])
            spent = time.process_time() - start
            allowed = MEMORY[method](*X.shape, CLUSTERS[name])
            apart = np.abs(scores - theirs).max() / theirs.max()
            good &= bool(peak < 1.05 * allowed + 4e6 and apart < 1e-5)
            print(f"{name:18} {method:6} {spent:8.2f} {seconds:8.2f} {spent / seconds:6.1f} {peak / 1e6:7.1f} "
                  f"{allowed / 1e6:7.1f} {apart:8.1e}", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
