#!/usr/bin/env python3
"""snfs beside a slow program of the same equations, and its dense gradient beside the machine's matrix product.

    cmake --preset release && cmake --build --preset release --target pith_command snfs_bench
    python3 bench/snfs.py [--data BBCSport.mat] [--build build/release]

The slow program is the oracle's: dense NumPy with P stored and SciPy's L-BFGS-B (tests/oracle/snfs/make.py). One
thread each, CPU seconds, the same perplexity and price; pith's include reading the data and writing the ranking.
"""
import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

import scipy.io

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/oracle/snfs"))
import make as slow


def data_file():
    folder = pathlib.Path(os.environ.get("PITH_DATA", ROOT.parent / "shared/data"))
    return folder / "BBCSport.mat"


def ours(program, data, *more):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run([program, "rank", data, "-qm", "snfs", "--threads", "1", "--format", "json", *more],
                         check=True, stdout=subprocess.PIPE).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return json.loads(out), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def race(program, data, rho):
    result, seconds = ours(program, data, "--rho", str(rho))
    X = scipy.io.loadmat(data)["X"].astype(float)
    X = X.toarray() if hasattr(X, "toarray") else X
    start = time.process_time()
    problem = slow.Problem(X)
    _, f, evaluations = slow.solve_plain(problem, rho * problem.lambda_max)
    theirs = time.process_time() - start
    facts = result["facts"]
    print("%s, rho %g: pith %.2f s, %d evaluations, objective %.9f" % (
        data.name, rho, seconds, facts["evaluations"], facts["objective"]))
    print("%s  NumPy %.2f s, %d evaluations, objective %.9f; relative difference %.1e; %.0f times as fast" % (
        " " * len(data.name), theirs, evaluations, f, abs(facts["objective"] - f) / abs(f), theirs / seconds))


def gradient(program, n, p):
    rate, limit = (float(v) for v in subprocess.run([program, str(n), str(p)], check=True, text=True,
                                                    stdout=subprocess.PIPE).stdout.split())
    print("dense gradient %d x %d: %.1f GFLOP/s of %.1f, %.0f %%" % (n, p, rate, limit, 100 * rate / limit))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, default=data_file())
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    args = parser.parse_args()
    print("CPU seconds of one thread each")
    race(args.build / "pith", args.data, 0.003)
    for n, p in ((1000, 1000), (2000, 1000), (3000, 500)):
        gradient(args.build / "bench/snfs_bench", n, p)


if __name__ == "__main__":
    main()
