#!/usr/bin/env python3
"""Reading CSV: pith, the C library's strtod, numpy.loadtxt and pandas.read_csv on the same files in one run.

    cmake --build build/dev --target csv_bench && bench/read_csv.py build/dev/bench/csv_bench [MEGABYTES]

CPU seconds on one thread, the best of five for pith and of two for the others, the file in the page cache.
The wall clock says nothing on a busy machine. Needs numpy and pandas (Debian's).
"""
import os
import subprocess
import sys
import tempfile
import time

import numpy as np
import pandas


def write(path, form, megabytes, cols=500):
    rng = np.random.default_rng(1)
    with open(path, "w") as f:
        while f.tell() < megabytes * 1e6:
            f.writelines(",".join(form(v) for v in row) + "\n" for row in rng.standard_normal((50, cols)))


def seconds(read):
    best = float("inf")
    for _ in range(2):
        start = time.process_time()
        table = read()
        best = min(best, time.process_time() - start)
    return best, float(np.asarray(table).sum())


def main():
    program = sys.argv[1]
    megabytes = float(sys.argv[2]) if len(sys.argv) > 2 else 60
    forms = {"3 places": lambda v: repr(round(v, 3)), "5 places": "{:.5f}".format, "17 digits": "{:.17g}".format}
    print(f"{'text':10} {'MB':>5} {'pith GB/s':>10} {'strtod':>8} {'loadtxt':>8} {'pandas':>8}   times as fast as them")
    with tempfile.TemporaryDirectory() as folder:
        for name, form in forms.items():
            path = os.path.join(folder, "x.csv")
            write(path, form, megabytes)
            out = subprocess.run([program, path], check=True, capture_output=True, text=True).stdout.split()
            size, ours, strtod, total = int(out[0]), float(out[3]), float(out[4]), float(out[5])
            numpy_s, numpy_sum = seconds(lambda: np.loadtxt(path, delimiter=","))
            pandas_s, _ = seconds(lambda: pandas.read_csv(path, header=None, float_precision="round_trip"))
            assert out[5] == out[6] and np.isclose(total, numpy_sum, rtol=1e-9, atol=1e-6), (out, numpy_sum)
            rates = [1e-9 * size / s for s in (ours, strtod, numpy_s, pandas_s)]
            print(f"{name:10} {size / 1e6:5.0f} {rates[0]:10.2f} " + " ".join(f"{r:8.3f}" for r in rates[1:]) +
                  "   " + " ".join(f"{rates[0] / r:.1f}x" for r in rates[1:]))


if __name__ == "__main__":
    main()
