#!/usr/bin/python3
"""The table of speed in the README: pith beside scikit-feature, and beside the same written with scikit-learn.

    cmake --preset release && cmake --build --preset release
    /usr/bin/python3 bench/peers.py [--scikit-feature CHECKOUT] [--program build/release/pith] [--quick]

CHECKOUT is a clone of scikit-feature (github.com/jundongl/scikit-feature); without one its rows are left out, and
that is said. Every figure is the CPU time of one thread. Peers are timed from the array in memory to the scores;
pith from the start of the command to the end of its ranking, reading included. All of them get the same graph: 5
nearest neighbours, every edge of weight 1 (scikit-feature links each sample with itself too). `same` is how many of
the best 100 features are the same, so that it shows whether both did the same work. --quick takes a quarter of the
samples.

scikit-feature's udfs and ndfs are not among them: the first takes the neighbourhood of another sample than the one
whose model it fits, the second does not run with a current Python.
"""
import argparse
import csv
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np
from sklearn.linear_model import Lars
from sklearn.manifold import spectral_embedding
from sklearn.neighbors import kneighbors_graph

CLUSTERS = 10
ACTIVE = 50
TOP = 100
GRAPH = ["--neighbors", "5", "--weight", "binary", "--standardize", "none", "--metric", "euclidean"]
# method: (samples, features, pith's options)
SIZES = {
    "laplacian": (4000, 1000, GRAPH),
    "spec": (4000, 1000, GRAPH + ["--style", "2"]),
    "mcfs": (4000, 1000, GRAPH + ["--clusters", str(CLUSTERS), "--mcfs-active", str(ACTIVE)]),
}


def learn_graph(X):
    S = kneighbors_graph(X, 5, mode="connectivity")
    return S.maximum(S.T)


def learn_laplacian(X):
    S = learn_graph(X)
    d = np.asarray(S.sum(axis=1)).ravel()
    Z = X - d @ X / d.sum()
    weight = d @ (Z * Z)
    return np.sum(Z * (S @ Z), axis=0) / weight


def learn_mcfs(X):
    Y = spectral_embedding(learn_graph(X), n_components=CLUSTERS, random_state=0)
    Z = X - X.mean(axis=0)
    fits = [Lars(n_nonzero_coefs=ACTIVE).fit(Z, y).coef_ for y in Y.T]
    return np.max(np.abs(fits), axis=0)


def feature_peers(checkout):
    """{method: X -> scores, higher is better}, of the checkout's functions."""
    sys.path.insert(0, checkout)
    from skfeature.function.similarity_based.lap_score import lap_score
    from skfeature.function.similarity_based.SPEC import spec
    from skfeature.function.sparse_learning_based.MCFS import mcfs
    from skfeature.utility.construct_W import construct_W

    def graph(X):
        return construct_W(X, metric="euclidean", neighbor_mode="knn", weight_mode="binary", k=5)

    return {
        "laplacian": lambda X: -lap_score(X, W=graph(X)),
        "spec": lambda X: -spec(X, W=graph(X), style=0),
        "mcfs": lambda X: np.max(np.abs(mcfs(X, ACTIVE, W=graph(X), n_clusters=CLUSTERS)), axis=1),
    }


def timed_peer(function, X):
    start = time.process_time()
    scores = function(X.copy())
    return time.process_time() - start, np.asarray(scores, dtype=float)


def timed_pith(program, path, method, options, features):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([program, "rank", path, "-m", method, "--threads", "1", "-q", "--format", "csv", *options],
                          stdout=subprocess.PIPE, check=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    scores = np.full(features, np.nan)
    for row in csv.DictReader(done.stdout.splitlines()):
        scores[int(row["index"])] = features - int(row["rank"])
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, scores


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=str(pathlib.Path(__file__).parents[1] / "build/release/pith"))
    parser.add_argument("--scikit-feature")
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    peers = [("scikit-learn", {"laplacian": learn_laplacian, "mcfs": learn_mcfs})]
    if args.scikit_feature:
        peers.insert(0, ("scikit-feature", feature_peers(args.scikit_feature)))
    else:
        print("scikit-feature: no checkout given (--scikit-feature), its rows are left out", file=sys.stderr)
    print("| method | data | compared with | its seconds | pith's seconds | times as fast | same |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for method, (samples, features, options) in SIZES.items():
            samples //= 4 if args.quick else 1
            path = str(pathlib.Path(folder) / "data.npy")
            subprocess.run([args.program, "synth", "blobs", "--samples", str(samples), "-n", str(features), "--clusters",
                            str(CLUSTERS), "-q", "--force", "-o", path], check=True)
            X = np.load(path).astype(float)
            own, ranks = timed_pith(args.program, path, method, options, features)
            for name, functions in peers:
                if method in functions:
                    theirs, scores = timed_peer(functions[method], X)
                    same = len(set(np.argsort(-ranks)[:TOP]) & set(np.argsort(-scores, kind="stable")[:TOP]))
                    print(f"| {method} | {samples:,} x {features:,} | {name} | {theirs:.1f} | {own:.2f} "
                          f"| {theirs / own:.0f} | {same} of {TOP} |", flush=True)


if __name__ == "__main__":
    main()
