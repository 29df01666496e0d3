#!/usr/bin/env python3
"""Exact neighbours on a GPU, beside PyTorch's topk of tiled products, which certifies nothing.

    bench/cuda.py FOLDER [--pith PITH] [CASE...]

FOLDER is where engines/cuda was built: it has libpith-cuda.so and cuda_drive. The cases:

    narrow      1,000,000 x 50, k = 16             wide        300,000 x 2,000, k = 16
    sparse      600,000 x 30,000, 7 % not zero     sparse200   the same of 200,000 rows
    laplacian   pith rank, 1,000,000 x 50          consensus   pith rank, 50,000 x 1,000; both need --pith,
                                                               and tell what the engine took of it

Every search is checked: some rows are compared with all pairs in double. PyTorch, where it is installed, gets random
rows of the same shape that are on the device already; sparse rows as a dense table in half precision, 100,000 of
them, and its time is multiplied by the square of what is missing. The result of `laplacian` with 100,000 rows is
compared with that of the local engine, to the byte.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

K = 16
#       rows, columns, share that is not zero, repeats, rows that are checked
CASES = {"narrow": (1000000, 50, 1, 3, 200), "wide": (300000, 2000, 1, 2, 100), "sparse": (600000, 30000, .07, 1, 20),
         "sparse200": (200000, 30000, .07, 1, 20)}
#         samples, features, method
RANKED = {"laplacian": (1000000, 50, "laplacian"), "consensus": (50000, 1000, "consensus")}


def by_engine(folder, case):
    n, p, share, repeats, checked = CASES[case]
    words = [folder / "cuda_drive", "bench", folder / "libpith-cuda.so", n, p, K, share, 0, repeats, checked]
    print(f"{case}: engine cuda", flush=True)
    subprocess.run([str(w) for w in words], check=True, env={**os.environ, "PITH_CUDA_STATS": "1"})


def nearest(torch, x, rows, block, chunk):
    """The K + 1 nearest of rows[0]..rows[1], themselves among them, by products of tiles."""
    square = (x.float() ** 2).sum(1)
    for first in range(*rows, block):
        best = None
        for at in range(0, len(x), chunk):
            d = square[at:at + chunk] - 2 * (x[first:first + block] @ x[at:at + chunk].T).float()
            d, i = torch.topk(d, K + 1, largest=False)
            if best is not None:
                d, i = torch.cat((best[0], d), 1), torch.cat((best[1], i + at), 1)
                d, order = torch.topk(d, K + 1, largest=False)
                i = torch.gather(i, 1, order)
            best = d, i
    return best


def by_torch(case):
    try:
        import torch
    except ImportError:
        print(f"{case}: PyTorch is not installed")
        return
    n, p, share = CASES[case][:3]
    rows = n if share == 1 else min(n, 100000)
    kinds = {"fp32": (torch.float32, False), "TF32": (torch.float32, True)} if share == 1 else {"fp16": (torch.float16, False)}
    for name, (dtype, tf32) in kinds.items():
        torch.backends.cuda.matmul.allow_tf32 = tf32
        x = torch.empty((rows, p), dtype=dtype, device="cuda")
        for first in range(0, rows, 10000):
            x[first:first + 10000] = torch.randn((min(10000, rows - first), p), device="cuda").to(dtype)
        nearest(torch, x, (0, 4096), 4096, 65536)
        torch.cuda.synchronize()
        start = time.perf_counter()
        nearest(torch, x, (0, rows), 4096, 65536)
        torch.cuda.synchronize()
        seconds = (time.perf_counter() - start) * (n / rows) ** 2
        print(f"{case}: PyTorch, {name}: {seconds:.2f} s" + ("" if n == rows else f" (from {rows} rows)"), flush=True)
        del x


def by_pith(folder, pith, case):
    n, p, method = RANKED[case]
    env = {**os.environ, "PITH_ENGINE_PATH": str(folder), "PITH_CUDA_STATS": "1"}
    with tempfile.TemporaryDirectory() as where:
        def rank(data, engine):
            start = time.perf_counter()
            run = subprocess.run([pith, "rank", data, "-qm", method, "--engine", engine], check=True, env=env, text=True,
                                 capture_output=True)
            spent = [float(s) for s in re.findall(r"([\d.]+) s (?:in halves|for)", run.stderr)]
            return time.perf_counter() - start, sum(spent), run.stdout

        for samples, engines in ((n // 10, ("local", "cuda")), (n, ("cuda",))):
            data = f"{where}/{samples}.npy"
            subprocess.run([pith, "synth", "blobs", "--samples", str(samples), "--features", str(p), "--float32", "-o", data, "-q"],
                           check=True)
            results = set()
            for engine in engines:
                seconds, spent, text = rank(data, engine)
                results.add(text)
                print(f"{case}: {samples} x {p}: engine {engine}: {seconds:.2f} s" +
                      (f", {spent:.2f} s of it searching by the engine" if engine == "cuda" else ""), flush=True)
            if len(engines) > 1:
                print(f"{case}: {samples} x {p}: the rankings are {'the same' if len(results) == 1 else 'DIFFERENT'}", flush=True)
            os.remove(data)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--pith")
    parser.add_argument("--no-torch", action="store_true")
    parser.add_argument("cases", nargs="*", default=["narrow", "wide", "sparse"], metavar="CASE")
    given = parser.parse_intermixed_args()
    for case in given.cases:
        if case in RANKED:
            if not given.pith:
                sys.exit(f"{case}: needs --pith")
            by_pith(given.folder, given.pith, case)
            continue
        by_engine(given.folder, case)
        if not given.no_torch:
            by_torch(case)


if __name__ == "__main__":
    main()
