"""NRFS's Table I: four features chosen from the noisy synthetic data, judged on its normal samples."""
import csv
import json
import pathlib
import subprocess
import tempfile

import numpy as np

SEEDS = range(1, 31)
METHODS = ("spec", "laplacian", "mcfs", "ndfs", "nrfs")
VIEWS = {"as it is": ["--standardize", "none"], "standardised": ["--standardize", "zscore"]}


def pith(program, *words):
    return subprocess.run([str(program), *map(str, words)], check=True, capture_output=True, text=True).stdout


def normal_samples(source, target, columns=None):
    """The samples whose label is not 0, on the columns that are named, with their labels."""
    with open(source, newline="") as f:
        rows = list(csv.reader(f))
    keep = [i for i, name in enumerate(rows[0]) if columns is None or name in columns or name == "label"]
    with open(target, "w", newline="") as f:
        csv.writer(f).writerows([[row[i] for i in keep] for i, row in enumerate(rows) if i == 0 or row[-1] != "0"])
    return target


def judge(program, path):
    """NMI of k-means by the paper's protocol on all columns of the file."""
    out = path.with_suffix(".json")
    pith(program, "compare", path, "-m", "variance", "-n", 1, "--protocol", "nrfs", "--threads", 1, "-q", "-o", out)
    return next(row["nmi"]["mean"] for row in json.loads(out.read_text())["rows"] if row["method"] == "all-features")


def chosen(program, path, method, view):
    said = pith(program, "rank", path, "-m", method, "--clusters", 4, *VIEWS[view], "--threads", 1, "-q")
    return [line["name"] for line in csv.DictReader(said.splitlines())][:4]


def one_seed(program, seed):
    with tempfile.TemporaryDirectory() as folder:
        data, normal, small = (pathlib.Path(folder) / f"{name}.csv" for name in ("all", "normal", "small"))
        pith(program, "synth", "nrfs", "--seed", seed, "-o", data, "-q")
        normal_samples(data, normal)
        found, judged = {"all features": judge(program, normal)}, {}
        for method in METHODS:
            for view in VIEWS:
                for source, name in ((data, "all samples"), (normal, "normal samples")):
                    features = frozenset(chosen(program, source, method, view))
                    if features not in judged:
                        judged[features] = judge(program, normal_samples(data, small, features))
                    found[f"{method}, {view}, {name}"] = judged[features]
    return found


def make(program):
    """{line: mean NMI over the seeds}"""
    found = [one_seed(program, seed) for seed in SEEDS]
    return {"nmi": {line: float(f"{np.mean([f[line] for f in found]):.6g}") for line in found[0]}}
