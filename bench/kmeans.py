#!/usr/bin/env python3
"""k-means beside scikit-learn's Lloyd: the same data, turns taken, one thread each, CPU seconds, best inertia.

    cmake --preset release && cmake --build --preset release --target kmeans_bench
    python3 bench/kmeans.py [--repeats 9] [--program build/release/bench/kmeans_bench]

Both run their greedy k-means++ starts to convergence: pith until no row moves, scikit-learn until its centres
move less than its default tolerance. The seeds differ from repeat to repeat and mean nothing to the other, so
best inertias are compared by their means over repeats. Text is unit rows of random counts; there the
Euclidean inertia of both is shown.
"""
import argparse
import os
import pathlib
import subprocess
import tempfile
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans

ROOT = pathlib.Path(__file__).resolve().parent.parent


def blobs(n, p, clusters, separation):
    rng = np.random.RandomState(1)
    centres = rng.normal(size=(clusters, p)) * separation
    return centres[rng.randint(clusters, size=n)] + rng.normal(size=(n, p))


def text(n, p, topics, words):
    rng = np.random.RandomState(2)
    often = 1 / np.arange(1, p + 1)
    rows = []
    weights = [often * rng.gamma(0.2, size=p) for _ in range(topics)]
    for i in range(n):
        w = weights[i % topics]
        rows.append(np.bincount(rng.choice(p, size=words, p=w / w.sum()), minlength=p))
    X = sp.csr_matrix(np.array(rows, dtype=float))
    return sp.diags(1 / np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())) @ X


def write(path, X):
    with open(path, "wb") as f:
        if sp.issparse(X):
            X = X.tocsr()
            X.sort_indices()
            f.write(np.array([*X.shape, X.nnz], dtype=np.int64).tobytes() + X.indptr.astype(np.int64).tobytes())
            f.write(X.indices.astype(np.int32).tobytes() + X.data.tobytes())
        else:
            f.write(np.array(X.shape, dtype=np.int64).tobytes() + X.tobytes())


def ours(program, kind, path, clusters, restarts, seed):
    out = subprocess.run([program, kind, path, str(clusters), str(restarts), str(seed), "1"], check=True,
                         stdout=subprocess.PIPE, text=True).stdout.split()
    return float(out[0]), float(out[2]), float(out[3])


def theirs(X, clusters, restarts, seed):
    start = time.process_time()
    model = KMeans(clusters, n_init=restarts, algorithm="lloyd", random_state=seed).fit(X)
    return time.process_time() - start, model.inertia_


def compare(program, path, name, X, clusters, restarts, repeats):
    write(path, X)
    theirs(X, clusters, 1, 0)  # what it loads and builds the first time is not counted
    pairs = []
    for seed in range(repeats):
        pairs.append(ours(program, "sparse" if sp.issparse(X) else "dense", path, clusters, restarts, seed) +
                     theirs(X, clusters, restarts, seed))
    cpu, inertia, rounds, cpu_theirs, inertia_theirs = np.array(pairs).T
    print("%-36s pith %.3f (%.3f..%.3f)  scikit-learn %.3f (%.3f..%.3f)  ratio %.1f" % (
        name, np.median(cpu), cpu.min(), cpu.max(), np.median(cpu_theirs), cpu_theirs.min(), cpu_theirs.max(),
        np.median(cpu_theirs) / np.median(cpu)))
    error = np.sqrt((inertia.var() + inertia_theirs.var()) / max(repeats - 1, 1))
    print("%-36s best inertia, mean: %.8g, scikit-learn %.8g, difference %.2g (standard error %.2g); %.1f rounds"
          % ("", inertia.mean(), inertia_theirs.mean(), inertia.mean() - inertia_theirs.mean(), error,
             rounds.mean()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/bench/kmeans_bench")
    parser.add_argument("--repeats", type=int, default=9)
    args = parser.parse_args()
    print("CPU seconds of one thread, median of %d (least..most)" % args.repeats)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "data"
        for separation in (1.0, 0.25, 0.12):
            compare(args.program, path, "2000 x 300, 10 clusters, apart %g" % separation,
                    blobs(2000, 300, 10, separation), 10, 20, args.repeats)
        compare(args.program, path, "2000 x 9, 10 clusters", blobs(2000, 9, 10, 1), 10, 20, args.repeats)
        compare(args.program, path, "300 x 5000, 5 clusters", blobs(300, 5000, 5, 0.1), 5, 20, args.repeats)
        compare(args.program, path, "5000 x 50, 100 clusters", blobs(5000, 50, 100, 1), 100, 5, args.repeats)
        compare(args.program, path, "text 2000 x 8000, 20 clusters", text(2000, 8000, 20, 80), 20, 20, args.repeats)


if __name__ == "__main__":
    main()
