#!/usr/bin/env python3
"""Do the p- and q-values of features hold what they promise? Tables for docs/methods/evidence.md.

    cmake --preset dev && cmake --build --preset dev
    PYTHONPATH=build/dev/python python3 bench/evidence.py [PART ...] [--quick]

noise     sets without structure: how often some feature is called (q <= .05), and how the p-values lie; 5 minutes of CPU
hard      the same for what was expected to be hard: counts ruled by a few features, few features, dense counts; 6 minutes
large     the same for 20,000 samples; 5 minutes
planted   false discovery rate and power on sets whose features are known; 1 minute
real      real sets, their controls (pith synth null), and as many made-up columns as real ones beside them; 2 minutes
seeds     how much p moves with the seed and with the order of the samples; 1 minute
cost      CPU seconds of the evidence beside those of the ranking; 2 minutes

All parts by default; --quick makes a few small sets of each and takes a minute. One thread. Real sets are looked for in the
folder that PITH_DATA names, or in ../shared/data.
"""
import argparse
import itertools
import os
import pathlib
import subprocess
import tempfile
import time
import warnings

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np
import scipy.sparse as sp
from scipy.stats import spearmanr

import choices
import pith

KINDS = ["groups", "linear"]
CALLED = 0.05
ALPHAS = [0.05, 0.01, 1e-3, 1e-4]


def table(head, rows):
    """Rows are printed as they come: some take minutes."""
    for line in itertools.chain([head, ["---"] * len(head)], rows):
        print("| " + " | ".join(map(str, line)) + " |", flush=True)
    print()


def share(value, digits=3):
    return f"{value:.{digits}f}".replace("0.", ".", 1)


def with_error(values):
    return f"{share(np.mean(values))} ({share(np.std(values, ddof=1) / np.sqrt(len(values)))})"


def test(X, kind, **more):
    """The ranking is not what is asked for here, so few features of it are chosen with care."""
    return pith.rank(X, "consensus", evidence=kind, threads=1, **{"top": 5, **more})


def called(result):
    return result.qvalues <= CALLED  # NaN: not tested, not called


# ---- Made-up data ---------------------------------------------------------------------------------------------------


def depths(rng, n, kind):
    """Expected relative lengths of samples: lognormal by its sd, or a twentieth of them 15 times as deep."""
    if kind == "deep":
        return np.where(rng.random(n) < 0.05, 15, 1) * np.exp(0.3 * rng.standard_normal(n))
    return np.exp(kind * rng.standard_normal(n))


def count_means(rng, n, p, phi, depth, density, spread):
    """Means of counts whose share of nonzeros is about density; features differ by a lognormal of sd spread."""
    s, g = depths(rng, n, depth), np.exp(spread * rng.standard_normal(p))
    some, low, high = np.quantile(s, np.linspace(0.01, 0.99, 40))[:, None], -30.0, 30.0
    for _ in range(50):
        middle = (low + high) / 2
        mean = np.exp(middle) * some * g
        zero = np.exp(-np.where(phi > 0, np.log1p(phi * mean) / np.maximum(phi, 1e-12), mean))
        low, high = (middle, high) if 1 - zero.mean() < density else (low, middle)
    return np.exp(low) * s[:, None] * g


def draw_counts(rng, mean, phi):
    """Negative binomial of variance mean + phi mean^2; phi 0: Poisson. As CSR, without empty samples."""
    if np.max(phi) > 0:
        shape = 1 / np.broadcast_to(phi, mean.shape)
        mean = mean * rng.gamma(shape) / shape
    X = rng.poisson(mean)
    return sp.csr_matrix(X[X.sum(axis=1) > 0], dtype=float)


def dispersions(rng, p, phi):
    low, high = phi if isinstance(phi, tuple) else (phi, phi)
    return np.full(p, float(low)) if low == high else np.exp(rng.uniform(np.log(low), np.log(high), p))


def counts(phi, depth, density, spread=1.5):
    def make(rng, n, p):
        by_feature = dispersions(rng, p, phi)
        return draw_counts(rng, count_means(rng, n, p, by_feature, depth, density, spread), by_feature)
    return make


def normalised(make):
    """What is often done to dense counts: ln(1 + counts per 10,000)."""
    def made(rng, n, p):
        X = make(rng, n, p).toarray()
        return np.log1p(1e4 * X / X.sum(axis=1, keepdims=True))
    return made


def gaussian(rng, n, p):
    return rng.standard_normal((n, p))


def t3(rng, n, p):
    return rng.standard_t(3, (n, p))


NOISE = {
    "Gaussian": gaussian,
    "t, 3 degrees of freedom": t3,
    "lognormal": lambda rng, n, p: np.exp(rng.standard_normal((n, p))),
    "sparse Poisson": counts(0, 0.0, 0.1),
    "Poisson, lengths vary (sd of log 1)": counts(0, 1.0, 0.1),
    "negative binomial, dispersion .1 to 2, library sizes (.7)": counts((0.1, 2), 0.7, 0.2),
}
DENSE = list(NOISE)[:3]
# (n, p), and how many of 200 sets have it
SIZES = {(60, 200): 60, (100, 500): 50, (200, 1000): 40, (500, 500): 25, (100, 5000): 15, (1000, 1000): 6, (2000, 1000): 3, (2000, 5000): 1}

HARD = [  # name, n, p, make
    ("NB, dispersion 3, features vary (3), library sizes (.5)", 300, 200, counts(3, 0.5, 0.4, 3)),
    ("NB, dispersion 3, features vary (3), library sizes (1)", 200, 100, counts(3, 1.0, 0.4, 3)),
    ("NB, dispersion 1 to 3, features vary (3), library sizes (1)", 300, 1000, counts((1, 3), 1.0, 0.4, 3)),
    ("NB, dispersion 1 to 3, features vary (3), deep samples", 300, 500, counts((1, 3), "deep", 0.3, 3)),
    ("NB, dispersion .1 to 2, library sizes (.5), 80 % nonzero", 100, 500, counts((0.1, 2), 0.5, 0.8)),
    ("the same, ln(1 + counts per 10,000)", 100, 500, normalised(counts((0.1, 2), 0.5, 0.8))),
    *((f"{name}, few features", 200, p, make) for p in (6, 12, 23) for name, make in (("Gaussian", gaussian), ("t, 3 degrees", t3))),
]
LARGE = [("Gaussian", gaussian), ("NB, dispersion .1 to 2, library sizes (.7)", counts((0.1, 2), 0.7, 0.2))]


def planted_values(rng, n, p, k, sep):
    """Four groups, unit noise, group means of sd sep in k columns; what was planted is true."""
    X, y = rng.standard_normal((n, p)), rng.integers(4, size=n)
    true = np.isin(np.arange(p), rng.choice(p, k, replace=False))
    X[:, true] += sep * rng.standard_normal((4, k))[y]
    return X, true


def planted_counts(rng, n, p, phi, depth, density, spread, fold):
    """Four groups; a tenth of the features is `fold` times as frequent in one of them."""
    by_feature, y = dispersions(rng, p, phi), rng.integers(4, size=n)
    mean = count_means(rng, n, p, by_feature, depth, density, spread)
    true = np.isin(np.arange(p), rng.choice(p, p // 10, replace=False))
    for j in np.flatnonzero(true):
        mean[y == rng.integers(4), j] *= rng.uniform(*fold)
    return draw_counts(rng, mean, by_feature), true


PLANTED = [  # name, make
    *((f"{n} x {p}, {k} planted, sep {sep}", lambda rng, a=(n, p, k, sep): planted_values(rng, *a))
      for n, p, k, sep in ((200, 1000, 50, 0.75), (200, 1000, 50, 1), (200, 1000, 50, 1.5), (200, 1000, 10, 3), (100, 5000, 50, 2),
                           (500, 1000, 50, 0.5))),
    *((f"{name}, {n} x {p}, folds {fold[0]} to {fold[1]}", lambda rng, a=(n, p, phi, depth, density, spread, fold): planted_counts(rng, *a))
      for name, n, p, phi, depth, density, spread, fold in (
          ("Poisson, lengths vary (1)", 300, 1000, 0, 1.0, 0.25, 1.5, (2, 5)),
          ("NB, dispersion .1 to 2, library sizes (1)", 300, 1000, (0.1, 2), 1.0, 0.4, 2, (2, 5)),
          ("NB, dispersion 1 to 3, features vary (3), library sizes (.5)", 300, 500, (1, 3), 0.5, 0.4, 3, (3, 8)))),
]


# ---- The parts ------------------------------------------------------------------------------------------------------


def noise_cells(results):
    """sets, share of them with a call, share of features called, observed over nominal frequencies of p."""
    p = np.concatenate([r.pvalues[~np.isnan(r.pvalues)] for r in results])
    calls = [int(called(r).sum()) for r in results]
    return [len(results), share(np.mean(np.array(calls) > 0)), share(sum(calls) / len(p), 5), f"{len(p):,}",
            *(f"{np.mean(p <= a) / a:.2f}" for a in ALPHAS)]


NOISE_HEAD = ["sets", "any call", "features called", "features", *(f"p <= {a:g}" for a in ALPHAS)]


def noise_rows(options, kind):
    sizes = [size for size, count in SIZES.items() for _ in range(count)]
    sizes, found = sizes[:10] if options.quick else sizes * options.times, {}
    for number, (name, make) in enumerate(NOISE.items()):
        found[name] = [test(make(np.random.default_rng([options.seed, number, i]), n, p), kind) for i, (n, p) in enumerate(sizes)]
        yield [name, *noise_cells(found[name])]
    yield ["all dense", *noise_cells(sum((found[name] for name in DENSE), []))]
    yield ["all counts", *noise_cells(sum((found[name] for name in NOISE if name not in DENSE), []))]


def noise(options):
    for kind in options.kinds:
        table([f"noise, {kind}", *NOISE_HEAD], noise_rows(options, kind))


def noise_rows_of(options, kind, cells, sets):
    for number, (name, n, p, make) in enumerate(cells):
        found = [test(make(np.random.default_rng([options.seed, n, p, number, i]), n, p), kind) for i in range(sets)]
        yield [f"{name}, {n:,} x {p}", *noise_cells(found)]


def hard(options):
    for kind in options.kinds:
        table([f"hard noise, {kind}", *NOISE_HEAD], noise_rows_of(options, kind, HARD, 3 if options.quick else 200 * options.times))


def large(options):
    n = 2000 if options.quick else 20000
    cells = [(name, n, 300, make) for name, make in LARGE]
    for kind in options.kinds:
        table([f"many samples, {kind}", *NOISE_HEAD], noise_rows_of(options, kind, cells, 1 if options.quick else 2))


def planted_rows(options, kind):
    for number, (name, make) in enumerate(PLANTED):
        false, power, sets = [], [], 2 if options.quick else 20 * options.times
        for i in range(sets):
            X, true = make(np.random.default_rng([options.seed, number, i]))
            result = test(X, kind)
            hit = called(result)
            false.append((hit & ~true).sum() / max(1, hit.sum()))
            power.append((hit & true).sum() / (true & ~np.isnan(result.pvalues)).sum())
        yield [name, sets, with_error(false), with_error(power)]


def planted(options):
    for kind in options.kinds:
        table([f"planted, {kind}", "sets", "false discovery rate (standard error)", "power (standard error)"], planted_rows(options, kind))


REAL = ["ALLAML", "lung_181", "Leukemia2", "lung_203_filtered", "COIL20", "Yale", "BBCSport", "Guardian", "Newsgroups_mini", "sc_pbmc_500",
        "sc_baron_mouse1", "sc_radial_glia"]


def find_set(name):
    for path in (choices.data_folder() / f"{name}.mat", choices.data_folder() / f"{name}.h5ad"):
        if path.exists():
            return path
    print(f"skipped: {name} is not in {choices.data_folder()}")
    return None


def read(path):
    return pith.read(path, labels=None).X


def control(options, path):
    with tempfile.TemporaryDirectory() as folder:
        to = pathlib.Path(folder) / "null.npz"
        subprocess.run([options.pith, "synth", "null", path, "-o", to, "--no-labels", "-q"], check=True)
        return read(to)


def squares_about(X, length):
    """Of each column: its sum, the share of the lengths that it is, and the sum of squares about what that share makes of them."""
    total = np.asarray(X.sum(axis=0)).ravel()
    part = total / length.sum()
    about = np.asarray(X.multiply(X).sum(axis=0)).ravel() - 2 * part * (X.T @ length) + part**2 * (length @ length)
    return total, part, about


def weighted_length(X):
    """As the test has it: features that are noisier than Poisson's count less."""
    length = np.ones(X.shape[0])
    for _ in range(2):
        total, _, about = squares_about(X, length)
        length = X @ (1 / np.maximum(1, about / np.maximum(total, 1e-300)))
    return length


def fakes(rng, X):
    """Name -> as many columns as X has, of which none has to do with another but by the length of samples."""
    if not sp.issparse(X):
        return {"shuffled": rng.permuted(X, axis=0)}
    X = X.astype(float)
    length = weighted_length(X)
    total, part, about = squares_about(X, length)
    phi = np.maximum(1e-9, (about - total) / np.maximum(part**2 * (length @ length), 1e-300))
    mean = length[:, None] * part
    shape = np.broadcast_to(1 / phi, mean.shape)
    return {"Poisson": sp.csr_matrix(rng.poisson(mean), dtype=float),
            "negative binomial": sp.csr_matrix(rng.poisson(mean * rng.gamma(shape) / shape), dtype=float)}


def beside(X, more):
    return sp.hstack([X, more], format="csr") if sp.issparse(X) else np.hstack([X, more])


def real_row(options, path, kind):
    X, mixed = read(path), []
    own, null = test(X, kind), test(control(options, path), kind)
    for name, columns in fakes(np.random.default_rng(options.seed), X).items():
        hit = called(test(beside(X, columns), kind))
        mixed.append(f"{share(hit[X.shape[1]:].sum() / max(1, hit.sum()))} of {hit.sum():,} ({name})")
    return [path.stem, f"{X.shape[0]:,} x {X.shape[1]:,}", share(called(own).sum() / (~np.isnan(own.pvalues)).sum()),
            share(own.facts["halves_agreement"]), int(called(null).sum()), share(null.facts["halves_agreement"]), ", ".join(mixed)]


def real(options):
    paths = [path for path in map(find_set, ["Yale", "Guardian"] if options.quick else REAL) if path is not None]
    for kind in options.kinds:
        table([f"real, {kind}", "size", "called of the tested", "halves", "control: called", "halves", "fakes among the called"],
              (real_row(options, path, kind) for path in paths))


def alike(results):
    """Means over pairs: rank correlation of p, and how much the sets of called features overlap (Jaccard)."""
    pairs = [(a, b) for i, a in enumerate(results) for b in results[:i]]
    rho = [spearmanr(a.pvalues, b.pvalues, nan_policy="omit")[0] for a, b in pairs]
    same = [(called(a) & called(b)).sum() / max(1, (called(a) | called(b)).sum()) for a, b in pairs]
    return [share(np.mean(rho)), share(np.mean(same)), ", ".join(str(int(called(r).sum())) for r in results)]


def seed_rows(options, paths, kind):
    runs = 2 if options.quick else 5
    for path in paths:
        X, rng = read(path), np.random.default_rng(options.seed)
        yield [f"{path.stem}, seeds", *alike([test(X, kind, random_state=1 + i) for i in range(runs)])]
        yield [f"{path.stem}, order of samples", *alike([test(X[rng.permutation(X.shape[0])], kind) for _ in range(runs)])]


def seeds(options):
    names = ["Yale"] if options.quick else ["ALLAML", "BBCSport", "lung_181", "sc_pbmc_500"]
    paths = [path for path in map(find_set, names) if path is not None]
    for kind in options.kinds:
        table([f"steadiness, {kind}", "rank correlation of p", "overlap of the called", "called"], seed_rows(options, paths, kind))


def seconds(X, repeats, kinds, **more):
    """Medians of CPU seconds by evidence, taken in turns."""
    spent = {kind: [] for kind in kinds}
    for _ in range(repeats):
        for kind in kinds:
            began = time.process_time()
            test(X, kind, top=300, **more)
            spent[kind].append(time.process_time() - began)
    return {kind: float(np.median(v)) for kind, v in spent.items()}


def cost_rows(options):
    rng, cut = np.random.default_rng(options.seed), 4 if options.quick else 1
    dense = planted_values(rng, 2000 // cut, 5000 // cut, 500 // cut, 1)[0]

    def text(n, p):
        return planted_counts(rng, n // cut, p // cut, 0, 0.5, 0.03, 1.5, (3, 8))[0]

    for name, X, more in (("dense", dense, {}), ("dense, --clusters 10", dense, {"clusters": 10}), ("sparse", text(2000, 5000), {}),
                          ("sparse", text(2000, 20000), {})):
        spent = seconds(X, 1 if options.quick else 3, ["none", *options.kinds], **more)
        size = f"{X.shape[0]:,} x {X.shape[1]:,}" + (f", {X.nnz:,} nonzeros" if sp.issparse(X) else "")
        yield [f"{name}, {size}", f"{spent['none']:.2f}",
               *(f"{spent[k] - spent['none']:.2f} ({100 * (spent[k] / spent['none'] - 1):.0f} %)" for k in options.kinds)]


def cost(options):
    table(["CPU seconds", "without evidence", *(f"more for {k}" for k in options.kinds)], cost_rows(options))


PARTS = {part.__name__: part for part in (noise, hard, large, planted, real, seeds, cost)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help="of those above (default: all)")
    parser.add_argument("--quick", action="store_true", help="few and small sets, to see that it works")
    parser.add_argument("--times", type=int, default=1, help="so many times as many sets of noise and planted sets")
    parser.add_argument("--kinds", nargs="*", default=KINDS, choices=KINDS, help="of evidence (default: all)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pith", type=pathlib.Path, default=choices.ROOT / "build/dev/pith", help="the built command")
    options = parser.parse_args()
    unknown = [part for part in options.parts if part not in PARTS]
    if unknown:
        parser.error(f"no such part: {unknown[0]}; there are {', '.join(PARTS)}")
    warnings.simplefilter("ignore", UserWarning)  # that noise is noise
    for name in options.parts or PARTS:
        PARTS[name](options)


if __name__ == "__main__":
    main()
