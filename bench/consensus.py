#!/usr/bin/env python3
"""consensus beside one plain spectral clustering, pith's own and scikit-learn's, of the same data in the same run.

    cmake --preset release && cmake --build --preset release --target consensus_bench
    python3 bench/consensus.py DATA.mat:CLUSTERS ...       (MATLAB v5 files with X)

One thread each, CPU seconds. The plain clustering: the graph of five neighbours on all features, its leading
eigenvectors, k-means on their rows (pith: 20 starts, scikit-learn: 10). Text is given to both as tf-idf rows.
--memory asks besides that consensus of 10,000 x 5,000 numbers take less than 300 MB beyond them; that takes a
minute.
"""
import argparse
import os
import pathlib
import subprocess
import time
import warnings

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np
import scipy.io
import scipy.sparse as sp
from sklearn.cluster import SpectralClustering
from sklearn.neighbors import kneighbors_graph

ROOT = pathlib.Path(__file__).resolve().parent.parent


def prepare(path):
    X = scipy.io.loadmat(path)["X"]
    if sp.issparse(X):
        X = sp.csr_matrix(X, dtype=float)
        X = X @ sp.diags(np.log(X.shape[0] / np.maximum(X.getnnz(axis=0), 1)))
        return X, "cosine"
    X = np.asarray(X, dtype=float)
    spread = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1), "euclidean"


def theirs(path, clusters):
    X, metric = prepare(path)
    start = time.process_time()
    graph = kneighbors_graph(X, 5, metric=metric, mode="connectivity")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of graphs that fall apart
        SpectralClustering(clusters, affinity="precomputed", random_state=0).fit(graph.maximum(graph.T))
    return time.process_time() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/bench/consensus_bench")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("data", nargs="*", metavar="DATA.mat:CLUSTERS")
    args = parser.parse_args()
    for word in args.data:
        path, clusters = word.rsplit(":", 1)
        runs = []
        for _ in range(args.repeats):
            out = subprocess.run([args.program, path, clusters, "1"], check=True, stdout=subprocess.PIPE, text=True).stdout
            runs.append([float(v) for v in out.split()] + [theirs(path, int(clusters))])
        graph, spectrum, kmeans, consensus, peak, other = np.median(np.array(runs), axis=0)
        plain = graph + spectrum + kmeans
        print("%-24s consensus %.2f s, %.0f MB; plain %.3f s (graph %.3f, eigenvectors %.3f, k-means %.3f): %.1f times; "
              "scikit-learn's %.2f s: %.1f times" % (pathlib.Path(path).name, consensus, peak / 1e6, plain, graph, spectrum,
                                                     kmeans, consensus / plain, other, consensus / other))
    if args.memory:
        out = subprocess.run([args.program, "random", "10000", "5000", "20"], check=True, stdout=subprocess.PIPE, text=True).stdout
        seconds, peak = (float(v) for v in out.split())
        print("10,000 x 5,000           consensus %.0f s, %.0f MB" % (seconds, peak / 1e6))
        if peak >= 300e6:
            raise SystemExit("consensus takes more than 300 MB beyond the data")


if __name__ == "__main__":
    main()
