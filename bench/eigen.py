#!/usr/bin/env python3
"""Eigenpairs of neighbour graphs: pith's solvers beside each other, or beside scipy's eigsh.

    cmake --preset release && cmake --build --preset release --target eigen_bench
    python3 bench/eigen.py [--program build/release/bench/eigen_bench] [--nodes 50000] [--repeats 5]
    python3 bench/eigen.py --solvers [--nodes 10000 50000] [--repeats 3]

kNN graphs (k = 10) in 6 dimensions: a mixture of clear clusters, one of clusters that overlap, one without
clusters, one of 12 components, and one of equal parts tied to a hub, whose eigenvalues are multiple. Solvers take
turns on the same graph, one thread each; the figures are medians of CPU seconds.

eigsh gets A = D^-1/2 S D^-1/2 and is asked for its largest eigenvalues, its fastest way, once to our tolerance and
once to its default. Our time includes scaling the graph and the search for eigenvalues missed.

--solvers: ARPACK with that search beside the filter, in floats (src/linalg/filtered.c) and in doubles
(bench/filtered_double.c), to the tolerances that pith asks for: 1e-8 for spectra of graphs, 1e-4 for those of
ensembles, and 1e-11 for maps with close eigenvalues (eigen_bench.c says which).
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


def clear(n, seed=0):
    rng = np.random.RandomState(seed)
    return neighbours((4 * rng.normal(size=(10, 6)))[rng.randint(10, size=n)] + rng.normal(size=(n, 6)))


def shapeless(n, seed=0):
    return neighbours(np.random.RandomState(seed).normal(size=(n, 6)))


def components(n, count=12, seed=0):
    rng = np.random.RandomState(seed)
    return neighbours(1000 * rng.normal(size=(count, 6))[np.arange(n) % count] + rng.normal(size=(n, 6)))


def hub(n, parts=24, seed=0):
    size = (n - 1) // parts
    part = neighbours(np.random.RandomState(seed).normal(size=(size, 6)))
    spokes = sp.csr_matrix((np.ones(parts), (np.arange(parts) * size, np.zeros(parts))), shape=(parts * size, 1))
    return sp.bmat([[sp.block_diag([part] * parts), spokes], [spokes.T, None]]).tocsr()


def write_graph(S, path):
    """Rows with equally many neighbours together, as the spectrum of a graph has them: products are faster."""
    order = np.argsort(np.diff(S.indptr), kind="stable")
    S = S[order][:, order].sorted_indices()
    with open(path, "wb") as out:
        np.array([S.shape[0], S.nnz], np.int64).tofile(out)
        S.indptr.astype(np.int64).tofile(out)
        S.indices.astype(np.int32).tofile(out)
        S.data.astype(np.float64).tofile(out)


def ours(program, path, m, tolerance=1e-8, solver="arpack", operator="affinity"):
    """CPU seconds, the largest residual (nan: nothing found) and the eigenvalues of the operator."""
    call = [program, path, operator, solver, str(m), str(tolerance), "1"]
    out = subprocess.run(call, check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    return float(out[0]), float("nan" if out[2] == "none" else out[2]), np.array([float(x) for x in out[3:]])


def our_spectrum(program, path, m):
    call = [program, path, "spectrum", "-", str(m), "-", "1"]
    numbers = subprocess.run(call, check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    return float(numbers[0]), np.array([float(x) for x in numbers[3:]])


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
        runs["pith"].append(our_spectrum(program, path, m))
        runs["eigsh 1e-8"].append(theirs(S, m, 1e-8, seed))
        runs["eigsh"].append(theirs(S, m, 0, seed))
    return runs


GRAPHS = (("clear clusters", clear), ("mixture", mixture), ("no clusters", shapeless), ("12 components", components),
          ("24 equal parts at a hub", hub))
#          map, tolerance, what takes the place of ARPACK
CONTESTS = (("affinity", 1e-8, "double"), ("affinity", 1e-4, "filter"), ("squared", 1e-11, "double"))


def compare_solvers(options, folder):
    path = folder / "graph.bin"
    print("%-24s %6s %3s  %-8s %5s  %8s %8s  %8s %8s  times" %
          ("graph", "nodes", "m", "map", "to", "arpack", "residual", "filter", "residual"))
    for nodes in options.nodes:
        for name, make in GRAPHS:
            write_graph(make(nodes), path)
            for m in (10, 20):
                for operator, tolerance, other in CONTESTS:
                    runs = [[ours(options.program, path, m, tolerance, solver, operator)
                             for solver in ("arpack", other)] for _ in range(options.repeats)]
                    seconds = [statistics.median(run[s][0] for run in runs) for s in (0, 1)]
                    print("%-24s %6d %3d  %-8s %5.0e  %8.3f %8.1e  %8.3f %8.1e  %5.2f" %
                          (name, nodes, m, operator, tolerance, seconds[0], runs[0][0][1], seconds[1], runs[0][1][1],
                           seconds[1] / seconds[0]), flush=True)


def compare_with_scipy(options, folder):
    for nodes in options.nodes:
        print("10 smallest eigenpairs, %d nodes, one thread: median CPU seconds" % nodes)
        for name, make in GRAPHS:
            runs = compare(options.program, make(nodes), 10, options.repeats, folder)
            exact = runs["pith"][0][1]
            print("\n%s" % name)
            for solver, results in runs.items():
                wrong = max(int((np.abs(values - exact) > 1e-6).sum()) for _, values in results)
                zeros = min(int((np.abs(values) < 1e-6).sum()) for _, values in results)
                print("  %-11s %7.3f s   %2d zeros   %2d of 10 values differ from pith's" %
                      (solver, statistics.median(seconds for seconds, _ in results), zeros, wrong))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/bench/eigen_bench")
    parser.add_argument("--solvers", action="store_true")
    parser.add_argument("--nodes", type=int, nargs="+", default=[50000])
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        (compare_solvers if options.solvers else compare_with_scipy)(options, pathlib.Path(folder))


main()
