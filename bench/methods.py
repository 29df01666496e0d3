#!/usr/bin/env python3
"""The methods that published ones are compared with: memory, and speed beside plain numpy in the p x p form.

    cmake --preset release && cmake --build --preset release
    python3 bench/methods.py [--quick] [--program build/release/pith] [METHOD ...]

Memory: each method on 200 x 20,000 and on 20,000 x 200, the most that it held beyond the data. A dense p x p or
n x n matrix of the longer side would be 3.2 GB; more than five copies of the data (160 MB) is an error.

Speed: the scripts behind the oracle numbers (tests/oracle/NAME/make.py), which write the papers' equations down
with p x p matrices, on 300 x 5,000 for a few sweeps, beside pith for as many; one thread each, CPU seconds of
the whole run, reading of the data included. The scores must agree, so both did the same work.
--quick takes a tenth of the features in both parts, where the ratios are smaller.
"""
import argparse
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
CLUSTERS = 5
# What numpy is given, and pith's parameters of the same names. Sweeps few enough for p x p matrices to end.
SPEED = {
    "ndfs": dict(max_iter=3, labels=True),
    "jelsr": dict(max_iter=2),
    "udfs": dict(max_iter=1),
    "mcfs": dict(mcfs_active=20),
    "rufs": dict(max_iter=2, inner_iter=5, labels=True),
    "rsfs": dict(max_iter=2, inner_iter=5, labels=True),
    "fsasl": dict(max_iter=1, inner_iter=2),
    "evsc": dict(neighbors=5),
    "mutual-info": dict(labels=True, kind="bins"),
}
MEMORY = ["mcfs", "udfs", "ndfs", "jelsr", "rufs", "rsfs", "fsasl", "evsc", "mutual-info"]
COPIES = 5


def blobs(n, p, seed=1):
    """Groups that a tenth of the features tell apart; labels with them."""
    rng = np.random.RandomState(seed)
    label = np.arange(n) % CLUSTERS
    X = rng.normal(size=(n, p))
    X[:, :p // 10] += 1.5 * rng.normal(size=(CLUSTERS, p // 10))[label]
    return X, label


def run(program, path, method, *words):
    """pith rank as JSON, its CPU seconds, and the most bytes it held beyond the data."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([program, "rank", path, "-m", method, "--format", "json", "-v", "--threads", "1", *words],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{method}: {done.stderr.strip()}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    peak = float(re.search(r"and ([0-9.]+) MB beyond the data", done.stderr).group(1)) * 1e6
    return json.loads(done.stdout), seconds, peak


def memory(program, folder, methods, long):
    failed = False
    print(f"{'memory beyond the data':24}{'shape':>16}{'MB':>9}{'s':>9}")
    for n, p in ((200, long), (long, 200)):
        X, label = blobs(n, p)
        path, labels = os.path.join(folder, "data.npy"), os.path.join(folder, "labels")
        np.save(path, X)
        np.savetxt(labels, label, fmt="%d")
        for method in methods:
            words = ["--labels", labels] if method == "mutual-info" else ["--clusters", str(CLUSTERS)]
            _, seconds, peak = run(program, path, method, *words)
            over = peak > COPIES * X.nbytes + 5e6  # what does not grow with the data
            failed |= over
            print(f"{method:24}{f'{n} x {p}':>16}{peak / 1e6:9.1f}{seconds:9.2f}{'  TOO MUCH' if over else ''}", flush=True)
    return failed


def script_of(method):
    """The function of that name in the oracle's script, without the cases that follow it."""
    path = ROOT / "tests" / "oracle" / method / "make.py"
    sys.path.insert(0, str(path.parent.parent))
    scope = {"__file__": str(path)}
    exec(compile(path.read_text().split("\nnumbers = ")[0], str(path), "exec"), scope)
    return scope[method.replace("-", "_")]


def speed(program, folder, methods, n, p):
    failed = False
    X, label = blobs(n, p)
    path, start = os.path.join(folder, "data.npy"), os.path.join(folder, "start")
    np.save(path, X)
    np.savetxt(start, label, fmt="%d")
    print(f"\n{f'speed, {n} x {p}':24}{'numpy s':>12}{'pith s':>9}{'times':>8}{'scores differ by':>20}")
    for method in methods:
        options = dict(SPEED[method])
        labels = options.pop("labels", False)
        words = [w for k, v in options.items() for w in ("--" + k.replace("_", "-").replace("kind", "discretize"), str(v))]
        words += (["--labels" if method == "mutual-info" else "--init-labels", start] if labels
                  else ["--clusters", str(CLUSTERS)])
        begin = time.process_time()
        want = script_of(method)(X, label, **options) if labels else script_of(method)(X, clusters=CLUSTERS, **options)
        slow = time.process_time() - begin
        result, fast, _ = run(program, path, method, *words)
        got = np.array([f["score"] for f in sorted(result["features"], key=lambda f: f["index"])], dtype=float)
        off = np.abs(got - want).max() / np.abs(want).max()
        failed |= not off < 1e-6
        print(f"{method:24}{slow:12.2f}{fast:9.2f}{slow / fast:8.0f}{off:20.1e}", flush=True)
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("methods", nargs="*", metavar="METHOD")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--program", default=str(ROOT / "build" / "release" / "pith"))
    args = parser.parse_args()
    chosen = args.methods or MEMORY
    with tempfile.TemporaryDirectory() as folder:
        failed = memory(args.program, folder, [m for m in MEMORY if m in chosen], 2000 if args.quick else 20000)
        failed |= speed(args.program, folder, [m for m in SPEED if m in chosen], *((150, 500) if args.quick else (300, 5000)))
    sys.exit(failed)


if __name__ == "__main__":
    main()
