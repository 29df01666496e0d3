#!/usr/bin/env python3
"""k-means beside scikit-learn's Lloyd: the same data, one thread each, turns taken, CPU seconds, best inertia.

    cmake --preset release && cmake --build --preset release
    python3 bench/kmeans.py [--program build/bench/kmeans] [--repeats 5]

Without --program the C driver is compiled against build/release/libpith.a. Both run `restarts` greedy
k-means++ starts to their own convergence; scikit-learn stops earlier, at its default tolerance.
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
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

ROOT = pathlib.Path(__file__).resolve().parent.parent


def blobs(n, p, clusters, separation, seed):
    rng = np.random.RandomState(seed)
    centres = rng.normal(size=(clusters, p)) * separation
    return centres[rng.randint(clusters, size=n)] + rng.normal(size=(n, p))


def compile_driver(folder):
    program = folder / "kmeans"
    packages = ["openblas", "arpack", "matio", "hdf5", "libzip", "zlib"]
    flags = subprocess.run(["pkg-config", "--cflags", "--libs"] + packages, check=True, stdout=subprocess.PIPE,
                           text=True).stdout.split()
    subprocess.run(["cc", "-O2", "-fopenmp", "-D_GNU_SOURCE", "-I", ROOT / "src", "-I", ROOT / "include",
                    ROOT / "bench/kmeans.c", ROOT / "build/release/libpith.a", "-o", program] + flags + ["-lm"],
                   check=True)
    return program


def ours(program, path, clusters, restarts, seed):
    out = subprocess.run([program, path, str(clusters), str(restarts), str(seed), "1"], check=True,
                         stdout=subprocess.PIPE, text=True).stdout.split()
    return float(out[0]), float(out[2]), float(out[3])


def theirs(X, clusters, restarts, seed):
    start = time.process_time()
    model = KMeans(clusters, n_init=restarts, algorithm="lloyd", random_state=seed).fit(X)
    return time.process_time() - start, model.inertia_


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--size", default="2000x300x10", help="samples x features x clusters")
    parser.add_argument("--restarts", type=int, default=20)
    args = parser.parse_args()
    n, p, clusters = (int(v) for v in args.size.split("x"))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        program = args.program or compile_driver(folder)
        print("%d x %d, %d clusters, %d restarts; CPU seconds of one thread, median of %d (least..most)"
              % (n, p, clusters, args.restarts, args.repeats))
        for separation in (1.0, 0.25, 0.12):
            X = blobs(n, p, clusters, separation, 1)
            path = folder / "data"
            with open(path, "wb") as f:
                f.write(np.array(X.shape, dtype=np.int64).tobytes() + X.tobytes())
            mine, other, best_mine, best_other = [], [], [], []
            theirs(X, clusters, 1, 0)
            for seed in range(args.repeats):
                cpu, inertia, rounds = ours(program, path, clusters, args.restarts, seed)
                mine.append(cpu)
                best_mine.append(inertia)
                cpu, inertia = theirs(X, clusters, args.restarts, seed)
                other.append(cpu)
                best_other.append(inertia)
            print("separation %-5g pith %.3f (%.3f..%.3f)  scikit-learn %.3f (%.3f..%.3f)  ratio %.1f  "
                  "best inertia, mean %.1f and %.1f, least %.1f and %.1f; %.1f rounds"
                  % (separation, np.median(mine), min(mine), max(mine), np.median(other), min(other), max(other),
                     np.median(other) / np.median(mine), np.mean(best_mine), np.mean(best_other),
                     min(best_mine), min(best_other), rounds))


if __name__ == "__main__":
    main()
