#!/usr/bin/env python3
"""How time and memory grow with the number of samples, on one machine.

    cmake --preset release && cmake --build --preset release
    bench/scale.py growth [--folder DIR]     sizes from 62,500 to 1,000,000 samples, doubling
    bench/scale.py big [--folder DIR]        1,000,000 samples, the methods of the target

Both make sparse counts by `pith synth blobs` (30,000 features, 3 % nonzero, 10 clusters, single precision: 7 GB for
a million samples) in DIR and rank them. One row per run: wall and CPU seconds of the whole command, its peak resident
memory with the pages of the mapped file among it, the measured recall of the neighbours, and, for growth, the
exponent e of time ~ n^e since the size before. --features, --density, --samples and --methods choose other shapes,
--density 1 is dense. Files that are there are used again; --keep leaves them there.
"""
import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time

GROWTH = [62500 * 2 ** k for k in range(5)]
MILLION = [1000000]


def make(args, samples):
    ending = "npy" if args.density == 1 else "npz"
    path = pathlib.Path(args.folder) / f"blobs-{samples}x{args.features}-{args.density}.{ending}"
    if not path.exists():
        subprocess.run([args.program, "synth", "blobs", "--samples", str(samples), "-n", str(args.features), "--density",
                        str(args.density), "--clusters", "10", "--float32", "-q", "-o", str(path)], check=True)
    return path


def run(args, path, method):
    """Wall and CPU seconds, peak resident bytes and the facts of the result."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        command = [args.program, "rank", str(path), "-m", method, "--no-labels", "-o", out.name, "--force", *args.option]
        print("$", " ".join(command), file=sys.stderr, flush=True)
        began = time.monotonic()
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.monotonic() - began
        if status != 0:
            return None
        result = json.load(open(out.name, encoding="utf-8"))
    best = [f["name"].startswith("info_") for f in result["features"][:100]]
    return {"wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "bytes": usage.ru_maxrss * 1024,
            "recall": result.get("facts", {}).get("recall", result.get("recall")), "informative": sum(best)}


def row(samples, method, found, before):
    if found is None:
        return f"| {samples:,} | {method} | failed | | | | | |"
    grown = "" if before is None else f"{math.log(found['cpu'] / before['cpu'], 2):.2f}"
    recall = "exact" if found["recall"] is None else f"{found['recall']:.3f}"
    return (f"| {samples:,} | {method} | {found['wall']:.0f} | {found['cpu']:.0f} | {found['bytes'] / 1e9:.2f} "
            f"| {recall} | {found['informative']} | {grown} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["growth", "big"])
    parser.add_argument("--program", default=str(pathlib.Path(__file__).parents[1] / "build/release/pith"))
    parser.add_argument("--folder", default=tempfile.gettempdir())
    parser.add_argument("--samples", type=lambda text: [int(n) for n in text.split(",")])
    parser.add_argument("--features", type=int, default=30000)
    parser.add_argument("--density", type=float, default=0.03)
    parser.add_argument("--methods", type=lambda text: text.split(","))
    parser.add_argument("--option", action="append", default=[], help="a further option of pith rank, as --option=--threads=1")
    parser.add_argument("--keep", action="store_true")
    args = parser.parse_args()
    methods = args.methods or (["laplacian"] if args.what == "growth" else ["variance", "laplacian", "cl-des", "consensus"])
    print(f"{args.features:,} features, density {args.density:g}")
    print("| samples | method | wall s | CPU s | resident GB | recall | informative of the best 100 | exponent |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    before = {}
    for samples in args.samples or (GROWTH if args.what == "growth" else MILLION):
        path = make(args, samples)
        for method in methods:
            found = run(args, path, method)
            print(row(samples, method, found, before.get(method)), flush=True)
            before[method] = found
        if not args.keep:
            path.unlink()


if __name__ == "__main__":
    main()
