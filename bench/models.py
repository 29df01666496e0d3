#!/usr/bin/env python3
"""nrfs and lgdfs beside NumPy scripts: the same data, one thread each, CPU seconds; do they rank alike, does pith keep to the
memory that its pages promise, how near is it to the rate of plain matrix products, and do threads help nrfs?

    cmake --preset release && cmake --build --preset release --target pith_command models_bench
    python3 bench/models.py [--build build/release] [--data DIR] [--methods nrfs,lgdfs] [DATA...]

There are two scripts for each method. The literal one has the papers' equations as they are printed, slips corrected: distances
sample by sample, centring matrices, explicit inverses, every region's W. The tidy one has pith's own algebra: Gram matrices for
distances, the smaller form of every regression, one quadratic form for all regions. Both leave products to the BLAS that pith
has, so where those are most of the work the tidy script's speed is nearly ours.

A literal script takes hours in full. Of lgdfs ROUNDS of its 20 rounds are run, held against pith's scores after as many, and
scaled; of nrfs all but the regressions, and those for REPS representatives. Where these have more than PART features, the
inverse is that of the first PART, scaled by the cube of their number. Figures that were scaled are marked by "~".

Exit 1 where pith takes more memory than its formula allows, ranks otherwise than the scripts do, or changes with threads.
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
ROUNDS, REPS, PART = 3, 2, 2048
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


def neighbour_graph(D, sigma):
    n, neighbors, W = len(D), 10, None
    while W is None or (not connected(W) and neighbors < n - 1):
        neighbors = neighbors if W is None else min(2 * neighbors, n - 1)
        near = np.argsort(D + np.diag(np.full(n, np.inf)), axis=1)[:, :neighbors]
        W = np.zeros((n, n))
        rows = np.repeat(np.arange(n), neighbors)
        W[rows, near.ravel()] = np.exp(-D[rows, near.ravel()] ** 2 / (2 * sigma ** 2))
        W = np.maximum(W, W.T)
    return W


def representatives(e, V, D):
    n, level = len(D), 0.25 * np.median(e)
    rho = V ** 2 @ (1 / (1 + np.exp(np.minimum((e - level) / (0.1 * level), 700))))
    kept = np.sort(np.argsort(rho, kind="stable")[int(np.floor(0.1 * n + 0.5)):])
    return halves(halves(kept, D)[0], D)[0]


def widths(X, k):
    return np.array([width(np.abs(x[:, None] - x[None, :]), k) for x in X.T])


def layer(X, i, g):
    B = np.exp(-(X - X[i]) ** 2 * g)
    return B - B.mean(axis=0)


def smaller_form(B, Y):
    n, m = B.shape
    G = B @ B.T if m > n else B.T @ B
    G[np.diag_indices(len(G))] += np.trace(G) / n
    return B.T @ np.linalg.solve(G, Y) if m > n else np.linalg.solve(G, B.T @ Y)


def nrfs(X, c):
    X = standardised(X)
    n, m = X.shape
    k = int(np.floor(n / c + 0.5))
    D = np.sqrt(squared(X))
    W = neighbour_graph(D, width(D, k))
    root = 1 / np.sqrt(W.sum(axis=1))
    e, V = np.linalg.eigh(np.eye(n) - root[:, None] * W * root)
    Y = V[:, 1:c] - V[:, 1:c].mean(axis=0)
    s = widths(X, k)
    g = np.divide(1, 2 * s * s, out=np.zeros(m), where=s > 0)
    best = np.zeros((m, c - 1))
    for i in representatives(e, V, D):
        A = np.abs(smaller_form(layer(X, i, g), Y))
        best = np.maximum(best, A / np.sqrt((A ** 2).sum(axis=0)))
    return best.max(axis=1)


def literal_nrfs(X, c, _):
    """Equations 1, 3, 4, 7 and 8; seconds with the inverse of the normal equations, and with the pseudoinverse that the paper
    speaks of."""
    start = time.process_time()
    X = standardised(X)
    n, m = X.shape
    k = int(np.floor(n / c + 0.5))
    D = np.array([np.sqrt(((X - x) ** 2).sum(axis=1)) for x in X])
    W = neighbour_graph(D, width(D, k))
    degree = np.diag(W.sum(axis=1))
    root = np.diag(1 / np.sqrt(np.diag(degree)))
    e, V = np.linalg.eigh(root @ (degree - W) @ root)
    Y = V[:, 1:c] - V[:, 1:c].mean(axis=0)
    reps, s = representatives(e, V, D), widths(X, k)
    g = np.divide(1, 2 * s * s, out=np.zeros(m), where=s > 0)
    once, apart = time.process_time() - start, 0
    each = {"layers": [], "products": [], np.linalg.inv: [], np.linalg.pinv: []}
    for i in reps[:REPS]:
        start = time.process_time()
        B = layer(X, i, g)
        each["layers"].append(time.process_time() - start)
        B = B[:, :PART]
        start = time.process_time()
        C = B.T @ B
        C = C + np.trace(C) / n * np.eye(len(C))
        BY = B.T @ Y
        each["products"].append(time.process_time() - start)
        for inverse in (np.linalg.inv, np.linalg.pinv):
            start = time.process_time()
            A = inverse(C) @ BY
            each[inverse].append(time.process_time() - start)
            apart = max(apart, np.abs(A - smaller_form(B, Y)).max() / np.abs(A).max())
    more = max(1, m / PART)
    shared = once + len(reps) * (min(each["layers"]) + more ** 2 * min(each["products"]))
    plain, pseudo = (shared + len(reps) * more ** 3 * min(each[f]) for f in (np.linalg.inv, np.linalg.pinv))
    part = "" if m <= PART else f", the inverse {more:.1f}^3 times that of {PART} features"
    return plain, apart, f"{REPS} of {len(reps)} representatives{part}; with pinv for inv ~{pseudo:.0f} s", pseudo


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


def literal_lgdfs(X, c, ours_after, k=5, iters=20):
    """Equations 10, 6, 7, 5, 11, 12 and 14, with alpha and all lambdas 1."""
    start = time.process_time()
    X = standardised(X)
    n, p = X.shape
    z = np.full(p, 1.0 / p)

    def centring(t):
        return np.eye(t) - np.ones((t, t)) / t

    def laplacian(X, H):
        return H @ np.linalg.inv(np.eye(len(H)) + H @ (X * z) @ X.T @ H) @ H

    def regression(X, H, Y):
        K = H @ (X * z) @ X.T @ H
        return z[:, None] * (X.T @ H @ (np.eye(len(H)) - np.linalg.inv(np.eye(len(H)) + K) @ K) @ Y)

    for _ in range(ROUNDS):
        regions = []
        for i in range(n):
            distance = np.sqrt(((X - X[i]) ** 2 * z).sum(axis=1))
            distance[i] = -1
            regions.append(np.argsort(distance, kind="stable")[:k])
        L = laplacian(X, centring(n))
        for r in regions:
            L[np.ix_(r, r)] += laplacian(X[r], centring(k))
        Y = np.linalg.eigh(L)[1][:, 1:c]
        square = (regression(X, centring(n), Y) ** 2).sum(axis=1)
        for r in regions:
            square += (regression(X[r], centring(k), Y[r]) ** 2).sum(axis=1)
        z = np.sqrt(square) / np.sqrt(square).sum()
    spent = (time.process_time() - start) * iters / ROUNDS
    return spent, np.abs(ours_after(ROUNDS) - z).max() / z.max(), f"{ROUNDS} of {iters} rounds", None


# Bytes beyond the data, one thread, as docs/methods/ has them: the z-scored copy is the first term. Up to 512 samples
# the weighted Gram matrix of lgdfs is summed up in four slices; a megabyte is packed for it.
MEMORY = {
    "nrfs": lambda n, p, c: 8 * n * p + max(40 * n * n, 8 * (2 * n * p + min(n, p) ** 2 + 2 * p * c + 3 * n * c)),
    "lgdfs": lambda n, p, c: (8 * n * p + 16 * n * n + (32 * n * n if n <= 512 else 0) + 2 ** 20 + 40 * n * 25 + 8 * p * c
                              + 8 * n * (4 * c + 40)),
}


def ours(program, path, method, c, *words, threads=1):
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime, time.time()
    done = subprocess.run([program, "rank", path, "-m", method, "--clusters", str(c), "--threads", str(threads), "-v",
                           "--format", "json", *map(str, words)], check=True, capture_output=True, text=True)
    wall, seconds = time.time() - start, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    features = json.loads(done.stdout)["features"]
    scores = np.zeros(len(features))
    for f in features:
        scores[f["index"]] = f["score"] or 0
    return scores, seconds, 1e6 * float(re.search(r"([\d.]+) MB beyond", done.stderr)[1]), wall


def race(program, name, path, X, method):
    c = CLUSTERS[name]
    scores, seconds, peak, wall = ours(program, path, method, c)
    start = time.process_time()
    theirs = globals()[method](X, c)
    tidy = time.process_time() - start
    literal, literal_apart, note, pseudo = globals()[f"literal_{method}"](
        X, c, lambda rounds: ours(program, path, method, c, "--iters", rounds)[0])
    allowed = MEMORY[method](*X.shape, c)
    apart = max(np.abs(scores - theirs).max() / theirs.max(), literal_apart)
    print(f"{name:10} {method:6} {seconds:8.2f} {tidy:8.2f} {tidy / seconds:6.1f} {'~' + format(literal, '.1f'):>10} "
          f"{literal / seconds:8.1f} {peak / 1e6:7.1f} {allowed / 1e6:7.1f} {apart:8.1e}  {note}"
          + (f", {pseudo / seconds:.1f} times" if pseudo else ""), flush=True)
    return peak < 1.05 * allowed + 4e6 and apart < 1e-5, scores, seconds, wall


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--data", default=os.environ.get("PITH_DATA", ROOT.parent / "shared" / "data"))
    parser.add_argument("--methods", default="nrfs,lgdfs")
    parser.add_argument("names", nargs="*", default=["COIL20", "lung_181"])
    options = parser.parse_args()
    program, good, scaling = options.build / "pith", True, []
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    print(f"{'data':10} {'method':6} {'pith':>8} {'tidy':>8} {'times':>6} {'literal':>10} {'times':>8} {'MB':>7} "
          f"{'allowed':>7} {'apart':>8}")
    for name in options.names:
        path = pathlib.Path(options.data) / f"{name}.mat"
        X = np.asarray(scipy.io.loadmat(path)["X"], dtype=float)
        for method in options.methods.split(","):
            held, scores, seconds, wall = race(program, name, path, X, method)
            good &= bool(held)
            if method == "nrfs":
                again, busy, _, two = ours(program, path, method, CLUSTERS[name], threads=2)
                same = bool((again == scores).all())
                good &= same
                scaling.append(f"{name}, nrfs, 1 and 2 threads: {wall:.1f} and {two:.1f} s by the clock, {wall / two:.2f} times; "
                               f"{seconds:.1f} and {busy:.1f} s of CPU; scores {'equal' if same else 'DIFFER'}")
    print("\n".join(scaling))
    for name in options.names:
        n, p = scipy.io.loadmat(pathlib.Path(options.data) / f"{name}.mat")["X"].shape
        print(subprocess.run([options.build / "bench/models_bench", str(n), str(p), str(CLUSTERS[name] - 1)], check=True,
                             text=True, stdout=subprocess.PIPE).stdout, end="", flush=True)
    print(f"load {os.getloadavg()[0]:.1f}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
