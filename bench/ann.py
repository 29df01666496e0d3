#!/usr/bin/env python3
"""Approximate neighbours of pith beside pynndescent, hnswlib and faiss: CPU seconds of one thread, recall@10.

    bench/ann.py ANN_BENCH [CASE...]

ANN_BENCH is built by: cmake --build build/release --target ann_bench. The cases are n,columns,hidden dimensions; the
default ones are 200000,50,10 200000,50,20 1000000,50,10 1000000,50,20 and 100000,2000,10. The peers are
python3-pynndescent, python3-hnswlib and python3-faiss of Debian; one that is missing is left out. pith is asked for the
recall that pynndescent reached, so the two are compared at the same quality. Recall is measured here, for all of them
alike, on 1,000 rows.
"""
import os
import subprocess
import sys
import tempfile
import time

for name in ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"
import numpy as np  # noqa: E402  (after the number of threads is set)

K, SAMPLE = 10, 1000
CASES = ("200000,50,10", "200000,50,20", "1000000,50,10", "1000000,50,20", "100000,2000,10")


def hidden(n, p, h, seed=0):
    """n rows of h hidden normal dimensions, mixed into p columns, with noise of a tenth of their deviation."""
    random = np.random.default_rng(seed)
    x = random.standard_normal((n, h), dtype=np.float32) @ (
        random.standard_normal((h, p), dtype=np.float32) / np.float32(np.sqrt(h)))
    for first in range(0, n, 10000):
        part = x[first:first + 10000]
        part += np.float32(0.1) * random.standard_normal(part.shape, dtype=np.float32)
    return x


def true_neighbours(x, rows):
    squares, found = np.einsum("ij,ij->i", x, x), []
    for first in range(0, len(rows), 50):
        some = rows[first:first + 50]
        d = squares[None] - 2 * (x[some] @ x.T)
        d[np.arange(len(some)), some] = np.inf
        found.append(np.argpartition(d, K, axis=1)[:, :K])
    return np.concatenate(found)


def recall_of(neighbours, rows, truth):
    right = 0
    for r, i in enumerate(rows):
        mine = [l for l in neighbours[i] if l != i][:K]
        right += len(set(mine) & set(truth[r]))
    return right / (K * len(rows))


def by_pynndescent(x):
    import pynndescent
    pynndescent.NNDescent(x[:2000], n_neighbors=K + 1, n_jobs=1)  # compiles
    start = time.process_time()
    found = pynndescent.NNDescent(x, n_neighbors=K + 1, random_state=1, n_jobs=1).neighbor_graph[0]
    return time.process_time() - start, found


def by_hnswlib(x):
    import hnswlib
    start = time.process_time()
    index = hnswlib.Index("l2", x.shape[1])
    index.init_index(len(x), M=16, ef_construction=100, random_seed=1)
    index.set_num_threads(1)
    index.add_items(x)
    index.set_ef(50)
    found = index.knn_query(x, K + 1)[0]
    return time.process_time() - start, found


def by_faiss(x):
    import faiss
    faiss.omp_set_num_threads(1)
    start = time.process_time()
    cells = int(4 * np.sqrt(len(x)))
    index = faiss.IndexIVFFlat(faiss.IndexFlatL2(x.shape[1]), x.shape[1], cells)
    index.train(x[:: max(1, len(x) // (40 * cells))])
    index.add(x)
    index.nprobe = 16
    found = index.search(x, K + 1)[1]
    return time.process_time() - start, found


def by_pith(program, x, recall):
    with tempfile.TemporaryDirectory() as folder:
        data, out = os.path.join(folder, "x"), os.path.join(folder, "neighbours")
        x.tofile(data)
        told = subprocess.run([program, "dense", data, str(len(x)), str(x.shape[1]), "euclidean", str(K), str(recall), out],
                              check=True, capture_output=True, text=True).stdout.split()
        return float(told[0]), np.fromfile(out, np.int64).reshape(len(x), K), float(told[1])


def main(program, cases):
    print(f"{'data':>22} {'program':>12} {'CPU s':>8} {'recall':>7}")
    for case in cases:
        n, p, h = map(int, case.split(","))
        x = hidden(n, p, h)
        rows = np.sort(np.random.default_rng(1).choice(n, SAMPLE, replace=False))
        truth, wanted = true_neighbours(x, rows), 0.95
        for name, search in (("pynndescent", by_pynndescent), ("hnswlib", by_hnswlib), ("faiss", by_faiss)):
            try:
                seconds, found = search(x)
            except ImportError:
                continue
            recall = recall_of(found, rows, truth)
            wanted = recall if name == "pynndescent" else wanted
            print(f"{case:>22} {name:>12} {seconds:8.2f} {recall:7.3f}", flush=True)
        seconds, found, told = by_pith(program, x, wanted)
        print(f"{case:>22} {'pith':>12} {seconds:8.2f} {recall_of(found, rows, truth):7.3f}   (it says {told:.3f})",
              flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:] or CASES)
