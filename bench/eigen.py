#!/usr/bin/env python3
"""The smallest eigenpairs of a graph's normalised Laplacian beside scipy's eigsh.

    cmake --preset release && cmake --build --preset release --target eigen_bench
    python3 bench/eigen.py [--program build/release/bench/eigen_bench] [--nodes 50000] [--repeats 5]

kNN graphs (k = 10) of a 6-dimensional mixture: one that hangs together, one of 12 components, and one of
equal parts tied to a hub, whose eigenvalues are multiple. Both solvers take turns on the same graph, one
thread each; the figures are medians of CPU seconds. eigsh gets A = D^-1/2 S D^-1/2 and is asked for its
largest eigenvalues, its fastest way, once to our tolerance and once to its default. Our time includes
scaling the graph and the search for eigenvalues missed.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import eigsh
from scipy.spatial import cKDTree

ROOT = pathlib.Path(__file__).resolve().parent.parent


def neighbours(X, k=10):
    n = len(X)
    near = cKDTree(X).query(X, k + 1)[1]
    S = sp.csr_matrix((np.ones(n * (k + 1)), (np.repeat(np.arange(n), k + 1), near.ravel())), shape=(n, n))
    S = S.maximum(S.T).tolil()
    S.setdiag(0)
    return S.tocsr()


def mixture(n, seed=0):
    rng = np.random.RandomState(seed)
    return neighbours((2 * rng.normal(size=(10, 6)))[rng.randint(10, size=n)] + rng.normal(size=(n, 6)))


def components(n, count=12, seed=0):
    rng = np.random.RandomState(seed)
    return neighbours(1000 * rng.normal(size=(count, 6))[np.arange(n) % count] + rng.normal(size=(n, 6)))


def hub(n, parts=24, seed=0):
    size = (n - 1) // parts
    part = neighbours(np.random.RandomState(seed).normal(size=(size, 6)))
    spokes = sp.csr_matrix((np.ones(parts), (np.arange(parts) * size, np.zeros(parts))), shape=(parts * size, 1))
    return sp.bmat([[sp.block_diag([part] * parts), spokes], [spokes.T, None]]).tocsr()


def write_graph(S, path):
    S = S.sorted_indices()
    with open(path, "wb") as out:
        np.array([S.shape[0], S.nnz], np.int64).tofile(out)
        S.indptr.astype(np.int64).tofile(out)
        S.indices.astype(np.int32).tofile(out)
        S.data.astype(np.float64).tofile(out)


def ours(program, path, m):
    out = subprocess.run([program, path, str(m), "1"], check=True, stdout=subprocess.PIPE, text=True).stdout
    numbers = [float(x) for x in out.split()]
    return numbers[0], np.array(numbers[3:])


def theirs(S, m, tolerance, seed):
    r = sp.diags(1 / np.sqrt(np.asarray(S.sum(axis=1)).ravel()))
    A = (r @ S @ r).tocsr()
    start = np.random.RandomState(seed).uniform(-1, 1, S.shape[0])
    begin = time.process_time()
    values = eigsh(A, m, which="LA", tol=tolerance, v0=start, return_eigenvectors=True)[0]
    return time.process_time() - begin, np.sort(1 - values)


def compare(program, S, m, repeats, folder):
    path = folder / "graph.bin"
    write_graph(S, path)
    runs = {"pith": [], "eigsh 1e-8": [], "eigsh": []}
    for seed in range(repeats):
        runs["pith"].append(ours(program, path, m))
        runs["eigsh 1e-8"].append(theirs(S, m, 1e-8, seed))
        runs["eigsh"].append(theirs(S, m, 0, seed))
    return runs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/bench/eigen_bench")
    parser.add_argument("--nodes", type=int, default=50000)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    cases = (("mixture", mixture), ("12 components", components), ("24 equal parts at a hub", hub))
    print("10 smallest eigenpairs, %d nodes, one thread: median CPU seconds" % options.nodes)
    with tempfile.TemporaryDirectory() as folder:
        for name, make in cases:
            runs = compare(options.program, make(options.nodes), 10, options.repeats, pathlib.Path(folder))
            exact = runs["pith"][0][1]
            print("\n%s" % name)
            for solver, results in runs.items():
                wrong = max(int((np.abs(values - exact) > 1e-6).sum()) for _, values in results)
                zeros = min(int((np.abs(values) < 1e-6).sum()) for _, values in results)
                print("  %-11s %7.3f s   %2d zeros   %2d of 10 values differ from pith's" %
                      (solver, statistics.median(seconds for seconds, _ in results), zeros, wrong))


main()
