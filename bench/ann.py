#!/usr/bin/env python3
"""Approximate neighbours of pith beside pynndescent, hnswlib and faiss: CPU seconds of one thread, recall@10.

    bench/ann.py [--limit S] [--without NAME,...] BUILD [CASE...]

BUILD is a release build with: cmake --build build/release --target ann_bench ann_make. The cases:

    n,columns,hidden dimensions    dense: 200000,50,10 200000,50,20 1000000,50,10 1000000,50,20 100000,2000,10
    cells,n,columns,entries        sparse, see ann_make.c: cells,200000,30000,2100
    text,n,columns,entries         the same: text,500000,50000,150

Dense data: the peers are python3-pynndescent, python3-hnswlib and python3-faiss of Debian. One that is missing is left
out; one that takes more than S CPU seconds (600) is stopped. pith is asked for the recall that pynndescent reached, so
the two are compared at the same quality. Recall is measured here, for all of them alike, on 1,000 rows.

Sparse data: pith is asked for .95, beside its own exact search of the first n/20 rows among themselves, whose time
times 400 is what that of all rows would be. Recall is measured here on 25 rows, and by pith on 1,000.

The memory of the search is checked, too: at most so many bytes a row as `allowed` says, however many rows there are.
"""
import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time

for name in ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"
import numpy as np  # noqa: E402  (after the number of threads is set)

K, SAMPLE, SPARSE_SAMPLE, SHARE = 10, 1000, 25, 20
CASES = ("200000,50,10", "200000,50,20", "1000000,50,10", "1000000,50,20", "100000,2000,10", "cells,200000,30000,2100",
         "text,500000,50000,150")


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


PEERS = {"pynndescent": by_pynndescent, "hnswlib": by_hnswlib, "faiss": by_faiss}


def limited(search, x, limit, folder):
    """(seconds, neighbours) of a search in a process of its own; (limit, None) if it took longer, None if it is not
    installed."""
    kept = os.path.join(folder, "peer.npz")
    child = os.fork()
    if child == 0:
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
            seconds, found = search(x)
            with open(kept, "wb") as out:
                np.savez(out, seconds=seconds, found=np.asarray(found, np.int32))
            os._exit(0)
        except ImportError:
            os._exit(3)
        except BaseException as error:  # the parent goes on in any case
            print(error, file=sys.stderr)
            os._exit(1)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return limit, None
    if os.waitstatus_to_exitcode(status) == 3:
        return None
    assert status == 0, search
    with np.load(kept) as told:
        return float(told["seconds"]), told["found"]


def by_pith(build, kind, data, n, p, recall, out, *rows):
    """(seconds, recall that it tells, peak bytes)"""
    metric = "euclidean" if kind == "dense" else "cosine"
    words = [os.path.join(build, "bench", "ann_bench"), kind, data, n, p, metric, K, recall, out, *rows]
    return [float(t) for t in subprocess.run([str(w) for w in words], check=True, stdout=subprocess.PIPE).stdout.split()]


def allowed(kind, n, p):
    """Bytes that the search may take: lists of m candidates twice, k neighbours, the projected rows, the cells of a
    partition twice, and what does not grow with n."""
    columns, more = {"dense": (p, 2) if p <= 192 else (80, 128), "cells": (144, 128), "text": (0, 32)}[kind]
    entries = 16 * 128 if kind == "text" else 0  # of the cut lists
    return n * (16 * (K + more) + 16 * K + 4 * columns + 8 * 6 + entries + 64) + 1e8 + 8e3 * p


def tell(case, name, seconds, recall, more=""):
    print(f"{case:>22} {name:>12} {seconds:>10} {recall:7.3f}   {more}".rstrip(), flush=True)


def told_memory(kind, n, p, peak):
    assert peak <= allowed(kind, n, p), f"{peak:.3g} bytes, but {allowed(kind, n, p):.3g} are allowed"
    return f"{peak / n:.0f} bytes a row"


def dense(case, build, limit, without):
    n, p, h = map(int, case.split(","))
    x = hidden(n, p, h)
    rows = np.sort(np.random.default_rng(1).choice(n, SAMPLE, replace=False))
    truth, wanted = true_neighbours(x, rows), 0.95
    with tempfile.TemporaryDirectory() as folder:
        for name, search in PEERS.items():
            done = limited(search, x, limit, folder) if name not in without else None
            if done is None:
                continue
            if done[1] is None:
                print(f"{case:>22} {name:>12} more than {limit}", flush=True)
                continue
            recall = recall_of(done[1], rows, truth)
            wanted = recall if name == "pynndescent" else wanted
            tell(case, name, f"{done[0]:.2f}", recall)
        data, out = os.path.join(folder, "x"), os.path.join(folder, "neighbours")
        x.tofile(data)
        seconds, told, peak = by_pith(build, "dense", data, n, p, wanted, out)
        tell(case, "pith", f"{seconds:.2f}", recall_of(np.fromfile(out, np.int64).reshape(n, K), rows, truth),
             f"(it says {told:.3f}; {told_memory('dense', n, p, peak)})")


def mapped(data, n, p):
    from scipy.sparse import csr_matrix
    start = np.fromfile(data, np.int64, n + 1)
    index = np.memmap(data, np.int32, "r", 8 * (n + 1), int(start[-1]))
    value = np.memmap(data, np.float32, "r", 8 * (n + 1) + 4 * int(start[-1]), int(start[-1]))
    x = csr_matrix((n, p), dtype=np.float32)
    assert start[-1] < 2 ** 31  # SciPy wants both of one type, and row numbers of 8 bytes would be a copy
    x.data, x.indices, x.indptr = value, index, start.astype(np.int32)
    return x


def true_by_cosine(data, n, p, rows):
    """In parts, without a copy of all the data."""
    x = mapped(data, n, p)
    best = []
    asked = x[rows].T.toarray()
    for first in range(0, n, 10000):
        part = x[first:first + 10000]
        lengths = np.sqrt(np.asarray(part.multiply(part).sum(axis=1)).ravel())
        best.append((part @ asked).T / lengths)
    alike = np.concatenate(best, axis=1)
    alike[np.arange(len(rows)), rows] = -1
    return np.argpartition(-alike, K, axis=1)[:, :K]


def sparse(case, build):
    kind, n, p, entries = [int(w) if w.isdigit() else w for w in case.split(",")]
    rows = np.sort(np.random.default_rng(1).choice(n, SPARSE_SAMPLE, replace=False))
    with tempfile.TemporaryDirectory() as folder:
        data, out = os.path.join(folder, "x"), os.path.join(folder, "neighbours")
        subprocess.run([os.path.join(build, "bench", "ann_make"), kind, str(n), str(p), str(entries), "1", data], check=True,
                       stdout=subprocess.DEVNULL)
        seconds, told, peak = by_pith(build, "sparse", data, n, p, 0.95, out)
        recall = recall_of(np.fromfile(out, np.int64).reshape(n, K), rows, true_by_cosine(data, n, p, rows))
        tell(case, "pith", f"{seconds:.2f}", recall, f"(it says {told:.3f}; {told_memory(kind, n, p, peak)})")
        seconds = by_pith(build, "sparse", data, n, p, 0, out, n // SHARE)[0]
        tell(case, "exact", f"{seconds * SHARE ** 2:.0f}", 1, f"(from {seconds:.2f} s of {n // SHARE} rows)")


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--limit", type=int, default=600)
    words.add_argument("--without", default="")
    words.add_argument("build")
    words.add_argument("cases", nargs="*", default=CASES)
    told = words.parse_args()
    print(f"{'data':>22} {'program':>12} {'CPU s':>10} {'recall':>7}")
    for case in told.cases:
        if case[0].isdigit():
            dense(case, told.build, told.limit, told.without.split(","))
        else:
            sparse(case, told.build)


if __name__ == "__main__":
    main()
