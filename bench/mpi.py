#!/usr/bin/env python3
"""A search for neighbours by processes that share the rows, beside threads of one process: wall and CPU seconds, and the bytes that a process sends
against the formula.

    bench/mpi.py build/release/pith build/release/engines/mpi [rows] [columns]

The wall time of `pith rank -m laplacian` is taken, less that of `-m variance` on the same data, which starts and reads alike. Each is the best of
three. Two processes are to be within 1.15 of two threads."""
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np

MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--mca", "btl", "self,vader", "--mca", "mpi_yield_when_idle", "1"]
NEIGHBORS, REPEATS = 5, int(os.environ.get("REPEATS", "3"))


def timed(words, env):
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(words, check=True, env=env, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.monotonic() - began, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def best(words, env):
    return min(timed(words, env) for _ in range(REPEATS))


def search(start, data, more, env):
    """Seconds of the search alone: wall, CPU."""
    with_graph, without = (best([*start, "rank", str(data), "-qm", m, *more], env) for m in ("laplacian", "variance"))
    return with_graph[0] - without[0], with_graph[1] - without[1]


def sent(start, data, more, env, ranks, folder):
    """Bytes of the search, by process."""
    subprocess.run([*start, "rank", str(data), "-qm", "laplacian", *more], check=True, stdout=subprocess.DEVNULL,
                   env={**env, "PITH_MPI_COUNT": str(folder / "sent")})
    return [int((folder / f"sent.{r}").read_text().split()[1]) for r in range(ranks)]


def formula(n, p, ranks):
    """The most of a process, in bytes: blocks out, lists back. (8 bytes a row more say how far to look.)"""
    rows, steps = n / ranks, ranks // 2
    return steps * rows * (4 * p + 16 * NEIGHBORS)


def main():
    pith, engines = sys.argv[1:3]
    n, p = (int(w) for w in (sys.argv[3:5] or (30000, 50)))
    env = {**os.environ, "PITH_ENGINE_PATH": engines, "OMP_WAIT_POLICY": "passive"}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        data = folder / "x.npy"
        np.save(data, np.random.default_rng(1).normal(size=(n, p)).astype(np.float32))
        more = ["--neighbors", str(NEIGHBORS)]
        print(f"{n} x {p}, float, {NEIGHBORS} neighbours\n\n| | wall | CPU | bytes sent by a process | by the formula, at most |\n| --- | --- | --- | --- | --- |")
        wall = {}
        for threads in 1, 2:
            wall["local", threads], cpu = search([pith], data, [*more, "--threads", str(threads)], env)
            print(f"| {threads} thread{'s' * (threads > 1)} | {wall['local', threads]:.2f} s | {cpu:.2f} s | | |", flush=True)
        for ranks in 1, 2, 4:
            start = [*MPIRUN, "-n", str(ranks), pith]
            words = [*more, "--engine", "mpi", "--threads", "1"]
            wall["mpi", ranks], cpu = search(start, data, words, env)
            bytes_sent = max(sent(start, data, words, env, ranks, folder))
            print(f"| {ranks} process{'es' * (ranks > 1)} | {wall['mpi', ranks]:.2f} s | {cpu:.2f} s | {bytes_sent:,} | {formula(n, p, ranks):,.0f} |", flush=True)
        print(f"\ntwo processes over two threads: {wall['mpi', 2] / wall['local', 2]:.2f}")


if __name__ == "__main__":
    main()
