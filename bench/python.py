#!/usr/bin/env python3
"""What the Python package costs beyond the call of the library.

    cmake --preset dev && cmake --build --preset dev --target pith_python
    PYTHONPATH=build/dev/python python3 bench/python.py [--repeats 51]

A fit of `variance`, the quickest method, is timed, and so is the call of the extension within it; the difference is
scikit-learn's look at the input, the texts of parameters, the objects that come back, and the copy, where there is
one; how long that copy alone takes is shown beside. What the extension itself adds to the library's own seconds is
the first line. Medians over repeats, one thread.
"""
import argparse
import statistics
import time

import numpy as np
import scipy.sparse as sp

import pith


def forms():
    """(name, data, what has to be copied of it, as a function)"""
    random = np.random.default_rng(0)
    for n, p in ((100, 20), (2000, 1000)):
        X = random.normal(size=(n, p))
        yield f"{n} x {p} double, C", X, None
        yield f"{n} x {p} double, Fortran", np.asfortranarray(X), None
        yield f"{n} x {p} float, every second row", X.astype(np.float32)[::2], None
        yield f"{n} x {p} int64", (X * 9).astype(int), lambda Z: Z.astype(float)
    C = sp.random(20000, 5000, 0.01, "csr", random_state=0)
    C.indptr = C.indptr.astype(np.int64)
    yield "20000 x 5000 CSR, 1 %, int64 row pointers", C, None
    C = C.copy()
    C.indptr = C.indptr.astype(np.int32)
    yield "20000 x 5000 CSR, 1 %, int32 row pointers", C, lambda Z: Z.indptr.astype(np.int64)
    yield "20000 x 5000 CSC, 1 %", C.tocsc(), lambda Z: Z.tocsr()
    try:
        import pandas as pd
    except ImportError:
        return
    for p in (20, 1000):
        yield f"2000 x {p} frame of double", pd.DataFrame(random.normal(size=(2000, p)), columns=[f"c{j}" for j in range(p)]), None


def timed(call, *args):
    began = time.perf_counter()
    out = call(*args)
    return time.perf_counter() - began, out


def beyond(X, repeats):
    """Seconds of a fit beyond the extension's call."""
    sel, spent, inside, run = pith.Selector("variance", threads=1), [], [], pith._core.run

    def watched(*args):
        seconds, out = timed(run, *args)
        inside.append(seconds)
        return out
    pith._core.run = watched
    for _ in range(repeats):
        spent.append(timed(sel.fit, X)[0] - inside.pop())
    pith._core.run = run
    return statistics.median(spent)


def extension(repeats):
    """Seconds of the extension's call beyond the library's own."""
    calls = (timed(pith._core.run, "variance", np.eye(20), None, None, {}, 1, 1, None) for _ in range(repeats))
    return statistics.median(seconds - out["seconds"] for seconds, out in calls)


def copying(X, copy, repeats):
    """Seconds of a copy that is made and dropped, as a fit does, with the caches as a run leaves them."""
    other, spent = np.random.default_rng(1).normal(size=(2000, 1000)), []

    def make_and_drop():
        copy(X)
    for _ in range(repeats):
        pith._core.run("variance", other, None, None, {}, 1, 1, None)
        spent.append(timed(make_and_drop)[0])
    return statistics.median(spent)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repeats", type=int, default=51)
    repeats = parser.parse_args().repeats
    print(f"{'data':45} {'beyond the call':>16} {'of it copying':>14}")
    print(f"{'the extension itself':45} {1e3 * extension(repeats):13.3f} ms {'-':>14}")
    for name, X, copy in forms():
        part = f"{1e3 * copying(X, copy, repeats):11.3f} ms" if copy else "-"
        print(f"{name:45} {1e3 * beyond(X, repeats):13.3f} ms {part:>14}")


if __name__ == "__main__":
    main()
