#!/usr/bin/env python3
"""What it costs that threads wait for each other, where other work keeps the cores busy and where it does not.

    python3 bench/busy.py [--program build/release/pith] DATA...

Each file is ranked by each method with three ways to wait: as GCC's OpenMP does by itself, as the command tells it to,
and with one thread. One line per file and method: seconds on the clock, the median of --repeat runs taken in turn, first as the
machine is (which should have nothing else to do), then beside one busy process per core.
"""
import argparse
import os
import statistics
import subprocess
import sys
import time

WAYS = {"OpenMP's own": {"GOMP_SPINCOUNT": "300000"}, "pith's": {}, "one thread": {"OMP_NUM_THREADS": "1"}}


def seconds(program, path, method, variables):
    kept = {k: v for k, v in os.environ.items() if k not in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY", "OMP_NUM_THREADS")}
    start = time.monotonic()
    subprocess.run([program, "rank", path, "-m", method, "-q"], check=True, stdout=subprocess.DEVNULL, env={**kept, **variables})
    return time.monotonic() - start


def medians(options, path, method):
    found = {way: [] for way in WAYS}
    for _ in range(options.repeat):
        for way, variables in WAYS.items():
            found[way].append(seconds(options.program, path, method, variables))
    return [statistics.median(times) for times in found.values()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="+")
    parser.add_argument("--program", default="build/release/pith")
    parser.add_argument("--methods", default="consensus,energy,snfs,nrfs,udfs,ndfs,fsasl")
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    print("| cores | data | method | " + " | ".join(WAYS) + " |\n" + "| --- " * (3 + len(WAYS)) + "|")
    for cores in ("free", "busy"):
        load = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() if cores == "busy" else 0)]
        try:
            for path in options.data:
                for method in options.methods.split(","):
                    found = " | ".join(f"{s:.2f}" for s in medians(options, path, method))
                    print(f"| {cores} | {os.path.splitext(os.path.basename(path))[0]} | {method} | {found} |", flush=True)
        finally:
            for process in load:
                process.kill()


if __name__ == "__main__":
    main()
