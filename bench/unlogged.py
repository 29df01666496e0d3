#!/usr/bin/env python3
"""Values that span orders of magnitude: which tables are told to, and what it brings to rank their logarithms.

    /usr/bin/python3 bench/unlogged.py [--data DIR] [--program PITH]

The first table has what pith_i_is_unlogged (src/matrix/scale.h) decides by, of every .mat in DIR and of simulated reads. The second
has NMI on arrays, the mean over 50, 100, 200 and 300 genes: `consensus` ranks the values as they are, or after `--prep auto`, and
k-means (20 starts from random samples, z-scored columns) clusters the chosen genes as they are, or after --prep auto. The third has simulated reads of
bulk RNA (60 samples, 60 markers that are three times as high in one of three groups, negative binomial counts): markers among the first 60, and what
has a q of at most 0.05; also by logarithms with --scaling pareto, as -m auto takes them. The fourth has reads of which
some samples have more of many genes, by the recipes that divide by totals and by the median of ratios. The last has tables that must not be told: sensors in units of their own (300 samples, a fifth of the columns differs between
three groups), ranked as they are, as after --prep counts, and by `-m auto`.
"""
import argparse
import csv
import io
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import normalized_mutual_info_score

ROOT = pathlib.Path(__file__).resolve().parents[1]
ARRAYS = ("Carcinom_filtered", "lung_203_filtered", "lung_181", "Leukemia2")
COUNTS = (50, 100, 200, 300)
SIMULATED = ((1, 3000, 4, 0.3), (2, 3000, 4, 0.5), (3, 3000, 4, 0.3), (4, 3000, 3, 0.5), (5, 6000, 4, 0.4))  # seed, genes, mean log count, sd of log depth
SENSORS = ((1, 120, .7, .3), (2, 120, 1.2, .3), (3, 250, .7, .3), (4, 250, 1.2, .5))  # seed, columns, sd of log10 of the units, sd of log readings


def pith(program, *words):
    return subprocess.run([str(program), *map(str, words), "-q"], check=True, capture_output=True, text=True).stdout


def reads(seed, genes, level, depth):
    """(counts, is a marker)."""
    rng = np.random.default_rng(seed)
    group, marker = np.arange(60) % 3, np.zeros(genes, bool)
    mean = np.exp(rng.normal(level, 1.5, genes)) * np.exp(rng.normal(0, depth, 60))[:, None]
    chosen = rng.choice(genes, 60, replace=False)
    marker[chosen] = True
    for k, j in enumerate(chosen):
        mean[group == k % 3, j] *= 3
    return rng.poisson(rng.gamma(10, mean / 10)), marker


def one_sided(seed, share):
    """The same of 5,000 genes, but markers are high in the first of three groups, and a sample's total is its depth, whatever it is made of."""
    rng = np.random.default_rng(seed)
    marker = np.zeros(5000, bool)
    mean = np.exp(rng.normal(4, 1.5, 5000)) * np.ones((60, 1))
    marker[rng.choice(5000, int(5000 * share), replace=False)] = True
    mean[np.ix_(np.arange(60) % 3 == 0, marker)] *= 3
    mean *= 1e6 * np.exp(rng.normal(0, 0.3, 60))[:, None] / mean.sum(axis=1, keepdims=True)
    return rng.poisson(rng.gamma(10, mean / 10)), marker


def sensors(seed, columns, decades, change):
    """(readings, is a marker)."""
    rng = np.random.default_rng(seed)
    group, marker = np.arange(300) % 3, np.zeros(columns, bool)
    marker[rng.choice(columns, columns // 5, replace=False)] = True
    size, own = np.exp(rng.normal(2, 2.3 * decades, columns)), change * np.exp(rng.normal(0, .4, columns))
    z = rng.normal(size=(300, columns))
    z[:, marker] += 1.5 * rng.normal(size=(3, columns))[group][:, marker]
    return size * np.exp(own * z), marker


def table(program, path, folder):
    """The values of a file."""
    out = folder / "table.npy"
    pith(program, "convert", path, out, "--force")
    return np.load(out)


def decided_by(x):
    """(ratio of large and small standard deviations, correlation of ln sd and ln mean, median of sd / mean, columns that make up the totals,
    median slope of columns on totals)"""
    mean, sd = x.mean(0), x.std(0)
    made, total = mean[mean > 0].sum() ** 2 / (mean[mean > 0] ** 2).sum(), x.sum(1) / x.sum(1).mean() - 1
    slopes = (total @ x / len(x) / total.var() / np.where(mean > 0, mean, 1))[(sd > 0) & (mean > 0)]
    mean, sd = mean[sd > 0], sd[sd > 0]
    some, low = mean > 0, len(sd) // 20
    order = np.sort(sd)
    return order[-1 - low] / order[low], np.corrcoef(np.log(mean[some]), np.log(sd[some]))[0, 1], np.median(sd[some] / mean[some]), made, np.median(slopes)


def put_decisions(program, files, folder):
    print(f"{'data':20} {'largest':>9} {'sd ratio':>9} {'corr.':>6} {'sd/mean':>8} {'made by':>8} {'slope':>6}  told")
    for path in files:
        x = table(program, path, folder)
        ratio, corr, relative, made, slope = decided_by(x)
        told = json.loads(pith(program, "info", path, "--json"))
        kind = "orders of magnitude" if told["unlogged"] else "counts" if told["counts"] else ""
        print(f"{path.stem:20} {x.max():9.4g} {ratio:9.3g} {corr:6.2f} {relative:8.2f} {made:8.3g} {slope:6.2f}  {kind}".rstrip(), flush=True)


def ranking(program, path, *words, method="consensus"):
    rows = csv.DictReader(io.StringIO(pith(program, "rank", path, "-m", method, *words)))
    return [(int(row["index"]), float(row["q"] or "nan")) for row in rows]


def judged(x, y):
    sd = x.std(0)
    z = (x - x.mean(0)) / np.where(sd > 0, sd, 1)
    runs = (KMeans(len(set(y)), n_init=1, init="random", random_state=s).fit_predict(z) for s in range(20))
    return np.mean([normalized_mutual_info_score(y, labels, average_method="max") for labels in runs])


def put_arrays(program, data, folder):
    import scipy.io
    print(f"\n{'data':20} {'ranked on':>10} {'clustered as it is':>19} {'on logarithms':>14}")
    for name in ARRAYS:
        path = data / f"{name}.mat"
        if not path.exists():
            print(f"{name:20} not in {data}")
            continue
        held = scipy.io.loadmat(path)
        y = np.ravel(held["Y"] if "Y" in held else held["gnd"])
        logs = folder / "logs.npy"
        pith(program, "prep", path, logs, "--steps", "auto", "--force")
        x, prepared = table(program, path, folder), np.load(logs)
        for word, words in (("values", ()), ("logarithms", ("--prep", "auto"))):
            order = [j for j, _ in ranking(program, path, *words)]
            scores = [np.mean([judged(some[:, order[:c]], y) for c in COUNTS]) for some in (x, prepared)]
            print(f"{name:20} {word:>10} {scores[0]:19.3f} {scores[1]:14.3f}", flush=True)


def put_reads(program, folder):
    print(f"\n{'simulated reads':32} {'ranked on':>10} {'of 60':>6} {'q <= .05':>9} {'others':>7}")
    for seed, genes, level, depth in SIMULATED:
        x, marker = reads(seed, genes, level, depth)
        path = folder / f"reads_{seed}.npy"
        np.save(path, x.astype(float))
        for word, words in (("values", ()), ("logarithms", ("--prep", "auto")), ("pareto", ("--prep", "auto", "--scaling", "pareto"))):
            found = ranking(program, path, *words)
            called = [marker[j] for j, q in found if q <= 0.05]
            print(f"{genes} genes, level {level}, depth {depth:.1f}".ljust(32)
                  + f" {word:>10} {sum(marker[j] for j, _ in found[:60]):6} {sum(called):9} {len(called) - sum(called):7}", flush=True)


def put_one_sided(program, folder):
    print(f"\n{'one-sided reads':32} {'prepared by':>12} {'first':>6} {'q <= .05':>9} {'others':>7}")
    for seed, share in itertools.product((1, 2, 3), (0.01, 0.1)):
        x, marker = one_sided(seed, share)
        path = folder / "one_sided.npy"
        np.save(path, x.astype(float))
        for recipe in ("counts", "reads"):
            found = ranking(program, path, "--prep", recipe, "--scaling", "pareto")
            called = [marker[j] for j, q in found if q <= 0.05]
            print(f"draw {seed}, {marker.sum()} markers of 5000".ljust(32)
                  + f" {recipe:>12} {sum(marker[j] for j, _ in found[:marker.sum()]):6} {sum(called):9} {len(called) - sum(called):7}", flush=True)


def put_sensors(program, folder):
    print(f"\n{'sensors':40} {'markers':>8} {'ranked':>14} {'first':>6} {'q <= .05':>9} {'others':>7}")
    for seed, columns, decades, change in SENSORS:
        x, marker = sensors(seed, columns, decades, change)
        path = folder / f"sensors_{seed}.npy"
        np.save(path, x)
        for word, method, words in (("as they are", "consensus", ()), ("--prep counts", "consensus", ("--prep", "counts")), ("-m auto", "auto", ())):
            found = ranking(program, path, *words, method=method)
            called = [marker[j] for j, q in found if q <= 0.05]
            first = sum(marker[j] for j, _ in found[:marker.sum()])
            print(f"{columns} columns, sd of units {decades} decades, {change}".ljust(40)
                  + f" {marker.sum():8} {word:>14} {first:6} {sum(called):9} {len(called) - sum(called):7}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, default=os.environ.get("PITH_DATA", ROOT.parent / "shared" / "data"))
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build" / "release" / "pith")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pith-unlogged-") as folder:
        folder = pathlib.Path(folder)
        simulated = folder / "reads.npy"
        np.save(simulated, reads(*SIMULATED[0])[0].astype(float))
        put_decisions(options.program, [*sorted(options.data.glob("*.mat")), simulated], folder)
        put_arrays(options.program, options.data, folder)
        put_reads(options.program, folder)
        put_one_sided(options.program, folder)
        put_sensors(options.program, folder)


if __name__ == "__main__":
    sys.exit(main())
