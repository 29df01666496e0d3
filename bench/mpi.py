#!/usr/bin/env python3
"""The search for neighbours by processes that share the rows, beside threads of one process.

    cmake --preset release && cmake --build --preset release --target all ring_bench
    bench/mpi.py build/release [--rows 30000] [--columns 50] [--spread 100000]

Three tables, of normal floats and 5 neighbours:

- The exact search alone (ring_bench): wall and CPU seconds, CPU summed over the processes, the best of three searches; the bytes that a process
  sends and the most that it holds beside its rows, against the formulas of docs/scale.md. Starting MPI and reading are not in it.
- `pith rank -m laplacian` less `-m variance`, which starts and reads alike: the search, the graph and the scores.
- The approximate search: the most that a process holds, against its formula.

Two processes are to take at most 1.15 times as long as two threads for the exact search, and no process may send or hold more than its formula says:
else the script exits with 1. It goes by wall time if the machine has nothing else to do when it starts, and else by CPU time, and says which."""
import argparse
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np

MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--mca", "btl", "self,vader", "--mca", "mpi_yield_when_idle", "1", "-n"]
NEIGHBORS, LIMIT, REPEATS = 5, 1.15, int(os.environ.get("REPEATS", "3"))
PIECES = 130e6  # bytes of what the approximate search fetches at a time


def floats(p):
    """Of a row, as the searches store it: pith_i_tiles_stride."""
    room = (p + 15) // 16 * 16
    return room + 16 if room % 256 == 0 else room


def ring_sends(n, p, ranks):
    """The most bytes of a process: blocks out, lists back. (8 bytes a row more say how far to look.)"""
    return ranks // 2 * (n / ranks) * (4 * p + 16 * NEIGHBORS)


def ring_holds(n, p, ranks):
    """Beside its rows: three blocks of rows, two of floats, lists."""
    return (n / ranks) * (3 * 4 * p + 2 * 4 * floats(p) + 144 * NEIGHBORS + 450) + 2e6


def dealt_holds(n, p, ranks):
    """Beside its rows, where all columns are used: floats, lists, and pieces or a copy of its rows."""
    each = 4 * floats(p) + 8 * (NEIGHBORS + 2) + 16 * NEIGHBORS + 70
    return (n / ranks) * each + max(PIECES, (n / ranks) * (4 * p + 16 * NEIGHBORS + 40))


class Searches:
    """ring_bench, in one process or several."""

    def __init__(self, build, folder):
        self.program, self.engines, self.folder = build / "bench/ring_bench", build / "engines/mpi", folder

    def __call__(self, n, p, ranks=1, threads=1, more=()):
        """wall, CPU, bytes sent (the most of a process), bytes held (likewise), checksum"""
        env = {**os.environ, "OMP_WAIT_POLICY": "passive"}
        start = []
        if ranks > 1:
            start = [*MPIRUN, str(ranks)]
            env.update(PITH_ENGINE_PATH=str(self.engines), PITH_MPI_COUNT=str(self.folder / "sent"))
        words = [*start, self.program, n, p, NEIGHBORS, threads, *more]
        out = subprocess.run(list(map(str, words)), env=env, check=True, capture_output=True, text=True).stdout
        _, rounds, wall, cpu, held, checksum = zip(*([float(w) for w in line.split()] for line in out.splitlines()))
        sent = [int((self.folder / f"sent.{r}").read_text().split()[1]) / rounds[0] for r in range(ranks)] if ranks > 1 else [0]
        return max(wall), sum(cpu), max(sent), max(held), sum(checksum)


def table(title, *columns):
    print(f"\n{title}\n\n| {' | '.join(('', *columns))} |\n|{' --- |' * (len(columns) + 1)}", flush=True)


def row(*cells):
    print(f"| {' | '.join(cells)} |", flush=True)


def exact(search, n, p, quiet):
    """The first table; returns what is missed."""
    table(f"exact search, {n} x {p}", "wall", "CPU", "sent by a process, MB", "at most", "held by a process, MB", "at most")
    missed, took, checksum = [], {}, None
    for ranks, threads in (1, 1), (1, 2), (2, 1), (4, 1):
        wall, cpu, sent, held, sum_of = search(n, p, ranks, threads)
        took[ranks, threads] = wall if quiet else cpu
        checksum = checksum or sum_of
        if abs(sum_of - checksum) > 1e-12 * checksum:
            missed.append(f"{ranks} processes find other neighbours")
        name = f"{threads} thread{'s' * (threads > 1)}" if ranks == 1 else f"{ranks} processes"
        cells = ["", "", f"{held / 1e6:.1f}", ""]
        if ranks > 1:
            limits = ring_sends(n, p, ranks), ring_holds(n, p, ranks)
            cells = [f"{sent / 1e6:.2f}", f"{limits[0] / 1e6:.2f}", f"{held / 1e6:.1f}", f"{limits[1] / 1e6:.1f}"]
            missed += [f"{name} {what}" for what, x, most in zip(("send too much", "hold too much"), (sent, held), limits) if x > most]
        row(name, f"{wall:.2f} s", f"{cpu:.2f} s", *cells)
    ratio = took[2, 1] / took[1, 2]
    print(f"\ntwo processes over two threads, by {'wall' if quiet else 'CPU'} time: {ratio:.2f} (at most {LIMIT})", flush=True)
    return missed + ["two processes take too long"] * (ratio > LIMIT)


def timed(words, env):
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(words, check=True, env=env, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.monotonic() - began, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def best(words, env):
    """The least wall and the least CPU seconds."""
    return [min(times) for times in zip(*(timed(list(map(str, words)), env) for _ in range(REPEATS)))]


def whole(build, folder, n, p):
    """The second table."""
    env = {**os.environ, "PITH_ENGINE_PATH": str(build / "engines/mpi"), "OMP_WAIT_POLICY": "passive"}
    data = folder / "x.npy"
    np.save(data, np.random.default_rng(1).normal(size=(n, p)).astype(np.float32))
    table(f"rank -m laplacian less -m variance, {n} x {p}", "wall", "CPU", "CPU of -m variance: starting and reading")
    for name, start, more in (("2 threads", [], ["--threads", 2]), ("2 processes", [*MPIRUN, 2], ["--engine", "mpi", "--threads", 1])):
        laplacian, variance = (best([*start, build / "pith", "rank", data, "-qm", *m, *more], env)
                               for m in (["laplacian", "--neighbors", NEIGHBORS], ["variance"]))
        row(name, f"{laplacian[0] - variance[0]:.2f} s", f"{laplacian[1] - variance[1]:.2f} s", f"{variance[1]:.2f} s")


def approximate(search, n, p):
    """The third table; returns what is missed."""
    table(f"approximate search, {n} x {p}", "CPU", "held by a process, MB", "at most")
    missed = []
    for ranks in 2, 4:
        _, cpu, _, held, _ = search(n, p, ranks, 1, ["approximate"])
        limit = dealt_holds(n, p, ranks)
        row(f"{ranks} processes", f"{cpu:.2f} s", f"{held / 1e6:.1f}", f"{limit / 1e6:.1f}")
        missed += [f"{ranks} processes of the approximate search hold too much"] * (held > limit)
    return missed


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("build", type=pathlib.Path)
    words.add_argument("--rows", type=int, default=30000)
    words.add_argument("--columns", type=int, default=50)
    words.add_argument("--spread", type=int, default=100000, help="rows of the approximate search")
    words.add_argument("--only", choices=["exact", "whole", "approximate"])
    given = words.parse_args()
    quiet = os.getloadavg()[0] < 0.5
    missed = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        search = Searches(given.build, folder)
        if given.only in (None, "exact"):
            missed += exact(search, given.rows, given.columns, quiet)
        if given.only in (None, "whole"):
            whole(given.build, folder, given.rows, given.columns)
        if given.only in (None, "approximate"):
            missed += approximate(search, given.spread, given.columns)
    print("".join(f"missed: {m}\n" for m in missed), end="")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
